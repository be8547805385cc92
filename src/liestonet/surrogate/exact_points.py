"""The filter for points without error: each step begins at a recorded point, so all steps are computed at once.

Means, covariances and their derivatives are those of `filter.py` at Λ = R = 0. An error of a point would enter two
steps there: the one that ends at the point and the next.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from liestonet.surrogate.filter import (
    Collector,
    Segments,
    StepModel,
    Told,
    bounds_of,
    flow,
    inverses,
    matrices,
    smeared_at,
    variables_of,
)
from liestonet.surrogate.tuning import RECORDING


def all_steps(model: StepModel, segments: Segments, sums: Collector | None = None) -> Float[np.ndarray, "k b n"]:
    """The standardised innovations of `filtered`, added to the sums, for a model without error and blur."""
    result = np.zeros(segments.y[1:].shape)
    paths, n = segments.y.shape[1], len(model.error)
    told = RECORDING.summed_at_once // (model.size * (n + len(model.entries)))
    slab = max(1, told // paths)
    before = _Before(np.zeros((paths, n)), np.zeros((paths, n, n)), np.zeros(paths))
    for low in range(0, len(result), slab):
        steps = slice(low, low + slab)
        part = _Slab(model, segments, steps)
        result[steps] = part.standard.reshape(result[steps].shape)
        if sums is not None:
            before = part.tell(sums, before)
    return result


class _Before:
    """The steps before given ones: S⁻¹ times the innovation, a at the step's end, its length; else zero."""

    def __init__(
        self, pulled: Float[np.ndarray, "b n"], instant: Float[np.ndarray, "b n n"], dt: Float[np.ndarray, " b"]
    ) -> None:
        self.pulled, self.instant, self.dt = pulled, instant, dt

    def followed(self, later: _Before) -> _Before:
        """The predecessors of the later steps: these steps, then the later ones without those at the last time."""
        count = len(later.dt)
        pairs = (self.pulled, later.pulled), (self.instant, later.instant), (self.dt, later.dt)
        return _Before(*(np.concatenate(pair)[:count] for pair in pairs))

    def last(self, count: int) -> _Before:
        """The last `count` steps."""
        return _Before(self.pulled[-count:], self.instant[-count:], self.dt[-count:])

    def at(self, kept: np.ndarray) -> _Before:
        """The selected steps."""
        return _Before(self.pulled[kept], self.instant[kept], self.dt[kept])


class _Slab:
    """A range of times: its steps of all segments, one time after the other."""

    def __init__(self, model: StepModel, segments: Segments, steps: slice) -> None:
        self.model, self.paths = model, segments.y.shape[1]
        n, domain = len(model.error), model.features.domain
        low, high = bounds_of(domain)
        self.dt, self.rows = segments.dt[steps].ravel(), segments.rows[steps].ravel()
        self.folds = np.tile(segments.folds, len(self.dt) // self.paths)
        begin = segments.y[:-1][steps].reshape(-1, n)
        x = begin * domain.half[1:]
        points = np.column_stack([segments.t[steps].ravel(), np.clip(x, low, high)])
        self.tables = model.features.values(points, ((), *variables_of(n)))
        self.values = self.tables[()]
        covariance = self.dt[:, None, None] * matrices(self.values @ model.diffusion, model.entries, model.least)
        self.inverse, self.root = inverses(covariance)
        predicted = begin + self.dt[:, None] * (self.values @ model.drift)
        self.ahead = segments.t[steps].ravel() + self.dt * domain.half[0], predicted
        self.rest = segments.y[1:][steps].reshape(-1, n) - predicted
        self.counted = segments.counted[steps].ravel() & ((x >= low) & (x <= high)).all(axis=1)
        standard = np.einsum("bij,bj->bi", self.root, self.rest)
        self.standard = np.where(self.counted[:, None], standard, 0.0)

    def tell(self, sums: Collector, before: _Before) -> _Before:
        """Add the counted steps to the sums, sorted by fold; returns what the next steps need of these."""
        model, half = self.model, self.model.features.domain.half
        own = _Before(
            np.einsum("bij,bj->bi", self.inverse, self.rest),
            matrices(smeared_at(model, *self.ahead) @ model.instant, model.entries, model.least),
            self.dt,
        )
        kept = np.flatnonzero(self.counted)
        kept = kept[np.argsort(self.folds[kept], kind="stable")]
        if len(kept):
            slopes = [self.tables[j][kept] @ model.drift * half[j[0]] for j in variables_of(len(model.error))]
            step = flow(np.stack(slopes, axis=2), self.dt[kept])
            told = self._told(kept, step, own.at(kept), before.followed(own).at(kept))
            sums.add(told)
        return own.last(self.paths)

    def _told(self, kept: np.ndarray, step: np.ndarray, own: _Before, before: _Before) -> Told:
        """Rows for the means, then for the covariances, each linear in its own series, in Λ and in R."""
        model, n = self.model, len(self.model.error)
        width, first = model.features.size, model.drift.size
        root, standard = self.root[kept], self.standard[kept]
        scaled = self.dt[kept, None] * self.values[kept]
        moved = root @ step
        smeared = np.einsum("b,bij,bj->bi", before.dt, before.instant, before.pulled)
        instant = matrices(self.values[kept] @ model.instant, model.entries, model.least)
        both = before.dt[:, None, None] * _between(moved, instant)
        both += own.dt[:, None, None] * _between(root, own.instant)
        rows = np.zeros((n + n * (n + 1) // 2, len(kept), model.size))
        values = np.empty(rows.shape[:2])
        for i in range(n):
            for j in range(i + 1):
                rows[i, :, j * width : (j + 1) * width] = root[:, i, j, None] * scaled
            rows[i, :, -n - 1 : -1] = -moved[:, i] * before.pulled
            rows[i, :, -1] = np.einsum("bj,bj->b", moved[:, i], smeared)
            values[i] = standard[:, i]
        place = n
        for i in range(n):
            for j in range(i + 1):
                scale = np.sqrt(0.5) if i == j else 1.0
                for entry, (p, q) in enumerate(model.entries):
                    factor = root[:, i, p] * root[:, j, q] + (root[:, i, q] * root[:, j, p] if p != q else 0.0)
                    columns = slice(first + entry * width, first + (entry + 1) * width)
                    rows[place, :, columns] = (scale * factor)[:, None] * scaled
                rows[place, :, -n - 1 : -1] = scale * (moved[:, i] * moved[:, j] + root[:, i] * root[:, j])
                rows[place, :, -1] = -scale * both[:, i, j]
                values[place] = scale * (standard[:, i] * standard[:, j] - (i == j))
                place += 1
        return Told(rows.reshape(-1, model.size), values.ravel(), self.rows[kept], self.folds[kept], root)


def _between(root: Float[np.ndarray, "b n n"], matrix: Float[np.ndarray, "b n n"]) -> Float[np.ndarray, "b n n"]:
    """root · matrix · rootᵀ."""
    return root @ matrix @ np.swapaxes(root, 1, 2)
