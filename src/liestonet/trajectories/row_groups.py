"""Groups of rows in a file, by the value of a column that is not a coordinate; reads the rows of one group."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as arrow

from liestonet.errors import InputError
from liestonet.trajectories.columns import listed, parse_header
from liestonet.trajectories.convert import compute, decoded
from liestonet.trajectories.long_tables import ColumnTable
from liestonet.trajectories.readers import read_trajectories
from liestonet.trajectories.trajectories import Trajectories
from liestonet.trajectories.wanted import Wanted

SUFFIXES = (".csv", ".txt", ".dat", ".tsv", ".tab", ".asc", ".prn", ".gz", ".parquet")


def values_in(file: Path, column: str, reading: Mapping[str, object]) -> list[str]:
    """The values of a column of one file, as text, in the order in which they come."""
    found: list[str] = []

    def keep(table: ColumnTable, header: str) -> ColumnTable:
        found.extend(compute.unique(as_text(table, header, file)).to_pylist())
        raise _SeenError

    try:
        _read(file, reading, lambda table: keep(table, _header(table, column, file)))
    except _SeenError:
        return found
    raise InputError(f"The file {file.name!r} has no rows of {column!r}; check the name.")


def read_rows(file: Path, column: str, value: str, reading: Mapping[str, object]) -> Trajectories:
    """The paths of one file in the rows where a column has a value."""
    return _read(file, reading, lambda table: only(table, _header(table, column, file), value, file))


class _SeenError(Exception):
    """Stops reading once everything that is needed of a file is known."""


def _read(file: Path, reading: Mapping[str, object], narrowed: Any) -> Trajectories:
    if not file.name.lower().endswith(SUFFIXES):
        raise InputError(
            f"The file {file.name!r} has no columns that distinguish groups; use tables of text or Parquet, or a "
            "pattern for the files' names such as 'run_{condition}.npz'."
        )
    data = read_trajectories(file, Wanted(**reading, narrowed=narrowed))
    return data.with_periods(reading.get("periodic"))


def _header(table: ColumnTable, column: str, file: Path) -> str:
    matching = [header for header in table.headers if column in (header, parse_header(header)[0])]
    if len(matching) != 1:
        raise InputError(
            f"The file {file.name!r} has no column {column!r}; it has {listed(table.headers)}. For a part of the "
            "files' names give a pattern such as 'run_{condition}_*.csv'."
        )
    return matching[0]


def as_text(table: ColumnTable, header: str, file: Path) -> Any:
    """A column as text; an error if a row has no value and thus no group."""
    text = decoded(table.column(header)).cast(arrow.string())
    empty = compute.fill_null(compute.equal(compute.utf8_trim_whitespace(text), ""), True)
    row = compute.index(empty, True).as_py()
    if row >= 0:
        raise InputError(
            f"Row {row} of the table in {file.name!r} (counted from 0) has no value in {header!r}, so its group is not "
            "known; fill it in or drop the row."
        )
    return text


def only(table: ColumnTable, header: str, value: str, file: Path) -> ColumnTable:
    """The rows of one group, without the column that distinguishes groups."""

    @cache
    def rows() -> Any:
        return compute.equal(as_text(table, header, file), value)

    load = table.load
    return replace(
        table,
        headers=[name for name in table.headers if name != header],
        column=lambda name: table.column(name).filter(rows()),
        load=None if load is None else lambda columns: _filtered(load(columns), rows()),
    )


def _filtered(column: Any, rows: Any) -> Any:
    return lambda name: column(name).filter(rows)
