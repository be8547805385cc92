"""What decides how drift and diffusion are estimated from increments, and how well they are known.

The results of these values on seeds that were not used to choose them: `docs/examples.md`, `docs/controls.md`,
`docs/flag_rates.md` (errors and codes among the values).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DataTuning:
    """The box of the data, coordinates that are no part of a state, and values that are errors."""

    # Increments kept to choose models and to draw pictures of. Source: cost.
    sample: int = 250_000
    # The box leaves out this part of the starting points at each end of a coordinate: few points, and far ones.
    # Source: by hand.
    tail: float = 0.005
    # With fewer increments nothing is fitted. Source: by hand; ten for each of some ten parameters.
    least_increments: int = 100
    # A positive coordinate whose range covers this factor is looked at in its logarithm too. Source: by hand.
    wide: float = 4.0
    # Powers of ten that velocities and diffusions may have in the units of the data. Source: theory: their products
    # must not overflow float64, which ends at 10^308.
    most_digits: int = 250
    # Rounding of a coordinate that is a clock or a label, in parts of its range. Source: by hand.
    rounding: float = 1e-6
    # Values of different paths at equal times that decide whether a coordinate is a clock. Source: by hand.
    least_shared: int = 50
    # Where no times are shared, a polynomial of time of this degree decides. Source: theory: even the fifth integral
    # of noise is farther than rounding from it.
    clock_degree: int = 8
    # Points that it is fitted to. Source: cost.
    clock_points: int = 10_000
    # Where a fit is impossible, a column whose mean squared step exceeds this part of its variance is named as a cause:
    # twice the variance where every value is drawn anew. Source: theory, and by hand.
    anew: float = 1.0
    # The same for one of which the others leave less than this part unexplained. Source: by hand.
    follows: float = 1e-4
    # The same where coordinates are known to be dependent, and which to keep is proposed. Source: by hand; positions
    # beside the same without a common drift.
    nearly_follows: float = 1e-2
    # A step may be an error if it is this many times as long as is usual in its block and beside it, and is undone.
    # Source: measured: 0 false alarms on 74 clean data sets (docs/flag_rates.md); clean steps reach 20 times those
    # beside.
    outlier_factor: float = 40.0
    # The same for a step that is not undone (a first or last point): heavy tails must not reach it. Source: by hand.
    lone_outlier_factor: float = 300.0
    # Two steps undo each other if their sum is below this part of the longer one. Source: by hand.
    leads_nowhere: float = 0.5
    # Steps before and after that a step is compared with, without the next ones. Source: by hand.
    beside: int = 10
    # Fewer of them say nothing about a step. Source: by hand.
    least_beside: int = 4
    # Blocks with fewer steps have no usual length. Source: by hand.
    least_steps: int = 20
    # The longest steps of a block that are looked at. Source: cost.
    longest_steps: int = 1000


@dataclass(frozen=True)
class FitTuning:
    """Which terms drift and diffusion have, how they are shrunk, and which coordinates have no noise."""

    # Highest degrees in time and in the coordinates for one, two, three and more coordinates: the usual set, one for
    # fast changes in time, one for fine structure. Source: by hand; what is too rich is shrunk by its evidence.
    degrees: tuple[tuple[tuple[int, int], ...], ...] = (
        ((3, 7), (9, 5), (3, 14)),
        ((3, 6), (6, 4), (2, 9)),
        ((2, 4), (4, 3), (2, 5)),
        ((2, 2),),
    )
    # What a frequency of a periodic coordinate counts among these degrees, for one, two, three and more coordinates.
    # Source: cost; a frequency has two functions, and mixed terms are many.
    frequency_cost: tuple[float, ...] = (1.0, 1.5, 1.33, 1.0)
    # Frequencies that are tested in a periodic coordinate, and the highest that drift and diffusion may have. Source:
    # cost.
    frequencies: int = 64
    # Increments on which frequencies are tested. Source: cost.
    tried_frequencies: int = 50_000
    # Chance that any frequency is found where there is none. Source: by hand; the evidence decides afterwards.
    frequency_level: float = 0.01
    # The series reach this many times beyond the highest frequency found, for harmonics of it. Source: by hand.
    beyond_frequency: float = 1.5
    # With more coordinates than this that may enter by their logarithms, all do or none. Source: cost.
    most_mixed: int = 2
    # Increments on which coordinates are chosen. Source: cost.
    tried_coordinates: int = 100_000
    # Increments on which degrees are chosen. Source: cost.
    tried_degrees: int = 50_000
    # Log evidence that another set of degrees must gain. Source: by hand.
    degrees_cost: float = 6.0
    # Log evidence by which a logarithm may lose and still be taken: polynomials in it come near powers and 1/x as well
    # as near polynomials. Source: by hand.
    logarithm_credit: float = 3.0
    # Cells of a coordinate in which its noise is averaged to find the shape of it. Source: by hand.
    shape_cells: int = 48
    # More of them at either end, in parts of the points. Source: by hand.
    shape_tails: tuple[float, ...] = (0.002, 0.005, 0.01)
    # Cells of every other variable, whose factors are divided out. Source: by hand.
    shape_other_cells: int = 12
    # Rounds of that. Source: by hand; factors of independent variables need one.
    shape_rounds: int = 3
    # Increments that a cell must have. Source: by hand.
    least_in_shape: int = 20
    # Highest degree of the logarithm of the noise, where no power does. Source: by hand.
    shape_degree: int = 4
    # Increments on which coordinates without noise are distinguished for that. Source: cost.
    tried_shapes: int = 20_000
    # A shape whose deviance exceeds this number times that of cells is none. Source: by hand; 0.8 to 1.7 on systems
    # whose shape is in the families, 11 on one whose is not.
    most_deviance: float = 3.0
    # Log evidence that a shape must gain over series without it. Source: theory: as `sparse_cost`.
    shape_cost: float = 2.0
    # Evaluations in which a shape is fitted. Source: cost.
    shape_evaluations: int = 200
    # Logarithms beyond this are cut off while a shape is fitted. Source: theory: keeps exponentials finite.
    most_logarithm: float = 50.0
    # Noise that changes by less than this factor over the box is taken as uniform. Source: by hand.
    least_contrast: float = 1.25
    # A shape that changes by more is not used. Source: by hand; the series could not correct it.
    most_contrast: float = 1e3
    # Cells of a coordinate in which its drift is averaged to find a pole of it. Source: cost; a place is then right to
    # a hundredth of the box.
    pole_cells: int = 200
    # Distances of a pole from the nearer end of the box, in half-widths of it in the coordinate of uniform noise, the
    # least and the most. Source: by hand; nearer ones are as good as noise, farther ones as polynomials.
    pole_distances: tuple[float, float] = (0.05, 3.0)
    # Log evidence by which a pole at the singular point of a coordinate or of its noise may lose and still be taken.
    # Source: by hand; known drifts have theirs there, and logarithms, which only come near, have half of it.
    pole_credit: float = 8.0
    # Places at either end that are tried. Source: by hand; neighbours differ by a quarter of their distance.
    pole_places: int = 24
    # Degrees up to which polynomials without a pole are compared. Source: cost.
    pole_rivals: int = 7
    # Variance of what corrects a shape in the directions that it was fitted in, relative to the noise. Source: by hand;
    # as good as unknown, so that the errors of the shape count.
    released_variance: float = 1.0
    # A coordinate whose residuals are below this part of its drift's displacement may be without noise. Source: by
    # hand.
    small_residual: float = 0.1
    # Squared residuals below this part of the squared displacement are rounding. Source: theory: precision of float64.
    rounding_residual: float = 1e-16
    # It is without noise if squared residuals grow by more from one step to two. Source: theory: the geometric mean of
    # 2, for a diffusion, and 8, where noise enters by an integral.
    diffusive_growth: float = 4.0
    # With fewer pairs of consecutive increments their correlation or growth is not judged. Source: by hand.
    least_pairs: int = 100
    # Pairs of consecutive increments that are compared with two steps at most. Source: cost; the ratio is 2 or 8.
    most_pairs: int = 10_000
    # Cells per coordinate in which noise is estimated for the weights, for one, two, three and more coordinates.
    # Source: by hand.
    variance_parts: tuple[int, ...] = (12, 8, 4, 1)
    # Cells in time. Source: by hand.
    variance_time_parts: int = 3
    # Cells at either end of a coordinate, in parts of the points, for one, two and more coordinates: noise that grows
    # without bound is largest where there are few points. Source: by hand.
    variance_tails: tuple[tuple[float, ...], ...] = ((0.002, 0.01, 0.03), (0.01, 0.03), ())
    # Points that must fall into such a cell. Source: by hand.
    least_in_tail: int = 200
    # A cell counts as much as this many increments of the whole, so that cells with few points stay near the mean.
    # Source: by hand.
    borrowed: float = 5.0
    # Parts, of other paths each, that the sums are kept in and that can be left out afterwards. Source: cost.
    folds: int = 16
    # Directions that the data hardly see keep this part of a precision. Source: theory: makes the matrix invertible
    # and stays far below any precision that counts.
    unseen: float = 1e-9
    # Prior variance of the constant in units of the box: as good as unknown. Source: by hand.
    free_variance: float = 1e2
    # A variance that the likelihood would set to zero is kept near one standard error by a prior sd^(2·this). Source:
    # the boundary-avoiding prior of Chung et al. (Psychometrika 78, 2013) in a weak form; its strength by hand.
    boundary: float = 0.1
    # Factors by which a variance falls per degree, the slowest: smoother coefficients are preferred. Source: by hand.
    slowest_fall: float = 0.5
    # The fastest fall. Source: by hand.
    fastest_fall: float = 0.03
    # Logarithm of the smallest variance in units of the box: as good as zero. Source: by hand.
    smallest_variance: float = -30.0
    # Logarithm of the largest. Source: by hand.
    largest_variance: float = 8.0
    # Degrees of the coordinates up to which terms without time are shrunk as a whole; beyond, variances fall. Source:
    # by hand; the next-richer model stays at its standard error (docs/method.md §4.2).
    next_richer: int = 3
    # The same for terms with time. Source: by hand.
    next_richer_in_time: int = 1
    # Log evidence that leaving one group of terms out may cost. Source: theory: twice this is above 3.84, which chance
    # alone exceeds in one of twenty cases for one term.
    sparse_cost: float = 2.0
    # Where an estimate of a is not positive, its eigenvalues are lifted to this part of what is usual. Source: by hand.
    least_eigenvalue: float = 1e-3


@dataclass(frozen=True)
class ErrorTuning:
    """The covariance of the coefficients, and the directions of error that are followed."""

    # Increments whose scores are taken at most. Source: cost.
    scored: int = 30_000
    # More of them while increments times parameters squared stay below this. Source: cost.
    scored_work: int = 160_000_000
    # Increments whose scores are taken for the estimate without shrinkage. Source: cost.
    scored_unshrunk: int = 60_000
    # With more parameters than this the errors of different coefficients are taken as independent. Source: cost.
    most_joint: int = 700
    # Random directions that then stand for the scatter and for the prior. Source: cost.
    sketched: tuple[int, int] = (48, 16)
    # Directions shorter than this part of the longest one are left out. Source: by hand; their squares are 1e-6.
    negligible: float = 1e-3
    # Errors that change the scaled coefficients and their derivatives by less than this, root mean square, are left
    # out. Source: by hand; below what bases and projections get wrong (JudgingTuning.model_error).
    least_effect: float = 5e-4
    # Points at which that is seen. Source: cost.
    effect_points: int = 300
    # Points at which the corrections for the step are fitted. Source: cost.
    step_points: int = 2000
    # Ridge of that fit relative to the features' own sizes. Source: by hand; keeps it stable.
    step_ridge: float = 1e-6


@dataclass(frozen=True)
class PerturbationTuning:
    """Deliberate changes of coefficients, to see how errors of the surrogate affect an answer."""

    # Points of the lattice on which a change is fitted. Source: cost.
    points: int = 2000
    # Ridge of that fit relative to the trace. Source: by hand; keeps it stable.
    ridge: float = 1e-9
    # Waves that a smooth change is made of. Source: by hand.
    waves: int = 3
    # Typical number of radians of a wave over a half-width of the box. Source: by hand.
    wave_number: float = 1.5
    # Neurons that a change by a random network is made of. Source: by hand.
    neurons: int = 16


@dataclass(frozen=True)
class ClockTuning:
    """When a recording is long compared with its relaxation times, and how long the windows of its clock then are."""

    # Increments from the beginning of the data in which its times are looked for. Source: cost.
    looked_at: int = 262_144
    # With fewer pairs of consecutive increments no rate is estimated. Source: by hand.
    least_pairs: int = 100
    # Parts of the recording with levels of their own: in the whole, and where a slow force moves the level. Source: by
    # hand.
    parts: tuple[int, ...] = (1, 16)
    # A path that never returns shows a rate of about this over its duration, times the number of coordinates. Source:
    # theory: the bias of Dickey and Fuller's coefficient, 5.3 with a level.
    chance_rate: float = 5.0
    # A recording that covers so many relaxation times is long. Source: by hand; e^{-t} then spans nine decades, more
    # than a series in t follows.
    many_relaxations: float = 20.0
    # Relaxation times that a path must last on average. Source: by hand.
    least_path: float = 10.0
    # Paths are few if at most this many run at the same date on average. Source: by hand.
    few_paths: float = 50.0
    # Windows last the root of the number of relaxation times recorded, over this number, in relaxation times, for one,
    # two, three and more coordinates: errors of generators then stay the same part of the tolerance. Source: theory;
    # for one coordinate measured: half and twice as long windows give the same verdicts
    # (docs/long_recording_checks.md); for two and three by hand: shorter windows make symmetries of near ones.
    precision: tuple[float, ...] = (40.0, 20.0, 20.0, 40.0)
    # Fewest and most relaxation times in a window: shorter ones tell no symmetry from its neighbours, and on longer
    # ones e^{-2t} is hard to fit. Source: by hand.
    window: tuple[float, float] = (0.4, 2.0)
    # Steps in a window at least. Source: by hand.
    least_steps: int = 5
    # Windows in a recording at least. Source: by hand.
    least_windows: int = 4


@dataclass(frozen=True)
class RecordingTuning:
    """Recordings with errors of their points, blur and coarse steps."""

    # Steps that a filter runs along before they count. Source: theory: it forgets its beginning by a factor of 0.4 or
    # less a step where the error is at most one step.
    settling: int = 6
    # Steps of a path that are filtered one after the other. Source: cost.
    segment: int = 96
    # Pieces of paths that are filtered side by side. Source: cost.
    abreast: int = 512
    # Numbers of derivatives that wait until they are summed. Source: cost; two megabytes, which a cache holds.
    summed_at_once: int = 250_000
    # First rounds use one piece in at most so many, if that leaves `rough_steps`. Source: cost.
    rough_part: int = 4
    # Steps that they use at least, of a recording that has so many. Source: by hand; later rounds use all of them.
    rough_steps: int = 20_000
    # Steps are coarse if the drift changes by this part of itself in one. Source: by hand; the bias is half of it.
    coarse: float = 0.1
    # The series of A is lifted to this part of its mean where it is smaller. Source: by hand; where noise
    # grows with the state, A covers two decades and more within a box.
    least_diffusion: float = 1e-3
    # Points at which the moments of a step are computed. Source: cost.
    step_points: int = 400
    # Longest part of a relaxation time that one stage of the integration covers. Source: theory: of fourth order.
    stage: float = 0.15
    # Fewest stages in a step, and the most. Source: theory: of fourth order; cost.
    stages: tuple[int, int] = (3, 50)
    # Ridge of the projection of what a step adds, relative to the features' own sizes. Source: by hand.
    ridge: float = 1e-6
    # Standard deviation of R, a sixth of the exposure, before the data. Source: theory: it lies between 0 and 1/6.
    blur_spread: float = 0.15
    # R of an exposure over the whole step. Source: theory: a mean over a step lags with a sixth of its variance.
    most_blur: float = 1 / 6
    # R is identified if its standard error is below this part of what was known before. Source: by hand.
    identified: float = 0.5
    # Coordinates up to which errors of a recording are modelled. Source: cost.
    most_coordinates: int = 2
    # A step changes the state's dependence on its beginning by at most this, 1 being all of it. Source: theory:
    # e^{-kΔt} − 1 is above −1.
    largest_flow: float = 1.0
    # Smallest covariance that is predicted, in parts of that of a step. Source: by hand; a whole exposure leaves 0.6.
    least_left: float = 0.1
    # Correlations of neighbouring steps that the fit begins with lie between these. Source: theory: from −1/2 for
    # errors alone to 1/4 for a whole exposure, without the ends.
    begun_correlation: tuple[float, float] = (-0.45, 0.2)
    # Where correlations of neighbouring steps are below this many of their standard errors, the fit begins with points
    # without error. Source: by hand; it ends at the same answer, and mostly such points have none.
    chance_correlation: float = 2.5
    # Rounds of the fit at most. Source: by hand.
    rounds: int = 12
    # Rounds at most with the shrinkage of the increments, where the fit does not stand still with that of its own
    # evidence. Source: CIR with a whole exposure at .3, seed 953, ran away by 0.3 standard errors a round.
    later_rounds: int = 8
    # Rounds at the beginning that keep the points' errors and R as they follow from neighbouring steps. Source: by
    # hand.
    held_rounds: int = 2
    # Rounds that choose the shrinkage: the first keeps that of the increments, the last ones keep theirs. Source: by
    # hand.
    shrinking_rounds: tuple[int, int] = (1, 4)
    # Part of a step that is taken where it goes back on the one before. Source: theory: steps that overshoot by as much
    # as they should go then end where they should.
    damped: float = 0.5
    # What is left of the prior variances of terms beyond linear ones where a fit that began without this ran away.
    # Source: by hand; the evidence chooses them again in later rounds.
    nearly_linear: float = 1e-3
    # Rounds that such a fit keeps them. Source: by hand; Gauss–Newton on a linear drift stands still after three.
    linear_rounds: int = 4
    # A round that moves the parameters by less than this many standard errors is the last. Source: by hand.
    standing: float = 0.05
    # After all rounds a fit is kept if the last moved it by less than this. Source: by hand; errors of the recording
    # bias the other fit by more.
    wandering: float = 0.5


@dataclass(frozen=True)
class InertiaTuning:
    """Positions of systems with inertia."""

    # Steps that the filter runs along before they count. Source: theory: it forgets its beginning over about
    # (Λ/q)^¼ steps, q what noise adds to second differences of positions, which is three where errors are a hundred
    # times q.
    settling: int = 12
    # Rounds of the fit at most. Source: by hand.
    rounds: int = 24
    # Rounds at the beginning in which the drift is linear and the noise constant. Source: by hand.
    simple_rounds: int = 3
    # Rounds, with those, after which the shrinkage is kept. Source: by hand.
    shrinking_rounds: int = 7
    # Stages in a step at most. Source: cost.
    most_stages: int = 20
    # What F changes of a velocity in a stage, in parts of the velocity, is at most this. Source: by hand; stages are
    # much shorter wherever F is right, and a series far from the truth must not run away.
    largest_change: float = 1.0
    # Velocities are known as the drift of positions, with this times the largest precision of any parameter. Source:
    # by hand; their error is then a thousandth of the least one.
    certain: float = 1e6


DATA = DataTuning()
RECORDING = RecordingTuning()
INERTIA = InertiaTuning()
CLOCK = ClockTuning()
FIT = FitTuning()
ERRORS = ErrorTuning()
PERTURBATION = PerturbationTuning()
