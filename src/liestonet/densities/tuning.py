"""Numbers that decide on state spaces and kernels, and the accuracy of integrals over densities."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class StateSpaceTuning:
    """The choice of the state space."""

    # Digits of all numerical tests. Source: theory: far more than cancel in six derivatives.
    digits: int = 60
    # Numbers that a state space is expected to hold, the most usual first. Source: by hand; prices, rates and
    # fractions are positive.
    usual: tuple[float, ...] = (1.0, 0.5, 0.01, 0.0, 2.0, 10.0, 100.0, -0.5, -1.0, -2.0)
    # Points inside an interval, as parts of it. Source: by hand; generic.
    inside: tuple[str, ...] = ("0.3719", "0.5841", "0.7313")
    # Times at which time-dependent coefficients are tried. Source: by hand; generic.
    times: tuple[str, ...] = ("0.3127", "0.5871", "1.7193", "-0.4137")
    # Moves of the base point, in widths of the interval, until the coefficients exist there. Source: by hand.
    moves: tuple[tuple[int, int], ...] = ((0, 1), (1, 6), (-1, 6), (1, 4), (3, 10))
    # Distance on both sides of a point at which coefficients are compared. Source: theory: a third of the digits.
    near: str = "1e-20"
    # Coefficients are the same on both sides if they differ by no more than this part. Source: theory: a root of
    # order six still changes by more at that distance.
    same: float = 1e-10
    # A change of sign is a zero and not a pole if the value there is below this. Source: theory: steps of the search.
    zero: float = 1e-6
    # Distance from 0 up to which zeros of non-polynomials are sought. Source: by hand.
    reach: float = 10.0
    # Trial values of free parameters. Source: by hand; generic.
    draws: tuple[tuple[int, int], ...] = ((7, 5), (11, 13), (17, 19), (23, 29), (31, 27), (37, 41))
    # Relative change of given parameters that makes them generic. Source: by hand.
    moved: float = 1.37e-3


STATE_SPACE = StateSpaceTuning()


@dataclass(frozen=True)
class PotentialTuning:
    """Whether the potential is of a form that has a kernel."""

    # Steps of differences, the coarse one first: the error of a zero falls with the step. Source: theory.
    steps: tuple[str, str] = ("1e-30", "1e-45")
    # Digits of these differences: twelve of them in a row leave forty. Source: theory.
    digits: int = 600
    # Time derivatives of coefficients that the test needs. Source: theory.
    time_order: int = 5
    # A number that falls below this part between the two steps is zero. Source: theory: it falls by 1e-15.
    fallen: float = 1e-10
    # Smaller numbers are rounding. Source: theory: of 600 digits, seven differences leave half.
    rounding: float = 1e-150
    # Largest numerator or denominator in an exponent for which SymPy's rules are tried. Source: cost.
    simple: int = 24
    # Terms cancel if their sum is below this part of their sizes. Source: theory: errors of the fine step.
    cancelled: float = 1e-30


POTENTIAL = PotentialTuning()


@dataclass(frozen=True)
class BoundaryTuning:
    """What happens next to an end of the state space."""

    # Distances from an end at which coefficients are compared. Source: theory: a third and a half of the digits.
    distances: tuple[str, str] = ("1e-18", "1e-24")
    # Exponents nearer than this are equal. Source: theory: powers of the distance, down to a sixth, are below.
    rounding: float = 1e-3
    # An exponent A below ½ by more than this lets paths reach an end. Source: theory: rounding.
    nearest: float = 1e-9
    # If the noise is not a power of the distance, its exponent converges only like 1/log of the distance. Source:
    # theory.
    slowly: float = 0.1
    # Relative change up to which the ratio of an odd function and the distance counts as constant. Source: theory.
    even: float = 1e-6


BOUNDARY = BoundaryTuning()


@dataclass(frozen=True)
class TableTuning:
    """Integrals over the state that have no closed form."""

    # Relative accuracy. Source: theory: precision of float64, two digits spared.
    accuracy: float = 1e-13
    # Largest number of intervals of an integral. Source: cost.
    intervals: int = 200
    # Degree of the Chebyshev series on a panel. Source: cost.
    degree: int = 24
    # A series has converged if its last coefficients are below this part of the largest. Source: theory: rounding.
    converged: float = 1e-14
    # Largest number of halvings of a panel. Source: theory: the last is 1e-18 of the whole, next to a singular end.
    halvings: int = 60


TABLE = TableTuning()


@dataclass(frozen=True)
class BesselTuning:
    """Bessel functions that are too small for floating point."""

    # Below this multiple of ν + 1, z² counts as small and the power series is used. Source: theory: it converges there.
    series: float = 400.0
    # Orders beyond this are large: Debye's expansion with four terms has nine digits there. Source: theory.
    large: float = 20.0
    # Beyond this multiple of 1 + ν² the expansion for large arguments is used. Source: theory: its terms fall by 1e-4.
    far: float = 1e4
    # Number of its terms. Source: theory: the last is below rounding.
    terms: int = 6
    # For z² below this two terms of the power series are exact. Source: theory: rounding.
    near: float = 1e-8


BESSEL = BesselTuning()


@dataclass(frozen=True)
class ClockTuning:
    """Differential equations in time."""

    # Relative and absolute error of a step. Source: theory: densities to ten digits, two of them spared.
    relative: float = 1e-13
    absolute: float = 1e-15


CLOCK = ClockTuning()


@dataclass(frozen=True)
class KernelTuning:
    """Sums between two ends."""

    # Below this part of the squared width a time is short, and images are summed, else eigenfunctions. Source: theory:
    # both sums converge there within the terms below.
    short: float = 0.5
    # Images on each side. Source: theory: exp(−(2·4)²/(2·0.5)) is below rounding.
    images: int = 5
    # Number of eigenfunctions. Source: theory: exp(−(8π)²·0.5/2) is below rounding.
    waves: int = 9


KERNEL = KernelTuning()


@dataclass(frozen=True)
class IntegralTuning:
    """Integrals over densities."""

    # Gauss's nodes on a panel. Source: theory: panels are half as wide as the narrowest peak.
    nodes: int = 16
    # Panels on the width over which a density falls by a factor e. Source: theory: rounding is reached.
    panels_per_width: float = 2.0
    # The widest panel, in e-folds of the scale. Source: theory: as above.
    widest_panel: float = 1.0
    # Panels at most. Source: cost.
    most_panels: int = 20_000
    # log of the relative density at which the interval is cut off. Source: theory: below rounding.
    depth: float = 50.0
    # The widest peak between two ends, as a part of their distance. Source: by hand.
    widest_part: float = 0.25
    # Largest difference from one of a mass without loss. Source: theory: points are rounded to a relative 1e-16, which
    # is a larger part of a narrow density.
    lost: float = 1e-6
    # How far the survey of a density reaches, in e-folds of its scale. Source: by hand; 1e±26 times the scale.
    reach: float = 60.0
    # Points of the survey, rounds of refinement, points added in each, and points that make a peak known. Source: cost.
    survey: int = 961
    rounds: int = 12
    added: int = 42
    resolved: int = 24
    # Narrowest peak that is found, as a part of the range. Source: cost.
    narrow: float = 1e-5
    # Relative error at which an expectation is accepted. Source: theory: ten digits of a price, three spared.
    tolerance: float = 1e-13
    # Rounding of sums of densities. Source: theory.
    rounding: float = 1e-14
    # The range of the coordinate in which the state is sought, and the halvings of its interval. Source: theory:
    # float64.
    widest: float = 700.0
    halvings: int = 64
    # Points evaluated at once. Source: cost.
    chunk: int = 50_000


INTEGRAL = IntegralTuning()


@dataclass(frozen=True)
class ExpectationTuning:
    """Integrals of functions over densities."""

    # Points at which a callable is evaluated: features wider than the range of the density over this are found.
    # Source: cost.
    fine: int = 40_001
    # A change by more than this part between neighbours is a jump. Source: theory: what is smooth on the density's
    # scale changes by a hundredth of that.
    jump: float = 0.05
    # Largest number of jumps to locate; more are an oscillation. Source: cost.
    most_jumps: int = 2_000
    # Halvings that locate one. Source: theory: float64.
    bisections: int = 60
    # Distances from a break, in powers of ten, at which the product is surveyed. Source: theory: float64.
    decades: int = 14
    # Relative log density above which a point matters. Source: theory: far below rounding.
    seen: float = -50.0
    # Least exponent of the product towards h = 0; with smaller ones it is not integrable. Source: by hand.
    least_power: float = 1e-9
    # Largest number of initial panels, and of evaluations in all. Source: cost: two seconds.
    most_panels: int = 4_000
    most: int = 2_000_000
    # Ends of panels nearer to a break than this part of a panel are left out. Source: by hand.
    sliver: float = 1e-3
    # Panels with a relative width below this are not halved. Source: theory: their nodes are rounding.
    narrowest: float = 1e-12
    # Relative rounding of points. Source: theory: a few operations.
    place_rounding: float = 1e-15
    # Number of halvings over which the integral around a pole keeps at least half. Source: theory: |x|^−s with
    # s = .95 leaves half.
    apart: int = 20
    # Halvings whose median is taken. Source: by hand.
    levels: int = 7
    pole: float = 0.5


EXPECTATION = ExpectationTuning()


@dataclass(frozen=True)
class DensityTuning:
    """The density at an end of the state space."""

    # Distance from an end relative to its position, and from an end at zero; a second point is closer by a factor.
    # Source: theory: below ten digits of the limit, above rounding.
    near: float = 1e-9
    nearest: float = 1e-30
    closer: float = 0.01
    # An exponent below this is zero. Source: theory: differences of logarithms over log 100.
    constant: float = 1e-4


DENSITY = DensityTuning()


@dataclass(frozen=True)
class CheckTuning:
    """How a density is checked against its own equation."""

    # Half-width of the box on which symmetries are counted, as a part of the distance to the nearest end, and half its
    # duration. Source: by hand; a count does not depend on them.
    part: float = 0.3
    duration: float = 0.05
    # Step of differences in the forward equation: errors of its fourth power. Source: theory: thirty digits.
    step: str = "1e-25"
    # Digits of these differences. Source: theory: a second difference leaves sixty.
    digits: int = 120
    # Images on each side in a check between two ends. Source: theory: times are short there.
    images: int = 12
    # The largest residual of the forward equation. Source: theory: thirty digits.
    residual: float = 1e-30


CHECKS = CheckTuning()


@dataclass(frozen=True)
class PriceTuning:
    """Prices in closed form."""

    # The highest power of a payoff in the coordinate of unit noise that is integrated in closed form. Source: cost.
    highest_power: int = 8
    # Smooth pieces that nested maxima, moduli and signs of a payoff may have in all. Source: cost.
    most_branches: int = 64
    # Closed form and quadrature agree within this part, or one of them is wrong. Source: theory: ten digits are asked.
    agreement: float = 1e-9
    # Prices below this part of the payoff's own numbers underflow in formulas. Source: theory: float64.
    underflow: float = 1e-290
    # A formula whose terms cancel to below this part is replaced by the quadrature, if that is better. Source: theory:
    # ten digits of a price.
    cancelled: float = 1e-11
    # Powers nearer than this are equal. Source: theory: rounding.
    same_power: float = 1e-9
    # Error of a closed form's terms in floating point. Source: theory: a few operations.
    rounding: float = 1e-14
    # The same of noncentral χ² laws. Source: SciPy's own accuracy.
    chi_square_rounding: float = 1e-12


PRICE = PriceTuning()


@dataclass(frozen=True)
class LikelihoodTuning:
    """The maximum of an exact likelihood, and its errors."""

    # Steps on which starting values are found. Source: cost.
    sampled: int = 2000
    # Draws of starting values, their spread in e-folds, and how many of them are followed. Source: by hand; constants
    # in common equations are within e^±3 of one.
    draws: int = 400
    spread: float = 1.5
    tried: int = 4
    seed: int = 20
    # Steps of the simplex for each constant. Source: cost.
    simplex_steps: int = 150
    # Newton steps, and how often one is halved. Source: by hand.
    newton_steps: int = 30
    halvings: int = 20
    # A gain of the log likelihood below this ends the search. Source: theory: errors are of size one half.
    gained: float = 1e-7
    # First step of differences, relative to a constant, and the least size of a constant in it. Source: theory: fourth
    # root of rounding.
    difference: float = 3e-4
    least_size: float = 1e-3
    # Factor by which the step is changed until the log likelihood changes little, and the largest number of changes.
    # Source: by hand; 4^24 takes a constant to any unit.
    finer: float = 0.25
    searches: int = 24
    # Changes of the log likelihood that are above rounding and below the cubic term. Source: theory: a hundredth of an
    # error makes 1e-4, and rounding of a thousand steps 1e-12.
    least_change: float = 1e-6
    most_change: float = 1e-3
    # A curvature below this part of the largest is none. Source: theory: errors of second differences.
    least_curvature: float = 1e-9
    # Scores, normalised to length one, are dependent if a singular value is below this. Source: theory:
    # differences are wrong by a part of 1e-7, and estimates correlated to 1 − 1e-10 are of no use.
    dependent: float = 1e-5
    # Constants with more than this part of the largest share in a dependence are named. Source: by hand.
    partner: float = 1e-3
    # Number of paths from which scores are summed by path. Source: theory: a covariance of a few constants.
    many_paths: int = 40


LIKELIHOOD = LikelihoodTuning()
