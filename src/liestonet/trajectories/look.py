"""A first look at data: rows, steps, ranges, a plot in characters, hints."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from liestonet.core.json_values import JSON
from liestonet.trajectories.columns import make_header
from liestonet.trajectories.summary import Summary, steps_within_paths
from liestonet.trajectories.tuning import LOOK
from liestonet.trajectories.unwrapping import TURNS, called_angle, turn_of

if TYPE_CHECKING:
    from liestonet.trajectories.trajectories import Trajectories

SHOWN_ROWS, SHOWN_PLOTS = 5, 3
WIDTH, HEIGHT = 64, 8
DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))  # of a Braille letter, by column and row


@dataclass(frozen=True)
class Steps:
    """Time steps: smallest, median and largest, and the fraction that differs visibly from the median."""

    smallest: float
    median: float
    largest: float
    uneven: float

    def __str__(self) -> str:
        if self.uneven == 0:
            return f"all {self.median:.6g}"
        share = f"{100 * self.uneven:.2g} % differ from the median"
        return f"{self.smallest:.6g} to {self.largest:.6g}, median {self.median:.6g}; {share}"


@dataclass(frozen=True)
class Look:
    """A first look at a file: the first rows, the steps, a summary, plots in characters and hints."""

    headers: tuple[str, ...]
    rows: tuple[tuple[float, ...], ...]
    steps: Steps
    summary: Summary
    plots: tuple[tuple[str, tuple[str, ...]], ...]
    hints: tuple[str, ...]

    def to_dictionary(self) -> dict[str, JSON]:
        """The look as plain values, without plots."""
        plain = asdict(self)
        plain.pop("plots")
        return plain


def look_at(data: Trajectories) -> Look:
    """Summarise data for a first look, with plots and hints."""
    labels = np.repeat(np.arange(len(data)), np.diff(data.offsets))[:SHOWN_ROWS]
    rows = zip(labels, data.flat_times, data.flat_states, strict=False)
    return Look(
        headers=("path", *(make_header(name, data.units.get(name)) for name in ("t", *data.names))),
        rows=tuple((float(label), float(t), *map(float, x)) for label, t, x in rows),
        steps=_steps(data),
        summary=data.summary(),
        plots=tuple(_plots(data)),
        hints=tuple(hint for look in HINTS for hint in look(data)),
    )


def _steps(data: Trajectories) -> Steps:
    steps = steps_within_paths(data.flat_times, data.offsets)
    median = float(np.median(steps))
    uneven = float(np.mean(np.abs(steps - median) > LOOK.uneven_step * median))
    return Steps(float(steps.min()), median, float(steps.max()), uneven)


def _plots(data: Trajectories) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Plots of the longest path, one per coordinate."""
    longest = int(np.argmax(np.diff(data.offsets)))
    times, states = data.times[longest], data.states[longest]
    for index, name in enumerate(data.names[:SHOWN_PLOTS]):
        yield f"{name} of path {longest}", plotted(times, states[:, index])


def plotted(times: np.ndarray, values: np.ndarray) -> tuple[str, ...]:
    """A path in Braille characters, its range at the left; where a column of dots has several points, their range."""
    low, high = float(values.min()), float(values.max())
    span, duration = (high - low) or 1.0, float(times[-1] - times[0]) or 1.0
    across = np.minimum((2 * WIDTH * ((times - times[0]) / duration)).astype(int), 2 * WIDTH - 1)
    up = np.minimum((4 * HEIGHT * ((values - low) / span)).astype(int), 4 * HEIGHT - 1)
    letters = np.zeros((HEIGHT, WIDTH), dtype=int)
    columns, starts = np.unique(across, return_index=True)
    lowest, highest = np.minimum.reduceat(up, starts), np.maximum.reduceat(up, starts)
    for column, bottom, top in zip(columns.tolist(), lowest.tolist(), highest.tolist(), strict=True):
        for level in range(bottom, top + 1):
            row = 4 * HEIGHT - 1 - level
            letters[row // 4, column // 2] |= DOTS[column % 2][row % 4]
    labels = {0: f"{high:.4g}", HEIGHT - 1: f"{low:.4g}"}
    width = max(map(len, labels.values()))
    lines = [
        f"{labels.get(row, ''):>{width}} │{''.join(chr(0x2800 + letter) for letter in letters[row].tolist())}"
        for row in range(HEIGHT)
    ]
    end = f"{float(times[-1]):.4g}"
    return (*lines, f"{'':>{width}} └{f'{float(times[0]):.4g}':<{WIDTH - len(end)}}{end}")


def angle_hints(data: Trajectories) -> Iterator[str]:
    """Hints on values that stay within one turn and jump across its ends, or that wind and are named like an angle."""
    same = np.ones(max(data.points - 1, 0), dtype=bool)
    same[data.offsets[1:-1] - 1] = False
    for name, values in zip(data.names, data.flat_states.T, strict=True):
        if name in data.periodic:
            continue
        steps = np.diff(values)[same]
        called = called_angle(name)
        turn = turn_of(values, steps)
        if turn is not None and (turn.jumps or called):
            yield f"Values of {name} stay within one turn and jump across it: --periodic {name}={turn.text}"
            continue
        wound = float(np.ptp(values))
        for text, period in TURNS.items():
            if called and wound > period * (1 if text == "2pi" else 2):
                if steps.size and float(np.median(np.abs(steps))) < period / 4:
                    turns = wound / period
                    yield f"Values of {name} wind through {turns:.3g} turns of {text}: --periodic {name}={text}"
                break


def length_hints(data: Trajectories) -> Iterator[str]:
    """A hint on few long paths, where the time since the start carries no information."""
    lengths = np.diff(data.offsets)
    if len(data) <= LOOK.few_paths and int(lengths.max()) >= LOOK.long_path:
        what = "One long path" if len(data) == 1 else "A few long paths"
        yield (
            f"{what}: discover restarts the clock in windows where a path covers many of its relaxation times, and "
            "says so."
        )
    if int(lengths.max()) < LOOK.short_path and len(data) < LOOK.few_paths * LOOK.short_path:
        yield f"There are {int((lengths - 1).sum())} increments only: expect wide intervals."


HINTS: tuple[Callable[[Trajectories], Iterator[str]], ...] = (angle_hints, length_hints)
