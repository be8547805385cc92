"""What decides how many symmetries an equation has.

Results of these values: `docs/catalogue.md` (dimension, angles and seconds for every system of the catalogue). "By
hand" here: chosen on the catalogue's systems and on those of the tests.
"""

from __future__ import annotations

from dataclasses import dataclass

# Relative singular values up to the second number count as zero. Up to the first they are rounding, above the third
# they are not zero; in between lies doubt.
Levels = tuple[float, float, float]


@dataclass(frozen=True)
class NullSpaceTuning:
    """The search for directions of smallest residual, and when a basis is rich enough."""

    # Largest error of the span in radians, about (residual of the last symmetry) / (residual of the first direction
    # beyond). Source: by hand; between rounding and what formulas ask for.
    accuracy: float = 1e-7
    # The same in more than few coordinates. Source: cost.
    accuracy_beyond: float = 2e-6
    # A gap between the residuals taken and those left out that is smaller than this is called ambiguous. Source: by
    # hand.
    clear_gap: float = 1e3
    # Where the gap is just at the upper bound, this much is enough, if the residuals below have fallen by as much.
    # Source: by hand.
    gap_at_bound: float = 30.0
    # The first direction competes with the gap down to this part of the accuracy. Source: by hand.
    first_gap: float = 1e-3
    # A direction has settled when rounds of enrichment lower its residual by less than this part each. Source: by hand.
    settled_fall: float = 0.1
    # Without a bound, what is this far above the symmetries may be none. Source: by hand.
    wide_gap: float = 1e6
    # It is none if it keeps more than this part from round to round. Source: by hand; a symmetry falls by orders of
    # magnitude.
    slow_fall: float = 0.5
    # Rounds without a fall after which a direction that could be a symmetry is given up. Source: by hand.
    patience: int = 4
    # The same for directions that no bound admits, and in large bases. Source: cost.
    little_patience: int = 2
    # Largest basis with the longer patience. Source: cost.
    patient_basis: int = 1200
    # Residuals of this size are rounding. Source: theory: precision of float64 in sums of thousands of terms.
    rounding: float = 1e-11
    # So are those of this many units in the last place of the terms that cancel. Source: by hand.
    much_rounding: float = 100.0
    # A direction above this can still fall, but is not followed where no bound says that it could be a symmetry.
    # Source: by hand.
    unpromising: float = 0.3
    # Directions watched where no bound is known, in few coordinates. Source: theory: the largest algebra of a scalar
    # Fokker–Planck equation has six.
    guess: int = 6
    # Directions asked for beyond the bound. Source: cost.
    extra_directions: int = 6
    # More directions are asked for while even the last one is below this. Source: by hand.
    all_small: float = 1e-3
    # Functions are dropped as long as what they all contribute to a residual stays below this part of it. Source: by
    # hand.
    dropped_part: float = 0.1
    # In more than few coordinates, whose scattered points give every function a part by chance, functions are dropped
    # one by one below this part. Source: by hand.
    chance_part: float = 0.2
    # Degree of the first basis for one, two, three and more coordinates. Source: cost.
    start_degree: tuple[int, ...] = (6, 4, 3, 2)
    # Degree up to which no function is dropped, likewise. Source: by hand.
    kept_degree: tuple[int, ...] = (6, 4, 2, 1)
    # Largest basis, likewise. Source: cost.
    largest_basis: tuple[int, ...] = (1500, 2400, 3600, 5000)
    # Rounds of enrichment at most. Source: cost.
    rounds: int = 24
    # The first direction beyond the symmetries is followed from here down, to tell near-symmetries. Source: theory: in
    # a poor basis even a near-symmetry starts with a residual nearly as large as its terms.
    followed: float = 1.0
    # It is followed in bases up to this size. Source: cost.
    modest_basis: int = 600
    # Below this it does not matter how near it is. Source: by hand.
    nearest: float = 1e-6
    # Coordinates, and time, that a function may depend on at once in more than few coordinates. Source: cost.
    coupled_beyond: int = 2
    # Points at which the equations are put at least; else three for each function. Source: cost.
    least_points: int = 1500
    # Points for each function. Source: by hand.
    points_per_function: int = 3

    # Inverse iterations for the smallest singular values. Source: theory: one divides residuals by orders of
    # magnitude.
    iterations: int = 4
    # Added to the diagonal of DᵀD, relative to it. Source: theory: above the rounding of a Cholesky factor, far below
    # any residual squared.
    jitter: float = 1e-13
    # Rows times columns squared up to which D itself is always factorised. Source: cost.
    little_work: float = 2e8
    # The same where the Gram matrix blurs a residual. Source: cost.
    much_work: float = 1e9
    # Squared residuals of this size, relative to the terms that cancel in them, are rounding. Source: theory:
    # precision of float64.
    exact_square: float = 1e-28
    # A residual below so many times the jitter's is blurred. Source: by hand.
    blurred: float = 3.0
    # Layers of null vectors that are peeled off. Source: theory: one application of the sharp inverse separates
    # residuals by eight digits, so three cover all there are.
    layers: int = 3
    # Vectors are independent if what is left of them is above this. Source: theory: half the digits of float64.
    independent: float = 1e-7
    # Directions below this are refined. Source: theory: they may be null vectors, and the Gram matrix knows them to
    # about 1e-9 only.
    refined: float = 1e-3

    # Points of an overlap at which windows of time must agree. Source: cost.
    overlap_points: int = 24
    # How well neighbouring windows agree about a symmetry. Source: by hand; what accuracies of two spans leave.
    agrees: float = 1e-6
    # By how much everything else disagrees more. Source: by hand.
    disagrees: float = 1e3


@dataclass(frozen=True)
class FormalTuning:
    """Counts of free Taylor coefficients, and of directions that paths reach from a point."""

    # Relative singular values: rounding, zero, not zero. Source: theory: precision of float64; the last two by hand.
    exact_levels: Levels = (1e-12, 1e-9, 1e-7)
    # The same where coefficients have an error or the normal equations are used. Source: theory: the root of the
    # precision.
    blunt_levels: Levels = (1e-6, 1e-6, 1e-5)
    # Above this many columns the null space comes from the normal equations. Source: cost.
    large: int = 900
    # In so few coordinates the basis takes all products of variables, coupled or not. Source: cost.
    all_products: int = 2
    # Taylor coefficients counted once there is a first count. Source: cost.
    usual_size: int = 1200
    # Taylor coefficients counted at most. Source: cost: ten coordinates of every kind up to the third order.
    largest_size: int = 3750
    # Conditions times unknowns squared, over all independent blocks, up to which ranks are exact. Source: cost: about
    # half a second.
    exact_work: float = 3e7

    # Steered paths on which drift and noise are carried back. Source: by hand; more bring no new direction.
    paths: int = 3
    # Steered paths on which points of an orbit are followed. Source: cost.
    paths_followed: int = 6
    # Stops on such a path for each coordinate. Source: cost.
    stops: int = 2
    # How far a steered path goes in each coordinate, in half-widths of the box. Source: by hand.
    reach: float = 0.5
    # Relative error allowed to the carried fields. Source: theory: near the precision of float64.
    path_accuracy: float = 3e-14
    # Error of a carried field. Source: theory: rounding of the integration.
    carried_error: float = 1e-13
    # What is so many times larger is not zero. Source: by hand.
    not_zero: float = 1e2
    # Drop of singular values that shows a rank. Source: by hand.
    rank_gap: float = 1e4
    # Noise in all directions at once reaches everything, if it is so far from singular. Source: by hand.
    full_noise: float = 1e-6


@dataclass(frozen=True)
class FamilyTuning:
    """Functions that are constant along every path, and the symmetries built from them."""

    # An invariant is found where the residual is below this in a basis of moderate size. Source: theory: rounding.
    found: float = 1e-9
    # Rounds of enrichment at most. Source: cost.
    rounds: int = 12
    # Fields that are found no more of in so many rounds are all. Source: by hand; e^{-t}∂x takes some rounds more than
    # y∂y.
    settled: int = 4
    # Degree up to which an invariant's series is shown. Source: by hand.
    shown_degree: int = 2
    # Taylor coefficients of an invariant beside other evidence. Source: cost.
    short_series: int = 150
    # Taylor coefficients of an invariant without it: enough for chains of several integrators. Source: cost.
    long_series: int = 1500
    # Taylor coefficients of the generator up to which its freedom is counted before a family is looked for. Source:
    # cost.
    bounded_size: int = 400
    # Degree of the polynomials among which simple symmetries are sought, for one, two, three and more coordinates.
    # Source: cost.
    simple_degree: tuple[int, ...] = (10, 6, 4, 2)
    # Degree in time of simple symmetries: exponentials. Source: theory: e^t on a unit interval to twelve digits.
    time_degree: int = 14
    # Directions among which simple symmetries are sought. Source: cost.
    most_directions: int = 150
    # Part of a generator that is a time component and no rounding. Source: by hand.
    least_time: float = 1e-6
    # Functions of time that noise leaves at most. Source: theory: τ of a projectable symmetry has three constants.
    most_timed: int = 3
    # Fields that differ by less than this on an orbit are not independent there. Source: by hand.
    independent: float = 1e-3


@dataclass(frozen=True)
class TimeTuning:
    """Generators continued to all times of the box."""

    # Degrees in time that are tried. Source: cost.
    degrees: tuple[int, ...] = (64, 128, 256, 512, 1024, 2048)
    # How small the last quarter of the coefficients must be beside the largest. Source: by hand; below every accuracy
    # asked for.
    resolved: float = 1e-9
    # Coefficients below this part of the largest are left out. Source: theory: rounding.
    negligible: float = 1e-11
    # Rates that make less than this factor over the whole box are not distinguished. Source: by hand.
    same_growth: float = 2.0
    # Nor are rates that differ by less than this in units of the window. Source: by hand; rounding may make that of
    # equal ones.
    same_rate: float = 1e-2
    # Points in the states for every function of state that is fitted. Source: by hand.
    points_per_place: int = 4


@dataclass(frozen=True)
class MonodromyTuning:
    """Symmetries continued once round a periodic coordinate."""

    # A cover goes beyond a turn by this part of it at both ends. Source: by hand; enough to compare, little to fit.
    overlap: float = 0.08
    # Points at which fields are compared with themselves a turn later. Source: cost.
    points: int = 600
    # A combination of fields is periodic if the shift changes it by less than this part. Source: by hand; spans are
    # known to 1e-7.
    fixed: float = 1e-5
    # It is not if the shift changes it by more; between both nothing is decided. Source: by hand.
    moved: float = 1e-3
    # Points of a turn at which coefficients are looked at for their frequencies. Source: cost.
    samples: int = 128
    # Turns, at other times and states, on which that is done. Source: cost.
    circles: int = 5
    # Waves smaller than this part of the largest are rounding. Source: theory: precision of float64.
    absent: float = 1e-10


NULL_SPACE = NullSpaceTuning()
FORMAL = FormalTuning()
FAMILIES = FamilyTuning()
TIMES = TimeTuning()
TURN = MonodromyTuning()


@dataclass(frozen=True)
class ClassificationTuning:
    """The search for parameters at which the dimension rises."""

    # Terms of polynomials that an elimination writes at most. Source: cost.
    most_work: int = 200_000
    # Random points at which the same elimination is done: conditions must not depend on the point. Source: theory: a
    # pivot that hangs on the point is a sum of at most so many conditions.
    points: int = 6
    # Points that are tried for that. Source: cost.
    most_points: int = 20
    # Orders of the conditions that are tried. Source: cost.
    orders: int = 7
    # How often a count must repeat. Source: by hand; as for solve.
    repeats: int = 2
    # Branches of parameter space that are followed. Source: cost.
    most_branches: int = 60


CLASSIFICATION = ClassificationTuning()
