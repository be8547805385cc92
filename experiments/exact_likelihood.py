"""Constants by exact likelihood for steps as long as the relaxation time, compared with `lsn.fit` without a model.

    python experiments/exact_likelihood.py        # all runs, as far as they are not there; docs/exact_likelihood.md

Data: 20 paths of 50 steps, drawn from the exact law, Δt = 1. Seeds begin at 22000.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import liestonet as lsn
from liestonet.study.command import Study, run_study
from liestonet.study.jobs import Job

FIRST_SEED = 22_000
ROOT = Path(__file__).resolve().parent.parent
PATHS, STEPS, STEP, RUNS = 20, 50, 1.0, 100
# Model, true constants, x0, and where drift and noise are read
CASES: dict[str, tuple[str, dict[str, float], float, float]] = {
    "ornstein-uhlenbeck": ("dx = k*(m - x) dt + s dW", {"k": 1.0, "m": 0.5, "s": 1.0}, 0.5, 0.5),
    "square-root": ("dx = k*(m - x) dt + s*sqrt(x) dW", {"k": 1.0, "m": 1.0, "s": 0.7}, 1.0, 1.0),
    "geometric": ("dx = mu*x dt + s*x dW", {"mu": 0.02, "s": 0.2}, 1.0, 1.0),
    "bessel": ("dx = a/x dt + s dW", {"a": 1.5, "s": 1.0}, 1.0, 4.0),
}


def next_states(case: str, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One step of the exact law."""
    true = CASES[case][1]
    noise = rng.standard_normal(len(x))
    if case == "ornstein-uhlenbeck":
        decay = np.exp(-true["k"] * STEP)
        return true["m"] + decay * (x - true["m"]) + true["s"] * np.sqrt((1 - decay**2) / (2 * true["k"])) * noise
    if case == "square-root":
        decay = np.exp(-true["k"] * STEP)
        scale = true["s"] ** 2 * (1 - decay) / (4 * true["k"])
        return scale * rng.noncentral_chisquare(4 * true["k"] * true["m"] / true["s"] ** 2, x * decay / scale)
    if case == "geometric":
        return x * np.exp((true["mu"] - true["s"] ** 2 / 2) * STEP + true["s"] * np.sqrt(STEP) * noise)
    return np.sqrt(STEP * rng.noncentral_chisquare(2 * true["a"] + 1, x**2 / STEP))


def data_of(case: str, seed: int, declared: bool = True) -> lsn.Trajectories:
    """A recording; if `declared`, it states that points have no error and no exposure and that time is continuous."""
    rng = np.random.default_rng(seed)
    states = [np.full(PATHS, CASES[case][2])]
    for _ in range(STEPS):
        states.append(next_states(case, states[-1], rng))
    measurement = lsn.Measurement(noise=0, exposure=0, steps="continuous") if declared else lsn.Measurement()
    return lsn.Trajectories.from_arrays(
        STEP * np.arange(STEPS + 1), np.stack(states, axis=1)[:, :, None], measurement=measurement
    )


def run(case: str, seed: int) -> dict[str, Any]:
    """One run: estimates and errors by exact likelihood, with drift and squared noise at one point."""
    found = lsn.fit(data_of(case, seed), CASES[case][0])
    slope, noise = at_one_point(case, found.sde)
    estimates = {row.name: [row.value, row.error] for row in found.constants}
    return {"estimates": estimates, "slopes": [slope], "noises": [noise]}


def beside(case: str, seed: int, declared: bool) -> dict[str, Any]:
    """Drift and squared noise at the same point by the estimator for recordings, which uses no model."""
    slope, noise = at_one_point(case, lsn.fit(data_of(case, seed, declared)))
    return {"slope": slope, "noise": noise}


def at_one_point(case: str, source: Any) -> tuple[float, float]:
    """The slope of the drift, and the squared noise."""
    place = CASES[case][3]
    t, x = np.array([STEP * STEPS / 2] * 2), np.array([[place], [1.1 * place]])
    return _slope(source.drift(t, x)[:, 0], x[:, 0]), float(source.diffusion_squared(t, x)[0, 0, 0])


def _slope(drift: np.ndarray, x: np.ndarray) -> float:
    return float((drift[1] - drift[0]) / (x[1] - x[0]))


def jobs(seeds: int | None) -> list[Job]:
    given = {case: {"model": CASES[case][0], "true": CASES[case][1], "paths": PATHS, "steps": STEPS} for case in CASES}
    others = [
        Job(
            "exact_likelihood",
            f"{'declared' if declared else 'undeclared'}-{case}-{seed}",
            "exact_likelihood:beside",
            {"case": case, "seed": seed, "declared": declared},
            given=given[case],
        )
        for declared in (True, False)
        for seed in range(FIRST_SEED, FIRST_SEED + (seeds or RUNS))
        for case in CASES
    ]
    return others + [
        Job(
            "exact_likelihood",
            f"{case}-{seed}",
            "exact_likelihood:run",
            {"case": case, "seed": seed},
            given=given[case],
        )
        for seed in range(FIRST_SEED, FIRST_SEED + (seeds or RUNS))
        for case in CASES
    ]


def page(records: list[dict[str, Any]]) -> str:
    parts = [INTRODUCTION, constants(records), BESIDE, compared(records), MEASURED]
    return "# Exact likelihood, measured\n\n" + "\n\n".join(part.strip("\n") for part in parts) + "\n"


def constants(records: list[dict[str, Any]]) -> str:
    lines = ["| model | constant | true | runs | bias | spread | mean error | within 95 % interval |", "|" + "---|" * 8]
    for case, (model, true, _, _) in CASES.items():
        rows = [record["estimates"] for record in records if record["case"] == case and "estimates" in record]
        for name, value in true.items() if rows else ():
            found = np.array([row[name] for row in rows])
            inside = int(np.sum(np.abs(found[:, 0] - value) < 1.96 * found[:, 1]))
            numbers = [found[:, 0].mean() - value, found[:, 0].std(ddof=1), found[:, 1].mean()]
            listed = " | ".join(f"{number:.3f}" for number in numbers)
            lines.append(f"| `{model}` | {name} | {value:g} | {len(rows)} | {listed} | {inside} of {len(rows)} |")
    return "\n".join(lines)


def compared(records: list[dict[str, Any]]) -> str:
    heads = "| model | at x | quantity | true | exact likelihood | no model, declared | no model, undeclared |"
    lines = [heads, "|" + "---|" * 7]
    for case, (model, true, _, place) in CASES.items():
        exact = [record for record in records if record["case"] == case and "estimates" in record]
        if not exact:
            continue
        sde = lsn.SDE.parse(model, parameters=true)
        x = np.array([[place], [1.1 * place]])
        slope = _slope(sde.drift(np.zeros(2), x)[:, 0], x[:, 0])
        noise = float(sde.diffusion_squared(np.zeros(2), x)[0, 0, 0])
        for quantity, key, value in (("slope of the drift", "slope", slope), ("squared noise", "noise", noise)):
            columns = [[row[f"{key}s"][0] for row in exact]]
            columns += [
                [record[key] for record in records if record["case"] == case and record.get("declared") is declared]
                for declared in (True, False)
            ]
            cells = " | ".join(map(spread, columns))
            lines.append(f"| `{model}` | {place:g} | {quantity} | {value:.3f} | {cells} |")
    return "\n".join(lines)


def spread(values: list[float]) -> str:
    """Mean, standard deviation and number of runs, as text."""
    return f"{np.mean(values):.3f} ± {np.std(values, ddof=1):.3f} ({len(values)})" if len(values) > 1 else "–"


INTRODUCTION = """*For readers whose recordings have steps as long as the relaxation time.*

Constants of four models by `lsn.fit(data, model)`, from 20 paths of 50 steps of length 1 (kΔ = 1 where
there is a rate k). Bias and spread are over runs; the error is what a single run states.
"""

BESIDE = """The same data with the estimator for recordings, `lsn.fit(data)`, which knows no model: mean, spread and
number of runs of the drift's slope and of the squared noise at one point. "Declared" data say
`lsn.Measurement(noise=0, exposure=0, steps="continuous")`; of "undeclared" ones errors of the points and exposure
are estimated too, as is the default.
"""

MEASURED = f"""## How this was measured

`python experiments/exact_likelihood.py`: seeds from {FIRST_SEED}, drawn from the exact transition law with NumPy. None
of these seeds was used to choose anything. A right interval contains the truth in 95 % of runs; fewer than 90 of 100
happen in one study of a hundred. Computing time set the number of runs without a model, not what they showed; the
command goes on to {RUNS}.
"""


STUDY = Study(jobs, page, ROOT / "experiments" / "results", ROOT / "docs" / "exact_likelihood.md")
if __name__ == "__main__":
    run_study(STUDY, __doc__ or "")
