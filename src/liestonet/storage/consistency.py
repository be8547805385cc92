"""Whether the parts of a stored value fit together: what types cannot say, and what a forged file could get wrong.

Nothing here trusts a number that later decides how much memory is taken, nor a text where a formula belongs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

# Polynomials of a higher degree, equations of more noises and algebras of more generators are none of ours.
HIGHEST_DEGREE, MOST_NOISES, MOST_GENERATORS = 5000, 10_000, 5000
KINDS = ("ito", "law", "fokker-planck", "random")
STATUSES = ("proved", "consistent", "numerical")


def check_value(name: str, value: Any) -> None:
    """A ValueError where a value of this class cannot be."""
    if name in CHECKS:
        CHECKS[name](value)


def _require(holds: bool, reason: str) -> None:
    if not holds:
        raise ValueError(reason)


def _check_degrees(degrees: np.ndarray, variables: int) -> None:
    _require(degrees.shape[1] == variables, "degrees belong to another number of variables")
    inside = not degrees.size or (int(degrees.min()) >= 0 and int(degrees.max()) <= HIGHEST_DEGREE)
    _require(inside, "a polynomial has an impossible degree")


def _check_domain(domain: Any) -> None:
    count = len(domain.intervals)
    _require(count >= 2, "a domain has no coordinate")
    _require(domain.singular is None or len(domain.singular) == count, "a domain has too few singular points")
    _require(all(0 <= i < count for i in domain.filled), "a domain has other intervals")


def _check_basis(basis: Any) -> None:
    _require(len(basis.scales) == len(basis.degrees) > basis.domain.dimension, "a basis has other unknowns")
    for degrees in basis.degrees:
        _check_degrees(degrees, basis.domain.dimension + 1)


def _check_fields(fields: Any) -> None:
    _require(len(fields.coefficients) == fields.basis.size, "generators have another basis")
    unknowns = 1 + fields.dimension + int(fields.has_beta)
    _require(len(fields.basis.degrees) == unknowns, "generators have other components")


def _check_features(features: Any) -> None:
    variables = features.domain.dimension + 1
    _require(len(features.logarithmic) == variables, "features have other variables")
    poles = features.poles or (None,) * variables
    _require(len(poles) == variables, "features have poles of other variables")
    _require(all(pole is None or 1 < abs(pole) < np.inf for pole in poles), "features have a pole inside the box")
    _check_degrees(features.degrees, variables)


def _check_estimate(estimate: Any) -> None:
    size = estimate.features.size
    shapes = estimate.parameters.shape, estimate.precision.shape, estimate.prior.shape
    _require(shapes == ((size,), (size, size), (size,)), "an estimate has other features")
    inside = all(0 <= i < estimate.features.domain.dimension for i in estimate.entry)
    _require(inside and len(estimate.entry) in (1, 2), "an estimate is of no coordinate")


def _check_surrogate(surrogate: Any) -> None:
    size = len(surrogate.parameters)
    errors = surrogate.errors
    _require(len(errors.scatter) == len(errors.prior) == size, "a covariance has other parameters")
    count = surrogate.domain.dimension
    _require(surrogate.dimension == count == len(surrogate.names), "a surrogate has other coordinates")
    _require(len(surrogate.drift_estimates) == count, "a surrogate has another number of drifts")


def _check_overview(overview: Any) -> None:
    for block in (overview.sample, overview.consecutive):
        lengths = {len(part) for part in block}
        _require(len(lengths) == 1, "increments have different lengths")
        _require(
            block.x.shape[1] == block.dx.shape[1] == overview.domain.dimension, "increments have other coordinates"
        )


def _check_expansion(expansion: Any) -> None:
    _require(expansion.coefficients.shape[0] == len(expansion.terms), "polynomials have other terms")
    _check_degrees(expansion.terms, expansion.terms.shape[1])


def _check_projection(found: Any) -> None:
    n, r = found.domain.dimension, found.noise
    _require(found.dimension == n and 0 <= r <= MOST_NOISES, "coefficients have another number of coordinates")
    _require(found.drift.size == n and found.diffusion.size == n * r, "coefficients have other entries")
    _require(found.squared is None or found.squared.size == n * (n + 1) // 2, "coefficients have other squares")
    parts = [found.drift, found.diffusion, *([] if found.squared is None else [found.squared])]
    _require(all(part.terms.shape[1] == n + 1 for part in parts), "polynomials have other variables")


def _check_symbolic(found: Any) -> None:
    """The same door as a user's own formulas: known functions, real constants of a usual size."""
    from sympy import Symbol

    from liestonet.sde.exact import rebuild

    n = len(found.state)
    _require(n > 0 and found.drift.shape == (n, 1) and found.diffusion.shape[0] == n, "an equation has other entries")
    names = [symbol.name for symbol in (found.time, *found.state)]
    symbols = all(isinstance(symbol, Symbol) and symbol.is_real for symbol in (found.time, *found.state))
    _require(symbols and len(set(names)) == n + 1, "coordinate names are not unique")
    _require(found.killing.shape == (1, 1), "a killing is not a single rate")
    for entry in (*found.drift, *found.diffusion, *found.killing):
        _require(rebuild(entry, {}, "A coefficient") == entry, "a coefficient is not in canonical form")


def _check_formula(formula: Any) -> None:
    _require(formula.status in STATUSES, "a formula has another status")


def _check_algebra(algebra: Any) -> None:
    shape, size = algebra.structure_constants.shape, algebra.dimension
    _require(shape == (size, size, size) == algebra.unit_constants.shape, "structure constants are not a cube")
    _require(algebra.overlap is None or algebra.overlap.shape == (size, size), "its generators' overlap is not square")


def _check_result(result: Any) -> None:
    _require(result.symmetry in KINDS, "its kind of symmetry is unknown")
    n, count = result.domain.dimension, result.fields.count
    _require(len(result.names) == n, "it has names of other coordinates")
    _require(result.fields.dimension == result.directions.dimension == n, "its generators have other coordinates")
    _require(result.algebra.dimension == count <= MOST_GENERATORS, "its algebra has another number of generators")
    _require(len(result.closed_forms) in (0, count), "it has another number of formulas")
    _require(all(len(formula.xi) == n for formula in result.closed_forms), "its formulas have other coordinates")
    source = result.surrogate
    names, noises = tuple(getattr(source, "names", ())), source.noise if result.symmetry == "random" else 0
    _require(result.names[: n - noises] == names, "its coefficients are of other coordinates")


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
