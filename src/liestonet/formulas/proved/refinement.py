"""Coefficients of a generator to fifty digits: the determining equations solved in the span of a few known fields.

A numerical span shows which functions occur in a generator, but its numbers have the error of the span. With exact
coefficients the equations determine the numbers to any precision, and then their exact form is unambiguous.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import mpmath
import numpy as np
from jaxtyping import Float

from liestonet.formulas.exact_numbers import recognise_precisely
from liestonet.formulas.proved.tuning import PROOFS
from liestonet.formulas.tuning import FORMULAS
from liestonet.symmetry.determining.equations import Equations

if TYPE_CHECKING:
    from liestonet.sde.symbolic import SymbolicCoefficients


Field = tuple[Any, ...]  # τ, ξ^1, …, ξ^n and, for Fokker–Planck, β as SymPy expressions


class Refiner:
    """Solves the equations for combinations of fields; the residual of each field is computed once."""

    def __init__(
        self, equations: Equations, coefficients: SymbolicCoefficients, points: Float[np.ndarray, "b v"]
    ) -> None:
        self._equations, self._coefficients, self._points = equations, coefficients, points
        self._residuals: dict[Field, list[Any]] = {}
        self._known = _irrational_factors(coefficients)

    def coefficients(self, fields: Sequence[Field], pivot: int) -> list[Any] | None:
        """Exact factors of the fields, that of the pivot being one; None without a solution or exact numbers."""
        if len(fields) > PROOFS.largest_support:
            return None
        import sympy

        with mpmath.workdps(FORMULAS.digits):
            values = self._solution(fields, pivot)
            if values is None:
                return None
            exact = [recognise_precisely(value, self._known) for value in values]
        if any(number is None for number in exact):
            return None
        exact.insert(pivot, sympy.Integer(1))
        return exact

    def _solution(self, fields: Sequence[Field], pivot: int) -> list[Any] | None:
        """Factors of all fields except the pivot, or None if no combination solves the equations."""
        columns = [self._column(field, len(fields)) for field in fields]
        if any(column is None for column in columns):
            return None
        table: list[list[Any]] = [column for column in columns if column is not None]
        sizes = [max([abs(value) for value in column], default=mpmath.mpf(0)) for column in table]
        largest = max(sizes, default=mpmath.mpf(0))
        others = [j for j in range(len(table)) if j != pivot]
        if any(sizes[j] <= FORMULAS.precisely * largest for j in others):
            return None  # a field that solves the equations alone may have any factor
        right = mpmath.matrix([-value for value in table[pivot]])
        if not others:
            return [] if sizes[pivot] <= FORMULAS.precisely else None
        left = mpmath.matrix([[table[j][i] / sizes[j] for j in others] for i in range(len(right))])
        singular = np.linalg.svd(np.array(left.tolist(), dtype=float), compute_uv=False)
        if singular[-1] <= PROOFS.least_singular * singular[0]:
            return None  # the solution is not unique
        try:
            found = mpmath.lu_solve(left, right)
        except (ZeroDivisionError, ValueError):
            return None  # the fields are not independent
        missed = mpmath.norm(left * found - right, mpmath.inf)
        if missed > FORMULAS.precisely * max(sizes[pivot], mpmath.mpf(1)):
            return None
        return [found[position] / sizes[j] for position, j in enumerate(others)]

    def _column(self, field: Field, count: int) -> list[Any] | None:
        """The residual of one field in the equations, at a few more points than there are fields."""
        import sympy

        if field not in self._residuals:
            rows = self._equations.residuals(self._coefficients, field)
            if sum(sympy.count_ops(row) for row in rows) > PROOFS.largest_expression:
                return None
            variables = (self._coefficients.time, *self._coefficients.state)
            self._residuals[field] = [sympy.lambdify(variables, rows, "mpmath", cse=True)]
        evaluate = self._residuals[field][0]
        try:
            used = self._points[: count + PROOFS.extra_points]
            return [mpmath.mpf(v) for p in used for v in evaluate(*map(mpmath.mpf, p))]
        except (TypeError, ValueError, ZeroDivisionError, NameError, KeyError):
            return None


def _irrational_factors(coefficients: SymbolicCoefficients) -> list[Any]:
    """Products of powers of the irrational numbers that an equation contains, such as 1/π²."""
    import sympy

    nodes = [
        node for entry in (*coefficients.drift, *coefficients.diffusion) for node in sympy.preorder_traversal(entry)
    ]
    found: list[Any] = [
        node for node in nodes if node.is_number and not node.is_Rational and not (node.is_Mul or node.is_Add)
    ]
    numbers: list[Any] = sorted(dict.fromkeys(found), key=str)[: PROOFS.most_irrational]
    powers = [[number**exponent for exponent in (0, 1, -1, 2, -2)] for number in numbers]
    products_of = (sympy.Mul(*choice) for choice in product(*powers))
    return [factor for factor in dict.fromkeys(products_of) if not factor.is_Rational]
