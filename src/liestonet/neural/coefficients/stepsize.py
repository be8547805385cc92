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
    count, features = len(surrogate.parameters), surrogate.drift_last.size
    result = np.zeros((count, 2))
    order = JetOrder(drift=0, diffusion_squared=0)
    for column, part in ((0, slice(0, features)), (1, slice(features, count))):
        basis = np.eye(count)[:, part]
        if not basis.shape[1]:
            continue
        changes = surrogate.jet_and_directions(points, order, basis)[1]
        if changes is None:
            raise RuntimeError("directions were asked for")
        scale = surrogate.domain.half[1:]
        if column == 0:
            matrix, target = changes.drift[()] / scale[:, None], drift / scale
        else:
            matrix = changes.diffusion_squared[()] / np.outer(scale, scale)[..., None]
            target = squared / np.outer(scale, scale)
        result[part, column] = _fitted(matrix.reshape(target.size, -1), target.ravel())
    return result


def _fitted(matrix: Float[np.ndarray, "b p"], target: Float[np.ndarray, " b"]) -> Float[np.ndarray, " p"]:
    """Least squares with a small ridge: features may nearly coincide."""
    gram = matrix.T @ matrix
    ridge = RIDGE * np.trace(gram) / len(gram) * np.eye(len(gram))
    return np.linalg.solve(gram + ridge, matrix.T @ target)
