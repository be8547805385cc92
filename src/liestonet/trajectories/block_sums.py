"""Sums over all increments of a source, block by block, in an order that does not depend on the number of processes.

Blocks are those of the rows of the whole source, whatever files they are in. Eight blocks make a leaf and are added one
after another; leaves are added in pairs, pairs in pairs, and so on. Every part of this tree gives the same numbers in
any process, so that one process and many agree to the last bit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self, TypeVar, runtime_checkable

from liestonet.trajectories.clock import Relabelled, on_clock
from liestonet.trajectories.increments import BLOCK_ROWS, Increments, IncrementSource

LEAF_BLOCKS = 8


@dataclass(frozen=True)
class Place:
    """The position of a block: increments before it, the path that its first row may continue, steps of that path."""

    increments: int = 0
    path: int = -1
    steps: int = 0

    def after(self, block: Increments) -> Place:
        """The position of the next block."""
        if not len(block.dt):
            return self
        path = int(block.trajectory[-1])
        steps = int((block.trajectory == path).sum())
        return Place(self.increments + len(block.dt), path, steps + (self.steps if path == self.path else 0))


@runtime_checkable
class BlockSum(Protocol):
    """A sum that takes blocks in their order, and joins with the sum over the blocks that come after.

    `rows` is the number of rows in a block. A sum that is sent to other processes consists of plain values and arrays.
    """

    rows: int

    def empty(self) -> Self:
        """An empty sum with the same settings."""
        ...

    def take(self, block: Increments, place: Place) -> None:
        """Add one block, which comes after all that were added before."""
        ...

    def join(self, later: Self) -> None:
        """Add the sum over the blocks that come next; that one is not used again."""
        ...


AnySum = TypeVar("AnySum", bound=BlockSum)


@runtime_checkable
class SumSource(Protocol):
    """A source that forms sums itself, such as files, possibly in several processes."""

    def summed(self, total: Any) -> Any:
        """The sum over all blocks."""
        ...

    def some_blocks(self, rows: int, every: int) -> Iterator[Increments]:
        """One block in `every`."""
        ...


def recordings_of(source: IncrementSource) -> tuple[IncrementSource, ...]:
    """The recordings of a source with errors of their own, each on its clock; the source itself where it is one."""
    if isinstance(source, Relabelled):
        return tuple(replace(source, source=part) for part in recordings_of(source.source))
    return getattr(source, "recordings", (source,))


def first_paths_of(source: IncrementSource) -> tuple[int, ...]:
    """The number of the first path of each recording, as blocks of the whole source count them."""
    if isinstance(source, Relabelled):
        return first_paths_of(source.source)
    return getattr(source, "first_paths", (0,))


def known_count(source: IncrementSource) -> int:
    """Number of increments of a source if it is known without reading the source; else 0."""
    return int(getattr(source.source if isinstance(source, Relabelled) else source, "increments_count", 0))


class Tree:
    """Adds sums over leaves, or over aligned parts of the tree, in the order of the tree."""

    def __init__(self) -> None:
        self.nodes: list[tuple[int, Any]] = []  # levels fall from left to right

    def push(self, node: Any, level: int = 0) -> None:
        """Add the next leaf, or the next part of 2^level leaves."""
        while self.nodes and self.nodes[-1][0] == level:
            earlier = self.nodes.pop()[1]
            earlier.join(node)
            node, level = earlier, level + 1
        self.nodes.append((level, node))

    def total(self) -> Any:
        """The sum of everything; None where nothing was pushed."""
        result = None
        while self.nodes:
            earlier = self.nodes.pop()[1]
            if result is not None:
                earlier.join(result)
            result = earlier
        return result


def summed(source: IncrementSource, total: AnySum) -> AnySum:
    """The sum over all increments of a source, with times on its clock."""
    if isinstance(source, Relabelled):
        return summed(source.source, OnClock(source.period, source.origin, total)).inner
    if isinstance(source, SumSource):
        return source.summed(total)
    tree, place = Tree(), Place()
    for leaf in _leaves(source.chunks(total.rows), LEAF_BLOCKS * BLOCK_ROWS // total.rows):
        node = total.empty()
        for block in leaf:
            node.take(block, place)
            place = place.after(block)
        tree.push(node)
    return tree.total() or total.empty()


def _leaves(blocks: Iterable[Increments], size: int) -> Iterable[Iterable[Increments]]:
    """The blocks in groups of `size`, read one after another."""
    waiting = iter(blocks)
    for first in waiting:
        yield _some(first, waiting, size)


def _some(first: Increments, waiting: Iterable[Increments], size: int) -> Iterable[Increments]:
    yield first
    for _, block in zip(range(size - 1), waiting, strict=False):
        yield block


class OnClock:
    """A sum over blocks whose times restart at 0 after every period."""

    def __init__(self, period: float, origin: float, inner: Any) -> None:
        self.period, self.origin, self.inner = period, origin, inner
        self.rows = inner.rows

    def empty(self) -> OnClock:
        """An empty sum with the same settings."""
        return OnClock(self.period, self.origin, self.inner.empty())

    def take(self, block: Increments, place: Place) -> None:
        """Add one block, with its times on the clock."""
        self.inner.take(on_clock(block, self.period, self.origin), place)

    def join(self, later: OnClock) -> None:
        """Add the sum over the blocks that come next."""
        self.inner.join(later.inner)


def some_blocks(source: IncrementSource, rows: int, every: int) -> Iterator[Increments]:
    """One block in `every`; the blocks between are not read where a source can skip them."""
    if isinstance(source, Relabelled):
        for block in some_blocks(source.source, rows, every):
            yield on_clock(block, source.period, source.origin)
    elif isinstance(source, SumSource):
        yield from source.some_blocks(rows, every)
    else:
        yield from (block for number, block in enumerate(source.chunks(rows)) if number % every == 0)


def times_of(source: IncrementSource) -> tuple[float, float]:
    """First and last time of all increments; reads through a source that does not know them."""
    known = getattr(source, "times_range", None)
    if known is not None:
        return known
    found = summed(source, _Times())
    return found.first, found.last


class _Times:
    """First and last time."""

    rows = BLOCK_ROWS

    def __init__(self) -> None:
        self.first, self.last = math.inf, -math.inf

    def empty(self) -> _Times:
        """An empty sum."""
        return _Times()

    def take(self, block: Increments, place: Place) -> None:
        """Add one block."""
        self.first = min(self.first, float(block.t.min()))
        self.last = max(self.last, float((block.t + block.dt).max()))

    def join(self, later: _Times) -> None:
        """Add the sum over the blocks that come next."""
        self.first, self.last = min(self.first, later.first), max(self.last, later.last)
