"""The determining equations with coefficients from data: D, and how it changes with the coefficients' errors.

D is linear in the coefficients (law, Fokker–Planck; linearised for Itô), so an error δ_s of the parameters changes it
by D(δ_s). The tests need inner products of D and the D(δ_s) over a cloud of points (docs/method.md §5.1).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
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

KEPT_BYTES = 5e7  # of D's blocks, which are formed anew for each product where they are larger


@dataclass(frozen=True)
class NoisyEquation:
    """One scaled equation on the cloud: factors of the unknowns' derivatives, and their changes under errors."""

    factors: dict[Slot, Float[np.ndarray, " b"]]
    slots: tuple[Slot, ...]
    changes: Float[np.ndarray, "b l s"]

    def moved(self, images: dict[Slot, Float[np.ndarray, "b k"]], count: int) -> Float[np.ndarray, "b k s"]:
        """D(δ_s)v at every point, for all directions v."""
        if not self.slots:
            points, _, errors = self.changes.shape
            return np.zeros((points, count, errors))
        return np.stack([images[slot] for slot in self.slots], axis=2) @ self.changes


@dataclass(frozen=True)
class Changes:
    """Effects of the errors on k directions v, as inner products over the cloud: D(δ_s)v with D, and summed over s."""

    vectors: Float[np.ndarray, "m k"]
    with_basis: Float[np.ndarray, "m s k"]
    mutual: Float[np.ndarray, "k k"]

    def turned(self, turn: Float[np.ndarray, "k l"]) -> Changes:
        """The changes of other directions in the span of these."""
        return Changes(self.vectors @ turn, self.with_basis @ turn, turn.T @ self.mutual @ turn)


class NoisyOperator:
    """D and D(δ_s) in one basis, orthonormal on the cloud, where norms of coefficient vectors are norms of fields.

    The δ_s are the source's errors, reduced to as few directions as possible if `joint`. `turn` expresses them in the
    source's own errors, of which the first `scattered` are the data's.
    """

    def __init__(
        self, kind: Kind, source: EstimatedCoefficients, basis: Basis, cloud: PointCloud, joint: bool = True
    ) -> None:
        self.basis, self.cloud = basis, cloud
        self.table: Equations = kind.equations(source.dimension, source.noise)
        root = source.errors.root
        errors, self.turn = source.errors.joint if joint else (root, np.eye(root.shape[1]))
        jet, directions = source.jet_and_directions(cloud.points, kind.jet_order, errors)
        self.directions, self.scattered = errors.shape[1], source.errors.scatter.shape[1]
        self.complete = source.errors.complete
        self.equations = _equations(self.table, basis.domain, cloud, jet, directions, self.directions)
        order = max(len(derivative) for equation in self.equations for _, derivative in equation.factors)
        self._tables = basis.tables(cloud.points, order)
        self._functions: dict[Slot, np.ndarray] = {}
        self._kept: list[tuple[np.ndarray, np.ndarray, NoisyEquation]] | None = None

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

    def _matrices(self) -> Iterable[tuple[np.ndarray, np.ndarray, NoisyEquation]]:
        """For each equation the active columns of D, its block in them, and the equation; cached where small."""
        if self._kept is None and 8 * len(self.equations) * len(self.cloud.weights) * self.basis.size <= KEPT_BYTES:
            self._kept = list(self._formed())
        return self._formed() if self._kept is None else self._kept

    def _formed(self) -> Iterator[tuple[np.ndarray, np.ndarray, NoisyEquation]]:
        for equation in self.equations:
            sums: dict[int, np.ndarray] = {}
            for (unknown, derivative), factor in equation.factors.items():
                product = factor[:, None] * self.functions((unknown, derivative))
                sums[unknown] = np.add(sums[unknown], product, out=product) if unknown in sums else product
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
        """N = Σ_s D(δ_s)ᵀD(δ_s) in the orthonormal basis; zero in many dimensions, where it is not computed."""
        raw = np.zeros((self.basis.size, self.basis.size))
        if self.table.dimension <= SHARED.few_coordinates:
            for equation in self.equations:
                _add_noise(raw, equation, self)
        return self.whitening.T @ raw @ self.whitening

    def lowest(self, count: int) -> Float[np.ndarray, "m k"]:
        """The first directions by residual over noise, orthonormalised in that order."""
        # noise far above a unit residual has rounding of its own
        least = JUDGING.rounding + JUDGING.relative_rounding * float(np.trace(self.noise_gram))
        least = least if self.noise_gram.any() else 1.0
        chosen, identity = [0, min(count, self.basis.size) - 1], np.eye(self.basis.size)
        try:
            vectors = scipy.linalg.eigh(self.gram, self.noise_gram + least * identity, subset_by_index=chosen)[1]
        except np.linalg.LinAlgError:  # rounding has left eigenvalues below zero, by more than the floor
            least -= 2 * min(float(np.linalg.eigvalsh(self.noise_gram)[0]), 0.0)
            vectors = scipy.linalg.eigh(self.gram, self.noise_gram + least * identity, subset_by_index=chosen)[1]
        return np.linalg.qr(vectors)[0]

    def changes(self, vectors: Float[np.ndarray, "m k"]) -> Changes:
        """The effects of the errors on a block of directions."""
        count, images = vectors.shape[1], self._images(vectors)
        with_basis = np.zeros((self.basis.size, count * self.directions))
        mutual = np.zeros((count, count))
        for columns, block, equation in self._matrices():
            moved = equation.moved(images, count)
            with_basis[columns] += block.T @ moved.reshape(len(moved), -1)
            mutual += np.einsum("bks,bls->kl", moved, moved, optimize=True)
        turned = (self.whitening.T @ with_basis).reshape(-1, count, self.directions)
        return Changes(vectors, np.ascontiguousarray(np.swapaxes(turned, 1, 2)), mutual)

    def noise(
        self, vectors: Float[np.ndarray, "m k"], among: Float[np.ndarray, "s d"] | None = None
    ) -> Float[np.ndarray, "k d d"]:
        """Inner products of the D(δ_s)v for each v; of combinations `among` the errors where they are given."""
        count, images = vectors.shape[1], self._images(vectors)
        width = self.directions if among is None else among.shape[1]
        result = np.zeros((count, width, width))
        for equation in self.equations:
            moved = equation.moved(images, count)
            for k in range(count):
                part = moved[:, k] if among is None else moved[:, k] @ among
                result[k] += part.T @ part
        return result

    @property
    def data(self) -> Float[np.ndarray, "s d"]:
        """The data's own errors in terms of all the errors."""
        return self.turn[: self.scattered].T

    def _images(self, vectors: Float[np.ndarray, "m k"]) -> dict[Slot, Float[np.ndarray, "b k"]]:
        """Derivatives of directions at the cloud."""
        mixed = self.whitening @ vectors
        return {slot: self.functions(slot) @ mixed[self.basis.columns(slot[0])] for slot in self._changed_slots()}

    @property
    def slots(self) -> set[Slot]:
        """The unknowns' derivatives that occur in the equations."""
        return {slot for equation in self.equations for slot in equation.factors} | self._changed_slots()

    def _changed_slots(self) -> set[Slot]:
        return {slot for equation in self.equations for slot in equation.slots}


def _equations(
    table: Equations, domain: Domain, cloud: PointCloud, jet: Jet, directions: JetDirections | None, errors: int
) -> list[NoisyEquation]:
    """Scaled factors of every equation, and their changes."""
    scale, root = table.row_scales(domain.half), np.sqrt(cloud.weights)
    factors: list[dict[Slot, Any]] = [defaultdict(float) for _ in table.rows]
    terms: list[dict[Slot, list[tuple[np.ndarray, np.ndarray]]]] = [defaultdict(list) for _ in table.rows]
    for term in table.terms:
        slot, size = (term.unknown, term.derivative), term.factor * scale[term.row] * root
        if term.coefficient is None:
            factors[term.row][slot] = factors[term.row][slot] + size
        else:
            factors[term.row][slot] = factors[term.row][slot] + size * _entry(jet, term.coefficient)
            change = _entry(directions, term.coefficient)
            if change.any():
                terms[term.row][slot].append((size, change))
    return [
        NoisyEquation(dict(found), tuple(changed), _changed(list(changed.values()), (len(root), len(changed), errors)))
        for found, changed in zip(factors, terms, strict=True)
    ]


def _changed(terms: list[list[tuple[np.ndarray, np.ndarray]]], shape: tuple[int, int, int]) -> np.ndarray:
    """Sums of scales times changes of coefficients, one per slot."""
    result = np.empty(shape)
    for place, parts in enumerate(terms):
        np.multiply(parts[0][0][:, None], parts[0][1], out=result[:, place])
        for size, change in parts[1:]:
            result[:, place] += size[:, None] * change
    return result


def _entry(source: Any, coefficient: Coefficient) -> np.ndarray:
    """Values of one derivative of one entry of f, σ or a."""
    return getattr(source, coefficient.name)[coefficient.derivative][(slice(None), *coefficient.entry)]


def _add_noise(raw: np.ndarray, equation: NoisyEquation, operator: NoisyOperator) -> None:
    """Add one equation's part of N: the covariance of its factors at each point, between the functions there."""
    scattered = equation.changes @ operator.data
    covariance = scattered @ np.swapaxes(scattered, 1, 2)
    for i, first in enumerate(equation.slots):
        for j, second in enumerate(equation.slots[: i + 1]):
            weighted = covariance[:, i, j, None] * operator.functions(second)
            rows, columns = operator.basis.columns(first[0]), operator.basis.columns(second[0])
            part = operator.functions(first).T @ weighted
            raw[rows, columns] += part
            if i != j:
                raw[columns, rows] += part.T
