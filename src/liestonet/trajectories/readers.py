"""Files in, by suffix: text of every layout, Parquet, NumPy, HDF5 and netCDF, MATLAB.

Nothing in a file is executed, and every problem with a file ends in a clear message.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from pyarrow import parquet

from liestonet.errors import InputError
from liestonet.trajectories.broken_files import existing_file, in_our_words
from liestonet.trajectories.columns import Columns, choose_columns
from liestonet.trajectories.convert import is_numeric
from liestonet.trajectories.long_tables import ColumnTable
from liestonet.trajectories.matlab import read_matlab
from liestonet.trajectories.measurement import Measurement
from liestonet.trajectories.named_arrays import read_hdf, read_npz
from liestonet.trajectories.period_marks import PERIOD_KEY, with_json_periods
from liestonet.trajectories.plain_arrays import read_npy
from liestonet.trajectories.roles import Source, arrange
from liestonet.trajectories.text_files import read_text
from liestonet.trajectories.trajectories import Trajectories
from liestonet.trajectories.unwrapping import with_certain_turns
from liestonet.trajectories.wanted import Wanted
from liestonet.trajectories.writers import MEASUREMENT_KEY


def read_trajectories(path: Any, wanted: Wanted) -> Trajectories:
    """Read a file in the format of its suffix."""
    wanted.check()
    file = existing_file(path)
    for suffix, reader in READERS.items():
        if file.name.lower().endswith(suffix):
            return reader(file, wanted)
    if file.suffix.lower() in SHEETS:
        raise InputError(f"The file {file.name!r} is a spreadsheet, which is not read; save the sheet as CSV.")
    if file.suffix.lower() in PACKED:
        raise InputError(f"The file {file.name!r} is an archive; unpack it, and give a file that was in it.")
    raise InputError(
        f"The file {file.name!r} has no known suffix ({', '.join(READERS)}); if it is a table of text, rename it to "
        f"{file.stem + '.txt'!r}."
    )


def _read_parquet(file: Path, wanted: Wanted) -> Trajectories:
    with in_our_words(file), parquet.ParquetFile(file, page_checksum_verification=True) as source:
        headers = parquet_headers(source)
        table = source.read(headers)
        measurement = measurement_in(source, file)
        periods = periods_in(source)
    whole = ColumnTable(headers, table.column)
    data = with_json_periods(arrange(Source(whole), wanted), periods, wanted)
    return data if wanted.measurement is not None or measurement is None else replace(data, measurement=measurement)


def _read_matlab(file: Path, wanted: Wanted) -> Trajectories:
    data = read_matlab(file, wanted)
    return data if wanted.periodic is not None else with_certain_turns(data)


def measurement_in(source: parquet.ParquetFile, file: Path) -> Measurement | None:
    """The measurement stored in a Parquet file of this package."""
    found = (source.schema_arrow.metadata or {}).get(MEASUREMENT_KEY.encode())
    return None if found is None else Measurement.from_json(found, file.name)


def periods_in(source: parquet.ParquetFile) -> bytes | None:
    """The periods stored in a Parquet file of this package, as JSON."""
    return (source.schema_arrow.metadata or {}).get(PERIOD_KEY.encode())


def parquet_headers(source: parquet.ParquetFile) -> list[str]:
    """The columns of a Parquet file, without the name that pandas gives to an unnamed index."""
    return [name for name in source.schema_arrow.names if not name.startswith("__index_level_")]


def parquet_columns(source: parquet.ParquetFile, time: Any, trajectory: Any, state: Any) -> Columns:
    """The columns of a Parquet file that are wanted."""
    numeric = [field.name for field in source.schema_arrow if is_numeric(field.type)]
    return choose_columns(parquet_headers(source), numeric, time, trajectory, state)


PACKED = (".zip", ".tar", ".tgz", ".7z", ".rar", ".bz2", ".xz", ".zst", ".gz")
SHEETS = (".xls", ".xlsx", ".xlsm", ".ods")

READERS: dict[str, Callable[[Path, Wanted], Trajectories]] = {
    ".csv": read_text,
    ".csv.gz": read_text,
    ".parquet": _read_parquet,
    ".npz": read_npz,
    ".h5": read_hdf,
    ".hdf5": read_hdf,
    ".nc": read_hdf,
    **dict.fromkeys((".txt", ".dat", ".tsv", ".tab", ".asc", ".prn"), read_text),
    **dict.fromkeys((".txt.gz", ".dat.gz", ".tsv.gz", ".tab.gz", ".asc.gz", ".prn.gz"), read_text),
    ".npy": read_npy,
    ".mat": _read_matlab,
}
