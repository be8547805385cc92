"""Which clock is used for a recording, and how a law that depends on the date changes the result.

See docs/method.md §4.6 and §5.7.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

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

    `kind` is "recorded", "restart" or "period"; `window` is the time after which the clock restarts, None if it never
    does, and `origin` a time at which it does. `relaxation` is the relaxation time of the state, None if it was not
    estimated; `automatic` means that the clock was chosen from the data. `date` is the test of the hypothesis that the
    law does not depend on the date beyond this clock, None for the recorded clock.
    """

    kind: str = RECORDED
    window: float | None = None
    origin: float = 0.0
    relaxation: float | None = None
    automatic: bool = False
    date: DateTest | None = None

    @property
    def p_value(self) -> float | None:
        """The p-value of the hypothesis that the law does not depend on the date; None if it was not tested."""
        return None if self.date is None else self.date.p_value

    @property
    def option(self) -> str | float:
        """The value of the option `clock` that gives the same kind of clock again."""
        return self.window if self.kind == PERIOD and self.window is not None else self.kind

    def applied(self, data: IncrementSource) -> IncrementSource:
        """The data on this clock."""
        if self.window is None:
            return data
        return Relabelled(data, self.window, self.origin, self.kind == RESTART)


RECORDED_CLOCK = ClockFound()


def choose_clock(data: IncrementSource, clock: object) -> tuple[IncrementSource, ClockFound]:
    """The data on the requested clock; "auto" restarts it if long paths cover many relaxation times."""
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
    """Whether to search on the recorded clock instead, for a law that depends on the date.

    So it is if the clock was chosen automatically, the date test rejects it, and many paths have the same dates.
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
    """The clock with the result of the date test; the recorded clock is returned unchanged."""
    if not isinstance(source, Relabelled):
        return clock
    rate = 1 / clock.relaxation if clock.relaxation else 1 / source.period
    return replace(clock, date=date_test(source, surrogate, rate, kind, criteria))


def dated(found: Search, clock: ClockFound, asked: bool) -> Search:
    """The ladder with the row of ∂t from the date test; if that rejects, no symmetry is confirmed."""
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
    """The ladder without confirmed symmetries; with `asked`, the number of generators given by the user is kept."""
    rows = tuple(replace(row, verdict="undecided") if row.verdict == "symmetry" else row for row in found.rows)
    return replace(found, rows=rows, count=found.count if asked else 0)
