"""Dates and durations as integer ticks, converted to seconds without loss; numbers that look like dates."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Float, Int

TICKS_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
EARLIEST = np.iinfo(np.int64).min


@dataclass(frozen=True)
class Stamps:
    """Dates or durations as integer ticks; missing ones are `EARLIEST`."""

    ticks: Int[np.ndarray, " n"]
    per_second: int
    is_date: bool
    of_day: bool = False  # times of day, which begin again at midnight
    remark: str = ""  # how dates were read, where that had to be chosen

    def seconds(self, first: int | None) -> Float[np.ndarray, " n"]:
        """Seconds since a tick; the difference is taken in integers, so nothing is lost."""
        missing = self.ticks == EARLIEST
        since = np.where(missing, 0, self.ticks - (first or 0)) / self.per_second
        since[missing] = np.nan
        return since

    @property
    def first(self) -> int | None:
        """The earliest tick; durations are counted from zero instead."""
        present = self.ticks[self.ticks != EARLIEST]
        return int(present.min()) if present.size and self.is_date else None

    def across_midnight(self, codes: Int[np.ndarray, " n"]) -> Stamps:
        """Times of day with a day added after every midnight, path by path; dates unchanged."""
        if not self.of_day:
            return self
        ticks, day, passed = self.ticks.copy(), 86_400 * self.per_second, 0
        order = np.argsort(codes, kind="stable")
        rows = order[ticks[order] != EARLIEST]
        fallen = (np.diff(ticks[rows]) < -day // 2) & (np.diff(codes[rows]) == 0)
        starts = np.flatnonzero(np.concatenate([[True], np.diff(codes[rows]) != 0])) if len(rows) else np.zeros(0, int)
        nights = np.concatenate([[0], np.cumsum(fallen)]) if len(rows) else np.zeros(0, int)
        nights -= np.repeat(nights[starts], np.diff(np.append(starts, len(rows))))
        ticks[rows] += day * nights
        passed = int(np.count_nonzero(fallen))
        often = {0: "", 1: "; midnight was passed once"}.get(passed, f"; midnight was passed {passed} times")
        present = ticks[ticks != EARLIEST]
        first = "" if not present.size else written_date(int(present.min()), self.per_second).partition("T")[2]
        return replace(self, ticks=ticks, remark=f"Times of day were converted to seconds since {first}{often}.")

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks on the conversion of dates."""
        first = self.first
        if self.of_day or first is None:
            return (self.remark,) if self.remark else ()
        since = f"Times are seconds since {written_date(first, self.per_second)}."
        return (f"{since} {self.remark}".strip(),)


def written_date(tick: int, per_second: int) -> str:
    """A tick since 1970 as an ISO date, without trailing zeros."""
    unit = next(unit for unit, ticks in TICKS_PER_SECOND.items() if ticks == per_second)
    date, dot, fraction = str(np.datetime_as_string(np.array(tick, dtype=f"M8[{unit}]"))).partition(".")
    return (date + dot + fraction.rstrip("0")).rstrip(".")


def arrays_in_seconds(times: Any) -> tuple[Any, dict[str, str], tuple[str, ...]]:
    """Times of `from_arrays` in seconds, with unit and remark, if they are dates or durations; others as given."""
    parts = list(times) if isinstance(times, list | tuple) else [times]
    kinds = [getattr(getattr(part, "dtype", None), "kind", "") for part in parts]
    if not parts or kinds[0] not in ("M", "m") or len(set(kinds)) > 1 or any(np.ma.is_masked(part) for part in parts):
        return times, {}, ()
    arrays = [_plain(part, kinds[0]) for part in parts]
    unit = np.datetime_data(np.result_type(*arrays))[0]
    unit = unit if unit in TICKS_PER_SECOND else "ns" if unit in ("ps", "fs", "as") else "s"
    ticks = [array.astype(f"{kinds[0]}8[{unit}]").astype(np.int64) for array in arrays]
    found = Stamps(np.concatenate([part.reshape(-1) for part in ticks]), TICKS_PER_SECOND[unit], kinds[0] == "M")
    ends = np.cumsum([part.size for part in ticks])[:-1]
    pieces = np.split(found.seconds(found.first), ends)
    shaped = [piece.reshape(part.shape) for piece, part in zip(pieces, ticks, strict=True)]
    # scalars in a list are one path's times, or those that all paths share
    shared = np.array(shaped) if all(array.ndim == 0 for array in arrays) else shaped
    return (shared if isinstance(times, list | tuple) else shaped[0]), {"t": "s"}, found.remarks


def _plain(part: Any, kind: str) -> np.ndarray:
    """A NumPy array of dates or durations; those with a time zone, which are objects to NumPy, in UTC."""
    array = np.asarray(part)
    return array if array.dtype.kind == kind else np.asarray(part, dtype=f"{kind}8[ns]")


def look_like_dates(times: Float[np.ndarray, " n"]) -> bool:
    """Whether all numbers read as YYYYMMDD, such as 20240131."""
    if not (len(times) > 1 and np.all((times >= 19000101) & (times <= 21001231)) and np.all(times == np.rint(times))):
        return False
    months, days = times // 100 % 100, times % 100
    return bool(np.all((months >= 1) & (months <= 12) & (days >= 1) & (days <= 31)))
