"""What decides where long times, small boxes and free parameters need extra steps, and which rows an answer has.

Here too: the tuning values of all rooms that a result comes from, for its provenance.
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
    """How the rows of an equation's ladder and the brackets are read off."""

    # A residual of an equation still falls, and its verdict is undecided, if the last enrichment of the basis took more
    # than one part in so many of it. Source: by hand.
    visible_fall: int = 10
    # The lower end of such a residual is so many further falls below it. Source: by hand.
    further_falls: int = 2
    # The basis and the refit leave errors of this size in generators from data, however small the noise. Source: by
    # hand.
    least_error: float = 1e-4
    # Points at which brackets are compared. Source: cost.
    bracket_points: int = 1500
    # More generators than this are many: fewer points tell their brackets apart as well. Source: cost.
    many_generators: int = 20
    # Points at which the brackets of many generators are compared. Source: cost.
    bracket_points_of_many: int = 500


@dataclass(frozen=True)
class LongTimeTuning:
    """Which times are long for an equation, and the windows on which it is solved then."""

    # A box is long if it lasts so many times the inverse rate of the equation. Source: by hand.
    long: float = 12.0
    # A window lasts so many times the inverse rate; symmetries that change less over the whole box need none. Source:
    # by hand.
    window: float = 6.0
    # No window is longer than the box over this number. Source: by hand.
    least_windows: int = 4
    # A window that does not tell all symmetries is shortened to this part. Source: by hand.
    shorter: float = 0.5
    # Lengths of windows that are tried. Source: cost.
    attempts: int = 3
    # Windows overlap by this part of their length. Source: by hand.
    overlap: float = 0.3
    # Windows that are glued at most. Source: cost.
    most_windows: int = 64
    # Generators in all windows together at most. Source: cost.
    most_unknowns: int = 640
    # Points at which rates and residuals are looked at. Source: cost.
    samples: int = 200
    # Null spaces of windows are known to this accuracy: an error of a rate grows with the time over which generators
    # are continued. Source: by hand.
    accuracy: float = 1e-10
    # Points at which series and formulas are compared. Source: cost.
    compared: int = 2000
    # Times at which the size of a formula is looked at. Source: cost.
    times: int = 33
    # States at which it is looked at for each of these times. Source: cost.
    states: int = 3
    # A series on the box shows a formula if it misses no more than this part of it. Source: by hand.
    shows: float = 1e-5
    # Logarithm of the largest and of the inverse smallest size that formulas are shown with. Source: by hand;
    # float64 ends at 709.
    largest_logarithm: float = 300.0


@dataclass(frozen=True)
class SmallBoxTuning:
    """When a box is so small that a wider one is tried."""

    # How many times wider some interval must become for the attempt to be worth while. Source: by hand.
    worthwhile: float = 8.0
    # Points at which the noise is looked at. Source: cost.
    samples: int = 50


@dataclass(frozen=True)
class GenericTuning:
    """Values that stand for free parameters."""

    # Fractions for the first, second, … parameter in each draw, made of different primes: a number in a formula then
    # shows of which parameters it is made. Source: by hand.
    draws: tuple[tuple[tuple[int, int], ...], ...] = (
        ((13, 11), (17, 10), (19, 14), (23, 18), (29, 20), (31, 22)),
        ((17, 14), (13, 10), (23, 22), (19, 20), (31, 18), (29, 26)),
        ((11, 13), (19, 10), (17, 22), (29, 14), (23, 26), (37, 20)),
    )
    # In more coordinates than this two draws have to do. Source: cost.
    few_coordinates: int = 2


@dataclass(frozen=True)
class LiftTuning:
    """Which symmetries of a density's equation are those of the paths."""

    # Points at which both are compared. Source: cost; far more than there are generators.
    points: int = 400
    # A relative residual below this is zero. Source: by hand; spans are known to 1e-8 and better.
    zero: float = 1e-6
    # Above this it is not. Source: by hand; between the two nothing is said.
    nonzero: float = 1e-4


ANSWER = AnswerTuning()
LONG_TIMES = LongTimeTuning()
SMALL_BOX = SmallBoxTuning()
GENERIC = GenericTuning()
LIFT = LiftTuning()


def solve_tuning() -> dict[str, dict[str, Any]]:
    """What decides a result of an equation."""
    steps = (ANSWER, LONG_TIMES, SMALL_BOX, GENERIC, LIFT)
    return tuning_record(
        SHARED, BOX, SERIES, EQUATIONS, NULL_SPACE, FORMAL, FAMILIES, TIMES, FORMULAS, PROOFS, ALGEBRA, *steps
    )


def discover_tuning(*engine: DecidingNumbers) -> dict[str, dict[str, Any]]:
    """What decides a result of data, with what an engine decides by itself."""
    rooms = (SHARED, DATA, CLOCK, FIT, ERRORS, EQUATIONS, SEARCH, JUDGING, REFIT, STAGES, DATE, FLAGS, FORMULAS)
    return tuning_record(*rooms, ESTIMATED, ALGEBRA, ANSWER, *engine)
