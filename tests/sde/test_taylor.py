"""Truncated power series against exact derivatives from SymPy and numerical ones in forty digits."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy as sp
from hypothesis import assume, given
from hypothesis import strategies as st

from liestonet.core.domain import Domain
from liestonet.core.power_series import SeriesRing
from liestonet.sde import SDE
from liestonet.sde.chebyshev import project
from liestonet.sde.taylor import UnknownFunctionError, jet_series, taylor

t, x = sp.symbols("t x", real=True)
POINT, HALF = np.array([0.4, 0.7]), np.array([0.5, 2.0])

FORMULAS = [
    sp.Integer(3),
    sp.pi * t - x / 3,
    (t + x) ** 7,
    (1 + t * x) ** 70,  # more than 64 factors: by the binomial series
    (t - 3 * x) ** -2,
    sp.sqrt(1 + x**2 * t),
    x ** sp.Rational(-3, 2),
    (x + t) ** (x * t),
    2 ** (x - t),
    x**sp.pi,
    sp.exp(-(x**2) / 2 + t),
    sp.log(x + 2 * t),
    sp.sin(3 * x * t) * sp.cos(x - t),
    sp.tan(x + t / 5),
    sp.sinh(x) - sp.cosh(t * x),
    sp.tanh(x - 2 * t),
    sp.atan(5 * x * t),
    sp.asin(x / 2 + t / 3),
    sp.acos(x * t - sp.Rational(1, 2)),
    sp.asinh(3 * x - t),
    sp.asinh(-2 - x * t),
    sp.acosh(1 + x + t),
    sp.atanh(x / 2 - t),
    sp.atanh(x * t) + sp.acosh(5 * x),
    sp.erf(x - 2 * t),
    sp.erfc(3 * x * t) * x,
    sp.exp(sp.erf(1 + x**2)),
    sp.Abs(t - x) * x,
    sp.sign(t - x) * sp.exp(x),
    1 / (1 + sp.exp(-x)),
    sp.exp(sp.sin(sp.log(1 + x**2 + t**2))),
]


def ring_and_variables(degree: int) -> tuple[SeriesRing, dict[Any, np.ndarray]]:
    ring = SeriesRing(2, degree)
    return ring, {t: ring.variable(0, POINT[0], HALF[0]), x: ring.variable(1, POINT[1], HALF[1])}


@pytest.mark.parametrize("formula", FORMULAS, ids=str)
def test_series_are_sympys(formula):
    ring, variables = ring_and_variables(4)
    found = taylor(ring, formula, variables)
    here = {t: sp.Rational(2, 5), x: sp.Rational(7, 10)}
    smooth = formula.replace(sp.Abs, lambda u: u * sp.sign(u.subs(here))).replace(
        sp.sign, lambda u: sp.sign(u.subs(here))
    )
    exact = []
    for i, j in ring.exponents.tolist():
        derivative = sp.diff(smooth, t, i, x, j).subs(here)
        scale = HALF[0] ** i * HALF[1] ** j / (math.factorial(i) * math.factorial(j))
        exact.append(float(sp.N(derivative, 25)) * scale)
    np.testing.assert_allclose(found, exact, rtol=1e-12, atol=1e-13 * np.abs(exact).max())


LEAVES = st.sampled_from([t, x, t * x, sp.Rational(1, 3), sp.Integer(-2)])


def bounded(u: Any) -> Any:
    """Something between 1 and 3."""
    return 2 + sp.sin(u)


def grow(inner: st.SearchStrategy) -> st.SearchStrategy:
    """One step of the grammar; arguments are kept where the functions are smooth."""
    single = st.sampled_from(
        [
            sp.sin,
            sp.cos,
            sp.tanh,
            sp.atan,
            sp.Abs,
            lambda u: sp.exp(sp.sin(u)),
            lambda u: sp.tan(sp.cos(u)),
            lambda u: sp.sinh(sp.tanh(u)),
            lambda u: sp.cosh(sp.sin(u)),
            lambda u: sp.asin(sp.sin(u) / 2),
            lambda u: sp.acos(sp.tanh(u) / 2),
            sp.asinh,
            lambda u: sp.acosh(bounded(u) + 1),
            lambda u: sp.atanh(sp.sin(u) / 2),
            lambda u: sp.log(bounded(u)),
            lambda u: sp.sqrt(bounded(u)),
            lambda u: bounded(u) ** -3,
            lambda u: u**3,
        ]
    )
    double = st.sampled_from(
        [lambda u, v: u + v, lambda u, v: u - v, lambda u, v: u * v, lambda u, v: bounded(u) ** sp.tanh(v)]
    )
    return st.builds(lambda f, u: f(u), single, inner) | st.builds(lambda f, u, v: f(u, v), double, inner, inner)


SHALLOW = LEAVES | grow(LEAVES)


@given(SHALLOW | grow(SHALLOW))
def test_series_of_any_formula(formula):
    """Against numerical derivatives in forty digits."""
    ring, variables = ring_and_variables(3)
    function = sp.lambdify((t, x), formula, "mpmath")
    kinks = [sp.lambdify((t, x), node.args[0], "mpmath") for node in formula.atoms(sp.Abs)]
    with mpmath.workdps(40):
        assume(all(abs(kink(*POINT)) > 1e-3 for kink in kinks))
        exact = [
            float(mpmath.diff(function, tuple(map(mpmath.mpf, POINT)), (i, j)))
            * float(HALF[0] ** i * HALF[1] ** j / (math.factorial(i) * math.factorial(j)))
            for i, j in ring.exponents.tolist()
        ]
    size = max(np.abs(exact).max(), 1)
    assume(size < 1e6)
    np.testing.assert_allclose(taylor(ring, formula, variables), exact, rtol=0, atol=1e-12 * size)


@given(st.integers(1, 3), st.integers(0, 4), st.integers(0, 1000))
def test_ring_arithmetic_is_polynomial_arithmetic(variables, degree, seed):
    """Products and derivatives are exact on whole numbers, so equality is exact."""
    ring, rng = SeriesRing(variables, degree), np.random.default_rng(seed)
    a, b = rng.integers(-9, 10, (2, ring.size)).astype(float)
    s = sp.symbols(f"s:{variables}")

    def polynomial(series: np.ndarray) -> Any:
        terms = zip(series.tolist(), ring.exponents.tolist(), strict=True)
        return sp.Poly(sum(int(c) * math.prod(v**e for v, e in zip(s, row, strict=True)) for c, row in terms), *s)

    def truncated(poly: Any) -> dict:
        return {row: c for row, c in poly.terms() if sum(row) <= degree and c != 0}

    assert truncated(polynomial(ring.multiply(a, b))) == truncated(polynomial(a) * polynomial(b))
    for v in range(variables):
        assert polynomial(ring.differentiate(a, v)) == polynomial(a).diff(s[v])


def test_composition_with_a_polynomial():
    ring = SeriesRing(1, 6)
    inner = ring.variable(0, 2.0, 1.0)  # 2 + s
    np.testing.assert_allclose(ring.compose(np.array([5.0, 0.0, 3.0]), inner), [5, 0, 3, 0, 0, 0, 0])


@pytest.mark.parametrize("formula", [sp.gamma(x), sp.Max(t, x), sp.erfi(x), sp.atan2(t, x)])
def test_functions_without_series_are_named(formula):
    ring, variables = ring_and_variables(2)
    with pytest.raises(UnknownFunctionError):
        taylor(ring, formula, variables)


@pytest.mark.parametrize("text", ["dx = 1/(x - 1) dt + dW", "dx = log(x - 2) dt + dW", "dx = dt + (x - 1)^0.5 dW"])
def test_no_series_at_a_singular_point(text):
    source = SDE.parse(text).symbolic
    assert source is not None
    assert source.series(SeriesRing(2, 3), np.array([0.0, 1.0]), np.ones(2)) is None


def test_series_of_a_source_agree_with_its_jets():
    """Two ways to the same numbers: arithmetic on series, and derivatives over factorials."""
    source = SDE.parse("dx = t*y/(1 + x^2) dt + exp(x) dW1; dy = sin(x*y) dt + y dW1 + cos(t) dW2").symbolic
    assert source is not None
    ring, point, half = SeriesRing(3, 4), np.array([0.3, -0.5, 1.2]), np.array([1.0, 0.5, 3.0])
    series = source.series(ring, point, half)
    assert series is not None
    for name, expected in jet_series(source, ring, point, half).items():
        np.testing.assert_allclose(series[name], expected, rtol=1e-12, atol=1e-12)


def test_series_of_callables_are_close_to_the_formulas():
    """The polynomials that replace callables have the formula's Taylor coefficients, to their own accuracy."""
    sde = SDE(lambda t, x: np.sin(x) + t[:, None], lambda t, x: np.exp(x / 2)[:, :, None], dimension=1)
    domain = Domain(((0.0, 1.0), (-1.0, 1.0)))
    exact = SDE.parse("dx = (sin(x) + t) dt + exp(x/2) dW").symbolic
    assert exact is not None
    ring, point, half = SeriesRing(2, 4), np.array([0.4, 0.2]), domain.half / 2
    found, expected = project(sde, domain).series(ring, point, half), exact.series(ring, point, half)
    assert found is not None
    assert expected is not None
    for name in expected:
        np.testing.assert_allclose(found[name], expected[name], atol=1e-9)
