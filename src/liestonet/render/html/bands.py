"""Pointwise standard deviations of the generators, drift and diffusion, from the errors of the coefficients.

An error δ_s of the coefficients changes a generator such that D(δ_s)X is compensated (docs/method.md §7.1); the sum
over s of the squared changes is the variance.
"""

from __future__ import annotations

import numpy as np
import scipy.special
from jaxtyping import Float

from liestonet.core.coefficients import EstimatedCoefficients, JetOrder
from liestonet.core.points import lattice_cloud
from liestonet.result import Result
from liestonet.result.findings import DataFindings
from liestonet.symmetry.determining.fields import Fields
from liestonet.symmetry.determining.kinds import kind_named
from liestonet.symmetry.statistical.elimination import Elimination
from liestonet.symmetry.statistical.noisy_operator import NoisyOperator

CLOUD = 400
# Bands are not computed for bases larger than this, which would take too long.
LARGEST_BASIS = 600


def factor(found: DataFindings) -> float:
    """Half-width of a pointwise interval at the result's confidence, in standard deviations."""
    return float(scipy.special.ndtri(1 - found.criteria.error_rate / 2))


def best_surrogate(found: DataFindings) -> EstimatedCoefficients:
    """The refitted coefficients with the symmetries imposed, or else those estimated first."""
    return found.surrogate if found.refit is None else found.refit.surrogate


def generator_errors(result: Result) -> Fields | None:
    """Changes of all generators by each error of the coefficients, generator by generator; None if not known."""
    found = result.estimated
    if found is None or not result.fields.count:
        return None
    basis = result.fields.basis
    if basis.size > LARGEST_BASIS:
        return None
    source, cloud = best_surrogate(found), lattice_cloud(result.domain, CLOUD)
    operator = NoisyOperator(kind_named(result.symmetry), source, basis, cloud)
    try:
        whitened = np.linalg.solve(operator.whitening, result.fields.coefficients)
    except np.linalg.LinAlgError:
        return None
    vectors, triangle = np.linalg.qr(whitened)
    changes = operator.changes(vectors)
    absorbed = Elimination(operator, changes, cautious=True).absorbed(changes.with_basis)
    turned = np.einsum("mn,nsk,kj->mjs", operator.whitening, absorbed, triangle, optimize=True)
    return Fields(basis, turned.reshape(basis.size, -1), result.fields.has_beta)


def generator_deviations(
    errors: Fields, count: int, points: Float[np.ndarray, "b v"]
) -> Float[np.ndarray, "m b components"]:
    """Standard deviation of every component of every generator at points."""
    changes = errors.components(points, [()])[()]
    return np.sqrt(np.sum(changes.reshape(count, -1, *changes.shape[1:]) ** 2, axis=1))


def coefficient_deviations(
    source: EstimatedCoefficients, points: Float[np.ndarray, "b v"]
) -> tuple[np.ndarray, np.ndarray]:
    """Standard deviations of f (b, n) and a (b, n, n) at points."""
    order = JetOrder(drift=0, diffusion_squared=0)
    _, directions = source.jet_and_directions(points, order, source.errors.root)
    if directions is None:
        raise RuntimeError("the coefficients have no derivatives in their parameters")
    drift, squared = directions.drift[()], directions.diffusion_squared[()]
    return np.sqrt(np.sum(drift**2, axis=-1)), np.sqrt(np.sum(squared**2, axis=-1))
