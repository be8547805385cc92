"""A rough map of the noise, piecewise constant on cells of equal filling: the weights of the regressions.

Weights need not be exact for valid answers; roughly right ones already give precise answers. Values on cells are
positive by construction.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from liestonet.core.tuning import by_dimension
from liestonet.surrogate.features import Features
from liestonet.surrogate.overview import Overview, quantile_edges
from liestonet.surrogate.tuning import FIT


@dataclass(frozen=True)
class VarianceMap:
    """Mean squared residual over Δt in cells of time and state, in units of the box (L_i²/T).

    A cell whose squares are small by chance has a large weight, which biases means of the same squares downwards, and
    means of increments half as much. `lost` is that relative bias of squares.
    """

    edges: tuple[Float[np.ndarray, " _"], ...]
    values: Float[np.ndarray, "cells n"]
    lost: Float[np.ndarray, " cells"]
    shapes: Features | None = None

    def __call__(self, points: Float[np.ndarray, "b v"]) -> tuple[Float[np.ndarray, "b n"], Float[np.ndarray, " b"]]:
        """Mean squares at points, and the factor that corrects increments for the bias of weights made from this map.

        Squares are corrected by the factor squared. To first order (docs/method.md §4.1).
        """
        cell = _cell(self.edges, points)
        values = self.values[cell]
        return values if self.shapes is None else values * _squares(self.shapes, points), 1 + self.lost[cell] / 2

    def widened(self, points: Float[np.ndarray, "b v"]) -> Float[np.ndarray, " b"]:
        """What the variance of means of squares is multiplied by because their weights are made of this map.

        To second order: 1 + 16/m for cells of m squares, beside the covariance of the scores (docs/method.md §4.1).
        """
        return 1 + 4 * self.lost[_cell(self.edges, points)]

    @property
    def uniform(self) -> bool:
        """Whether there is one cell only."""
        return len(self.values) == 1


def map_variances(
    overview: Overview, residuals: Float[np.ndarray, "b n"], features: Features | None = None
) -> VarianceMap:
    """Squared residuals of the sample (in units of L), averaged over cells; one cell in more than three dimensions.

    They are divided by the noise shapes where the features have them.
    """
    shaped = None if features is None or features.shapes is None else features
    sample = overview.sample
    n = sample.x.shape[1]
    parts = by_dimension(FIT.variance_parts, n)
    time = quantile_edges(sample.t, FIT.variance_time_parts if parts > 1 else 1)
    tails = [part for part in by_dimension(FIT.variance_tails, n) if part * len(sample.t) >= FIT.least_in_tail]
    edges = (time, *(quantile_edges(sample.x[:, i], parts, tails) for i in range(n)))
    cell = _cell(edges, overview.points)
    cells = int(np.prod([len(edge) + 1 for edge in edges]))
    squares = residuals**2 * (overview.domain.half[0] / sample.dt)[:, None]
    if shaped is not None:
        squares = squares / _squares(shaped, overview.points)
    counts = np.bincount(cell, minlength=cells)
    sums = np.stack([np.bincount(cell, weights=square, minlength=cells) for square in squares.T], axis=1)
    filled = counts + FIT.borrowed
    # w = 1/2v², Var r² = 2v²: E w (r² − v) = −(4/filled) w v; drift: w = 1/v, dx = f + r: E w r = −(2/filled) w f
    lost = np.where(counts > 0, 4 / filled / overview.stride, 0.0)
    return VarianceMap(edges, (sums + FIT.borrowed * squares.mean(axis=0)) / filled[:, None], lost, shaped)


def _squares(features: Features, points: Float[np.ndarray, "b v"]) -> Float[np.ndarray, "b n"]:
    """The squared shape of every coordinate's noise; 1 where it has none."""
    return np.stack([features.of((i,)).factor(points) ** 2 for i in range(points.shape[1] - 1)], axis=1)


def _cell(edges: tuple[np.ndarray, ...], points: Float[np.ndarray, "b v"]) -> Int[np.ndarray, " b"]:
    """The number of the cell that each point lies in."""
    number = np.zeros(len(points), dtype=np.int64)
    for variable, edge in enumerate(edges):
        number = number * (len(edge) + 1) + np.searchsorted(edge, points[:, variable])
    return number
