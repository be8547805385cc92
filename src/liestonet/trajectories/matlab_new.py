"""MATLAB files of version 7.3, which are HDF5: shapes are checked before anything is loaded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from liestonet.errors import InputError
from liestonet.trajectories.broken_files import check_size
from liestonet.trajectories.matlab_values import DEEPEST, NUMBERS, Cells, Structs, Value, spread
from liestonet.trajectories.named_arrays import HDF_PROBLEMS
from liestonet.trajectories.tuning import READING


def read_new(file: Path, only: set[str] | None = None) -> tuple[dict[str, Value], list[str]]:
    """Variables that may be data, and the names of the others; reads only the variables `only` if all of them exist."""
    try:
        import h5py
    except ImportError as problem:
        raise InputError(
            f"To read {file.name!r}, h5py is needed; install it by pip install 'liestonet[hdf]'."
        ) from problem
    try:
        with h5py.File(file, "r") as opened:
            reader = _Reader(opened, file.name, h5py)
            names = [str(name) for name in opened if not str(name).startswith("#")]
            if only is not None and only <= set(names):
                names = [name for name in names if name in only]
            found = {name: reader.value(opened[name], name, 0) for name in names}
            refused = reader.refused
    except InputError:
        raise
    except (*HDF_PROBLEMS, MemoryError, RecursionError) as problem:
        raise InputError(
            f"The file {file.name!r} is not a complete MATLAB file; copy it again, or save it again in MATLAB."
        ) from problem
    return spread({name: value for name, value in found.items() if value is not None}), refused


class _Reader:
    """Loads the variables of one file, as long as they are small enough."""

    def __init__(self, opened: Any, file: str, h5py: Any) -> None:
        self.opened, self.file, self.h5py = opened, file, h5py
        self.refused: list[str] = []
        self.loaded = 0

    def value(self, item: Any, name: str, depth: int) -> Value | None:
        """An array, structs or cells; None for text, objects and functions."""
        if depth > DEEPEST:
            return None
        kind = item.attrs.get("MATLAB_class", b"")
        kind = kind.decode("utf-8", "replace") if isinstance(kind, bytes) else str(kind)
        if "MATLAB_object_decode" in item.attrs:
            kind = kind or "object"
        elif isinstance(item, self.h5py.Group):
            if kind in ("struct", ""):
                return self._structs(item, name, depth)
        elif kind == "cell":
            return Cells([self.value(part, name, depth + 1) for part in self._referred(item, name)])
        elif kind in NUMBERS or (not kind and item.dtype.kind in "iuf"):
            return self._array(item, name)
        elif kind == "char":
            return None
        if depth == 0:
            self.refused.append(f"{name} ({kind or 'unknown'})")
        return None

    def _array(self, item: Any, name: str) -> np.ndarray | None:
        if "MATLAB_empty" in item.attrs or item.dtype.kind not in "iufV" or item.dtype.names:
            return np.zeros((0, 0))
        size = int(item.size or 0) * max(8, item.dtype.itemsize)
        check_size(self.file, name, size)
        self.loaded += size
        check_size(self.file, "all variables together", self.loaded)
        return np.asarray(item[...]).T  # MATLAB's order of axes is the other one

    def _referred(self, item: Any, name: str) -> list[Any]:
        if item.dtype.kind != "O" or "MATLAB_empty" in item.attrs:
            return []
        if item.size > READING.most_bytes // 1024:
            check_size(self.file, name, 1024 * int(item.size))
        references = np.asarray(item[...]).T.reshape(-1, order="F")
        return [self.opened[reference] for reference in references if isinstance(reference, self.h5py.Reference)]

    def _structs(self, group: Any, name: str, depth: int) -> Structs:
        fields = tuple(group)
        lists = {field: self._elements(group[field], f"{name}.{field}", depth) for field in fields}
        lengths = {len(items) for items in lists.values()}
        count = lengths.pop() if len(lengths) == 1 else 0
        return Structs(fields, [{field: lists[field][index] for field in fields} for index in range(count)])

    def _elements(self, item: Any, name: str, depth: int) -> list[Value | None]:
        """The values of a field: one for each element of a struct array, by its references, or a single one."""
        is_array = not isinstance(item, self.h5py.Group) and item.dtype.kind == "O" and "MATLAB_class" not in item.attrs
        if not is_array:
            return [self.value(item, name, depth + 1)]
        return [self.value(part, name, depth + 1) for part in self._referred(item, name)]
