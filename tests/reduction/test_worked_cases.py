"""Worked cases by hand: the coordinate of each, with its drift and noise, is the one that is found, up to a factor."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg
import sympy
from sympy import Rational, asin, asinh, atanh, exp, log, sin, sqrt

import liestonet as lsn
from liestonet.sde.sde import SDE
from reductions import ito, reduced

t, x = sympy.symbols("t x", real=True)
HALF = Rational(1, 2)
PLACES = [(0.2, 0.3), (0.5, 0.7), (0.8, 0.45)]

# equation, its only generator without time component, y(t, x), F and G of dy = F dt + G dW
INTEGRALS = [
    ("dx = 2 dt + 3 dW", "d_x", x, 2, 3),
    ("dx = 2*(1-x) dt + 0.5 dW", "exp(-2*t) d_x", exp(2 * t) * x, 2 * exp(2 * t), exp(2 * t) / 2),
    ("dx = (1+t)*x dt + (2+t)*x dW", "x d_x", log(x), 1 + t - (2 + t) ** 2 / 2, 2 + t),
    ("dx = (4*x+2) dt + (2*x+1) dW", "(2*x+1) d_x", log(2 * x + 1) / 2, 1, 1),
    (
        "dx = x*(1-2*log(x)) dt + 0.5*x dW", "exp(-2*t)*x d_x",
        exp(2 * t) * log(x), Rational(7, 8) * exp(2 * t), exp(2 * t) / 2,
    ),
    ("dx = (x + 2*x^2 + x^3) dt + x^2 dW", "exp(-t)*x^2 d_x", -exp(t) / x, 2 * exp(t), exp(t)),
    ("dx = x/2 dt + sqrt(1+x^2) dW", "sqrt(1+x^2) d_x", asinh(x), 0, 1),
    (
        "dx = (x/2 - 2*sqrt(1+x^2)*asinh(x)) dt + sqrt(1+x^2) dW", "exp(-2*t)*sqrt(1+x^2) d_x",
        exp(2 * t) * asinh(x), 0, exp(2 * t),
    ),
    ("dx = -x*(1-x^2) dt + (1-x^2) dW", "(1-x^2) d_x", atanh(x), 0, 1),
    ("dx = x*(1-x)*(1-2*x)/2 dt + x*(1-x) dW", "x*(1-x) d_x", log(x / (1 - x)), 0, 1),
    ("dx = 2*(1/8-x) dt + sqrt(x) dW", "exp(-t)*sqrt(x) d_x", 2 * exp(t) * sqrt(x), 0, exp(t)),
    ("dx = 3*x^(1/3) dt + 3*x^(2/3) dW", "x^(2/3) d_x", x ** Rational(1, 3), 0, 1),
    ("dx = (1/4-x/2) dt + sqrt(x*(1-x)) dW", "sqrt(x*(1-x)) d_x", asin(2 * x - 1), 0, 1),
    ("dx = -x/(1-t) dt + dW", "(1-t) d_x", x / (1 - t), 0, 1 / (1 - t)),
    ("dx = (-x+sin(3*t)) dt + dW", "exp(-t) d_x", exp(t) * x, exp(t) * sin(3 * t), exp(t)),
    ("dx = sqrt(1+t) dW", "d_x", x, 0, sqrt(1 + t)),
]  # fmt: skip


@pytest.mark.parametrize(("equation", "generator", "y", "drift", "noise"), INTEGRALS, ids=[row[0] for row in INTEGRALS])
def test_the_coordinate_of_an_integral(equation, generator, y, drift, noise):
    made = reduced(equation, generator)
    found = plain(list(made.coordinates.values())[1])
    symbolic: Any = made.equation.symbolic
    factors = []
    for place in PLACES:
        at = dict(zip((t, x), place, strict=True))
        by_hand = ito([y], symbolic, at)
        wanted = [float(sympy.sympify(part).subs(at)) for part in (drift, noise)]
        np.testing.assert_allclose([by_hand[0][0], by_hand[1][0][0]], wanted, atol=1e-12)
        factors.append(float((found.diff(x) / y.diff(x)).subs(at)))
        now, formulas = {made.sde.symbolic.time: place[0]}, made.sde.symbolic
        given = [float(part[0].subs(now)) for part in (formulas.drift, formulas.diffusion)]
        # a shift of the coordinate in time moves its drift only; the noise is that of the factor
        assert given[1] == pytest.approx(factors[-1] * wanted[1])
    assert np.ptp(factors) < 1e-9 * abs(factors[0])


def plain(expression: Any) -> Any:
    """The expression in the symbols of this file."""
    return sympy.sympify(expression).xreplace({s: sympy.Symbol(s.name, real=True) for s in expression.free_symbols})


# equation, generators, ζ, its clock and A of dζ = A/ζ ds + dB
BESSEL = [
    (
        "dx = 2*(1-x) dt + 0.5*sqrt(x) dW", "exp(-2*t)*(d_t - 2*x*d_x); d_t",
        4 * exp(t) * sqrt(x), (exp(2 * t) - 1) / 2, Rational(31, 2),
    ),
    (
        "dx = 0.3*x dt + 0.5*x^(3/4) dW", "exp(0.15*t)*(d_t + 0.3*x*d_x); d_t",
        8 * exp(-Rational(3, 40) * t) * x ** Rational(1, 4), (1 - exp(-Rational(3, 20) * t)) * Rational(20, 3),
        -Rational(3, 2),
    ),
    (
        "dx = x*(1-2*x) dt + x^(3/2) dW", "exp(-t)*(d_t + x*d_x); d_t",
        2 * exp(t / 2) / sqrt(x), exp(t) - 1, Rational(11, 2),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("equation", "generators", "zeta", "clock", "strength"), BESSEL, ids=["cir", "cev", "3/2"])
def test_the_coordinate_of_a_bessel_process(equation, generators, zeta, clock, strength):
    made = reduced(equation, generators)
    found_clock, found = (plain(e) for e in made.coordinates.values())
    assert sympy.nsimplify(made.bessel) == strength
    for place in PLACES:
        at = dict(zip((t, x), place, strict=True))
        ratio = float((found / zeta).subs(at))
        # Brownian scaling: ζ → cζ with s → c²s is the same process
        assert ratio == pytest.approx(float((found / zeta).subs({t: 0.4, x: 0.6})))
        assert float(found_clock.subs(at)) == pytest.approx(ratio**2 * float(clock.subs(at)))


@pytest.mark.parametrize(
    ("equation", "generator", "z"),
    [
        ("dx = -x^3/(1+t)^2 dt + dW", "2*(1+t) d_t + x d_x", x / sqrt(1 + t)),
        ("dx = sin(x-t) dt + dW", "d_t + d_x", x - t),
    ],
)
def test_the_coordinate_of_an_autonomous_equation(equation, generator, z):
    """It is a function of the invariant z: its slopes are along those of z."""
    found = plain(list(reduced(equation, generator).coordinates.values())[1])
    for place in PLACES:
        at = dict(zip((t, x), place, strict=True))
        slopes = [[float(e.diff(v).subs(at)) for v in (t, x)] for e in (found, z)]
        assert abs(np.linalg.det(slopes)) < 1e-9


MATRICES = {
    "isotropic": ("dx = -x dt + dW1; dy = -y dt + dW2", [[-1, 0], [0, -1]]),
    "focus": ("dx = (-x - 2*y) dt + dW1; dy = (2*x - y) dt + dW2", [[-1, -2], [2, -1]]),
    "harmonic": ("dx = y dt; dy = (-5*x - 2*y) dt + dW", [[0, 1], [-5, -2]]),
}


@pytest.mark.parametrize(
    ("equation", "matrix"),
    [MATRICES["isotropic"], *(pytest.param(*MATRICES[key], marks=pytest.mark.slow) for key in ("focus", "harmonic"))],
)
def test_the_coordinates_of_a_linear_system_are_those_of_its_beginning(equation, matrix):
    """e^{−Mt}X up to a constant matrix."""
    made = reduced(equation)
    assert (made.kind, made.status, made.is_exact) == ("solved", "proved", True)
    found = [plain(e) for e in list(made.coordinates.values())[1:]]
    y = sympy.Symbol("y", real=True)
    factors = [
        np.array([[float(e.diff(v).subs(t, time)) for v in (x, y)] for e in found]) @ scipy.linalg.expm(time * m)
        for time in (0.0, 0.4, 1.1)
        for m in [np.array(matrix, dtype=float)]
    ]
    np.testing.assert_allclose(factors[1:], [factors[0]] * 2, atol=1e-9)
    assert abs(np.linalg.det(factors[0])) > 1e-3


def test_two_noises_that_are_brownian_motion_in_law():
    made = reduced("dx = x/2 dt + dW1 + x dW2", "sqrt(1+x^2) d_x", law=True)
    assert (made.kind, made.status, made.level) == ("solved", "proved", "law")
    found = plain(list(made.coordinates.values())[1])
    factors = [float((found.diff(x) / asinh(x).diff(x)).subs({x: value, t: 0.3})) for value in (-1.2, 0.3, 2.0)]
    np.testing.assert_allclose(factors, factors[0])
    squared = sum(entry**2 for entry in made.sde.symbolic.diffusion)
    assert float(squared) == pytest.approx(factors[0] ** 2)
    assert list(made.sde.symbolic.drift) == [0]


eps, T = sympy.Symbol("epsilon", real=True), sympy.Symbol("T", real=True)
left = T - t
q = 1 + eps * (1 - exp(-left)) / 2
MARTINGALES = {
    "dx = dW": (
        None,
        [x, x**2 - t, x**3 - 3 * t * x, exp(eps * x - eps**2 * t / 2)],
        [(1 + 2 * eps * left) ** -HALF * exp(-eps * x**2 / (1 + 2 * eps * left))],
    ),
    "dx = -x dt + dW": (
        None,
        [exp(t) * x, exp(2 * t) * (x**2 - HALF), exp(eps * exp(t) * x - eps**2 * exp(2 * t) / 4)],
        [],
    ),
    "dx = (1-x) dt + sqrt(x) dW": (
        [(0, 1), (0.5, 2)],
        [exp(t) * (x - 1), exp(2 * t) * (2 * x**2 - 6 * x + 3)],
        [q**-2 * exp(-eps * x * exp(-left) / q)],
    ),
    "dx = tanh(x) dt + dW": (None, [sympy.tanh(x), x - t * sympy.tanh(x)], []),
}


@pytest.mark.parametrize(
    "equation", ["dx = dW", *(pytest.param(text, marks=pytest.mark.slow) for text in MARTINGALES if text != "dx = dW")]
)
def test_martingales_by_hand_are_in_the_span_of_those_found(equation):
    box, wanted, transforms = MARTINGALES[equation]
    result = lsn.solve(SDE.parse(equation), "fokker-planck", box)
    found = [plain(row.expression) for row in result.martingales()]
    rng = np.random.default_rng(3)
    low, high = np.array(box or [(0.1, 0.9), (-1, 1)]).T
    places = rng.uniform(low, high, (40, 2))
    single = [e for e in found if eps not in e.free_symbols]
    columns = np.array([values(e, places) for e in [sympy.Integer(1), *single]]).T
    for function in [w for w in wanted if eps not in w.free_symbols]:
        target = values(function, places)
        rest = target - columns @ np.linalg.lstsq(columns, target, rcond=None)[0]
        assert np.abs(rest).max() < 1e-9, function
    for function in [w for w in [*wanted, *transforms] if eps in w.free_symbols]:
        assert any(same_family(e, function, places) for e in found if eps in e.free_symbols), function


def same_family(found: Any, function: Any, places: np.ndarray) -> bool:
    """Whether the families agree after a factor before ε."""
    if (T in found.free_symbols) != (T in function.free_symbols):
        return False
    at = {T: Rational(3, 2), eps: Rational(1, 5)}
    target = np.log(values(function.subs(at), places))
    for factor in (1, -1, 2, -2, HALF, -HALF, 4, -4, Rational(1, 4), -Rational(1, 4)):
        if np.allclose(np.log(values(found.subs({T: at[T], eps: factor * at[eps]}), places)), target, atol=1e-9):
            return True
    return False


def values(expression: Any, places: np.ndarray) -> np.ndarray:
    return np.array([float(expression.subs({t: a, x: b})) for a, b in places])
