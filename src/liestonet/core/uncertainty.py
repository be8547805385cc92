"""Estimated parameters: the information from data and prior, and the remaining errors.

See docs/method.md §4.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy.linalg
from jaxtyping import Float, Int

from liestonet.core.tuning import SHARED


@dataclass(frozen=True)
class Errors:
    """Errors of the parameters as columns of R: `scatter` from the noise of the data, `prior` from the prior.

    With both, R Rᵀ is the posterior covariance H⁻¹(M + Λ)H⁻¹; with the first alone it is the sampling covariance of the
    estimate. `complete` means that all directions are given, not a random sample. The last `hidden` columns of scatter
    change the coefficients, but nothing that the data can determine. `felt` are orthonormal combinations of all columns
    that contain nearly the whole effect of the errors on the coefficients; None stands for all.
    """

    scatter: Float[np.ndarray, "p s"]
    prior: Float[np.ndarray, "p q"]
    complete: bool = True
    hidden: int = 0
    felt: Float[np.ndarray, "s_and_q r"] | None = None

    def with_hidden(self, more: Float[np.ndarray, "p k"]) -> Errors:
        """The errors with further hidden directions added; `felt` is reset, to be determined again."""
        scatter = np.concatenate([self.scatter, more], axis=1)
        return Errors(scatter, self.prior, self.complete, self.hidden + more.shape[1])

    def imposed(self, left: Float[np.ndarray, "r r"], turn: Float[np.ndarray, "s_and_q r"]) -> Errors:
        """The errors that remain when conditions are imposed: `left` acts on the combinations root @ turn."""
        root, scattered = self.root, self.scatter.shape[1]
        root = root + (root @ turn) @ (left - np.eye(len(left))) @ turn.T
        return replace(self, scatter=root[:, :scattered], prior=root[:, scattered:])

    def mapped(self, left: Float[np.ndarray, "p p"]) -> Errors:
        """The errors of the parameters after the linear map `left`."""
        return replace(self, scatter=left @ self.scatter, prior=left @ self.prior)

    @cached_property
    def back(self) -> Float[np.ndarray, "s_and_q p"]:
        """The pseudoinverse of R: the most probable standardised errors behind a change of the parameters."""
        return np.linalg.pinv(self.root, rcond=SHARED.shortest_error)

    @cached_property
    def joint(self) -> tuple[Float[np.ndarray, "p r"], Float[np.ndarray, "s_and_q r"]]:
        """The errors with an effect on the coefficients, in as few directions as their rank, and the matrix `turn`.

        The directions are root @ turn. The columns of turn are orthonormal, so independent errors stay independent.
        """
        root = self.root if self.felt is None else self.root @ self.felt
        left, lengths, rows = np.linalg.svd(root, full_matrices=False)
        kept = lengths > SHARED.negligible_error * lengths[:1]
        turn = rows[kept].T if self.felt is None else self.felt @ rows[kept].T
        return left[:, kept] * lengths[kept], turn

    @property
    def root(self) -> Float[np.ndarray, "p s_and_q"]:
        return np.concatenate([self.scatter, self.prior], axis=1)

    @property
    def hidden_columns(self) -> slice:
        """The columns of `root` that hold the hidden directions."""
        return slice(self.scatter.shape[1] - self.hidden, self.scatter.shape[1])


@dataclass(frozen=True)
class Folds:
    """ΦᵀWΦ and ΦᵀWy of one block of parameters, for each part of the data."""

    precisions: Float[np.ndarray, "folds p p"]
    moments: Float[np.ndarray, "folds p"]


@dataclass(frozen=True)
class Block:
    """Parameters that are estimated together: their posterior mean, the data's precision and the prior's variances.

    `degrees` are those of each parameter's function in every variable, time first. `folds` are the sums over parts of
    the data, if they were kept. Data have a likelihood only for coordinates with noise (`noisy`).
    """

    parameters: Float[np.ndarray, " p"]
    precision: Float[np.ndarray, "p p"]
    prior: Float[np.ndarray, " p"]
    degrees: Int[np.ndarray, "p v"]
    noisy: bool
    folds: Folds | None = None

    @property
    def posterior_precision(self) -> Float[np.ndarray, "p p"]:
        """Precision of the block's parameters, from data and prior together."""
        return self.precision + np.diag(1 / self.prior)

    def with_prior(self, prior: Float[np.ndarray, " p"]) -> Block:
        """The estimate from the same data with other variances of the prior."""
        moments = self.posterior_precision @ self.parameters
        return replace(self, prior=prior, parameters=inverse(self.precision + np.diag(1 / prior)) @ moments)

    def without_terms(self, variables: Sequence[int]) -> Float[np.ndarray, "p p"]:
        """The map from the posterior mean to that of a model without the terms of some variables, from the same sums.

        It is linear because the posterior is Gaussian.
        """
        stay = np.flatnonzero(self.degrees[:, list(variables)].sum(axis=1) == 0)
        precision = self.posterior_precision
        result = np.zeros_like(precision)
        result[stay] = inverse(precision[np.ix_(stay, stay)]) @ precision[stay]
        return result

    def without_each_fold(self) -> list[Float[np.ndarray, " p"]]:
        """The posterior means without each part of the data in turn."""
        if self.folds is None:
            raise RuntimeError("the sums by parts were not kept")
        moments, prior = self.folds.moments.sum(axis=0), np.diag(1 / self.prior)
        return [
            inverse(self.precision - precision + prior) @ (moments - moment)
            for precision, moment in zip(self.folds.precisions, self.folds.moments, strict=True)
        ]

    def gain(self, fold: int, before: Float[np.ndarray, " p"], after: Float[np.ndarray, " p"]) -> float:
        """Increase of the log-likelihood of one part of the data if the parameters change from `before` to `after`."""
        if self.folds is None or not self.noisy:
            return 0.0
        precision, moments = self.folds.precisions[fold], self.folds.moments[fold]
        change = after - before
        return float((moments - precision @ before) @ change - 0.5 * change @ precision @ change)


@dataclass(frozen=True)
class Information:
    """Information of data and prior about all parameters, in blocks that are independent given the data.

    Today every coefficient is a block of its own. Whatever couples coefficients makes one block of theirs; callers
    need not know.
    """

    blocks: tuple[Block, ...]

    @cached_property
    def parameters(self) -> Float[np.ndarray, " p"]:
        """The posterior mean of all parameters."""
        return np.concatenate([block.parameters for block in self.blocks])

    @cached_property
    def posterior_precision(self) -> Float[np.ndarray, "p p"]:
        """Precision of data and prior together."""
        return np.asarray(scipy.linalg.block_diag(*[block.posterior_precision for block in self.blocks]))

    def without_terms(self, variables: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
        """The posterior mean of a model without the terms of some variables (0 is time), and the linear map to it."""
        maps = [block.without_terms(variables) for block in self.blocks]
        means = [part @ block.parameters for part, block in zip(maps, self.blocks, strict=True)]
        return np.concatenate(means), np.asarray(scipy.linalg.block_diag(*maps))

    def without_each_fold(self) -> list[Float[np.ndarray, " p"]]:
        """The posterior means of all parameters without each part of the data in turn."""
        parts = [block.without_each_fold() for block in self.blocks]
        return [np.concatenate(columns) for columns in zip(*parts, strict=True)]

    def gain(self, fold: int, before: Float[np.ndarray, " p"], after: Float[np.ndarray, " p"]) -> float:
        """Increase of the log-likelihood of one part of the data if the parameters change from `before` to `after`."""
        cuts = np.cumsum([len(block.parameters) for block in self.blocks])[:-1]
        pairs = zip(self.blocks, np.split(before, cuts), np.split(after, cuts), strict=True)
        return sum(block.gain(fold, old, new) for block, old, new in pairs)


def inverse(matrix: Float[np.ndarray, "p p"]) -> Float[np.ndarray, "p p"]:
    """Inverse of a positive definite matrix, scaled to a unit diagonal first."""
    scale = 1 / np.sqrt(np.diag(matrix))
    factor = scipy.linalg.cho_factor(matrix * scale[:, None] * scale, check_finite=False)
    return scipy.linalg.cho_solve(factor, np.diag(scale), check_finite=False) * scale[:, None]
