"""The interpretation of the paper's recipe: open settings, the values taken and why, and the effect of others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from liestonet.core.angles import principal_angles
from liestonet.reproduction.cases import CASES, central_points
from liestonet.reproduction.engines import (
    PAPER_SEED,
    PRESETS,
    described,
    discovered,
    engine_named,
    paper_settings,
    with_objective,
)
from liestonet.reproduction.items import angles
from liestonet.reproduction.paper import SDE_ANGLES
from liestonet.reproduction.publication import Item, ItemJob, Options, Publication
from liestonet.study.tables import Table

STEPS = 1000
SEEDS = 1
# If text and tables disagree on networks and points: the example whose values, by the tables, the text gives
OTHERWISE = {"ex2": "ex3", "ex3": "ex2"}
# The changes in each case, made one at a time
CHANGES = {
    "ex1": ("flat", "biases"),
    "ex2": ("pointwise", "flat", "series", "text", "biases", "rate"),
    "ex3": ("text", "series", "rate"),
    "ex4": ("series", "slower"),
    "fp": ("pointwise",),
}
TITLES = {
    "pointwise": "structure constants fitted at each point, as L1 is printed",
    "text": "networks and points as the text has them, not the tables",
    "flat": "a surrogate that begins with no drift and σ = 1, the truth of Example 1",
    "biases": "networks whose biases begin at zero",
    "series": "series for the surrogate, as in `Spectral()`",
    "rate": f"a rate of 3e-3 that falls along a cosine, {STEPS} steps",
    "slower": "the rate of the text, 1e-4, not of the table",
}
COSTS = {"ex1": 200, "ex2": 250, "ex3": 200, "ex4": 300, "fp": 1300}


def run(case: str, change: str, seed: int) -> dict[str, Any]:
    """All angles of `Neural.paper` with one setting changed."""
    what = CASES[case]
    data = what.data(seed)
    if change == "flat":
        result = _with_flat_start(case, data, seed)
    else:
        result = discovered(case, changed(case, change), data, seed)
    t, x = central_points(data)
    return {"angles": principal_angles(result.training.generators, what.exact, t, x)}


def changed(case: str, change: str) -> Any:
    """The preset with one setting changed."""
    settings = engine_named("pointwise" if change == "pointwise" else "paper", case)
    if change == "text":
        other = paper_settings(OTHERWISE[case])
        return replace(settings, architecture=other.architecture, cloud=other.cloud)
    if change == "biases":
        return replace(settings, architecture=replace(settings.architecture, initial="zero"))
    if change == "series":
        return replace(settings, surrogate="spectral")
    if change == "slower":
        return replace(settings, optimizer=replace(settings.optimizer, rate=1e-4))
    if change == "rate":
        optimizer = replace(settings.optimizer, rate=3e-3, schedule="cosine", final=0.0, steps=STEPS)
        return replace(settings, optimizer=optimizer)
    return with_objective(settings)


def _with_flat_start(case: str, data: Any, seed: int) -> Any:
    """The preset on a surrogate that begins at f = 0 and σ = 1."""
    from liestonet.inference.engine import Request
    from liestonet.neural.coefficients.fit_coefficients import fit_coefficients
    from liestonet.neural.coefficients.settings import PAPER
    from liestonet.neural.engine import run as train
    from liestonet.symmetry.determining.kinds import kind_named
    from liestonet.symmetry.statistical.verdicts import Criteria

    what, settings = CASES[case], engine_named("paper", case)
    source = fit_coefficients(data, replace(PAPER[int(PRESETS[case])], start="flat"), seed=seed)
    kind = kind_named(what.symmetry)
    request = Request(data, kind, Criteria(), what.dimension, False, seed, lambda message: None)
    return train(settings, request, source)


def jobs(options: Options) -> list[ItemJob]:
    """The jobs: each case as in the table of angles, and with one setting changed; nothing in quick studies."""
    if options.quick:
        return []
    seeds = range(PAPER_SEED, PAPER_SEED + options.count(SEEDS))
    unchanged = [
        angles.job(case, "paper", seed, 1.0)
        for case in CHANGES
        for seed in angles.seeds_of("paper", angles.SEEDS["paper"])
    ]
    varied = [
        ItemJob(
            "recipe",
            f"{case}-{change}-{seed}",
            "recipe:run",
            {"case": case, "change": change, "seed": seed},
            cost=COSTS[case],
            given=_given(case, change),
        )
        for seed in seeds
        for case, changes in CHANGES.items()
        for change in changes
    ]
    return unchanged + varied


def _given(case: str, change: str) -> dict[str, Any]:
    """Digests of settings and data that a run depends on, with those of the other example if it uses them."""
    other = {"other": described("paper", OTHERWISE[case])} if change == "text" else {}
    return {"engine": described("paper", case), "data": CASES[case].described, "steps": STEPS, **other}


def publish(records: list[dict[str, Any]]) -> Publication:
    """Tables of conflicting and unstated settings with the reasons, and of the effects of other choices."""
    tables = {"conflicting": _marked("conflicting"), "unstated": _marked("unstated")}
    found = _found(records)
    if found:
        rows = tuple(
            (
                CASES[case].title,
                TITLES[change],
                f"{max(SDE_ANGLES[case]):.1f}°",
                f"{np.median(before):.1f}°" if before else None,
                ", ".join(f"{angle:.1f}°" for angle in after),
            )
            for case, change, before, after in found
        )
        columns = ("case", "`Neural.paper` with", "paper", "unchanged, median", "largest angle")
        tables["angles"] = Table(columns, rows)
    return Publication(WHAT + (f"\n\n{_effects(found)}" if found else ""), tables)


WHAT = """The paper says most settings once. Where it says two things, one was taken by what else it says, before any
angle was compared; where it says nothing, what is usual or cheap was taken. Both tables below are printed from
`Neural.paper(…)`, which marks every setting as *stated*, *conflicting* or *unstated*. The one that matters most is L1.
Its formula has structure constants c(t, x) that are fitted at each point, and a penalty on their gradient. Against that
reading speak: its heading, "closure + constancy (fixed)"; L2, which uses the same c and takes no mean over points; its
cost, O(B(mD⁽¹⁾ + m²)), which has no second derivatives, where ∇c needs them; its time, 0.43 ms beside 0.38 ms for L3
and 0.47 ms for L6; and that the true algebras of Examples 1 and 2 are no zero of it. So `Neural.paper` fits the
constants once to all points, and `Neural.paper(k, reading="pointwise")` is the other reading."""


def _marked(status: str) -> Table:
    """The table of settings with one mark: their values in each example, and the reason."""
    grouped: dict[tuple[str, str], list[str]] = {}
    for case, example in PRESETS.items():
        settings = paper_settings(case)
        values = _values(settings)
        for name, mark, reason in settings.provenance:
            if mark == status and not reason.startswith("the appendix leaves"):
                grouped.setdefault((name, reason), []).append(f"{example}: {values[name]}")
    rows = tuple((f"`{name}`", _shortened(taken), reason) for (name, reason), taken in grouped.items())
    return Table((f"{status} setting", "taken in example", "reason"), rows)


def _values(settings: Any) -> dict[str, str]:
    """Every setting as it prints."""
    lines = [line.strip().partition(" = ") for line in str(settings).splitlines()[1:]]
    return {name: value.split("  [")[0] for name, _, value in lines}


def _shortened(taken: list[str]) -> str:
    """The text of values, with examples that share a value combined."""
    by_value: dict[str, list[str]] = {}
    for each in taken:
        example, _, value = each.partition(": ")
        by_value.setdefault(value, []).append(example)
    return "; ".join(f"{value} ({', '.join(examples)})" for value, examples in by_value.items())


def _found(records: list[dict[str, Any]]) -> list[tuple[str, str, list[float], list[float]]]:
    """Case, change, largest angles without and with it."""
    made = []
    for case, changes in CHANGES.items():
        before = [max(r["angles"]) for r in records if r["case"] == case and "change" not in r]
        for change in changes:
            after = [max(r["angles"]) for r in records if (r["case"], r.get("change")) == (case, change)]
            if after:
                made.append((case, change, before, after))
    return made


def _effects(found: list[tuple[str, str, list[float], list[float]]]) -> str:
    """A paragraph on changes after which every angle is outside the range over seeds of the unchanged recipe."""
    told = {
        (
            case,
            change,
        ): f"{CASES[case].title}: {np.median(before):.1f}° to {np.median(after):.1f}° with {TITLES[change]}"
        for case, change, before, after in found
        if before
    }
    ranged = [row for row in found if len(row[2]) > 1]
    outside = [
        told[case, change]
        for case, change, before, after in ranged
        if max(after) < min(before) or min(after) > max(before)
    ]
    single = [told[row[0], row[1]] for row in found if len(row[2]) == 1]
    said = "The last table changes one setting at a time, on the data of the table of angles."
    if ranged:
        others = " The other changes are within it." if len(outside) < len(ranged) else ""
        said += f" Outside of the range over seeds of the unchanged recipe: {'; '.join(outside) or 'none'}.{others}"
    return said + (f" Of one seed, and so without a range: {'; '.join(single)}." if single else "")


ITEM = Item(
    "recipe",
    "How the recipe is read, and what another reading does",
    jobs,
    publish,
    cut="more than one seed",
    uncut="--seeds 5",
)
