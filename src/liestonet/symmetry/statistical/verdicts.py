"""Verdicts from p-values and intervals: symmetry, near-symmetry, undecided, no; and the criteria for them."""

from __future__ import annotations

from dataclasses import dataclass

from liestonet.core.tuning import SHARED
from liestonet.symmetry.determining.kinds import Kind


@dataclass(frozen=True)
class Criteria:
    """The largest residual of a symmetry, and the probability of missing any true one."""

    tolerance: float = SHARED.default_tolerance
    error_rate: float = SHARED.default_error_rate

    def level(self, kind: Kind, dimension: int) -> float:
        """Level of one test: the error rate is shared among as many tests as there may be symmetries (Bonferroni)."""
        return self.error_rate / (most_symmetries(kind, dimension) if dimension <= SHARED.few_coordinates else 1)


def most_symmetries(kind: Kind, dimension: int) -> int:
    """Dimension of Brownian motion's symmetry algebra, the largest possible with noise of full rank."""
    rotations = dimension * (dimension - 1) // 2
    return dimension + 2 + {"ito": 0, "law": rotations, "fokker-planck": rotations + dimension + 2}[kind.name]


def verdict_of(consistent: bool, excluded: bool, lower: float, upper: float, tolerance: float) -> str:
    """The verdict on a direction, as defined in docs/method.md §5.4."""
    if upper < tolerance:
        return "symmetry" if consistent else ("near-symmetry" if excluded else "undecided")
    return "no" if lower > tolerance else "undecided"
