"""Parts of Gauss–Newton on the likelihood of a recording: the prior variances by evidence, and a step within bounds."""

from __future__ import annotations

import numpy as np
import scipy.linalg
import scipy.optimize
from jaxtyping import Bool, Float

from liestonet.surrogate.features import Features
from liestonet.surrogate.shrinkage import choose_shrinkage


def evident_prior(
    features: Features,
    precision: Float[np.ndarray, "q q"],
    score: Float[np.ndarray, " q"],
    parameters: Float[np.ndarray, " p"],
) -> Float[np.ndarray, " p"]:
    """Prior variances of each coefficient that maximise its evidence, the other coefficients held fixed.

    `score` is taken at the parameters; it and the precision may have more rows after those of the parameters.
    """
    width, parts = features.size, []
    for first in range(0, len(parameters), width):
        rows = slice(first, first + width)
        own = precision[rows, rows]
        moments = score[rows] + own @ parameters[rows]
        parts.append(choose_shrinkage(own, moments[:, None], features.shrunk_orders).variances)
    return np.concatenate(parts)


def bounded_step(
    hessian: Float[np.ndarray, "q q"],
    push: Float[np.ndarray, " q"],
    free: Bool[np.ndarray, " q"],
    low: Float[np.ndarray, " q"],
    high: Float[np.ndarray, " q"],
) -> Float[np.ndarray, " q"]:
    """Newton's step of the free parameters, with the best result within the bounds."""
    step = np.zeros(len(push))
    root = np.linalg.cholesky(hessian[np.ix_(free, free)])
    target = scipy.linalg.solve_triangular(root, push[free], lower=True)
    step[free] = scipy.optimize.lsq_linear(root.T, target, (low[free], high[free]), method="bvls").x
    return step
