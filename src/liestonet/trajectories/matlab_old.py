"""MATLAB files of versions 4 to 7.2, through SciPy: names, shapes and classes first, then only possible data."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np

from liestonet.errors import InputError
from liestonet.trajectories.broken_files import check_size
from liestonet.trajectories.matlab_check import check_parts
from liestonet.trajectories.matlab_values import DEEPEST, NUMBERS, Cells, Structs, Value, spread

HDF_SIGNATURE = b"\x89HDF\r\n\x1a\n"


def read_old(file: Path, only: set[str] | None = None) -> tuple[dict[str, Value], list[str]]:
    """Variables that may be data, and the names of the others; reads only the variables `only` if all of them exist."""
    from scipy import io

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            listed = io.whosmat(str(file), appendmat=False)
            if only is not None and only <= {name for name, _, _ in listed}:
                listed = [row for row in listed if row[0] in only]
            wanted, refused = [], []
            for name, shape, kind in listed:
                if kind in NUMBERS:
                    check_size(file.name, name, 8 * int(np.prod([int(n) for n in shape], dtype=object)))
                elif kind in ("struct", "cell"):
                    check_size(file.name, name, max(file.stat().st_size, 64 * int(np.prod(shape, dtype=object))))
                if kind in (*NUMBERS, "struct", "cell"):
                    wanted.append(name)
                elif kind != "char":
                    refused.append(f"{name} ({kind})")
            if wanted:
                check_parts(file)
            loaded = io.loadmat(str(file), variable_names=wanted, appendmat=False) if wanted else {}
            found = {name: _value(loaded[name], 0) for name in wanted if name in loaded}
        except InputError:
            raise
        except Exception as problem:  # damage shows in errors of every kind, also in SciPy's own
            raise InputError(
                f"The file {file.name!r} is not a complete MATLAB file; copy it again, or save it again in MATLAB."
            ) from problem
    return spread({name: value for name, value in found.items() if value is not None}), refused


def _value(raw: Any, depth: int) -> Value | None:
    """An array, structs or cells; None for text, objects, functions and values that are nested too deeply."""
    from scipy.io import matlab

    refused = (matlab.MatlabFunction, matlab.MatlabOpaque, matlab.MatlabObject)
    if not isinstance(raw, np.ndarray) or isinstance(raw, refused) or depth > DEEPEST:
        return None
    if raw.dtype.names:
        elements = [
            {field: _value(element[field], depth + 1) for field in raw.dtype.names}
            for element in raw.reshape(-1, order="F")
        ]
        return Structs(tuple(raw.dtype.names), elements)
    if raw.dtype.kind == "O":
        return Cells([_value(item, depth + 1) for item in raw.reshape(-1, order="F")])
    if raw.dtype.kind == "b":
        return raw.astype(np.float64)
    return raw if raw.dtype.kind in "iufc" else None
