"""Runs jobs: here, in processes of this machine, or on a cluster. Each result is stored as soon as it is computed.

Stored results are not computed again, so a study that was stopped can be continued. An interrupt ends all processes at
once. A job that fails does not stop the others; if a process dies, its job is tried once more.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from dataclasses import dataclass
from multiprocessing import active_children, get_context
from pathlib import Path

from liestonet.core.processes import follow_parent, interrupts_later, one_thread_each
from liestonet.study.cluster import on_cluster
from liestonet.study.jobs import Job, Outcomes, Result, reason, run_job
from liestonet.study.store import Store

DIED = "its process died twice (perhaps out of memory)"


@dataclass(frozen=True)
class Failure:
    """A job without a result, and the reason."""

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
    """Run the missing jobs and return the failures; `done` is called for each job, with the reason if it failed."""
    missing = unfinished(jobs, store)
    if not missing:
        return []
    if scheduler is not None:
        outcomes = on_cluster(missing, scheduler)
    elif processes > 1:
        outcomes = _in_processes(missing, processes, store.folder.parent / ".jax_cache")
    else:
        outcomes = _one_by_one(missing)
    failures = []
    with closing(outcomes):  # an exception in this loop ends the processes too
        for job, outcome in outcomes:
            problem = outcome if isinstance(outcome, str) else ""
            if isinstance(outcome, str):
                failures.append(Failure(job, outcome))
            else:
                store.write(job, outcome)
            if done is not None:
                done(job, problem)
    return failures


def unfinished(jobs: Iterable[Job], store: Store) -> list[Job]:
    """The jobs without a stored result, without repetitions."""
    return list({job.file_name: job for job in jobs if not store.has(job)}.values())


def _one_by_one(jobs: list[Job]) -> Outcomes:
    for job in jobs:
        yield job, _attempt(job)


def _attempt(job: Job) -> Result:
    try:
        return run_job(job.target, job.settings)
    except Exception as problem:  # one failed job must not end the study; its reason is reported
        return reason(problem)


def _in_processes(jobs: list[Job], processes: int, compiled: Path) -> Outcomes:
    """The outcomes of jobs run in spawned processes with one thread each.

    A process that dies breaks its whole pool. The jobs that were running, one of which is the cause, are tried once
    more at the end, each alone.
    """
    waiting, lost = deque(jobs), []
    with one_thread_each(compiled):
        while waiting:
            with closing(_pool(waiting, processes)) as outcomes:
                for job, outcome in outcomes:
                    if outcome is None:
                        lost.append(job)
                    else:
                        yield job, outcome
        for job in lost:
            with closing(_pool(deque([job]), 1)) as outcomes:
                for _, outcome in outcomes:
                    yield job, DIED if outcome is None else outcome


def _pool(waiting: deque[Job], processes: int) -> Generator[tuple[Job, Result | None], None, None]:
    """The outcomes of one pool, which takes jobs from `waiting` until it breaks; None for those then running."""
    count, others = min(processes, len(waiting)), set(active_children())
    pool = ProcessPoolExecutor(count, mp_context=get_context("spawn"), initializer=follow_parent)
    pending: dict[Future, Job] = {}
    try:
        _hand_out(waiting, pool, pending, count)
        while pending:
            finished, _ = wait(pending, return_when=FIRST_COMPLETED)
            for future in finished:
                yield pending.pop(future), _future_outcome(future)
                _hand_out(waiting, pool, pending, count)
    finally:
        if pending:
            for process in set(active_children()) - others:
                process.terminate()
        pool.shutdown(cancel_futures=True)


def _hand_out(waiting: deque[Job], pool: ProcessPoolExecutor, pending: dict[Future, Job], count: int) -> None:
    """Submit one job to every free process and none in advance, so that none begins after an interrupt."""
    try:
        while waiting and len(pending) < count:
            job = waiting[0]
            with interrupts_later():
                pending[pool.submit(run_job, job.target, job.settings)] = job
            waiting.popleft()
    except BrokenProcessPool:
        return  # the waiting jobs go to the next pool


def _future_outcome(future: Future) -> Result | None:
    problem = future.exception()
    if isinstance(problem, BrokenProcessPool):
        return None
    return future.result() if problem is None else reason(problem)
