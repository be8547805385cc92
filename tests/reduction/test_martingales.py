"""Martingales that symmetries generate: their drift vanishes by an Itô formula written in the tests."""

from __future__ import annotations

import pytest
import sympy

import liestonet as lsn
from liestonet.reduction.martingales import Martingale
from reductions import ito

t, x = sympy.symbols("t x", real=True)
e = sympy.exp
# equation, box, known martingales, whether all polynomials are shown to be true martingales
KNOWN = [
    ("dx = dW", None, [x, x**2 - t, x**3 - 3 * t * x]),
    ("dx = -x dt + dW", None, [e(t) * x, e(2 * t) * (x**2 - sympy.Rational(1, 2)), e(3 * t) * (2 * x**3 - 3 * x)]),
    ("dx = (1-x) dt + sqrt(x) dW", [(0, 1), (0.5, 2)], [e(t) * (x - 1), e(2 * t) * (2 * x**2 - 6 * x + 3)]),
]


@pytest.mark.parametrize(("equation", "box", "known"), KNOWN, ids=[row[0] for row in KNOWN])
def test_the_drift_of_a_martingale_vanishes(equation, box, known):
    result = lsn.solve(lsn.SDE.parse(equation), "fokker-planck", box)
    rows = result.martingales()
    old = result.surrogate.symbolic
    at = {t: 0.3, x: 0.8, sympy.Symbol("epsilon", real=True): 0.2, sympy.Symbol("T", real=True): 1.4}
    at[sympy.Symbol("epsilon", positive=True)] = 0.2
    for row in rows:
        assert row.status == "proved"
        assert abs(ito([row.expression], old, at)[0]).max() < 1e-8
    for function in known:
        found = [row for row in rows if proportional(row.expression, function)]
        assert found, function
        assert not found[0].local


def proportional(first: sympy.Expr, second: sympy.Expr) -> bool:
    same = {s: sympy.Symbol(str(s), real=True) for s in first.free_symbols}
    ratio = sympy.simplify(first.xreplace(same) / second)
    return not ratio.free_symbols & {t, x}


def test_a_root_that_ends_where_paths_go_on_is_local_only():
    """4a = 1: √x is Gaussian until x reaches 0, where paths are reflected; then exp(−4ε√x e^{t/2} − …) has a drift."""
    result = lsn.solve(lsn.SDE.parse("dx = (1/4 - x) dt + sqrt(x) dW"))
    rooted = [row for row in result.martingales() if any(p.exp == sympy.Rational(1, 2) for p in powers_of_x(row))]
    assert rooted
    assert all(row.local for row in rooted)


def powers_of_x(row: Martingale) -> set[sympy.Pow]:
    return {power for power in row.expression.atoms(sympy.Pow) if power.base == sympy.Symbol("x", real=True)}
