"""From p-values and intervals to verdicts: symmetry, near-symmetry, undecided, no; and the criteria for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from liestonet.core.ladder import LadderRow
from liestonet.core.tuning import SHARED
from liestonet.symmetry.determining.kinds import Kind
from liestonet.symmetry.statistical.evidence import gather
from liestonet.symmetry.statistical.noisy_operator import Changes, NoisyOperator
from liestonet.symmetry.statistical.tuning import JUDGING


@dataclass(frozen=True)
class Criteria:
    """The largest residual of a symmetry, and the probability of missing any true one."""

    tolerance: float = SHARED.default_tolerance
    error_rate: float = SHARED.default_error_rate

    def level(self, kind: Kind, dimension: int) -> float:
        """Level of one test: as many are made as there may be symmetries, and all losses together count."""
        return self.error_rate / (most_symmetries(kind, dimension) if dimension <= SHARED.few_coordinates else 1)


def most_symmetries(kind: Kind, dimension: int) -> int:
    """Dimension of Brownian motion's algebra, the largest that noise of full rank allows."""
    rotations = dimension * (dimension - 1) // 2
    return dimension + 2 + {"ito": 0, "law": rotations, "fokker-planck": rotations + dimension + 2}[kind.name]


@dataclass(frozen=True)
class Chain:
    """Directions in order and what errors do to them; the first `known` are exact, the first `consistent` may be."""

    vectors: Float[np.ndarray, "m k"]
    changes: Changes
    known: int
    consistent: int


def judgements(operator: NoisyOperator, chain: Chain, level: float, criteria: Criteria) -> Iterator[LadderRow]:
    """Verdicts: in the consistent block by the interval's upper end, beyond it one direction at a time."""
    vectors, changes, known, consistent = chain.vectors, chain.changes, chain.known, chain.consistent
    confidence, first = 1 - criteria.error_rate, list(range(consistent))
    block, free = (
        gather(operator, vectors[:, first], changes.take(first), cautious) if consistent else None
        for cautious in (True, False)
    )
    for k in range(vectors.shape[1]):
        if block is not None and free is not None and k < consistent:
            evidence, place = block, k
            p_value = free.p_value(slice(known, consistent) if k >= known else slice(0, known))
        else:
            together = [*first, k]
            evidence, place = gather(operator, vectors[:, together], changes.take(together)), consistent
            p_value = evidence.p_value(slice(consistent, consistent + 1))
        lower, upper = evidence.interval(place, confidence)
        inside = k < consistent
        # a residual that bases and projections may have made is no evidence against zero
        lower = 0.0 if inside or evidence.residual(place) <= JUDGING.negligible else lower
        verdict = verdict_of(inside, p_value <= level, lower, upper, criteria.tolerance)
        yield LadderRow(evidence.residual(place), lower, upper, evidence.noise_level(place), p_value, verdict)


def verdict_of(consistent: bool, excluded: bool, lower: float, upper: float, tolerance: float) -> str:
    """One of the four words of docs/method.md §5.4."""
    if upper < tolerance:
        return "symmetry" if consistent else ("near-symmetry" if excluded else "undecided")
    return "no" if lower > tolerance else "undecided"
