"""Numbers that decide: each room keeps its own in frozen values, and a result's provenance keeps those it was made by.

Every field says what it does and where its value comes from:

- theory: it follows from a formula, a named publication or the precision of floating-point numbers;
- measured: the page or experiment that is named shows what the value leads to;
- by hand: chosen while the method was built, on simulated data whose seeds no published table uses (below 1000, see
  `docs/examples.md`); how the answers change with it was not studied on its own;
- cost: a larger number is as good or better and takes longer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

Value = TypeVar("Value")


@dataclass(frozen=True)
class SharedTuning:
    """What several rooms decide by."""

    # Up to so many coordinates every direction has a verdict of its own, bases hold all products of the variables,
    # the errors of all coefficients are joint, and each coordinate has its own shrinkage. Source: cost; the paper's
    # and the catalogue's systems with more coordinates are judged as blocks (docs/examples.md, 10-D).
    few_coordinates: int = 3
    # Directions shorter than this part of the longest one are rounding where the root is inverted. Source: theory:
    # squares of 1e-12 are near the rounding of the covariance.
    shortest_error: float = 1e-6
    # Errors of the parameters shorter than this part of the longest are left out of the search. Source: theory: two
    # derivatives of a polynomial of degree 14 are at most 1e5 times as large as itself.
    negligible_error: float = 1e-9
    # Residual below which a direction counts as a symmetry, and one that is none as near, unless another is given
    # (`discover(tolerance=…)`). Source: by hand.
    default_tolerance: float = 0.1
    # Chance of losing any true symmetry, unless another is given (`discover(error_rate=…)`). Source: convention.
    default_error_rate: float = 0.05
    # The interval of a periodic coordinate is one turn if its length is the period up to this part. Source: by hand;
    # people round 2π.
    turn_rounding: float = 1e-3


SHARED = SharedTuning()


def by_dimension(values: Sequence[Value], dimension: int) -> Value:
    """The value for so many coordinates: the first is for one, the last for all that have none of their own."""
    return values[min(dimension, len(values)) - 1]
