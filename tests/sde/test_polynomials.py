"""Polynomials modulo a large prime against SymPy."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import sympy
from hypothesis import given
from hypothesis import strategies as st

from liestonet.sde.polynomials import Poly, PolynomialRing, as_residue, monic, quotient, rational

NAMES = ("a", "b")
SYMBOLS = sympy.symbols(NAMES)
terms = st.dictionaries(st.tuples(st.integers(0, 3), st.integers(0, 3)), st.integers(1, 9), min_size=1, max_size=4)


def made(ring: PolynomialRing, table: dict[tuple[int, int], int]) -> Poly:
    return {ring.monomial(exponents): number for exponents, number in table.items()}


def in_sympy(ring: PolynomialRing, poly: Poly) -> sympy.Expr:
    total = sympy.Integer(0)
    for monomial, value in poly.items():
        number = rational(value)
        assert number is not None
        powers = ring.exponents(monomial)
        total += (
            sympy.Rational(number.numerator, number.denominator) * SYMBOLS[0] ** powers[0] * SYMBOLS[1] ** powers[1]
        )
    return total


@given(terms, terms)
def test_products_and_quotients(first, second):
    ring = PolynomialRing(NAMES)
    a, b = made(ring, first), made(ring, second)
    product = ring.multiply(a, b)
    assert sympy.expand(in_sympy(ring, product) - in_sympy(ring, a) * in_sympy(ring, b)) == 0
    assert quotient(product, b) == a
    _, rest = sympy.div(in_sympy(ring, a), in_sympy(ring, b), *SYMBOLS)
    if rest == 0:
        assert quotient(a, b) is not None


def test_what_is_not_divisible_has_no_quotient():
    ring = PolynomialRing(NAMES)
    a, b = ring.variable("a"), ring.variable("b")
    whole = {**a, **b}
    assert quotient(a, whole) is None
    assert quotient({**ring.multiply(whole, whole), 0: 1}, whole) is None
    assert monic({0: 2, **{key: 4 for key in a}}) == {0: as_residue(Fraction(1, 2)), **a}


@given(st.fractions(max_denominator=10**9))
def test_fractions_come_back(number):
    assert rational(as_residue(number)) == number


def test_inverses_and_roots_of_sums():
    ring = PolynomialRing(NAMES)
    one_more = {**ring.variable("a"), 0: 1}
    inverse = ring.power(one_more, Fraction(-1))
    root = ring.power(one_more, Fraction(1, 2))
    assert ring.multiply(inverse, one_more) == {0: 1}
    assert ring.multiply(root, root) == one_more
    assert np.isclose(ring.at(one_more, {"a": 4, "b": 1}), 5)
