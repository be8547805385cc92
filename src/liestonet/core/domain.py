"""The box of time and state on which coefficients are evaluated and generators are computed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

import numpy as np
from jaxtyping import Float

from liestonet.core.coordinate import Coordinate
from liestonet.core.multiindex import Degrees
from liestonet.core.noise_shape import NoiseShape
from liestonet.core.tuning import SHARED
from liestonet.errors import InputError

Interval = tuple[float, float]
Neighbours = tuple[float | None, float | None]


@dataclass(frozen=True)
class Domain:
    """A time interval and one interval per coordinate.

    `chosen` means that the whole box was chosen automatically; `filled` are the positions of single intervals added to
    those a user gave. `singular` holds, if known, the singular points next to each interval, below and above.
    `periodic` are the positions of periodic variables, whose intervals are one period. With `shapes`, the noise shapes
    of the coordinates, basis functions are adapted to them: components of a generator are multiples of the noise.
    """

    intervals: tuple[Interval, ...]
    chosen: bool = False
    filled: tuple[int, ...] = ()
    singular: tuple[Neighbours, ...] | None = None
    periodic: tuple[int, ...] = ()
    shapes: tuple[NoiseShape | None, ...] | None = None

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
        """A domain from the (low, high) pairs that a user gave, time first, then each coordinate; checked."""
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
        """Raise an error unless the domain has this number of coordinates."""
        if self.dimension != dimension:
            raise InputError(
                f"The domain has {len(self.intervals)} intervals, but {dimension + 1} are needed: "
                f"time first, then each of the {dimension} coordinates."
            )

    @property
    def picked(self) -> tuple[int, ...]:
        """Positions of all intervals chosen automatically; 0 is time. Intervals of periodic variables do not count."""
        picked = tuple(range(len(self.intervals))) if self.chosen else self.filled
        return tuple(position for position in picked if position not in self.periodic)

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
        """The `Coordinate` of every variable, with its basis functions; time first."""
        singular = self.singular or ((None, None),) * len(self.intervals)
        return tuple(
            Coordinate(*ends, *points, v in self.periodic, self.shape(v), None if self.shape(v) is None else 0)
            for v, (ends, points) in enumerate(zip(self.intervals, singular, strict=True))
        )

    def shape(self, position: int) -> NoiseShape | None:
        """The shape of a variable's noise if basis functions are adapted to it, else None."""
        return None if self.shapes is None else self.shapes[position]

    def with_periods(self, periods: Mapping[int, float]) -> Domain:
        """The domain with periodic variables, by position: the interval of each becomes one period.

        It begins at 0 if the interval was chosen automatically; an interval that a user gave must be one period long.
        """
        if not periods:
            return self
        intervals = list(self.intervals)
        for position, period in periods.items():
            low, high = intervals[position]
            if position in self.picked:
                intervals[position] = (0.0, period)
            elif abs(high - low - period) > SHARED.turn_rounding * period:
                raise InputError(
                    f"The domain's interval for coordinate {position} is ({low:g}, {high:g}), but its period is "
                    f"{period:g}: the interval of a periodic coordinate is one whole turn. Give one of that length, "
                    "or None."
                )
            else:
                intervals[position] = (low, low + period)
        singular = self.singular and tuple(
            (None, None) if position in periods else pair for position, pair in enumerate(self.singular)
        )
        return replace(self, intervals=tuple(intervals), singular=singular, periodic=tuple(sorted(periods)))

    def named_periods(self, names: Sequence[str]) -> dict[str, float]:
        """The periods of periodic coordinates, by name."""
        return {names[position - 1]: float(self.periods[position]) for position in self.periodic}

    @property
    def periods(self) -> Float[np.ndarray, " v"]:
        """The period of every variable, time first; infinite for those that have none."""
        whole = np.full(len(self.intervals), np.inf)
        for position in self.periodic:
            whole[position] = 2 * self.half[position]
        return whole

    def wrapped(self, points: Float[np.ndarray, "b v"]) -> Float[np.ndarray, "b v"]:
        """Points (t, x_1, …, x_n) with periodic variables reduced to their intervals; unchanged if there are none."""
        if not self.periodic:
            return points
        result = points.copy()
        for position in self.periodic:
            low, high = self.intervals[position]
            result[:, position] = low + (points[:, position] - low) % (high - low)
        return result

    def orders(self, degrees: Degrees) -> Degrees:
        """The orders of basis functions: the frequency in a periodic variable, else the degree."""
        if not self.periodic:
            return degrees
        result = degrees.copy()
        periodic = list(self.periodic)
        result[:, periodic] = (degrees[:, periodic] + 1) // 2
        return result
