"""Blocks of increments from rows of files; each holds the increments that begin in a fixed number of rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from liestonet.trajectories.block_sums import LEAF_BLOCKS
from liestonet.trajectories.file_rows import FilePart, FileReader, Rows
from liestonet.trajectories.gaps import Links, finite_rows, link
from liestonet.trajectories.increments import BLOCK_ROWS, Increments, differences
from liestonet.trajectories.scan_index import LeafCounts, Start
from liestonet.trajectories.unwrapping import shortest_steps

LEAF_ROWS = LEAF_BLOCKS * BLOCK_ROWS


class _Window(NamedTuple):
    """The rows of one block and the row after them, which is there if `beyond`."""

    first: int
    t: np.ndarray
    x: np.ndarray
    starts: np.ndarray
    beyond: bool


@dataclass(frozen=True)
class RowBlocks:
    """Files as one sequence of rows, any part of which can be read; plain values that can be sent to other processes.

    Files that hold none of the requested rows may be left out.
    """

    files: tuple[FilePart, ...]
    reader: FileReader
    names: tuple[str, ...]
    rows: int
    gap: float | None = None
    periodic: Mapping[str, float] = field(default_factory=dict)
    leaf_rows: int = LEAF_ROWS

    @property
    def leaves(self) -> int:
        """Number of leaves of sums over all rows."""
        return -(-self.rows // self.leaf_rows)

    def only(self, first: int, last: int) -> RowBlocks:
        """The same files restricted to some leaves: those with their rows and with one row before and after."""
        low, high = first * self.leaf_rows - 1, last * self.leaf_rows + 1
        files = (file for file in self.files if file.end > low and file.begin < high)
        return replace(self, files=tuple(replace(file, path=file.path.absolute()) for file in files))

    def blocks(
        self, start: Start, first: int = 0, last: int | None = None, size: int = BLOCK_ROWS
    ) -> Iterator[tuple[int, Increments]]:
        """Blocks of `size` rows with their numbers, from the block `first` on; `start` describes what precedes it."""
        end = self.rows if last is None else min(last * size, self.rows)
        pieces, goes_on = start.pieces, start.goes_on
        for window in self._windows(first * size, end, size):
            links = self._linked(window)
            t, x = links.apply(window.t), links.apply(window.x)
            if not len(t):
                goes_on = False
                continue
            fresh = np.concatenate([[True], ~links.linked])
            if goes_on and (links.kept is None or links.kept[0] == 0):
                fresh[0] = False
            number = pieces - 1 + np.cumsum(fresh)
            begin = np.flatnonzero(links.linked)
            beyond = window.beyond and (links.kept is None or int(links.kept[-1]) == len(window.t) - 1)
            pieces += int(fresh.sum()) - int(beyond and fresh[-1])
            goes_on = beyond and len(links.linked) > 0 and bool(links.linked[-1])
            if len(begin):
                block = Increments(*differences(t, x, begin), number[begin])
                yield window.first // size, shortest_steps(block, self.names, self.periodic)

    def paths(self, chosen: Sequence[int] | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The finite rows, of all or of some blocks: times, states, and the offsets of the pieces between gaps."""
        times, states, fresh, goes_on, behind = [], [], [], False, 0
        for window in self._chosen(chosen):
            goes_on, behind = goes_on and window.first == behind, window.first + BLOCK_ROWS
            links = self._linked(window)
            own = len(window.t) - window.beyond
            kept = np.arange(len(window.t)) if links.kept is None else links.kept
            begins = np.concatenate([[True], ~links.linked])[: len(kept)]
            if goes_on and len(kept) and kept[0] == 0:
                begins[0] = False
            goes_on = bool(window.beyond and len(kept) and kept[-1] == own and not begins[-1])
            inside = kept < own
            times.append(window.t[kept[inside]])
            states.append(window.x[kept[inside]])
            fresh.append(begins[inside])
        t, x, begins = np.concatenate(times), np.concatenate(states), np.concatenate(fresh)
        return t, x, np.append(np.flatnonzero(begins), len(t))

    def _chosen(self, chosen: Sequence[int] | None) -> Iterator[_Window]:
        """The windows of some blocks, or of all."""
        if chosen is None:
            yield from self._windows(0, self.rows, BLOCK_ROWS)
            return
        for block in chosen:
            yield from self._windows(block * BLOCK_ROWS, min((block + 1) * BLOCK_ROWS, self.rows), BLOCK_ROWS)

    def counts(self, first: int, last: int) -> Iterator[LeafCounts]:
        """The counts of some leaves, one after another."""
        end = min(last * self.leaf_rows, self.rows)
        leaf, labels = LeafCounts(), list[tuple[int, np.ndarray, Any]]()
        for window in self._windows(first * self.leaf_rows, end, min(BLOCK_ROWS, self.leaf_rows), labels):
            self._count(leaf, window)
            behind = window.first + len(window.t) - window.beyond
            if behind % self.leaf_rows == 0 or behind == end:
                leaf.labels = labels[:]
                labels.clear()
                yield leaf
                leaf = LeafCounts()

    def _count(self, leaf: LeafCounts, window: _Window) -> None:
        own = len(window.t) - window.beyond
        good, gaps = finite_rows(window.t[:own], window.x[:own], window.starts[:own], self.names)
        links = self._linked(window)
        leaf.gaps += replace(gaps, paths=0, steps=links.gaps.steps)
        kept = np.arange(len(window.t)) if links.kept is None else links.kept
        t = links.apply(window.t)
        if len(t):
            fresh = np.concatenate([[True], ~links.linked])
            at_first = int(kept[0]) == 0
            beyond = window.beyond and int(kept[-1]) == len(window.t) - 1
            goes_on = beyond and len(links.linked) > 0 and bool(links.linked[-1])
            if window.first % self.leaf_rows == 0:
                leaf.from_before = at_first and not window.starts[0]
            elif leaf.goes_on and at_first:
                fresh[0] = False
            begun = int(fresh.sum()) - int(beyond and fresh[-1])
            steps = np.flatnonzero(~links.linked)
            tail = len(links.linked) - (int(steps[-1]) + 1 if len(steps) else 0)
            alone = begun == (1 if window.first % self.leaf_rows == 0 else 0) and goes_on
            leaf.tail = tail + (leaf.tail if begun == 0 and leaf.goes_on else 0)
            leaf.whole = alone and at_first and (leaf.whole or window.first % self.leaf_rows == 0)
            leaf.fresh += begun
            leaf.increments += int(links.linked.sum())
            leaf.goes_on = goes_on
            if links.linked.any():
                begin = np.flatnonzero(links.linked)
                leaf.first = min(leaf.first, float(t[begin].min()))
                leaf.last = max(leaf.last, float(t[begin + 1].max()))
        else:
            leaf.goes_on, leaf.whole = False, False
        self._lost(leaf, window.starts[:own], good)

    def _lost(self, leaf: LeafCounts, starts: np.ndarray, good: np.ndarray | None) -> None:
        """Count paths without a finite row that end in the window, and update the state of the open one."""
        rows = np.ones(len(starts), dtype=bool)
        if good is not None:
            rows[:] = False
            rows[good] = True
        places = np.flatnonzero(starts)
        if not len(places):
            if leaf.begins:
                leaf.last_path |= bool(rows.any())
            else:
                leaf.head |= bool(rows.any())
            return
        before = bool(rows[: places[0]].any())
        if leaf.begins:
            leaf.lost += not (leaf.last_path or before)
        else:
            leaf.head |= before
        finite = np.add.reduceat(rows, places) > 0
        leaf.begins, leaf.last_path = True, bool(finite[-1])
        leaf.lost += int(np.count_nonzero(~finite[:-1]))

    def _linked(self, window: _Window) -> Links:
        return link(
            window.t, window.x, window.starts, self.gap, self.names, lambda row: self._place(window.first + row)
        )

    def _place(self, row: int) -> str:
        """The description of a row in messages: its file, its number there, and its path."""
        file = next(file for file in self.files if file.begin <= row < file.end)
        where = f"row {row - file.begin} of the file {file.called!r} (counted from 0)"
        label = self.reader.label(file, row)
        return f"{where[0].upper()}{where[1:]}" if label is None else f"Trajectory {label!r}, {where}"

    def _windows(
        self, first: int, end: int, size: int, labels: list[tuple[int, np.ndarray, Any]] | None = None
    ) -> Iterator[_Window]:
        """A range of rows, `size` at a time with the one after them; labels are appended to the list."""
        last, before = min(end + 1, self.rows), 1 if first and labels is not None else 0
        waiting: list[Rows] = []
        held, begun = 0, first
        for rows in self.reader.rows(self.files, first - before, last, min(size, BLOCK_ROWS)):
            kept = _between(rows, first, last)  # the row before only says whether the first one begins a path
            if labels is not None and rows.labels is not None:
                own = rows.first + np.flatnonzero(rows.starts)
                named = [label for label, row in zip(rows.labels, own, strict=True) if first <= row < end]
                places = own[(own >= first) & (own < end)] - rows.file.begin
                labels.append((rows.file.number, places, np.array(named) if _whole_numbers(named) else named))
            waiting.append(kept)
            held += len(kept.t)
            while held > size:
                window, waiting = _cut(waiting, size)
                yield _Window(begun, *window, True)
                begun, held = begun + size, held - size
        if held and begun < end:
            yield _Window(begun, *_cut(waiting, held)[0], False)


def _between(rows: Rows, first: int, last: int) -> Rows:
    """The rows that lie in a range."""
    part = slice(max(first - rows.first, 0), max(last - rows.first, 0))
    return rows._replace(
        first=max(first, rows.first), t=rows.t[part], x=rows.x[part], starts=rows.starts[part], labels=None
    )


def _cut(waiting: list[Rows], size: int) -> tuple[tuple[np.ndarray, np.ndarray, np.ndarray], list[Rows]]:
    """The first `size` rows with the one after them, if there is one, and the remaining rows from that one on."""
    t, x, starts = (np.concatenate([getattr(rows, name) for rows in waiting]) for name in ("t", "x", "starts"))
    some = slice(0, size + 1)
    last = waiting[-1]
    rest = last._replace(t=t[size:], x=x[size:], starts=starts[size:])
    return (t[some], x[some], starts[some]), [rest]


def _whole_numbers(labels: list[Any]) -> bool:
    """Whether labels are integers that fit into an array."""
    return bool(labels) and all(type(label) is int and abs(label) < 2**62 for label in labels)
