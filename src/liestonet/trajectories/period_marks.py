"""Periods of angles in files: written as the name of an empty column of a table, and read back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from liestonet.core.periods import NO_PERIODS
from liestonet.errors import InputError
from liestonet.trajectories.measurement import MARK
from liestonet.trajectories.wanted import Wanted

if TYPE_CHECKING:
    from liestonet.trajectories.trajectories import Trajectories

PERIOD_MARK = "# periodic: "  # begins the header of an empty column of a CSV file
PERIOD_KEY = "liestonet.periodic"  # in the metadata of a Parquet file


def is_mark(header: str) -> bool:
    """Whether a header carries information about the data and its column is empty."""
    return header.startswith((MARK, PERIOD_MARK))


def period_header(periodic: Mapping[str, float]) -> str:
    """The header that stores periods, for `with_marked`."""
    return PERIOD_MARK + " ".join(f"{quote(name, safe='')}={period!r}" for name, period in periodic.items())


def with_header_periods(data: Trajectories, headers: Sequence[str], wanted: Wanted) -> Trajectories:
    """The data with the periods that one of the headers gives."""
    told = [header.removeprefix(PERIOD_MARK).split() for header in headers if header.startswith(PERIOD_MARK)]
    if not told or wanted.periodic is not None:
        return data
    return with_marked(data, {unquote(name): value for name, _, value in (word.partition("=") for word in told[0])})


def with_json_periods(data: Trajectories, text: Any, wanted: Wanted) -> Trajectories:
    """The data with the periods given as JSON; None changes nothing."""
    return data if text is None or wanted.periodic is not None else with_marked(data, periods_from_json(text))


def periods_from_json(text: Any) -> Mapping[str, Any]:
    """Periods by coordinate."""
    try:
        given = json.loads(text)
    except (TypeError, ValueError, RecursionError) as problem:
        raise _unreadable() from problem
    if not isinstance(given, dict):
        raise _unreadable()
    return given


def periods_among(told: Mapping[str, Any], names: Sequence[str]) -> Mapping[str, float]:
    """The periods of those coordinates that were read."""
    try:
        return {name: float(value) for name, value in told.items() if name in names} or NO_PERIODS
    except (TypeError, ValueError) as problem:
        raise _unreadable() from problem


def with_marked(data: Trajectories, told: Mapping[str, Any]) -> Trajectories:
    """The data with these periods.

    Values are not changed: `write` stores unwrapped ones.
    """
    periods = periods_among(told, data.names)
    return replace(data, periodic=periods) if periods else data


def _unreadable() -> InputError:
    return InputError(
        "What the file says of its periods cannot be read; give periodic={'theta': 2 * math.pi} (--periodic theta=2pi) "
        "instead."
    )
