"""The files of a pattern (a glob, a folder, or a list of these), and keys and values in the names of folders."""

from __future__ import annotations

import glob
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import file_digest
from pathlib import Path

from liestonet.errors import InputError
from liestonet.trajectories.broken_files import existing_file

END = 4096  # bytes at either end by which files of one size are distinguished
HIDDEN = (".", "_")  # `_SUCCESS`, `_metadata` and the like lie beside partitioned tables


def files_of(pattern: object, suffixes: Sequence[str]) -> list[Path]:
    """The files in the order of their names; those of a list in the order of the list."""
    if isinstance(pattern, str | os.PathLike):
        return _matching(pattern, suffixes)
    if not isinstance(pattern, Iterable):
        raise InputError(f"The files must be a pattern such as 'runs/*.parquet', a folder or a list, not {pattern!r}.")
    given = [each for each in pattern if isinstance(each, str | os.PathLike)]
    found = [file for each in given for file in _matching(each, suffixes)]
    if not found:
        raise InputError("The list of files is empty; give at least one file.")
    seen: set[Path] = set()
    for file in found:
        if file.absolute() in seen:
            raise InputError(f"The file {str(file)!r} is in the list twice; name each file once.")
        seen.add(file.absolute())
    return found


def _matching(pattern: str | os.PathLike[str], suffixes: Sequence[str]) -> list[Path]:
    try:
        return _found(os.fspath(pattern), suffixes)
    except PermissionError as problem:
        refused = problem.filename or os.fspath(pattern)
        raise InputError(f"{str(refused)!r} cannot be read by this user; change its permissions.") from problem


def _found(text: str, suffixes: Sequence[str]) -> list[Path]:
    if Path(text).is_dir():
        found = [file for file in _below(Path(text)) if file.name.lower().endswith(tuple(suffixes))]
        if not found:
            raise InputError(f"The folder {text!r} holds no file that can be read ({', '.join(suffixes)}).")
        return sorted(found)
    if glob.has_magic(text) and not Path(text).exists():
        found = sorted(Path(name) for name in glob.glob(text, recursive=True))
        found = [file for file in found if not file.is_dir()]
        if not found:
            raise InputError(f"No file matches {text!r}; check the folder, and put the pattern in quotes.")
        return found
    return [existing_file(text)]


def _below(folder: Path) -> Iterable[Path]:
    """All files in a folder and its subfolders, without hidden ones."""

    def refused(problem: OSError) -> None:
        raise InputError(f"The folder {problem.filename!r} cannot be read; change its permissions.") from problem

    for place, folders, names in os.walk(folder, onerror=refused):
        folders[:] = [name for name in folders if not name.startswith(HIDDEN)]
        yield from (Path(place) / name for name in names if not name.startswith(HIDDEN))


def keys_of(file: Path) -> dict[str, str]:
    """Keys and values of folders such as `condition=hot`."""
    pairs = (part.partition("=") for part in file.parent.parts)
    return {key: value for key, equals, value in pairs if equals and key}


def refuse_copies(files: Sequence[Path]) -> None:
    """Refuse two files with the same content, which would count as twice the data."""
    for mark in (_size, _ends, _content):  # only what is alike so far is looked at more closely
        marks = [(mark(file), file) for file in files]
        counts = Counter(found for found, _ in marks)
        files = [file for found, file in marks if counts[found] > 1]
    if files:
        first = _content(files[0])
        one, two = called([file for file in files if _content(file) == first][:2])
        raise InputError(f"The files {one!r} and {two!r} have the same content; leave one of them out.")


def _size(file: Path) -> int:
    return file.stat().st_size


def _ends(file: Path) -> tuple[int, bytes, bytes]:
    with file.open("rb") as stream:
        begin = stream.read(END)
        stream.seek(max(0, _size(file) - END))
        return _size(file), begin, stream.read()


def _content(file: Path) -> bytes:
    with file.open("rb") as stream:
        return file_digest(stream, "sha256").digest()


def called(files: Sequence[Path]) -> list[str]:
    """Names for files in messages; files of the same name get as many folders as distinguish them."""
    names, depth = [file.name for file in files], 1
    while len(set(names)) < len(names):
        depth, counts, before = depth + 1, Counter(names), names
        longer = zip(files, names, strict=True)
        names = ["/".join(file.parts[-depth:]) if counts[name] > 1 else name for file, name in longer]
        if names == before:
            break
    return names


def short_name(files: Sequence[Path]) -> str:
    """A short description of the files."""
    if len(files) == 1:
        return files[0].name
    return f"{len(files)} files, {files[0].name} to {files[-1].name}"
