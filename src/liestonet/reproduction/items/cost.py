"""Not in the paper: the angle against CPU seconds for every engine, from the runs of `angles`."""

from __future__ import annotations

from typing import Any

import numpy as np

from liestonet.reproduction.cases import CASES
from liestonet.reproduction.engines import TITLES
from liestonet.reproduction.figures import COLOURS, svg
from liestonet.reproduction.items import angles
from liestonet.reproduction.paper import SDE_ANGLES
from liestonet.reproduction.publication import Item, Publication
from liestonet.study.tables import Table


def publish(records: list[dict[str, Any]]) -> Publication:
    """Median angle and CPU seconds by case and engine, and the picture."""
    groups = {(case, engine): rows for case in CASES for engine in TITLES if (rows := _of(records, case, engine))}
    rows = tuple(
        (CASES[case].title, TITLES[engine], f"{_median(group, _angle):.2f}°", f"{_median(group, _seconds):.1f}")
        for (case, engine), group in groups.items()
    )
    return Publication(
        "Each point is one run with all the CPU seconds it took, simulation of the data included; polishing is a part "
        "of the runs of `Neural(polish=False)`, so that both have the seconds of the whole. The dashed line is the "
        "paper's angle.",
        {"medians": Table(("case", "engine", "largest angle, median", "CPU s, median"), rows)},
        {"seconds": svg(lambda axes: _draw(axes.ravel(), groups), columns=3, rows=2, size=(3.2, 2.8))},
    )


def _of(records: list[dict[str, Any]], case: str, engine: str) -> list[dict[str, Any]]:
    """The runs of an engine; a polished run counts for both engines, with all its seconds."""
    if engine == "polished":
        return [{**r, "angles": r["polished"]} for r in _of(records, case, "neural")]
    return [r for r in records if (r["case"], r["engine"]) == (case, engine)]


def _angle(record: dict[str, Any]) -> float:
    return max(record["angles"])


def _seconds(record: dict[str, Any]) -> float:
    return record["cpu_seconds"]


def _median(group: list[dict[str, Any]], value: Any) -> float:
    return float(np.median([value(record) for record in group]))


def _draw(axes: Any, groups: dict[tuple[str, str], list[dict[str, Any]]]) -> None:
    for ax, (name, case) in zip(axes, CASES.items(), strict=True):
        for engine, title in TITLES.items():
            rows = groups.get((name, engine), [])
            if rows:
                seconds, largest = [_seconds(row) for row in rows], [_angle(row) for row in rows]
                ax.loglog(seconds, largest, "o", color=COLOURS[engine], label=title.strip("`"), alpha=0.8)
        ax.axhline(max(SDE_ANGLES[name]), color="#444444", linestyle="--", linewidth=1)
        ax.set(title=case.title, xlabel="CPU seconds", ylabel="largest angle (degrees)")
    axes[0].legend(frameon=False, fontsize=7)


ITEM = Item("cost", "Angle against CPU seconds", angles.jobs, publish)
