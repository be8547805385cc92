"""Equations that only symmetries with the Wiener process in them solve: Itô's formula, fine paths, known densities."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy

import liestonet as lsn
from liestonet.errors import InputError

# equation, start, validity
CASES = [
    ("dx = (x - x^2) dt + x/2 dW", 0.6, "at all times"),
    ("dx = (2*x - x^4) dt + x/2 dW", 0.6, "at all times"),
    ("dx = (2*x + 1) dt + (x + 3) dW", -3.4, "at all times"),
    ("dx = (t*x - x^2/(1 + t)) dt + x dW", 0.6, "at all times for t > -1"),
    ("dx = (x + 1) dt + dW1 + x dW2", 0.3, "at all times"),
    ("dx = (x + x^2) dt + x/2 dW", 0.2, "until x reaches infinity"),
    ("dx = (x - 3*sqrt(x)) dt + x dW", 4.0, "until x reaches 0"),
]


def solved(text: str) -> Any:
    return lsn.reduce(lsn.solve(lsn.SDE.parse(text)))


@pytest.mark.parametrize(("text", "start", "validity"), CASES)
def test_without_ordinary_symmetries_a_random_one_solves(text, start, validity):
    made = solved(text)
    assert (made.kind, made.status, made.level, made.closed) == ("solved", "proved", "strong", 0)
    assert not made.is_exact
    assert made.validity == validity
    assert ito_mismatch(made) < 1e-9
    assert fine_path_mismatch(made, start) < 5e-3


def ito_mismatch(made: Any) -> float:
    """How far the new equation is from Itô's formula for u(t, x, w), with dw = dW, at points."""
    old: Any = made.equation.symbolic
    x, t = old.state[0], old.time
    noise = [sympy.Symbol(name, real=True) for name in made.noise_names]
    u = list(made.coordinates.values())[-1]
    sigma = list(old.diffusion)
    drift = u.diff(t) + old.drift[0] * u.diff(x) + sum(s**2 for s in sigma) * u.diff(x, 2) / 2
    drift += sum(u.diff(w, 2) / 2 + s * u.diff(x, w) for s, w in zip(sigma, noise, strict=True))
    rows = [u.diff(w) + s * u.diff(x) for s, w in zip(sigma, noise, strict=True)]
    wanted = [made.sde.symbolic.drift[len(noise)], *made.sde.symbolic.diffusion[len(noise), :]]
    worst = 0.0
    for place in np.random.default_rng(4).uniform(0.2, 0.9, (5, 2 + len(noise))):
        at = dict(zip((t, x, *noise), map(float, place), strict=True))
        gaps = [float((a - b).subs(at).evalf()) for a, b in zip([drift, *rows], wanted, strict=True)]
        worst = max(worst, *map(abs, gaps))
    return worst


def fine_path_mismatch(made: Any, start: float) -> float:
    """The largest relative distance between the formula and Milstein's steps along the same path of the noise."""
    source: Any = made.equation.symbolic
    noises = made.equation.noise
    rng, n, dt = np.random.default_rng(5), 10_000, 2e-5
    steps = np.sqrt(dt) * rng.standard_normal((1, n, noises))
    times = dt * np.arange(n + 1)
    path = made.follow(start, times, steps)[0, :, 0]
    f, *sigma = (
        sympy.lambdify((source.time, source.state[0]), e, "math") for e in (source.drift[0], *source.diffusion)
    )
    slopes = [sympy.lambdify((source.time, source.state[0]), e.diff(source.state[0]), "math") for e in source.diffusion]
    x, worst = start, 0.0
    for k in range(n):
        t, dw = times[k], steps[0, k]
        values = [s(t, x) for s in sigma]
        bends = [v * slope(t, x) * (d**2 - dt) / 2 for v, slope, d in zip(values, slopes, dw, strict=True)]
        x += f(t, x) * dt + sum(v * d for v, d in zip(values, dw, strict=True)) + sum(bends)
        worst = max(worst, abs(x - path[k + 1]) / (1 + abs(x)))
    return worst


def test_the_solution_of_the_logistic_equation_is_the_known_one():
    """x = E / (1/x₀ + b ∫E ds) with E = exp((a − c²/2) t + c W), written here with W(s) = s/5 along one path."""
    made = solved("dx = (x - 2*x^2) dt + x/2 dW")
    t, s = sympy.symbols("t s", real=True)
    text = str(made)
    assert "W(t)" in text
    assert "W(s)" in text
    (formula,) = made.solution.values()
    from liestonet.reduction.ito_integral import ItoIntegral

    plain = formula.replace(lambda e: isinstance(e, ItoIntegral), lambda e: e.upper / 5)
    growth = sympy.Rational(7, 8) + sympy.Rational(1, 10)
    known = sympy.exp(growth * t) / (2 + 2 * sympy.integrate(sympy.exp(growth * s), (s, 0, t)))
    value = plain.subs({sympy.Symbol("x_0", real=True): sympy.Rational(1, 2), t: 1}).doit()
    assert float(value) == pytest.approx(float(known.subs(t, 1)), rel=1e-12)


def test_symbols_stay_and_what_the_formula_needs_of_them_is_said():
    made = solved("dx = a*(x - b*x^2) dt + c*x dW")
    assert made.validity == "at all times if a > 0, b > 0"
    numeric = made.with_parameters(a=1, b=1, c=0.5)
    sample = numeric.sample(0.4, [0.5, 2.0], 4000, 3)
    assert not sample.exact
    assert "trapezoid" in sample.note
    # a stationary gamma law with mean 1 − c²/2; ten relaxation times are nearly that: six standard errors
    late = numeric.sample(0.4, [12.0], 4000, 4).states[:, 0, 0]
    assert late.mean() == pytest.approx(0.875, abs=6 * late.std() / np.sqrt(4000))


def test_paths_that_leave_are_marked():
    made = solved("dx = (x + x^2) dt + x/2 dW")
    sample = made.sample(0.5, [0.5, 1.0, 3.0], 500, 1)
    gone = np.isnan(sample.states[:, :, 0])
    assert (np.diff(gone.astype(int), axis=1) >= 0).all()
    assert 0 < gone[:, 1].sum() < gone[:, 2].sum() <= 500
    assert f"{gone[:, 2].sum()} of 500" in sample.note


SYSTEMS = [
    "dx = (x - x^2) dt + x dW1; dy = (y - y^2) dt + y dW2",
    "dx = (x - x^2) dt + x dW; dy = (1 - 2*y) dt + dW",
    # (AX + b) dt + (BX + c) dW with AB = BA that are not diagonal
    "dx = (x + 2*y + 1) dt + (x + y) dW; dy = y dt + (y + 1) dW",
]


@pytest.mark.parametrize("text", SYSTEMS)
def test_systems_with_as_many_random_symmetries_as_coordinates(text):
    made: Any = lsn.reduce(lsn.solve(lsn.SDE.parse(text), symmetry="random"))
    assert (made.kind, made.status) == ("solved", "proved")
    rng, n, dt = np.random.default_rng(6), 4000, 1e-4
    steps = np.sqrt(dt) * rng.standard_normal((1, n, made.equation.noise))
    path = made.follow([0.5, 0.4], dt * np.arange(n + 1), steps)[0]
    x = np.array([[0.5, 0.4]])
    for k in range(n):
        t = np.full(1, k * dt)
        x = x + made.equation.drift(t, x) * dt + made.equation.diffusion(t, x)[0] @ steps[0, k]
    np.testing.assert_allclose(path[-1], x[0], rtol=0.03)  # Euler's steps: strong order 1/2


def test_ordinary_solutions_come_out_the_same_way():
    ordinary = lsn.SDE.parse("dx = -x dt + dW")
    made: Any = lsn.reduce(lsn.solve(ordinary, symmetry="random"))
    assert (made.kind, made.noise_names, made.is_exact) == ("solved", (), True)
    brownian: Any = lsn.reduce(lsn.solve(lsn.SDE.parse("dx = x dW"), symmetry="random"))
    assert (brownian.kind, brownian.is_exact) == ("solved", True)


def test_what_random_symmetries_do_not_solve_is_said():
    none = lsn.solve(lsn.SDE.parse("dx = (1 - x) dt + sqrt(x) dW"), symmetry="random")
    made: Any = lsn.reduce(none)
    assert made.kind == "none"
    assert "it has none" in str(made)
    few = lsn.solve(lsn.SDE.parse("dx = (x - x^2) dt + x dW1; dy = (x*y - y^2) dt + y dW2"), symmetry="random")
    assert "2 coordinates need 2, and it has 1" in str(lsn.reduce(few))
    with pytest.raises(InputError, match="all random symmetries of an equation together"):
        lsn.reduce(lsn.solve(lsn.SDE.parse("dx = (x - x^2) dt + x dW"), symmetry="random"), 0)


def test_results_of_random_symmetries_have_martingales_and_invariants():
    result = lsn.solve(lsn.SDE.parse("dx = -x dt + dW"), symmetry="random")
    assert result.invariants() == ()
    x, t = sympy.symbols("x t", real=True)
    assert x * sympy.exp(t) in [row.expression for row in result.martingales()]
