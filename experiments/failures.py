"""Deliberate errors: which check detects which, with how many paths?

    python experiments/failures.py               # what is not there yet, then docs/failures.md
    python experiments/failures.py --only-page   # the page alone

Paths begin at U(−2, 2), T = 1, Δt = .01. The likelihood ratio and the pushes (ε = .3, 19 bootstrap draws) reject at 5
%, the gates together fail at 1 %.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import liestonet as lsn
from liestonet.study.command import Study, run_study
from liestonet.study.jobs import Job
from liestonet.validation.lack_of_fit import lack_of_fit
from liestonet.validation.push_test import invariance

ROOT = Path(__file__).resolve().parent.parent
PATHS, RUNS, FIRST_SEED = (16, 64, 256), 5, 31_000
EPSILON, DRAWS = 0.3, 19
OU, HIDDEN = "dx = -x dt + dW", "dx = 5*y dt + dW1; dy = -5*y dt + 5 dW2"
# What is wrong, the equation of the data, and the generator that is claimed.
CASES = {
    "nothing": (OU, "exp(-t) d_x"),
    "generator of the neighbouring system": (OU, "exp(-2t) d_x"),
    "sign error": (OU, "exp(t) d_x"),
    "span rotated by 5 %": (OU, "exp(-t) d_x + 0.05*x d_x"),
    "an OU fit of a double well": ("dx = 4*(x - x^3) dt + dW", "fitted"),
    "hidden second coordinate": (HIDDEN, "d_t"),
    "measurement noise": (OU, "exp(-t) d_x"),
}
CHECKS = ("likelihood ratio", "pushes", "gates")


def recording(case: str, paths: int, seed: int) -> lsn.Trajectories:
    sde = lsn.SDE.parse(CASES[case][0])
    n = sde.dimension

    def initial(rng: np.random.Generator, count: int) -> np.ndarray:
        return rng.uniform(-2, 2, (count, n))

    data = sde.simulate(initial=initial, duration=1.0, step=0.01, paths=paths, seed=seed, substeps=4)
    if case == "hidden second coordinate":
        return lsn.Trajectories.from_arrays(data.times, [states[:, :1] for states in data.states])
    return data.degrade(noise=0.1, seed=seed) if case == "measurement noise" else data


def claimed(case: str, data: lsn.Trajectories) -> str:
    """The generator under test, if needed from a linear drift fitted by least squares."""
    if CASES[case][1] != "fitted":
        return CASES[case][1]
    steps = data.increments()
    rate = np.polyfit(steps.x[:, 0], steps.dx[:, 0] / steps.dt, 1)[0]
    return f"exp({rate:.4f}*t) d_x"


def run(case: str, paths: int, seed: int) -> dict[str, Any]:
    data = recording(case, paths, seed)
    generator = claimed(case, data)
    tested, gates = lsn.test(data, generator), lack_of_fit(data)
    pushed = invariance(data, generator, (EPSILON,), draws=DRAWS, seed=seed).rows[0]
    return {
        "p_value": tested.p_value,
        "pushed": pushed.p_value,
        "gates": [gate.name for gate in gates.gates if not gate.passed] + [flag.code for flag in gates.doubts],
    }


def jobs(seeds: int | None) -> list[Job]:
    return [
        Job(
            "failures",
            f"{case.replace(' ', '-').replace('-%', '-percent')}-{paths}-{seed}",
            "failures:run",
            {"case": case, "paths": paths, "seed": seed},
            given={"case": CASES[case], "push": [EPSILON, DRAWS]},
        )
        for seed in range(FIRST_SEED, FIRST_SEED + (seeds or RUNS))
        for paths in PATHS
        for case in CASES
    ]


def page(records: list[dict[str, Any]]) -> str:
    return f"# What each check detects\n\n{INTRODUCTION}\n{table(records)}\n\n{MEASURED}"


def caught(record: dict[str, Any], check: str) -> bool:
    if check == "likelihood ratio":
        return record["p_value"] <= 0.05
    return record["pushed"] <= 0.05 if check == "pushes" else bool(record["gates"])


def table(records: list[dict[str, Any]]) -> str:
    """A row per error and a column per check; cells count the runs that detected it, for each number of paths."""
    lines = [f"| what is wrong | {' | '.join(CHECKS)} |", "|---|" + "---|" * len(CHECKS)]
    for case in CASES:
        cells = []
        for check in CHECKS:
            runs = [[r for r in records if r["case"] == case and r["paths"] == paths] for paths in PATHS]
            cells.append(", ".join(f"{sum(caught(r, check) for r in own)}/{len(own)}" for own in runs))
        lines.append(f"| {case} | {' | '.join(cells)} |")
    return "\n".join(lines)


INTRODUCTION = """*For readers who want to know which check detects which error, and how much data it needs.*

Each row is one deliberate error; each cell counts the runs in which the check detected it, with 16, 64 and 256 paths.
The first row has no error, so its detections are false alarms.
"""

MEASURED = """## How this was measured

`python experiments/failures.py`: paths start at U(−2, 2), T = 1, Δt = .01, seeds from 31000.

- *Likelihood ratio* (`lsn.test`) rejects at 5 %.
- *Pushes* by ε = .3 reject at 5 %: ΔNLL, Kolmogorov–Smirnov and energy distance together exceed all of 19 bootstrap
  draws.
- *Gates* (Markov, Gaussian, both halves alike, flags of the data) fail at 1 % together.
"""


STUDY = Study(jobs, page, ROOT / "experiments" / "results", ROOT / "docs" / "failures.md")

if __name__ == "__main__":
    run_study(STUDY, __doc__ or "")
