"""A summary of the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from liestonet.trajectories.dates import look_like_dates
from liestonet.trajectories.gaps import Gaps

if TYPE_CHECKING:
    from liestonet.trajectories.trajectories import Trajectories


@dataclass(frozen=True)
class CoordinateSummary:
    """One coordinate's range."""

    name: str
    unit: str | None
    minimum: float
    maximum: float
    mean: float
    standard_deviation: float


@dataclass(frozen=True)
class Summary:
    """Counts, steps, ranges, gaps and notes of the data; `str(summary)` is a small table."""

    paths: int
    points: int
    increments: int
    path_points: tuple[int, int]  # shortest and longest
    start: float
    end: float
    duration: float  # of all increments together
    step: tuple[float, float, float]  # minimum, median, maximum
    time_unit: str | None
    coordinates: tuple[CoordinateSummary, ...]
    gaps: Gaps
    notes: tuple[str, ...]

    def __str__(self) -> str:
        unit = "" if self.time_unit is None else f" {self.time_unit}"
        smallest, median, largest = self.step
        steps = span(smallest, largest)
        if " to " in steps:
            steps += f", median {median:.6g}"
        rows = [
            ("paths", f"{self.paths:,} with {span(*self.path_points)} points each; {self.points:,} points in all"),
            ("increments", f"{self.increments:,}; total duration {self.duration:.6g}{unit}"),
            ("time", f"{span(self.start, self.end)}{unit}; step {steps}{unit}"),
            *((coordinate.name, _coordinate_text(coordinate)) for coordinate in self.coordinates),
            *(("note", note) for note in self.notes),
        ]
        width = max(len(label) for label, _ in rows)
        return "\n".join(f"{label:<{width}}  {text}" for label, text in rows)


def summarise(data: Trajectories) -> Summary:
    """Compute the summary in one pass over each array."""
    steps = steps_within_paths(data.flat_times, data.offsets)
    increments, duration, shortest, longest = len(steps), float(steps.sum()), float(steps.min()), float(steps.max())
    middle = float(np.median(steps, overwrite_input=True))
    del steps  # as large as the data's times
    lengths = np.diff(data.offsets)
    coordinates = tuple(
        CoordinateSummary(
            name,
            data.units.get(name),
            float(column.min()),
            float(column.max()),
            float(column.mean()),
            float(column.std()),
        )
        for name, column in zip(data.names, data.flat_states.T, strict=True)
    )
    return Summary(
        paths=len(data),
        points=data.points,
        increments=increments,
        path_points=(int(lengths.min()), int(lengths.max())),
        start=float(data.flat_times.min()),
        end=float(data.flat_times.max()),
        duration=duration,
        step=(shortest, middle, longest),
        time_unit=data.units.get("t"),
        coordinates=coordinates,
        gaps=data.gaps,
        notes=data.notes,
    )


def one_line(data: Trajectories) -> str:
    """The one-line representation of trajectories."""
    lengths = np.diff(data.offsets)
    steps = steps_within_paths(data.flat_times, data.offsets)
    ranges = [
        f"{name} {span(column.min(), column.max())}{_suffix(data.units.get(name))}"
        for name, column in zip(data.names, data.flat_states.T, strict=True)
    ]
    shown = ranges if len(ranges) <= 4 else [*ranges[:3], f"… {data.dimension} coordinates"]
    unit = _suffix(data.units.get("t"))
    return (
        f"Trajectories({len(data)} {'path' if len(data) == 1 else 'paths'} of "
        f"{span(lengths.min(), lengths.max())} points; "
        f"t {span(data.flat_times.min(), data.flat_times.max())}{unit}, "
        f"step {span(steps.min(), steps.max())}{unit}; {', '.join(shown)})"
    )


def notes_of(data: Trajectories) -> tuple[str, ...]:
    """Remarks on the data."""
    single = int(np.count_nonzero(np.diff(data.offsets) == 1))
    notes = [*data.remarks, *data.gaps.sentences()]
    if single:
        notes.append(f"{single} {'path has' if single == 1 else 'paths have'} one point only, hence no increment.")
    constant = [
        name for name, column in zip(data.names, data.flat_states.T, strict=True) if column.min() == column.max()
    ]
    if constant:
        what = "coordinate is" if len(constant) == 1 else "coordinates are"
        notes.append(f"The {what} constant: {', '.join(constant)}; leave constants out of the state.")
    if look_like_dates(data.flat_times):
        notes.append(
            f"Times such as {data.flat_times[0]:.0f} look like dates but were taken as plain numbers, so that "
            "months have 100 days; write them as 2024-01-31."
        )
    return tuple(notes)


def steps_within_paths(times: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """The time steps of all increments."""
    return np.delete(np.diff(times), offsets[1:-1] - 1)


def span(low: Any, high: Any) -> str:
    """A number, or two numbers with "to" between them."""
    low_text, high_text = f"{low:.6g}", f"{high:.6g}"
    return low_text if low_text == high_text else f"{low_text} to {high_text}"


def _coordinate_text(coordinate: CoordinateSummary) -> str:
    return (
        f"{span(coordinate.minimum, coordinate.maximum)}{_suffix(coordinate.unit)}; mean {coordinate.mean:.6g}, "
        f"standard deviation {coordinate.standard_deviation:.6g}"
    )


def _suffix(unit: str | None) -> str:
    return "" if unit is None else f" {unit}"
