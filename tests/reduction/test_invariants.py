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


@pytest.mark.parametrize(
    ("equation", "box", "validity"),
    [
        # z is a constant, and x² + y² grows at the rate z²
        pytest.param(
            "dx = y*z dW; dy = -x*z dW; dz = 0 dt",
            [(0, 1), (0.5, 1.5), (0.5, 1), (0.5, 1)],
            "while",
            marks=pytest.mark.slow,
        ),
        # 1/y is a Wiener process: y is infinite where it is 0
        ("dx = x*y dW; dy = y^3 dt - y^2 dW", [(0, 1), (0.5, 1.5), (0.5, 1.5)], "until 1/y reaches 0"),
    ],
)
def test_constants_that_new_coordinates_show(equation, box, validity):
    result = lsn.solve(lsn.SDE.parse(equation), domain=box)
    made = lsn.reduce(result)
    assert (made.kind, made.status, made.closed) == ("solved", "proved", 0)
    assert made.validity.startswith(validity)
    rows = result.invariants()
    assert [row.status for row in rows] == ["proved"] * (result.surrogate.dimension - 1)
    old = result.surrogate.symbolic
    at = dict(zip((old.time, *old.state), (0.3, 0.8, 0.7, 0.6), strict=False))
    for row in rows:
        drift, noise = ito([row.expression], old, at)
        assert abs(drift).max() < 1e-10
        assert abs(noise).max() < 1e-10
