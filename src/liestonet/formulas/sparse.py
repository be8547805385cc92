"""A sparse basis of a span: every generator has a function, with factor 1, that no other generator has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

Functions = list[tuple[int, Any, float]]  # component, SymPy expression, size in units of the component


@dataclass(frozen=True)
class SparseRows:
    """Coefficients in a sparse basis: `physical` of the functions, `reduced` of these scaled to mean square one.

    `change` maps the old (unit-length) generators to the new ones; only generator k has the function `pivots[k]`.
    """

    physical: Float[np.ndarray, "functions m"]
    reduced: Float[np.ndarray, "functions m"]
    change: Float[np.ndarray, "m m"]
    pivots: list[int]


def sparse_rows(matrix: Float[np.ndarray, "functions m"], flat: list[tuple[int, Any, float]]) -> SparseRows:
    """Row-reduce the coefficients: every generator has a function, with coefficient 1, that no other has."""
    pivots = _pivots(matrix, flat)
    change = np.linalg.inv(matrix[pivots])
    reduced = matrix @ change
    sizes = np.array([size for _, _, size in flat])
    return SparseRows(reduced / sizes[:, None] * sizes[pivots], reduced, change * sizes[pivots], pivots)


def _pivots(matrix: Float[np.ndarray, "functions m"], flat: list[tuple[int, Any, float]]) -> list[int]:
    """For each generator the function that it alone will have, in τ if possible; generators with simple ones first.

    Pivots are taken in τ first, so that all generators without τ stay without it.
    """
    import sympy

    sizes = [sympy.count_ops(function) for _, function, _ in flat]
    order = sorted(range(len(flat)), key=lambda j: (flat[j][0], sizes[j], str(flat[j][1])))
    span = np.linalg.qr(matrix)[0]
    remaining, pivots, threshold = np.eye(span.shape[1]), [], 0.05
    while remaining.shape[1]:
        for row in order:
            projection = span[row] @ remaining
            if np.linalg.norm(projection) > threshold:
                pivots.append(row)
                remaining = remaining @ np.linalg.svd(projection[None, :], full_matrices=True)[2][1:].T
            if not remaining.shape[1]:
                break
        threshold /= 4
    return sorted(pivots, key=lambda j: (sizes[j], flat[j][0], str(flat[j][1])))
