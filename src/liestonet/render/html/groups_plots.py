"""Pictures of a comparison: constants against the condition, and the ladder of every group."""

from __future__ import annotations

from typing import Any

import numpy as np

from liestonet.core.tuning import SHARED
from liestonet.errors import InputError
from liestonet.groups.comparison import GroupComparison
from liestonet.groups.conditions import conditions_of
from liestonet.render.html.palette import ERROR, INFERRED, INK, MARKERS, MUTED, VERDICTS
from liestonet.render.html.plot_geometry import new_axes
from liestonet.render.kinds import VERDICT_WORDS

# Half-width of a 95 % interval in standard errors, residuals that are drawn at the lower edge, names along an axis, and
# directions drawn beyond the most symmetric group's.
INTERVAL, LEAST, MOST_NAMES, BEYOND = 1.96, 1e-3, 14, 2


def constant_by_group(comparison: GroupComparison, ax: Any = None, *, constant: int = 0) -> Any:
    """One constant of the common equation in every group, with 95 % intervals, against the condition.

    A line is the weighted mean where the groups are consistent with one value, else the straight line of the trend.
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


def ladders(comparison: GroupComparison, ax: Any = None) -> Any:
    """The first directions of every group's ladder, a column a group, coloured by verdict, with their intervals."""
    ax = new_axes(ax)
    groups = [group for group in comparison.groups if group.ladder]
    most = max((group.dimension or 0 for group in groups), default=0) + BEYOND
    seen = set()
    for position, group in enumerate(groups):
        rows = group.ladder[:most]
        for k, row in enumerate(rows):
            place = position + 0.7 * ((k + 0.5) / most - 0.5)
            colour = VERDICTS[row.verdict]
            seen.add(row.verdict)
            low, high = max(row.lower, LEAST), max(row.upper, LEAST)
            ax.plot([place] * 2, [low, high], color=colour, linewidth=2.0, alpha=0.4, solid_capstyle="butt")
            ax.plot([place], [max(row.residual, LEAST)], marker=MARKERS[row.verdict], markersize=4, color=colour)
    ax.axhline(SHARED.default_tolerance, color=ERROR, linewidth=1.0, linestyle="--", zorder=0)
    ax.set_yscale("log")
    _named(ax, [group.label for group in groups], np.arange(len(groups), dtype=float))
    ax.set_xlim(-0.6, len(groups) - 0.4)
    ax.set(xlabel=comparison.by, ylabel="relative residual")
    _percent(ax)
    present = [verdict for verdict in MARKERS if verdict in seen]
    handles = [
        ax.plot([], [], MARKERS[v], color=VERDICTS[v], markersize=4.5, label=VERDICT_WORDS[v])[0] for v in present
    ]
    ax.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, 1.13), ncols=4)
    return ax


def _named(ax: Any, labels: list[str], places: np.ndarray) -> None:
    step = max(1, int(np.ceil(len(labels) / MOST_NAMES)))
    long = max(map(len, labels), default=0) * len(labels) / step > 60
    ax.set_xticks(places[::step], labels[::step], rotation=45 if long else 0, ha="right" if long else "center")


def _percent(ax: Any) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    ax.yaxis.set_major_locator(LogLocator(numticks=6))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:g} %"))
    ax.yaxis.set_minor_formatter(NullFormatter())
