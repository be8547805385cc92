"""Exact numbers behind decimals: right ones found, and hardly any invented."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from liestonet.formulas.exact_numbers import recognise, recognise_precisely


@pytest.mark.parametrize(
    ("exact", "error"),
    [
        (sympy.Integer(0), 1e-9),
        (sympy.Integer(-3), 1e-3),
        (sympy.Rational(1, 2), 1e-3),
        (sympy.Rational(-3, 16), 1e-8),
        (sympy.Rational(123, 1000), 1e-10),
        (sympy.Rational(-2000, 49), 1e-9),
        (sympy.sqrt(2), 1e-6),
        (-sympy.sqrt(3) / 2, 1e-8),
        (sympy.sqrt(7) / 2, 1e-8),
        ((sympy.sqrt(5) - 1) / 2, 1e-9),
        ((3 + sympy.sqrt(17)) / 4, 1e-9),
    ],
)
def test_known_numbers(exact, error):
    assert sympy.simplify(recognise(float(exact), error) - exact) == 0


@given(st.fractions(min_value=-20, max_value=20, max_denominator=60), st.floats(-0.99, 0.99))
def test_small_fractions_survive_noise(fraction, noise):
    found = recognise(float(fraction) + 1e-9 * noise, 1e-9)
    assert found == sympy.Rational(fraction.numerator, fraction.denominator)


@pytest.mark.parametrize("value", [np.pi, np.e, np.log(2), np.exp(0.3), 2.0000001, float("nan"), float("inf")])
def test_numbers_without_a_simple_form(value):
    assert recognise(value, 1e-10) is None


def test_random_numbers_are_rarely_taken_for_exact_ones():
    # stated chance: below 1e-2 for each of the three forms; at 4.5 sigma 400 draws give at most 12 + 16
    values = np.random.default_rng(5).uniform(0.1, 3, 400)
    assert sum(recognise(value, 1e-6) is not None for value in values) <= 28


@pytest.mark.parametrize(
    "exact",
    [
        sympy.Rational(0),
        sympy.Rational(9, 560),
        sympy.Rational(-625, 8192),
        sympy.Rational(12345, 67891),
        -sympy.sqrt(15) / 7,
        (3 + sympy.sqrt(17)) / 4,
    ],
)
def test_numbers_known_to_fifty_digits(exact):
    with mpmath.workdps(50):
        value = mpmath.mpf(str(sympy.N(exact, 50)))
        assert sympy.simplify(recognise_precisely(value) - exact) == 0


@pytest.mark.parametrize("name", ["pi", "e", "euler"])
def test_no_simple_form_is_invented_for_fifty_digits(name):
    with mpmath.workdps(50):
        assert recognise_precisely(+getattr(mpmath.mp, name)) is None


def test_large_denominators_need_more_digits():
    with mpmath.workdps(50):
        value = mpmath.mpf(123456789123457) / 987654321987653
        exact = recognise_precisely(value)
        assert exact == sympy.Rational(123456789123457, 987654321987653)
        assert recognise_precisely(value + mpmath.mpf(10) ** -30) is None
