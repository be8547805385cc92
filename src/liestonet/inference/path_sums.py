"""Test whether many paths differ: the squares of their sums of scores, compared with those of independent steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.special
from jaxtyping import Float, Int

from liestonet.inference.tuning import ADEQUACY


@dataclass(frozen=True)
class PathSums:
    """For every path: the number of steps, the sums of scores, of their squares, and of products of neighbours, twice.

    Neighbours are at most as many steps apart as the longest lag in the test for memory.
    """

    steps: Int[np.ndarray, " k"]
    totals: Float[np.ndarray, " k"]
    squares: Float[np.ndarray, " k"]
    neighbours: Float[np.ndarray, " k"]

    @classmethod
    def of(cls, path: Int[np.ndarray, " s"], scores: Float[np.ndarray, " s"]) -> PathSums:
        """The sums of scores given in the order of the steps, zero for steps that do not count."""
        own, count = path - path[0], int(path[-1] - path[0]) + 1
        neighbours = np.zeros(count)
        for lag in range(1, ADEQUACY.lags[-1] + 1):
            same = own[lag:] == own[:-lag]
            neighbours += 2 * np.bincount(own[lag:], same * scores[lag:] * scores[:-lag], count)
        steps = np.bincount(own[scores != 0], minlength=count)
        return cls(steps, np.bincount(own, scores, count), np.bincount(own, scores**2, count), neighbours)

    @classmethod
    def together(cls, pieces: Sequence[PathSums]) -> PathSums:
        """The sums of all pieces that have any steps, concatenated."""
        steps, totals, squares, neighbours = (
            np.concatenate([getattr(each, name) for each in pieces])
            for name in ("steps", "totals", "squares", "neighbours")
        )
        counted = squares > 0
        return cls(steps[counted], totals[counted], squares[counted], neighbours[counted])

    def differ(self, remembering: bool) -> tuple[float, float]:
        """P-value of the hypothesis that all paths have the same mean, and the variance of their means.

        With memory (`remembering`), pairs of neighbouring steps are left out, as these are correlated on any path.
        """
        if not remembering:
            sum_of_squares, weight = float(np.sum(self.squares)), float(np.sum(self.squares**2))
            freedom = sum_of_squares**2 / weight  # of the χ² with the mean and the variance of the sum
            p_value = scipy.special.chdtrc(freedom, freedom * float(np.sum(self.totals**2)) / sum_of_squares)
            return float(p_value), max(float(np.sum(self.totals**2 - self.squares)), 0.0) / weight
        apart = self.steps - ADEQUACY.lags[-1]
        pairs = np.maximum(apart * (apart - 1), 0)
        far = np.where(pairs > 0, self.totals**2 - self.squares - self.neighbours, 0.0)
        if not far.any():
            return 1.0, 0.0
        p_value = scipy.special.ndtr(-np.sum(far) / np.sqrt(np.sum(far**2)))
        return float(p_value), max(float(np.sum(far)), 0.0) / float(np.sum(pairs))
