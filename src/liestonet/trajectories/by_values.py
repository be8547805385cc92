"""The time and the path labels of a table where names do not tell: a column that increases, or does so for each label.

Rules for people are in docs/data.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from liestonet.errors import Answer, InputError, UndecidedError
from liestonet.trajectories.columns import TRAJECTORY_NAMES, Columns, called, is_label_name, listed
from liestonet.trajectories.convert import decoded, is_numeric, is_stamp, is_text, numbers, stamps
from liestonet.trajectories.long_tables import ColumnTable
from liestonet.trajectories.tuning import READING
from liestonet.trajectories.wanted import Wanted
from liestonet.trajectories.wide_tables import PATH_WORDS

FRAME_NAMES = ("frame", "frames", "frame_number", "step", "count")
# Names that a column of path labels may have beside the usual ones; its values have to fit too.
LABEL_NAMES = (*TRAJECTORY_NAMES, "id", *PATH_WORDS, *(f"{word}_id" for word in PATH_WORDS), "label")


@dataclass(frozen=True)
class ByValue:
    time: str
    reason: str
    label: str | None = None
    unused: tuple[str, ...] = ()


def by_value(table: ColumnTable, wanted: Wanted) -> ByValue | None:
    """The time and the path labels of a table without meaningful names: see docs/data.md for the rules."""
    framed = _framed(table, wanted)
    if framed is not None or wanted.trajectory is not None:
        return framed
    first = [header for header in table.headers[:3] if is_numeric(table.kind(header))]
    dated = [header for header in table.headers[:3] if is_stamp(table.kind(header)) and _is_dates(table, header)]
    if dated:
        return ByValue(dated[0], f"time {dated[0]!r} (dates or times of day)")
    if not first or first[0] != table.headers[0]:
        return _labelled(table, first, table.headers[0]) if first else None
    values = numbers(table.column(first[0]), first[0])
    if _monotone(values) and not is_label_name(first[0]):
        counting = bool(np.all(np.diff(values) == 1))
        second = numbers(table.column(first[1]), first[1]) if len(first) > 1 else np.zeros(0)
        if counting and len(table.headers) > 2 and _monotone(second):
            return ByValue(first[1], f"time {first[1]!r} ({_how(second)})", unused=(first[0],))
        how = "counts rows; dt gives the time between two" if counting else _how(values)
        return ByValue(first[0], f"time {first[0]!r} ({how})")
    pairs = [(first[0], first[1]), (first[1], first[0])] if len(first) > 2 else []
    clocks = {header: numbers(table.column(header), header) for header in first[:2]}
    fitting = [(label, time) for label, time in pairs if _tells_apart(clocks[label], clocks[time])]
    if len(fitting) > 1:
        fitting = [_smoother(table, fitting)]
    return _labelled_time(fitting[0][1], fitting[0][0], clocks[fitting[0][1]]) if fitting else None


def _framed(table: ColumnTable, wanted: Wanted) -> ByValue | None:
    """The time and the path labels where a column is called a frame and one beside it a label, wherever they are."""
    frames = called(table.headers, FRAME_NAMES)
    if len(frames) != 1 or not is_numeric(table.kind(frames[0])):
        return None
    clock = numbers(table.column(frames[0]), frames[0])
    labels = _labels_of(table, clock, frames[0]) if wanted.trajectory is None else wanted.trajectory
    return None if labels is None else _labelled_time(frames[0], labels, clock)


def label_beside(table: ColumnTable, time: str) -> str | None:
    """The column of path labels with a less usual name, where times begin again and increase for each of its values."""
    if called(table.headers, TRAJECTORY_NAMES) or not called(table.headers, LABEL_NAMES):
        return None
    column = table.column(time)
    if is_numeric(column.type):
        clock = numbers(column, time)
    else:
        try:
            clock = stamps(column, time).seconds(None)
        except InputError:
            return None
    return None if len(clock) < 2 or (np.diff(clock) > 0).all() else _labels_of(table, clock, time)


def _labels_of(table: ColumnTable, clock: Float[np.ndarray, " n"], time: str) -> str | None:
    """The first column with a name for path labels for each of whose values the clock increases."""
    for name in LABEL_NAMES:
        for header in called(table.headers, (name,)):
            if header != time and table.headers.count(header) == 1:
                codes = _codes(table.column(header), header)
                if codes is not None and len(codes) == len(clock) and _tells_apart(codes, clock):
                    return header
    return None


def _codes(column: Any, header: str) -> Float[np.ndarray, " n"] | None:
    """Labels as numbers: their own, or one for each text; None where they can be neither."""
    if is_text(column.type) and not column.null_count:
        codes = decoded(column).dictionary_encode().indices.to_numpy(zero_copy_only=False)
        return np.asarray(codes, dtype=np.float64)
    return numbers(column, header) if is_numeric(column.type) else None


def _smoother(table: ColumnTable, pairs: list[tuple[str, str]]) -> tuple[str, str]:
    """Of two readings of labels and times that both fit, the one in which neighbours on a path are much closer."""
    used = {header for pair in pairs for header in pair}
    states = [numbers(table.column(header), header) for header in table.numeric() if header not in used]
    rough = []
    for label, time in pairs:
        labels, clock = (numbers(table.column(header), header) for header in (label, time))
        order = np.lexsort((clock, labels))
        within = np.diff(labels[order]) == 0
        steps = (np.diff(values[order])[within] ** 2 for values in states)
        rough.append(np.array([step[np.isfinite(step)].sum() for step in steps]))
    moving = (rough[0] > 0) & (rough[1] > 0)
    ratio = float(np.median(rough[1][moving] / rough[0][moving])) if moving.any() else 1.0
    if ratio > READING.rougher:
        return pairs[0]
    if ratio < 1 / READING.rougher:
        return pairs[1]
    answers = (
        Answer(f"trajectory={label!r}, time={time!r}", ("--trajectory", label, "--time", time)) for label, time in pairs
    )
    raise UndecidedError(f"{listed(pairs[0])} are path labels and times, or the other way round", *answers)


def seconds_of_counts(table: ColumnTable, columns: Columns, wanted: Wanted) -> str | None:
    """The one other column that is a constant times the counts found as time, and not a count itself.

    A column of the given state is never chosen.
    """
    others = columns.state
    if wanted.state is not None:
        others = tuple(name for name in table.numeric() if name not in columns.needed)
    if columns.trajectory is None or not (wanted.state is None) < len(others) <= READING.certainly_paths:
        return None
    counts = numbers(table.column(columns.clock), columns.clock)
    if not np.all(counts == np.rint(counts)):
        return None
    found = []
    for header in others:
        values = numbers(table.column(header), header)
        if len(values) != len(counts) or not np.isfinite(values).all() or np.ptp(values) == 0:
            continue
        slope, level = np.polynomial.Polynomial.fit(counts, values, 1).convert().coef[::-1]
        missed = np.abs(values - level - slope * counts).max()
        if slope > 0 and missed <= READING.even_spread * slope and np.any(values != np.rint(values)):
            found.append(header)
    return found[0] if len(found) == 1 else None


def _labelled_time(time: str, label: str, clock: np.ndarray) -> ByValue:
    whole = "; in counts, of which dt is the time" if np.all(clock == np.rint(clock)) else ""
    reason = f"time {time!r} (increases for each value of {label!r}{whole}), trajectory {label!r}"
    return ByValue(time, reason, label)


def _labelled(table: ColumnTable, numeric: list[str], label: str) -> ByValue | None:
    """The time and the path labels of a table with text in the first column and a time in the second for each label."""
    column = table.column(label)
    codes = _codes(column, label) if is_text(column.type) else None
    clock = numbers(table.column(numeric[0]), numeric[0])
    fits = codes is not None and _tells_apart(codes, clock)
    return _labelled_time(numeric[0], label, clock) if fits else None


def _is_dates(table: ColumnTable, header: str) -> bool:
    try:
        stamps(table.column(header), header)
    except InputError:
        return False
    return True


def _monotone(values: np.ndarray) -> bool:
    """Whether values increase, or all decrease, strictly and long enough to exclude chance."""
    if len(values) < READING.least_increasing or not np.isfinite(values).all():
        return False
    steps = np.diff(values)
    return bool((steps > 0).all() or (steps < 0).all())


def _how(values: np.ndarray) -> str:
    steps = np.abs(np.diff(values))
    even = steps.max() - steps.min() <= READING.even_spread * np.median(steps)
    word = "increases" if values[-1] > values[0] else "decreases"
    return f"{word} evenly" if even else f"{word} throughout"


def _tells_apart(labels: np.ndarray, times: np.ndarray) -> bool:
    """Whether whole numbers could be path labels: within each of them the times increase."""
    if len(labels) < READING.least_increasing or not (np.isfinite(labels).all() and np.isfinite(times).all()):
        return False
    if not np.all(labels == np.rint(labels)):
        return False
    found = len(np.unique(labels))
    if not 1 < found <= len(labels) / 3:
        return False
    order = np.argsort(labels, kind="stable")
    within = np.diff(labels[order]) == 0
    return bool((np.diff(times[order])[within] > 0).all())
