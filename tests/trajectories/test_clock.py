"""A clock that begins anew relabels times: nothing else of a recording changes."""

from __future__ import annotations

import numpy as np
import pytest

import liestonet as lsn
from liestonet.errors import InputError
from liestonet.trajectories.clock import Relabelled, checked_clock, cut_by_clock, recorded_source


def recording(seed: int = 0) -> lsn.Trajectories:
    """Two paths with uneven steps, the second begins in the middle of the first."""
    rng = np.random.default_rng(seed)
    times = [np.cumsum(rng.uniform(0.05, 0.2, 400)), 20 + np.cumsum(rng.uniform(0.05, 0.2, 300))]
    return lsn.Trajectories.from_arrays(times, [np.cumsum(rng.standard_normal((len(t), 2)), axis=0) for t in times])


@pytest.mark.parametrize("rows", [7, 65_536])
def test_times_restart_and_nothing_else_changes(rows: int) -> None:
    data = recording()
    plain, clock = data.increments(), Relabelled(data, 1.7, 0.3, True)
    blocks = list(clock.chunks(rows))
    t, x, dt, dx, trajectory = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    turns = (plain.t - 0.3 - t) / 1.7
    np.testing.assert_allclose(turns, np.round(turns), atol=1e-12)
    assert t.min() >= 0
    assert t.max() <= 1.7
    for ours, theirs in ((x, plain.x), (dt, plain.dt), (dx, plain.dx), (trajectory, plain.trajectory)):
        np.testing.assert_array_equal(ours, theirs)
    assert clock.dates() == (data.flat_times.min(), pytest.approx(data.flat_times.max()))
    assert (clock.names, clock.dimension) == (data.names, 2)
    assert recorded_source(clock) is data
    assert recorded_source(data) is data


@pytest.mark.parametrize("period", [0.01, 1.7, 1e6])
def test_cut_paths_hold_every_increment_once(period: float) -> None:
    data = recording()
    cut = cut_by_clock(data, period, 0.3)
    ours, theirs = cut.increments(), data.increments()
    np.testing.assert_array_equal(ours.x, theirs.x)
    np.testing.assert_array_equal(ours.dx, theirs.dx)
    np.testing.assert_allclose(ours.dt, theirs.dt, atol=1e-9)
    # an increment has the time at which it begins on the clock
    turns = (theirs.t - 0.3 - ours.t) / period
    np.testing.assert_allclose(turns, np.round(turns), atol=1e-9)
    assert ours.t.min() >= -1e-9
    assert ours.t.max() <= period + 1e-9


@pytest.mark.parametrize("clock", ["weekly", "", 0, -1.0, float("nan"), float("inf"), True, None, [1.0], 1j])
def test_a_clock_that_is_none_is_refused(clock: object) -> None:
    with pytest.raises(InputError, match="The clock must be"):
        checked_clock(clock)


def test_clocks_that_are_known() -> None:
    assert [checked_clock(word) for word in ("auto", "recorded", "restart")] == ["auto", "recorded", "restart"]
    assert checked_clock(np.int64(24)) == 24.0
