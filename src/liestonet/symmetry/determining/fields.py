"""Generators as functions: values and derivatives of a span of basis coefficients at any point."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float

from liestonet.core.coefficients import Derivative
from liestonet.core.generators import Components, Values, values_at
from liestonet.symmetry.determining.basis import Basis, Tables
from liestonet.symmetry.determining.tuning import EQUATIONS

CHUNK = 8192
# Values alone are summed variable by variable where the degrees fill at least one in so many places of their tensor.
DENSE = 12


@dataclass(frozen=True)
class Fields:
    """m generators τ ∂t + ξ·∂x (+ β u∂u), each a column of coefficients in one basis.

    Called with t (B,) and x (B, d) it gives tau (m, B), xi (m, B, d) and, where there is one, beta (m, B).
    """

    basis: Basis
    coefficients: Float[np.ndarray, "size m"]
    has_beta: bool = False

    @property
    def count(self) -> int:
        """Number of generators, m."""
        return self.coefficients.shape[1]

    @property
    def dimension(self) -> int:
        """Number of coordinates, d."""
        return self.basis.domain.dimension

    def __call__(self, t: Float[np.ndarray, " b"], x: Float[np.ndarray, "b d"]) -> Values:
        return values_at(self, t, x, self.dimension)

    def components(self, points: Float[np.ndarray, "b v"], derivatives: Iterable[Derivative]) -> Components:
        """Derivatives of all components (τ, ξ^1, …, ξ^n, β) at points (t, x_1, …, x_n)."""
        wanted = list(derivatives)
        order = max(len(derivative) for derivative in wanted)
        unknowns = range(len(self.basis.degrees))
        result = {d: np.zeros((self.count, len(points), len(self.basis.degrees))) for d in wanted}
        tensors = self._tensors if order == 0 else None
        for start in range(0, len(points), CHUNK):
            part = slice(start, start + CHUNK)
            tables = self.basis.tables(points[part], order)
            if tensors is not None:
                for u, tensor in tensors.items():
                    result[()][:, part, u] = _contracted(tensor, self.basis.own_tables(tables, u))
                continue
            for derivative in wanted:
                for u in unknowns:
                    if len(self.basis.degrees[u]):
                        functions = self.basis.functions(tables, u, derivative)
                        result[derivative][:, part, u] = (functions @ self.coefficients[self.basis.columns(u)]).T
        return result

    @cached_property
    def _tensors(self) -> dict[int, Float[np.ndarray, "m ..."]] | None:
        """Coefficients of each unknown by degree in every variable; None where most entries would be zero."""
        if not self.basis.polynomial:
            return None
        tensors = {}
        for u, rows in enumerate(self.basis.degrees):
            if len(rows):
                shape = tuple((rows.max(axis=0) + 1).tolist())
                if math.prod(shape) > DENSE * len(rows):
                    return None
                tensors[u] = np.zeros((self.count, *shape))
                block = self.basis.scales[u] * self.coefficients[self.basis.columns(u)].T
                tensors[u][(slice(None), *rows.T)] = block
        return tensors

    def mixed(self, matrix: Float[np.ndarray, "m k"]) -> Fields:
        """Generators in the same span: combinations given by the columns of a matrix."""
        return Fields(self.basis, self.coefficients @ matrix, self.has_beta)


def _contracted(tensor: Float[np.ndarray, "m ..."], tables: Tables) -> Float[np.ndarray, "m b"]:
    """Σ c_{ij…} p_i(t) p_j(x) …, the last variable first: one product of matrices, then sums over the rest."""
    parts = [table[0].T[:size] for table, size in zip(tables, tensor.shape[1:], strict=True)]
    values = tensor.reshape(math.prod(tensor.shape[:-1]), tensor.shape[-1]) @ parts[-1]
    values = values.reshape(*tensor.shape[:-1], parts[-1].shape[1])
    for part in reversed(parts[:-1]):
        values = np.einsum("...ib,ib->...b", values, part)
    return values


def joined(parts: Sequence[Fields]) -> Fields:
    """All generators of several fields on one box, in a basis that has the functions of all."""
    first = parts[0].basis
    degrees = []
    for unknown in range(len(first.scales)):
        rows = {tuple(row) for part in parts for row in part.basis.degrees[unknown].tolist()}
        degrees.append(np.array(sorted(rows), dtype=np.int64).reshape(-1, len(first.domain.intervals)))
    basis = Basis(first.domain, first.scales, tuple(degrees))
    columns = []
    for part in parts:
        block = np.zeros((basis.size, part.count))
        for unknown, rows in enumerate(part.basis.degrees):
            position = {tuple(row): j for j, row in enumerate(degrees[unknown].tolist())}
            places = [basis.columns(unknown).start + position[tuple(row)] for row in rows.tolist()]
            block[places] = part.coefficients[part.basis.columns(unknown)]
        columns.append(block)
    return Fields(basis, np.concatenate(columns, axis=1), parts[0].has_beta)


def readable_basis(fields: Fields) -> Fields:
    """The same span in another basis: each generator has one low-degree component, set to 1, that the others lack.

    Components are tried in order of degree, so constants (∂t and translations) come first.
    """
    basis, span = fields.basis, np.linalg.qr(fields.coefficients)[0]
    order = sorted(
        (int(row.sum()), unknown, basis.columns(unknown).start + position)
        for unknown, rows in enumerate(basis.degrees)
        for position, row in enumerate(rows)
    )
    remaining, pivots, threshold = np.eye(fields.count), [], EQUATIONS.pivot
    while remaining.shape[1]:
        for _, _, row in order:
            projection = span[row] @ remaining
            length = np.linalg.norm(projection)
            if length > threshold:
                pivots.append(row)
                # what is left has no part of this component
                complement = np.linalg.svd(projection[None, :], full_matrices=True)[2][1:].T
                remaining = remaining @ complement
            if not remaining.shape[1]:
                break
        threshold /= EQUATIONS.pivot_fall
    sizes = np.repeat(basis.scales, np.diff(basis.offsets))[pivots]
    mixed = span @ np.linalg.inv(span[pivots]) / sizes
    for unknown in range(len(basis.degrees)):
        block = mixed[basis.columns(unknown)]
        block[:, np.linalg.norm(block, axis=0) < EQUATIONS.absent * np.linalg.norm(mixed, axis=0)] = 0.0
    return Fields(basis, mixed, fields.has_beta)
