"""A Parquet file as a source of increments, block by block, so that data larger than memory can be gone through.

The rows of a path stand together and in order of time; a path may go on from one block into the next.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from pyarrow import parquet

from liestonet.core.periods import checked_periods
from liestonet.errors import InputError
from liestonet.trajectories.broken_files import existing_file, in_our_words
from liestonet.trajectories.checks import check_names, check_units
from liestonet.trajectories.columns import Columns
from liestonet.trajectories.convert import is_stamp, is_text, labels, numbers, stamps
from liestonet.trajectories.dates import written_date
from liestonet.trajectories.gaps import Gaps, check_gap, link
from liestonet.trajectories.increments import BLOCK_ROWS, Increments, differences
from liestonet.trajectories.measurement import Measurement
from liestonet.trajectories.period_marks import periods_among, periods_from_json
from liestonet.trajectories.readers import measurement_in, parquet_columns, periods_in
from liestonet.trajectories.reshaping import whole_number
from liestonet.trajectories.unwrapping import shortest_steps

READ_BUFFER = 1 << 20


@dataclass(frozen=True)
class TrajectoryFile:
    """Trajectories that stay in their file; made by `Trajectories.stream`, read by `chunks`, as often as needed."""

    path: Path
    columns: Columns
    gap: float | None
    rows: int
    first_tick: int | None  # of all dates, from which seconds are counted
    units: Mapping[str, str]  # by coordinate, and by "t" for the time
    measurement: Measurement = field(default_factory=Measurement)
    periodic: Mapping[str, float] = field(default_factory=dict)
    _counted: Gaps | None = field(default=None, init=False, repr=False, compare=False)  # by the last complete pass

    @property
    def dimension(self) -> int:
        """Number of coordinates d."""
        return len(self.columns.state)

    @property
    def names(self) -> tuple[str, ...]:
        """The coordinates' names."""
        return self.columns.names

    @property
    def notes(self) -> tuple[str, ...]:
        """What was guessed about the columns; gaps are counted by `count_gaps`, which may have to read the file."""
        return self.columns.remarks

    def chunks(self, rows: int | Any = BLOCK_ROWS) -> Iterator[Increments]:
        """All increments in order, in blocks of at most `rows`; `trajectory` counts pieces between gaps."""
        size = whole_number(rows, "The number of rows in a block", 1)
        blocks = (block for block in self._pass(size) if len(block.dt))
        return (shortest_steps(block, self.names, self.periodic) for block in blocks)

    def count_gaps(self) -> Gaps:
        """What breaks paths; goes through the file once, unless that has been done before."""
        if self._counted is None:
            for _ in self._pass(BLOCK_ROWS):
                pass
        return self._counted or Gaps()

    def _pass(self, rows: int) -> Iterator[Increments]:
        state, found, total = _Pass(self), 0, Gaps()
        for batch in _batches(self.path, self.columns.needed, rows):
            increments, gaps = state.block(batch)
            found, total = found + len(increments.dt), total + gaps
            yield increments
        if not found:
            raise InputError(
                f"The file {self.path.name!r} has no two consecutive finite rows of one trajectory, so there is no "
                "increment to learn from; check which columns are time, trajectory and state."
            )
        object.__setattr__(self, "_counted", total)


@dataclass
class _Seen:
    """Labels of paths that have ended; runs of consecutive numbers are kept as intervals, text one by one."""

    words: set[Any] = field(default_factory=set)
    runs: list[tuple[int, int]] = field(default_factory=list)  # sorted, first and last

    def add_all(self, labels: list[Any]) -> int | None:
        """Remember labels in the order they come; the place of the first that was there before."""
        numbers = np.array(labels) if labels and isinstance(labels[0], int) else None
        last = self.runs[-1][1] if self.runs else -np.inf
        if numbers is not None and numbers.dtype.kind == "i" and labels[0] > last and (np.diff(numbers) == 1).all():
            first = self.runs.pop()[0] if labels[0] == last + 1 else labels[0]
            self.runs.append((first, labels[-1]))
            return None
        return next((place for place, label in enumerate(labels) if not self._add(label)), None)

    def _add(self, label: Any) -> bool:
        if not isinstance(label, int):
            fresh = label not in self.words
            self.words.add(label)
            return fresh
        after = bisect_left(self.runs, (label + 1, label))
        before = self.runs[after - 1] if after else None
        if before is not None and before[1] >= label:
            return False
        if before is not None and before[1] == label - 1:
            self.runs[after - 1] = (before[0], label)
        else:
            insort(self.runs, (label, label))
        return True


class _Pass:
    """One way through a file: what has to be carried from block to block."""

    def __init__(self, source: TrajectoryFile) -> None:
        self.source = source
        self.seen = _Seen()
        self.label: Any = None  # of the last row
        self.row = 0  # rows read so far
        self.piece = 0  # of the last finite row
        self.carried: tuple[np.ndarray, np.ndarray, bool] | None = (
            None  # the path's last finite row, and if it was last
        )

    def block(self, batch: Any) -> tuple[Increments, Gaps]:
        """The increments that end in this batch of rows."""
        columns = self.source.columns
        times = _times(batch.column(columns.clock), columns, self.source.first_tick)
        states = np.stack([numbers(batch.column(header), header) for header in columns.state], axis=1)
        starts, names = self._starts(batch)
        carried = 0
        if self.carried is not None and not starts[0]:
            # The path goes on: its last finite row comes first, and a missing row stands for a gap behind it.
            t, x, adjacent = self.carried
            filler = 0 if adjacent else 1
            carried = 1 + filler
            times = np.concatenate([t, np.full(filler, np.nan), times])
            states = np.concatenate([x, np.full((filler, x.shape[1]), np.nan), states])
            starts = np.concatenate([[True], np.zeros(filler, dtype=bool), starts])
        goes_on = self.row > 0 and not starts[-batch.num_rows]
        increments, gaps = self._link(times, states, starts, names, carried)
        self.row += batch.num_rows
        return increments, _corrected(gaps, carried, goes_on)

    def _link(
        self, times: np.ndarray, states: np.ndarray, starts: np.ndarray, names: np.ndarray, carried: int
    ) -> tuple[Increments, Gaps]:
        def place(row: int) -> str:
            where = f"row {self.row + row - carried} of the file (counted from 0)"
            return (
                where.capitalize() if self.source.columns.trajectory is None else f"Trajectory {names[row]!r}, {where}"
            )

        names = np.concatenate([names[:1].repeat(carried), names])
        links = link(times, states, starts, self.source.gap, self.source.names, place)
        t, x = links.apply(times), links.apply(states)
        # A finite row that follows no other begins a new piece; the carried row belongs to one that is there.
        fresh = np.concatenate([[carried == 0], ~links.linked])[: len(t)]
        pieces = self.piece + np.cumsum(fresh)
        begin = np.flatnonzero(links.linked)
        increments = Increments(*differences(t, x, begin), pieces[begin] - 1)
        if len(t):
            self.piece = int(pieces[-1])
            last = len(times) - 1 if links.kept is None else int(links.kept[-1])
            same_path = not starts[last + 1 :].any()
            self.carried = (t[-1:], x[-1:], last == len(times) - 1) if same_path else None
        else:
            self.carried = None
        return increments, links.gaps

    def _starts(self, batch: Any) -> tuple[np.ndarray, np.ndarray]:
        """Which rows begin a path, and every row's label; a path that comes back is an error."""
        count, header = batch.num_rows, self.source.columns.trajectory
        starts = np.zeros(count, dtype=bool)
        if header is None:
            starts[0] = self.row == 0
            return starts, np.zeros(count, dtype=np.int64)
        codes, found = labels(batch.column(header), header)
        starts[1:] = np.diff(codes) != 0
        starts[0] = self.row == 0 or found[int(codes[0])] != self.label
        rows = np.flatnonzero(starts)
        beginning = [found[code] for code in codes[rows].tolist()]
        again = self.seen.add_all(beginning)
        if again is not None:
            raise InputError(
                f"Trajectory {beginning[again]!r} comes back in row {self.row + int(rows[again])} of the file (counted "
                "from 0); to be streamed, a file must be sorted by trajectory and time."
            )
        self.label = found[int(codes[-1])]
        return starts, np.array(found, dtype=object)[codes]


def open_stream(path: Any, time: Any, trajectory: Any, state: Any, gap: Any, periodic: Any = None) -> TrajectoryFile:
    """Open a Parquet file, find its columns and, if times are dates, the first of them."""
    file = existing_file(path)
    if not file.name.lower().endswith(".parquet"):
        raise InputError(f"Only Parquet files can be streamed, not {file.name!r}; read it, and write it as .parquet.")
    longest = check_gap(gap)
    with in_our_words(file), parquet.ParquetFile(file) as source:
        columns = parquet_columns(source, time, trajectory, state)
        check_names(columns.names, len(columns.state))
        rows = source.metadata.num_rows
        measurement = measurement_in(source, file)
        told = periods_in(source)
        kind = source.schema_arrow.field(columns.clock).type
    first = None
    if is_text(kind):
        raise InputError(f"The times in {columns.clock!r} are text; to be streamed they must be numbers or dates.")
    if is_stamp(kind):
        parts = (stamps(batch.column(0), columns.clock) for batch in _batches(file, [columns.clock], BLOCK_ROWS))
        firsts = [(part.first, part.per_second) for part in parts if part.first is not None]
        first = min(firsts)[0] if firsts else None
        remark = () if first is None else (f"Times are seconds since {written_date(*min(firsts))}.",)
        columns = replace(columns, remarks=(*columns.remarks, *remark))
    if rows < 2:
        raise InputError(f"The file {file.name!r} has {rows} rows, but an increment needs two; check how it was made.")
    units = columns.units | ({"t": "s"} if is_stamp(kind) else {})
    check_units(units, columns.names)
    if periodic is None and told is not None:
        periodic = periods_among(periods_from_json(told), columns.names)
    periods = checked_periods(periodic, columns.names)
    return TrajectoryFile(file, columns, longest, rows, first, units, measurement or Measurement(), periods)


def _batches(file: Path, headers: list[str], rows: int) -> Iterator[Any]:
    """Rows of a Parquet file, few at a time; a large row group is read through a small buffer."""
    # Without pre_buffer=False the pages of all row groups read so far would stay in memory.
    with in_our_words(file), parquet.ParquetFile(file, buffer_size=READ_BUFFER, pre_buffer=False) as source:
        for batch in source.iter_batches(batch_size=rows, columns=headers, use_threads=False):
            if batch.num_rows:
                yield batch


def _times(column: Any, columns: Columns, first: int | None) -> np.ndarray:
    if not is_stamp(column.type):
        return numbers(column, columns.clock)
    return stamps(column, columns.clock).seconds(first)


def _corrected(gaps: Gaps, carried: int, goes_on: bool) -> Gaps:
    """The counts without the row that was put in for a gap between two blocks.

    A path without a finite row in the blocks before was counted as lost there, and is counted anew here.
    """
    filler = 1 if carried == 2 else 0
    columns = tuple((name, count - filler) for name, count in gaps.columns if count > filler)
    lost = gaps.paths - (1 if goes_on and not carried else 0)
    return Gaps(gaps.rows - filler, columns, lost, gaps.steps)
