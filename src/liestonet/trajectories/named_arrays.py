"""Files of named arrays: NPZ, and HDF5 or netCDF through h5netcdf; a column, a block of paths, or our own layout."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from liestonet.errors import InputError
from liestonet.trajectories.checks import check_names
from liestonet.trajectories.columns import choose_columns, find_column
from liestonet.trajectories.gaps import check_gap, place_in, split_at_gaps
from liestonet.trajectories.long_tables import as_table, assemble
from liestonet.trajectories.trajectories import Trajectories

OWN_ARRAYS = {"times", "states", "offsets", "names"}
ARRAY_PROBLEMS = (OSError, ValueError, EOFError, KeyError, zlib.error, zipfile.BadZipFile, NotImplementedError)
HDF_PROBLEMS = (*ARRAY_PROBLEMS, RuntimeError, AttributeError, TypeError)  # a damaged file shows in any of these
_SINCE = re.compile(r"(?P<unit>[^\s]+)\s+since\s+(?P<date>.+)")


@dataclass(frozen=True)
class NamedArrays:
    """Arrays by name, with units where the file has them."""

    arrays: Mapping[str, np.ndarray]
    units: Mapping[str, str]


def read_npz(file: Path, time: Any, trajectory: Any, state: Any, sort: Any, gap: Any) -> Trajectories:
    """An .npz file of ours, or one with any named arrays; pickled objects are refused."""
    try:
        # Anything but an archive would be taken for a pickle and refused as such, which would mislead.
        zipfile.ZipFile(file).close()
        with file.open("rb") as stream, np.load(stream, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
    except ARRAY_PROBLEMS as problem:
        if "pickle" in str(problem).lower():
            raise InputError(
                f"The file {file.name!r} holds Python objects, which are never unpickled; "
                "save plain numbers (float64, say)."
            ) from problem
        raise InputError(f"The file {file.name!r} is not a complete .npz file; copy or save it again.") from problem
    if time is None and trajectory is None and state is None and set(arrays) >= OWN_ARRAYS:
        return _own_layout(arrays, file, gap)
    return _from_named(NamedArrays(arrays, {}), time, trajectory, state, sort, gap)


def _own_layout(arrays: Mapping[str, np.ndarray], file: Path, gap: Any) -> Trajectories:
    """What `write` made; `units` holds one text for the time and one per coordinate, empty where there is none."""
    names = tuple(arrays["names"].astype(str).tolist()) if arrays["names"].ndim == 1 else ()
    units = arrays["units"].astype(str).tolist() if "units" in arrays and arrays["units"].ndim == 1 else []
    offsets = arrays["offsets"]
    if offsets.dtype.kind not in "iu":
        raise InputError(f"The offsets in {file.name!r} are not whole numbers; write the file again.")
    given = {name: unit for name, unit in zip(("t", *names), units, strict=False) if unit}
    data = Trajectories(arrays["times"], arrays["states"], offsets, names, given)
    longest = check_gap(gap)
    if longest is None:
        return data
    parts = split_at_gaps(data.flat_times, data.flat_states, data.offsets, longest, data.names, place_in(data.offsets))
    return Trajectories(*parts[:3], data.names, data.units, parts[3])


def read_hdf(file: Path, time: Any, trajectory: Any, state: Any, sort: Any, gap: Any) -> Trajectories:
    """An HDF5 or netCDF-4 file: its variables by name, those in groups as group/name."""
    try:
        import h5netcdf
        import h5py
    except ImportError as problem:
        raise InputError(
            f"To read {file.name!r}, h5netcdf is needed; install it with pip install 'liestonet[hdf]'."
        ) from problem
    arrays: dict[str, np.ndarray] = {}
    units: dict[str, str] = {}
    try:
        # Opened by h5py first: a damaged file then fails there, where nothing is left half open.
        with h5py.File(file, "r") as opened, h5netcdf.File(opened, "r", phony_dims="sort") as source:
            _collect(source, "", arrays, units)
    except HDF_PROBLEMS as problem:
        raise InputError(
            f"The file {file.name!r} is not a complete HDF5 or netCDF-4 file; copy it again, or convert older netCDF."
        ) from problem
    return _from_named(NamedArrays(arrays, units), time, trajectory, state, sort, gap)


def _collect(group: Any, prefix: str, arrays: dict[str, np.ndarray], units: dict[str, str]) -> None:
    for name, variable in group.variables.items():
        arrays[prefix + name] = _unpacked(variable)
        unit = variable.attrs.get("units")
        if isinstance(unit, str) and unit.strip() and not unit.strip().isdigit():
            units[prefix + name] = unit.strip()
    for name, inner in group.groups.items():
        _collect(inner, f"{prefix}{name}/", arrays, units)


def _unpacked(variable: Any) -> np.ndarray:
    """A variable's values by the conventions of netCDF: fill values missing, packed integers scaled."""
    raw = _text(np.asarray(variable[...]))
    scale, shift = variable.attrs.get("scale_factor"), variable.attrs.get("add_offset")
    fills = [variable.attrs.get(name) for name in ("_FillValue", "missing_value")]
    fills = [np.ravel(fill)[0] for fill in fills if fill is not None]
    if raw.dtype.kind not in "iuf" or (scale is None and shift is None and not fills):
        return raw
    missing = np.isin(raw, fills)
    if not missing.any() and scale is None and shift is None:
        return raw
    factor = 1.0 if scale is None else float(np.ravel(scale)[0])
    values = raw * factor + (0.0 if shift is None else float(np.ravel(shift)[0]))
    return np.where(missing, np.nan, values)


def _text(raw: np.ndarray) -> np.ndarray:
    """Labels that the file holds as bytes, as text; everything else as it is."""
    if raw.dtype.kind == "S" or (raw.dtype.kind == "O" and all(isinstance(value, bytes) for value in raw.flat)):
        return np.array([value.decode("utf-8", "replace") for value in raw.ravel().tolist()]).reshape(raw.shape)
    return raw


def _from_named(found: NamedArrays, time: Any, trajectory: Any, state: Any, sort: Any, gap: Any) -> Trajectories:
    """Columns of one long table, or blocks of paths, as the shapes say."""
    arrays = found.arrays
    if time is None and "times" in arrays:
        time = "times"
    if state is None and "states" in arrays:
        state = "states"
    headers = list(arrays)
    wanted = [state] if isinstance(state, str) else state
    if isinstance(wanted, list | tuple):
        chosen = [find_column(headers, name, "state") for name in wanted]
        if any(arrays[name].ndim > 1 for name in chosen):
            if time is None:
                time = choose_columns(headers, (), None, None, chosen).time
            return _from_blocks(found, find_column(headers, time, "time"), trajectory, chosen, sort, gap)
    flat = {name: array for name, array in arrays.items() if array.ndim == 1}
    if not flat:
        raise InputError(
            f"No array of the file is one-dimensional ({', '.join(headers[:8]) or 'there is none'}); "
            "name the arrays, as in time='times', state='states'."
        )
    table = as_table(flat)
    numeric = table.numeric() if state is None else []
    columns = choose_columns(table.headers, numeric, time, trajectory, state)
    fitting = [name for name in columns.state if len(flat[name]) == len(flat[columns.time])]
    if state is None and fitting:
        # A file may hold other things than the table; what has its length belongs to it.
        columns = choose_columns(table.headers, fitting, time, trajectory, state)
    data = assemble(table.column, columns, sort, gap)
    return _with_units(data, found, columns.time, columns.state, columns.names)


def _from_blocks(found: NamedArrays, time: str, trajectory: Any, state: list[str], sort: Any, gap: Any) -> Trajectories:
    """States (N, d) of one table, or (K, N, d), or one (K, N) per coordinate."""
    arrays = found.arrays
    if len(state) > 1:
        shapes = {arrays[name].shape for name in state}
        if len(shapes) > 1:
            raise InputError(
                f"The arrays {', '.join(state)} have different shapes ({_listed(shapes)}); they must agree."
            )
        block, names = np.stack([arrays[name] for name in state], axis=-1), tuple(state)
    else:
        block = arrays[state[0]]
        names = tuple(arrays["names"].astype(str).tolist()) if "names" in arrays else None
    if block.ndim == 3:
        if trajectory is not None or sort:
            raise InputError("A block of paths (K, N, d) needs no trajectory column and no sorting; leave both out.")
        data = Trajectories.from_arrays(arrays[time], block, names, gap=gap)
        return _with_units(data, found, time, state if len(state) > 1 else [], data.names)
    if block.ndim != 2:
        raise InputError(
            f"The array {state[0]!r} has shape {block.shape}; give (N, d) for a table or (K, N, d) for paths."
        )
    labels = names or tuple(f"{state[0]}{index + 1}" for index in range(block.shape[1]))
    check_names(labels, block.shape[1])
    table = dict(zip(labels, block.T, strict=True)) | {"t": arrays[time]}
    if trajectory is not None:
        table["trajectory"] = arrays[find_column(list(arrays), trajectory, "trajectory")]
    role = None if trajectory is None else "trajectory"
    return Trajectories.from_dataframe(table, "t", role, list(labels), sort=sort, gap=gap)


def _with_units(data: Trajectories, found: NamedArrays, time: str, state: Any, names: tuple[str, ...]) -> Trajectories:
    """Units that the file has as attributes; `seconds since 2000-01-01` is a unit and a remark."""
    units, remarks = dict(data.units), data.remarks
    if time in found.units:
        since = _SINCE.fullmatch(found.units[time])
        units["t"] = since["unit"] if since else found.units[time]
        remarks = (*remarks, f"Times are {found.units[time]}.") if since else remarks
    units |= {name: found.units[header] for header, name in zip(state, names, strict=False) if header in found.units}
    plain = {name: unit.replace("[", "(").replace("]", ")") for name, unit in units.items()}
    return replace(data, units=plain, remarks=remarks)


def _listed(shapes: set[tuple[int, ...]]) -> str:
    return ", ".join(sorted(map(str, shapes)))
