"""Exact densities compared with samples drawn without them: Kolmogorov–Smirnov distances of ten systems.

    python experiments/densities.py      # one run of each, as far as they are not there; docs/density_checks.md

Samples come from constructions that do not use a transition density of ours: Gaussian variables, noncentral χ² laws of
NumPy, norms of Gaussian vectors, and images under changes of variables. Seeds begin at 21000.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import kstwobign

import liestonet as lsn
from liestonet.study.command import Study, run_study
from liestonet.study.jobs import Job

FIRST_SEED = 21_000
ROOT = Path(__file__).resolve().parent.parent
DRAWS, POINTS, LEVEL = 1_000_000, 2_001, 0.01
# Equation, x0, t
CASES = {
    "Brownian motion": ("dx = dW", 0.0, 1.0),
    "Ornstein–Uhlenbeck": ("dx = -x dt + dW", 1.0, 0.5),
    "geometric Brownian motion": ("dx = x/5 dt + x/2 dW", 1.0, 1.0),
    "square root, zero not reached": ("dx = (1 - x) dt + sqrt(x) dW", 1.0, 0.5),
    "square root, reflected": ("dx = (1/4 - x) dt + sqrt(x) dW", 1.0, 0.5),
    "Bessel": ("dx = 1/x dt + dW", 1.0, 0.7),
    "tanh drift": ("dx = tanh(x) dt + dW", 0.4, 0.8),
    "CEV, exponent 2": ("dx = x^2 dW", 1.0, 0.5),
    "3/2 model": ("dx = x*(1 - x) dt + x^(3/2) dW", 1.0, 0.5),
    "hyperbolic sine": ("dx = x/2 dt + sqrt(1 + x^2) dW", 0.3, 0.7),
}


def square_root(rng: np.random.Generator, level: float, x0: float, t: float) -> np.ndarray:
    """The process dx = (level − x) dt + √x dW, by its noncentral χ² law."""
    scale = (1 - np.exp(-t)) / 4
    return scale * rng.noncentral_chisquare(4 * level, x0 * np.exp(-t) / scale, DRAWS)


def bessel(rng: np.random.Generator, x0: float, t: float) -> np.ndarray:
    """The distance of a three-dimensional Brownian motion from the origin."""
    place = np.sqrt(t) * rng.standard_normal((DRAWS, 3))
    place[:, 0] += x0
    return np.linalg.norm(place, axis=1)


def sample(case: str, rng: np.random.Generator) -> np.ndarray:
    _, x0, t = CASES[case]
    noise = np.sqrt(t) * rng.standard_normal(DRAWS)
    if case == "Brownian motion":
        return x0 + noise
    if case == "Ornstein–Uhlenbeck":
        return x0 * np.exp(-t) + np.sqrt((1 - np.exp(-2 * t)) / 2) * noise / np.sqrt(t)
    if case == "geometric Brownian motion":
        return x0 * np.exp((0.2 - 0.125) * t + noise / 2)
    if case.startswith("square root"):
        return square_root(rng, 1.0 if "not" in case else 0.25, x0, t)
    if case == "Bessel":
        return bessel(rng, x0, t)
    if case == "tanh drift":  # a mixture of drifts ±1, weighted by e^{±x0}
        up = rng.random(DRAWS) < 1 / (1 + np.exp(-2 * x0))
        return x0 + np.where(up, t, -t) + noise
    if case == "CEV, exponent 2":
        return 1 / bessel(rng, 1 / x0, t)
    if case == "3/2 model":  # 1/x is the square-root process with drift 2 − 1/x
        return 1 / square_root(rng, 2.0, 1 / x0, t)
    return np.sinh(np.arcsinh(x0) + noise)


def run(case: str, seed: int) -> dict[str, Any]:
    """One run: the largest distance between the distribution function and that of the sample, at sample quantiles."""
    equation, x0, t = CASES[case]
    draws = np.sort(sample(case, np.random.default_rng(seed)))
    boundary = "reflecting" if "reflected" in case else None
    density = lsn.density(lsn.SDE.parse(equation), boundary=boundary)
    rows = np.unique(np.linspace(0, DRAWS - 1, POINTS).astype(int))
    below = density.cdf(t, draws[rows], 0.0, x0)
    distance = float(np.max(np.maximum(np.abs(below - rows / DRAWS), np.abs(below - (rows + 1) / DRAWS))))
    return {
        "dimension": density.dimension,
        "mass": float(density.mass(t, 0.0, x0)),
        "distance": distance,
        "p_value": float(kstwobign.sf(distance * np.sqrt(DRAWS))),
    }


def jobs(seeds: int | None) -> list[Job]:
    return [
        Job(
            "densities",
            f"{number}-{seed}",
            "densities:run",
            {"case": case, "seed": seed},
            given={"equation": CASES[case][0], "draws": DRAWS},
        )
        for seed in range(FIRST_SEED, FIRST_SEED + (seeds or 1))
        for number, case in enumerate(CASES)
    ]


def page(records: list[dict[str, Any]]) -> str:
    return f"# Densities, measured\n\n{INTRODUCTION}\n{table(records)}\n\n{MEASURED}"


def table(records: list[dict[str, Any]]) -> str:
    lines = ["| system | equation | dimension | KS distance | p | mass |", "|---|---|---|---|---|---|"]
    for case, (equation, _, _) in CASES.items():
        for record in (row for row in records if row["case"] == case):
            numbers = f"{record['distance']:.2g} | {record['p_value']:.2f} | {record['mass']:.12f}"
            lines.append(f"| {case} | `{equation}` | {record['dimension']} | {numbers} |")
    low = sum(record["p_value"] < LEVEL for record in records)
    return "\n".join([*lines, "", f"Rejected at the level of {LEVEL:.0%}: {low} of {len(records)}."])


INTRODUCTION = """*For readers who want to know whether the densities of `lsn.density` are right.*

One million independent draws of each system, made without a transition density of ours, against the distribution
function of `lsn.density`. A right density has a p-value below 1 % in one run of a hundred.
"""

MEASURED = """## How this was measured

`python experiments/densities.py`: one run of each system, seed 21000. Draws come from Gaussian variables, NumPy's
noncentral χ² variables, norms of Gaussian vectors, and changes of variables. Systems that
are made of one Gaussian variable share its draws, and so have the same distance. The Kolmogorov–Smirnov distance is
taken at 2,001 quantiles of the sample, and its law is that of all points, which is conservative. Values to twelve
digits against formulas of the literature are in `tests/densities/test_density.py`.
"""


STUDY = Study(jobs, page, ROOT / "experiments" / "results", ROOT / "docs" / "density_checks.md")
if __name__ == "__main__":
    run_study(STUDY, __doc__ or "")
