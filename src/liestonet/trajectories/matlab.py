"""MATLAB files of both kinds: versions 4 to 7.2 through SciPy, 7.3 through h5py. Sizes are checked before loading.

A variable is an array, a struct array or a cell array of tracks, or something without data, which is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from liestonet.errors import Answer, InputError, UndecidedError
from liestonet.trajectories.checks import default_names
from liestonet.trajectories.columns import TIME_NAMES, listed
from liestonet.trajectories.long_tables import from_table
from liestonet.trajectories.matlab_old import HDF_SIGNATURE, read_old
from liestonet.trajectories.matlab_values import Cells, Structs, Value
from liestonet.trajectories.named_arrays import NamedArrays, from_named
from liestonet.trajectories.plain_arrays import from_array
from liestonet.trajectories.trajectories import Trajectories
from liestonet.trajectories.wanted import Wanted

FRAME_NAMES = ("frame", "frames")
STEP_NAMES = ("dt", "delta_t", "deltat", "timestep", "time_step")
RATE_NAMES = ("fs", "fps", "frame_rate", "framerate", "rate", "sampling_rate")


@dataclass(frozen=True)
class Tracks:
    """Paths of one variable: times (n,) or None for each, states (n, d), and the time step given in the variable."""

    name: str
    times: list[np.ndarray] | None
    states: list[np.ndarray]
    names: tuple[str, ...]
    fields: str = ""  # the fields that were read
    dt: tuple[str, float] | None = None

    @property
    def points(self) -> int:
        """Number of points of all tracks together."""
        return sum(map(len, self.states))


def read_matlab(file: Path, wanted: Wanted) -> Trajectories:
    """Trajectories of a .mat file: its tracks, or its arrays by name."""
    with file.open("rb") as stream:
        is_new = HDF_SIGNATURE in (stream.read(8), stream.seek(512) and stream.read(8))
    if is_new:
        from liestonet.trajectories.matlab_new import read_new

        found, refused = read_new(file, _variables(wanted))
    else:
        found, refused = read_old(file, _variables(wanted))
    plain = {name: value for name, value in found.items() if isinstance(value, np.ndarray)}
    step = _step_of(plain)
    sets = _track_sets(found, wanted)
    left = (f"Not read, as it holds no plain numbers: {listed(refused)}.",) if refused else ()
    if sets:
        data = _from_tracks(sets, wanted, step)
        return replace(data, remarks=(*data.remarks, *left))
    arrays = {name: _vector(value) for name, value in plain.items() if value.size > 1}
    if not arrays:
        raise InputError(_nothing(file, refused))
    data = _from_arrays(arrays, wanted, step)
    return replace(data, remarks=(*data.remarks, *left))


def _variables(wanted: Wanted) -> set[str] | None:
    """The variables named in the options, with or without a field; None where all of them have to be inspected."""
    names = [wanted.time, *(wanted.state if isinstance(wanted.state, list | tuple) else [wanted.state])]
    given = {name.partition(".")[0] for name in names if isinstance(name, str)}
    return given if given and wanted.state is not None and wanted.time is not None else None


def _nothing(file: Path, refused: Sequence[str]) -> str:
    if refused:
        return (
            f"The file {file.name!r} holds objects, tables or functions ({listed(refused)}) but no plain numbers; in "
            "MATLAB, save the columns as arrays, as in x = T.x; save('file.mat', 'x')."
        )
    return f"The file {file.name!r} holds no array of more than one number; check that the variables were saved."


def _from_arrays(arrays: Mapping[str, np.ndarray], wanted: Wanted, step: tuple[str, float] | None) -> Trajectories:
    if len(arrays) == 1 and wanted.time is None and wanted.state is None:
        return from_array(next(iter(arrays.values())), wanted, None if step is None else step[1])
    try:
        return from_named(NamedArrays(arrays, {}), wanted)
    except UndecidedError as problem:
        if step is None or wanted.dt is not None:
            raise
        value = f"{step[1]:g}"
        raise UndecidedError(
            problem.problem, Answer(f"dt={value}", ("--dt", value), f"the file has {step[0]}"), ending=problem.ending
        ) from problem


def _vector(value: np.ndarray) -> np.ndarray:
    """A row or column vector of MATLAB as a one-dimensional array; other arrays unchanged."""
    if value.ndim == 2 and 1 in value.shape:
        return value.reshape(-1)
    return value


def _step_of(values: Mapping[str, Any]) -> tuple[str, float] | None:
    """The time step from a number under a usual name for the step or the rate, with its description."""
    for name, value in values.items():
        last = name.rpartition(".")[2].lower()
        if not isinstance(value, np.ndarray) or value.size != 1 or value.dtype.kind not in "iuf":
            continue
        number = float(value.reshape(-1)[0])
        if not 0 < number < np.inf:
            continue
        if last in STEP_NAMES:
            return f"{name} = {number:g}", number
        if last in RATE_NAMES:
            return f"{name} = {number:g}", float(f"{1 / number:.12g}")
    return None


def _track_sets(found: Mapping[str, Value], wanted: Wanted) -> list[Tracks]:
    """Variables that hold tracks and fit the options, those with most points first."""
    sets = []
    for name, value in found.items():
        made = None
        if isinstance(value, Structs):
            made = _from_structs(name, value, wanted)
        elif isinstance(value, Cells):
            made = _from_cells(name, value, wanted)
        if made is not None and made.points > len(made.states):
            sets.append(made)
    return sorted(sets, key=lambda tracks: -tracks.points)


def _asked(wanted: Any, name: str) -> Any:
    """The field that is asked for, without the variable's name; False if it is a field of another variable."""
    if not isinstance(wanted, str):
        return None
    variable, dot, field = wanted.rpartition(".")
    return (field if variable == name else False) if dot else wanted


def _from_structs(name: str, value: Structs, wanted: Wanted) -> Tracks | None:
    fields = value.fields
    states_asked = [wanted.state] if isinstance(wanted.state, str) else list(wanted.state or ())
    asked_time, asked_state = _asked(wanted.time, name), [_asked(item, name) for item in states_asked]
    if asked_time is False or False in asked_state:
        return None
    by_name = [field for field in fields if field.lower() in (*TIME_NAMES, *FRAME_NAMES)]
    time = asked_time if asked_time is not None else (by_name[0] if by_name else None)
    if time is not None and time not in fields:
        return None
    if asked_state and not set(asked_state) <= set(fields):
        return None
    candidates = asked_state or [field for field in fields if field != time]
    kept = [field for field in candidates if _holds_paths(value, field, time)]
    if not kept or (asked_state and len(kept) < len(asked_state)):
        return None
    states, times = [], []
    for element in value.elements:
        columns = [_table(element[field]) for field in kept]
        if not columns[0].size:
            continue
        if len({len(column) for column in columns}) > 1:
            return None
        states.append(np.concatenate(columns, axis=1))
        times.append(_table(element[time])[:, 0] if time is not None else np.zeros(0))
    if not states or len({state.shape[1] for state in states}) > 1:
        return None
    first = next(element for element in value.elements if _table(element[kept[0]]).size)
    widths = [_table(first[field]).shape[1] for field in kept]
    names = _names(kept, widths)
    scalars = {field: first[field] for field in fields if field not in (*kept, time)}
    step = _step_of({f"{name}.{field}": scalar for field, scalar in scalars.items()})
    said = ", ".join([*([] if time is None else [f"time {time!r}"]), f"state {listed(kept)}"])
    return Tracks(name, None if time is None else times, states, names, said, step)


def _holds_paths(value: Structs, field: str, time: str | None) -> bool:
    """Whether every element of a field has as many rows as the time; without a time, whether some have several."""
    lengths = []
    for element in value.elements:
        item = element[field]
        if not isinstance(item, np.ndarray) or item.dtype.kind not in "iuf" or item.ndim != 2:
            return False
        rows = len(_table(item))
        if time is not None:
            clock = element[time]
            if not isinstance(clock, np.ndarray) or clock.dtype.kind not in "iuf" or len(_table(clock)) != rows:
                return False
        lengths.append(rows)
    return max(lengths, default=0) > 1


def _table(item: Any) -> np.ndarray:
    """A matrix with a row for each time; a MATLAB row vector becomes a column."""
    array = np.asarray(item, dtype=np.float64)
    if array.ndim != 2:
        return np.zeros((0, 1))
    return array.T if array.shape[0] == 1 and array.shape[1] > 1 else array


def _names(fields: Sequence[str], widths: Sequence[int]) -> tuple[str, ...]:
    if len(fields) == 1 and widths[0] > 1:
        return default_names(widths[0])
    names = []
    for field, width in zip(fields, widths, strict=True):
        names += [field] if width == 1 else [f"{field}{index + 1}" for index in range(width)]
    return tuple("position" if name in ("t", "trajectory") else name for name in names)


def _from_cells(name: str, value: Cells, wanted: Wanted) -> Tracks | None:
    """Tracks from cells of matrices with the same columns; the first column is the time where it increases in all."""
    if (wanted.time or wanted.state) is not None and name not in (wanted.state, wanted.time):
        return None
    tables = [_table(item) for item in value.items if isinstance(item, np.ndarray) and item.dtype.kind in "iuf"]
    tables = [table for table in tables if table.size]
    if len(tables) < 1 or len(tables) < len(value.items) or len({table.shape[1] for table in tables}) > 1:
        return None
    width = tables[0].shape[1]
    timed = width > 1 and wanted.dt is None and all(np.all(np.diff(table[:, 0]) > 0) for table in tables)
    states = [table[:, 1:] for table in tables] if timed else tables
    times = [table[:, 0] for table in tables] if timed else None
    said = "the first column of each cell, which increases, is the time" if timed else "each cell is a path"
    return Tracks(name, times, states, default_names(width - timed), said)


def _are_counts(times: np.ndarray) -> bool:
    return bool(np.all(times == np.rint(times)))


def _from_tracks(sets: list[Tracks], wanted: Wanted, step: tuple[str, float] | None) -> Trajectories:
    chosen, *others = sets
    step = chosen.dt or step
    if chosen.times is None and wanted.dt is None:
        value = "0.01" if step is None else f"{step[1]:g}"
        meaning = "the time between points; replace it with yours" if step is None else f"the file has {step[0]}"
        raise UndecidedError(
            f"The {len(chosen.states)} tracks of {chosen.name!r} have no times",
            Answer(f"dt={value}", ("--dt", value), meaning),
        )
    names = chosen.names if wanted.columns is None else tuple(wanted.columns)
    if len(names) != len(chosen.names):
        raise InputError(f"{len(names)} names are given for {len(chosen.names)} coordinates; give one for each.")
    table: dict[str, np.ndarray] = dict(zip(names, np.concatenate(chosen.states).T, strict=True))
    table["trajectory"] = np.repeat(np.arange(len(chosen.states)), [len(state) for state in chosen.states])
    roles = {"trajectory": "trajectory", "state": list(names), "time": None, "columns": None}
    if chosen.times is not None:
        table["t"] = np.concatenate(chosen.times)
        roles["time"] = "t"
    data = from_table(table, replace(wanted, **roles))
    said = f"Tracks of the variable {chosen.name!r} ({len(chosen.states)} tracks; {chosen.fields})"
    if others:
        rest = ", ".join(f"{other.name} ({len(other.states)})" for other in others[:3])
        said += f"; not read: {rest}, which state='{others[0].name}.…' would name"
    remarks = [f"{said}."]
    if chosen.times is not None and step is not None and wanted.dt is None and _are_counts(table["t"]):
        remarks.append(f"The file has {step[0]}: if times count steps of it, give dt={step[1]:g}.")
    return replace(data, remarks=(*remarks, *data.remarks))
