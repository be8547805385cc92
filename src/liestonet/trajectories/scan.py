"""Many files as one source of increments, read piece by piece, so that data may be larger than memory.

The rows of all files stand one after another, in the order of the files. Blocks are cut by row numbers over all files,
so sums over blocks do not depend on how the rows are spread over files.
"""

from __future__ import annotations

import glob
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import accumulate
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from pyarrow import parquet

from liestonet.core.numbers import is_truth
from liestonet.core.periods import checked_periods
from liestonet.errors import InputError
from liestonet.trajectories.block_sums import Tree
from liestonet.trajectories.broken_files import existing_file, in_our_words
from liestonet.trajectories.checks import check_names, check_units
from liestonet.trajectories.columns import Columns
from liestonet.trajectories.convert import is_stamp, is_text, stamps
from liestonet.trajectories.dates import written_date
from liestonet.trajectories.file_lists import called, files_of, keys_of, refuse_copies, short_name
from liestonet.trajectories.file_rows import WHOLE, FilePart, FileReader, calling, naming, parquet_batches
from liestonet.trajectories.gaps import Gaps, check_gap
from liestonet.trajectories.increments import BLOCK_ROWS, Increments
from liestonet.trajectories.measurement import Measurement
from liestonet.trajectories.period_marks import periods_among, periods_from_json
from liestonet.trajectories.readers import READERS, measurement_in, parquet_columns, periods_in
from liestonet.trajectories.reshaping import whole_number
from liestonet.trajectories.row_blocks import RowBlocks
from liestonet.trajectories.scan_index import Index, LeafCounts, Start, index_of
from liestonet.trajectories.trajectories import Trajectories
from liestonet.trajectories.tuning import SCAN
from liestonet.trajectories.wanted import Wanted

# Told which part of a pass is done.
Watch = Callable[[float], None]


@dataclass
class _Known:
    """What is computed once about files, and shared by copies of a source with other options.

    `recordings` is the same of every file by itself.
    """

    index: Index | None = None
    recordings: list[_Known] = field(default_factory=list)


@runtime_checkable
class Crew(Protocol):
    """Workers for pieces of a task, such as other processes. Results come in the order of the tasks."""

    @property
    def workers(self) -> int:
        """The number of parallel workers."""
        ...

    @property
    def told(self) -> str:
        """A remark on how the work was done."""
        ...

    def map(self, function: Callable[..., Any], shared: Any, tasks: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
        """`function(shared, *task)` of every task."""
        ...


@dataclass(frozen=True)
class TrajectoryFiles:
    """Trajectories that stay in their files; made by `Trajectories.scan`, read block by block as often as needed.

    `files` are the parts, each with its path, its rows and the keys of its folders; `rows` is their total number. With
    `own_errors` the errors of the points and the exposure are estimated for each file.
    """

    blocks: RowBlocks = field(repr=False)
    units: Mapping[str, str]  # by coordinate, and by "t" for the time
    remarks: tuple[str, ...] = ()
    measurement: Measurement = field(default_factory=Measurement)
    known: _Known = field(default_factory=_Known, repr=False, compare=False)
    crew: Crew | None = field(default=None, repr=False, compare=False)
    watch: Watch | None = field(default=None, repr=False, compare=False)
    own_errors: bool = False

    @property
    def files(self) -> tuple[FilePart, ...]:
        """The files in their order."""
        return self.blocks.files

    @property
    def rows(self) -> int:
        """Rows of all files."""
        return self.blocks.rows

    @property
    def dimension(self) -> int:
        """Number of coordinates d."""
        return len(self.names)

    @property
    def names(self) -> tuple[str, ...]:
        """The coordinates' names."""
        return self.blocks.names

    @property
    def periodic(self) -> Mapping[str, float]:
        """Periods of angles and phases, by coordinate."""
        return self.blocks.periodic

    @property
    def name(self) -> str:
        """A short description of the files."""
        return short_name([file.path for file in self.files])

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks on guesses and decisions; gaps are counted by `count_gaps`, which may have to read the files."""
        return self.remarks if self.crew is None else (*self.remarks, self.crew.told)

    @property
    def index(self) -> Index:
        """Where each part of the rows begins; reads all files once, unless that has been done before."""
        if self.known.index is None:
            leaves = self._counts()
            names = [file.called for file in self.files]
            self.known.index = index_of(leaves, names, self.blocks.reader.continued)
        if not self.known.index.increments:
            raise InputError(
                f"{self._called()} no two consecutive finite rows of one trajectory, so there is no increment to learn "
                "from; check which columns are time, trajectory and state."
            )
        return self.known.index

    def _called(self) -> str:
        one = len(self.files) == 1
        return f"The file {self.name!r} has" if one else f"The files ({self.name}) have"

    def count_gaps(self) -> Gaps:
        """Count what breaks paths."""
        return self.index.gaps

    @property
    def increments_count(self) -> int:
        """Number of increments."""
        return self.index.increments

    def chunks(self, rows: int | Any = BLOCK_ROWS) -> Iterator[Increments]:
        """All increments in order, in blocks of at most `rows`; `trajectory` counts pieces between gaps."""
        size = whole_number(rows, "The number of rows in a block", 1)
        first = self.index.starts[0]  # for which all files are checked before any is used
        return (block for _, block in self.blocks.blocks(first, size=size))

    def summed(self, total: Any) -> Any:
        """The sum over all blocks, formed by the workers if there are any, with the same result to the last bit."""
        tree, starts, leaves = Tree(), self.index.starts, self.blocks.leaves
        if self.crew is None:
            count, parts = leaves, ([part] for part in leaf_sums(total, self.blocks, starts[0], 0, leaves))
        else:
            ranges = self._ranges(self.crew.workers)
            tasks = [(self.blocks.only(first, last), starts[first], first, last) for first, last in ranges]
            count, parts = len(tasks), self.crew.map(sum_leaves, total, tasks)
        for nodes in self._watched(parts, count):
            for level, node in nodes:
                tree.push(node, level)
        return tree.total() or total.empty()

    def _counts(self) -> Iterator[LeafCounts]:
        """The counts of all leaves, by the workers if there are any."""
        if self.crew is None:
            yield from self._watched(self.blocks.counts(0, self.blocks.leaves), self.blocks.leaves)
            return
        ranges = self._ranges(self.crew.workers)
        tasks = [(self.blocks.only(first, last), first, last) for first, last in ranges]
        for part in self._watched(self.crew.map(count_leaves, None, tasks), len(tasks)):
            yield from part

    def _ranges(self, workers: int) -> list[tuple[int, int]]:
        """Leaves in aligned parts of the tree, several for each worker."""
        count, size = self.blocks.leaves, 1
        while count > SCAN.parts_per_worker * workers * size and size < SCAN.most_leaves:
            size *= 2
        return [(first, min(first + size, count)) for first in range(0, count, size)]

    def _watched(self, parts: Iterable[Any], count: int) -> Iterator[Any]:
        """The parts, while the progress is reported."""
        for number, part in enumerate(parts):
            if self.watch is not None:
                self.watch(number / count)
            yield part

    def some_blocks(self, rows: int, every: int) -> Iterator[Increments]:
        """One block in `every`; leaves without such blocks are not read."""
        per_leaf = self.blocks.leaf_rows // rows
        for leaf, start in enumerate(self.index.starts):
            first = leaf * per_leaf
            wanted = [number for number in range(first, first + per_leaf) if number % every == 0]
            if wanted:
                found = self.blocks.blocks(start, first, wanted[-1] + 1, rows)
                yield from (block for number, block in found if number in wanted)

    @property
    def recordings(self) -> tuple[TrajectoryFiles, ...]:
        """Sources of which each has errors of its points and an exposure of its own: the files, or all together."""
        if not self.own_errors or len(self.files) == 1:
            return (self,)
        if not self.known.recordings:
            self.known.recordings.extend(_Known() for _ in self.files)
        parts = zip(range(len(self.files)), self.known.recordings, strict=True)
        return tuple(replace(self.taking([place]), known=known, own_errors=False) for place, known in parts)

    @property
    def first_paths(self) -> tuple[int, ...]:
        """The number of the first path of each recording, as blocks of all of them count."""
        recordings = self.recordings
        counts = [part.index.pieces for part in recordings] if len(recordings) > 1 else [0]
        return (0, *accumulate(counts[:-1]))

    @property
    def times_range(self) -> tuple[float, float]:
        """First and last time."""
        return self.index.first, self.index.last

    @property
    def numbers(self) -> int:
        """Times and coordinates of all rows together."""
        return self.rows * (self.dimension + 1)

    @property
    def fits(self) -> bool:
        """Whether all of it is small enough for memory."""
        return self.numbers <= SCAN.in_memory

    def read(self) -> Trajectories:
        """All paths of all files in memory."""
        gaps = self.count_gaps()
        t, x, offsets = self.blocks.paths()
        data = Trajectories(t, x, offsets, self.names, self.units, gaps, self._remarks_in_memory, self.measurement)
        return data.with_periods(self.periodic)

    def some_paths(self) -> Trajectories:
        """All paths in memory if they fit; else some of them, from parts evenly spread over the rows."""
        if self.fits:
            return self.read()
        blocks = -(-self.rows // BLOCK_ROWS)
        count = max(1, SCAN.in_memory // ((self.dimension + 1) * BLOCK_ROWS))
        chosen = np.unique(np.linspace(0, blocks - 1, count).round().astype(int)).tolist()
        t, x, offsets = self.blocks.paths(chosen)
        told = f"{len(t):,} of {self.rows:,} rows were used, in {len(chosen)} parts evenly spread over the files."
        remarks = (*self._remarks_in_memory, told)
        data = Trajectories(t, x, offsets, self.names, self.units, Gaps(), remarks, self.measurement)
        return data.with_periods(self.periodic)

    @property
    def _remarks_in_memory(self) -> tuple[str, ...]:
        """Remarks for paths in memory, which are of no file."""
        told = "In memory, errors of the points are of one size for all files."
        return (*self.remarks, told) if self.own_errors else self.remarks

    def taking(self, files: list[int]) -> TrajectoryFiles:
        """The source with some of the files only, by their numbers."""
        parts, begin = [], 0
        for number, place in enumerate(files):
            parts.append(replace(self.files[place], number=number, begin=begin))
            begin += parts[-1].rows
        return replace(self, blocks=replace(self.blocks, files=tuple(parts), rows=begin), known=_Known())


def leaf_sums(total: Any, blocks: RowBlocks, start: Start, first: int, last: int) -> Iterator[tuple[int, Any]]:
    """The sum over each of some leaves, with its level in the tree, 0; `start` describes what precedes the first."""
    place, per_leaf = start.place, blocks.leaf_rows // total.rows
    node, leaf = total.empty(), first
    for number, block in blocks.blocks(start, first * per_leaf, last * per_leaf, total.rows):
        while number // per_leaf > leaf:
            yield 0, node
            node, leaf = total.empty(), leaf + 1
        node.take(block, place)
        place = place.after(block)
    for _ in range(leaf, last):
        yield 0, node
        node = total.empty()


def sum_leaves(total: Any, blocks: RowBlocks, start: Start, first: int, last: int) -> list[tuple[int, Any]]:
    """The sums of some leaves, joined as far as the tree allows: the task of a worker."""
    tree = Tree()
    for level, node in leaf_sums(total, blocks, start, first, last):
        tree.push(node, level)
    return tree.nodes


def count_leaves(_: None, blocks: RowBlocks, first: int, last: int) -> list[LeafCounts]:
    """The counts of some leaves: the task of a worker."""
    return list(blocks.counts(first, last))


def is_one_file(path: Path) -> bool:
    """Whether this names one file, not a folder or a pattern."""
    return os.path.isfile(path) or not (os.path.isdir(path) or glob.has_magic(str(path)))  # False without permission


def is_small(file: Path) -> bool:
    """Whether a file is small enough for memory by its metadata; other files than Parquet always count as small."""
    if not file.name.lower().endswith(".parquet"):
        return True
    with in_our_words(existing_file(file)), parquet.ParquetFile(file) as source:
        return source.metadata.num_rows * source.metadata.num_columns <= SCAN.in_memory


def scan_files(
    pattern: Any, wanted: Wanted, continued: Any = False, own_clock: Any = False, own_errors: Any = False
) -> TrajectoryFiles:
    """Find the files and their columns, check that they agree, and count rows."""
    wanted.check()
    if not is_truth(continued):
        raise InputError(f"Whether paths go on from file to file must be True or False, not {continued!r}.")
    if not is_truth(own_clock):
        raise InputError(f"Whether every file has its own clock must be True or False, not {own_clock!r}.")
    if not is_truth(own_errors):
        raise InputError(f"Whether every file has errors of its own must be True or False, not {own_errors!r}.")
    if continued and own_clock:
        raise InputError("Paths that go on from file to file have one clock; leave own_clock or continued out.")
    if continued and own_errors:
        raise InputError(
            "Paths that go on from file to file have errors of one size; leave own_errors or continued out."
        )
    paths = files_of(pattern, tuple(READERS))
    looks, usual = [], Counter(path.suffix for path in paths).most_common(1)[0][0]
    for path, name in zip(paths, called(paths), strict=True):
        with calling(path, name), _of_another_kind(path, usual):
            looks.append(replace(_look(path, wanted, bool(continued)), called=name))
    refuse_copies(paths)
    first = looks[0]
    for look in looks[1:]:
        _check_agreement(first, look)
    tick, remarks = _first_tick(looks)
    parts, begin = [], 0
    for number, look in enumerate(looks):
        columns = look.columns and replace(look.columns, state=tuple(look.headers[name] for name in first.names))
        where = (look.path, look.called, number, look.rows, begin)
        parts.append(FilePart(*where, columns, keys_of(look.path), look.label))
        begin += look.rows
    if begin < 2:
        raise InputError(
            f"The file {paths[0].name!r} has {begin} rows, but an increment needs two; check how it was made."
        )
    reader = FileReader(wanted, tick, bool(continued))
    if own_clock:
        known = zip(parts, looks, strict=True)
        parts = [replace(p, origin=reader.first_time(p) if look.begin is None else look.begin) for p, look in known]
        remarks = ("Times are counted in each file from its first row.",)
    blocks = RowBlocks(tuple(parts), reader, first.names, begin, check_gap(wanted.gap), first.periodic)
    notes = (*_of_all(first, len(looks)), *remarks, *_about_labels(looks, bool(continued)))
    measurement = wanted.measurement or first.measurement or Measurement()
    measurement.check_names(first.names)
    if own_errors and (measurement.is_exact or measurement.order == 2):
        what = "Points without error" if measurement.is_exact else "Positions of a system with inertia"
        raise InputError(f"{what} have no errors that are estimated for each file; leave own_errors out.")
    return TrajectoryFiles(blocks, first.units, notes, measurement, own_errors=bool(own_errors))


@contextmanager
def _of_another_kind(path: Path, usual: str) -> Iterator[None]:
    """Whether a file that cannot be read may be skipped: it is not of the kind that most are."""
    try:
        yield
    except InputError as problem:
        if path.suffix == usual:
            raise
        raise InputError(f"{str(problem).rstrip('.')}. If it holds no data, give the pattern '*{usual}'.") from problem


@dataclass(frozen=True)
class _Look:
    """What the beginning of one file, or all of it, shows."""

    path: Path
    rows: int
    names: tuple[str, ...]
    units: Mapping[str, str]
    periodic: Mapping[str, float]
    measurement: Measurement | None
    remarks: tuple[str, ...] = ()
    columns: Columns | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    clock: Any = None  # type of the times, where it is one of dates
    label: str | None = None
    labelled: bool = False
    called: str = ""
    begin: float | None = None  # first time, of a file that was read whole


def _look(path: Path, wanted: Wanted, continued: bool) -> _Look:
    file = existing_file(path)
    with naming(file):
        by_rows = not (wanted.sort or wanted.dt is not None or wanted.columns is not None)
        if file.name.lower().endswith(".parquet") and by_rows:
            return _look_at_parquet(file, wanted)
        if continued:
            raise InputError("Only Parquet files can hold paths that go on from file to file (continued=True).")
        data = WHOLE.read(file, wanted)
        return _Look(
            file,
            data.points,
            data.names,
            data.units,
            data.periodic,
            _told(data.measurement),
            data.remarks,
            labelled=len(data) > 1,
            begin=float(data.flat_times[0]),
        )


def _told(measurement: Measurement) -> Measurement | None:
    return None if measurement == Measurement() else measurement


def _look_at_parquet(file: Path, wanted: Wanted) -> _Look:
    keys, trajectory = keys_of(file), wanted.trajectory
    label = keys.get(trajectory) if isinstance(trajectory, str) else None
    with in_our_words(file), parquet.ParquetFile(file) as source:
        columns = parquet_columns(source, wanted.time, None if label is not None else trajectory, wanted.state)
        if label is not None:
            columns = replace(columns, trajectory=None)
        check_names(columns.names, len(columns.state))
        rows = source.metadata.num_rows
        measurement, told = measurement_in(source, file), periods_in(source)
        kind = source.schema_arrow.field(columns.clock).type
    if is_text(kind):
        raise InputError(
            f"The times in {columns.clock!r} are text; to be read piece by piece they must be numbers or dates (or "
            "give sort=True, which reads each file whole)."
        )
    if not rows:
        raise InputError(f"The file {file.name!r} has no rows; leave it out.")
    units = columns.units | ({"t": "s"} if is_stamp(kind) else {})
    check_units(units, columns.names)
    periodic = wanted.periodic
    if periodic is None and told is not None:
        periodic = periods_among(periods_from_json(told), columns.names)
    return _Look(
        file,
        rows,
        columns.names,
        units,
        checked_periods(periodic, columns.names),
        wanted.measurement or measurement,
        columns.remarks,
        columns,
        dict(zip(columns.names, columns.state, strict=True)),
        kind if is_stamp(kind) else None,
        label,
        columns.trajectory is not None,
    )


def _check_agreement(first: _Look, other: _Look) -> None:
    """Refuse a file whose coordinates, units, periods or measurement differ from those of the first."""
    one, two = repr(first.called), repr(other.called)
    if set(first.names) != set(other.names):
        raise InputError(
            f"The file {two} has the coordinates {', '.join(other.names)}, but {one} has {', '.join(first.names)}; "
            "name those that all files have (state=, --state), or leave the file out."
        )
    for name in ("t", *first.names):
        if first.units.get(name) != other.units.get(name):
            raise InputError(
                f"The file {two} has {name} in {other.units.get(name, 'no unit')}, but {one} in "
                f"{first.units.get(name, 'no unit')}; write all files in the same units."
            )
    if first.periodic != other.periodic:
        raise InputError(
            f"The files {one} and {two} do not have the same periods; give them for all files (periodic=, --periodic)."
        )
    if first.measurement != other.measurement:
        raise InputError(
            f"The files {one} and {two} are not marked as recorded in the same way; say how all files were recorded "
            "(measurement=), or analyse them separately."
        )
    if first.columns is not None and other.columns is not None and first.clock != other.clock:
        raise InputError(
            f"The times of {two} are of type {other.clock or 'number'}, but those of {one} of type "
            f"{first.clock or 'number'}; write all files in the same way."
        )
    if first.labelled != other.labelled and first.columns is not None and other.columns is not None:
        lacking, having = (one, two) if other.labelled else (two, one)
        raise InputError(
            f"The file {having} has a column that labels its paths, but {lacking} has none; name it (trajectory=, "
            "--trajectory), or add it to all files."
        )


def _first_tick(looks: list[_Look]) -> tuple[int | None, tuple[str, ...]]:
    """The earliest of all dates, from which seconds are counted."""
    found = []
    for look in looks:
        if look.clock is None or look.columns is None:
            continue
        header = look.columns.clock
        with calling(look.path, look.called), naming(look.path):
            for batch in parquet_batches(look.path, [header], 0, look.rows):
                part = stamps(batch.column(0), header)
                if part.first is not None:
                    found.append((part.first, part.per_second))
    if found:
        return min(found)[0], (f"Times are seconds since {written_date(*min(found))}.",)
    if len(looks) > 1 and any(
        remark.startswith("Times are seconds since") for look in looks for remark in look.remarks
    ):
        return None, ("Dates are counted in each file from the first in it.",)
    return None, ()


def _of_all(first: _Look, count: int) -> tuple[str, ...]:
    """Remarks on the first file that hold for all files: not the date from which its own times are counted."""
    return tuple(remark for remark in first.remarks if count == 1 or not remark.startswith("Times are seconds since"))


def _about_labels(looks: list[_Look], continued: bool) -> tuple[str, ...]:
    if len(looks) < 2 or continued:
        return ()
    return ("Every file has paths of its own: the same label in two files is two paths.",)
