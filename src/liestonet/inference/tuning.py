"""What decides which proposals of symmetries are followed and whether they are imposed on the coefficients.

What these values lead to on seeds that were not used to choose them: `docs/examples.md`, `docs/controls.md`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RefitTuning:
    """How symmetries are imposed on coefficients."""

    # The equations are imposed to this part of the largest noise in them, in squares, or of a negligible residual.
    # Source: by hand; what is smaller may be an error of bases, and imposing it would take away true errors.
    slack: float = 1e-3
    # The same for exact directions, which cannot turn. Source: by hand.
    exact_slack: float = 1e-7
    # With fewer conditions than this in all, symmetries ask nothing of the coefficients. Source: theory: conditions
    # that data show are counted nearly whole.
    least_freedom: float = 0.05
    # Rounds of imposing and turning at most. Source: cost.
    rounds: int = 10
    # The coefficients stand still when a round moves them by less than this many standard errors. Source: by hand.
    standing: float = 0.1
    # A round turns the block by no more than this (radians, roughly). Source: by hand; the equations are linearised.
    largest_turn: float = 0.3


@dataclass(frozen=True)
class StagesTuning:
    """When the proposal of a sparse surrogate, and a refit, are taken."""

    # What a sparse surrogate proposes must stand out of its next direction by this factor. Source: by hand.
    gap: float = 3.0
    # It must lie in the span of the rich surrogate within so many of its errors. Source: by hand; three standard
    # errors.
    errors: float = 3.0
    # None of these errors is taken as smaller than this (radians). Source: by hand.
    least_error: float = 1e-2
    # Symmetries are imposed unless held-out paths are less likely by more than so many standard errors. Source: theory:
    # chance alone does that in one of forty cases.
    clearly: float = 2.0


@dataclass(frozen=True)
class DateTuning:
    """The test that a law does not depend on the date."""

    # Bins of the date for each relaxation time. Source: by hand; forces with a quarter of it as period are looked for.
    bins: float = 16.0
    # Bins at most. Source: cost.
    most_bins: int = 16_384
    # Bins at least, where there are increments for them. Source: by hand; blocks need some each.
    least_bins: int = 256
    # Increments in a bin on average at least. Source: by hand; errors that neighbours share then stay within a bin.
    least_in_bin: int = 8
    # A harmonic has so many bins in its period at least. Source: theory: fewer would show it at half of its size.
    bins_in_period: int = 4
    # Blocks of the date that are compared, and shown. Source: by hand.
    blocks: int = 16
    # Degree of a slow trend. Source: by hand; a change in one direction, and one that turns.
    trend: int = 2
    # Total degree of the state in what is taken out as constant in the date, for one, two, three and more coordinates.
    # Source: by hand.
    constant_degree: tuple[int, ...] = (3, 2, 2, 1)
    # Squared standardised residuals count as this at most: one jump is no date. Source: by hand; four standard
    # deviations.
    clip: float = 16.0
    # Diffusions below this part of their mean are taken as that. Source: by hand.
    least_diffusion: float = 1e-3
    # Cosines of the date in which the size of a slow dependence is measured. Source: by hand.
    cosines: int = 8
    # Combinations of functions of which less than this part is left beside the fit's own are not asked: errors of the
    # linear filter, where noise of the points meets a diffusion that depends on the state, would decide. Source: CIR
    # with noise of one step, seeds from 500.
    least_unexplained: float = 0.5
    # Directions smaller than this part of the largest are rounding. Source: theory: sums of squares.
    empty: float = 1e-9
    # A direction is ∂t itself if the cosine between the two is above this. Source: by hand.
    time_itself: float = 0.99
    # Harmonics as near as this many to one of the period that the clock has are left out. Source: theory: neighbours
    # share a line that lies between them.
    beside_period: float = 1.5


@dataclass(frozen=True)
class AdequacyTuning:
    """The tests that the fit of a recording is adequate."""

    # p-value below which a fit is rejected, if the deviation is material too. Source: by hand; far below the error
    # rate, as a rejection leaves no symmetry.
    level: float = 1e-3
    # A smaller change of drift or diffusion, relative to themselves, is no reason to reject. Source: by hand; half of
    # the default tolerance.
    material: float = 0.05
    # Cells in each coordinate, for one, two, three and more. Source: by hand; eight periods show in 32.
    cells: tuple[int, ...] = (32, 6, 8)
    # Cells of a coordinate where steps arrive, in up to two coordinates. Source: by hand; eight periods show in 32.
    arrival_cells: int = 32
    # Polynomials of their ranks up to this degree are left out: what steps that are not Gaussian do to the density
    # varies so slowly, and slower deviations of the drift show in its cells. Source: by hand; 4.5 periods are left.
    slow_degree: int = 8
    # Steps at most in which the drift changes by this part of itself; longer ones are too far from Gaussian where the
    # noise grows or the drift bends. Source: CIR and the double well at .6, seeds from 971, are rejected without it.
    longest_arrival: float = 0.2
    # Steps of which that is asked at most, as blocks: of more, smaller deviations from Gaussian steps would show.
    # Source: by hand; the same at .18 and 20,000 points show none.
    most_arrivals: int = 32_768
    # With fewer distinct values than this part of the sample a coordinate is rounded, and where steps arrive is not
    # asked. Source: by hand.
    distinct: float = 0.5
    # A force whose standard errors are so many may escape. Source: theory: 95 of 100 are within two.
    escapes: float = 2.0
    # Points at which the noise is averaged for that. Source: cost.
    looked_at: int = 2000
    # Steps back that may predict a step. Source: by hand; memory between one and sixteen steps.
    lags: tuple[int, ...] = (1, 2, 4, 16)
    # Paths at most that have a function each; the scatter of more is tested as a whole. Source: cost.
    most_paths: int = 60
    # Paths at least for a test of their scatter. Source: theory: their sum of squares is then close to Gaussian.
    least_paths: int = 30
    # Steps at least. Source: theory: the statistic is a χ² with some dozen degrees of freedom.
    least_steps: int = 2000
    # Steps at most, evenly over the recording. Source: cost.
    most_steps: int = 200_000
    # Steps in a block. Source: cost.
    block: int = 16_384
    # Steps in a piece of a block. Source: cost.
    piece: int = 4096
    # Past steps and standardised ones count as so many standard deviations at most. Source: by hand: one jump is no
    # memory.
    clip: float = 4.0
    # (z² − 1)/√2 counts as this at most. Source: the same, for the square.
    clip_squares: float = 10.6
    # Diffusions below this part of their mean are taken as that. Source: by hand.
    least_diffusion: float = 1e-3
    # Combinations of functions of which less than this part is left beside the fit's own are not asked: errors of the
    # linear filter, where noise of the points meets a diffusion that depends on the state, would decide. Source: CIR
    # with noise of one step, seeds from 500.
    least_unexplained: float = 0.5
    # Directions smaller than this part of the largest are rounding. Source: theory: sums of squares.
    empty: float = 1e-9
    # The same for the scatter of the scores. Source: theory: they are known from fewer steps.
    rounding: float = 1e-6


REFIT = RefitTuning()
DATE = DateTuning()
ADEQUACY = AdequacyTuning()
STAGES = StagesTuning()
