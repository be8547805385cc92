"""Conditions of generators on the factors of terms: E1 and Q, affine in drift and diffusion (docs/method.md §18.9).

All numbers in the generators are free: they are estimated together with the factors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy
from jaxtyping import Float, Inexact

from liestonet.formulas.formula import Formula
from liestonet.reduction.recording.candidate_terms import Term, symbols_of
from liestonet.reduction.recording.free_numbers import FreeGenerator, with_free_numbers
from liestonet.reduction.tuning import EQUATION
from liestonet.surrogate.surrogate import Surrogate


@dataclass(frozen=True)
class Constraints:
    """K(c) u + r(c) = 0 for the factors u of the terms and the constants c of the generators, at points of the box.

    Each of the `functions` gives the non-zero columns of one equation and their positions; r is the last column.
    """

    functions: list[tuple[Any, list[int]]]
    points: Float[np.ndarray, "b v"]
    constants: Float[np.ndarray, " c"]
    scales: Float[np.ndarray, " rows"]
    terms: Sequence[Term]

    def at(self, constants: Inexact[np.ndarray, " c"]) -> tuple[Inexact[np.ndarray, "e k"], Inexact[np.ndarray, " e"]]:
        """K and r, every row in units of the box and of the generator."""
        kind = np.result_type(constants, float)
        blocks, rests = [np.zeros((0, len(self.terms)), kind)], [np.zeros(0, kind)]
        for (function, places), scale in zip(self.functions, self.scales, strict=True):
            table = np.zeros((len(self.points), len(self.terms) + 1), kind)
            for place, values in zip(places, function(*self.points.T, *constants), strict=True):
                table[:, place] = values
            table *= scale / np.sqrt(len(self.points))
            blocks.append(table[:, :-1])
            rests.append(table[:, -1])
        return np.concatenate(blocks), np.concatenate(rests)

    def slopes(self, factors: Float[np.ndarray, " k"], constants: Float[np.ndarray, " c"]) -> Float[np.ndarray, "e c"]:
        """The derivative of K u + r by every constant, accurate to rounding, as all functions are analytic in them."""
        columns = []
        for k in range(len(constants)):
            moved = constants.astype(complex)
            moved[k] += EQUATION.imaginary * 1j
            matrix, rest = self.at(moved)
            columns.append(np.imag(matrix @ factors + rest) / EQUATION.imaginary)
        return np.array(columns).T.reshape(len(self.points) * len(self.functions), len(constants))


def constraints_of(formulas: Sequence[Formula], terms: list[Term], surrogate: Surrogate) -> Constraints:
    """The conditions of generators with formulas on sums of terms."""
    symbols = symbols_of(surrogate)
    low, high = np.array(surrogate.domain.intervals, dtype=float).T
    points = np.random.default_rng(3).uniform(low, high, (EQUATION.cloud, len(low)))
    half = surrogate.domain.half
    prepared = [with_free_numbers(row, symbols, f"c_{number}") for number, row in enumerate(formulas)]
    values = [value for row in prepared for value in row.values]
    everything = [*symbols, *(symbol for row in prepared for symbol in row.constants)]
    functions, scales = [], []
    for row in prepared:
        size = _size(row, everything, points, values, half)
        for scale, columns in _rows(row.tau, row.xi, terms, symbols, half):
            places = [place for place, column in enumerate(columns) if column != 0]
            if places:
                shown = [columns[place] for place in places]
                functions.append((sympy.lambdify(everything, shown, "numpy", cse=True), places))
                scales.append(scale / size)
    return Constraints(functions, points, np.array(values), np.array(scales), terms)


def _size(row: FreeGenerator, symbols: list[Any], points: Any, values: list[float], half: Any) -> float:
    function = sympy.lambdify(symbols, [row.tau, *row.xi], "numpy")
    parts = [np.broadcast_to(np.asarray(v, dtype=float), len(points)) for v in function(*points.T, *values)]
    return float(np.sqrt(np.mean(np.sum((np.array(parts).T / half) ** 2, axis=1))))


def _rows(tau: Any, xi: tuple[Any, ...], terms: list[Term], symbols: tuple[Any, ...], half: Any) -> Any:
    """Every equation with its scale: the contribution of each term, and last the part without a coefficient."""
    t, state, count = symbols[0], symbols[1:], len(xi)
    columns = [_of_term(term, tau, xi, t, state) for term in terms]
    for i in range(count):
        yield half[0] / half[1 + i], [first[i] for first, _ in columns] + [sympy.diff(xi[i], t)]
    for i in range(count):
        for j in range(i + 1):
            scale = half[0] / (half[1 + i] * half[1 + j])
            yield scale, [second[i][j] for _, second in columns] + [sympy.Integer(0)]


def _of_term(
    term: Term, tau: Any, xi: tuple[Any, ...], t: Any, state: tuple[Any, ...]
) -> tuple[list[Any], list[list[Any]]]:
    """The contribution of one term to E1 and to Q."""
    count, g = len(xi), term.function
    first: list[Any] = [sympy.Integer(0)] * count
    second: list[list[Any]] = [[sympy.Integer(0)] * count for _ in range(count)]
    along = sympy.Add(*(c * sympy.diff(g, s) for c, s in zip(xi, state, strict=True)))
    if len(term.entry) == 1:
        k = term.entry[0]
        first = [g * sympy.diff(c, state[k]) for c in xi]
        first[k] -= along + sympy.diff(tau * g, t)
        return first, second
    p, q = term.entry
    both = 1 if p == q else 2
    first = [both * g * sympy.diff(c, state[p], state[q]) / 2 for c in xi]
    a = sympy.zeros(count, count)
    a[p, q] = a[q, p] = g
    for i in range(count):
        for j in range(i + 1):
            turned = sympy.Add(
                *(a[i, k] * sympy.diff(xi[j], state[k]) + a[j, k] * sympy.diff(xi[i], state[k]) for k in range(count))
            )
            moved = along + tau * sympy.diff(g, t) + sympy.diff(tau, t) * g if a[i, j] != 0 else sympy.Integer(0)
            second[i][j] = turned - moved
    return first, second
