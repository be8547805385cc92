"""Tests of directions: residuals against the part of the noise that a change of the field cannot absorb.

For a block V of directions the coefficients' errors change DV by D(δ_s)V. The part of that in the range of D on the
other directions is absorbed by a small change of V and is no evidence; what counts is the rest, (1 − P) D(δ_s) V
(docs/method.md §5.1).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.special
from jaxtyping import Float

from liestonet.symmetry.statistical.tuning import JUDGING


@dataclass(frozen=True)
class Evidence:
    """Residuals and noise of k directions together, with all inner products.

    `residual_gram` is (1−P)DV with itself; `noise` (k, s, s) the projected D(δ_s)v with each other for each v, `mutual`
    between two v summed over s, and `cross` (s, k) with (1−P)Dv. `turn` expresses the s errors in those of the
    coefficients, of which the first `scattered` are the data's and the rest the prior's; `complete` means that they are
    all errors, not a sample.
    """

    vectors: Float[np.ndarray, "m k"]
    residual_gram: Float[np.ndarray, "k k"]
    noise: Float[np.ndarray, "k s s"]
    mutual: Float[np.ndarray, "k k"]
    cross: Float[np.ndarray, "s k"]
    turn: Float[np.ndarray, "errors s"]
    scattered: int
    complete: bool

    def p_value(self, directions: slice = slice(None)) -> float:
        """Probability of residuals this large if all directions are symmetries: the smallest of three tests, weighted.

        The likelihood ratio detects residuals in directions in which the errors would hardly cause any. The sum of
        squares detects all others, and is used alone where the errors are known by a sample only. The prior's errors
        count too: shrinkage biases the estimates by about as much, and this must not reject a symmetry. But directions
        dominated by the prior never show a residual, and many of them would hide one that the data show clearly; the
        third test leaves them out. See docs/method.md §5.2.
        """
        total = float(np.trace(self.residual_gram[directions, directions]))
        if total <= len(self.residual_gram[directions]) * JUDGING.negligible**2:
            return 1.0
        matrix = self.noise[directions].sum(axis=0)
        square = _tail(total, matrix)
        if not self.complete:
            return square
        along = _Along.of(matrix, self.cross[:, directions].sum(axis=1), self.second_order(directions))
        told = along.told_by(self.turn[: self.scattered])
        return min(1.0, 2 * min(along.p_value, square), told.p_value / JUDGING.weight_of_told)

    def second_order(self, directions: slice = slice(None)) -> float:
        """Square of the second-order effect of the coefficients' errors: error times error."""
        return float(np.sum(np.einsum("kss->k", self.noise[directions]) ** 2))

    def deviance(self) -> tuple[float, int]:
        """Deviance from imposing all the directions, by the data's scatter alone, and the number of conditions."""
        data = self.turn[: self.scattered]
        along = _Along.of(data @ self.noise.sum(axis=0) @ data.T, data @ self.cross.sum(axis=1))
        return along.deviance, len(along.values)

    @property
    def spread(self) -> Float[np.ndarray, "k k"]:
        """Posterior mean of the true residuals' inner products: the observed ones plus their noise."""
        total = self.residual_gram + self.mutual
        return (total + total.T) / 2

    def residual(self, direction: int) -> float:
        return float(np.sqrt(max(self.residual_gram[direction, direction], 0.0)))

    def noise_level(self, direction: int) -> float:
        """Root mean square of the residual that errors of the coefficients alone give this direction."""
        return float(np.sqrt(max(np.trace(self.noise[direction]), 0.0)))

    def interval(self, direction: int, confidence: float) -> tuple[float, float]:
        """Ends of an interval for the true residual, each wrong with probability 1 − confidence (docs/method.md §5.3).

        Under a true residual ρ the square of the observed one has mean ρ² + tr N and variance 2 tr N² + 4 ρ² ν, ν the
        noise along it. The ends are the values of ρ at which the observed residual is just not too large, or too small,
        to be plausible. Where zero is not excluded, most of the residual may have been shrunk away, and the upper end
        is the observed residual plus its error.
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
    """The end of the range from `low` on where a statement holds; it must not hold at `high`."""
    for _ in range(JUDGING.bisections):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return high


def visible(matrix: Float[np.ndarray, "s s"]) -> Float[np.ndarray, "s v"]:
    """Orthonormal combinations of the errors whose noise is not negligible compared with the model error."""
    values, vectors = np.linalg.eigh(matrix)
    return vectors[:, values > JUDGING.model_error**2 / JUDGING.visible]


def likelihood_ratio(
    matrix: Float[np.ndarray, "s s"], cross: Float[np.ndarray, " s"], neglected: float | int = 0.0
) -> tuple[float, float]:
    """Deviance of the residual and its p-value; `neglected` is the square of the part beyond first order."""
    along = _Along.of(matrix, cross, neglected)
    return along.deviance, along.p_value


@dataclass(frozen=True)
class _Along:
    """The residual along the directions of visible noise, in units of the noise and the model error."""

    vectors: Float[np.ndarray, "s v"]
    values: Float[np.ndarray, " v"]

    @classmethod
    def of(
        cls, matrix: Float[np.ndarray, "s s"], cross: Float[np.ndarray, " s"], neglected: float | int = 0.0
    ) -> _Along:
        """Create it; the part neglected at first order is spread evenly over all directions."""
        sizes, vectors = np.linalg.eigh(matrix)
        seen = sizes > JUDGING.model_error**2 / JUDGING.visible
        error = JUDGING.model_error**2 + neglected / max(int(seen.sum()), 1)
        values = (vectors.T @ cross)[seen] / np.sqrt(sizes[seen] * (sizes[seen] + error))
        return cls(vectors[:, seen], values)

    def told_by(self, data: Float[np.ndarray, "d s"]) -> _Along:
        """Restrict to combinations in which the data's errors, the rows, have at least half of the variance."""
        rows = data @ self.vectors
        shares, turn = np.linalg.eigh(rows.T @ rows)
        told = turn[:, shares >= JUDGING.told_by_data]
        return _Along(self.vectors @ told, told.T @ self.values)

    @property
    def deviance(self) -> float:
        """The sum of squares."""
        return float(np.sum(self.values**2))

    @property
    def p_value(self) -> float:
        """The p-value of the deviance; 1 where no noise is visible."""
        return float(scipy.special.chdtrc(len(self.values), self.deviance)) if len(self.values) else 1.0


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
