"""Systems with few symmetries: how often is a false generator accepted?

    python experiments/controls.py                # 100 runs of each, as far as they are not there; docs/controls.md
    python experiments/controls.py --seeds 30 --only fitzhugh-nagumo

A change of the fit that may change the counts gets a name in FITS, and its runs are shown beside the earlier ones.

Data: 512 paths of the catalogue's own experiment (for the forced cubic: T = 4, Δt = .01, x₀ ~ U(−1.5, 1.5)). A false
generator is one more than the true number. Seeds begin at 9000; none of them was used while the method was built.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

import liestonet as lsn
from liestonet.study.command import Study, run_study
from liestonet.study.jobs import Job

FIRST_SEED = 9000
ROOT = Path(__file__).resolve().parent.parent
PATHS, RUNS = 512, 100
FORCED_CUBIC = "dx = (sin(t)*x - x^3) dt + dW"
TRUE = {"double-well": 1, "forced-cubic": 0, "fitzhugh-nagumo": 1}
# The fit that runs were made with, the present one last: its name in the settings, and what the page says of it.
FITS = {"": "before shapes of the noise (code of 2026-11-18)", "poles": "shapes of the noise and poles (2026-11-19)"}


def data_of(case: str, seed: int) -> lsn.Trajectories:
    if case != "forced-cubic":
        return lsn.catalogue[case].simulate(paths=PATHS, seed=seed)
    sde = lsn.SDE.parse(FORCED_CUBIC)

    def initial(rng: np.random.Generator, paths: int) -> np.ndarray:
        return rng.uniform(-1.5, 1.5, (paths, 1))

    return sde.simulate(initial=initial, duration=4.0, step=0.01, paths=PATHS, seed=seed, substeps=5)


def run(case: str, seed: int, fit: str = "") -> dict[str, Any]:
    """One run: the number of symmetries found, with the present fit only."""
    if fit != list(FITS)[-1]:
        raise ValueError(f"Runs of an earlier fit ({fit or 'the first'}) cannot be made any more.")
    return {"found": lsn.discover(data_of(case, seed), formulas=False).dimension}


def jobs(seeds: int | None) -> list[Job]:
    equations = {case: FORCED_CUBIC if case == "forced-cubic" else lsn.catalogue[case].equation for case in TRUE}
    return [
        Job(
            "controls",
            f"{case}-{seed}{fit and '-'}{fit}",
            "controls:run",
            {"case": case, "seed": seed} | ({"fit": fit} if fit else {}),
            given={"equation": equations[case], "paths": PATHS},
        )
        for fit in FITS
        for seed in range(FIRST_SEED, FIRST_SEED + (seeds or RUNS))
        for case in TRUE
    ]


def page(records: list[dict[str, Any]]) -> str:
    return f"# False generators\n\n{INTRODUCTION}\n{table(records)}\n\n{MEASURED}"


def table(records: list[dict[str, Any]]) -> str:
    """Markdown: one row for each fit and case."""
    lines = ["| fit | system | true | runs | found | false generator in |", "|---|---|---|---|---|---|"]
    for fit, told in FITS.items():
        for case, true in TRUE.items():
            own = [record for record in records if record["case"] == case and record.get("fit", "") == fit]
            found = Counter(record["found"] for record in own)
            runs = found.total()
            if runs:
                listed = ", ".join(f"{dimension}: {count}" for dimension, count in sorted(found.items()))
                false = sum(count for dimension, count in found.items() if dimension > true)
                lines.append(f"| {told} | {case} | {true} | {runs} | {listed} | {false} of {runs} |")
    return "\n".join(lines)


INTRODUCTION = """*For readers who want to know how often `discover` reports a symmetry that does not exist.*

Three systems with one Itô symmetry or none, searched with the default tolerance (10 %) and error rate (5 %). The last
column counts the runs that report more symmetries than the system has.
"""

MEASURED = """## How this was measured

`python experiments/controls.py`: 512 paths in each run, seeds from 9000. None of these seeds was used during
development. Rows of an earlier fit were measured with the code of that date and not again.
[Calibration](calibration.md#systems-without-symmetries) has two more systems, with 64 paths in each run.
"""


STUDY = Study(jobs, page, ROOT / "experiments" / "results", ROOT / "docs" / "controls.md")

if __name__ == "__main__":
    run_study(STUDY, __doc__ or "")
