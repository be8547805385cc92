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
from liestonet.trajectories.by_values import FRAME_NAMES, by_value, label_beside, seconds_of_counts
from liestonet.trajectories.columns import (
    TIME_NAMES,
    Columns,
    choose_columns,
    is_label_name,
    is_own_table,
    listed,
    parse_header,
)
from liestonet.trajectories.convert import TIME_OF_DAY, compute, decoded, is_numeric, is_stamp, is_text, numbers
from liestonet.trajectories.long_tables import ColumnTable, assemble
from liestonet.trajectories.trajectories import Trajectories
from liestonet.trajectories.tuning import READING
from liestonet.trajectories.unwrapping import with_certain_turns
from liestonet.trajectories.wanted import Wanted
from liestonet.trajectories.wide_tables import (
    columns_as_paths,
    numbered_groups,
    numbered_paths,
    rows_as_paths,
    times_in_first_row,
    wider_way,
)

INDEX_NAMES = ("index", "idx", "row", "rows", "row_number", "rownum", "line", "no", "no.", "nr", "nr.", "#")
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
        if numbered_paths(_candidates(source, wanted)) or numbered_groups(_candidates(source, wanted)):
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
        found = by_value(table, wanted)
        if found is None:
            raise _no_time(source, table, wanted, layout)
        columns = choose_columns(table.headers, _numeric(source, table, wanted), found.time, found.label, wanted.state)
        if wanted.state is None and found.unused:
            columns = replace(columns, state=tuple(name for name in columns.state if name not in found.unused))
        said = (*said, *(f"{name!r} counts the rows and is not used" for name in found.unused))
        seconds = seconds_of_counts(table, columns, wanted)
        if seconds is not None:
            rest = tuple(name for name in columns.state if name != seconds)
            remark = f"{columns.time!r} and {seconds!r} are the same clock; {seconds!r} is used as the time; "
            remark += f"trajectory {columns.trajectory!r}, state {listed(rest)}"
            same = replace(columns, time=seconds, state=rest, remarks=("; ".join([remark, *said]) + ".",))
            return table, same
        remark = f"Columns found by their values: {found.reason}, state {listed(columns.state)}"
        if not source.named and found.label is None and 1 < len(columns.state) <= READING.most_coordinates:
            remark += " (coordinates; layout columns makes each a path)"
        return table, replace(columns, remarks=("; ".join([remark, *said]) + ".",))
    time = by_name if by_name == DATE_AND_TIME else wanted.time
    label = wanted.trajectory or label_beside(table, by_name)
    columns = choose_columns(table.headers, _numeric(source, table, wanted), time, label, wanted.state)
    if label is not None and wanted.trajectory is None:
        said = (f"trajectory {label!r} (times begin again for each of its values)", *said)
    return table, _said(columns, said)


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
    """The table without empty columns and without row numbers that have no name, or one for them; and remarks."""
    asked = [
        wanted.time,
        wanted.trajectory,
        *(wanted.state if isinstance(wanted.state, list | tuple) else [wanted.state]),
    ]
    found, empty = [], []
    for header in table.headers:
        name = parse_header(header)[0]
        if header in asked or table.headers.count(header) > 1:
            continue
        if _is_empty(table, header):
            empty.append(header)
        elif (_UNNAMED.fullmatch(name) or name.lower() in INDEX_NAMES) and _counts(table.column(header)):
            found.append(header)
    if len(table.headers) - len(found) - len(empty) < 2:
        empty = []  # what is left would be no recording: missing values are told as such
    if len(found) + len(empty) == 0 or len(table.headers) - len(found) - len(empty) < 1:
        return table, ()
    headers = [header for header in table.headers if header not in (*found, *empty)]
    said = tuple(
        f"the column {header!r} counts the rows and is not used" if header else
        "a column without a name counts the rows and is not used"
        for header in found
    )  # fmt: skip
    named = [header for header in empty if parse_header(header)[0]]
    if named:
        said = (*said, f"{listed(named)} {'is' if len(named) == 1 else 'are'} empty and not used")
    return replace(table, headers=headers), said


def _is_empty(table: ColumnTable, header: str) -> bool:
    """Whether nothing stands in any row of a column."""
    if table.kinds is not None and not arrow.types.is_null(table.kinds[header]):
        return False
    values = table.column(header)
    return len(values) > 0 and values.null_count == len(values)


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
