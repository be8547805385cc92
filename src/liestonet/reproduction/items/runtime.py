"""The cost of each loss: value and gradient at m = 3 and B = 2048, as in the paper's table."""

from __future__ import annotations

from typing import Any

import numpy as np

from liestonet.reproduction.engines import paper_widths, prepare_networks
from liestonet.reproduction.paper import MILLISECONDS
from liestonet.reproduction.publication import Item, ItemJob, Options, Publication
from liestonet.study.tables import Table, spread

COUNT, DIMENSION, BATCH = 3, 1, 2048
RUNS = 5
TOGETHER = (1, 2, 5, 6)
EVERY = tuple(range(1, 8))
GENERATORS, POINTS = (2, 3, 4, 6), (512, 1024, 2048, 4096)
# from the paper's appendix on computational overhead
ORDERS = {
    1: "B(mD⁽¹⁾ + m²)",
    2: "B(mD⁽²⁾ + m³)",
    3: "B(mD⁽¹⁾ + m²)",
    4: "B(mD⁽¹⁾ + m³)",
    5: None,
    6: "BmD⁽²⁾",
    7: "2nNmD⁽²⁾",
}


def run(losses: list[int], repetition: int) -> dict[str, Any]:
    """Median CPU milliseconds of value and gradient of the sum of some losses, without compilation.

    CPU time is summed over all threads of the process, so it can exceed the wall-clock time.
    """
    prepare_networks()
    from liestonet.neural.loss_probe import brownian_problem, cost

    problem = brownian_problem(COUNT, DIMENSION, BATCH, widths=paper_widths())
    return {"cpu_milliseconds": cost(tuple(losses), *problem)["milliseconds"]}


def grown(loss: int, count: int, batch: int, closure: str = "global") -> dict[str, Any]:
    """Median CPU milliseconds of value and gradient of one loss, for given numbers of generators and points."""
    prepare_networks()
    from liestonet.neural.loss_probe import brownian_problem, cost

    problem = brownian_problem(count, DIMENSION, batch, widths=paper_widths())
    return {"cpu_milliseconds": cost((loss,), *problem, closure=closure)["milliseconds"]}


def _growth_jobs() -> list[ItemJob]:
    """Jobs for every loss and several numbers of generators, and of points; L1 also in the printed form."""
    sizes = [(count, BATCH) for count in GENERATORS] + [(COUNT, batch) for batch in POINTS if batch != BATCH]
    forms = [(loss, "global") for loss in EVERY] + [(1, "pointwise")]
    given = {"dimension": DIMENSION, "widths": paper_widths()}
    return [
        ItemJob(
            "runtime",
            f"growth-L{loss}-{closure}-{count}-{batch}",
            "runtime:grown",
            {"loss": loss, "count": count, "batch": batch, "closure": closure},
            cost=10,
            given=given,
        )
        for loss, closure in forms
        for count, batch in sizes
    ]


def jobs(options: Options) -> list[ItemJob]:
    """The jobs: every loss alone, those of `Neural()`, and all; except in quick studies, the growth of each."""
    groups = [*([number] for number in EVERY), list(TOGETHER), list(EVERY)]
    given = {"count": COUNT, "dimension": DIMENSION, "batch": BATCH, "widths": paper_widths()}
    single = [
        # revision 2: networks are evaluated one by one
        ItemJob("runtime", f"{_name(losses)}-{i}", "runtime:run", {"losses": losses, "repetition": i}, 2, 15, given)
        for i in range(options.count(RUNS))
        for losses in groups
    ]
    return single + ([] if options.quick else _growth_jobs())


def _name(losses: list[int]) -> str:
    return "L" + "-".join(map(str, losses))


def publish(records: list[dict[str, Any]]) -> Publication:
    """The table of groups of losses with the paper's milliseconds, and the table of growth."""
    growth = [r for r in records if "closure" in r]
    records = [r for r in records if "losses" in r]
    times: dict[tuple[int, ...], list[float]] = {}
    for r in records:
        times.setdefault(tuple(r["losses"]), []).append(r["cpu_milliseconds"])
    rows = tuple(
        (
            ", ".join(f"L{number}" for number in group),
            f"{MILLISECONDS[f'L{group[0]}']:.2f}" if len(group) == 1 else None,
            spread(found, digits=1),
        )
        for group, found in times.items()
    )
    columns = ("losses", "paper, H100: ms on the clock", "ours, processor: CPU ms of all threads")
    return Publication(
        f"Value and gradient at m = {COUNT}, n = {DIMENSION}, B = {BATCH}, networks of the paper's widths, double "
        "precision, compilation apart. A graphics card and a processor cannot be compared; what can is how the losses "
        "compare with each other."
        + _agreement({group: float(np.mean(found)) for group, found in times.items()})
        + _readings(growth),
        {"milliseconds": Table(columns, rows)} | ({"growth": _growth_table(growth)} if growth else {}),
    )


def _growth_table(records: list[dict[str, Any]]) -> Table:
    """The table of the exponents of time in m and in B, with the order that the paper states."""
    rows = []
    for loss, closure in dict.fromkeys((r["loss"], r["closure"]) for r in records):
        mine = [r for r in records if (r["loss"], r["closure"]) == (loss, closure)]
        title = f"L{loss}, pointwise" if closure == "pointwise" else f"L{loss}"
        cells = [
            _exponent(mine, name, other) for name, other in (("count", ("batch", BATCH)), ("batch", ("count", COUNT)))
        ]
        usual = next((r["cpu_milliseconds"] for r in mine if (r["count"], r["batch"]) == (COUNT, BATCH)), None)
        rows.append((title, ORDERS[loss], None if usual is None else f"{usual:.0f}", *cells))
    columns = ("loss", "the paper's order", f"CPU ms at m = {COUNT}, B = {BATCH}", "grows as m to the", "as B to the")
    return Table(columns, tuple(rows))


def _exponent(records: list[dict[str, Any]], name: str, fixed: tuple[str, int]) -> str | None:
    """The slope of the logarithms by least squares."""
    points = [(r[name], r["cpu_milliseconds"]) for r in records if r[fixed[0]] == fixed[1]]
    if len({size for size, _ in points}) < 3:
        return None
    size, time = np.log(np.array(points)).T
    return f"{np.polyfit(size, time, 1)[0]:.2f}"


def _readings(records: list[dict[str, Any]]) -> str:
    """A sentence on the cost of the two forms of L1 relative to L3 and L6."""
    usual = {
        (r["loss"], r["closure"]): r["cpu_milliseconds"] for r in records if (r["count"], r["batch"]) == (COUNT, BATCH)
    }
    if not {(1, "global"), (1, "pointwise"), (3, "global"), (6, "global")} <= usual.keys():
        return ""
    third, sixth = usual[3, "global"], usual[6, "global"]
    paper = MILLISECONDS["L1"] / MILLISECONDS["L3"], MILLISECONDS["L1"] / MILLISECONDS["L6"]
    parts = [
        f"{usual[1, closure] / third:.2f} times L3 and {usual[1, closure] / sixth:.2f} times L6 with {words}"
        for closure, words in (("global", "one fit of structure constants"), ("pointwise", "one at each point"))
    ]
    return (
        f" L1 costs {parts[0]}, {parts[1]}; in the paper {paper[0]:.2f} and {paper[1]:.2f} times, which fits the first "
        "reading and not the second."
    )


def _agreement(means: dict[tuple[int, ...], float]) -> str:
    """Sentences on the most expensive loss, on L7 relative to L6, and on all losses relative to the most expensive."""
    alone = {group[0]: mean for group, mean in means.items() if len(group) == 1}
    lines = []
    if alone:
        dearest, theirs = max(alone, key=alone.__getitem__), max(MILLISECONDS, key=MILLISECONDS.__getitem__)
        lines.append(f"The most expensive is L{dearest} here and {theirs} in the paper.")
    if {6, 7} <= alone.keys():
        ratio = MILLISECONDS["L7"] / MILLISECONDS["L6"]
        lines.append(f"L7 costs {alone[7] / alone[6]:.1f} times L6 here, {ratio:.1f} times in the paper.")
    if EVERY in means and len(alone) == len(EVERY):
        most = max(alone.values())
        lines.append(
            "The losses share one evaluation of the fields and their derivatives: together they cost "
            f"{means[EVERY] / most:.1f} times the most expensive of them, whereas the sum of single costs is "
            f"{sum(alone.values()) / most:.1f} times."
        )
    return "".join(f" {line}" for line in lines)


ITEM = Item("runtime", "Run time of each loss", jobs, publish, cut="no graphics card was available")
