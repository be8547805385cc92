"""Shared by tests of studies: jobs, real and small ones, and a replacement for `run_job`."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import study_acts
from liestonet.reproduction.publication import ItemJob
from liestonet.study import running
from liestonet.study.jobs import Job
from liestonet.study.store import Store
from study_acts import PATIENCE, act

SMALL = [
    Job("small", f"{case}-{seed}", "study_acts:angles", {"case": case, "seed": seed, "seconds": 0.1})
    for case in ("first", "second")
    for seed in (1, 2)
]
REAL = [ItemJob("size", f"ex1-{seed}", "size:run", {"case": "ex1", "seed": seed, "share": 1 / 512}) for seed in (1, 2)]


def contents(store: Store, jobs: Sequence[Job]) -> list[object]:
    """The stored values, without times."""
    return [(store.read(job) or {})["value"] for job in jobs]


def wait_until(reached: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not reached():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def environment() -> dict[str, str]:
    """The environment of a process that can load `study_acts`."""
    paths = [str(Path(study_acts.__file__).parent), os.environ.get("PYTHONPATH", "")]
    return os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}


def acting(folder: Path, *actions: str) -> list[Job]:
    """A job for each action, which `act` does; each leaves a file in the folder when it begins."""
    return [
        Job("acts", f"{number}-{action}", action, {"folder": str(folder), "name": f"{number}-{action}"})
        for number, action in enumerate(actions)
    ]


def begun(folder: Path) -> list[str]:
    """The names of the jobs that have begun."""
    return sorted(path.name for path in folder.iterdir())


def use_acts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "run_job", act)
