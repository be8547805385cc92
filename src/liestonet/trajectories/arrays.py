"""Trajectories from arrays and lists: what shapes mean, and which number types become float64 without loss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from liestonet.errors import InputError

SHAPES = (
    "times must be (N,) shared, (K, N) or a list of (n_k,), and states (K, N, d) or a list of (n_k, d); "
    "a single path is [times], [states] or states of shape (1, N, d)"
)
LARGEST_EXACT_INTEGER = 2**53


def flatten(times: Any, states: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """New flat times (n,), states (n, d) and offsets (K + 1,) from any container that `from_arrays` accepts."""
    if not isinstance(times, list | tuple) and not isinstance(states, list | tuple):
        block = _equal_paths(times, states)
        if block is not None:
            return block
    state_parts = _split_states(states)
    lengths = np.array([len(part) for part in state_parts])
    time_parts = _split_times(times, lengths.tolist())
    dimension = state_parts[0].shape[1]
    for index, part in enumerate(state_parts):
        if part.shape[1] != dimension:
            raise InputError(
                f"Trajectory {index} has {part.shape[1]} coordinates but trajectory 0 has {dimension}; "
                "all trajectories need the same coordinates."
            )
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    return np.concatenate(time_parts), np.concatenate(state_parts), offsets


def _equal_paths(times: Any, states: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """The fast path, without a loop, for arrays (K, N, d) with times (N,) or (K, N); None for other shapes."""
    t, x = real_array(times, "The times"), real_array(states, "The states")
    if x.ndim != 3 or 0 in x.shape or t.shape not in (x.shape[:2], x.shape[1:2]):
        return None
    paths, length, dimension = x.shape
    return (
        np.array(np.broadcast_to(t, (paths, length))).reshape(-1),
        np.array(x, order="C").reshape(-1, dimension),
        length * np.arange(paths + 1),
    )


def _split_states(states: Any) -> list[Float[np.ndarray, "n_k d"]]:
    """One (n_k, d) array per path, from an array (K, N, d) or a sequence of arrays."""
    if not isinstance(states, list | tuple):
        block = real_array(states, "The states")
        if block.ndim != 3:
            raise InputError(f"The states have shape {block.shape}, but {SHAPES}.")
        parts = list(block)
    else:
        parts = [real_array(part, "The states of trajectory", index) for index, part in enumerate(states)]
    if not parts:
        raise InputError("There are no trajectories; give at least one.")
    for index, part in enumerate(parts):
        if part.ndim != 2 or part.shape[1] == 0:
            raise InputError(f"The states of trajectory {index} have shape {part.shape}, but {SHAPES}.")
    return parts


def _split_times(times: Any, lengths: Sequence[int]) -> list[Float[np.ndarray, " n_k"]]:
    """One (n_k,) array per path, matching the lengths of the paths' states."""
    if isinstance(times, list | tuple) and not all(_is_number(part) for part in times):
        parts = [real_array(part, "The times of trajectory", index) for index, part in enumerate(times)]
    else:
        block = real_array(times, "The times")
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


def real_array(values: Any, what: str, index: int | None = None) -> Float[np.ndarray, " ..."]:
    """A float64 array of real numbers, or an error; NaN and infinity are handled later."""
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
    """Why the conversion of an array's type would lose information, if it would."""
    if array.dtype.kind not in "iuf":
        return f"have the type {array.dtype}, which is not real; convert them first (dates to seconds, say)"
    if np.ma.is_masked(values):
        return "are masked in places; fill the masked points with NaN, and the trajectory is split there"
    if not integers_are_exact(array):
        return "are integers too large for float64; subtract the first value from all of them"
    return None


def integers_are_exact(array: np.ndarray) -> bool:
    """Whether float64 represents every number of an integer array."""
    integer = array.dtype.kind in "iu" and array.size > 0
    return not integer or max(int(array.max()), -int(array.min())) <= LARGEST_EXACT_INTEGER
