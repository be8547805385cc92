"""Flags about a result from data; flags about the data themselves come from `diagnostics`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from liestonet.core.flags import Flag
from liestonet.core.p_values import p_clause
from liestonet.diagnostics.turnover import remedy
from liestonet.inference.adequacy import CELLS, PATHS, FitQuality, FitTest
from liestonet.inference.clock import ClockFound
from liestonet.inference.engine import Discovered
from liestonet.surrogate.surrogate import Surrogate
from liestonet.symmetry.determining.kinds import ITO


def data_answer_flags(found: Discovered) -> Iterable[Flag]:
    """Flags about the choice of σ, noiseless coordinates, and directions that were not decided."""
    kind, surrogate, search = found.kind, found.surrogate, found.search
    changing = (*date_flags(found.clock), *fit_flags(found.tests))
    yield from changing
    if kind is ITO and surrogate.noise > 1:
        yield Flag(
            "gauge",
            "Trajectories determine σσᵀ only; this Itô answer is for the lower triangular σ with the coordinates in "
            f"the order {', '.join(surrogate.names)}.",
            'Use symmetry="law" for an answer that does not depend on σ.',
        )
    still = [name for name, noisy in zip(surrogate.names, surrogate.noisy, strict=True) if not noisy]
    if still and not (isinstance(surrogate, Surrogate) and surrogate.from_positions):
        yield Flag(
            "noiseless",
            f"No noise was detected in {', '.join(still)}; its diffusion was set to zero.",
            "Check that this is a property of the system and not of the recording.",
        )
    if search.count == len(search.rows) and surrogate.noise < surrogate.dimension:
        yield Flag(
            "all-directions",
            f"All {search.count} directions searched are consistent with exact symmetry; there may be more symmetries, "
            "and some of these may be near-symmetries.",
            "Use a smaller tolerance, or record more paths, and check how many remain.",
        )
    if search.rivals and found.count == search.count:
        others = " or ".join(str(place + 1) for place in search.rivals)
        yield Flag(
            "other-span",
            f"Direction {others} fits the data as well as direction {search.count}: other spans "
            f"of {search.count} generators fit as well, and the errors of this one do not include this choice.",
            f"Compare them: result.candidates({search.rivals[-1] + 1}) has all of these directions. "
            + remedy(surrogate.overview, "Record more paths, or longer ones."),
        )
    undecided = sum(row.verdict == "undecided" for row in search.rows)
    if undecided and found.count == search.count and not changing:
        yield Flag(
            "undecided",
            f"For {undecided} further {'direction' if undecided == 1 else 'directions'} it could not be decided "
            "whether the residual is zero, or below the tolerance.",
            remedy(surrogate.overview, "Record more paths, or longer ones."),
        )


def date_flags(clock: ClockFound) -> Iterable[Flag]:
    """The flag of a law that depends on the date beyond the clock of the data."""
    date = clock.date
    if date is None or not date.rejected:
        return
    if date.period is not None:
        said = (
            f"The law changes with the date ({p_clause(date.p_value)}), most of all with a period of {date.period:.6g}"
        )
        what = f"give this period, of a force or of the time of day: clock={date.period:.6g}."
    else:
        said = f"The law changes with the date, or with something slow that was not recorded ({p_clause(date.p_value)})"
        what = (
            "give the period of a force or of the time of day: clock=PERIOD. A slow variable without a period (a "
            "memory of the surroundings, a volatility) must be recorded and added as a coordinate."
        )
    yield Flag(
        "date",
        f"{said}: on this clock no symmetry is confirmed.",
        f"Look at drift and noise by date in the report; split the recording where they change, or {what}",
    )


def fit_flags(tests: Sequence[FitTest]) -> Iterable[Flag]:
    """The flag of the first test that rejects the fit; rejections by later tests may be a consequence."""
    wrong = FitQuality(tuple(tests)).first
    if wrong is None:
        return
    amount = f"{wrong.of}, by {100 * wrong.size:.0f} %, {p_clause(wrong.p_value)}"
    if wrong.name == CELLS:
        yield Flag(
            "misfit",
            f"The series does not fit the recording ({amount}): no symmetry is confirmed.",
            "Drift or diffusion have more structure than the series can follow: record more, or narrow the range.",
        )
    elif wrong.name == PATHS:
        yield Flag(
            "offsets",
            f"The paths differ from each other ({amount}): no symmetry is confirmed.",
            "Look at the paths one by one, or at groups that were recorded under the same conditions.",
        )
    else:
        yield Flag(
            "memory",
            f"Not a diffusion at this resolution: there is memory of about {wrong.time:.2g} ({amount}), so no symmetry "
            "is confirmed.",
            "Add the missing coordinate (a velocity, a slow force), or thin the data to steps longer than the memory.",
        )
