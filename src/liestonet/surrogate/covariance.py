"""Covariance of all parameters together, as square roots whose columns are the directions δ_s of docs/method.md §4.4.

Different coefficients are estimated from the same increments, so their errors are correlated, and the weights are only
approximately right. The scores of a sample of increments give the resulting covariance (a sandwich estimate); the prior
adds its part.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import scipy.linalg
from jaxtyping import Float

from liestonet.core.tuning import SHARED
from liestonet.core.uncertainty import Errors
from liestonet.surrogate.overview import Overview
from liestonet.surrogate.regression import Estimate, Scaled, Targets, pieces_of, scaled_block
from liestonet.surrogate.tuning import ERRORS
from liestonet.trajectories.increments import Increments


class Regression(NamedTuple):
    """The estimates of one regression, what they explain, and what the variance of its scores is multiplied by."""

    estimates: Sequence[Estimate]
    targets: Targets
    widened: Callable[[Scaled], Float[np.ndarray, " b"]] | None = None


def parameter_errors(overview: Overview, regressions: Sequence[Regression]) -> Errors:
    """The errors of all parameters in order, in units of the box."""
    estimates = [estimate for found in regressions for estimate in found.estimates]
    blocks = [estimate.posterior for estimate in estimates]
    priors = [block / np.sqrt(estimate.prior) for block, estimate in zip(blocks, estimates, strict=True)]
    if overview.domain.dimension > SHARED.few_coordinates or sum(len(block) for block in blocks) > ERRORS.most_joint:
        roots = [positive_root(estimate.precision) for estimate in estimates]
        scatters = [block @ root for block, root in zip(blocks, roots, strict=True)]
        return Errors(sketch(scatters, ERRORS.sketched[0], 0), sketch(priors, ERRORS.sketched[1], 1), complete=False)
    scatter = np.asarray(scipy.linalg.block_diag(*blocks)) @ _score_root(overview, regressions)
    return Errors(compressed(scatter), compressed(np.asarray(scipy.linalg.block_diag(*priors))))


def compressed(root: Float[np.ndarray, "p s"]) -> Float[np.ndarray, "p t"]:
    """A root of the same covariance with orthogonal columns, without the negligible ones."""
    left, lengths, _ = np.linalg.svd(root, full_matrices=False)
    kept = lengths > ERRORS.negligible * lengths[0]
    return left[:, kept] * lengths[kept]


def sketch(roots: Sequence[np.ndarray], count: int, seed: int) -> Float[np.ndarray, "p t"]:
    """Random directions whose covariance has that of independent blocks as its mean."""
    rng = np.random.default_rng(seed)
    parts = [root @ rng.standard_normal((root.shape[1], count)) for root in roots]
    return np.concatenate(parts) / np.sqrt(count)


def _score_root(overview: Overview, regressions: Sequence[Regression]) -> Float[np.ndarray, "p p"]:
    """A root of the covariance of Σ_k φ(x_k) w_k (y_k − φ(x_k)ᵀθ), the sum that each regression sets to zero."""
    count = sum(len(estimate.parameters) for found in regressions for estimate in found.estimates)
    rows = slice(None, None, max(1, len(overview.sample.t) // max(ERRORS.scored, ERRORS.scored_work // count**2)))
    sample = scaled_block(Increments(*(array[rows] for array in overview.sample)), overview.domain)
    total = np.zeros((count, count))
    for piece in pieces_of(sample):
        scores = _scores(piece, regressions)
        total += scores.T @ scores
    return semidefinite_root(total) * np.sqrt(overview.inside / len(sample.dt))


def _scores(sample: Scaled, regressions: Sequence[Regression]) -> Float[np.ndarray, "b p"]:
    """φ(x_k) w_k (y_k − φ(x_k)ᵀθ) for every increment and parameter."""
    columns = []
    for estimates, targets, widened in regressions:
        values, weights = targets(sample)
        if widened is not None:
            weights = weights * np.sqrt(widened(sample))[:, None]
        for column, estimate in enumerate(estimates):
            functions = sample.functions(estimate.features)
            rest = values[:, column] - functions @ estimate.parameters
            if estimate.features.factors:
                rest = rest - estimate.offset(sample.points)
            columns.append(functions * (weights[:, column] * rest)[:, None])
    return np.concatenate(columns, axis=1)


def positive_root(matrix: Float[np.ndarray, "p p"]) -> Float[np.ndarray, "p p"]:
    """Lower triangular root of a positive matrix, scaled to a unit diagonal first."""
    scale = np.sqrt(np.diag(matrix))
    return scale[:, None] * np.linalg.cholesky(matrix / np.outer(scale, scale) + 1e-12 * np.eye(len(scale)))


def semidefinite_root(matrix: Float[np.ndarray, "p p"]) -> Float[np.ndarray, "p p"]:
    """A root of a positive semidefinite matrix, scaled to a unit diagonal first."""
    scale = np.sqrt(np.maximum(np.diag(matrix), np.finfo(float).tiny))
    values, vectors = np.linalg.eigh(matrix / np.outer(scale, scale))
    return scale[:, None] * vectors * np.sqrt(np.maximum(values, 0.0))
