"""Factors of terms by likelihood, with what the symmetries ask of them imposed (docs/method.md §18.9)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import scipy.linalg
import scipy.stats
from jaxtyping import Bool, Float, Int

from liestonet.reduction.recording.candidate_terms import Term, series_terms
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
    """Factors on the family, directions in which the family leaves them free, their covariance, and the ratio test.

    `p_value` is the chance of a `deviance` this large if the family is right; 1 where it asks for nothing.
    """

    factors: Float[np.ndarray, " k"]
    tangent: Float[np.ndarray, "k m"]
    covariance: Float[np.ndarray, "k k"]
    deviance: float
    freedom: int
    p_value: float


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
    moments, scattered, hidden = shown @ known.parameters, surrogate.errors.scatter, surrogate.errors.hidden
    seen, bias = np.split(scattered, [scattered.shape[1] - hidden], axis=1)
    biased = shown @ bias
    if added is not None:
        moments = moments - matrix.T @ precision @ added
        biased, hidden = EQUATION.step_left * (shown @ added)[:, None], 1
    scores = [shown @ seen]
    if surrogate.errors.complete:
        shown_by_noise = np.array([block.noisy for block in known.blocks for _ in block.parameters])
        scores.append(matrix[shown_by_noise].T @ _left_out(precision, whole @ seen, shown_by_noise))
    scores = np.concatenate([*scores, biased], axis=1)
    found = Likelihood(matrix.T @ precision @ matrix, moments, scores, hidden, noisy, surrogate.overview.count)
    return _balanced(found)


def _left_out(
    precision: Float[np.ndarray, "p p"], scores: Float[np.ndarray, "p s"], noisy: Bool[np.ndarray, " p"]
) -> Float[np.ndarray, "n n"]:
    """Scores in directions that the errors leave out, as shrinkage makes them short: their covariance is the precision.

    Terms of an equation are not shrunk, so that these directions count for them.
    """
    block = precision[np.ix_(noisy, noisy)]
    scale = np.sqrt(np.maximum(np.diag(block), np.finfo(float).tiny))
    root = np.linalg.cholesky(block / scale[:, None] / scale + EQUATION.ridge * np.eye(len(block))).T * scale
    left, sizes, _ = np.linalg.svd(np.linalg.solve(root.T, scores[noisy]), full_matrices=False)
    present = left[:, sizes > EQUATION.seen]
    return root.T @ (np.eye(len(block)) - present @ present.T)


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


def on_affine(unit: np.ndarray, tangent: np.ndarray, best: np.ndarray, root: np.ndarray) -> np.ndarray:
    """The best point of the plane through a point along the tangent."""
    if not tangent.shape[1]:
        return unit
    return unit + tangent @ np.linalg.lstsq(root @ tangent, root @ (best - unit), rcond=None)[0]


def whole_family(known: Likelihood) -> Fitted:
    """The best factors without any condition."""
    return fitted_at(known.best, np.eye(len(known.moments)), known)


def fitted_at(unit: np.ndarray, tangent: np.ndarray, known: Likelihood) -> Fitted:
    """Factors in their own units, with the covariance that scores of whole paths give."""
    scale, root = known.scale, known.root
    inverse = tangent @ np.linalg.pinv(root @ tangent, rcond=EQUATION.rank) @ np.linalg.inv(root.T)
    scattered = scale[:, None] * (inverse @ (known.scores * scale[:, None]))
    return Fitted(scale * unit, scale[:, None] * tangent, scattered @ scattered.T, *_ratio(unit, tangent, known))


def _ratio(unit: np.ndarray, tangent: np.ndarray, known: Likelihood) -> tuple[float, int, float]:
    """Twice the log-likelihood that the conditions cost, beside what a finite step may do; its freedom and p-value.

    Coordinates without noise have no likelihood: what the family leaves free in them is free here. Weights are only
    roughly right, so that the deviance is a sum of squares with the covariance of the scores (Satterthwaite).
    """
    if not known.noisy.any():
        return 0.0, 0, 1.0
    part = known.some(np.flatnonzero(known.noisy))
    root = part.root
    left, sizes, _ = np.linalg.svd(root @ tangent[known.noisy], full_matrices=True)
    turned = left[:, int(np.sum(sizes > EQUATION.tangent * sizes.max(initial=0.0))) :]
    if not turned.shape[1]:
        return 0.0, 0, 1.0
    away = turned.T @ (root @ (unit[known.noisy] - part.best))
    moved = turned.T @ np.linalg.solve(root.T, part.scores * part.scale[:, None])
    seen, bias = np.split(moved, [moved.shape[1] - part.hidden], axis=1)
    left, sizes, _ = np.linalg.svd(bias, full_matrices=False)
    shares = sizes**2 / (1 + sizes**2)  # what the bias of a step explains of each direction
    deviance = float(away @ away - shares @ (left.T @ away) ** 2)
    spread = np.linalg.svd(seen, compute_uv=False) ** 2
    factor = spread.sum() / (spread**2).sum()
    return deviance, turned.shape[1], float(scipy.stats.chi2.sf(deviance * factor, spread.sum() * factor))


def lack_of_fit(surrogate: Surrogate, terms: list[Term], fitted: Fitted, added: np.ndarray | None) -> float:
    """Chance of a fit this bad, beside all that the series can be, if the equation is right."""
    whole = likelihood_of(surrogate, series_terms(surrogate), added)
    matrix = np.column_stack([term.parameters for term in terms]) / whole.scale[:, None]
    directions = np.linalg.svd(matrix @ fitted.tangent, full_matrices=False)
    kept = directions[1] > EQUATION.tangent * directions[1].max(initial=0.0)
    return _ratio(matrix @ fitted.factors, directions[0][:, kept], whole)[2]


def best_terms(known: Likelihood, terms: list[Term]) -> Bool[np.ndarray, " k"]:
    """Which terms stay where nothing is imposed on their factors: those of the best subset of every entry (BIC).

    Functions such as x and √x are nearly the same on a box, so that leaving out one after the other may end badly, and
    several subsets may do nearly as well: the terms of all of these stay, as none of them is known to be the right one.
    Of two subsets of which one contains the other the smaller counts.
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
            unit = on_affine(np.zeros(size), tangent, best, part.root)
            scores[chosen] = _ratio(unit, tangent, part)[0] + np.log(known.increments) * len(chosen)
        most = min(scores.values()) + EQUATION.likely
        likely = [set(chosen) for chosen, score in scores.items() if score <= most]
        smallest = [chosen for chosen in likely if not any(other < chosen for other in likely)]
        kept[rows[sorted(set().union(*smallest))]] = True
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


def placed(fitted: Fitted, rows: Int[np.ndarray, " r"], count: int) -> Fitted:
    """A fit of some of the terms as one of all, with the others zero."""
    within = np.eye(count)[:, rows]
    covariance = within @ fitted.covariance @ within.T
    return replace(fitted, factors=within @ fitted.factors, tangent=within @ fitted.tangent, covariance=covariance)


def restricted(known: Likelihood, fitted: Fitted, kept: Bool[np.ndarray, " k"]) -> Fitted:
    """The best factors on the family with some of them zero."""
    scale, root, best = known.scale, known.root, known.best
    unit, tangent = fitted.factors / scale, fitted.tangent / scale[:, None]
    gone = ~kept
    shift = np.linalg.lstsq(tangent[gone], -unit[gone], rcond=None)[0]
    unit = unit + tangent @ shift
    values, rows = np.linalg.svd(tangent[gone], full_matrices=True)[1:]
    free = tangent @ rows[int(np.sum(values > EQUATION.removed)) :].T
    unit = on_affine(unit, free, best, root)
    unit[gone] = 0.0
    return fitted_at(unit, free, known)
