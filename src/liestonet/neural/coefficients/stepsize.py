"""What a finite step hides, as directions of the last layers' weights; see `surrogate.steps` for why."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from liestonet.neural.coefficients.surrogate import NeuralSurrogate
from liestonet.sde.jets import JetOrder
from liestonet.surrogate.steps import POINTS, RIDGE, step_corrections


def step_directions(surrogate: NeuralSurrogate) -> Float[np.ndarray, "p 2"]:
    """The parameters' change if drift, and if diffusion, are corrected for the step."""
    sample = surrogate.overview.sample
    rows = np.linspace(0, len(sample.t) - 1, min(POINTS, len(sample.t))).astype(int)
    points = surrogate.overview.points[rows]
    drift, squared = step_corrections(surrogate, points, sample.dt[rows])
    count, split = len(surrogate.parameters), surrogate.drift_last.size
    changes = surrogate.jet_and_directions(points, JetOrder(drift=0, diffusion_squared=0), np.eye(count))[1]
    if changes is None:
        raise RuntimeError("directions were asked for")
    scale = surrogate.domain.half[1:]
    square = np.outer(scale, scale)
    result = np.zeros((count, 2))
    result[:split, 0] = _fitted(changes.drift[()][..., :split] / scale[:, None], drift / scale)
    if count > split:
        result[split:, 1] = _fitted(changes.diffusion_squared[()][..., split:] / square[..., None], squared / square)
    return result


def _fitted(values: Float[np.ndarray, "..."], target: Float[np.ndarray, "..."]) -> Float[np.ndarray, " p"]:
    """Least squares with a small ridge: features may nearly coincide."""
    matrix = values.reshape(target.size, -1)
    gram = matrix.T @ matrix
    ridge = RIDGE * np.trace(gram) / len(gram) * np.eye(len(gram))
    return np.linalg.solve(gram + ridge, matrix.T @ target.ravel())
