"""Counting modulo a prime: echelon forms against SymPy, freedom against floating point, and what only it can tell."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

import liestonet as lsn
from known_symmetries import CASES, SYSTEMS
from liestonet.core.power_series import SeriesRing
from liestonet.symmetry.analytic.dimension_bound import count_formal, generic_point
from liestonet.symmetry.analytic.exact_rank import exact_freedom, pivot_columns
from liestonet.symmetry.analytic.series_conditions import FormalSystem
from liestonet.symmetry.determining.kinds import KINDS


@given(st.integers(0, 10_000))
def test_pivots_are_those_of_the_echelon_form(seed):
    """Random matrices of small integers with dependent rows and columns; SymPy reduces them over the rationals."""
    rng = np.random.default_rng(seed)
    rows, columns, rank = rng.integers(1, 7, 3)
    matrix = rng.integers(-3, 4, (rows, rank)) @ rng.integers(-3, 4, (rank, columns))
    assert tuple(pivot_columns(matrix)) == sp.Matrix(matrix).rref()[1]


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_freedom_is_that_of_floating_point(name, kind):
    known, order = SYSTEMS[name], 5
    source, half = known.source, known.domain.half / 2
    ring, equations = SeriesRing(source.dimension + 1, order + 1), KINDS[kind].equations(source.dimension, source.noise)
    series = source.series(ring, generic_point(known.domain), half)
    assert series is not None
    count = count_formal(FormalSystem(equations, ring, series, half), order)
    assert exact_freedom(equations, source, ring, order) == count.free


FRACTION = "x"
for step in range(20):
    FRACTION = f"1/({1 + step % 2}+{FRACTION})"


@pytest.mark.parametrize(
    ("drift", "domain"),
    [
        ("1/x + x^2/10^5", [(0, 1), (0.5, 2)]),  # FP of 1/x + ε x² has six up to ε² x⁴
        ("exp(x^64)", None),  # 1 up to 1e-20 on the box
        (FRACTION, None),  # a Möbius map whose slope is 1e-11
    ],
)
def test_what_is_nearly_linear_is_not_linear(drift, domain):
    """A time-independent drift that is not affine nor A/x + bx has ∂t alone, and u∂u (docs/method.md §2.6)."""
    sde = lsn.SDE.parse(f"dx = ({drift}) dt + dW")
    assert lsn.solve(sde, "ito", domain, formulas=False).dimension == 1
    assert lsn.solve(sde, "fokker-planck", domain, formulas=False).dimension == 2
