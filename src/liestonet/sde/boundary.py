"""Bounds that keep simulated paths where the coefficients are defined, read from what a user gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from liestonet.errors import InputError


@dataclass(frozen=True)
class Bounds:
    """Lowest and highest value of every coordinate, infinite where it is free."""

    lower: Float[np.ndarray, " n"]
    upper: Float[np.ndarray, " n"]

    def project(self, x: Float[np.ndarray, "b n"]) -> Float[np.ndarray, "b n"]:
        """The nearest point inside; NaN stays NaN."""
        return np.clip(x, self.lower, self.upper)


def free_bounds(dimension: int) -> Bounds:
    """No bound on any coordinate."""
    return Bounds(np.full(dimension, -np.inf), np.full(dimension, np.inf))


def read_bounds(boundary: Any, names: tuple[str, ...]) -> Bounds:
    """Bounds by name or number of the coordinate: a lower bound, or (lower, upper) with None for free."""
    bounds = free_bounds(len(names))
    if boundary is not None and not isinstance(boundary, Mapping):
        raise InputError(f"The boundary is {boundary!r}; give a dictionary such as {{'x': 0.0}}.")
    for key, value in (boundary or {}).items():
        if key in names:
            index = names.index(str(key))
        elif isinstance(key, int) and 0 <= key < len(names):
            index = key
        else:
            raise InputError(f"The boundary names {key!r}, but the coordinates are {', '.join(names)}.")
        pair = tuple(value) if isinstance(value, tuple | list) else (value, None)
        if len(pair) != 2 or not all(end is None or (is_real(end) and not np.isnan(end)) for end in pair):
            raise InputError(f"The boundary of {key!r} is {value!r}; give a lower bound or (lower, upper).")
        bounds.lower[index] = -np.inf if pair[0] is None else pair[0]
        bounds.upper[index] = np.inf if pair[1] is None else pair[1]
        if not bounds.lower[index] < bounds.upper[index]:
            raise InputError(f"The boundary of {key!r} is {value!r}, which is empty; give the lower first.")
    return bounds


def is_real(value: Any) -> bool:
    """Whether a value is a plain real number; True and False are none."""
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
