"""Checks of trajectories: names, units, shapes and values, each with a message for the user."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from liestonet.errors import InputError
from liestonet.trajectories.columns import parse_header
from liestonet.trajectories.gaps import check_order, check_size, place_in

RESERVED_NAMES = ("trajectory", "t")


def default_names(dimension: int) -> tuple[str, ...]:
    """Default names: x, or x, y, or x, y, z, or x1 … xd."""
    return ("x", "y", "z")[:dimension] if dimension <= 3 else tuple(f"x{i + 1}" for i in range(dimension))


def names_and_units(names: Any, units: Any, dimension: int) -> tuple[tuple[str, ...], dict[str, str]]:
    """Plain names, and the units given beside them or separately, both checked."""
    if units is not None and not isinstance(units, Mapping):
        raise InputError(f"The units must be a dictionary such as {{'x': 'um'}}, not {units!r}.")
    if names is None:
        names = default_names(dimension)
    if isinstance(names, str) or not isinstance(names, Iterable):
        what = "the string " if isinstance(names, str) else ""
        raise InputError(f"The names must be a list such as ['x', 'y'], not {what}{names!r}.")
    pairs = [_name_and_unit(name) for name in names]
    plain = tuple(name for name, _ in pairs)
    labels = {name: unit for name, unit in pairs if unit is not None} | dict(units or {})
    check_names(plain, dimension)
    check_units(labels, plain)
    return plain, labels


def _name_and_unit(name: Any) -> tuple[Any, str | None]:
    """Name and unit of a header; a name without a unit is kept unchanged, so that blanks in it are found."""
    plain, unit = parse_header(name) if isinstance(name, str) else (name, None)
    return (name, None) if unit is None else (plain, unit)


def check_names(names: tuple[Any, ...], dimension: int) -> None:
    """Require names that are plain, distinct, and not reserved for columns of tables."""
    if len(names) != dimension:
        raise InputError(f"There are {len(names)} names for {dimension} coordinates; give one for each.")
    for name in names:
        if not isinstance(name, str) or not name.isprintable() or name.strip() != name or not name:
            raise InputError(f"The coordinate name {name!r} is not a plain word; give a name such as 'x'.")
        if parse_header(name)[1] is not None:
            raise InputError(f"The coordinate name {name!r} holds a unit; give the unit in `units` instead.")
        if name in RESERVED_NAMES or names.count(name) > 1:
            raise InputError(
                f"The coordinate name {name!r} is taken, by another coordinate or by the columns "
                "'trajectory' and 't'; choose another."
            )


def check_units(units: Mapping[Any, Any], names: tuple[str, ...]) -> None:
    """Require units that are short labels without brackets, for coordinates that exist."""
    for name, unit in units.items():
        if name not in (*names, "t"):
            raise InputError(f"There is a unit for {name!r}, but the columns are t, {', '.join(names)}.")
        if not isinstance(unit, str) or parse_header(f"x [{unit}]") != ("x", unit) or not unit.isprintable():
            raise InputError(f"The unit {unit!r} of {name!r} is not a label; give text without brackets, such as 'um'.")


def check_storage(times: np.ndarray, states: np.ndarray, offsets: np.ndarray) -> None:
    """Require flat arrays that fit each other, with no empty path and at least one increment."""
    if times.ndim != 1 or states.ndim != 2 or offsets.ndim != 1 or len(states) != len(times):
        raise InputError(
            f"Flat storage needs times (N,), states (N, d) and offsets (K + 1,), "
            f"not {times.shape}, {states.shape} and {offsets.shape}."
        )
    if len(offsets) < 2 or offsets[0] != 0 or offsets[-1] != len(times):
        raise InputError("The offsets must begin with 0 and end with the number of points.")
    check_lengths(offsets)
    if np.diff(offsets).max() < 2:
        raise InputError("Every trajectory has one point only, but an increment needs two; give longer ones.")


def check_lengths(offsets: np.ndarray) -> None:
    """Require that no path is empty."""
    empty = np.flatnonzero(np.diff(offsets) < 1)
    if empty.size:
        index = int(empty[0])
        count = int(offsets[index + 1] - offsets[index])
        raise InputError(f"Trajectory {index} has {count} points; leave it out.")


def check_values(times: np.ndarray, states: np.ndarray, offsets: np.ndarray, names: tuple[str, ...]) -> None:
    """Require values that are finite and not too large, and increasing times."""
    place = place_in(offsets)
    if not (np.isfinite(times).all() and np.isfinite(states).all()):
        for name, column in [("time", times), *zip(names, states.T, strict=True)]:
            bad = np.flatnonzero(~np.isfinite(column))
            if bad.size:
                raise InputError(
                    f"{place(int(bad[0]))} has {name} = {column[bad[0]]}; drop the point or split the trajectory there."
                )
    check_size(times, states, names, place)
    same = np.ones(len(times) - 1, dtype=bool)
    same[offsets[1:-1] - 1] = False
    check_order(times, np.diff(times), same, place)
