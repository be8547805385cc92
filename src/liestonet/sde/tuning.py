"""What decides the box of an equation, and how callables become series.

What these values lead to: `docs/catalogue.md` (every system on its box). "By hand" here: chosen on the catalogue's
systems and on those of the tests.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class BoxTuning:
    """A domain where none is given, away from where coefficients are singular."""

    # Degree that coefficients may need along a line of a chosen box. Source: theory: enough for 1e-6 at the clearance.
    degree: int = 16
    # Largest drift or diffusion in units of the box. Source: theory: it leaves six digits for the rest.
    largest_size: float = 1e10
    # Largest product of the drift's rate and the duration. Source: by hand; e⁴ keeps all times of a size.
    rate: float = 4.0
    # Durations of a chosen box, the longest first. Source: by hand; those that people write.
    durations: tuple[float, ...] = tuple(float(f"{m}e-{k}") for k in range(1, 8) for m in (10, 5, 2))
    # Boxes that are tried at most. Source: cost.
    tried: int = 600
    # Boxes whose coefficients are probed at most. Source: cost.
    probed: int = 40
    # How often a box is halved to lower the degree. Source: by hand.
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
    # Less than this part of its usual size next to a zero is the zero itself. Source: by hand.
    nothing: float = 0.05
    # Points of the search for roots of what is not a polynomial. Source: cost.
    scan: int = 2001
    # How far from 0 a chosen box may lie. Source: by hand.
    reach: float = 10.0
    # Distance from the box, in its widths, below which a zero of a root or of the noise shapes the functions there:
    # it brings in logarithms. Source: by hand.
    close: float = 0.5
    # The same for a pole, which brings in powers: polynomials resolve them from closer by. Source: by hand.
    close_pole: float = 0.1
    # Where a formula has no value at its own bound, the bound is this part of the way from there to where a path
    # begins. Source: theory: far above rounding, far below a step.
    inside_bound: float = 1e-9
    # Points this far outside the box, in half-widths, are rounding and belong to it. Source: theory: far above the
    # precision of float64.
    margin: float = 1e-9
    # Noise at a bound counts as vanished if one step of it is less than this part of the overshoot. Source: by hand.
    vanished_noise: float = 1e-6
    # Points of a line on which a steep place is sought, for a message. Source: cost.
    steep_points: int = 10_001

    # Points at which coefficients are compared with themselves a period later. Source: cost.
    periodic_points: int = 400
    # They are periodic if they change by no more than this part. Source: theory: precision of float64 in the arguments
    # of sines, with room for callables.
    periodic_rounding: float = 1e-8


@dataclass(frozen=True)
class SeriesTuning:
    """Chebyshev series of callables, and when they are good enough."""

    # A series with a larger relative error is refused. Source: by hand.
    error_limit: float = 1e-2
    # Fresh points at which the error is measured. Source: cost.
    fresh_points: int = 2000
    # Rounding of a callable relative to its size, in units in the last place. Source: theory: a few operations.
    rounding_units: int = 4
    # A flat tail below this is noise of the callable, above it a lack of smoothness. Source: by hand.
    noise_limit: float = 1e-7
    # Noise keeps more than this part when the points are doubled. Source: theory: it falls by their root, 0.7, and the
    # tail of a kink to a quarter.
    same_noise: float = 0.6
    # Points on a line before a callable is given up. Source: cost.
    highest: int = 512
    # A geometric tail still this large there is accepted, and the error reported. Source: by hand.
    tail_accepted: float = 1e-8
    # Points of a tensor grid that is taken without looking for structure. Source: cost.
    direct: int = 4096
    # Points of the largest tensor grid. Source: cost.
    largest_grid: int = 200_000
    # Unknowns of a least-squares fit. Source: cost.
    most_terms: int = 1000
    # Degrees beyond the probed one, whose coefficients must vanish. Source: by hand.
    margin: int = 2
    # Random mixed differences per group of variables. Source: by hand; a zero by chance is impossible with one.
    trials: int = 6
    # Lines on which callables are looked at first, through generic points. Source: cost.
    lines: int = 4
    # Points on such a line at a first look. Source: cost.
    line_points: int = 32


BOX = BoxTuning()
SERIES = SeriesTuning()
