"""Paths (t, x) in flat storage with offsets, so that many short paths are as fast as one long path.

All input is converted to float64 and checked here, once; errors name trajectory and row.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float, Int

from liestonet.core.periods import checked_periods
from liestonet.trajectories import reshaping
from liestonet.trajectories.arrays import flatten, real_array
from liestonet.trajectories.checks import (
    check_lengths,
    check_names,
    check_storage,
    check_units,
    check_values,
    names_and_units,
)
from liestonet.trajectories.dates import arrays_in_seconds
from liestonet.trajectories.degrade import degraded
from liestonet.trajectories.gaps import Gaps, check_gap, place_in, split_at_gaps
from liestonet.trajectories.increments import BLOCK_ROWS, Increments, blocks_of, increments_of
from liestonet.trajectories.measurement import Measurement, as_measurement
from liestonet.trajectories.summary import Summary, notes_of, one_line, summarise
from liestonet.trajectories.unwrapping import unwrap, wrap_increments

if TYPE_CHECKING:
    from liestonet.trajectories.augmented import Augmented
    from liestonet.trajectories.scan import TrajectoryFiles

FilePath = str | os.PathLike[str]


@dataclass(frozen=True, eq=False, repr=False)
class Trajectories:
    """K paths in d coordinates, read-only; path k is rows `offsets[k]` to `offsets[k + 1]` of the arrays.

    Users make one with `read`, `from_dataframe` or `from_arrays`, where rows that are not finite split a path.
    The constructor is for code that already has flat arrays to give away: it does not copy, and refuses such
    rows. `units` are labels by coordinate and for the time by "t"; `remarks` say what was done to the data;
    `measurement` says how they were recorded, as far as it is known. `periodic` are periods of angles and phases by
    coordinate; their states are unwrapped, so that no step crosses the end of a turn, and increments begin inside the
    turn from 0 to the period.
    """

    flat_times: Float[np.ndarray, " n"]
    flat_states: Float[np.ndarray, "n d"]
    offsets: Int[np.ndarray, " k_plus_1"]
    names: tuple[str, ...]
    units: Mapping[str, str] = field(default_factory=dict)
    gaps: Gaps = field(default_factory=Gaps)
    remarks: tuple[str, ...] = ()
    measurement: Measurement = field(default_factory=Measurement)
    periodic: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        fixed = {
            "flat_times": _read_only(real_array(self.flat_times, "flat_times")),
            "flat_states": _read_only(real_array(self.flat_states, "flat_states")),
            "offsets": _read_only(np.asarray(self.offsets, dtype=np.int64)),
            "names": tuple(self.names),
            "units": MappingProxyType(dict(self.units)),
            "periodic": checked_periods(self.periodic, tuple(self.names)),
        }
        for name, value in fixed.items():
            object.__setattr__(self, name, value)
        check_storage(self.flat_times, self.flat_states, self.offsets)
        check_names(self.names, self.flat_states.shape[1])
        check_units(self.units, self.names)
        as_measurement(self.measurement).check_names(self.names)
        check_values(self.flat_times, self.flat_states, self.offsets, self.names)

    @classmethod
    def from_arrays(
        cls,
        times: Any,
        states: Any,
        names: Iterable[str] | Any = None,
        *,
        units: Mapping[str, str] | Any = None,
        gap: float | Any = None,
        measurement: Measurement | Any = None,
        periodic: Mapping[str, float] | Any = None,
    ) -> Trajectories:
        """Make trajectories from arrays or lists, which are copied.

        `times` is (N,) shared by all paths, (K, N), or a list of (n_k,); `states` is (K, N, d) or a list of (n_k, d). A
        single path is `[times], [states]`, or states of shape (1, N, d). Within a path times increase strictly; steps
        and lengths of paths are arbitrary. Points that are not finite split a path, and so does a step longer than
        `gap`; both are counted in `data.notes`. `names` are the coordinates' names, which may hold a unit, as in "x
        [um]"; without them x, or x, y, or x, y, z, or x1 … xd. `units` are by coordinate, and by "t" for the time.
        NumPy dates become seconds since the first. `measurement` says how points were recorded: see `Measurement`.
        `periodic` gives the periods of angles and phases, as in {"theta": 2 * math.pi}, whose values may be wrapped or
        not.
        """
        recorded = as_measurement(measurement)
        times, seconds, remarks = arrays_in_seconds(times)
        flat_times, flat_states, offsets = flatten(times, states)
        check_lengths(offsets)
        plain, labels = names_and_units(names, units, flat_states.shape[1])
        longest = check_gap(gap)
        parts = split_at_gaps(flat_times, flat_states, offsets, longest, plain, place_in(offsets))
        return cls(*parts[:3], plain, labels | seconds, parts[3], remarks, recorded).with_periods(periodic)

    @classmethod
    def from_dataframe(
        cls,
        table: Any,
        time: str | Any = None,
        trajectory: str | Any = None,
        state: str | Iterable[str] | Any = None,
        *,
        sort: bool = False,
        gap: float | Any = None,
        dt: float | Any = None,
        measurement: Measurement | Any = None,
        periodic: Mapping[str, float] | Any = None,
    ) -> Trajectories:
        """Make trajectories from a long table by the names of its columns: pandas, polars, pyarrow or a dict.

        See `read` for the meaning of the arguments.
        """
        from liestonet.trajectories.long_tables import from_table
        from liestonet.trajectories.wanted import Wanted

        wanted = Wanted(time, trajectory, state, sort, gap, dt, measurement=measurement, periodic=periodic).check()
        return from_table(table, wanted).with_periods(periodic)

    @classmethod
    def read(
        cls,
        path: FilePath | Any,
        time: str | Any = None,
        trajectory: str | Any = None,
        state: str | Iterable[str] | Any = None,
        *,
        sort: bool = False,
        gap: float | Any = None,
        dt: float | Any = None,
        columns: Iterable[str] | Any = None,
        layout: str | Any = "auto",
        delimiter: str | Any = None,
        decimal: str | Any = None,
        measurement: Measurement | Any = None,
        periodic: Mapping[str, float] | Any = None,
    ) -> Trajectories:
        """Read a file of text (.csv, .txt, .dat, .tsv, also with .gz), .parquet, .npz, .npy, .h5, .nc or .mat.

        `time` and `state` name columns, `trajectory` the column whose labels, text or numbers, distinguish the paths;
        rows of a path need not be together. A file that `write` made needs no names. In others, columns that are not
        named are found by name (t or time, the other numeric columns) or by value where that is safe, and `data.notes`
        lists them; where neither is clear, an error asks for them. `dt` is the time between rows if no column has the
        times; with a `time` that counts frames, it is the time of one frame. `columns` names the columns of a file
        without names (else c1, c2, …). `layout` is "long" (one row per time, coordinates in columns), "columns" or
        "rows" (one path in each). `delimiter` (",", ";", "tab", "space") and `decimal` override what inspection finds.

        A header may give units, as in "x [um]". Dates and times of day are converted to seconds since the first. Rows
        that are not finite split a path, and so does a step longer than `gap`. Times must increase in each path,
        or decrease in all; `sort=True` sorts them. `measurement` says how points were recorded, if the file
        does not. `periodic` gives the periods of angles and phases, as in {"theta": 2 * math.pi}, in place of
        those that `write` kept in the file.
        """
        from liestonet.trajectories.readers import read_trajectories
        from liestonet.trajectories.wanted import Wanted

        roles = (time, trajectory, state, sort, gap, dt)
        wanted = Wanted(*roles, columns, layout, delimiter, decimal, measurement, periodic)
        return read_trajectories(path, wanted).with_periods(periodic)

    @classmethod
    def scan(
        cls,
        pattern: FilePath | Iterable[FilePath] | Any,
        time: str | Any = None,
        trajectory: str | Any = None,
        state: str | Iterable[str] | Any = None,
        *,
        continued: bool = False,
        own_clock: bool = False,
        own_errors: bool | Any = False,
        sort: bool = False,
        gap: float | Any = None,
        dt: float | Any = None,
        columns: Iterable[str] | Any = None,
        layout: str | Any = "auto",
        delimiter: str | Any = None,
        decimal: str | Any = None,
        measurement: Measurement | Any = None,
        periodic: Mapping[str, float] | Any = None,
    ) -> TrajectoryFiles | Any:
        """Many files, or files larger than memory, as one source that is read piece by piece.

        `pattern` is a glob such as "runs/*.parquet", a folder with all its subfolders, one file, or a list of these;
        files are taken in the order of their names, those of a list in its order. `discover`, `fit`, `test` and
        `validate` take the source as they take trajectories; its increments come block by block, by `chunks()`.

        The other arguments are as in `read`. Coordinates, units, periods and marks must agree between files. Every file
        has paths of its own, whatever their labels; `continued=True` lets a path go on in the next file where that
        begins with the same label (or where there are no labels). `own_clock=True` counts the times of every file from
        its first row, for recordings of one system that were made one after another. `own_errors=True` estimates errors
        of the points and exposure for each file, where they are estimated. `trajectory` may be the key of folders such
        as "run=7". Parquet is read a few rows at a time and must be sorted by path and time; of other
        formats, and with `sort`, `dt` or `columns`, one file at a time is in memory. Every step of a `periodic`
        coordinate is taken as the shortest one that leads to its end point.
        """
        from liestonet.trajectories.scan import scan_files
        from liestonet.trajectories.wanted import Wanted

        roles = (time, trajectory, state, sort, gap, dt)
        wanted = Wanted(*roles, columns, layout, delimiter, decimal, measurement, periodic)
        return scan_files(pattern, wanted, continued, own_clock, own_errors)

    @property
    def dimension(self) -> int:
        """Number of coordinates d."""
        return self.flat_states.shape[1]

    @property
    def points(self) -> int:
        """Number of points of all paths together."""
        return len(self.flat_times)

    @property
    def increments_count(self) -> int:
        """Number of increments of all paths together."""
        return self.points - len(self)

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

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Remarks on the data: gaps, guesses, constant coordinates, changes made to the data."""
        return notes_of(self)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the numbers, offsets and names: the same data have the same digest."""
        found = hashlib.sha256()
        for array in (self.flat_times, self.flat_states):
            found.update(array.astype("<f8", copy=False).data)
        found.update(self.offsets.astype("<i8", copy=False).data)
        found.update("\0".join(self.names).encode())
        if self.periodic:
            found.update(repr(sorted(self.periodic.items())).encode())
        return found.hexdigest()

    def summary(self) -> Summary:
        """Counts, steps, ranges, gaps and notes; `print(data.summary())` shows them as a small table."""
        return summarise(self)

    def increments(self) -> Increments:
        """All increments at once: t, x, dt, dx and the trajectory each belongs to."""
        found = increments_of(self.flat_times, self.flat_states, self.offsets)
        return wrap_increments(found, self.names, self.periodic)

    def chunks(self, rows: int | Any = BLOCK_ROWS) -> Iterator[Increments]:
        """The increments in blocks of at most `rows`, which need little additional memory."""
        size = reshaping.whole_number(rows, "The number of rows in a block", 1)
        blocks = blocks_of(self.flat_times, self.flat_states, self.offsets, size)
        return (wrap_increments(block, self.names, self.periodic) for block in blocks)

    def with_periods(self, periodic: Mapping[str, float] | Any) -> Trajectories:
        """The data with periods of angles and phases: {"theta": 2 * math.pi}; values may be wrapped or not."""
        periods = checked_periods(periodic, self.names)
        if not periods:
            return self
        states, remarks = unwrap(self.flat_states, self.offsets, self.names, periods)
        every = dict(self.periodic) | dict(periods)
        return replace(self, flat_states=states, remarks=(*self.remarks, *remarks), periodic=every)

    def windows(self, n: int | Any, stride: int | Any = None, *, restart: bool | Any = False) -> Trajectories:
        """Cut each path into windows of n points that begin `stride` points apart.

        Without a stride the last point of a window is the first of the next (n - 1), so that every increment
        counts exactly once. `restart` sets the clock of every window to 0 at its first point: one long series
        becomes many paths over the same short time. That assumes that the law does not depend on the date,
        which the result cannot test.
        """
        return reshaping.windows(self, n, stride, restart)

    def thin(self, k: int | Any) -> Trajectories:
        """Keep every k-th point of each path."""
        return reshaping.thin(self, k)

    def take(self, indices: Any) -> Trajectories:
        """The paths with these indices, in this order."""
        return reshaping.take(self, indices)

    def split(self, fraction: float | Any, seed: int | Any = 0) -> tuple[Trajectories, Trajectories]:
        """A random fraction of the paths, and the others: to fit on, and to hold out."""
        return reshaping.split_paths(self, fraction, seed)

    def transform(self, **functions: Any) -> Trajectories:
        """Replace coordinates by functions of themselves: `transform(x=np.log)` has log_x in the place of x.

        A pair gives the name: `transform(x=("u", lambda x: x**2))`. Units of transformed coordinates are dropped.
        """
        return reshaping.transform(self, functions)

    def degrade(
        self,
        noise: float | Any = 0.0,
        *,
        relative: bool = False,
        drop: float | Any = 0.0,
        blur: int | Any = 1,
        keep: float | Any = 1.0,
        seed: int | Any = 0,
    ) -> Trajectories:
        """Degraded data for tests: a random part of the paths, blurred, noisy, frames dropped.

        `noise` is the standard deviation of an error added to each point: one number, one per coordinate, or a
        dictionary by name; with `relative` in units of each coordinate's root-mean-square increment. `drop` is the
        probability that a point is lost, `blur` the number of points whose mean becomes one point, `keep` the fraction
        of paths that are kept.
        """
        return degraded(self, noise, relative, drop, blur, keep, seed)

    def augmented(self, result: Any, copies: int | Any = 8, seed: int | Any = 0) -> Augmented:
        """These paths and `copies` of each, pushed by random elements of the symmetry group of a result.

        For learners that do not know the symmetry. A copy has its path's noise, so it is not a new observation: it
        stays in the cluster of its path (`clusters`), `split` keeps clusters together, and fit, discover, test and
        validate use `recorded`, the paths without copies. Copies have time steps of their own; those that leave the box
        are dropped whole.
        """
        from liestonet.validation.augmentation import augmented

        return augmented(self, result, copies, seed)

    def write(self, path: FilePath) -> None:
        """Write a .csv, .csv.gz, .parquet or .npz file, whole or not at all; numbers read back bit-equal.

        Tables are long: columns `trajectory` (0, 1, …), `t`, then the coordinates by name, with their units as
        in "x [um]". An .npz file holds the arrays `times` (N,), `states` (N, d), `offsets` (K + 1,), `names`
        and, if there are any, `units` (the time's first). All keep how the data were measured and the periods of
        angles.
        """
        from liestonet.trajectories.writers import write_trajectories

        write_trajectories(self, path)

    def __reduce__(self) -> tuple[Any, ...]:
        """Copying and pickling call the constructor, so copies are checked and read-only like the original."""
        arrays = (self.flat_times, self.flat_states, self.offsets)
        made = (*arrays, self.names, dict(self.units), self.gaps, self.remarks, self.measurement, dict(self.periodic))
        return type(self), made

    def __repr__(self) -> str:
        return one_line(self)


def _views(flat: np.ndarray, offsets: np.ndarray) -> list[np.ndarray]:
    ends = offsets.tolist()
    return [flat[first:last] for first, last in pairwise(ends)]


def _read_only(array: np.ndarray) -> np.ndarray:
    view = np.ascontiguousarray(array).view()
    view.flags.writeable = False
    return view
