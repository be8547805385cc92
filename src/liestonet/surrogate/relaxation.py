"""How fast a recording forgets its state: the rates of a linear drift fitted to its increments.

Δx = (m + Mx)Δt + noise is solved with the value before, x_{n−1}, as instrument, so that independent errors of the
recorded values cause no bias. The fit is repeated within parts of the recording, each with a level m of its own: a slow
force changes the level, and this is not a rate of the state. See docs/method.md §4.6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from liestonet.core.tuning import by_dimension
from liestonet.surrogate.tuning import CLOCK
from liestonet.surrogate.unusable_columns import is_function_of_time
from liestonet.trajectories.increments import Increments, IncrementSource


@dataclass(frozen=True)
class RecordedTimes:
    """The times of a recording, from its beginning: its dates, its steps, and the rate of its state.

    `total` is the recorded time of all paths together, `paths` their number, `rate` the largest modulus among the
    eigenvalues of M, zero where there is none, `dimension` the number of coordinates. `dated` are coordinates that are
    a function of the date, such as a column of frames, found where the recording is long.
    """

    first: float
    last: float
    total: float
    paths: int
    step: float
    rate: float
    dimension: int = 1
    dated: tuple[str, ...] = ()

    @property
    def relaxations(self) -> float:
        """Number of relaxation times that the dates cover."""
        return (self.last - self.first) * self.rate

    @property
    def long(self) -> bool:
        """Whether paths are long and cover many relaxation times."""
        enough = self.total * self.rate >= CLOCK.least_path * self.paths
        return enough and self.relaxations >= CLOCK.many_relaxations

    @property
    def shared(self) -> bool:
        """Whether enough paths run at the same dates to fit a law that depends on them."""
        return self.total > CLOCK.few_paths * (self.last - self.first)

    @property
    def window(self) -> float:
        """Length of the windows in which the clock restarts, from the recording's own times."""
        longest = (self.last - self.first) / CLOCK.least_windows
        if self.rate <= 0:
            return longest
        precision = by_dimension(CLOCK.precision, self.dimension)
        lasting = float(np.clip(np.sqrt(self.total * self.rate) / precision, *CLOCK.window)) / self.rate
        return min(max(lasting, CLOCK.least_steps * self.step), longest)


def recorded_times(source: IncrementSource, together: bool = False) -> RecordedTimes:
    """Find the times of a source from its beginning; all of it is read where it is not very long.

    The rate that a path without relaxation would show by chance is subtracted: for one path over all dates, or for all
    of them `together`.
    """
    blocks: list[Increments] = []
    for block in source.chunks():
        blocks.append(block)
        if sum(len(block.t) for block in blocks) >= CLOCK.looked_at:
            break
    if not blocks:
        return RecordedTimes(0.0, 0.0, 0.0, 1, 0.0, 0.0)
    seen = _on_circles(Increments(*(np.concatenate(arrays) for arrays in zip(*blocks, strict=True))), source)
    paths = int(np.count_nonzero(np.diff(seen.trajectory))) + 1
    first, last = float(seen.t.min()), float((seen.t + seen.dt).max())
    total, step = float(seen.dt.sum()), float(np.median(seen.dt))
    rate = _rate(seen, last - first, total if together else last - first)
    times = RecordedTimes(first, last, total, paths, step, rate, source.dimension)
    return replace(times, dated=_dated(blocks, source)) if times.long else times


def _dated(blocks: Sequence[Increments], source: IncrementSource) -> tuple[str, ...]:
    """Coordinates that move and are a function of the recorded time."""
    t, x = (np.concatenate([getattr(block, part) for block in blocks]) for part in ("t", "x"))
    found = zip(source.names, x.T, strict=True)
    return tuple(
        name for name, values in found
        if name not in source.periodic and np.ptp(values) > 0 and is_function_of_time(t, values)
    )  # fmt: skip


def _on_circles(seen: Increments, source: IncrementSource) -> Increments:
    """Increments with each angle replaced by its cosine and sine: the angle itself jumps at the end of a turn."""
    x, dx = [], []
    for name, begin, step in zip(source.names, seen.x.T, seen.dx.T, strict=True):
        if name not in source.periodic:
            x.append(begin)
            dx.append(step)
            continue
        start, end = (2 * np.pi / source.periodic[name] * values for values in (begin, begin + step))
        x += [np.cos(start), np.sin(start)]
        dx += [np.cos(end) - np.cos(start), np.sin(end) - np.sin(start)]
    return seen._replace(x=np.stack(x, axis=1), dx=np.stack(dx, axis=1)) if source.periodic else seen


def _rate(seen: Increments, span: float, watched: float) -> float:
    """The fastest rate, over all and within parts, less the rate that chance shows without relaxation."""
    spread = seen.x.std(axis=0)
    kept = spread > 0
    followed = np.flatnonzero(np.diff(seen.trajectory) == 0) + 1
    if not kept.any() or len(followed) < CLOCK.least_pairs or span <= 0:
        return 0.0
    x = (seen.x[:, kept] - seen.x[:, kept].mean(axis=0)) / spread[kept]
    dx = seen.dx[:, kept] / spread[kept]
    rates = [0.0]
    for parts in CLOCK.parts:
        part = np.minimum((parts * ((seen.t - seen.t.min()) / span)).astype(np.int64), parts - 1)[followed]
        found = _linear_drift(x[followed - 1], x[followed], seen.dt[followed], dx[followed], part)
        chance = CLOCK.chance_rate * x.shape[1] * parts / watched
        rates.append(float(np.abs(np.linalg.eigvals(found)).max()) - chance)
    return min(max(rates), 1 / float(np.median(seen.dt)))


def _linear_drift(
    before: Float[np.ndarray, "b n"],
    x: Float[np.ndarray, "b n"],
    dt: Float[np.ndarray, " b"],
    dx: Float[np.ndarray, "b n"],
    part: np.ndarray,
) -> Float[np.ndarray, "n n"]:
    """M, with a level m for every part: moments with the instrument, less those of the levels."""
    parts = int(part.max()) + 1

    def summed(values: np.ndarray) -> np.ndarray:
        return np.stack([np.bincount(part, weights=column, minlength=parts) for column in values.T], axis=1)

    time = np.maximum(np.bincount(part, weights=dt, minlength=parts), np.finfo(float).tiny)[:, None]
    levels = summed(before * dt[:, None])
    moved = before.T @ dx - levels.T @ (summed(dx) / time)
    gram = before.T @ (x * dt[:, None]) - levels.T @ (summed(x * dt[:, None]) / time)
    return np.linalg.lstsq(gram, moved, rcond=None)[0].T
