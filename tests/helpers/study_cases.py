"""What tests of studies share: small real jobs, and stand-ins for `run_job` that processes of a study can load."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from liestonet.reproduction.publication import ItemJob
from liestonet.study import running
from liestonet.study.jobs import Job, JobOutcome
from liestonet.study.store import Store

SMALL = [
    ItemJob("size", f"{case}-{seed}", "size:run", {"case": case, "seed": seed, "share": 1 / 512})
    for case in ("ex1", "ex2")
    for seed in (1, 2)
]
DONE: JobOutcome = {"value": {"found": 1}, "cpu_seconds": 0.0}
PATIENCE = 120.0  # seconds; much more than anything here takes


def contents(store: Store, jobs: Sequence[Job]) -> list[object]:
    """What was found, without times."""
    return [(store.read(job) or {})["value"] for job in jobs]


def wait_until(reached: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not reached():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def acting(folder: Path, *actions: str) -> list[Job]:
    """A job for each action, which `act` does; each leaves a file in the folder when it begins."""
    return [
        Job("acts", f"{number}-{action}", action, {"folder": str(folder), "name": f"{number}-{action}"})
        for number, action in enumerate(actions)
    ]


def act(target: str, settings: dict[str, Any]) -> JobOutcome:
    """In place of `run_job`: note the process that begins; then return, pause, wait, die, or die once only."""
    mark = Path(settings["folder"], settings["name"])
    again = mark.exists()
    mark.write_text(f"{os.getpid()}")
    time.sleep({"wait": PATIENCE, "pause": 1.0}.get(target, 0.0))
    if target == "die" or (target == "die once" and not again):
        os._exit(3)
    return DONE


def begun(folder: Path) -> list[str]:
    """Names of the jobs that began."""
    return sorted(path.name for path in folder.iterdir())


def use_acts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "run_job", act)
