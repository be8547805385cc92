"""How the noise of each coordinate grows along it, estimated: powers, roots of quadratics, exponentials of polynomials.

Squared increments are averaged in cells of each coordinate, after the effect of the other coordinates is divided out.
The series of drift and diffusion are then made in the coordinate in which this noise is uniform, and correct the rest,
so an approximate shape is enough. See docs/method.md §4.8.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import scipy.optimize
from jaxtyping import Float

from liestonet.core.noise_shape import NoiseShape
from liestonet.surrogate.overview import Overview, quantile_edges
from liestonet.surrogate.tuning import FIT

# Factors of the polynomial p, the base (b, c) of q, and the exponent.
Shape = tuple[tuple[float, ...], tuple[float, float], float]
# Parameters to the same, p without its constant.
Family = Callable[[Float[np.ndarray, " k"]], Shape]


@dataclass(frozen=True)
class _Cells:
    """Mean squared increments over Δt in cells of one coordinate: places u, means, and numbers of increments."""

    places: Float[np.ndarray, " c"]
    squares: Float[np.ndarray, " c"]
    counts: Float[np.ndarray, " c"]


def noise_shapes(overview: Overview) -> tuple[NoiseShape | None, ...] | None:
    """For each variable (0 is time) the shape of its noise; None where it is uniform, and if all are."""
    domain = overview.domain
    found: list[NoiseShape | None] = [None]
    for i in range(domain.dimension):
        low, high = domain.intervals[i + 1]
        if i + 1 in domain.periodic:
            found.append(None)
            continue
        singular = domain.singular is not None and domain.singular[i + 1][0] is not None
        zero = -(high + low) / (high - low) if singular else None
        found.append(_shape(_cells(overview, i), (low, high), zero))
    return tuple(found) if any(shape is not None for shape in found) else None


def _cells(overview: Overview, i: int) -> _Cells:
    """Mean squared increments of one coordinate in cells of it; factors of the other variables are divided out."""
    sample, domain = overview.sample, overview.domain
    points = overview.points
    own = points[:, i + 1]
    steps, lengths = sample.dt / domain.half[0], sample.dx[:, i] / domain.half[i + 1]
    place = np.searchsorted(quantile_edges(own, FIT.shape_cells, FIT.shape_tails), own)
    count = int(place.max()) + 1
    counts = np.bincount(place, minlength=count).astype(float)
    filled = np.maximum(counts, 1)  # repeated values leave cells empty
    speeds = np.bincount(place, lengths / steps, minlength=count) / filled
    squares = (lengths - speeds[place] * steps) ** 2 / steps
    others = [
        np.searchsorted(quantile_edges(points[:, v], FIT.shape_other_cells), points[:, v])
        for v in range(points.shape[1])
        if v != i + 1
    ]
    factors = [np.ones(int(cells.max()) + 1) for cells in others]
    levels = np.ones(count)
    for _ in range(FIT.shape_rounds):
        # each variable's cells in turn, with the others' factors divided out
        every = np.prod([factor[cells] for factor, cells in zip(factors, others, strict=True)], axis=0)
        levels = np.bincount(place, squares / every, minlength=count) / filled
        for factor, cells in zip(factors, others, strict=True):
            own_level = every * levels[place]  # zero where a coordinate moves without noise
            rest = np.divide(squares * factor[cells], own_level, out=factor[cells], where=own_level > 0)
            new = np.bincount(cells, rest, minlength=len(factor)) / np.maximum(
                np.bincount(cells, minlength=len(factor)), 1
            )
            every = every / factor[cells] * np.maximum(new, np.finfo(float).tiny)[cells]
            factor[:] = np.maximum(new / np.average(new[cells]), np.finfo(float).tiny)
    centre, half = domain.centre[i + 1], domain.half[i + 1]
    places = (np.bincount(place, own, minlength=count) / filled - centre) / half
    kept = (counts >= FIT.least_in_shape) & (levels > 0)
    return _Cells(places[kept], levels[kept], counts[kept])


def _shape(cells: _Cells, interval: tuple[float, float], zero: float | None) -> NoiseShape | None:
    """The shape with the least deviance plus log N for each parameter; None where noise is nearly uniform."""
    if len(cells.counts) < FIT.shape_cells // 4:
        return None
    rough = np.polynomial.Polynomial.fit(
        cells.places, np.log(cells.squares) / 2, FIT.shape_degree, w=np.sqrt(cells.counts)
    )
    if np.ptp(rough(np.linspace(-1, 1, FIT.shape_cells))) < np.log(FIT.least_contrast):
        return None
    cost = float(np.log(cells.counts.sum()))
    logs = np.log(cells.squares)
    level = np.average(logs, weights=cells.counts)
    best, best_size, least = None, 0, float(cells.counts @ (logs - level) ** 2 / 2)
    for family, starts in _families(zero):
        for start in starts:
            deviance, chosen = _fitted(cells, family, np.array(start))
            if deviance + cost * len(start) < least:
                best, least, best_size = chosen, deviance + cost * len(start), len(start)
    if best is None or least - cost * best_size > FIT.most_deviance * len(cells.counts):
        return None
    polynomial, base, exponent = best
    shape = NoiseShape(*interval, polynomial, base, exponent)
    sizes = shape.logarithm(np.linspace(-1, 1, FIT.shape_cells), 0)[0]
    return shape if np.ptp(sizes) > np.log(FIT.least_contrast) and np.ptp(sizes) < np.log(FIT.most_contrast) else None


def _families(zero: float | None) -> Iterator[tuple[Family, list[tuple[float, ...]]]]:
    """Families of shapes with starting values; `zero` is where the noise may vanish."""
    if zero is not None:
        yield lambda p: ((), (-1 / zero, 0.0), p[0]), [(0.5,)]

    def end(p: float) -> float:
        """Where q vanishes, beyond 1."""
        return 1 + np.exp(np.clip(p, -FIT.most_logarithm, FIT.most_logarithm))

    def linear(p: Float[np.ndarray, " k"], sign: float) -> Shape:
        return (), (-1 / (sign * end(p[1])), 0.0), p[0]

    yield lambda p: linear(p, -1.0), [(0.5, -1.0), (1.0, 1.0)]
    yield lambda p: linear(p, 1.0), [(0.5, -1.0), (1.0, 1.0)]

    def positive(p: Float[np.ndarray, " k"]) -> Shape:
        size = p[1] ** 2 + np.exp(2 * np.clip(p[2], -FIT.most_logarithm, FIT.most_logarithm))
        return (), (-2 * p[1] / size, 1 / size), p[0]

    def between(p: Float[np.ndarray, " k"]) -> Shape:
        first, second = -end(p[1]), end(p[2])
        return (), (-1 / first - 1 / second, 1 / (first * second)), p[0]

    yield positive, [(0.5, 0.0, 0.0), (0.5, 0.0, -1.0), (0.5, -1.0, -2.5), (0.5, 1.0, -2.5)]
    yield between, [(0.5, -1.0, -1.0)]
    for degree in range(1, FIT.shape_degree + 1):
        yield lambda p: (tuple(p.tolist()), (0.0, 0.0), 0.0), [(0.0,) * degree]


def _fitted(cells: _Cells, family: Family, start: Float[np.ndarray, " k"]) -> tuple[float, Shape]:
    """The least deviance within a family, and its shape; cells are large enough to use logarithms."""
    weights, logs = np.sqrt(cells.counts / 2), np.log(cells.squares)

    def misfit(p: Float[np.ndarray, " k"]) -> Float[np.ndarray, " c"]:
        polynomial, base, exponent = family(p[1:])
        sizes = NoiseShape(-1.0, 1.0, (p[0], *polynomial), base, exponent).logarithm(cells.places, 0)[0]
        return weights * (logs - 2 * np.clip(np.nan_to_num(sizes), -FIT.most_logarithm, FIT.most_logarithm))

    first = np.concatenate([[np.average(logs, weights=cells.counts) / 2], start])
    found = scipy.optimize.least_squares(misfit, first, method="lm", max_nfev=FIT.shape_evaluations)
    polynomial, base, exponent = family(found.x[1:])
    shape = tuple(map(float, (found.x[0], *polynomial))), (float(base[0]), float(base[1])), float(exponent)
    return 2 * float(found.cost), shape
