"""Which clock is used for a recording, and what becomes of the answer when its law depends on the date.

See docs/method.md §4.6 and §5.7.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from liestonet.errors import InputError
from liestonet.inference.date_test import DateTest, date_test
from liestonet.inference.tuning import DATE
from liestonet.surrogate.fitted import FittedCoefficients
from liestonet.surrogate.relaxation import RecordedTimes, recorded_times
from liestonet.surrogate.unusable_columns import refuse_dated
from liestonet.symmetry.determining.kinds import Kind
from liestonet.symmetry.statistical.search import Search
from liestonet.symmetry.statistical.translations import shifts
from liestonet.symmetry.statistical.verdicts import Criteria
from liestonet.trajectories.clock import AUTO, RECORDED, RESTART, Relabelled, checked_clock
from liestonet.trajectories.increments import IncrementSource

PERIOD = "period"


@dataclass(frozen=True)
class ClockFound:
    """The clock that was used for the data.

    `kind` is "recorded", "restart" or "period"; `window` the time after which the clock restarts, None where it
    never does, and `origin` a time at which it does. `relaxation` is the relaxation time of the state, None where none
    was looked for; `automatic` says that the data chose. `date` is the test that the law does not depend on the date
    beyond this clock, None where the clock is the recorded one.
    """

    kind: str = RECORDED
    window: float | None = None
    origin: float = 0.0
    relaxation: float | None = None
    automatic: bool = False
    date: DateTest | None = None

    @property
    def p_value(self) -> float | None:
        """The p-value of a law that does not depend on the date; None where it was not tested."""
        return None if self.date is None else self.date.p_value

    @property
    def option(self) -> str | float:
        """What asks for the same kind of clock again."""
        return self.window if self.kind == PERIOD and self.window is not None else self.kind

    def applied(self, data: IncrementSource) -> IncrementSource:
        """Data on this very clock."""
        if self.window is None:
            return data
        return Relabelled(data, self.window, self.origin, self.kind == RESTART)


RECORDED_CLOCK = ClockFound()


def choose_clock(data: IncrementSource, clock: Any) -> tuple[IncrementSource, ClockFound]:
    """Data on the clock that is asked for; "auto" restarts where long paths cover many relaxation times."""
    wanted = checked_clock(clock)
    if wanted == RECORDED or isinstance(data, Relabelled):
        return data, RECORDED_CLOCK
    times = recorded_times(data)
    if isinstance(wanted, float):
        found = _periodic(wanted, times)
    elif wanted == RESTART or times.long:
        refuse_dated(data.names, times.dated)
        relaxation = 1 / times.rate if times.rate > 0 else None
        found = ClockFound(RESTART, times.window, times.first, relaxation, wanted == AUTO)
    else:
        found = ClockFound(automatic=True)
    return found.applied(data), found


def may_be_recorded(clock: ClockFound, data: IncrementSource) -> bool:
    """Whether a law that depends on the date can be looked for on the recorded clock: of many paths at the same dates.

    The data had chosen the clock, and the date test rejects it.
    """
    rejected = clock.date is not None and clock.date.rejected
    return clock.automatic and rejected and recorded_times(data).shared


def _periodic(period: float, times: RecordedTimes) -> ClockFound:
    if period < times.step:
        raise InputError(
            f"The period {period:g} of the clock is shorter than a step of the recording ({times.step:g}); give it in "
            "the unit of the times."
        )
    if period > times.last - times.first:
        raise InputError(
            f"The period {period:g} of the clock is longer than the recording ({times.last - times.first:g}), so no "
            'phase occurs twice; choose clock="recorded".'
        )
    return ClockFound(PERIOD, period, 0.0, 1 / times.rate if times.rate > 0 else None)


def with_date_test(
    clock: ClockFound, source: IncrementSource, surrogate: FittedCoefficients, kind: Kind, criteria: Criteria
) -> ClockFound:
    """The same clock with the test that the law depends on no more of the date; as it is where it is the recorded."""
    if not isinstance(source, Relabelled):
        return clock
    rate = 1 / clock.relaxation if clock.relaxation else 1 / source.period
    return replace(clock, date=date_test(source, surrogate, rate, kind, criteria))


def dated(found: Search, clock: ClockFound, asked: bool) -> Search:
    """The ladder with ∂t's row from the date test; a law that depends on the date leaves no symmetry confirmed."""
    date = clock.date
    if date is None:
        return found
    rows, row = list(found.rows), date.row
    by_construction = clock.kind == RESTART
    if by_construction and rows and abs(float(shifts(found.operator)[:, 0] @ found.vectors[:, 0])) > DATE.time_itself:
        rows[0] = row
    if not date.rejected and not (by_construction and row.verdict != "symmetry"):
        return replace(found, rows=tuple(rows))
    return unconfirmed(replace(found, rows=tuple(rows)), asked)


def unconfirmed(found: Search, asked: bool) -> Search:
    """The ladder without a confirmed symmetry; `asked` keeps a number of generators that was given."""
    rows = tuple(replace(row, verdict="undecided") if row.verdict == "symmetry" else row for row in found.rows)
    return replace(found, rows=rows, count=found.count if asked else 0)
