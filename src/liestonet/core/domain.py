"""The box of time and state on which coefficients are looked at and generators are sought."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np
from jaxtyping import Float

from liestonet.core.coordinate import Coordinate
from liestonet.errors import InputError

Interval = tuple[float, float]
Neighbours = tuple[float | None, float | None]


@dataclass(frozen=True)
class Domain:
    """A time interval and one interval per coordinate.

    `chosen` says that it was chosen automatically; `filled` are the positions of single intervals added to
    those a user gave. `singular` holds, where known, the singular points next to each interval, below and above.
    """

    intervals: tuple[Interval, ...]
    chosen: bool = False
    filled: tuple[int, ...] = ()
    singular: tuple[Neighbours, ...] | None = None

    def __post_init__(self) -> None:
        for position, (low, high) in enumerate(self.intervals):
            where = "time" if position == 0 else f"coordinate {position}"
            if not (math.isfinite(low) and math.isfinite(high)):
                raise InputError(f"The domain's interval for {where} is ({low}, {high}); both ends must be finite.")
            if not low < high:
                raise InputError(
                    f"The domain's interval for {where} is ({low:g}, {high:g}), which is empty or reversed; "
                    "give the lower end first."
                )

    @classmethod
    def from_pairs(cls, pairs: object, dimension: int) -> Domain:
        """Check what a user gave: time first, then each coordinate, as (low, high) pairs."""
        try:
            intervals = tuple((float(low), float(high)) for low, high in cast(Iterable[Sequence[float]], pairs))
        except (TypeError, ValueError, OverflowError) as problem:
            raise InputError(
                "The domain must be a list of (low, high) pairs of numbers: time first, then each coordinate."
            ) from problem
        domain = cls(intervals)
        domain.require_dimension(dimension)
        return domain

    def require_dimension(self, dimension: int) -> None:
        """Refuse another number of coordinates than the equation has."""
        if self.dimension != dimension:
            raise InputError(
                f"The domain has {len(self.intervals)} intervals, but {dimension + 1} are needed: "
                f"time first, then each of the {dimension} coordinates."
            )

    @property
    def picked(self) -> tuple[int, ...]:
        """Positions of all intervals chosen automatically; 0 is time."""
        return tuple(range(len(self.intervals))) if self.chosen else self.filled

    @property
    def dimension(self) -> int:
        """Number of coordinates, time not counted."""
        return len(self.intervals) - 1

    @property
    def centre(self) -> Float[np.ndarray, " v"]:
        """Midpoint of every interval, time first."""
        return np.array([(low + high) / 2 for low, high in self.intervals])

    @property
    def half(self) -> Float[np.ndarray, " v"]:
        """Half-length of every interval, time first: T and L_i of docs/method.md §3.1."""
        return np.array([(high - low) / 2 for low, high in self.intervals])

    @cached_property
    def coordinates(self) -> tuple[Coordinate, ...]:
        """Every variable with the functions that suit it, time first."""
        singular = self.singular or ((None, None),) * len(self.intervals)
        return tuple(Coordinate(*ends, *points) for ends, points in zip(self.intervals, singular, strict=True))
