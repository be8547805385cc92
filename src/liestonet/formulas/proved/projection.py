"""Projection of proved formulas on the basis of the fields, which makes the span as accurate as the basis allows.

Near a singular point residuals are a poor measure of the error of a span; a proved formula is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from liestonet.core.domain import Domain
from liestonet.core.multiindex import total_degree, union
from liestonet.core.points import lattice_cloud
from liestonet.formulas.formula import Formula
from liestonet.formulas.functionspace import evaluate
from liestonet.formulas.proved.tuning import PROOFS, SLICES
from liestonet.symmetry.determining.basis import Basis
from liestonet.symmetry.determining.equations import Equations
from liestonet.symmetry.determining.fields import Fields

if TYPE_CHECKING:
    from sympy import Symbol


def projected(fields: Fields, formulas: Sequence[Formula], symbols: tuple[Any, ...]) -> Fields:
    """The fields with those that have a proved formula replaced by the projection of the formula on the basis."""
    basis, coefficients = fields.basis, fields.coefficients.copy()
    proved = [k for k, row in enumerate(formulas) if row.status == "proved"]
    largest = max(len(rows) for rows in basis.degrees)
    count = max(PROOFS.points_per_function * largest, PROOFS.least_points)
    cloud = lattice_cloud(basis.domain, count, edge=basis.highest > 4)
    tables, roots = basis.tables(cloud.points, 0), np.sqrt(cloud.weights)[:, None]
    for unknown in range(len(basis.degrees)):
        parts = [(formulas[k].tau, *formulas[k].xi, formulas[k].beta)[unknown] for k in proved]
        if parts and len(basis.degrees[unknown]):
            values = np.column_stack(evaluate(parts, symbols, cloud.points))
            functions = basis.functions(tables, unknown, ())
            found = np.linalg.lstsq(roots * functions, roots * values, rcond=1e-14)[0]
            coefficients[basis.columns(unknown), np.array(proved)] = found
    return Fields(basis, coefficients, fields.has_beta)


def from_formulas(
    formulas: Sequence[Formula], equations: Equations, domain: Domain, symbols: tuple[Symbol, ...]
) -> Fields:
    """Series on a box, of moderate degrees, for generators of which only formulas are given.

    The basis of each component has products of the variables that occur in it.
    """
    variables = len(domain.intervals)
    scales = equations.unknown_scales(domain.half)
    rows = [(row.tau, *row.xi, row.beta)[: len(scales)] for row in formulas]
    degrees = []
    for unknown in range(len(scales)):
        own = np.zeros((0, variables), dtype=np.int64)
        for row in rows:
            if row[unknown] != 0:
                active = [v for v, symbol in enumerate(symbols) if symbol in row[unknown].free_symbols]
                own = union(own, total_degree(active, variables, SLICES.degrees[min(len(active), 7)]))
        degrees.append(own)
    basis = Basis(domain, scales, tuple(degrees))
    return projected(Fields(basis, np.zeros((basis.size, len(rows)))), formulas, symbols)
