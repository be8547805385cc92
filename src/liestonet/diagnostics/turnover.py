"""Advice for recordings that cover many relaxation times, such as one long series."""

from __future__ import annotations

import numpy as np

from liestonet.diagnostics.tuning import FLAGS
from liestonet.surrogate.overview import Overview

# The median of a squared standard normal number.
MEDIAN_SQUARE = 0.4549


def remedy(overview: Overview, otherwise: str) -> str:
    """Advice to restart the clock in windows if the duration is long compared with relaxation; else other advice.

    Over such a duration fields such as e^{−t}∂x are huge at one end, and at the other end almost no data test them.
    """
    turnover = turnover_time(overview)
    if 2 * overview.domain.half[0] / FLAGS.turnovers < turnover:
        return otherwise
    return (
        'Let the clock restart in windows, which also tests whether the law depends on the date: clock="restart", or '
        "--clock restart. "
        f"Otherwise {otherwise[0].lower()}{otherwise[1:]}"
    )


def turnover_time(overview: Overview) -> float:
    """The time in which noise moves the fastest coordinate by half of its range: half² / a, a from Δx²/Δt."""
    sample = overview.sample
    # the median, as a few gross errors would dominate a mean
    squares = np.median(sample.dx**2 / sample.dt[:, None], axis=0) / MEDIAN_SQUARE
    rates = squares / overview.domain.half[1:] ** 2
    return 1 / max(float(rates.max()), np.finfo(float).tiny)
