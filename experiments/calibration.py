"""Are the p-values uniform under truth, do the intervals cover, how much data are needed to reject a near miss, and how
often is a symmetry found where there is none?

    python experiments/calibration.py                      # everything that is not there yet, then the page
    python experiments/calibration.py --only ratio power   # some parts only
    python experiments/calibration.py --only-page          # the page alone

Two systems, 64 paths a set, x₀ ~ U(−2, 2), T = 1, Δt = .01. The generators are fixed beforehand, so that they do not
depend on the data; in the part "found" they are found on half of the paths and tested on the other half.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import scipy.stats

import liestonet as lsn
from liestonet.study.command import Study, run_study
from liestonet.study.jobs import Job

ROOT = Path(__file__).resolve().parent.parent
# Everything was built and repaired on seeds below 1000 and on 9000 to 9199. Seeds from 20000 were first used for the
# tables of pushes and of systems without symmetries, those from 30000 for `lsn.test` after its law was corrected, those
# from 40000 after Itô symmetries were put right, and those from 50000 after the search had changed.
PATHS, DRAWS, EPSILON = 64, 4, 0.3
# Equation, exact symmetries, and a near miss whose relative residual is known: half-duration times the error of a rate.
SYSTEMS = {
    "ornstein-uhlenbeck": ("dx = -x dt + dW", "exp(-t) d_x", "exp(-2t) d_x", 0.5),
    "brownian": ("dx = dW", "2 t d_t + x d_x", "exp(-t) d_x", 0.5),
}
POWER_PATHS = (16, 64, 256)
# Systems without any symmetry (`solve` proves it), from 64 paths, x₀ ~ U(−1.5, 1.5), T = 4, Δt = .01.
FREE = {
    "forced cubic": "dx = (sin(t)*x - x^3) dt + dW",
    "driven double well": "dx = (cos(2*t) + x - x^3) dt + dW",
}
FREE_PATHS = 64


def recording(system: str, seed: int, paths: int = PATHS) -> lsn.Trajectories:
    sde = lsn.SDE.parse(SYSTEMS[system][0])

    def initial(rng: np.random.Generator, count: int) -> np.ndarray:
        return rng.uniform(-2, 2, (count, 1))

    return sde.simulate(initial=initial, duration=1.0, step=0.01, paths=paths, seed=seed)


def ratio(system: str, seed: int) -> dict[str, Any]:
    """One set: the p-value of a true generator, and intervals for it and for the near miss."""
    _, true, near, size = SYSTEMS[system]
    data = recording(system, seed)
    exact, miss = lsn.test(data, true), lsn.test(data, near)
    return {
        "p_value": exact.p_value,
        "deviance": [exact.deviance, exact.dof, exact.expected],
        "interval": [exact.lower, exact.upper],
        "near": {"size": size, "p_value": miss.p_value, "interval": [miss.lower, miss.upper]},
    }


def invariance(system: str, seed: int) -> dict[str, Any]:
    """One set: the bootstrap statistics of the data and of a few parametric draws (warp speed)."""
    from liestonet.validation.push_test import warp_speed

    generator = SYSTEMS[system][1]
    observed, drawn = warp_speed(recording(system, seed), generator, epsilon=EPSILON, seed=seed, draws=DRAWS)
    return {"observed": observed, "drawn": drawn}


def found(system: str, seed: int) -> dict[str, Any]:
    """One set: three generators found on half of the paths and tested on the other half; both systems have three."""
    first, second = recording(system, seed).split(0.5, seed)
    result = lsn.discover(first, symmetry="law", dimension=3, formulas=False)
    tested = lsn.test(second, result)
    imposed = result.refit is not None and result.refit.converged
    return {"p_value": tested.p_value, "imposed": imposed}


def free(system: str, seed: int) -> dict[str, Any]:
    """One set: the number of symmetries found where there is none."""

    def initial(rng: np.random.Generator, count: int) -> np.ndarray:
        return rng.uniform(-1.5, 1.5, (count, 1))

    sde = lsn.SDE.parse(FREE[system])
    data = sde.simulate(initial=initial, duration=4.0, step=0.01, paths=FREE_PATHS, seed=seed, substeps=4)
    return {"found": lsn.discover(data, formulas=False).dimension}


def power(system: str, seed: int) -> dict[str, Any]:
    """One seed: p-values of the near miss at several numbers of paths."""
    near = SYSTEMS[system][2]
    return {str(paths): lsn.test(recording(system, seed, paths), near).p_value for paths in POWER_PATHS}


# What is run, on which systems, from which seed on, and how often.
PARTS = {
    "ratio": (ratio, SYSTEMS, 40_000, 200),
    "invariance": (invariance, SYSTEMS, 20_000, 200),
    "found": (found, SYSTEMS, 50_000, 100),
    "power": (power, SYSTEMS, 50_000, 20),
    "free": (free, FREE, 50_000, 100),
}
# Numbers of this file that decide what a part gives, besides the system.
GIVEN: dict[str, dict[str, Any]] = {
    "ratio": {"paths": PATHS},
    "invariance": {"paths": PATHS, "draws": DRAWS, "epsilon": EPSILON},
    "found": {"paths": PATHS},
    "power": {"paths": POWER_PATHS},
    "free": {"paths": FREE_PATHS},
}


def run(part: str, system: str, seed: int) -> dict[str, Any]:
    return PARTS[part][0](system, seed)


def jobs(seeds: int | None) -> list[Job]:
    """Seed by seed, so that an unfinished study is as even as possible."""
    return [
        Job(
            "calibration",
            f"{part}-{system.replace(' ', '-')}-{seed}",
            "calibration:run",
            {"part": part, "system": system, "seed": seed},
            given={"system": systems[system], **GIVEN[part]},
        )
        for part, (_, systems, first, sets) in PARTS.items()
        for seed in range(first, first + (seeds or sets))
        for system in systems
    ]


def page(records: list[dict[str, Any]]) -> str:
    """The page as Markdown."""
    parts = {name: [record for record in records if record["part"] == name] for name in PARTS}
    return INTRODUCTION + "\n".join(
        [
            "## P-values of true symmetries\n",
            uniform_table(parts["ratio"], parts["invariance"], parts["found"]),
            "\n## Intervals\n",
            coverage_table(parts["ratio"]),
            "\n## Power\n",
            power_table(parts["power"]),
            "\n## Systems without symmetries\n",
            free_table(parts["free"]),
            MEASURED,
        ]
    )


def seeds_of(records: list[dict[str, Any]]) -> str:
    """First and last seed."""
    seeds = [record["seed"] for record in records]
    return f"{min(seeds)} to {max(seeds)}"


def uniform_table(ratios: list[dict[str, Any]], pushes: list[dict[str, Any]], splits: list[dict[str, Any]]) -> str:
    lines = [
        "| check | system | generator | seeds | sets | KS p | below 0.01 | below 0.05 | below 0.5 |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name, (_, generator, _, _) in SYSTEMS.items():
        own = [record for record in ratios if record["system"] == name]
        lines += row_of("likelihood ratio", name, generator, own, [record["p_value"] for record in own])
    for name in SYSTEMS:
        for imposed, which in ((True, "imposed on their own half"), (False, "not imposed there")):
            own = [record for record in splits if record["system"] == name and record["imposed"] is imposed]
            p_values = [record["p_value"] for record in own]
            lines += row_of("likelihood ratio", name, f"three found on the other half, {which}", own, p_values)
    for name, (_, generator, _, _) in SYSTEMS.items():
        own = [record for record in pushes if record["system"] == name]
        for statistic in ("delta_nll", "kolmogorov_smirnov", "energy"):
            observed = np.array([record["observed"][statistic] for record in own])
            drawn = np.array([draw[statistic] for record in own for draw in record["drawn"]])
            if len(own):
                uniform = float(scipy.stats.ks_2samp(observed, drawn)[1])
                title = f"pushed, {statistic.replace('_', ' ')}"
                lines += row_of(title, name, generator, own, warp(observed, drawn), uniform)
    return "\n".join(lines)


def warp(observed: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """Warp-speed p-values (Giacomini, Politis and White, 2013): every set's statistic among the draws of all sets."""
    return (1 + np.sum(drawn[None, :] >= observed[:, None], axis=1)) / (len(drawn) + 1)


def row_of(
    check: str, system: str, generator: str, records: list[dict[str, Any]], values: Any, uniform: float | None = None
) -> list[str]:
    """One row; `uniform` is the p-value of uniformity, by default that of a plain Kolmogorov–Smirnov test."""
    if not records:
        return []
    p_values = np.asarray(values)
    shares = " | ".join(f"{np.mean(p_values < level):.3f}" for level in (0.01, 0.05, 0.5))
    uniform = float(scipy.stats.kstest(p_values, "uniform")[1]) if uniform is None else uniform
    where = f"{check} | {system} | {generator} | {seeds_of(records)} | {len(p_values)}"
    return [f"| {where} | {uniform:.2g} | {shares} |"]


def coverage_table(records: list[dict[str, Any]]) -> str:
    lines = [
        "| system | generator | true residual | seeds | sets | 95 % interval covers |",
        "|---|---|---|---|---|---|",
    ]
    for name, (_, true, near, size) in SYSTEMS.items():
        own = [record for record in records if record["system"] == name]
        if own:
            exact = np.mean([record["interval"][0] <= 1e-9 for record in own])
            missed = np.mean([record["near"]["interval"][0] <= size <= record["near"]["interval"][1] for record in own])
            lines.append(f"| {name} | {true} | 0 | {seeds_of(own)} | {len(own)} | {exact:.1%} |")
            lines.append(f"| {name} | {near} | {size:g} | {seeds_of(own)} | {len(own)} | {missed:.1%} |")
    return "\n".join(lines)


def power_table(records: list[dict[str, Any]]) -> str:
    lines = [
        f"| system | near miss | seeds | {' | '.join(f'{paths} paths' for paths in POWER_PATHS)} |",
        "|---|---|---|" + "---|" * len(POWER_PATHS),
    ]
    for name, (_, _, near, _) in SYSTEMS.items():
        own = [record for record in records if record["system"] == name]
        if own:
            shares = " | ".join(f"{np.mean([r[str(paths)] < 0.05 for r in own]):.0%}" for paths in POWER_PATHS)
            lines.append(f"| {name} | {near} | {seeds_of(own)} | {shares} |")
    return "\n".join(lines)


def free_table(records: list[dict[str, Any]]) -> str:
    lines = ["| system | seeds | runs | found | false symmetry in |", "|---|---|---|---|---|"]
    for name, equation in FREE.items():
        runs = [record for record in records if record["system"] == name]
        own = [record["found"] for record in runs]
        if own:
            where = f"{name}, `{equation}` | {seeds_of(runs)} | {len(own)}"
            counts = ", ".join(f"{value}: {own.count(value)}" for value in sorted(set(own)))
            lines.append(f"| {where} | {counts} | {np.mean(np.array(own) > 0):.0%} |")
    return "\n".join(lines)


INTRODUCTION = """# Calibration

*For readers who rely on a p-value or an interval that LieStoNet prints.*

If the generator is a symmetry, its p-value should be uniform: 5 % of the data sets below 0.05, and no small value in
the column KS p. A 95 % interval should contain the true relative residual in 92 to 98 of 100 data sets, or in at least
92 where the true residual is 0.

"""

MEASURED = """
## What the tables show

- **Likelihood ratio.** Its p-values are uniform for generators that are fixed in advance. A path's position depends on
  its own noise, so the mean of the deviance exceeds the degrees of freedom by an amount of order one over the number of
  paths: it was 17.1 on 16 degrees of freedom here, and 1.27 times the degrees of freedom with 8 paths. The plain χ²
  law therefore rejected in 8 instead of 5 of 100 sets of the Ornstein–Uhlenbeck process (KS p .0044). The mean is now
  estimated from simulated recordings ([validation](validation.md#2-are-the-generators-symmetries)).
- **Generators found on the other half** keep the level, but most of their p-values are too large: the error of the
  generators includes the prior of the shrunk fit, and in these simple systems the prior hides nothing.
- **Intervals.** Residuals of .05, .1 and .25 were contained in 97, 94 and 96 of 100 sets of the first system and in 99,
  100 and 100 of the second. No interval accounts for what the series cannot represent: for `dx = -2*tanh(2*x) dt + dW`
  and exp(-2t) d_x (65 sets, T = 2) 71 of 100 intervals contained the truth, and 80 of 100 with everything the prior may
  hide; the others put the residual too high.
- **Power** is the share of sets in which a near miss is rejected at 5 %.

## How this was measured

`python experiments/calibration.py`: two systems, 64 paths in each set (x₀ ~ U(−2, 2), T = 1, Δt = .01), generators
fixed in advance. KS p is the p-value of a Kolmogorov–Smirnov test of uniformity.

The runs are of code of 2026-11-18, before drifts could have a pole ([method](method.md), §4.8). They were not made
again.

- *Pushed* rows use the warp-speed bootstrap: the statistic of each set is ranked among four draws from every set. The
  draws are a sample too, so uniformity is tested by the two-sample Kolmogorov–Smirnov test.
- With one noise, Itô symmetries and symmetries of the law have the same equations, so the rows hold for both. Itô
  symmetries with several noises have not been measured.
- No seed of the tables was used during development, which had seeds below 1000 and 9000 to 9199. The intervals for .05,
  .1 and .25, the tanh system and the deviance above are from development seeds (840 to 959; 400 to 439 and 640 to 664;
  750 to 829). The 8 of 100 are from seeds 20000 to 20199. When a check was changed, it was measured again on new seeds.
"""


STUDY = Study(jobs, page, ROOT / "experiments" / "results", ROOT / "docs" / "calibration.md")

if __name__ == "__main__":
    run_study(STUDY, __doc__ or "")
