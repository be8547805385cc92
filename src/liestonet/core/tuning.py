"""Numbers used in decisions: each package has its own as frozen values, and a result's provenance records them.

Every field says what it does and where its value comes from:

- theory: it follows from a formula, a named publication or the precision of floating-point numbers;
- measured: the named page or experiment shows the effect of the value;
- by hand: chosen while the method was built, on simulated data whose seeds no published table uses (below 1000, see
  `docs/examples.md`); how results depend on it was not studied separately;
- cost: a larger number gives results as good or better, and takes longer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

Value = TypeVar("Value")


@dataclass(frozen=True)
class SharedTuning:
    """Numbers used in decisions by several packages."""

    # Up to this many coordinates every direction has its own verdict, bases hold all products of the variables, errors
    # of all coefficients are estimated jointly, and each coordinate has its own shrinkage. Source: cost; systems of the
    # paper and the catalogue with more coordinates are judged as blocks (docs/examples.md, 10-D).
    few_coordinates: int = 3
    # When the root of a covariance is inverted, directions shorter than this fraction of the longest one count as
    # rounding. Source: theory: squares of 1e-12 are near the rounding error of the covariance.
    shortest_error: float = 1e-6
    # Errors of the parameters shorter than this fraction of the longest are left out of the search. Source: theory:
    # two derivatives of a polynomial of degree 14 are at most 1e5 times as large as the polynomial.
    negligible_error: float = 1e-9
    # Default of `discover(tolerance=…)`: a direction whose residual is below it counts as a symmetry, or, if exactness
    # is rejected, as a near-symmetry. Source: by hand.
    default_tolerance: float = 0.1
    # Default of `discover(error_rate=…)`: probability of losing any true symmetry. Source: convention.
    default_error_rate: float = 0.05
    # The interval of a periodic coordinate must have the length of the period up to this fraction. Source: by hand;
    # users round 2π.
    turn_rounding: float = 1e-3
    # Points at which a random symmetry is tested for dependence on the Wiener process. Source: cost.
    noise_points: int = 200
    # A derivative below this fraction of a field counts as zero. Source: theory: rounding of series.
    no_slope: float = 1e-7


SHARED = SharedTuning()


def by_dimension(values: Sequence[Value], dimension: int) -> Value:
    """The value for a number of coordinates: the first is for one coordinate, the last also for all higher numbers."""
    return values[min(dimension, len(values)) - 1]
