"""Workers of dask.distributed: connect to a running scheduler, or start workers here. Each fault has its message."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import fields, is_dataclass
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from liestonet.core.processes import ONE_THREAD
from liestonet.errors import InputError

# Seconds.
ANSWER_WITHIN = 10
WORKERS_WITHIN = 30
ASK_EVERY = 5
PAUSE = 0.1  # between two looks at the futures, as in dask's own iterator over finished jobs
DEATH_WITHIN = 60  # after which workers started here end if they have lost their scheduler
AHEAD = 4  # tasks for each worker that are handed out before their results are taken

KEPT = "what is finished is kept"


class Scheduler:
    """A connected scheduler; error messages quote `ending`, which says what happens to finished work."""

    def __init__(self, client: Any, address: str, ending: str) -> None:
        self.client, self.address, self.ending = client, address, ending
        self.received, self.sent = 0, 0  # bytes of arrays

    @property
    def workers(self) -> int:
        """The number of threads of all workers together."""
        return max(1, sum(self._threads().values()))

    def _threads(self) -> dict[str, int]:
        """The number of threads of every worker, by the worker's address."""
        with self._lost_in_words():
            return self.client.nthreads()

    @property
    def told(self) -> str:
        """A sentence on the number of workers and the bytes sent to and received from them."""
        return (
            f"{self.workers} workers formed the sums; {_size(self.sent)} went out to them and {_size(self.received)} "
            "came back."
        )

    def finished(self, futures: Sequence[Any]) -> Iterator[Any]:
        """Yield futures as they finish; while none does, check from time to time that there still are workers."""
        from distributed import as_completed

        waiting, asked = as_completed(futures), time.monotonic()
        while not waiting.is_empty():
            if ready := waiting.next_batch(block=False):
                yield from ready
                asked = time.monotonic()
            elif time.monotonic() - asked > ASK_EVERY:
                self.require_workers(f"has lost all its workers, and {self.ending}")
                asked = time.monotonic()
            else:
                time.sleep(PAUSE)

    def require_workers(self, otherwise: str) -> None:
        """Wait until there is a worker; raise an error that contains `otherwise` if none comes in time."""
        try:
            self.client.wait_for_workers(1, timeout=WORKERS_WITHIN)
        except TimeoutError as problem:
            raise InputError(
                f"The scheduler at {self.address} {otherwise}; start one with `dask worker {self.address}` and give "
                "the same command again."
            ) from problem
        except OSError as problem:
            raise self.lost() from problem

    def result(self, future: Any, wrong: Callable[[BaseException], Any]) -> Any:
        """The result of a task, or `wrong` of its error; if the scheduler is lost, unfetched tasks are cancelled."""
        from distributed import CancelledError

        with self._lost_in_words():
            problem = future.exception()
            if isinstance(problem, CancelledError):
                raise problem
            return future.result() if problem is None else wrong(problem)

    @contextmanager
    def _lost_in_words(self) -> Iterator[None]:
        """Turn errors of a broken connection into the error that the scheduler was lost."""
        from distributed import CancelledError

        try:
            yield
        except TimeoutError:
            raise
        except (CancelledError, OSError) as problem:
            raise self.lost() from problem

    def lost(self) -> InputError:
        """The error for a scheduler that no longer answers."""
        return InputError(f"The scheduler at {self.address} was lost; {self.ending}, start the same command again.")

    def map(self, function: Callable[..., Any], shared: Any, tasks: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
        """Yield `function(shared, *task)` for every task in order, computed by the workers.

        Tasks of a lost worker are computed again by others. An `InputError` raised on a worker is raised here.
        """
        crew = Shares(self._threads())
        with self._lost_in_words():
            held = self.client.submit(_same, shared, pure=False)
        self.sent += array_bytes(shared) * min(len(tasks), crew.threads)
        waiting, rest = deque[Any](), deque(tasks)
        while rest or waiting:
            while rest and len(waiting) < AHEAD * crew.threads:
                task, worker = rest.popleft(), crew.freest(self._threads())
                self.sent += array_bytes(task)
                # Without a named worker the scheduler sends all tasks to the one that holds the shared value.
                where = {"workers": worker, "allow_other_workers": True} if worker else {}
                with self._lost_in_words():
                    future = self.client.submit(_done, function, held, *task, pure=False, **where)
                waiting.append(crew.given(worker, future))
            future = waiting.popleft()
            self._await(future)
            found, problem = self.result(future, self._failed)
            if problem is not None:
                raise InputError(problem)
            self.received += array_bytes(found)
            yield found

    def _await(self, future: Any) -> None:
        """Wait for a task, and check from time to time that there still are workers."""
        from distributed import wait

        while True:
            try:
                with self._lost_in_words():
                    wait([future], timeout=ASK_EVERY)
                return
            except TimeoutError:
                self.require_workers(f"has lost all its workers, and {self.ending}")

    def _failed(self, problem: BaseException) -> Any:
        """Raise the error of a task: with advice on memory if it killed several workers, else unchanged."""
        from distributed.scheduler import KilledWorker

        if isinstance(problem, KilledWorker):
            raise InputError(
                f"Several workers of the scheduler at {self.address} ended without an error while computing the same "
                "piece, probably for lack of memory; give them more memory and start the same command again."
            ) from problem
        raise problem


class Shares:
    """The unfinished tasks of every worker; workers may join and leave."""

    def __init__(self, threads: dict[str, int]) -> None:
        self.known = threads
        self.futures: dict[str, list[Any]] = {}

    @property
    def threads(self) -> int:
        """The number of threads of all workers together."""
        return max(1, sum(self.known.values()))

    def freest(self, threads: dict[str, int]) -> list[str]:
        """The worker with the fewest unfinished tasks per thread, as a list; empty if there are no workers now."""
        self.known = threads
        for worker, futures in self.futures.items():
            self.futures[worker] = [future for future in futures if not future.done()]
        loads = {worker: len(self.futures.get(worker, ())) / threads[worker] for worker in threads}
        return sorted(loads, key=lambda worker: loads[worker])[:1]

    def given(self, workers: list[str], future: Any) -> Any:
        """Record that the workers have one more task, and return its future."""
        for worker in workers:
            self.futures.setdefault(worker, []).append(future)
        return future


def _size(count: int) -> str:
    """A number of bytes as text with a suitable unit."""
    power = min((len(str(count)) - 1) // 3, 4)
    return f"{count / 1000**power:.3g} {('bytes', 'kB', 'MB', 'GB', 'TB')[power]}"


def _same(value: Any) -> Any:
    return value


def _done(function: Callable[..., Any], shared: Any, *task: Any) -> tuple[Any, str | None]:
    """Run a task on a worker: its result and None, or None and the message on wrong input."""
    try:
        return function(shared, *task), None
    except InputError as problem:
        return None, str(problem)


def array_bytes(value: Any) -> int:
    """The number of bytes of all arrays in a value: in dictionaries, lists, dataclasses and other objects too."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, dict):
        return sum(map(array_bytes, value.values()))
    if isinstance(value, list | tuple):
        return sum(map(array_bytes, value))
    if is_dataclass(value) and not isinstance(value, type):
        return sum(array_bytes(getattr(value, each.name)) for each in fields(value))
    return array_bytes(vars(value)) if hasattr(value, "__dict__") and not callable(value) else 0


@contextmanager
def connected(address: str, ending: str = KEPT) -> Iterator[Scheduler]:
    """A connection to the scheduler at an address, which must have workers."""
    _require_distributed("A scheduler needs")
    from distributed import Client

    with _silent("distributed"):
        try:
            client = Client(address, timeout=ANSWER_WITHIN)
        except (OSError, ValueError) as problem:
            raise InputError(
                f"No scheduler answers at {address}; start one with `dask scheduler` and give its address, such as "
                "tcp://127.0.0.1:8786."
            ) from problem
        scheduler = Scheduler(client, address, ending)
        try:
            scheduler.require_workers("has no workers")
            yield scheduler
        finally:
            with suppress(TimeoutError):  # a scheduler that no longer answers need not confirm
                client.close(timeout=ANSWER_WITHIN)


@contextmanager
def local_workers(count: int, ending: str = KEPT) -> Iterator[Scheduler]:
    """Workers on this machine, with a scheduler in this process; they are stopped at the end of the context."""
    _require_distributed("Workers need")
    with (
        _silent("distributed"),
        _folder() as folder,
        _scheduler_here() as own,
        _started(str(own.scheduler_address), count, folder),
        connected(str(own.scheduler_address), ending) as scheduler,
    ):
        with suppress(TimeoutError):  # at least one has started, and others may still come
            scheduler.client.wait_for_workers(count, timeout=WORKERS_WITHIN)
        yield scheduler


def _scheduler_here() -> Any:
    """A scheduler in this process, without workers."""
    from distributed import LocalCluster

    options: dict[str, Any] = {"n_workers": 0, "host": "127.0.0.1", "dashboard_address": None}
    return LocalCluster(**options)


@contextmanager
def _started(address: str, count: int, folder: str) -> Iterator[None]:
    """Start worker processes for a scheduler, and stop them at the end of the context."""
    words = ["-m", "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
    words += ["--death-timeout", str(DEATH_WITHIN), "--local-directory", folder]
    own, nowhere = {**os.environ, **ONE_THREAD}, subprocess.DEVNULL
    processes = [
        subprocess.Popen([sys.executable, *words], env=own, stdout=nowhere, stderr=nowhere) for _ in range(count)
    ]
    try:
        yield
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait()


@contextmanager
def _folder() -> Iterator[str]:
    """A temporary folder for data that workers move out of memory."""
    try:
        made = TemporaryDirectory(prefix="liestonet-", ignore_cleanup_errors=True)
    except OSError as problem:
        raise InputError(
            f"Workers need a temporary folder, and none can be made ({problem.strerror}); free some space, "
            "or set TMPDIR."
        ) from problem
    with made as folder:
        yield folder


def _require_distributed(sentence: str) -> None:
    try:
        import distributed  # noqa: F401
    except ImportError as problem:
        raise InputError(f'{sentence} dask.distributed; install it with: pip install "liestonet[cluster]"') from problem


@contextmanager
def _silent(package: str) -> Iterator[None]:
    """Disable the logs of a package in this context: dask logs tracebacks when a connection is lost."""
    names = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] == package]
    before = {name: logging.getLogger(name).disabled for name in names}
    try:
        for name in names:
            logging.getLogger(name).disabled = True
        yield
    finally:
        for name, disabled in before.items():
            logging.getLogger(name).disabled = disabled
