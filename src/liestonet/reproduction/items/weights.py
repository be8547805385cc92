"""The angle over the weights of L6 and L7."""

from __future__ import annotations

from typing import Any

import numpy as np

from liestonet.from_data import discover
from liestonet.reproduction.cases import CASES, central_points
from liestonet.reproduction.engines import networks
from liestonet.reproduction.items.ablation import FULL
from liestonet.reproduction.jobs import Job
from liestonet.reproduction.paper import WEIGHTS
from liestonet.reproduction.study import Item, Options, Publication
from liestonet.reproduction.tables import Table, spread
from liestonet.validation.angles import principal_angles

FIRST_SEED = 4500
CASE = "ex2"  # the paper does not say which; its angles are of the size of Example 2's


def run(sixth: float, seventh: float, seed: int, share: float = 1.0) -> dict[str, Any]:
    """The angle at the true dimension with these two weights; L3 and L4, exactly zero, are not evaluated."""
    what = CASES[CASE]
    data = what.data(seed, share)
    weights = (FULL[0], FULL[1], 0.0, 0.0, FULL[4], sixth, seventh, 0.0, 0.0)
    result = discover(data, networks(weights), what.symmetry, dimension=what.dimension, formulas=False, seed=seed)
    t, x = central_points(data)
    return {"angle": float(principal_angles(result.training.generators, what.exact, t, x)[-1])}


def jobs(options: Options) -> list[Job]:
    """The whole grid; in quick studies its corners on a tenth of the data."""
    share = 0.1 if options.quick else 1.0
    pairs = [pair for pair in WEIGHTS if not options.quick or (pair[0] in (1.0, 0.2) and pair[1] in (0.1, 0.9))]
    return [
        Job(
            "weights",
            f"{sixth}-{seventh}-{seed}",
            "weights:run",
            {"sixth": sixth, "seventh": seventh, "seed": seed, "share": share},
            cost=60,
        )
        for seed in range(FIRST_SEED, FIRST_SEED + options.count(3))
        for sixth, seventh in pairs
    ]


def publish(records: list[dict[str, Any]]) -> Publication:
    """One row for each pair, and how much of the spread the seeds explain."""
    rows = tuple(
        (pair[0], pair[1], f"{angle:.2f}°", spread([r["angle"] for r in _of(records, pair)], "°"))
        for pair, angle in WEIGHTS.items()
        if _of(records, pair)
    )
    means = [np.mean([r["angle"] for r in group]) for pair in WEIGHTS if (group := _of(records, pair))]
    return Publication(
        f"The paper's angles range from {min(WEIGHTS.values()):.1f}° to {max(WEIGHTS.values()):.1f}° without order; "
        f"ours, meaned over seeds, from {min(means):.1f}° to {max(means):.1f}°.",
        {"angles": Table(("w6", "w7", "paper", "`Neural(polish=False)`"), rows)},
    )


def _of(records: list[dict[str, Any]], pair: tuple[float, float]) -> list[dict[str, Any]]:
    return [r for r in records if (r["sixth"], r["seventh"]) == pair]


ITEM = Item("weights", "Weights of L6 and L7", jobs, publish)
