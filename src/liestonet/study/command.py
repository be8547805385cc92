"""The command line of a study: run the missing jobs, then make the page from all results."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from liestonet.errors import InputError
from liestonet.study.code_note import code_note, earlier_code
from liestonet.study.jobs import Job
from liestonet.study.running import Failure, run_all, unfinished
from liestonet.study.store import Store, require_writable, write_text

Say = Callable[[str], None]


@dataclass(frozen=True)
class Study:
    """One study: `jobs` lists its runs for a number of seeds (None: its own), `page` makes a text from their records.

    Results are kept in the folder `results`; the page is written to `target`, or printed without one.
    """

    jobs: Callable[[int | None], Sequence[Job]]
    page: Callable[[list[dict[str, Any]]], str]
    results: Path
    target: Path | None = None

    @property
    def store(self) -> Store:
        return Store(self.results)

    def text(self, seeds: int | None = None) -> str:
        """The page made from the stored results; a page of docs/ ends with the version of the code."""
        jobs = self.jobs(seeds)
        text = self.page(self.store.values(jobs))
        if self.target is None:
            return text
        return f"{text}\n{code_note(self.store.records(jobs), earlier_code(self.results, jobs))}\n"


def run_study(study: Study, description: str = "", words: Sequence[str] | None = None) -> None:
    """Run a study as a script with these arguments; the exit status is 2 if they are wrong or runs failed."""
    given = _parser(description).parse_args(words)
    try:
        _run(study, given)
    except InputError as problem:
        sys.stderr.write(f"{problem}\n")
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)


def complete(
    jobs: Iterable[Job],
    store: Store,
    say: Say,
    *,
    processes: int = 1,
    scheduler: str | None = None,
    wording: Callable[[str], str] = str,
) -> list[Failure]:
    """Run the missing jobs, with a line on stderr for each; runs that several items share are made once.

    `wording` rewrites the reason of a failure for the user's command.
    """
    everything = list({store.path(job): job for job in jobs}.values())
    missing = unfinished(everything, store)
    say(f"{len(everything) - len(missing)} of {len(everything)} runs are finished; {len(missing)} to do.\n")
    try:
        done = _time_left(missing, wording)
        failures = run_all(missing, store, processes=processes, scheduler=scheduler, done=done)
        return [Failure(each.job, wording(each.reason)) for each in failures]
    except KeyboardInterrupt:
        sys.stderr.write(f"Stopped. Finished runs are kept in {store.folder}; the same command continues.\n")
        raise


def raise_failures(failures: Sequence[Failure]) -> None:
    """Raise an error with one sentence on the failed runs, if there are any."""
    if failures:
        first = failures[0]
        raise InputError(
            f"{len(failures)} of the runs failed; the others are kept. The first: {first.job.name}: {first.reason}"
        )


def _parser(description: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("--seeds", type=_positive, metavar="N", help="seeds for each run, instead of the study's own")
    parser.add_argument("--jobs", type=_positive, default=1, metavar="N", help="processes on this machine")
    parser.add_argument("--only", nargs="+", default=[""], metavar="NAME", help="only runs whose names begin with this")
    parser.add_argument("--anew", action="store_true", help="repeat finished runs too")
    parser.add_argument("--only-page", action="store_true", help="compute nothing; rebuild the page")
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def _run(study: Study, given: argparse.Namespace) -> None:
    failures: list[Failure] = []
    if not given.only_page:
        jobs = [job for job in study.jobs(given.seeds) if job.name.startswith(tuple(given.only))]
        if not jobs:
            raise InputError(f"There is no run whose name begins with {' or '.join(given.only)}.")
        if study.target is not None:
            require_writable(study.results, study.results, study.target)
        if given.anew:
            study.store.remove(jobs)
        failures = complete(jobs, study.store, _print, processes=given.jobs)
    _publish(study, study.text(given.seeds))
    raise_failures(failures)


def _publish(study: Study, text: str) -> None:
    if study.target is None:
        _print(text)
    else:
        write_text(study.target, text)
        _print(f"Wrote {study.target}.\n")


def _print(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _time_left(jobs: Sequence[Job], wording: Callable[[str], str]) -> Callable[[Job, str], None]:
    """A callback that writes a line on stderr for each finished job, with the estimated time left."""
    begin, total, spent = time.monotonic(), sum(job.cost for job in jobs), 0.0
    finished = 0

    def done(job: Job, problem: str) -> None:
        nonlocal spent, finished
        spent, finished = spent + job.cost, finished + 1
        left = (time.monotonic() - begin) * (total - spent) / spent
        what = f"failed: {wording(problem)}" if problem else f"about {_duration(left)} left"
        sys.stderr.write(f"{finished} of {len(jobs)} done ({job.item} {job.name}), {what}\n")
        sys.stderr.flush()

    return done


def _duration(seconds: float) -> str:
    minutes = seconds / 60
    return f"{seconds:.0f} s" if minutes < 2 else f"{minutes:.0f} min" if minutes < 120 else f"{minutes / 60:.1f} h"
