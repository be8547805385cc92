"""Pictures of a comparison: constants against the condition, and the ladder of every group."""

from __future__ import annotations

from typing import Any

import numpy as np

from liestonet.core.ladder import LadderRow
from liestonet.core.tuning import SHARED
from liestonet.errors import InputError
from liestonet.groups.comparison import Group, GroupComparison
from liestonet.groups.conditions import conditions_of
from liestonet.render.html.palette import ERROR, FAINT, INFERRED, INK, MARKERS, MUTED, VERDICTS
from liestonet.render.html.plot_geometry import new_axes
from liestonet.render.kinds import VERDICT_WORDS
from liestonet.render.limits import MOST_LADDERS

# Half-width of a 95 % interval in standard errors, residuals that are drawn at the lower edge, names along an axis, and
# directions drawn beyond the most symmetric group's.
INTERVAL, LEAST, MOST_NAMES, BEYOND = 1.96, 1e-3, 14, 2
# Inches of the ladders' picture: its width, the height of a direction, and of what stands above and below them. Letters
# of a group's name in it.
WIDTH, ROW, EDGES, LONGEST_LABEL = 3.5, 0.11, 1.0, 14


def constant_by_group(comparison: GroupComparison, ax: Any = None, *, constant: int = 0) -> Any:
    """One constant of the common equation in every group, with 95 % intervals, against the condition.

    The line is the weighted mean if the groups are consistent with one value, else the straight line of the trend.
    """
    ax, found = new_axes(ax), comparison.constants
    if found is None or not 0 <= constant < len(found.names):
        raise InputError(f"The comparison has no constant {constant!r}, counted from 0.")
    values = np.array([group.values[constant] for group in found.groups])
    errors = INTERVAL * np.array([group.errors[constant] for group in found.groups])
    labels = [group.label for group in found.groups]
    known = conditions_of(labels)
    places = np.arange(len(labels), dtype=float) if known is None else np.array([c.value for c in known])
    ax.errorbar(places, values, yerr=errors, fmt="o", markersize=4, color=INFERRED, capsize=2, label="95 % interval")
    ends = np.array([places.min(), places.max()])
    equal = found.alone[constant]
    if found.trends and found.trends[constant].adjusted <= comparison.level:
        line = found.trends[constant]
        ax.plot(ends, line.level + line.slope * (ends - line.centre), color=INK, linewidth=1.1, label="straight line")
    else:
        ax.plot(ends, [equal.mean] * 2, color=MUTED, linewidth=1.1, linestyle="--", label="weighted mean")
    if known is None:
        _named(ax, labels, places)
    room = 0.06 * (ends[1] - ends[0] or 1.0)
    ax.set_xlim(ends[0] - room, ends[1] + room)
    unit = f" [{comparison.unit}]" if comparison.unit else ""
    ax.set(xlabel=f"{comparison.by}{unit}", ylabel=f"{found.names[constant]}, factor of {found.terms[constant]}")
    ax.locator_params(axis="y", nbins=5)
    if known is not None:
        ax.locator_params(axis="x", nbins=6)
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, 1.16), ncols=2)
    return ax


def groups_with_ladder(comparison: GroupComparison) -> list[Group]:
    """The groups that have directions to draw."""
    return [group for group in comparison.groups if group.ladder]


def ladders_size(comparison: GroupComparison) -> tuple[float, float]:
    """Size in inches of the ladders' picture: narrow enough for a phone, with a height in proportion to its rows."""
    groups = groups_with_ladder(comparison)[:MOST_LADDERS]
    return WIDTH, EDGES + ROW * (_directions(comparison) + 1) * len(groups)


def ladders(comparison: GroupComparison, ax: Any = None) -> Any:
    """The first directions of every group's ladder, one below the other, coloured by verdict, with their intervals."""
    ax = new_axes(ax)
    groups = groups_with_ladder(comparison)[:MOST_LADDERS]
    rows = [(k, place, row) for k, group in enumerate(groups) for place, row in enumerate(group.ladder)]
    high, most = 1 + _directions(comparison), _directions(comparison)
    for k, place, row in rows:
        if place < most:
            _direction(ax, row, float(k * high + place))
    for k in range(1, len(groups)):
        ax.axhline(k * high - 1, color=FAINT, linewidth=0.8, zorder=0)
    ax.axvline(SHARED.default_tolerance, color=ERROR, linewidth=1.0, linestyle="--", zorder=0)
    ax.set_xscale("log")
    middles = [k * high + (min(len(group.ladder), most) - 1) / 2 for k, group in enumerate(groups)]
    ax.set_yticks(middles, [_short(group.label) for group in groups])
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(len(groups) * high - 1, -1)
    ax.set(xlabel="relative residual", ylabel=comparison.by)
    _percent(ax)
    seen = {row.verdict for _, place, row in rows if place < most}
    handles = [
        ax.plot([], [], MARKERS[v], color=VERDICTS[v], markersize=4.5, label=VERDICT_WORDS[v])[0]
        for v in MARKERS
        if v in seen
    ]
    ax.figure.legend(handles=handles, loc="outside upper center", ncols=2)
    return ax


def _directions(comparison: GroupComparison) -> int:
    """Number of directions drawn for each group: the symmetries of the most symmetric group, and a few more."""
    groups = groups_with_ladder(comparison)
    most = max((group.dimension or 0 for group in groups), default=0) + BEYOND
    return min(most, max((len(group.ladder) for group in groups), default=1))


def _direction(ax: Any, row: LadderRow, height: float) -> None:
    colour = VERDICTS[row.verdict]
    ends = [max(row.lower, LEAST), max(row.upper, LEAST)]
    ax.plot(ends, [height] * 2, color=colour, linewidth=2.5, alpha=0.4, solid_capstyle="butt")
    ax.plot([max(row.residual, LEAST)], [height], marker=MARKERS[row.verdict], markersize=4, color=colour)


def _short(label: str) -> str:
    return label if len(label) <= LONGEST_LABEL else f"{label[: LONGEST_LABEL - 1]}…"


def _named(ax: Any, labels: list[str], places: np.ndarray) -> None:
    step = max(1, int(np.ceil(len(labels) / MOST_NAMES)))
    long = max(map(len, labels), default=0) * len(labels) / step > 60
    ax.set_xticks(places[::step], labels[::step], rotation=45 if long else 0, ha="right" if long else "center")


def _percent(ax: Any) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    ax.xaxis.set_major_locator(LogLocator(numticks=6))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:g} %"))
    ax.xaxis.set_minor_formatter(NullFormatter())
