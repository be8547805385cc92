"""Numbers that decide which proposed symmetries are accepted and whether they are imposed on the coefficients.

`docs/examples.md` and `docs/controls.md` show their effect, on seeds that were not used to choose them.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RefitTuning:
    """How symmetries are imposed on coefficients."""

    # The determining equations are imposed up to this fraction of the largest noise in them, in squares, or of a
    # negligible residual. Source: by hand; smaller residuals may be errors of the bases, and imposing these would
    # remove true errors.
    slack: float = 1e-3
    # The same for exact directions, which are not rotated. Source: by hand.
    exact_slack: float = 1e-7
    # With fewer degrees of freedom than this, symmetries impose no condition on the coefficients. Source: theory: a
    # condition that the data can test counts nearly as one.
    least_freedom: float = 0.05
    # Largest number of rounds of imposing conditions and rotating the block. Source: cost.
    rounds: int = 10
    # The coefficients have converged if a round changes them by less than this many standard errors. Source: by hand.
    standing: float = 0.1
    # Largest rotation of the block in one round (radians, roughly). Source: by hand; the equations are linearised.
    largest_turn: float = 0.3


@dataclass(frozen=True)
class StagesTuning:
    """When the proposal of a sparse surrogate, and a refit, are accepted."""

    # The residual of the sparse surrogate's next direction must be larger than those proposed by this factor. Source:
    # by hand.
    gap: float = 3.0
    # The proposal must lie in the span of the rich surrogate's directions within this many of their standard errors.
    # Source: by hand.
    errors: float = 3.0
    # Smallest value used for these errors (radians). Source: by hand.
    least_error: float = 1e-2
    # Symmetries are imposed unless held-out data are less likely by more than this many standard errors. Source:
    # theory: by chance this happens in one of forty cases.
    clearly: float = 2.0


@dataclass(frozen=True)
class DateTuning:
    """The test of the hypothesis that the law does not depend on the date."""

    # Bins of the date per relaxation time. Source: by hand; this resolves forces with a quarter of it as their period.
    bins: float = 16.0
    # Largest number of bins. Source: cost.
    most_bins: int = 16_384
    # Smallest number of bins, if there are enough increments. Source: by hand; every block needs several.
    least_bins: int = 256
    # Smallest mean number of increments in a bin. Source: by hand; correlated errors of neighbours are then in one bin.
    least_in_bin: int = 8
    # Smallest number of bins in the period of a harmonic. Source: theory: with fewer its size would appear halved.
    bins_in_period: int = 4
    # Number of blocks of the date that are compared and plotted. Source: by hand.
    blocks: int = 16
    # Degree of a slow trend. Source: by hand; a monotone change, and one that reverses.
    trend: int = 2
    # Total degree of the functions of the state that are projected out as constant in the date, for one, two, three and
    # more coordinates. Source: by hand.
    constant_degree: tuple[int, ...] = (3, 2, 2, 1)
    # Squared standardised residuals are clipped at this value, so that a single jump is no dependence on the date.
    # Source: by hand; four standard deviations.
    clip: float = 16.0
    # Diffusions below this fraction of their mean are raised to it. Source: by hand.
    least_diffusion: float = 1e-3
    # Number of cosines of the date with which the size of a slow dependence is measured. Source: by hand.
    cosines: int = 8
    # Combinations of test functions are left out if less than this fraction of them is orthogonal to the fit's own:
    # errors of the linear filter, for noisy points and a diffusion that depends on the state, would decide. Source:
    # CIR with noise of one step, seeds from 500.
    least_unexplained: float = 0.5
    # Directions smaller than this fraction of the largest count as rounding. Source: theory: sums of squares.
    empty: float = 1e-9
    # A direction counts as ∂t if the cosine between the two is above this. Source: by hand.
    time_itself: float = 0.99
    # A slow cycle turns at least so often in the recording. Source: by hand; what wanders without a period is strongest
    # at one turn.
    least_turns: int = 3
    # Its χ² is this many times that of other slow ones, but for its neighbours and multiples. Source: by hand.
    standing_out: float = 4.0
    # Parts into which the distance between the neighbours of a harmonic is divided to find the period. Source: cost.
    between: int = 80
    # Harmonics as near as this many to one of the period that the clock has are left out. Source: theory: neighbours
    # share a line that lies between them.
    beside_period: float = 1.5


@dataclass(frozen=True)
class AdequacyTuning:
    """The tests that the fit of a recording is adequate."""

    # p-value below which a fit is rejected, if the deviation is also material. Source: by hand; far below the error
    # rate, because after a rejection no symmetry is confirmed.
    level: float = 1e-3
    # Relative change of drift or diffusion below which a fit is not rejected. Source: by hand; half of the default
    # tolerance.
    material: float = 0.05
    # Cells in each coordinate, for one, two, three and more. Source: by hand; 32 cells resolve eight periods.
    cells: tuple[int, ...] = (32, 6, 8)
    # Cells of a coordinate for end points of steps, in up to two coordinates. Source: by hand; 32 resolve 8 periods.
    arrival_cells: int = 32
    # Polynomials in the cells' ranks up to this degree are left out: effects of non-Gaussian steps on the density vary
    # this slowly, and slow deviations of the drift appear in the cells of starting points. Source: by hand; structure
    # from 4.5 periods on remains.
    slow_degree: int = 8
    # Longest step for the test of end points, as a fraction of the relaxation time; longer steps are too far from
    # Gaussian if noise or slope of the drift vary. Source: CIR and the double well at .6, seeds from 971, are rejected
    # without it.
    longest_arrival: float = 0.2
    # Largest number of steps in the test of end points, in blocks; with more, smaller deviations from Gaussian steps
    # would be significant. Source: by hand; the same systems at .18 and 20,000 points are not rejected.
    most_arrivals: int = 32_768
    # With fewer distinct values than this fraction of the sample, a coordinate counts as rounded and its end points are
    # not tested. Source: by hand.
    distinct: float = 0.5
    # A force whose standard errors are so many may escape. Source: theory: 95 of 100 are within two.
    escapes: float = 2.0
    # Points at which the noise is averaged for that. Source: cost.
    looked_at: int = 2000
    # Steps back that may predict a step. Source: by hand; memory between one and sixteen steps.
    lags: tuple[int, ...] = (1, 2, 4, 16)
    # Largest number of paths with one test function each; of more paths, the variance is tested. Source: cost.
    most_paths: int = 60
    # Smallest number of paths for the test of their variance. Source: theory: the sum of squares is then nearly
    # Gaussian.
    least_paths: int = 30
    # Smallest number of steps. Source: theory: the statistic is a χ² with a few dozen degrees of freedom.
    least_steps: int = 2000
    # Largest number of steps, evenly over the recording. Source: cost.
    most_steps: int = 200_000
    # Steps in a block. Source: cost.
    block: int = 16_384
    # Steps in a piece of a block. Source: cost.
    piece: int = 4096
    # Past and standardised steps are clipped at this many standard deviations. Source: by hand: a single jump is no
    # memory.
    clip: float = 4.0
    # (z² − 1)/√2 is clipped at this value. Source: the same, for the square.
    clip_squares: float = 10.6
    # Diffusions below this fraction of their mean are raised to it. Source: by hand.
    least_diffusion: float = 1e-3
    # Combinations of test functions are left out if less than this fraction of them is orthogonal to the fit's own:
    # errors of the linear filter, for noisy points and a diffusion that depends on the state, would decide. Source:
    # CIR with noise of one step, seeds from 500.
    least_unexplained: float = 0.5
    # Directions smaller than this fraction of the largest count as rounding. Source: theory: sums of squares.
    empty: float = 1e-9
    # The same for the covariance of the scores. Source: theory: it is estimated from fewer steps.
    rounding: float = 1e-6


REFIT = RefitTuning()
DATE = DateTuning()
ADEQUACY = AdequacyTuning()
STAGES = StagesTuning()
