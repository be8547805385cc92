"""Projection of a span of networks on polynomials, the basis of the spectral engine.

Results of the neural engine then have brackets, closed forms, storage and verdicts like spectral ones. The part that
the basis cannot represent is reported.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from liestonet.core.domain import Domain
from liestonet.core.tuning import by_dimension
from liestonet.neural.tuning import GENERATORS
from liestonet.symmetry.determining.basis import Basis
from liestonet.symmetry.determining.kinds import Kind
from liestonet.symmetry.statistical.search import generator_basis
from liestonet.symmetry.statistical.tuning import SEARCH

# Components (τ, ξ, β) of m generators at points of the data.
Evaluate = Callable[[Float[np.ndarray, "b v"]], Float[np.ndarray, "m b c"]]


@dataclass(frozen=True)
class ProjectedSpan:
    """A span as coefficients in a basis, and the largest relative projection error of any generator in it."""

    basis: Basis
    coefficients: Float[np.ndarray, "size m"]
    error: float


def project_span(
    kind: Kind, noise: int, domain: Domain, evaluate: Evaluate, points: Float[np.ndarray, "b v"]
) -> ProjectedSpan:
    """The span in the first basis with a small projection error, or in the largest."""
    values, found = evaluate(points), None
    for level in by_dimension(SEARCH.levels, domain.dimension):
        basis = generator_basis(kind, domain.dimension, noise, replace(domain, singular=None), level)
        found = project_on(basis, values, points)
        if found.error <= GENERATORS.enough:
            break
    if found is None:
        raise RuntimeError("there is a level for every dimension")
    return found


def project_on(basis: Basis, values: Float[np.ndarray, "m b c"], points: Float[np.ndarray, "b v"]) -> ProjectedSpan:
    """Least squares component by component, in the norm of docs/method.md §3.1."""
    tables = basis.tables(points, 0)
    coefficients = np.zeros((basis.size, len(values)))
    missed, stacked = [], []
    for unknown, scale in enumerate(basis.scales):
        functions = basis.functions(tables, unknown, ()) / scale
        target = values[:, :, unknown].T / scale
        solution = np.linalg.lstsq(functions, target, rcond=1e-12)[0]
        coefficients[basis.columns(unknown)] = solution
        missed.append(target - functions @ solution)
        stacked.append(target)
    whole, rest = np.concatenate(stacked), np.concatenate(missed)
    triangle = np.linalg.qr(whole, mode="r")
    # the largest error of any combination
    error = float(np.linalg.norm(rest @ np.linalg.pinv(triangle), ord=2)) if len(values) else 0.0
    return ProjectedSpan(basis, coefficients, error)
