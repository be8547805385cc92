"""What each loss costs: value and gradient at m = 3 and B = 2048, as in the paper's table."""

from __future__ import annotations

from typing import Any

from liestonet.reproduction.engines import prepare_networks
from liestonet.reproduction.jobs import Job
from liestonet.reproduction.paper import MILLISECONDS
from liestonet.reproduction.study import Item, Options, Publication
from liestonet.reproduction.tables import Table, spread

COUNT, DIMENSION, BATCH = 3, 1, 2048
RUNS = 5
TOGETHER = (1, 2, 5, 6)


def run(losses: list[int], repetition: int) -> dict[str, Any]:
    """Median CPU milliseconds of value and gradient of these losses together, without compilation."""
    prepare_networks()
    from liestonet.neural.trial import brownian_problem, cost

    return {"milliseconds": cost(tuple(losses), *brownian_problem(COUNT, DIMENSION, BATCH))["milliseconds"]}


def jobs(options: Options) -> list[Job]:
    """Every loss alone, what `Neural()` uses together, and all."""
    groups = [*([number] for number in range(1, 8)), list(TOGETHER), list(range(1, 8))]
    return [
        Job("runtime", f"{_name(group)}-{i}", "runtime:run", {"losses": group, "repetition": i}, cost=15)
        for i in range(options.count(RUNS))
        for group in groups
    ]


def _name(losses: list[int]) -> str:
    return "L" + "-".join(map(str, losses))


def publish(records: list[dict[str, Any]]) -> Publication:
    """One row for each group of losses, the paper's milliseconds beside."""
    groups = list(dict.fromkeys(tuple(r["losses"]) for r in records))
    rows = tuple(
        (
            ", ".join(f"L{number}" for number in group),
            f"{MILLISECONDS[f'L{group[0]}']:.2f}" if len(group) == 1 else None,
            spread([r["milliseconds"] for r in records if tuple(r["losses"]) == group], digits=0),
        )
        for group in groups
    )
    columns = ("losses", "paper, H100: ms", "one CPU core: CPU ms")
    alone = {r["losses"][0]: r["milliseconds"] for r in records if len(r["losses"]) == 1}
    ratio = (
        f" L7 costs {alone[7] / alone[6]:.1f} times L6 here, 4.6 times in the paper." if {6, 7} <= alone.keys() else ""
    )
    return Publication(
        f"Value and gradient at m = {COUNT}, n = {DIMENSION}, B = {BATCH}, networks of the paper's widths, double "
        "precision. A graphics card and a processor core cannot be compared; what can is the order of the losses. All "
        "losses read one evaluation of the fields and their derivatives, which is nearly the whole cost: together they "
        f"cost little more than the dearest of them.{ratio}",
        {"milliseconds": Table(columns, rows)},
    )


ITEM = Item("runtime", "Run time of each loss", jobs, publish, cut="no graphics card was at hand")
