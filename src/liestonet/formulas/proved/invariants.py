"""Invariants, functions constant along every path, in closed form, by the same search as formulas of generators.

In this search an invariant is a field with one component, and its equations replace the determining equations.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from liestonet.core.domain import Domain
from liestonet.core.multiindex import total_degree
from liestonet.formulas.closed_forms import find_formulas
from liestonet.formulas.proved.tuning import PROOFS
from liestonet.sde.symbolic import SymbolicCoefficients
from liestonet.symmetry.analytic.dimension_bound import generic_point
from liestonet.symmetry.analytic.nullspace import cloud_for
from liestonet.symmetry.analytic.smallest_singular import lowest_directions
from liestonet.symmetry.determining.basis import Basis
from liestonet.symmetry.determining.equations import Equations, Unknown
from liestonet.symmetry.determining.fields import Fields, readable_basis
from liestonet.symmetry.determining.kinds import INVARIANT
from liestonet.symmetry.determining.operator import Operator

if TYPE_CHECKING:
    import sympy


def closed_invariants(
    coefficients: SymbolicCoefficients, domain: Domain, names: tuple[str, ...], count: int
) -> tuple[sympy.Expr, ...]:
    """Independent invariants as SymPy expressions that are proved, at most as many as there are."""
    fields, error = _candidates(coefficients, domain)
    if not count < fields.count <= PROOFS.most_found:
        return ()
    equations = _with_a_time_component(INVARIANT.equations(coefficients.dimension, coefficients.noise))
    _, formulas = find_formulas(fields, equations, coefficients, names, error)
    proved = [row.xi[0] for row in formulas if row.status == "proved" and row.xi[0].free_symbols]
    return _independent(proved, (coefficients.time, *coefficients.state), domain)[:count]


def _candidates(coefficients: SymbolicCoefficients, domain: Domain) -> tuple[Fields, float]:
    """All invariants of low degree in the coordinates, as fields with one component, and their error."""
    n = coefficients.dimension
    state = total_degree(range(1, n + 1), n + 1, PROOFS.state_degree)
    degrees = np.concatenate([state + row for row in total_degree([0], n + 1, PROOFS.time_degree)])
    shown = Basis(domain, np.array([domain.half[0], 1.0]), (degrees[:0], degrees))
    if len(degrees) > PROOFS.most_functions:
        return Fields(shown, np.zeros((len(degrees), 0))), 0.0
    basis = Basis(domain, np.ones(1), (degrees,))
    operator = Operator(INVARIANT, coefficients, domain, cloud_for(basis, domain))
    directions = lowest_directions(operator, basis, PROOFS.most_found + 1)
    small = directions.residuals < PROOFS.found
    fields = Fields(shown, directions.coefficients[:, small])
    return (readable_basis(fields) if small.any() else fields), float(directions.residuals[small].max(initial=0.0))


def _independent(
    functions: list[sympy.Expr], variables: tuple[sympy.Symbol, ...], domain: Domain
) -> tuple[sympy.Expr, ...]:
    """The simplest functions whose gradients at a generic point are independent."""
    import sympy

    at: dict[Any, Any] = dict(zip(variables, generic_point(domain).tolist(), strict=True))
    found: list[sympy.Expr] = []
    slopes = np.zeros((0, len(variables)))
    for function in sorted(functions, key=lambda e: (sympy.count_ops(e), str(e))):
        row = np.array([float(function.diff(v).subs(at)) for v in variables])
        rows = np.vstack([slopes, row / max(np.linalg.norm(row), np.finfo(float).tiny)])
        if np.linalg.matrix_rank(rows, tol=PROOFS.independent) == len(rows):
            found, slopes = [*found, function], rows
    return tuple(found)


def _with_a_time_component(equations: Equations) -> Equations:
    """The same equations for a field with an additional first component, that of time, which they do not contain."""
    terms = tuple(term._replace(unknown=term.unknown + 1) for term in equations.terms)
    return replace(equations, unknowns=(Unknown("tau", 0, time_only=True), *equations.unknowns), terms=terms)
