"""Files that are missing, empty or damaged, and clear messages in place of those of libraries."""

from __future__ import annotations

import difflib
import gzip
import os
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as arrow

from liestonet.errors import InputError
from liestonet.trajectories.tuning import READING

LONGEST_LINE = 1 << 20
_RAGGED = re.compile(r"(Row #(?P<row>\d+): )?Expected (?P<columns>\d+) columns, got (?P<cells>\d+)")
FILE_PROBLEMS = (arrow.ArrowException, OSError, EOFError, zlib.error, UnicodeDecodeError)


def existing_file(path: Any) -> Path:
    """Check that a file exists and is not empty."""
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
        if isinstance(problem, PermissionError):
            raise InputError(f"{str(file)!r} cannot be read by this user; change its permissions.") from problem
        raise InputError(f"The path {str(file)!r} cannot be read ({problem}); check its name.") from problem
    return file


def _similar(file: Path) -> str:
    names = [entry.name for entry in file.parent.iterdir()] if file.parent.is_dir() else []
    close = difflib.get_close_matches(file.name, names, n=1)
    return f"; did you mean {close[0]!r}?" if close else "; check its name and folder."


@contextmanager
def in_our_words(file: Path, first_row: int = 2) -> Iterator[None]:
    """Replace a library's error on a broken file by a clear message; `first_row` is its number for the first row."""
    try:
        yield
    except FILE_PROBLEMS as problem:
        raise InputError(_words(file, problem, first_row)) from problem


def _words(file: Path, problem: BaseException, first_row: int) -> str:
    if isinstance(problem, PermissionError):
        return f"The file {file.name!r} cannot be read by this user; change its permissions."
    reason = " ".join(str(problem).split())
    lowered = reason.lower()
    if isinstance(problem, UnicodeDecodeError) or "utf8" in lowered or "utf-8" in lowered:
        return f"The file {file.name!r} is not UTF-8 text; save it again in that encoding."
    ragged = _RAGGED.search(reason)
    if ragged:
        row = "a row" if ragged["row"] is None else f"row {int(ragged['row']) - first_row} (counted from 0)"
        return (
            f"The file {file.name!r} has {ragged['cells']} cells in {row}, but {ragged['columns']} columns; "
            "give every row as many cells as the header."
        )
    if "straddling" in lowered:
        return long_line(file)
    if isinstance(problem, EOFError | zlib.error | gzip.BadGzipFile) or "zlib" in lowered or "compress" in lowered:
        return f"The file {file.name!r} is damaged or cut short; copy it again."
    if len(reason) > 160:
        reason = reason[:159] + "…"
    return f"The file {file.name!r} cannot be read ({reason.rstrip('.')}); check that it is complete."


def long_line(file: Path) -> str:
    """The message on a line that is too long."""
    many = f"a line of more than {LONGEST_LINE:,} bytes"
    return f"The file {file.name!r} has {many}; write one row per line, or save a table this wide as .npy."


def check_size(file: str, name: str, size: int) -> None:
    """Refuse an array that is too large to load, before it is."""
    if size > READING.most_bytes:
        raise InputError(
            f"The array {name!r} of {file!r} has {size / 2**30:.3g} GB, more than {READING.most_bytes / 2**30:.3g} GB; "
            "save the part that is needed, or write it as .parquet."
        )
