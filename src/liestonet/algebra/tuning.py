"""What decides which algebra a span of generators is, and which of its brackets are zero.

What these values lead to: `docs/catalogue.md` (names of every algebra) and `docs/examples.md`. "By hand" here: chosen
on the catalogue's algebras and on those of the tests, in random bases and with random errors.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class AlgebraTuning:
    """Structure constants, decisions about ranks, and recognised numbers."""

    # Constants this small beside their parts are zero, and none is known better relative to the largest. Source:
    # theory: rounding of float64 in a balanced basis.
    rounding: float = 1e-13
    # A single entry of what is called zero that is so many standard errors away from it leaves the question open; norms
    # of large matrices do not see it. Source: theory: among 10,000 entries that are zero, one in 400 times by chance.
    clear_entry: float = 5.5
    # Two generators hardly overlap below this part of their lengths. Source: by hand.
    little_overlap: float = 0.1
    # The bracket of such a pair is lost if their overlap times the largest constant is below so many errors. Source: by
    # hand.
    lost: float = 30.0
    # A constant above so many errors is seen all the same. Source: usual practice: three standard errors.
    seen: float = 3.0
    # A name is not sought with a smaller uncertainty of the constants. Source: by hand.
    least_uncertainty: float = 1e-10
    # Constants that all vanish have no size to measure errors by; this stands for it. Source: by hand.
    least_size: float = 1e-3
    # Generators less well known than this do not name their algebra. Source: theory: above it the noise of three
    # generators hides that weights 2 and 1, the commonest, are not equal (tests/algebra/test_structure.py).
    largest_error: float = 0.05
    # Unit generators are nearly parallel if some combination has a mean square below this. Source: by hand.
    skew: float = 0.15
    # A span whose brackets leave it by more than this has no algebra to name. Source: by hand.
    open: float = 1e-2
    # The same from data, which blur brackets. Source: by hand.
    open_from_data: float = 0.2

    # Parts of a bracket below this part of the rest are not shown. Source: by hand.
    least_part: float = 1e-6
    # Nor are those below so many times the closure. Source: by hand.
    closures: int = 100
    # What is known of a constant that was computed from proved formulas, relative to its size. Source: theory:
    # precision of float64.
    exact_digits: float = 1e-14
    # From data, constants below this part of the largest are zero. Source: by hand.
    least_estimated: float = 0.02
    # From data, constants below so many times the closure are zero. Source: by hand.
    estimated_closures: float = 3.0

    # Noise explains a size up to its mean plus this many standard deviations over the copies. Source: by hand; for a
    # single number together with `second_order` 3.4 standard errors.
    deviations: float = 4.0
    # The mean is raised by this factor for what is of second order in the noise. Source: by hand.
    second_order: float = 1.2
    # A size so many times the limit is surely not zero; below, the question stays open. Source: by hand.
    clearly_nonzero: float = 2.0
    # An open question is answered with "not zero" above so many times the limit. Source: by hand.
    better_guess: float = 1.5

    # Copies of the constants that stand for their errors. Source: cost.
    copies: int = 25
    # Copies of large algebras. Source: cost.
    copies_when_large: int = 11
    # Dimension up to which an algebra is not large: the Jacobi tensor has m⁴ entries for every copy. Source: cost.
    large_dimension: int = 16
    # Steps of the balancing of a basis. Source: cost; a sixth of them for large algebras.
    balancing_steps: int = 300
    # The balancing stops here: going on would pull a Jordan block towards a diagonal one, which is another algebra.
    # Source: by hand.
    balanced: float = 0.3
    # Relative noise that balancing may reach in any case. Source: by hand.
    worth_balancing: float = 1e-4
    # Factor by which balancing may raise the relative noise. Source: by hand.
    noise_growth: float = 1.5

    # A number is simple, or a real part zero, within so many standard errors. Source: by hand.
    within: float = 3.0
    # Largest denominator of weights. Source: by hand.
    largest_denominator: int = 12
    # Fractions with denominators up to q lie about 1/q² apart: one is recognised where its error times q² is below
    # this. Source: by hand.
    distinguishable: float = 0.2
    # Weights this close are equal whatever their error. Source: theory: rounding of eigenvalues.
    weight_rounding: float = 1e-9
    # Weights that a name lists at most. Source: by hand.
    most_words: int = 6
    # Relative error of a Casimir operator's eigenvalue: what it is mistaken for is further away. Source: theory.
    casimir_tolerance: float = 0.25
    # Other answers to open questions that a name mentions. Source: by hand.
    most_alternatives: int = 4

    # Elements in which the adjoint representation is probed for nilpotence. Source: cost.
    most_probes: int = 12
    # Powers of it that are formed. Source: cost.
    most_powers: int = 12
    # Probes are scaled by their size, but not by less than this, else high powers fade. Source: by hand.
    smallest_probe: float = 1e-3
    # Random elements tried for a generic one. Source: by hand.
    generic_trials: int = 7
    # Random combinations tried to split an algebra. Source: by hand.
    split_trials: int = 8
    # Dimension up to which all maps that commute with the algebra are formed. Source: cost.
    largest_full: int = 12
    # Dimension up to which an algebra is split. Source: cost.
    largest_split: int = 24

    # Digits beyond those that the sizes of the generators use up, for exact constants. Source: by hand.
    digits: int = 80
    # How many of these must agree. Source: by hand; chance agreement is impossible.
    agreeing: int = 40
    # Powers of ten by which sizes of generators may differ. Source: cost.
    most_orders: int = 1500
    # Generators whose constants are computed exactly. Source: cost.
    most_generators: int = 16
    # Points beyond the number of unknowns. Source: by hand.
    extra_points: int = 2
    # Operations up to which generators are evaluated exactly. Source: cost.
    largest_expression: int = 4000


ALGEBRA = AlgebraTuning()
