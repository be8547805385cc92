"""A dask.distributed scheduler with its workers, as processes of their own."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from study_cases import environment


@contextmanager
def running_cluster(folder: Path, workers: int) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """The address of a scheduler, with its process and those of its workers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    address = f"tcp://127.0.0.1:{port}"
    own = ["-m", "distributed.cli.dask_scheduler", "--port", port, "--no-dashboard", "--no-show"]
    each = ["-m", "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
    commands = [own, *([*each, "--local-directory", str(folder / f"worker-{n}")] for n in range(workers))]
    processes = [
        subprocess.Popen([sys.executable, *words], stderr=subprocess.DEVNULL, env=environment()) for words in commands
    ]
    try:
        _wait_for(address, workers)
        yield address, processes
    finally:
        for process in processes:
            process.kill()
            process.wait()


def _wait_for(address: str, workers: int) -> None:
    from distributed import Client

    with Client(address, timeout=60) as client:
        if workers:
            client.wait_for_workers(workers, timeout=60)
