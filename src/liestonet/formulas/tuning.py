"""What decides which closed forms are looked for, and which numbers count as exact.

A formula of an equation is proved or it is not: these values decide what is tried, hardly ever what is true. What they
lead to: `docs/catalogue.md` (formulas of every system). "By hand" here: chosen on the catalogue's systems.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class FormulaTuning:
    """The search for formulas of a span, and when numbers are simple."""

    # A formula with more constants than this that are no simple numbers explains nothing. Source: by hand.
    most_decimals: int = 4
    # Largest numerator or denominator of a factor that makes a formula's numbers simple. Source: by hand.
    largest_multiplier: int = 10**4
    # Waves of a turn that functions of an angle are sought among. Source: by hand.
    waves: int = 3
    # Points at which a formula is compared with itself a turn later. Source: cost.
    turned_points: int = 200
    # A formula is periodic if it changes by no more than this part. Source: theory: precision of float64.
    not_periodic: float = 1e-9
    # As many errors of the span is what the search for formulas allows. Source: by hand.
    stated_errors: int = 30
    # A span less well known than this fits too many formulas. Source: by hand.
    largest_tolerance: float = 1e-2
    # A span is not taken as better known than this. Source: theory: rounding of its series.
    least_tolerance: float = 1e-8
    # Parts of the stated error that are tried as tolerances where formulas can be proved: it is often far below what
    # is stated. Source: by hand.
    finer: tuple[float, ...] = (1.0, 1e-2, 1e-4)
    # Values of a field that are compared. Source: cost; more say nothing new.
    most_values: int = 30000
    # How far the span may be from candidates, in tolerances; proofs decide then. Source: by hand.
    loosest: float = 1e3
    # Fields with a larger error are replaced by their formulas, where these are proved. Source: by hand.
    exact_enough: float = 1e-6
    # A span with a larger error has constants with uncertainties. Source: by hand.
    largest_exact: float = 1e-5
    # Points at which a formula is checked to be finite and real. Source: cost.
    checked_points: int = 32
    # Points at which a series is compared with its formula. Source: cost.
    compared_points: int = 200
    # A series that misses its formula by more than this is replaced by the projection of the formula. Source: the
    # accuracy of spans (NullSpaceTuning.accuracy).
    largest_mismatch: float = 1e-7
    # Times at which a span is sampled. Source: cost.
    times: int = 40
    # States at which a span is sampled. Source: cost.
    states: int = 240
    # Products of simple functions that are tried at most. Source: cost.
    largest_dictionary: int = 5000
    # Products of four functions are tried where there are so few. Source: cost.
    few_blocks: int = 6
    # Functions that are fitted together at most. Source: cost.
    most_together: int = 80
    # Simple functions that are multiplied with each other at most. Source: cost.
    most_blocks: int = 40
    # Points at which candidates are compared at least. Source: by hand.
    least_points: int = 1500
    # Lengths of sums, and among how many of the simplest candidates they are sought. Source: cost.
    lengths: tuple[tuple[int, int], ...] = ((1, 5000), (2, 80), (3, 28))
    # Candidates are independent if their smallest eigenvalue is above this. Source: by hand.
    least_distinct: float = 1e-4
    # What is left of a function beside others is its own above this part. Source: theory: rounding.
    least_own: float = 1e-9
    # Coordinates up to which rates are read off the drift's linear part. Source: cost.
    most_coordinates: int = 6
    # Largest probability that a random number of order one would be taken for an exact constant. Source: by hand.
    chance: float = 1e-2
    # Denominators of exact constants, tried in this order. Source: by hand; those of fractions that people write.
    denominators: tuple[int, ...] = (
        *(1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 100, 128, 200, 256, 500, 720, 1000, 2000, 5000, 20000),
    )
    # Digits of the numbers in which factors are solved for and formulas checked before a proof. Source: cost; three
    # times those of float64.
    digits: int = 50
    # What such numbers may miss an exact value by. Source: theory: half of the digits are lost at most.
    precisely: float = 1e-25
    # Integers behind numbers that are known so well may be as large as this. Source: theory: two of them have fewer
    # digits than agree.
    largest_denominator: int = 10**10
    # Numbers that agree in more digits. Source: as before.
    more_precisely: float = 1e-37
    # Integers that these allow. Source: as before.
    larger_denominator: int = 10**16
    # Coefficients of quadratic equations that such numbers may solve. Source: as before.
    largest_coefficient: int = 10**5
    # Operations up to which an integrand is integrated. Source: cost.
    largest_integrand: int = 16
    # Operations up to which an integral counts as a closed form. Source: by hand.
    largest_integral: int = 24
    # Operations up to which an integral without a closed form is kept: it is evaluated to fifty digits at every point
    # of a search. Source: cost.
    largest_kept: int = 24
    # Points of the Gauss rule by which it is evaluated. Source: theory: smooth integrands to rounding.
    nodes: int = 96


FORMULAS = FormulaTuning()
