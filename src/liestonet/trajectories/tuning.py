"""What decides how the values of angles and phases are read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SeamTuning:
    """Steps of a periodic coordinate, in parts of its period."""

    # Values that leave a turn by less than this part of it stay within it. Source: by hand; people round 2π.
    rounding: float = 1e-3
    # A longer step may have gone the other way round. Source: theory: with Gaussian steps of which few are longer than
    # a quarter of the period, next to none is longer than half.
    long: float = 0.25
    # Part of the steps that may be so long in wrapped values. Source: theory: with one in twenty, the standard
    # deviation of a step is an eighth of the period, and one step in sixteen thousand is told wrongly.
    most_long: float = 0.05
    # Steps of unwrapped values may be longer, but not half of them longer than this. Source: theory: beyond half a
    # turn a step says nothing of the coefficients at its beginning.
    longest: float = 0.5


SEAMS = SeamTuning()
