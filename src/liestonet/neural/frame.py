"""Scaled coordinates for the training of networks, and the coefficients tabulated in them.

With centre c and half-lengths (T, L) the variables are s = (t − c_0)/T and y = (x − c)/L. In them the equation is dy =
(T f/L) ds + (√T σ/L) dW, so the determining equations have the scales of docs/method.md §3.1. The identity frame keeps
the paper's units.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from liestonet.core.coefficients import Coefficients, Derivative, JetOrder
from liestonet.core.domain import Domain
from liestonet.errors import InputError
from liestonet.neural.tuning import GENERATORS
from liestonet.symmetry.determining.kinds import Kind

Table = dict[str, np.ndarray]


@dataclass(frozen=True)
class TrainingFrame:
    """Centre and half-length of every variable, time first."""

    centre: Float[np.ndarray, " v"]
    half: Float[np.ndarray, " v"]

    @classmethod
    def of(cls, domain: Domain, scaled: bool) -> TrainingFrame:
        """The frame that maps the box to [−1, 1] in every variable, or the identity."""
        if scaled:
            return cls(domain.centre, domain.half)
        return cls(np.zeros(len(domain.intervals)), np.ones(len(domain.intervals)))

    def enter(self, points: Float[np.ndarray, "b v"]) -> Float[np.ndarray, "b v"]:
        return (points - self.centre) / self.half

    def generator_scales(self, has_beta: bool) -> Float[np.ndarray, " components"]:
        """The factors that turn components in the frame into τ, ξ^i and β."""
        return np.append(self.half, 1.0) if has_beta else self.half


def tabulate(
    kind: Kind, source: Coefficients, frame: TrainingFrame, points: Float[np.ndarray, "b v"], second: bool = False
) -> Table:
    """Coefficients and their first derivatives at points of the data, in the frame; with second ones for flows."""
    table = _first_order(kind, source, frame, points)
    if second:
        table |= _second_order(kind, source, frame, points, table)
    table["points"] = frame.enter(points)
    diagonal = np.einsum("bii->bi", table["squared"])
    if source.dimension > 1 and not np.any(table["squared"] - diagonal[..., None] * np.eye(source.dimension)):
        # the equations then need second derivatives only along single coordinates
        table["variances"] = diagonal.copy()
    for name, values in table.items():
        if not np.isfinite(values).all():
            raise InputError(
                f"The estimated {name.replace('_', ' ')} is not finite at a point of the training cloud; choose a "
                "cloud away from singular points (cloud=Cloud(floor=…))."
            )
    return table


def tabulate_density(density: Any, frame: TrainingFrame, points: Float[np.ndarray, "b v"]) -> Table:
    """û with first and second derivatives in the frame, in units of its root mean square over the cloud."""
    jet, v = density.jet(points[:, 0], points[:, 1:], 2), points.shape[1]
    unit = 1 / np.sqrt(np.mean(jet[()] ** 2))
    gradient = np.stack([jet[(i,)] * frame.half[i] for i in range(v)], axis=-1)
    rows = [[jet[tuple(sorted((i, j)))] * frame.half[i] * frame.half[j] for j in range(v)] for i in range(v)]
    hessian = np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
    return {"density": unit * jet[()], "density_gradient": unit * gradient, "density_hessian": unit * hessian}


def _first_order(kind: Kind, source: Coefficients, frame: TrainingFrame, points: np.ndarray) -> Table:
    """f, a, and what the kind needs besides: σ for Itô, B and C for Fokker–Planck, each with its gradient."""
    order = JetOrder(
        drift=2 if kind.has_beta else 1,
        diffusion=1 if kind.name == "ito" else -1,
        diffusion_squared=3 if kind.has_beta else 1,
    )
    jet = source.jet(points[:, 0], points[:, 1:], order)
    n, r, count = source.dimension, source.noise, len(points)
    length, duration = frame.half[1:], frame.half[0]
    read = _Reader(count, frame.half)
    table: Table = {}
    drift_unit = duration / length
    squared_unit = duration / np.outer(length, length)
    table |= read.with_gradient("drift", jet.drift, (n,), drift_unit)
    table |= read.with_gradient("squared", jet.diffusion_squared, (n, n), squared_unit)
    if kind.name == "ito":
        sigma_unit = np.sqrt(duration) / length[:, None] * np.ones(r)
        table |= read.with_gradient("sigma", jet.diffusion, (n, r), sigma_unit)
    if kind.has_beta:
        b, c = _fokker_planck(jet, n)
        table |= read.with_gradient("b", b, (n,), drift_unit)
        table |= read.with_gradient("c", c, (), np.array(duration))
    return table


def _fokker_planck(jet: Any, n: int) -> tuple[Mapping[Derivative, np.ndarray], Mapping[Derivative, np.ndarray]]:
    """B^i = f^i − ∂_j a^{ij} and C = ∂_i f^i − ½ ∂_ij a^{ij} (docs/method.md §2.3) with first derivatives."""
    f, a = jet.drift, jet.diffusion_squared

    def of(mapping: Mapping[Derivative, np.ndarray], *derivative: int) -> Any:
        return mapping.get(tuple(sorted(derivative)), 0.0)

    def entry(array: Any, *index: int) -> Any:
        return array if isinstance(array, float) else array[(slice(None), *index)]

    b, c = {}, {}
    for d in ((), *[(v,) for v in range(n + 1)]):
        rows = [entry(of(f, *d), i) - sum(entry(of(a, *d, j + 1), i, j) for j in range(n)) for i in range(n)]
        b[d] = np.stack(np.broadcast_arrays(*rows, np.zeros(_count(f, a)))[:-1], axis=1)
        value = sum(entry(of(f, *d, i + 1), i) for i in range(n))
        value = value - 0.5 * sum(entry(of(a, *d, i + 1, j + 1), i, j) for i in range(n) for j in range(n))
        c[d] = np.broadcast_to(value, (_count(f, a),))
    return b, c


def _count(*mappings: Mapping[Derivative, np.ndarray]) -> int:
    return next((len(array) for mapping in mappings for array in mapping.values()), 0)


@dataclass(frozen=True)
class _Reader:
    """Jets as dense arrays in the frame; absent derivatives are zero."""

    count: int
    half: Float[np.ndarray, " v"]

    def with_gradient(
        self, name: str, mapping: Mapping[Derivative, np.ndarray], shape: tuple[int, ...], unit: np.ndarray
    ) -> Table:
        value = self._entry(mapping, (), shape) * unit
        parts = [self._entry(mapping, (v,), shape) * unit * h for v, h in enumerate(self.half)]
        return {name: value, f"{name}_gradient": np.stack(parts, axis=-1)}

    def _entry(self, mapping: Mapping[Derivative, np.ndarray], derivative: Derivative, shape: tuple) -> np.ndarray:
        array = mapping.get(derivative)
        return np.zeros((self.count, *shape)) if array is None else np.asarray(array, dtype=float)


def _second_order(kind: Kind, source: Coefficients, frame: TrainingFrame, points: np.ndarray, first: Table) -> Table:
    """Second derivatives by central differences of first ones, which every source provides."""
    steps = GENERATORS.difference * frame.half
    names = [name for name in first if name.endswith("_gradient")]
    columns: dict[str, list[np.ndarray]] = {name: [] for name in names}
    for v in range(len(steps)):
        shift = np.zeros(len(steps))
        shift[v] = steps[v]
        ahead = _first_order(kind, source, frame, points + shift)
        behind = _first_order(kind, source, frame, points - shift)
        for name in names:
            columns[name].append((ahead[name] - behind[name]) / (2 * GENERATORS.difference))
    return {name.replace("_gradient", "_hessian"): np.stack(parts, axis=-1) for name, parts in columns.items()}
