"""One column of a table to numbers: coordinates to float64, dates to seconds, labels to codes.

Columns are pyarrow arrays here, whatever they were before; errors name column and row (counted from 0).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as arrow
from jaxtyping import Float, Int

from liestonet.errors import InputError
from liestonet.trajectories.arrays import integers_are_exact
from liestonet.trajectories.dates import EARLIEST, TICKS_PER_SECOND, Stamps

MISSING = ("", "NA", "N/A", "NaN", "nan", "-nan", "null", "NULL", "None", "none", "n/a", "#N/A")


def is_numeric(kind: Any) -> bool:
    """Can a column of this pyarrow type be a coordinate?"""
    if arrow.types.is_dictionary(kind):
        return is_numeric(kind.value_type)
    return arrow.types.is_integer(kind) or arrow.types.is_floating(kind) or arrow.types.is_decimal(kind)


def is_stamp(kind: Any) -> bool:
    """Does a column of this pyarrow type hold dates, durations, or text that may be dates?"""
    types = arrow.types
    return types.is_timestamp(kind) or types.is_date(kind) or types.is_duration(kind) or is_text(kind)


def is_text(kind: Any) -> bool:
    """Is it a column of text?"""
    if arrow.types.is_dictionary(kind):
        return is_text(kind.value_type)
    return arrow.types.is_string(kind) or arrow.types.is_large_string(kind) or arrow.types.is_string_view(kind)


def numbers(column: Any, name: str) -> Float[np.ndarray, " n"]:
    """A float64 array with NaN where the column has nothing."""
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
    """Dates, durations or ISO text as whole ticks."""
    plain = decoded(column)
    if is_text(plain.type):
        plain = _dates_of_text(plain, name)
    kind = plain.type
    if arrow.types.is_date(kind):
        plain = plain.cast(arrow.timestamp("s"))
        kind = plain.type
    ticks = plain.cast(arrow.int64()).fill_null(int(EARLIEST)).to_numpy(zero_copy_only=False)
    return Stamps(np.asarray(ticks, dtype=np.int64), TICKS_PER_SECOND[kind.unit], not arrow.types.is_duration(kind))


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
    """The error for a column that is no coordinate, with the first row that shows why."""
    if is_text(plain.type):
        check_text(plain, name)
        return InputError(f"The column {name!r} holds numbers as text; convert it to numbers first.")
    return InputError(
        f"The column {name!r} is of type {plain.type}, which is not a real number; convert it or leave it out."
    )


def _dates_of_text(plain: Any, name: str) -> Any:
    # The parser of dates reads a day, a minute, a second or any fraction of one; nanoseconds hold them all,
    # but only between 1678 and 2262.
    blank = [None if value is None or value.strip() in MISSING else value.strip() for value in plain.to_pylist()]
    for unit, zone in (("ns", None), ("us", None), ("ns", "UTC"), ("us", "UTC")):
        try:
            return arrow.array(blank, arrow.string()).cast(arrow.timestamp(unit, zone))
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
