"""Pictures of generators: τ over time, ξ over the data, and the flow carrying real paths along."""

from __future__ import annotations

from typing import Any

import numpy as np

from liestonet.report.bands import factor, generator_deviations, generator_errors
from liestonet.report.looks import (
    check_generator,
    component_sizes,
    data_points,
    grid_through,
    label,
    line_through,
    moved_coordinates,
    new_axes,
    real_paths,
)
from liestonet.report.palette import DATA, ERROR, EXACT, FAINT, INFERRED, MUTED, SIGNED, stroke
from liestonet.result import Result
from liestonet.validation.flows import flow as flow_along

MOST_CURVES = 12
# The flow moves a typical point by these parts of the box's half-width.
AMOUNTS = (0.25, 0.5)
SHOWN_PATHS = 5
ARROWS = 13


def time_parts(result: Result, ax: Any = None, *, errors: Any = None) -> Any:
    """τ_i(t) of every generator that moves time, with pointwise bands where the result comes from data.

    `errors` are those of `generator_errors`, if they are known already.
    """
    ax = new_axes(ax)
    points = line_through(result, 0)
    values = result.fields.components(points, [()])[()][:, :, 0]
    sizes = component_sizes(result)
    moving = [i for i in range(result.fields.count) if sizes[i, 0] > 1e-6 * max(sizes[i].max(), 1e-300)][:MOST_CURVES]
    errors = generator_errors(result) if errors is None else errors
    bands = None if errors is None else factor(result) * generator_deviations(errors, len(values), points)[:, :, 0]
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
    return ax


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
    ax, generator = new_axes(ax), check_generator(result, generator)
    if len(result.names) == 1:
        return _colours(result, ax, generator, len(result.names) + 1, 1)
    return _colours(result, ax, generator, len(result.names) + 1, 2, across=1)


def flow(result: Result, ax: Any = None, *, generator: int = 0) -> Any:
    """A few real paths (grey), and where the generator's flow carries them; for an equation, lines of the box."""
    ax, generator = new_axes(ax), check_generator(result, generator)
    moved = moved_coordinates(result, generator)
    plane = len(moved) >= 2
    first, second = sorted(int(c) + 1 for c in moved[:2]) if plane else (0, int(moved[0]) + 1 if len(moved) else 1)
    size = float(np.sqrt(np.sum(component_sizes(result)[generator, : len(result.names) + 1] ** 2)))
    colour = INFERRED if result.standards is not None else EXACT
    lost = 0
    for times, states in _carried(result):
        _draw(ax, np.column_stack([times, states]), first, second, color=DATA, linewidth=1.0, alpha=0.9)
        for amount, strength in zip(AMOUNTS, (0.55, 1.0), strict=True):
            end = flow_along(
                result.fields, times, states, amount / max(size, 1e-300), generator, domain=result.domain, margin=1.0
            )
            lost += end.left + end.blew_up
            _draw(ax, np.column_stack([end.t, end.x]), first, second, color=colour, linewidth=1.1, alpha=strength)
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


def _carried(result: Result) -> list[tuple[np.ndarray, np.ndarray]]:
    """Paths to carry: real ones from data, straight lines through the box for an equation."""
    paths = [(t, x) for t, x in real_paths(result) if len(t) > 1]
    if paths:
        return paths[:: max(1, len(paths) // SHOWN_PATHS)][:SHOWN_PATHS]
    low, high = (np.array(ends) for ends in zip(*result.domain.intervals, strict=True))
    centre, half = result.domain.centre, result.domain.half
    times = np.linspace(low[0], high[0], 60)
    lines = []
    for part in np.linspace(-0.6, 0.6, SHOWN_PATHS):
        wave = part + 0.12 * np.sin(np.linspace(0, 2 * np.pi, len(times)))[:, None] * np.arange(1, len(centre))[None]
        lines.append((times, centre[1:] + half[1:] * np.clip(wave, -0.9, 0.9)))
    return lines


def _draw(ax: Any, points: np.ndarray, first: int, second: int, **look: Any) -> None:
    ax.plot(points[:, first], points[:, second], **look)


def _colours(result: Result, ax: Any, generator: int, component: int, variable: int, across: int = 0) -> Any:
    """One component as colours over two variables, with the data's paths on top."""
    grid = grid_through(result, across, variable, (80, 60))
    values = result.fields.components(grid.reshape(-1, grid.shape[-1]), [()])[()][generator, :, component]
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
    for times, states in list(real_paths(result))[:SHOWN_PATHS]:
        points = np.column_stack([times, states])
        _draw(ax, points, across, variable, color="#202020", linewidth=0.7, alpha=0.45)
    bar = ax.figure.colorbar(mesh, ax=ax, fraction=0.06, pad=0.02)
    bar.outline.set_visible(False)
    bar.ax.tick_params(length=2)
    ax.set_xlim(*result.domain.intervals[across])
    ax.set_ylim(*result.domain.intervals[variable])
    ax.set(xlabel=label(result, across), ylabel=label(result, variable))
    return ax


def _arrows(result: Result, ax: Any, generator: int, first: int, second: int) -> Any:
    """Two components of ξ as arrows over the data's points, at the middle of time and of all other coordinates."""
    points = data_points(result)
    if len(points):
        ax.scatter(
            points[:, first + 1], points[:, second + 1], s=2.5, color=DATA, alpha=0.35, linewidths=0, rasterized=True
        )
    grid = grid_through(result, first + 1, second + 1, (ARROWS, ARROWS)).reshape(-1, len(result.names) + 1)
    values = result.fields.components(grid, [()])[()][generator, :, 1:]
    colour = INFERRED if result.standards is not None else EXACT
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
    return ax
