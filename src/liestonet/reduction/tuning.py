"""Numbers that decide how coordinates are searched, when an identity counts as proved, and how samples are drawn.

A reduction is proved or not: these values decide what is tried, rarely what is true. Results for every system of the
catalogue: `docs/reductions.md`. "By hand" here: chosen on the catalogue's systems.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ReductionTuning:
    """Points for numerical values, limits on the effort of SymPy, and tolerances for equality."""

    # Points of the box at which signs and branches are decided. Source: cost.
    points: int = 40
    # Relative spread of free parameters around the values at which the result was solved. Source: by hand; an identity
    # that holds for one value only is then detected.
    spread: float = 0.05
    # Points at which an expression is evaluated to many digits before a proof. Source: cost.
    precise_points: int = 3
    # Digits of these values. Source: cost; three times those of float64.
    digits: int = 50
    # Largest value of a zero, relative to the terms that cancel. Source: theory: half of the digits are lost at most.
    precisely: float = 1e-25
    # Relative difference of equal numbers in float64. Source: theory: rounding of a few dozen operations.
    rounding: float = 1e-8
    # Operations up to which an antiderivative is sought. Source: cost.
    largest_integrand: int = 40
    # Operations up to which an expression is simplified in all ways. Source: cost.
    largest_tidied: int = 120
    # The same for expressions with sines and cosines, for which SymPy tries many identities. Source: cost.
    largest_waves: int = 35
    # Operations up to which an algebraic equation is handed to SymPy's solver. Source: cost.
    largest_equation: int = 40
    # Operations of a coefficient up to which Itô's formula is computed although a lemma proves it. Source: cost.
    largest_checked: int = 25
    # Generators among which the order of use is searched completely. Source: cost: 2^10 subsets.
    most_ordered: int = 10
    # Coordinates of a reduced equation up to which its own symmetries are sought. Source: cost: a search of seconds.
    most_asked: int = 4
    # A singular value of generators at a point below this part of the largest is zero. Source: theory: rounding.
    rank: float = 1e-7
    # Steps of the Runge–Kutta method for a flow without a formula. Source: theory: errors near 1e-9 on a box.
    flow_steps: int = 200
    # A point that returns closer than this has crossed the section. Source: by hand; errors are far smaller.
    returned: float = 1e-3
    # Digits for the ends of a coordinate's range. Source: theory: 10^±60 is still resolved.
    range_digits: int = 150
    # Distances, as powers of ten, at which a coordinate is evaluated towards an end. Source: by hand.
    approach: tuple[int, int] = (20, 40)


@dataclass(frozen=True)
class SampleTuning:
    """How samples are drawn."""

    # Gauss nodes for integrals of known functions over a step; panels are doubled until they agree. Source: theory.
    nodes: int = 24
    # Relative difference of two such rules at convergence. Source: theory: rounding of a sum.
    agreement: float = 1e-11
    # Largest number of panels. Source: cost.
    most_panels: int = 4096
    # Sub-steps of a step where integrals depend on the path. Source: by hand; strong order 1/2 to 1 in the step.
    substeps: int = 256
    # Pieces of a step on which a boundary counts as straight. Source: by hand.
    pieces: int = 64
    # Numbers drawn at once. Source: cost: memory.
    at_once: int = 2**22


@dataclass(frozen=True)
class MartingaleTuning:
    """Which functions are tried."""

    # Words of two generators that are tried. Source: cost.
    most_words: int = 60
    # Degrees of polynomials of the state, by the number of coordinates; none beyond. Source: cost: at most ten of them.
    polynomial_degrees: tuple[int, ...] = (3, 2, 2, 0)
    # Functions of one kind that are listed. Source: by hand; a reader wants the simple ones.
    most_rows: int = 8
    # A function is independent of others if its relative distance from their span is above this. Source: theory:
    # rounding.
    independent: float = 1e-6


@dataclass(frozen=True)
class EquationTuning:
    """How an equation is estimated from a recording."""

    # Points of the data at which functions are compared with the series. Source: cost.
    points: int = 2000
    # Points of the box at which the determining equations are evaluated. Source: cost.
    cloud: int = 60
    # Relative difference up to which the series represents a function. Source: by hand; far below statistical errors.
    representable: float = 0.02
    # A candidate function is left out if simpler ones represent it this well on the data: its factor and theirs would
    # cancel. Source: Ornstein–Uhlenbeck paths around 0 to 50, seeds 1 and 2, on which equations lost the drift.
    distinct: float = 3e-4
    # Highest total degrees of the drift, by the number of coordinates, four and more last. Source: by hand.
    drift_degrees: tuple[int, int, int, int] = (3, 3, 2, 1)
    # The same of the diffusion. Source: by hand.
    diffusion_degrees: tuple[int, int, int, int] = (4, 2, 2, 0)
    # Increments of these degrees, tried in turn if no sum of the functions fits. Source: by hand; series go to
    # about the seventh power.
    richer: tuple[int, ...] = (2, 4)
    # Highest power of time where the law depends on it. Source: by hand.
    time_degree: int = 1
    # Largest number of constants with which a family is written in full. Source: by hand; more are hard to read.
    most_constants: int = 6
    # Penalties under which conditions are imposed, one after the other. Source: theory: residuals of 1e-6 at the end.
    strengths: tuple[float, float, float] = (1e4, 1e8, 1e12)
    # Evaluations in each of these rounds, and steps along a family. Source: cost.
    rounds: int = 60
    # Terms below this part of the largest of their entry are taken as absent in the search for a point of the family:
    # first none, then more and more. Source: by hand; the point found shows which terms the family leaves free.
    floors: tuple[float, ...] = (1e-4, 1e-3, 1e-2, 0.1)
    # Assumed relative error of a generator's constants in the search for a family. Source: by hand; errors of constants
    # of formulas are about as large.
    constants_known: float = 0.1
    # A family whose constants differ relatively by more than this from those of the formulas is a different one.
    # Source: by hand.
    constants_near: float = 0.7
    # Conditions hold if they are below this part of the largest term, in units of the box. Source: theory: rounding,
    # some thousand times.
    exactly: float = 1e-11
    # Steps of Newton's method. Source: theory: digits double; a few more for distant starting points.
    newton: int = 15
    # Parts of a step along a family that are tried. Source: theory: families are curved.
    parts: tuple[float, ...] = (1.0, 0.5, 0.25, 0.1)
    # A step that would gain less deviance than this is not taken. Source: theory: a hundredth of a standard error,
    # squared.
    standing: float = 1e-4
    # A point where no step succeeds is not optimal if a step should gain more than this. Source: theory: a tenth of a
    # standard error, squared.
    stuck: float = 1e-2
    # Iterations in which discretisation bias is recomputed from the corrected equation. Source: theory: each reduces
    # the error by a factor Δt times the rates of the process.
    step_rounds: int = 2
    # Part of the bias that remains as an error. Source: theory: simulations of five sub-steps or more have at least
    # four fifths.
    step_left: float = 0.2
    # Imaginary step of derivatives in the generators' constants. Source: theory: any small one; nothing cancels.
    imaginary: float = 1e-20
    # Singular values of conditions below this part of the largest are zero. Source: theory: conditions hold to
    # rounding, and functions on a box are independent to about 1e-7.
    tangent: float = 1e-9
    # Components of a direction below this are zero for terms that are left out. Source: by hand; families are curved,
    # and the choice of terms follows their directions.
    removed: float = 1e-4
    # A term belongs to a direction if its component is above this. Source: theory: between rounding of directions and
    # 1.
    apart: float = 1e-6
    # Singular values of a likelihood below this part are zero. Source: theory: rounding.
    rank: float = 1e-12
    # Directions of scores shorter than this, in units of the precision, had been dropped. Source: by hand; the others
    # have about unit length.
    seen: float = 0.3
    # Added to a likelihood with unit diagonal. Source: theory: rounding.
    ridge: float = 1e-11
    # A family with a smaller p-value is not imposed. Source: by hand, as for pooled constants.
    rejected: float = 0.01
    # Largest number of terms of an entry for which all subsets are compared. Source: cost: 2^11 small fits.
    most_compared: int = 11
    # Subsets are likely if their deviance plus ln N for each term is above the least by no more than this. Source:
    # theory: odds of 20 to 1 are 2 ln 20.
    likely: float = 6.0
    # Terms smaller than this part of the largest are zero in coordinates without noise. Source: by hand.
    smallest_part: float = 2e-3
    # Weight of coordinates without noise relative to those with noise. Source: by hand; any large value works.
    noiseless_weight: float = 1e4
    # Largest number of coordinates for which reports show an equation. Source: cost.
    most_coordinates: int = 2
    # Paths of a forecast, and level of its bands. Source: cost; convention.
    forecast_paths: int = 2000
    forecast_level: float = 0.95
    # Steps of a forecast between its first and last time, at least. Source: by hand.
    forecast_steps: int = 200


EQUATION = EquationTuning()
MARTINGALES = MartingaleTuning()
REDUCTION = ReductionTuning()
SAMPLE = SampleTuning()
