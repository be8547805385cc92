"""Bad data of every kind end in one sentence that names what, where and the remedy, and leave nothing behind."""

from __future__ import annotations

import gzip
import io
import os
import re
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from liestonet.errors import InputError
from liestonet.trajectories import Trajectories, text_files
from liestonet.trajectories.tuning import READING

read = Trajectories.read
frame = Trajectories.from_dataframe
NAN = float("nan")
GOOD = "particle,t,x,y\na,0,1,2\na,1,2,3\nb,0,3,4\nb,1,4,5\n"


def written(text: str | bytes, name: str = "paths.csv") -> Path:
    """A file in the current folder, a new one for each test."""
    path = Path(name)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def gzipped(data: bytes, keep: int | None = None) -> Path:
    return written(gzip.compress(data)[:keep], "paths.csv.gz")


def arrays(**named: object) -> Path:
    np.savez("paths.npz", **named)  # pyright: ignore[reportArgumentType]
    return Path("paths.npz")


def cut(name: str, keep: int) -> Path:
    """A file of ours of which only the beginning is left."""
    Trajectories.from_arrays(np.arange(100.0), np.zeros((3, 100, 2))).write(name)
    return written(Path(name).read_bytes()[:keep], name)


def table(**columns: object) -> Path:
    parquet.write_table(pa.table(columns), "paths.parquet", row_group_size=2)
    return Path("paths.parquet")


def hdf(**named: object) -> Path:
    with h5py.File("paths.h5", "w") as file:
        for name, values in named.items():
            file[name] = values
    return Path("paths.h5")


def bad_member() -> Path:
    """An archive whose array claims more numbers than it holds."""
    buffer = io.BytesIO()
    np.save(buffer, np.arange(100.0))
    with zipfile.ZipFile("paths.npz", "w") as archive:
        archive.writestr("t.npy", buffer.getvalue()[:300])
        archive.writestr("x.npy", buffer.getvalue())
    return Path("paths.npz")


def stream(path: Path, *names: object, rows: int = 2) -> list[object]:
    return list(Trajectories.scan(path, *names).chunks(rows))


# What is wrong, and every piece that the sentence must hold: trajectory, row, column and remedy where they exist.
FILES = {
    "no such file": (lambda: read("nowhere.csv"), "no file 'nowhere.csv'", "check its name"),
    "no such file, one like it": (lambda: (written(GOOD), read("path.csv")), "did you mean 'paths.csv'?"),
    "a folder": (lambda: (os.mkdir("folder.csv"), read("folder.csv")), "is a folder", "give the name of a file"),
    "no path": (lambda: read(3), "name of a file, not 3"),
    "a null in the path": (lambda: read("a\0.csv"), "check its name"),
    "unknown suffix": (lambda: read(written(GOOD, "paths.doc")), "no known suffix", ".csv, .csv.gz, .parquet, .npz"),
    "spreadsheet": (lambda: read(written(GOOD, "paths.xlsx")), "is a spreadsheet", "save the sheet as CSV"),
    "empty csv": (lambda: read(written("")), "'paths.csv' is empty"),
    "empty gzipped csv": (lambda: read(gzipped(b"")), "is empty"),
    "only blank lines": (lambda: read(written("\n\n\n")), "is empty"),
    "header only": (lambda: read(written("t,x\n")), "no rows"),
    "one row": (lambda: read(written("t,x\n0,1\n")), "No trajectory has two consecutive", "longer paths"),
    "two numbers or one": (lambda: read(written("0,1\n1,2\n")), "'0,1' are two whole numbers", "decimal=','"),
    "no header and no time": (lambda: read(written("3.5,1\n1.5,2\n")), "No column increases", "dt=0.01"),
    "cut gzip": (lambda: read(gzipped(GOOD.encode() * 500, 60)), "damaged or cut short", "copy it again"),
    "no gzip": (lambda: read(written(GOOD, "paths.csv.gz")), "damaged or cut short"),
    "latin header": (lambda: read(written("t,gr\xf6\xdfe\n0,1\n1,2\n".encode("latin-1"))), "not UTF-8"),
    "latin label": (
        lambda: read(written("t,particle,x\n0,\xf6,1\n1,\xf6,2\n".encode("latin-1"))),
        "not UTF-8",
        "save it again",
    ),
    "utf-16": (lambda: read(written(GOOD.encode("utf-16"))), "not UTF-8"),
    "over-long line": (
        lambda: read(written("t,x\n0," + "1" * 3_000_000 + "\n1,2\n")),
        "line of more than 1,048,576 bytes",
    ),
    "over-long header": (lambda: read(written("t" * 3_000_000 + "\n1\n")), "line of more than 1,048,576 bytes"),
    "short row": (lambda: read(written("t,x,y\n0,1,2\n1,2\n2,3,4\n")), "2 cells in row 1", "3 columns"),
    "long row": (lambda: read(written("t,x\n0,1\n1,2\n2,3,4\n")), "3 cells in row 2", "2 columns"),
    "text among numbers": (
        lambda: read(written("t,x\n0,1\n1,abc\n2,3\n"), state="x"),
        "'x' has the text 'abc' in row 1",
    ),
    "text among times": (lambda: read(written("t,x\n0,1\nlater,2\n2,3\n")), "'t' has the text 'later' in row 1"),
    "text after a million bytes": (
        lambda: read(written("t,x\n" + "".join(f"{k},1.5\n" for k in range(150_000)) + "150000,oops\n")),
        "'x' has the text 'oops' in row 150000",
    ),
    "decimal comma among others": (
        lambda: read(written("t;x\n0;1,5\n1;2,5\n2;abc\n3;2,5\n"), state="x"),
        "'x' has the text 'abc' in row 2",
    ),
    "no date": (
        lambda: read(written("t,x\n2024-01-01,1\nyesterday,2\n")),
        "'yesterday' in row 1",
        "2024-01-31T12:00:00",
    ),
    "dates with and without zones": (
        lambda: read(written("t,x\n2024-01-01T00:00:00Z,1\n2024-01-01T00:00:01,2\n")),
        "with and without a time zone",
    ),
    "duplicate column": (lambda: read(written("t,x,x\n0,1,2\n1,2,3\n"), "t", None, "x"), "2 columns called 'x'"),
    "duplicate guessed column": (lambda: read(written("t,x,x\n0,1,2\n1,2,3\n")), "'x'", "more than once"),
    "x with two units": (lambda: read(written("t,x [m],x [s]\n0,1,2\n1,2,3\n"), state="x"), "2 columns called 'x'"),
    "wrong time": (lambda: read(written(GOOD), time="tme"), "no column 'tme' for the time", "did you mean 't'?"),
    "wrong state": (
        lambda: read(written("t,position_x\n0,1\n1,2\n"), state=["positon_x"]),
        "no column 'positon_x'",
        "did you mean 'position_x'?",
    ),
    "wrong trajectory": (
        lambda: read(written(GOOD), trajectory="partikel"),
        "for the trajectory",
        "did you mean 'particle'?",
    ),
    "nothing like it": (lambda: read(written(GOOD), state="velocity"), "the columns are 'particle', 't', 'x', 'y'"),
    "state a number": (lambda: read(written(GOOD), state=2), "list of names"),
    "state of numbers": (lambda: read(written(GOOD), state=[2]), "named by text, not by 2"),
    "no state": (lambda: read(written(GOOD), state=[]), "state has no columns"),
    "time as state": (lambda: read(written(GOOD), time="t", state=["t", "x"]), "'t'", "only once"),
    "no time column": (lambda: read(written("frame,x\n0,1\n1,2\n")), "No column is called t or time", "time='frame'"),
    "two time columns": (lambda: read(written("t,time,x\n0,0,1\n1,1,2\n")), "More than one column", "'t', 'time'"),
    "nothing left for the state": (lambda: read(written("t,name\n0,a\n1,b\n")), "No numeric column is left"),
    "state called like the time": (lambda: read(written("time,t\n0,1\n1,2\n"), time="time", state="t"), "'t' is taken"),
    "missing label": (lambda: read(written("particle,t,x\na,0,1\n,1,2\n")), "'particle' names no trajectory in row 1"),
    "unsorted times": (
        lambda: read(written("particle,t,x\na,0,1\nb,0,1\na,2,1\nb,1,1\na,1,1\n")),
        "Trajectory 'a', row 4 of the table",
        "time 1 after 2",
        "sort=True",
    ),
    "duplicate times": (
        lambda: read(written("particle,t,x\na,0,1\nb,0,1\na,1,1\nb,0,1\n"), sort=True),
        "Trajectory 'b', row 3 of the table",
        "remove the duplicate",
    ),
    "sort without a time": (
        lambda: read(written("t,x\n0,1\n,2\n"), sort=True),
        "Row 1",
        "no time in 't'",
        "fill it in",
    ),
    "several paths without label": (
        lambda: read(written("t,x\n0,1\n1,2\n0,3\n1,4\n")),
        "Row 2 of the table",
        "time 0 after 1",
        "several paths",
    ),
    "all missing": (lambda: read(written("t,x\n0,\n1,nan\n")), "Row 0 of the table (counted from 0) has x = nan"),
    "every second missing": (lambda: read(written("t,x\n0,1\n1,inf\n2,3\n")), "Row 1", "x = inf"),
    "huge": (lambda: read(written("t,x\n0,1\n1,1e300\n")), "Row 1", "x = 1e+300, whose square overflows"),
    "integers too large": (
        lambda: read(written(f"t,x\n{2**60},1\n{2**60 + 1},2\n")),
        "'t' holds integers too large for float64",
        "subtract the first value",
    ),
    "wrong gap": (lambda: read(written(GOOD), gap=-1), "positive time", "not -1"),
    "gap below every step": (lambda: read(written(GOOD), gap=0.1), "no increment"),
    "cut parquet": (lambda: read(cut("paths.parquet", 400)), "'paths.parquet' cannot be read", "complete"),
    "no parquet": (lambda: read(written(GOOD, "paths.parquet")), "'paths.parquet' cannot be read"),
    "text in parquet": (
        lambda: read(table(t=[0, 1, 2], x=["1", "2", "b"]), state="x"),
        "'x' has the text 'b' in row 2",
    ),
    "numbers as text in parquet": (lambda: read(table(t=[0, 1], x=["1", "2"]), state="x"), "holds numbers as text"),
    "lists in parquet": (lambda: read(table(t=[0, 1], x=[[1], [2]]), state="x"), "'x' is of type list"),
    "booleans in parquet": (lambda: read(table(t=[0, 1], x=[True, False]), state="x"), "'x' is of type bool"),
    "fraction as label": (lambda: read(table(t=[0, 1], path=[0.5, 1], x=[1, 2])), "0.5 as trajectory in row 0"),
    "dates as labels": (
        lambda: read(table(t=[0, 1], path=np.array(["2024-01-01", "2024-01-02"], "M8[s]"), x=[1, 2])),
        "cannot label a trajectory",
    ),
    "cut npz": (lambda: read(cut("paths.npz", 3000)), "not a complete .npz file", "save it again"),
    "no npz": (lambda: read(written(GOOD, "paths.npz")), "not a complete .npz file"),
    "npz with a short array": (lambda: read(bad_member()), "not a complete .npz file"),
    "pickled npz": (
        lambda: read(arrays(t=np.array([0, {}], dtype=object), x=np.zeros(2))),
        "never unpickled",
        "save plain numbers",
    ),
    "npz of unequal columns": (
        lambda: read(arrays(t=np.arange(3.0), x=np.arange(2.0))),
        "'x' has 2 rows but the time 3",
    ),
    "npz of unequal labels": (
        lambda: read(arrays(t=np.arange(3.0), x=np.arange(3.0), path=np.arange(2))),
        "'path' has 2 rows but the time 3",
    ),
    "npz of complex numbers": (lambda: read(arrays(t=np.arange(2.0), x=np.ones(2) * 1j), state="x"), "'x' is complex"),
    "npz of unequal blocks": (
        lambda: read(arrays(t=np.arange(3.0), x=np.zeros((2, 3)), y=np.zeros((2, 4))), state=["x", "y"]),
        "x, y have different shapes",
    ),
    "npz of too many axes": (
        lambda: read(arrays(t=np.arange(3.0), x=np.zeros((2, 3, 4, 5))), state="x"),
        "'x' has shape (2, 3, 4, 5)",
    ),
    "npz without columns": (lambda: read(arrays(a=np.zeros((2, 2)))), "No array of the file is one-dimensional"),
    "npz with offsets of another": (
        lambda: read(
            arrays(times=np.arange(3.0), states=np.zeros((3, 1)), offsets=np.array([0, 9]), names=np.array(["x"]))
        ),
        "offsets must begin with 0",
    ),
    "npz with fractional offsets": (
        lambda: read(arrays(times=np.arange(3.0), states=np.zeros((3, 1)), offsets=np.ones(2), names=np.array(["x"]))),
        "offsets in 'paths.npz' are not whole numbers",
    ),
    "no hdf": (lambda: read(written(GOOD, "paths.h5")), "not a complete HDF5 or netCDF-4 file"),
    "wrong name in hdf": (lambda: read(hdf(t=[0.0, 1.0], speed=[1.0, 2.0]), state="sped"), "did you mean 'speed'?"),
    "text in hdf": (lambda: read(hdf(t=[0.0, 1.0], x=["a", "b"]), state="x"), "'x'"),
}
FRAMES = {
    "not a table": (lambda: frame(3), "A int is not a table", "pandas or polars"),
    "a list": (lambda: frame([1, 2]), "A list is not a table"),
    "lazy": (lambda: frame(pl.LazyFrame({"t": [0, 1]})), "lazy", "collect()"),
    "no columns": (lambda: frame({}), "There are no columns"),
    "a number as a column": (lambda: frame({"t": 3, "x": [1, 2]}, state="x"), "'t' is a single int", "for each row"),
    "a word as a column": (lambda: frame({"t": [0, 1], "x": "ab"}, state="x"), "'x' is a single str"),
    "empty frame": (lambda: frame(pd.DataFrame({"t": [], "x": []})), "no rows"),
    "mixed objects": (
        lambda: frame(pd.DataFrame({"t": [0, 1], "x": [1, "b"]}), state="x"),
        "'x' has 'b' in row 1",
        "one type in each column",
    ),
    "objects": (lambda: frame({"t": [0, 1], "x": [object(), object()]}, state="x"), "'x' has <object", "row 0"),
    "text": (lambda: frame(pl.DataFrame({"t": [0, 1], "x": ["1", "?"]}), state="x"), "'x' has the text '?' in row 1"),
    "complex": (lambda: frame(pd.DataFrame({"t": [0, 1], "x": [1j, 2]}), state="x"), "'x' is complex"),
    "bool": (lambda: frame(pl.DataFrame({"t": [0, 1], "x": [True, False]}), state="x"), "'x' is of type bool"),
    "two columns of a name": (
        lambda: frame(pd.DataFrame([[0, 1, 2], [1, 2, 3]], columns=["t", "x", "x"]), state="x"),
        "2 columns called 'x'",
    ),
    "matrix as a column": (lambda: frame({"t": [0, 1], "x": np.zeros((2, 2))}, state="x"), "'x' has shape (2, 2)"),
    "unequal columns": (lambda: frame({"t": [0, 1], "x": [1, 2, 3]}), "'x' has 3 rows but the time 2"),
    "missing label in a frame": (
        lambda: frame(pd.DataFrame({"t": [0, 1, 2], "id": ["a", None, "a"], "x": [1, 2, 3]}), trajectory="id"),
        "'id' names no trajectory in row 1",
    ),
    "missing whole-number label": (
        lambda: frame(pd.DataFrame({"t": [0, 1], "id": [1, NAN], "x": [1, 2]}), trajectory="id"),
        "'id' names no trajectory in row 1",
    ),
    "header with a newline": (lambda: frame({"t": [0, 1], "a\nb": [1, 2]}), "is not a plain word"),
}


def many(folder: str = "many", **files: dict[str, Any]) -> Path:
    """A folder of Parquet files with these columns."""
    os.mkdir(folder)
    for name, columns in files.items():
        parquet.write_table(pa.table(columns), Path(folder) / f"{name}.parquet")
    return Path(folder)


FINE = {"path": [0, 0], "t": [0.0, 1.0], "x": [1.0, 2.0]}
MANY = {
    "files of other coordinates": (
        lambda: stream(many(a=FINE, b={"path": [0, 0], "t": [0, 1], "y": [1, 2]})),
        "'b.parquet' has the coordinates y, but 'a.parquet' has x",
        "state=",
    ),
    "files of other units": (
        lambda: stream(many(a={"t": [0, 1], "x [um]": [1, 2]}, b={"t": [0, 1], "x [nm]": [1, 2]})),
        "'b.parquet' has x in nm, but 'a.parquet' in um",
    ),
    "files without labels beside others": (
        lambda: stream(many(a=FINE, b={"t": [0, 1], "x": [1, 2]})),
        "'a.parquet' has a column that labels its paths, but 'b.parquet' has none",
    ),
    "dates beside numbers": (
        lambda: stream(many(a=FINE, b=FINE | {"t": np.array([0, 1], "M8[s]")})),
        "'b.parquet' has t in s, but 'a.parquet' in no unit",
    ),
    "a file without rows": (
        lambda: stream(many(a=FINE, b={"path": np.zeros(0, int), "t": np.zeros(0), "x": np.zeros(0)})),
        "'b.parquet' has no rows; leave it out",
    ),
    "an empty file among others": (
        lambda: ((many(a=FINE) / "b.parquet").write_bytes(b""), stream(Path("many"))),
        "'b.parquet' is empty",
    ),
    "a label of two files that are to be continued": (
        lambda: list(
            Trajectories.scan(
                many(a=FINE, b=FINE | {"path": [1, 1]}, c=FINE | {"x": [3.0, 4.0]}), continued=True
            ).chunks(),
        ),
        "0 comes back in row 0 of the file 'c.parquet'",
        "in the order of time",
    ),
    "files that go on before they ended": (
        lambda: list(Trajectories.scan(many(a=FINE, b=FINE | {"x": [3.0, 4.0]}), continued=True).chunks()),
        "row 0 of the file 'b.parquet'",
        "time 0 after 1",
    ),
    "rows out of order in the second file": (
        lambda: stream(many(a=FINE, b=FINE | {"t": [1.0, 0.0]})),
        "row 1 of the file 'b.parquet'",
        "time 0 after 1",
    ),
    "a pattern that nothing matches": (lambda: stream(Path("runs/*.parquet")), "No file matches 'runs/*.parquet'"),
    "a folder without tables": (lambda: stream(many()), "The folder 'many' holds no file that can be read"),
    "no files at all": (lambda: Trajectories.scan([]), "list of files is empty"),
    "a file twice": (lambda: Trajectories.scan([written(GOOD)] * 2), "is in the list twice"),
    "no pattern": (lambda: Trajectories.scan(3), "a pattern such as"),
    "text that goes on": (
        lambda: Trajectories.scan(written(GOOD), continued=True),
        "Only Parquet files can hold paths",
    ),
}
STREAMS = {
    "stream of nothing": (lambda: stream(Path("nowhere.parquet")), "no file"),
    "stream of one row": (lambda: stream(table(t=[0], x=[1])), "has 1 rows"),
    "stream of text times": (
        lambda: stream(table(t=["2024-01-01", "2024-01-02"], x=[1, 2])),
        "'t' are text",
        "In the file",
    ),
    "stream that comes back": (
        lambda: stream(table(path=["a", "a", "b", "a"], t=[0, 1, 0, 2], x=[1, 2, 3, 4])),
        "'a' comes back in row 3",
        "sorted by trajectory",
    ),
    "stream whose number comes back": (
        lambda: stream(table(path=[7, 7, 8, 3, 4, 7], t=[0, 1, 0, 2, 0, 4], x=[1, 2, 3, 4, 5, 6])),
        "7 comes back in row 5",
    ),
    "stream out of order": (
        lambda: stream(table(path=["a", "b", "b", "b"], t=[0, 1, 2, 1], x=[1, 2, 3, 4])),
        "Trajectory 'b', row 3 of the file",
        "time 1 after 2",
    ),
    "stream with duplicates across blocks": (
        lambda: stream(table(t=[0.0, 1, NAN, 1], x=[1, 2, 3, 4])),
        "Row 3 of the file",
        "remove the duplicate",
    ),
    "stream without increments": (lambda: stream(table(t=[0, 1, 2], x=[1, NAN, 2])), "no two consecutive finite rows"),
    "stream of huge numbers": (lambda: stream(table(t=[0, 1, 2], x=[1, 2, 1e200])), "Row 2", "x = 1e+200"),
    "stream of a wrong name": (lambda: stream(table(t=[0, 1], xx=[1, 2]), "t", None, ["xy"]), "did you mean 'xx'?"),
    "stream in blocks of nothing": (lambda: stream(table(t=[0, 1], x=[1, 2]), rows=0), "whole number, at least 1"),
    "cut stream": (lambda: stream(cut("paths.parquet", 400)), "cannot be read"),
}
WRONG = FILES | FRAMES | STREAMS | MANY


@pytest.mark.parametrize("case", WRONG.values(), ids=WRONG.keys())
def test_bad_data_are_a_sentence(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    call, *parts = case
    with pytest.raises(InputError) as caught:
        call()
    message = str(caught.value)
    for part in parts:
        assert part in message
    assert re.fullmatch(r"[^\n]{10,400}[.?]", message), message
    assert not [name for name in os.listdir(tmp_path) if name.endswith(".tmp")]


def test_the_table_is_long():
    assert len(WRONG) >= 80


def test_a_missing_library_is_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "h5netcdf", None)
    path = tmp_path / "paths.h5"
    path.write_bytes(b"\x89HDF")
    with pytest.raises(InputError, match=r"pip install 'liestonet\[hdf\]'"):
        read(path)


def test_a_file_that_may_not_be_read_is_a_sentence(tmp_path, monkeypatch):
    path = tmp_path / "paths.csv"
    path.write_text(GOOD)

    def refuse(*_args, **_named):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(text_files.csv, "open_csv", refuse)  # the tests may run as root, whom no file refuses
    with pytest.raises(InputError, match="cannot be read"):
        read(path)


ORIGINALS = [".csv", ".csv.gz", ".parquet", ".npz", ".h5"]


@pytest.mark.parametrize("suffix", ORIGINALS)
@given(changes=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 20), st.binary(max_size=5)), min_size=1, max_size=4))
def test_damaged_files_end_in_our_error_or_in_trajectories(suffix, changes):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"paths{suffix}"
        if suffix == ".h5":
            with h5py.File(path, "w") as file:
                file["t"], file["x"] = np.arange(4.0), np.arange(4.0)
        else:
            Trajectories.from_arrays(np.arange(6.0), np.arange(24.0).reshape(2, 6, 2), ["x [um]", "y"]).write(path)
        content = bytearray(path.read_bytes())
        for place, length, new in changes:
            first = int(place * len(content))
            content[first : first + length] = new
        path.write_bytes(content)
        for call in (lambda: read(path), lambda: read(path, "t", None, ["x"]), lambda: stream(path)):
            try:
                found = call()
            except InputError as problem:
                found = str(problem)
            if isinstance(found, str):
                assert re.fullmatch(r"[^\n]{10,400}[.?]", found), found
            else:
                assert isinstance(found, list) or np.isfinite(found.flat_states).all()


def test_arrays_of_gigabytes_are_refused_before_they_are_loaded(tmp_path):
    h5py = pytest.importorskip("h5py")
    rows = READING.most_bytes // 8 + 1
    with h5py.File(tmp_path / "large.h5", "w") as file:  # as a plan only: nothing is stored
        file.create_dataset("t", shape=(rows,), dtype="f8", chunks=(1 << 20,))
    with (tmp_path / "large.npy").open("wb") as stream:
        head = {"descr": "<f8", "fortran_order": False, "shape": (rows,)}
        np.lib.format.write_array_header_1_0(stream, head)
        stream.truncate(stream.tell() + 8 * rows)  # a hole
    for name in ("large.h5", "large.npy"):
        with pytest.raises(InputError, match="more than 2 GB"):
            Trajectories.read(tmp_path / name, dt=1.0)
