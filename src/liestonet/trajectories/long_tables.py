"""Long tables to trajectories: rows grouped by label, times checked or sorted, paths split at gaps.

A table is any object that gives columns by name; data frames are recognised by their methods, not by their package.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as arrow
from jaxtyping import Float

from liestonet.errors import Answer, InputError, UndecidedError
from liestonet.trajectories.checks import check_names
from liestonet.trajectories.columns import Columns, choose_columns, is_age
from liestonet.trajectories.convert import is_numeric, is_stamp, labels, numbers, stamps
from liestonet.trajectories.gaps import check_gap, split_at_gaps
from liestonet.trajectories.measurement import as_measurement, measurement_in
from liestonet.trajectories.period_marks import is_mark, with_header_periods
from liestonet.trajectories.trajectories import Trajectories
from liestonet.trajectories.wanted import Wanted, check_dt


@dataclass(frozen=True)
class ColumnTable:
    """Headers and a function that gives a column as a pyarrow array.

    Where reading is slow, the types are known in advance, and `load` reads all columns of a long table at once.
    """

    headers: list[str]
    column: Callable[[str], Any]
    kinds: Mapping[str, Any] | None = None
    load: Callable[[Columns], Callable[[str], Any]] | None = None

    def kind(self, header: str) -> Any:
        """The type of a column."""
        return self.column(header).type if self.kinds is None else self.kinds[header]

    def loaded(self, columns: Columns) -> Callable[[str], Any]:
        """The table with the chosen columns loaded."""
        return self.column if self.load is None else self.load(columns)

    def numeric(self) -> list[str]:
        """Headers of the columns that could be coordinates; a column that cannot be read is not among them."""
        return [header for header in self.headers if self._is_numeric(header)]

    def _is_numeric(self, header: str) -> bool:
        if self.kinds is None and self.headers.count(header) > 1:
            return False
        try:
            kind = self.kind(header)
            # a column of text in which nothing stands may be one of numbers
            return is_numeric(kind) or (self.kinds is not None and arrow.types.is_null(kind))
        except InputError:
            return False


def from_table(given: Any, wanted: Wanted) -> Trajectories:
    """Trajectories of a data frame, a pyarrow table or a mapping of columns."""
    table = as_table(given)
    headers = table.headers
    wanted = wanted.knowing(measurement_in(headers))
    table = replace(table, headers=[header for header in headers if not is_mark(header)])
    numeric = table.numeric() if wanted.state is None else ()
    clockless = wanted.dt is not None and wanted.time is None
    roles = (wanted.time, wanted.trajectory, wanted.state)
    columns = choose_columns(table.headers, numeric, *roles, clockless=clockless)
    return with_header_periods(assemble(table.column, columns, wanted), headers, wanted)


def as_table(given: Any) -> ColumnTable:
    """A table recognised by its methods."""
    if isinstance(given, arrow.Table | arrow.RecordBatch):
        return ColumnTable(list(given.schema.names), given.column)
    if isinstance(given, Mapping):
        return _mapping(given)
    if callable(getattr(given, "collect", None)) and not hasattr(given, "to_arrow"):
        raise InputError("The table is lazy; give what its collect() returns.")
    if hasattr(given, "columns") and hasattr(given, "__getitem__"):
        return _frame(given)
    raise InputError(
        f"A {type(given).__name__} is not a table; give a pandas or polars data frame, a pyarrow table, "
        "or a dictionary of columns."
    )


def _frame(frame: Any) -> ColumnTable:
    """pandas, polars and similar frames: `.columns`, and a column by its name; a named index counts as a column."""
    keys = {str(key): key for key in frame.columns}
    index = [name for name in getattr(getattr(frame, "index", None), "names", ()) if name is not None]
    extra = {str(name): name for name in index if str(name) not in keys}

    def column(header: str) -> Any:
        if header in extra:
            return as_arrow(frame.index.get_level_values(extra[header]), header)
        series = frame[keys[header]]
        return series.to_arrow() if hasattr(series, "to_arrow") else as_arrow(series, header)

    return ColumnTable([*extra, *map(str, frame.columns)], column)


def _mapping(columns: Mapping[Any, Any]) -> ColumnTable:
    headers = [str(key) for key in columns]
    keys = dict(zip(headers, columns, strict=True))
    return ColumnTable(headers, lambda header: as_arrow(columns[keys[header]], header))


def as_arrow(values: Any, header: str) -> Any:
    """A column of any kind as a pyarrow array."""
    try:
        if hasattr(values, "__arrow_array__") or hasattr(values, "dtype"):
            array = np.asarray(values) if isinstance(values, np.ndarray) else values
            if getattr(array, "ndim", 1) != 1:
                raise InputError(
                    f"The column {header!r} has shape {array.shape}; a column of a table is one-dimensional."
                )
            if getattr(array.dtype, "kind", "") == "c":
                raise InputError(f"The column {header!r} is complex; give its real and imaginary parts as two columns.")
            return arrow.array(array, from_pandas=True)
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise InputError(f"The column {header!r} is a single {type(values).__name__}; give one value for each row.")
        return arrow.array(list(values), from_pandas=True)
    except (arrow.ArrowException, TypeError, ValueError, OverflowError) as problem:
        if isinstance(problem, InputError):
            raise
        raise _mixed(values, header) from problem


def _mixed(values: Any, header: str) -> InputError:
    """The error for a column with values of several kinds, naming the first that differs."""
    for row, value in enumerate(values):
        if value is not None and not isinstance(value, int | float | np.number):
            shown = repr(value)
            return InputError(
                f"The column {header!r} has {shown if len(shown) <= 30 else shown[:29] + '…'} in row {row} "
                "(counted from 0), which is not a number like the others; use one type in each column."
            )
    return InputError(f"The column {header!r} cannot be read as numbers; convert it first.")


def assemble(column: Callable[[str], Any], columns: Columns, wanted: Wanted) -> Trajectories:
    """Trajectories from chosen columns."""
    longest, dt = check_gap(wanted.gap), check_dt(wanted.dt)
    check_names(columns.names, len(columns.state))
    states = [numbers(column(header), header) for header in columns.state]
    rows = len(column(columns.time) if columns.time is not None else states[0])
    _check_equal_lengths(rows, states, columns)
    if columns.trajectory is None:
        codes, found = np.zeros(rows, dtype=np.int64), None
    else:
        codes, found = labels(column(columns.trajectory), columns.trajectory)
        if len(codes) != rows:
            raise InputError(f"The column {columns.trajectory!r} has {len(codes)} rows but the time {rows}.")
    times, units, remarks = read_times(column, columns, codes, dt)
    back = columns.back or (columns.time is not None and is_age(columns.time) and _all_decrease(codes, times, None))
    times = 0.0 - times if back else times
    if columns.trajectory is None and not wanted.sort and columns.time is not None:
        ask_for_labels(times, dict(zip(columns.state, states, strict=True)), columns)
    order, turned = _order(codes, times, wanted.sort, columns)
    if back:
        so = ", and the rows were turned round" if turned else ""
        turned = (f"{columns.time!r} counts back from the present: times are its negative{so}.",)
    block = np.empty((len(times), len(states)))
    for index, values in enumerate(states):
        block[:, index] = values if order is None else values[order]
    if order is not None:
        codes, times = codes[order], times[order]
    offsets = np.concatenate([[0], np.flatnonzero(np.diff(codes)) + 1, [len(codes)]])
    place = _place(codes, found, order)
    parts = split_at_gaps(times, block, offsets, longest, columns.names, place)
    said = (*columns.remarks, *remarks, *turned)
    return Trajectories(*parts[:3], columns.names, units, parts[3], said, as_measurement(wanted.measurement))


def read_times(
    column: Callable[[str], Any], columns: Columns, codes: np.ndarray, dt: float | None
) -> tuple[np.ndarray, dict[str, str], tuple[str, ...]]:
    """Times as numbers, all units, and a remark where dates became seconds or `dt` was used."""
    if columns.time is None:
        return rows_apart(codes, 1.0 if dt is None else dt), columns.units, (f"Rows of a path are {dt:g} apart.",)
    given = column(columns.time)
    if not is_stamp(given.type):
        times = numbers(given, columns.time)
        if dt is None:
            return times, columns.units, ()
        if not np.all(np.isnan(times) | (times == np.rint(times))):
            raise InputError(
                f"The times in {columns.time!r} are not whole numbers, so they do not count steps of "
                f"dt={dt:g}; leave dt or "
                "time out."
            )
        units = {name: unit for name, unit in columns.units.items() if name != "t"}
        return times * dt, units, (f"Times are {dt:g} times the counts in {columns.time!r}.",)
    if dt is not None:
        raise InputError(f"The times in {columns.time!r} are dates, so there is no step to give; leave dt out.")
    found = stamps(given, columns.time).across_midnight(codes)
    return found.seconds(found.first), columns.units | {"t": "s"}, found.remarks


def rows_apart(codes: np.ndarray, dt: float) -> Float[np.ndarray, " n"]:
    """Times of evenly spaced rows, from 0 in every path."""
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.concatenate([[True], np.diff(codes[order]) != 0]))[: len(codes)]
    within = np.arange(len(codes)) - np.repeat(starts, np.diff(np.append(starts, len(codes))))
    times = np.empty(len(codes))
    times[order] = dt * within
    return times


def ask_for_labels(times: np.ndarray, states: Mapping[str, np.ndarray], columns: Columns) -> None:
    """Ask whether a column labels the paths, where times restart and each value of it spans one run."""
    back = np.diff(times) < 0
    if not back.any() or _all_decrease(np.zeros(len(times), dtype=np.int64), times, None):
        return
    for header, values in states.items():
        if len(states) > 1 and np.array_equal(np.diff(values) != 0, back):
            raise UndecidedError(
                f"Times begin again wherever {header!r} changes, so it seems to label the paths, but no name says so",
                Answer(f"trajectory={header!r}", ("--trajectory", header), "it labels the paths"),
                Answer("sort=True", ("--sort",), "it is a coordinate of one path whose rows are out of order"),
            )


def _check_equal_lengths(rows: int, states: list[np.ndarray], columns: Columns) -> None:
    if not rows:
        raise InputError("The table has no rows; give at least two for a trajectory.")
    for header, values in zip(columns.state, states, strict=True):
        if len(values) != rows:
            raise InputError(f"The column {header!r} has {len(values)} rows but the time {rows}; they must agree.")


def _order(
    codes: np.ndarray, times: np.ndarray, sort: Any, columns: Columns
) -> tuple[np.ndarray | None, tuple[str, ...]]:
    """The order that brings each path together, sorted by time if asked for, or reversed where all times decrease.

    None where nothing has to move; with it, remarks on what was done.
    """
    if sort:
        missing = np.flatnonzero(~np.isfinite(times))
        if missing.size:
            raise InputError(
                f"Row {int(missing[0])} of the table has no time in {columns.time!r}, so it cannot be placed in time "
                "order; fill it in or drop the row."
            )
        return np.lexsort((times, codes)), ()
    together = np.argsort(codes, kind="stable") if (np.diff(codes) < 0).any() else None
    if not _all_decrease(codes, times, together):
        return together, ()
    return np.lexsort((times, codes)), ("Times decrease from row to row, so the order of the rows was reversed.",)


def _all_decrease(codes: np.ndarray, times: np.ndarray, together: np.ndarray | None) -> bool:
    """Whether times decrease strictly in every path, and in one of them more than once."""
    path, t = (codes, times) if together is None else (codes[together], times[together])
    steps = np.diff(t)[np.diff(path) == 0]
    return len(steps) > len(np.unique(path)) and bool((steps < 0).all())


def _place(codes: np.ndarray, found: list[Any] | None, order: np.ndarray | None) -> Callable[[int], str]:
    """The description of a row by the trajectory's label and its place in the table."""

    def words(row: int) -> str:
        where = f"row {row if order is None else int(order[row])} of the table (counted from 0)"
        return f"Trajectory {found[int(codes[row])]!r}, {where}" if found is not None else where.capitalize()

    return words
