"""Periods of angles and phases as users give them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from liestonet.core.numbers import is_real
from liestonet.errors import InputError

NO_PERIODS: Mapping[str, float] = MappingProxyType({})
_WITH_PI = re.compile(r"(?P<factor>[0-9.]*(?:[eE][+-]?[0-9]+)?)\s*\*?\s*(?:pi|π)(?:\s*/\s*(?P<divisor>[0-9.]+))?")


def checked_periods(given: object, names: Sequence[str]) -> Mapping[str, float]:
    """A dictionary from coordinate to period such as {"theta": 2 * math.pi}, checked; None and {} mean none."""
    if given is None:
        return NO_PERIODS
    if not isinstance(given, Mapping):
        raise InputError(
            f"`periodic` must be a dictionary from a coordinate to its period, such as {{'theta': 2 * math.pi}}, not "
            f"{given!r}."
        )
    found = {}
    for name, period in given.items():
        if name not in names:
            raise InputError(f"There is no coordinate {name!r} to be periodic; there are {', '.join(names)}.")
        if not is_real(period) or not math.isfinite(period) or period <= 0:
            raise InputError(
                f"The period of {name} is {period!r}; give a positive number, such as 2 * math.pi for radians or 360 "
                "for degrees."
            )
        found[str(name)] = float(period)
    return MappingProxyType(found) if found else NO_PERIODS


def period_from_text(text: str) -> tuple[str, float]:
    """A coordinate and its period from text on the command line: theta=2pi, theta=360, phase=1, phi=pi/2."""
    name, equals, value = (part.strip() for part in text.partition("="))
    if name and equals:
        match = _WITH_PI.fullmatch(value)
        try:
            if match:
                return name, float(match["factor"] or 1) * math.pi / float(match["divisor"] or 1)
            return name, float(value)
        except (ValueError, ZeroDivisionError):
            pass
    raise InputError(
        f"{text!r} is not a period; give the coordinate and its period, as in theta=2pi, theta=360 or phase=1."
    )


def by_position(periodic: Mapping[str, float], names: Sequence[str]) -> dict[int, float]:
    """Periods by the position of the variable; 0 is time."""
    return {1 + list(names).index(name): period for name, period in periodic.items()}
