"""Ours: the three kinds of symmetry compared on the same data."""

from __future__ import annotations

from typing import Any

from liestonet.catalogue import catalogue
from liestonet.from_data import discover
from liestonet.reproduction.cases import CASES, EXAMPLES, central_points
from liestonet.reproduction.jobs import Job
from liestonet.reproduction.study import Item, Options, Publication
from liestonet.reproduction.tables import Table, spread
from liestonet.validation.angles import principal_angles

FIRST_SEED = 4200
KINDS = ("ito", "law", "fokker-planck")


def run(case: str, kind: str, seed: int, share: float) -> dict[str, Any]:
    """Dimension found and, where exact generators are known, the angle at the true one."""
    what = CASES[case]
    system, data = catalogue[what.system], what.data(seed, share)
    result = discover(data, symmetry=kind, formulas=False)
    true = int(system.dimension(kind)) if kind in system.kinds else None
    record: dict[str, Any] = {"found": result.dimension, "true": true, "name": result.algebra.name}
    if true and true <= result.directions.count:
        t, x = central_points(data)
        record["angle"] = float(principal_angles(result.candidates(true), system.generators(kind), t, x)[-1])
    return record


def jobs(options: Options) -> list[Job]:
    """Every example with every kind."""
    share = 0.1 if options.quick else 1.0
    return [
        Job(
            "kinds",
            f"{case}-{kind}-{seed}",
            "kinds:run",
            {"case": case, "kind": kind, "seed": seed, "share": share},
            cost=15,
        )
        for case in (EXAMPLES[:2] if options.quick else EXAMPLES)
        for kind in KINDS
        for seed in range(FIRST_SEED, FIRST_SEED + options.count(3))
    ]


def publish(records: list[dict[str, Any]]) -> Publication:
    """How often each kind's dimension is right, and the angle."""
    rows = []
    for case in EXAMPLES:
        for kind in KINDS:
            group = [r for r in records if r["case"] == case and r["kind"] == kind]
            if group:
                true = group[0]["true"]
                right = None if true is None else f"{sum(r['found'] == true for r in group)} of {len(group)}"
                found = ", ".join(str(r["found"]) for r in group)
                angle = spread([r.get("angle") for r in group], "°")
                rows.append((CASES[case].title, kind, true, found, right, angle))
    columns = ("case", "kind", "true dimension", "found", "right", "largest angle")
    return Publication(
        "Itô symmetries keep the Wiener process, law symmetries the law, Fokker–Planck ones the equation of the "
        "density (modulo superposition). A dash: the catalogue has no exact answer for that kind.",
        {"dimensions": Table(columns, tuple(rows))},
    )


ITEM = Item("kinds", "The three kinds of symmetry compared", jobs, publish)
