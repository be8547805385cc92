"""Principal angles between two spans of generators, accurate down to rounding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from liestonet.core.generators import GeneratorFunction
from liestonet.errors import InputError


def principal_angles(
    G: GeneratorFunction,
    H: GeneratorFunction,
    t: Any,
    x: Any,
    scale: tuple[float, float | Sequence[float]] | Any | None = None,
    weights: Any = None,
) -> Float[np.ndarray, " angles"]:
    """Angles in degrees, ascending, between the spans of two sets of generators at the points t (B,), x (B, d).

    G and H give tau (m, B), xi (m, B, d) and perhaps beta (m, B); β counts when both have it. `scale=None` stacks raw
    components as the paper does, so the angles depend on units; `scale=(T, L)` divides τ by T and ξ^i by L_i.
    `weights` (B,) are the weights of the points. There are min(m, r) angles for m and r generators.
    """
    time, state = _numbers(t, "t"), _numbers(x, "x")
    if time.ndim != 1 or state.ndim != 2 or len(state) != len(time):
        raise InputError(f"Points are given as t (B,) and x (B, d), not as {time.shape} and {state.shape}.")
    first, second = G(time, state), H(time, state)
    components = min(len(first), len(second))
    factors = _factors(scale, state.shape[1])
    root = _root_weights(weights, len(time))
    bases = [_orthonormal(_stack(values[:components], factors, root)) for values in (first, second)]
    bases.sort(key=lambda basis: basis.shape[1])
    small, large = bases
    if not small.shape[1]:
        return np.zeros(0)
    # cosines lose angles below 1e-8 and sines those near 90°: each is used where it is accurate (Björck and Golub)
    overlap = large.T @ small
    cosines = np.linalg.svd(overlap, compute_uv=False)
    sines = np.linalg.svd(small - large @ overlap, compute_uv=False)[::-1]
    angles = np.where(cosines > np.sqrt(0.5), np.arcsin(np.minimum(sines, 1)), np.arccos(np.clip(cosines, -1, 1)))
    return np.sort(np.degrees(angles))


def _numbers(values: Any, name: str) -> np.ndarray:
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError) as problem:
        raise InputError(f"{name} must be an array of numbers.") from problem


def _factors(scale: Any, dimension: int) -> np.ndarray:
    """The factors by which τ and each ξ^i are multiplied: 1/T and 1/L_i."""
    if scale is None:
        return np.ones(dimension + 1)
    message = "scale=(T, L) needs a positive time and one positive length, or one for each coordinate."
    try:
        duration, lengths = scale
        sizes = np.concatenate([[float(duration)], np.broadcast_to(np.asarray(lengths, dtype=float), (dimension,))])
    except (TypeError, ValueError) as problem:
        raise InputError(message) from problem
    if not (np.isfinite(sizes).all() and (sizes > 0).all()):
        raise InputError(message)
    return 1 / sizes


def _root_weights(weights: Any, count: int) -> np.ndarray:
    if weights is None:
        return np.ones(count)
    values = _numbers(weights, "weights")
    if values.shape != (count,) or not np.isfinite(values).all() or (values < 0).any() or not values.any():
        raise InputError(f"weights must be {count} non-negative numbers, one for each point, and not all zero.")
    return np.sqrt(values)


def _stack(values: tuple[np.ndarray, ...], factors: np.ndarray, root: np.ndarray) -> np.ndarray:
    """A matrix with one column per generator: all its components at all points, scaled and weighted."""
    points, dimension = len(root), len(factors) - 1
    arrays = [_numbers(part, "What a generator returns") for part in values]
    count = len(arrays[0]) if arrays and arrays[0].ndim else 0
    expected = [(count, points), (count, points, dimension), (count, points)][: max(len(arrays), 2)]
    if [array.shape for array in arrays] != expected:
        raise InputError(
            f"Generators must return tau (m, B), xi (m, B, d) and perhaps beta (m, B) with B = {points} and "
            f"d = {dimension}; got {', '.join(str(array.shape) for array in arrays)}."
        )
    parts = [arrays[0][:, :, None] * factors[0], arrays[1] * factors[1:], *(beta[:, :, None] for beta in arrays[2:])]
    stacked = (np.concatenate(parts, axis=2) * root[:, None]).reshape(count, points * sum(p.shape[2] for p in parts)).T
    if not np.isfinite(stacked).all():
        raise InputError("A generator is not finite at some of the points; leave those points out.")
    return stacked


def _orthonormal(columns: np.ndarray) -> np.ndarray:
    """An orthonormal basis of the columns, each first brought to unit length; dependent columns are refused."""
    lengths = np.linalg.norm(columns, axis=0)
    if not columns.shape[1]:
        return columns
    if not lengths.all():
        raise InputError("A generator vanishes at all the points, so it spans nothing there.")
    left, values, _ = np.linalg.svd(columns / lengths, full_matrices=False)
    if columns.shape[1] > columns.shape[0] or values[-1] < 1e-13 * values[0]:
        raise InputError("The generators are linearly dependent at these points; give independent ones or more points.")
    return left
