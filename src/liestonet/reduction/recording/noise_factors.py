"""σ of an estimated equation as the lower triangular root of a, with constants of its own where a has single terms."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy
from jaxtyping import Float

from liestonet.reduction.recording.candidate_terms import Term


@dataclass(frozen=True)
class NoiseFactors:
    """σ_ij = L_ij g_i in place of a_ij = u_ij g_i g_j for some coordinates.

    `places` are the positions of the terms of a, `entries` theirs, `values` the L_ij in this order, `slopes` the
    derivatives of L by u, and `sizes` the g_i.
    """

    places: tuple[int, ...]
    entries: tuple[tuple[int, int], ...]
    values: Float[np.ndarray, " c"]
    slopes: Float[np.ndarray, "c c"]
    sizes: Mapping[int, Any]


def noise_factors(
    terms: Sequence[Term], factors: Float[np.ndarray, " k"], positive: Collection[Any]
) -> Iterator[NoiseFactors]:
    """The groups of coordinates with common noise where every entry of a is one term, and these are products.

    `positive` are symbols of coordinates that are never negative.
    """
    for group in _groups(terms):
        found: dict[tuple[int, ...], int] = {
            t.entry: k for k, t in enumerate(terms) if len(t.entry) == 2 and t.entry[0] in group
        }
        count = sum(len(t.entry) == 2 and t.entry[0] in group for t in terms)
        lower = [(i, j) for i in group for j in group if j <= i]
        entries = [pair if pair in found else pair[::-1] for pair in lower]
        if count != len(lower) or any(entry not in found for entry in entries):
            continue
        functions = dict(zip(lower, (terms[found[entry]].function for entry in entries), strict=True))
        sizes = {i: plain_root(functions[i, i], positive) for i in group}
        if any(sympy.simplify(g - sizes[i] * sizes[j]) != 0 for (i, j), g in functions.items()):
            continue
        places = tuple(found[entry] for entry in entries)
        made = _triangular(np.array([factors[k] for k in places]), len(group))
        if made is not None:
            yield NoiseFactors(places, tuple(lower), *made, sizes)


def _groups(terms: Sequence[Term]) -> list[list[int]]:
    """Coordinates that share noise, directly or by way of others."""
    groups: list[set[int]] = []
    for entry in (set(term.entry) for term in terms if len(term.entry) == 2):
        joined = [group for group in groups if group & entry]
        groups = [group for group in groups if not group & entry] + [entry.union(*joined)]
    return [sorted(group) for group in sorted(groups, key=min)]


def _triangular(
    lower: Float[np.ndarray, " c"], size: int
) -> tuple[Float[np.ndarray, " c"], Float[np.ndarray, "c c"]] | None:
    """Cholesky's root of a matrix given by its lower triangle, row by row, with derivatives; None for no root."""
    rows, columns = np.tril_indices(size)
    matrix = np.zeros((size, size))
    matrix[rows, columns] = matrix[columns, rows] = lower
    try:
        root = np.linalg.cholesky(matrix)
    except np.linalg.LinAlgError:
        return None
    inverse = np.linalg.inv(root)
    slopes = np.empty((len(lower), len(lower)))
    for k, (i, j) in enumerate(zip(rows, columns, strict=True)):
        change = np.zeros((size, size))
        change[i, j] = change[j, i] = 1.0
        turned = np.tril(inverse @ change @ inverse.T)
        turned[np.diag_indices(size)] /= 2
        slopes[:, k] = (root @ turned)[rows, columns]
    return root[rows, columns], slopes


def triangular_root(squared: Any, rows: Sequence[int], positive: Collection[Any]) -> Any:
    """σ of some coordinates as the lower triangular root of a in formulas."""
    root = sympy.zeros(*squared.shape)
    for j in rows:
        pivot = squared[j, j] - sympy.Add(*(root[j, k] ** 2 for k in rows if k < j))
        root[j, j] = plain_root(sympy.simplify(pivot), positive)
        for i in (i for i in rows if i > j):
            rest = squared[i, j] - sympy.Add(*(root[i, k] * root[j, k] for k in rows if k < j))
            root[i, j] = sympy.simplify(rest / root[j, j])
    return root


def plain_root(expression: Any, positive: Collection[Any]) -> Any:
    """√(s²x²) as s x: the sign of the noise does not matter in law."""
    known = {s: sympy.Symbol(s.name, positive=True) for s in positive}
    found = sympy.sqrt(expression.xreplace(known)).xreplace({p: s for s, p in known.items()})
    return found.replace(sympy.Abs, lambda inside: inside)
