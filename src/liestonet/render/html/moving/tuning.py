"""Numbers that decide how much moves on the page, chosen by hand for its size and appearance."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class MovingTuning:
    """Numbers of paths, points and steps on the page, and the ranges of its sliders."""

    # Paths shown, and points of each: together about 25 kB in one coordinate.
    paths: int = 12
    points: int = 100
    # Paths of an equation: steps to standardise come from them, and the first are shown.
    simulated: int = 60
    substeps: int = 20
    seed: int = 0
    # They begin within this fraction of the box's half-widths.
    spread: float = 0.5
    # The largest ε moves a typical point by this fraction of the box's half-width, as in the static picture.
    reach: float = 0.5
    # Positions of the slider on each side of zero at which the statistics are computed.
    positions: int = 8
    # Increments that are pushed for the histogram: the standard error of their mean change is a few hundredths.
    steps: int = 1500
    # With errors of points above this many standard errors, or an exposure above this fraction of a step, there is no
    # histogram.
    errors: float = 2.0
    blur: float = 0.05
    # Bars of the histogram, and the range that they cover in standard deviations.
    bars: int = 32
    range: float = 4.0
    # Points at which a series is compared with the formula that it replaces, and the fraction of the largest value to
    # which they must agree: flows are computed to 1e-6.
    compared: int = 500
    agreement: float = 1e-8
    # Tolerances of the ladder's slider; the result's own is added.
    tolerances: tuple[float, ...] = (0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5)
    # Coordinates up to which other tolerances are computed by default: with more this takes longer than the search.
    tolerance_coordinates: int = 2
    # Generators that are moved, and those of them, the first ones, that have a histogram.
    generators: int = 24
    generators_with_steps: int = 6
    # The same with more than three coordinates, where pushing the steps takes longer than the rest of the page.
    generators_with_steps_of_many: int = 2


MOVING = MovingTuning()
