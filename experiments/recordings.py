"""Recordings with measurement errors, blur and coarse steps: are drift, diffusion and symmetries still right?

    python experiments/recordings.py              # all cells, as far as they are not there; docs/recordings.md
    python experiments/recordings.py --seeds 2 --only ou

One path of 20,000 points, made by twenty fine Euler steps a point, given as plain arrays with the default call. `noise`
is the error of a point in units of one step, `blur` the exposure, kΔ the step in relaxation times. Seeds begin at
15100; none of them was looked at while the method was built.
"""

from __future__ import annotations

from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

import liestonet as lsn
from liestonet.study.command import Study, run_study
from liestonet.study.jobs import Job

FIRST_SEED = 15_100
ROOT = Path(__file__).resolve().parent.parent
POINTS, FINE, RUNS = 20_000, 20, 2
# Equation, dimension of its Itô algebra, and the rate that makes kΔ of a step.
SYSTEMS = {
    "ou": ("dx = -x dt + dW", 3, 1.0),
    "double-well": ("dx = (x - x^3) dt + 0.7 dW", 1, 2.0),
    "cir": ("dx = (1.5 - x) dt + 0.8*sqrt(x) dW", 2, 1.0),
}
CELLS = [(0.05, 0.0, 0), (0.05, 1.0, 0), (0.05, 0.0, 1), (0.3, 0.0, 0), (0.3, 0.5, 0), (0.3, 0.0, 1)]


def data_of(system: str, step: float, noise: float, blur: int, seed: int) -> lsn.Trajectories:
    """The recording as arrays, of which nothing is known."""
    equation, _, rate = SYSTEMS[system]
    dt = step / rate
    fine = lsn.SDE.parse(equation).simulate(
        initial=[1.0], duration=POINTS * dt, step=dt / FINE, paths=1, seed=seed, substeps=1
    )
    x = np.asarray(fine.states[0])[: POINTS * FINE, 0]
    ends = x[::FINE]
    y = x.reshape(POINTS, FINE).mean(axis=1) if blur else ends
    y = y + noise * np.std(np.diff(ends)) * np.random.default_rng([seed, 1]).standard_normal(POINTS)
    return lsn.Trajectories.from_arrays([np.arange(POINTS) * dt], [y[:, None]])


def run(system: str, step: float, noise: float, blur: int, seed: int) -> dict[str, Any]:
    """Symmetries found, and mean slope of the drift and mean diffusion over their true values."""
    data = data_of(system, step, noise, blur, seed)
    begun = process_time()
    result = lsn.discover(data, formulas=False)
    spent = process_time() - begun
    equation = lsn.SDE.parse(SYSTEMS[system][0])
    x = np.quantile(data.states[0][:, 0], np.linspace(0.05, 0.95, 50))
    t, low = np.zeros(50), 0 if system != "cir" else 1e-3
    x = np.maximum(x, low) if low else x
    solved = lsn.solve(equation, domain=[(0, 1), (float(x[0]), float(x[-1]))], formulas=False).surrogate
    centred = x - x.mean()

    def size(source: Any) -> tuple[float, float]:
        drift, squared = source.drift(t, x[:, None])[:, 0], source.diffusion_squared(t, x[:, None])[:, 0, 0]
        return float(centred @ drift / (centred @ centred)), float(squared.mean())

    (slope, diffusion), (true_slope, true_diffusion) = size(result.surrogate), size(solved)
    return {
        "found": result.dimension,
        "modelled": result.measurement.noise is not None,
        "flags": [flag.code for flag in result.flags],
        "slope": slope / true_slope,
        "diffusion": diffusion / true_diffusion,
        "seconds": spent,
    }


def jobs(seeds: int | None) -> list[Job]:
    return [
        Job(
            "recordings",
            f"{system}-{step}-{noise}-{blur}-{seed}",
            "recordings:run",
            {"system": system, "step": step, "noise": noise, "blur": blur, "seed": seed},
            given={"equation": SYSTEMS[system][0], "points": POINTS, "fine": FINE},
        )
        for seed in range(FIRST_SEED, FIRST_SEED + (seeds or RUNS))
        for system in SYSTEMS
        for step, noise, blur in CELLS
    ]


def page(records: list[dict[str, Any]]) -> str:
    return f"# Recordings with errors, blur and coarse steps\n\n{INTRODUCTION}\n{table(records)}\n\n{MEASURED}"


def table(records: list[dict[str, Any]]) -> str:
    """Markdown: one row a cell."""
    lines = [
        "| system | true | kΔ | noise | blur | runs | right | fewer | false | slope / true | diffusion / true |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for system, (_, true, _) in SYSTEMS.items():
        for step, noise, blur in CELLS:
            rows = [
                record
                for record in records
                if (record["system"], record["step"], record["noise"], record["blur"]) == (system, step, noise, blur)
            ]
            if not rows:
                continue
            found = np.array([record["found"] for record in rows])
            counts = " | ".join(str(int(np.sum(test))) for test in (found == true, found < true, found > true))
            sizes = " | ".join(
                f"{np.mean([record[name] for record in rows]):.3f} ± {np.std([record[name] for record in rows]):.3f}"
                for name in ("slope", "diffusion")
            )
            lines.append(f"| {system} | {true} | {step} | {noise} | {blur} | {len(rows)} | {counts} | {sizes} |")
    return "\n".join(lines)


INTRODUCTION = """*For readers who want to know what measurement errors, exposure and long steps do to an answer.*

One path of 20,000 points with the default call: how many runs find the true number of Itô symmetries, fewer, or a false
one, and the mean slope of the drift and the mean diffusion in units of the true ones (mean ± standard deviation over
the runs).
"""

MEASURED = """## How this was measured

`python experiments/recordings.py`: points made by twenty fine Euler steps each and given as plain arrays; noise in
units of one step's standard deviation, blur 1 a mean over the whole step, kΔ the step in relaxation times. Seeds from
15100, none of which was used during development. Runs are few, so that rates of right answers are rough. The mean slope
of the double well is a small difference of its middle and its sides, so that its relative error is large.
"""


STUDY = Study(jobs, page, ROOT / "experiments" / "results", ROOT / "docs" / "recordings.md")

if __name__ == "__main__":
    run_study(STUDY, __doc__ or "")
