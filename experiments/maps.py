"""Mirrors, centres, reversibility and entropy production: are p-values uniform, do intervals cover, is there power?

    python experiments/maps.py                    # what is missing, then docs/map_rates.md; stop it when you like
    python experiments/maps.py --only mirror- --seeds 50

Every record is one simulated recording. Seeds of maps begin at 68000, those of detailed balance at 64000; none of them
was used while the method was built.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.linalg
import scipy.stats

import liestonet as lsn
from liestonet.study.command import Study, run_study
from liestonet.study.jobs import Job

FIRST_SEED, FIRST_BALANCE_SEED = 68_000, 64_000
ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Case:
    """One experiment: an equation, a box of starts, the size of a recording, the test, and the number of runs.

    `broken` says that the symmetry does not hold, so that rejections are power. A linear equation has its drift matrix
    and the squares of its noise in `linear`, from which the entropy production follows.
    """

    question: str
    equation: str
    starts: tuple[tuple[float, float], ...]
    paths: int
    duration: float
    runs: int
    map: str = ""
    broken: bool = False
    linear: tuple[tuple[tuple[float, float], ...], tuple[float, ...]] | None = None
    title: str = ""
    step: float = 0.02

    @property
    def first(self) -> int:
        """The first seed."""
        return FIRST_BALANCE_SEED if self.question == "balance" else FIRST_SEED


LINE, PLANE = ((-1.8, 1.8),), ((-1.5, 1.5), (-1.5, 1.5))


def well(tilt: float) -> str:
    return f"dx = (x - x^3 + {tilt}) dt + 0.7 dW"


def well_2d(tilt: float) -> str:
    return f"dx = (x - x^3 - 0.5*x*y^2 + {tilt}) dt + 0.7 dW1; dy = (-y - 0.5*x^2*y) dt + 0.7 dW2"


def turning(rate: float) -> str:
    return f"dx = (-x - {rate}*y) dt + dW1; dy = ({rate}*x - y) dt + dW2"


def gyrator(second: float) -> str:
    return f"dx = (-1.5*x + y) dt + dW1; dy = (x - 1.5*y) dt + {second} dW2"


LORENZ = (
    "dx = 3*(y - x) dt + 0.5 dW1; dy = (4*x - y - x*z) dt + 0.5 dW2; dz = (x*y - z) dt + 0.5 dW3",
    ((-2.0, 2.0), (-2.0, 2.0), (0.0, 4.0)),
)
GRADIENT = "dx = (-x^3 - 0.5*x*y^2) dt + dW1; dy = (-y - 0.5*x^2*y) dt + dW2"


def _turning(rate: float) -> tuple[tuple[tuple[float, float], ...], tuple[float, ...]]:
    return (((-1.0, -rate), (rate, -1.0)), (1.0, 1.0))


CASES = {
    "mirror-well": Case("mirror", well(0), LINE, 128, 4.0, 200, "x -> -x", title="double well"),
    "mirror-well-2d": Case("mirror", well_2d(0), PLANE, 128, 4.0, 200, "x -> -x", title="well in the plane"),
    "mirror-lorenz": Case("mirror", *LORENZ, 96, 4.0, 200, "x, y -> -x, -y", title="Lorenz-like, half-turn"),
    "tilt-0.05": Case("mirror", well(0.05), LINE, 128, 4.0, 100, "x -> -x", True, title="double well, tilt 0.05"),
    "tilt-0.1": Case("mirror", well(0.1), LINE, 128, 4.0, 100, "x -> -x", True, title="double well, tilt 0.1"),
    "tilt-0.2": Case("mirror", well(0.2), LINE, 128, 4.0, 100, "x -> -x", True, title="double well, tilt 0.2"),
    "tilt-2d-0.2": Case("mirror", well_2d(0.2), PLANE, 128, 4.0, 100, "x -> -x", True, title="well in the plane, 0.2"),
    "centre": Case("centre", well(0), LINE, 512, 4.0, 400, title="double well"),
    "balance-gradient": Case("balance", GRADIENT, PLANE, 32, 20.0, 200, title="quartic well in the plane"),
    "balance-linear": Case("balance", gyrator(1.0), PLANE, 32, 20.0, 200, title="coupled springs, equal temperatures"),
    "turning-0.1": Case(
        "balance", turning(0.1), PLANE, 32, 20.0, 100, broken=True, linear=_turning(0.1), title="rotation at rate 0.1"
    ),
    "turning-0.5": Case(
        "balance", turning(0.5), PLANE, 32, 20.0, 150, broken=True, linear=_turning(0.5), title="rotation at rate 0.5"
    ),
    "gyrator-1.6": Case(
        "balance",
        gyrator(1.6),
        PLANE,
        32,
        20.0,
        150,
        broken=True,
        linear=(((-1.5, 1.0), (1.0, -1.5)), (1.0, 1.6**2)),
        title="Brownian gyrator, noise 1 and 1.6",
    ),
}


def production(case: Case) -> float:
    """Entropy production of a linear equation: E[v·D⁻¹v], v = Mx + DS⁻¹x, S the stationary covariance, D = a/2."""
    if case.linear is None:
        return 0.0
    drift, squares = np.array(case.linear[0]), np.diag(case.linear[1])
    covariance = scipy.linalg.solve_continuous_lyapunov(drift, -squares)
    current = drift + squares / 2 @ np.linalg.inv(covariance)
    return float(np.trace(current.T @ np.linalg.inv(squares / 2) @ current @ covariance))


def data_of(case: Case, seed: int) -> lsn.Trajectories:
    low, high = np.array(case.starts).T

    def initial(rng: np.random.Generator, paths: int) -> np.ndarray:
        return rng.uniform(low, high, (paths, len(low)))

    return lsn.SDE.parse(case.equation).simulate(
        initial=initial, duration=case.duration, step=case.step, paths=case.paths, seed=seed
    )


def run(case: str, seed: int) -> dict[str, Any]:
    """The test of a case on one recording."""
    given = CASES[case]
    return ASKED[given.question](given, data_of(given, seed))


def _mirror(case: Case, data: lsn.Trajectories) -> dict[str, Any]:
    found = lsn.test(data, case.map)
    check = found.randomisation
    return {"p_value": found.p_value, "verdict": found.verdict, "check": None if check is None else check.p_value}


def _centre(case: Case, data: lsn.Trajectories) -> dict[str, Any]:
    rows = [row for row in lsn.discrete(data) if row.centre is not None]
    if not rows:
        return {"centre": None}
    centre = rows[0].centre
    return {"centre": centre.value, "lower": centre.lower, "upper": centre.upper, "p_value": rows[0].p_value}


def _balance(case: Case, data: lsn.Trajectories) -> dict[str, Any]:
    found = lsn.reversible(data)
    produced = found.entropy_production
    rate = None if produced is None else [float(produced), produced.lower, produced.upper]
    return {"p_value": found.p_value, "verdict": found.verdict, "rate": rate}


ASKED: dict[str, Callable[[Case, lsn.Trajectories], dict[str, Any]]] = {
    "mirror": _mirror,
    "centre": _centre,
    "balance": _balance,
}


def jobs(seeds: int | None) -> list[Job]:
    """Runs seed by seed, so that a stopped study has about equal numbers for all cases."""
    most = max(case.runs for case in CASES.values())
    return [
        Job(
            "maps",
            f"{name}-{case.first + place}",
            "maps:run",
            {"case": name, "seed": case.first + place},
            given={"equation": case.equation, "paths": case.paths, "duration": case.duration, "step": case.step},
        )
        for place in range(seeds or most)
        for name, case in CASES.items()
        if place < (seeds or case.runs)
    ]


def share(count: int, of: int) -> str:
    """A percentage with the 95 % interval of Clopper and Pearson."""
    low, high = scipy.stats.binomtest(count, of).proportion_ci(0.95)
    return f"{count} of {of} ({count / of:.0%}; {low:.0%} to {high:.0%})"


def page(records: list[dict[str, Any]]) -> str:
    by_case = {name: [record for record in records if record["case"] == name] for name in CASES}
    return (
        f"# Mirrors and reversibility\n\n{INTRODUCTION}{progress(len(records))}\n"
        f"## True symmetries\n\n{true_table(by_case)}\n\n"
        f"## Power\n\n{power_table(by_case)}\n\n## Intervals\n\n{interval_table(by_case)}\n\n{MEASURED}"
    )


def progress(finished: int) -> str:
    """A paragraph on how far the study is, if it is not complete."""
    planned = sum(case.runs for case in CASES.values())
    if finished >= planned:
        return ""
    return (
        f"\n**{finished:,} of {planned:,} runs are finished.** Gross errors would show in so few; whether the error\n"
        "rate is 5 % and intervals cover 95 % would not.\n"
    )


def true_table(by_case: dict[str, list[dict[str, Any]]]) -> str:
    """Markdown: p-values where the symmetry holds."""
    lines = ["| system | question | runs | p ≤ 0.05 | p ≤ 0.2 | uniform (KS) |", "|---|---|---|---|---|---|"]
    for name, case in CASES.items():
        values = np.array([record["p_value"] for record in by_case[name] if record.get("p_value") is not None])
        if case.broken or case.question == "centre" or not len(values):
            continue
        asked = case.map if case.map else "detailed balance"
        counts = [share(int(np.sum(values <= level)), len(values)) for level in (0.05, 0.2)]
        uniform = scipy.stats.kstest(values, "uniform").pvalue
        lines.append(f"| {case.title} | {asked} | {len(values)} | {counts[0]} | {counts[1]} | p = {uniform:.2g} |")
    return "\n".join(lines)


def power_table(by_case: dict[str, list[dict[str, Any]]]) -> str:
    """Markdown: how often a broken symmetry is rejected."""
    lines = ["| system | question | runs | rejected at 5 % |", "|---|---|---|---|"]
    for name, case in CASES.items():
        values = np.array([record["p_value"] for record in by_case[name]])
        if case.broken and len(values):
            asked = case.map if case.map else "detailed balance"
            rejected = share(int(np.sum(values <= 0.05)), len(values))
            lines.append(f"| {case.title} | {asked} | {len(values)} | {rejected} |")
    return "\n".join(lines)


def interval_table(by_case: dict[str, list[dict[str, Any]]]) -> str:
    """Markdown: how often 95 % intervals contain the truth."""
    lines = ["| system | quantity | truth | runs | mean estimate | covered |", "|---|---|---|---|---|---|"]
    for name, case in CASES.items():
        if case.question == "centre":
            found = [(r["centre"], r["lower"], r["upper"]) for r in by_case[name] if r["centre"] is not None]
            quantity, truth = "centre of the mirror", 0.0
        elif case.linear is not None:
            found = [tuple(r["rate"]) for r in by_case[name] if r["rate"] is not None]
            quantity, truth = "entropy production", production(case)
        else:
            continue
        if found:
            inside = share(sum(low <= truth <= high for _, low, high in found), len(found))
            mean = float(np.mean([value for value, _, _ in found]))
            spread = float(np.std([value for value, _, _ in found]))
            lines.append(
                f"| {case.title} | {quantity} | {truth:.4g} | {len(found)} of {len(by_case[name])} | "
                f"{mean:.3g} (scatter {spread:.2g}) | {inside} |"
            )
    return "\n".join(lines)


INTRODUCTION = """*For readers who want to know how far p-values of mirrors and of detailed balance can be trusted.*

Simulated recordings are tested for maps that are symmetries of their law and for maps that are not. Under a true
symmetry p-values should be uniform, and 95 % intervals should hold the truth in 95 % of the recordings. Ranges in
brackets are 95 % confidence intervals of the percentage: few runs give wide ranges.
"""

MEASURED = f"""The centre is that of `lsn.discrete` on 512 paths. Runs without a rate are those in which
`lsn.reversible` gave none.

## How this was measured

`python experiments/maps.py`: seeds of maps from {FIRST_SEED}, of detailed balance from {FIRST_BALANCE_SEED}, none of
which was used during development. Those of maps began anew when their null law became the same for one map and for all
candidates. With the former one, drawn from the fit with the map imposed, p was 0.05 or less in 3 of 60 double wells,
2 of 45 wells in the plane and 3 of 36 Lorenz-like systems, with tilts of 0.05, 0.1 and 0.2 in 4 of 41, 25 of 40 and 40
of 40, and 58 of 60 intervals held the centre (seeds from 64000 and 66000). Recordings for mirrors
have 128 paths (Lorenz-like: 96) of 4 time units, those for detailed balance 32 paths of 20, with steps of 0.02 and
uniform starts. The tables count the runs that are finished. The same command does what is missing, up to 200 of each
true symmetry, 100 of each broken one, 150 of the two larger entropy productions, and 400 of the centre. The truth of
entropy production comes from the Lyapunov equation of the linear drift.
"""


STUDY = Study(jobs, page, ROOT / "experiments" / "results", ROOT / "docs" / "map_rates.md")

if __name__ == "__main__":
    run_study(STUDY, __doc__ or "")
