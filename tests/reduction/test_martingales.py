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


# equation, box, how many there are at least, which are shown to be true martingales
SLOW = pytest.mark.slow
MORE = [
    ("dx = dW1; dy = dW2; dz = x dW2 - y dW1", None, 8, "all"),
    ("dx = y dW1; dy = y dW2", None, 5, "all"),
    pytest.param("dx = x*(1 - x) dW", [(0, 1), (0.2, 0.8)], 1, "none", marks=SLOW),
    pytest.param("dx = v dt; dv = (sin(t) - 2*v) dt + (1+t) dW", None, 7, "all", marks=SLOW),
    pytest.param(
        "dx = (x/2 - y) dt + 0.3*x dW1 - 0.2*y dW2; dy = (x + y/2) dt + 0.3*y dW1 + 0.2*x dW2",
        [(0, 1), (0.5, 1.5), (0.2, 1)], 7, "all", marks=SLOW,
    ),
    pytest.param("dx = -sin(x)*cos(x)/2 dt + cos(x) dW", [(0, 1), (-1, 1)], 5, "all", marks=SLOW),
    pytest.param("dx = x*(1 - x)*(1 - 2*x)/2 dt + x*(1 - x) dW", [(0, 1), (0.2, 0.8)], 5, "all", marks=SLOW),
    # 0 is reached, and paths stay there: what is made of roots stops at that time
    pytest.param("dx = 0.4*x dt + 0.6*x^(2/3) dW", [(0, 1), (0.3, 2)], 2, "polynomials", marks=SLOW),
]  # fmt: skip


@pytest.mark.parametrize(("equation", "box", "least", "true"), MORE)
def test_martingales_of_further_equations(equation, box, least, true):
    result = lsn.solve(lsn.SDE.parse(equation), domain=box)
    rows = result.martingales()
    old = result.surrogate.symbolic
    assert len(rows) >= least
    at = dict(zip((old.time, *old.state), (0.3, 0.65, 0.45, 0.2), strict=False))
    at |= {sympy.Symbol("epsilon", real=True): 0.2, sympy.Symbol("epsilon", positive=True): 0.2}
    at[sympy.Symbol("T", real=True)] = 1.4
    drifts, _ = ito([row.expression for row in rows], old, at)
    assert abs(drifts).max() < 1e-8
    for row in rows:
        assert row.expression.has(*old.state)
        polynomial = row.expression.is_polynomial(*old.state)
        assert row.local == {"all": False, "polynomials": not polynomial, "none": True}[true]
