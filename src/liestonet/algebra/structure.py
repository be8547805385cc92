"""Brackets of generators and the structure constants of their span (docs/method.md §1.2 and §11.1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from jaxtyping import Float

from liestonet.algebra.anatomy import Anatomy, anatomy
from liestonet.algebra.exact_constants import exact_constants
from liestonet.algebra.naming import AlgebraName, name_algebra
from liestonet.algebra.tuning import ALGEBRA
from liestonet.core.generators import directional_derivative
from liestonet.errors import InputError
from liestonet.formulas.closed_fields import ClosedFields, reconciled
from liestonet.symmetry.determining.fields import Fields

CHUNK_ENTRIES = 4_000_000
SHOWN = 3  # pairs in a sentence
INFINITE, UNRESOLVED = "infinite-dimensional", "not resolved"


@dataclass(frozen=True)
class Algebra:
    """[X_i, X_j] = Σ_k c[i, j, k] X_k, in the basis and order of the result's generators.

    `unit_constants` are the constants for generators scaled to length one, or, for generators in closed form, scaled
    so that the constants are as equal in size as possible. The name is determined from them, or from `orthonormal`,
    the constants in an orthonormal basis of the span, if given: formulas may be nearly parallel. `error` is the
    constants' error due to that of the generators, for results from data. `infinite` means that the algebra is
    infinite-dimensional: it consists of products of these generators with functions of an invariant. `overlap` is the
    root mean square of |X_i| |X_j| for generators of length one: 1 if both have the same size everywhere, and small
    for e^{2t} and e^{−2t} on a long interval.
    """

    structure_constants: Float[np.ndarray, "m m m"]
    closure: float
    jacobi: float
    unit_constants: Float[np.ndarray, "m m m"]
    error: float = 0.0
    infinite: bool = False
    orthonormal: Float[np.ndarray, "m m m"] | None = None
    overlap: Float[np.ndarray, "m m"] | None = None

    @property
    def dimension(self) -> int:
        """Number of generators, m."""
        return len(self.structure_constants)

    @cached_property
    def named(self) -> AlgebraName:
        """The algebra's name with its explanation, and the alternatives if the errors allow several."""
        if self.infinite:
            return AlgebraName(INFINITE, True, (), "Symmetries may be multiplied by functions of an invariant.")
        if self.open:
            why = f"Brackets leave the span of the generators by {self.closure:.0%}: there is no algebra to name."
            return AlgebraName(UNRESOLVED, False, (), why)
        if self.dimension > 1 and self.error > ALGEBRA.largest_error:
            why = f"The generators are known to about {self.error:.0%} only, too little to identify the algebra."
            return AlgebraName(UNRESOLVED, False, (), why)
        constants = self.unit_constants if self.orthonormal is None else self.orthonormal
        named = name_algebra(constants, max(ALGEBRA.least_uncertainty, self.closure, self.error))
        lost = self._lost_brackets()
        if not lost:
            return named
        pairs = " and ".join(f"[X{i + 1}, X{j + 1}]" for i, j in lost[:SHOWN])
        other = f"an algebra with {pairs} not zero"
        why = f"{named.explanation} {pairs} cannot be estimated: generators are large in different parts of the box."
        return AlgebraName(named.text, False, (*named.alternatives, other), why)

    def _lost_brackets(self) -> list[tuple[int, int]]:
        """Pairs of generators from data whose bracket could not be detected if it were not zero."""
        if not self.error or self.overlap is None:
            return []
        largest = float(np.max(np.abs(self.unit_constants), initial=0.0))
        hidden = (self.overlap < ALGEBRA.little_overlap) & (self.overlap * largest < ALGEBRA.lost * self.error)
        hidden &= np.abs(self.unit_constants).max(axis=2) < ALGEBRA.seen * self.error
        return [(int(i), int(j)) for i, j in np.argwhere(np.triu(hidden, 1))]

    @property
    def open(self) -> bool:
        """Whether brackets leave the span by more than errors explain, so that there is no closed algebra."""
        return not self.closure <= (ALGEBRA.open_from_data if self.error else ALGEBRA.open)

    @property
    def name(self) -> str:
        """The name of the algebra: `Bianchi VI, h = −9`, `so(3)`, …; "not resolved" if there is none to name.

        If errors allow several names, the most likely is given and marked as not resolved.
        """
        certain = self.named.resolved or self.named.text == UNRESOLVED
        return self.named.text if certain else f"{self.named.text} (not resolved)"

    @cached_property
    def anatomy(self) -> Anatomy:
        """Killing form, derived and lower central series, centre, radical, nilradical and a Levi factor.

        Subspaces are orthonormal columns of coefficients of the result's generators. It is `resolved` if the errors
        leave no rank or sign open and the algebra has a name.
        """
        if self.infinite:
            raise InputError("An infinite-dimensional algebra has no structure constants to analyse.")
        uncertainty = max(ALGEBRA.least_uncertainty, self.closure, self.error)
        size = np.max(np.abs(self.structure_constants), initial=ALGEBRA.least_size)
        found = anatomy(self.structure_constants, float(uncertainty * size))
        return replace(found, resolved=found.resolved and self.named.resolved)


def find_algebra(
    fields: Fields | ClosedFields, points: Float[np.ndarray, "b v"], weights: Float[np.ndarray, " b"]
) -> Algebra:
    """Structure constants with closure and Jacobi residuals; exact if all generators have formulas that close."""
    if fields.count == 0:
        nothing = np.zeros((0, 0, 0))
        return Algebra(nothing, 0.0, 0.0, nothing)
    if isinstance(fields, ClosedFields):
        rows = [row for row in fields.closed if row is not None]
        scattered = np.random.default_rng(5).permutation(points)
        constants = exact_constants(rows, fields.symbols, scattered) if len(rows) == fields.count else None
        if constants is not None:
            unit = balanced(constants)
            return Algebra(constants, 0.0, jacobi_residual(unit), unit)
        fields = reconciled(fields)
    return _least_squares(fields, points, weights)


def _least_squares(fields: Fields, points: Float[np.ndarray, "b v"], weights: Float[np.ndarray, " b"]) -> Algebra:
    """Structure constants by a least-squares fit over the whole domain."""
    m = fields.count
    fields, lengths = _brought_to_one(fields)
    gram, right, squares = np.zeros((m, m)), np.zeros((m, m, m)), []
    for values, brackets, _ in _scaled_brackets(fields, points, weights):
        squares.append(np.sum(values**2, axis=2))
        gram += np.einsum("ibc,jbc->ij", values, values, optimize=True)
        right += np.einsum("ijbc,kbc->ijk", brackets, values, optimize=True)
    constants = np.linalg.solve(gram, right.reshape(m * m, m).T).T.reshape(m, m, m)
    missed, sizes = np.zeros((m, m)), np.zeros((m, m))
    for values, brackets, forward in _scaled_brackets(fields, points, weights):
        rest = brackets - np.einsum("ijk,kbc->ijbc", constants, values, optimize=True)
        missed += np.einsum("ijbc,ijbc->ij", rest, rest)
        sizes += np.einsum("ijbc,ijbc->ij", forward, forward)
    norms = np.sqrt(np.diag(gram))
    # commuting pairs would give 0/0, hence the floor ‖X_i‖‖X_j‖ (docs/method.md §11.1)
    reference = np.sqrt(sizes) + np.sqrt(sizes.T) + np.outer(norms, norms)
    # rounding errors relative to the pair's own size are set to zero
    constants[np.abs(constants) * norms <= ALGEBRA.rounding * reference[:, :, None]] = 0.0
    unit = constants * norms[None, None, :] / (norms[:, None, None] * norms[None, :, None])
    given = constants * (lengths[:, None, None] / lengths[None, None, :]) * lengths[None, :, None]
    closure = float(np.max(np.sqrt(missed) / reference))
    density = np.concatenate(squares, axis=1) / np.diag(gram)[:, None]
    used = weights > 0
    overlap = np.sqrt((density[:, used] / weights[used]) @ density[:, used].T)
    return Algebra(given, closure, jacobi_residual(unit), unit, 0.0, False, _orthonormal(constants, gram), overlap)


def _orthonormal(constants: Float[np.ndarray, "m m m"], gram: Float[np.ndarray, "m m"]) -> np.ndarray | None:
    """The constants in the orthonormal basis nearest to the generators if these are nearly parallel; else None."""
    norms = np.sqrt(np.diag(gram))
    values, vectors = np.linalg.eigh(gram / np.outer(norms, norms))
    if values[0] > ALGEBRA.skew:
        return None
    root = (vectors * np.sqrt(np.maximum(values, np.finfo(float).eps))) @ vectors.T
    change, back = np.linalg.inv(root) / norms[:, None], root * norms[:, None]
    return np.einsum("ia,jb,ijk,kc->abc", change, change, constants, back, optimize=True)


def _brought_to_one(fields: Fields) -> tuple[Fields, Float[np.ndarray, " m"]]:
    """Generators scaled to length about one, so that no square underflows, and the divisors, powers of two."""
    largest = np.max(np.abs(fields.coefficients), axis=0, initial=0.0)
    lengths = np.exp2(np.frexp(np.where(largest > 0, largest, 1.0))[1])
    return replace(fields, coefficients=fields.coefficients / lengths), lengths


def _scaled_brackets(
    fields: Fields, points: Float[np.ndarray, "b v"], weights: Float[np.ndarray, " b"]
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Generators, brackets and X_i(X_j), chunk by chunk, each component in units of its natural size."""
    variables = points.shape[1]
    chunk = max(1, CHUNK_ENTRIES // (fields.count**2 * len(fields.basis.scales)))
    for start in range(0, len(points), chunk):
        part = slice(start, start + chunk)
        jets = fields.components(points[part], [(), *[(v,) for v in range(variables)]])
        scaled = np.sqrt(weights[part])[:, None] / fields.basis.scales
        gradient = np.stack([jets[(v,)] for v in range(variables)])
        forward = directional_derivative(jets[()], gradient) * scaled
        yield jets[()] * scaled, forward - np.swapaxes(forward, 0, 1), forward


def balanced(constants: Float[np.ndarray, "m m m"]) -> Float[np.ndarray, "m m m"]:
    """The constants of e^{u_i} X_i, with u from least squares on the logarithms of all nonzero constants.

    Factors of generators are arbitrary, so decisions by size must not depend on them.
    """
    rows, m = np.argwhere(constants), len(constants)
    if not len(rows):
        return constants
    table, units = np.zeros((len(rows), m)), np.eye(m)
    for position, (i, j, k) in enumerate(rows):
        table[position] = units[i] + units[j] - units[k]
    sizes = np.log(np.abs(constants[tuple(rows.T)]))
    logarithms = np.linalg.lstsq(table, -sizes, rcond=None)[0]
    factors = np.exp(logarithms[:, None, None] + logarithms[None, :, None] - logarithms[None, None, :])
    return constants * factors


def jacobi_residual(constants: Float[np.ndarray, "m m m"]) -> float:
    """Largest entry of [X_i,[X_j,X_k]] + cyclic, relative to the largest square of a structure constant."""
    nested = np.einsum("jkl,ilm->ijkm", constants, constants, optimize=True)
    cyclic = nested + np.transpose(nested, (1, 2, 0, 3)) + np.transpose(nested, (2, 0, 1, 3))
    return float(np.max(np.abs(cyclic), initial=0.0) / max(np.max(np.abs(constants), initial=0.0) ** 2, 1.0))
