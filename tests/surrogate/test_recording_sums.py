"""Sums over blocks, joined in any way, are those over all of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import liestonet as lsn
from liestonet.surrogate import recording_fit
from liestonet.surrogate.recording_sums import RecordingSums
from liestonet.trajectories.block_sums import Place


@pytest.mark.parametrize("every", [1, 3])
def test_joined_sums_are_those_of_all_blocks(every: int) -> None:
    data = lsn.SDE.parse("dx = -x dt + dW").simulate([0.5], duration=2.0, step=0.01, paths=60, seed=4)
    points = lsn.Trajectories.from_arrays(data.times, data.states, ["x"])
    start = lsn.fit(data)
    fit = recording_fit.RecordingFit(start, points, lsn.Measurement())
    model = fit.step_model(fit.begin())[0]
    blocks = list(points.chunks(2000))

    def summed(some: Any) -> RecordingSums:
        total = RecordingSums(recording_fit.run_filter, model, start.domain, every)
        for block in some:
            total.take(block, Place())
        return total

    serial = summed(blocks)
    parts = [summed(blocks[:1]), summed(blocks[1:4]), summed([]), summed(blocks[4:])]
    parts[1].join(parts[2])
    parts[1].join(parts[3])
    parts[0].join(parts[1])
    for name in ("score", "information", "outer"):
        one, other = getattr(serial.sums, name), getattr(parts[0].sums, name)
        np.testing.assert_allclose(other, one, rtol=1e-9, atol=1e-9 * np.abs(one).max())
    assert (parts[0].pieces, parts[0].sums.count) == (serial.pieces, serial.sums.count)
