"""Numbers that decide the comparison of groups."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ComparisonTuning:
    """Levels and limits of the tests."""

    # Familywise error rate of calling groups different, over all groups, and over all constants. Source:
    # convention.
    level: float = 0.05
    # Equations with more constants than this are not compared term by term. Source: by hand; two more than an equation
    # written with all constants may have (docs/method.md §18.9).
    most_constants: int = 8
    # Below this p-value the equation is rejected for a group, and its constants there are not compared. Source: as the
    # test of the symmetries of an equation (docs/method.md §18.9).
    rejected: float = 0.01
    # Directions in which a covariance is smaller than this part of its largest, in units of the errors, are
    # rounding. Source: theory: covariances are products of numbers known to 1e-16.
    rounding: float = 1e-12


COMPARISON = ComparisonTuning()
