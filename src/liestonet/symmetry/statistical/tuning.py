"""What decides whether a direction counts as a symmetry of estimated coefficients.

Results of these values on seeds that were not used to choose them: `docs/examples.md` (dimensions and angles),
`docs/controls.md` (false generators), `docs/calibration.md` (p-values and intervals).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SearchTuning:
    """How rich the basis of the generators is, when it is rich enough, and which verdicts are withdrawn."""

    # Undecided directions that are tried in the place of the last symmetry. Source: cost; the first are the likeliest.
    most_rivals: int = 2
    # Degrees in time and in the coordinates, richer and richer, for one, two, three and more coordinates. Source: by
    # hand; the catalogue's generators in one coordinate, such as √(1+x²) ∂x, need up to 26.
    levels: tuple[tuple[tuple[int, int], ...], ...] = (
        ((6, 4), (9, 6), (12, 8), (12, 12), (12, 18), (12, 26)),
        ((6, 3), (8, 4), (10, 6)),
        ((4, 2), (6, 3)),
        ((2, 2), (6, 2)),
    )
    # What a frequency of a periodic coordinate counts among these degrees, for one, two and more coordinates. Source:
    # cost; a frequency has two functions.
    frequency_cost: tuple[float, ...] = (1.0, 1.5, 1.5)
    # Points at which the equations are put, for one, two, three and more coordinates. Source: cost.
    points: tuple[int, ...] = (400, 500, 600, 200)
    # A ladder has stopped moving when no residual of a symmetry changes by more than this part of its noise. Source:
    # by hand.
    standing: float = 0.25
    # Where a residual falls to this part with one enrichment, the basis is too poor to tell a near-symmetry from a
    # symmetry: the verdict becomes undecided. Source: by hand.
    falling: float = 0.8
    # Where it falls to this part, the basis is too poor to deny a symmetry. Source: by hand.
    plunging: float = 0.5
    # The basis is enriched further while a residual with this verdict falls to this part. Source: by hand.
    worth_a_level: tuple[tuple[str, float], ...] = (("near-symmetry", 0.9), ("undecided", 0.9), ("no", 0.75))
    # Residuals above this are not followed with richer bases. Source: by hand.
    high: float = 0.5
    # Logarithms of coordinates have to lower the mean square of the residuals to this part. Source: by hand.
    earned: float = 0.5
    # Directions looked at beyond the largest algebra that noise of full rank allows. Source: cost; one shows the gap,
    # the others near-symmetries.
    extra_directions: int = 3


@dataclass(frozen=True)
class JudgingTuning:
    """Thresholds for noise, for rounding and for the error of bases and projections."""

    # Error of bases and projections in each direction of the noise, as a relative residual. Source: by hand, with
    # p-values under truth on simulated data (docs/calibration.md).
    model_error: float = 7e-4
    # Directions of the noise count if their variance is above the square of that error over this number. Source: by
    # hand.
    visible: int = 10
    # Combinations of the noise are told by the data if so much of their variance is the data's, the rest being the
    # prior's. Source: by hand; shrinkage then moves an estimate by no more than the noise does.
    told_by_data: float = 0.5
    # Part of the error rate that the test in these directions alone takes, on top of the other two. Source: by hand;
    # small, so that a symmetry is hardly ever lost to it, as what it detects is many standard errors away.
    weight_of_told: float = 0.05
    # A residual this small is no evidence against a symmetry: bases and projections are no better. Source: by hand.
    negligible: float = 1e-3
    # Halvings in which an end of an interval is found. Source: theory: 2^-40 of the first guess is far below its error.
    bisections: int = 40
    # Relative to a unit residual: below this the noise of a direction is rounding. Source: theory: the root of the
    # precision of float64, as Gram matrices hold squares.
    rounding: float = 1e-8
    # The same relative to the noise of all directions together. Source: theory: rounding of sums of squares.
    relative_rounding: float = 1e-13
    # A direction is in doubt if its squared residual is below so many times that of its noise. Source: by hand.
    doubtful: float = 10.0
    # Directions in doubt that are sorted by likelihood at most. Source: cost.
    most_doubtful: int = 6
    # Noise above a unit residual leaves nothing to sort. Source: theory: a residual of one is as large as the field.
    hopeless: float = 1.0
    # Turns of the span shorter than this part of the longest one are left out of its covariance. Source: by hand.
    negligible_turn: float = 1e-2
    # Turns of the span that its covariance keeps at most. Source: cost.
    most_turns: int = 40


SEARCH = SearchTuning()
JUDGING = JudgingTuning()
