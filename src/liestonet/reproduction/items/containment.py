"""SDE symmetries inside the Fokker–Planck algebra: angles between the Itô span and the (τ, ξ) of the other."""

from __future__ import annotations

from typing import Any

import numpy as np

from liestonet.reproduction.cases import CASES, central_points
from liestonet.reproduction.engines import PAPER_READINGS, PAPER_SEED, TITLES, described, discovered
from liestonet.reproduction.paper import CONTAINMENT
from liestonet.reproduction.publication import Item, ItemJob, Options, Publication
from liestonet.study.tables import Table
from liestonet.validation.containment import containment_angles

FIRST_SEED = 4600
SEEDS = {"spectral": 10, "neural": 5, "paper": 5}
COSTS = {"spectral": 10, "neural": 150, "paper": 60}  # the angles have the networks of the paper's settings
KINDS = ("ex1", "fp")


def run(engine: str, seed: int, share: float = 1.0) -> dict[str, Any]:
    """Angles of the Itô span of Example 1 with the projected Fokker–Planck span."""
    data = CASES["ex1"].data(seed, share)
    t, x = central_points(data)
    trained = engine in PAPER_READINGS
    found = (discovered(case, engine, data, seed) for case in KINDS)
    inner, outer = (result.training.generators if trained else result.generators for result in found)
    return {"angles": containment_angles(inner, outer, t, x, beta=False)}


def jobs(options: Options) -> list[ItemJob]:
    """The jobs: all engines; in quick studies the spectral one on a tenth of the data."""
    share = 0.1 if options.quick else 1.0
    engines = ("spectral",) if options.quick else tuple(SEEDS)
    return [
        ItemJob(
            "containment",
            f"{engine}-{seed}",
            "containment:run",
            {"engine": engine, "seed": seed, "share": share},
            cost=COSTS[engine],
            given={"engines": [described(engine, case) for case in KINDS], "data": CASES["ex1"].described},
        )
        for engine in engines
        for seed in _seeds(engine, options.count(SEEDS[engine]))
    ]


def _seeds(engine: str, count: int) -> range:
    first = PAPER_SEED if engine in PAPER_READINGS else FIRST_SEED
    return range(first, first + count)


def publish(records: list[dict[str, Any]]) -> Publication:
    """The three angles, ascending."""
    rows: list[tuple[Any, ...]] = [("paper", None, *(f"{angle:.2f}°" for angle in CONTAINMENT))]
    for engine in SEEDS:
        found = np.array([r["angles"] for r in records if r["engine"] == engine])
        if len(found):
            spreads = found.std(axis=0, ddof=1) if len(found) > 1 else np.full(3, np.nan)
            cells = (
                f"{m:.2f}°" if np.isnan(s) else f"{m:.2f} ± {s:.2f}°"
                for m, s in zip(found.mean(axis=0), spreads, strict=True)
            )
            rows.append((TITLES[engine], len(found), *cells))
    largest = [
        f"{max(angles):.2f}° of {TITLES[engine]}"
        for engine in SEEDS
        if (angles := [angle for r in records if r["engine"] == engine for angle in r["angles"]])
    ]
    worst = f" The largest angles of any run here are {' and '.join(largest)}." if largest else ""
    return Publication(
        "Every Itô symmetry lifts to the Fokker–Planck equation, so all angles are zero in truth: the paper's "
        f"{max(CONTAINMENT):.1f}° is the error of its two trainings.{worst}",
        {"angles": Table(("engine", "seeds", "angle 1", "angle 2", "angle 3"), tuple(rows))},
    )


ITEM = Item(
    "containment",
    "Itô symmetries inside the Fokker–Planck algebra",
    jobs,
    publish,
)
