"""Functions that paths do not change, checked by an Itô formula written in the tests."""

from __future__ import annotations

import pytest

import liestonet as lsn
from reductions import ito


def solved(equation: str, symmetry: str = "ito"):
    return lsn.solve(lsn.SDE.parse(equation), symmetry)


@pytest.mark.parametrize(
    ("equation", "count"),
    [
        ("dx = (-x/2 - 2*y) dt - y dW; dy = (2*x - y/2) dt + x dW", 1),
        ("dx = y dt + x dW; dy = x dt + y dW", 1),
        ("dx = -x dt + dW", 0),
    ],
)
def test_paths_do_not_change_an_invariant(equation, count):
    result = solved(equation)
    rows = result.invariants()
    assert [row.status for row in rows] == ["proved"] * count
    old = result.surrogate.symbolic
    for row in rows:
        at = {s: value for s, value in zip((old.time, *old.state), (0.3, 0.8, 0.37), strict=True)}
        drift, noise = ito([row.expression], old, at)
        assert abs(drift).max() < 1e-10
        assert abs(noise).max() < 1e-10
        assert row.expression.free_symbols
