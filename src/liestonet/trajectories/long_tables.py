"""Long tables to trajectories: rows grouped by label, times checked or sorted, paths split at gaps.

A table is whatever gives columns by name; data frames are known by what they can do, not by their package.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as arrow

from liestonet.errors import InputError
from liestonet.trajectories.checks import check_names
from liestonet.trajectories.columns import Columns, choose_columns
from liestonet.trajectories.convert import is_numeric, is_stamp, labels, numbers, stamps
from liestonet.trajectories.gaps import check_gap, split_at_gaps
from liestonet.trajectories.trajectories import Trajectories


@dataclass(frozen=True)
class ColumnTable:
    """Headers and a function that gives a column as a pyarrow array."""

    headers: list[str]
    column: Callable[[str], Any]

    def numeric(self) -> list[str]:
        """Headers of the columns that could be coordinates; a column that cannot be read is none of them."""
        unique = [header for header in self.headers if self.headers.count(header) == 1]
        return [header for header in unique if self._is_numeric(header)]

    def _is_numeric(self, header: str) -> bool:
        try:
            return is_numeric(self.column(header).type)
        except InputError:
            return False


def from_table(given: Any, time: Any, trajectory: Any, state: Any, sort: Any, gap: Any) -> Trajectories:
    """Trajectories of a data frame, a pyarrow table or a mapping of columns."""
    table = as_table(given)
    columns = choose_columns(table.headers, table.numeric() if state is None else (), time, trajectory, state)
    return assemble(table.column, columns, sort, gap)


def as_table(given: Any) -> ColumnTable:
    """Understand a table by what it can do."""
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
    """pandas, polars and what looks like them: `.columns`, and a column by its name; a named index counts too."""
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
    """The error for a column whose values are not of one kind, with the first that differs."""
    for row, value in enumerate(values):
        if value is not None and not isinstance(value, int | float | np.number):
            shown = repr(value)
            return InputError(
                f"The column {header!r} has {shown if len(shown) <= 30 else shown[:29] + '…'} in row {row} "
                "(counted from 0), which is not a number like the others; use one type in each column."
            )
    return InputError(f"The column {header!r} cannot be read as numbers; convert it first.")


def assemble(column: Callable[[str], Any], columns: Columns, sort: Any, gap: Any) -> Trajectories:
    """Trajectories of chosen columns."""
    longest = check_gap(gap)
    check_names(columns.names, len(columns.state))
    states = [numbers(column(header), header) for header in columns.state]
    times, units, remarks = read_times(column(columns.time), columns)
    _check_equal_lengths(times, states, columns)
    if columns.trajectory is None:
        codes, found = np.zeros(len(times), dtype=np.int64), None
    else:
        codes, found = labels(column(columns.trajectory), columns.trajectory)
        if len(codes) != len(times):
            raise InputError(f"The column {columns.trajectory!r} has {len(codes)} rows but the time {len(times)}.")
    order = _order(codes, times, sort, columns)
    block = np.empty((len(times), len(states)))
    for index, values in enumerate(states):
        block[:, index] = values if order is None else values[order]
    if order is not None:
        codes, times = codes[order], times[order]
    offsets = np.concatenate([[0], np.flatnonzero(np.diff(codes)) + 1, [len(codes)]])
    place = _place(codes, found, order)
    parts = split_at_gaps(times, block, offsets, longest, columns.names, place)
    return Trajectories(*parts[:3], columns.names, units, parts[3], (*columns.remarks, *remarks))


def read_times(column: Any, columns: Columns) -> tuple[np.ndarray, dict[str, str], tuple[str, ...]]:
    """Times as numbers, all units, and a remark where dates became seconds."""
    if not is_stamp(column.type):
        return numbers(column, columns.time), columns.units, ()
    found = stamps(column, columns.time)
    return found.seconds(found.first), columns.units | {"t": "s"}, found.remarks


def _check_equal_lengths(times: np.ndarray, states: list[np.ndarray], columns: Columns) -> None:
    if not len(times):
        raise InputError("The table has no rows; give at least two for a trajectory.")
    for header, values in zip(columns.state, states, strict=True):
        if len(values) != len(times):
            raise InputError(
                f"The column {header!r} has {len(values)} rows but the time {len(times)}; they must agree."
            )


def _order(codes: np.ndarray, times: np.ndarray, sort: Any, columns: Columns) -> np.ndarray | None:
    """The order that brings each path together, sorted in time if asked for; None where nothing has to move."""
    if sort:
        missing = np.flatnonzero(~np.isfinite(times))
        if missing.size:
            raise InputError(
                f"Row {int(missing[0])} of the table has no time in {columns.time!r}, so it cannot be placed in time "
                "order; fill it in or drop the row."
            )
        return np.lexsort((times, codes))
    return np.argsort(codes, kind="stable") if (np.diff(codes) < 0).any() else None


def _place(codes: np.ndarray, found: list[Any] | None, order: np.ndarray | None) -> Callable[[int], str]:
    """Words for a row, by the trajectory's label and the place in the table."""

    def words(row: int) -> str:
        where = f"row {row if order is None else int(order[row])} of the table (counted from 0)"
        return f"Trajectory {found[int(codes[row])]!r}, {where}" if found is not None else where.capitalize()

    return words
