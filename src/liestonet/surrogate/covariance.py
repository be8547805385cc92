"""Covariance of all parameters together, as square roots whose columns are the directions δ_s of MATH.md §3.

Different coefficients are estimated from the same increments, so their errors are correlated, and the weights are only
roughly right. The scores of a sample of increments say how much (a sandwich estimate); the prior adds its part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.linalg
from jaxtyping import Float

from liestonet.surrogate.overview import Overview
from liestonet.surrogate.regression import Estimate, Scaled, Targets, pieces_of, scaled_block
from liestonet.trajectories.increments import Increments

# Scores are taken of so many increments at most, of more where there are few parameters: increments times parameters
# squared stay below the second number.
SCORED, WORK = 30_000, 160_000_000
# With more coordinates or parameters than this the errors of different coefficients are taken as independent, and the
# directions are random samples of the last two sizes.
MOST_COORDINATES, MOST_JOINT, SKETCHED = 3, 700, (48, 16)
# Directions shorter than this part of the longest one carry no covariance worth having.
NEGLIGIBLE = 1e-3
# Relative to the longest: what is shorter is not told from rounding.
SHORTEST = 1e-6

Regression = tuple[Sequence[Estimate], Targets]


@dataclass(frozen=True)
class Errors:
    """Directions of the parameters' errors: those of the data's noise, and those that the prior adds.

    With both, R Rᵀ is the posterior covariance H⁻¹(M + Λ)H⁻¹; with the first alone it is the estimate's own scatter.
    `complete` says that all directions are there, not a random sample. The last `hidden` directions of scatter change
    the coefficients, but not what the data show of them.
    """

    scatter: Float[np.ndarray, "p s"]
    prior: Float[np.ndarray, "p q"]
    complete: bool = True
    hidden: int = 0

    def with_hidden(self, more: Float[np.ndarray, "p k"]) -> Errors:
        """The same with directions that the data do not show."""
        scatter = np.concatenate([self.scatter, more], axis=1)
        return Errors(scatter, self.prior, self.complete, self.hidden + more.shape[1])

    def imposed(self, left: Float[np.ndarray, "s_and_q s_and_q"]) -> Errors:
        """What is left of every error when conditions are imposed: `left` maps the errors of `root` to themselves."""
        root, scattered = self.root @ left, self.scatter.shape[1]
        return Errors(root[:, :scattered], root[:, scattered:], self.complete, self.hidden)

    @cached_property
    def back(self) -> Float[np.ndarray, "s_and_q p"]:
        """The errors, in units of their standard deviations, that a change of the parameters is most likely made of."""
        return np.linalg.pinv(self.root, rcond=SHORTEST)

    @property
    def root(self) -> Float[np.ndarray, "p s_and_q"]:
        return np.concatenate([self.scatter, self.prior], axis=1)


def parameter_errors(overview: Overview, regressions: Sequence[Regression]) -> Errors:
    """The errors of all parameters in order, in units of the box."""
    estimates = [estimate for found, _ in regressions for estimate in found]
    blocks = [estimate.posterior for estimate in estimates]
    priors = [block / np.sqrt(estimate.prior) for block, estimate in zip(blocks, estimates, strict=True)]
    if overview.domain.dimension > MOST_COORDINATES or sum(len(block) for block in blocks) > MOST_JOINT:
        roots = [positive_root(estimate.precision) for estimate in estimates]
        scatters = [block @ root for block, root in zip(blocks, roots, strict=True)]
        return Errors(sketch(scatters, SKETCHED[0], 0), sketch(priors, SKETCHED[1], 1), complete=False)
    scatter = np.asarray(scipy.linalg.block_diag(*blocks)) @ _score_root(overview, regressions)
    return Errors(compressed(scatter), compressed(np.asarray(scipy.linalg.block_diag(*priors))))


def compressed(root: Float[np.ndarray, "p s"]) -> Float[np.ndarray, "p t"]:
    """The same covariance in orthogonal directions, negligible ones left out."""
    left, lengths, _ = np.linalg.svd(root, full_matrices=False)
    kept = lengths > NEGLIGIBLE * lengths[0]
    return left[:, kept] * lengths[kept]


def sketch(roots: Sequence[np.ndarray], count: int, seed: int) -> Float[np.ndarray, "p t"]:
    """Random directions with the covariance of independent blocks, right on average."""
    rng = np.random.default_rng(seed)
    parts = [root @ rng.standard_normal((root.shape[1], count)) for root in roots]
    return np.concatenate(parts) / np.sqrt(count)


def _score_root(overview: Overview, regressions: Sequence[Regression]) -> Float[np.ndarray, "p p"]:
    """A root of the covariance of Σ_k φ(x_k) w_k (y_k − φ(x_k)ᵀθ), the sum that each regression sets to zero."""
    count = sum(len(estimate.parameters) for estimates, _ in regressions for estimate in estimates)
    rows = slice(None, None, max(1, len(overview.sample.t) // max(SCORED, WORK // count**2)))
    sample = scaled_block(Increments(*(array[rows] for array in overview.sample)), overview.domain)
    triangle = np.zeros((0, count))
    for piece in pieces_of(sample):
        triangle = np.asarray(np.linalg.qr(np.concatenate([triangle, _scores(piece, regressions)]), mode="r"))
    return triangle.T * np.sqrt(overview.inside / len(sample.dt))


def _scores(sample: Scaled, regressions: Sequence[Regression]) -> Float[np.ndarray, "b p"]:
    """φ(x_k) w_k (y_k − φ(x_k)ᵀθ) of every increment and parameter."""
    columns = []
    for estimates, targets in regressions:
        values, weights = targets(sample)
        tables = {estimate.features: None for estimate in estimates}
        functions = {features: features.values(sample.points)[()] for features in tables}
        for column, estimate in enumerate(estimates):
            rest = values[:, column] - functions[estimate.features] @ estimate.parameters
            columns.append(functions[estimate.features] * (weights[:, column] * rest)[:, None])
    return np.concatenate(columns, axis=1)


def positive_root(matrix: Float[np.ndarray, "p p"]) -> Float[np.ndarray, "p p"]:
    """Lower triangular root of a positive matrix, scaled to a unit diagonal first."""
    scale = np.sqrt(np.diag(matrix))
    return scale[:, None] * np.linalg.cholesky(matrix / np.outer(scale, scale) + 1e-12 * np.eye(len(scale)))
