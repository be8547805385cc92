"""Discretisation bias: moments over Δt differ from f and a by terms of order Δt.

For a continuous process E[Δx]/Δt = f + ½Δt 𝓛f and Cov[Δx]/Δt = a + ½Δt (𝓛a + ∇f a + a ∇fᵀ), 𝓛 = ∂_t + f·∇ + ½a:∇∇; data
simulated by Euler steps of the recording's own size have neither term. A file does not say which of the two it holds,
so both corrections enter as directions of error with their full size (docs/method.md §4.5).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from jaxtyping import Float

from liestonet.core.coefficients import Coefficients, Derivative, JetOrder
from liestonet.surrogate.surrogate import Surrogate
from liestonet.surrogate.tuning import ERRORS

# f (b, n, s) or a (b, n, n, s) by derivative, one column per set of parameters.
Arrays = Mapping[Derivative, np.ndarray]


def step_directions(surrogate: Surrogate) -> Float[np.ndarray, "p 2"]:
    """How the parameters change if the drift, and if the diffusion, is corrected for the mean step."""
    sample = surrogate.overview.sample
    rows = np.linspace(0, len(sample.t) - 1, min(ERRORS.step_points, len(sample.t))).astype(int)
    points = surrogate.overview.points[rows]
    drift, squared = step_corrections(surrogate, points, sample.dt[rows])
    result = np.zeros((len(surrogate.parameters), 2))
    half, start = surrogate.domain.half, 0
    for column, values in ((0, drift), (1, squared)):
        estimates = surrogate.diffusion_estimates if column else surrogate.drift_estimates
        for estimate in estimates:
            unit = np.prod(half[1:][list(estimate.entry)]) / half[0]
            functions = estimate.features.values(points)[()]
            gram = functions.T @ functions
            target = functions.T @ (values[(slice(None), *estimate.entry)] / unit)
            size = len(estimate.parameters)
            ridge = ERRORS.step_ridge * np.trace(gram) / size * np.eye(size)
            result[start : start + size, column] = np.linalg.solve(gram + ridge, target)
            start += size
    return result


def step_corrections(
    surrogate: Surrogate | Coefficients, points: Float[np.ndarray, "b v"], dt: Float[np.ndarray, " b"]
) -> tuple[Float[np.ndarray, "b n"], Float[np.ndarray, "b n n"]]:
    """½Δt 𝓛f and ½Δt (𝓛a + ∇f a + a ∇fᵀ) at points, in the data's units."""
    jet = surrogate.jet(points[:, 0], points[:, 1:], JetOrder(drift=2, diffusion_squared=2))
    drift, squared = added_by_step(columns(jet.drift), columns(jet.diffusion_squared), dt)
    return drift[..., 0], squared[..., 0]


def added_by_step(f: Arrays, a: Arrays, dt: Float[np.ndarray, " b"]) -> tuple[np.ndarray, np.ndarray]:
    """The same corrections for s sets of coefficients at once: shapes (b, n, s) and (b, n, n, s)."""
    jacobian = np.stack([f[(j + 1,)] for j in range(f[()].shape[1])], axis=2)
    turned = np.einsum("bijs,bjks->biks", jacobian, a[()])
    covariance = _generator(a, f, a) + turned + np.swapaxes(turned, 1, 2)
    half = dt / 2
    return half[:, None, None] * _generator(f, f, a), half[:, None, None, None] * covariance


def columns(arrays: Mapping[Derivative, np.ndarray]) -> dict[Derivative, np.ndarray]:
    """One set of coefficients with a last axis added."""
    return {derivative: array[..., None] for derivative, array in arrays.items()}


def _generator(values: Arrays, f: Arrays, a: Arrays) -> np.ndarray:
    """𝓛g = ∂_t g + f·∇g + ½ a:∇∇g for every entry of the values."""
    n = f[()].shape[1]
    shape = (-1, *[1] * (values[()].ndim - 2), f[()].shape[2])
    result = np.array(values[(0,)])
    for j in range(n):
        result += f[()][:, j].reshape(shape) * values[(j + 1,)]
        for k in range(n):
            result += 0.5 * a[()][:, j, k].reshape(shape) * values[tuple(sorted((j + 1, k + 1)))]
    return result
