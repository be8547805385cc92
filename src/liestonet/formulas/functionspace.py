"""Finite-dimensional spaces of functions given by values, and the simple functions that lie in them.

A span of generators gives such a space in time, at fixed states, and in the coordinates, at fixed times. Candidates and
short sums of them are tried in order of simplicity; those in the space are taken until they span it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np
from jaxtyping import Float

from liestonet.formulas.quadrature import integral_values
from liestonet.formulas.tuning import FORMULAS

CHUNK = 4000

Column = Float[np.ndarray, " points"]


def orthonormal_span(values: Float[np.ndarray, "points many"], tolerance: float) -> Float[np.ndarray, "points k"]:
    """An orthonormal basis of the columns without directions below the tolerance (relative to the largest)."""
    left, sizes, _ = np.linalg.svd(values, full_matrices=False)
    return left[:, sizes > tolerance * max(sizes[0], np.finfo(float).tiny)] if sizes.size else left[:, :0]


def evaluate(expressions: Iterable[Any], symbols: Sequence[Any], points: Float[np.ndarray, "points v"]) -> list[Column]:
    """Values of SymPy expressions at points; an expression that is not finite and real everywhere gives zeros."""
    import sympy

    columns = []
    kept: dict[Any, Column] = {}
    coordinates = dict(zip(symbols, points.T, strict=True))
    for expression in expressions:
        if expression.is_Integer or expression in coordinates:  # the most frequent cases, which need no compilation
            columns.append(
                np.full(len(points), float(expression)) if expression.is_Integer else coordinates[expression]
            )
            continue
        integrals = sorted(expression.atoms(sympy.Integral), key=str)
        with np.errstate(all="ignore"):
            try:
                kept |= {node: integral_values(node, symbols, points) for node in integrals if node not in kept}
                names = {node: sympy.Dummy() for node in integrals}
                function = _compiled(expression.xreplace(names), (*symbols, *names.values()))
                values = np.asarray(function(*points.T, *(kept[node] for node in integrals)))
            except (TypeError, NameError, KeyError, ZeroDivisionError, OverflowError):
                values = np.array(np.nan)
        usable = np.isrealobj(values) and bool(np.isfinite(values).all())
        columns.append(np.broadcast_to(values.astype(float) if usable else 0.0, (len(points),)))
    return columns


@lru_cache(maxsize=256)
def _compiled(expression: Any, symbols: tuple[Any, ...]) -> Callable[..., Any]:
    """An expression as a function of arrays, cached because the same candidates are evaluated often."""
    import sympy

    return sympy.lambdify(list(symbols), expression, ["scipy", "numpy"])


def independent(columns: Sequence[Column]) -> list[int]:
    """Positions of columns that are not linear combinations of earlier ones, as cos² is of 1 and sin²."""
    kept: list[int] = []
    basis = np.zeros((len(columns[0]) if columns else 0, 0))
    for position, column in enumerate(columns):
        length = np.linalg.norm(column)
        rest = column - basis @ (basis.T @ column)
        rest = rest - basis @ (basis.T @ rest)  # once more, against rounding
        if np.linalg.norm(rest) > FORMULAS.least_own * length:
            kept.append(position)
            basis = np.column_stack([basis, rest / np.linalg.norm(rest)])
    return kept


def members(
    space: Float[np.ndarray, "points k"], columns: Sequence[Column], longest: int, tolerance: float
) -> list[int] | None:
    """Positions of the simplest candidates that occur in the space, or None if they do not span it.

    Single candidates that lie in the space come first, then sums of two, and so on up to `longest`. Longer sums are
    not tried, because many smooth functions together fit anything.
    """
    with np.errstate(over="ignore"):
        usable = [j for j, column in enumerate(columns) if 0 < np.linalg.norm(column) < np.inf]
    if not usable or not space.shape[1]:
        return None if space.shape[1] else []
    units = np.column_stack([columns[j] / np.linalg.norm(columns[j]) for j in usable])
    found: list[int] = []
    rest = space
    for size, tried in FORMULAS.lengths[:longest]:
        for combination, vector in _sums_inside(space, units[:, :tried], size, tolerance):
            inside = rest @ (rest.T @ vector)
            # with a part outside the span of those found before
            if np.linalg.norm(inside) > min(1e3 * tolerance, 0.05):
                found += [usable[j] for j in combination if usable[j] not in found]
                rest = _without(rest, inside)
            if not rest.shape[1]:
                return found
    return None


def _sums_inside(
    space: Float[np.ndarray, "points k"], units: Float[np.ndarray, "points n"], size: int, tolerance: float
) -> Iterator[tuple[tuple[int, ...], Column]]:
    """Sums of `size` unit columns that lie in the space, simplest first, each as a unit vector."""
    choices = np.array(list(combinations(range(units.shape[1]), size)), dtype=int).reshape(-1, size)
    choices = choices[np.argsort(choices.sum(axis=1), kind="stable")]
    outside = units - space @ (space.T @ units)
    lengths, overlaps = outside.T @ outside, units.T @ units
    for start in range(0, len(choices), CHUNK):
        part = choices[start : start + CHUNK]
        index = part[:, :, None], part[:, None, :]
        # differences of nearly equal columns are dominated by rounding
        distinct = np.linalg.eigvalsh(overlaps[index])[:, 0] > FORMULAS.least_distinct
        values, vectors = np.linalg.eigh(lengths[index])
        for row in np.flatnonzero(distinct & (values[:, 0] <= tolerance**2)):
            vector = units[:, part[row]] @ vectors[row, :, 0]
            yield tuple(part[row].tolist()), vector / np.linalg.norm(vector)


def _without(rest: Float[np.ndarray, "points k"], vector: Column) -> Float[np.ndarray, "points fewer"]:
    """An orthonormal basis of the space with one direction projected out."""
    direction = vector / np.linalg.norm(vector)
    left, sizes, _ = np.linalg.svd(rest - np.outer(direction, direction @ rest), full_matrices=False)
    # the basis was orthonormal, so every singular value is now 1 or 0
    return left[:, sizes > 0.5]
