"""Not in the paper: the whole catalogue from data, true against found dimension, the angle at the true one.

For comparison: the angle of the true form of the equation, fitted to the same data (`reproduction/fitted.py`).

Itô symmetries in the gauge that data determine. Rows of the matrix are the true dimension, columns the one found.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import asdict
from typing import Any

import numpy as np

from liestonet.catalogue import catalogue
from liestonet.core.angles import principal_angles
from liestonet.errors import InputError
from liestonet.pipeline.discover import discover
from liestonet.pipeline.solve import solve
from liestonet.reproduction.cases import POINTS, central_points
from liestonet.reproduction.engines import described
from liestonet.reproduction.figures import svg
from liestonet.reproduction.fitted import fitted_form
from liestonet.reproduction.publication import Item, ItemJob, Options, Publication
from liestonet.study.jobs import digest
from liestonet.study.tables import Table
from liestonet.symmetry.statistical.verdicts import Criteria
from liestonet.trajectories.trajectories import Trajectories

FIRST_SEED, SIZES, QUICK_SIZE = 6000, (512, 4096), 64
QUICK_SYSTEMS = 8  # number of one-coordinate systems in quick studies
# Paths of fewer steps than this are replaced by several: single increments are not paths.
LEAST_STEPS = 100
# In more dimensions than this the true form would take too long to fit and solve.
MOST_FOR_ORACLE = 3
BETTER = 1.0  # degrees by which an angle must be smaller to be counted
KIND = "ito-cholesky"
WRONG = ("missed", "near", "false")
COLOURS = {"right": "#1f5fa8", "undecided": "#c9a227", "missed": "#b2452f", "near": "#6a9a4b", "false": "#000000"}


def data_of(system: Any, paths: int, seed: int) -> Trajectories:
    """Simulated data: `paths` paths of the system's experiment, more if they are very short."""
    steps = round(system.experiment.duration / system.experiment.step)
    return system.simulate(paths=paths * max(1, math.ceil(LEAST_STEPS / steps)), seed=seed)


def run(system: str, paths: int, seed: int) -> dict[str, Any]:
    """One run: found and true symmetries."""
    return run_on(catalogue[system], paths, seed)


def run_on(known: Any, paths: int, seed: int) -> dict[str, Any]:
    """One run on any system with known symmetries."""
    data = data_of(known, paths, seed)
    true = known.dimension(KIND)
    record: dict[str, Any] = {"true": true if true < math.inf else "inf"}
    try:
        result = discover(data, formulas=False)
    except InputError as problem:
        return {**record, "refused": str(problem)}
    record |= {
        "found": result.dimension,
        "verdicts": [row.verdict for row in result.ladder],
        "residuals": [round(row.residual, 5) for row in result.ladder],
        "noises": [round(row.noise, 5) for row in result.ladder],
        "p_values": [float(f"{row.p_value:.3g}") for row in result.ladder],
        "flags": [flag.code for flag in result.flags],
    }
    if result.dimension > true:
        record["tolerable"] = tolerable(known, result)
    if 0 < true < math.inf:
        record |= angles(known, data, result, int(true))
    return record


def tolerable(system: Any, result: Any) -> int:
    """The number of directions of the true equation with a residual below the tolerance, symmetries or not."""
    exact = solve(system.cholesky_sde, "ito", result.domain.intervals, formulas=False)
    return sum(row.residual < result.findings.criteria.tolerance for row in exact.ladder)


def angles(system: Any, data: Trajectories, result: Any, true: int) -> dict[str, Any]:
    """Largest unit-free angle at the true dimension, and that of the fitted true form."""
    t, x = central_points(data)
    exact, half = system.generators(KIND), result.domain.half
    scale = (half[0], half[1:])
    found = {"angle": float(np.max(principal_angles(result.candidates(true), exact, t, x, scale=scale)))}
    if system.sde.dimension > MOST_FOR_ORACLE:
        return found
    try:
        oracle = solve(fitted_form(system.cholesky_sde, data), "ito", result.domain.intervals, formulas=False)
        best = oracle.candidates(true)
    except (InputError, ValueError):
        return found
    return {**found, "oracle": float(np.max(principal_angles(best, exact, t, x, scale=scale)))}


def given(system: str) -> dict[str, Any]:
    """What a run depends on besides its settings: the catalogue's entry, the engine, constants of this module."""
    known = catalogue[system]
    facts = (known.equation, known.cholesky, known.experiment, dict(known.symmetries), known.infinite)
    return {
        "system": digest(repr(facts)),
        "engine": described("spectral", ""),
        "standards": asdict(Criteria()),
        "kind": KIND,
        "least steps": LEAST_STEPS,
        "most for the fitted form": MOST_FOR_ORACLE,
        "points": POINTS,
    }


def jobs(options: Options) -> list[ItemJob]:
    """The jobs: every system with both numbers of paths; in quick studies a few scalar ones with few paths."""
    scalar = [name for name in catalogue if catalogue[name].sde.dimension == 1][:QUICK_SYSTEMS]
    names, sizes = (scalar, (QUICK_SIZE,)) if options.quick else (list(catalogue), SIZES)
    return [
        ItemJob(
            "confusion",
            f"{name}-{size}-{seed}",
            "confusion:run",
            {"system": name, "paths": size, "seed": seed},
            cost=10 * catalogue[name].sde.dimension,
            given=given(name),
        )
        for seed in range(FIRST_SEED, FIRST_SEED + options.count(1))
        for size in sizes
        for name in names
    ]


def outcome(record: dict[str, Any]) -> str:
    """The outcome of a run: right, fewer or more symmetries than true.

    Separate outcomes: fewer because directions are undecided, and one more that holds to within the tolerance.
    """
    if "refused" in record:
        return "refused"
    if record["true"] == "inf":
        return "infinite"
    missing = record["true"] - record["found"]
    if missing <= 0:
        return "right" if missing == 0 else ("near" if record["found"] <= record["tolerable"] else "false")
    others = record["verdicts"][record["found"] : record["true"]]
    return "undecided" if all(verdict == "undecided" for verdict in others) else "missed"


def publish(records: list[dict[str, Any]]) -> Publication:
    """Matrices for each size, the wrong runs, a table by system, and angles against those of the fitted true form."""
    sizes = sorted({r["paths"] for r in records})
    of = {size: [r for r in records if r["paths"] == size] for size in sizes}
    tables = {f"matrix-{size}": matrix(of[size], f"{size:,} paths: true \\ found") for size in sizes}
    wrong = wrong_runs(records)
    tables |= {"wrong": wrong} if wrong.rows else {}
    tables["systems"] = systems_table(records, sizes)
    picture = svg(lambda axes: draw(axes[0], of), columns=len(sizes), size=(4.0, 3.6))
    text = [_introduction(records), *(summary(of[size], size) for size in sizes), _beside_the_fitted_form(records)]
    return Publication(" ".join(text), tables, {"angles": picture})


def _introduction(records: list[dict[str, Any]]) -> str:
    """The introduction: the question, the number of seeds, and the meaning of the outcomes."""
    asked, seeds = Criteria(), sorted({r["seed"] for r in records})
    once = f"one run of each (seed {seeds[0]}), so what happened to a single system may be chance"
    runs = once if len(seeds) == 1 else f"{len(seeds)} seeds of each"
    return (
        "`Spectral()`: Itô symmetries of every system of the catalogue at the default tolerance "
        f"({asked.tolerance:.0%}) and error rate ({asked.error_rate:.0%}); {runs}. If all missing symmetries were "
        "called *undecided*, the result says that the data are too few: these runs are counted separately. *Missed* "
        "is a symmetry called something else, *near* one too many that the true equation has to within the tolerance, "
        "*false* one that it has not. Angles are unit-free, the largest at the true dimension."
    )


def _beside_the_fitted_form(records: list[dict[str, Any]]) -> str:
    """A paragraph on the fitted true form, and in how many runs the search was better."""
    both = [r for r in records if "oracle" in r]
    better = [r for r in both if r["angle"] < r["oracle"] - BETTER]
    worse = [r for r in both if r["angle"] > r["oracle"] + BETTER]
    return (
        "*The true form, fitted* knows every term of the equation: each term of the drift gets a factor and each noise "
        "a size, from the same increments, and that equation is solved. It is a comparison and not a bound: "
        "independent factors lose symmetries that depend on their ratio, and the search may impose the symmetries "
        f"found on the coefficients. Of {len(both)} runs that have both, ours is better by more than {BETTER:.0f}° in "
        f"{len(better)} and worse by more than that in {len(worse)}."
    )


def summary(records: list[dict[str, Any]], size: int) -> str:
    """One sentence for a size."""
    counts = Counter(outcome(record) for record in records)
    judged = len(records) - counts["infinite"] - counts["refused"]
    return (
        f"With {size:,} paths: {judged} runs, {counts['right']} right, {counts['undecided']} with what is missing "
        f"undecided, {counts['missed']} that miss a symmetry, {counts['near']} that take a near-symmetry within the "
        f"tolerance for one, {counts['false']} with a false one; {counts['refused']} refused, {counts['infinite']} of "
        "an infinite algebra."
    )


def matrix(records: list[dict[str, Any]], title: str) -> Table:
    """The matrix of true against found dimensions; runs that miss only undecided directions are separate."""
    rows = [r for r in records if outcome(r) not in ("refused", "infinite")]
    found = sorted({r["found"] for r in rows if outcome(r) != "undecided"})
    lines = []
    for true in sorted({r["true"] for r in rows}):
        own = [r for r in rows if r["true"] == true]
        counts = Counter(r["found"] for r in own if outcome(r) != "undecided")
        cells = [f"**{counts[k]}**" if k == true and counts[k] else str(counts[k] or "·") for k in found]
        lines.append((true, *cells, sum(outcome(r) == "undecided" for r in own) or "·"))
    return Table((title, *map(str, found), "undecided"), tuple(lines))


def wrong_runs(records: list[dict[str, Any]]) -> Table:
    """The table of runs that miss a symmetry or have one too many, with the verdicts on the directions."""
    rows = tuple(
        (r["system"], r["paths"], r["seed"], outcome(r), r["true"], r["found"], ", ".join(_looked_at(r)))
        for r in records
        if outcome(r) in WRONG
    )
    return Table(("runs that went wrong", "paths", "seed", "outcome", "true", "found", "directions in order"), rows)


def _looked_at(record: dict[str, Any]) -> list[str]:
    """The verdicts on all directions that are or were called symmetries, and on at least one more."""
    return record["verdicts"][: max(record["found"], record["true"] + 1)]


def systems_table(records: list[dict[str, Any]], sizes: list[int]) -> Table:
    """The table with one row for each system and all sizes."""
    rows = []
    for name in catalogue:
        own = [r for r in records if r["system"] == name]
        if own:
            cells = [cell for size in sizes for cell in _cells([r for r in own if r["paths"] == size])]
            rows.append((name, "∞" if own[0]["true"] == "inf" else own[0]["true"], *cells))
    columns = [f"{size:,}: {what}" for size in sizes for what in ("found", "angle", "true form, fitted")]
    return Table(("system (1 + 2? is one found, two undecided)", "true", *columns), tuple(rows))


def _cells(records: list[dict[str, Any]]) -> tuple[str | None, ...]:
    """Dimensions found, median angle and that of the true form, fitted."""
    found = Counter(_found(r) for r in records)
    listed = ", ".join(f"{name} ({count})" if len(found) > 1 else name for name, count in found.most_common())
    return (listed or None, _median(records, "angle"), _median(records, "oracle"))


def _found(record: dict[str, Any]) -> str:
    if "refused" in record:
        return "refused"
    missing = f" + {record['true'] - record['found']}?" if outcome(record) == "undecided" else ""
    return f"{record['found']}{missing}"


def _median(records: list[dict[str, Any]], key: str) -> str | None:
    values = [r[key] for r in records if key in r]
    return f"{np.median(values):.2f}°" if values else None


def draw(axes: Any, of: dict[int, list[dict[str, Any]]]) -> None:
    """Draw the angle against that of the fitted true form; one point for each run, coloured by the outcome."""
    for ax, (size, records) in zip(axes, of.items(), strict=True):
        for name, colour in COLOURS.items():
            own = [r for r in records if outcome(r) == name and "oracle" in r]
            x, y = ([max(r[key], 1e-2) for r in own] for key in ("oracle", "angle"))
            ax.loglog(x, y, "o", color=colour, alpha=0.6, markersize=4, label=f"{name} ({len(own)})")
        ax.loglog([1e-2, 90], [1e-2, 90], color="#999999", linewidth=0.8)
        ax.set(title=f"{size:,} paths", xlabel="angle of the true form, fitted (degrees)", ylabel="angle (degrees)")
        ax.legend(frameon=False, fontsize=7)


ITEM = Item("confusion", "The whole catalogue from data", jobs, publish, cut="more than one seed", uncut="--seeds 10")
