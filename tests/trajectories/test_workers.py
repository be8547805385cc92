"""Sums over files, formed by a scheduler's workers: the answer of one process, also when a worker dies."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import liestonet as lsn
from clusters import running_cluster
from liestonet.core import cluster
from liestonet.errors import InputError
from liestonet.trajectories import Trajectories

pytestmark = pytest.mark.filterwarnings("ignore")
PARTS = (700, 100, 900)  # paths of 100 steps: neither blocks nor leaves end where files do


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sde = lsn.SDE.parse("dx = -x dt + dW")
    data = sde.simulate(lambda rng, n: rng.uniform(-2, 2, (n, 1)), duration=1.0, step=0.01, paths=1700, seed=5)
    place, begin = tmp_path_factory.mktemp("runs"), 0
    for number, count in enumerate(PARTS):
        data.take(range(begin, begin + count)).write(place / f"{number}.parquet")
        begin += count
    return place


def scanned(folder: Path) -> Any:
    """Files in leaves of one block each, so that little data are many pieces."""
    source = Trajectories.scan(folder)
    return replace(source, blocks=replace(source.blocks, leaf_rows=65_536))


def numbers_of(result: lsn.Result) -> dict[str, Any]:
    """All that was found; how it was made and what travelled are left out."""
    found = json.loads(result.to_json())
    del found["data"]["notes"]
    return found


def assert_agree(one: Any, other: Any) -> None:
    """The same words, and numbers within 1e-9."""
    assert type(one) is type(other)
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for key in one:
            assert_agree(one[key], other[key])
    elif isinstance(one, list):
        assert len(one) == len(other)
        for mine, theirs in zip(one, other, strict=True):
            assert_agree(mine, theirs)
    elif isinstance(one, float):
        assert other == pytest.approx(one, rel=1e-9, abs=1e-300)
    else:
        assert one == other


class Dying:
    """Workers of which one is killed when the first results of a pass are there."""

    def __init__(self, crew: cluster.Scheduler, victim: subprocess.Popen[bytes]) -> None:
        self.crew, self.victim, self.passes = crew, victim, 0

    @property
    def workers(self) -> int:
        return 2

    @property
    def told(self) -> str:
        return self.crew.told

    def map(self, function: Callable[..., Any], shared: Any, tasks: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
        self.passes += 1
        for number, found in enumerate(self.crew.map(function, shared, tasks)):
            if self.passes == 3 and number == 0:
                self.victim.kill()
                self.victim.wait()
            yield found


def test_one_process_two_workers_and_a_dying_worker_agree(folder: Path, tmp_path: Path) -> None:
    alone = numbers_of(lsn.discover(scanned(folder), formulas=False))
    with running_cluster(tmp_path, 2) as (address, processes):
        both = lsn.discover(scanned(folder), formulas=False, scheduler=address)
        with cluster.connected(address) as crew:
            one_dies = lsn.discover(replace(scanned(folder), crew=Dying(crew, processes[1])), formulas=False)
        assert processes[1].poll() is not None
    assert "2 workers formed the sums" in both.to_dictionary()["data"]["notes"][-1]
    assert_agree(alone, numbers_of(both))
    assert_agree(alone, numbers_of(one_dies))


def test_errors_of_the_recording_are_fitted_by_workers_too(folder: Path, tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    for file in sorted(folder.iterdir()):
        exact = Trajectories.read(file)
        noisy = [states + 0.02 * rng.standard_normal(states.shape) for states in exact.states]
        Trajectories.from_arrays(exact.times, noisy, ["x"]).write(tmp_path / file.name)
    alone, both = lsn.fit(scanned(tmp_path)), lsn.fit(scanned(tmp_path), workers=2)
    assert alone.recorded is not None
    assert alone.recorded == both.recorded
    np.testing.assert_array_equal(alone.parameters, both.parameters)
    assert alone.joint is not None
    assert both.joint is not None
    np.testing.assert_array_equal(alone.joint.precision, both.joint.precision)


def test_a_piece_that_cannot_be_read_is_named(folder: Path, tmp_path: Path) -> None:
    copies = tmp_path / "copies"
    copies.mkdir()
    for file in folder.iterdir():
        (copies / file.name).write_bytes(file.read_bytes())
    source = scanned(copies)
    content = bytearray((copies / "2.parquet").read_bytes())
    content[len(content) // 2] ^= 1
    (copies / "2.parquet").write_bytes(content)
    with (
        running_cluster(tmp_path, 1) as (address, _),
        pytest.raises(InputError, match=r"2\.parquet.*(cannot be read|damaged)"),
    ):
        lsn.fit(source, scheduler=address)


def test_no_scheduler_is_there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "ANSWER_WITHIN", 0.5)
    with pytest.raises(InputError, match=r"No scheduler answers at tcp://127\.0\.0\.1:9"):
        lsn.discover(scanned(folder), scheduler="tcp://127.0.0.1:9")


def test_a_scheduler_that_is_lost_midway(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "ANSWER_WITHIN", 3)
    with running_cluster(tmp_path, 1) as (address, processes):

        def kill_scheduler(message: str) -> None:
            if message.startswith("drift"):
                processes[0].kill()
                processes[0].wait()

        with pytest.raises(InputError, match=f"scheduler at {address} was lost; nothing was kept"):
            lsn.fit(scanned(folder), scheduler=address, progress=kill_scheduler)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"workers": 0}, "at least 1, not 0"),
        ({"workers": 2, "scheduler": "tcp://127.0.0.1:9"}, "give scheduler or workers, not both"),
        ({"scheduler": 7}, "must be an address"),
    ],
)
def test_what_is_asked_of_workers_is_checked(folder: Path, asked: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        lsn.fit(scanned(folder), **asked)


def test_workers_take_files_only() -> None:
    data = Trajectories.from_arrays(np.arange(4.0), np.zeros((3, 4, 1)) + np.arange(4.0)[:, None])
    with pytest.raises(InputError, match="these data are in memory"):
        lsn.fit(data, workers=2)
