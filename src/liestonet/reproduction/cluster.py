"""Jobs on a dask.distributed cluster. What goes wrong with the cluster itself is said in one sentence."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from liestonet.errors import InputError
from liestonet.reproduction.jobs import Job, Outcomes, Result, reason, run_job
from liestonet.reproduction.trades import VARIABLE

# Seconds.
ANSWER_WITHIN = 10
WORKERS_WITHIN = 30


def on_cluster(jobs: list[Job], address: str) -> Outcomes:
    """Workers that are lost have their jobs done elsewhere; a scheduler that is lost ends the study."""
    try:
        from distributed import as_completed
    except ImportError as problem:
        raise InputError(
            'A scheduler needs dask.distributed; install it with: pip install "liestonet[cluster]"'
        ) from problem
    place = {VARIABLE: os.environ[VARIABLE]} if VARIABLE in os.environ else {}
    with _silent("distributed"), _connected(address) as client:
        futures = {client.submit(run_job, job.function, job.settings, place, key=job.file_name): job for job in jobs}
        for future in as_completed(list(futures)):
            yield futures[future], _fetched(future, address)
            future.release()


@contextmanager
def _connected(address: str) -> Iterator[Any]:
    """A client of a scheduler that has workers."""
    from distributed import Client

    try:
        client = Client(address, timeout=ANSWER_WITHIN)
    except (OSError, ValueError) as problem:
        raise InputError(
            f"No scheduler answers at {address}; start one with `dask scheduler` and give its address, such as "
            "tcp://127.0.0.1:8786."
        ) from problem
    try:
        _require_workers(client, address)
        yield client
    finally:
        with suppress(TimeoutError):  # a scheduler that does not answer need not agree
            client.close(timeout=ANSWER_WITHIN)


def _require_workers(client: Any, address: str) -> None:
    try:
        client.wait_for_workers(1, timeout=WORKERS_WITHIN)
    except TimeoutError as problem:
        raise InputError(
            f"The scheduler at {address} has no workers; start one with `dask worker {address}` and give the same "
            "command again."
        ) from problem
    except OSError as problem:
        raise _lost(address) from problem


def _fetched(future: Any, address: str) -> Result:
    """What became of a job; without a scheduler all that is not fetched comes back cancelled."""
    from distributed import CancelledError

    problem = future.exception()
    if problem is not None:
        return reason(problem)
    try:
        return future.result()
    except (CancelledError, OSError) as problem:
        raise _lost(address) from problem


def _lost(address: str) -> InputError:
    return InputError(f"The scheduler at {address} was lost; what is finished is kept, start the same command again.")


@contextmanager
def _silent(package: str) -> Iterator[None]:
    """No log of a package meanwhile: of a lost connection it prints tracebacks."""
    names = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] == package]
    before = {name: logging.getLogger(name).disabled for name in names}
    try:
        for name in names:
            logging.getLogger(name).disabled = True
        yield
    finally:
        for name, disabled in before.items():
            logging.getLogger(name).disabled = disabled
