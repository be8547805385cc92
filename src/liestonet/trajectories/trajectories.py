"""Paths (t, x) in flat storage with offsets, so that many short paths cost what one long path costs.

Whatever enters is copied, turned to float64 and checked here, once; errors name trajectory and row.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from liestonet.errors import InputError

SHAPES = (
    "times must be (N,) shared, (K, N) or a list of (n_k,), and states (K, N, d) or a list of (n_k, d); "
    "a single path is [times], [states] or states of shape (1, N, d)"
)
RESERVED_NAMES = ("trajectory", "t")
LARGEST_EXACT_INTEGER = 2**53


@dataclass(frozen=True, eq=False, repr=False)
class Trajectories:
    """K paths in d coordinates, read-only; path k is rows `offsets[k]` to `offsets[k + 1]` of the arrays.

    Users make one with `Trajectories.from_arrays`, which copies. The constructor is for code that already has
    flat arrays to give away: it checks them in the same way and does not copy.
    """

    flat_times: Float[np.ndarray, " n"]
    flat_states: Float[np.ndarray, "n d"]
    offsets: Int[np.ndarray, " k_plus_1"]
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        fixed = {
            "flat_times": _read_only(_real_array(self.flat_times, "flat_times")),
            "flat_states": _read_only(_real_array(self.flat_states, "flat_states")),
            "offsets": _read_only(np.asarray(self.offsets, dtype=np.int64)),
            "names": tuple(self.names),
        }
        for name, value in fixed.items():
            object.__setattr__(self, name, value)
        _check_storage(self.flat_times, self.flat_states, self.offsets)
        _check_names(self.names, self.flat_states.shape[1])
        _check_values(self.flat_times, self.flat_states, self.offsets, self.names)

    @classmethod
    def from_arrays(cls, times: Any, states: Any, names: Iterable[str] | None = None) -> Trajectories:
        """Make trajectories from arrays or lists.

        `times` is (N,) shared by all paths, (K, N), or a list of (n_k,); `states` is (K, N, d) or a list of
        (n_k, d). A single path is `[times], [states]`, or states of shape (1, N, d). Within a path times
        increase strictly, steps and lengths may be anything. `names` are the coordinates' names; without them
        x, or x, y, or x, y, z, or x1 … xd.
        """
        state_parts = _split_states(states)
        time_parts = _split_times(times, [len(part) for part in state_parts])
        dimension = state_parts[0].shape[1]
        for index, part in enumerate(state_parts):
            if part.shape[1] != dimension:
                raise InputError(
                    f"Trajectory {index} has {part.shape[1]} coordinates but trajectory 0 has {dimension}; "
                    "all trajectories need the same coordinates."
                )
        if isinstance(names, str):
            raise InputError(f"The names must be a list such as ['x', 'y'], not the string {names!r}.")
        return cls(
            np.concatenate(time_parts),
            np.concatenate(state_parts),
            np.concatenate([[0], np.cumsum([len(part) for part in state_parts])]),
            default_names(dimension) if names is None else tuple(names),
        )

    @property
    def dimension(self) -> int:
        """Number of coordinates d."""
        return self.flat_states.shape[1]

    @property
    def points(self) -> int:
        """Number of points of all paths together."""
        return len(self.flat_times)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def times(self) -> list[Float[np.ndarray, " n_k"]]:
        """Each path's times, as read-only views."""
        return _views(self.flat_times, self.offsets)

    @cached_property
    def states(self) -> list[Float[np.ndarray, "n_k d"]]:
        """Each path's states, as read-only views."""
        return _views(self.flat_states, self.offsets)

    def chunks(self, rows: int = 65536):
        from liestonet.trajectories.increments import blocks_of
        yield from blocks_of(self.flat_times, self.flat_states, self.offsets, rows)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write a .csv, .csv.gz, .parquet or .npz file, whole or not at all; numbers read back bit-equal.

        Tables are long: columns `trajectory` (0, 1, …), `t`, then the coordinates by name. An .npz file holds
        the arrays `times` (N,), `states` (N, d), `offsets` (K + 1,) and `names`.
        """
        from liestonet.trajectories.writers import write_trajectories

        write_trajectories(self, path)

    def __repr__(self) -> str:
        lengths = np.diff(self.offsets)
        steps = _steps_within_paths(self.flat_times, self.offsets)
        ranges = [
            f"{name} {_span(column.min(), column.max())}"
            for name, column in zip(self.names, self.flat_states.T, strict=True)
        ]
        shown = ranges if len(ranges) <= 4 else [*ranges[:3], f"… {self.dimension} coordinates"]
        return (
            f"Trajectories({len(self)} {'path' if len(self) == 1 else 'paths'} of "
            f"{_span(lengths.min(), lengths.max())} points; "
            f"t {_span(self.flat_times.min(), self.flat_times.max())}, "
            f"step {_span(steps.min(), steps.max())}; {', '.join(shown)})"
        )


def default_names(dimension: int) -> tuple[str, ...]:
    """x, or x, y, or x, y, z, or x1 … xd."""
    return ("x", "y", "z")[:dimension] if dimension <= 3 else tuple(f"x{i + 1}" for i in range(dimension))


def _split_states(states: Any) -> list[Float[np.ndarray, "n_k d"]]:
    """One (n_k, d) array per path, from an array (K, N, d) or a sequence of arrays."""
    if not isinstance(states, list | tuple):
        block = _real_array(states, "The states")
        if block.ndim != 3:
            raise InputError(f"The states have shape {block.shape}, but {SHAPES}.")
        parts = list(block)
    else:
        parts = [_real_array(part, "The states of trajectory", index) for index, part in enumerate(states)]
    if not parts:
        raise InputError("There are no trajectories; give at least one.")
    for index, part in enumerate(parts):
        if part.ndim != 2 or part.shape[1] == 0:
            raise InputError(f"The states of trajectory {index} have shape {part.shape}, but {SHAPES}.")
    return parts


def _split_times(times: Any, lengths: Sequence[int]) -> list[Float[np.ndarray, " n_k"]]:
    """One (n_k,) array per path, matching the lengths of the paths' states."""
    if isinstance(times, list | tuple) and not all(_is_number(part) for part in times):
        parts = [_real_array(part, "The times of trajectory", index) for index, part in enumerate(times)]
    else:
        block = _real_array(times, "The times")
        if block.ndim not in (1, 2):
            raise InputError(f"The times have shape {block.shape}, but {SHAPES}.")
        parts = [block] * len(lengths) if block.ndim == 1 else list(block)
    if len(parts) != len(lengths):
        raise InputError(
            f"There are times for {len(parts)} trajectories but states for {len(lengths)}; "
            "give both for each trajectory, or one array of times shared by all."
        )
    for index, (part, length) in enumerate(zip(parts, lengths, strict=True)):
        if part.ndim != 1:
            raise InputError(f"The times of trajectory {index} have shape {part.shape}, but {SHAPES}.")
        if len(part) != length:
            raise InputError(
                f"Trajectory {index} has {len(part)} times but {length} states; give one time for each state."
            )
    return parts


def _real_array(values: Any, what: str, index: int | None = None) -> Float[np.ndarray, " ..."]:
    """A float64 array of finite-precision real numbers, or an error; NaN and infinity are found later."""
    try:
        array = np.asarray(values)
        if array.dtype.kind == "O":
            array = array.astype(np.float64)
        problem = _problem_of_type(values, array)
    except (TypeError, ValueError, OverflowError):
        problem = "cannot be read as a regular array of real numbers; give NumPy arrays"
        array = np.empty(0)
    if problem:
        raise InputError(f"{what if index is None else f'{what} {index}'} {problem}.")
    return array.astype(np.float64, copy=False)


def _is_number(value: Any) -> bool:
    return np.isscalar(value) or getattr(value, "ndim", None) == 0


def _problem_of_type(values: Any, array: np.ndarray) -> str | None:
    """Why an array's type would lose what it says, if it would."""
    if array.dtype.kind not in "iuf":
        return f"have the type {array.dtype}, which is not real; convert them first (dates to seconds, say)"
    if np.ma.is_masked(values):
        return "are masked in places; drop the masked points or split the trajectory there"
    integer = array.dtype.kind in "iu" and array.size > 0
    if integer and max(int(array.max()), -int(array.min())) > LARGEST_EXACT_INTEGER:
        return "are integers too large for float64; subtract the first value from all of them"
    return None


def _check_storage(times: np.ndarray, states: np.ndarray, offsets: np.ndarray) -> None:
    if times.ndim != 1 or states.ndim != 2 or offsets.ndim != 1 or len(states) != len(times):
        raise InputError(
            f"Flat storage needs times (N,), states (N, d) and offsets (K + 1,), "
            f"not {times.shape}, {states.shape} and {offsets.shape}."
        )
    if len(offsets) < 2 or offsets[0] != 0 or offsets[-1] != len(times):
        raise InputError("The offsets must begin with 0 and end with the number of points.")
    short = np.flatnonzero(np.diff(offsets) < 2)
    if short.size:
        index = int(short[0])
        count = int(offsets[index + 1] - offsets[index])
        raise InputError(
            f"Trajectory {index} has {count} {'point' if count == 1 else 'points'}, "
            "but an increment needs two; leave it out."
        )


def _check_names(names: tuple[str, ...], dimension: int) -> None:
    if len(names) != dimension:
        raise InputError(f"There are {len(names)} names for {dimension} coordinates; give one for each.")
    for name in names:
        if not isinstance(name, str) or not name.isprintable() or name.strip() != name or not name:
            raise InputError(f"The coordinate name {name!r} is not a plain word; give a name such as 'x'.")
        if name in RESERVED_NAMES or names.count(name) > 1:
            raise InputError(
                f"The coordinate name {name!r} is taken, by another coordinate or by the columns "
                "'trajectory' and 't'; choose another."
            )


def _check_values(times: np.ndarray, states: np.ndarray, offsets: np.ndarray, names: tuple[str, ...]) -> None:
    columns = [("time", times), *zip(names, states.T, strict=True)]
    for name, column in columns:
        bad = np.flatnonzero(~np.isfinite(column))
        if bad.size:
            raise InputError(
                f"{_place(int(bad[0]), offsets)} has {name} = {column[bad[0]]}; "
                "drop the point or split the trajectory there."
            )
    increasing = times[1:] > times[:-1]
    increasing[offsets[1:-1] - 1] = True  # from one path to the next
    bad = np.flatnonzero(~increasing)
    if bad.size:
        first = int(bad[0])
        raise InputError(
            f"{_place(first + 1, offsets)} has time {times[first + 1]:.17g} after {times[first]:.17g}; "
            "times must increase strictly in a trajectory, so sort it, or split it if it holds several paths."
        )


def _place(row: int, offsets: np.ndarray) -> str:
    index = int(np.searchsorted(offsets, row, side="right")) - 1
    return f"Trajectory {index}, row {row - int(offsets[index])}"


def _steps_within_paths(times: np.ndarray, offsets: np.ndarray) -> Float[np.ndarray, " m"]:
    with np.errstate(over="ignore"):
        return np.delete(np.diff(times), offsets[1:-1] - 1)


def _views(flat: np.ndarray, offsets: np.ndarray) -> list[np.ndarray]:
    ends = offsets.tolist()
    return [flat[first:last] for first, last in pairwise(ends)]


def _read_only(array: np.ndarray) -> np.ndarray:
    view = np.ascontiguousarray(array).view()
    view.flags.writeable = False
    return view


def _span(low: np.floating | np.integer, high: np.floating | np.integer) -> str:
    low_text, high_text = f"{low:.6g}", f"{high:.6g}"
    return low_text if low_text == high_text else f"{low_text} to {high_text}"
