"""What one pass over the rows of files counts, leaf by leaf: increments, paths, gaps, labels, first and last time.

With these counts any part of the rows can be read on its own, with the path numbers of the whole.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from liestonet.errors import InputError
from liestonet.trajectories.block_sums import Place
from liestonet.trajectories.gaps import Gaps


@dataclass
class LeafCounts:
    """What the rows of one leaf hold.

    `fresh` counts the pieces that begin in it, as if no piece continued from before; `from_before` says that its first
    row may continue a piece, `goes_on` that its last piece continues after it. `tail` is the number of increments of
    its last piece; `whole` says that this is its only piece and begins with its first row. `head` and `last_path` say
    whether the path continued from before, and the one left open, had a finite row here; `lost` counts the paths
    between them that had none.
    """

    increments: int = 0
    fresh: int = 0
    from_before: bool = False
    goes_on: bool = False
    tail: int = 0
    whole: bool = False
    gaps: Gaps = field(default_factory=Gaps)
    head: bool = False
    begins: bool = False
    last_path: bool = False
    lost: int = 0
    labels: list[tuple[int, np.ndarray, Any]] = field(default_factory=list)  # by file: rows of paths that begin, labels
    first: float = np.inf
    last: float = -np.inf


@dataclass(frozen=True)
class Start:
    """Where a leaf begins: the counts before it."""

    increments: int = 0
    pieces: int = 0
    goes_on: bool = False
    steps: int = 0  # of the piece that goes on

    @property
    def place(self) -> Place:
        """The position for sums over blocks."""
        return Place(self.increments, self.pieces - 1, self.steps if self.goes_on else 0)

    def after(self, leaf: LeafCounts) -> Start:
        """What precedes the next leaf."""
        joined = self.goes_on and leaf.from_before
        steps = leaf.tail + (self.steps if joined and leaf.whole else 0)
        pieces = self.pieces + leaf.fresh - joined
        return Start(self.increments + leaf.increments, pieces, leaf.goes_on, steps if leaf.goes_on else 0)


@dataclass(frozen=True)
class Index:
    """What precedes every leaf, and the counts over all of them; `pieces` are the paths between gaps."""

    starts: tuple[Start, ...]
    increments: int
    pieces: int
    gaps: Gaps
    first: float
    last: float


def index_of(leaves: Iterable[LeafCounts], names: list[str], continued: bool) -> Index:
    """Add up the counts of leaves in their order; a path that reappears is an error."""
    start, starts, gaps, lost = Start(), [], Gaps(), 0
    seen, file_now, open_path = Seen(), -1, True  # `open_path`: the path that is open has had a finite row
    first, last = np.inf, -np.inf
    for leaf in leaves:
        starts.append(start)
        start, gaps = start.after(leaf), gaps + leaf.gaps
        first, last = min(first, leaf.first), max(last, leaf.last)
        finite = open_path or leaf.head
        if leaf.begins:
            lost += leaf.lost + (not finite)
            open_path = leaf.last_path
        else:
            open_path = finite
        for file, rows, labels in leaf.labels:
            if file != file_now and not continued:
                seen = Seen()
            file_now = file
            again = seen.add_all(labels.tolist() if isinstance(labels, np.ndarray) else labels)
            if again is not None:
                raise _comes_back(labels[again], int(rows[again]), names[file], continued)
    lost += not open_path
    return Index(tuple(starts), start.increments, start.pieces, gaps + Gaps(paths=lost), float(first), float(last))


def _comes_back(label: Any, row: int, name: str, continued: bool) -> InputError:
    shown = repr(label.item() if isinstance(label, np.generic) else label)
    where = f"Trajectory {shown} comes back in row {row} of the file {name!r} (counted from 0)"
    if continued:
        return InputError(
            f"{where}, after others; with continued=True the rows of a path must follow each other from file to file, "
            "so give the files in the order of time, or leave continued out."
        )
    return InputError(
        f"{where}; to be read piece by piece, a file must be sorted by trajectory and time (or give sort=True, which "
        "reads each file whole)."
    )


@dataclass
class Seen:
    """Labels of paths that have ended; runs of consecutive numbers are stored as intervals, text one by one."""

    words: set[Any] = field(default_factory=set)
    runs: list[tuple[int, int]] = field(default_factory=list)  # sorted, first and last

    def add_all(self, labels: list[Any]) -> int | None:
        """Store labels in their order; returns the index of the first that was there before, else None."""
        numbers = np.array(labels) if labels and isinstance(labels[0], int) else None
        last = self.runs[-1][1] if self.runs else -np.inf
        if numbers is not None and numbers.dtype.kind == "i" and labels[0] > last and (np.diff(numbers) == 1).all():
            first = self.runs.pop()[0] if labels[0] == last + 1 else labels[0]
            self.runs.append((first, labels[-1]))
            return None
        return next((place for place, label in enumerate(labels) if not self._add(label)), None)

    def _add(self, label: Any) -> bool:
        if not isinstance(label, int):
            fresh = label not in self.words
            self.words.add(label)
            return fresh
        after = bisect_left(self.runs, (label + 1, label))
        before = self.runs[after - 1] if after else None
        if before is not None and before[1] >= label:
            return False
        if before is not None and before[1] == label - 1:
            self.runs[after - 1] = (before[0], label)
        else:
            insort(self.runs, (label, label))
        return True
