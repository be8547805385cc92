"""Exact rates of exponentials suggested by a linear drift: its eigenvalues, their sums and differences."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any

from liestonet.formulas.tuning import FORMULAS

if TYPE_CHECKING:
    from liestonet.sde.symbolic import SymbolicCoefficients


def eigenrates(coefficients: SymbolicCoefficients | None) -> list[Any]:
    """Real and imaginary parts of λ_i, λ_i + λ_j and λ_i − λ_j, for eigenvalues that are roots of quadratics."""
    import sympy

    if coefficients is None or coefficients.dimension > FORMULAS.most_coordinates:
        return []
    drift: Any = coefficients.drift
    jacobian = drift.jacobian(sympy.Matrix(coefficients.state))
    if not all(entry.is_Rational for entry in jacobian):
        return []
    eigenvalues = _eigenvalues(jacobian)
    parts = []
    for one, two in combinations_with_replacement(eigenvalues, 2):
        for k in range(2):
            parts += [one[k], two[k], one[k] + two[k], one[k] - two[k]]
    return list(dict.fromkeys(sign * part for part in parts for sign in (1, -1)))


def _eigenvalues(jacobian: Any) -> list[tuple[Any, Any]]:
    """Real and imaginary parts of the roots of linear and quadratic factors of the characteristic polynomial."""
    import sympy

    found = []
    for factor, _ in jacobian.charpoly().factor_list()[1]:
        numbers = factor.all_coeffs()
        if len(numbers) == 2:
            found.append((-numbers[1] / numbers[0], sympy.Integer(0)))
        elif len(numbers) == 3:
            a, b, c = numbers
            root = sympy.sqrt(abs(b**2 - 4 * a * c)) / (2 * a)
            if b**2 > 4 * a * c:
                found += [(-b / (2 * a) + sign * root, sympy.Integer(0)) for sign in (1, -1)]
            else:
                found.append((-b / (2 * a), root))
    return found
