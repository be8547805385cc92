"""Ranges of rows of files: from Parquet by row groups, from other formats by reading the whole file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Bool, Float
from pyarrow import parquet

from liestonet.errors import InputError
from liestonet.trajectories.broken_files import in_our_words
from liestonet.trajectories.columns import Columns
from liestonet.trajectories.convert import is_stamp, labels, numbers, stamps
from liestonet.trajectories.increments import BLOCK_ROWS
from liestonet.trajectories.readers import read_trajectories
from liestonet.trajectories.trajectories import Trajectories
from liestonet.trajectories.wanted import Wanted

READ_BUFFER = 1 << 20


@dataclass(frozen=True)
class FilePart:
    """One file of a source: its rows, where they begin among those of all files, and its columns.

    `columns` is None for a file that is read whole. `label`, from the name of a folder, holds for all its rows.
    `called` is its name in messages, distinct from the others; its times count from `origin`.
    """

    path: Path
    called: str
    number: int
    rows: int
    begin: int
    columns: Columns | None
    keys: Mapping[str, str] = field(default_factory=dict)
    label: str | None = None
    origin: float = 0.0

    @property
    def end(self) -> int:
        """The index after its last row."""
        return self.begin + self.rows


class Rows(NamedTuple):
    """Consecutive rows: times, states, which of them begin a path, and the labels of these paths, if there are any.

    Whether the first row of a request begins a path is not known, except at the beginning of a file.
    """

    first: int
    t: Float[np.ndarray, " b"]
    x: Float[np.ndarray, "b d"]
    starts: Bool[np.ndarray, " b"]
    labels: list[Any] | None
    file: FilePart


@dataclass(frozen=True)
class FileReader:
    """How all files of a source are read: options, the first date, and whether paths continue across files."""

    wanted: Wanted
    first_tick: int | None = None
    continued: bool = False

    def rows(self, files: tuple[FilePart, ...], first: int, last: int, most: int = BLOCK_ROWS) -> Iterator[Rows]:
        """A range of rows, in their order, in parts of at most `size`."""
        label: Any = None  # of the row before
        known = False
        for file in files:
            low, high = max(first, file.begin), min(last, file.end)
            if low >= high:
                continue
            row = low
            with calling(file.path, file.called):
                for t, x, codes, found in self._read(file, low - file.begin, high - file.begin, most):
                    starts = np.zeros(len(t), dtype=bool)
                    starts[1:] = np.diff(codes) != 0
                    own = found[int(codes[0])]
                    if row == file.begin:
                        starts[0] = not (self.continued and known and own == label)
                    elif known:
                        starts[0] = own != label
                    named = file.columns is not None and own is not None
                    beginning = [found[code] for code in codes[starts].tolist()] if named else None
                    yield Rows(row, t - file.origin if file.origin else t, x, starts, beginning, file)
                    label, known = found[int(codes[-1])], True
                    row += len(t)

    def first_time(self, file: FilePart) -> float:
        """The first time in a file."""
        for rows in self.rows((file,), file.begin, file.end):
            finite = np.flatnonzero(np.isfinite(rows.t))
            if len(finite):
                return float(rows.t[finite[0]])
        return 0.0

    def label(self, file: FilePart, row: int) -> Any:
        """The label of the path of one row, counted over all files; None where there is none."""
        header = None if file.columns is None else file.columns.trajectory
        if header is None:
            return file.label
        own = row - file.begin
        return next(
            labels(batch.column(header), header)[1][0] for batch in parquet_batches(file.path, [header], own, own + 1)
        )

    def _read(
        self, file: FilePart, first: int, last: int, most: int
    ) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, Any]]:
        """Times, states, codes of labels and the labels for some rows of one file."""
        if file.columns is not None:
            yield from self._of_parquet(file, file.columns, first, last, most)
            return
        data = WHOLE.read(file.path, self.wanted)
        if data.points != file.rows:
            raise InputError(f"The file {file.path.name!r} has changed while it was read; start again.")
        for low in range(first, last, most):
            rows = slice(low, min(low + most, last))
            codes = np.searchsorted(data.offsets, np.arange(rows.start, rows.stop), side="right")
            yield data.flat_times[rows], data.flat_states[rows], codes, _Numbers()

    def _of_parquet(
        self, file: FilePart, columns: Columns, first: int, last: int, most: int
    ) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, Any]]:
        row, constant = first, file.label
        for batch in parquet_batches(file.path, columns.needed, first, last, most):
            with naming(file.path):
                clock = batch.column(columns.clock)
                times = (
                    stamps(clock, columns.clock).seconds(self.first_tick)
                    if is_stamp(clock.type)
                    else numbers(clock, columns.clock)
                )
                states = np.stack([numbers(batch.column(header), header) for header in columns.state], axis=1)
                if columns.trajectory is None:
                    codes, found = np.zeros(len(times), dtype=np.int64), [constant]
                else:
                    codes, found = labels(batch.column(columns.trajectory), columns.trajectory)
            yield times, states, codes, found
            row += len(times)
        if row < last:
            raise InputError(f"The file {file.path.name!r} has changed while it was read; start again.")


class _Numbers:
    """Labels for the pieces of a file that was read whole: their numbers."""

    def __getitem__(self, code: int) -> int:
        return code


class WholeFiles:
    """Files that are read whole; the last one is cached, as its rows are requested piece by piece."""

    def __init__(self) -> None:
        self.key: tuple[str, ...] = ()
        self.data: Trajectories | None = None

    def read(self, path: Path, wanted: Wanted) -> Trajectories:
        """All paths of one file."""
        with naming(path):
            changed = path.stat().st_mtime_ns if path.exists() else 0
            key = (str(path.absolute()), str(changed), repr(wanted))
            if self.data is None or key != self.key:
                self.data = None  # before the next one is read
                self.data, self.key = read_trajectories(path, wanted).with_periods(wanted.periodic), key
            return self.data


WHOLE = WholeFiles()


def parquet_batches(file: Path, headers: list[str], first: int, last: int, most: int = BLOCK_ROWS) -> Iterator[Any]:
    """Rows of a Parquet file in small batches; a large row group is read through a small buffer."""
    # Without pre_buffer=False the pages of all row groups read so far would stay in memory.
    whole = {"buffer_size": READ_BUFFER, "pre_buffer": False, "page_checksum_verification": True}
    with in_our_words(file), parquet.ParquetFile(file, **whole) as source:
        sizes = [source.metadata.row_group(k).num_rows for k in range(source.metadata.num_row_groups)]
        ends = np.cumsum([0, *sizes])
        groups = [k for k in range(len(sizes)) if ends[k] < last and ends[k + 1] > first]
        if not groups:
            return
        row = int(ends[groups[0]])
        batches = source.iter_batches(batch_size=most, row_groups=groups, columns=headers, use_threads=False)
        for batch in batches:
            low, high = max(first - row, 0), min(last - row, batch.num_rows)
            row += batch.num_rows
            if low < high:
                yield batch.slice(low, high - low)
            if row >= last:
                return


@contextmanager
def naming(file: Path) -> Iterator[None]:
    """Add the file's name to errors."""
    try:
        yield
    except InputError as problem:
        text = str(problem)
        if file.name in text:
            raise
        raise InputError(f"In the file {file.name!r}: {text}") from problem


@contextmanager
def calling(file: Path, name: str) -> Iterator[None]:
    """Replace the file's name in errors by one that distinguishes it from other files."""
    try:
        yield
    except InputError as problem:
        if name == file.name:
            raise
        raise InputError(str(problem).replace(repr(file.name), repr(name))) from problem
