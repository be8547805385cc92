"""The clock of a recording: dates as recorded, or times that restart in every window or period.

A clock relabels times without cutting paths: increments keep their order, their neighbours and their path. See
docs/method.md §4.6.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float

from liestonet.core.numbers import is_real, is_truth
from liestonet.errors import InputError
from liestonet.trajectories.increments import BLOCK_ROWS, Increments, IncrementSource
from liestonet.trajectories.measurement import Measurement
from liestonet.trajectories.reshaping import gather, ranges

if TYPE_CHECKING:
    from liestonet.trajectories.trajectories import Trajectories

AUTO, RECORDED, RESTART = "auto", "recorded", "restart"
WORDS = (AUTO, RECORDED, RESTART)


def checked_clock(clock: object) -> str | float:
    """A clock, checked: one of the three words, or a period as a positive number."""
    if isinstance(clock, str):
        if clock in WORDS:
            return clock
    elif is_real(clock) and not is_truth(clock) and math.isfinite(clock) and clock > 0:
        return float(clock)
    raise InputError(
        f'The clock must be "auto", "recorded", "restart" or a period, a positive number in the unit of the times, not '
        f"{clock!r}."
    )


@dataclass(frozen=True, eq=False)
class Relabelled:
    """Increments of a source with times that begin at 0 again after every `period`, first at `origin`.

    `autonomous` means that the law is assumed not to depend on these times, as their origin is arbitrary; whether it
    depends on the date is tested. Where times are a phase (time of day), the law may depend on them.
    """

    source: IncrementSource
    period: float
    origin: float
    autonomous: bool

    @property
    def dimension(self) -> int:
        """Number of coordinates."""
        return self.source.dimension

    @property
    def names(self) -> tuple[str, ...]:
        """The coordinates' names."""
        return self.source.names

    @property
    def periodic(self) -> Mapping[str, float]:
        """Periods of angles and phases, by coordinate."""
        return self.source.periodic

    @property
    def measurement(self) -> Measurement:
        """How the points were recorded."""
        return self.source.measurement

    def chunks(self, rows: int = BLOCK_ROWS) -> Iterator[Increments]:
        """All increments in order, in blocks, with their times on this clock."""
        for block, _ in self.dated(rows):
            yield block

    def dated(self, rows: int = BLOCK_ROWS) -> Iterator[tuple[Increments, Float[np.ndarray, " m"]]]:
        """All increments in order, in blocks, with the recorded times of each."""
        for block in self.source.chunks(rows):
            yield on_clock(block, self.period, self.origin), block.t

    def dates(self) -> tuple[float, float]:
        """First and last recorded time."""
        from liestonet.trajectories.block_sums import times_of  # which knows this class

        return times_of(self.source)


def on_clock(block: Increments, period: float, origin: float) -> Increments:
    """The block with times that restart at 0 after every period, counted from `origin`."""
    return block._replace(t=np.mod(block.t - origin, period))


def recorded_source(source: IncrementSource) -> IncrementSource:
    """The source with the times as recorded."""
    return source.source if isinstance(source, Relabelled) else source


def cut_by_clock(data: Trajectories, period: float, origin: float) -> Trajectories:
    """Paths cut where the clock restarts, with the clock's times; every increment is in exactly one piece."""
    offsets, times = data.offsets, data.flat_times
    window = np.floor((times - origin) / period)
    begins = np.diff(window, prepend=window[0]) != 0
    begins[offsets[1:] - 1] = False  # the last point of a path begins no increment
    begins[offsets[:-1]] = True
    starts = np.flatnonzero(begins)
    last = np.repeat(offsets[1:] - 1, np.diff(offsets))[starts]
    lengths = np.minimum(np.append(starts[1:], len(times)), last) - starts + 1
    cut = gather(data, ranges(starts, lengths), lengths)
    begun = times[starts] - np.mod(times[starts] - origin, period)
    return replace(cut, flat_times=cut.flat_times - np.repeat(begun, lengths))
