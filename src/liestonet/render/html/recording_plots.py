"""Pictures of data before any analysis: paths against time, and the steps of each coordinate."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from liestonet.errors import InputError
from liestonet.render.html.palette import DATA, INFERRED, styled
from liestonet.render.html.plot_geometry import few_ticks, new_axes
from liestonet.render.limits import (
    DOTS_OF_A_PICTURE,
    MOST_BINS,
    MOST_PATHS_DRAWN,
    MOST_POINTS_OF_A_LINE,
    MOST_ROWS_OF_A_PICTURE,
)
from liestonet.trajectories import Trajectories
from liestonet.trajectories.columns import make_header

ROW = (7.2, 2.3)  # size in inches of a coordinate's two pictures


def paths(data: Trajectories, ax: Any = None, *, coordinate: int = 0) -> Any:
    """One coordinate of the paths against time; if there are many, an even selection, whose size the title gives."""
    ax, name = new_axes(ax), _name(data, coordinate)
    count = min(len(data), MOST_PATHS_DRAWN)
    chosen = np.linspace(0, len(data) - 1, count).round().astype(int)
    times, states = data.times, data.states
    for path in chosen.tolist():
        t, x = outline(times[path], states[path][:, coordinate])
        ax.plot(t, x, color=INFERRED, linewidth=0.8, alpha=1.0 if count == 1 else 0.5)
    shown = f"{len(data):,} path{'s' * (len(data) > 1)}" if count == len(data) else f"{count} of {len(data):,} paths"
    ax.set(xlabel=make_header("t", data.units.get("t")), ylabel=make_header(name, data.units.get(name)), title=shown)
    return few_ticks(ax)


def steps(data: Trajectories, ax: Any = None, *, coordinate: int = 0) -> Any:
    """Histogram of the changes of a coordinate from one point of a path to the next, on a logarithmic scale."""
    ax, name = new_axes(ax), _name(data, coordinate)
    values = data.increments().dx[:, coordinate]
    bins = int(np.clip(np.sqrt(len(values)), 1, MOST_BINS))
    ax.hist(values, bins=bins, color=DATA)
    ax.set_yscale("log")
    still = float(np.mean(values == 0))
    title = f"{len(values):,} steps" + (f", {100 * still:.2g} % of them 0" if still else "")
    ax.set(xlabel=make_header(f"step of {name}", data.units.get(name)), ylabel="number", title=title)
    ax.locator_params(axis="x", nbins=5)
    return ax


def outline(
    times: Float[np.ndarray, " n"], values: Float[np.ndarray, " n"]
) -> tuple[Float[np.ndarray, " m"], Float[np.ndarray, " m"]]:
    """A path reduced to the points needed for a line, with the lowest and highest of every piece."""
    if len(values) <= MOST_POINTS_OF_A_LINE:
        return times, values
    pieces = np.array_split(np.arange(len(values)), MOST_POINTS_OF_A_LINE // 2)
    ends = [(piece[0] + int(f(values[piece]))) for piece in pieces for f in (np.argmin, np.argmax)]
    kept = np.unique([0, *ends, len(values) - 1])
    return times[kept], values[kept]


def draw_recording(data: Trajectories, file: Path) -> None:
    """Write paths and steps of the first coordinates as a picture, in the format given by the file's ending."""
    from matplotlib.figure import Figure

    rows = min(data.dimension, MOST_ROWS_OF_A_PICTURE)
    with styled():
        figure = Figure(figsize=(ROW[0], ROW[1] * rows), layout="constrained")
        axes = figure.subplots(rows, 2, squeeze=False, width_ratios=(2, 1))
        for coordinate, (left, right) in enumerate(axes):
            paths(data, left, coordinate=coordinate)
            steps(data, right, coordinate=coordinate)
        try:
            figure.savefig(file, dpi=DOTS_OF_A_PICTURE, facecolor="white")
        except OSError as problem:
            reason = problem.strerror or type(problem).__name__
            raise InputError(f"{str(file)!r} cannot be written: {reason}.") from None


def _name(data: Trajectories, coordinate: int) -> str:
    if not 0 <= coordinate < data.dimension:
        raise InputError(f"There are {data.dimension} coordinates, counted from 0, and no {coordinate!r}.")
    return data.names[coordinate]
