"""One pass over the increments: how many there are, the box they cover, and an evenly spread sample of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from jaxtyping import Bool, Float, Int

from liestonet.core.domain import Domain
from liestonet.core.periods import by_position
from liestonet.errors import InputError
from liestonet.surrogate.outliers import Outlier, OutlierSearch
from liestonet.surrogate.tuning import DATA
from liestonet.surrogate.unusable_columns import refuse_degenerate
from liestonet.trajectories.block_sums import Place, known_count, summed
from liestonet.trajectories.increments import BLOCK_ROWS, Increments, IncrementSource


@dataclass(frozen=True)
class Overview:
    """The result of one pass over the data.

    `sample` holds every `stride`-th increment, if it begins inside the domain, `consecutive` the first ones in their
    order, and `pairs` those of its rows that are followed by the next step of the same path. `outlier` is the worst of
    the points that are too far off for a diffusion, if there are any.
    """

    domain: Domain
    names: tuple[str, ...]
    count: int
    sample: Increments
    stride: int
    consecutive: Increments
    pairs: Int[np.ndarray, " pairs"]
    outlier: Outlier | None = None

    @property
    def inside(self) -> int:
        """Number of increments that begin inside the domain, estimated from the sample."""
        return len(self.sample.t) * self.stride

    @property
    def points(self) -> Float[np.ndarray, "b v"]:
        """Starting points (t, x_1, …, x_n) of the sample."""
        return np.column_stack([self.sample.t, self.sample.x])


class _Looked:
    """The sums of one pass: times, every `stride`-th increment, the first block, and steps too long for a diffusion.

    The stride counts over all increments and doubles when the sample grows too long, so that the joined samples of
    parts equal the sample of the whole.
    """

    rows = BLOCK_ROWS

    def __init__(self, names: tuple[str, ...], stride: int, searching: bool) -> None:
        self.names, self.stride, self.searching = names, stride, searching
        self.sample: list[Increments] = []
        self.kept = 0  # rows of the sample
        self.begin, self.end = 0, 0  # increments before the first block, and with the last
        self.first, self.last = np.inf, -np.inf
        self.consecutive: Increments | None = None
        self.far = OutlierSearch(names)

    def empty(self) -> _Looked:
        """An empty overview with the same settings."""
        return _Looked(self.names, self.stride, self.searching)

    def take(self, block: Increments, place: Place) -> None:
        """Add one block."""
        if not self.end:
            self.begin = place.increments
        if not place.increments:
            self.consecutive = block
        if self.searching:
            self.far.look_at(block, place)
        rows = slice((-place.increments) % self.stride, None, self.stride)
        self._keep(Increments(*(array[rows].copy() for array in block)))  # a view would keep the whole block
        self.end = place.increments + len(block.t)
        self.first, self.last = min(self.first, block.t.min()), max(self.last, (block.t + block.dt).max())

    def join(self, later: _Looked) -> None:
        """Add the overview of the increments that come next."""
        if not later.end:
            return
        if not self.end:
            self.begin, self.consecutive = later.begin, later.consecutive
        self.far.join(later.far)
        while self.stride < later.stride:
            self._halve()
        while later.stride < self.stride:
            later._halve()
        for block in later.sample:
            self._keep(block)
        self.end = later.end
        self.first, self.last = min(self.first, later.first), max(self.last, later.last)

    def _keep(self, block: Increments) -> None:
        self.sample.append(block)
        self.kept += len(block.t)
        while self.kept > 2 * DATA.sample:
            self._halve()

    def _halve(self) -> None:
        """Keep every second row of the sample as a copy, to free the memory of the rest."""
        halves, passed = [], -(-self.begin // self.stride)
        while self.sample:
            block = self.sample.pop(0)
            halves.append(Increments(*(array[passed % 2 :: 2].copy() for array in block)))
            passed += len(block.t)
        self.sample, self.stride = halves, 2 * self.stride
        self.kept = sum(len(block.t) for block in halves)


def look_over(source: IncrementSource, domain: Domain | None = None) -> Overview:
    """Count the increments, choose the domain unless it is given, and keep a sample."""
    stride = 1
    while -(-known_count(source) // stride) > 2 * DATA.sample:
        stride *= 2
    found = summed(source, _Looked(source.names, stride, domain is None))
    if found.consecutive is None or found.end < DATA.least_increments:
        raise InputError(
            f"There are {found.end} increments, too few to estimate drift and diffusion from; at least "
            f"{DATA.least_increments} are needed, and thousands to find a symmetry."
        )
    sample, consecutive = _joined(found.sample), found.consecutive
    found.sample.clear()  # as large as the sample
    if domain is None:
        refuse_degenerate(sample, source.names)
        domain = _box(sample, (float(found.first), float(found.last)), source.names, periods_of(source))
    inside, begun = inside_domain(domain, sample), inside_domain(domain, consecutive)
    pairs = np.flatnonzero(_followed(consecutive) & begun[:-1] & begun[1:])
    kept = Increments(*(array[inside] for array in sample))
    return Overview(domain, source.names, found.end, kept, found.stride, consecutive, pairs, found.far.worst)


def inside_domain(domain: Domain, block: Increments) -> Bool[np.ndarray, " m"]:
    """Which increments begin inside the domain; leaving out the others causes no bias, as only the start decides."""
    low, high = np.array(domain.intervals[1:]).T
    endless = np.isfinite(domain.periods[1:])
    return ((block.x >= low) & (block.x <= high) | endless).all(axis=1)


def periods_of(source: IncrementSource) -> dict[int, float]:
    """Periods by position (0 is time)."""
    return by_position(source.periodic, source.names)


def _followed(block: Increments) -> Bool[np.ndarray, " rows"]:
    """Which rows of a block are followed by the next step of the same path; the last row is not counted."""
    return np.diff(block.trajectory) == 0


def _joined(blocks: list[Increments]) -> Increments:
    return Increments(*(np.concatenate(arrays) for arrays in zip(*blocks, strict=True)))


def _box(sample: Increments, time: tuple[float, float], names: tuple[str, ...], periods: dict[int, float]) -> Domain:
    """The box: all times, the middle 99 % of each coordinate, and the whole period of those that are periodic."""
    low, high = np.quantile(sample.x, [DATA.tail, 1 - DATA.tail], axis=0)
    for name, a, b in zip(names, low, high, strict=True):
        _require_ordinary_units(name, float(b - a), time[1] - time[0])
    intervals = (time, *((float(a), float(b)) for a, b in zip(low, high, strict=True)))
    # a coordinate that stays positive over a wide range may be singular at zero
    singular = tuple((0.0 if a > 0 and b > DATA.wide * a else None, None) for a, b in intervals[1:])
    return Domain(intervals, chosen=True, singular=((None, None), *singular)).with_periods(periods)


def _require_ordinary_units(name: str, length: float, duration: float) -> None:
    """Refuse units in which velocities or diffusions, or products of them, overflow."""
    powers = [times * math.log10(length) - math.log10(duration) for times in (1, 2)]
    if max(map(abs, powers)) > DATA.most_digits:
        raise InputError(
            f"{name} covers {length:.3g} within a time of {duration:.3g}; numbers like these overflow. Choose another "
            "unit for one of the two."
        )


def quantile_edges(
    values: Float[np.ndarray, " b"], parts: int, tails: Sequence[float] = ()
) -> Float[np.ndarray, " edges"]:
    """Inner edges of equally filled parts, and of tails at either end; equal edges are merged."""
    places = np.concatenate([np.linspace(0, 1, parts + 1)[1:-1], tails, 1 - np.array(tails)])
    edges = np.unique(np.quantile(values, places)) if parts > 1 else np.zeros(0)
    return edges if all(a < b for a, b in pairwise(edges)) else np.zeros(0)
