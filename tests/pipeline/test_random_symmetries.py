"""Random symmetries φ(t, x, w) ∂x: the known ones are found, proved and counted, and nothing else is.

What is expected comes from theory, and SymPy checks every φ against the condition that it commutes with drift and noise
(docs/method.md §2.7), written here by hand and not read from the package.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import sympy as sp

import liestonet as lsn
from liestonet.errors import InputError

t, x, y, z, w, w1, w2, w3 = sp.symbols("t x y z w w1 w2 w3", real=True)
a, b, c = sp.symbols("a b c", real=True)
exp, sin, cos, sqrt, log, pi = sp.exp, sp.sin, sp.cos, sp.sqrt, sp.log, sp.pi
R = sp.Rational

# Equation, expected span: one tuple of components for each symmetry. None of these has an invariant.
KNOWN: list[tuple[str, list[tuple[Any, ...]]]] = [
    # the table of known ones
    ("dx = (x - x^2) dt + x dW", [(x**2 * exp(-w - t / 2),)]),
    ("dx = (2*x - 3*x^2) dt + x/2 dW", [(x**2 * exp(-w / 2 - R(15, 8) * t),)]),
    ("dx = (x - x^4) dt + x dW", [(x**4 * exp(-3 * w - R(3, 2) * t),)]),
    ("dx = (x - 2*x^(3/2)) dt + x dW", [(x ** R(3, 2) * exp(-w / 2 - t / 4),)]),
    ("dx = (2*x + 1) dt + (x + 3) dW", [(exp(w + R(3, 2) * t),)]),
    ("dx = (x + 1) dt + dW1 + 2*x dW2", [(exp(2 * w2 - t),)]),
    ("dx = (1/2 + 3*exp(2*x)) dt + 3/4 dW", [(exp(2 * x - R(3, 2) * w - t),)]),
    ("dx = x*(1 - 2*log(x)) dt + x/3 dW", [(x * exp(-2 * t),)]),
    ("dx = -3*x dt + 2 dW", [(exp(-3 * t),)]),
    ("dx = (1/4 - x) dt + sqrt(x) dW", [(sqrt(x) * exp(-t / 2),)]),
    ("dx = (1 - x) dt + sqrt(x) dW", []),
    ("dx = tanh(x) dt + dW", []),
    ("dx = (x - x^3) dt + dW", []),
    ("dx = (1 + x^2) dt + dW", []),
    # one coordinate, one noise
    ("dx = (3*x - x^3) dt + 2*x dW", [(x**3 * exp(-4 * w - 2 * t),)]),
    ("dx = (2*x - x^2) dt + 3*x dW", [(x**2 * exp(-3 * w + R(5, 2) * t),)]),
    ("dx = (-x + x^2) dt + x dW", [(x**2 * exp(-w + R(3, 2) * t),)]),
    ("dx = (x + sqrt(x)) dt + x dW", [(sqrt(x) * exp(w / 2 + t / 4),)]),
    ("dx = (1 - x) dt + x dW", [(exp(w - R(3, 2) * t),)]),
    ("dx = dt + x dW", [(exp(w - t / 2),)]),
    ("dx = x dt + (x + 1) dW", [(exp(w + t / 2),)]),
    ("dx = exp(-x) dt + dW", [(exp(w - x),)]),
    ("dx = sin(x) dt + dW", []),
    ("dx = 1/x dt + dW", []),
    # time-dependent coefficients
    ("dx = (t + x) dt + x dW", [(exp(w + t / 2),)]),
    ("dx = (t*x - x^2/(1 + t)) dt + x dW", [(x**2 * exp(-w + t / 2 - t**2 / 2),)]),
    ("dx = (x*cos(t) - x^3) dt + x dW", [(x**3 * exp(-2 * w + t - 2 * sin(t)),)]),
    ("dx = (1 + t*x) dt + x dW", [(exp(w + t**2 / 2 - t / 2),)]),
    ("dx = -x dt + (1 + t) dW", [(exp(-t),)]),
    # other noise
    ("dx = (x/2 + sqrt(1 + x^2)*sinh(asinh(x))) dt + sqrt(1 + x^2) dW", []),
    ("dx = (1 + x) dt + x dW1 + x dW2", [(exp(w1 + w2),)]),
    ("dx = (x - x^2) dt + x dW1 + 2*x dW2", [(x**2 * exp(-w1 - 2 * w2 + R(3, 2) * t),)]),
    ("dx = x dt + dW1 + x^2 dW2", []),
    # two coordinates
    (
        "dx = (x - x^2) dt + x dW1; dy = (y - y^2) dt + y dW2",
        [(x**2 * exp(-w1 - t / 2), 0), (0, y**2 * exp(-w2 - t / 2))],
    ),
    (
        "dx = (x + 1) dt + (x + y) dW; dy = y dt + (y - x + 1) dW",
        [
            (exp(t + w) * cos(t - w), exp(t + w) * sin(t - w)),
            (exp(t + w) * sin(t - w), -exp(t + w) * cos(t - w)),
        ],
    ),
    ("dx = (1 + x) dt + x dW1; dy = (x + y) dt + y dW2", [(0, exp(w2 + t / 2))]),
    ("dx = (x - x*y) dt + x dW1; dy = (x*y - y) dt + y dW2", []),
    ("dx = -x dt + dW1; dy = (x - 2*y) dt + dW2", [(0, exp(-2 * t)), (exp(-t), exp(-t))]),
    (
        "dx = (2*x - y) dt + dW1; dy = (x + 2*y) dt + dW2",
        [(exp(2 * t) * cos(t), exp(2 * t) * sin(t)), (-exp(2 * t) * sin(t), exp(2 * t) * cos(t))],
    ),
    ("dx = (1 + x) dt + x dW1; dy = (2 + 3*y) dt + 2*y dW2", [(exp(w1 + t / 2), 0), (0, exp(2 * w2 + t))]),
    # three coordinates
    (
        "dx = (x - x^2) dt + x dW1; dy = (y - y^3) dt + y dW2; dz = (1 + z) dt + z dW3",
        [(x**2 * exp(-w1 - t / 2), 0, 0), (0, y**3 * exp(-2 * w2 - t), 0), (0, 0, exp(w3 + t / 2))],
    ),
    ("dx = (1 + x) dt + x dW1; dy = (x + y) dt + y dW2; dz = (y - z) dt + z dW3", [(0, 0, exp(w3 - R(3, 2) * t))]),
    ("dx = 10*(y - x) dt + dW1; dy = (x*(28 - z) - y) dt + dW2; dz = (x*y - 8/3*z) dt + dW3", []),
]  # fmt: skip


def commutes(sde: lsn.SDE, phi: tuple[Any, ...], noises: tuple[str, ...]) -> bool:
    """[V₀, φ] = [V_k, φ] = 0 by SymPy."""
    source: Any = sde.symbolic
    state, n = source.state, sde.dimension
    wiener = [sp.Symbol(name, real=True) for name in noises]
    columns = [[source.diffusion[i, k] for i in range(n)] for k in range(sde.noise)]
    drift = [
        source.drift[i, 0] - sum(col[j] * sp.diff(col[i], state[j]) for col in columns for j in range(n)) / 2
        for i in range(n)
    ]
    for outer, field in [(source.time, drift), *zip(wiener, columns, strict=True)]:
        for i in range(n):
            value = sp.diff(phi[i], outer) + sum(
                field[j] * sp.diff(phi[i], state[j]) - phi[j] * sp.diff(field[i], state[j]) for j in range(n)
            )
            if sp.simplify(sp.expand(value)) != 0:
                return False
    return True


def span(sde: lsn.SDE, fields: list[tuple[Any, ...]], noises: tuple[str, ...]) -> np.ndarray:
    """Values of fields at scattered points, one column each."""
    symbols = [t, *(sp.Symbol(name, real=True) for name in (*sde.names, *noises))]
    points = np.random.default_rng(1).uniform(0.6, 1.4, (40, len(symbols)))
    columns = []
    for field in fields:
        values = sp.lambdify(symbols, [sp.sympify(part) for part in field], "numpy")(*points.T)
        columns.append(np.concatenate([np.broadcast_to(np.asarray(v, float), 40) for v in values]))
    return np.array(columns).T.reshape(-1, len(fields))


FAST = 18  # of the list above; systems take longer, and tests below keep some in the fast set


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(text, expected, id=text, marks=[pytest.mark.slow] if ";" in text or place >= FAST else [])
        for place, (text, expected) in enumerate(KNOWN)
    ],
)
def test_dimension_and_span(text: str, expected: list[tuple[Any, ...]]):
    sde = lsn.SDE.parse(text)
    found = lsn.solve(sde, symmetry="random")
    assert found.dimension == len(expected) == found.bound
    rows = found.formulas()
    assert [row.status for row in rows] == ["proved"] * len(expected)
    for row in rows:
        assert len(row.xi) == sde.dimension
        assert commutes(sde, row.xi, found.noises)
    if expected:
        both = np.column_stack([span(sde, expected, found.noises), span(sde, [row.xi for row in rows], found.noises)])
        both /= np.linalg.norm(both, axis=0)
        sizes = np.linalg.svd(both, compute_uv=False)
        assert sizes[len(expected) - 1] > 1e-3
        assert sizes[len(expected)] < 1e-10


def test_there_are_enough_equations():
    assert len(KNOWN) - 14 >= 25  # beyond the table of known ones


INFINITE = [
    ("dx = dW", "x - w"),
    ("dx = 2 dt + 3 dW", "x/3 - w - 2*t/3"),
    ("dx = 2*x dt + 3*x dW", "log(x)/3 - w + 5*t/6"),
    ("dx = x/2 dt + sqrt(1 + x^2) dW", "asinh(x) - w"),
    ("dx = -x*(1 - x^2) dt + (1 - x^2) dW", "atanh(x) - w"),
]


@pytest.mark.parametrize(("text", "invariant"), INFINITE)
def test_brownian_motion_in_other_coordinates_has_infinitely_many(text: str, invariant: str):
    sde = lsn.SDE.parse(text)
    found = lsn.solve(sde, symmetry="random")
    assert math.isinf(found.dimension)
    (row,) = found.formulas()
    (flag,) = [flag for flag in found.flags if flag.code == "infinite"]
    names: Any = {"x": x, "t": t, "w": w}
    read: Any = sp.sympify
    expected = read(invariant, locals=names)
    text = flag.message.split("I = ")[1].rstrip(".")
    for shown_as, written in (("^", "**"), (" ", "*"), ("*-*", "-"), ("*+*", "+")):
        text = text.replace(shown_as, written)
    shown = read(text, locals=names)
    slope = sp.simplify(sp.diff(shown, w) / sp.diff(expected, w))
    assert slope.is_number
    assert sp.simplify(sp.diff(shown - slope * expected, x)) == 0
    # any function of the invariant times the field commutes
    assert commutes(sde, (row.xi[0] * sp.cos(expected),), found.noises)


@pytest.mark.slow
def test_systems_with_an_invariant_have_none_or_infinitely_many():
    # d(x + y) = dW: with w it is constant along every path
    assert math.isinf(lsn.solve(lsn.SDE.parse("dx = y dt; dy = -y dt + dW"), symmetry="random").dimension)
    # d(log x + y) = dt/2 + dW1 + dW2
    sde = lsn.SDE.parse("dx = x*y dt + x dW1; dy = (1 - y) dt + dW2")
    assert math.isinf(lsn.solve(sde, symmetry="random").dimension)
    # 2x − y is multiplied by the same factor along every path
    found = lsn.solve(lsn.SDE.parse("dx = (1 + x) dt + x dW; dy = (2 + y) dt + y dW"), symmetry="random")
    assert math.isinf(found.dimension)


def test_ordinary_symmetries_are_told_apart():
    found = lsn.solve(lsn.SDE.parse("dx = -x dt + dW1; dy = (y - y^2) dt + y dW2"), symmetry="random")
    assert found.dimension == 2
    assert sorted(found.ordinary) == [False, True]
    ordinary = [row.xi for row, alone in zip(found.formulas(), found.ordinary, strict=True) if alone]
    assert ordinary == [(exp(-t), 0)]
    assert any(flag.code == "ordinary" for flag in found.flags)
    assert all(lsn.solve(lsn.SDE.parse("dx = -x dt + dW")).ordinary)


def test_generators_are_functions_of_time_state_and_noise():
    found = lsn.solve(lsn.SDE.parse("dx = (x - x^2) dt + x dW1; dy = (y - y^2) dt + y dW2"), symmetry="random")
    rng = np.random.default_rng(0)
    times, states, noise = rng.uniform(0, 1, 5), rng.uniform(0.8, 1.5, (5, 2)), rng.uniform(-0.5, 0.5, (5, 2))
    xi = found.generators(times, states, noise)
    assert xi.shape == (2, 5, 2)
    expected = states[:, 0] ** 2 * np.exp(-noise[:, 0] - times / 2)
    np.testing.assert_allclose(xi[0, :, 0], expected, rtol=1e-12)
    np.testing.assert_allclose(found.candidates(1)(times, states, noise)[0, :, 0], expected, rtol=1e-4)
    with pytest.raises(InputError, match="depend on the Wiener process"):
        found.generators(times, states)
    with pytest.raises(InputError, match="w has shape"):
        found.generators(times, states, noise[:, :1])
    with pytest.raises(InputError, match="do not depend on w"):
        lsn.solve(lsn.SDE.parse("dx = dW"), formulas=False).generators(times, states[:, :1], noise[:, 0])


def test_one_noise_may_be_a_column_or_a_vector():
    found = lsn.solve(lsn.SDE.parse("dx = (x - x^2) dt + x dW"), symmetry="random")
    times, states, noise = np.zeros(3), np.ones((3, 1)), np.arange(3.0)
    column = found.generators(times, states, noise[:, None])
    np.testing.assert_array_equal(found.generators(times, states, noise), column)


@pytest.mark.slow
def test_callables_are_solved_on_the_extended_equation():
    sde = lsn.SDE(lambda t, x: x - x**2, lambda t, x: x[:, :, None], dimension=1)
    found = lsn.solve(sde, symmetry="random", domain=[(0, 1), (0.5, 2)], formulas=False)
    assert found.dimension == 1
    points = np.random.default_rng(2).uniform([0.1, 0.6, -0.8], [0.9, 1.9, 0.8], (20, 3))
    xi = found.generators(points[:, 0], points[:, 1:2], points[:, 2])[0, :, 0]
    ratio = xi / (points[:, 1] ** 2 * np.exp(-points[:, 2] - points[:, 0] / 2))
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-4)


@pytest.mark.slow
def test_free_parameters_are_proved_for_all_values():
    found = lsn.solve(lsn.SDE.parse("dx = (a*x - b*x^2) dt + c*x dW"), symmetry="random")
    (row,) = found.formulas()
    assert row.status == "proved"
    slope = sp.simplify(row.xi[0] / (x**2 * exp(-c * w - (a - c**2 / 2) * t)))
    assert slope.is_number
    assert str(found.surrogate) == "dx = (a*x - b*x**2) dt + c*x dW"


def test_a_domain_may_leave_the_wiener_process_out():
    sde = lsn.SDE.parse("dx = (x - x^2) dt + x dW")
    assert lsn.solve(sde, symmetry="random", domain=[(0, 1), (1, 2)]).domain.intervals[:2] == ((0, 1), (1, 2))
    given = lsn.solve(sde, symmetry="random", domain=[(0, 1), (1, 2), (-0.5, 0.5)])
    assert given.domain.intervals[2] == (-0.5, 0.5)


@pytest.mark.slow
def test_results_can_be_kept_shown_and_put_into_a_page(tmp_path):
    found = lsn.solve(lsn.SDE.parse("dx = (x - x^2) dt + x dW"), symmetry="random")
    found.save(tmp_path / "run.lsn")
    again = lsn.load(tmp_path / "run.lsn")
    assert again.formulas() == found.formulas()
    assert again.noises == ("w",)
    assert "1 random symmetry of" in repr(again)
    assert r"e^{- \frac{t}{2} - w}" in again.latex()
    assert again.to_dictionary()["formulas"][0]["text"] == "x^2 exp(-t/2 - w) ∂x"
    page = again.report(tmp_path / "page.html").read_text()
    assert "Wiener process" in page


def test_random_symmetries_are_for_equations():
    found = lsn.solve(lsn.SDE.parse("dx = (x - x^2) dt + x dW"), symmetry="random")
    data = lsn.SDE.parse("dx = -x dt + dW").simulate([0.0], 1.0, 0.1, paths=50)
    with pytest.raises(InputError, match="trajectories do not record"):
        lsn.discover(data, symmetry="random")
    with pytest.raises(InputError, match="trajectories do not record"):
        lsn.test(data, found)
    with pytest.raises(InputError, match="do not record"):
        found.push(data, 0, 0.1)


def test_other_kinds_are_as_before():
    """Kinds share the machinery: unknowns that are absent leave the others alone."""
    sde = lsn.SDE.parse("dx = (x - x^2) dt + x dW")
    for kind, dimension in (("ito", 1), ("law", 1), ("fokker-planck", 2)):
        assert lsn.solve(sde, symmetry=kind, formulas=False).dimension == dimension
