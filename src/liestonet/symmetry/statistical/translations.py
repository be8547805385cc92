"""∂t and the translations: directions with a meaning of their own, tested without turning them and imposed exactly.

A span that data determine up to noise always has neighbours that fit as well. Where the test does not reject exact
invariance under a shift of time or of a coordinate, that is the simpler statement, and taking it as exact sharpens all
others (docs/method.md §6.1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from liestonet.core.ladder import LadderRow
from liestonet.symmetry.statistical.elimination import unprojected
from liestonet.symmetry.statistical.evidence import Evidence
from liestonet.symmetry.statistical.noisy_operator import NoisyOperator
from liestonet.symmetry.statistical.verdicts import Criteria


def shifts(operator: NoisyOperator) -> Float[np.ndarray, "m k"]:
    """∂t and ∂_1 … ∂_n as orthonormal coefficient vectors."""
    basis, columns = operator.basis, []
    for unknown in range(operator.table.dimension + 1):
        constant = np.zeros(basis.size)
        constant[basis.columns(unknown).start + int(np.argmin(basis.degrees[unknown].sum(axis=1)))] = 1.0
        columns.append(np.linalg.solve(operator.whitening, constant))
    return np.linalg.qr(np.stack(columns, axis=1))[0]


@dataclass(frozen=True)
class Shifts:
    """Shifts of some variables (0 is time) as directions, with the test of each."""

    variables: tuple[int, ...]
    vectors: Float[np.ndarray, "m k"]
    rows: tuple[LadderRow, ...]


def exact_shifts(operator: NoisyOperator, criteria: Criteria, level: float) -> Shifts:
    """The shifts that are not rejected at a level and whose upper bound is below the tolerance."""
    vectors = shifts(operator)
    evidence = unprojected(operator, vectors)
    kept = [
        k
        for k in range(vectors.shape[1])
        if operator.basis.domain.shape(k) is None and _accepted(evidence, k, criteria, level)
    ]
    # together they must be consistent too; the least consistent one goes first
    while kept and unprojected(operator, vectors[:, kept]).p_value() <= level:
        kept.remove(min(kept, key=lambda k: evidence.p_value(slice(k, k + 1))))
    return Shifts(tuple(kept), vectors[:, kept], tuple(_row(evidence, k, criteria) for k in kept))


def _accepted(evidence: Evidence, k: int, criteria: Criteria, level: float) -> bool:
    row = _row(evidence, k, criteria)
    return row.p_value > level and row.upper < criteria.tolerance


def _row(evidence: Evidence, k: int, criteria: Criteria) -> LadderRow:
    upper = evidence.interval(k, 1 - criteria.error_rate)[1]
    p_value = evidence.p_value(slice(k, k + 1))
    return LadderRow(evidence.residual(k), 0.0, upper, evidence.noise_level(k), p_value, "symmetry")
