"""What counts as a number where users give one: Python's and NumPy's scalars alike; True and False are none."""

from __future__ import annotations

from typing import TypeGuard

import numpy as np


def is_whole(value: object) -> TypeGuard[int]:
    """Whether a value is an integer."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def is_real(value: object) -> TypeGuard[float]:
    """Whether a value is an integer or a float, finite or not."""
    return is_whole(value) or isinstance(value, float | np.floating)


def is_truth(value: object) -> bool:
    """Whether a value is True or False."""
    return isinstance(value, bool | np.bool_)


def plain(value: object) -> object:
    """A NumPy scalar as Python's own number, in tuples too: files hold only those."""
    if isinstance(value, tuple):
        return tuple(plain(part) for part in value)
    if is_truth(value):
        return bool(value)
    if is_whole(value):
        return int(value)
    return float(value) if is_real(value) else value
