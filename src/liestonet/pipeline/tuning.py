"""Numbers that decide when long times, small boxes and free parameters need extra steps, and the verdicts of `solve`.

Also the tuning values of all packages that contribute to a result, for its provenance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from liestonet.algebra.tuning import ALGEBRA
from liestonet.core.provenance import DecidingNumbers, tuning_record
from liestonet.core.tuning import SHARED
from liestonet.diagnostics.tuning import FLAGS
from liestonet.formulas.estimated.tuning import ESTIMATED
from liestonet.formulas.proved.tuning import PROOFS
from liestonet.formulas.tuning import FORMULAS
from liestonet.inference.tuning import DATE, REFIT, STAGES
from liestonet.sde.tuning import BOX, SERIES
from liestonet.surrogate.tuning import CLOCK, DATA, ERRORS, FIT
from liestonet.symmetry.analytic.tuning import FAMILIES, FORMAL, NULL_SPACE, TIMES
from liestonet.symmetry.determining.tuning import EQUATIONS
from liestonet.symmetry.statistical.tuning import JUDGING, SEARCH


@dataclass(frozen=True)
class AnswerTuning:
    """The rows of an equation's ladder, and the computation of brackets."""

    # The verdict of an equation's residual is undecided if the last enrichment of the basis reduced it by more than one
    # part in this many. Source: by hand.
    visible_fall: int = 10
    # The lower end of such a residual is this many further reductions below it. Source: by hand.
    further_falls: int = 2
    # Smallest error of generators from data, due to the basis and the refit. Source: by hand.
    least_error: float = 1e-4
    # Points at which brackets are compared. Source: cost.
    bracket_points: int = 1500
    # With more generators than this, fewer points are used for brackets. Source: cost.
    many_generators: int = 20
    # Points at which the brackets of many generators are compared. Source: cost.
    bracket_points_of_many: int = 500


@dataclass(frozen=True)
class LongTimeTuning:
    """When a time is long for an equation, and the windows on which it is then solved."""

    # A box is long if its duration is this many times the inverse rate of the equation. Source: by hand.
    long: float = 12.0
    # Length of a window in inverse rates; no windows are needed if symmetries change less than that over the whole box.
    # Source: by hand.
    window: float = 6.0
    # Largest length of a window: the box's duration over this number. Source: by hand.
    least_windows: int = 4
    # Factor by which a window that does not give all symmetries is shortened. Source: by hand.
    shorter: float = 0.5
    # Number of lengths of windows that are tried. Source: cost.
    attempts: int = 3
    # Windows overlap by this fraction of their length. Source: by hand.
    overlap: float = 0.3
    # Largest number of windows that are joined. Source: cost.
    most_windows: int = 64
    # Largest number of generators in all windows together. Source: cost.
    most_unknowns: int = 640
    # Points at which rates and residuals are computed. Source: cost.
    samples: int = 200
    # Accuracy of null spaces on windows: errors of rates grow with the time over which generators are continued.
    # Source: by hand.
    accuracy: float = 1e-10
    # Points at which series and formulas are compared. Source: cost.
    compared: int = 2000
    # Times at which the size of a formula is computed. Source: cost.
    times: int = 33
    # States at which it is computed for each of these times. Source: cost.
    states: int = 3
    # A series on the box represents a formula if its relative error is at most this. Source: by hand.
    shows: float = 1e-5
    # Logarithm of the largest, and of the inverse smallest, size of formulas that are not rescaled. Source: by hand;
    # float64 ends at 709.
    largest_logarithm: float = 300.0


@dataclass(frozen=True)
class SmallBoxTuning:
    """When a box is so small that a wider one is tried."""

    # Smallest factor by which some interval must become wider. Source: by hand.
    worthwhile: float = 8.0
    # Points at which the noise is evaluated. Source: cost.
    samples: int = 50


@dataclass(frozen=True)
class GenericTuning:
    """Values at which free parameters are set."""

    # Fractions for the first, second, … parameter in each draw, with different primes: the prime factors of a number in
    # a formula then identify its parameters. Source: by hand.
    draws: tuple[tuple[tuple[int, int], ...], ...] = (
        ((13, 11), (17, 10), (19, 14), (23, 18), (29, 20), (31, 22)),
        ((17, 14), (13, 10), (23, 22), (19, 20), (31, 18), (29, 26)),
        ((11, 13), (19, 10), (17, 22), (29, 14), (23, 26), (37, 20)),
    )
    # In more coordinates than this only two draws are used. Source: cost.
    few_coordinates: int = 2


@dataclass(frozen=True)
class LiftTuning:
    """Which symmetries of the Fokker–Planck equation come from symmetries of the paths."""

    # Points at which both are compared. Source: cost; far more than there are generators.
    points: int = 400
    # A relative residual below this is zero. Source: by hand; spans are known to 1e-8 and better.
    zero: float = 1e-6
    # Above this it is not. Source: by hand; between the two it is undecided.
    nonzero: float = 1e-4


ANSWER = AnswerTuning()
LONG_TIMES = LongTimeTuning()
SMALL_BOX = SmallBoxTuning()
GENERIC = GenericTuning()
LIFT = LiftTuning()


def solve_tuning() -> dict[str, dict[str, Any]]:
    """The tuning values of a result from an equation."""
    steps = (ANSWER, LONG_TIMES, SMALL_BOX, GENERIC, LIFT)
    return tuning_record(
        SHARED, BOX, SERIES, EQUATIONS, NULL_SPACE, FORMAL, FAMILIES, TIMES, FORMULAS, PROOFS, ALGEBRA, *steps
    )


def discover_tuning(*engine: DecidingNumbers) -> dict[str, dict[str, Any]]:
    """The tuning values of a result from data, with those of the engine."""
    rooms = (SHARED, DATA, CLOCK, FIT, ERRORS, EQUATIONS, SEARCH, JUDGING, REFIT, STAGES, DATE, FLAGS, FORMULAS)
    return tuning_record(*rooms, ESTIMATED, ALGEBRA, ANSWER, *engine)
