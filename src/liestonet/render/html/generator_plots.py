"""Pictures of generators: τ over time, ξ over the data, and recorded paths moved by the flow."""

from __future__ import annotations

from typing import Any

import numpy as np
from jaxtyping import Float

from liestonet.errors import InputError
from liestonet.render.html.bands import factor, generator_deviations, generator_errors
from liestonet.render.html.palette import DATA, ERROR, EXACT, FAINT, INFERRED, MUTED, ON_COLOURS, SIGNED, stroke
from liestonet.render.html.plot_geometry import (
    VISIBLE,
    check_generator,
    component_sizes,
    data_points,
    drawn,
    few_ticks,
    grid_through,
    label,
    line_through,
    moved_coordinates,
    new_axes,
    real_paths,
)
from liestonet.result import Result
from liestonet.validation.flows import Reach
from liestonet.validation.flows import flow as flow_along

MOST_CURVES = 12
# The flow moves a typical point by these fractions of the box's half-width.
AMOUNTS = (0.25, 0.5)
SHOWN_PATHS = 5
ARROWS = 13
# A picture needs no more digits.
TOLERANCE = 1e-5


def time_parts(result: Result, ax: Any = None) -> Any:
    """τ_i(t) of every generator that moves time, with pointwise bands for results from data."""
    ax = new_axes(ax)
    points = line_through(result, 0)
    values = result.evaluated.components(points, [()])[()][:, :, 0]
    sizes = component_sizes(result)
    moving = [i for i in range(result.fields.count) if sizes[i, 0] > VISIBLE * sizes[i].max()][:MOST_CURVES]
    errors = generator_errors(result)
    found = result.estimated
    bands = (
        None
        if errors is None or found is None
        else factor(found) * generator_deviations(errors, len(values), points)[:, :, 0]
    )
    for position, i in enumerate(moving):
        look = stroke(position)
        ax.plot(points[:, 0], values[i], label=f"τ of X{i + 1}", **look)
        if bands is not None:
            low, high = values[i] - bands[i], values[i] + bands[i]
            ax.fill_between(points[:, 0], low, high, color=look["color"], alpha=0.18, linewidth=0)
    ax.axhline(0, color=FAINT, linewidth=0.8, zorder=0)
    ax.set(xlabel=label(result, 0), ylabel="τ")
    if moving:
        ax.legend(ncols=1 if len(moving) <= 6 else 2)
        limits = values[moving]
        room = 0.12 * max(float(np.ptp(limits)), 1e-12) + 0.05 * float(np.abs(limits).max())
        ax.set_ylim(float(limits.min()) - room, float(limits.max()) + room)
    else:
        ax.text(0.5, 0.5, "No generator moves time.", transform=ax.transAxes, ha="center", color=MUTED)
    return few_ticks(ax)


def state_part(result: Result, ax: Any = None, *, generator: int = 0) -> Any:
    """ξ of one generator over the data: colour over (t, x), or arrows in the plane of the two coordinates it moves."""
    ax, generator = new_axes(ax), check_generator(result, generator)
    moved = moved_coordinates(result, generator)
    if len(moved) >= 2 or (len(moved) == 1 and len(result.names) > 1):
        first = int(moved[0])
        second = int(moved[1]) if len(moved) > 1 else (1 if first == 0 else 0)
        return _arrows(result, ax, generator, *sorted((first, second)))
    coordinate = int(moved[0]) if len(moved) else 0
    return _colours(result, ax, generator, coordinate + 1, coordinate + 1)


def density_part(result: Result, ax: Any = None, *, generator: int = 0) -> Any:
    """β of one Fokker–Planck generator, which changes the density, over (t, x) or over the first two coordinates."""
    if not result.fields.has_beta:
        raise InputError(
            f"Only Fokker–Planck generators change the density; this result is of {result.symmetry} symmetries. Ask "
            'for symmetry="fokker-planck".'
        )
    ax, generator = new_axes(ax), check_generator(result, generator)
    if len(result.names) == 1:
        return _colours(result, ax, generator, len(result.names) + 1, 1)
    return _colours(result, ax, generator, len(result.names) + 1, 2, across=1)


def flow(result: Result, ax: Any = None, *, generator: int = 0) -> Any:
    """A few recorded paths (grey) and their images under the flow; for an equation, lines through the box."""
    ax, generator = new_axes(ax), check_generator(result, generator)
    moved = moved_coordinates(result, generator)
    plane = len(moved) >= 2
    first, second = sorted(int(c) + 1 for c in moved[:2]) if plane else (0, int(moved[0]) + 1 if len(moved) else 1)
    size = float(np.sqrt(np.sum(component_sizes(result)[generator, : len(result.names) + 1] ** 2)))
    colour = INFERRED if result.estimated is not None else EXACT
    paths = _carried(result)
    for path in (drawn(result, path) for path in paths):
        ax.plot(path[:, first], path[:, second], color=DATA, linewidth=1.0, alpha=0.9)
    together, ends = np.concatenate(paths), np.cumsum([len(path) for path in paths])[:-1]
    lost = 0
    for amount, strength in zip(AMOUNTS, (0.5, 1.0), strict=True):
        epsilon = amount / max(size, np.finfo(float).tiny)
        reach = Reach(result.domain, 1.0, TOLERANCE)
        end = flow_along(result.evaluated, together[:, 0], together[:, 1:], epsilon, generator, reach)
        lost += end.left + end.blew_up
        for path in (drawn(result, path) for path in np.split(np.column_stack([end.t, end.x]), ends)):
            ax.plot(path[:, first], path[:, second], color=colour, linewidth=1.1, alpha=strength)
    for variable, set_limits in ((first, ax.set_xlim), (second, ax.set_ylim)):
        if variable in result.domain.periodic:
            set_limits(*result.domain.intervals[variable])
    ax.set(xlabel=label(result, first), ylabel=label(result, second))
    if lost:
        ax.annotate(
            f"{lost} points leave the box",
            (0.99, 0.02),
            xycoords="axes fraction",
            ha="right",
            color=ERROR,
            fontsize=7.5,
        )
    return ax


def _carried(result: Result) -> list[Float[np.ndarray, "b v"]]:
    """Points (t, x) of the paths to move: recorded ones, or for an equation smooth curves through the box."""
    paths = [np.column_stack(path) for path in real_paths(result) if len(path[0]) > 1]
    if paths:
        return paths[:: max(1, len(paths) // SHOWN_PATHS)][:SHOWN_PATHS]
    centre, half = result.domain.centre, result.domain.half
    phase = np.linspace(-1, 1, 60)
    waves = []
    for part in np.linspace(-0.6, 0.6, SHOWN_PATHS):
        states = [part + 0.12 * np.sin(np.pi * phase + position) for position in range(len(result.names))]
        waves.append(centre + half * np.column_stack([phase, *states]))
    return waves


def _colours(result: Result, ax: Any, generator: int, component: int, variable: int, across: int = 0) -> Any:
    """Draw one component as colours over two variables, with recorded paths."""
    grid = grid_through(result, across, variable, (80, 60))
    values = result.evaluated.components(grid.reshape(-1, grid.shape[-1]), [()])[()][generator, :, component]
    values = values.reshape(grid.shape[:2])
    largest = float(np.abs(values).max()) or 1.0
    mesh = ax.pcolormesh(
        grid[..., across],
        grid[..., variable],
        values,
        cmap=SIGNED,
        vmin=-largest,
        vmax=largest,
        shading="gouraud",
        rasterized=True,
    )
    for path in real_paths(result)[:SHOWN_PATHS]:
        points = drawn(result, np.column_stack(path))
        ax.plot(points[:, across], points[:, variable], color=ON_COLOURS, linewidth=0.7, alpha=0.45)
    bar = ax.figure.colorbar(mesh, ax=ax, fraction=0.06, pad=0.02)
    bar.outline.set_visible(False)
    bar.ax.tick_params(length=2)
    ax.set_xlim(*result.domain.intervals[across])
    ax.set_ylim(*result.domain.intervals[variable])
    ax.set(xlabel=label(result, across), ylabel=label(result, variable))
    return few_ticks(ax)


def _arrows(result: Result, ax: Any, generator: int, first: int, second: int) -> Any:
    """Draw two components of ξ as arrows over the data's points, at the middle of time and other coordinates."""
    points = data_points(result)
    if len(points):
        ax.scatter(
            points[:, first + 1], points[:, second + 1], s=2.5, color=DATA, alpha=0.35, linewidths=0, rasterized=True
        )
    grid = grid_through(result, first + 1, second + 1, (ARROWS, ARROWS)).reshape(-1, len(result.names) + 1)
    values = result.evaluated.components(grid, [()])[()][generator, :, 1:]
    colour = INFERRED if result.estimated is not None else EXACT
    ax.quiver(
        grid[:, first + 1],
        grid[:, second + 1],
        values[:, first],
        values[:, second],
        angles="xy",
        color=colour,
        width=0.005,
        pivot="mid",
    )
    ax.set_xlim(*result.domain.intervals[first + 1])
    ax.set_ylim(*result.domain.intervals[second + 1])
    ax.set(xlabel=label(result, first + 1), ylabel=label(result, second + 1))
    return few_ticks(ax)
