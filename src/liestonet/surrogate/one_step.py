"""Mean and covariance of a whole step from drift and diffusion, with derivatives in the parameters.

The state is followed as a Gaussian: dm/ds = E f, dP/ds = E∇f P + P E∇fᵀ + E a, expectations by points at m ± √3 roots
of P, exact for polynomials of degree five in one coordinate (docs/method.md §4.7). Units are those of the box.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from liestonet.surrogate.features import Features
from liestonet.surrogate.regression import Entry
from liestonet.surrogate.tuning import RECORDING


@dataclass(frozen=True)
class OneStep:
    """Mean displacement (b, n) and covariance (b, e) of steps from given points, and their derivatives (…, p)."""

    mean: Float[np.ndarray, "b n"]
    covariance: Float[np.ndarray, "b n n"]
    mean_change: Float[np.ndarray, "b n p"]
    covariance_change: Float[np.ndarray, "b n n p"]


@dataclass(frozen=True)
class _Moments:
    """Expectations of the functions and their derivatives, for the drift and for the diffusion."""

    value: np.ndarray
    first: np.ndarray
    second: np.ndarray
    diffusion_value: np.ndarray
    diffusion_first: np.ndarray


@dataclass(frozen=True)
class Dynamics:
    """Drift and diffusion as series in the same functions; `entries` of the diffusion, none below `least`."""

    features: Features
    entries: Sequence[Entry]
    drift: Float[np.ndarray, "c n"]
    diffusion: Float[np.ndarray, "c e"]
    least: Float[np.ndarray, " n"]


def one_step(
    model: Dynamics,
    points: Float[np.ndarray, "b v"],
    dt: Float[np.ndarray, " b"],
    uncertain: Float[np.ndarray, "b n n"],
) -> OneStep:
    """Follow steps of length dt from points (t, x), t and x in the data's units, dt in that of the box.

    `uncertain` is the covariance of the state at the beginning; it is negative where blur dominates.
    """
    features, drift, entries = model.features, model.drift, model.entries
    n, half = drift.shape[1], features.domain.half
    width, count = features.size, len(points)
    size = width * (n + len(entries))
    start = points[:, 1:] / half[1:]
    state = [start, uncertain, np.zeros((count, n, size)), np.zeros((count, n, n, size))]
    wanted = _rate(features, drift, points) * float(dt.max()) / RECORDING.stage
    stages = int(np.clip(np.ceil(wanted), *RECORDING.stages))
    step = dt / stages

    def slope(passed: np.ndarray, state: list[np.ndarray]) -> list[np.ndarray]:
        return _slope(model, points[:, 0] + passed * half[0], state)

    for stage in range(stages):
        passed = stage * step
        k1 = slope(passed, state)
        k2 = slope(passed + step / 2, _moved(state, k1, step / 2))
        k3 = slope(passed + step / 2, _moved(state, k2, step / 2))
        k4 = slope(passed + step, _moved(state, k3, step))
        total = [a + 2 * b + 2 * c + d for a, b, c, d in zip(k1, k2, k3, k4, strict=True)]
        state = _moved(state, total, step / 6)
    m, covariance, dm, dcovariance = state
    return OneStep(m - start, covariance, dm, dcovariance)


def _moved(state: list[np.ndarray], slopes: list[np.ndarray], step: Float[np.ndarray, " b"]) -> list[np.ndarray]:
    return [
        part + step.reshape(-1, *[1] * (part.ndim - 1)) * change for part, change in zip(state, slopes, strict=True)
    ]


def _rate(features: Features, drift: np.ndarray, points: np.ndarray) -> float:
    """A typical rate of the drift, the root mean square of its derivative."""
    half = features.domain.half
    variables = tuple((j,) for j in range(1, drift.shape[1] + 1))
    tables = features.values(points, variables)
    return float(np.sqrt(sum(np.mean((tables[j] @ drift * half[j[0]]) ** 2) for j in variables)))


def _slope(model: Dynamics, times: np.ndarray, state: list[np.ndarray]) -> list[np.ndarray]:
    """Time derivatives of mean and covariance, and of their derivatives in the parameters."""
    features, entries, least = model.features, model.entries, model.least
    drift, diffusion = model.drift, model.diffusion
    m, covariance, dm, dcovariance = state
    n, width = drift.shape[1], features.size
    moments = _expected(features, times, m, covariance)
    f = moments.value @ drift
    jacobian = np.einsum("bjc,ci->bij", moments.first, drift)
    hessian = np.einsum("bjkc,ci->bijk", moments.second, drift)
    a = _symmetric(moments.diffusion_value @ diffusion, entries, n)
    floor = np.diag(least)
    low = np.einsum("bii->bi", a) < least
    a = np.where(low.any(axis=1)[:, None, None], np.maximum(a, floor), a) if low.any() else a
    turned = jacobian @ covariance
    dmean = np.einsum("bij,bjq->biq", jacobian, dm) + 0.5 * np.einsum("bijk,bjkq->biq", hessian, dcovariance)
    changed = np.einsum("bij,bjkq->bikq", jacobian, dcovariance)
    changed += np.einsum("bijl,blq,bjk->bikq", hessian, dm, covariance)
    for i in range(n):
        columns = slice(i * width, (i + 1) * width)
        dmean[:, i, columns] += moments.value
        changed[:, i, :, columns] += np.einsum("bjc,bjk->bkc", moments.first, covariance)
    dslope = changed + np.swapaxes(changed, 1, 2)
    gradient = np.einsum("bjc,ce->bej", moments.diffusion_first, diffusion)
    along = np.einsum("bej,bjq->beq", gradient, dm)
    for place, (i, j) in enumerate(entries):
        columns = slice((n + place) * width, (n + place + 1) * width)
        for row, column in {(i, j), (j, i)}:
            dslope[:, row, column] += along[:, place]
            dslope[:, row, column, columns] += moments.diffusion_value
    return [f, turned + np.swapaxes(turned, 1, 2) + a, dmean, dslope]


def _symmetric(values: np.ndarray, entries: Sequence[Entry], n: int) -> np.ndarray:
    result = np.zeros((len(values), n, n))
    for place, (i, j) in enumerate(entries):
        result[:, i, j] = result[:, j, i] = values[:, place]
    return result


def _expected(features: Features, times: np.ndarray, m: np.ndarray, covariance: np.ndarray) -> _Moments:
    """Expectations over N(m, P); beyond the box the drift is continued linearly, the diffusion as a constant."""
    n, half = m.shape[1], features.domain.half
    low, high = np.array(features.domain.intervals[1:]).T / half[1:]
    turns = np.isfinite(features.domain.periods[1:])
    low, high = np.where(turns, -np.inf, low), np.where(turns, np.inf, high)
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(3 * np.abs(values))[:, None, :]
    shifts = np.concatenate([np.zeros((len(m), n, 1)), root, -root], axis=2)
    signs = np.sign(values) / 6
    weights = np.concatenate([1 - 2 * signs.sum(axis=1, keepdims=True), signs, signs], axis=1).T
    variables = [(j,) for j in range(1, n + 1)]
    pairs = [(j, k) for j in range(1, n + 1) for k in range(j, n + 1)]
    width, count = features.size, len(m)
    total = _Moments(
        np.zeros((count, width)),
        np.zeros((count, n, width)),
        np.zeros((count, n, n, width)),
        np.zeros((count, width)),
        np.zeros((count, n, width)),
    )
    for node, sign in enumerate(weights):
        weight = sign[:, None]
        place = m + shifts[:, :, node]
        clipped = np.clip(place, low, high)
        beyond, inside = place - clipped, (place == clipped).all(axis=1)[:, None]
        tables = features.values(np.column_stack([times, clipped * half[1:]]), ((), *variables, *pairs))
        gradient = np.stack([tables[j] * half[j[0]] for j in variables], axis=1)
        total.value[...] += weight * (tables[()] + np.einsum("bj,bjc->bc", beyond, gradient))
        total.first[...] += weight[:, :, None] * gradient
        total.diffusion_value[...] += weight * tables[()]
        total.diffusion_first[...] += weight[:, :, None] * np.where(inside[:, :, None], gradient, 0.0)
        for j, k in pairs:
            second = weight * np.where(inside, tables[(j, k)] * (half[j] * half[k]), 0.0)
            total.second[:, j - 1, k - 1] += second
            if j != k:
                total.second[:, k - 1, j - 1] += second
    return total
