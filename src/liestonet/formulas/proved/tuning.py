"""Numbers that limit the effort of proofs, and the search for parameters behind numbers.

Limits are numbers of candidates and of operations, not seconds, so that a search has the same result on every machine.
`docs/catalogue.md` shows their effect. "By hand" here: chosen on the catalogue's systems.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ProofTuning:
    """Proofs, refined factors, parameters and invariants."""

    # Operations up to which a proof that an expression is zero is tried. Source: cost; larger ones may not finish.
    largest_proof: int = 3000
    # Operations up to which all of SymPy's simplifications are tried. Source: cost.
    largest_simplified: int = 400
    # Largest number of functions in a generator whose factors are solved for. Source: cost.
    largest_support: int = 40
    # Number of points in excess of the unknowns in that solution. Source: by hand; they exclude agreement by chance.
    extra_points: int = 6
    # A smaller relative singular value means that the factors are not determined. Source: theory: rounding.
    least_singular: float = 1e-14
    # Operations up to which the functions of a generator are evaluated to fifty digits. Source: cost.
    largest_expression: int = 2000
    # Largest number of irrational factors in a number. Source: cost.
    most_irrational: int = 2
    # Largest degree of the products of parameters that are tried for numbers inside functions. Source: cost.
    largest_degree: int = 2
    # Largest number of expressions that are tried for one number. Source: cost.
    most_readings: int = 6
    # Largest number of combinations of them that are tried for a generator. Source: cost.
    most_choices: int = 12
    # Largest number of terms of a generator that is proved for all parameters. Source: cost.
    most_terms: int = 30
    # Half-widths from the origin beyond which an interval is far away, and the origin is moved. Source: by hand.
    far: float = 20.0
    # Largest error of a formula relative to the varying part of a generator, in units of its stated error. Source: by
    # hand; the search does not resolve terms this small.
    largest_miss: float = 1e2
    # Points at which that is checked. Source: cost.
    checked_points: int = 400
    # Points for each function of a basis that a formula is projected on. Source: by hand.
    points_per_function: int = 3
    # Smallest number of points of that projection. Source: by hand.
    least_points: int = 600
    # Degree in time of the polynomials in the search for invariants. Source: cost; gives exponentials to ten digits.
    time_degree: int = 12
    # Degree in the coordinates: low, because powers of an invariant are invariants too. Source: theory.
    state_degree: int = 2
    # An invariant is found if the residual is below this. Source: theory: rounding.
    found: float = 1e-8
    # Invariants are independent if their singular values are above this. Source: by hand.
    independent: float = 1e-6
    # Number of functions in the search for invariants. Source: cost.
    most_functions: int = 1500
    # Largest number of invariants. Source: cost.
    most_found: int = 12


PROOFS = ProofTuning()


@dataclass(frozen=True)
class SliceTuning:
    """Random symmetries from their values at w = 0."""

    # Number of further rounds of brackets with the noise. Source: cost; more matter only if the first ones span too
    # little.
    depth: int = 2
    # Largest number of brackets. Source: cost.
    most_fields: int = 12
    # Largest number of operations in a bracket. Source: cost.
    longest: int = 200
    # Points at which brackets are compared. Source: by hand.
    points: int = 60
    # Brackets whose smallest singular value is below this are linearly dependent. Source: theory: rounding.
    dependent: float = 1e-10
    # Number of points in excess of the number of fields, for the action of the noise on them. Source: by hand.
    extra_points: int = 4
    # Weights of a sum of matrices with the same joint eigenvectors. Source: theory: no small integers relate them.
    weights: tuple[int, ...] = (1, 17, 301, 5077, 86323, 1467491)
    # Total degree of the series that accompanies a formula, by its number of variables. Source: cost; evaluation uses
    # the formula.
    degrees: tuple[int, ...] = (0, 24, 14, 10, 7, 5, 4, 3)


SLICES = SliceTuning()
