"""Numbers that decide how much moves on the page, chosen for its weight and by looking at it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class MovingTuning:
    """How many paths, points and steps the page has, and how far its sliders reach."""

    # Paths shown, and points of each: together about 25 kB in one coordinate.
    paths: int = 12
    points: int = 100
    # Paths of an equation: steps to standardise come from them, and the first are shown.
    simulated: int = 60
    substeps: int = 20
    seed: int = 0
    # They begin within this part of the box's half-widths.
    spread: float = 0.5
    # The largest ε moves a typical point by this part of the box's half-width, as in the still picture.
    reach: float = 0.5
    # Positions of the slider on each side of zero at which the statistics are computed.
    positions: int = 8
    # Increments that are pushed for the histogram: a mean of so many differences is known to a few hundredths.
    steps: int = 1500
    # Errors of points beyond so many standard errors, and exposures beyond this part of a step, leave no histogram.
    errors: float = 2.0
    blur: float = 0.05
    # Bars of the histogram, and the range that they cover in standard deviations.
    bars: int = 32
    range: float = 4.0
    # Points at which a series is compared with a formula that it stands for, and parts of the largest value to which
    # they must agree: flows are shown to 1e-6.
    compared: int = 500
    agreement: float = 1e-8
    # Tolerances of the ladder's slider; the result's own is put among them.
    tolerances: tuple[float, ...] = (0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5)
    # Coordinates up to which other tolerances are computed unasked: with more it takes longer than the search itself.
    tolerance_coordinates: int = 2
    # Generators that are moved, and those of them, the first ones, that have a histogram.
    generators: int = 24
    generators_with_steps: int = 6
    # The same with more than three coordinates, where pushing the steps takes longer than all else on the page.
    generators_with_steps_of_many: int = 2


MOVING = MovingTuning()
