"""Binance's daily files of aggregate trades, as downloaded: one zip with one CSV of one symbol and one day (UTC).

Gross errors are dropped, nothing else. Trades become prices on a regular grid: the last trade of each bin, carried
forward over bins without a trade.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import zipfile
import zlib
from dataclasses import dataclass
from datetime import date
from itertools import islice
from pathlib import Path

import numpy as np
import scipy.ndimage
from jaxtyping import Bool, Float

from liestonet.errors import InputError
from liestonet.trajectories.trajectories import Trajectories

SYMBOL = "BTCUSDT"
VARIABLE = "LIESTONET_TRADES"  # environment variable with the file's path, for a study's processes
NAME = re.compile(r"^(?P<symbol>[A-Z0-9]+)-aggTrades-(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})\.(zip|csv)$")
COLUMNS = ["id", "price", "quantity", "first", "last", "time", "maker", "match"]
# pyarrow's messages for a line that it cannot parse, or a field that is no number
PROBLEM = re.compile(
    r"(In CSV column #(?P<column>\d+)|CSV parse error): Row #(?P<row>\d+): (CSV conversion error to \w+: )?(?P<what>.*)"
)
DAY = 86_400.0
# Seconds without a trade at either end of a day or inside, at most: a symbol worth a study trades every few seconds, so
# ten minutes indicate a missing part, not a quiet market.
MOST_QUIET = 600.0
LARGEST = 4 << 30  # bytes of CSV: a day of the busiest symbol has well below one gigabyte
# A gross error: this far from so many neighbours on either side, as a part of the price and in robust standard
# deviations of theirs. The largest genuine step between two trades of a quiet day is below one per mille.
NEIGHBOURS, LEAST, DEVIATIONS = 9, 5e-3, 10.0


@dataclass(frozen=True)
class DayFile:
    """A file by its name and the SHA-256 of its bytes, which distinguishes files of the same name."""

    name: str
    sha256: str


@dataclass(frozen=True)
class Trades:
    """Times in seconds since midnight UTC, ascending, and prices; `dropped` trades had a price that was an error."""

    symbol: str
    day: str
    times: np.ndarray
    prices: np.ndarray
    dropped: int = 0

    def bars(self, seconds: float) -> Bars:
        """The price at the end of each bin of the day."""
        count = round(DAY / seconds)
        bins = np.minimum((self.times / seconds).astype(int), count - 1)
        last = np.flatnonzero(np.diff(bins, append=count) > 0)  # the last trade of each bin that has one
        filled = np.full(count, -1)
        filled[bins[last]] = last
        traded = filled >= 0
        carried = np.maximum.accumulate(filled)
        first = int(np.argmax(traded))
        return Bars(seconds, first * seconds, self.prices[carried[first:]], traded[first:])


@dataclass(frozen=True)
class Bars:
    """Prices on a time grid; `traded` says in which bins there was a trade."""

    seconds: float
    start: float
    prices: np.ndarray
    traded: np.ndarray

    def windows(self, length: int, stride: int, *, log: bool = False) -> Trajectories:
        """Overlapping windows as paths, each with its own clock."""
        if len(self.prices) < length:
            raise InputError(f"The day has {len(self.prices)} bins, fewer than a window of {length}.")
        starts = np.arange(0, len(self.prices) - length + 1, stride)
        rows = self.prices[starts[:, None] + np.arange(length)]
        states, name = (np.log(rows), "logprice") if log else (rows, "price")
        return Trajectories.from_arrays(np.arange(length) * self.seconds, states[:, :, None], names=[name])


def gross_errors(prices: Float[np.ndarray, " n"]) -> Bool[np.ndarray, " n"]:
    """Which prices are outliers: far from the median of their neighbours on both sides, most of which are close to it.

    Since most trades of each side must agree, a jump to another level is kept. So are excursions of more than
    NEIGHBOURS // 2 + 1 trades, and the first and last NEIGHBOURS trades of the day, which have neighbours on one side
    only.
    """
    errors, inner = np.zeros(len(prices), dtype=bool), slice(NEIGHBOURS, -NEIGHBOURS)
    middle = scipy.ndimage.median_filter(prices, 2 * NEIGHBOURS + 1)
    suspects = np.flatnonzero((np.abs(prices - middle) > LEAST * middle)[inner]) + NEIGHBOURS
    offsets = np.delete(np.arange(-NEIGHBOURS, NEIGHBOURS + 1), NEIGHBOURS)
    around = prices[suspects[:, None] + offsets]
    centre = np.median(around, axis=1)
    distances = np.abs(around - centre[:, None])
    bound = np.maximum(DEVIATIONS * 1.4826 * np.median(distances, axis=1), LEAST * centre)
    alone = np.count_nonzero(distances > bound[:, None], axis=1) <= NEIGHBOURS // 2
    errors[suspects] = alone & (np.abs(prices[suspects] - centre) > bound)
    return errors


def announced(path: Path | None) -> DayFile | None:
    """The file by name and content, with its path announced to all processes of this study; None if none was given."""
    if path is None:
        return None
    read_trades(path, SYMBOL)  # a wrong file is refused before anything is computed
    os.environ[VARIABLE] = str(path.resolve())
    return DayFile(path.name, hashlib.sha256(_raw(path)).hexdigest())


def announced_trades(file: DayFile) -> Trades:
    """The trades of a study from the announced path; a file of the same name with other content is refused."""
    path = os.environ.get(VARIABLE)
    if path is None or Path(path).name != file.name:
        raise InputError(f"This needs the file {file.name}; give it with --trades.")
    found = hashlib.sha256(_raw(Path(path))).hexdigest()
    if found != file.sha256:
        raise InputError(
            f"{path} is not the {file.name} of this study (its SHA-256 begins with {found[:12]}, not with "
            f"{file.sha256[:12]}); put the same file there."
        )
    return read_trades(path)


def read_trades(path: str | Path, symbol: str | None = None) -> Trades:
    """Read one day without gross errors; a wrong symbol, a damaged archive or an incomplete day is refused."""
    path = Path(path)
    known = NAME.match(path.name)
    if known is None:
        raise InputError(
            f"{path.name} is not named like a daily file of aggregate trades (BTCUSDT-aggTrades-2024-01-01.zip); "
            "give the zip as downloaded."
        )
    if symbol is not None and known["symbol"] != symbol:
        raise InputError(f"{path.name} holds trades of {known['symbol']}, not of {symbol}; give that symbol's file.")
    midnight = _midnight(known["day"], path.name)
    content = _content(path)
    times, prices = _columns(content, path.name)
    seconds = _seconds(times, midnight, path.name, known["day"])
    if (np.diff(seconds) < 0).any():
        line = _line(content, int(np.argmax(np.diff(seconds) < 0)) + 1)
        raise InputError(f"{path.name}, line {line}: the trade is earlier than the one before it.")
    _check_whole(seconds, path.name)
    kept = ~gross_errors(prices)
    return Trades(known["symbol"], known["day"], seconds[kept], prices[kept], int(np.count_nonzero(~kept)))


def _midnight(day: str, name: str) -> int:
    """Milliseconds since 1970 at which a day begins (UTC)."""
    try:
        return (date.fromisoformat(day) - date(1970, 1, 1)).days * 86_400_000
    except ValueError as problem:
        raise InputError(f"{name} names no day of the calendar ({day}); give the zip as downloaded.") from problem


def _raw(path: Path) -> bytes:
    """The bytes of the file."""
    if not path.is_file():
        raise InputError(f"There is no file {path}; download that day's aggTrades from Binance's public data.")
    try:
        return path.read_bytes()
    except OSError as problem:
        raise InputError(f"{path} cannot be read ({(problem.strerror or str(problem)).lower()}).") from problem


def _content(path: Path) -> bytes:
    """The CSV inside the zip, or the CSV itself."""
    raw = _raw(path)
    if path.suffix == ".csv":
        return raw
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            members = [entry for entry in archive.infolist() if entry.filename.endswith(".csv")]
            if len(members) != 1:
                raise InputError(f"{path.name} should hold one CSV file and holds {len(members)}.")
            if members[0].file_size > LARGEST:
                raise InputError(f"{path.name} unpacks to more than {LARGEST >> 30} GB; that is not a day of trades.")
            return archive.read(members[0])
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError) as problem:
        raise InputError(f"{path.name} is damaged or incomplete ({problem}); download it again.") from problem


def _columns(content: bytes, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Raw time stamps and prices."""
    if not content.strip():
        raise InputError(f"{name} holds no trades.")
    if not content.endswith(b"\n") and content.rpartition(b"\n")[2].count(b",") < len(COLUMNS) - 2:
        raise InputError(f"The last line of {name} is incomplete; download it again.")
    fields = content.partition(b"\n")[0].count(b",") + 1
    if fields not in (len(COLUMNS), len(COLUMNS) - 1):
        raise InputError(f"{name} has {fields} columns; aggregate trades have {len(COLUMNS)}.")
    times, prices = _parsed(content, COLUMNS[:fields], name)
    if not len(prices):
        raise InputError(f"{name} has no trades.")
    wrong = ~np.isfinite(prices) | (prices <= 0)
    if wrong.any():
        raise InputError(f"{name}, line {_line(content, int(np.argmax(wrong)))}: the price is not a positive number.")
    return times, prices


def _parsed(content: bytes, columns: list[str], name: str) -> tuple[np.ndarray, np.ndarray]:
    """Time stamps and prices as numbers, in one thread: with several, errors do not name the row."""
    import pyarrow
    from pyarrow import csv

    kinds = {"price": pyarrow.float64(), "time": pyarrow.int64()}
    try:
        table = csv.read_csv(
            io.BytesIO(content),
            csv.ReadOptions(use_threads=False, column_names=columns, skip_rows=_header(content)),
            csv.ParseOptions(quote_char=False),
            csv.ConvertOptions(column_types=kinds, include_columns=list(kinds), null_values=[]),
        )
    except pyarrow.ArrowInvalid as problem:
        raise _malformed(" ".join(str(problem).split()), content, name) from problem
    return table["time"].to_numpy(), table["price"].to_numpy()


def _malformed(problem: str, content: bytes, name: str) -> InputError:
    """An error of pyarrow as a message with line and column."""
    found = PROBLEM.match(problem)
    if found is None:  # pyarrow names no row where a line is longer than its blocks
        longest = int(np.argmax([len(text) for text in content.splitlines()])) + 1
        return InputError(f"{name} is malformed: {problem}; its longest line is line {longest}.")
    line = _line(content, int(found["row"]) - _header(content) - 1)
    column = f" as {COLUMNS[int(found['column'])]}" if found["column"] else ""
    what = found["what"].replace("Expected", "expected").rstrip(" .")
    return InputError(f"{name} is malformed on line {line}: {what}{column}.")


def _header(content: bytes) -> int:
    """The number of header lines; some files have one."""
    return int(not content[:1].isdigit())


def _line(content: bytes, trade: int) -> int:
    """The line number of a trade in the file, with header and empty lines counted."""
    skipped = _header(content)
    filled = (number for number, text in enumerate(content.splitlines(), 1) if text and number > skipped)
    return next(islice(filled, trade, None))


def _seconds(stamps: np.ndarray, midnight: int, name: str, day: str) -> np.ndarray:
    """Seconds since midnight; files write milliseconds, since 2025 microseconds."""
    unit = 1_000_000 if stamps[0] > 1e14 else 1_000
    seconds = (stamps - midnight * (unit // 1000)) / unit
    if seconds.min() < 0 or seconds.max() >= DAY:
        raise InputError(f"{name} has trades outside {day} (UTC); the day is missing or the file has another name.")
    return seconds


def _check_whole(seconds: np.ndarray, name: str) -> None:
    """Refuse a day with a missing part, which would be filled with the last price before it."""
    first, last = seconds[0], seconds[-1]
    if first > MOST_QUIET or DAY - last > MOST_QUIET:
        span = f"{_clock(first)} to {_clock(last)} UTC"
        raise InputError(f"{name} covers {span} only: the day is incomplete; download it again.")
    longest = int(np.argmax(np.diff(seconds)))
    before, after = seconds[longest], seconds[longest + 1]
    if after - before > MOST_QUIET:
        raise InputError(
            f"{name} has no trade from {_clock(before)} to {_clock(after)} UTC: a part is missing, or the market was "
            "closed; download it again, or take another day."
        )


def _clock(seconds: float) -> str:
    """Hours and minutes of a time of day."""
    return f"{int(seconds) // 3600:02}:{int(seconds) % 3600 // 60:02}"
