"""Numbers that decide which closed forms are consistent with a span that has an error.

`docs/constants.md` shows their effect (constants and their errors), on seeds that were not used to choose them.
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
    # Number of random spans from which the scatter of factors is estimated. Source: cost; it is then known to 5 %.
    draws: int = 200
    # A formula fits if it is within this many standard errors, and factors below this many are zero. Source: by hand.
    fits: float = 3.0
    # Factors below this many standard errors are left out if the limit `fits` gives no formulas. Source: by hand.
    sparing: float = 6.0
    # Smallest error of a direction, due to bases and grids. Source: by hand.
    least_error: float = 3e-4
    # Generators are independent if no combination is smaller than this; a span with a larger error is consistent with
    # too many formulas. Source: by hand.
    largest_tolerance: float = 0.1
    # Nor may a combination be smaller than this many standard errors. Source: by hand.
    independent_errors: int = 10
    # Points at which brackets are tested to lie in the span. Source: cost.
    bracket_points: int = 100
    # Largest part of a bracket outside the span if all constants are exact, relative to the bracket's terms. Source:
    # theory: rounding of second derivatives.
    bracket_rounding: float = 1e-6
    # Rates closer than this many standard errors may be equal. Source: by hand.
    same_rate: float = 3.0
    # Largest number of distinct exponentials, or rates of ∂t on the span. Source: cost.
    most_rates: int = 6
    # A constant may be zero or an exact number within this many standard errors. Source: measured (docs/constants.md).
    within: float = 2.0
    # Largest denominator of exact numbers. Source: by hand.
    denominators: tuple[int, ...] = (1, 2, 3, 4)
    # Largest probability that a random number would be taken for a simple one. Source: measured: without it rates were
    # rounded wrongly (docs/constants.md).
    chance: float = 0.1
    # Multiples of one rate that others may be. Source: by hand.
    multiples: tuple[int, ...] = (1, 2, 3)
    # Differences below this count as rounding. Source: theory.
    rounding: float = 1e-9
    # A hypothesis about the rates is tried after all others if its p-value is below this. Source: convention.
    unlikely: float = 0.05
    # It is rejected if its p-value is below this. Source: by hand.
    excluded: float = 0.002
    # Smallest error of a coefficient of the characteristic polynomial, in units of the time interval's half-length.
    # Source: by hand.
    least_coefficient_error: float = 1e-3
    # A power of a nilpotent matrix counts as zero within this many standard errors. Source: by hand.
    vanishes: float = 3.0


ESTIMATED = EstimatedTuning()
