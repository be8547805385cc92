"""Trajectories to files, by suffix: CSV, gzipped CSV, Parquet, NPZ; numbers read back bit-equal.

A file appears complete or not at all: it is written next to its target, fsynced, then moved there.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Int

from liestonet.core.files import NO_ROOM
from liestonet.errors import InputError
from liestonet.trajectories.columns import make_header
from liestonet.trajectories.measurement import Measurement
from liestonet.trajectories.period_marks import PERIOD_KEY, period_header

if TYPE_CHECKING:
    from liestonet.trajectories.trajectories import Trajectories

ROWS_AT_ONCE = 65_536
MEASUREMENT_KEY = "liestonet.measurement"  # in the metadata of a Parquet file


def write_trajectories(data: Trajectories, path: str | os.PathLike[str]) -> None:
    """Write a file in the format of its suffix; an existing file is replaced."""
    target = Path(path)
    writer = _writer_for(target)
    with replacing(target) as file:
        writer(data, file)


def check_target(path: str | os.PathLike[str]) -> None:
    """Refuse a file that could not be written, before the work for it is done."""
    target = Path(path)
    _writer_for(target)
    check_place(target)


def check_place(target: Path) -> None:
    """Refuse a place where no file can be written."""
    if not target.parent.is_dir():
        raise InputError(f"The folder {str(target.parent)!r} does not exist; make it or choose another.")
    if target.is_dir():
        raise InputError(f"{str(target)!r} is a folder; give the name of a file in it.")
    if not os.access(target.parent, os.W_OK):
        raise InputError(f"The folder {str(target.parent)!r} cannot be written to; choose another place.")


@contextmanager
def replacing(target: Path) -> Iterator[IO[bytes]]:
    """A temporary file that replaces the target if all goes well and is removed otherwise, as from a full disk."""
    check_place(target)
    temporary = target.parent / f".{target.name}.{secrets.token_hex(6)}.tmp"
    try:
        file = temporary.open("xb")
    except OSError as problem:
        raise InputError(
            f"The file {str(target)!r} cannot be written ({problem.strerror}); choose another place."
        ) from problem
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
        _sync_folder(target.parent)
    except BaseException as problem:
        with suppress(FileNotFoundError):
            temporary.unlink()
        if isinstance(problem, OSError) and problem.errno in NO_ROOM:
            raise InputError(
                f"The disk is full: {target.name!r} could not be written to {str(target.parent)!r}; make room and do "
                "it again."
            ) from problem
        raise


def _sync_folder(folder: Path) -> None:
    """Make the new name as durable as the file, on systems that can open a folder."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _writer_for(target: Path) -> Callable[[Trajectories, IO[bytes]], None]:
    for suffix, writer in WRITERS.items():
        if target.name.lower().endswith(suffix):
            return writer
    raise InputError(f"The file {target.name!r} has no known suffix; use one of {', '.join(WRITERS)}.")


def _write_csv(data: Trajectories, file: IO[bytes]) -> None:
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    _write_rows(data, text)
    text.detach()  # flushes, and leaves the file open


def _write_gzipped_csv(data: Trajectories, file: IO[bytes]) -> None:
    # No name and no date inside, so that the same data give the same bytes.
    packed = gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=file, mtime=0)
    with io.TextIOWrapper(packed, encoding="utf-8", newline="") as text:
        _write_rows(data, text)


def _write_rows(data: Trajectories, text: io.TextIOWrapper) -> None:
    table = csv.writer(text, lineterminator="\n")
    mark = [data.measurement.header()] if data.measurement != Measurement() else []
    mark += [period_header(data.periodic)] if data.periodic else []
    table.writerow([*_headers(data), *mark])
    numbers = _trajectory_column(data)
    for first in range(0, data.points, ROWS_AT_ONCE):
        rows = slice(first, first + ROWS_AT_ONCE)
        # Python floats are written by repr: the shortest text that reads back as the same number.
        columns = [numbers[rows].tolist(), data.flat_times[rows].tolist(), *data.flat_states[rows].T.tolist()]
        columns += [[""] * len(columns[0]) for _ in mark]
        table.writerows(zip(*columns, strict=True))


def _write_parquet(data: Trajectories, file: IO[bytes]) -> None:
    import pyarrow as arrow
    from pyarrow import parquet

    columns = [_trajectory_column(data), data.flat_times, *data.flat_states.T]
    arrays = [arrow.array(np.ascontiguousarray(column)) for column in columns]
    table = arrow.Table.from_arrays(arrays, names=_headers(data))
    told = {MEASUREMENT_KEY: data.measurement.to_json()} if data.measurement != Measurement() else {}
    told |= {PERIOD_KEY: json.dumps(dict(data.periodic))} if data.periodic else {}
    if told:
        table = table.replace_schema_metadata(told)
    parquet.write_table(table, file, write_page_checksum=True)


def _write_npz(data: Trajectories, file: IO[bytes]) -> None:
    names = np.array(data.names, dtype=np.str_)
    columns = ("t", *data.names)
    arrays: dict[str, Any] = {"times": data.flat_times, "states": data.flat_states, "offsets": data.offsets}
    if data.units:
        arrays["units"] = np.array([data.units.get(name, "") for name in columns], dtype=np.str_)
    if data.measurement != Measurement():
        arrays["measurement"] = np.array(data.measurement.to_json())
    if data.periodic:
        arrays["periodic"] = np.array(json.dumps(dict(data.periodic)))
    np.savez(file, **arrays, names=names)


def _headers(data: Trajectories) -> list[str]:
    """The headers of a table, with units in brackets."""
    return ["trajectory", *(make_header(name, data.units.get(name)) for name in ("t", *data.names))]


def _trajectory_column(data: Trajectories) -> Int[np.ndarray, " n"]:
    return np.repeat(np.arange(len(data)), np.diff(data.offsets))


WRITERS: dict[str, Callable[[Trajectories, IO[bytes]], None]] = {
    ".csv": _write_csv,
    ".csv.gz": _write_gzipped_csv,
    ".parquet": _write_parquet,
    ".npz": _write_npz,
}
