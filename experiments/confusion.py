"""The whole catalogue from data: true against found dimension, the angle at the true one, the oracle's beside it.

    python experiments/confusion.py                       # one seed, 512 and 4,096 paths; prints and writes the page
    python experiments/confusion.py --seeds 3 --systems cir bessel
    python experiments/confusion.py --first 100 --records tuning.jsonl --no-page

Every run is a line of experiments/records/confusion.jsonl, so that a stopped experiment goes on where it was. Seeds
begin at 4000; none of them was looked at while the method was built.
"""

from __future__ import annotations

import argparse
import json
import math
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from examples import central_points
from oracle import fitted_form

import liestonet as lsn
from liestonet.errors import InputError

FIRST_SEED, SIZES = 4000, (512, 4096)
# A path of fewer steps than this is replaced by several: single increments are no path.
LEAST_STEPS = 100
# In more dimensions than this the oracle would take longer than all the rest.
MOST_FOR_ORACLE = 3
ROOT = Path(__file__).resolve().parent.parent
RECORDS = ROOT / "experiments" / "records" / "confusion.jsonl"
PAGE = ROOT / "docs" / "confusion.md"
FIGURE = ROOT / "docs" / "figures" / "confusion.svg"
KIND = "ito-cholesky"


def data_of(system: Any, paths: int, seed: int) -> lsn.Trajectories:
    """As many paths of the system's own experiment, more where they are very short."""
    steps = round(system.experiment.duration / system.experiment.step)
    return system.simulate(paths=paths * max(1, math.ceil(LEAST_STEPS / steps)), seed=seed)


def run(key: str, paths: int, seed: int) -> dict[str, Any]:
    """One run: what was found beside what is true."""
    system = lsn.catalogue[key]
    data = data_of(system, paths, seed)
    true = system.dimension(KIND)
    record: dict[str, Any] = {"system": key, "paths": paths, "seed": seed, "true": true if true < math.inf else "inf"}
    begin = time.perf_counter()
    try:
        result = lsn.discover(data, formulas=False)
    except InputError as problem:
        return {**record, "refused": str(problem)}
    record |= {
        "found": result.dimension,
        "law": [system.dimension("law") if true < math.inf else "inf", result.law_dimension],
        "verdicts": [row.verdict for row in result.ladder],
        "residuals": [round(row.residual, 5) for row in result.ladder],
        "noises": [round(row.noise, 5) for row in result.ladder],
        "p_values": [float(f"{row.p_value:.3g}") for row in result.ladder],
        "flags": [flag.code for flag in result.flags],
        "seconds": round(time.perf_counter() - begin, 2),
    }
    if result.dimension > true:
        record["tolerable"] = tolerable(system, result)
    if 0 < true < math.inf:
        record |= angles(system, data, result, int(true))
    return record


def tolerable(system: Any, result: Any) -> int:
    """How many directions of the true equation have a residual below the tolerance, symmetries or not."""
    exact = lsn.solve(system.cholesky_sde, "ito", result.domain.intervals, formulas=False)
    return sum(row.residual < result.standards.tolerance for row in exact.ladder)


def angles(system: Any, data: lsn.Trajectories, result: Any, true: int) -> dict[str, Any]:
    """Largest unit-free angle at the true dimension, and that of the oracle."""
    t, x = central_points(data)
    exact, half = system.generators(KIND), result.domain.half
    scale = (half[0], half[1:])
    found = {"angle": float(np.max(lsn.principal_angles(result.candidates(true), exact, t, x, scale=scale)))}
    if system.sde.dimension > MOST_FOR_ORACLE:
        return found
    try:
        oracle = lsn.solve(fitted_form(system.cholesky_sde, data), "ito", result.domain.intervals, formulas=False)
        best = oracle.candidates(true)
    except (InputError, ValueError):
        return found
    return {**found, "oracle": float(np.max(lsn.principal_angles(best, exact, t, x, scale=scale)))}


@contextmanager
def limited(seconds: int) -> Iterator[None]:
    """Stop what takes longer on the clock."""

    def stop(number: int, frame: Any) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


def run_limited(key: str, paths: int, seed: int, seconds: int) -> dict[str, Any]:
    """One run, or a record that it was cut."""
    try:
        with limited(seconds):
            return run(key, paths, seed)
    except TimeoutError:
        return {"system": key, "paths": paths, "seed": seed, "cut": seconds}


def outcome(record: dict[str, Any]) -> str:
    """Right, fewer or more symmetries than there are.

    Fewer because of what is undecided counts apart, and so does one more that is true to within the tolerance.
    """
    if "refused" in record or "cut" in record:
        return "refused" if "refused" in record else "cut"
    if record["true"] == "inf":
        return "infinite"
    missing = record["true"] - record["found"]
    if missing <= 0:
        return "right" if missing == 0 else ("near" if record["found"] <= record["tolerable"] else "false")
    others = record["verdicts"][record["found"] : record["true"]]
    return "undecided" if all(verdict == "undecided" for verdict in others) else "missed"


def matrix(records: list[dict[str, Any]]) -> str:
    """Markdown: true against found; what was found less by undecided directions alone stands apart."""
    rows = [record for record in records if outcome(record) not in ("refused", "infinite", "cut")]
    found = sorted({record["found"] for record in rows if outcome(record) != "undecided"})
    lines = [
        "| true \\ found | " + " | ".join(map(str, found)) + " | undecided |",
        "|---" * (len(found) + 2) + "|",
    ]
    for true in sorted({record["true"] for record in rows}):
        own = [record for record in rows if record["true"] == true]
        counts = Counter(record["found"] for record in own if outcome(record) != "undecided")
        cells = [
            f"**{counts[k]}**" if k == true and counts[k] else (str(counts[k]) if counts[k] else "·") for k in found
        ]
        lines.append(
            f"| {true} | {' | '.join(cells)} | {sum(outcome(record) == 'undecided' for record in own) or '·'} |"
        )
    return "\n".join(lines)


def systems_table(records: list[dict[str, Any]]) -> str:
    """Markdown: one row a system, both sizes side by side."""
    lines = [
        "| system | true | " + " | ".join(f"{size:,}: found | angle | oracle" for size in SIZES) + " |",
        "|---" * (2 + 3 * len(SIZES)) + "|",
    ]
    for key in lsn.catalogue:
        own = [record for record in records if record["system"] == key]
        if own:
            cells = [_cells([record for record in own if record["paths"] == size]) for size in SIZES]
            true = lsn.catalogue[key].dimension(KIND)
            lines.append(f"| {key} | {'∞' if true == math.inf else true} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cells(records: list[dict[str, Any]]) -> str:
    """Dimensions found, median angle and median angle of the oracle."""
    found = Counter(_found(record) for record in records)
    listed = ", ".join(f"{name} ({count})" if len(found) > 1 else name for name, count in found.most_common())
    return f"{listed or '–'} | {_median(records, 'angle')} | {_median(records, 'oracle')}"


def _found(record: dict[str, Any]) -> str:
    if "refused" in record or "cut" in record:
        return outcome(record)
    missing = f" + {record['true'] - record['found']}?" if outcome(record) == "undecided" else ""
    return f"{record['found']}{missing}"


def _median(records: list[dict[str, Any]], key: str) -> str:
    values = [record[key] for record in records if key in record]
    return f"{np.median(values):.2f}°" if values else "–"


def summary(records: list[dict[str, Any]], size: int) -> str:
    own = [record for record in records if record["paths"] == size]
    counts = Counter(outcome(record) for record in own)
    judged = len(own) - counts["infinite"] - counts["refused"] - counts["cut"]
    return (
        f"**{size:,} paths**: {judged} runs, {counts['right']} right, {counts['undecided']} with what is missing "
        f"undecided, {counts['missed']} that miss a symmetry, {counts['near']} that take a near-symmetry within the "
        f"tolerance for one, {counts['false']} with a false one; {counts['cut']} took too long and were cut."
    )


def wrong_runs(records: list[dict[str, Any]]) -> str:
    """Runs that miss a symmetry or have a false one, in words."""
    lines = [
        f"- {record['system']}, {record['paths']:,} paths, seed {record['seed']}: {record['found']} instead of "
        f"{record['true']}; directions there: {', '.join(record['verdicts'][: record['true'] + 1])}"
        for record in records
        if outcome(record) in ("missed", "near", "false")
    ]
    return "\n".join(lines) or "None."


def draw(records: list[dict[str, Any]], path: Path) -> None:
    """Angle against the oracle's, one point a run; and how the outcomes divide."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "liestonet"
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(1, len(SIZES), figsize=(8.4, 3.8), layout="constrained", sharex=True, sharey=True)
    colours = {"right": "#1f5fa8", "undecided": "#c9a227", "missed": "#b2452f", "near": "#6a9a4b", "false": "#000000"}
    for axes, size in zip(panels, SIZES, strict=True):
        for name, colour in colours.items():
            own = [r for r in records if r["paths"] == size and outcome(r) == name and "oracle" in r]
            x, y = ([max(row[key], 1e-2) for row in own] for key in ("oracle", "angle"))
            axes.loglog(x, y, "o", color=colour, alpha=0.6, markersize=4, label=f"{name} ({len(own)})")
        axes.loglog([1e-2, 90], [1e-2, 90], color="#999999", linewidth=0.8)
        axes.set(title=f"{size:,} paths", xlabel="angle of the oracle, degrees")
        axes.legend(frameon=False, fontsize=7)
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("angle at the true dimension, degrees")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def page(records: list[dict[str, Any]]) -> str:
    seeds = sorted({record["seed"] for record in records})
    named = str(seeds[0]) if len(seeds) == 1 else f"{seeds[0]} to {seeds[-1]}"
    parts = ["# The whole catalogue from data", "", INTRODUCTION.replace("SEEDS", named)]
    for size in SIZES:
        ready = {record["system"] for record in records if record["paths"] == size}
        left = [key for key in lsn.catalogue if key not in ready]
        if left:
            parts += [f"Not run yet with {size:,} paths: {', '.join(left) if ready else 'all systems'}.", ""]
    for size in sorted({record["paths"] for record in records}):
        own = [record for record in records if record["paths"] == size]
        parts += [f"## {size:,} paths", "", summary(records, size), "", matrix(own), ""]
    parts += [
        "![angle at the true dimension against that of the oracle](figures/confusion.svg)",
        "",
        "## Runs that went wrong",
        "",
        wrong_runs(records),
        "",
        "## System by system",
        "",
        "`1 + 2?` means one symmetry found and two undecided.",
        "",
        systems_table(records),
        "",
    ]
    return "\n".join(parts)


INTRODUCTION = """Made by `python experiments/confusion.py`: Itô symmetries of every system of the catalogue in the
gauge that data can know, seeds SEEDS, none of them used while the method was built. A row is what is true, a column
what was found at the default tolerance (10 %) and error rate (5 %). Where all that is missing was called *undecided*,
the data are too few and the answer says so: these runs stand apart. Angles are unit-free, the largest at the true
dimension, on 4,000 data points inside the central 98 % of each coordinate. The oracle fits a factor to every term of
the true drift and a size to every noise (`experiments/oracle.py`), on the same data, and solves that equation. Systems
whose experiment is single increments get a hundred of them for a path.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--systems", nargs="*", default=list(lsn.catalogue), choices=list(lsn.catalogue))
    parser.add_argument("--sizes", nargs="*", type=int, default=list(SIZES))
    parser.add_argument("--first", type=int, default=FIRST_SEED)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--records", type=Path, default=RECORDS)
    parser.add_argument("--limit", type=int, default=600, help="seconds on the clock that one run may take")
    parser.add_argument("--no-page", action="store_true")
    arguments = parser.parse_args()
    arguments.records.parent.mkdir(exist_ok=True)
    lines = arguments.records.read_text().splitlines() if arguments.records.exists() else []
    done = [json.loads(line) for line in lines]
    present = {(record["system"], record["paths"], record["seed"]) for record in done}
    for seed in range(arguments.first, arguments.first + arguments.seeds):
        for size in arguments.sizes:
            for key in arguments.systems:
                if (key, size, seed) in present:
                    continue
                record = run_limited(key, size, seed, arguments.limit)
                done.append(record)
                with arguments.records.open("a") as file:
                    file.write(json.dumps(record) + "\n")
                print(key, size, seed, outcome(record), _found(record), f"{record.get('angle', 0):.2f}", flush=True)
    if not arguments.no_page:
        PAGE.write_text(page(done))
        draw(done, FIGURE)
    for size in sorted({record["paths"] for record in done}):
        print(summary(done, size))


if __name__ == "__main__":
    main()
