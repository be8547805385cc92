"""The role of each column of a table: as asked for, by its name, or by its values where names do not tell.

A table is long (each row a time, coordinates in columns) or wide (each column or each row a path).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as arrow

from liestonet.errors import Answer, InputError, UndecidedError
from liestonet.trajectories.columns import (
    TIME_NAMES,
    Columns,
    choose_columns,
    is_label_name,
    is_own_table,
    listed,
    parse_header,
)
from liestonet.trajectories.convert import TIME_OF_DAY, compute, decoded, is_numeric, is_stamp, is_text, numbers, stamps
from liestonet.trajectories.long_tables import ColumnTable, assemble
from liestonet.trajectories.trajectories import Trajectories
from liestonet.trajectories.tuning import READING
from liestonet.trajectories.unwrapping import with_certain_turns
from liestonet.trajectories.wanted import Wanted
from liestonet.trajectories.wide_tables import (
    columns_as_paths,
    numbered_paths,
    rows_as_paths,
    times_in_first_row,
    wider_way,
)

INDEX_NAMES = ("index", "idx", "row", "rows", "row_number", "rownum", "line", "no", "no.", "nr", "nr.", "#")
FRAME_NAMES = ("frame", "frames", "frame_number", "step", "count")
DATE_AND_TIME = "date and time"
_UNNAMED = re.compile(r"|Unnamed: ?\d+|V1|\.\.\.1", re.I)


@dataclass(frozen=True)
class Source:
    """A table whose columns need roles: whether its names have a meaning, and a time step found in its notes."""

    table: ColumnTable
    named: bool = True
    dt: float | None = None
    remarks: tuple[str, ...] = ()
    numeric: tuple[str, ...] | None = None  # columns that may be coordinates, where not all numeric ones are


def arrange(source: Source, wanted: Wanted) -> Trajectories:
    """Trajectories of a table; angles are recognised by values, unless periods are given or we wrote the table."""
    data = _arranged(source, wanted)
    own = is_own_table(source.table.headers)
    return data if own or wanted.periodic is not None else with_certain_turns(data)


def _arranged(source: Source, wanted: Wanted) -> Trajectories:
    """Trajectories of a wide or a long table, as asked for or as the table suggests."""
    if wanted.narrowed is not None:
        source = replace(source, table=wanted.narrowed(source.table))
    if wanted.layout == "rows":
        return _with_remarks(rows_as_paths(source.table, wanted), source)
    layout = wanted.layout
    if layout == "auto" and wanted.state is None and wanted.trajectory is None:
        if numbered_paths(_candidates(source, wanted)):
            layout = "columns"
        elif not source.named and wanted.time is None and times_in_first_row(source.table):
            return _with_remarks(rows_as_paths(source.table, wanted), source)
    table, columns = choose_roles(source, wanted, layout)
    if layout == "auto" and not source.named and wanted.state is None:
        layout = _layout_of(table, columns, wanted)
        if layout == "rows":
            return _with_remarks(rows_as_paths(source.table, wanted), source)
    if layout == "columns":
        return _with_remarks(columns_as_paths(table, columns, wanted), source)
    return _with_remarks(assemble(table.loaded(columns), columns, wanted), source)


def choose_roles(source: Source, wanted: Wanted, layout: str = "long") -> tuple[ColumnTable, Columns]:
    """The columns to read, and their table, in which separate columns of date and time may have been joined."""
    table, said = _without_index(source.table, wanted)
    if wanted.time is not None or is_own_table(table.headers):
        columns = choose_columns(table.headers, _numeric(source, table, wanted), *_roles(wanted))
        return table, _said(columns, said)
    if len(_times_by_name(table.headers)) != 1:
        table = _joined_date(table)
    by_name = _time_by_name(table.headers)
    if wanted.dt is not None:
        columns = _evenly_spaced(source, table, wanted, by_name)
        if not source.named:
            plain = tuple(
                remark.replace("Columns found by their names: state", "Coordinates are") for remark in columns.remarks
            )
            columns = replace(columns, remarks=plain)
        return table, _said(columns, said)
    if by_name is None:
        by_value = _by_value(table, wanted)
        if by_value is None:
            raise _no_time(source, table, wanted, layout)
        columns = choose_columns(
            table.headers, _numeric(source, table, wanted), by_value.time, by_value.label, wanted.state
        )
        if wanted.state is None and by_value.unused:
            columns = replace(columns, state=tuple(name for name in columns.state if name not in by_value.unused))
        said = (*said, *(f"{name!r} counts the rows and is not used" for name in by_value.unused))
        seconds = _seconds_of_counts(table, columns, wanted)
        if seconds is not None:
            rest = tuple(name for name in columns.state if name != seconds)
            remark = f"{columns.time!r} and {seconds!r} are the same clock; {seconds!r} is used as the time; "
            remark += f"trajectory {columns.trajectory!r}, state {listed(rest)}"
            same = replace(columns, time=seconds, state=rest, remarks=("; ".join([remark, *said]) + ".",))
            return table, same
        remark = f"Columns found by their values: {by_value.reason}, state {listed(columns.state)}"
        if not source.named and by_value.label is None and 1 < len(columns.state) <= READING.most_coordinates:
            remark += " (coordinates; layout columns makes each a path)"
        return table, replace(columns, remarks=("; ".join([remark, *said]) + ".",))
    roles = (by_name, *_roles(wanted)[1:]) if by_name == DATE_AND_TIME else _roles(wanted)
    return table, _said(choose_columns(table.headers, _numeric(source, table, wanted), *roles), said)


def _roles(wanted: Wanted) -> tuple[Any, Any, Any]:
    return wanted.time, wanted.trajectory, wanted.state


def _numeric(source: Source, table: ColumnTable, wanted: Wanted) -> Sequence[str]:
    if wanted.state is not None:
        return ()
    return table.numeric() if source.numeric is None else [name for name in source.numeric if name in table.headers]


def _said(columns: Columns, said: tuple[str, ...]) -> Columns:
    if not said:
        return columns
    extra = "; ".join(said)
    if columns.remarks:
        return replace(columns, remarks=(f"{columns.remarks[0].rstrip('.')}; {extra}.", *columns.remarks[1:]))
    return replace(columns, remarks=(f"{extra[0].upper()}{extra[1:]}.",))


def _with_remarks(data: Trajectories, source: Source) -> Trajectories:
    return replace(data, remarks=(*source.remarks, *data.remarks)) if source.remarks else data


def _candidates(source: Source, wanted: Wanted) -> list[str]:
    """Headers that could be paths: neither row number nor time."""
    if not source.named:
        return []
    table, _ = _without_index(source.table, wanted)
    time = wanted.time or _time_by_name(table.headers)
    return [header for header in table.headers if header != time and header not in (time or "")]


def _without_index(table: ColumnTable, wanted: Wanted) -> tuple[ColumnTable, tuple[str, ...]]:
    """The table without columns that count its rows and have no name, or one for row numbers; and remarks on them."""
    asked = [
        wanted.time,
        wanted.trajectory,
        *(wanted.state if isinstance(wanted.state, list | tuple) else [wanted.state]),
    ]
    found, empty = [], []
    for header in table.headers:
        name = parse_header(header)[0]
        unnamed = bool(_UNNAMED.fullmatch(name))
        if header in asked or not (unnamed or name.lower() in INDEX_NAMES) or table.headers.count(header) > 1:
            continue
        values = table.column(header)
        if not name and values.null_count == len(values):
            empty.append(header)
        elif _counts(values):
            found.append(header)
    if len(found) + len(empty) == 0 or len(table.headers) - len(found) - len(empty) < 1:
        return table, ()
    headers = [header for header in table.headers if header not in (*found, *empty)]
    said = tuple(
        f"the column {header!r} counts the rows and is not used" if header else
        "a column without a name counts the rows and is not used"
        for header in found
    )  # fmt: skip
    return replace(table, headers=headers), said


def _counts(column: Any) -> bool:
    """Whether a column holds 0, 1, 2, … or 1, 2, 3, …"""
    if not is_numeric(column.type) or column.null_count or len(column) < 2:
        return False
    values = numbers(column, "row")
    return values[0] in (0, 1) and bool(np.all(np.diff(values) == 1))


def _joined_date(table: ColumnTable) -> ColumnTable:
    """The table with one column of date and time where the two are in separate columns of text."""
    days = [header for header in table.headers if _all_text(table, header, _DAY)]
    hours = [header for header in table.headers if _all_text(table, header, TIME_OF_DAY)]
    if len(days) != 1 or len(hours) != 1:
        return table
    headers = [header for header in table.headers if header not in (days[0], hours[0])]

    def column(header: str) -> Any:
        if header != DATE_AND_TIME:
            return table.column(header)
        parts = [table.column(name).cast(arrow.string()) for name in (days[0], hours[0])]
        return compute.binary_join_element_wise(*parts, " ")

    kinds = None if table.kinds is None else {**table.kinds, DATE_AND_TIME: arrow.string()}
    return ColumnTable([DATE_AND_TIME, *headers], column, kinds)


_DAY = re.compile(r"\d{4}[-/]\d{1,2}[-/]\d{1,2}|\d{1,2}[./]\d{1,2}[./]\d{4}")


def _all_text(table: ColumnTable, header: str, pattern: re.Pattern[str]) -> bool:
    """Whether a column is text in which every value matches a pattern; columns of other types are not read."""
    if not is_stamp(table.kind(header)):
        return False
    column = table.column(header)
    if not is_text(column.type):
        return False
    found = compute.match_substring_regex(decoded(column), f"^(?:{pattern.pattern})$").drop_null()
    return len(found) > 0 and bool(compute.all(found).as_py())


def _time_by_name(headers: Sequence[str]) -> str | None:
    """The first column with a usual name for the time; several such columns are left to `choose_columns`."""
    if DATE_AND_TIME in headers:
        return DATE_AND_TIME
    called = _times_by_name(headers)
    return called[0] if called else None


def _times_by_name(headers: Sequence[str]) -> list[str]:
    return [header for header in headers if parse_header(header)[0].lower() in TIME_NAMES]


def _evenly_spaced(source: Source, table: ColumnTable, wanted: Wanted, by_name: str | None) -> Columns:
    """Columns for rows that are dt apart; a column of times is a contradiction, one that counts frames is not."""
    frames = [header for header in table.headers if parse_header(header)[0].lower() in FRAME_NAMES]
    if len(frames) == 1 and by_name is None and is_numeric(table.kind(frames[0])):
        return choose_columns(
            table.headers, _numeric(source, table, wanted), frames[0], wanted.trajectory, wanted.state
        )
    if by_name is not None:
        raise InputError(
            f"dt says that there is no column of times, but there is one, {by_name!r}; leave dt out, or name the "
            f"column of counts that dt multiplies, as in time={by_name!r}."
        )
    counted = [header for header in table.headers[:1] if _counts(table.column(header))]
    if counted and len(table.headers) > 1 and wanted.state is None:
        rest = ColumnTable([header for header in table.headers if header not in counted], table.column)
        columns = choose_columns(
            rest.headers, _numeric(source, rest, wanted), None, wanted.trajectory, None, clockless=True
        )
        return _said(columns, (f"the column {counted[0]!r} counts the rows and is not used",))
    return choose_columns(
        table.headers, _numeric(source, table, wanted), None, wanted.trajectory, wanted.state, clockless=True
    )


@dataclass(frozen=True)
class _ByValue:
    time: str
    reason: str
    label: str | None = None
    unused: tuple[str, ...] = ()


def _by_value(table: ColumnTable, wanted: Wanted) -> _ByValue | None:
    """The time and the path labels of a table without meaningful names: see docs/data.md for the rules."""
    if wanted.trajectory is not None:
        return None
    first = [header for header in table.headers[:3] if is_numeric(table.kind(header))]
    dated = [header for header in table.headers[:3] if is_stamp(table.kind(header)) and _is_dates(table, header)]
    if dated:
        return _ByValue(dated[0], f"time {dated[0]!r} (dates or times of day)")
    if not first or first[0] != table.headers[0]:
        return _labelled(table, first, table.headers[0]) if first else None
    values = numbers(table.column(first[0]), first[0])
    if _monotone(values) and not is_label_name(first[0]):
        counting = bool(np.all(np.diff(values) == 1))
        second = numbers(table.column(first[1]), first[1]) if len(first) > 1 else np.zeros(0)
        if counting and len(table.headers) > 2 and _monotone(second):
            return _ByValue(first[1], f"time {first[1]!r} ({_how(second)})", unused=(first[0],))
        how = "counts rows; dt gives the time between two" if counting else _how(values)
        return _ByValue(first[0], f"time {first[0]!r} ({how})")
    for label, time in ((first[0], first[1]), (first[1], first[0])) if len(first) > 2 else ():
        clock = numbers(table.column(time), time)
        if _tells_apart(numbers(table.column(label), label), clock):
            return _labelled_time(time, label, clock)
    return None


def _seconds_of_counts(table: ColumnTable, columns: Columns, wanted: Wanted) -> str | None:
    """The one other column that is a constant times the counts found as time, and not a count itself.

    A column of the given state is never chosen.
    """
    others = columns.state
    if wanted.state is not None:
        others = tuple(name for name in table.numeric() if name not in columns.needed)
    if columns.trajectory is None or not (wanted.state is None) < len(others) <= READING.certainly_paths:
        return None
    counts = numbers(table.column(columns.clock), columns.clock)
    if not np.all(counts == np.rint(counts)):
        return None
    found = []
    for header in others:
        values = numbers(table.column(header), header)
        if len(values) != len(counts) or not np.isfinite(values).all() or np.ptp(values) == 0:
            continue
        slope, level = np.polynomial.Polynomial.fit(counts, values, 1).convert().coef[::-1]
        missed = np.abs(values - level - slope * counts).max()
        if slope > 0 and missed <= READING.even_spread * slope and np.any(values != np.rint(values)):
            found.append(header)
    return found[0] if len(found) == 1 else None


def _labelled_time(time: str, label: str, clock: np.ndarray) -> _ByValue:
    whole = "; in counts, of which dt is the time" if np.all(clock == np.rint(clock)) else ""
    reason = f"time {time!r} (increases for each value of {label!r}{whole}), trajectory {label!r}"
    return _ByValue(time, reason, label)


def _labelled(table: ColumnTable, numeric: list[str], label: str) -> _ByValue | None:
    """The time and the path labels of a table with text in the first column and a time in the second for each label."""
    column = table.column(label)
    if not is_text(column.type) or column.null_count:
        return None
    codes = decoded(column).dictionary_encode().indices.to_numpy(zero_copy_only=False)
    clock = numbers(table.column(numeric[0]), numeric[0])
    return (
        _labelled_time(numeric[0], label, clock) if _tells_apart(np.asarray(codes, dtype=np.float64), clock) else None
    )


def _is_dates(table: ColumnTable, header: str) -> bool:
    try:
        stamps(table.column(header), header)
    except InputError:
        return False
    return True


def _monotone(values: np.ndarray) -> bool:
    """Whether values increase, or all decrease, strictly and long enough to exclude chance."""
    if len(values) < READING.least_increasing or not np.isfinite(values).all():
        return False
    steps = np.diff(values)
    return bool((steps > 0).all() or (steps < 0).all())


def _how(values: np.ndarray) -> str:
    steps = np.abs(np.diff(values))
    even = steps.max() - steps.min() <= READING.even_spread * np.median(steps)
    word = "increases" if values[-1] > values[0] else "decreases"
    return f"{word} evenly" if even else f"{word} throughout"


def _tells_apart(labels: np.ndarray, times: np.ndarray) -> bool:
    """Whether whole numbers could be path labels: within each of them the times increase."""
    if len(labels) < READING.least_increasing or not (np.isfinite(labels).all() and np.isfinite(times).all()):
        return False
    if not np.all(labels == np.rint(labels)):
        return False
    found = len(np.unique(labels))
    if not 1 < found <= len(labels) / 3:
        return False
    order = np.argsort(labels, kind="stable")
    within = np.diff(labels[order]) == 0
    return bool((np.diff(times[order])[within] > 0).all())


def _layout_of(table: ColumnTable, columns: Columns, wanted: Wanted) -> str:
    """Whether columns are coordinates or paths, in a table without names: few are coordinates, very many are paths."""
    count = len(columns.state)
    if count <= READING.most_coordinates or columns.trajectory is not None:
        return "long"
    if count <= READING.certainly_paths:
        raise UndecidedError(
            f"{count} columns without names are coordinates of one path, or one path each",
            Answer("layout='long'", ("--layout", "long"), "coordinates"),
            Answer("layout='columns'", ("--layout", "columns"), "a path each"),
        )
    return "columns" if columns.time is not None else wider_way(table, columns, wanted)


def _no_time(source: Source, table: ColumnTable, wanted: Wanted, layout: str) -> InputError:
    """The error that asks for the time: a column by name, or the step between rows."""
    step = f"{source.dt:g}" if source.dt is not None else "0.01"
    meaning = (
        "the time between rows that the file names"
        if source.dt is not None
        else "the time between rows; replace it with yours"
    )
    by_step = Answer(f"dt={step}", ("--dt", step), meaning)
    count = len(table.headers)
    if not source.named:
        problem = "No column increases from row to row, so none is the time"
        if count > READING.certainly_paths and layout == "auto":
            ways = [("rows", "each row is a path"), ("columns", "each column is a path")]
            answers = [
                Answer(f"layout={way!r}, dt={step}", ("--layout", way, "--dt", step), what) for way, what in ways
            ]
            return UndecidedError(problem, *answers)
        return UndecidedError(problem, by_step)
    alone = [header for header in table.headers if is_label_name(header) and _all_differ(table, header)]
    if alone:
        return InputError(
            f"Each value of {alone[0]!r} has one row, so there are no steps to learn from; give several times of each."
        )
    if not table.headers:
        return InputError("There are no columns; give a table with a time and at least one coordinate.")
    by_column = [Answer(f"time={name!r}", ("--time", name)) for name in _possible_times(table)[:1]]
    return UndecidedError(
        "No column is called t or time",
        *by_column,
        by_step,
        ending=f"The columns are {listed(table.headers)}.",
    )


def _all_differ(table: ColumnTable, header: str) -> bool:
    """Whether no value of a column occurs twice."""
    column = table.column(header)
    return len(column) > 1 and len(column.unique()) == len(column)


def _possible_times(table: ColumnTable) -> list[str]:
    """Columns of a table whose values increase, even if there are few values."""
    found = []
    for header in table.headers:
        if table.headers.count(header) == 1 and is_numeric(table.kind(header)):
            steps = np.diff(numbers(table.column(header), header))
            if steps.size and (steps > 0).all():
                found.append(header)
    return found
