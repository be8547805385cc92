"""Settings for tests of generators and maps.

Results of these values on seeds that were not used to choose them: `docs/calibration.md` (p-values, intervals, power),
`docs/failures.md` (what each check notices), `docs/after_push.md`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class GivenTuning:
    """Generators given by users: callables that become polynomials, formulas that must be smooth on the box."""

    # Degrees of the polynomials that a callable is projected on, for one, two and more coordinates. Source: cost.
    degrees: tuple[tuple[int, ...], ...] = ((6, 10, 16, 24), (5, 8, 12, 16), (2, 3, 4))
    # A projection that leaves no more than this part is taken. Source: by hand; far below any residual that is judged.
    projected: float = 1e-8
    # A larger part left over means that the callable is not smooth on the box. Source: by hand.
    too_rough: float = 1e-2
    # Values of a formula below this are taken as zero. Source: theory: squares and products stay within float64.
    smallest_value: float = 1e-100
    # Values above this are refused. Source: theory: as before.
    largest_value: float = 1e100
    # Generators whose independent part is below this share of their length span nothing new. Source: theory: rounding.
    dependent: float = 1e-10
    # Points at which generators are compared, beside one for each of them. Source: cost.
    independent_points: int = 60
    # Subsets of generators that are compared at most where spans differ in dimension. Source: cost.
    most_subsets: int = 5_000


@dataclass(frozen=True)
class RatioTuning:
    """The likelihood-ratio test of given generators, the law of its deviance, and its intervals."""

    # Points of the data at which the equations are imposed. Source: cost.
    imposed_points: int = 300
    # Points on which residuals are measured. Source: cost.
    measured_points: int = 500
    # Part of the paths that generators are found on where they are tested on the rest. Source: by hand.
    held_out: float = 0.5
    # Long blocks of a recording on a clock that restarts, of which half are held out. Source: by hand; neighbours on
    # the path then hardly meet across halves.
    blocks: int = 16
    # A generator is ∂t if all else of it is below this part, in units of the box. Source: theory: rounding of series.
    constant: float = 1e-6
    # Part of a standard deviation by which generators are turned to see what that changes. Source: theory: a finite
    # difference of a linear function, far above rounding.
    small_turn: float = 1e-3
    # A residual that no error of the coefficients explains, as part of the generator, counts beyond this. Source: by
    # hand; what series and steps leave anyway.
    unexplained: float = 0.02
    # Smooth functions of which no condition has more than this part of the largest are not seen. Source: theory:
    # rounding.
    seen_smooth: float = 1e-6
    # Recordings are drawn until their deviances have so many degrees of freedom in all. Source: measured
    # (docs/calibration.md); that they are few widens the law (F instead of χ²) and biases nothing.
    drawn_freedom: int = 640
    # Recordings drawn at least. Source: measured (docs/calibration.md).
    fewest_drawn: int = 12
    # Recordings drawn at most. Source: cost.
    most_drawn: int = 20
    # Steps of a drawn path at most. Source: cost.
    drawn_steps: int = 400
    # Increments of a drawn recording at most. Source: cost.
    drawn_increments: int = 20_000
    # The law is not corrected where draws have less than this part of the size of the data. Source: theory: the
    # correction is of the order of one over that size.
    least_part: float = 0.05
    # It is not corrected where every p-value is below this. Source: theory: no correction brings it near any level.
    hopeless: float = 1e-12
    # Part of the draws that must be fitted for their mean to be trusted; what leaves the box cannot be. Source: by
    # hand.
    least_fitted: float = 0.5
    # Points with less than this part of the usual diffusion are left out where equations are imposed: σ is its root.
    # Source: by hand.
    nearly_zero: float = 0.1
    # A draw whose deviance is so many standard deviations above the usual one is left out. Source: by hand; no χ²
    # reaches it.
    far_out: float = 8.0


@dataclass(frozen=True)
class MapTuning:
    """Maps given by users, and their test on equations and on data."""

    # Step of finite differences of a callable's Jacobian, in half-widths of the box. Source: theory: fourth order, far
    # above rounding.
    difference: float = 1e-3
    # What differences of a callable may miss its Jacobian by, in units of the box. Source: theory: as before.
    wrong_slope: float = 1e-6
    # Points at which a map is called and checked. Source: cost.
    checked_points: int = 200
    # Half of the points on a line along which a callable is looked at for jumps. Source: cost.
    looked_along: int = 500
    # A largest step of more than this part of that over twice the distance is a jump. Source: theory: one half for a
    # smooth function, one for a jump.
    jump: float = 0.8
    # Points whose images are compared in pairs. Source: cost.
    paired_points: int = 600
    # Points that are this many half-widths apart are different ones. Source: by hand.
    far_pair: float = 0.2
    # Steps of Newton's method. Source: theory: it converges quadratically or not at all.
    newton_steps: int = 12
    # Places that differ by less, in units of the box, are the same. Source: theory: rounding.
    same_place: float = 1e-8
    # A determinant below this part of the largest one is zero. Source: by hand.
    flat: float = 1e-6
    # Points at which an equation is compared with its image. Source: cost.
    compared_points: int = 500
    # An equation that differs from its image by less than this part, everywhere, is the same as far as numbers tell.
    # Source: theory: rounding of float64 and of differences.
    same: float = 1e-9
    # Points of the data that are compared with their images. Source: cost.
    visited_points: int = 4_000
    # Neighbours that a visited place has. Source: by hand.
    neighbours: int = 4
    # Part of the data that has a distance to its neighbours below the largest usual one. Source: by hand.
    usual_part: float = 0.99
    # A place is visited if its neighbours are no farther than so many times the largest usual distance. Source: by
    # hand.
    farther: float = 2.0
    # Part of the data whose images must be visited. Source: by hand; with less, most of the claim is about places
    # that the data do not show.
    least_visited: float = 0.25
    # A law that does not depend on time is assumed unless it is rejected at this level. Source: by hand.
    autonomous_level: float = 0.05
    # Points of a cloud that must be visited with their images. Source: by hand; more than conditions.
    fewest_points: int = 40
    # Above this part all of the data count as visited. Source: by hand.
    nearly_all: float = 0.98
    # Orders of a map up to which paths are randomised. Source: by hand.
    largest_order: int = 12
    # Images of points that agree in so many digits are the same. Source: theory: rounding of products of a few maps.
    compared_digits: int = 6
    # What rounding may move an image across the end of a period by. Source: as before.
    same_image: float = 1e-7
    # Elements of a group at most; with more it is called infinite. Source: theory: twice those of all signed
    # permutations of four coordinates.
    largest_group: int = 800
    # Whole paths that a randomisation needs. Source: theory: with two values each, 2⁸ outcomes resolve 1 %.
    fewest_paths: int = 8
    # Randomised data that the data are ranked among. Source: cost; resolves a p-value of 0.1 %.
    draws: int = 999
    # Starts whose law is compared with that of their images. Source: cost.
    compared_starts: int = 300
    # Randomised starts that they are ranked among. Source: cost.
    start_draws: int = 199
    # Starts that look so unlike their images are not symmetric. Source: by hand.
    unlike_starts: float = 0.05
    # Combinations of sums with less than this part of the largest scatter are rounding. Source: theory.
    seen_sum: float = 1e-9
    # Degrees of the functions in which drift and diffusion are compared by themselves, for one, two and more
    # coordinates. Source: theory: a tilt is a constant, a change of stiffness or a circulation is linear; with more
    # functions these drown.
    smooth_degrees: tuple[tuple[int, int], ...] = ((2, 1), (2, 1), (1, 0))


@dataclass(frozen=True)
class DiscreteTuning:
    """Which candidate maps are tried."""

    # Coordinates up to which all signed permutations are tried. Source: cost; five have 3,839.
    most_coordinates: int = 4
    # Orders of turns in planes that are no signed permutations. Source: by hand; what crystals and patterns have.
    orders: tuple[int, ...] = (3, 5, 6, 7, 8, 9, 10, 11, 12)
    # The same for data, where every test costs power. Source: by hand.
    orders_of_data: tuple[int, ...] = (3, 5, 6, 8)
    # Candidates that are listed in words; a result keeps all. Source: by hand; a screen.
    most_shown: int = 24
    # Orders of a map that are told. Source: by hand.
    largest_order: int = 24
    # Parts of a turn by which an angle is shifted at most. Source: by hand.
    largest_part: int = 6
    # Different periods of sines that a coordinate is shifted by. Source: cost.
    most_rates: int = 4
    # Points about which maps are tried. Source: cost.
    most_centres: int = 8
    # Points from which zeros of the drift are looked for. Source: cost.
    starts: int = 40
    # Half-widths of the box within which they count. Source: by hand.
    reach: float = 3.0
    # A zero of the drift at which its derivative shrinks a direction to less than this part may be one of a line of
    # them. Source: theory: rounding of zeros that are found in floats.
    flat_zero: float = 1e-5
    # More such zeros than this fill a line. Source: by hand; single ones are rare.
    most_flat: int = 3
    # Coordinates up to which eigenvectors are tried. Source: cost of exact eigenvectors.
    most_spectral: int = 4
    # Branches of an inverse function that are tried. Source: cost.
    most_branches: int = 4
    # Places of an interval at which zeros are looked for. Source: cost.
    looked_at: int = 2_001
    # A map whose residual on the screening points is above this is none. Source: theory: far above rounding.
    screened: float = 1e-6
    # Points that candidates are screened on. Source: cost.
    screening_points: int = 60
    # Centres of a mirror that are tried before the best one is refined. Source: cost.
    tried_centres: int = 41
    # Steps by which a centre is refined at most. Source: theory: Newton's method.
    centre_steps: int = 12
    # A step below this part of the standard error is the last. Source: by hand.
    centre_settled: float = 0.02
    # Step of finite differences in the centre, in half-widths of the box. Source: theory: second order.
    centre_difference: float = 1e-3
    # Centres lie within this part of the box's half-width. Source: by hand; a mirror needs data on both sides.
    farthest_centre: float = 0.6


@dataclass(frozen=True)
class ReversalTuning:
    """Detailed balance and entropy production."""

    # Total degree of the potential, for one, two, three and more coordinates: one more than the drift has. Source:
    # theory.
    degrees: tuple[int, ...] = (8, 7, 5, 3)
    # Diffusion below this part of the usual one is lifted to it, where it is divided by. Source: by hand.
    least_noise: float = 0.05
    # Noise of which a combination of coordinates has less than this part comes from fewer sources than there are
    # coordinates. Source: by hand; far below what a finite step leaves of a combination without noise.
    fewer_sources: float = 1e-3
    # Combinations of functions below this part of the largest are not seen. Source: theory: rounding.
    seen: float = 1e-9
    # Linear drifts that leave less than this part in the equations are in balance. Source: theory: rounding.
    seen_low: float = 1e-6
    # Points of the data at which balance is imposed. Source: cost.
    imposed_points: int = 400
    # Points over which the production of entropy is averaged. Source: cost.
    averaged_points: int = 4_000
    # Blocks of the recording from which the scatter of that average comes. Source: by hand; enough for a variance.
    blocks: int = 32
    # Relaxation times at the beginning of a path that do not count, as it may not be stationary yet. Source: theory:
    # e⁻⁴ is left.
    relaxations: float = 4.0
    # Part of the recorded time that must be left without them. Source: by hand.
    least_stationary: float = 0.2
    # Data that change from beginning to end at this level are not stationary. Source: by hand.
    changing_level: float = 0.01
    # Points at which an equation is looked at. Source: cost.
    equation_points: int = 1_200
    # Points of the stationary state of a linear equation, evenly spaced. Source: cost.
    spaced_points: int = 2_048
    # Length of the simulation of an equation, in relaxation times. Source: cost.
    simulated_relaxations: float = 60.0
    # Paths of that simulation. Source: cost.
    simulated_paths: int = 400
    # Paths whose scatter grows by more from one quarter of it to the last half spread without end. Source: by hand.
    largest_growth: float = 1.3
    # Steps of it in a relaxation time. Source: cost; the bias of a step is of this order.
    simulated_steps: int = 100


@dataclass(frozen=True)
class FlowTuning:
    """Finite flows of generators, by the fifth-order step of Dormand and Prince (1980)."""

    # Error allowed to a flow, in units of the data's size. Source: by hand; far below what data show.
    tolerance: float = 1e-9
    # A step below this part of ε means that the flow ends before ε. Source: theory: rounding.
    smallest_step: float = 1e-12
    # Steps at most; one that would not arrive in so many means that the flow ends before ε. Source: by hand; towards a
    # singular point steps shrink with the distance to it.
    most_steps: int = 1_000
    # Steps after which that is asked. Source: by hand.
    first_steps: int = 10
    # A step shrinks by no more than this factor. Source: usual practice (Hairer, Nørsett, Wanner 1993, II.4).
    least_factor: float = 0.2
    # A step grows by no more than this factor. Source: usual practice.
    largest_factor: float = 5.0
    # A step is kept this much below what the error allows. Source: usual practice.
    safety: float = 0.9
    # The first step moves a point by about this part of the data's size. Source: by hand.
    first_move: float = 0.05


@dataclass(frozen=True)
class PushTuning:
    """Increments pushed along generators, and their residuals before and after."""

    # How far the data are pushed, in parts of the box. Source: the paper's table of likelihoods.
    epsilons: tuple[float, ...] = (0.05, 0.1, 0.2, 0.3, 0.5)
    # Increments pushed at most. Source: cost.
    most_increments: int = 4_000
    # A push that keeps fewer increments says nothing. Source: by hand.
    least_increments: int = 100
    # Random pushes that a push is compared with. Source: cost.
    controls: int = 3
    # Bootstrap draws at least; of m generators m over the error rate, at most 5 %, less one. Source: theory: enough for
    # a p-value of the error rate over m.
    draws: int = 39
    # Draws made first. Source: theory: fewer reach no p-value of 5 %.
    first_draws: int = 19
    # Above this p-value of the first draws the others are not made. Source: by hand; nothing they say would matter.
    clear: float = 0.3
    # Error allowed to a flow, in units of the data's size: residuals show no smaller one. Source: by hand.
    tolerance: float = 1e-5
    # Points this far outside the box, in half-widths, are followed no further. Source: by hand; nothing is known of
    # the generators there.
    margin: float = 0.5
    # A variance of the series below this part of its mean is not known to be positive. Source: by hand.
    positive: float = 1e-3
    # Points at which the null model is made to obey a generator. Source: cost.
    null_points: int = 400


@dataclass(frozen=True)
class AfterPushTuning:
    """Coefficients fitted again to pushed data."""

    # How far the data are pushed. Source: the paper's table.
    epsilons: tuple[float, ...] = (1.0, 3.0, 5.0)
    # How far `validate` pushes them, in parts of the box. Source: by hand.
    short_epsilons: tuple[float, ...] = (0.25, 0.5)
    # Points of the lattice on which coefficients are compared. Source: cost.
    points: int = 512
    # Points this far outside the box, in half-widths, are followed no further. Source: by hand; ε = 5 shifts by
    # several of them.
    margin: float = 8.0
    # Two boxes overlap if in every variable this part of the narrower one is common. Source: by hand.
    overlap: float = 0.2
    # Points that are pushed and fitted at most. Source: cost.
    most_points: int = 50_000
    # Pieces into which longer recordings are cut to take some of them. Source: by hand.
    pieces: int = 50
    # Error allowed to a flow, in units of the data's size: fits show no smaller one. Source: by hand.
    tolerance: float = 1e-6
    # Parts of ε that a random push tries where its flow does not reach ε. Source: by hand.
    control_parts: tuple[float, ...] = (1.0, 0.3, 0.1, 0.03)
    # Points so many ranges of the data beyond them are cut out. Source: by hand.
    far: int = 3


@dataclass(frozen=True)
class GateTuning:
    """Goodness of fit of the diffusion model, and the effect of errors of the surrogate."""

    # Chance that a gate fails on a true diffusion, all gates together. Source: convention (docs/failures.md).
    error_rate: float = 0.01
    # Kolmogorov–Smirnov distance from a Gaussian below which a failure does not matter. Source: by hand.
    material_distance: float = 0.02
    # Points at which halves of the data are compared. Source: cost.
    compared: int = 200
    # Quantiles of the residuals that are kept for the picture. Source: cost.
    quantiles: int = 99
    # Relative sizes of the errors that a sensitivity study adds to the coefficients. Source: by hand; the paper's table
    # has 0.02, 0.1 and 0.5.
    amplitudes: tuple[float, ...] = (0.01, 0.03, 0.1)
    # Points on which residuals are measured there. Source: cost.
    sensitivity_points: int = 400
    # Points of the lattice on which lengths and spans of generators are compared. Source: cost.
    compared_points: int = 500


@dataclass(frozen=True)
class AugmentationTuning:
    """Copies of paths pushed by random elements of a group."""

    # Standard deviation of the first try, in half-widths of the box. Source: by hand; copies that differ visibly.
    first_move: float = 0.5
    # Part of the flows that must stay inside the box. Source: by hand; few paths are lost.
    least_arrived: float = 0.95
    # Halvings at most. Source: by hand; a push of a thousandth of the box changes nothing.
    most_halvings: int = 10
    # Paths that sizes are tried on. Source: cost.
    trial_paths: int = 60
    # Draws for each of them. Source: cost.
    trials: int = 4
    # The seed of these draws. Source: by hand; any.
    trial_seed: int = 0
    # How far flows by formulas, which go on beyond the box, may leave it, in half-widths. Source: by hand.
    formula_margin: float = 1.0
    # The same for flows by series. Source: by hand; a polynomial of degree four can be three times as large a tenth
    # beyond as at the edge.
    series_margin: float = 0.1


GIVEN = GivenTuning()
MAPS = MapTuning()
DISCRETE = DiscreteTuning()
REVERSAL = ReversalTuning()
RATIO = RatioTuning()
FLOW = FlowTuning()
PUSH = PushTuning()
AFTER_PUSH = AfterPushTuning()
GATES = GateTuning()
AUGMENTATION = AugmentationTuning()
