"""Residuals of a map's equations with estimated coefficients, and how the coefficients' errors change them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from liestonet.core.coefficients import JetOrder
from liestonet.core.domain import Domain
from liestonet.core.multiindex import both_waves, total_degree
from liestonet.core.points import PointCloud
from liestonet.core.tuning import by_dimension
from liestonet.core.uncertainty import Errors
from liestonet.surrogate.regression import Entry
from liestonet.surrogate.surrogate import Surrogate
from liestonet.symmetry.determining.basis import Basis
from liestonet.validation.inner_products import InnerProducts
from liestonet.validation.maps.map_equations import drift_rows, row_units, squared_rows, stacked, upper_entries
from liestonet.validation.maps.point_map import MapJet, PointMap
from liestonet.validation.tuning import MAPS

# For every entry of drift and diffusion: where its parameters stand among all, and its functions at points.
Series = Sequence[tuple[Entry, slice, Float[np.ndarray, "b _"]]]
# For every equation the columns of some parameters; those of all others are zero.
Blocks = tuple[tuple[tuple[slice, Float[np.ndarray, "b _"]], ...], ...]


@dataclass(frozen=True, eq=False)
class MapResiduals:
    """½(E, Q) of a map relative to the size of drift and diffusion, r + R(θ' − θ) for parameters θ', by inner products.

    Half of the difference of the coefficients and their image is, for a map that is its own inverse, the part of them
    that the map changes. `square` is |r|², `cross` Rᵀr, `gram` RᵀR, and `smooth` RᵀΨ for what coefficients of low
    degree leave in the equations.
    """

    square: float
    cross: Float[np.ndarray, " p"]
    gram: Float[np.ndarray, "p p"]
    smooth: Float[np.ndarray, "p q"]

    def moved(self, change: Float[np.ndarray, " p"]) -> MapResiduals:
        """The residuals with other parameters."""
        along = self.gram @ change
        square = self.square + 2 * float(self.cross @ change) + float(change @ along)
        return replace(self, square=max(square, 0.0), cross=self.cross + along)

    def changes(self, change: Float[np.ndarray, " p"]) -> MapResiduals:
        """What a change of the parameters alone makes of the residuals."""
        along = self.gram @ change
        return replace(self, square=max(float(change @ along), 0.0), cross=along)

    def under(self, errors: Errors) -> InnerProducts:
        """The residuals with these errors of the parameters."""
        root = errors.root
        gram, smooth = root.T @ self.gram @ root, root.T @ self.smooth
        scattered = errors.scatter.shape[1]
        return InnerProducts(self.square, root.T @ self.cross, gram, smooth, scattered, errors.complete)


@dataclass(frozen=True, eq=False)
class MapRows:
    """The residuals r of a map at points, equation by equation, and R, how the parameters change them, in blocks."""

    residual: Float[np.ndarray, " rows"]
    blocks: Blocks
    smooth: Float[np.ndarray, "rows q"]
    parameters: int

    def transposed(self, columns: Float[np.ndarray, "rows q"]) -> Float[np.ndarray, "p q"]:
        """Rᵀ times columns."""
        found = np.zeros((self.parameters, columns.shape[1]))
        for own, part in zip(self.blocks, np.split(columns, len(self.blocks)), strict=True):
            for place, block in own:
                found[place] += block.T @ part
        return found

    def products(self, absorbed: Float[np.ndarray, " rows"] | None = None) -> MapResiduals:
        """Inner products, without the part along a direction that an estimated number absorbs."""
        gram = np.zeros((self.parameters, self.parameters))
        for own in self.blocks:
            for k, (place, block) in enumerate(own):
                for other, second in own[: k + 1]:
                    part = block.T @ second
                    gram[place, other] += part
                    if other != place:
                        gram[other, place] += part.T
        square = float(self.residual @ self.residual)
        cross, smooth = self.transposed(self.residual[:, None])[:, 0], self.transposed(self.smooth)
        if absorbed is not None:
            unit = absorbed / max(float(np.linalg.norm(absorbed)), np.finfo(float).tiny)
            taken, along = self.transposed(unit[:, None])[:, 0], float(unit @ self.residual)
            gram -= np.outer(taken, taken)
            square, cross = square - along**2, cross - along * taken
            smooth = smooth - np.outer(taken, unit @ self.smooth)
        return MapResiduals(square, cross, gram, smooth)


def map_rows(made: PointMap, surrogate: Surrogate, cloud: PointCloud) -> MapRows:
    """The residuals of a map at points with a fit's coefficients, and how its parameters change them."""
    jet = made.jet(cloud.points)
    residual, size = _residual(jet, surrogate, cloud)
    units = row_units(surrogate.domain)[:, None] * np.sqrt(cloud.weights) / (2 * size)
    here, there = ([*surrogate.functions(points)] for points in (cloud.points, jet.images))
    blocks = _blocks(jet, units, here, there)
    return MapRows(residual, blocks, smooth_columns(jet, cloud, surrogate.domain), len(surrogate.parameters))


def _blocks(jet: MapJet, units: Float[np.ndarray, "rows b"], here: Series, there: Series) -> Blocks:
    """The equations as linear maps of parameters, for the functions of every entry at points and at their images."""
    n = jet.jacobian.shape[1]
    entries: list[Entry] = [*((i,) for i in range(n)), *upper_entries(n)]
    places = {entry: row for row, entry in enumerate(entries)}
    blocks: list[dict[int, tuple[slice, np.ndarray]]] = [{} for _ in places]

    def add(row: int, factor: np.ndarray, columns: slice, functions: np.ndarray) -> None:
        if factor.any():
            part = (units[row] * factor)[:, None] * functions
            if columns.start in blocks[row]:
                part += blocks[row][columns.start][1]
            blocks[row][columns.start] = (columns, part)

    for entry, columns, functions in here:
        for row, factor in _carried(jet, entry, places):
            add(row, factor, columns, functions)
    for entry, columns, functions in there:
        add(places[entry], -jet.speed, columns, functions)
    return tuple(tuple(own.values()) for own in blocks)


def _carried(jet: MapJet, entry: Entry, places: Mapping[Entry, int]) -> Iterator[tuple[int, np.ndarray]]:
    """The equations in which an entry of drift or diffusion at the points themselves stands, with its factors."""
    n = jet.jacobian.shape[1]
    if len(entry) == 1:
        yield from ((i, jet.jacobian[:, i, entry[0]]) for i in range(n))
        return
    k, m = entry
    both = 1.0 if k == m else 2.0
    yield from ((i, both * jet.hessian[:, i, k, m] / 2) for i in range(n))
    for i, j in upper_entries(n):
        factor = jet.jacobian[:, i, k] * jet.jacobian[:, j, m]
        if k != m:
            factor = factor + jet.jacobian[:, i, m] * jet.jacobian[:, j, k]
        yield places[i, j], factor


def residual_of(made: PointMap, surrogate: Surrogate, cloud: PointCloud) -> Float[np.ndarray, " rows"]:
    """The residuals of a map at points alone."""
    return _residual(made.jet(cloud.points), surrogate, cloud)[0]


def _residual(jet: MapJet, surrogate: Surrogate, cloud: PointCloud) -> tuple[Float[np.ndarray, " rows"], float]:
    """The residuals at points, equation by equation, and the size of drift and diffusion that they are relative to."""
    order, domain = JetOrder(drift=0, diffusion_squared=0), surrogate.domain
    here, there = (surrogate.jet(points[:, 0], points[:, 1:], order) for points in (cloud.points, jet.images))
    f, a = (here.drift[()], there.drift[()]), (here.diffusion_squared[()], there.diffusion_squared[()])
    drift = jet.drift + drift_rows(jet, f[0], a[0], f[1])
    size = coefficient_size(f, a, cloud, domain)
    residual = stacked(drift, squared_rows(jet, a[0], a[1]), domain) * np.sqrt(cloud.weights)[:, None]
    return residual.T.reshape(-1) / (2 * size), size


def coefficient_size(f: tuple[np.ndarray, ...], a: tuple[np.ndarray, ...], cloud: PointCloud, domain: Domain) -> float:
    """Root mean square of drift and diffusion without units, over points and their images."""
    squares = [np.sum(cloud.weights[:, None] * stacked(*pair, domain) ** 2) for pair in zip(f, a, strict=True)]
    return max(float(np.sqrt(np.mean(squares))), np.finfo(float).tiny)


def smooth_columns(jet: MapJet, cloud: PointCloud, domain: Domain) -> Float[np.ndarray, "rows q"]:
    """Residuals that coefficients of low degree cause in the equations of a map, one column of unit length for each."""
    n = domain.dimension
    entries: list[Entry] = [*((i,) for i in range(n)), *upper_entries(n)]
    here, there = (_low_series(points, domain, entries) for points in (cloud.points, jet.images))
    blocks = _blocks(jet, row_units(domain)[:, None] * np.sqrt(cloud.weights), here, there)
    found = np.zeros((len(blocks), len(cloud.points), here[-1][1].stop))
    for rows, own in zip(found, blocks, strict=True):
        for columns, block in own:
            rows[:, columns] = block
    flat = found.reshape(-1, found.shape[2])
    lengths = np.linalg.norm(flat, axis=0)
    kept = lengths > MAPS.same_place * lengths.max(initial=0.0)
    return flat[:, kept] / lengths[kept]


def _low_series(points: Float[np.ndarray, "b v"], domain: Domain, entries: Sequence[Entry]) -> Series:
    """For every entry the functions of its low degree, and the columns that they have among those of all entries."""
    tables = [low_functions(points, domain, degree) for degree in by_dimension(MAPS.smooth_degrees, domain.dimension)]
    found, start = [], 0
    for entry in entries:
        functions = tables[len(entry) - 1]
        found.append((entry, slice(start, start + functions.shape[1]), functions))
        start += functions.shape[1]
    return found


def low_functions(points: Float[np.ndarray, "b v"], domain: Domain, degree: int) -> Float[np.ndarray, "b q"]:
    """Products of the coordinates up to a degree, or waves of angles."""
    n = domain.dimension
    degrees = both_waves(total_degree(range(1, n + 1), n + 1, degree), domain.periodic)
    basis = Basis(domain, np.ones(1), (degrees,))
    return basis.functions(basis.tables(points, 0), 0, ())
