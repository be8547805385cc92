"""What a finite step hides. Moments over Δt differ from f and a by terms of order Δt that the recording cannot settle.

For a continuous process E[Δx]/Δt = f + ½Δt 𝓛f and Cov[Δx]/Δt = a + ½Δt (𝓛a + ∇f a + a ∇fᵀ), 𝓛 = ∂_t + f·∇ + ½a:∇∇; data
simulated by Euler steps of the recording's own size have neither term. Which of the two a file holds is not in it, so
both corrections enter as directions of error with their full size.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from jaxtyping import Float

from liestonet.sde.jets import Derivative, Jet, JetOrder
from liestonet.surrogate.surrogate import Surrogate

POINTS = 2000
# Relative to the features' own sizes: keeps the projection of the corrections stable.
RIDGE = 1e-6


def step_directions(surrogate: Surrogate) -> Float[np.ndarray, "p 2"]:
    """The parameters' change if drift, and if diffusion, are corrected for the mean step."""
    sample = surrogate.overview.sample
    rows = np.linspace(0, len(sample.t) - 1, min(POINTS, len(sample.t))).astype(int)
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
            ridge = RIDGE * np.trace(gram) / size * np.eye(size)
            result[start : start + size, column] = np.linalg.solve(gram + ridge, target)
            start += size
    return result


def step_corrections(
    surrogate: Surrogate, points: Float[np.ndarray, "b v"], dt: Float[np.ndarray, " b"]
) -> tuple[Float[np.ndarray, "b n"], Float[np.ndarray, "b n n"]]:
    """½Δt 𝓛f and ½Δt (𝓛a + ∇f a + a ∇fᵀ) at points, in the data's units."""
    jet = surrogate.jet(points[:, 0], points[:, 1:], JetOrder(drift=2, diffusion_squared=2))
    gradient = np.stack([jet.drift[v + 1,] for v in range(surrogate.dimension)], axis=2)
    stretched = gradient @ jet.diffusion_squared[()]
    half_step = 0.5 * dt
    return (
        half_step[:, None] * _generator(jet, jet.drift),
        half_step[:, None, None] * (_generator(jet, jet.diffusion_squared) + stretched + np.swapaxes(stretched, 1, 2)),
    )


def _generator(jet: Jet, field: Mapping[Derivative, np.ndarray]) -> np.ndarray:
    """𝓛g = ∂_t g + f·∇g + ½ a:∇∇g of a coefficient's jet."""
    f, a = jet.drift[()], jet.diffusion_squared[()]
    value = field[0,].copy()
    extra = (1,) * (value.ndim - 1)
    for i in range(f.shape[1]):
        value += f[:, i].reshape(-1, *extra) * field[i + 1,]
        for j in range(f.shape[1]):
            value += 0.5 * a[:, i, j].reshape(-1, *extra) * field[tuple(sorted((i + 1, j + 1)))]
    return value
