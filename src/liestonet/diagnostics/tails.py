"""Flags for too large steps: everywhere (heavy tails), few and far out (jumps), or gross errors (outliers)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.special
from jaxtyping import Float

from liestonet.core.flags import Flag
from liestonet.diagnostics.standardised_steps import Residuals
from liestonet.diagnostics.tuning import FLAGS
from liestonet.surrogate.overview import Overview
from liestonet.trajectories.unwrapping import turn_of

ALONE = "One increment is far larger than its neighbours,"


def outlier_flags(overview: Overview) -> Iterator[Flag]:
    """A flag for steps so large that the fitted diffusion adapts to them, which hides them in the residuals."""
    found, sample = overview.outlier, overview.sample
    for column, name in enumerate(overview.names):
        turn = turn_of(sample.x[:, column], sample.dx[:, column])
        if turn is not None and turn.certain and column + 1 not in overview.domain.periodic:
            yield Flag(
                "outliers",
                f"Values of {name} stay within one turn and jump across it, so they are an angle; its jumps were "
                "taken as steps.",
                f"Give its period: periodic={{{name!r}: {turn.in_python}}} (--periodic {name}={turn.text}).",
            )
            return
    if found is None:
        return
    far = f"{found.steps} increments are far larger than their neighbours, up to" if found.steps > 1 else ALONE
    yield Flag(
        "outliers",
        f"{far} {found.factor:.2g} times: {found}.",
        "Replace such values by NaN, which splits the path there, if they are errors or codes for missing values; "
        "a process with jumps is outside the theory.",
    )


def tail_flags(residuals: Residuals) -> Iterator[Flag]:
    """Flags for heavy tails or jumps, whichever fits a coordinate; each names the worst coordinate."""
    heavy, jumpy = [], []
    for name, z in zip(residuals.names, residuals.spread, strict=True):
        if len(z) < FLAGS.least_residuals or not z.any():
            continue
        ratio, limit = tail_ratio(z), tail_limit(len(z), len(residuals.names))
        if ratio > limit:
            heavy.append((ratio, name, float(np.mean(z**4) / np.mean(z**2) ** 2)))
            continue
        far, farthest = jumps(z, len(residuals.names))
        if far:
            jumpy.append((farthest, name, far, len(z)))
    if heavy:
        ratio, name, kurtosis = max(heavy)
        yield Flag(
            "heavy-tails",
            f"The increments of {name} have heavier tails than a Gaussian: 5 % are beyond {ratio * _middle():.2f} "
            f"instead of 1.96 standard deviations of the middle half (kurtosis {kurtosis:.1f} instead of 3).",
            "Thin the data (sums of increments are closer to Gaussian) and check whether the answer changes.",
        )
    if jumpy:
        farthest, name, far, count = max(jumpy)
        yield Flag(
            "jumps",
            f"{far} of {count:,} increments of {name} {'is a jump' if far == 1 else 'are jumps'}, up to {farthest:.0f} "
            "standard deviations; a diffusion has none.",
            "Split the paths there, if they are recording errors; a process with jumps is outside the theory.",
        )


def tail_ratio(z: Float[np.ndarray, " b"]) -> float:
    """The outer quantile of |z| over the middle one."""
    middle, outer = np.quantile(np.abs(z), [FLAGS.middle, FLAGS.outer])
    return float(outer / max(middle, np.finfo(float).tiny))


def jumps(z: Float[np.ndarray, " b"], tests: int = 1) -> tuple[int, float]:
    """The number of residuals beyond the largest of as many Gaussian ones, and the farthest, in robust units."""
    standard = np.abs(z) / (np.quantile(np.abs(z), FLAGS.middle) / _middle())
    limit = FLAGS.farther * -float(scipy.special.ndtri(FLAGS.error_rate / (2 * tests * len(z))))
    return int(np.sum(standard > limit)), float(standard.max())


def _middle() -> float:
    """The median of |z| for a Gaussian."""
    return float(scipy.special.ndtri((1 + FLAGS.middle) / 2))


def tail_limit(count: int, tests: int) -> float:
    """The largest ratio of quantiles that is consistent with a Gaussian."""
    gaussian = float(scipy.special.ndtri((1 + FLAGS.outer) / 2)) / _middle()
    chance = -float(scipy.special.ndtri(FLAGS.error_rate / tests)) * FLAGS.ratio_error / np.sqrt(count)
    return gaussian * (1 + max(FLAGS.heavier, chance))
