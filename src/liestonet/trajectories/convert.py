"""One column of a table to numbers: coordinates to float64, dates to seconds, labels to codes.

Columns are pyarrow arrays here; errors name column and row (counted from 0).
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pyarrow as arrow
import pyarrow.compute
from jaxtyping import Float, Int

from liestonet.errors import InputError
from liestonet.trajectories.arrays import integers_are_exact
from liestonet.trajectories.dates import EARLIEST, TICKS_PER_SECOND, Stamps

compute: Any = pyarrow.compute  # its functions are made when it is loaded, which type checkers do not see

MISSING = ("", ".", "NA", "N/A", "NaN", "nan", "-nan", "null", "NULL", "None", "none", "n/a", "#N/A")
# 12:00, 7:05:01.5, 7:05 PM; a day in front of it, 2024-01-31, 2024/01/31, 31.01.2024 or 31/01/2024, may have it behind.
TIME_OF_DAY = re.compile(r"\d{1,2}:\d{2}(:\d{2}([.,]\d{1,9})?)?( ?[AaPp]\.?[Mm]\.?)?")
_DAY = r"(\d{4}([-/])\d{1,2}\2\d{1,2}|\d{1,2}([./])\d{1,2}\3\d{4})"
DATE = re.compile(_DAY + rf"([T ]+{TIME_OF_DAY.pattern}(Z|[+-]\d{{2}}(:?\d{{2}})?)?)?")
_HALF_OF_DAY = r"^(?P<day>.*?)(?P<hour>\d{1,2})(?P<rest>:[\d:.,]+) ?(?P<half>[AaPp])\.?[Mm]\.?$"
_DAY_FIRST = r"^(?P<one>\d{1,2})(?P<mark>[./])(?P<two>\d{1,2})[./](?P<year>\d{4})(?P<rest>[T ].*)?$"


def is_numeric(kind: Any) -> bool:
    """Whether a column of this pyarrow type can be a coordinate."""
    if arrow.types.is_dictionary(kind):
        return is_numeric(kind.value_type)
    return arrow.types.is_integer(kind) or arrow.types.is_floating(kind) or arrow.types.is_decimal(kind)


def is_stamp(kind: Any) -> bool:
    """Whether a column of this pyarrow type holds dates, times of day, durations, or text that may be one of them."""
    types = arrow.types
    dates = types.is_timestamp(kind) or types.is_date(kind) or types.is_duration(kind) or types.is_time(kind)
    return dates or is_text(kind)


def is_text(kind: Any) -> bool:
    """Whether it is a column of text."""
    if arrow.types.is_dictionary(kind):
        return is_text(kind.value_type)
    return arrow.types.is_string(kind) or arrow.types.is_large_string(kind) or arrow.types.is_string_view(kind)


def numbers(column: Any, name: str) -> Float[np.ndarray, " n"]:
    """A float64 array with NaN where a value is missing."""
    plain = decoded(column)
    kind = plain.type
    if arrow.types.is_null(kind):
        return np.full(len(plain), np.nan)
    if not is_numeric(kind):
        raise _not_numeric(plain, name)
    if arrow.types.is_integer(kind):
        filled = plain.fill_null(0).to_numpy(zero_copy_only=False)
        if not integers_are_exact(filled):
            raise InputError(
                f"The column {name!r} holds integers too large for float64; subtract the first value from all of them."
            )
    values = plain.cast(arrow.float64()).to_numpy(zero_copy_only=False)
    return np.asarray(values, dtype=np.float64)


def stamps(column: Any, name: str) -> Stamps:
    """Dates, times of day, durations, or text of these, as integer ticks."""
    plain = decoded(column)
    remark, of_day = "", arrow.types.is_time(plain.type)
    if is_text(plain.type):
        plain, remark, of_day = _dates_of_text(plain, name)
    elif of_day:
        kind = plain.type
        plain = plain.cast(arrow.int32() if kind.bit_width == 32 else arrow.int64()).cast(arrow.int64())
        plain = plain.cast(arrow.timestamp(kind.unit))
    kind = plain.type
    if arrow.types.is_date(kind):
        plain = plain.cast(arrow.timestamp("s"))
        kind = plain.type
    ticks = plain.cast(arrow.int64()).fill_null(int(EARLIEST)).to_numpy(zero_copy_only=False)
    return Stamps(
        np.asarray(ticks, dtype=np.int64),
        TICKS_PER_SECOND[kind.unit],
        not arrow.types.is_duration(kind),
        of_day,
        remark,
    )


def labels(column: Any, name: str) -> tuple[Int[np.ndarray, " n"], list[Any]]:
    """Codes 0, 1, … in order of first appearance, and the label of each code."""
    plain = decoded(column)
    if plain.null_count or arrow.types.is_null(plain.type):
        missing = np.asarray(plain.is_null().to_numpy(zero_copy_only=False))
        raise InputError(
            f"The column {name!r} names no trajectory in row {int(np.argmax(missing))}; fill it in or drop the row."
        )
    if arrow.types.is_floating(plain.type):
        plain = _whole_labels(plain, name)
    if not (arrow.types.is_integer(plain.type) or is_text(plain.type) or arrow.types.is_boolean(plain.type)):
        raise InputError(
            f"The column {name!r} is of type {plain.type}, which cannot label a trajectory; use numbers or text."
        )
    encoded = plain.dictionary_encode()
    found = encoded.dictionary.to_pylist()
    codes = np.asarray(encoded.indices.to_numpy(zero_copy_only=False), dtype=np.int64)
    empty = [code for code, label in enumerate(found) if not label.strip()] if is_text(plain.type) else []
    if empty:
        row = int(np.argmax(codes == empty[0]))
        raise InputError(f"The column {name!r} names no trajectory in row {row}; fill it in or drop the row.")
    return codes, found


def decoded(column: Any) -> Any:
    """One plain array: chunks joined, categories replaced by their values."""
    joined = column.combine_chunks() if isinstance(column, arrow.ChunkedArray) else column
    if isinstance(joined, arrow.ChunkedArray):  # older versions keep one when there are none or several
        joined = arrow.concat_arrays(joined.chunks) if joined.num_chunks else arrow.array([], joined.type)
    return joined.dictionary_decode() if arrow.types.is_dictionary(joined.type) else joined


def _whole_labels(plain: Any, name: str) -> Any:
    values = plain.to_numpy(zero_copy_only=False)
    bad = np.flatnonzero(~np.isfinite(values) | (values != np.rint(values)))
    if bad.size:
        raise InputError(
            f"The column {name!r} has {values[bad[0]]} as trajectory in row {int(bad[0])}; use whole numbers or text."
        )
    return plain.cast(arrow.int64())


def check_text(column: Any, name: str) -> None:
    """Refuse a column of text in which something is neither a number nor missing."""
    for row, value in enumerate(decoded(column).to_pylist()):
        if value is not None and value.strip() not in MISSING and not _reads_as_number(value):
            raise InputError(
                f"The column {name!r} has the text {_shortened(value)} in row {row} (counted from 0); "
                "write a number, or leave the cell empty where there is none."
            )


def _not_numeric(plain: Any, name: str) -> InputError:
    """The error for a column that is not a coordinate, with the first row that shows this."""
    if is_text(plain.type):
        check_text(plain, name)
        return InputError(f"The column {name!r} holds numbers as text; convert it to numbers first.")
    return InputError(
        f"The column {name!r} is of type {plain.type}, which is not a real number; convert it or leave it out."
    )


def _dates_of_text(plain: Any, name: str) -> tuple[Any, str, bool]:
    """Dates parsed from text, a remark on how they were read, and whether they are times of day without a date."""
    # The parser of dates reads a day, a minute, a second or any fraction of one; nanoseconds hold them all,
    # but only between 1678 and 2262.
    blank = [None if value is None or value.strip() in MISSING else value.strip() for value in plain.to_pylist()]
    text = arrow.array(blank, arrow.string())
    written, remark, of_day = _in_iso(text, name)
    for unit, zone in (("ns", None), ("us", None), ("ns", "UTC"), ("us", "UTC")):
        try:
            return written.cast(arrow.timestamp(unit, zone)), remark, of_day
        except arrow.ArrowInvalid:
            continue
    if next((_reads_as_number(value) for value in blank if value is not None), False):
        raise _not_numeric(plain, name)
    for row, value in enumerate(blank):
        if value is not None and not _reads_as_date(value):
            raise InputError(
                f"The time column {name!r} has the text {_shortened(value)} in row {row} (counted from 0), neither a "
                "number nor a date; write dates as 2024-01-31T12:00:00."
            )
    raise InputError(f"The time column {name!r} mixes dates with and without a time zone; write all in one way.")


def _in_iso(text: Any, name: str) -> tuple[Any, str, bool]:
    """Dates and times of day in ISO form, as the parser needs them; other text unchanged."""
    if _all(text, _HALF_OF_DAY):
        text = _on_24_hours(text)
    if _all(text, f"^(?:{TIME_OF_DAY.pattern})$"):
        padded = compute.replace_substring_regex(text, r"^(\d):", r"0\1:")
        dated = compute.binary_join_element_wise("1970-01-01T", compute.replace_substring(padded, ",", "."), "")
        return dated, "", True
    if _all(text, r"^\d{4}/\d{1,2}/\d{1,2}"):
        return (
            _joined(compute.extract_regex(text, r"^(?P<year>\d{4})/(?P<month>\d{1,2})/(?P<day>\d{1,2})(?P<rest>.*)$")),
            "",
            False,
        )
    if not _all(text, _DAY_FIRST):
        return text, "", False
    parts = compute.extract_regex(text, _DAY_FIRST)
    one, two, mark = (compute.struct_field(parts, field) for field in ("one", "two", "mark"))
    first, second = (int(compute.max(part.cast(arrow.int64())).as_py() or 0) for part in (one, two))
    dotted = compute.all(compute.equal(mark, ".")).as_py()
    if not dotted and first <= 12 and second <= 12:
        raise InputError(
            f"The time column {name!r} has dates such as {text.drop_null()[0].as_py()!r}, whose day and month "
            "cannot be distinguished; write them as 2024-01-31."
        )
    day_first = bool(dotted) or first > 12
    named = dict(zip(("day", "month") if day_first else ("month", "day"), (one, two), strict=True))
    rest = {field: compute.struct_field(parts, field) for field in ("year", "rest")}
    written = arrow.StructArray.from_arrays([*named.values(), *rest.values()], [*named, *rest])
    return _joined(written), f"Dates are {'day, month' if day_first else 'month, day'}, year.", False


def _on_24_hours(text: Any) -> Any:
    """Times with AM or PM as hours from 0 to 23: 12 AM is 0, 12 PM is 12."""
    day, hour, rest, half = compute.extract_regex(text, _HALF_OF_DAY).flatten()
    hours = hour.cast(arrow.int64())
    hours = compute.if_else(compute.equal(hours, 12), 0, hours)
    hours = compute.add(hours, compute.if_else(compute.match_substring(half, "p", ignore_case=True), 12, 0))
    hour = compute.utf8_lpad(hours.cast(arrow.string()), 2, "0")
    return compute.binary_join_element_wise(day, hour, rest, "")


def _joined(parts: Any) -> Any:
    year, month, day, rest = (compute.struct_field(parts, field) for field in ("year", "month", "day", "rest"))
    month, day = (compute.utf8_lpad(part, 2, "0") for part in (month, day))
    time = compute.replace_substring_regex(compute.fill_null(rest, ""), r"^[T ]+(\d):", r"T0\1:")
    time = compute.replace_substring(compute.replace_substring_regex(time, r"^[T ]+", "T"), ",", ".")
    return compute.binary_join_element_wise(compute.binary_join_element_wise(year, month, day, "-"), time, "")


def _all(text: Any, pattern: str) -> bool:
    """Whether a pattern matches every value present, of which there must be at least one."""
    found = compute.match_substring_regex(text, pattern).drop_null()
    return len(found) > 0 and bool(compute.all(found).as_py())


def _reads_as_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text


def _reads_as_date(text: str) -> bool:
    for zone in (None, "UTC"):
        try:
            arrow.array([text]).cast(arrow.timestamp("us", zone))
        except arrow.ArrowInvalid:
            continue
        return True
    return False


def _shortened(text: str) -> str:
    return repr(text if len(text) <= 30 else text[:29] + "…")
