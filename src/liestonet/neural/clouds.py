"""The points (t, x) at which the losses are evaluated, by the paper's recipes."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from liestonet.core.domain import Domain
from liestonet.errors import InputError
from liestonet.neural.settings import Cloud

Points = Float[np.ndarray, "_ v"]
# (paths, points of a path, variables)
Paths = Float[np.ndarray, "_ s v"]


class PathPoints(NamedTuple):
    """Points of paths, with the duration of the step that begins at each."""

    points: Points
    steps: Float[np.ndarray, " _"]

    def chosen(self, rows: np.ndarray) -> PathPoints:
        return PathPoints(self.points[rows], self.steps[rows])


def make_cloud(
    settings: Cloud, domain: Domain, data: PathPoints, simulate: Callable[[int, np.random.Generator], Paths], seed: int
) -> PathPoints:
    """Points of data or of simulated paths, mixed with uniform ones, `points` of them in all.

    A point of a path keeps its own time step; one that is on no path has the median of the others.
    """
    rng = np.random.default_rng([seed, 1])
    if settings.source == "data":
        on_paths = data.chosen(_inside(domain, data.points))
    else:
        paths = simulate(settings.trajectories * settings.oversample, rng)
        if settings.oversample > 1:
            paths = balanced(paths, domain, settings.trajectories, settings.bins)
        on_paths = _flattened(paths)
    if settings.floor is not None:
        on_paths = on_paths.chosen(on_paths.points[:, 1] >= settings.floor)
    count = len(on_paths.points)
    if not count:
        raise InputError("There is no point in the box to train on; check the domain, or cloud.floor.")
    total = count if settings.points is None else settings.points
    uniform = round(settings.uniform * total)
    chosen = on_paths.chosen(rng.choice(count, size=total - uniform, replace=total - uniform > count))
    anywhere = uniform_points(domain, uniform, settings.floor, rng)
    return PathPoints(
        np.concatenate([chosen.points, anywhere]),
        np.concatenate([chosen.steps, np.full(uniform, np.median(on_paths.steps))]),
    )


def _flattened(paths: Paths) -> PathPoints:
    """The finite points of simulated paths; the last of a path gets the step before it."""
    steps = np.diff(paths[:, :, 0], axis=1)
    found = PathPoints(paths.reshape(-1, paths.shape[-1]), np.concatenate([steps, steps[:, -1:]], axis=1).ravel())
    return found.chosen(np.flatnonzero(np.isfinite(found.points).all(axis=1)))


def uniform_points(domain: Domain, count: int, floor: float | None, rng: np.random.Generator) -> Points:
    """Points drawn uniformly from the box, the first coordinate above the floor."""
    low, high = np.array(domain.intervals).T
    if floor is not None:
        low = low.copy()
        low[1] = max(low[1], floor)
    return rng.uniform(low, high, size=(count, len(low)))


def balanced(paths: Paths, domain: Domain, count: int, bins: int) -> Paths:
    """A subset of paths whose occupancy of the first coordinate is closest to even, chosen greedily."""
    edges = np.linspace(*domain.intervals[1], bins + 1)
    occupancy = np.stack([np.histogram(path[:, 1], edges)[0] for path in paths]).astype(float)
    chosen: list[int] = []
    free, held = np.ones(len(paths), dtype=bool), np.zeros(bins)
    for _ in range(min(count, len(paths))):
        spread = np.var(held + occupancy, axis=1) / np.maximum((held + occupancy).mean(axis=1), 1.0) ** 2
        best = int(np.argmin(np.where(free, spread, np.inf)))
        chosen.append(best)
        free[best], held = False, held + occupancy[best]
    return paths[chosen]


def reflected(x: Float[np.ndarray, "k n"], low: np.ndarray, high: np.ndarray) -> Float[np.ndarray, "k n"]:
    """States mirrored at the faces of the box until they are inside."""
    width = high - low
    folded = np.mod(x - low, 2 * width)
    return low + np.where(folded > width, 2 * width - folded, folded)


def _inside(domain: Domain, points: Points) -> np.ndarray:
    low, high = np.array(domain.intervals).T
    return ((points >= low) & (points <= high)).all(axis=1)
