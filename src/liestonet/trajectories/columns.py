"""Columns by name: headers with units, and which column is the time, the trajectory and each coordinate."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from liestonet.errors import InputError

# `x [um]`, `x[um]`, `x (um)` and `x(um)` hold a unit; `x[0]`, `x (2)` and `f(x)` do not.
_SQUARE = re.compile(r"(?P<name>.*\S)\s*\[(?P<unit>[^\[\]]+)\]")
_COUNTS_BACK = re.compile(r"\b[ky]?BP\b|\bb2k\b|\bbefore (?:present|1950|2000)\b|\bago\b", re.I)
_ROUND = re.compile(r"(?P<name>.*\S)\s+\((?P<unit>[^()]+)\)")
_CLOSE = re.compile(
    r"(?P<name>.*[^\s(])\((?P<unit>rad|deg|degrees?|°|[mµμun]?s|sec|seconds?|min|hr?|hours?|days?|yrs?|years?|k?a|[cmµμunk]?m|"
    r"px|pixels?|frames?|[mµμun]?V|[mkM]?Hz|[pnfµμ]?N|m?bar|[mun]?A|°C|K|%)\)"
)

TIME_NAMES = ("t", "time", "timestamp", "datetime", "date")
TRAJECTORY_NAMES = ("trajectory", "particle", "track", "path", "trajectory_id", "particle_id", "track_id", "path_id")
SHOWN = 8


@dataclass(frozen=True)
class Columns:
    """Headers of the columns to read, the role of each, and remarks on the choice."""

    time: str | None  # None where rows are evenly spaced
    trajectory: str | None
    state: tuple[str, ...]
    remarks: tuple[str, ...] = ()
    dt: float | None = None  # time between rows; beside a time of whole numbers, the time that one of them stands for
    back: bool = False  # whether the time counts back from the present

    @property
    def clock(self) -> str:
        """The header of the time; an error where there is none."""
        if self.time is None:
            raise InputError("There is no column of times; name it.")
        return self.time

    @property
    def needed(self) -> list[str]:
        """All headers, each once."""
        first = [header for header in (self.trajectory, self.time) if header is not None]
        return list(dict.fromkeys([*first, *self.state]))

    @property
    def names(self) -> tuple[str, ...]:
        """The coordinates' names, without units."""
        return tuple(parse_header(header)[0] for header in self.state)

    @property
    def units(self) -> dict[str, str]:
        """Units given in the headers, by coordinate and by "t"."""
        clock = {} if self.time is None or self.dt is not None else {"t": parse_header(self.time)[1]}
        found = clock | dict(map(parse_header, self.state))
        return {name: unit for name, unit in found.items() if unit is not None}


def parse_header(header: str) -> tuple[str, str | None]:
    """Name and unit of a header: `x [um]` is x in um; a header without a unit is a name."""
    text = header.strip()
    for pattern in (_SQUARE, _ROUND, _CLOSE):
        match = pattern.fullmatch(text)
        if match and match["unit"].strip() and not match["unit"].strip().isdigit():
            return match["name"], match["unit"].strip()
    return text, None


def make_header(name: str, unit: str | None) -> str:
    """The header from which `parse_header` gives this name and unit."""
    return name if unit is None else f"{name} [{unit}]"


def choose_columns(
    headers: Sequence[str],
    numeric: Iterable[str],
    time: Any = None,
    trajectory: Any = None,
    state: Any = None,
    *,
    clockless: bool = False,
) -> Columns:
    """Find the columns that were asked for, and guess the others, with a remark on each guess.

    With `clockless`, rows are evenly spaced, and no column has to be the time.
    """
    numeric = set(numeric)
    all_numeric = state is not None or numeric.issuperset(headers[2:])
    if is_own_table(headers) and all_numeric and not clockless:
        # A table of our own writer: its columns are known, whatever the coordinates are called.
        own_time, own_trajectory, own_state, expected = headers[1], headers[0], list(headers[2:]), True
    else:
        own_time, own_trajectory, own_state, expected = None, None, None, False
    back = isinstance(time, str) and time.startswith("-") and time not in headers
    if clockless:
        time_header = None
    elif time is not None:
        time_header = find_column(headers, time[1:] if back else time, "time")
    else:
        time_header = own_time or _guess_time(headers)
    if trajectory is not None:
        trajectory_header = find_column(headers, trajectory, "trajectory")
    else:
        trajectory_header = own_trajectory or _guess_trajectory(headers, time_header, state)
    taken = {time_header, trajectory_header}
    if state is not None:
        state_headers = [find_column(headers, name, "state") for name in _list_of_names(state)]
    elif own_state is not None and taken == {own_time, own_trajectory}:
        state_headers = own_state
    else:
        state_headers = _guess_state(headers, numeric, taken)
    _check_roles(time_header, trajectory_header, state_headers, headers)
    guessed = (time is None and not clockless, trajectory is None and trajectory_header is not None, state is None)
    chosen = Columns(time_header, trajectory_header, tuple(state_headers))
    remark = () if expected and all(guessed) else _remark(chosen, guessed, headers)
    back = back or bool(time_header is not None and _COUNTS_BACK.search(time_header.replace("_", " ")))
    return Columns(time_header, trajectory_header, tuple(state_headers), remark, back=back)


def is_own_table(headers: Sequence[str]) -> bool:
    """Whether a table with these headers was written by this package."""
    return list(headers[:1]) == ["trajectory"] and len(headers) > 2 and parse_header(headers[1])[0] == "t"


def is_label_name(header: str) -> bool:
    """Whether a column has a usual name for path labels."""
    return bool(called([header], TRAJECTORY_NAMES))


def is_age(header: str) -> bool:
    """Whether a column holds ages, which decrease where the oldest row comes first."""
    return parse_header(header)[0].lower().replace("_", " ").split()[:1] == ["age"]


def find_column(headers: Sequence[str], wanted: Any, role: str) -> str:
    """The header for a name that was given with or without its unit."""
    if not isinstance(wanted, str):
        raise InputError(f"The {role} column must be named by text, not by {wanted!r}; name it as in the header.")
    exact = [header for header in headers if header == wanted]
    loose = exact or [header for header in headers if wanted.strip() in (header.strip(), parse_header(header)[0])]
    if len(loose) > 1:
        raise InputError(
            f"There are {len(loose)} columns called {wanted!r} ({listed(loose)}); give each column its own name."
        )
    if not loose:
        raise InputError(f"There is no column {wanted!r} for the {role}; {_suggestion(wanted, headers)}")
    return loose[0]


def _suggestion(wanted: str, headers: Sequence[str]) -> str:
    """The header that may have been meant, and the list of all headers."""
    plain = {parse_header(header)[0].lower(): header for header in headers}
    close = difflib.get_close_matches(wanted.lower(), plain, n=1, cutoff=0.5)
    if close:
        return f"did you mean {plain[close[0]]!r}? The columns are {listed(headers)}."
    return f"the columns are {listed(headers)}."


def _guess_time(headers: Sequence[str]) -> str:
    found = called(headers, TIME_NAMES[:2]) or called(headers, TIME_NAMES)
    if len(found) == 1:
        return found[0]
    if not headers:
        raise InputError("There are no columns; give a table with a time and at least one coordinate.")
    if all(_is_number(header) for header in headers):
        raise InputError(
            f"The first line holds numbers ({listed(headers)}); put a line with the columns' names above it."
        )
    problem = (
        "No column is called t or time" if not found else f"More than one column may be the time ({listed(found)})"
    )
    raise InputError(f"{problem}; name it, as in time={headers[0]!r}. The columns are {listed(headers)}.")


def _guess_trajectory(headers: Sequence[str], time: str | None, state: Any) -> str | None:
    """A column with a usual name for path labels, unless it is asked for as something else."""
    wanted = (
        set() if state is None else {parse_header(name)[0] for name in _list_of_names(state) if isinstance(name, str)}
    )
    for name in TRAJECTORY_NAMES:
        found = [header for header in called(headers, (name,)) if header != time]
        if len(found) == 1 and parse_header(found[0])[0] not in wanted:
            return found[0]
    return None


def _guess_state(headers: Sequence[str], numeric: set[str], taken: set[str | None]) -> list[str]:
    found = [header for header in headers if header in numeric and header not in taken]
    if not found:
        raise InputError(
            f"No numeric column is left for the state; name its columns, as in state=['x']. "
            f"The columns are {listed(headers)}."
        )
    return found


def _check_roles(time: str | None, trajectory: str | None, state: list[str], headers: Sequence[str]) -> None:
    if not state:
        raise InputError(f"The state has no columns; name at least one of {listed(headers)}.")
    used = [header for header in (time, trajectory, *state) if header is not None]
    for header in used:
        if used.count(header) > 1 or list(headers).count(header) > 1:
            raise InputError(
                f"The column {header!r} occurs more than once in the table or in the options; name each column and "
                "each of time, trajectory and state only once."
            )


def _remark(chosen: Columns, guessed: tuple[bool, bool, bool], headers: Sequence[str]) -> tuple[str, ...]:
    """One remark on what was guessed and what was left out."""
    roles = [f"time {chosen.time!r}", f"trajectory {chosen.trajectory!r}", f"state {listed(chosen.state)}"]
    named = [role for role, wanted in zip(roles, guessed, strict=True) if wanted]
    if not named:
        return ()
    left = [header for header in headers if header not in chosen.needed] if guessed[2] else []
    return (f"Columns found by their names: {', '.join(named)}{f'; not used: {listed(left)}' if left else ''}.",)


def _list_of_names(state: Any) -> list[Any]:
    if isinstance(state, str):
        return [state]
    if isinstance(state, Mapping) or not isinstance(state, Iterable):
        raise InputError(f"The state columns must be a list of names such as ['x', 'y'], not {state!r}.")
    return list(state)


def called(headers: Sequence[str], names: Sequence[str]) -> list[str]:
    return [header for header in headers if parse_header(header)[0].lower().replace(" ", "_") in names]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def listed(headers: Sequence[str]) -> str:
    shown = ", ".join(repr(header if len(header) <= 30 else header[:29] + "…") for header in headers[:SHOWN])
    return shown if len(headers) <= SHOWN else f"{shown} and {len(headers) - SHOWN} more"
