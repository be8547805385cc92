"""Numbers that decide which algebra a span of generators is, and which of its brackets are zero.

`docs/catalogue.md` (names of every algebra) and `docs/examples.md` show their effect. "By hand" here: chosen on the
algebras of the catalogue and of the tests, in random bases and with random errors.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class AlgebraTuning:
    """Structure constants, decisions about ranks, and recognised numbers."""

    # Constants this small relative to their terms are zero; it is also the smallest error relative to the largest one.
    # Source: theory: rounding of float64 in a balanced basis.
    rounding: float = 1e-13
    # A single entry this many standard errors from zero makes it an open question whether the array is zero; the norm
    # of a large matrix is not sensitive to it. Source: theory: among 10,000 zeros, one in 400 times by chance.
    clear_entry: float = 5.5
    # Overlap below which two generators are large in different parts of the box. Source: by hand.
    little_overlap: float = 0.1
    # The bracket of such a pair cannot be estimated if their overlap times the largest constant is below this many
    # errors. Source: by hand.
    lost: float = 30.0
    # A constant above this many standard errors counts as estimated nevertheless. Source: usual practice.
    seen: float = 3.0
    # Smallest uncertainty of the constants in naming. Source: by hand.
    least_uncertainty: float = 1e-10
    # Size relative to which errors are measured if all constants vanish. Source: by hand.
    least_size: float = 1e-3
    # With a larger error of the generators, no name is given. Source: theory: above it the noise of three generators
    # does not allow to distinguish weights 2 and 1, the most common ones (tests/algebra/test_structure.py).
    largest_error: float = 0.05
    # Unit generators are nearly parallel if some combination has a mean square below this. Source: by hand.
    skew: float = 0.15
    # Largest closure residual for which a span is an algebra with a name. Source: by hand.
    open: float = 1e-2
    # The same for data, where brackets have errors. Source: by hand.
    open_from_data: float = 0.2

    # Terms of a bracket below this fraction of the others are not shown. Source: by hand.
    least_part: float = 1e-6
    # Nor are those below this many times the closure residual. Source: by hand.
    closures: int = 100
    # Relative error of a constant that was computed from proved formulas. Source: theory: precision of float64.
    exact_digits: float = 1e-14
    # From data, constants below this fraction of the largest are zero. Source: by hand.
    least_estimated: float = 0.02
    # From data, constants below this many times the closure residual are zero. Source: by hand.
    estimated_closures: float = 3.0

    # Noise explains a size up to its mean plus this many standard deviations over the copies. Source: by hand; for a
    # single number together with `second_order` 3.4 standard errors.
    deviations: float = 4.0
    # Factor of the mean that allows for effects of second order in the noise. Source: by hand.
    second_order: float = 1.2
    # A size above this many times the limit is certainly nonzero; below, the question is open. Source: by hand.
    clearly_nonzero: float = 2.0
    # An open question is answered with "nonzero" above this many times the limit. Source: by hand.
    better_guess: float = 1.5

    # Number of copies of the constants with random errors. Source: cost.
    copies: int = 25
    # Number of copies for large algebras. Source: cost.
    copies_when_large: int = 11
    # Dimension up to which an algebra is not large: the Jacobi tensor has m⁴ entries for every copy. Source: cost.
    large_dimension: int = 16
    # Steps of the balancing of a basis. Source: cost; a sixth of them for large algebras.
    balancing_steps: int = 300
    # Decrease at which the balancing stops: continuing would move a Jordan block towards a diagonal one, which is
    # another algebra. Source: by hand.
    balanced: float = 0.3
    # Relative noise up to which balancing is always allowed. Source: by hand.
    worth_balancing: float = 1e-4
    # Factor by which balancing may raise the relative noise. Source: by hand.
    noise_growth: float = 1.5

    # A number may be simple, or a real part zero, within this many standard errors. Source: by hand.
    within: float = 3.0
    # Largest denominator of weights. Source: by hand.
    largest_denominator: int = 12
    # Fractions with denominators up to q are about 1/q² apart: one is recognised if the error times q² is below this.
    # Source: by hand.
    distinguishable: float = 0.2
    # Weights this close are equal, however small their error. Source: theory: rounding of eigenvalues.
    weight_rounding: float = 1e-9
    # Largest number of weights listed in a name. Source: by hand.
    most_words: int = 6
    # Largest relative error of a Casimir eigenvalue: other representations differ by more. Source: theory.
    casimir_tolerance: float = 0.25
    # Largest number of alternatives that are mentioned with a name. Source: by hand.
    most_alternatives: int = 4

    # Number of random elements whose adjoint matrices are tested for nilpotence. Source: cost.
    most_probes: int = 12
    # Largest power of these matrices. Source: cost.
    most_powers: int = 12
    # These matrices are divided by their norm, but not by less than this. Source: by hand.
    smallest_probe: float = 1e-3
    # Random elements tried for a generic one. Source: by hand.
    generic_trials: int = 7
    # Random combinations tried to split an algebra. Source: by hand.
    split_trials: int = 8
    # Dimension up to which all maps that commute with the algebra are computed. Source: cost.
    largest_full: int = 12
    # Dimension up to which an algebra is split. Source: cost.
    largest_split: int = 24

    # Digits of the arithmetic for exact constants, in addition to those that the sizes of the generators span. Source:
    # by hand.
    digits: int = 80
    # Number of these that must agree. Source: by hand; it excludes agreement by chance.
    agreeing: int = 40
    # Largest number of powers of ten by which sizes of generators may differ. Source: cost.
    most_orders: int = 1500
    # Largest number of generators whose constants are computed exactly. Source: cost.
    most_generators: int = 16
    # Number of points in excess of the unknowns. Source: by hand.
    extra_points: int = 2
    # Operations up to which generators are evaluated exactly. Source: cost.
    largest_expression: int = 4000


ALGEBRA = AlgebraTuning()
