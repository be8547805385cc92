"""Wide tables: each column or row is a path of one coordinate, or numbered columns are the coordinates of a path."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from liestonet.errors import Answer, InputError, UndecidedError
from liestonet.trajectories.columns import Columns, parse_header
from liestonet.trajectories.convert import is_numeric, numbers
from liestonet.trajectories.gaps import check_gap, place_in, split_at_gaps
from liestonet.trajectories.long_tables import ColumnTable, read_times, rows_apart
from liestonet.trajectories.measurement import as_measurement
from liestonet.trajectories.trajectories import Trajectories
from liestonet.trajectories.tuning import READING
from liestonet.trajectories.wanted import Wanted, check_dt

PATH_WORDS = (
    "path", "run", "trial", "particle", "track", "traj", "trajectory", "bead", "cell", "sample", "replicate", "rep",
    "realization", "realisation", "experiment", "exp", "series", "animal", "fish", "subject", "colloid", "trace",
)  # fmt: skip
_NUMBERED = re.compile(r"(?P<stem>.*?)[\s_.\-#]*\(?(?P<number>\d+)\)?")


def numbered_paths(headers: Sequence[str]) -> bool:
    """Whether headers are numbered names of paths, such as particle_1, particle_2, or numbers alone."""
    found = [_NUMBERED.fullmatch(parse_header(header)[0]) for header in headers]
    if len(headers) < 2 or not all(found):
        return False
    stems = {match["stem"].strip().lower() for match in found if match}
    return len(stems) == 1 and (stems <= {""} or stems <= set(PATH_WORDS))


def numbered_groups(headers: Sequence[str]) -> bool:
    """Whether headers are very many numbered coordinates, x1, y1, x2, y2, …, with the same coordinates for each number.

    So many are paths side by side; few may be one path in several coordinates.
    """
    return len(headers) > READING.certainly_paths and len(_grouped(headers)[0]) > 1


def columns_as_paths(table: ColumnTable, columns: Columns, wanted: Wanted) -> Trajectories:
    """Trajectories from columns: each one a path, or x1, y1, x2, y2, … with a path for each number."""
    coordinates, groups = _grouped(columns.state)
    column = table.loaded(columns)
    values = {header: numbers(column(header), header) for header in columns.state}
    rows = len(next(iter(values.values())))
    if not rows:
        raise InputError("The table has no rows; give at least two for a trajectory.")
    alone = np.zeros(rows, dtype=np.int64)
    times, units, remarks = read_times(column, columns, alone, check_dt(wanted.dt))
    if len(times) != rows:
        raise InputError(f"The time has {len(times)} rows but the paths {rows}; they must agree.")
    if len(times) > 1 and np.all(np.diff(times) < 0):
        times, values = times[::-1], {header: column[::-1] for header, column in values.items()}
        remarks = (*remarks, "Times decrease from row to row, so the order of the rows was reversed.")
    states = np.stack([np.stack([values[header] for header in group], axis=1) for group in groups])
    of_all = {parse_header(header)[1] for header in columns.state}
    shared = of_all.pop() if len(of_all) == 1 else None
    labels = ({"t": units["t"]} if "t" in units else {}) | (
        {} if shared is None else dict.fromkeys(coordinates, shared)
    )
    said = f"Each column is a path: {len(groups)} paths of {', '.join(coordinates)}"
    return _blocks(times, states, coordinates, labels, wanted, (*_of_columns(columns), f"{said}.", *remarks))


def _of_columns(columns: Columns) -> tuple[str, ...]:
    """The remarks on the time; the list of all paths as coordinates is dropped."""
    return tuple(remark.partition(", state ")[0].rstrip(".") + "." for remark in columns.remarks if "time" in remark)


def _grouped(state: Sequence[str]) -> tuple[tuple[str, ...], list[list[str]]]:
    """Names of the coordinates, and the columns of each path in the order of these names."""
    matches = [_NUMBERED.fullmatch(parse_header(header)[0]) for header in state]
    stems = [match["stem"].strip(" _.-#") if match else "" for match in matches]
    numbers_of = [match["number"] if match else "" for match in matches]
    names = tuple(dict.fromkeys(stems))
    if len(names) > 1 and all(names) and all(matches):
        by_number: dict[str, dict[str, str]] = {}
        for header, stem, number in zip(state, stems, numbers_of, strict=True):
            by_number.setdefault(number, {})[stem] = header
        if all(set(group) == set(names) for group in by_number.values()):
            return names, [[group[name] for name in names] for group in by_number.values()]
    one = (
        names[0]
        if len(names) == 1 and names[0].isidentifier() and names[0].lower() not in (*PATH_WORDS, "c", "t")
        else "x"
    )
    return (one,), [[header] for header in state]


def rows_as_paths(table: ColumnTable, wanted: Wanted) -> Trajectories:
    """Trajectories from rows of one coordinate each; times are in the first row if it increases, else from dt."""
    headers = [header for header in table.headers if is_numeric(table.kind(header))]
    if not headers:
        raise InputError("No column of the table holds numbers; give a row of numbers for each path.")
    block = np.stack([numbers(table.column(header), header) for header in headers], axis=1)
    if block.shape[1] < 2:
        raise InputError("Each row has one number only, but a path needs two; leave layout='rows' out.")
    dt, in_header = check_dt(wanted.dt), _numbers_of(headers)
    remarks: tuple[str, ...] = ()
    if len(headers) < len(table.headers):
        remarks = (f"Columns that hold no numbers are not used: {len(table.headers) - len(headers)}.",)
    if dt is not None:
        times = rows_apart(np.zeros(block.shape[1], dtype=np.int64), dt)
        said = f"{len(block)} paths, points {dt:g} apart"
    elif in_header is not None:
        times, said = in_header, f"{len(block)} paths, times in the line of names"
    elif len(block) > 1 and np.all(np.diff(block[0]) > 0):
        times, block, said = block[0], block[1:], f"{len(block) - 1} paths, times in the first row"
    else:
        raise UndecidedError(
            "Each row is a path, but no row holds the times",
            Answer("dt=0.01", ("--dt", "0.01"), "replace it with your step"),
        )
    return _blocks(times, block[:, :, None], ("x",), {}, wanted, (*remarks, f"Each row is a path: {said}."))


def _numbers_of(headers: Sequence[str]) -> np.ndarray | None:
    """Headers as times: numbers that increase and do not merely count the columns; else None."""
    try:
        values = np.array([float(header) for header in headers])
    except ValueError:
        return None
    counting = np.array_equal(values, np.arange(len(values)) + values[0])
    return values if np.isfinite(values).all() and np.all(np.diff(values) > 0) and not counting else None


def times_in_first_row(table: ColumnTable) -> bool:
    """Whether the first row holds evenly spaced times above rows that do not increase."""
    if len(table.headers) < READING.least_increasing:
        return False
    if not all(is_numeric(table.kind(header)) for header in table.headers):
        return False
    columns = [table.column(header) for header in table.headers]
    if len(columns[0]) < 2:
        return False
    block = np.stack([numbers(column, header) for column, header in zip(columns, table.headers, strict=True)], axis=1)
    first, below = np.diff(block[0]), np.diff(block[1:], axis=1)
    if not np.isfinite(first).all() or not (first > 0).all():
        return False
    even = first.max() - first.min() <= READING.even_spread * np.median(first)
    return bool(even and not (below > 0).all(axis=1).any())


def wider_way(table: ColumnTable, columns: Columns, wanted: Wanted) -> str:
    """Whether rows or columns are paths: neighbours on a path are closer than neighbours on different paths."""
    block = np.stack([numbers(table.column(header), header) for header in columns.state], axis=1)
    across_columns, across_rows = _roughness(block), _roughness(block.T)
    if across_columns > READING.rougher * across_rows:
        return "columns"
    if across_rows > READING.rougher * across_columns:
        return "rows"
    raise UndecidedError(
        f"{block.shape[1]} columns without names and without times are paths, or the rows are",
        Answer("layout='columns'", ("--layout", "columns"), "each column is a path"),
        Answer("layout='rows'", ("--layout", "rows"), "each row is a path"),
    )


def _roughness(block: np.ndarray) -> float:
    """The mean square of differences along the second axis."""
    squares = np.diff(block, axis=1) ** 2
    finite = squares[np.isfinite(squares)]
    return float(finite.mean()) if finite.size else 0.0


def _blocks(
    times: np.ndarray,
    states: np.ndarray,
    names: tuple[str, ...],
    units: dict[str, str],
    wanted: Wanted,
    remarks: tuple[str, ...],
) -> Trajectories:
    """Trajectories with equal times: times (N,), states (K, N, d); missing values split a path."""
    paths, length, dimension = states.shape
    offsets = length * np.arange(paths + 1)
    flat: tuple[Any, Any] = np.tile(times, paths), np.ascontiguousarray(states).reshape(-1, dimension)
    parts = split_at_gaps(*flat, offsets, check_gap(wanted.gap), names, place_in(offsets))
    return Trajectories(*parts[:3], names, units, parts[3], remarks, as_measurement(wanted.measurement))
