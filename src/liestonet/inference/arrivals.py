"""Test of the points at which steps end: structure finer than a step appears only in the density of the points.

A force that changes sign within a step's length hardly changes the mean of the step, which averages over it, but
points near the maxima of its potential are rare. The counts of end points in cells are compared with the prediction of
the fit; slow deviations across the box are tested by the cells of the starting points (docs/method.md §5.8).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.special
from jaxtyping import Float

from liestonet.core.domain import Domain
from liestonet.inference.tuning import ADEQUACY
from liestonet.surrogate.filter import Told
from liestonet.surrogate.overview import Overview, quantile_edges

Sum = tuple[Float[np.ndarray, "u u"], Float[np.ndarray, " u"], Float[np.ndarray, "u u"]]


@dataclass(frozen=True)
class Arrivals:
    """Cells of one coordinate for the end points of steps, and combinations of their indicators without slow ones.

    Edges are in units of the box; `place` is the number of the coordinate among those with noise.
    """

    coordinate: int
    place: int
    edges: Float[np.ndarray, " e"]
    fine: Float[np.ndarray, "c q"]

    @classmethod
    def of(cls, overview: Overview, domain: Domain, coordinate: int, place: int) -> Arrivals | None:
        """Cells with equally many points; None if values repeat so often that cells would depend on their rounding."""
        x = overview.sample.x[:, coordinate]
        edges = quantile_edges(x, ADEQUACY.arrival_cells) / domain.half[1 + coordinate]
        few = len(np.unique(x)) < ADEQUACY.distinct * len(x)
        if few or len(edges) + 1 < ADEQUACY.arrival_cells or np.isfinite(domain.periods[1 + coordinate]):
            return None
        ranks = np.linspace(-1, 1, len(edges) + 1)
        slow = np.polynomial.legendre.legvander(ranks, ADEQUACY.slow_degree)
        return cls(coordinate, place, edges, np.linalg.qr(slow, mode="complete")[0][:, slow.shape[1] :])

    @property
    def slope(self) -> float:
        """The least slope of the log density that gives a change of size one, in units of the box (root mean squares).

        In a potential −∫f the density is exp(2∫f/a), so a/2 times this is the least drift that causes such a change.
        """
        return np.pi * (ADEQUACY.slow_degree + 1) / 2

    def sums(
        self,
        told: Told,
        kept: np.ndarray,
        ends: Float[np.ndarray, " s"],
        joint: Float[np.ndarray, "s p"],
        nuisance: tuple[np.ndarray, np.ndarray],
    ) -> Sum:
        """Gram matrix, score and its covariance for the combinations, followed by derivatives in the parameters.

        `ends` are the points in units of the box, `joint` the steps' scores of the parameters, `nuisance` the
        information on the parameters and the covariance of their scores.
        """
        root, i = np.linalg.inv(told.root[kept]), self.place
        n, count, size = root.shape[1], len(told.steps), told.rows.shape[1]
        rows = told.rows.reshape(-1, count, size)[:, kept]
        standard = told.values.reshape(-1, count)[:n, kept]
        spread = np.sqrt(np.sum(root[:, i] ** 2, axis=1))
        predicted = ends - np.einsum("bk,kb->b", root[:, i], standard)
        dmean, dvariance = np.zeros((2, len(predicted), size))
        place = n
        for j in range(n):
            dmean += root[:, i, j, None] * rows[j]
            for k in range(j + 1):
                factor = np.sqrt(2) if j == k else 2.0
                dvariance += (factor * root[:, i, j] * root[:, i, k])[:, None] * rows[place]
                place += 1
        limits = (self.edges - predicted[:, None]) / spread[:, None]
        below = scipy.special.ndtr(limits)
        expected = np.diff(below, axis=1, prepend=0.0, append=1.0)
        density = np.exp(-(limits**2) / 2) / np.sqrt(2 * np.pi)
        first = -np.diff(density, axis=1, prepend=0.0, append=0.0) / spread[:, None]
        second = -np.diff(limits * density, axis=1, prepend=0.0, append=0.0) / (2 * spread**2)[:, None]
        missed = -expected
        missed[np.arange(len(ends)), np.searchsorted(self.edges, ends, side="right")] += 1.0
        fine = self.fine
        own = fine.T @ (np.diag(expected.sum(axis=0)) - expected.T @ expected) @ fine
        shared = fine.T @ (first.T @ dmean + second.T @ dvariance)
        values = missed @ fine
        across = values.T @ joint
        return (
            np.block([[own, shared], [shared.T, nuisance[0]]]),
            np.concatenate([values.sum(axis=0), joint.sum(axis=0)]),
            np.block([[values.T @ values, across], [across.T, nuisance[1]]]),
        )
