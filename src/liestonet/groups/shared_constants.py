"""Wald tests that groups share their constants, and linear trends of the constants against the condition.

docs/method.md §19.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.stats
from jaxtyping import Float

from liestonet.groups.tuning import COMPARISON


@dataclass(frozen=True)
class Trend:
    """A straight line of a constant against the condition: v = level + slope · (z − centre).

    `p_value` tests a slope of zero, `adjusted` is Holm's p-value over all constants; `rest` tests the deviation from
    the line: small if the constant changes in another way too.
    """

    slope: float
    error: float
    level: float
    centre: float
    p_value: float
    adjusted: float
    rest: float | None


@dataclass(frozen=True)
class Equality:
    """The test that one constant is equal in all groups: weighted mean, χ², p-value, and Holm's over all constants."""

    mean: float
    error: float
    statistic: float
    freedom: int
    p_value: float
    adjusted: float


@dataclass(frozen=True)
class Joint:
    """The test that all constants together are equal in all groups."""

    statistic: float
    freedom: int
    p_value: float


def equal_together(values: Float[np.ndarray, "g c"], covariances: Float[np.ndarray, "g c c"]) -> Joint:
    """The joint test: χ² of all constants about their common mean, with c (g − 1) degrees of freedom."""
    scale = np.sqrt(np.einsum("gcc->c", covariances) / len(covariances))
    units = np.where(scale > 0, scale, 1.0)
    inverses = np.array([_inverse(covariance / np.outer(units, units)) for covariance in covariances])
    scaled = values / units
    total = inverses.sum(axis=0)
    mean = np.linalg.pinv(total, hermitian=True) @ np.einsum("gcd,gd->c", inverses, scaled)
    away = scaled - mean
    statistic = float(np.einsum("gc,gcd,gd->", away, inverses, away))
    ranks = [int(np.linalg.matrix_rank(inverse, hermitian=True)) for inverse in inverses]
    freedom = sum(ranks) - int(np.linalg.matrix_rank(total, hermitian=True))
    return Joint(statistic, freedom, _tail(statistic, freedom))


def equal_alone(values: Float[np.ndarray, "g c"], errors: Float[np.ndarray, "g c"]) -> list[Equality]:
    """The test of each constant by itself, with p-values adjusted by Holm's method."""
    weights = 1 / errors**2
    totals = weights.sum(axis=0)
    means = (weights * values).sum(axis=0) / totals
    statistics = (weights * (values - means) ** 2).sum(axis=0)
    freedom = len(values) - 1
    p_values = [_tail(float(statistic), freedom) for statistic in statistics]
    rows = zip(means, 1 / np.sqrt(totals), statistics, p_values, holm(p_values), strict=True)
    return [Equality(float(m), float(e), float(s), freedom, p, a) for m, e, s, p, a in rows]


def trends(
    values: Float[np.ndarray, "g c"], errors: Float[np.ndarray, "g c"], places: Float[np.ndarray, " g"]
) -> list[Trend]:
    """Weighted linear fits of every constant against the condition; for two groups the line always fits."""
    found: list[tuple[float, float, float, float, float, float | None]] = []
    for column, spread in zip(values.T, errors.T, strict=True):
        weights = 1 / spread**2
        centre = float(np.average(places, weights=weights))
        offsets = places - centre
        curvature = float(np.sum(weights * offsets**2))
        slope = float(np.sum(weights * offsets * column)) / curvature
        level = float(np.average(column, weights=weights))
        error = 1 / np.sqrt(curvature)
        left = float(np.sum(weights * (column - level - slope * offsets) ** 2))
        rest = _tail(left, len(column) - 2) if len(column) > 2 else None
        found.append((slope, float(error), level, centre, float(2 * scipy.stats.norm.sf(abs(slope) / error)), rest))
    adjusted = holm([row[4] for row in found])
    return [Trend(*row[:5], among, row[5]) for row, among in zip(found, adjusted, strict=True)]


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values adjusted for multiple tests, with familywise error control (Holm 1979)."""
    order = np.argsort(p_values, kind="stable")
    adjusted, highest = [0.0] * len(p_values), 0.0
    for rank, position in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * float(p_values[position])))
        adjusted[int(position)] = highest
    return adjusted


def _inverse(covariance: Float[np.ndarray, "c c"]) -> Float[np.ndarray, "c c"]:
    return np.linalg.pinv(covariance, rcond=COMPARISON.rounding, hermitian=True)


def _tail(statistic: float, freedom: int) -> float:
    return float(scipy.stats.chi2.sf(statistic, freedom)) if freedom else 1.0
