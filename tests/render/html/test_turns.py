"""Lines of periodic coordinates in pictures: inside the turn, broken where it ends."""

from __future__ import annotations

import math

import numpy as np

import liestonet as lsn
from liestonet.render.html.generator_plots import flow, state_part
from liestonet.render.html.plot_geometry import drawn

P = 2 * math.pi


def test_no_line_crosses_the_end_of_a_turn() -> None:
    result = lsn.solve(lsn.SDE.parse("da = 0 dt + dW"), periodic={"a": P}, formulas=False)
    path = np.column_stack([np.linspace(0, 1, 50), np.linspace(5, 25, 50)])
    shown = drawn(result, path)
    assert len(shown) == 50 + 3
    assert np.isnan(shown).any(axis=1).sum() == 3
    steps = np.abs(np.diff(shown[:, 1]))
    assert np.nanmax(steps) < 1.0
    assert np.nanmin(shown[:, 1]) >= 0
    assert np.nanmax(shown[:, 1]) < P
    plain = lsn.solve(lsn.SDE.parse("dx = 0 dt + dW"), formulas=False)
    assert drawn(plain, path) is path


def test_axes_are_one_turn() -> None:
    result = lsn.solve(lsn.SDE.parse("da = 0 dt + dW"), periodic={"a": P}, formulas=False)
    for generator in range(result.fields.count):
        ax = flow(result, generator=generator)
        assert ax.get_ylim() == (0.0, P)
        for line in ax.lines:
            assert np.nanmax(np.abs(np.diff(line.get_ydata()))) < P / 2
        assert state_part(result, generator=generator).get_ylim() == (0.0, P)
