"""Factors of terms by maximum likelihood under the conditions of the symmetries (docs/method.md §18.9)."""

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

    `scores` is a root of the covariance of b, by whole paths; its last `hidden` columns are the effects of
    discretisation bias on b. Factors in coordinates without noise are not `noisy`.
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
        """The maximum-likelihood factors without conditions, in these units."""
        root = self.root
        return scipy.linalg.cho_solve((root, False), self.scale * self.moments)

    def some(self, rows: Int[np.ndarray, " r"]) -> Likelihood:
        """The likelihood of some of the terms alone."""
        block = self.precision[np.ix_(rows, rows)]
        return replace(
            self, precision=block, moments=self.moments[rows], scores=self.scores[rows], noisy=self.noisy[rows]
        )


@dataclass(frozen=True)
class Fitted:
    """Factors on the family, the tangent directions of the family, the covariance, and the likelihood-ratio test.

    `p_value` is the probability of a `deviance` this large if the family is right; 1 without conditions.
    """

    factors: Float[np.ndarray, " k"]
    tangent: Float[np.ndarray, "k m"]
    covariance: Float[np.ndarray, "k k"]
    deviance: float
    freedom: int
    p_value: float


def likelihood_of(surrogate: Surrogate, terms: list[Term], added: Float[np.ndarray, " p"] | None = None) -> Likelihood:
    """The likelihood of all increments for sums of terms, from the sums kept by the surrogate.

    `added` is the discretisation bias of the parameters, if known: zero for Euler steps of the recorded size. It is
    subtracted, and the part `EQUATION.step_left` of it remains as an error.
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
    # without noise the prior is negligible, but its precision would amplify rounding
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
    """Roots of the score covariance in directions dropped because shrinkage made them short: there it is the precision.

    Terms of an equation are not shrunk, so these directions matter for them.
    """
    block = precision[np.ix_(noisy, noisy)]
    scale = np.sqrt(np.maximum(np.diag(block), np.finfo(float).tiny))
    root = np.linalg.cholesky(block / scale[:, None] / scale + EQUATION.ridge * np.eye(len(block))).T * scale
    left, sizes, _ = np.linalg.svd(np.linalg.solve(root.T, scores[noisy]), full_matrices=False)
    present = left[:, sizes > EQUATION.seen]
    return root.T @ (np.eye(len(block)) - present @ present.T)


def _balanced(known: Likelihood) -> Likelihood:
    """The likelihood with bounded weights of coordinates without noise, which are fitted by least squares."""
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
    """The best point of the affine space through a point along the tangent directions."""
    if not tangent.shape[1]:
        return unit
    return unit + tangent @ np.linalg.lstsq(root @ tangent, root @ (best - unit), rcond=None)[0]


def whole_family(known: Likelihood) -> Fitted:
    """The fit without conditions."""
    return fitted_at(known.best, np.eye(len(known.moments)), known)


def fitted_at(unit: np.ndarray, tangent: np.ndarray, known: Likelihood) -> Fitted:
    """The fit at given factors, in their own units, with the covariance from the scores of whole paths."""
    scale, root = known.scale, known.root
    inverse = tangent @ np.linalg.pinv(root @ tangent, rcond=EQUATION.rank) @ np.linalg.inv(root.T)
    scattered = scale[:, None] * (inverse @ (known.scores * scale[:, None]))
    return Fitted(scale * unit, scale[:, None] * tangent, scattered @ scattered.T, *_ratio(unit, tangent, known))


def _ratio(unit: np.ndarray, tangent: np.ndarray, known: Likelihood) -> tuple[float, int, float]:
    """The deviance of the conditions, with allowance for discretisation bias, its degrees of freedom and p-value.

    Coordinates without noise have no likelihood: factors of theirs that the family leaves free are free here. Weights
    are only approximate, so that the deviance is a sum of squares with the covariance of the scores (Satterthwaite).
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
    shares = sizes**2 / (1 + sizes**2)  # the part of each direction that discretisation bias explains
    deviance = float(away @ away - shares @ (left.T @ away) ** 2)
    spread = np.linalg.svd(seen, compute_uv=False) ** 2
    factor = spread.sum() / (spread**2).sum()
    return deviance, turned.shape[1], float(scipy.stats.chi2.sf(deviance * factor, spread.sum() * factor))


def lack_of_fit(surrogate: Surrogate, terms: list[Term], fitted: Fitted, added: np.ndarray | None) -> float:
    """The p-value of the equation against the full series."""
    whole = likelihood_of(surrogate, series_terms(surrogate), added)
    matrix = np.column_stack([term.parameters for term in terms]) / whole.scale[:, None]
    directions = np.linalg.svd(matrix @ fitted.tangent, full_matrices=False)
    kept = directions[1] > EQUATION.tangent * directions[1].max(initial=0.0)
    return _ratio(matrix @ fitted.factors, directions[0][:, kept], whole)[2]


def best_terms(known: Likelihood, terms: list[Term]) -> Bool[np.ndarray, " k"]:
    """Which terms to keep if no conditions are imposed: those of the best subset of every entry (BIC).

    Functions such as x and √x are nearly the same on a box, so that stepwise elimination may fail, and several subsets
    may fit almost equally well: the terms of all these are kept, since the data do not decide among them. Of two nested
    subsets only the smaller counts.
    """
    kept = np.zeros(len(terms), dtype=bool)
    for entry in dict.fromkeys(term.entry for term in terms):
        rows = np.array([k for k, term in enumerate(terms) if term.entry == entry])
        # without noise the weighted squares take the place of the deviance
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
    """Which terms remain after stepwise elimination by BIC.

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
    """A fit of some of the terms as one of all terms, with zero for the others."""
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
