"""Factors of terms by likelihood, with what the symmetries ask of them imposed (docs/method.md §18.9)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import scipy.linalg
import scipy.optimize
import scipy.stats
from jaxtyping import Bool, Float, Int

from liestonet.reduction.recording.candidate_terms import Term
from liestonet.reduction.recording.family_constraints import Constraints
from liestonet.reduction.tuning import EQUATION
from liestonet.surrogate.surrogate import Surrogate


@dataclass(frozen=True)
class Likelihood:
    """−½ uᵀHu + bᵀu, the log-likelihood of the increments as a function of the factors.

    `scores` is a root of the covariance of b, by whole paths; its last `hidden` columns are what a finite step may do
    to b. Factors in coordinates without noise are not `noisy`.
    """

    precision: Float[np.ndarray, "k k"]
    moments: Float[np.ndarray, " k"]
    scores: Float[np.ndarray, "k s"]
    hidden: int
    noisy: Bool[np.ndarray, " k"]
    increments: int

    @property
    def scale(self) -> Float[np.ndarray, " k"]:
        """Units of the factors in which the precision has a unit diagonal."""
        return 1 / np.sqrt(np.maximum(np.diag(self.precision), np.finfo(float).tiny))

    @property
    def root(self) -> Float[np.ndarray, "k k"]:
        """R with RᵀR the precision in these units."""
        unit = self.precision * self.scale[:, None] * self.scale
        return np.linalg.cholesky(unit + EQUATION.ridge * np.eye(len(unit))).T

    @property
    def best(self) -> Float[np.ndarray, " k"]:
        """The factors without any condition, in these units."""
        root = self.root
        return scipy.linalg.cho_solve((root, False), self.scale * self.moments)

    def some(self, rows: Int[np.ndarray, " r"]) -> Likelihood:
        """The same for some of the terms."""
        block = self.precision[np.ix_(rows, rows)]
        return replace(
            self, precision=block, moments=self.moments[rows], scores=self.scores[rows], noisy=self.noisy[rows]
        )


@dataclass(frozen=True)
class Fitted:
    """Factors on the family, directions in which the family leaves them free, their covariance, and the ratio test."""

    factors: Float[np.ndarray, " k"]
    tangent: Float[np.ndarray, "k m"]
    covariance: Float[np.ndarray, "k k"]
    deviance: float
    freedom: int

    @property
    def p_value(self) -> float:
        """Chance of a deviance this large if the family is right; 1 where it asks for nothing."""
        return float(scipy.stats.chi2.sf(self.deviance, self.freedom)) if self.freedom else 1.0


def likelihood_of(surrogate: Surrogate, terms: list[Term], added: Float[np.ndarray, " p"] | None = None) -> Likelihood:
    """The likelihood of all increments, which the surrogate keeps as sums, on models made of terms.

    `added` is what the recorded step adds to the parameters, where that is known: zero for Euler steps of the recorded
    size. It is taken off, and `EQUATION.step_left` of it stays an error.
    """
    known = surrogate.information
    matrix = np.column_stack([term.parameters for term in terms])
    start, precision = 0, np.zeros((len(surrogate.parameters),) * 2)
    for block in known.blocks:
        rows = slice(start, start + len(block.parameters))
        precision[rows, rows] = block.precision
        start = rows.stop
    whole = known.posterior_precision
    noisy = np.array([surrogate.noisy[list(term.entry)].all() for term in terms])
    # without noise the prior counts for nothing, but its precision would magnify rounding
    shown = np.where(noisy[:, None], matrix.T @ whole, matrix.T @ precision)
    # errors that a finite step makes are among those of `scatter`
    moments, scores, hidden = shown @ known.parameters, shown @ surrogate.errors.scatter, surrogate.errors.hidden
    if added is not None:
        moments = moments - matrix.T @ precision @ added
        left = EQUATION.step_left * (shown @ added)
        scores, hidden = np.column_stack([scores[:, : scores.shape[1] - hidden], left]), 1
    found = Likelihood(matrix.T @ precision @ matrix, moments, scores, hidden, noisy, surrogate.overview.count)
    return _balanced(found)


def _balanced(known: Likelihood) -> Likelihood:
    """Coordinates without noise have no likelihood; their least squares weigh more than the others, not by orders."""
    noisy = known.noisy
    if noisy.all() or not noisy.any():
        return known
    sizes = np.diag(known.precision)
    factor = EQUATION.noiseless_weight * np.median(sizes[noisy]) / np.median(sizes[~noisy])
    weights = np.where(noisy, 1.0, factor)
    roots = np.sqrt(weights)
    precision = known.precision * roots[:, None] * roots
    scores = known.scores * weights[:, None]
    return replace(known, precision=precision, moments=known.moments * weights, scores=scores)


def fit_on_family(known: Likelihood, asked: Constraints) -> Fitted:
    """The best factors for which the generators, their constants free, are symmetries."""
    scale, root, best, count = known.scale, known.root, known.best, len(known.moments)
    place = np.concatenate([best, asked.constants])
    if asked.functions:
        for strength in EQUATION.strengths:
            place = _pulled(place, best, root, scale, asked, float(strength))
    tangent = _tangent(place, scale, asked, count)
    unit = _on_affine(place[:count], tangent, best, root)
    return _fitted(unit, tangent, known)


def _pulled(
    place: np.ndarray, best: np.ndarray, root: np.ndarray, scale: np.ndarray, asked: Constraints, strength: float
) -> np.ndarray:
    """Least squares with the conditions as a penalty of some strength."""
    count, weight = len(best), np.sqrt(strength)

    def residual(z: np.ndarray) -> np.ndarray:
        matrix, rest = asked.at(z[count:])
        return np.concatenate([root @ (z[:count] - best), weight * (matrix @ (scale * z[:count]) + rest)])

    def slopes(z: np.ndarray) -> np.ndarray:
        matrix, rest = asked.at(z[count:])
        free = _constant_slopes(z, scale, asked, matrix, rest, count)
        above = np.concatenate([root, np.zeros((count, len(z) - count))], axis=1)
        return np.concatenate([above, weight * np.concatenate([matrix * scale, free], axis=1)])

    jacobian: Any = slopes
    return scipy.optimize.least_squares(residual, place, jacobian, x_scale="jac", max_nfev=EQUATION.rounds).x


def _constant_slopes(
    z: np.ndarray, scale: np.ndarray, asked: Constraints, matrix: np.ndarray, rest: np.ndarray, count: int
) -> np.ndarray:
    """How the conditions change with the generators' constants."""
    columns, here = [], matrix @ (scale * z[:count]) + rest
    for k in range(count, len(z)):
        step = EQUATION.difference * max(1.0, abs(z[k]))
        moved = z.copy()
        moved[k] += step
        there = asked.at(moved[count:])
        columns.append((there[0] @ (scale * z[:count]) + there[1] - here) / step)
    return np.array(columns).T.reshape(len(here), len(columns))


def _tangent(z: np.ndarray, scale: np.ndarray, asked: Constraints, count: int) -> Float[np.ndarray, "k m"]:
    """Orthonormal changes of the factors that the conditions allow, the generators' constants following."""
    if not asked.functions:
        return np.eye(count)
    matrix, rest = asked.at(z[count:])
    both = np.concatenate([matrix * np.abs(scale), _constant_slopes(z, scale, asked, matrix, rest, count)], axis=1)
    sizes = np.linalg.norm(both, axis=0)
    # a factor that no condition contains has a column of rounding
    asks = sizes > EQUATION.difference * sizes.max()
    unit = np.where(asks, both / np.where(asks, sizes, 1.0), 0.0)
    values, rows = np.linalg.svd(unit, full_matrices=True)[1:]
    rank = int(np.sum(values > EQUATION.tangent * values[:1].max(initial=0.0)))
    free = (rows[rank:] / np.where(asks, sizes, 1.0)).T
    lengths = np.linalg.norm(free, axis=0)
    free = free[:count] / np.where(lengths > 0, lengths, 1.0)
    left, sizes, _ = np.linalg.svd(free, full_matrices=False)
    return left[:, sizes > EQUATION.tangent]


def _on_affine(unit: np.ndarray, tangent: np.ndarray, best: np.ndarray, root: np.ndarray) -> np.ndarray:
    """The best point of the plane through a point along the tangent."""
    if not tangent.shape[1]:
        return unit
    return unit + tangent @ np.linalg.lstsq(root @ tangent, root @ (best - unit), rcond=None)[0]


def _fitted(unit: np.ndarray, tangent: np.ndarray, known: Likelihood) -> Fitted:
    """Factors in their own units, with the covariance that scores of whole paths give."""
    scale, root = known.scale, known.root
    inverse = tangent @ np.linalg.pinv(root @ tangent, rcond=EQUATION.rank) @ np.linalg.inv(root.T)
    scattered = scale[:, None] * (inverse @ (known.scores * scale[:, None]))
    deviance, freedom = _deviance(unit, tangent, known)
    return Fitted(scale * unit, scale[:, None] * tangent, scattered @ scattered.T, deviance, freedom)


def _deviance(unit: np.ndarray, tangent: np.ndarray, known: Likelihood) -> tuple[float, int]:
    """Twice the log-likelihood that the conditions cost, beside what a finite step may do; and its degrees of freedom.

    Coordinates without noise have no likelihood: what the family leaves free in them is free here.
    """
    if not known.noisy.any():
        return 0.0, 0
    part = known.some(np.flatnonzero(known.noisy))
    root = part.root
    left, sizes, _ = np.linalg.svd(root @ tangent[known.noisy], full_matrices=True)
    turned = left[:, int(np.sum(sizes > EQUATION.tangent * sizes.max(initial=0.0))) :]
    away = turned.T @ (root @ (unit[known.noisy] - part.best))
    bias = part.scores[:, part.scores.shape[1] - part.hidden :] * part.scale[:, None]
    moved = turned.T @ np.linalg.solve(root.T, bias)
    left, sizes, _ = np.linalg.svd(moved, full_matrices=False)
    shares = sizes**2 / (1 + sizes**2)  # what the bias of a step explains of each direction
    return float(away @ away - shares @ (left.T @ away) ** 2), turned.shape[1]


def best_terms(known: Likelihood, terms: list[Term]) -> Bool[np.ndarray, " k"]:
    """Which terms stay where nothing is imposed on their factors: the best subset of every entry (BIC).

    Functions such as x and √x are nearly the same on a box, so that leaving out one after the other may end badly.
    """
    kept = np.zeros(len(terms), dtype=bool)
    for entry in dict.fromkeys(term.entry for term in terms):
        rows = np.array([k for k, term in enumerate(terms) if term.entry == entry])
        # without noise the weighted squares stand for the likelihood
        part = replace(known.some(rows), noisy=np.ones(len(rows), dtype=bool))
        best, size = part.best, len(rows)
        least = 1 if len(entry) == 2 and entry[0] == entry[1] else 0
        scores = {}
        for chosen in (c for count in range(least, size + 1) for c in combinations(range(size), count)):
            tangent = np.eye(size)[:, list(chosen)]
            unit = _on_affine(np.zeros(size), tangent, best, part.root)
            scores[chosen] = _deviance(unit, tangent, part)[0] + np.log(known.increments) * len(chosen)
        kept[rows[list(min(scores, key=lambda c: scores[c]))]] = True
    return kept


def without_small_terms(known: Likelihood, fitted: Fitted, always: Bool[np.ndarray, " k"]) -> Bool[np.ndarray, " k"]:
    """Which terms stay if those that the data do not ask for are left out, one after the other (BIC).

    `always` are terms that are not left out.
    """
    kept = np.ones(len(fitted.factors), dtype=bool)
    present = fitted
    while True:
        errors = np.sqrt(np.diag(present.covariance))
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.where(errors > 0, (present.factors / errors) ** 2, np.inf)
        ratios[~kept | always] = np.inf
        weakest = int(np.argmin(ratios))
        if not ratios[weakest] < np.log(known.increments):
            return kept
        kept[weakest] = False
        present = restricted(known, fitted, kept)


def restricted(known: Likelihood, fitted: Fitted, kept: Bool[np.ndarray, " k"]) -> Fitted:
    """The best factors on the family with some of them zero."""
    scale, root, best = known.scale, known.root, known.best
    unit, tangent = fitted.factors / scale, fitted.tangent / scale[:, None]
    gone = ~kept
    shift = np.linalg.lstsq(tangent[gone], -unit[gone], rcond=None)[0]
    unit = unit + tangent @ shift
    values, rows = np.linalg.svd(tangent[gone], full_matrices=True)[1:]
    free = tangent @ rows[int(np.sum(values > EQUATION.tangent)) :].T
    unit = _on_affine(unit, free, best, root)
    unit[gone] = 0.0
    return _fitted(unit, free, known)
