"""Files as laboratories write them, one of each kind, as bytes by name: for the page of first commands and the fuzz."""

from __future__ import annotations

import gzip
import io

import h5py
import numpy as np
from scipy.io import savemat

ROWS = 40


def walk(rows: int = ROWS, columns: int = 2, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Times, and paths of an Ornstein–Uhlenbeck process, rate 1 and noise 1, in exact steps."""
    rng = np.random.default_rng(seed)
    step = 0.05
    kept, noise = np.exp(-step), np.sqrt((1 - np.exp(-2 * step)) / 2)
    states = np.empty((rows, columns))
    states[0] = rng.uniform(-2, 2, columns)
    for row in range(1, rows):
        states[row] = kept * states[row - 1] + noise * rng.standard_normal(columns)
    return step * np.arange(rows), states


def lines(template: str, *columns: np.ndarray) -> str:
    """A line for each row."""
    return "".join(template.format(*row) + "\n" for row in zip(*columns, strict=True))


def clock(t: np.ndarray, start: float = 86_390.0) -> list[str]:
    """Times of day that pass midnight."""
    return [f"{int(s // 3600) % 24:02d}:{int(s // 60) % 60:02d}:{s % 60:06.3f}" for s in t + start]


def matlab_new(tracks: int, rows: int = ROWS) -> bytes:
    """A file of version 7.3: a struct array of tracks, a function handle and a leftover number."""
    buffer = io.BytesIO()
    with h5py.File(buffer, "w") as file:
        group, kept = file.create_group("tracks"), file.create_group("#refs#")
        group.attrs["MATLAB_class"] = np.bytes_("struct")
        for field in ("time", "position"):
            found = group.create_dataset(field, (tracks, 1), dtype=h5py.ref_dtype)
            for index in range(tracks):
                t, x = walk(rows, 2, index)
                item = kept.create_dataset(f"{field}{index}", data=t[None, :] if field == "time" else x.T)
                item.attrs["MATLAB_class"] = np.bytes_("double")
                found[index, 0] = item.ref
        handle = file.create_dataset("model", data=np.zeros((1, 2), dtype=np.uint32))
        handle.attrs["MATLAB_class"] = np.bytes_("function_handle")
        number = file.create_dataset("i", data=np.ones((1, 1)))
        number.attrs["MATLAB_class"] = np.bytes_("double")
    return buffer.getvalue()


def matlab_old(rows: int = ROWS, tracks: int = 5) -> bytes:
    """A file of version 5: a struct array of tracks in frames with their step, and leftovers."""
    array = np.empty((1, tracks), dtype=[("position", "O"), ("time", "O"), ("dT", "O")])
    for index in range(tracks):
        t, x = walk(rows, 2, index)
        array[0, index] = (x, np.arange(1, len(t) + 1, dtype=np.uint16)[:, None], 0.05)
    buffer = io.BytesIO()
    savemat(buffer, {"tracks": array, "i": 3.0, "fileName": "run 7", "current": array[:, :1]})
    return buffer.getvalue()


def saved(array: np.ndarray) -> bytes:
    """A .npy file."""
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def kinds(rows: int = ROWS, paths: int = 20) -> dict[str, bytes]:
    """Every kind of file, by a name that has its suffix."""
    t, x = walk(rows)
    wide = np.stack([walk(rows, 1, seed)[1][:, 0] for seed in range(paths)], axis=1)
    labels = np.repeat(np.arange(paths), rows)
    long = lines("{:d} {:.3f} {:.5f}", labels, np.tile(t, paths), wide.T.ravel())
    count = np.arange(rows)
    noon = lines("31-01-2024;{};{:.5f}", np.array(clock(t, 43_200.0)), x[:, 0])
    text: dict[str, str] = {
        "comma.csv": "t,x,y\n" + lines("{:.3f},{:.5f},{:.5f}", t, *x.T),
        "decimal_comma.csv": ("Zeit [s];Ort [mm]\n" + lines("{:.3f};{:.5f}", t, x[:, 0])).replace(".", ","),
        "tabs.tsv": "time (s)\tx (um)\n" + lines("{:.3f}\t{:.5f}", t, x[:, 0]),
        "blanks.txt": lines("   {:.3f}   {:.5f}  {:.5f}", t, *x.T),
        "hash.txt": "# bead 3, laser 40 mW\n# t x y\n" + lines("{:.3f} {:.5f} {:.5f}", t, *x.T),
        "percent.dat": "% run 7\n" + lines("{:.3f}\t{:.5f}", t, x[:, 0]),
        "slashes.csv": "// exported\nt,x\n" + lines("{:.3f},{:.5f}", t, x[:, 0]),
        "preamble.csv": "Instrument: A17\nOperator: B\n\nt,x\n(s),(um)\n" + lines("{:.3f},{:.5f}", t, x[:, 0]),
        "index.csv": ",t,x\n" + lines("{:d},{:.3f},{:.5f}", count, t, x[:, 0]),
        "row_numbers.txt": lines("{:d} {:.3f} {:.5f}", count, t, x[:, 0]),
        "midnight.csv": "time,x\n" + lines("{},{:.5f}", np.array(clock(t)), x[:, 0]),
        "dates.csv": "Date;Time;x\n"
        + noon.replace(".", ",").replace("31-01-", "31.01."),
        "newest_first.csv": "t,x\n" + lines("{:.3f},{:.5f}", t[::-1], x[::-1, 0]),
        "core.tab": "/* core 7 */\nAge [ka BP]\td18O [per mil]\n"
        + lines("{:.3f}\t{:.5f}", t[-1] - t[::-1], x[::-1, 0]),
        "no_time.txt": "# sampling rate 20 Hz\n" + lines("{:.5f}", x[:, 0]),
        "columns.csv": "t," + ",".join(f"bead_{index}" for index in range(paths)) + "\n"
        + "".join(f"{s:.3f}," + ",".join(f"{v:.5f}" for v in row) + "\n" for s, row in zip(t, wide, strict=True)),
        "rows.txt": " ".join(f"{s:.3f}" for s in t) + "\n"
        + "".join(" ".join(f"{v:.5f}" for v in row) + "\n" for row in wide.T),
        "labels.txt": long,
        "frames.csv": "particle,frame,x\n" + lines("{:d},{:d},{:.5f}", labels, np.tile(count, paths), wide.T.ravel()),
    }  # fmt: skip
    made = {name: content.encode() for name, content in text.items()}
    made["packed.txt.gz"] = gzip.compress(made["hash.txt"], mtime=0)
    made["table.npy"] = saved(np.column_stack([t, x]))
    made["paths.npy"] = saved(np.stack([walk(rows, 2, seed)[1] for seed in range(paths)]))
    made["tracks.mat"] = matlab_old(rows, paths)
    made["tracks73.mat"] = matlab_new(paths, rows)
    return made


# What the second command has to add, where the first one asks.
SECOND: dict[str, tuple[str, ...]] = {
    "no_time.txt": ("--dt", "0.05"),
    "paths.npy": ("--dt", "0.05"),
}


def mangled(rng: np.random.Generator, content: bytes) -> bytes:
    """A file with one to four pieces removed, doubled, overwritten, or replaced by text that is hard to parse."""
    data = bytearray(content)
    for _ in range(int(rng.integers(1, 5))):
        first = int(rng.integers(0, len(data) + 1))
        last = min(len(data), first + int(rng.integers(0, 40)))
        what = int(rng.integers(0, 6))
        if what == 0:
            del data[first:last]
        elif what == 1:
            data[first:first] = data[first:last] * int(rng.integers(1, 4))
        elif what == 2:
            data[first:last] = rng.bytes(last - first)
        elif what == 3:
            data[first:last] = PIECES[int(rng.integers(0, len(PIECES)))]
        elif what == 4:
            del data[max(first, 1) :]
        elif data:
            data[min(first, len(data) - 1)] ^= 1 << int(rng.integers(0, 8))
    return bytes(data)


PIECES = (
    b"\n", b"\r", b"\r\n\r\n", b",", b";", b"\t", b"  ", b'"', b"#", b"# ", b"%", b"//", b"\0", b"\xff", b"nan", b"inf",
    b"1e999", b"-", b"12:60:99", b"2024-13-01", b"0,5", b"1.2.3", b"t", b"time", b"\xef\xbb\xbf",
    b"99999999999999999999", b"\n\n\n", b",,,,", b"abc def", b"\xc2\xb5m", b"\xe2\x80\xa8",
)  # fmt: skip
