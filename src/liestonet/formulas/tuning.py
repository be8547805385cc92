"""Numbers that decide which closed forms are tried, and which numbers count as exact.

For an equation the proof decides whether a formula holds; these values only decide which formulas are tried.
`docs/catalogue.md` shows their effect (formulas of every system). "By hand" here: chosen on the catalogue's systems.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class FormulaTuning:
    """The search for formulas of a span, and when numbers are simple."""

    # Largest number of constants in a formula that are not simple numbers. Source: by hand.
    most_decimals: int = 4
    # Largest numerator or denominator of a factor that makes a formula's numbers simple. Source: by hand.
    largest_multiplier: int = 10**4
    # Highest frequency of the functions of an angle. Source: by hand.
    waves: int = 3
    # Points at which a formula is compared with itself one period later. Source: cost.
    turned_points: int = 200
    # A formula is periodic if its relative change is at most this. Source: theory: precision of float64.
    not_periodic: float = 1e-9
    # Tolerance of the search for formulas, in errors of the span. Source: by hand.
    stated_errors: int = 30
    # Largest tolerance; a span with a larger error is consistent with too many formulas. Source: by hand.
    largest_tolerance: float = 1e-2
    # Smallest tolerance. Source: theory: rounding of series.
    least_tolerance: float = 1e-8
    # Fractions of the stated error that are tried as tolerances if formulas can be proved: the true error is often far
    # smaller. Source: by hand.
    finer: tuple[float, ...] = (1.0, 1e-2, 1e-4)
    # Number of values of a field that are compared. Source: cost; more do not help.
    most_values: int = 30000
    # Largest distance of the span from candidates, in tolerances; proofs then decide. Source: by hand.
    loosest: float = 1e3
    # Fields with a larger error are replaced by their proved formulas. Source: by hand.
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
    # Largest number of products of simple functions that are tried. Source: cost.
    largest_dictionary: int = 5000
    # Products of four functions are tried if there are at most this many functions. Source: cost.
    few_blocks: int = 6
    # Largest number of functions that are fitted together. Source: cost.
    most_together: int = 80
    # Largest number of simple functions that are multiplied with each other. Source: cost.
    most_blocks: int = 40
    # Smallest number of points at which candidates are compared. Source: by hand.
    least_points: int = 1500
    # Lengths of sums, and the number of simplest candidates for each length. Source: cost.
    lengths: tuple[tuple[int, int], ...] = ((1, 5000), (2, 80), (3, 28))
    # Candidates are independent if their smallest eigenvalue is above this. Source: by hand.
    least_distinct: float = 1e-4
    # A function is independent of others if more than this fraction of it is orthogonal to them. Source: theory:
    # rounding.
    least_own: float = 1e-9
    # Number of coordinates up to which rates are computed from the drift's linear part. Source: cost.
    most_coordinates: int = 6
    # Largest probability that a random number of order one would be taken for an exact constant. Source: by hand.
    chance: float = 1e-2
    # Denominators of exact constants, tried in this order. Source: by hand; those of common fractions.
    denominators: tuple[int, ...] = (
        *(1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 100, 128, 200, 256, 500, 720, 1000, 2000, 5000, 20000),
    )
    # Digits of the arithmetic for factors and for checks before a proof. Source: cost; three times those of float64.
    digits: int = 50
    # Largest error of such numbers. Source: theory: at most half of the digits are lost.
    precisely: float = 1e-25
    # Largest integers in fractions recognised from numbers this accurate. Source: theory: two of them have fewer digits
    # than agree.
    largest_denominator: int = 10**10
    # Error of numbers that agree in more digits. Source: as before.
    more_precisely: float = 1e-37
    # Largest integers for these. Source: as before.
    larger_denominator: int = 10**16
    # Largest coefficients of quadratic equations for such numbers. Source: as before.
    largest_coefficient: int = 10**5
    # Operations up to which an integrand is integrated. Source: cost.
    largest_integrand: int = 16
    # Operations up to which an integral counts as a closed form. Source: by hand.
    largest_integral: int = 24
    # Operations up to which an integral without a closed form is accepted: it is evaluated to fifty digits at every
    # point of a search. Source: cost.
    largest_kept: int = 24
    # Points of the Gauss rule by which it is evaluated. Source: theory: smooth integrands to rounding.
    nodes: int = 96


FORMULAS = FormulaTuning()
