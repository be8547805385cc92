"""The layout of a table of text, found from its beginning: delimiter, decimal mark, comments, header."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from liestonet.errors import Answer, InputError, UndecidedError
from liestonet.trajectories.convert import DATE, MISSING, TIME_OF_DAY
from liestonet.trajectories.tuning import READING
from liestonet.trajectories.wanted import DELIMITERS, Wanted

COMMENTS = ("#", "%", "//")
# Order decides between readings that explain the lines equally well: what has a name of its own comes first.
CANDIDATES = ((",", "."), ("\t", "."), (";", "."), (" ", "."), ("\t", ","), (";", ","), (" ", ","))
_NUMBER = {
    ".": re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(inf|infinity|nan)", re.I),
    ",": re.compile(r"[+-]?(\d+,?\d*|,\d+)([eE][+-]?\d+)?|[+-]?(inf|infinity|nan)", re.I),
}
_NAME_AND_UNIT = re.compile(r"[^\s,;\[\](]+(?:\s*(?:\[[^\]]*\]|\([^)]*\)))?")
_WITH_UNIT = re.compile(r"[^\s,;\[\](]+\s*(?:\[[^\]]*\]|\([^)]*\))")
_TITLE = re.compile(r"[^\W\d][^\s,;:=]*(?:\s*(?:\[[^\]]*\]|\([^)]*\)))?")
_NAME = re.compile(r"[^\W\d]\w*(?:\s*(?:\[[^\]]*\]|\([^)]*\)))?")
_UNIT = re.compile(r"\[[^\[\]]+\]|\([^()]+\)|[^\W\d]\S{0,5}|°\S*|%|1/\S+|-")
_SPECIAL = re.compile(r'["\r\n]')  # what makes csv read a line in another way than by its delimiters
_STEP = re.compile(
    r"\b(?:dt|delta_?t|time ?step|step|sampling interval)\b\s*[=:]?\s*(?P<step>[\d.]+(?:e[+-]?\d+)?)", re.I
)
_RATE = re.compile(r"(?P<rate>[\d.]+(?:e[+-]?\d+)?)\s*(?P<prefix>k|M)?(?:Hz|fps|frames/s|samples/s)\b", re.I)
WORDS = {",": "commas", "\t": "tabs", ";": "semicolons", " ": "white space"}


@dataclass(frozen=True)
class TextLayout:
    """What is needed to read a table of text; `plain` if it is a line of names followed by rows."""

    delimiter: str = ","
    decimal: str = "."
    skip: int = 0  # lines above the first row: comments, remarks of the instrument, names, units
    names: tuple[str, ...] = ()
    named: bool = True  # whether names stand in the file or were given, or are c1, c2, …
    comments: tuple[str, ...] = ()  # what lines to be left out begin with
    plain: bool = True
    notes: tuple[str, ...] = ()  # what stands in comments and above the table
    remarks: tuple[str, ...] = ()

    @property
    def suggested_dt(self) -> float | None:
        """A time step found in the notes of the file."""
        for note in self.notes:
            if step := _STEP.search(note):
                return _positive(step["step"])
            if rate := _RATE.search(note):
                per_second = _positive(rate["rate"])
                factor = {"k": 1e3, "m": 1e6}.get((rate["prefix"] or "").lower(), 1.0)
                return None if per_second is None else float(f"{1 / (per_second * factor):.12g}")
        return None

    @property
    def note(self) -> tuple[str, ...]:
        """One remark on what the file has besides its numbers."""
        if not self.notes:
            return ()
        text = " | ".join(self.notes)
        shown = text if len(text) <= READING.note_length else text[: READING.note_length - 1] + "…"
        return (f"The file says: {shown}",)


def inspect(lines: Sequence[str], wanted: Wanted) -> TextLayout:
    """The layout of the lines at the beginning of a file; these include blank ones, so that line numbers are right."""
    filled = [(index, line) for index, line in enumerate(lines) if line.strip()]
    table = [(index, line) for index, line in filled if not line.lstrip().startswith(COMMENTS)]
    leading = table[0][0] if table else len(lines)
    comments = [(index, line) for index, line in filled if line.lstrip().startswith(COMMENTS)]
    above = [line for index, line in comments if index < leading]
    kept = filled if not above and _are_rows(comments, table) else table
    if not kept:
        raise InputError("The file holds comments only; it should hold a table of numbers.")
    chosen = _best_candidate(kept, wanted)
    if chosen is None:
        return _as_named(kept, wanted)
    dropped = tuple(sorted({mark for _, line in comments for mark in COMMENTS if line.lstrip().startswith(mark)}))
    return _described(lines, kept, chosen, dropped if kept is table else (), wanted)


def _are_rows(comments: list[tuple[int, str]], table: list[tuple[int, str]]) -> bool:
    """Whether lines that look like comments are rows: labels such as #1, with as many cells as the header."""
    if not comments or not table:
        return False
    header = table[0][1]
    return any(mark in header and all(_same_width(line, header, mark) for _, line in comments) for mark in ",\t;")


def _same_width(line: str, header: str, mark: str) -> bool:
    return len(_cells(line, mark)) == len(_cells(header, mark))


@dataclass(frozen=True)
class _Candidate:
    """One reading of the lines: their cells, the usual number of cells, and the share of cells that are not words."""

    delimiter: str
    decimal: str
    rows: list[list[str]]
    width: int
    first: int  # the first row of numbers
    share: float
    header_fits: bool


def _best_candidate(table: list[tuple[int, str]], wanted: Wanted) -> _Candidate | None:
    asked = None if wanted.delimiter is None else DELIMITERS[wanted.delimiter]
    looked_at = [
        (delimiter, decimal)
        for delimiter, decimal in CANDIDATES
        if asked in (None, delimiter) and wanted.decimal in (None, decimal)
    ]
    rows = {mark: [_cells(line, mark) for _, line in table] for mark in {delimiter for delimiter, _ in looked_at}}
    candidates = (_candidate(rows[delimiter], delimiter, decimal) for delimiter, decimal in looked_at)
    found = [candidate for candidate in candidates if candidate is not None]
    best = max(found, key=lambda candidate: (round(candidate.share, 3), candidate.header_fits), default=None)
    return best if best is not None and best.share > 0 else None


def _candidate(rows: list[list[str]], delimiter: str, decimal: str) -> _Candidate | None:
    counts = Counter(len(row) for row in rows if any(_kind(cell, decimal) in ("number", "date") for cell in row))
    if not counts:
        return None
    width = max(counts, key=lambda length: (counts[length], length))
    begin = next(index for index, row in enumerate(rows) if len(row) == width)
    usual = [row for row in rows[begin:] if len(row) == width]
    understood = sum(_kind(cell, decimal) != "word" for row in usual[1:] or usual for cell in row)
    share = understood / (width * max(1, len(rows) - begin - 1))
    kinds = _column_kinds(rows, width, decimal)
    fitting = (index for index, row in enumerate(rows) if len(row) == width and _fits(row, kinds, decimal))
    first = next(fitting, None)
    if first is None:
        return None
    if first == 0 and _is_pandas_header(rows, width):
        first = 1
    return _Candidate(
        delimiter, decimal, rows, width, first, share, first == 0 or len(rows[first - 1]) in (width, width - 1)
    )


def _column_kinds(rows: list[list[str]], width: int, decimal: str) -> list[str]:
    """The most frequent kind of cell in each column, without the first line; ties are not counted as words."""
    usual = [row for row in rows[1:] if len(row) == width] or [row for row in rows if len(row) == width]
    found = []
    for index in range(width):
        counts = Counter(_kind(row[index], decimal) for row in usual[: READING.sample_rows])
        counts.pop("missing", None)
        order = ("number", "date", "word")
        found.append(max(counts, key=lambda kind: (counts[kind], -order.index(kind)), default="missing"))
    return found


def _fits(row: list[str], kinds: list[str], decimal: str) -> bool:
    """Whether a row has the kinds of its columns; in a table of words, whose header is its first line, none has."""
    if all(kind in ("word", "missing") for kind in kinds):
        return False
    return all(
        kind in ("word", "missing") or _kind(cell, decimal) in (kind, "missing")
        for cell, kind in zip(row, kinds, strict=True)
    ) and any(_kind(cell, decimal) in ("number", "date", "missing") for cell in row)


def _is_pandas_header(rows: list[list[str]], width: int) -> bool:
    """Whether names are 0, 1, 2, … after an empty cell above row numbers, as pandas writes unnamed columns."""
    first = [cell.strip() for cell in rows[0]]
    below = [row[0].strip() for row in rows[1:4] if len(row) == width]
    counted = first[1:] == [str(index) for index in range(width - 1)]
    return width > 1 and first[0] == "" and counted and all(below)


def _described(
    lines: Sequence[str], table: list[tuple[int, str]], found: _Candidate, comments: tuple[str, ...], wanted: Wanted
) -> TextLayout:
    width, first = found.width, found.first
    if width > READING.most_columns:
        raise InputError(
            f"The file has {width:,} columns, more than {READING.most_columns:,}; save a table this wide as an array, "
            "in a .npy file."
        )
    names, header, said = _names(lines, table, found)
    skip = table[first][0]
    used = {table[row][0] for row in header}
    notes = tuple(
        _without_mark(line)
        for index, line in enumerate(lines)
        if index not in used and (index < skip or line.lstrip().startswith(comments or ("\0",))) and _without_mark(line)
    )
    names, given = _given_names(names, width, wanted)
    named = names is not None
    if not named:
        _refuse_one_column_or_two(found)
    plain = (
        header == [0]
        and not given
        and first == 1
        and len(found.rows[0]) == width
        and table[0][0] == next(index for index, line in enumerate(lines) if line.strip())
        and not comments
        and found.delimiter != " "
        and found.decimal == "."
    )
    layout = TextLayout(
        delimiter=found.delimiter,
        decimal=found.decimal,
        skip=skip,
        names=tuple(names) if named else tuple(f"c{index + 1}" for index in range(width)),
        named=named,
        comments=comments,
        plain=plain,
        notes=() if plain else notes,
    )
    return layout if plain else replace(layout, remarks=(_remark(layout, said, given),))


def _names(
    lines: Sequence[str], table: list[tuple[int, str]], found: _Candidate
) -> tuple[list[str] | None, list[int], str]:
    """Names above the first row, the lines of the table they are in, and a remark on them."""
    width, first, rows = found.width, found.first, found.rows
    if first > 0 and len(rows[first - 1]) == width:
        names = [cell.strip() for cell in rows[first - 1]]
        above = rows[first - 2] if first > 1 else []
        units = [cell.strip().strip("[]()") for cell in rows[first - 1]]
        distinct = len(above) == width == len({cell.strip() for cell in above})
        if distinct and all(_UNIT.fullmatch(cell.strip()) for cell in rows[first - 1] if cell.strip()):
            joined = [f"{name.strip()} [{unit}]" if unit and unit != "-" else name.strip()
                      for name, unit in zip(above, units, strict=True)]  # fmt: skip
            return joined, [first - 2, first - 1], "units in the line below the names"
        return _made_unique(rows, first, names)
    if first > 0 and len(rows[first - 1]) == width - 1 and (width > 2 or _TITLE.fullmatch(rows[first - 1][0].strip())):
        return ["", *(cell.strip() for cell in rows[first - 1])], [first - 1], "a first column without a name"
    above = [line for line in lines[: table[first][0]] if line.strip()]
    if above and above[-1].lstrip().startswith(COMMENTS):
        names = _commented_names(_without_mark(above[-1]), width, found.delimiter)
        if names is not None:
            return names, [], "names from the comment above the numbers"
    elif above:
        names = _spaced_names(above[-1], width)
        if names is not None:
            return names, [first - 1], "names from the line above the numbers"
    return None, [], ""


def _made_unique(rows: list[list[str]], first: int, names: list[str]) -> tuple[list[str], list[int], str]:
    """Names, the lines they are in, and a remark; where names repeat, with the line of names above: nose_x, tail_x."""
    joined, used = names, [first - 1]
    while len(set(joined)) < len(joined) and used[0] > 0 and len(rows[used[0] - 1]) == len(names):
        above, filled = rows[used[0] - 1], ""
        groups = [filled := cell.strip() or filled for cell in above]  # an empty cell belongs to the one before
        joined = [f"{group}_{name}" if group else name for group, name in zip(groups, joined, strict=True)]
        used = [used[0] - 1, *used]
    if len(set(joined)) < len(joined) or len(used) == 1:
        return names, [first - 1], ""
    return joined, used, f"names from {len(used)} lines"


def _commented_names(text: str, width: int, delimiter: str) -> list[str] | None:
    """The words of a comment as names, if there is one for each column and each looks like a name; else None."""
    splits = [_cells(text, delimiter), re.split(r"\s{2,}|\t|[,;]", text), _NAME_AND_UNIT.findall(text), text.split()]
    for words in splits:
        names = [word.strip() for word in words if word.strip()]
        if len(names) == width and all(_NAME.fullmatch(name) for name in names):
            return names
    return None


def _spaced_names(text: str, width: int) -> list[str] | None:
    """Names with units, or with wide spaces between them, in a line that is no comment; else None."""
    for words in (re.split(r"\s{2,}|\t", text.strip()), [word[0] for word in _WITH_UNIT.finditer(text)]):
        names = [word.strip() for word in words]
        if len(names) == width > 1 and all(_TITLE.fullmatch(name) for name in names):
            return names
    return None


def _given_names(names: list[str] | None, width: int, wanted: Wanted) -> tuple[list[str] | None, bool]:
    if wanted.columns is None:
        return names, False
    given = [name.strip() for name in wanted.columns]
    if len(given) != width:
        raise InputError(
            f"{len(given)} names are given for {width} columns ({', '.join(given[:6])}); give one for each column."
        )
    return given, True


def _refuse_one_column_or_two(found: _Candidate) -> None:
    """Ask about lines such as 1,5 without names: two whole numbers, or one number with a decimal comma."""
    rows = [row for row in found.rows if len(row) == 2]
    if found.delimiter != "," or found.width != 2 or not all(re.fullmatch(r"\s*[+-]?\d+", row[0]) for row in rows):
        return
    second = [row[1].strip() for row in rows]
    if not all(re.fullmatch(r"\d+", cell) for cell in second):
        return
    if all(len(cell) == 1 for cell in second) or any(len(cell) > 1 and cell.startswith("0") for cell in second):
        raise UndecidedError(
            f"Lines such as {','.join(rows[0])!r} are two whole numbers, or one number with a decimal comma",
            Answer("decimal=','", ("--decimal", ","), "one number"),
            Answer("delimiter=','", ("--delimiter", ","), "two numbers"),
        )


def _remark(layout: TextLayout, said: str, given: bool) -> str:
    parts = [f"{WORDS[layout.delimiter]} between columns" if len(layout.names) > 1 else "one column"]
    if layout.decimal == ",":
        parts.append("decimal comma")
    if not layout.named:
        count = len(layout.names)
        parts.append("no names, so " + ("c1" if count == 1 else "c1, c2" if count == 2 else f"c1 to c{count}"))
    elif given:
        parts.append("names as given")
    elif said:
        parts.append(said)
    if layout.notes:
        lines = "1 line" if len(layout.notes) == 1 else f"{len(layout.notes)} lines"
        parts.append(f"{lines} of text kept as a note")
    return f"Read as text: {', '.join(parts)}."


def _as_named(table: list[tuple[int, str]], wanted: Wanted) -> TextLayout:
    """A layout where no reading finds numbers: comma, tab or semicolon by the first line, which holds names."""
    header = table[0][1]
    asked = None if wanted.delimiter is None else DELIMITERS[wanted.delimiter]
    delimiter = asked or next((mark for mark in (",", "\t", ";") if mark in header), ",")
    return TextLayout(delimiter=delimiter, skip=table[0][0] + 1)


def _cells(line: str, delimiter: str) -> list[str]:
    if delimiter == " ":
        return line.split()
    if line and not _SPECIAL.search(line):
        return line.split(delimiter)  # as csv would, at a tenth of the time
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return line.split(delimiter)


def _kind(cell: str, decimal: str) -> str:
    text = cell.strip()
    if text in MISSING:
        return "missing"
    if _NUMBER[decimal].fullmatch(text):
        return "number"
    return "date" if TIME_OF_DAY.fullmatch(text) or DATE.fullmatch(text) else "word"


def _without_mark(line: str) -> str:
    text = line.strip()
    mark = next((mark for mark in COMMENTS if text.startswith(mark)), "")
    plain = "".join(letter if letter.isprintable() else " " for letter in text.removeprefix(mark))
    return " ".join(plain.lstrip("#%/").split())


def _positive(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 < value < float("inf") else None
