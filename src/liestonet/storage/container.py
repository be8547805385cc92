"""The file itself: a safetensors container, read with every length checked before anything is allocated.

The first eight bytes are the length of the header, the header (JSON) gives the place of each array, and the arrays
follow. LieStoNet's own data are one text entry of the header: a hash, then JSON with the schema number, the arrays'
hashes and the content.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from liestonet.errors import InputError
from liestonet.trajectories.writers import replacing

FORMAT, SCHEMA = "liestonet.run", 2
# Earlier schemas, which `converters` converts to the present one.
EARLIER = (1,)
# LieStoNet writes no longer headers or files; they are refused before they are read.
LARGEST_HEADER, LARGEST_FILE = 2**23, 2**30
DTYPES = {
    name: np.dtype(code)
    for name, code in {
        "F64": "<f8", "F32": "<f4", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "|i1",
        "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "|u1", "BOOL": "|b1",
    }.items()
}  # fmt: skip
WRITTEN_AT_ONCE, MOST_AXES = 2**20, 32
Arrays = dict[str, np.ndarray]
Place = tuple[int, int, np.dtype, tuple[int, ...]]


class Contained(NamedTuple):
    """The content of a file: its schema number, JSON content and arrays."""

    schema: int
    content: Any
    arrays: Arrays


class Entry(NamedTuple):
    """LieStoNet's entry of a header: schema, content, and the hashes of the arrays."""

    schema: int
    content: Any
    hashes: dict[str, Any]


def array_hash(array: np.ndarray) -> str:
    """SHA-256 of type, shape and numbers: a changed type or shape is detected as well."""
    digest = hashlib.sha256(f"{array.dtype.str} {array.shape} ".encode())
    digest.update(array.reshape(-1).view(np.uint8).data if array.size else b"")
    return digest.hexdigest()


def write_container(path: Path, content: Mapping[str, Any], arrays: Arrays) -> None:
    """Write content and arrays, which must be contiguous; the file appears complete or not at all."""
    from safetensors.numpy import save as pack_arrays

    hashes = {name: array_hash(array) for name, array in arrays.items()}
    parts = {"schema": SCHEMA, "arrays": hashes, "content": content}
    text = json.dumps(parts, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    # one entry only: the order of several, and so the file, would not be reproducible
    packed = memoryview(pack_arrays(arrays, {FORMAT: f"{_hash(text)} {text}"}))
    if int.from_bytes(packed[:8], "little") > LARGEST_HEADER or len(packed) > LARGEST_FILE:
        raise InputError(f"The result is too large for a file ({len(packed):,} bytes); fit fewer increments at a time.")
    with replacing(path) as file:
        for start in range(0, len(packed), WRITTEN_AT_ONCE):
            file.write(packed[start : start + WRITTEN_AT_ONCE])


def read_container(path: Path) -> Contained:
    """Read and check a container; its arrays are read-only, as results never change."""
    what = f"The file {path.name!r}"
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise InputError(f"{what} is a folder or a device; give a file written by save.")
        with path.open("rb") as file:
            return _read(file, what)
    except FileNotFoundError as problem:
        raise InputError(f"There is no file {str(path)!r}; check the path.") from problem
    except OSError as problem:
        raise InputError(f"{what} cannot be read ({problem.strerror}); check its permissions.") from problem
    except MemoryError as problem:
        raise InputError(f"{what} needs more memory than is free; close something and try again.") from problem


def _read(file: IO[bytes], what: str) -> Contained:
    """Read the header, then the rest if its length agrees with the header."""
    size = os.fstat(file.fileno()).st_size
    if size > LARGEST_FILE:
        raise InputError(f"{what} has {size:,} bytes, more than any result; the limit is {LARGEST_FILE:,}.")
    length = int.from_bytes(file.read(8), "little")
    if size < 10 or not 2 <= length <= min(size - 8, LARGEST_HEADER):
        raise _foreign(what)
    header = file.read(length)
    if not header.startswith(b"{"):
        raise _foreign(what)
    places = _json(header, what)
    if not isinstance(places, dict):
        raise _foreign(what)
    entry = _entry(places.pop("__metadata__", None), what)
    layout = _layout(places, size - 8 - length, what)
    if layout.keys() != entry.hashes.keys():
        raise _damaged(what)
    body = memoryview(file.read())
    arrays = {}
    for name, (start, end, dtype, shape) in layout.items():
        arrays[name] = np.frombuffer(body[start:end], dtype=dtype).reshape(shape)
        if array_hash(arrays[name]) != entry.hashes[name]:
            raise _damaged(what)
    return Contained(entry.schema, entry.content, arrays)


def _entry(entries: Any, what: str) -> Entry:
    """LieStoNet's entry of the header, checked."""
    if not isinstance(entries, dict) or entries.keys() != {FORMAT} or not isinstance(entries[FORMAT], str):
        raise _foreign(what)
    digest, _, text = entries[FORMAT].partition(" ")
    if digest != _hash(text):
        raise _damaged(what)
    parts = _json(text.encode(), what)
    schema = parts.get("schema") if isinstance(parts, dict) else None
    if type(schema) is int and schema > SCHEMA:
        raise InputError(
            f"{what} was written by a newer LieStoNet (schema {schema}; this one reads up to {SCHEMA}); update "
            "LieStoNet to open it."
        )
    whole = isinstance(parts, dict) and parts.keys() == {"schema", "arrays", "content"}
    if (
        type(schema) is not int
        or schema not in (*EARLIER, SCHEMA)
        or not whole
        or not isinstance(parts["arrays"], dict)
    ):
        raise _damaged(what)
    return Entry(schema, parts["content"], parts["arrays"])


def _layout(places: dict[str, Any], length: int, what: str) -> dict[str, Place]:
    """The place of each array; together they must fill the rest of the file without gap or overlap."""
    found: dict[str, Place] = {}
    for name, place in places.items():
        if not isinstance(place, dict) or place.keys() != {"dtype", "shape", "data_offsets"}:
            raise _damaged(what)
        dtype, shape, ends = place["dtype"], place["shape"], place["data_offsets"]
        if not (isinstance(dtype, str) and dtype in DTYPES and _whole(shape) and _whole(ends) and len(ends) == 2):
            raise _damaged(what)
        found[name] = (*ends, DTYPES[dtype], tuple(shape))
    reached = 0
    for start, end, dtype, shape in sorted(found.values(), key=lambda place: place[:2]):
        if start != reached or not start <= end <= length or _size(shape, length) * dtype.itemsize != end - start:
            raise _damaged(what)
        reached = end
    if reached != length:
        raise _damaged(what)
    return found


def _size(shape: tuple[int, ...], most: int) -> int:
    """The number of entries; −1 if it exceeds what a file of this length can hold, however large the factors."""
    if len(shape) > MOST_AXES or max(shape, default=0) > max(most, LARGEST_HEADER):
        return -1
    if 0 in shape:
        return 0
    size = 1
    for length in shape:
        size *= length
        if size > most:
            return -1
    return size


def _whole(values: Any) -> bool:
    return isinstance(values, list) and all(type(value) is int and value >= 0 for value in values)


def _json(text: bytes, what: str) -> Any:
    try:
        return json.loads(text.decode("utf-8"), parse_constant=_refuse_constant, object_pairs_hook=_once)
    except (ValueError, RecursionError) as problem:
        raise _damaged(what) from problem


def _refuse_constant(name: str) -> Any:
    raise ValueError(name)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; repeated keys are refused."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key occurs twice")
    return found


def _hash(text: str) -> str:
    """SHA-256 of a text; lone surrogates, which JSON admits but UTF-8 cannot encode, are replaced."""
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()


def _foreign(what: str) -> InputError:
    return InputError(f"{what} is not a LieStoNet result, or its header is damaged; give a file written by save.")


def _damaged(what: str) -> InputError:
    return InputError(f"{what} is damaged: a checksum does not match; use a copy, or compute the result again.")
