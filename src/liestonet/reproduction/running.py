"""Runs jobs: here, in processes of this machine, or on a cluster. Each result is kept the moment it is there.

What is there already is not done again, so a study that was stopped goes on where it was. A job that fails does not
stop the others; a process that dies takes its job with it, which is tried once more.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from liestonet.errors import InputError
from liestonet.processes import end_with_parent, one_thread_each
from liestonet.reproduction.jobs import Job, run_job
from liestonet.reproduction.store import Store
from liestonet.reproduction.trades import VARIABLE

TRIES = 2

Outcome = tuple[Job, dict[str, Any] | str]  # the record, or one sentence on what went wrong


@dataclass(frozen=True)
class Failure:
    """A job that has no result, and why."""

    job: Job
    reason: str


def run_all(
    jobs: Iterable[Job],
    store: Store,
    *,
    processes: int = 1,
    scheduler: str | None = None,
    done: Callable[[Job, str], None] | None = None,
) -> list[Failure]:
    """Do what is missing; tell `done` of each job that was kept, or with a reason of one that failed."""
    missing = unfinished(jobs, store)
    if not missing:
        return []
    if scheduler is not None:
        outcomes = _on_cluster(missing, scheduler)
    elif processes > 1:
        outcomes = _in_processes(missing, processes, store.folder.parent / ".jax_cache")
    else:
        outcomes = _one_by_one(missing)
    failures = []
    for job, outcome in outcomes:
        reason = outcome if isinstance(outcome, str) else ""
        if isinstance(outcome, str):
            failures.append(Failure(job, outcome))
        else:
            store.write(job, outcome)
        if done is not None:
            done(job, reason)
    return failures


def unfinished(jobs: Iterable[Job], store: Store) -> list[Job]:
    """The jobs without a result, each once."""
    return list({job.file_name: job for job in jobs if not store.has(job)}.values())


def _one_by_one(jobs: list[Job]) -> Iterator[Outcome]:
    for job in jobs:
        yield job, _attempt(job)


def _attempt(job: Job) -> dict[str, Any] | str:
    try:
        return run_job(job.function, job.settings)
    except Exception as problem:  # one failed job must not end the study; its reason is reported
        return _reason(problem)


def _reason(problem: BaseException) -> str:
    text = " ".join(str(problem).split()) or type(problem).__name__
    return text if isinstance(problem, InputError) else f"{type(problem).__name__}: {text}"


def _in_processes(jobs: list[Job], processes: int, compiled: Path) -> Iterator[Outcome]:
    """Spawned processes with one thread each; a pool that breaks is made anew for what is left."""
    tries = dict.fromkeys((job.file_name for job in jobs), 0)
    waiting = list(jobs)
    with one_thread_each(compiled):
        while waiting:
            broken: list[Job] = []
            for job, outcome in _pool(waiting, processes):
                if outcome is not None:
                    yield job, outcome
                    continue
                tries[job.file_name] += 1
                if tries[job.file_name] < TRIES:
                    broken.append(job)
                else:
                    yield job, "its process died twice (perhaps for want of memory)"
            waiting = broken


def _pool(jobs: list[Job], processes: int) -> Iterator[tuple[Job, dict[str, Any] | str | None]]:
    """One pool for these jobs; None where the pool broke before a job was done."""
    count, context = min(processes, len(jobs)), get_context("spawn")
    with ProcessPoolExecutor(count, mp_context=context, initializer=end_with_parent) as pool:
        pending: dict[Future, Job] = {pool.submit(run_job, job.function, job.settings): job for job in jobs}
        try:
            while pending:
                finished, _ = wait(pending, return_when=FIRST_COMPLETED)
                for future in finished:
                    job = pending.pop(future)
                    yield job, _future_outcome(future)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _future_outcome(future: Future) -> dict[str, Any] | str | None:
    problem = future.exception()
    if isinstance(problem, BrokenProcessPool):
        return None
    return future.result() if problem is None else _reason(problem)


def _on_cluster(jobs: list[Job], address: str) -> Iterator[Outcome]:
    """The same jobs on a dask.distributed cluster; workers that are lost have their jobs done elsewhere."""
    try:
        from distributed import Client, as_completed
    except ImportError as problem:
        raise InputError(
            'A scheduler needs dask.distributed; install it with: pip install "liestonet[cluster]"'
        ) from problem
    try:
        client = Client(address, timeout=10)
    except (OSError, ValueError) as problem:
        raise InputError(
            f"No scheduler answers at {address}; start one with `dask scheduler` and give its address, such as "
            "tcp://127.0.0.1:8786."
        ) from problem
    place = {VARIABLE: os.environ[VARIABLE]} if VARIABLE in os.environ else {}
    with client:
        futures = {client.submit(run_job, job.function, job.settings, place, key=job.file_name): job for job in jobs}
        for future in as_completed(list(futures)):
            job = futures[future]
            problem = future.exception()
            yield job, future.result() if problem is None else _reason(problem)
            future.release()
