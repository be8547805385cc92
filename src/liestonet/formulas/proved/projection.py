"""Proved formulas put back into the basis of the fields: the span is then as good as the basis can make it.

Next to a singular point residuals say little about the error of a span; a formula that is proved has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from liestonet.core.points import lattice_cloud
from liestonet.formulas.formula import Formula
from liestonet.formulas.functionspace import evaluate
from liestonet.formulas.proved.tuning import PROOFS
from liestonet.symmetry.determining.fields import Fields


def projected(fields: Fields, formulas: Sequence[Formula], symbols: tuple[Any, ...]) -> Fields:
    """The fields with every one that has a proved formula replaced by the formula, as near as the basis comes."""
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
