"""Series modulo a prime: identities vanish exactly, near-misses do not, rational numbers come out as such."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from liestonet.core.power_series import SeriesRing
from liestonet.sde.modular import PRIME, residue
from liestonet.sde.symbolic import SymbolicCoefficients

t, x, y = sp.symbols("t x y", real=True)
RING = SeriesRing(3, 5)


def series(expression: sp.Expr) -> np.ndarray | None:
    drift = sp.ImmutableMatrix([[expression], [0]])
    found = SymbolicCoefficients((x, y), t, drift, sp.ImmutableMatrix([[1], [1]])).exact_series(RING, {"drift"})
    return None if found is None else found["drift"][0]


def raw(text: str) -> sp.Expr:
    """Text as it stands, so that SymPy does not find the identity itself."""
    return sp.parse_expr(text, local_dict={"t": t, "x": x, "y": y}, evaluate=False)


IDENTITIES = [
    ("sin(x)**2 + cos(x)**2", "1"),
    ("sin(x + 2*y)", "sin(x)*cos(2*y) + cos(x)*sin(2*y)"),
    ("cos(x)", "1 - 2*sin(x/2)**2"),
    ("tan(x)*cos(x)", "sin(x)"),
    ("exp(x)*exp(2*x - t)", "exp(3*x - t)"),
    ("exp(x/2)**2", "exp(x)"),
    ("cosh(2*x)", "2*cosh(x)**2 - 1"),
    ("tanh(x)*cosh(x)", "sinh(x)"),
    ("sqrt(x)*sqrt(1 + y)", "sqrt(x*(1 + y))"),
    ("cbrt(x + y)**3", "x + y"),
    ("sqrt(2)*sqrt(3)", "sqrt(6)"),
    ("(x**2 - y**2)/(x - y)", "x + y"),
    ("log(x)**2 - 1", "(log(x) - 1)*(log(x) + 1)"),
    ("E*exp(x)", "exp(x + 1)"),
    ("erf(x*y)**2 - 1", "(erf(x*y) - 1)*(erf(x*y) + 1)"),
    ("erfc(x - t)", "1 - erf(x - t)"),
]


@pytest.mark.parametrize(("left", "right"), IDENTITIES)
def test_identities_hold_exactly(left, right):
    difference = series(sp.Add(raw(left), -raw(right), evaluate=False))
    assert difference is not None
    assert not difference.any()


@pytest.mark.parametrize(("left", "right"), IDENTITIES)
def test_near_misses_do_not(left, right):
    difference = series(sp.Add(raw(left), -raw(right), x * y / 10**30, evaluate=False))
    assert difference is not None
    assert difference.any()


def test_derivatives_of_functions():
    """∂x of a function's series is the series of its derivative; the top degree is lost."""
    for function in (
        sp.exp(x * y),
        sp.sin(x**2),
        sp.tanh(x),
        sp.sqrt(1 + x**2),
        x ** sp.Rational(2, 5),
        sp.log(1 + x),
        sp.erf(x * y),
        sp.erfc(2 * x - t),
    ):
        # both in one matrix, so that they are taken at one point
        drift = sp.ImmutableMatrix([[function], [sp.diff(function, x)]])
        found = SymbolicCoefficients((x, y), t, drift, sp.ImmutableMatrix([[1], [1]])).exact_series(RING, {"drift"})
        assert found is not None
        low = RING.exponents.sum(axis=1) < RING.degree
        value, derivative = found["drift"]
        assert (RING.differentiate(value, 1)[low] % PRIME == derivative[low]).all()


def test_what_is_not_exact_is_refused():
    assert series(sp.Max(x, y)) is None
    assert series(0.1 * x) is None
    assert series(sp.log(x) + sp.log(1 + x)) is None  # might be dependent for all we know


def test_residues():
    assert residue(Fraction(1, 3)) * 3 % PRIME == 1
    assert residue(-0.5) * 2 % PRIME == PRIME - 1
    # what the choice of the prime promises
    assert sp.isprime(PRIME)
    assert sp.isprime((PRIME - 1) // 2)
    assert all(sp.jacobi_symbol(prime, PRIME) == 1 for prime in sp.primerange(2, 44))
