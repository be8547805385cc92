"""Solves every system of the catalogue and writes docs/catalogue.md: what was found beside what is known.

    python tools/catalogue_page.py                solves all (about half an hour) and writes the page
    python tools/catalogue_page.py --resume       keeps what an interrupted run has already solved
    python tools/catalogue_page.py cir bessel     solves these anew, takes the others from the last run

Each system runs in a process of its own; one line a kind is printed, and kept in build/catalogue.jsonl.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "build" / "catalogue.jsonl"
PAGE = ROOT / "docs" / "catalogue.md"
LARGEST_ANGLE = 0.01
LONGEST = 1200  # seconds for all kinds of one system
POINTS = 400
MANY_DIMENSIONS = 3
LABELS = {"ito": "Itô", "law": "law", "fokker-planck": "Fokker–Planck", "ito-cholesky": "Itô, Cholesky gauge"}
Row = dict[str, Any]
Stage = tuple[str, float, float]


def solve_system(key: str) -> Iterator[Row]:
    """What is found for each kind of one system, and what is known."""
    from liestonet.catalogue import catalogue

    system = catalogue[key]
    for kind in system.kinds:
        if kind != "ito-cholesky" or system.cholesky is not None:
            yield solve_kind(system, kind)


def solve_kind(system: Any, kind: str) -> Row:
    """One row of the page."""
    from liestonet.discovery import solve

    stages: list[Stage] = []
    sde = system.cholesky_sde if kind == "ito-cholesky" else system.sde
    start = time.perf_counter()
    result = solve(sde, kind.removesuffix("-cholesky"), system.box, progress=stopwatch(stages))
    end = time.perf_counter()
    searching, computing = search_seconds(stages)
    statuses = [row.status for row in result.formulas()]
    finite = not system.infinite and result.dimension == system.dimension(kind)
    return {
        "key": system.key,
        "kind": kind,
        "dimension": str(result.dimension),
        "exact_dimension": str(system.dimension(kind)),
        "angle": largest_angle(result, system, kind) if finite and result.dimension else None,
        "name": result.algebra.name if result.dimension != float("inf") else None,
        "exact_name": system.algebra_name(kind) if not system.infinite else None,
        "formulas": {status: statuses.count(status) for status in ("proved", "consistent", "numerical")},
        "seconds": end - start,
        "formula_seconds": searching,
        "formula_processor_seconds": computing,
        "flags": [flag.code for flag in result.flags],
    }


def stopwatch(stages: list[Stage]) -> Callable[[str], None]:
    """What notes when each step of `solve` begins, by the clock and by the processor."""
    return lambda stage: stages.append((stage, time.perf_counter(), time.process_time()))


def search_seconds(stages: list[Stage]) -> tuple[float, float]:
    """How long the search for closed forms took, by the clock and by the processor."""
    begun = [row[1:] for row in stages if row[0] == "looking for formulas"]
    ended = [row[1:] for row in stages if row[0] == "computing brackets"]
    if not begun:
        return 0.0, 0.0
    last = ended[-1] if ended else (time.perf_counter(), time.process_time())
    return last[0] - begun[-1][0], last[1] - begun[-1][1]


def largest_angle(result: Any, system: Any, kind: str) -> float:
    """The largest principal angle between the spans on the box, in natural units, in degrees."""
    import numpy as np

    from liestonet.validation import principal_angles

    low, high = np.array(system.box, dtype=float).T
    points = np.random.default_rng(1).uniform(low, high, (POINTS, len(low)))
    half = (high - low) / 2
    exact = system.generators(kind)
    return float(principal_angles(result.generators, exact, points[:, 0], points[:, 1:], (half[0], half[1:]))[-1])


def run_system(key: str) -> list[Row]:
    """Solve one system in a process of its own."""
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, __file__, "--one", key]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST, env=environment, check=False)
        output, problem = run.stdout, run.stderr.strip().splitlines()[-1:] or [f"ended with code {run.returncode}"]
    except subprocess.TimeoutExpired as late:
        output = late.stdout.decode() if isinstance(late.stdout, bytes) else late.stdout or ""
        problem = [f"not done in {LONGEST} s"]
    rows = [json.loads(line) for line in output.splitlines()]
    return rows + [{"key": key, "kind": kind, "failure": text} for kind in missing(key, rows) for text in problem[:1]]


def missing(key: str, rows: list[Row]) -> list[str]:
    """Kinds that were to be solved and have no row."""
    from liestonet.catalogue import catalogue

    system = catalogue[key]
    wanted = [kind for kind in system.kinds if kind != "ito-cholesky" or system.cholesky is not None]
    return [kind for kind in wanted if kind not in {row["kind"] for row in rows}]


def faults(row: Row) -> list[str]:
    """Everything about a row that is not as it should be."""
    if "failure" in row:
        return [f"failed: {row['failure']}"]
    found = []
    if row["dimension"] != row["exact_dimension"]:
        found.append(f"dimension {row['dimension']} instead of {row['exact_dimension']}")
    if row["angle"] is not None and row["angle"] >= LARGEST_ANGLE:
        found.append(f"span off by {row['angle']:.2g}°")
    if row["name"] != row["exact_name"]:
        found.append(f"called {row['name']} instead of {row['exact_name']}")
    return found


def kept_rows() -> list[Row]:
    return [json.loads(line) for line in KEPT.read_text(encoding="utf-8").splitlines()] if KEPT.exists() else []


def line_of(row: Row) -> str:
    """A row for the terminal."""
    if "failure" in row:
        return f"{row['key']:32} {row['kind']:14} FAILED: {row['failure']}"
    angle = "" if row["angle"] is None else f"{row['angle']:.1e}°"
    counts = row["formulas"]
    wrong = "; ".join(faults(row))
    return (
        f"{row['key']:32} {row['kind']:14} {row['dimension']:>3} of {row['exact_dimension']:<3} {angle:9} "
        f"{counts['proved']}/{sum(counts.values())} proved {row['seconds']:6.1f} s  {wrong}"
    )


def page(rows: list[Row]) -> str:
    """The whole page."""
    return "\n".join([*heading(rows), "", *table(rows), ""])


def heading(rows: list[Row]) -> Iterator[str]:
    """Totals, and everything that is not as it should be."""
    from liestonet.catalogue import catalogue

    solved = [row for row in rows if "failure" not in row]
    # what was not solved is not proved either
    unsolved = sum(catalogue[row["key"]].dimension(row["kind"]) for row in rows if "failure" in row)
    total = sum(sum(row["formulas"].values()) for row in solved) + int(unsolved)
    proved = sum(row["formulas"]["proved"] for row in solved)
    angles = [row["angle"] for row in solved if row["angle"] is not None]
    right = sum(row["dimension"] == row["exact_dimension"] for row in solved)
    called = sum(row["name"] == row["exact_name"] for row in solved)
    close = sum(angle < LARGEST_ANGLE for angle in angles)
    yield "# The catalogue, solved"
    yield ""
    yield "Made by `make catalogue`, which solves every system on its own box and compares with the exact generators."
    yield ""
    yield f"- {len({row['key'] for row in rows})} systems, {len(rows)} algebras (one for each kind of symmetry given)"
    yield f"- dimension right: {right} of {len(rows)}"
    yield f"- span within {LARGEST_ANGLE}° of the exact one: {close} of {len(angles)} (where there are generators)"
    yield f"- algebra called by the name that theory gives it: {called} of {len(rows)}"
    yield f"- formulas proved: {proved} of {total} ({100 * proved / max(total, 1):.1f} %)"
    wrong = [(row, text) for row in rows for text in faults(row)]
    yield f"- not as it should be: {len(wrong) or 'nothing'}"
    for row, text in wrong:
        yield f"    - `{row['key']}`, {LABELS[row['kind']]}: {text}"
    unproved = [row for row in solved if row["formulas"]["proved"] < sum(row["formulas"].values())]
    if unproved:
        named = ", ".join(f"`{row['key']}` ({LABELS[row['kind']]})" for row in unproved)
        yield f"- not all formulas proved: {named}"
    yield ""
    yield "Angles are the largest principal ones between the span found and the exact one, in units of the box. The"
    yield "exact name is stated in the catalogue by hand, from theory. Seconds are for all of `solve`."


def table(rows: list[Row]) -> Iterator[str]:
    yield "| system | kind | dimension | exact | angle (°) | algebra | proved | seconds |"
    yield "|---|---|---|---|---|---|---|---|"
    for row in rows:
        if "failure" in row:
            yield f"| `{row['key']}` | {LABELS[row['kind']]} | failed | | | | | |"
            continue
        counts = row["formulas"]
        name = row["name"] or "infinite-dimensional"
        if row["name"] != row["exact_name"]:
            name += f" (exact: {row['exact_name']})"
        dimension, exact = (text.replace("inf", "∞") for text in (row["dimension"], row["exact_dimension"]))
        angle = "" if row["angle"] is None else f"{row['angle']:.0e}"
        yield (
            f"| `{row['key']}` | {LABELS[row['kind']]} | {dimension} | {exact} | {angle} | {name} | "
            f"{counts['proved']} of {sum(counts.values())} | {row['seconds']:.1f} |"
        )


def say(*lines: str) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


def main(words: list[str]) -> None:
    from liestonet.catalogue import catalogue

    if words[:1] == ["--one"]:
        for row in solve_system(words[1]):
            say(json.dumps(row))
        return
    keys = [word for word in words if not word.startswith("-")]
    kept = {row["key"]: [r for r in kept_rows() if r["key"] == row["key"]] for row in kept_rows()}
    if not keys and "--resume" not in words:
        kept = {}
    todo = [key for key in catalogue if key in keys or key not in kept]
    todo.sort(key=lambda key: catalogue[key].sde.dimension > MANY_DIMENSIONS)  # they take the longest
    KEPT.parent.mkdir(exist_ok=True)
    for position, key in enumerate(todo, start=1):
        kept[key] = run_system(key)
        say(*(f"{position}/{len(todo)}  {line_of(row)}" for row in kept[key]))
        write_rows(row for rows in kept.values() for row in rows)
    rows = [row for key in catalogue for row in kept[key]]
    PAGE.write_text(page(rows), encoding="utf-8")
    say("", *heading(rows))


def write_rows(rows: Iterable[Row]) -> None:
    KEPT.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
