"""An exact check of a map that needs no model: whole paths are replaced by their images, at random.

If the law of the paths is symmetric and so is the law of their starts, a path and its image are equally likely, and the
rank of a statistic of the data is uniform among data in which each path is or is not replaced by its image. The check
is exact for any number of paths. It needs a map of finite order that leaves time unchanged (docs/method.md §14.4).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from liestonet.core.numbers import is_whole
from liestonet.core.p_values import p_clause
from liestonet.errors import InputError
from liestonet.surrogate.surrogate import Surrogate
from liestonet.trajectories import Trajectories
from liestonet.validation.maps.point_map import PointMap
from liestonet.validation.null_model import stream
from liestonet.validation.tuning import MAPS


@dataclass(frozen=True)
class Randomisation:
    """The rank of the data among randomised ones, as a p-value. `exact` says that the starts are symmetric by design.

    Otherwise they look symmetric (`starts` is the p-value), and the check is exact if they come from a symmetric law.
    """

    p_value: float
    draws: int
    paths: int
    order: int
    exact: bool
    starts: float | None = None

    def __str__(self) -> str:
        design = (
            "because the starts are symmetric by design" if self.exact else "if the starts come from a symmetric law"
        )
        looked = "" if self.starts is None else f", which is not rejected ({p_clause(self.starts)})"
        return (
            f"Randomisation check on {self.paths:,} whole paths: {p_clause(self.p_value)} ({self.draws:,} draws; "
            f"exact, {design}{looked})."
        )


def randomised(data: Trajectories, made: PointMap, surrogate: Surrogate, seed: Any) -> Randomisation | None:
    """The check, or None where the design does not allow it."""
    if not is_whole(seed) or seed < 0:
        raise InputError(f"The seed must be a whole number, 0 or more, not {seed!r}.")
    order = order_of(made, surrogate)
    if order is None or len(data) < MAPS.fewest_paths:
        return None
    exact, starts = _starts(data, made, surrogate, order, seed)
    if not exact and (starts is None or starts < MAPS.unlike_starts):
        return None
    vectors = _path_vectors(data, made, surrogate, order)
    count, rng = len(vectors), stream(int(seed), f"randomisation {made.text}")
    weights = _whitened(vectors)
    observed = _statistic(vectors[:, 0], weights)
    turns = rng.integers(0, order, (MAPS.draws, count))
    drawn = [_statistic(vectors[np.arange(count), row], weights) for row in turns]
    larger = int(np.sum(np.array(drawn) >= observed * (1 - MAPS.same_place)))
    p_value = (1 + larger) / (1 + MAPS.draws)
    return Randomisation(p_value, MAPS.draws, len(data), order, exact, None if exact else starts)


def order_of(made: PointMap, surrogate: Surrogate) -> int | None:
    """The smallest power of a map that is the identity, if it leaves time unchanged; else None."""
    rows = np.linspace(0, len(surrogate.overview.points) - 1, MAPS.checked_points).astype(int)
    points = surrogate.overview.points[rows]
    half, periods = surrogate.domain.half, surrogate.domain.periods
    place = points
    for order in range(1, MAPS.largest_order + 1):
        place = made(place)
        if not np.isfinite(place).all() or np.abs(place[:, 0] - points[:, 0]).max() > MAPS.same_place * half[0]:
            return None
        away = place - points
        turns = np.isfinite(periods)
        away[:, turns] -= periods[turns] * np.round(away[:, turns] / periods[turns])
        if np.abs(away / half).max() < np.sqrt(MAPS.same_place):
            return order if order > 1 else None
    return None


def _starts(
    data: Trajectories, made: PointMap, surrogate: Surrogate, order: int, seed: Any
) -> tuple[bool, float | None]:
    """Whether the map leaves all starts unchanged; else the p-value of a symmetric law of them, by energy distance."""
    first = data.offsets[:-1]
    points = np.column_stack([data.flat_times[first], data.flat_states[first]])
    moved = (made(points) - points)[:, 1:] / surrogate.domain.half[1:]
    if np.abs(moved).max() < MAPS.same_place:
        return True, None
    rng = stream(int(seed), "starts")
    chosen = rng.permutation(len(points))[: MAPS.compared_starts]
    images = [points[chosen]]
    for _ in range(order - 1):
        images.append(made(images[-1]))
    states = np.stack([image[:, 1:] / surrogate.domain.half[1:] for image in images], axis=1)
    if not np.isfinite(states).all():
        return False, None
    flat = states.reshape(-1, states.shape[2])
    distances = np.linalg.norm(flat[:, None] - flat[None], axis=2)
    places = np.arange(len(states)) * order

    def energy(turn: np.ndarray) -> float:
        rows = places + turn
        inside = distances[np.ix_(rows, rows)].mean()
        return float(2 * distances[rows].mean() - inside - distances.mean())

    observed = energy(np.zeros(len(states), dtype=int))
    drawn = [energy(rng.integers(0, order, len(states))) for _ in range(MAPS.start_draws)]
    return False, (1 + int(np.sum(np.array(drawn) >= observed))) / (1 + MAPS.start_draws)


def _path_vectors(
    data: Trajectories, made: PointMap, surrogate: Surrogate, order: int
) -> Float[np.ndarray, "paths order q"]:
    """For every path and each of its images: sums along it of steps and of products of steps with low functions.

    The mean over the images is subtracted: what all of them share says nothing about the map.
    """
    half = surrogate.domain.half
    points = np.column_stack([data.flat_times, data.flat_states])
    vectors = []
    for _ in range(order):
        vectors.append(_sums(points, data, half, surrogate))
        points = made(points)
    stacked = np.stack(vectors, axis=1)
    usable = np.isfinite(stacked).all(axis=(1, 2))
    stacked = stacked[usable]
    return stacked - stacked.mean(axis=1, keepdims=True)


def _sums(
    points: Float[np.ndarray, "b v"], data: Trajectories, half: Float[np.ndarray, " v"], surrogate: Surrogate
) -> Float[np.ndarray, "paths q"]:
    """Σ Δx^i ψ(x) and Σ Δx^i Δx^j ψ(x) along each path, ψ of degree one at most, or waves of an angle."""
    last = np.zeros(len(points), dtype=bool)
    last[data.offsets[1:] - 1] = True
    begin = np.flatnonzero(~last)
    steps = (points[begin + 1] - points[begin])[:, 1:] / half[1:]
    centre = surrogate.domain.centre
    functions = [np.ones(len(begin))]
    for variable in range(1, points.shape[1]):
        if variable in surrogate.domain.periodic:
            phase = 2 * np.pi * points[begin, variable] / surrogate.domain.periods[variable]
            functions += [np.cos(phase), np.sin(phase)]
        else:
            functions.append((points[begin, variable] - centre[variable]) / half[variable])
    n = steps.shape[1]
    columns = [steps[:, i] * psi for i in range(n) for psi in functions]
    columns += [steps[:, i] * steps[:, j] * psi for i in range(n) for j in range(i, n) for psi in functions]
    paths = np.repeat(np.arange(len(data)), np.diff(data.offsets) - 1)
    found = np.zeros((len(data), len(columns)))
    for k, column in enumerate(columns):
        found[:, k] = np.bincount(paths, column, minlength=len(data))
    return found


def _whitened(vectors: Float[np.ndarray, "paths order q"]) -> Float[np.ndarray, "q k"]:
    """Combinations of the sums with unit scatter over all paths and images: the same for all randomised data."""
    flat = vectors.reshape(-1, vectors.shape[2])
    covariance = flat.T @ flat / len(flat)
    scale = np.sqrt(np.maximum(np.diag(covariance), np.finfo(float).tiny))
    values, columns = np.linalg.eigh(covariance / np.outer(scale, scale))
    seen = values > MAPS.seen_sum * values[-1]
    return columns[:, seen] / np.sqrt(values[seen]) / scale[:, None]


def _statistic(vectors: Float[np.ndarray, "paths q"], weights: Float[np.ndarray, "q k"]) -> float:
    """Square of the mean over paths, in units of the scatter."""
    return float(np.sum((vectors.sum(axis=0) @ weights) ** 2))
