"""One row of the ladder of directions, the same for exact coefficients and for data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LadderRow:
    """One direction: relative residual ‖DX‖/‖X‖ with its interval, p-value and verdict.

    `noise` is the residual that an exact symmetry would show.
    """

    residual: float
    lower: float
    upper: float
    noise: float
    p_value: float
    verdict: str
