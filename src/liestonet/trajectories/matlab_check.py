"""Whether the elements of a MATLAB 5 file are consistent: a damaged file can crash Python inside SciPy.

Lengths, types and shapes of all elements are compared before SciPy reads them; a mismatch raises a ValueError.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

from liestonet.trajectories.tuning import READING

SIZES = {1: 1, 2: 1, 3: 2, 4: 2, 5: 4, 6: 4, 7: 4, 9: 8, 12: 8, 13: 8}  # bytes of a number, by its type
LETTERS = {1: 1, 2: 1, 3: 2, 4: 2, 16: 1, 17: 2, 18: 4}
MATRIX, COMPRESSED, INT8, INT32, UINT32 = 14, 15, 1, 5, 6
CELL, STRUCT, OBJECT, CHARACTERS, SPARSE, FUNCTION, OPAQUE = 1, 2, 3, 4, 5, 16, 17
NUMBERS = range(6, 16)
HEAD, DEEPEST = 128, 24


def check_parts(file: Path) -> None:
    """Refuse a version 5 file in which an element is inconsistent; other versions are not checked."""
    with file.open("rb") as stream:
        head = stream.read(HEAD)
        if len(head) < HEAD or 0 in head[:4]:
            return
        order = {b"IM": "<", b"MI": ">"}.get(head[126:128])
        if order is None:
            raise ValueError("no byte order")
        while tag := stream.read(8):
            kind, size = struct.unpack(f"{order}II", tag) if len(tag) == 8 else (0, 0)
            content = stream.read(min(size, READING.most_bytes))
            if len(content) != size:
                raise ValueError("an element is longer than the file")
            if kind == COMPRESSED:
                inner = zlib.decompressobj().decompress(content, READING.most_bytes)
                kind, size = struct.unpack(f"{order}II", inner[:8]) if len(inner) >= 8 else (0, 0)
                content = inner[8:]
                if len(content) < size:
                    raise ValueError("a packed element is cut short")
            if kind != MATRIX:
                raise ValueError("an element is not a variable")
            _check_matrix(memoryview(content)[:size], order, 0)


def _parts(content: memoryview, order: str) -> Iterator[tuple[int, memoryview]]:
    """Types and contents of the elements inside a matrix."""
    place = 0
    while place < len(content):
        if len(content) - place < 8:
            raise ValueError("an element has no room for its tag")
        kind, size = struct.unpack(f"{order}II", content[place : place + 8])
        if kind >> 16:
            kind, size, begin, end = kind & 0xFFFF, kind >> 16, place + 4, place + 8
            if size > 4:
                raise ValueError("a small element is too long")
        else:
            begin, end = place + 8, place + 8 + size + (-size % 8 if kind != MATRIX else 0)
        if begin + size > len(content):
            raise ValueError("an element is longer than its matrix")
        yield kind, content[begin : begin + size]
        place = end


def _check_matrix(content: memoryview, order: str, depth: int) -> None:
    if not len(content):
        return
    if depth > DEEPEST:
        raise ValueError("matrices are nested too deeply")
    parts = list(_parts(content, order))
    if not parts or parts[0][0] != UINT32 or len(parts[0][1]) != 8:
        raise ValueError("a matrix has no flags")
    flags = struct.unpack(f"{order}I", parts[0][1][:4])[0]
    kind, numbers = flags & 0xFF, 2 if flags & 0x0800 else 1
    if kind in (OPAQUE, SPARSE):
        if depth:
            raise ValueError("an object inside another variable")
        return
    if len(parts) < 3 or parts[1][0] != INT32 or parts[2][0] != INT8 or len(parts[1][1]) % 4:
        raise ValueError("a matrix has no shape or no name")
    shape = struct.unpack(f"{order}{len(parts[1][1]) // 4}i", parts[1][1])
    if not 2 <= len(shape) <= 32 or min(shape) < 0:
        raise ValueError("a matrix has an impossible shape")
    _check_contents(kind, math.prod(shape), parts[3:], order, depth, numbers)


def _check_contents(
    kind: int, count: int, parts: list[tuple[int, memoryview]], order: str, depth: int, numbers: int
) -> None:
    if kind in NUMBERS:
        fits = len(parts) == numbers and all(of in SIZES and len(part) == count * SIZES[of] for of, part in parts)
    elif kind == CHARACTERS:
        fits = len(parts) == 1 and parts[0][0] in LETTERS and len(parts[0][1]) in (0, count * LETTERS[parts[0][0]])
    elif kind == CELL:
        fits = _all_matrices(parts, count, order, depth)
    elif kind == FUNCTION:
        fits = _all_matrices(parts, 1, order, depth)
    elif kind in (STRUCT, OBJECT):
        rest = parts[1:] if kind == OBJECT else parts
        fits = len(rest) >= 2 and rest[0][0] == INT32 and len(rest[0][1]) == 4 and rest[1][0] == INT8
        length = struct.unpack(f"{order}i", rest[0][1])[0] if fits else 0
        fields = len(rest[1][1]) // length if length > 0 else 0
        fits = fits and length > 0 and fields * length == len(rest[1][1])
        fits = fits and _all_matrices(rest[2:], count * fields, order, depth)
    else:
        fits = False
    if not fits:
        raise ValueError("a matrix does not hold what its shape says")


def _all_matrices(parts: list[tuple[int, memoryview]], count: int, order: str, depth: int) -> bool:
    if len(parts) != count or any(kind != MATRIX for kind, _ in parts):
        return False
    for _, part in parts:
        _check_matrix(part, order, depth + 1)
    return True
