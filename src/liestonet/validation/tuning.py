"""What decides how generators are put to the test on data.

What these values lead to on seeds that were not used to choose them: `docs/calibration.md` (p-values, intervals,
power), `docs/failures.md` (what each check notices), `docs/after_push.md`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class GivenTuning:
    """Generators as people give them: callables that become polynomials, formulas that must be smooth on the box."""

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
    """Is it a diffusion at all? And what do errors of the surrogate do?"""

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
    # How far flows of proved formulas may leave the box, in half-widths. Source: by hand; the formulas hold there.
    proved_margin: float = 1.0
    # Residuals below this are taken as exact. Source: by hand; far below what a learner notices.
    exact: float = 0.01


GIVEN = GivenTuning()
RATIO = RatioTuning()
FLOW = FlowTuning()
PUSH = PushTuning()
AFTER_PUSH = AfterPushTuning()
GATES = GateTuning()
AUGMENTATION = AugmentationTuning()
