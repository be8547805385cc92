"""One variable's functions: Legendre polynomials against NumPy's; next to singular points against exact calculus."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp
from numpy.polynomial import legendre

from liestonet.core.coordinate import Coordinate

COORDINATES = [
    Coordinate(-1.0, 3.0),
    Coordinate(0.05, 3.0, 0.0),
    Coordinate(-3.0, -0.1, None, 0.0),
    Coordinate(0.02, 0.9, 0.0, 1.0),
    Coordinate(1e-6, 2e-6, 0.0),
]


@pytest.mark.parametrize("order", [0, 1, 2, 3])
def test_affine_table_is_numpys(order):
    s = np.linspace(-1, 1, 41)
    table = Coordinate(-1.0, 1.0).table(s, 30, order)
    assert table.shape == (order + 1, 41, 31)
    for degree in range(31):
        polynomial = legendre.Legendre.basis(degree) * np.sqrt(2 * degree + 1)
        for d in range(order + 1):
            exact = polynomial.deriv(d)(s) if d else polynomial(s)
            # rounding is relative to the largest value, which the ends have
            np.testing.assert_allclose(table[d, :, degree], exact, rtol=0, atol=1e-12 * max(np.abs(exact).max(), 1))


def test_affine_table_is_accurate_at_high_degree():
    """Against closed forms: P_k(1) = 1, P'_k(1) = k(k+1)/2, P''_k(1) = (k−1)k(k+1)(k+2)/8."""
    k = np.arange(201.0)
    table = Coordinate(-1.0, 1.0).table(np.ones(1), 200, 2)[:, 0] / np.sqrt(2 * k + 1)
    expected = [np.ones(201), k * (k + 1) / 2, (k - 1) * k * (k + 1) * (k + 2) / 8]
    np.testing.assert_allclose(table, expected, rtol=1e-12)


@pytest.mark.parametrize("coordinate", COORDINATES)
def test_functions_are_orthonormal_in_the_uniform_measure(coordinate):
    """By a composite rule in x that knows nothing of the map: panels that shrink towards the ends."""
    nodes, weights = legendre.leggauss(30)
    ends = np.concatenate([0.5 ** np.arange(12, 0, -1), 1 - 0.5 ** np.arange(2, 13)])
    edges = coordinate.low + 2 * coordinate.half * np.concatenate([[0.0], ends, [1.0]])
    middle, half = (edges[1:] + edges[:-1]) / 2, np.diff(edges) / 2
    x = (middle[:, None] + half[:, None] * nodes).ravel()
    rule = (half[:, None] * weights).ravel() / (2 * coordinate.half)
    values = coordinate.table(x, 25, 0)[0]
    np.testing.assert_allclose(values.T @ (rule[:, None] * values), np.eye(26), atol=1e-11)


@pytest.mark.parametrize("coordinate", COORDINATES)
def test_derivatives_are_sympys(coordinate):
    """The functions fit log|x − c| exactly at degree 1; its derivatives, in units of the half-width, come out right."""
    x = sp.Symbol("x")
    singular = [(c, sign) for c, sign in ((coordinate.below, 1), (coordinate.above, -1)) if c is not None]
    exact: Any = sp.Add(*[sign * sp.log(sign * (x - c)) for c, sign in singular]) if singular else x
    points = np.linspace(coordinate.low, coordinate.high, 20)
    table = coordinate.table(points, 1, 3)
    fit = np.linalg.lstsq(table[0], np.array([float(exact.subs(x, p)) for p in points]), rcond=None)[0]
    for order in range(1, 4):
        wanted = [float(exact.diff(x, order).subs(x, p)) * coordinate.half**order for p in points]
        np.testing.assert_allclose(table[order] @ fit, wanted, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("coordinate", COORDINATES)
def test_quadrature_integrates_squares_of_the_functions(coordinate):
    points, weights = coordinate.quadrature(30)
    assert coordinate.low < points.min()
    assert points.max() < coordinate.high
    values = coordinate.table(points, 29, 0)[0]
    np.testing.assert_allclose(values.T @ (weights[:, None] * values), np.eye(30), atol=1e-11)


@pytest.mark.parametrize("coordinate", COORDINATES)
def test_place_inverts_the_map(coordinate):
    s = np.linspace(-1, 1, 50)
    np.testing.assert_allclose(coordinate.map(coordinate.place(s), 0)[0], s, atol=1e-12)
    steps = np.diff(coordinate.place(s)) / np.diff(s) / (2 * coordinate.half)
    assert (steps > 0).all()
    middles = (s[1:] + s[:-1]) / 2
    np.testing.assert_allclose(coordinate.density(middles), steps, rtol=0.01)


def test_powers_and_logarithms_near_a_singular_point_need_few_functions():
    """What the map is for: √x, 1/x and x log x on (0.01, 4), to 1e-9 with 30 functions."""
    coordinate = Coordinate(0.01, 4.0, 0.0)
    points, weights = coordinate.quadrature(60)
    table = coordinate.table(points, 30, 0)[0]
    for function in (np.sqrt, np.reciprocal, lambda x: x * np.log(x)):
        values = function(points)
        rest = values - table @ (table.T @ (weights * values))
        assert np.sqrt(weights @ rest**2) < 1e-9 * np.sqrt(weights @ values**2)
