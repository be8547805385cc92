"""What decides how long a proof of a formula is looked for, and which numbers are read as parameters.

Budgets are in numbers of candidates and of operations, not in seconds: a search ends the same way on every machine.
What they lead to: `docs/catalogue.md`. "By hand" here: chosen on the catalogue's systems.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ProofTuning:
    """Proofs, refined factors, parameters and invariants."""

    # Operations up to which an expression is proved zero. Source: cost; simplifying larger ones may take for ever.
    largest_proof: int = 3000
    # Operations up to which all of SymPy's simplifications are tried. Source: cost.
    largest_simplified: int = 400
    # Functions of a generator whose factors are solved for. Source: cost.
    largest_support: int = 40
    # Points beyond the number of unknowns in that solution. Source: by hand; they make chance agreement impossible.
    extra_points: int = 6
    # A smaller relative singular value means that the factors are not determined. Source: theory: rounding.
    least_singular: float = 1e-14
    # Operations up to which a generator's functions are evaluated to fifty digits. Source: cost.
    largest_expression: int = 2000
    # Irrational numbers that factors may share. Source: cost.
    most_irrational: int = 2
    # Numbers inside functions are looked for among products of the parameters of this degree. Source: cost.
    largest_degree: int = 2
    # Readings of one number that are tried. Source: cost.
    most_readings: int = 6
    # Readings of all numbers of a generator together that are tried. Source: cost.
    most_choices: int = 12
    # Terms of a generator that is proved for all parameters. Source: cost.
    most_terms: int = 30
    # Half-widths from the origin beyond which an interval is far away, and the origin is moved. Source: by hand.
    far: float = 20.0
    # What a formula may miss the varying part of a generator by, in units of its stated error. Source: by hand; the
    # search itself takes no notice of terms this small.
    largest_miss: float = 1e2
    # Points at which that is checked. Source: cost.
    checked_points: int = 400
    # Points for each function of a basis that a formula is projected on. Source: by hand.
    points_per_function: int = 3
    # Points of that projection at least. Source: by hand.
    least_points: int = 600
    # Degree in time of the polynomials among which invariants are sought. Source: cost; exponentials to ten digits.
    time_degree: int = 12
    # Degree in the coordinates: low, as with an invariant each of its powers is one. Source: theory.
    state_degree: int = 2
    # An invariant is found where the residual is below this. Source: theory: rounding.
    found: float = 1e-8
    # Invariants are independent if their singular values are above this. Source: by hand.
    independent: float = 1e-6
    # Functions among which invariants are sought. Source: cost.
    most_functions: int = 1500
    # Invariants that are looked for. Source: cost.
    most_found: int = 12


PROOFS = ProofTuning()


@dataclass(frozen=True)
class SliceTuning:
    """Random symmetries from what they are where the Wiener processes are zero."""

    # Brackets with the noise are taken so many times beyond the first ones. Source: cost; more only matters where the
    # first ones span too little.
    depth: int = 2
    # Brackets that are taken at most. Source: cost.
    most_fields: int = 12
    # Operations of a bracket at most. Source: cost.
    longest: int = 200
    # Points at which brackets are compared. Source: by hand.
    points: int = 60
    # Brackets whose smallest singular value is below this are sums of others. Source: theory: rounding.
    dependent: float = 1e-10
    # Points beyond the number of fields, for the action of the noise on them. Source: by hand.
    extra_points: int = 4
    # Weights that tell joint eigenvectors of several matrices apart. Source: theory: no small integers relate them.
    weights: tuple[int, ...] = (1, 17, 301, 5077, 86323, 1467491)
    # Total degree of the series that stands beside a formula, by the number of variables it has. Source: cost; the
    # formula is what is evaluated.
    degrees: tuple[int, ...] = (0, 24, 14, 10, 7, 5, 4, 3)


SLICES = SliceTuning()
