"""Numbers used to choose the box of an equation and to turn callables into series.

`docs/catalogue.md` shows their effect (every system on its box). "By hand" here: chosen on the systems of the
catalogue and of the tests.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class BoxTuning:
    """How a domain is chosen if none is given, away from singular points of the coefficients."""

    # Highest degree that coefficients may need along a line of a chosen box. Source: theory: gives 1e-6 at `clearance`.
    degree: int = 16
    # Largest drift or diffusion in units of the box. Source: theory: it leaves six digits for the other terms.
    largest_size: float = 1e10
    # Largest product of the drift's rate and the duration. Source: by hand; solutions then change by e⁴ at most.
    rate: float = 4.0
    # Durations of a chosen box, the longest first. Source: by hand; usual round numbers.
    durations: tuple[float, ...] = tuple(float(f"{m}e-{k}") for k in range(1, 8) for m in (10, 5, 2))
    # Largest number of boxes that are tried. Source: cost.
    tried: int = 600
    # Largest number of boxes on which coefficients are probed. Source: cost.
    probed: int = 40
    # Largest number of times that a box is halved to lower the degree. Source: by hand.
    halvings: int = 6
    # Distance kept from a singular point, in half-widths. Source: theory: Chebyshev series then converge like 3^-k.
    clearance: float = 0.5
    # Half-width below which zeros of the noise are no longer worth avoiding. Source: by hand.
    smallest: float = 0.1
    # Points of a line on which callables are searched for zeros and singular points. Source: by hand; the step is 1/40,
    # so that 0, ±1/2, ±1 are hit.
    grid: int = 241
    # Lines of that search. Source: cost.
    lines: int = 6
    # Below this fraction of its usual size near a zero, a value counts as zero. Source: by hand.
    nothing: float = 0.05
    # Points of the search for roots of expressions that are not polynomials. Source: cost.
    scan: int = 2001
    # Largest distance of a chosen box from 0. Source: by hand.
    reach: float = 10.0
    # Distance from the box, in its widths, below which basis functions are adapted to a zero of a root or of the noise,
    # near which generators contain logarithms. Source: by hand.
    close: float = 0.5
    # The same for a pole, near which generators contain powers; polynomials still resolve these closer to it. Source:
    # by hand.
    close_pole: float = 0.1
    # If a formula has no value at its own bound, the bound is moved by this fraction of the distance to the path's
    # first point. Source: theory: far above rounding, far below a step.
    inside_bound: float = 1e-9
    # Points up to this far outside the box, in half-widths, count as inside. Source: theory: far above the precision of
    # float64.
    margin: float = 1e-9
    # Noise at a bound counts as zero if its step there is below this fraction of the overshoot. Source: by hand.
    vanished_noise: float = 1e-6
    # Points of a line on which the steepest place is located, for a message. Source: cost.
    steep_points: int = 10_001

    # Points at which coefficients are compared with themselves a period later. Source: cost.
    periodic_points: int = 400
    # They are periodic if their relative change is at most this. Source: theory: precision of float64 in the arguments
    # of sines, with a margin for callables.
    periodic_rounding: float = 1e-8


@dataclass(frozen=True)
class SeriesTuning:
    """Chebyshev series of callables, and when they are good enough."""

    # A series with a larger relative error is refused. Source: by hand.
    error_limit: float = 1e-2
    # Number of new points at which the error is measured. Source: cost.
    fresh_points: int = 2000
    # Rounding of a callable relative to its size, in units in the last place. Source: theory: a few operations.
    rounding_units: int = 4
    # A flat tail below this is noise of the callable, above it a lack of smoothness. Source: by hand.
    noise_limit: float = 1e-7
    # If a tail keeps more than this fraction when the points are doubled, it is noise. Source: theory: noise falls by
    # √½ = 0.7, and the tail of a kink to a quarter.
    same_noise: float = 0.6
    # Largest number of points on a line; a callable not resolved by then is refused. Source: cost.
    highest: int = 512
    # A geometric tail up to this size is accepted there, and the error reported. Source: by hand.
    tail_accepted: float = 1e-8
    # Points of the largest tensor grid that is used without a search for structure. Source: cost.
    direct: int = 4096
    # Points of the largest tensor grid. Source: cost.
    largest_grid: int = 200_000
    # Largest number of unknowns of a least-squares fit. Source: cost.
    most_terms: int = 1000
    # Degrees added to the probed one; their coefficients must vanish. Source: by hand.
    margin: int = 2
    # Random mixed differences per group of variables. Source: by hand; even one is almost never zero by chance.
    trials: int = 6
    # Lines through generic points on which callables are sampled first. Source: cost.
    lines: int = 4
    # Points on such a line at first. Source: cost.
    line_points: int = 32


BOX = BoxTuning()
SERIES = SeriesTuning()
