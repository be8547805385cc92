"""Recordings with measurement errors, blur and coarse steps: are drift, diffusion and symmetries still correct?

    python experiments/recordings.py              # all cells, as far as they are not there; docs/recordings.md
    python experiments/recordings.py --seeds 2 --only short-ou

40,000 points in 400 short paths, or 20,000 in one long path, made by twenty fine Euler steps a point, given as plain
arrays with the default call. `noise` is the error of a point in units of one step, `blur` the exposure, kΔ the step in
relaxation times. Seeds begin at 15300; none of them was used to choose a number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

import liestonet as lsn
from liestonet.study.command import Study, run_study
from liestonet.study.jobs import Job

FIRST_SEED = 15_300
ROOT = Path(__file__).resolve().parent.parent
FINE, RUNS, TOLERANCE = 20, 2, 0.1
# Paths and points of each.
LAYOUTS = {"short": (400, 100), "long": (1, 20_000)}


@dataclass(frozen=True)
class System:
    """An equation, the dimension of its Itô algebra, the rate that makes kΔ of a step, where short paths begin."""

    equation: str
    drift: Callable[[Any], Any]
    diffusion: Callable[[Any], Any]
    true: int
    rate: float
    begin: tuple[float, float]


SYSTEMS = {
    "ou": System("dx = -x dt + dW", lambda x: -x, lambda x: 1.0 + 0 * x, 3, 1.0, (-2.0, 2.0)),
    "double-well": System("dx = (x - x^3) dt + 0.7 dW", lambda x: x - x**3, lambda x: 0.7 + 0 * x, 1, 2.0, (-1.5, 1.5)),
    "cir": System(
        "dx = (1.5 - x) dt + 0.8*sqrt(x) dW", lambda x: 1.5 - x, lambda x: 0.8 * abs(x) ** 0.5, 2, 1.0, (0.3, 3.0)
    ),
}
CELLS = [(0.05, 0.0, 0), (0.05, 1.0, 0), (0.05, 0.0, 1), (0.3, 0.0, 0), (0.3, 0.5, 0), (0.3, 0.0, 1)]


def data_of(layout: str, system: str, step: float, noise: float, blur: int, seed: int) -> lsn.Trajectories:
    """The recording as plain arrays, without information on how it was made."""
    made, rng, (paths, points) = SYSTEMS[system], np.random.default_rng(seed), LAYOUTS[layout]
    dt = step / made.rate
    x: Any = rng.uniform(*made.begin, paths) if paths > 1 else float(np.mean(made.begin))
    fine = dt / FINE
    ends, means = np.empty((points, paths)), np.empty((points, paths))
    for point in range(points):
        steps = fine**0.5 * rng.standard_normal((FINE, paths))
        kicks = steps if paths > 1 else steps[:, 0].tolist()
        total = 0.0
        for kick in kicks:
            x = x + fine * made.drift(x) + made.diffusion(x) * kick
            total = total + x
        ends[point], means[point] = x, total / FINE
    y = means if blur else ends
    y = y + noise * np.std(np.diff(ends, axis=0)) * rng.standard_normal((points, paths))
    times = np.arange(1, points + 1) * dt
    return lsn.Trajectories.from_arrays([times] * paths, [path[:, None] for path in y.T])


def tolerable(equation: str, result: lsn.Result) -> int:
    """Number of directions of the true equation with a residual below the tolerance in the data's box."""
    exact = lsn.solve(lsn.SDE.parse(equation), domain=result.domain.intervals, formulas=False)
    return sum(row.residual < TOLERANCE for row in exact.ladder)


def run(layout: str, system: str, step: float, noise: float, blur: int, seed: int) -> dict[str, Any]:
    """One run: symmetries found, and slope of the drift and mean diffusion over their true values."""
    data, made = data_of(layout, system, step, noise, blur, seed), SYSTEMS[system]
    begun = process_time()
    result = lsn.discover(data, formulas=False)
    spent = process_time() - begun
    x = np.quantile(np.concatenate(data.states)[:, 0], np.linspace(0.05, 0.95, 50))
    x = np.maximum(x, 1e-3) if system == "cir" else x
    t = np.full(50, np.mean(result.domain.intervals[0]))
    drift, squared = made.drift(x), made.diffusion(x) ** 2
    found = result.surrogate.drift(t, x[:, None])[:, 0], result.surrogate.diffusion_squared(t, x[:, None])[:, 0, 0]
    return {
        "found": result.dimension,
        "tolerable": tolerable(made.equation, result) if result.dimension > made.true else made.true,
        "modelled": result.measurement.noise is not None,
        "flags": [flag.code for flag in result.flags],
        "rejected": result.fit_quality.rejected,
        # drift along the true one: one at the truth
        "slope": float((found[0] - found[0].mean()) @ (drift - drift.mean()) / np.sum((drift - drift.mean()) ** 2)),
        "diffusion": float(found[1].mean() / squared.mean()),
        "seconds": spent,
    }


def jobs(seeds: int | None) -> list[Job]:
    return [
        Job(
            "recordings",
            f"{layout}-{system}-{step}-{noise}-{blur}-{seed}",
            "recordings:run",
            {"layout": layout, "system": system, "step": step, "noise": noise, "blur": blur, "seed": seed},
            given={"layout": list(LAYOUTS[layout]), "fine": FINE},
            revision=2,
        )
        for seed in range(FIRST_SEED, FIRST_SEED + (seeds or RUNS))
        for layout in LAYOUTS
        for system in SYSTEMS
        for step, noise, blur in CELLS
    ]


def page(records: list[dict[str, Any]]) -> str:
    return f"# Recordings with errors, blur and coarse steps\n\n{INTRODUCTION}\n{table(records)}\n\n{MEASURED}"


def table(records: list[dict[str, Any]]) -> str:
    """Markdown: one row per cell."""
    lines = [
        "| paths | system | true | kΔ | noise | blur | runs | right | fewer | more | false | rejected | drift / true | "
        "diffusion / true |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    names = ("layout", "system", "step", "noise", "blur")
    for layout, system, (step, noise, blur) in product(LAYOUTS, SYSTEMS, CELLS):
        cell = (layout, system, step, noise, blur)
        rows = [record for record in records if tuple(record[name] for name in names) == cell]
        if not rows:
            continue
        found, true = np.array([record["found"] for record in rows]), SYSTEMS[system].true
        false = found > [record["tolerable"] for record in rows]
        tests = (found == true, found < true, (found > true) & ~false, false, [record["rejected"] for record in rows])
        counts = " | ".join(str(int(np.sum(test))) for test in tests)
        sizes = " | ".join(
            f"{np.mean([record[name] for record in rows]):.3f} ± {np.std([record[name] for record in rows]):.3f}"
            for name in ("slope", "diffusion")
        )
        paths = "{} of {:,}".format(*LAYOUTS[layout])
        lines.append(f"| {paths} | {system} | {true} | {step} | {noise} | {blur} | {len(rows)} | {counts} | {sizes} |")
    return "\n".join(lines)


INTRODUCTION = """*For readers who want to know what measurement errors, exposure and long steps do to an answer.*

Many short paths, and one long path, with the default call: how many runs find the true number of Itô symmetries, fewer,
more of which the true equation has each to within the tolerance of 10 %, or a false one; how many times the fit of this
true diffusion was rejected as not adequate; and the drift along the true one and the mean diffusion, each in units of
the true one (mean ± standard deviation over the runs).
"""

MEASURED = """## How this was measured

`python experiments/recordings.py`: points made by twenty fine Euler steps each and given as plain arrays; noise in
units of one step's standard deviation, blur 1 a mean over the whole step, kΔ the step in relaxation times. Seeds from
15300, none of which was used to choose a number. An earlier run of one of them, a long CIR path with a whole exposure
at kΔ = .3, had confirmed a false generator, and later ones were undecided there: both causes were found and removed on
seeds 950 to 956. Runs are few, so that rates of right answers are rough; the rows of one system and seed share their
random numbers, so that they deviate together.
"""


STUDY = Study(jobs, page, ROOT / "experiments" / "results", ROOT / "docs" / "recordings.md")

if __name__ == "__main__":
    run_study(STUDY, __doc__ or "")
