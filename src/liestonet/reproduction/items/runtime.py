"""What each loss costs: value and gradient at m = 3 and B = 2048, as in the paper's table."""

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


def run(losses: list[int], repetition: int) -> dict[str, Any]:
    """Median CPU milliseconds of value and gradient of these losses together, without compilation.

    CPU time is that of all threads of the process: more than the time on the clock where several work at once.
    """
    prepare_networks()
    from liestonet.neural.loss_probe import brownian_problem, cost

    problem = brownian_problem(COUNT, DIMENSION, BATCH, widths=paper_widths())
    return {"cpu_milliseconds": cost(tuple(losses), *problem)["milliseconds"]}


def jobs(options: Options) -> list[ItemJob]:
    """Every loss alone, what `Neural()` uses together, and all."""
    groups = [*([number] for number in EVERY), list(TOGETHER), list(EVERY)]
    given = {"count": COUNT, "dimension": DIMENSION, "batch": BATCH, "widths": paper_widths()}
    return [
        ItemJob("runtime", f"{_name(losses)}-{i}", "runtime:run", {"losses": losses, "repetition": i}, 1, 15, given)
        for i in range(options.count(RUNS))
        for losses in groups
    ]


def _name(losses: list[int]) -> str:
    return "L" + "-".join(map(str, losses))


def publish(records: list[dict[str, Any]]) -> Publication:
    """One row for each group of losses, the paper's milliseconds beside."""
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
        "compare with each other." + _agreement({group: float(np.mean(found)) for group, found in times.items()}),
        {"milliseconds": Table(columns, rows)},
    )


def _agreement(means: dict[tuple[int, ...], float]) -> str:
    """The dearest loss, L7 beside L6, and all together beside the dearest, from the means over repetitions."""
    alone = {group[0]: mean for group, mean in means.items() if len(group) == 1}
    lines = []
    if alone:
        dearest, theirs = max(alone, key=alone.__getitem__), max(MILLISECONDS, key=MILLISECONDS.__getitem__)
        lines.append(f"The dearest is L{dearest} here and {theirs} in the paper.")
    if {6, 7} <= alone.keys():
        ratio = MILLISECONDS["L7"] / MILLISECONDS["L6"]
        lines.append(f"L7 costs {alone[7] / alone[6]:.1f} times L6 here, {ratio:.1f} times in the paper.")
    if EVERY in means and len(alone) == len(EVERY):
        most = max(alone.values())
        lines.append(
            "The losses share one evaluation of the fields and their derivatives: together they cost "
            f"{means[EVERY] / most:.1f} times the dearest of them, where their sum is {sum(alone.values()) / most:.1f} "
            "times."
        )
    return "".join(f" {line}" for line in lines)


ITEM = Item("runtime", "Run time of each loss", jobs, publish, cut="no graphics card was at hand")
