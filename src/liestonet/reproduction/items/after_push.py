"""After-push residuals of Examples 1 to 4, with floor and control."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from liestonet.catalogue import catalogue
from liestonet.reproduction.cases import CASES, EXAMPLES
from liestonet.reproduction.engines import TITLES, discovered
from liestonet.reproduction.jobs import Job
from liestonet.reproduction.paper import AFTER_PUSH
from liestonet.reproduction.study import Item, Options, Publication
from liestonet.reproduction.tables import Table, spread
from liestonet.validation.after_push import after_push

FIRST_SEED = 4700
FRESH = 90_000  # seeds of the pushed paths, apart from those that were fitted
PUSHED = 500 / 2048  # the paper pushes 500 paths
SEEDS = {"spectral": 10, "neural": 5}
EPSILONS = (1.0, 3.0, 5.0)
NEAR = 2  # times the floor's mean square


def run(case: str, engine: str, seed: int, share: float = 1.0) -> dict[str, Any]:
    """Push fresh paths of the true system along what was found, fit, and compare with the truth."""
    what = CASES[case]
    data = what.data(seed, share)
    result = discovered(case, engine, data, seed)
    fresh = what.data(FRESH + seed, min(share, PUSHED) if case != "ex2" else share)
    truth = catalogue[what.system].sde
    rows = after_push(data, result.fields, EPSILONS, truth=truth, fresh=fresh, seed=seed)
    return {"rows": [asdict(row) for row in rows]}


def jobs(options: Options) -> list[Job]:
    """Every example and engine."""
    share = 0.1 if options.quick else 1.0
    return [
        Job(
            "after-push",
            f"{case}-{engine}-{seed}",
            "after_push:run",
            {"case": case, "engine": engine, "seed": seed, "share": share},
            cost=60,
        )
        for engine in (("spectral",) if options.quick else SEEDS)
        for seed in range(FIRST_SEED, FIRST_SEED + options.count(SEEDS[engine]))
        for case in (EXAMPLES[:2] if options.quick else EXAMPLES)
    ]


def publish(records: list[dict[str, Any]]) -> Publication:
    """The paper's layout: drift and diffusion for each generator and ε."""
    tables = {f"{epsilon:.0f}": _table(records, epsilon) for epsilon in EPSILONS}
    return Publication(
        "Mean squares of what a fit to pushed paths misses of the true drift and diffusion, in units of the box. The "
        "floor is the same fit to paths that were not pushed, the control a random field of equal norm. A residual at "
        "the floor says that nothing can be seen at this data size; the paper prints neither floor nor control, and "
        "does not state the units of its residuals. A dash: the flow carries too much of the data out of the box or to "
        "infinity (e^{2t}∂t blows up at ε = ½e^{−2t}).\n\n" + _agreement(records),
        tables,
    )


def _agreement(records: list[dict[str, Any]]) -> str:
    """How often a push along a generator stays at the floor, and how often a random field's does."""
    lines = []
    for engine in SEEDS:
        mine = [row for r in records if r["engine"] == engine for row in r["rows"] if row["residual"] and row["floor"]]
        counts = [
            f"{sum(_near(row['residual'], row['floor']) for row in rows)} of {len(rows)} at ε = {epsilon:g} (control "
            f"{sum(_near(row['control'], row['floor']) for row in rows)})"
            for epsilon in EPSILONS
            if (rows := [row for row in mine if row["epsilon"] == epsilon])
        ]
        if counts:
            lines.append(f"{TITLES[engine]}: at most {NEAR} times the floor, drift and diffusion, {', '.join(counts)}.")
    largest = max(value for cases in AFTER_PUSH.values() for rows in cases.values() for row in rows for value in row)
    return (
        f"The paper's residuals are at most {largest:.0e} for every ε. "
        + " ".join(lines)
        + " Above the floor the error of the generator itself shows, which a long push multiplies (exponentially along "
        "generators such as e^{at}∂x or x∂x); mean and deviation are then those of a few runs, and can exceed the "
        "control's."
    )


def _near(value: dict[str, Any] | None, floor: dict[str, Any]) -> bool:
    """Whether both mean squares are of the floor's size; one that is not finite is kept as None and is not."""
    return value is not None and all(
        None not in (value[name], floor[name]) and value[name] <= NEAR * floor[name] for name in ("drift", "diffusion")
    )


def _table(records: list[dict[str, Any]], epsilon: float) -> Table:
    rows = []
    for case in EXAMPLES:
        for k in range(3):
            drift, diffusion = AFTER_PUSH[int(epsilon)][case][k]
            cells: list[Any] = [CASES[case].title, k + 1, f"{drift:.1e}", f"{diffusion:.1e}"]
            for engine in SEEDS:
                found = [
                    row
                    for r in records
                    if (r["case"], r["engine"]) == (case, engine)
                    for row in r["rows"]
                    if (row["generator"], row["epsilon"]) == (k, epsilon)
                ]
                for part in ("residual", "floor", "control"):
                    values = [row[part] for row in found if row[part]]
                    both = [spread([value[name] for value in values]) for name in ("drift", "diffusion")]
                    cells.append(" / ".join(text.split(" (")[0] for text in both if text) or None)
            rows.append(tuple(cells))
    engines = [f"{TITLES[engine]} {part}" for engine in SEEDS for part in ("residual", "floor", "control")]
    return Table((f"case (ε = {epsilon:g})", "generator", "paper drift", "paper diffusion", *engines), tuple(rows))


ITEM = Item("after-push", "After-push residuals", jobs, publish)
