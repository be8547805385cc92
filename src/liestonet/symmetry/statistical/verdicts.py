"""From p-values and intervals to verdicts: symmetry, near-symmetry, undecided, no; and the criteria for them."""

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
        """Level of one test: as many are made as there may be symmetries, and all losses together count."""
        return self.error_rate / (most_symmetries(kind, dimension) if dimension <= SHARED.few_coordinates else 1)


def most_symmetries(kind: Kind, dimension: int) -> int:
    """Dimension of Brownian motion's algebra, the largest that noise of full rank allows."""
    rotations = dimension * (dimension - 1) // 2
    return dimension + 2 + {"ito": 0, "law": rotations, "fokker-planck": rotations + dimension + 2}[kind.name]


def verdict_of(consistent: bool, excluded: bool, lower: float, upper: float, tolerance: float) -> str:
    """One of the four words of docs/method.md §5.4."""
    if upper < tolerance:
        return "symmetry" if consistent else ("near-symmetry" if excluded else "undecided")
    return "no" if lower > tolerance else "undecided"
