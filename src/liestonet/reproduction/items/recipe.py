"""What holds the paper's recipe back: one change after the other, on the data of the angles and their surrogate."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from liestonet.core.angles import principal_angles
from liestonet.reproduction.cases import CASES, central_points
from liestonet.reproduction.engines import described, discovered, engine_named, with_objective
from liestonet.reproduction.items import angles
from liestonet.reproduction.paper import SDE_ANGLES
from liestonet.reproduction.publication import Item, ItemJob, Options, Publication
from liestonet.study.tables import Table, spread

STEPS = 1000
HARM = 1.5  # a change that makes the angle so many times larger is told
# Example 2's cloud has uniform points from the start
CHANGES = {"ex2": ("rate", "constants"), "ex3": ("rate", "constants", "points"), "fp": ("rate", "constants", "points")}
# Where the paper's text gives another example's networks and points than its tables: this one's, by the tables
OTHERWISE = {"ex2": "ex3", "ex3": "ex2"}
TITLES = {
    "": "nothing changed",
    "text": "networks and points as its text has them, not its tables",
    "rate": f"a rate of 3e-3 that falls along a cosine, {STEPS} steps",
    "constants": "and one fit of structure constants to all points",
    "points": "and half of the points uniform in the box",
}


def run(case: str, changes: list[str], seed: int, share: float = 1.0) -> dict[str, Any]:
    """All angles of `Neural.paper` with some settings changed."""
    what = CASES[case]
    data = what.data(seed, share)
    settings = engine_named("paper", case)
    if "text" in changes:
        other = engine_named("paper", OTHERWISE[case])
        settings = replace(settings, architecture=other.architecture, cloud=other.cloud)
    if "rate" in changes:
        optimizer = replace(settings.optimizer, rate=3e-3, schedule="cosine", final=0.0, steps=STEPS)
        settings = replace(settings, optimizer=optimizer)
    if "constants" in changes:
        settings = with_objective(settings, closure="global")
    if "points" in changes:
        settings = replace(settings, cloud=replace(settings.cloud, uniform=0.5))
    result = discovered(case, settings, data, seed)
    t, x = central_points(data)
    return {"angles": principal_angles(result.candidates(what.dimension), what.exact, t, x)}


def jobs(options: Options) -> list[ItemJob]:
    """Each case as the table of angles has it, and with one more change at a time; nothing in quick studies."""
    if options.quick:
        return []
    seeds = range(angles.FIRST_SEED, angles.FIRST_SEED + options.count(2))
    unchanged = [angles.job(case, "paper", seed, 1.0) for seed in seeds for case in CHANGES]
    changed = [
        ItemJob(
            "recipe",
            f"{case}-{changes[-1]}-{seed}",
            "recipe:run",
            {"case": case, "changes": list(changes), "seed": seed},
            cost=200,
            given=_given(case, changes),
        )
        for seed in seeds
        for case in CHANGES
        for changes in _series(case)[1:]
    ]
    return unchanged + changed


def _given(case: str, changes: tuple[str, ...]) -> dict[str, Any]:
    """Settings and data that a run depends on; the other example's settings too where it takes them."""
    other = {"other": described("paper", OTHERWISE[case])} if "text" in changes else {}
    return {"engine": described("paper", case), "data": CASES[case].described, "steps": STEPS, **other}


def _series(case: str) -> list[tuple[str, ...]]:
    """Nothing, the other reading of the paper where there is one, then one change after the other."""
    changes = CHANGES[case]
    reading = [("text",)] if case in OTHERWISE else []
    return [(), *reading, *(changes[:count] for count in range(1, len(changes) + 1))]


def publish(records: list[dict[str, Any]]) -> Publication:
    """One row for each case and change."""
    if not records:
        return Publication("Quick studies leave `Neural.paper` out.")
    found = {
        case: {
            (changes or ("",))[-1]: largest
            for changes in _series(case)
            if (largest := _largest(records, case, list(changes)))
        }
        for case in CHANGES
    }
    rows = tuple(
        (CASES[case].title, TITLES[change], f"{max(SDE_ANGLES[case]):.2f}°", spread(largest, "°"))
        for case, by_change in found.items()
        for change, largest in by_change.items()
    )
    return Publication(
        "Settings of `Neural.paper` are changed one after the other, each row with those above it, on data of the "
        "table of angles (the text's reading stands alone); the surrogate is the paper's throughout. "
        + " ".join(filter(None, (_steps(found), _readings(found)))),
        {"angles": Table(("case", "`Neural.paper` with", "paper", "largest angle"), rows)},
    )


def _largest(records: list[dict[str, Any]], case: str, changes: list[str]) -> list[float]:
    return [max(r["angles"]) for r in records if (r["case"], r.get("changes", [])) == (case, changes)]


def _steps(found: dict[str, dict[str, list[float]]]) -> str:
    """In each case the change that brought most, by the factor between neighbouring rows, and those that did harm.

    Only changes after which every seed is better, or every seed worse, than all were before.
    """
    gains, harms = [], []
    for case, by_change in found.items():
        rows = [(change, largest) for change, largest in by_change.items() if change != "text"]
        told = {
            f"{CASES[case].title}: {np.mean(before):.1f}° to {np.mean(after):.1f}° by "
            f"{TITLES[change].removeprefix('and ')}": float(np.mean(after) / np.mean(before))
            for (_, before), (change, after) in pairwise(rows)
            if max(after) < min(before) or min(after) > max(before)
        }
        gains += [said for said, ratio in told.items() if ratio < 1 and ratio == min(told.values())]
        harms += [said for said, ratio in told.items() if ratio > HARM]
    parts = ("What brought most", gains), ("What did harm", harms)
    said = " ".join(f"{title}: {'; '.join(each)}." for title, each in parts if each)
    return f"{said} Changes whose seeds overlap are not named." if said else ""


def _readings(found: dict[str, dict[str, list[float]]]) -> str:
    """Which of the paper's two readings comes nearer to its own angles, by the ratio, in each case that has both."""
    nearer: dict[str, list[str]] = {"tables": [], "text": []}
    for case, by_change in found.items():
        if {"", "text"} <= by_change.keys():
            tables, text = (abs(np.log(np.mean(by_change[key]) / max(SDE_ANGLES[case]))) for key in ("", "text"))
            nearer["tables" if tables < text else "text"].append(CASES[case].title)
    said = [f"the {name} in {', '.join(cases)}" for name, cases in nearer.items() if cases]
    return f"Of the paper's two readings, nearer to its own angle: {'; '.join(said)}." if said else ""


ITEM = Item("recipe", "What holds the paper's recipe back", jobs, publish, cut="more than two seeds", uncut="--seeds 5")
