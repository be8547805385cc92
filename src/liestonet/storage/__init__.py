"""A result as one file: a safetensors container with arrays, JSON and hashes of both, and no executable content.

Files are written atomically, and everything read is checked before it is used.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from liestonet.errors import InputError
from liestonet.storage.container import read_container, write_container
from liestonet.storage.pack import pack
from liestonet.storage.unpack import unpack


def save(value: object, path: object) -> None:
    """Write a result, or one of its parts, to a file; an existing file is replaced atomically."""
    write_container(_target(path), *pack(value))


def load(path: str | os.PathLike[str] | Any) -> Any:
    """Read a result that `result.save` wrote; it works like the saved one.

    A file that is damaged, is not a result or was written by a newer version is refused with one sentence. Nothing in a
    file is executed, and the memory used is bounded by the file's length.
    """
    from liestonet.result import Result

    value = read_value(path)
    if not isinstance(value, Result):
        raise InputError(
            f"{_name(path)} holds a value of type {type(value).__name__}, not a result; load reads results."
        )
    return value


def read_value(path: object) -> object:
    """Read what `save` wrote: a result, or one of its parts."""
    target = _target(path)
    found = read_container(target)
    return unpack(found.content, found.arrays, _name(target), found.schema)


def _target(path: object) -> Path:
    if not isinstance(path, str | os.PathLike) or isinstance(os.fspath(path), bytes):
        raise InputError(f"The file must be a path such as 'run.lsn', not {type(path).__name__}.")
    if not str(path) or "\0" in str(path):
        raise InputError("The path of the file is empty or contains a null character; give one such as 'run.lsn'.")
    return Path(path)


def _name(path: str | os.PathLike[str]) -> str:
    return f"The file {Path(path).name!r}"
