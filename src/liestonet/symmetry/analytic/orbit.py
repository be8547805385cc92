"""The dimension of the set that the paths of an equation can reach by drift and noise together.

Drift and noise, with every bracket of them, span the directions in which paths can leave a point (the orbit theorem:
carry the fields back along paths that are steered at random, and they span all of it). Each direction of time and state
that is missing gives one function that is constant along every path; there are no others. See docs/method.md §3.6.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.integrate
from jaxtyping import Float

from liestonet.core.coefficients import Coefficients, JetOrder
from liestonet.core.domain import Domain
from liestonet.symmetry.analytic.tuning import FORMAL


def orbit_dimension(source: Coefficients, point: Float[np.ndarray, " v"], domain: Domain) -> int | None:
    """Dimension of what paths reach from a generic point in time and state; None where rounding leaves it undecided."""
    courses = [_Steered(source, domain.half, path, way) for path in range(FORMAL.paths) for way in (1.0, -1.0)]
    if np.linalg.matrix_rank(courses[0].fields(point)[0][1:, 1:], rtol=FORMAL.full_noise) == source.dimension:
        return source.dimension + 1
    # ∂t + drift alone moves time; what it brings beyond its start, and the noise, moves the state
    table = np.concatenate([v for course in courses for v in _carried_back(course, point, domain)], axis=1)[1:]
    error = max(FORMAL.carried_error, source.error)
    moved, expected = np.abs(table).max(axis=1), _expected(courses[0], point)
    seen, absent = moved > FORMAL.not_zero * error, (expected == 0) | (expected > FORMAL.not_zero**2 * error)
    if not (seen | absent).all():
        return None  # a coordinate at the end of a long chain moves too little for rounding to tell
    if not seen.any():
        return 1
    rank = _clear_rank(table[seen], error / moved[seen].min())
    return None if rank is None else 1 + rank


def _expected(course: _Steered, point: Float[np.ndarray, " v"]) -> Float[np.ndarray, " n"]:
    """How far noise would move each coordinate if nothing cancelled; exactly zero where noise cannot reach it."""
    values, slopes = course.fields(point)
    speeds = np.maximum(np.linalg.norm(values, axis=0), 1.0)
    step = FORMAL.reach * np.einsum("vkw,k->vw", np.abs(slopes), 1 / speeds)[1:, 1:]
    reached = term = np.abs(values[1:, 1:]).max(axis=1, initial=0.0)
    for k in range(1, len(reached) + 1):
        term = step @ term / k
        reached = reached + term
    return reached


def _clear_rank(table: Float[np.ndarray, "n vectors"], error: float) -> int | None:
    """The rank, each coordinate in its own units; None where no gap separates small numbers from zero."""
    table = _by_largest(table, 1)
    # a field that moves nothing beyond its start is rounding, and would be of size one in units of itself
    table = _by_largest(table[:, np.abs(table).max(axis=0) > FORMAL.not_zero * error], 0)
    table = _by_largest(table, 1)
    sizes = np.linalg.svd(table, compute_uv=False)
    relative = sizes / max(sizes[0], np.finfo(float).tiny)
    rank = int(np.sum(relative > 10 * error))
    resolved = rank == len(relative) or relative[rank] < relative[rank - 1] / FORMAL.rank_gap
    return rank if resolved else None


def _by_largest(table: Float[np.ndarray, "n vectors"], axis: int) -> Float[np.ndarray, "n vectors"]:
    """The table with rows or columns divided by their largest entry."""
    return table / np.maximum(np.abs(table).max(axis=axis, keepdims=True, initial=0.0), np.finfo(float).tiny)


class _Steered:
    """Drift (in Stratonovich form) and noise fields in units of the box, steered along a random course."""

    def __init__(self, source: Coefficients, half: Float[np.ndarray, " v"], path: int, direction: float) -> None:
        self._source, self._half, self._direction = source, half, direction
        self._waves = np.random.default_rng(path).standard_normal((2, source.noise)) * 3

    def fields(self, point: Float[np.ndarray, " v"]) -> tuple[np.ndarray, np.ndarray]:
        """The fields (v, r + 1), ∂t + drift first, and their derivatives (v, r + 1, v), in units of the box."""
        source, half = self._source, self._half
        n, r = source.dimension, source.noise
        order = JetOrder(drift=1, diffusion=2)
        jet = source.jet(point[:1], point[None, 1:], order)
        values, slopes = np.zeros((n + 1, r + 1)), np.zeros((n + 1, r + 1, n + 1))
        values[0, 0] = 1.0
        drift: Any = lambda *d: jet.drift[d][0] if d in jet.drift else np.zeros(n)  # noqa: E731
        sigma: Any = lambda *d: jet.diffusion[d][0] if d in jet.diffusion else np.zeros((n, r))  # noqa: E731
        first = np.stack([sigma(j) for j in range(1, n + 1)])
        values[1:, 0] = drift() - np.einsum("jk,jik->i", sigma(), first) / 2
        values[1:, 1:] = sigma()
        for v in range(n + 1):
            second = np.stack([sigma(*sorted((j, v))) for j in range(1, n + 1)])
            turned = np.einsum("jk,jik->i", sigma(v), first) + np.einsum("jk,jik->i", sigma(), second)
            slopes[1:, 0, v] = drift(v) - turned / 2
            slopes[1:, 1:, v] = sigma(v)
        return values / half[:, None], slopes * half / half[:, None, None]

    def steering(self, s: float, speeds: Float[np.ndarray, " fields"]) -> Float[np.ndarray, " fields"]:
        """The weight of each field along the course: all at similar speeds, the noise back and forth."""
        turns = np.cos(self._waves[0] * s + self._waves[1])
        return self._direction * np.concatenate([[1.0], turns]) / np.maximum(speeds, 1.0)


def orbit_points(source: Coefficients, point: Float[np.ndarray, " v"], domain: Domain) -> Float[np.ndarray, "b v"]:
    """Points that steered paths from a given one reach: every invariant is constant on them."""
    size, found = len(point), [point]
    for path in range(FORMAL.paths_followed):
        for way in (1.0, -1.0):
            states = _followed(_Steered(source, domain.half, path, way), point, domain)
            found += [point + domain.half * state[:size] for state in states]
    places = np.array(found)
    return places[np.isfinite(places).all(axis=1)]


def _carried_back(steered: _Steered, point: Float[np.ndarray, " v"], domain: Domain) -> list[np.ndarray]:
    """The fields at several points of a course, pulled back to its start by the flow along it."""
    size, half = len(point), domain.half
    start = steered.fields(point)[0]
    beginning = np.zeros_like(start)
    beginning[:, 0] = start[:, 0]
    found = [start - beginning]
    for state in _followed(steered, point, domain):
        carried = state[size:].reshape(size, size) @ steered.fields(point + half * state[:size])[0]
        if np.isfinite(carried).all():
            found.append(carried - beginning)
    return found


def _followed(steered: _Steered, point: Float[np.ndarray, " v"], domain: Domain) -> Float[np.ndarray, "stops state"]:
    """Points of a course: displacement from the start in units of the box, and the matrix that pulls fields back."""
    size, half = len(point), domain.half
    speeds = np.linalg.norm(steered.fields(point)[0], axis=0)

    def motion(s: float, state: np.ndarray) -> np.ndarray:
        place, carried = point + half * state[:size], state[size:].reshape(size, size)
        values, slopes = steered.fields(place)
        part = steered.steering(s, speeds)
        # d/ds (DΦ)⁻¹ = −(DΦ)⁻¹ · DX
        return np.concatenate([values @ part, (-carried @ np.einsum("vkw,k->vw", slopes, part)).ravel()])

    def leaves(s: float, state: np.ndarray) -> float:
        return 2 * FORMAL.reach - float(np.abs(state[:size]).max())

    leaves.terminal = True  # pyright: ignore[reportFunctionMemberAccess]
    stops = np.linspace(0, FORMAL.reach, FORMAL.stops * size + 1)[1:]
    with np.errstate(all="ignore"):
        course: Any = scipy.integrate.solve_ivp(
            motion,
            (0.0, FORMAL.reach),
            np.append(np.zeros(size), np.eye(size).ravel()),
            "DOP853",
            stops,
            False,
            [leaves],
            rtol=FORMAL.path_accuracy,
            atol=FORMAL.path_accuracy,
        )
    return course.y.T
