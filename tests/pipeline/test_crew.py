"""Passes over files: how far they are, and what they take of the memory."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import liestonet as lsn
from liestonet.pipeline import crew
from liestonet.surrogate.tuning import DATA
from liestonet.trajectories import Trajectories


def recorded(folder: Path, files: int) -> Any:
    """Files of some 25,000 increments each, as a source whose leaves are blocks."""
    folder.mkdir()
    sde = lsn.SDE.parse("dx = -x dt + dW")
    for number in range(files):
        sde.simulate([0.5], duration=1.0, step=0.01, paths=250, seed=number).write(folder / f"{number}.parquet")
    source = Trajectories.scan(folder)
    return replace(source, blocks=replace(source.blocks, leaf_rows=65_536))


def test_a_pass_says_how_far_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crew, "SOONEST", 0.0)
    said: list[str] = []
    lsn.fit(recorded(tmp_path / "runs", 8), progress=said.append)
    for stage in ("looking over the data", "drift from 200,000 increments", "diffusion"):
        parts = [message for message in said if message.startswith(f"{stage}: ")]
        assert parts
        assert all("% of this pass, " in message and message.endswith(" s left in it") for message in parts)


def test_four_times_the_data_take_as_much_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("liestonet.surrogate.overview.DATA", replace(DATA, sample=10_000))
    peaks = []
    for name, files in (("imports", 3), ("few", 6), ("many", 24)):
        source = recorded(tmp_path / name, files)
        tracemalloc.start()
        lsn.fit(source, clock="recorded")  # else the beginning is looked at too, up to 50 MB
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[2] < 1.1 * peaks[1] + 2**20
