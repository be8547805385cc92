"""Functions for the processes of a study: few imports, because every process repeats them."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from liestonet.study.jobs import JobOutcome

PATIENCE = 120.0  # seconds; much more than anything here takes
PAUSES = {"wait": PATIENCE, "pause": 0.3}
DONE: JobOutcome = {"value": {"found": 1}, "cpu_seconds": 0.0}


def act(target: str, settings: dict[str, Any]) -> JobOutcome:
    """In place of `run_job`: note the process that begins; then return, pause, wait, die, or die once only."""
    mark = Path(settings["folder"], settings["name"])
    again = mark.exists()
    mark.write_text(f"{os.getpid()}")
    time.sleep(PAUSES.get(target, 0.0))
    if target == "die" or (target == "die once" and not again):
        os._exit(3)
    return DONE


def angles(case: str, seed: int, seconds: float) -> dict[str, Any]:
    """A small job: singular values of random numbers, after a pause in which workers can be lost."""
    import numpy as np

    time.sleep(seconds)
    drawn = np.random.default_rng([seed, len(case)]).normal(size=(200, 200))
    values = np.linalg.svd(drawn, compute_uv=False)
    return {"angle": float(values[0]), "values": values.tolist()}
