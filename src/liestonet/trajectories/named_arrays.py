"""Files of named arrays: NPZ, and HDF5 or netCDF through h5netcdf; a column, a block of paths, or our own layout."""

from __future__ import annotations

import math
import re
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from liestonet.errors import InputError
from liestonet.trajectories.broken_files import check_size
from liestonet.trajectories.checks import check_names
from liestonet.trajectories.columns import TIME_NAMES, choose_columns, find_column
from liestonet.trajectories.gaps import check_gap, place_in, split_at_gaps
from liestonet.trajectories.long_tables import ColumnTable, as_arrow, as_table, assemble, from_table
from liestonet.trajectories.measurement import Measurement, as_measurement
from liestonet.trajectories.period_marks import with_json_periods
from liestonet.trajectories.plain_arrays import from_array, from_block
from liestonet.trajectories.roles import Source, arrange, choose_roles
from liestonet.trajectories.trajectories import Trajectories
from liestonet.trajectories.wanted import Wanted

OWN_ARRAYS = {"times", "states", "offsets", "names"}
ARRAY_PROBLEMS = (OSError, ValueError, EOFError, KeyError, zlib.error, zipfile.BadZipFile, NotImplementedError)
HDF_PROBLEMS = (*ARRAY_PROBLEMS, RuntimeError, AttributeError, TypeError)  # a damaged file shows in any of these
_SINCE = re.compile(r"(?P<unit>[^\s]+)\s+since\s+(?P<date>.+)")


@dataclass(frozen=True)
class NamedArrays:
    """Arrays by name, with units where the file has them."""

    arrays: Mapping[str, np.ndarray]
    units: Mapping[str, str]


def read_npz(file: Path, wanted: Wanted) -> Trajectories:
    """Read an .npz file, written by this package or with any named arrays; pickled objects are refused."""
    try:
        # Anything but an archive would be taken for a pickle and refused as such, which would mislead.
        with zipfile.ZipFile(file) as packed:
            sizes = {entry.filename.removesuffix(".npy"): entry.file_size for entry in packed.infolist()}
        if not set(sizes) >= OWN_ARRAYS:
            for name, size in sizes.items():
                check_size(file.name, name, size)
        with file.open("rb") as stream, np.load(stream, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
    except InputError:
        raise
    except ARRAY_PROBLEMS as problem:
        if "pickle" in str(problem).lower():
            raise InputError(
                f"The file {file.name!r} holds Python objects, which are never unpickled; "
                "save plain numbers (float64, say)."
            ) from problem
        raise InputError(f"The file {file.name!r} is not a complete .npz file; copy or save it again.") from problem
    if wanted.says_nothing and set(arrays) >= OWN_ARRAYS:
        return _own_layout(arrays, file, wanted)
    return from_named(NamedArrays(arrays, {}), wanted)


def _own_layout(arrays: Mapping[str, np.ndarray], file: Path, wanted: Wanted) -> Trajectories:
    """Trajectories from a file that `write` made; `units` holds one text for the time and one per coordinate.

    An empty text means no unit.
    """
    names = tuple(arrays["names"].astype(str).tolist()) if arrays["names"].ndim == 1 else ()
    units = arrays["units"].astype(str).tolist() if "units" in arrays and arrays["units"].ndim == 1 else []
    offsets = arrays["offsets"]
    if offsets.dtype.kind not in "iu":
        raise InputError(f"The offsets in {file.name!r} are not whole numbers; write the file again.")
    given = {name: unit for name, unit in zip(("t", *names), units, strict=False) if unit}
    measurement = as_measurement(wanted.measurement)
    if wanted.measurement is None and "measurement" in arrays:
        measurement = Measurement.from_json(str(arrays["measurement"]), file.name)
    data = Trajectories(arrays["times"], arrays["states"], offsets, names, given, measurement=measurement)
    data = with_json_periods(data, str(arrays["periodic"]) if "periodic" in arrays else None, wanted)
    longest = check_gap(wanted.gap)
    if longest is None:
        return data
    parts = split_at_gaps(data.flat_times, data.flat_states, data.offsets, longest, data.names, place_in(data.offsets))
    return Trajectories(*parts[:3], data.names, data.units, parts[3], measurement=measurement, periodic=data.periodic)


def read_hdf(file: Path, wanted: Wanted) -> Trajectories:
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
            _collect(source, "", arrays, units, file.name)
    except InputError:
        raise
    except HDF_PROBLEMS as problem:
        raise InputError(
            f"The file {file.name!r} is not a complete HDF5 or netCDF-4 file; copy it again, or convert older netCDF."
        ) from problem
    return from_named(NamedArrays(arrays, units), wanted)


def _collect(group: Any, prefix: str, arrays: dict[str, np.ndarray], units: dict[str, str], file: str) -> None:
    for name, variable in group.variables.items():
        check_size(file, prefix + name, 8 * math.prod(variable.shape))
        arrays[prefix + name] = _unpacked(variable)
        unit = variable.attrs.get("units")
        if isinstance(unit, str) and unit.strip() and not unit.strip().isdigit():
            units[prefix + name] = unit.strip()
    for name, inner in group.groups.items():
        _collect(inner, f"{prefix}{name}/", arrays, units, file)


def _unpacked(variable: Any) -> np.ndarray:
    """A variable's values by the conventions of netCDF: fill values as missing, packed integers rescaled."""
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
    """Labels that are stored as bytes, as text; everything else unchanged."""
    if raw.dtype.kind == "S" or (raw.dtype.kind == "O" and all(isinstance(value, bytes) for value in raw.flat)):
        return np.array([value.decode("utf-8", "replace") for value in raw.ravel().tolist()]).reshape(raw.shape)
    return raw


def from_named(found: NamedArrays, wanted: Wanted) -> Trajectories:
    """Trajectories from columns of one long table, or from blocks of paths, depending on the shapes."""
    arrays = found.arrays
    if wanted.time is None and "times" in arrays and wanted.dt is None:
        wanted = replace(wanted, time="times")
    if wanted.state is None and "states" in arrays:
        wanted = replace(wanted, state="states")
    headers = list(arrays)
    names = [wanted.state] if isinstance(wanted.state, str) else wanted.state
    if isinstance(names, list | tuple):
        chosen = [find_column(headers, name, "state") for name in names]
        if any(arrays[name].ndim > 1 for name in chosen):
            return _from_blocks(found, _time_of_blocks(headers, chosen, wanted), chosen, wanted)
    flat = {name: array for name, array in arrays.items() if array.ndim == 1}
    if not flat:
        return _from_one_array(arrays, wanted)
    beside = _beside_time(arrays, flat, wanted)
    if beside is not None:
        return beside
    table = as_table(flat)
    chosen_table, columns = choose_roles(Source(table), wanted)
    length = len(flat[columns.time]) if columns.time in flat else max(map(len, flat.values()))
    fitting = tuple(name for name in columns.state if name in flat and len(flat[name]) == length)
    if wanted.state is None and fitting:
        # A file may hold other things than the table; what has its length belongs to it.
        chosen_table, columns = choose_roles(Source(table, numeric=fitting), wanted)
    data = assemble(chosen_table.column, columns, wanted)
    return _with_units(data, found, columns.time, columns.state, columns.names)


def _beside_time(
    arrays: Mapping[str, np.ndarray], flat: Mapping[str, np.ndarray], wanted: Wanted
) -> Trajectories | None:
    """Columns from a vector of times and one matrix, whose columns are coordinates or paths."""
    if wanted.state is not None or wanted.trajectory is not None or wanted.dt is not None:
        return None
    times = [name for name in flat if name == wanted.time or (wanted.time is None and name.lower() in TIME_NAMES)]
    numeric = {name: array for name, array in arrays.items() if array.dtype.kind in "iuf"}
    if len(times) != 1:
        return None
    length = len(flat[times[0]])
    others = [name for name in flat if name in numeric and name != times[0] and len(flat[name]) == length]
    fitting = [name for name, array in numeric.items() if array.ndim == 2 and length in array.shape]
    if others or len(fitting) != 1 or length < 2:
        return None
    matrix = numeric[fitting[0]] if len(numeric[fitting[0]]) == length else numeric[fitting[0]].T
    headers = [f"{fitting[0]}{index + 1}" for index in range(matrix.shape[1])]
    columns = dict(zip(headers, matrix.T, strict=True)) | {times[0]: flat[times[0]]}
    table = ColumnTable([times[0], *headers], lambda header: as_arrow(np.ascontiguousarray(columns[header]), header))
    said = f"The columns of the array {fitting[0]!r} belong to the time {times[0]!r}."
    return arrange(Source(table, named=False, remarks=(said,)), replace(wanted, time=times[0]))


def _time_of_blocks(headers: list[str], chosen: list[str], wanted: Wanted) -> str | None:
    """The array of times; None where rows are evenly spaced."""
    if wanted.time is not None:
        return find_column(headers, wanted.time, "time")
    return None if wanted.dt is not None else choose_columns(headers, (), None, None, chosen).time


def _from_one_array(arrays: Mapping[str, np.ndarray], wanted: Wanted) -> Trajectories:
    """Trajectories from a file with a single array, which is a table or a block of paths."""
    numeric = {name: array for name, array in arrays.items() if array.dtype.kind in "iuf" and array.ndim in (2, 3)}
    if len(numeric) == 1 and (wanted.dt is not None or wanted.columns is not None or wanted.layout != "auto"):
        return from_array(next(iter(numeric.values())), wanted)
    raise InputError(
        f"No array of the file is one-dimensional ({', '.join(list(arrays)[:8]) or 'there is none'}); "
        "name the arrays, as in time='times', state='states'."
    )


def _from_blocks(found: NamedArrays, time: str | None, state: list[str], wanted: Wanted) -> Trajectories:
    """Trajectories from states (N, d) of one table, or (K, N, d), or one (K, N) per coordinate."""
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
        if wanted.trajectory is not None or wanted.sort:
            raise InputError("A block of paths (K, N, d) needs no trajectory column and no sorting; leave both out.")
        data = from_block(block, None if time is None else arrays[time], names, wanted)
        return _with_units(data, found, time, state if len(state) > 1 else [], data.names)
    if block.ndim != 2:
        raise InputError(
            f"The array {state[0]!r} has shape {block.shape}; give (N, d) for a table or (K, N, d) for paths."
        )
    labels = names or tuple(f"{state[0]}{index + 1}" for index in range(block.shape[1]))
    check_names(labels, block.shape[1])
    table = dict(zip(labels, block.T, strict=True)) | ({} if time is None else {"t": arrays[time]})
    if wanted.trajectory is not None:
        table["trajectory"] = arrays[find_column(list(arrays), wanted.trajectory, "trajectory")]
    role = None if wanted.trajectory is None else "trajectory"
    named = replace(wanted, time=None if time is None else "t", trajectory=role, state=list(labels))
    return from_table(table, named)


def _with_units(
    data: Trajectories, found: NamedArrays, time: str | None, state: Any, names: tuple[str, ...]
) -> Trajectories:
    """The data with the units that the file gives as attributes; `seconds since 2000-01-01` is a unit and a remark."""
    units, remarks = dict(data.units), data.remarks
    if time is not None and time in found.units:
        since = _SINCE.fullmatch(found.units[time])
        units["t"] = since["unit"] if since else found.units[time]
        remarks = (*remarks, f"Times are {found.units[time]}.") if since else remarks
    units |= {name: found.units[header] for header, name in zip(state, names, strict=False) if header in found.units}
    plain = {name: unit.replace("[", "(").replace("]", ")") for name, unit in units.items()}
    return replace(data, units=plain, remarks=remarks)


def _listed(shapes: set[tuple[int, ...]]) -> str:
    return ", ".join(sorted(map(str, shapes)))
