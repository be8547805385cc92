"""Numbers that decide how groups are compared."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ComparisonTuning:
    """What groups are compared by."""

    # Chance of calling groups different that are not, for all groups and for all constants together. Source:
    # convention.
    level: float = 0.05
    # An equation with more constants than these is not compared term by term. Source: by hand; as many as an
    # equation whose constants the symmetries leave may have (docs/method.md §18.9), and two more.
    most_constants: int = 8
    # Below this p-value an equation does not fit a group, so that its constants there are not compared. Source: as
    # the test of the symmetries of an equation (docs/method.md §18.9).
    rejected: float = 0.01
    # Directions in which a covariance is smaller than this part of its largest, in units of the errors, are
    # rounding. Source: theory: covariances are products of numbers known to 1e-16.
    rounding: float = 1e-12


COMPARISON = ComparisonTuning()
