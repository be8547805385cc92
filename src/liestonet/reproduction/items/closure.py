"""Closure loss and validity against the number m of generators, and the angles of all subsets: two of the figures."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from liestonet.reproduction.cases import CASES, EXAMPLES, central_points
from liestonet.reproduction.engines import PAPER_READINGS, PAPER_SEED, TITLES, described, discovered, sharing
from liestonet.reproduction.figures import COLOURS, svg
from liestonet.reproduction.publication import Item, ItemJob, Options, Publication
from liestonet.study.tables import Table, spread
from liestonet.validation.containment import subset_angles

FIRST_SEED = 4300
SEEDS = {"neural": 5, "paper": 3, "pointwise": 1}
COUNTS = (1, 2, 3, 4, 5)
COSTS = {"neural": 20.0, "paper": 700.0, "pointwise": 1500.0}  # without a surrogate, which the angles have


def run(case: str, engine: str, seed: int, count: int, share: float = 1.0) -> dict[str, Any]:
    """Train m generators: their losses, the residuals of their span, and the largest angle of every subset."""
    data = CASES[case].data(seed, share)
    return _trained(case, data, discovered(case, engine, data, seed, count))


def run_together(case: str, engine: str, seed: int, counts: list[int], share: float = 1.0) -> dict[str, Any]:
    """Train for several m on one surrogate, which with the paper's settings takes most of the time."""
    data = CASES[case].data(seed, share)
    with sharing():
        results = [discovered(case, engine, data, seed, count) for count in counts]
    found = zip(counts, results, strict=True)
    return {"curve": [{"count": count, **_trained(case, data, result)} for count, result in found]}


def _trained(case: str, data: Any, result: Any) -> dict[str, Any]:
    """The stored values of one training."""
    t, x = central_points(data)
    (rung,) = result.training.rungs
    return {
        "losses": {f"L{number}": value for number, value in rung.losses.items()},
        "residuals": rung.residuals,
        "subsets": subset_angles(result.training.generators, CASES[case].exact, t, x).angles.max(axis=1),
    }


def jobs(options: Options) -> list[ItemJob]:
    """The jobs: every example, seed and m; in quick studies Example 1 at m = 2, 3, 4 on a tenth of the data."""
    share = 0.1 if options.quick else 1.0
    cases = EXAMPLES[:1] if options.quick else EXAMPLES
    counts = (2, 3, 4) if options.quick else COUNTS
    single = [
        _job(case, "neural", seed, "run", {"count": count, "share": share}, f"{count}-")
        for case in cases
        for seed in range(FIRST_SEED, FIRST_SEED + options.count(SEEDS["neural"]))
        for count in counts
    ]
    together = [
        _job(case, engine, PAPER_SEED + number, "run_together", {"counts": list(COUNTS), "share": share})
        for engine in PAPER_READINGS
        for case in (() if options.quick else cases)
        for number in range(options.count(SEEDS[engine]))
    ]
    return single + together


def _job(case: str, engine: str, seed: int, function: str, settings: dict[str, Any], label: str = "") -> ItemJob:
    settings = {"case": case, "engine": engine, "seed": seed, **settings}
    given = {"engine": described(engine, case), "data": CASES[case].described}
    return ItemJob(
        "closure", f"{case}-{engine}-{label}{seed}", f"closure:{function}", settings, cost=COSTS[engine], given=given
    )


def publish(records: list[dict[str, Any]]) -> Publication:
    """Tables of both curves, the worst residual of the span, and the subsets' angles."""
    records = [record | part for record in records for part in record.get("curve", [{}])]
    rows = tuple(
        (
            CASES[case].title,
            TITLES[engine],
            count,
            spread([r["losses"].get("L1") for r in group]) if count > 1 else "empty sum",
            spread([r["losses"].get("L6") for r in group]),
            spread([r["residuals"][-1] for r in group]),
            spread([float(np.median(r["subsets"])) for r in group], "°"),
            spread([float(np.min(r["subsets"])) for r in group], "°"),
        )
        for case, engine, count, group in _groups(records)
    )
    columns = ("case", "engine", "m", "L1", "L6", "worst residual of the span", "subsets: median", "subsets: least")
    return Publication(
        _sentence(records),
        {"curves": Table(columns, rows)},
        {
            "closure": svg(lambda axes: _draw(axes, records), columns=4, rows=2, size=(2.8, 2.6)),
            "subsets": svg(lambda axes: _draw_subsets(axes, records), columns=4, rows=2, size=(2.8, 2.8)),
        },
    )


def _groups(records: list[dict[str, Any]]) -> list[tuple[str, str, int, list[dict[str, Any]]]]:
    return [
        (case, engine, count, group)
        for case in EXAMPLES
        for engine in SEEDS
        for count in COUNTS
        if (group := [r for r in records if (r["case"], r["engine"], r["count"]) == (case, engine, count)])
    ]


def _sentence(records: list[dict[str, Any]]) -> str:
    """A paragraph: where the closure loss is least, where validity jumps and where angles are least, by example."""
    lines = [
        "The paper reads the dimension off the minimum of L1. L1 is an empty sum at m = 1 and zero for every "
        "subalgebra, so its minimum does not determine the dimension. "
        + _minima(records)
        + " The residual of the determining equations should jump after the true m. Runs in which L1 is least over "
        "m ≥ 2 at the true m, in which the worst residual of the span grows by its largest factor after it, and in "
        "which the median angle of subsets is least there:"
    ]
    for engine in SEEDS:
        counted = [
            f"{CASES[case].title} {', '.join(hits[:-1])} and {hits[-1]} of {len(runs)}"
            for case in EXAMPLES
            if (runs := _runs(records, case, engine))
            and (hits := [str(sum(at == CASES[case].dimension for at in column)) for column in zip(*runs, strict=True)])
        ]
        if counted:
            lines.append(f"{TITLES[engine]}: {'; '.join(counted)}.")
    lines += [_elsewhere(records), _diverged(records), "Angles of subsets of the generators depend on the basis."]
    return "\n".join(line for line in lines if line)


def _minima(records: list[dict[str, Any]]) -> str:
    """One sentence for each reading of L1: in how many runs of the paper's recipe its minimum is at the true m."""
    said = []
    for engine, reading in (("paper", "fitted once to all points"), ("pointwise", "fitted at each point, as printed")):
        found = [(at, CASES[case].dimension) for case in EXAMPLES for at, _, _ in _runs(records, case, engine)]
        if found:
            hits, places = sum(at == true for at, true in found), Counter(at for at, _ in found)
            where = ", ".join(f"m = {m} in {count}" for m, count in sorted(places.items()))
            said.append(
                f"With structure constants {reading}, L1 of the paper's recipe is least over m ≥ 2 at the true m in "
                f"{hits} of {len(found)} runs ({where})."
            )
    return " ".join(said)


def _runs(records: list[dict[str, Any]], case: str, engine: str) -> list[tuple[int, int, int]]:
    """For each run the m with least L1, the m after which the worst residual grows most, the m with least angles."""
    found = []
    for seed in dict.fromkeys(r["seed"] for r in records if (r["case"], r["engine"]) == (case, engine)):
        mine = [r for r in records if (r["case"], r["engine"], r["seed"]) == (case, engine, seed)]
        closure = {r["count"]: r["losses"].get("L1") for r in mine if r["count"] > 1}
        worst = {r["count"]: r["residuals"][-1] for r in mine}
        angle = {r["count"]: float(np.median(r["subsets"])) for r in mine}
        growth = {m: worst[m + 1] / worst[m] for m in worst if m + 1 in worst}
        if {CASES[case].dimension - 1, CASES[case].dimension} <= growth.keys():
            at_closure, at_angle = (min(values, key=values.__getitem__) for values in (closure, angle))
            found.append((at_closure, max(growth, key=growth.__getitem__), at_angle))
    return found


def _elsewhere(records: list[dict[str, Any]]) -> str:
    """After which other m the residual of `Neural()` grows most, by example."""
    said = []
    for case in EXAMPLES:
        others = Counter(m for _, m, _ in _runs(records, case, "neural") if m != CASES[case].dimension)
        if others:
            counts = ", ".join(f"m = {m} in {count}" for m, count in sorted(others.items()))
            said.append(f"{CASES[case].title} ({counts})")
    return (
        f"The residual grows most after another m in {'; '.join(said)}: the factor is no reliable test if there is a "
        "near-symmetry, or if a symmetry is hard to learn. The residual of the nearest other direction is in the "
        "table of the three kinds."
        if said
        else ""
    )


def _diverged(records: list[dict[str, Any]]) -> str:
    """A sentence on trainings that did not converge: their closure loss ended above 1."""
    found = [
        f"{TITLES[r['engine']]} on {CASES[r['case']].title} with m = {r['count']} (seed {r['seed']})"
        for r in records
        if r["count"] > 1 and r["losses"]["L1"] > 1
    ]
    return f"Trainings that ended with L1 above 1 have not converged: {'; '.join(found)}." if found else ""


def _draw(axes: Any, records: list[dict[str, Any]]) -> None:
    for column, case in enumerate(EXAMPLES):
        for engine in SEEDS:
            for seed in sorted({r["seed"] for r in records if r["case"] == case and r["engine"] == engine}):
                mine = sorted(
                    (r for r in records if (r["case"], r["seed"], r["engine"]) == (case, seed, engine)),
                    key=lambda r: r["count"],
                )
                closing = [r for r in mine if r["count"] > 1]
                style = {"color": COLOURS[engine], "marker": "o", "linewidth": 1, "markersize": 3}
                axes[0, column].semilogy([r["count"] for r in closing], [r["losses"]["L1"] for r in closing], **style)
                axes[1, column].semilogy([r["count"] for r in mine], [r["residuals"][-1] for r in mine], **style)
        axes[0, column].set(title=CASES[case].title, ylabel="closure L1" if column == 0 else None)
        axes[1, column].set(xlabel="generators m", ylabel="worst residual of the span" if column == 0 else None)
        for ax in axes[:, column]:
            ax.axvline(CASES[case].dimension, color="#888888", linestyle=":", linewidth=1)
    for engine in SEEDS:
        axes[0, 0].plot([], [], color=COLOURS[engine], marker="o", markersize=3, label=TITLES[engine].strip("`"))
    axes[0, 0].legend(frameon=False, fontsize=6)


def _draw_subsets(axes: Any, records: list[dict[str, Any]]) -> None:
    for row, engine in zip(axes, ("paper", "neural"), strict=True):
        for ax, case in zip(row, EXAMPLES, strict=True):
            groups = [(count, rows) for name, own, count, rows in _groups(records) if (name, own) == (case, engine)]
            if groups:
                values = [np.concatenate([np.asarray(r["subsets"]) for r in rows]) for _, rows in groups]
                ax.boxplot(values, positions=[count for count, _ in groups], showmeans=True)
            ax.set(title=CASES[case].title, xlabel="generators m")
        row[0].set_ylabel(f"{TITLES[engine].strip('`')}:\nlargest angle of a subset (degrees)")


ITEM = Item(
    "closure",
    "Closure loss and subset angles against the number of generators",
    jobs,
    publish,
    cut="`Neural.paper`: more than three seeds, and than one with the pointwise reading",
    uncut="--seeds 5",
)
