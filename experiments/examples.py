"""The paper's examples from data: dimension and angle over seeds, compared with a parametric oracle.

    python experiments/examples.py                     # ten seeds a case, as far as not there; docs/examples.md
    python experiments/examples.py --only ex1 ex2 --seeds 3

Data and angles are those of the paper's benchmarks: raw stack on 4,000 data points inside the central 98 % of each
coordinate. Seeds begin at 8000; none of them was used while the method was built.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import liestonet as lsn
from liestonet.reproduction.cases import Recording, bessel, brownian, brownian_10d, central_points, langevin, linear
from liestonet.reproduction.oracles import ORACLES
from liestonet.reproduction.paper import SDE_ANGLES
from liestonet.study.command import Study, run_study
from liestonet.study.jobs import Job

ROOT = Path(__file__).resolve().parent.parent
FIRST_SEED, SEEDS = 8000, 10


@dataclass(frozen=True)
class Row:
    """One row of the table: a system, its data, and what is compared."""

    title: str
    symmetry: str
    data: Recording
    paper: float | None


CASES = {
    "ex1": Row("Ex. 1", "ito", brownian, 6.3),
    "ex2": Row("Ex. 2", "ito", linear, 19.4),
    "ex3": Row("Ex. 3", "ito", langevin, 7.6),
    "ex4": Row("Ex. 4", "ito", bessel, 14.3),
    "ten": Row("10-D, Itô", "ito", brownian_10d, 16.6),
    "ten-law": Row("10-D, law", "law", brownian_10d, None),
    "ex1-fp": Row("Ex. 1, Fokker–Planck", "fokker-planck", brownian, 8.4),
}


def run(case: str, seed: int) -> dict[str, Any]:
    """One run: what was found, its angles at the true dimension, the oracle's, and the time."""
    row = CASES[case]
    data, system, oracle = row.data(seed), lsn.catalogue[row.data.system], ORACLES.get(row.data.system)
    begin, work = time.perf_counter(), time.process_time()
    result = lsn.discover(data, symmetry=row.symmetry, formulas=False)
    seconds, work = time.perf_counter() - begin, time.process_time() - work
    true, exact = int(system.dimension(row.symmetry)), system.generators(row.symmetry)
    t, x = central_points(data)
    half = result.domain.half
    found = result.candidates(true)
    record: dict[str, Any] = {
        "true": true,
        "found": result.dimension,
        "law": result.law_dimension,
        "verdicts": [direction.verdict for direction in result.ladder],
        "angles": lsn.principal_angles(found, exact, t, x).tolist(),
        "scaled": lsn.principal_angles(found, exact, t, x, scale=(half[0], half[1:])).tolist(),
        "flags": [flag.code for flag in result.flags],
        "seconds": seconds,
        "processor": work,
    }
    if oracle is not None:
        best = lsn.solve(oracle(data), row.symmetry, result.domain.intervals, formulas=False)
        record["oracle"] = lsn.principal_angles(best.candidates(true), exact, t, x).tolist()
    return record


def jobs(seeds: int | None) -> list[Job]:
    return [
        Job(
            "examples",
            f"{case}-{seed}",
            "examples:run",
            {"case": case, "seed": seed},
            given={"symmetry": row.symmetry, "data": repr(row.data)},
        )
        for case, row in CASES.items()
        for seed in range(FIRST_SEED, FIRST_SEED + (seeds or SEEDS))
    ]


def page(records: list[dict[str, Any]]) -> str:
    return (
        f"# Accuracy on the paper's examples\n\n{INTRODUCTION}\n{table(records)}\n\n{details(records)}\n"
        f"{twelve(records)}\n{MEASURED}"
    )


def table(records: list[dict]) -> str:
    """Markdown: one row per case."""
    lines = [
        "| case | seeds | dimension right | max angle, median (range) | unit-free | oracle | paper "
        "| seconds (processor) |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, case in CASES.items():
        rows = [record for record in records if record["case"] == name]
        if not rows:
            continue
        angles, scaled, seconds, work = (
            np.array([np.max(row[key]) for row in rows]) for key in ("angles", "scaled", "seconds", "processor")
        )
        right = sum(row["found"] == row["true"] for row in rows)
        oracle = f"{np.median([np.max(row['oracle']) for row in rows]):.2f}°" if "oracle" in rows[0] else "–"
        paper = f"{case.paper}°" if case.paper else "–"
        lines.append(
            f"| {case.title} | {rows[0]['seed']}–{rows[-1]['seed']} | {right} of {len(rows)} "
            f"| {np.median(angles):.2f}° ({angles.min():.2f}–"
            f"{angles.max():.2f}°) | {np.median(scaled):.2f}° | {oracle} | {paper} "
            f"| {np.median(seconds):.1f} ({np.median(work):.1f}) |"
        )
    return "\n".join(lines)


def details(records: list[dict]) -> str:
    """The results with a wrong dimension, and the verdicts on the fourth direction of Example 3."""
    lines = [
        f"- {CASES[record['case']].title}, seed {record['seed']}: {record['found']} instead of {record['true']} "
        f"(first {record['true'] + 1} directions: {_counted(record['verdicts'][: record['true'] + 1])})"
        for record in records
        if record["found"] != record["true"]
    ]
    fourth = [record["verdicts"][3] for record in records if record["case"] == "ex3"]
    if fourth:
        lines.append(f"- The fourth direction of Example 3 was called: {_counted(fourth)}.")
    return "\n".join(lines)


def twelve(records: list[dict]) -> str:
    """All angles of 10-D Brownian motion, medians over the runs, with those of the paper."""
    rows = [record["angles"] for record in records if record["case"] == "ten"]
    if not rows:
        return ""
    ours = " | ".join(f"{angle:.2f}" for angle in np.median(np.sort(rows, axis=1), axis=0))
    theirs = " | ".join(f"{angle:.2f}" for angle in SDE_ANGLES["10d"])
    head = "| angle, degrees | " + " | ".join(map(str, range(1, 13))) + " |\n" + "|---" * 13 + "|\n"
    return f"\n## 10-D: all twelve angles\n\n{head}| median | {ours} |\n| paper | {theirs} |\n"


def _counted(verdicts: list[str]) -> str:
    """How often each verdict occurs."""
    return ", ".join(f"{count} {verdict}" for verdict, count in Counter(verdicts).most_common())


INTRODUCTION = """*For readers who want to know how accurate `discover` is on data whose answer is known.*

The table compares the generators found from data with the exact ones. An angle of 0° means the same span; the oracle
knows the functional form of the equation and fits only its parameters, and *paper* is what the paper reports.
"""

MEASURED = """## How this was measured

`python experiments/examples.py`: ten seeds for each case, none of them used during development, which had seeds below
1000. Two earlier test batches led to changes of the method and were replaced by new seeds: Example 3 had the right
dimension in 22 of 30 runs (seeds 2000 to 2009, 3000 to 3019) and in 8 of 10 (seeds 4000 to 4009), and the law in ten
dimensions in 7 of 10.

- Data sizes and angles are those of the paper: the largest principal angle of the raw stack on 4,000 data points inside
  the central 98 % of each coordinate, at the true dimension. *Unit-free* is the same in units of the box.
- Seconds are wall-clock and processor time of `discover` without formulas, on a shared machine with two cores.
- Rows with fewer than ten seeds were stopped to save time, whatever they had found.
"""


STUDY = Study(jobs, page, ROOT / "experiments" / "results", ROOT / "docs" / "examples.md")

if __name__ == "__main__":
    run_study(STUDY, __doc__ or "")
