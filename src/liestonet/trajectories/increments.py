"""Increments (t, x, dt, dx) of paths, all at once or in blocks of bounded size: the input of every estimator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float, Int

from liestonet.trajectories.measurement import Measurement, Source

BLOCK_ROWS = 65_536


class Increments(NamedTuple):
    """One row per pair of consecutive points of a path: start, duration, displacement."""

    t: Float[np.ndarray, " m"]
    x: Float[np.ndarray, "m d"]
    dt: Float[np.ndarray, " m"]
    dx: Float[np.ndarray, "m d"]
    trajectory: Int[np.ndarray, " m"]


@runtime_checkable
class IncrementSource(Protocol):
    """Any source that yields its increments in blocks, as often as needed: data in memory or in a file."""

    @property
    def dimension(self) -> int:
        """Number of coordinates."""
        ...

    @property
    def names(self) -> tuple[str, ...]:
        """The coordinates' names."""
        ...

    @property
    def periodic(self) -> Mapping[str, float]:
        """Periods of angles and phases, by coordinate."""
        ...

    @property
    def measurement(self) -> Measurement:
        """How the points were recorded, as far as it is known."""
        ...

    def chunks(self, rows: int = BLOCK_ROWS) -> Iterator[Increments]:
        """All increments in order, in blocks of at most `rows`."""
        ...


def increments_of(times: np.ndarray, states: np.ndarray, offsets: np.ndarray) -> Increments:
    """All increments of flat storage; for a single path t and x are not copied."""
    lengths = np.diff(offsets)
    paths, longest = len(lengths), int(lengths.max())
    trajectory = np.repeat(np.arange(paths), lengths - 1)
    if longest == lengths.min():
        # Equal lengths: one subtraction of two views of the block, without an index per row.
        t, x = times.reshape(paths, longest), states.reshape(paths, longest, -1)
        dt, dx = t[:, 1:] - t[:, :-1], x[:, 1:] - x[:, :-1]
        begin_t, begin_x = t[:, :-1].reshape(-1), x[:, :-1].reshape(-1, states.shape[1])
        return Increments(begin_t, begin_x, dt.reshape(-1), dx.reshape(-1, states.shape[1]), trajectory)
    linked = np.ones(len(times) - 1, dtype=bool)
    linked[offsets[1:-1] - 1] = False
    begin = np.flatnonzero(linked)
    return Increments(*differences(times, states, begin), trajectory)


def blocks_of(times: np.ndarray, states: np.ndarray, offsets: np.ndarray, rows: int) -> Iterator[Increments]:
    """The increments in blocks; t and x are views wherever no path ends inside the block."""
    last = offsets[1:] - 1  # the rows that begin no increment
    for first in range(0, len(times) - 1, rows):
        end = min(first + rows, len(times) - 1)
        path = int(np.searchsorted(last, first))  # the path that holds the first row
        inner = last[path : int(np.searchsorted(last, end))]
        if inner.size:
            begin = np.delete(np.arange(first, end), inner - first)
            trajectory = np.searchsorted(last, begin)
            if begin.size:
                yield Increments(*differences(times, states, begin), trajectory)
            continue
        dt, dx = np.diff(times[first : end + 1]), np.diff(states[first : end + 1], axis=0)
        yield Increments(times[first:end], states[first:end], dt, dx, np.full(end - first, path))


def differences(
    times: np.ndarray, states: np.ndarray, begin: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Start, duration and displacement of the increments that begin at given rows."""
    t, x = np.take(times, begin), np.take(states, begin, axis=0)
    after = begin + 1
    dt, dx = np.take(times, after), np.take(states, after, axis=0)
    np.subtract(dt, t, out=dt)
    np.subtract(dx, x, out=dx)
    return t, x, dt, dx


def in_memory(data: Source) -> Source:
    """Paths in files, loaded as far as memory allows; other data unchanged."""
    read: Any = getattr(data, "some_paths", None)
    return data if read is None else read()
