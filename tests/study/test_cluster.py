"""A study on a real dask.distributed cluster, which loses a worker, its scheduler, or has no workers at all."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from clusters import running_cluster
from liestonet.core import cluster
from liestonet.errors import InputError
from liestonet.study.jobs import Job
from liestonet.study.running import run_all
from liestonet.study.store import Store
from study_cases import SMALL, contents

pytestmark = pytest.mark.filterwarnings("ignore")


def test_a_scheduler_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "ANSWER_WITHIN", 0.5)
    with pytest.raises(InputError, match="No scheduler answers at tcp"):
        run_all(SMALL, Store(tmp_path), scheduler="tcp://127.0.0.1:9")


@pytest.mark.slow
def test_a_worker_that_is_lost(tmp_path: Path, serial: list[object]) -> None:
    """One of two workers is killed when the first result is there."""
    store = Store(tmp_path / "results")
    with running_cluster(tmp_path, 2) as (address, processes):

        def kill_one(job: Job, problem: str) -> None:
            processes[1].kill()
            processes[1].wait()

        assert run_all(SMALL, store, scheduler=address, done=kill_one) == []
    assert contents(store, SMALL) == serial


def test_a_cluster_that_lost_all_its_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The only worker is killed when the first result is there: one sentence, and the result is kept."""
    monkeypatch.setattr(cluster, "WORKERS_WITHIN", 0.5)
    monkeypatch.setattr(cluster, "ASK_EVERY", 0.5)
    store = Store(tmp_path / "results")
    with running_cluster(tmp_path, 1) as (address, processes):

        def kill_worker(job: Job, problem: str) -> None:
            processes[1].kill()
            processes[1].wait()

        with pytest.raises(InputError, match=f"lost all its workers, and what is finished is kept.*{address}"):
            run_all(SMALL, store, scheduler=address, done=kill_worker)
    assert sum(map(store.has, SMALL)) >= 1


class Kept(logging.Handler):
    """Remembers what was logged."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@pytest.fixture
def logged() -> Iterator[list[logging.LogRecord]]:
    """What a client of dask.distributed logs."""
    import distributed  # noqa: F401  (it sets up its loggers)

    logger, handler = logging.getLogger("distributed.client"), Kept()
    logger.addHandler(handler)
    yield handler.records
    logger.removeHandler(handler)


def test_a_scheduler_that_is_lost(tmp_path: Path, logged: list[logging.LogRecord]) -> None:
    """It is killed when the first result is there: one sentence, nothing in the log, and the result is kept."""
    store = Store(tmp_path / "results")
    with running_cluster(tmp_path, 1) as (address, processes):

        def kill_scheduler(job: Job, problem: str) -> None:
            processes[0].kill()
            processes[0].wait()

        with pytest.raises(InputError, match=f"scheduler at {address} was lost; what is finished is kept"):
            run_all(SMALL, store, scheduler=address, done=kill_scheduler)
    assert sum(map(store.has, SMALL)) == 1
    assert logged == []
    logging.getLogger("distributed.client").error("The log speaks again.")
    assert len(logged) == 1


def test_a_scheduler_that_is_lost_before_it_has_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from distributed import Client

    def lose(*_: object, **__: object) -> None:
        raise OSError("Timed out trying to connect")

    monkeypatch.setattr(Client, "wait_for_workers", lose)
    with running_cluster(tmp_path, 0) as (address, _), pytest.raises(InputError, match=f"{address} was lost"):
        run_all(SMALL, Store(tmp_path), scheduler=address)


def test_a_scheduler_without_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "WORKERS_WITHIN", 0.5)
    with running_cluster(tmp_path, 0) as (address, _), pytest.raises(InputError, match=f"`dask worker {address}`"):
        run_all(SMALL, Store(tmp_path), scheduler=address)


def test_a_result_that_cannot_be_kept_ends_the_study(tmp_path: Path) -> None:
    from distributed import Client

    def full(job: Job, problem: str) -> None:
        raise InputError("The disk is full.")

    with running_cluster(tmp_path, 1) as (address, _):
        with pytest.raises(InputError, match="disk is full"):
            run_all(SMALL, Store(tmp_path / "results"), scheduler=address, done=full)
        with pytest.raises(ValueError, match="No clients found"):
            Client.current()
