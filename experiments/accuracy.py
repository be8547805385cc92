"""How close does `Spectral()` come to a fit that knows the family of the equation? Angles, verdicts and seconds.

    python experiments/accuracy.py                       # what is missing, then the table
    python experiments/accuracy.py --only cev            # runs whose names begin like this
    python experiments/accuracy.py --seeds 3

512 paths of the catalogue's own experiment. The oracle is the true form of the equation, fitted to the same data
(`liestonet.reproduction.fitted`); angles below .1° count as .1° before they are divided. Seeds begin at 24000. The
first runs are of the catalogue's systems on which the angles were worst; names that begin with `random-` are systems of
`liestonet/reproduction/random_systems.py`, on which nothing was run while the method was built.
"""

from __future__ import annotations

import resource
from pathlib import Path
from typing import Any

import numpy as np

from liestonet.reproduction.items import confusion
from liestonet.reproduction.random_systems import SYSTEMS as RANDOM
from liestonet.reproduction.random_systems import system as random_system
from liestonet.study.command import Study, run_study
from liestonet.study.jobs import Job
from liestonet.study.tables import Table

FIRST_SEED, PATHS, FLOOR = 24000, 512, 0.1
ROOT = Path(__file__).resolve().parent.parent
SYSTEMS = (
    "cev", "three-halves", "inverse-bessel", "gompertz", "radial-ornstein-uhlenbeck", "ornstein-uhlenbeck-sinh",
    "brownian-sinh", "brownian-cube", "brownian-tanh", "bessel", "cir", "ornstein-uhlenbeck", "langevin",
    "bessel-drift", "sabr", "heston", "brownian-parabola", "hyperbolic-plane",
    "double-well", "fitzhugh-nagumo", "kimura", "feller-branching", "inverse-square", "self-similar-noise",
)  # fmt: skip


def run(system: str, seed: int) -> dict[str, Any]:
    """One run: verdicts, the angle, that of the fitted form, and seconds of processor time."""
    if not system.startswith("random-"):
        return _timed(lambda: confusion.run(system, PATHS, seed))
    known = random_system(int(system.removeprefix("random-")))
    return _timed(lambda: confusion.run_on(known, PATHS, seed))


def _timed(work: Any) -> dict[str, Any]:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    record = work()
    return {**record, "seconds": round(resource.getrusage(resource.RUSAGE_SELF).ru_utime - before, 1)}


def jobs(seeds: int | None) -> list[Job]:
    names = [*SYSTEMS, *(f"random-{number}" for number in range(RANDOM))]
    return [
        Job("accuracy", f"{name}-{seed}", "accuracy:run", {"system": name, "seed": seed}, given={"paths": PATHS})
        for seed in range(FIRST_SEED, FIRST_SEED + (seeds or 1))
        for name in names
    ]


def page(records: list[dict[str, Any]]) -> str:
    rows = []
    for record in records:
        angle, oracle = record.get("angle"), record.get("oracle")
        ratio = None if angle is None or oracle is None else max(angle, FLOOR) / max(oracle, FLOOR)
        cells = [None if value is None else f"{value:.2f}" for value in (angle, oracle, ratio)]
        true, found = record["true"], record.get("found", "refused")
        outcome = confusion.outcome(record)
        rows.append((record["system"], record["seed"], true, found, outcome, *cells, record["seconds"]))
    head = ("system", "seed", "true", "found", "outcome", "angle", "fitted form", "ratio", "seconds, both")
    ratios = [float(row[7]) for row in rows if row[7] is not None and row[2] not in (0, "inf")]
    counts = {name: sum(row[4] == name for row in rows) for name in sorted({row[4] for row in rows})}
    told = ", ".join(f"{count} {name}" for name, count in counts.items())
    quantiles = np.quantile(ratios, [0.5, 0.9]) if ratios else (np.nan, np.nan)
    return (
        f"# Accuracy at {PATHS} paths\n\n{Table(head, tuple(rows)).markdown()}\n\n{told}. Angle over that of the "
        f"fitted form: median {quantiles[0]:.2f}, nine tenths below {quantiles[1]:.2f}.\n"
    )


STUDY = Study(jobs, page, ROOT / "experiments" / "results")

if __name__ == "__main__":
    run_study(STUDY, __doc__ or "")
