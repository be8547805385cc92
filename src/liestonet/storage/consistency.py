"""Whether the parts of a stored value are consistent: checks beyond types, against damaged and forged files.

Numbers that later determine the size of arrays are bounded, and text is not accepted where a formula belongs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

# LieStoNet writes no polynomial of higher degree, equation of more noises or algebra of more generators.
HIGHEST_DEGREE, MOST_NOISES, MOST_GENERATORS = 5000, 10_000, 5000
KINDS = ("ito", "law", "fokker-planck", "random")
STATUSES = ("proved", "consistent", "numerical")


def check_value(name: str, value: Any) -> None:
    """Raise ValueError for an inconsistent value of this class."""
    if name in CHECKS:
        CHECKS[name](value)


def _require(holds: bool, reason: str) -> None:
    if not holds:
        raise ValueError(reason)


def _check_degrees(degrees: np.ndarray, variables: int) -> None:
    _require(degrees.shape[1] == variables, "its degrees do not match the number of variables")
    inside = not degrees.size or (int(degrees.min()) >= 0 and int(degrees.max()) <= HIGHEST_DEGREE)
    _require(inside, "a polynomial has an impossible degree")


def _check_domain(domain: Any) -> None:
    count = len(domain.intervals)
    _require(count >= 2, "a domain has no coordinate")
    _require(domain.singular is None or len(domain.singular) == count, "a domain has a wrong number of singular points")
    _require(all(0 <= i < count for i in domain.filled), "a domain refers to an interval that it does not have")


def _check_basis(basis: Any) -> None:
    _require(len(basis.scales) == len(basis.degrees) > basis.domain.dimension, "a basis has a wrong number of unknowns")
    for degrees in basis.degrees:
        _check_degrees(degrees, basis.domain.dimension + 1)


def _check_fields(fields: Any) -> None:
    _require(len(fields.coefficients) == fields.basis.size, "generators do not match their basis")
    unknowns = 1 + fields.dimension + int(fields.has_beta)
    _require(len(fields.basis.degrees) == unknowns, "generators have a wrong number of components")


def _check_features(features: Any) -> None:
    variables = features.domain.dimension + 1
    _require(len(features.logarithmic) == variables, "features have a wrong number of variables")
    poles = features.poles or (None,) * variables
    _require(len(poles) == variables, "features have poles in a variable that does not exist")
    _require(all(pole is None or 1 < abs(pole) < np.inf for pole in poles), "features have a pole inside the box")
    _check_degrees(features.degrees, variables)


def _check_estimate(estimate: Any) -> None:
    size = estimate.features.size
    shapes = estimate.parameters.shape, estimate.precision.shape, estimate.prior.shape
    _require(shapes == ((size,), (size, size), (size,)), "an estimate does not match its features")
    inside = all(0 <= i < estimate.features.domain.dimension for i in estimate.entry)
    _require(inside and len(estimate.entry) in (1, 2), "an estimate belongs to a coordinate that does not exist")


def _check_surrogate(surrogate: Any) -> None:
    size = len(surrogate.parameters)
    errors = surrogate.errors
    _require(len(errors.scatter) == len(errors.prior) == size, "a covariance has a wrong number of parameters")
    count = surrogate.domain.dimension
    _require(surrogate.dimension == count == len(surrogate.names), "a surrogate has a wrong number of coordinates")
    _require(len(surrogate.drift_estimates) == count, "a surrogate has a wrong number of drifts")


def _check_overview(overview: Any) -> None:
    for block in (overview.sample, overview.consecutive):
        lengths = {len(part) for part in block}
        _require(len(lengths) == 1, "increments have different lengths")
        _require(
            block.x.shape[1] == block.dx.shape[1] == overview.domain.dimension,
            "increments have wrong coordinates",
        )


def _check_expansion(expansion: Any) -> None:
    _require(expansion.coefficients.shape[0] == len(expansion.terms), "polynomials have a wrong number of terms")
    _check_degrees(expansion.terms, expansion.terms.shape[1])


def _check_projection(found: Any) -> None:
    n, r = found.domain.dimension, found.noise
    _require(found.dimension == n and 0 <= r <= MOST_NOISES, "coefficients have a wrong number of coordinates")
    _require(found.drift.size == n and found.diffusion.size == n * r, "coefficients have wrong entries")
    _require(found.squared is None or found.squared.size == n * (n + 1) // 2, "coefficients have a wrong a = σσᵀ")
    parts = [found.drift, found.diffusion, *([] if found.squared is None else [found.squared])]
    _require(all(part.terms.shape[1] == n + 1 for part in parts), "polynomials have a wrong number of variables")


def _check_symbolic(found: Any) -> None:
    """Apply the checks for a user's formulas: known functions, real constants of a usual size."""
    from sympy import Symbol

    from liestonet.sde.exact import rebuild

    n = len(found.state)
    _require(
        n > 0 and found.drift.shape == (n, 1) and found.diffusion.shape[0] == n,
        "an equation has wrong dimensions",
    )
    names = [symbol.name for symbol in (found.time, *found.state)]
    symbols = all(isinstance(symbol, Symbol) and symbol.is_real for symbol in (found.time, *found.state))
    _require(symbols and len(set(names)) == n + 1, "coordinate names are not unique")
    _require(found.killing.shape == (1, 1), "a killing is not a single rate")
    for entry in (*found.drift, *found.diffusion, *found.killing):
        _require(rebuild(entry, {}, "A coefficient") == entry, "a coefficient is not in canonical form")


def _check_formula(formula: Any) -> None:
    _require(formula.status in STATUSES, "a formula has an unknown status")


def _check_algebra(algebra: Any) -> None:
    shape, size = algebra.structure_constants.shape, algebra.dimension
    _require(shape == (size, size, size) == algebra.unit_constants.shape, "structure constants are not a cube")
    _require(algebra.overlap is None or algebra.overlap.shape == (size, size), "its generators' overlap is not square")


def _check_result(result: Any) -> None:
    _require(result.symmetry in KINDS, "its kind of symmetry is unknown")
    n, count = result.domain.dimension, result.fields.count
    _require(len(result.names) == n, "it has a wrong number of coordinate names")
    _require(result.fields.dimension == result.directions.dimension == n, "its generators have wrong coordinates")
    _require(result.algebra.dimension == count <= MOST_GENERATORS, "its algebra has a wrong number of generators")
    _require(len(result.closed_forms) in (0, count), "it has a wrong number of formulas")
    _require(all(len(formula.xi) == n for formula in result.closed_forms), "its formulas have wrong coordinates")
    source = result.surrogate
    names, noises = tuple(getattr(source, "names", ())), source.noise if result.symmetry == "random" else 0
    _require(result.names[: n - noises] == names, "its coefficients have a wrong number of coordinates")


CHECKS: dict[str, Callable[[Any], None]] = {
    "Algebra": _check_algebra,
    "Basis": _check_basis,
    "ChebyshevCoefficients": _check_projection,
    "Domain": _check_domain,
    "Estimate": _check_estimate,
    "Expansion": _check_expansion,
    "Features": _check_features,
    "Fields": _check_fields,
    "Formula": _check_formula,
    "Overview": _check_overview,
    "Result": _check_result,
    "Surrogate": _check_surrogate,
    "SymbolicCoefficients": _check_symbolic,
}
