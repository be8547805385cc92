"""Where the drift of a coordinate has a pole, estimated: A/(y − y₀) in the coordinate y in which its noise is uniform.

This is the drift of a transformed Bessel process, which polynomials approximate badly. Where the place is fitted, its
error is that of the term 1/(y − y₀)², whose size is set by the evidence. See docs/method.md §4.8.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from liestonet.surrogate.features import Features
from liestonet.surrogate.overview import Overview
from liestonet.surrogate.regression import Scaled, Targets, without_shapes
from liestonet.surrogate.tuning import FIT

Poles = tuple[float | None, ...]


@dataclass(frozen=True)
class _Cells:
    """Mean drift in cells of one coordinate, at their places s, and the weight of each."""

    places: Float[np.ndarray, " c"]
    drifts: Float[np.ndarray, " c"]
    weights: Float[np.ndarray, " c"]


def drift_poles(
    overview: Overview, features: Features, sample: Scaled, targets: Targets, noisy: Bool[np.ndarray, " n"]
) -> Poles | None:
    """For each variable (0 is time) the pole of its drift in the coordinate of these features; None if none has one."""
    domain = overview.domain
    found: list[float | None] = [None]
    entries = [(i,) for i in range(domain.dimension)]
    values, weights = without_shapes(features, entries, targets, False)[1](sample)
    for i in range(domain.dimension):
        wanted = noisy[i] and i + 1 not in domain.periodic and not features.logarithmic[i + 1]
        cells = _cells(features.place(sample.points, i + 1), values[:, i], weights[:, i]) if wanted else None
        found.append(None if cells is None else _pole(cells, natural_pole(features, i + 1)))
    return tuple(found) if any(pole is not None for pole in found) else None


def natural_pole(features: Features, variable: int) -> float | None:
    """Where a pole would be if it were at the singular point of the coordinate itself, or of its noise."""
    domain = features.domain
    shape = None if features.shapes is None else features.shapes[variable]
    if shape is not None:
        return shape.natural_pole
    below = None if domain.singular is None else domain.singular[variable][0]
    return None if below is None else float((below - domain.centre[variable]) / domain.half[variable])


def _cells(
    places: Float[np.ndarray, " b"], drifts: Float[np.ndarray, " b"], weights: Float[np.ndarray, " b"]
) -> _Cells:
    """Weighted means in cells of equal width, those without increments left out."""
    number = np.clip(((places + 1) / 2 * FIT.pole_cells).astype(np.int64), 0, FIT.pole_cells - 1)
    total, first, second = (
        np.bincount(number, each, minlength=FIT.pole_cells) for each in (weights, weights * places, weights * drifts)
    )
    kept = total > 0
    return _Cells(first[kept] / total[kept], second[kept] / total[kept], total[kept])


def _pole(cells: _Cells, natural: float | None) -> float | None:
    """The place with the largest likelihood beside a linear drift; None where polynomials alone do as well.

    The natural place is taken where it loses little likelihood and the pole improves it by enough.
    """
    beyond = np.geomspace(*FIT.pole_distances, FIT.pole_places)
    tried = np.concatenate([-1 - beyond, 1 + beyond])
    gains = np.array([_gain(cells, _beside_linear(cells, place)) for place in tried])
    best, gain = float(tried[int(np.argmax(gains))]), float(gains.max())
    plain = max(
        _gain(cells, np.polynomial.legendre.legvander(cells.places, degree)) - FIT.sparse_cost * (degree + 1)
        for degree in range(1, FIT.pole_rivals + 1)
    )
    if natural is not None and FIT.pole_distances[0] < abs(natural) - 1 < FIT.pole_distances[1]:
        own = _gain(cells, _beside_linear(cells, natural))
        linear = _gain(cells, np.polynomial.legendre.legvander(cells.places, 1))
        if own > max(gain - FIT.logarithm_credit, linear + FIT.sparse_cost):
            return natural
    return best if gain - 4 * FIT.sparse_cost > plain else None


def _beside_linear(cells: _Cells, pole: float) -> Float[np.ndarray, "c 3"]:
    """The functions of a linear drift and the pole."""
    return np.stack([np.ones_like(cells.places), cells.places, 1 / (cells.places - pole)], axis=1)


def _gain(cells: _Cells, functions: Float[np.ndarray, "c k"]) -> float:
    """Gain in log-likelihood from a least-squares fit of some functions."""
    root = np.sqrt(cells.weights)
    basis = np.linalg.qr(functions * root[:, None])[0]
    return float(np.sum((basis.T @ (root * cells.drifts)) ** 2) / 2)
