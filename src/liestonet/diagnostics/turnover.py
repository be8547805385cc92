"""Whether the recorded time covers many relaxation times, as in one long series, and what to do then."""

from __future__ import annotations

import numpy as np

from liestonet.diagnostics.tuning import FLAGS
from liestonet.surrogate.overview import Overview

# The median of a squared standard normal number.
MEDIAN_SQUARE = 0.4549


def remedy(overview: Overview, otherwise: str) -> str:
    """Windows with clocks of their own, where the clock is long beside the time of a turnover; else the other remedy.

    On a clock that long, fields such as e^{−t}∂x are huge at one end, and almost no data decide about the other.
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
    """The time in which noise carries the fastest coordinate over half of its range: half² / a, a from Δx²/Δt."""
    sample = overview.sample
    # the median, as a few gross errors would decide about a mean
    squares = np.median(sample.dx**2 / sample.dt[:, None], axis=0) / MEDIAN_SQUARE
    rates = squares / overview.domain.half[1:] ** 2
    return 1 / max(float(rates.max()), np.finfo(float).tiny)
