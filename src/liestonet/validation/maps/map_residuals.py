"""The equations of a map with estimated coefficients, and how the coefficients' errors change what is left."""

from __future__ import annotations

import numpy as np
import scipy.linalg
from jaxtyping import Float

from liestonet.core.coefficients import EstimatedCoefficients, JetOrder
from liestonet.core.domain import Domain
from liestonet.core.multiindex import both_waves, total_degree
from liestonet.core.points import PointCloud
from liestonet.core.tuning import by_dimension
from liestonet.symmetry.determining.basis import Basis
from liestonet.validation.generator_residuals import GivenResiduals
from liestonet.validation.maps.map_equations import drift_rows, squared_rows, stacked, upper_entries
from liestonet.validation.maps.point_map import PointMap
from liestonet.validation.tuning import MAPS


def put_map(made: PointMap, source: EstimatedCoefficients, cloud: PointCloud, domain: Domain) -> GivenResiduals:
    """½(E, Q) relative to the size of drift and diffusion, at points and for each error of the coefficients.

    Half of the difference of the coefficients and their image is, for a map that is its own inverse, the part of them
    that the map changes.
    """
    order, errors = JetOrder(drift=0, diffusion_squared=0), source.errors
    jet = made.jet(cloud.points)
    (here, moved), (there, carried) = (
        source.jet_and_directions(points, order, errors.root) for points in (cloud.points, jet.images)
    )
    if moved is None or carried is None:
        raise RuntimeError("directions were asked for")
    f, a = (here.drift[()], there.drift[()]), (here.diffusion_squared[()], there.diffusion_squared[()])
    drift = jet.drift + drift_rows(jet, f[0], a[0], f[1])
    roots = np.sqrt(cloud.weights)
    size = coefficient_size(f, a, cloud, domain)
    residual = stacked(drift, squared_rows(jet, a[0], a[1]), domain) * roots[:, None]
    df, da = (moved.drift[()], carried.drift[()]), (moved.diffusion_squared[()], carried.diffusion_squared[()])
    changes = stacked(drift_rows(jet, df[0], da[0], df[1]), squared_rows(jet, da[0], da[1]), domain)
    changes *= roots[:, None, None]
    smooth = smooth_columns(cloud, domain)
    return GivenResiduals(
        residual.T.reshape(1, -1) / (2 * size),
        np.moveaxis(changes, 1, 0).reshape(1, -1, changes.shape[2]) / (2 * size),
        errors.scatter.shape[1],
        errors.complete,
        smooth,
    )


def coefficient_size(
    f: tuple[np.ndarray, ...], a: tuple[np.ndarray, ...], cloud: PointCloud, domain: Domain
) -> float:
    """Root mean square of drift and diffusion without units, over points and their images."""
    squares = [np.sum(cloud.weights[:, None] * stacked(*pair, domain) ** 2) for pair in zip(f, a, strict=True)]
    return max(float(np.sqrt(np.mean(squares))), np.finfo(float).tiny)


def smooth_columns(cloud: PointCloud, domain: Domain) -> Float[np.ndarray, "rows q"]:
    """Functions of the coordinates of a low degree in each equation alone, as columns on the cloud."""
    n = domain.dimension
    drift, squared = (
        low_functions(cloud, domain, degree) for degree in by_dimension(MAPS.smooth_degrees, domain.dimension)
    )
    return np.asarray(scipy.linalg.block_diag(*[drift] * n, *[squared] * len(upper_entries(n))))


def low_functions(cloud: PointCloud, domain: Domain, degree: int) -> Float[np.ndarray, "b q"]:
    """Products of the coordinates up to a degree, or waves of angles, times the roots of the weights."""
    n = domain.dimension
    degrees = both_waves(total_degree(range(1, n + 1), n + 1, degree), domain.periodic)
    basis = Basis(domain, np.ones(1), (degrees,))
    return basis.functions(basis.tables(cloud.points, 0), 0, ()) * np.sqrt(cloud.weights)[:, None]
