"""Where a path breaks: at rows that are not finite and at steps that are too long; no increment crosses a gap."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

from liestonet.core.numbers import is_real
from liestonet.errors import InputError

# Squares and sums of squares of anything smaller stay finite.
LARGEST = 1e150


@dataclass(frozen=True)
class Gaps:
    """Counts of what broke paths when the data were read."""

    rows: int = 0  # rows that were not finite, and left out
    columns: tuple[tuple[str, int], ...] = ()  # of these, by column; a row may count in several
    paths: int = 0  # paths without a single finite row
    steps: int = 0  # steps longer than `gap`

    def __add__(self, other: Gaps) -> Gaps:
        counts = dict(self.columns)
        for name, count in other.columns:
            counts[name] = counts.get(name, 0) + count
        return Gaps(self.rows + other.rows, tuple(counts.items()), self.paths + other.paths, self.steps + other.steps)

    def sentences(self) -> list[str]:
        """Remarks for the user on what was left out or split."""
        found = []
        if self.rows:
            where = ", ".join(f"{count} in {name}" for name, count in self.columns)
            found.append(f"{_rows(self.rows)} not finite ({where}) and left out; paths are split there.")
        if self.paths:
            found.append(f"{self.paths} {'path' if self.paths == 1 else 'paths'} had no finite row: left out.")
        if self.steps:
            steps = "1 step was" if self.steps == 1 else f"{self.steps} steps were"
            found.append(f"{steps} longer than the gap that was asked for; paths are split there.")
        return found


@dataclass(frozen=True)
class Links:
    """The finite rows, and which of them continue a path without a gap."""

    kept: Int[np.ndarray, " m"] | None  # None: all of them
    linked: Bool[np.ndarray, " m_minus_1"]
    gaps: Gaps

    def apply(self, array: np.ndarray) -> np.ndarray:
        """The finite rows of an array; the array itself if all are finite."""
        return array if self.kept is None else array[self.kept]


def link(
    times: Float[np.ndarray, " n"],
    states: Float[np.ndarray, "n d"],
    starts: Bool[np.ndarray, " n"],
    gap: float | None,
    names: tuple[str, ...],
    place: Callable[[int], str],
) -> Links:
    """Check order and size of the rows of each path, and find where paths break.

    `starts` marks the first row of each path; `place` turns a row into words for an error.
    """
    kept, gaps = finite_rows(times, states, starts, names)
    where = place if kept is None else lambda row: place(int(kept[row]))
    t = times if kept is None else times[kept]
    x = states if kept is None else states[kept]
    check_size(t, x, names, where)
    same = ~starts[1:] if kept is None else np.diff(np.cumsum(starts)[kept]) == 0
    steps = np.diff(t)
    check_order(t, steps, same, where)
    linked = same if kept is None else same & (np.diff(kept) == 1)
    if gap is not None:
        long = linked & (steps > gap)
        linked, gaps = linked & ~long, gaps + Gaps(steps=int(np.count_nonzero(long)))
    return Links(kept, linked, gaps)


def finite_rows(
    times: np.ndarray, states: np.ndarray, starts: np.ndarray, names: tuple[str, ...]
) -> tuple[np.ndarray | None, Gaps]:
    """The rows that are finite (None: all of them), and counts of what the others break."""
    finite = np.isfinite(states)
    finite_times = np.isfinite(times)
    if finite.all() and finite_times.all():
        return None, Gaps()
    good = finite_times & finite.all(axis=1)
    counts = [("t", finite_times), *zip(names, finite.T, strict=True)]
    columns = tuple((name, int(len(column) - column.sum())) for name, column in counts if not column.all())
    path = np.cumsum(starts)
    lost = len(np.unique(path)) - len(np.unique(path[good]))
    return np.flatnonzero(good), Gaps(int(len(good) - good.sum()), columns, lost)


def check_size(times: np.ndarray, states: np.ndarray, names: tuple[str, ...], place: Callable[[int], str]) -> None:
    """Refuse finite numbers whose squares overflow."""
    if _extent(times) <= LARGEST and _extent(states) <= LARGEST:
        return
    for name, column in [("time", times), *zip(names, states.T, strict=True)]:
        bad = np.flatnonzero(np.abs(column) > LARGEST)
        if bad.size:
            raise InputError(
                f"{place(int(bad[0]))} has {name} = {column[bad[0]]:.6g}, whose square overflows; "
                "choose a larger unit for this column."
            )


def check_order(times: np.ndarray, steps: np.ndarray, same: np.ndarray, place: Callable[[int], str]) -> None:
    """Refuse times that do not increase strictly within a path."""
    bad = np.flatnonzero(same & (steps <= 0))
    if not bad.size:
        return
    first = int(bad[0])
    later, earlier = times[first + 1], times[first]
    if later == earlier:
        raise InputError(
            f"{place(first + 1)} has time {later:.17g} after {earlier:.17g}; times must increase strictly in a "
            "trajectory, so remove the duplicate, or name the trajectory column if these are several paths."
        )
    raise InputError(
        f"{place(first + 1)} has time {later:.17g} after {earlier:.17g}; times must increase strictly in a "
        "trajectory, so sort it (sort=True), or split it if it holds several paths."
    )


def check_gap(gap: Any) -> float | None:
    """The largest step that is not a gap; None where there is no limit."""
    if gap is None:
        return None
    if not is_real(gap) or not gap > 0:
        raise InputError(f"The gap must be a positive time such as 0.5, not {gap!r}.")
    return float(gap)


def split_at_gaps(
    times: Float[np.ndarray, " n"],
    states: Float[np.ndarray, "n d"],
    offsets: Int[np.ndarray, " k_plus_1"],
    gap: float | None,
    names: tuple[str, ...],
    place: Callable[[int], str],
) -> tuple[np.ndarray, np.ndarray, np.ndarray, Gaps]:
    """Flat storage split at its gaps: times, states, offsets and the counts of gaps."""
    starts = np.zeros(len(times), dtype=bool)
    starts[offsets[:-1]] = True
    links = link(times, states, starts, gap, names, place)
    breaks = np.flatnonzero(~links.linked) + 1
    count = len(times) if links.kept is None else len(links.kept)
    if not links.linked.any():
        raise InputError(
            f"No trajectory has two consecutive finite points{_first_missing(times, states, names, place)}, so there "
            "is no increment to learn from; give longer paths, or check which columns are time, trajectory and state."
        )
    new_offsets = np.concatenate([[0], breaks, [count]])
    return links.apply(times), links.apply(states), new_offsets, links.gaps


def _first_missing(times: np.ndarray, states: np.ndarray, names: tuple[str, ...], place: Callable[[int], str]) -> str:
    """The first row that is not finite, in brackets; empty if there is none."""
    columns = [("time", times), *zip(names, states.T, strict=True)]
    missing = [
        (int(np.argmax(~np.isfinite(column))), name) for name, column in columns if not np.isfinite(column).all()
    ]
    if not missing:
        return ""
    row, name = min(missing)
    value = dict(columns)[name][row]
    return f" ({place(row)} has {name} = {value})"


def place_in(offsets: np.ndarray) -> Callable[[int], str]:
    """The description of a row of flat storage in messages."""

    def words(row: int) -> str:
        index = int(np.searchsorted(offsets, row, side="right")) - 1
        return f"Trajectory {index}, row {row - int(offsets[index])}"

    return words


def _extent(array: np.ndarray) -> float:
    return max(float(array.max()), -float(array.min())) if array.size else 0.0


def _rows(count: int) -> str:
    return "1 row was" if count == 1 else f"{count} rows were"
