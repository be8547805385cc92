"""One long recording with default options: are its symmetries found, and is a law that changes with the date detected?

    python experiments/long_recordings.py                # all runs that are not there; docs/long_recording_checks.md
    python experiments/long_recordings.py --seeds 1      # the first group of each kind only

Data: one path of 40,001 points, Euler steps of Δt = .02, without the mark that simulated data have, as a file from an
instrument is. A job simulates a group of twenty paths that begin at 0 and analyses each alone. Seeds begin at 17000;
none of them was used while the method was built.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import liestonet as lsn
from liestonet.inference.clock import choose_clock
from liestonet.study.command import Study, run_study
from liestonet.study.jobs import Job
from liestonet.trajectories.clock import Relabelled

FIRST_SEED = 17_000
ROOT = Path(__file__).resolve().parent.parent
STEPS, STEP, GROUP = 40_000, 0.02, 20
DURATION = STEPS * STEP
LEVEL_GROUPS = 10
DRIFTS = {"Ornstein–Uhlenbeck": "-x", "double well": "x - x^3"}
TRUE = {"Ornstein–Uhlenbeck": 3, "double well": 1}
# Periods as parts of the recording.
FORCES = {"none": None, "1/3": 3, "1/300": 300}
FACTORS = (0.5, 1.0, 2.0)
# Several coordinates: equation, kind of symmetry, and how many there are.
SEVERAL = {
    "harmonic Langevin": ("dx = y dt; dy = (-x - y) dt + sqrt(2) dW", "ito", 3),
    "double well beside Ornstein–Uhlenbeck": ("dx = (x - x^3) dt + dW1; dy = -y dt + dW2", "ito", 2),
    "isotropic Ornstein–Uhlenbeck": ("dx = -x dt + dW1; dy = -y dt + dW2", "law", 5),
    "three coordinates": ("dx = -x dt + dW1; dy = -2*y dt + dW2; dz = (x - z) dt + dW3", "ito", 4),
}
SEVERAL_RUNS = 12
COMPARED_POINTS = 2000


def equation(system: str, force: str) -> str:
    turns = FORCES[force]
    added = "" if turns is None else f" + 0.5*sin({turns / DURATION!r}*2*pi*t)"
    return f"dx = ({DRIFTS[system]}{added}) dt + dW"


def recorded(sde: lsn.SDE, paths: int, seed: int) -> lsn.Trajectories:
    """Simulated paths without a statement of how they were made."""
    data = sde.simulate(initial=np.zeros(sde.dimension), duration=DURATION, step=STEP, paths=paths, seed=seed)
    return replace(data, measurement=lsn.Measurement())


def recordings(system: str, force: str, seed: int) -> Iterator[lsn.Trajectories]:
    """Twenty paths, each a recording of its own."""
    data = recorded(lsn.SDE.parse(equation(system, force)), GROUP, seed)
    for k in range(GROUP):
        yield data.take([k])


def level(system: str, seed: int) -> dict[str, Any]:
    """p-values of the test against the date on stationary paths."""
    found = [lsn.discover(data, formulas=False) for data in recordings(system, "none", seed)]
    return {"p_values": [result.measurement.clock.p_value for result in found]}


def verdicts(system: str, force: str, seed: int) -> dict[str, Any]:
    """Results of the default call: dimension, verdict on ∂t, and the p-value of the test against the date."""
    rows = []
    for data in recordings(system, force, seed):
        result = lsn.discover(data, formulas=False)
        clock = result.measurement.clock
        rows.append([result.dimension, result.ladder[0].verdict, clock.p_value, clock.kind])
    return {"rows": rows}


def windows(system: str, seed: int) -> dict[str, Any]:
    """Verdicts of the directions that may be symmetries, in windows of half, once and twice the length."""
    rows = []
    for data in recordings(system, "none", seed):
        clock = choose_clock(data, "auto")[1]
        sources = [Relabelled(data, factor * clock.window, clock.origin, True) for factor in FACTORS]
        found = [lsn.discover(source, formulas=False) for source in sources]
        rows.append([[result.dimension, *(row.verdict for row in result.ladder[:3])] for result in found])
    return {"rows": rows}


def several(system: str, seed: int) -> dict[str, Any]:
    """The default call on one path in several coordinates, and its distance from the result of `solve`."""
    text, kind, true = SEVERAL[system]
    sde = lsn.SDE.parse(text)
    solved = lsn.solve(sde, symmetry=kind, formulas=False)
    data = recorded(sde, 1, seed)
    result = lsn.discover(data, symmetry=kind, formulas=False)
    clock = result.measurement.clock
    angle = None
    if result.dimension:
        rng = np.random.default_rng(seed)
        x = data.flat_states[rng.integers(data.points, size=COMPARED_POINTS)]
        t = rng.uniform(0, clock.window, size=COMPARED_POINTS)
        scale = (clock.window, data.flat_states.std(axis=0))
        angle = float(lsn.principal_angles(result.generators, solved.generators, t, x, scale=scale)[-1])
    rows = [[row.verdict, row.residual, row.lower, row.upper, row.p_value] for row in result.ladder[: true + 2]]
    return {
        "dimension": result.dimension,
        "true": solved.dimension,
        "angle": angle,
        "window": clock.window,
        "rows": rows,
    }


def jobs(seeds: int | None) -> list[Job]:
    given = {"steps": STEPS, "step": STEP, "paths": GROUP}
    made = [
        Job(
            "long_recordings",
            f"level-{number}-{seed}",
            "long_recordings:level",
            {"system": system, "seed": seed},
            given={"equation": equation(system, "none"), **given},
        )
        for number, system in enumerate(DRIFTS)
        for seed in range(FIRST_SEED, FIRST_SEED + (seeds or LEVEL_GROUPS))
    ]
    for number, system in enumerate(DRIFTS):
        for force in FORCES:
            seed = FIRST_SEED + 100
            made.append(
                Job(
                    "long_recordings",
                    f"verdicts-{number}-{FORCES[force] or 0}-{seed}",
                    "long_recordings:verdicts",
                    {"system": system, "force": force, "seed": seed},
                    given={"equation": equation(system, force), **given},
                )
            )
        seed = FIRST_SEED + 200
        made.append(
            Job(
                "long_recordings",
                f"windows-{number}-{seed}",
                "long_recordings:windows",
                {"system": system, "seed": seed},
                given={"equation": equation(system, "none"), "factors": list(FACTORS), **given},
            )
        )
    first = FIRST_SEED + 300
    made += [
        Job(
            "long_recordings",
            f"several-{number}-{seed}",
            "long_recordings:several",
            {"system": system, "seed": seed},
            given={"equation": text, "kind": kind, "steps": STEPS, "step": STEP},
        )
        for number, (system, (text, kind, _)) in enumerate(SEVERAL.items())
        for seed in range(first, first + (seeds or SEVERAL_RUNS))
    ]
    return made


def page(records: list[dict[str, Any]]) -> str:
    parts = [f"# Long recordings, measured\n\n{INTRODUCTION}", verdict_table(records), LEVEL, level_table(records)]
    return "\n".join([*parts, WINDOWS, window_table(records), SEVERAL_TEXT, several_table(records), "", MEASURED])


def verdict_table(records: list[dict[str, Any]]) -> str:
    lines = ["| system | force with a period of | symmetries | found in | more than that in | ∂t rejected in |"]
    lines.append("|---|---|---|---|---|---|")
    for system in DRIFTS:
        for force in FORCES:
            found = [r for r in records if "force" in r and (r["system"], r["force"]) == (system, force)]
            rows = [row for record in found for row in record["rows"]]
            if rows:
                true = TRUE[system] if force == "none" else 0
                right, more = sum(row[0] == true for row in rows), sum(row[0] > true for row in rows)
                rejected = sum(row[1] != "symmetry" for row in rows)
                period = "none" if force == "none" else f"{force} of the recording"
                runs = len(rows)
                lines.append(f"| {system} | {period} | {true} | {right} of {runs} | {more} | {rejected} of {runs} |")
    return "\n".join(lines)


def level_table(records: list[dict[str, Any]]) -> str:
    lines = ["| system | paths | p < 0.01 | p < 0.05 | p < 0.2 |", "|---|---|---|---|---|"]
    groups = {
        system: [p for r in records if "p_values" in r and r["system"] == system for p in r["p_values"]]
        for system in DRIFTS
    }
    groups["together"] = [p for values in groups.values() for p in values]
    for system, values in groups.items():
        if values:
            shares = [f"{100 * sum(p < at for p in values) / len(values):.1f} %" for at in (0.01, 0.05, 0.2)]
            lines.append(f"| {system} | {len(values)} | {' | '.join(shares)} |")
    return "\n".join(lines)


def window_table(records: list[dict[str, Any]]) -> str:
    lines = ["| system | window | number of symmetries unchanged in | verdicts unchanged |", "|---|---|---|---|"]
    changes = []
    for system in DRIFTS:
        found = [r for r in records if r["system"] == system and "p_values" not in r and "force" not in r]
        rows = [row for record in found for row in record["rows"]]
        for place, factor in enumerate(FACTORS):
            if rows and factor != 1:
                own = [(row[place], row[1]) for row in rows]
                changes += own
                name = "half as long" if factor < 1 else "twice as long"
                lines.append(f"| {system} | {name} | {unchanged(own)} |")
    return "\n".join([*lines, *([f"| together | | {unchanged(changes)} |"] if changes else [])])


def unchanged(changes: list[tuple[list[Any], list[Any]]]) -> str:
    """How many changes of the window leave the number of symmetries as it is, and how many verdicts."""
    same = sum(one[0] == other[0] for one, other in changes)
    pairs = [pair for one, other in changes for pair in zip(one[1:], other[1:], strict=True)]
    return f"{same} of {len(changes)} | {sum(a == b for a, b in pairs)} of {len(pairs)}"


def several_table(records: list[dict[str, Any]]) -> str:
    lines = ["| system | kind | symmetries | all found in | found, run by run | more than that in | largest angle |"]
    lines.append("|---|---|---|---|---|---|---|")
    for system, (_, kind, true) in SEVERAL.items():
        found = [r for r in records if r["system"] == system]
        if found:
            sizes = [r["dimension"] for r in found]
            right, more = sum(size == true for size in sizes), sum(size > true for size in sizes)
            angle = max(r["angle"] or 0.0 for r in found)
            each = ", ".join(map(str, sizes))
            lines.append(f"| {system} | {kind} | {true} | {right} of {len(sizes)} | {each} | {more} | {angle:.1f}° |")
    return "\n".join(lines)


INTRODUCTION = """*For readers who want to know whether one long series is enough, and a changing law detected.*

One path of 40,001 points, looked at with the default call, twenty paths a row. A force 0.5 sin(2πt/P) breaks ∂t, and no
symmetry is confirmed then.
"""

LEVEL = """
## The test against the date on stationary paths

A p-value that is right is below 5 % in 5 % of the runs.
"""

WINDOWS = """
## Other windows

The same recordings on windows of half and of twice the length. Verdicts are those of the three directions that may be
symmetries.
"""

SEVERAL_TEXT = """
## Several coordinates

One path each. The angle is the largest between what was confirmed and what `solve` finds for the equation.
"""

MEASURED = """## How this was measured

`python experiments/long_recordings.py`: Euler steps of 0.02 over 800 units of time, noise of size 1. The relaxation
time of the Ornstein–Uhlenbeck process is 1, that of the double well about 1.8. The data do not say how they were
made, so errors of the points and exposure are part of the model, and the fit is tested. Groups of twenty paths, seeds
from 17000 (level), 17100 (verdicts) and 17200 (windows); single paths with seeds from 17300 (several coordinates). None
of these seeds was used during development.
"""


STUDY = Study(jobs, page, ROOT / "experiments" / "results", ROOT / "docs" / "long_recording_checks.md")

if __name__ == "__main__":
    run_study(STUDY, __doc__ or "")
