"""What a result remembers of its data: a few real paths, small enough to keep."""

from __future__ import annotations

import numpy as np
import pytest

import liestonet as lsn
from liestonet.trajectories.record import MOST_PATHS, MOST_POINTS, record_of


def recording(lengths: list[int]) -> lsn.Trajectories:
    """Paths whose state is the square of their time, so that a point tells whether it is a real one."""
    times = [k + np.linspace(0.0, 1.0, length) for k, length in enumerate(lengths)]
    return lsn.Trajectories.from_arrays(times, [np.stack([t, t**2], axis=1) for t in times], units={"t": "s"})


@pytest.mark.parametrize("lengths", [[2], [1, 2, 1], [5] * 3, [3] * 40, [1000, 7], [MOST_POINTS] * MOST_PATHS])
def test_a_few_real_paths_are_kept(lengths):
    data = recording(lengths)
    record = record_of(data, 1)
    usable = [k for k, length in enumerate(lengths) if length > 1]
    assert len(record.paths) == min(MOST_PATHS, len(usable))
    for times, states in record.paths:
        whole = data.times[int(times[0])]
        assert len(times) == min(len(whole), MOST_POINTS)
        assert (times[0], times[-1]) == (whole[0], whole[-1])
        assert np.isin(times, whole).all()
        np.testing.assert_array_equal(states, np.stack([times, times**2], axis=1))
        assert states.base is None
    assert record.units == {"t": "s"}


def test_a_streamed_file_gives_the_paths_that_memory_gives(tmp_path):
    data = recording([30] * 20)
    data.write(tmp_path / "paths.parquet")
    streamed = record_of(lsn.Trajectories.scan(tmp_path / "paths.parquet"), 1)
    for one, other in zip(streamed.paths, record_of(data, 1).paths, strict=True):
        for a, b in zip(one, other, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12)
    assert streamed.units == {"t": "s"}
