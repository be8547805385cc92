"""Accuracy of networks and series for drift and diffusion of the paper's examples: root mean square errors on the box.

    python experiments/neural_surrogate.py                            # three seeds, all sizes and settings
    python experiments/neural_surrogate.py --seeds 1 --only ex1-512   # the small data of Example 1
    python experiments/neural_surrogate.py --only-page                # the table of what is there

Data are the benchmarks' (2048 paths, 256,000 increments), or a quarter of them. Errors are taken at 4,000 uniform
points of the box that the data chose. `z` is the root mean square of error over stated standard error: 1 for correct
standard errors, less for cautious ones. Prints a table.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import liestonet as lsn
from liestonet.core.coefficients import JetOrder
from liestonet.reproduction.engines import prepare_networks
from liestonet.study.command import Study, run_study
from liestonet.study.jobs import Job

FIRST_SEED, SEEDS, PATHS, POINTS = 100, 3, (512, 2048), 4000
CASES = {"ex1": (1, "brownian"), "ex2": (2, "linear"), "ex3": (3, "langevin"), "ex4": (4, "bessel-drift")}


def data_of(case: str, seed: int, paths: int) -> lsn.Trajectories:
    """The benchmark's data with a given number of paths (125 times as many single increments for Example 2)."""
    sde = lsn.catalogue[CASES[case][1]].sde
    if case == "ex2":
        rng, count = np.random.default_rng(seed), 125 * paths
        start, initial = rng.uniform(0, 5, count), rng.uniform(-2, 2, (count, 1))
        return sde.simulate(initial=initial, duration=0.01, step=0.01, paths=count, seed=seed, start=start)
    low, high, duration, boundary = {
        "ex1": ([-2], [2], 5.0, None),
        "ex3": ([-2, -2], [2, 2], 2.0, None),
        "ex4": ([0.5, -2], [3, 2], 2.0, {"x": (0.05, None)}),
    }[case]
    initial = np.random.default_rng(seed).uniform(low, high, size=(paths, len(low)))
    return sde.simulate(initial=initial, duration=duration, step=0.01, paths=paths, seed=seed, boundary=boundary)


METHODS = ("ours", "ours without polish", "paper", "series")


def methods(case: str) -> dict[str, Callable[[lsn.Trajectories, int], Any]]:
    """The methods compared, in the order of METHODS: our defaults, the paper's settings, and the spectral surrogate."""
    from liestonet.neural.coefficients.fit_coefficients import fit_coefficients
    from liestonet.neural.coefficients.settings import PAPER, CoefficientSettings

    return {
        "ours": lambda data, seed: fit_coefficients(data, CoefficientSettings(), seed=seed),
        "ours without polish": lambda data, seed: fit_coefficients(data, CoefficientSettings(polish=False), seed=seed),
        "paper": lambda data, seed: fit_coefficients(data, PAPER[CASES[case][0]], seed=seed),
        "series": lambda data, seed: lsn.fit(data),
    }


def errors(surrogate: Any, sde: lsn.SDE) -> dict[str, float]:
    """Errors of f and a, coordinate by coordinate in root mean square, and their ratio to the stated ones."""
    intervals = np.array(surrogate.domain.intervals)
    points = np.random.default_rng(0).uniform(intervals[:, 0], intervals[:, 1], (POINTS, len(intervals)))
    order = JetOrder(drift=0, diffusion_squared=0)
    truth = sde.coefficients(surrogate.domain).jet(points[:, 0], points[:, 1:], order)
    jet, directions = surrogate.jet_and_directions(points, order, surrogate.errors.root)
    found = {}
    for name in ("drift", "diffusion_squared"):
        value = getattr(jet, name)[()]
        wrong = value - getattr(truth, name).get((), np.zeros_like(value))
        deviation = np.sqrt(np.sum(getattr(directions, name)[()] ** 2, axis=-1))
        noisy = deviation > 1e-3 * deviation.max()
        found[f"{name} error"] = float(np.sqrt(np.mean(wrong**2)))
        found[f"{name} z"] = float(np.sqrt(np.mean((wrong[noisy] / deviation[noisy]) ** 2)))
    return found


def run(case: str, method: str, seed: int, paths: int) -> dict[str, Any]:
    """One fit and its errors."""
    prepare_networks()
    data = data_of(case, seed, paths)
    begin = time.process_time()
    surrogate = methods(case)[method](data, seed)
    seconds = time.process_time() - begin
    found = errors(surrogate, lsn.catalogue[CASES[case][1]].sde)
    return {"fit_seconds": round(seconds, 1)} | found


def jobs(seeds: int | None) -> list[Job]:
    return [
        Job(
            "neural_surrogate",
            f"{case}-{paths}-{method.replace(' ', '-')}-{seed}",
            "neural_surrogate:run",
            {"case": case, "method": method, "seed": seed, "paths": paths},
            given={"points": POINTS},
        )
        for paths in PATHS
        for case in CASES
        for seed in range(FIRST_SEED, FIRST_SEED + (seeds or SEEDS))
        for method in METHODS
    ]


def table(records: list[dict[str, Any]]) -> str:
    """Root mean squares over the seeds that have been run."""
    rows: dict[tuple[str, int, str], list[dict[str, Any]]] = defaultdict(list)
    for record in records:
        rows[record["case"], record["paths"], record["method"]].append(record)
    columns = ("drift error", "diffusion_squared error", "drift z", "diffusion_squared z", "fit_seconds")
    lines = [f"{'case':5} {'paths':>5} {'method':20} {'seeds':>5} " + " ".join(f"{c:>24}" for c in columns)]
    for (case, paths, method), found in sorted(rows.items()):
        means = [np.sqrt(np.mean([record[column] ** 2 for record in found])) for column in columns]
        cells = " ".join(f"{mean:24.4f}" for mean in means)
        lines.append(f"{case:5} {paths:5} {method:20} {len(found):5} {cells}")
    return "\n".join([*lines, ""])


STUDY = Study(jobs, table, Path(__file__).resolve().parent / "results")

if __name__ == "__main__":
    run_study(STUDY, __doc__ or "")
