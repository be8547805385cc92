"""One row of the ladder of directions, the same for exact coefficients and for data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LadderRow:
    """One direction: relative residual ‖DX‖/‖X‖ with its interval, its noise floor, p-value and verdict."""

    residual: float
    lower: float
    upper: float
    noise: float
    p_value: float
    verdict: str
