"""The determining equations with coefficients from data: D, and how it changes with the coefficients' errors.

D is linear in the coefficients (law, Fokker–Planck; linearised for Itô), so an error δ_s of the parameters changes it
by D(δ_s). Judging needs inner products of D and the D(δ_s) over a cloud of points (docs/method.md §5.1).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.linalg
from jaxtyping import Float

from liestonet.core.coefficients import Derivative, EstimatedCoefficients, Jet, JetDirections
from liestonet.core.domain import Domain
from liestonet.core.points import PointCloud
from liestonet.core.tuning import SHARED
from liestonet.symmetry.determining.basis import Basis
from liestonet.symmetry.determining.equations import Coefficient, Equations
from liestonet.symmetry.determining.kinds import Kind
from liestonet.symmetry.statistical.tuning import JUDGING

Slot = tuple[int, Derivative]


@dataclass(frozen=True)
class NoisyEquation:
    """One scaled equation on the cloud: factors of the unknowns' derivatives, and their change in each direction."""

    factors: dict[Slot, Float[np.ndarray, " b"]]
    changes: dict[Slot, Float[np.ndarray, "b s"]]


@dataclass(frozen=True)
class Changes:
    """Inner products over the cloud of D(δ_s)v: with D, with each other for one v, and summed over s for two v."""

    with_basis: Float[np.ndarray, "m s k"]
    each: Float[np.ndarray, "k s s"]
    mutual: Float[np.ndarray, "k k"]

    def take(self, columns: Sequence[int]) -> Changes:
        """The same of some of the directions."""
        chosen = list(columns)
        return Changes(self.with_basis[:, :, chosen], self.each[chosen], self.mutual[np.ix_(chosen, chosen)])


class NoisyOperator:
    """D and D(δ_s) in one basis, orthonormal on the cloud: coefficient vectors are lengths there."""

    def __init__(self, kind: Kind, source: EstimatedCoefficients, basis: Basis, cloud: PointCloud) -> None:
        self.basis, self.cloud = basis, cloud
        self.table: Equations = kind.equations(source.dimension, source.noise)
        errors = source.errors.root
        jet, directions = source.jet_and_directions(cloud.points, kind.jet_order, errors)
        self.directions, self.scattered = errors.shape[1], source.errors.scatter.shape[1]
        self.complete = source.errors.complete
        self.equations = _equations(self.table, basis.domain, cloud, jet, directions)
        order = max(len(derivative) for equation in self.equations for _, derivative in equation.factors)
        self._tables = basis.tables(cloud.points, order)
        self._functions: dict[Slot, np.ndarray] = {}

    def functions(self, slot: Slot) -> Float[np.ndarray, "b m"]:
        """A derivative of all basis functions of one unknown, at the cloud."""
        if slot not in self._functions:
            self._functions[slot] = self.basis.functions(self._tables, *slot)
        return self._functions[slot]

    @cached_property
    def whitening(self) -> Float[np.ndarray, "m m"]:
        """Columns are basis vectors of unit length, in the norm of docs/method.md §3.1 on the cloud."""
        metric = np.zeros((self.basis.size, self.basis.size))
        root = np.sqrt(self.cloud.weights)[:, None]
        for unknown, scale in enumerate(self.basis.scales):
            columns = self.basis.columns(unknown)
            values = self.functions((unknown, ())) * root / scale
            metric[columns, columns] = values.T @ values
        factor = np.linalg.cholesky(metric + JUDGING.rounding**1.5 * np.eye(len(metric)))
        return scipy.linalg.solve_triangular(factor, np.eye(len(metric)), lower=True).T

    def _matrices(self) -> Iterator[tuple[np.ndarray, np.ndarray, NoisyEquation]]:
        """Equation by equation: the active columns of D, its dense block in them, and the equation."""
        for equation in self.equations:
            sums: dict[int, np.ndarray] = {}
            for (unknown, derivative), factor in equation.factors.items():
                product = factor[:, None] * self.functions((unknown, derivative))
                sums[unknown] = sums[unknown] + product if unknown in sums else product
            if sums:
                columns = np.concatenate([np.arange(*self.basis.columns(u).indices(self.basis.size)) for u in sums])
                yield columns, np.concatenate(list(sums.values()), axis=1), equation

    @cached_property
    def gram(self) -> Float[np.ndarray, "m m"]:
        """DᵀD in the orthonormal basis."""
        raw = np.zeros((self.basis.size, self.basis.size))
        for columns, block, _ in self._matrices():
            raw[np.ix_(columns, columns)] += block.T @ block
        return self.whitening.T @ raw @ self.whitening

    @cached_property
    def noise_gram(self) -> Float[np.ndarray, "m m"]:
        """N = Σ_s D(δ_s)ᵀD(δ_s) in the orthonormal basis; zero where there are too many dimensions to form it."""
        raw = np.zeros((self.basis.size, self.basis.size))
        if self.table.dimension <= SHARED.few_coordinates:
            for equation in self.equations:
                _add_noise(raw, equation, self)
        return self.whitening.T @ raw @ self.whitening

    def lowest(self, count: int) -> Float[np.ndarray, "m k"]:
        """Directions sorted by residual over noise, orthonormalised in that order."""
        # noise far above a unit residual has rounding of its own
        least = JUDGING.rounding + JUDGING.relative_rounding * float(np.trace(self.noise_gram))
        floor = np.eye(self.basis.size) * (least if self.noise_gram.any() else 1.0)
        count = min(count, self.basis.size)
        _, vectors = scipy.linalg.eigh(self.gram, self.noise_gram + floor, subset_by_index=[0, count - 1])
        return np.linalg.qr(vectors)[0]

    def changes(self, vectors: Float[np.ndarray, "m k"]) -> Changes:
        """What the errors do to a block of directions, as inner products."""
        count = vectors.shape[1]
        mixed = self.whitening @ vectors
        images = {slot: self.functions(slot) @ mixed[self.basis.columns(slot[0])] for slot in self._changed_slots()}
        with_basis = np.zeros((self.basis.size, self.directions * count))
        each, mutual = np.zeros((count, self.directions, self.directions)), np.zeros((count, count))
        for columns, block, equation in self._matrices():
            moved = _moved(equation, images, (len(block), self.directions, count))
            with_basis[columns] += block.T @ moved.reshape(len(block), -1)
            stacked = np.moveaxis(moved, 2, 0)
            each += np.swapaxes(stacked, 1, 2) @ stacked
            flat = moved.reshape(-1, count)
            mutual += flat.T @ flat
        return Changes((self.whitening.T @ with_basis).reshape(-1, self.directions, count), each, mutual)

    def _changed_slots(self) -> set[Slot]:
        return {slot for equation in self.equations for slot in equation.changes}


def _equations(
    table: Equations, domain: Domain, cloud: PointCloud, jet: Jet, directions: JetDirections | None
) -> list[NoisyEquation]:
    """Scaled factors of every equation, and their changes."""
    scale, root = table.row_scales(domain.half), np.sqrt(cloud.weights)
    factors: list[dict[Slot, Any]] = [defaultdict(float) for _ in table.rows]
    changes: list[dict[Slot, Any]] = [defaultdict(float) for _ in table.rows]
    for term in table.terms:
        slot, size = (term.unknown, term.derivative), term.factor * scale[term.row] * root
        if term.coefficient is None:
            factors[term.row][slot] = factors[term.row][slot] + size
        else:
            factors[term.row][slot] = factors[term.row][slot] + size * _entry(jet, term.coefficient)
            changes[term.row][slot] = changes[term.row][slot] + size[:, None] * _entry(directions, term.coefficient)
    return [NoisyEquation(dict(f), dict(c)) for f, c in zip(factors, changes, strict=True)]


def _moved(equation: NoisyEquation, images: dict[Slot, np.ndarray], shape: tuple[int, int, int]) -> np.ndarray:
    """D(δ_s)v in one equation at every point, for all s and v."""
    if not equation.changes:
        return np.zeros(shape)
    changes = np.stack(list(equation.changes.values()), axis=2)
    return changes @ np.stack([images[slot] for slot in equation.changes], axis=1)


def _entry(source: Any, coefficient: Coefficient) -> np.ndarray:
    """Values of one derivative of one entry of f, σ or a."""
    return getattr(source, coefficient.name)[coefficient.derivative][(slice(None), *coefficient.entry)]


def _add_noise(raw: np.ndarray, equation: NoisyEquation, operator: NoisyOperator) -> None:
    """Add one equation's part of N: the covariance of its factors at each point, between what they multiply."""
    if not equation.changes:
        return
    slots = list(equation.changes)
    stacked = np.stack([equation.changes[slot][:, : operator.scattered] for slot in slots], axis=1)
    covariance = stacked @ np.swapaxes(stacked, 1, 2)
    for i, first in enumerate(slots):
        for j, second in enumerate(slots):
            weighted = covariance[:, i, j, None] * operator.functions(second)
            rows, columns = operator.basis.columns(first[0]), operator.basis.columns(second[0])
            raw[rows, columns] += operator.functions(first).T @ weighted
