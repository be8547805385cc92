"""What holds the paper's recipe back: one change after the other, on the same data and surrogate."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from liestonet.reproduction.cases import CASES, central_points
from liestonet.reproduction.engines import discovered, engine_named, with_objective
from liestonet.reproduction.jobs import Job
from liestonet.reproduction.paper import SDE_ANGLES
from liestonet.reproduction.study import Item, Options, Publication
from liestonet.reproduction.tables import Table, spread
from liestonet.validation.angles import principal_angles

FIRST_SEED = 4900
STEPS = 1000
# Example 2's cloud has uniform points from the start
CHANGES = {"ex2": ("rate", "constants"), "ex3": ("rate", "constants", "points"), "fp": ("rate", "constants", "points")}
TITLES = {
    "rate": f"a rate of 3e-3 that falls along a cosine, {STEPS} steps",
    "constants": "and one fit of structure constants to all points",
    "points": "and half of the points uniform in the box",
}


def run(case: str, changes: list[str], seed: int, share: float = 1.0) -> dict[str, Any]:
    """All angles of `Neural.paper` with some settings changed."""
    data = CASES[case].data(seed, share)
    settings = engine_named("paper", case)
    if "rate" in changes:
        optimizer = replace(settings.optimizer, rate=3e-3, schedule="cosine", final=0.0, steps=STEPS)
        settings = replace(settings, optimizer=optimizer)
    if "constants" in changes:
        settings = with_objective(settings, closure="global")
    if "points" in changes:
        settings = replace(settings, cloud=replace(settings.cloud, uniform=0.5))
    result = discovered(case, settings, data, seed)
    t, x = central_points(data)
    return {"angles": principal_angles(result.training.generators, CASES[case].exact, t, x)}


def jobs(options: Options) -> list[Job]:
    """Each case with one more change at a time; nothing in quick studies, which have no `Neural.paper` either."""
    if options.quick:
        return []
    return [
        Job(
            "recipe",
            f"{case}-{changes[count - 1]}-{seed}",
            "recipe:run",
            {"case": case, "changes": list(changes[:count]), "seed": seed},
            cost=200,
        )
        for seed in range(FIRST_SEED, FIRST_SEED + options.count(1))
        for case, changes in CHANGES.items()
        for count in range(1, len(changes) + 1)
    ]


def publish(records: list[dict[str, Any]]) -> Publication:
    """One row for each case and change."""
    rows = tuple(
        (
            CASES[case].title,
            TITLES[changes[count - 1]],
            f"{max(SDE_ANGLES[case]):.2f}°",
            spread([max(r["angles"]) for r in found], "°"),
        )
        for case, changes in CHANGES.items()
        for count in range(1, len(changes) + 1)
        if (found := [r for r in records if (r["case"], r["changes"]) == (case, list(changes[:count]))])
    )
    return Publication(
        "`Neural.paper` as it stands is in the table of angles. Here its settings are changed one after the other, "
        "each row with those above it; the surrogate is the paper's throughout. A third of the steps is enough with a "
        "rate that falls; that structure constants fitted point by point hold the generators away from the truth is "
        "shown as an identity below; and simulated paths alone leave parts of the box without points.",
        {"angles": Table(("case", "Neural.paper with", "paper", "largest angle"), rows)},
    )


ITEM = Item("recipe", "What holds the paper's recipe back", jobs, publish, cut="one seed; no Examples 1 and 4")
