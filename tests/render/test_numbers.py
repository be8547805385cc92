"""Numbers and sums of generators as text."""

from __future__ import annotations

import pytest
import sympy

from liestonet.core.p_values import p_clause, p_text
from liestonet.render.combinations import combination_text
from liestonet.render.numbers import number, percent, percent_interval, short


@pytest.mark.parametrize(
    ("value", "text"), [(2.0, "2"), (-0.0, "0"), (1 / 3, "0.3333"), (3e-12, "3e-12"), (1.5e20, "1.5e20"), (-1.0, "-1")]
)
def test_numbers(value, text):
    assert number(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0 %"),
        (1e-5, "< 0.01 %"),
        (0.0134, "1.3 %"),
        (0.5, "50 %"),
        (2.04, "200 %"),
        (12.3, "1200 %"),
        (1e9, "> 10000 %"),
    ],
)
def test_percent(value, text):
    assert percent(value) == text


def test_sizes_and_p_values():
    assert [short(value) for value in (1e-17, 2.3e-9, 0.523, 1e16)] == ["< 1e-16", "2e-9", "0.52", "> 1e15"]
    assert [p_text(value) for value in (1e-9, 0.2134, 1.0)] == ["< 0.001", "0.21", "> 0.99"]
    assert [p_clause(value) for value in (1e-9, 0.2134, 1.0)] == ["p < 0.001", "p = 0.21", "p > 0.99"]


@pytest.mark.parametrize(
    ("lower", "upper", "text"),
    [
        (0.0, 0.029, "0 % – 2.9 %"),
        (1.153, 1.194, "115 % – 119 %"),
        (1.1531, 1.1534, "115.3 % – 115.3 %"),
        (12.31, 12.38, "1230 % – 1240 %"),
    ],
)
def test_the_ends_of_an_interval_differ_where_four_digits_suffice(lower, upper, text):
    assert percent_interval(lower, upper) == text


def test_combinations_are_in_the_order_of_the_generators():
    x1, x2, x10, a, b = sympy.symbols("X1 X2 X10 a b")
    assert combination_text(-x1 + 2 * x10 - sympy.sqrt(3) * x2) == "-X1 - sqrt(3) X2 + 2 X10"
    assert combination_text((a + b) * x2 - a * x1) == "-a X1 + (a + b) X2"
    assert combination_text(sympy.Float(2.5, 4) * x1 - sympy.Float(1.0, 3) * x2) == "2.5 X1 - X2"
    assert combination_text(sympy.Integer(0)) == "0"
