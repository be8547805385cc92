"""Results of jobs on disk: one JSON file each, complete or absent."""

from __future__ import annotations

import json
import math
import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from liestonet.core.files import NO_ROOM
from liestonet.core.json_values import JSON
from liestonet.errors import InputError
from liestonet.study.jobs import SCHEMA, Job, JobOutcome


@dataclass(frozen=True)
class Store:
    """A folder with a subfolder for every item of the study."""

    folder: Path

    def path(self, job: Job) -> Path:
        return self.folder / job.item / job.file_name

    def has(self, job: Job) -> bool:
        """Whether there is a readable result of exactly this job."""
        return self.read(job) is not None

    def read(self, job: Job) -> JobOutcome | None:
        """The stored result; None if there is none or the file is not a complete result of exactly this job."""
        try:
            record = json.loads(self.path(job).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return record if _is_result(record, job) else None

    def values(self, jobs: Iterable[Job]) -> list[dict[str, JSON]]:
        """Settings, value and times of all jobs with results, in the order of the jobs."""
        records = ((job, self.read(job)) for job in jobs)
        return [
            {**job.settings, "job": job.name, **record["value"], "cpu_seconds": record["cpu_seconds"]}
            for job, record in records
            if record is not None
        ]

    def records(self, jobs: Iterable[Job]) -> list[JobOutcome]:
        """The stored outcomes of all jobs with results, with versions and times."""
        return [record for job in jobs if (record := self.read(job)) is not None]

    def write(self, job: Job, outcome: JobOutcome) -> None:
        """Store one result atomically: written to a temporary file, synced, then renamed."""
        record = {"schema": SCHEMA, "job": {"item": job.item, "name": job.name, **job.identity}, **outcome}
        write_text(self.path(job), json.dumps(plain(record), indent=1, sort_keys=True, allow_nan=False) + "\n")

    def remove(self, jobs: Iterable[Job]) -> None:
        """Delete the results of these jobs."""
        for job in jobs:
            self.path(job).unlink(missing_ok=True)


def _is_result(record: Any, job: Job) -> bool:
    """Whether this is a complete record, as `write` stores it, of exactly this job; a value is never empty."""
    if not isinstance(record, dict) or record.get("schema") != SCHEMA or not isinstance(record.get("job"), dict):
        return False
    same = {name: record["job"].get(name) for name in job.identity} == job.identity
    value = record.get("value")
    return same and isinstance(value, dict) and bool(value) and isinstance(record.get("cpu_seconds"), float | int)


def require_writable(folder: Path, results: Path, page: Path) -> None:
    """Refuse places that cannot be written to before anything is computed; messages use the names that the user gave.

    `results` is the subfolder of `folder` for the results.
    """
    if page.is_dir():
        raise InputError(f"{page} is a folder; name a file in it.")
    for place in (results, folder):
        _try_writing(place, "Results", folder)
    _try_writing(page.parent, page.name, page.parent)


def _try_writing(place: Path, what: str, named: Path) -> None:
    try:
        place.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=place):
            pass
    except OSError as problem:
        raise InputError(_why(what, named, problem)) from problem


def write_text(path: Path, text: str) -> None:
    """Write a text file atomically: an interrupted write leaves the old file."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file of bytes atomically; a full disk or missing write permission is an error of one sentence."""
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(0o644)
        os.replace(temporary, path)
    except OSError as problem:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
        raise InputError(_why(path.name, path.parent, problem)) from problem


def _why(what: str, folder: Path, problem: OSError) -> str:
    if problem.errno in NO_ROOM:
        return (
            f"The disk is full: {what} could not be written to {folder}. Results finished before are kept; make room "
            "and start the same command again."
        )
    reason = (problem.strerror or str(problem)).lower()
    return f"{what} could not be written to {folder} ({reason}); name another place."


def plain(value: Any) -> Any:
    """The value in types of JSON; numbers that are not finite become None."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
