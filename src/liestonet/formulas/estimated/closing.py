"""Test whether formulas, each fitted to a span, form an algebra: brackets must lie in the span of the formulas.

Deviations within the uncertainties of the constants are allowed. A wrong function near the span is detected in this
way: its brackets leave the span by far more than these uncertainties.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from liestonet.core.generators import directional_derivative
from liestonet.formulas.estimated.tuning import ESTIMATED
from liestonet.formulas.formula import Constant
from liestonet.formulas.functionspace import evaluate
from liestonet.formulas.sparse import Functions

Matrix = Float[np.ndarray, "functions m"]


@dataclass(frozen=True)
class _Values:
    """Single functions as vector fields (f, b, component), and their gradients (v, f, b, component)."""

    fields: Float[np.ndarray, "f b c"]
    gradients: Float[np.ndarray, "v f b c"]

    def mixed(self, matrix: Matrix) -> _Values:
        """Linear combinations of the functions, one for each column of the matrix."""
        return _Values(
            np.einsum("fbc,fm->mbc", self.fields, matrix), np.einsum("vfbc,fm->vmbc", self.gradients, matrix)
        )

    def brackets(self, other: _Values) -> Float[np.ndarray, "i j b c"]:
        """[X_i, Y_j] at every point."""
        forward = directional_derivative(self.fields, other.gradients)
        return forward - np.swapaxes(directional_derivative(other.fields, self.gradients), 0, 1)


class Closing:
    """Brackets of generators that are combinations of given functions, at some points of a box."""

    def __init__(
        self,
        flat: Functions,
        symbols: tuple[Any, ...],
        constants: Mapping[Any, Constant],
        points: Float[np.ndarray, "b v"],
        scales: Float[np.ndarray, " c"],
    ) -> None:
        self.flat, self.symbols, self.constants, self.scales = flat, symbols, constants, scales
        self.points = np.random.default_rng(17).permutation(points)[: ESTIMATED.bracket_points]

    def excess(self, matrix: Matrix, scatter: Matrix) -> Float[np.ndarray, "m m"]:
        """How far the bracket of every pair lies outside the span, in units of the uncertainty by its constants."""
        numbers = {symbol: constant.value for symbol, constant in self.constants.items()}
        # functions scaled to mean square one, so that no square overflows
        sizes = np.array([size for _, _, size in self.flat])[:, None]
        matrix, scatter = matrix * sizes, scatter * sizes
        values = self._values(numbers)
        rest, constants, span, parts = self._missed(values.mixed(matrix))
        lengths = np.linalg.norm(rest, axis=2)
        allowed = (ESTIMATED.bracket_rounding * parts) ** 2
        open_pairs = lengths > ESTIMATED.bracket_rounding * parts
        if not np.any(open_pairs):
            return np.zeros_like(lengths)
        allowed = allowed + self._by_factors(values, matrix, scatter, constants, span)
        for symbol, constant in self.constants.items():
            moved = self._values(numbers | {symbol: constant.value + constant.uncertainty})
            allowed += np.sum((self._missed(moved.mixed(matrix))[0] - rest) ** 2, axis=2)
        return np.divide(lengths, np.sqrt(allowed), out=np.zeros_like(lengths), where=open_pairs)

    def _values(self, numbers: Mapping[Any, float]) -> _Values:
        functions = [function.subs(numbers) for _, function, _ in self.flat]
        shape = len(functions), len(self.points), len(self.scales)
        fields, gradients = np.zeros(shape), np.zeros((len(self.symbols), *shape))
        for (component, _, size), field, column in zip(
            self.flat, fields, evaluate(functions, self.symbols, self.points), strict=True
        ):
            field[:, component] = column / size
        for symbol, gradient in zip(self.symbols, gradients, strict=True):
            slopes = evaluate([function.diff(symbol) for function in functions], self.symbols, self.points)
            for (component, _, size), field, column in zip(self.flat, gradient, slopes, strict=True):
                field[:, component] = column / size
        return _Values(fields, gradients)

    def _missed(self, generators: _Values) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The brackets' parts outside the span, their structure constants, the span, and the sizes of both terms."""
        forward = directional_derivative(generators.fields, generators.gradients)
        sizes = np.linalg.norm(self._flat(forward), axis=2)
        columns, brackets = self._flat(generators.fields), self._flat(forward - np.swapaxes(forward, 0, 1))
        span = np.linalg.qr(columns.T)[0]
        constants = np.einsum("kn,ijn->ijk", np.linalg.pinv(columns.T), brackets)
        return _outside(span, brackets), constants, span, sizes + sizes.T + np.finfo(float).tiny

    def _by_factors(
        self, values: _Values, matrix: Matrix, scatter: Matrix, constants: np.ndarray, span: np.ndarray
    ) -> Float[np.ndarray, "m m"]:
        """Mean squares of the brackets' parts outside the span that errors of the factors cause."""
        generators, count = values.mixed(matrix), matrix.shape[1]
        total = np.zeros((count, count))
        for f in np.flatnonzero(scatter.any(axis=1)):
            one = _Values(values.fields[f : f + 1], values.gradients[:, f : f + 1])
            single = _outside(span, self._flat(one.fields))[0]
            turned = _outside(span, self._flat(one.brackets(generators)))[0]
            for i in range(count):
                for j in range(count):
                    first = turned[j] - constants[i, j, i] * single
                    second = -turned[i] - constants[i, j, j] * single
                    total[i, j] += scatter[f, i] ** 2 * (first @ first) + scatter[f, j] ** 2 * (second @ second)
                    others = [k for k in range(count) if k not in (i, j)]
                    total[i, j] += (single @ single) * np.sum((scatter[f, others] * constants[i, j, others]) ** 2)
        return total

    def _flat(self, values: np.ndarray) -> np.ndarray:
        """Values in natural units, with points and components as one row."""
        return (values / self.scales).reshape(*values.shape[:-2], -1)


def _outside(span: np.ndarray, rows: np.ndarray) -> np.ndarray:
    return rows - (rows @ span) @ span.T


def not_closing(
    excess: Float[np.ndarray, "m m"], present: Sequence[bool], sizes: Sequence[int], most: float
) -> list[int]:
    """Generators to remove until no bracket of the others exceeds `most`; of each pair the one with more terms."""
    kept = [k for k, there in enumerate(present) if there]
    left: list[int] = []
    while True:
        wrong = [sum(excess[i, j] > most for j in kept) for i in kept]
        if not any(wrong):
            return left
        worst = max(zip(wrong, [sizes[i] for i in kept], kept, strict=True))[2]
        kept.remove(worst)
        left.append(worst)
