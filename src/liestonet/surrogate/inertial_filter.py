"""Positions of a system with inertia: a Gaussian filter for the state (x, v) along paths of which x was recorded.

dx = v dt, dv = F dt + noise of covariance a. A recorded point is the position plus an independent error of variance Λ.
Between points mean and covariance of the state follow from F and a, in stages that are short compared with the system's
time scales; each prediction comes with its derivatives in the parameters of F and a and in Λ (docs/method.md §4.9).
Everything is in units of the box.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from liestonet.core.domain import Domain
from liestonet.surrogate.features import Features
from liestonet.surrogate.filter import Collector, Segments, StepScores, collect, matrices, segments_in, segments_of
from liestonet.surrogate.regression import Entry
from liestonet.surrogate.surrogate import Surrogate
from liestonet.surrogate.tuning import INERTIA, RECORDING
from liestonet.trajectories.increments import Increments, IncrementSource


@dataclass(frozen=True)
class InertialModel:
    """F and a as series in the same functions, one column a coefficient, with Λ by position.

    `entries` are those of a among the velocities, counted from 0; `carried` is the displacement, in units of the box,
    at unit velocity in unit time. `stage` is the length of the longest stage; if steps are Euler steps of the equation
    (`euler`), each is one stage to first order.
    """

    features: Features
    entries: tuple[Entry, ...]
    drift: Float[np.ndarray, "c n"]
    diffusion: Float[np.ndarray, "c e"]
    error: Float[np.ndarray, " n"]
    least: Float[np.ndarray, " n"]
    carried: Float[np.ndarray, " n"]
    stage: float
    euler: bool

    @property
    def size(self) -> int:
        """Number of parameters: those of F and of a, and Λ."""
        return self.drift.size + self.diffusion.size + len(self.error)


@dataclass(frozen=True)
class _State:
    """Mean and covariance of (x, v), and their derivatives; those of the covariance only in a and Λ."""

    mean: Float[np.ndarray, "b m"]
    covariance: Float[np.ndarray, "b m m"]
    slope: Float[np.ndarray, "b m q"]
    spread: Float[np.ndarray, "b m m r"]


@dataclass(frozen=True)
class Followed:
    """The result of a run: standardised innovations (0 where a step does not count) and filtered states."""

    innovations: Float[np.ndarray, "k b n"]
    states: Float[np.ndarray, "k b m"]


def inertial_model(
    surrogate: Surrogate, drift: np.ndarray, diffusion: np.ndarray, error: Float[np.ndarray, " n"], euler: bool
) -> InertialModel:
    """The filter's model with the coefficients of a surrogate of (x, v)."""
    n, half = surrogate.dimension // 2, surrogate.domain.half
    features = surrogate.drift_estimates[0].features
    entries = tuple((e.entry[0] - n, e.entry[1] - n) for e in surrogate.diffusion_estimates)
    sample = surrogate.overview.points
    points = sample[np.linspace(0, len(sample) - 1, min(RECORDING.step_points, len(sample))).astype(int)]
    tables = features.values(points, ((), *((j,) for j in range(1, 2 * n + 1))))
    own = [place for place, (i, j) in enumerate(entries) if i == j]
    mean = np.mean(np.maximum(tables[()] @ diffusion[:, own], 0.0), axis=0)
    least = RECORDING.least_diffusion * np.maximum(mean, np.finfo(float).tiny)
    rate = np.sqrt(sum(np.mean((tables[j,] @ drift * half[j]) ** 2) for j in range(n + 1, 2 * n + 1)))
    carried = half[n + 1 :] * half[0] / half[1 : n + 1]
    turning = np.sqrt(sum(np.mean(np.abs(tables[j,] @ drift * half[j])) * carried.max() for j in range(1, n + 1)))
    stage = RECORDING.stage / max(float(rate), float(turning), np.finfo(float).tiny)
    return InertialModel(features, entries, drift, diffusion, error, least, carried, stage, euler)


def known_model(surrogate: Surrogate) -> InertialModel:
    """The filter's model of a surrogate that was fitted to positions."""
    recorded, n = surrogate.recorded, surrogate.dimension // 2
    if recorded is None:
        raise RuntimeError("the surrogate has no model of the recording's errors")
    columns = surrogate.parameters.reshape(-1, surrogate.drift_estimates[0].features.size).T
    error = np.array([0.0 if level is None else level.value for level in recorded.noise[:n]])
    error = (error / surrogate.domain.half[1 : n + 1]) ** 2
    return inertial_model(surrogate, columns[:, n : 2 * n], columns[:, 2 * n :], error, recorded.steps == "euler")


def inertial_segments(source: IncrementSource, domain: Domain, every: int = 1) -> Iterator[Segments]:
    """All paths in pieces whose points are the positions alone."""
    for segments in segments_of(source, domain, every, INERTIA.settling):
        yield _positions_of(segments)


def inertial_segments_in(block: Increments, domain: Domain) -> Iterator[Segments]:
    """The pieces of one block of increments."""
    for segments in segments_in(block, domain, INERTIA.settling):
        yield _positions_of(segments)


def _positions_of(segments: Segments) -> Segments:
    return replace(segments, y=segments.y[:, :, : segments.y.shape[2] // 2])


def followed(model: InertialModel, segments: Segments, sums: Collector | None = None) -> Followed:
    """Run the filter along segments from their second point on; add the steps to `sums` if given.

    Derivatives neglect how the covariances depend on F; the weights are then nearly optimal.
    """
    n, (steps, paths) = len(model.error), segments.t.shape
    half = model.features.domain.half
    low, high = np.array(model.features.domain.intervals[1:]).T
    turns = np.isfinite(model.features.domain.periods[1:])
    low, high = np.where(turns, -np.inf, low), np.where(turns, np.inf, high)
    state = _begun(model, segments, sums is not None)
    innovations, states = np.zeros((steps, paths, n)), np.zeros((steps, paths, 2 * n))
    states[0] = state.mean
    for k in range(1, steps):
        states[k] = state.mean
        x = state.mean * half[1:]
        counted = segments.counted[k] & ((x >= low) & (x <= high)).all(axis=1)
        state = _predicted(model, state, segments.t[k], segments.dt[k], (low, high))
        whole = state.covariance[:, :n, :n] + np.diag(model.error)
        root = np.linalg.inv(np.linalg.cholesky(whole))
        rest = segments.y[k + 1] - state.mean[:, :n]
        standard = np.einsum("bij,bj->bi", root, rest)
        innovations[k] = np.where(counted[:, None], standard, 0.0)
        if sums is not None:
            erred = state.spread[:, :n, :n].copy()
            for i in range(n):
                erred[:, i, i, i - n] += 1.0
            scores = StepScores(root, standard, state.slope[:, :n], erred, model.drift.size)
            collect(sums, segments, k, counted, scores)
        state = _corrected(state, np.swapaxes(root, 1, 2) @ root, rest, model.error)
    return Followed(innovations, states)


def _begun(model: InertialModel, segments: Segments, deriving: bool) -> _State:
    """The state at the second point, given the first two points only."""
    n, dt = len(model.error), segments.dt[0]
    paths = segments.y.shape[1]
    per_time = 1 / (dt[:, None] * model.carried)
    mean = np.concatenate([segments.y[1], (segments.y[1] - segments.y[0]) * per_time], axis=1)
    points = np.column_stack([segments.t[0], mean * model.features.domain.half[1:]])
    low, high = np.array(model.features.domain.intervals[1:]).T
    points[:, 1:] = np.clip(points[:, 1:], low, high)
    values = model.features.values(points)[()]
    if not model.euler:
        mean[:, n:] += dt[:, None] / 2 * (values @ model.drift)
    covariance = np.zeros((paths, 2 * n, 2 * n))
    share = 1.0 if model.euler else 1 / 3
    covariance[:, n:, n:] = matrices(values @ model.diffusion, model.entries, model.least) * (share * dt)[:, None, None]
    for i in range(n):
        covariance[:, i, i] = model.error[i]
        covariance[:, i, n + i] = covariance[:, n + i, i] = model.error[i] * per_time[:, i]
        covariance[:, n + i, n + i] += 2 * model.error[i] * per_time[:, i] ** 2
    size = model.size if deriving else 0
    few = size - model.drift.size if deriving else 0
    return _State(mean, covariance, np.zeros((paths, 2 * n, size)), np.zeros((paths, 2 * n, 2 * n, few)))


def _predicted(
    model: InertialModel,
    state: _State,
    t: Float[np.ndarray, " b"],
    dt: Float[np.ndarray, " b"],
    box: tuple[Float[np.ndarray, " m"], Float[np.ndarray, " m"]],
) -> _State:
    """The state after a step, predicted in stages."""
    stages = 1 if model.euler else int(np.clip(np.ceil(dt.max() / model.stage), 1, INERTIA.most_stages))
    for stage in range(stages):
        passed = t + stage * dt / stages * model.features.domain.half[0]
        state = _staged(model, state, passed, dt / stages, box)
    return state


def _staged(
    model: InertialModel,
    state: _State,
    t: Float[np.ndarray, " b"],
    h: Float[np.ndarray, " b"],
    box: tuple[Float[np.ndarray, " m"], Float[np.ndarray, " m"]],
) -> _State:
    """The state after one stage: to second order in h for velocities, to third for positions."""
    n, half, width = len(model.error), model.features.domain.half, model.features.size
    m, covariance = state.mean, state.covariance
    variables = tuple((j,) for j in range(1, 2 * n + 1))
    pairs = tuple((j, k) for j in range(n + 1, 2 * n + 1) for k in range(j, 2 * n + 1))
    clipped = np.clip(m * half[1:], *box)
    points, inside = np.column_stack([t, clipped]), clipped == m * half[1:]
    tables = model.features.values(points, ((), *variables, *pairs))
    values = tables[()]
    gradient = np.stack([inside[:, j[0] - 1, None] * tables[j] * half[j[0]] for j in variables], axis=1)
    drift = np.concatenate([m[:, n:] * model.carried, values @ model.drift], axis=1)
    jacobian = np.zeros((len(m), 2 * n, 2 * n))
    jacobian[:, :n, n:] = np.diag(model.carried)
    jacobian[:, n:] = np.einsum("bjc,ci->bij", gradient, model.drift)
    limit = INERTIA.largest_change / np.maximum(np.linalg.norm(jacobian[:, n:], axis=(1, 2)) * h, np.finfo(float).tiny)
    jacobian[:, n:] *= np.minimum(limit, 1.0)[:, None, None]
    order = 0.0 if model.euler else 1.0
    middle = np.column_stack([points[:, 0], np.clip((m + order * h[:, None] / 2 * drift) * half[1:], *box)])
    noise_values = model.features.values(middle)[()]
    noise = matrices(noise_values @ model.diffusion, model.entries, model.least)

    def bent(spread: Float[np.ndarray, "b n n"]) -> Float[np.ndarray, "b c"]:
        """½ Σ S_jk ∂_j∂_k of the functions, over velocities."""
        total = np.zeros_like(values)
        for j, k in pairs:
            factor = (0.5 if j == k else 1.0) * half[j] * half[k] * spread[:, j - n - 1, k - n - 1]
            factor = factor * (inside[:, j - 1] & inside[:, k - 1])
            total += factor[:, None] * tables[(j, k)]
        return total

    first = values + bent(covariance[:, n:, n:])
    second = np.einsum("bj,bjc->bc", drift, gradient) + bent(noise)
    once, twice = _flows(jacobian, h, order)
    own, later = once[:, :, n:], twice[:, :, n:]
    moved = m + np.einsum("bij,bj->bi", once[:, :, :n], drift[:, :n])
    moved = moved + np.einsum("bij,bj->bi", own, first @ model.drift)
    moved = moved + np.einsum("bij,bj->bi", later, bent(noise) @ model.drift)
    turn = np.eye(2 * n) + np.einsum("bij,bjk->bik", jacobian, once)
    nodes = _noise_nodes(jacobian, h, order)
    added = np.zeros_like(covariance)
    for weight, column in nodes:
        added += weight[:, None, None] * column @ noise @ np.swapaxes(column, 1, 2)
    predicted = turn @ covariance @ np.swapaxes(turn, 1, 2) + added
    if not state.slope.shape[2]:
        return _State(moved, predicted, state.slope, state.spread)
    slope = turn @ state.slope
    spread = _turned(turn, state.spread)
    for i in range(n):
        columns = slice(i * width, (i + 1) * width)
        slope[:, :, columns] += own[:, :, i, None] * first[:, None] + later[:, :, i, None] * second[:, None]
    for place, (i, j) in enumerate(model.entries):
        shape = np.zeros_like(covariance)
        for weight, column in nodes:
            shape += weight[:, None, None] * column[:, :, i, None] * column[:, None, :, j]
        shape = shape if i == j else shape + np.swapaxes(shape, 1, 2)
        spread[..., place * width : (place + 1) * width] += shape[..., None] * noise_values[:, None, None]
    return _State(moved, predicted, slope, spread)


def _flows(jacobian: np.ndarray, h: Float[np.ndarray, " b"], order: float) -> tuple[np.ndarray, np.ndarray]:
    """∫e^{Js} ds over a stage, and ∫(h − s) e^{Js} ds, to third order; for an Euler step to first order."""
    step, unit = h[:, None, None], np.eye(jacobian.shape[1])
    once = step * unit + order * (step**2 / 2 * jacobian + step**3 / 6 * jacobian @ jacobian)
    return once, order * (step**2 / 2 * unit + step**3 / 6 * jacobian)


def _noise_nodes(
    jacobian: np.ndarray, h: Float[np.ndarray, " b"], order: float
) -> list[tuple[Float[np.ndarray, " b"], np.ndarray]]:
    """Three Gauss nodes in a stage: their weights, and how noise at each changes the state at the end of the stage."""
    n = jacobian.shape[1] // 2
    unit = np.eye(2 * n)[:, n:]
    if not order:
        return [(h, np.broadcast_to(unit, (len(h), 2 * n, n)))]
    column = jacobian[:, :, n:]
    twice = jacobian @ column
    result = []
    for place, weight in zip(*np.polynomial.legendre.leggauss(3), strict=True):
        before = (h * (1 + place) / 2)[:, None, None]
        result.append((h * weight / 2, unit + before * column + before**2 / 2 * twice))
    return result


def _turned(turn: Float[np.ndarray, "b m m"], change: Float[np.ndarray, "b m m r"]) -> np.ndarray:
    """T δ Tᵀ for every column δ of a covariance's derivative."""
    paths, m, _, few = change.shape
    half = (turn @ change.reshape(paths, m, m * few)).reshape(change.shape)
    return np.einsum("bij,bkjr->bkir", turn, half)


def _corrected(
    state: _State,
    inverse: Float[np.ndarray, "b n n"],
    rest: Float[np.ndarray, "b n"],
    error: Float[np.ndarray, " n"],
) -> _State:
    """The state updated with one more recorded position."""
    n = len(error)
    gain = state.covariance[:, :, :n] @ inverse
    left = np.broadcast_to(np.eye(2 * n), state.covariance.shape).copy()
    left[:, :, :n] -= gain
    covariance = left @ state.covariance @ np.swapaxes(left, 1, 2) + (gain * error) @ np.swapaxes(gain, 1, 2)
    mean = state.mean + np.einsum("bij,bj->bi", gain, rest)
    few = state.spread.shape[3]
    if not few:
        return _State(mean, covariance, state.slope, state.spread)
    # dK = (I − KH) dP Hᵀ S⁻¹ − K dΛ S⁻¹
    shifted = left @ state.spread[:, :, :n].reshape(len(rest), 2 * n, n * few)
    shifted = shifted.reshape(len(rest), 2 * n, n, few)
    spread = _turned(left, state.spread)
    for i in range(n):
        shifted[:, :, i, i - n] -= gain[:, :, i]
        spread[..., i - n] += gain[:, :, i, None] * gain[:, None, :, i]
    slope = left @ state.slope
    slope[:, :, -few:] += np.einsum("bijr,bj->bir", shifted, np.einsum("bij,bj->bi", inverse, rest))
    return _State(mean, covariance, slope, spread)
