"""What decides which closed forms a span with an error is consistent with.

What these values lead to on seeds that were not used to choose them: `docs/constants.md` (constants and their errors).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class EstimatedTuning:
    """Formulas within the error of a span, their rates and their simple numbers."""

    # Times at which a span is sampled. Source: cost.
    times: int = 33
    # States at which a span is sampled. Source: cost.
    states: int = 200
    # Spans that are drawn for the scatter of factors. Source: cost; it is known to 5 %.
    draws: int = 200
    # A formula fits within so many errors, and factors below as many uncertainties are zero. Source: by hand; three
    # standard errors.
    fits: float = 3.0
    # Factors below so many uncertainties are left out where formulas with all above `fits` do not do. Source: by hand.
    sparing: float = 6.0
    # Bases and grids leave this error in a direction, however well it is known. Source: by hand.
    least_error: float = 3e-4
    # Generators are independent if no combination is smaller than this; one known less well fits too many formulas.
    # Source: by hand.
    largest_tolerance: float = 0.1
    # Nor may a combination be smaller than so many errors. Source: by hand.
    independent_errors: int = 10
    # Points at which brackets are put to see whether they stay in the span. Source: cost.
    bracket_points: int = 100
    # What brackets may leave their span by where all constants are exact, relative to their parts. Source: theory:
    # rounding of second derivatives.
    bracket_rounding: float = 1e-6
    # Rates closer than this many times their scatter may be one. Source: by hand; three standard errors.
    same_rate: float = 3.0
    # Exponentials, or rates of ∂t on the span, that are distinguished at most. Source: cost.
    most_rates: int = 6
    # A constant is zero, or an exact number, within this many uncertainties. Source: measured (docs/constants.md).
    within: float = 2.0
    # Denominators of exact numbers. Source: by hand.
    denominators: tuple[int, ...] = (1, 2, 3, 4)
    # Largest probability that a random number would be taken for a simple one. Source: measured: without it rates were
    # rounded wrongly (docs/constants.md).
    chance: float = 0.1
    # Rates that hang together are these multiples of one. Source: by hand.
    multiples: tuple[int, ...] = (1, 2, 3)
    # Differences below this are rounding. Source: theory.
    rounding: float = 1e-9
    # A hypothesis about the rates stands behind all others if it is less likely than this. Source: convention.
    unlikely: float = 0.05
    # It is dropped if it is less likely than this. Source: by hand.
    excluded: float = 0.002
    # Polynomial coefficients are not better known than this, in units of the time interval's half-length. Source: by
    # hand.
    least_coefficient_error: float = 1e-3
    # A power of a nilpotent matrix vanishes within this many uncertainties. Source: by hand; three standard errors.
    vanishes: float = 3.0


ESTIMATED = EstimatedTuning()
