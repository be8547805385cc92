"""What generators ask of the factors of terms: E1 and Q, affine in drift and diffusion (docs/method.md §18.9).

Constants of the generators stay free: they are found together with the factors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import sympy
from jaxtyping import Float

from liestonet.formulas.formula import Formula
from liestonet.reduction.recording.candidate_terms import Term, symbols_of
from liestonet.reduction.tuning import EQUATION
from liestonet.surrogate.surrogate import Surrogate


@dataclass(frozen=True)
class Constraints:
    """K(c) u + r(c) = 0 for the factors u of the terms and the constants c of the generators, at points of the box."""

    functions: list[Any]
    points: Float[np.ndarray, "b v"]
    constants: Float[np.ndarray, " c"]
    scales: Float[np.ndarray, " rows"]
    count: int
    names: tuple[str, ...] = field(default=())

    def at(self, constants: Float[np.ndarray, " c"]) -> tuple[Float[np.ndarray, "e k"], Float[np.ndarray, " e"]]:
        """K and r, every row in units of the box and of the generator."""
        blocks, rests = [], []
        for function, scale in zip(self.functions, self.scales, strict=True):
            values = function(*self.points.T, *constants)
            columns = [np.broadcast_to(np.asarray(v, dtype=float), len(self.points)) for v in values]
            table = scale * np.array(columns).T / np.sqrt(len(self.points))
            blocks.append(table[:, :-1])
            rests.append(table[:, -1])
        if not blocks:
            return np.zeros((0, self.count)), np.zeros(0)
        return np.concatenate(blocks), np.concatenate(rests)


def constraints_of(formulas: Sequence[Formula], terms: list[Term], surrogate: Surrogate) -> Constraints:
    """The conditions of generators with formulas on a model made of terms."""
    symbols = symbols_of(surrogate)
    low, high = np.array(surrogate.domain.intervals, dtype=float).T
    points = np.random.default_rng(3).uniform(low, high, (EQUATION.cloud, len(low)))
    half = surrogate.domain.half
    names: dict[Any, Any] = {}
    values: list[float] = []
    prepared = []
    for number, row in enumerate(formulas):
        swap: dict[Any, Any] = {
            s: sympy.Symbol(str(s), real=True) for part in (row.tau, *row.xi) for s in part.free_symbols
        }
        for constant in row.constants:
            names[constant.symbol] = sympy.Symbol(f"c_{number}_{constant.symbol.name}", real=True)
            values.append(float(constant.value))
            swap[constant.symbol] = names[constant.symbol]
        own = [names[constant.symbol] for constant in row.constants]
        prepared.append((row.tau.xreplace(swap), [c.xreplace(swap) for c in row.xi], own))
    everything = [*symbols, *(symbol for _, _, own in prepared for symbol in own)]
    functions, scales = [], []
    for tau, xi, _ in prepared:
        size = _size(tau, xi, everything, points, values, half)
        for scale, columns in _rows(tau, xi, terms, symbols, half):
            if any(column != 0 for column in columns):
                functions.append(sympy.lambdify(everything, columns, "numpy"))
                scales.append(scale / size)
    return Constraints(functions, points, np.array(values), np.array(scales), len(terms))


def _size(tau: Any, xi: list[Any], symbols: list[Any], points: Any, values: list[float], half: Any) -> float:
    function = sympy.lambdify(symbols, [tau, *xi], "numpy")
    parts = [np.broadcast_to(np.asarray(v, dtype=float), len(points)) for v in function(*points.T, *values)]
    return float(np.sqrt(np.mean(np.sum((np.array(parts).T / half) ** 2, axis=1))))


def _rows(tau: Any, xi: list[Any], terms: list[Term], symbols: tuple[Any, ...], half: Any) -> Any:
    """Every equation with its scale: what each term adds to it, and last what no coefficient multiplies."""
    t, state, count = symbols[0], symbols[1:], len(xi)
    columns = [_of_term(term, tau, xi, t, state) for term in terms]
    for i in range(count):
        yield half[0] / half[1 + i], [first[i] for first, _ in columns] + [sympy.diff(xi[i], t)]
    for i in range(count):
        for j in range(i + 1):
            scale = half[0] / (half[1 + i] * half[1 + j])
            yield scale, [second[i][j] for _, second in columns] + [sympy.Integer(0)]


def _of_term(term: Term, tau: Any, xi: list[Any], t: Any, state: tuple[Any, ...]) -> tuple[list[Any], list[list[Any]]]:
    """What one term adds to E1 and to Q."""
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
