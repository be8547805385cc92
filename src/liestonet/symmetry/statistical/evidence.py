"""Tests of directions: residuals against the part of the noise that a change of the field cannot absorb.

For a block V of directions the coefficients' errors change DV by D(δ_s)V. The part of that in the range of D on the
other directions is absorbed by a small change of V and is no evidence; what counts is the rest, (1 − P) D(δ_s) V
(docs/method.md §5.1).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.linalg
import scipy.special
from jaxtyping import Float

from liestonet.symmetry.statistical.noisy_operator import Changes, NoisyOperator
from liestonet.symmetry.statistical.tuning import JUDGING


@dataclass(frozen=True)
class Evidence:
    """Residuals and noise of k directions together, with all inner products.

    `residual_gram` is (1−P)DV with itself; `noise` (k, s, s) the projected D(δ_s)v with each other for each v, `mutual`
    between two v summed over s, and `cross` (s, k) with (1−P)Dv. The first `scattered` of the s errors are the data's,
    the rest the prior's; `complete` says that they are all errors, not a sample.
    """

    vectors: Float[np.ndarray, "m k"]
    residual_gram: Float[np.ndarray, "k k"]
    noise: Float[np.ndarray, "k s s"]
    mutual: Float[np.ndarray, "k k"]
    cross: Float[np.ndarray, "s k"]
    scattered: int
    complete: bool

    def p_value(self, directions: slice = slice(None)) -> float:
        """Chance of residuals this large if all the directions are symmetries: two tests, the smaller one doubled.

        The likelihood ratio sees residuals in directions in which the errors would hardly make any; the sum of
        squares sees all others, and stands alone where the errors are known by a sample only. The prior's errors count
        too: shrinkage biases the estimates by about as much, and a symmetry must not be lost to that; see
        docs/method.md §5.2.
        """
        total = float(np.trace(self.residual_gram[directions, directions]))
        if total <= len(self.residual_gram[directions]) * JUDGING.negligible**2:
            return 1.0
        matrix = self.noise[directions].sum(axis=0)
        square = _tail(total, matrix)
        if not self.complete:
            return square
        ratio = likelihood_ratio(matrix, self.cross[:, directions].sum(axis=1), self.second_order(directions))[1]
        return min(1.0, 2 * min(ratio, square))

    def second_order(self, directions: slice = slice(None)) -> float:
        """Square of what errors of the coefficients do beyond first order: error times error."""
        return float(np.sum(np.einsum("kss->k", self.noise[directions]) ** 2))

    def deviance(self) -> tuple[float, int]:
        """Likelihood that imposing all the directions costs, and the number of conditions; by the data's scatter."""
        data = slice(0, self.scattered)
        return _deviance(self.noise[:, data, data].sum(axis=0), self.cross[data].sum(axis=1))

    @property
    def spread(self) -> Float[np.ndarray, "k k"]:
        """Mean of the true residuals' inner products given the data: the observed ones plus their noise."""
        total = self.residual_gram + self.mutual
        return (total + total.T) / 2

    def residual(self, direction: int) -> float:
        return float(np.sqrt(max(self.residual_gram[direction, direction], 0.0)))

    def noise_level(self, direction: int) -> float:
        """Root mean square of the residual that errors of the coefficients alone give this direction."""
        return float(np.sqrt(max(np.trace(self.noise[direction]), 0.0)))

    def interval(self, direction: int, confidence: float) -> tuple[float, float]:
        """Ends of an interval for the true residual, each wrong with chance 1 − confidence (docs/method.md §5.3).

        Under a true residual ρ the square of what is seen has mean ρ² + tr N and variance 2 tr N² + 4 ρ² ν, ν the
        noise along it. The ends are the ρ under which one as large, or as small, as that seen is only just not too
        rare. Where that does not exclude zero, most of the residual may have been shrunk away, and the upper end is
        what was seen and its error on top.
        """
        square, matrix = self.residual(direction) ** 2, self.noise[direction]
        mean, spread = float(np.trace(matrix)), float(np.sum(matrix * matrix))
        along = float(np.sum(self.cross[:, direction] ** 2)) / max(square, np.finfo(float).tiny)

        def reached(true: float, chance: float) -> float:
            return _quantile(true**2 + mean, 2 * spread + 4 * true**2 * along, chance)

        seen = float(np.sqrt(square))
        if reached(0.0, confidence) >= square:
            return 0.0, float(np.sqrt(_quantile(square + mean, 2 * spread + 4 * square * along, confidence)))
        below = _bisected(lambda true: reached(true, confidence) < square, 0.0, seen)
        far = 2 * seen + 10 * float(np.sqrt(mean))
        return below, _bisected(lambda true: reached(true, 1 - confidence) < square, seen, far)


def _bisected(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Where a statement that holds at `low` and no longer at `high` ceases to hold."""
    for _ in range(JUDGING.bisections):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return high


@dataclass(frozen=True)
class Projection:
    """A block V beside all other directions: what of DV and of the D(δ_s)V a change of V can absorb.

    `others` spans the rest; `inner` and `kept` are the changes of V, in terms of it, that absorb DV and each D(δ_s)V.
    """

    vectors: Float[np.ndarray, "m k"]
    others: Float[np.ndarray, "m n"]
    gram: Float[np.ndarray, "n n"]
    onto: Float[np.ndarray, "n k"]
    inner: Float[np.ndarray, "n k"]
    moved: Float[np.ndarray, "n s k"]
    kept: Float[np.ndarray, "n s k"]

    def turned(self, shift: Float[np.ndarray, " s"], largest: float) -> Float[np.ndarray, "m k"]:
        """The block turned to absorb what it can when the errors change by `shift`, but not by more than `largest`."""
        step = self.inner + np.einsum("nsk,s->nk", self.kept, shift)
        length = float(np.linalg.norm(step, ord=2))
        return np.linalg.qr(self.vectors - self.others @ step * min(1.0, largest / max(length, 1e-300)))[0]


def project(
    operator: NoisyOperator,
    vectors: Float[np.ndarray, "m k"],
    changes: Changes,
    cautious: bool,
    block: Float[np.ndarray, "m b"] | None = None,
) -> Projection:
    """Split the directions; near-symmetries among the others absorb all, or if cautious what can be told from noise.

    The others are those beside the vectors, or beside a larger block that holds them.
    """
    block = vectors if block is None else block
    others = np.linalg.qr(block, mode="complete")[0][:, block.shape[1] :]
    gram = others.T @ operator.gram @ others
    regular = gram + JUDGING.rounding * np.eye(len(gram))
    if cautious:
        regular += others.T @ operator.noise_gram @ others
    regular += JUDGING.relative_rounding * np.trace(regular) * np.eye(len(gram))
    factor = scipy.linalg.cho_factor(regular, check_finite=False)
    onto = others.T @ operator.gram @ vectors
    moved = np.tensordot(others.T, changes.with_basis, axes=1)
    kept = scipy.linalg.cho_solve(factor, moved.reshape(len(gram), -1), check_finite=False).reshape(moved.shape)
    inner = scipy.linalg.cho_solve(factor, onto, check_finite=False)
    return Projection(vectors, others, gram, onto, inner, moved, kept)


def gather(
    operator: NoisyOperator,
    vectors: Float[np.ndarray, "m k"],
    changes: Changes | None = None,
    cautious: bool = True,
) -> Evidence:
    """Project what the data's errors do to a block of orthonormal directions; `changes` if they are known already."""
    changes = operator.changes(vectors) if changes is None else changes
    return weigh(operator, project(operator, vectors, changes, cautious), changes)


def unprojected(operator: NoisyOperator, vectors: Float[np.ndarray, "m k"], changes: Changes | None = None) -> Evidence:
    """The same for directions that are not free to turn: all their noise counts."""
    changes = operator.changes(vectors) if changes is None else changes
    cross = np.einsum("msk,mk->sk", changes.with_basis, vectors)
    gram = vectors.T @ operator.gram @ vectors
    return Evidence(vectors, gram, changes.each, changes.mutual, cross, operator.scattered, operator.complete)


def weigh(operator: NoisyOperator, projection: Projection, changes: Changes) -> Evidence:
    """Inner products of what is left of DV and the D(δ_s)V after projection."""
    vectors, gram, inner, onto = projection.vectors, projection.gram, projection.inner, projection.onto
    moved, kept = projection.moved, projection.kept
    residual_gram = vectors.T @ operator.gram @ vectors - 2 * onto.T @ inner + inner.T @ gram @ inner
    # (1−P)² in terms of P: 1 − 2P + P²
    less = np.tensordot(gram, kept, axes=1) - 2 * moved
    noise = changes.each + np.einsum("msk,mtk->kst", kept, less, optimize=True)
    mutual = changes.mutual + np.einsum("msk,msl->kl", kept, less, optimize=True)
    direct = np.einsum("msk,mk->sk", changes.with_basis, vectors)
    absorbed = np.einsum("msk,mk->sk", moved, inner) + np.einsum("msk,mk->sk", kept, onto - gram @ inner)
    return Evidence(vectors, residual_gram, noise, mutual, direct - absorbed, operator.scattered, operator.complete)


def visible(matrix: Float[np.ndarray, "s s"]) -> Float[np.ndarray, "s v"]:
    """Orthonormal combinations of the errors whose noise is not negligible beside the model's own error."""
    values, vectors = np.linalg.eigh(matrix)
    return vectors[:, values > JUDGING.model_error**2 / JUDGING.visible]


def likelihood_ratio(
    matrix: Float[np.ndarray, "s s"], cross: Float[np.ndarray, " s"], neglected: float | int = 0.0
) -> tuple[float, float]:
    """Deviance of the residual and its p-value; `neglected` is the square of a residual that has no first order."""
    deviance, freedom = _deviance(matrix, cross, neglected)
    return deviance, float(scipy.special.chdtrc(freedom, deviance)) if freedom else 1.0


def _deviance(
    matrix: Float[np.ndarray, "s s"], cross: Float[np.ndarray, " s"], neglected: float | int = 0.0
) -> tuple[float, int]:
    """The residual, direction by direction of the noise, over its variance there and the model's error.

    What the first order neglects is spread over all directions alike.
    """
    values, vectors = np.linalg.eigh(matrix)
    seen = values > JUDGING.model_error**2 / JUDGING.visible
    along = (vectors.T @ cross)[seen] ** 2 / values[seen]
    error = JUDGING.model_error**2 + neglected / max(int(seen.sum()), 1)
    return float(np.sum(along / (values[seen] + error))), int(seen.sum())


def _tail(statistic: float, matrix: Float[np.ndarray, "s s"]) -> float:
    """P(Σ χ² > statistic) for the quadratic form with this matrix."""
    mean, spread = float(np.trace(matrix)), float(np.sum(matrix * matrix))
    if mean <= JUDGING.rounding**2:
        return 1.0 if statistic <= JUDGING.rounding else 0.0
    return float(scipy.special.chdtrc(mean**2 / spread, statistic * mean / spread))


def _quantile(mean: float, variance: float, level: float) -> float:
    """Quantile of a scaled χ² with this mean and variance."""
    if mean <= JUDGING.rounding**2 or variance <= 0:
        return max(float(mean), 0.0)
    return float(2 * scipy.special.gammaincinv(mean**2 / variance, level) * variance / (2 * mean))
