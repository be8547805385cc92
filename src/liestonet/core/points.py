"""Points (t, x): clouds with quadrature weights on a box, and batches that users give."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from liestonet.core.domain import Domain
from liestonet.errors import InputError


@dataclass(frozen=True)
class PointCloud:
    """Points (t, x_1, …, x_n) with quadrature weights that sum to one."""

    points: Float[np.ndarray, "b v"]
    weights: Float[np.ndarray, " b"]


def tensor_cloud(domain: Domain, counts: np.ndarray) -> PointCloud:
    """Products of Gauss points in every variable: exact for the basis functions, feasible in up to three variables.

    Evenly spaced points on a period resolve half the frequencies of as many Gauss points, so their number is doubled.
    """
    rules = [
        c.quadrature(2 * int(count) if c.periodic else int(count))
        for c, count in zip(domain.coordinates, counts, strict=True)
    ]
    grids = np.meshgrid(*[nodes for nodes, _ in rules], indexing="ij")
    weights = np.ones(1)
    for _, weight in rules:
        weights = np.outer(weights, weight).ravel()
    return PointCloud(np.stack([grid.ravel() for grid in grids], axis=1), weights)


def lattice_cloud(domain: Domain, count: int, shift: float = 0.5, edge: np.ndarray | None = None) -> PointCloud:
    """Evenly spread points for any number of variables: a Kronecker sequence of the generalised golden ratio.

    Variables marked in `edge`, and those next to a singular point, are sampled densely near their ends (arcsine law in
    s, corrected by the weights), which keeps least squares stable at high degree.
    """
    variables = len(domain.intervals)
    ratio = 2.0
    for _ in range(60):
        ratio = (1 + ratio) ** (1 / (variables + 1))
    steps = (1 / ratio) ** np.arange(1, variables + 1)
    u = (shift + np.outer(np.arange(1, count + 1), steps)) % 1.0
    points, weights = domain.centre + domain.half * (2 * u - 1), np.ones(count)
    for variable, coordinate in enumerate(domain.coordinates):
        if not coordinate.periodic and ((edge is not None and edge[variable]) or coordinate.is_singular):
            s = -np.cos(np.pi * u[:, variable])
            points[:, variable] = coordinate.place(s)
            weights *= np.sqrt(1 - s**2) * coordinate.density(s)
    return PointCloud(points, weights / weights.sum())


def points_of(t: object, x: object, dimension: int) -> Float[np.ndarray, "b v"]:
    """A batch of points, checked, as rows (t, x_1, …, x_n)."""
    time, state = np.asarray(t, dtype=float), np.asarray(x, dtype=float)
    if time.ndim != 1 or state.shape != (len(time), dimension):
        raise InputError(
            f"Points are given as t of shape (B,) and x of shape (B, {dimension}), not {time.shape} and {state.shape}."
        )
    return np.column_stack([time, state])
