"""Bounds on growth, compared with values far out; formulas that are singular somewhere have none."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

from liestonet.reduction.growth import growth

t, x, y = sympy.symbols("t x y", real=True)
BOUNDED = [
    (sympy.exp(t), 0),
    (x**2 * y - t, 3),
    (sympy.tanh(x) + sympy.sin(x * y), 0),
    (x - t * sympy.tanh(x), 1),
    (sympy.sqrt(1 + x**2 + 3 * y**4), 2),
    (x**2 / (1 + x**2), 2),
    (1 / sympy.cosh(x), 0),
    (sympy.asinh(x) * y, 2),
    (sympy.exp(-(x**2) * y**2), 0),
]


@pytest.mark.parametrize(("expression", "power"), BOUNDED, ids=[str(row[0]) for row in BOUNDED])
def test_functions_stay_below_their_bound(expression, power):
    assert growth(expression, (x, y)) == power
    directions = np.random.default_rng(1).normal(size=(40, 2))
    values = sympy.lambdify((t, x, y), expression)
    with np.errstate(over="ignore"):
        ratios = [
            np.abs(values(0.7, *(size * directions.T))) / (1 + np.linalg.norm(size * directions, axis=1)) ** power
            for size in (1.0, 1e2, 1e4)
        ]
    assert np.max(ratios[2]) <= 10 * max(np.max(ratios[0]), np.max(ratios[1]))


@pytest.mark.parametrize(
    "expression",
    [1 / x, sympy.sqrt(x), sympy.log(x), sympy.exp(x), 1 / (x**2 - 1), sympy.Abs(x), sympy.sqrt(1 + x), sympy.tan(x)],
    ids=str,
)
def test_no_bound_is_claimed_for_what_has_none_or_is_singular(expression):
    assert growth(expression, (x, y)) is None
