"""Geometry of plots: labels with units, points of the data, lines and grids through the box."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from liestonet.errors import InputError
from liestonet.result import Result

MOST_POINTS = 4000
# A component below this fraction of the largest, in units of the box, gets no picture.
VISIBLE = 0.02


def new_axes(ax: Any) -> Any:
    """The given axes, or new ones."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(layout="constrained")[1]


def few_ticks(ax: Any) -> Any:
    """Limit the number of ticks so that their labels do not overlap."""
    ax.locator_params(nbins=5)
    return ax


def label(result: Result, variable: int) -> str:
    """Name and unit of a variable; 0 is time."""
    name = ("t", *result.names)[variable]
    unit = result.estimated.data.units.get(name) if result.estimated is not None else None
    return name if unit is None else f"{name} [{unit}]"


def coefficient_label(result: Result, symbol: str, coordinate: int, power: int) -> str:
    """`f_x [um / s]`: a coefficient of a coordinate, whose unit is that of the coordinate to a power over time."""
    name = result.names[coordinate]
    mark = symbol if len(result.names) == 1 else f"{symbol}_{name if power == 1 else name + name}"
    units = result.estimated.data.units if result.estimated is not None else {}
    unit, time = units.get(name), units.get("t")
    if unit is None and time is None:
        return mark
    length = "1" if unit is None else unit if power == 1 else f"{unit}²"
    return f"{mark} [{length}]" if time is None else f"{mark} [{length}/{time}]"


def data_points(result: Result) -> Float[np.ndarray, "b v"]:
    """Points (t, x) of the data, evenly thinned; empty for an equation."""
    variables = result.domain.dimension + 1
    found = result.estimated
    points = np.zeros((0, variables)) if found is None else found.surrogate.overview.points
    if not len(points):
        paths = real_paths(result)
        points = np.concatenate([np.column_stack(path) for path in paths]) if paths else np.zeros((0, variables))
    return result.domain.wrapped(points[:: max(1, len(points) // MOST_POINTS)])


def drawn(result: Result, path: Float[np.ndarray, "b v"]) -> Float[np.ndarray, "more v"]:
    """A path (t, x) for drawing: periodic coordinates reduced to one period, with the line broken at its ends."""
    if not result.domain.periodic or not len(path):
        return path
    wrapped = result.domain.wrapped(path)
    with np.errstate(invalid="ignore"):
        jumps = (np.abs(np.diff(wrapped, axis=0)) > result.domain.periods / 2).any(axis=1)
    return np.insert(wrapped, np.flatnonzero(jumps) + 1, np.nan, axis=0)


def real_paths(result: Result) -> Sequence[tuple[np.ndarray, np.ndarray]]:
    """The few recorded paths that are stored in the result."""
    return () if result.estimated is None else result.estimated.data.paths


def middle(result: Result) -> Float[np.ndarray, " v"]:
    """The point through which lines and grids pass: the data's median, or the middle of the box."""
    points = data_points(result)
    return np.median(points, axis=0) if len(points) else result.domain.centre


def line_through(result: Result, variable: int, count: int = 120) -> Float[np.ndarray, "b v"]:
    """Points along one variable's interval, the others at the middle."""
    points = np.tile(middle(result), (count, 1))
    points[:, variable] = np.linspace(*result.domain.intervals[variable], count)
    return points


def grid_through(result: Result, first: int, second: int, counts: tuple[int, int]) -> Float[np.ndarray, "j i v"]:
    """A grid over two variables, the others at the middle; rows run along the second."""
    axes = [np.linspace(*result.domain.intervals[v], n) for v, n in zip((first, second), counts, strict=True)]
    grid = np.tile(middle(result), (counts[1], counts[0], 1))
    grid[..., first], grid[..., second] = np.meshgrid(*axes)
    return grid


def component_sizes(result: Result) -> Float[np.ndarray, "m components"]:
    """Root mean square of every component (τ, ξ, β) of every generator over the box, in units of the box."""
    from liestonet.core.points import lattice_cloud

    cloud = lattice_cloud(result.domain, 200)
    values = result.evaluated.components(cloud.points, [()])[()] / result.fields.basis.scales
    return np.sqrt(np.einsum("b,mbc->mc", cloud.weights, values**2))


def moved_coordinates(result: Result, generator: int) -> Int[np.ndarray, " k"]:
    """Coordinates that a generator moves visibly, those that move most first; ties keep their order.

    For an estimate with a formula, coordinates that the formula does not move are moved by errors only and left out.
    """
    sizes = component_sizes(result)[generator]
    state = sizes[1 : len(result.names) + 1]
    order = np.argsort(-np.round(state / max(float(state.max()), np.finfo(float).tiny), 2), kind="stable")
    known = result.closed_forms[generator] if result.closed_forms else None
    if known is not None and known.status != "numerical":
        order = order[[known.xi[c] != 0 for c in order]]
    return order[state[order] > VISIBLE * max(float(sizes.max()), np.finfo(float).tiny)]


def check_generator(result: Result, generator: int) -> int:
    """The number of a generator, counted from 0; an error if there is none with this number."""
    count = result.fields.count
    if not 0 <= generator < count:
        raise InputError(f"There are {count} generators, counted from 0, and none has the number {generator}.")
    return generator


def numeric_source(result: Result) -> Any:
    """Coefficients that can be evaluated; for an equation with free parameters those at the first draw."""
    source = result.surrogate
    if result.draw:
        return source.with_parameters({name: Fraction(value) for name, value in result.draw.items()})
    return source
