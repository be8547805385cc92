"""Residuals of a map's equations with estimated coefficients, and how the coefficients' errors change them."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from liestonet.core.coefficients import EstimatedCoefficients, JetOrder
from liestonet.core.domain import Domain
from liestonet.core.multiindex import both_waves, total_degree
from liestonet.core.points import PointCloud
from liestonet.core.tuning import by_dimension
from liestonet.symmetry.determining.basis import Basis
from liestonet.validation.generator_residuals import GivenResiduals
from liestonet.validation.maps.map_equations import drift_rows, squared_rows, stacked, upper_entries
from liestonet.validation.maps.point_map import MapJet, PointMap
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
    smooth = smooth_columns(jet, cloud, domain)
    return GivenResiduals(
        residual.T.reshape(1, -1) / (2 * size),
        np.moveaxis(changes, 1, 0).reshape(1, -1, changes.shape[2]) / (2 * size),
        errors.scatter.shape[1],
        errors.complete,
        smooth,
    )


def coefficient_size(f: tuple[np.ndarray, ...], a: tuple[np.ndarray, ...], cloud: PointCloud, domain: Domain) -> float:
    """Root mean square of drift and diffusion without units, over points and their images."""
    squares = [np.sum(cloud.weights[:, None] * stacked(*pair, domain) ** 2) for pair in zip(f, a, strict=True)]
    return max(float(np.sqrt(np.mean(squares))), np.finfo(float).tiny)


def smooth_columns(jet: MapJet, cloud: PointCloud, domain: Domain) -> Float[np.ndarray, "rows q"]:
    """Residuals that coefficients of low degree cause in the equations of a map, one column for each."""
    n = domain.dimension
    degrees = by_dimension(MAPS.smooth_degrees, n)
    (drift, moved), (squared, carried) = (
        [low_functions(points, domain, degree) for points in (cloud.points, jet.images)] for degree in degrees
    )
    columns = []
    for i in range(n):
        here, there = (_entry(values, (i,), n) for values in (drift, moved))
        none = np.zeros((len(here), n, n, here.shape[-1]))
        columns.append(stacked(drift_rows(jet, here, none, there), none, domain))
    for i, j in upper_entries(n):
        here, there = (_entry(values, (i, j), n) for values in (squared, carried))
        none = np.zeros((len(here), n, here.shape[-1]))
        columns.append(stacked(drift_rows(jet, none, here, none), squared_rows(jet, here, there), domain))
    found = np.concatenate(columns, axis=2) * np.sqrt(cloud.weights)[:, None, None]
    flat = np.moveaxis(found, 1, 0).reshape(-1, found.shape[2])
    lengths = np.linalg.norm(flat, axis=0)
    kept = lengths > MAPS.same_place * lengths.max(initial=0.0)
    return flat[:, kept] / lengths[kept]


def _entry(values: Float[np.ndarray, "b q"], entry: tuple[int, ...], n: int) -> np.ndarray:
    """Functions as one entry of the drift (B, n, q) or of the diffusion (B, n, n, q), in the data's units."""
    found = np.zeros((len(values), *[n] * len(entry), values.shape[1]))
    found[(slice(None), *entry)] = values
    found[(slice(None), *entry[::-1])] = values
    return found


def low_functions(points: Float[np.ndarray, "b v"], domain: Domain, degree: int) -> Float[np.ndarray, "b q"]:
    """Products of the coordinates up to a degree, or waves of angles."""
    n = domain.dimension
    degrees = both_waves(total_degree(range(1, n + 1), n + 1, degree), domain.periodic)
    basis = Basis(domain, np.ones(1), (degrees,))
    return basis.functions(basis.tables(points, 0), 0, ())
