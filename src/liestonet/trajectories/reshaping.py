"""New trajectories from old ones: windows, every k-th point, chosen paths, transformed coordinates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from liestonet.core.numbers import is_real, is_truth, is_whole
from liestonet.errors import InputError
from liestonet.trajectories.arrays import real_array
from liestonet.trajectories.gaps import place_in
from liestonet.trajectories.measurement import slope_of

if TYPE_CHECKING:
    from liestonet.trajectories.trajectories import Trajectories

OVERLAP = "The windows overlap, so increments count more than once: intervals are too narrow and p-values too small."


def gather(data: Trajectories, rows: np.ndarray, lengths: np.ndarray, *remarks: str) -> Trajectories:
    """Trajectories from chosen rows of the flat arrays, with `lengths` rows per path; empty paths are dropped."""
    offsets = np.concatenate([[0], np.cumsum(lengths[lengths > 0])])
    if len(offsets) < 2 or lengths.max() < 2:
        raise InputError("No path would keep two points, so no increment would be left; take away less.")
    return replace(
        data,
        flat_times=data.flat_times[rows],
        flat_states=data.flat_states[rows],
        offsets=offsets,
        remarks=(*data.remarks, *remarks),
    )


def ranges(starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """starts[0], starts[0] + 1, … for lengths[0] rows, then from starts[1] on, and so forth."""
    before = np.cumsum(lengths) - lengths
    return np.repeat(starts - before, lengths) + np.arange(int(lengths.sum()))


def windows(data: Trajectories, n: Any, stride: Any = None, restart: Any = False) -> Trajectories:
    """Cut each path into windows of n points that begin `stride` points apart, each with its own clock if wanted."""
    if not is_truth(restart):
        raise InputError(f"Whether windows restart the clock must be True or False, not {restart!r}.")
    n = whole_number(n, "The number of points in a window", 2)
    stride = n - 1 if stride is None else whole_number(stride, "The stride", 1)
    lengths = np.diff(data.offsets)
    counts = np.where(lengths >= n, (lengths - n) // stride + 1, 0)
    if not counts.any():
        raise InputError(f"A window of {n} points is longer than every path (at most {lengths.max()}); take fewer.")
    starts = np.repeat(data.offsets[:-1], counts) + stride * ranges(np.zeros_like(counts), counts)
    covered = np.where(counts > 0, (counts - 1) * stride + n, 0)
    remarks = [f"Cut into windows of {n} points that begin {stride} points apart."]
    left = int((lengths - covered).sum())
    if left:
        remarks.append(f"{left} points at the ends of paths filled no window and were left out.")
    if stride < n - 1:
        remarks.append(OVERLAP)
    if restart:
        remarks.append("The clock begins at 0 in every window: the law is taken not to depend on the date.")
    sizes = np.full(len(starts), n)
    cut = gather(data, ranges(starts, sizes), sizes, *remarks)
    return replace(cut, flat_times=cut.flat_times - np.repeat(data.flat_times[starts], n)) if restart else cut


def thin(data: Trajectories, k: Any) -> Trajectories:
    """Keep every k-th point of each path, beginning with its first."""
    k = whole_number(k, "The number k, of which every k-th point is kept,", 1)
    lengths = -(-np.diff(data.offsets) // k)
    within = k * ranges(np.zeros_like(lengths), lengths)
    kept = gather(data, np.repeat(data.offsets[:-1], lengths) + within, lengths, f"Every {k}-th point was kept.")
    return replace(kept, measurement=data.measurement.over(k))


def take(data: Trajectories, indices: Any) -> Trajectories:
    """The paths with these indices, in this order."""
    chosen = np.asarray(indices)
    if chosen.dtype.kind not in "iu" or chosen.ndim != 1 or not chosen.size:
        raise InputError("The paths to take must be a list of whole numbers such as [0, 3].")
    wrong = chosen[(chosen < 0) | (chosen >= len(data))]
    if wrong.size:
        raise InputError(f"There is no path {wrong[0]}; paths are counted from 0 to {len(data) - 1}.")
    lengths = np.diff(data.offsets)[chosen]
    return gather(data, ranges(data.offsets[chosen], lengths), lengths)


def split_paths(data: Trajectories, fraction: Any, seed: Any) -> tuple[Trajectories, Trajectories]:
    """A random part of the paths, and the rest, both in their original order."""
    if not 0 < real_number(fraction, "The fraction") < 1:
        raise InputError(f"The fraction must lie between 0 and 1, not {fraction!r}.")
    if len(data) < 2:
        raise InputError("A single path cannot be split by path; cut it into windows first: data.windows(n).")
    count = min(max(round(fraction * len(data)), 1), len(data) - 1)
    order = np.random.default_rng(whole_number(seed, "The seed", 0)).permutation(len(data))
    return take(data, np.sort(order[:count])), take(data, np.sort(order[count:]))


def transform(data: Trajectories, functions: Mapping[str, Any]) -> Trajectories:
    """Replace coordinates by functions of themselves."""
    if not functions:
        raise InputError("No coordinate to transform was named; write, for example, transform(x=np.log).")
    states, names, units = data.flat_states.copy(), list(data.names), dict(data.units)
    periodic = {name: period for name, period in data.periodic.items() if name not in functions}
    remarks, slopes = [], {}
    for name, given in functions.items():
        if name not in data.names:
            raise InputError(f"There is no coordinate {name!r} to transform; there are {', '.join(data.names)}.")
        index = data.names.index(name)
        new_name, function = _named_function(name, given)
        states[:, index] = _applied(function, data, index)
        slopes[name] = new_name, slope_of(data.flat_states[:, index], states[:, index])
        names[index] = new_name
        units.pop(name, None)
        remarks.append(f"The coordinate {name} was transformed to {new_name}.")
    return replace(
        data,
        flat_states=states,
        names=tuple(names),
        units=units,
        remarks=(*data.remarks, *remarks),
        measurement=data.measurement.transformed(slopes, data.names),
        periodic=periodic,
    )


def _named_function(name: str, given: Any) -> tuple[str, Callable[[np.ndarray], Any]]:
    """The new coordinate's name and its function: `np.log` of x gives log_x; a pair gives the name itself."""
    if isinstance(given, Sequence) and len(given) == 2 and isinstance(given[0], str) and callable(given[1]):
        return given[0], given[1]
    if not callable(given):
        raise InputError(
            f"The transform of {name} must be a function such as np.log, or a pair such as ('log_{name}', np.log)."
        )
    own = getattr(given, "__name__", "")
    return (f"{own}_{name}" if own.isidentifier() else name), given


def _applied(function: Callable[[np.ndarray], Any], data: Trajectories, index: int) -> np.ndarray:
    """The function of one coordinate; an error where it is not finite."""
    name, column = data.names[index], data.flat_states[:, index]
    with np.errstate(all="ignore"):
        values = real_array(function(column.copy()), f"The transformed values of {name}")
    if values.shape != column.shape:
        raise InputError(
            f"The transform of {name} gave shape {values.shape} for {column.shape}; it must act on each value."
        )
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        raise InputError(
            f"{place_in(data.offsets)(int(bad[0]))}: the transform of {name} = {column[bad[0]]:.6g} is "
            f"{values[bad[0]]}; leave such points out, or choose a function that is finite on all of them."
        )
    return values


def whole_number(value: object, what: str, least: int) -> int:
    """Require an integer that is not too small."""
    if not is_whole(value) or value < least:
        raise InputError(f"{what} must be a whole number, at least {least}, not {value!r}.")
    return int(value)


def real_number(value: object, what: str) -> float:
    """Require a finite number."""
    if not is_real(value) or not np.isfinite(value):
        raise InputError(f"{what} must be a number, not {value!r}.")
    return float(value)
