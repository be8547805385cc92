"""Where the losses are evaluated: the paper's recipes for a cloud of points (t, x)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from jaxtyping import Float

from liestonet.domain import Domain
from liestonet.errors import InputError
from liestonet.neural.settings import Cloud

Points = Float[np.ndarray, "b v"]
# (paths, points of a path, variables)
Paths = Float[np.ndarray, "k s v"]


def make_cloud(
    settings: Cloud, domain: Domain, data: Points, simulate: Callable[[int, np.random.Generator], Paths], seed: int
) -> Points:
    """Points of data or of simulated paths, mixed with uniform ones, `points` of them in all."""
    rng = np.random.default_rng([seed, 1])
    if settings.source == "data":
        empirical = _above_floor(data[_inside(domain, data)], settings.floor)
    else:
        paths = simulate(settings.trajectories * settings.oversample, rng)
        if settings.oversample > 1:
            paths = balanced(paths, domain, settings.trajectories, settings.bins)
        flat = paths.reshape(-1, paths.shape[-1])
        empirical = _above_floor(flat[np.isfinite(flat).all(axis=1)], settings.floor)
    if not len(empirical):
        raise InputError("There is no point in the box to train on; check the domain, or cloud.floor.")
    total = len(empirical) if settings.points is None else settings.points
    uniform = round(settings.uniform * total)
    chosen = rng.choice(len(empirical), size=total - uniform, replace=total - uniform > len(empirical))
    return np.concatenate([empirical[chosen], uniform_points(domain, uniform, settings.floor, rng)])


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


def _above_floor(points: Points, floor: float | None) -> Points:
    return points if floor is None else points[points[:, 1] >= floor]
