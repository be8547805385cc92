"""Sparse Chebyshev polynomials in several variables of the unit cube, with derivatives of any order.

Several polynomials share one set of terms that is closed under differentiation, so all derivatives of all of them at
a batch of points cost one table of terms and one matrix product.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float, Int
from numpy.polynomial.chebyshev import chebvander
from scipy import sparse

from liestonet.core.coefficients import Derivative

CHUNK = 400_000  # entries of the table of terms in memory at once; small enough for the cache
ONE_THREAD = 250_000  # multiplications up to which OpenBLAS uses one thread
DENSE = 0.05  # share of nonzero coefficients from which a dense product is the faster one


@dataclass(frozen=True)
class Expansion:
    """Polynomials Σ_m coefficients[m, e] Π_v T_{terms[m, v]}(z_v); the terms are closed under derivatives."""

    terms: Int[np.ndarray, "m v"]
    coefficients: sparse.csr_array

    @property
    def size(self) -> int:
        """Number of polynomials."""
        shape: tuple[int, ...] = self.coefficients.shape or (0, 0)
        return shape[1]

    @property
    def count(self) -> int:
        """Number of coefficients that are not zero."""
        return int(self.coefficients.nnz)

    def entries(self, start: int, stop: int) -> Expansion:
        """Some of the polynomials, with the terms that they need."""
        part = self.coefficients[:, start:stop].tocoo()
        everywhere = np.zeros(stop - start)
        return expansion(self.terms[part.row], part.col, part.data, everywhere)

    @cached_property
    def operators(self) -> tuple[sparse.csr_array, ...]:
        """∂/∂z_v as a matrix on the coefficients, one for each variable."""
        return tuple(_derivative_matrix(self.terms, v) for v in range(self.terms.shape[1]))

    def evaluate(
        self, z: Float[np.ndarray, "b v"], wanted: Sequence[Derivative]
    ) -> dict[Derivative, Float[np.ndarray, "b e"]]:
        """Derivatives in z at a batch of points; one that vanishes identically is left out, but never the value."""
        entries = self.size
        alive = {d: c for d, c in self._differentiated(wanted).items() if d in wanted and (c.nnz or not d)}
        found = {d: np.zeros((len(z), entries)) for d in alive}
        if not any(c.nnz for c in alive.values()):
            return found
        weights = sparse.csc_array(sparse.hstack(list(alive.values())))
        columns, rows = np.flatnonzero(np.diff(weights.indptr)), np.unique(weights.indices)
        product = _product(sparse.csr_array(weights[:, columns].T)[:, rows])
        table, names = ProductTable.build(self.terms[rows]), list(alive)
        chunk = max(32, CHUNK // len(rows))
        for start in range(0, len(z), chunk):
            part = slice(start, start + chunk)
            for column, values in zip(columns, product(table.values(z[part])), strict=True):
                found[names[column // entries]][part, column % entries] = values
        return found

    def _differentiated(self, wanted: Sequence[Derivative]) -> dict[Derivative, sparse.csr_array]:
        known: dict[Derivative, sparse.csr_array] = {(): self.coefficients}
        for derivative in wanted:
            for length in range(1, len(derivative) + 1):
                part = derivative[:length]
                if part not in known:
                    known[part] = self.operators[part[-1]] @ known[part[:-1]]
        return known


@dataclass(frozen=True)
class ProductTable:
    """Distinct products in the first and in the second half of the variables, and the positions of each term's two."""

    first: Int[np.ndarray, "p v"]
    second: Int[np.ndarray, "q w"]
    first_of: Int[np.ndarray, " m"]
    second_of: Int[np.ndarray, " m"]

    @classmethod
    def build(cls, terms: Int[np.ndarray, "m v"]) -> ProductTable:
        middle = (terms.shape[1] + 1) // 2
        first, first_of = np.unique(terms[:, :middle], axis=0, return_inverse=True)
        second, second_of = np.unique(terms[:, middle:], axis=0, return_inverse=True)
        return cls(first, second, first_of.reshape(-1), second_of.reshape(-1))

    def values(self, z: Float[np.ndarray, "b v"]) -> Float[np.ndarray, "m b"]:
        """Every term at every point."""
        middle = self.first.shape[1]
        values = _products(self.first, z[:, :middle])[self.first_of]
        if self.second.any():
            values *= _products(self.second, z[:, middle:])[self.second_of]
        return values


def _product(weights: sparse.csr_array) -> Callable[[Float[np.ndarray, "m b"]], Float[np.ndarray, "c b"]]:
    """Multiplication by the weights, sparse or in dense blocks.

    Blocks are so small that BLAS uses one thread: on a busy machine, several threads that waited for each other made
    this a hundred times slower.
    """
    columns, terms = np.diff(weights.indptr).size, 1 + int(weights.indices.max())
    if weights.nnz <= DENSE * columns * terms:
        return lambda values: weights @ values
    dense = weights.toarray()

    def multiply(values: Float[np.ndarray, "m b"]) -> Float[np.ndarray, "c b"]:
        step = max(8, ONE_THREAD // (columns * values.shape[1]))
        result = np.zeros((columns, values.shape[1]))
        for start in range(0, terms, step):
            result += dense[:, start : start + step] @ values[start : start + step]
        return result

    return multiply


def _products(terms: Int[np.ndarray, "p k"], z: Float[np.ndarray, "b k"]) -> Float[np.ndarray, "p b"]:
    product = np.ones((len(terms), len(z)))
    for degrees, points in zip(terms.T, z.T, strict=True):
        if degrees.any():
            product *= chebvander(points, int(degrees.max())).T[degrees]
    return product


def expansion(
    terms: Int[np.ndarray, "k v"],
    entries: Int[np.ndarray, " k"],
    coefficients: Float[np.ndarray, " k"],
    tolerance: Float[np.ndarray, " e"],
) -> Expansion:
    """Add up (term, entry, coefficient) triples and drop what is below the tolerance of its entry."""
    distinct, row = np.unique(terms, axis=0, return_inverse=True)
    summed = sparse.coo_array((coefficients, (row.reshape(-1), entries)), shape=(len(distinct), len(tolerance))).tocsr()
    summed.data[np.abs(summed.data) <= tolerance[summed.indices]] = 0.0
    summed.eliminate_zeros()
    used = np.flatnonzero(np.diff(summed.indptr))
    closed = closure(distinct[used])
    place = np.unique(np.concatenate([closed, distinct[used]]), axis=0, return_inverse=True)[1].reshape(-1)
    order = np.empty(len(closed), dtype=int)
    order[place[: len(closed)]] = np.arange(len(closed))
    kept = summed[used].tocoo()
    rows = order[place[len(closed) :]][kept.row]
    matrix = sparse.coo_array((kept.data, (rows, kept.col)), shape=(len(closed), len(tolerance))).tocsr()
    return Expansion(closed, matrix)


def closure(terms: Int[np.ndarray, "m v"]) -> Int[np.ndarray, "k v"]:
    """The terms and all with smaller degrees, a set closed under derivatives; at least the constant."""
    terms = np.concatenate([np.zeros((1, terms.shape[1]), dtype=int), terms])
    for variable in range(terms.shape[1]):
        others = terms.copy()
        others[:, variable] = 0
        groups, group = np.unique(others, axis=0, return_inverse=True)
        highest = np.zeros(len(groups), dtype=int)
        np.maximum.at(highest, group.reshape(-1), terms[:, variable])
        terms = np.repeat(groups, highest + 1, axis=0)
        terms[:, variable] = _ranges(highest + 1)
    return terms


def _ranges(lengths: Int[np.ndarray, " g"]) -> Int[np.ndarray, " k"]:
    """The numbers 0, 1, …, length − 1 for every length, concatenated."""
    ends = np.cumsum(lengths)
    return np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - lengths, lengths)


def _derivative_matrix(terms: Int[np.ndarray, "m v"], variable: int) -> sparse.csr_array:
    """T_k' = 2k (T_{k−1} + T_{k−3} + …), the constant term halved."""
    others = np.delete(terms, variable, axis=1)
    degree = terms[:, variable]
    order = np.lexsort((degree, *others.T))  # lines along the variable, degrees 0, 1, 2, … on each
    degree = degree[order]
    lengths = (degree + 1) // 2
    source = np.repeat(np.arange(len(terms)), lengths)
    step = 2 * _ranges(lengths) + 1
    target = source - step
    values = 2.0 * degree[source] * np.where(degree[source] == step, 0.5, 1.0)
    shape = (len(terms), len(terms))
    return sparse.coo_array((values, (order[target], order[source])), shape=shape).tocsr()
