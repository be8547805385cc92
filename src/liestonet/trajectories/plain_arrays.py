"""Arrays without names: one path, a table (N, d) or paths (K, N, d), from .npy and MATLAB files."""

from __future__ import annotations

import zipfile
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
import pyarrow as arrow

from liestonet.errors import Answer, InputError, UndecidedError
from liestonet.trajectories.arrays import real_array
from liestonet.trajectories.broken_files import check_size
from liestonet.trajectories.long_tables import ColumnTable, as_arrow
from liestonet.trajectories.roles import Source, arrange
from liestonet.trajectories.trajectories import Trajectories
from liestonet.trajectories.tuning import READING
from liestonet.trajectories.wanted import Wanted, check_dt

# NumPy reads the head of a file as Python's own literals; damage shows in any of these.
NPY_PROBLEMS = (
    OSError, ValueError, EOFError, SyntaxError, TypeError, OverflowError, MemoryError, TokenError, KeyError,
    RecursionError, AttributeError, zipfile.BadZipFile, NotImplementedError,
)  # fmt: skip


def read_npy(file: Path, wanted: Wanted) -> Trajectories:
    """A .npy file: plain numbers, or records with names; pickled objects are refused."""
    try:
        array = np.load(file, mmap_mode="r", allow_pickle=False)
    except NPY_PROBLEMS as problem:
        if "pickle" in str(problem).lower() or "object" in str(problem).lower():
            raise InputError(
                f"The file {file.name!r} holds Python objects, which are never unpickled, or it is not an "
                ".npy file; save "
                "plain numbers (float64, say)."
            ) from problem
        raise InputError(f"The file {file.name!r} is not a complete .npy file; copy or save it again.") from problem
    if not isinstance(array, np.ndarray):
        raise InputError(f"The file {file.name!r} is an archive of arrays; give it the suffix .npz.")
    check_size(file.name, file.stem, array.nbytes)
    if array.dtype.names:
        return _records(array, wanted)
    if array.dtype.kind not in "iuf":
        raise InputError(
            f"The array in {file.name!r} has the type {array.dtype}, which is not real; save real numbers."
        )
    return from_array(np.array(array), wanted)


def _records(array: np.ndarray, wanted: Wanted) -> Trajectories:
    names = [name for name in array.dtype.names or () if array.dtype[name].kind in "iufSUMm"]
    flat = array.reshape(-1)
    text = {name: flat[name].astype(str) if flat[name].dtype.kind == "S" else flat[name] for name in names}
    return arrange(
        Source(ColumnTable(names, lambda header: as_arrow(np.ascontiguousarray(text[header]), header))), wanted
    )


def from_array(array: np.ndarray, wanted: Wanted, dt: float | None = None) -> Trajectories:
    """Trajectories from one array of numbers; `dt` is a step found in the file."""
    squeezed: Any = array.reshape(-1, 1) if array.ndim == 1 else array
    if squeezed.ndim == 3:
        return from_block(squeezed, None, _names(wanted, squeezed.shape[2]), wanted)
    if squeezed.ndim != 2 or 0 in squeezed.shape:
        raise InputError(f"The array has shape {array.shape}; give (N,), (N, d) for a table or (K, N, d) for paths.")
    if squeezed.shape[1] > READING.most_columns:
        if len(squeezed) > 1:
            raise InputError(
                f"The array has {squeezed.shape[1]:,} columns, more than {READING.most_columns:,}; save it with a row "
                "for each time (its transpose), or as paths (K, N, 1)."
            )
        squeezed = squeezed.T  # a row that is one path
    values = real_array(squeezed, "The array's values")
    given = _names(wanted, values.shape[1])
    headers = given or [f"c{index + 1}" for index in range(values.shape[1])]
    column = dict(zip(headers, values.T, strict=True))
    table = ColumnTable(headers, lambda header: arrow.array(np.ascontiguousarray(column[header])))
    remark = f"An array of shape {array.shape}"
    said = () if given else (f"{remark}: no names, so its columns are {'c1' if len(headers) == 1 else 'c1, c2, …'}.",)
    return arrange(Source(table, given is not None, dt, said), wanted)


def _names(wanted: Wanted, count: int) -> list[str] | None:
    if wanted.columns is None:
        return None
    names = [name.strip() for name in wanted.columns]
    if len(names) != count:
        raise InputError(f"{len(names)} names are given for {count} columns; give one for each column.")
    return names


def from_block(block: np.ndarray, times: Any, names: Any, wanted: Wanted) -> Trajectories:
    """Trajectories from an array (K, N, d), with times (N,) or (K, N), or evenly spaced."""
    dt = check_dt(wanted.dt)
    if wanted.layout in ("columns", "rows"):
        raise InputError(
            f"An array (K, N, d) holds paths already, so layout={wanted.layout!r} has no effect; leave it out."
        )
    if times is None:
        if dt is None:
            raise UndecidedError(
                f"An array of shape {block.shape} holds paths (K, N, d) but no times",
                Answer("dt=0.01", ("--dt", "0.01"), "the time between points; replace it with yours"),
            )
        times = dt * np.arange(block.shape[1])
    elif dt is not None:
        times = np.asarray(times) * dt
    return Trajectories.from_arrays(times, block, names, gap=wanted.gap, measurement=wanted.measurement)
