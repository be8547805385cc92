"""Angles and phases: what `discover` finds in data, compared with what `solve` finds in the equations.

    python experiments/circles.py                 # 10 runs of each, as far as they are not there; docs/circles.md
    python experiments/circles.py --seeds 3 --only pendulum

Data: Euler steps of 0.02 (0.005 for the eight periods), T = 1 or 2, angles begin everywhere on the circle. Seeds begin
at 13000; none of them was used while the method was built. Every other seed is given wrapped into one turn.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import liestonet as lsn
from liestonet.study.command import Study, run_study
from liestonet.study.jobs import Job

FIRST_SEED, RUNS = 13000, 10
ROOT = Path(__file__).resolve().parent.parent
TURN = 2 * math.pi
POINTS = 1000


@dataclass(frozen=True)
class Case:
    """An equation, which coordinates are angles, where paths begin, and how they are recorded."""

    title: str
    equation: str
    angles: tuple[str, ...]
    kind: str
    begins: tuple[tuple[float, float], ...]
    paths: int
    duration: float = 2.0
    step: float = 0.02

    @property
    def sde(self) -> lsn.SDE:
        return lsn.SDE.parse(self.equation).with_periods(dict.fromkeys(self.angles, TURN))

    def data(self, seed: int) -> lsn.Trajectories:
        """Simulated paths, with angles wrapped for every other seed."""
        low, high = np.array(self.begins).T

        def initial(rng: np.random.Generator, paths: int) -> np.ndarray:
            return rng.uniform(low, high, (paths, len(low)))

        sde = self.sde
        data = sde.simulate(initial=initial, duration=self.duration, step=self.step, paths=self.paths, seed=seed)
        if seed % 2 == 0:
            return data
        periods = np.array([TURN if name in self.angles else np.inf for name in data.names])
        states = [np.where(np.isinf(periods), s, s % TURN) for s in data.states]
        return lsn.Trajectories.from_arrays(data.times, states, data.names, periodic=dict(data.periodic))


CIRCLE = (0.0, TURN)
CASES = {
    "free-rotor": Case("free rotor", "da = 0 dt + dW", ("a",), "ito", (CIRCLE,), 2048),
    "forced-rotor": Case(
        "rotor in a periodic force", "da = (sin(a) + 0.3*cos(2*a)) dt + dW", ("a",), "ito", (CIRCLE,), 1024
    ),
    "eight-periods": Case(
        "rotor in a force with eight periods", "da = 2*sin(8*a) dt + dW", ("a",), "ito", (CIRCLE,), 512, step=0.005
    ),
    "coupled-rotors": Case(
        "two coupled rotors",
        "da = sin(b - a) dt + dW1; db = (0.5 + sin(a - b)) dt + dW2",
        ("a", "b"),
        "ito",
        (CIRCLE, CIRCLE),
        8192,
        1.0,
    ),
    "active-particle": Case(
        "active particle with heading",
        "dx = cos(h) dt + 0.5 dW1; dy = sin(h) dt + 0.5 dW2; dh = dW3",
        ("h",),
        "law",
        ((-1.0, 1.0), (-1.0, 1.0), CIRCLE),
        4096,
        1.0,
    ),
    "pendulum": Case(
        "pendulum with friction",
        "da = v dt; dv = (-v - 2*sin(a)) dt + dW",
        ("a",),
        "ito",
        (CIRCLE, (-2.0, 2.0)),
        1024,
    ),
}


def run(case: str, seed: int) -> dict[str, Any]:
    """One run: the numbers of symmetries of data and equation, and the largest angle between both spans."""
    chosen = CASES[case]
    result = lsn.discover(chosen.data(seed), symmetry=chosen.kind)
    box = [None if v in result.domain.periodic else pair for v, pair in enumerate(result.domain.intervals)]
    exact = lsn.solve(chosen.sde, chosen.kind, domain=box)
    return {
        "found": result.dimension,
        "exact": exact.dimension,
        "angle": _angle(result, exact) if result.dimension and result.dimension == exact.dimension else None,
        "undecided": sum(row.verdict == "undecided" for row in result.ladder),
        "formulas": sum(row.status == "consistent" for row in result.formulas()),
        "flags": sorted({flag.code for flag in result.flags}),
    }


def _angle(result: lsn.Result, exact: lsn.Result) -> float:
    """The largest angle between the spans, in degrees, unit-free, at points all over the box."""
    domain = result.domain
    points = domain.centre + domain.half * np.random.default_rng(0).uniform(-1, 1, (POINTS, len(domain.half)))
    scale = (float(domain.half[0]), domain.half[1:])
    return float(max(lsn.principal_angles(result.generators, exact.generators, points[:, 0], points[:, 1:], scale)))


def jobs(seeds: int | None) -> list[Job]:
    return [
        Job(
            "circles",
            f"{name}-{seed}",
            "circles:run",
            {"case": name, "seed": seed},
            given={
                "equation": case.equation,
                "paths": case.paths,
                "duration": case.duration,
                "step": case.step,
                "kind": case.kind,
            },
        )
        for seed in range(FIRST_SEED, FIRST_SEED + (seeds or RUNS))
        for name, case in CASES.items()
    ]


def page(records: list[dict[str, Any]]) -> str:
    return f"# Symmetries round a circle\n\n{INTRODUCTION}\n{table(records)}\n\n{MEASURED}"


def table(records: list[dict[str, Any]]) -> str:
    """Markdown: one row per case."""
    lines = [
        "| system | equation | kind | `solve` | `discover` | false generator in | largest angle | undecided |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, case in CASES.items():
        own = [record for record in records if record["case"] == name]
        if own:
            found, exact = Counter(record["found"] for record in own), {record["exact"] for record in own}
            listed = ", ".join(f"{dimension}: {count}" for dimension, count in sorted(found.items()))
            false = sum(record["found"] > record["exact"] for record in own)
            angles = [record["angle"] for record in own if record["angle"] is not None]
            angle = f"{np.median(angles):.2g}° (at most {max(angles):.2g}°)" if angles else "–"
            undecided = sum(record["undecided"] for record in own) / len(own)
            lines.append(
                f"| {case.title} | `{case.equation}` | {case.kind} | {', '.join(map(str, sorted(exact)))} | {listed} | "
                f"{false} of {len(own)} | {angle} | {undecided:.2g} |"
            )
    return "\n".join(lines)


INTRODUCTION = """*For readers who want to know how well symmetries of angles and phases are found.*

Six systems with one or two angles of period 2π. `solve` has the equation, `discover` only paths; its column counts runs
by the number of symmetries found. The angle is the largest between the two spans, median and maximum over the runs in
which they have the same dimension; the last column is the mean number of directions that stay undecided.
"""

MEASURED = """## How this was measured

`python experiments/circles.py`: seeds from 13000, none of them used during development; 512 to 8,192 paths last 1 or 2
units of time, with Euler steps of 0.02 (0.005 for the eight periods), and begin all round the turn. Every other seed
gives the angles wrapped into one turn. [Angles and phases](angles.md) says how to call it.
"""

STUDY = Study(jobs, page, ROOT / "experiments" / "results", ROOT / "docs" / "circles.md")

if __name__ == "__main__":
    run_study(STUDY, __doc__ or "")
