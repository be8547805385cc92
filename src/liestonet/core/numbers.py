"""Checks of numbers given by users: scalars of Python and of NumPy count, True and False do not."""

from __future__ import annotations

from numbers import Real
from typing import Any, TypeGuard

import numpy as np

from liestonet.errors import InputError


def is_whole(value: object) -> TypeGuard[int]:
    """Whether a value is an integer."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def is_real(value: object) -> TypeGuard[float]:
    """Whether a value is an integer or a float, finite or not."""
    return is_whole(value) or isinstance(value, float | np.floating)


def as_float(given: object) -> float | None:
    """A real number of any kind as a float, fractions and constants of SymPy among them; None for anything else."""
    value: Any = given[()] if isinstance(given, np.ndarray) and given.ndim == 0 else given
    if is_truth(value):
        return None
    exact = getattr(value, "is_number", False) is True and getattr(value, "is_real", False) is True
    if not (isinstance(value, Real) or exact):
        return None
    number: Any = value
    try:
        return float(number)
    except OverflowError:  # an integer beyond floating point
        return np.inf if number > 0 else -np.inf


def is_truth(value: object) -> bool:
    """Whether a value is True or False."""
    return isinstance(value, bool | np.bool_)


def truth_of(what: str, value: object) -> bool:
    """A setting that must be True or False, converted to Python's bool."""
    if not is_truth(value):
        raise InputError(f"The setting {what} is {value!r}; give True or False.")
    return bool(value)


def plain(value: object) -> object:
    """NumPy scalars converted to Python's, also inside tuples and lists, as files need them."""
    if isinstance(value, tuple | list):
        parts = [plain(part) for part in value]
        return parts if isinstance(value, list) else tuple(parts)
    if isinstance(value, np.str_):
        return str(value)
    if is_truth(value):
        return bool(value)
    if is_whole(value):
        return int(value)
    return float(value) if is_real(value) else value
