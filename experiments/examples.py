"""The paper's examples from data: dimension and angle over seeds, the parametric oracle beside them.

    python experiments/examples.py                     # ten seeds a case, prints the table and writes docs/examples.md
    python experiments/examples.py --cases ex1 ex2 --seeds 3

Data and angles are those of the paper's benchmarks: raw stack on 4,000 data points inside the central 98 % of each
coordinate. Seeds begin at 8000; none of them was looked at while the method was built.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import liestonet as lsn
from liestonet.reproduction.cases import bessel, brownian, brownian_10d, central_points, langevin, linear
from liestonet.reproduction.oracles import ORACLES
from liestonet.reproduction.paper import SDE_ANGLES

ROOT = Path(__file__).resolve().parent.parent
RECORDS = ROOT / "experiments" / "records" / "examples.jsonl"
PAGE = ROOT / "docs" / "examples.md"
FIRST_SEED = 8000


@dataclass(frozen=True)
class Row:
    """One row of the table: a system, its data, and what is compared."""

    title: str
    system: str
    symmetry: str
    data: Callable[[int], lsn.Trajectories]
    paper: float | None

    @property
    def oracle(self) -> Callable[[lsn.Trajectories], lsn.SDE] | None:
        return ORACLES.get(self.system)


CASES = {
    "ex1": Row("Ex. 1", "brownian", "ito", brownian, 6.3),
    "ex2": Row("Ex. 2", "linear", "ito", linear, 19.4),
    "ex3": Row("Ex. 3", "langevin", "ito", langevin, 7.6),
    "ex4": Row("Ex. 4", "bessel-drift", "ito", bessel, 14.3),
    "ten": Row("10-D, Itô", "brownian-10d", "ito", brownian_10d, 16.6),
    "ten-law": Row("10-D, law", "brownian-10d", "law", brownian_10d, None),
    "ex1-fp": Row("Ex. 1, Fokker–Planck", "brownian", "fokker-planck", brownian, 8.4),
}


def run(name: str, seed: int) -> dict[str, Any]:
    """One run: what was found, its angles at the true dimension, the oracle's, and the time."""
    case, system = CASES[name], lsn.catalogue[CASES[name].system]
    data = case.data(seed)
    begin, work = time.perf_counter(), time.process_time()
    result = lsn.discover(data, symmetry=case.symmetry, formulas=False)
    seconds, work = time.perf_counter() - begin, time.process_time() - work
    true, exact = int(system.dimension(case.symmetry)), system.generators(case.symmetry)
    t, x = central_points(data)
    half = result.domain.half
    found = result.candidates(true)
    record: dict[str, Any] = {
        "case": name,
        "seed": seed,
        "true": true,
        "found": result.dimension,
        "law": result.law_dimension,
        "verdicts": [row.verdict for row in result.ladder],
        "angles": lsn.principal_angles(found, exact, t, x).tolist(),
        "scaled": lsn.principal_angles(found, exact, t, x, scale=(half[0], half[1:])).tolist(),
        "flags": [flag.code for flag in result.flags],
        "seconds": seconds,
        "processor": work,
    }
    if case.oracle is not None:
        oracle = lsn.solve(case.oracle(data), case.symmetry, result.domain.intervals, formulas=False)
        record["oracle"] = lsn.principal_angles(oracle.candidates(true), exact, t, x).tolist()
    return record


def table(records: list[dict]) -> str:
    """Markdown: one row a case."""
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
    """What was found where the dimension was not the true one, and the fourth direction of Example 3."""
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
    """All angles of 10-D Brownian motion, medians over the runs, beside the paper's."""
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


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cases", nargs="*", default=list(CASES), choices=list(CASES))
    parser.add_argument("--seeds", type=int, default=10)
    arguments = parser.parse_args()
    RECORDS.parent.mkdir(exist_ok=True)
    done = [json.loads(line) for line in RECORDS.read_text().splitlines()] if RECORDS.exists() else []
    present = {(record["case"], record["seed"]) for record in done}
    for name in arguments.cases:
        for seed in range(FIRST_SEED, FIRST_SEED + arguments.seeds):
            if (name, seed) in present:
                continue
            record = run(name, seed)
            done.append(record)
            with RECORDS.open("a") as file:
                file.write(json.dumps(record) + "\n")
            print(name, seed, "found", record["found"], "angle", f"{np.max(record['angles']):.2f}", flush=True)
    page = f"# The paper's examples from data\n\n{INTRODUCTION}\n{table(done)}\n\n{details(done)}\n{twelve(done)}"
    PAGE.write_text(page)
    print(table(done))


INTRODUCTION = """Made by `python experiments/examples.py`. No seed was used while the method was built: everything was
tuned on seeds below 1000. Earlier batches led to what is new since, and every batch has new seeds. Seeds 2000 to 2009
and 3000 to 3019 had Example 3 right in 22 of 30 runs, with median angles up to 1.8°: directions are now also proposed
by a surrogate without the terms that only chance put there. Seeds 4000 to 4009 had Example 3 right in 8 of 10 runs, one
of them 76° off, and the 57 symmetries of the law in ten dimensions in 7 of 10: a block of directions that is judged
together now ends before the first one that its own noise excludes, and a shift that is taken as exact leaves out terms
where it moved the coefficients along their errors.

Data sizes and angles are the paper's: raw stack on 4,000 data points inside the central 98 % of each coordinate, all at
the true dimension. The oracle fits the true functional form to the same data and solves that. Seconds are those of the
clock and of the processor for `discover` without formulas, on a machine with two cores that others use as well. Rows
with fewer than ten seeds were stopped for time, not for what they found.
"""


if __name__ == "__main__":
    main()
