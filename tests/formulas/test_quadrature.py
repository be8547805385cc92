"""Antiderivatives: their derivative is the integrand, closed or kept, and kept ones have the right values."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.integrate
import sympy

from liestonet.formulas.quadrature import antiderivative, closed_integral, integral_values, without_integrals

t, x = sympy.symbols("t x", real=True)
INTEGRANDS = [
    (1 + t) ** 2,
    sympy.exp(2 * t) * sympy.cos(t) ** 2,
    sympy.exp(-(t**2)),
    1 / sympy.cos(t) ** 2,
    1 / (1 + sympy.exp(t)),
    sympy.exp(2 * sympy.cos(t)),
    sympy.exp(-2 * t**3 / 3),
]


@pytest.mark.parametrize("integrand", INTEGRANDS, ids=str)
def test_the_derivative_is_the_integrand(integrand):
    found = antiderivative(integrand, t, (0.0, 1.0))
    for place in (sympy.Rational(1, 3), sympy.Rational(4, 5)):
        assert float((sympy.diff(found, t) - integrand).subs(t, place)) == pytest.approx(0, abs=1e-12)


def test_what_has_a_closed_form_is_not_kept_and_what_has_none_is():
    assert not antiderivative(INTEGRANDS[1], t, (0.0, 1.0)).has(sympy.Integral)
    assert closed_integral(INTEGRANDS[5], t) is None
    assert antiderivative(INTEGRANDS[5], t, (0.0, 1.0)).has(sympy.Integral)


def test_a_power_of_a_sum_stays_one():
    assert closed_integral((1 + t) ** 2, t) == (1 + t) ** 3 / 3


def test_values_of_a_kept_integral():
    kept = antiderivative(sympy.exp(2 * sympy.cos(t)), t, (1.0, 3.0))
    points = np.column_stack([np.linspace(1, 3, 5), np.zeros(5)])
    expected = [scipy.integrate.quad(lambda s: np.exp(2 * np.cos(s)), 1, end)[0] for end in points[:, 0]]
    assert integral_values(kept, (t, x), points) == pytest.approx(expected, abs=1e-12)


def test_the_bound_variable_is_not_a_name_in_use():
    kept = antiderivative(sympy.exp(2 * sympy.cos(t)), t, (0.0, 1.0), ("t_1",))
    assert kept.limits[0][0].name == "t_2"


def test_integrals_stand_as_symbols_each_once():
    kept = sympy.Integral(sympy.exp(sympy.cos(x)), (x, 0, t))
    assert without_integrals(kept * t - t * kept) == 0
    assert len(without_integrals(kept**2 + kept).free_symbols) == 1
