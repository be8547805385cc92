"""Shorter ways to write an expression: never longer, always equal; and the common rational factor."""

from __future__ import annotations

import pytest
import sympy

from liestonet.formulas.shortest import has_phase, primitive_factor, shortest

t, x = sympy.symbols("t x", real=True)
FITTED = sympy.Rational(10237, 10000)  # a rate as a fit gives it: SymPy would factor a polynomial of degree 20474
CASES = [
    2 * t**3 / (t + 1) ** 2 + 6 * t**2 / (t + 1) ** 2 + 6 * t / (t + 1) ** 2 + 2 / (t + 1) ** 2,
    3 * t**3 * x / (3 * t * (t + 1) ** 2 + 3 * (t + 1) ** 2) + 3 * t * x / (t + 1) ** 2 - x,
    sympy.exp(2 * t) * x + sympy.exp(2 * t) * x**2 + 3 * sympy.exp(2 * t),
    sympy.sin(2 * t) + sympy.cos(2 * t) + 2 * sympy.sin(t) ** 2,
    x * sympy.exp(FITTED * t) ** 2 - x * sympy.exp(2 * FITTED * t) * t + sympy.exp(-FITTED * t),
    x * sympy.exp(FITTED * t) + x * sympy.exp((FITTED + 1) * t) + sympy.exp(sympy.I * FITTED * t) * x,
]


@pytest.mark.parametrize("expression", CASES, ids=range(len(CASES)))
def test_equal_and_not_longer(expression):
    found = shortest(expression)
    assert sympy.count_ops(found) <= sympy.count_ops(expression)
    assert sympy.simplify(found - expression) == 0


def test_a_cube_is_found():
    assert shortest(CASES[0]) == 2 * (t + 1)


def test_no_phase_is_introduced():
    assert has_phase(sympy.sin(2 * t + sympy.pi / 4))
    assert not has_phase(shortest(CASES[3]))


def test_kept_integrals_are_not_evaluated():
    kept = sympy.Integral(x**2, (x, 0, t))
    assert shortest(t * kept + 2 * t * kept + t * kept * x + kept).has(sympy.Integral)


@pytest.mark.parametrize(
    ("components", "factor"),
    [
        ([t / 3 + sympy.Rational(1, 3), x / 6], 6),
        ([4 * t, 6 * x], sympy.Rational(1, 2)),
        ([-1 / (3 * t - 6), x], 3),
        ([sympy.Integer(0), sympy.sqrt(2) * x], 1),
    ],
)
def test_the_common_factor(components, factor):
    assert primitive_factor(components) == factor
