"""Flags for correlated residuals: measurement noise, blur, coloured noise, positions without velocities."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import scipy.special
from jaxtyping import Float, Int

from liestonet.core.flags import Flag
from liestonet.diagnostics.standardised_steps import Residuals
from liestonet.diagnostics.tuning import FLAGS
from liestonet.surrogate.tuning import FIT


@dataclass(frozen=True)
class Correlation:
    """A lagged correlation of residuals, and its standard error under independence."""

    value: float
    error: float

    def clear(self, level: float) -> bool:
        """Whether the correlation exceeds `level` standard errors."""
        return abs(self.value) > level * self.error


def memory_flags(residuals: Residuals) -> Iterator[Flag]:
    """At most one flag for negative and one for positive correlation, for the coordinate with the strongest."""
    if not residuals.names or len(residuals.pairs) < FIT.least_pairs:
        return
    level = -float(scipy.special.ndtri(FLAGS.error_rate / (2 * len(residuals.names))))
    found = []
    for column, z in enumerate(residuals.ordered.T):
        first = correlation(z, residuals.pairs, 1)
        if first.clear(level) and abs(first.value) > FLAGS.material_correlation:
            found.append((first.value, column, first))
    if found and min(found)[0] < 0:
        _, column, first = min(found)
        yield _measurement_noise(residuals, column, first)
    if found and max(found)[0] > 0:
        _, column, first = max(found)
        second = correlation(residuals.ordered[:, column], _triples(residuals.pairs), 2)
        yield _positive(residuals.names[column], first, second, level)


def correlation(z: Float[np.ndarray, " b"], rows: Int[np.ndarray, " pairs"], lag: int) -> Correlation:
    """The correlation of z at these rows with z `lag` rows later; its error is valid for unequal variances."""
    if not len(rows):
        return Correlation(0.0, np.inf)
    clipped = np.clip(z, -FLAGS.clip, FLAGS.clip)
    now, later = clipped[rows], clipped[rows + lag]
    size = max(float(np.sqrt(np.sum(now**2) * np.sum(later**2))), np.finfo(float).tiny)
    return Correlation(float(np.sum(now * later)) / size, float(np.sqrt(np.sum((now * later) ** 2))) / size)


def _triples(pairs: Int[np.ndarray, " pairs"]) -> Int[np.ndarray, " triples"]:
    """Rows followed by two more steps of the same path."""
    return pairs[:-1][np.diff(pairs) == 1]


def _measurement_noise(residuals: Residuals, column: int, first: Correlation) -> Flag:
    """A flag with the size of the noise: errors of standard deviation s give consecutive steps the covariance −s²."""
    surrogate = residuals.surrogate
    noisy = int(np.flatnonzero(surrogate.noisy)[column])
    dx = surrogate.overview.consecutive.dx[: len(residuals.ordered), noisy]
    size = np.sqrt(-first.value * np.mean(dx[residuals.pairs] ** 2))
    part = -2 * first.value / max(1 + 2 * first.value, 0.01)
    return Flag(
        "measurement-noise",
        f"{_amount(residuals.names[column], first)}: a measurement error of about {size:.2g}, which makes the "
        f"estimated diffusion {100 * part:.0f} % too large and biases the drift.",
        "Thin the data until the error is small compared with an increment, or measure more accurately.",
    )


def _positive(name: str, first: Correlation, second: Correlation, level: float) -> Flag:
    """A flag with the most likely cause of a positive correlation."""
    exponent = float(np.log2(2 + 2 * first.value))
    amount = _amount(name, first)
    if exponent > FLAGS.inertial:
        return Flag(
            "positions-only",
            f"{amount}, and displacements grow like t^{exponent / 2:.2f} instead of t^0.50: {name} moves with a "
            "velocity that is not among the coordinates.",
            "Take the data as positions of a system with inertia (--order 2, or measurement=lsn.Measurement(order=2)), "
            "or add the velocity as a coordinate.",
        )
    if first.value > FLAGS.most_blur or (second.clear(level) and second.value > first.value / FLAGS.second_correlation):
        return Flag(
            "coloured-noise",
            f"{amount}, and by {second.value:.3f} over two steps: the noise is coloured, or the drift depends on "
            "a variable that is not among the coordinates.",
            "Thin the data until the correlation vanishes, or add the missing coordinate.",
        )
    return Flag(
        "blur",
        f"{amount}, over one step only: each point is an average over part of its step (motion blur), or the noise has "
        "a correlation time below one step; either makes the estimated diffusion too small.",
        "Shorten the exposure, or thin the data until the correlation vanishes.",
    )


def _amount(name: str, first: Correlation) -> str:
    return f"Consecutive increments of {name} are correlated by {first.value:.3f} ± {first.error:.3f}"
