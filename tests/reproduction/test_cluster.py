"""A study on a real dask.distributed cluster."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from liestonet.errors import InputError
from liestonet.reproduction.jobs import Job
from liestonet.reproduction.running import run_all
from liestonet.reproduction.store import Store
from study_cases import SMALL, contents


def test_a_scheduler_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No scheduler answers at tcp"):
        run_all(SMALL, Store(tmp_path), scheduler="tcp://127.0.0.1:9")


@pytest.mark.filterwarnings("ignore")
def test_a_cluster_that_loses_a_worker(tmp_path: Path, serial: list[object]) -> None:
    """A real scheduler with two workers; one is killed when the first result is there."""
    address = "tcp://127.0.0.1:18786"
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "18786", "--no-dashboard", "--no-show"]
    worker = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny"]
    folders = [tmp_path / "one", tmp_path / "two"]
    processes = [subprocess.Popen(command, stderr=subprocess.DEVNULL)]
    try:
        for folder in folders:
            place = ["--local-directory", str(folder), "--no-dashboard"]
            processes.append(subprocess.Popen([*worker, *place], stderr=subprocess.DEVNULL))
        _wait_for_workers(address, 2)
        store = Store(tmp_path / "results")

        def kill_one(job: Job, problem: str) -> None:
            if processes[1].poll() is None:
                processes[1].kill()
                processes[1].wait()

        assert run_all(SMALL, store, scheduler=address, done=kill_one) == []
        assert contents(store, SMALL) == serial
    finally:
        for process in processes:
            process.kill()
            process.wait()


def _wait_for_workers(address: str, count: int) -> None:
    from distributed import Client

    with Client(address, timeout=60) as client:
        client.wait_for_workers(count, timeout=60)
