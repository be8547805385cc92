"""Tables of text: lines are brought to the form that pyarrow's reader takes, and read by it."""

from __future__ import annotations

import gzip
import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as arrow
from pyarrow import csv

from liestonet.errors import InputError
from liestonet.trajectories.broken_files import LONGEST_LINE, in_our_words, long_line
from liestonet.trajectories.columns import Columns
from liestonet.trajectories.convert import MISSING, check_text, compute, is_numeric, is_stamp
from liestonet.trajectories.long_tables import ColumnTable
from liestonet.trajectories.measurement import measurement_in
from liestonet.trajectories.period_marks import is_mark, with_header_periods
from liestonet.trajectories.roles import Source, arrange
from liestonet.trajectories.text_layout import COMMENTS, TextLayout, inspect
from liestonet.trajectories.trajectories import Trajectories
from liestonet.trajectories.tuning import READING
from liestonet.trajectories.wanted import Wanted

LEAST_LINES, FEW_COLUMNS = 4, 8
_LINE_END, _LAST_END = re.compile("\r\n|\n|\r"), re.compile(r"(\r\n|\n|\r)\Z")


def read_text(file: Path, wanted: Wanted) -> Trajectories:
    """Trajectories from a table of text, with any delimiter and with comments or notes above."""
    with in_our_words(file):
        layout = inspect(first_lines(file), wanted)
        text = TextTable(file, layout)
        kinds = text.kinds
    table = ColumnTable(text.headers, text.column, kinds, text.load)
    wanted = wanted.knowing(measurement_in(text.headers))
    table = replace(table, headers=[header for header in table.headers if not is_mark(header)])
    data = arrange(Source(table, layout.named, layout.suggested_dt, layout.remarks), wanted)
    data = with_header_periods(data, text.headers, wanted)
    return replace(data, remarks=(*data.remarks, *layout.note)) if layout.notes else data


def first_lines(file: Path) -> list[str]:
    """Lines at the beginning of a file, as text; comment lines may be in another encoding."""
    lines: list[bytes] = []
    size = 0
    with _bytes_of(file) as stream:
        while size < READING.sample_bytes or len(lines) < LEAST_LINES:
            line = stream.readline(LONGEST_LINE + 1)
            if len(line) > LONGEST_LINE:
                raise InputError(long_line(file))
            if not line:
                break
            lines.append(line)
            size += len(line)
    if lines and lines[0].startswith(b"\xef\xbb\xbf"):
        lines[0] = lines[0][3:]
    text = [part for line in lines for part in _LINE_END.split(_LAST_END.sub("", _decoded(line)))]
    if not any(line.strip() for line in text):
        raise InputError(f"The file {file.name!r} is empty; it should hold a table with a line of names.")
    if any("\0" in line for line in text):
        raise InputError(f"The file {file.name!r} is not a text file; give it the suffix of its own format.")
    return text


def _decoded(line: bytes) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        if line.lstrip().startswith(tuple(mark.encode() for mark in COMMENTS)):
            return line.decode("latin-1")
        raise


def _bytes_of(file: Path) -> Any:
    return gzip.open(file) if file.name.lower().endswith(".gz") else file.open("rb")


@dataclass(frozen=True)
class TextTable:
    """A table of text with its layout; columns are read on request."""

    file: Path
    layout: TextLayout

    @cached_property
    def schema(self) -> Any:
        """The headers and the types suggested by the first block."""
        try:
            with self._opened() as stream, csv.open_csv(stream, self._read, self._parse, self._convert()) as reader:
                schema = reader.schema
                schema.names  # noqa: B018  decodes the header here, where an error of it is expected
                return schema
        except arrow.ArrowInvalid as problem:
            if "Empty CSV" in str(problem):
                raise InputError(
                    f"The file {self.file.name!r} is empty; it should hold a table with a line of names."
                ) from problem
            raise

    @property
    def headers(self) -> list[str]:
        """The names of the columns."""
        return list(self.schema.names)

    @property
    def kinds(self) -> dict[str, Any]:
        """The type of each column."""
        return dict(zip(self.schema.names, self.schema.types, strict=True))

    def column(self, header: str) -> Any:
        """One column: numbers as numbers, everything else as text; of a wide table all are read at once."""
        if len(self.headers) > FEW_COLUMNS:
            return self._whole.column(header)
        return self._plainly([header]).column(header)

    @cached_property
    def _whole(self) -> Any:
        return self._plainly(list(dict.fromkeys(self.headers)))

    def _plainly(self, headers: list[str]) -> Any:
        kinds = {header: self.kinds[header] for header in headers}
        numeric = [header for header in headers if is_numeric(kinds[header])]
        types = {
            header: kind if header in numeric or arrow.types.is_null(kind) else arrow.string()
            for header, kind in kinds.items()
        }
        return self._checked(headers, types, numeric)

    def load(self, columns: Columns) -> Callable[[str], Any]:
        """Read the columns of a long table, each in the type of its role."""
        types: dict[str, Any] = dict.fromkeys(columns.state, arrow.float64())
        numeric = list(columns.state)
        if columns.time is not None:
            kind = self.kinds[columns.time]
            types[columns.time] = arrow.string() if is_stamp(kind) else arrow.float64()
            if arrow.types.is_integer(kind):
                types[columns.time] = arrow.int64()  # float64 would round large integers without a word
            numeric = numeric if is_stamp(kind) else [columns.time, *numeric]
        if columns.trajectory is not None:
            types[columns.trajectory] = arrow.dictionary(arrow.int32(), arrow.string())
        return self._checked(columns.needed, types, numeric).column

    def _checked(self, headers: list[str], types: dict[str, Any], numeric: list[str]) -> Any:
        """Columns of these types; if a cell does not fit, a second pass finds its row."""
        with in_our_words(self.file, 2 if self.layout.plain else 1):
            try:
                return self._columns(headers, types)
            except arrow.ArrowInvalid:
                whole = {name for name, kind in types.items() if arrow.types.is_integer(kind)}
                if whole:  # whole numbers at first, others later
                    return self._checked(headers, types | dict.fromkeys(whole, arrow.float64()), numeric)
                # A row of another length than the header ends here.
                text = self._columns(headers, dict.fromkeys(headers, arrow.string()))
                for header in numeric:
                    found = text.column(header)
                    if self.layout.decimal == ",":
                        found = compute.replace_substring(found, ",", ".")
                    check_text(found, header)
                raise

    def _columns(self, headers: list[str], types: dict[str, Any]) -> Any:
        with self._opened() as stream:
            return csv.read_csv(stream, self._read, self._parse, self._convert(headers, types))

    def _convert(self, headers: list[str] | None = None, types: dict[str, Any] | None = None) -> csv.ConvertOptions:
        return csv.ConvertOptions(
            column_types=types,
            include_columns=headers,
            null_values=list(MISSING),
            decimal_point=self.layout.decimal,
        )

    @property
    def _read(self) -> csv.ReadOptions:
        """Read in one thread: with several threads, one read in hundreds mixed up rows of two blocks."""
        names = None if self.layout.plain else list(self.layout.names)
        return csv.ReadOptions(block_size=LONGEST_LINE, use_threads=False, column_names=names)

    @property
    def _parse(self) -> csv.ParseOptions:
        return csv.ParseOptions(delimiter=self.layout.delimiter)

    def _opened(self) -> Any:
        if self.layout.plain:
            packed = self.file.name.lower().endswith(".gz")
            return arrow.input_stream(str(self.file), compression="gzip" if packed else None)
        return arrow.PythonFile(io.BufferedReader(Rows(self.file, self.layout)), mode="r")


class Rows(io.RawIOBase):
    """The rows of a text file as bytes, without comments and the lines above, and with single blanks as white space."""

    def __init__(self, file: Path, layout: TextLayout) -> None:
        super().__init__()
        self._blocks = _blocks(file, layout)
        self._left = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._left:
            block = next(self._blocks, None)
            if block is None:
                return 0
            self._left = block
        count = min(len(buffer), len(self._left))
        buffer[:count] = self._left[:count]
        self._left = self._left[count:]
        return count


def _blocks(file: Path, layout: TextLayout) -> Iterator[bytes]:
    """Groups of whole lines, without what pyarrow cannot read."""
    marks = b"|".join(re.escape(mark.encode()) for mark in layout.comments)
    comment = re.compile(rb"(?m)^[ \t]*(?:" + marks + rb")[^\n]*(?:\n|\Z)") if marks else None
    with _bytes_of(file) as stream:
        skipped, rest = 0, b""
        while True:
            block = stream.read(LONGEST_LINE)
            text = rest + block
            text = re.sub(rb"\r\n?", b"\n", text) if not text.endswith(b"\r") or not block else text
            if block and text.endswith(b"\r"):
                rest = text
                continue
            end = text.rfind(b"\n") + 1 if block else len(text)
            lines, rest = text[:end], text[end:]
            if len(rest) > LONGEST_LINE:
                raise InputError(long_line(file))
            while skipped < layout.skip and lines:
                _, _, lines = lines.partition(b"\n")
                skipped += 1
            if comment is not None:
                lines = comment.sub(b"", lines)
            if layout.delimiter == " ":
                lines = re.sub(rb"(?m)^ | $", b"", re.sub(rb"[ \t]+", b" ", lines))
            if lines:
                yield lines
            if not block:
                return
