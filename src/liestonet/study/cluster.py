"""Jobs on a dask.distributed cluster. What goes wrong with the cluster itself is said in one sentence."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from liestonet.errors import InputError
from liestonet.study.jobs import Job, Outcomes, Result, reason, run_job

OWN = "LIESTONET_"  # variables of such names go along to the workers: where a file of data is
# Seconds.
ANSWER_WITHIN = 10
WORKERS_WITHIN = 30
ASK_EVERY = 5
PAUSE = 0.1  # as dask's own iterator over finished jobs


def on_cluster(jobs: list[Job], address: str) -> Outcomes:
    """Workers that are lost have their jobs done elsewhere; a scheduler that is lost ends the study."""
    try:
        import distributed  # noqa: F401
    except ImportError as problem:
        raise InputError(
            'A scheduler needs dask.distributed; install it with: pip install "liestonet[cluster]"'
        ) from problem
    variables = {name: value for name, value in os.environ.items() if name.startswith(OWN)}
    with _silent("distributed"), _connected(address) as client:
        futures = {client.submit(run_job, job.target, job.settings, variables, key=job.file_name): job for job in jobs}
        for future in _finished(list(futures), client, address):
            yield futures[future], _fetched(future, address)
            future.release()


def _finished(futures: list[Any], client: Any, address: str) -> Iterator[Any]:
    """Futures as they finish; while none does, it is asked now and then whether there still are workers."""
    from distributed import as_completed

    waiting, asked = as_completed(futures), time.monotonic()
    while not waiting.is_empty():
        if ready := waiting.next_batch(block=False):
            yield from ready
            asked = time.monotonic()
        elif time.monotonic() - asked > ASK_EVERY:
            _require_workers(client, address, "has lost all its workers, and what is finished is kept")
            asked = time.monotonic()
        else:
            time.sleep(PAUSE)


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
        _require_workers(client, address, "has no workers")
        yield client
    finally:
        with suppress(TimeoutError):  # a scheduler that does not answer need not agree
            client.close(timeout=ANSWER_WITHIN)


def _require_workers(client: Any, address: str, otherwise: str) -> None:
    """There are workers, or new ones come within a while."""
    try:
        client.wait_for_workers(1, timeout=WORKERS_WITHIN)
    except TimeoutError as problem:
        raise InputError(
            f"The scheduler at {address} {otherwise}; start one with `dask worker {address}` and give the same "
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
