"""Pictures of the evidence: the ladder of directions, and drift and diffusion over the data."""

from __future__ import annotations

from typing import Any

import numpy as np

from liestonet.core.tuning import SHARED
from liestonet.errors import InputError
from liestonet.render.html.bands import coefficient_deviations, factor
from liestonet.render.html.palette import DATA, ERROR, EXACT, FAINT, INFERRED, INK, MARKERS, MUTED, VERDICTS
from liestonet.render.html.plot_geometry import (
    coefficient_label,
    data_points,
    few_ticks,
    label,
    line_through,
    new_axes,
    numeric_source,
)
from liestonet.render.kinds import VERDICT_WORDS
from liestonet.render.limits import MOST_DIRECTIONS_DRAWN
from liestonet.result import Result
from liestonet.result.findings import DataFindings

# Residuals below this are drawn at the left edge; the table gives their values.
LEAST_FROM_DATA, LEAST_EXACT = 1e-3, 1e-16
# A coefficient is drawn along another coordinate if that changes it by this factor more than its own coordinate.
CLEARLY = 2.0
# A coefficient: its coordinate, the variable it is drawn along, and "f" or "a".
Place = tuple[int, int, str]


def ladder(result: Result, ax: Any = None) -> Any:
    """Every direction's relative residual with its interval, on a logarithmic scale, and the tolerance as a line."""
    ax = new_axes(ax)
    rows = result.ladder[:MOST_DIRECTIONS_DRAWN]
    found = result.estimated
    from_data = found is not None
    least = LEAST_FROM_DATA if from_data else LEAST_EXACT
    tolerance = SHARED.default_tolerance if found is None else found.criteria.tolerance
    highest = max([tolerance, *(row.upper for row in rows), *(row.residual for row in rows)])
    for position, row in enumerate(rows, start=1):
        low, high = max(row.lower, least), max(row.upper, least)
        colour = VERDICTS[row.verdict]
        if from_data:
            ax.plot([low, high], [position] * 2, color=colour, linewidth=4.5, alpha=0.35, solid_capstyle="butt")
            if row.lower <= least:
                ax.plot([low], [position], marker="<", markersize=5, color=colour, clip_on=False)
            ax.plot([max(row.noise, least)] * 2, [position - 0.28, position + 0.28], color=MUTED, linewidth=1.2)
        else:
            ax.plot([least, high], [position] * 2, color=FAINT, linewidth=1.0, zorder=0)
        ax.plot([max(row.residual, least)], [position], marker=MARKERS[row.verdict], markersize=5.5, color=colour)
    ax.axvline(tolerance, color=ERROR, linewidth=1.2, linestyle="--", zorder=0)
    ax.annotate(
        f"tolerance {tolerance:.0%}".replace("%", " %"),
        (tolerance, 1.0),
        xycoords=("data", "axes fraction"),
        xytext=(4, 2),
        textcoords="offset points",
        color=ERROR,
        fontsize=8,
    )
    ax.set_xscale("log")
    ax.set_xlim(least, highest * 2)
    ax.set_ylim(len(rows) + 0.6, 0.4)
    ax.set_yticks(_ticks(len(rows)))
    ax.set(xlabel="relative residual", ylabel="direction")
    _plain_scale(ax, from_data)
    present = [verdict for verdict in MARKERS if any(row.verdict == verdict for row in rows)]
    handles = [
        ax.plot([], [], MARKERS[v], color=VERDICTS[v], markersize=5.5, label=VERDICT_WORDS[v])[0] for v in present
    ]
    ax.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, -0.22 * 3.2 / _height(ax)), ncols=4)
    return ax


def _height(ax: Any) -> float:
    return float(ax.figure.get_size_inches()[1])


def _ticks(count: int) -> list[int]:
    step = max(1, int(np.ceil(count / 16)))
    return list(range(1, count + 1, step))


def _plain_scale(ax: Any, percent: bool) -> None:
    """Label a logarithmic axis with percentages for residuals from data, else with powers of ten."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    def text(value: float, _: Any) -> str:
        return f"{100 * value:g} %" if percent else f"{value:.0e}".replace("e-0", "e-").replace("e+00", "")

    ax.xaxis.set_major_locator(LogLocator(numticks=8))
    ax.xaxis.set_major_formatter(FuncFormatter(text))
    ax.xaxis.set_minor_formatter(NullFormatter())


def drift(result: Result, ax: Any = None, *, coordinate: int = 0) -> Any:
    """One component of the drift along the coordinate on which it depends most, with bands and the data's density."""
    return _coefficient(result, new_axes(ax), coordinate, "f")


def diffusion(result: Result, ax: Any = None, *, coordinate: int = 0) -> Any:
    """A diagonal entry of a = σσᵀ along the coordinate on which it depends most, with bands and the data's density."""
    return _coefficient(result, new_axes(ax), coordinate, "a")


def by_date(result: Result, ax: Any = None, *, quantity: int = 0) -> Any:
    """A coefficient in blocks of the date with standard errors, and its mean as a line; for data on a restarted clock.

    `quantity` counts `result.measurement.clock.date.labels` from 0.
    """
    date = None if result.measurement is None else result.measurement.clock.date
    if date is None:
        raise InputError("The clock of this result does not restart, so there is nothing to plot by date.")
    if not 0 <= quantity < len(date.labels):
        raise InputError(f"There are {len(date.labels)} quantities by date, counted from 0, and no {quantity!r}.")
    ax = new_axes(ax)
    values, errors = date.values[:, quantity], date.errors[:, quantity]
    known = errors > 0
    if known.any():
        mean = float(np.average(values[known], weights=1 / errors[known] ** 2))
        ax.axhline(mean, color=MUTED, linewidth=1.0, linestyle="--", zorder=0)
    ax.errorbar(date.dates[known], values[known], yerr=errors[known], fmt="o", markersize=4, color=INFERRED)
    unit = "" if result.estimated is None else result.estimated.data.units.get("t", "")
    ax.set(xlabel=f"date [{unit}]" if unit else "date", ylabel=date.labels[quantity])
    return few_ticks(ax)


def main_variable(result: Result, coordinate: int, symbol: str) -> int:
    """The variable along which f^i ("f") or a^{ii} ("a") varies most, with a preference for its own coordinate."""
    source, own = numeric_source(result), coordinate + 1
    ranges = {
        variable: float(np.ptp(_values(source, line_through(result, variable, 24), coordinate, symbol)))
        for variable in range(1, len(result.names) + 1)
    }
    best = max(ranges, key=lambda variable: ranges[variable])
    return best if ranges[best] > CLEARLY * ranges[own] else own


def _coefficient(result: Result, ax: Any, coordinate: int, symbol: str) -> Any:
    variable = main_variable(result, coordinate, symbol)
    points = line_through(result, variable)
    along, source = points[:, variable], numeric_source(result)
    values = _values(source, points, coordinate, symbol)
    shown, found = [values], result.estimated
    if found is None:
        ax.plot(along, values, color=EXACT, label="exact")
    else:
        ax.plot(along, values, color=INFERRED, label="estimated")
        shown += _band(found, ax, points, (coordinate, variable, symbol), values)
        shown += _imposed(found, ax, points, (coordinate, variable, symbol))
    _limits(ax, np.concatenate(shown), symbol)
    _density(result, ax, variable)
    ax.set_xlim(*result.domain.intervals[variable])
    power = 1 if symbol == "f" else 2
    ax.set(xlabel=label(result, variable), ylabel=coefficient_label(result, symbol, coordinate, power))
    ax.legend(loc="best")
    return few_ticks(ax)


def _band(found: DataFindings, ax: Any, points: np.ndarray, place: Place, values: np.ndarray) -> list[np.ndarray]:
    """Draw the pointwise band, and return its central part for the limits of the axis: the ends may be very wide."""
    coordinate, variable, symbol = place
    drift_part, squared_part = coefficient_deviations(found.surrogate, points)
    deviation = drift_part[:, coordinate] if symbol == "f" else squared_part[:, coordinate, coordinate]
    low, high = values - factor(found) * deviation, values + factor(found) * deviation
    confidence = f"{100 * (1 - found.criteria.error_rate):g} %"
    ax.fill_between(points[:, variable], low, high, color=INFERRED, alpha=0.2, linewidth=0, label=confidence)
    inner = slice(len(points) // 20, -(len(points) // 20))
    return [low[inner], high[inner]]


def _imposed(found: DataFindings, ax: Any, points: np.ndarray, place: Place) -> list[np.ndarray]:
    """Draw the coefficient with the symmetries imposed, if there is a refit."""
    if found.refit is None:
        return []
    coordinate, variable, symbol = place
    values = _values(found.refit.surrogate, points, coordinate, symbol)
    ax.plot(points[:, variable], values, color=INK, linewidth=1.1, linestyle="--", label="symmetries imposed")
    return [values]


def _values(source: Any, points: np.ndarray, coordinate: int, symbol: str) -> np.ndarray:
    if symbol == "f":
        return source.drift(points[:, 0], points[:, 1:])[:, coordinate]
    return source.diffusion_squared(points[:, 0], points[:, 1:])[:, coordinate, coordinate]


def _limits(ax: Any, values: np.ndarray, symbol: str) -> None:
    """Set limits that contain curves and bands, zero for a, and do not magnify constants."""
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (-1.0, 1.0)
    low = min(low, 0.0) if symbol == "a" else low
    room = max(high - low, 0.2 * max(abs(low), abs(high))) or 1.0
    ax.set_ylim(low - 0.22 * room, high + 0.12 * room)


def _density(result: Result, ax: Any, variable: int) -> None:
    """Draw the density of the data at the bottom."""
    points = data_points(result)
    if not len(points):
        return
    counts, edges = np.histogram(points[:, variable], bins=40, range=result.domain.intervals[variable])
    bottom, top = ax.get_ylim()
    heights = bottom + 0.16 * (top - bottom) * counts / max(counts.max(), 1)
    ax.fill_between(
        (edges[1:] + edges[:-1]) / 2, bottom, heights, step="mid", color=DATA, alpha=0.45, linewidth=0, label="data"
    )
    ax.set_ylim(bottom, top)
