"""Files in, by suffix and by the names of their columns: CSV, gzipped CSV, Parquet; others by `named_arrays`.

Nothing in a file is executed, and whatever is wrong with one ends in a sentence.
"""

from __future__ import annotations

import difflib
import gzip
import os
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as arrow
from pyarrow import csv, parquet

from liestonet.errors import InputError
from liestonet.trajectories.columns import Columns, choose_columns
from liestonet.trajectories.convert import MISSING, check_text, is_numeric, is_stamp
from liestonet.trajectories.long_tables import assemble
from liestonet.trajectories.named_arrays import read_hdf, read_npz
from liestonet.trajectories.trajectories import Trajectories

LONGEST_LINE = 1 << 20
_RAGGED = re.compile(r"(Row #(?P<row>\d+): )?Expected (?P<columns>\d+) columns, got (?P<cells>\d+)")
FILE_PROBLEMS = (arrow.ArrowException, OSError, EOFError, zlib.error, UnicodeDecodeError)


def read_trajectories(path: Any, time: Any, trajectory: Any, state: Any, sort: Any, gap: Any) -> Trajectories:
    """Read the file whose suffix says the format."""
    file = existing_file(path)
    for suffix, reader in READERS.items():
        if file.name.lower().endswith(suffix):
            return reader(file, time, trajectory, state, sort, gap)
    raise InputError(f"The file {file.name!r} has no known suffix; use one of {', '.join(READERS)}.")


def existing_file(path: Any) -> Path:
    """A file that is there and not empty."""
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"The path must be the name of a file, not {path!r}.")
    file = Path(path)
    try:
        if file.is_dir():
            raise InputError(f"{str(file)!r} is a folder; give the name of a file in it.")
        if not file.exists():
            raise InputError(f"There is no file {str(file)!r}{_similar(file)}")
        if file.stat().st_size == 0:
            raise InputError(f"The file {file.name!r} is empty; it should hold a table with a line of names.")
    except (OSError, ValueError) as problem:
        if isinstance(problem, InputError):
            raise
        raise InputError(f"The path {str(file)!r} cannot be read ({problem}); check its name.") from problem
    return file


def _similar(file: Path) -> str:
    names = [entry.name for entry in file.parent.iterdir()] if file.parent.is_dir() else []
    close = difflib.get_close_matches(file.name, names, n=1)
    return f"; did you mean {close[0]!r}?" if close else "; check its name and folder."


@contextmanager
def in_our_words(file: Path) -> Iterator[None]:
    """Turn what a library says about a broken file into a sentence of ours."""
    try:
        yield
    except FILE_PROBLEMS as problem:
        raise InputError(_words(file, problem)) from problem


def _words(file: Path, problem: BaseException) -> str:
    reason = " ".join(str(problem).split())
    lowered = reason.lower()
    if isinstance(problem, UnicodeDecodeError) or "utf8" in lowered or "utf-8" in lowered:
        return f"The file {file.name!r} is not UTF-8 text; save it again in that encoding."
    ragged = _RAGGED.search(reason)
    if ragged:
        # The header is the parser's row 1, and ours are counted from 0.
        row = "a row" if ragged["row"] is None else f"row {int(ragged['row']) - 2} (counted from 0)"
        return (
            f"The file {file.name!r} has {ragged['cells']} cells in {row}, but {ragged['columns']} columns; "
            "give every row as many cells as the header."
        )
    if "straddling" in lowered:
        return _long_line(file)
    if isinstance(problem, EOFError | zlib.error | gzip.BadGzipFile) or "zlib" in lowered or "compress" in lowered:
        return f"The file {file.name!r} is damaged or cut short; copy it again."
    if len(reason) > 160:
        reason = reason[:159] + "…"
    return f"The file {file.name!r} cannot be read ({reason.rstrip('.')}); check that it is complete."


def _long_line(file: Path) -> str:
    return f"The file {file.name!r} has a line of more than {LONGEST_LINE:,} bytes; write one row per line."


def _read_csv(file: Path, time: Any, trajectory: Any, state: Any, sort: Any, gap: Any) -> Trajectories:
    with in_our_words(file):
        parse = csv.ParseOptions(delimiter=_delimiter(file))
        schema = _csv_schema(file, parse)
    kinds = dict(zip(schema.names, schema.types, strict=True))
    numeric = [name for name, kind in kinds.items() if is_numeric(kind) or arrow.types.is_null(kind)]
    columns = choose_columns(schema.names, numeric, time, trajectory, state)
    with in_our_words(file):
        table = _csv_table(file, parse, columns, kinds[columns.time])
    return assemble(table.column, columns, sort, gap)


def _csv_table(file: Path, parse: csv.ParseOptions, columns: Columns, kind: Any) -> Any:
    """The columns, each read as what it is for; text among numbers is found, with its row, by a second look."""
    types: dict[str, Any] = dict.fromkeys(columns.state, arrow.float64())
    types[columns.time] = arrow.string() if is_stamp(kind) else arrow.float64()
    if arrow.types.is_integer(kind):
        types[columns.time] = arrow.int64()  # float64 would round large integers without a word
    if columns.trajectory is not None:
        types[columns.trajectory] = arrow.dictionary(arrow.int32(), arrow.string())
    try:
        return _csv_columns(file, parse, columns.needed, types)
    except arrow.ArrowInvalid:
        if arrow.types.is_integer(kind):  # whole numbers at first, others later
            return _csv_table(file, parse, columns, arrow.float64())
        # A row of another length than the header ends here.
        text = _csv_columns(file, parse, columns.needed, dict.fromkeys(columns.needed, arrow.string()))
        for header in columns.state if is_stamp(kind) else [columns.time, *columns.state]:
            check_text(text.column(header), header)
        raise


def _csv_columns(file: Path, parse: csv.ParseOptions, wanted: list[str], types: dict[str, Any]) -> Any:
    """Some columns with their types, in one thread: with several, one read in hundreds mixed up rows of two blocks."""
    convert = csv.ConvertOptions(column_types=types, include_columns=wanted, null_values=list(MISSING))
    with _opened(file) as stream:
        return csv.read_csv(stream, csv.ReadOptions(block_size=LONGEST_LINE, use_threads=False), parse, convert)


def _csv_schema(file: Path, parse: csv.ParseOptions) -> Any:
    """Headers, and the types that the first block suggests."""
    convert = csv.ConvertOptions(null_values=list(MISSING))
    read = csv.ReadOptions(block_size=LONGEST_LINE, use_threads=False)
    try:
        with _opened(file) as stream, csv.open_csv(stream, read, parse, convert) as reader:
            schema = reader.schema
            schema.names  # noqa: B018  decodes the header here, where an error of it is expected
            return schema
    except arrow.ArrowInvalid as problem:
        if "Empty CSV" in str(problem):
            raise InputError(
                f"The file {file.name!r} is empty; it should hold a table with a line of names."
            ) from problem
        raise


def _delimiter(file: Path) -> str:
    """Comma if the header has one, else tab, else semicolon."""
    with gzip.open(file) if file.name.lower().endswith(".gz") else file.open("rb") as stream:
        line = stream.readline(LONGEST_LINE)
    if len(line) == LONGEST_LINE:
        raise InputError(_long_line(file))
    header = line.decode("utf-8-sig")
    return next((mark for mark in (",", "\t", ";") if mark in header), ",")


def _opened(file: Path) -> Any:
    return arrow.input_stream(str(file), compression="gzip" if file.name.lower().endswith(".gz") else None)


def _read_parquet(file: Path, time: Any, trajectory: Any, state: Any, sort: Any, gap: Any) -> Trajectories:
    with in_our_words(file), parquet.ParquetFile(file) as source:
        columns = parquet_columns(source, time, trajectory, state)
        table = source.read(columns.needed)
    return assemble(table.column, columns, sort, gap)


def parquet_columns(source: parquet.ParquetFile, time: Any, trajectory: Any, state: Any) -> Columns:
    """The columns of a Parquet file that are wanted."""
    schema = source.schema_arrow
    # pandas keeps an index without a name under this one; it is no coordinate.
    headers = [name for name in schema.names if not name.startswith("__index_level_")]
    numeric = [field.name for field in schema if is_numeric(field.type)]
    return choose_columns(headers, numeric, time, trajectory, state)


READERS: dict[str, Callable[..., Trajectories]] = {
    ".csv": _read_csv,
    ".csv.gz": _read_csv,
    ".parquet": _read_parquet,
    ".npz": read_npz,
    ".h5": read_hdf,
    ".hdf5": read_hdf,
    ".nc": read_hdf,
}
