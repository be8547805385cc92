"""Files: each format, read by another's reader, holds the same bits; a failure leaves nothing behind."""

from __future__ import annotations

import csv
import gzip
import io
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from pyarrow import parquet

from drawn_names import names
from liestonet.errors import InputError
from liestonet.trajectories import Trajectories, writers

SUFFIXES = [".csv", ".csv.gz", ".parquet", ".npz"]
finite = st.floats(-1e150, 1e150)


@st.composite
def arguments(draw):
    dimension = draw(st.integers(1, 3))
    lengths = draw(st.lists(st.integers(2, 4), min_size=1, max_size=4))
    return (
        [sorted(draw(st.lists(finite, min_size=n, max_size=n, unique=True))) for n in lengths],
        [draw(hnp.arrays(np.float64, (n, dimension), elements=finite)) for n in lengths],
        draw(st.lists(names, min_size=dimension, max_size=dimension, unique=True)),
    )


@pytest.fixture
def small() -> Trajectories:
    states = [[[1, 2], [3, 4], [5, 6]], [[-0.0, 1e-320], [1 / 3, 8]]]
    return Trajectories.from_arrays([[0, 0.1, 0.3], [5, 6]], states)


def read_back(path: Path):
    """Columns trajectory, t and states (N, d), and the names, by readers that are not ours."""
    if path.suffix == ".npz":
        with np.load(path, allow_pickle=False) as file:
            counts = np.diff(file["offsets"])
            trajectory = np.repeat(np.arange(len(counts)), counts)
            return trajectory, file["times"], file["states"], file["names"].tolist()
    if path.suffix == ".parquet":
        table = parquet.read_table(path)
        columns = [column.to_numpy() for column in table.columns]
        return columns[0], columns[1], np.stack(columns[2:], axis=1), table.column_names[2:]
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    header, *rows = csv.reader(io.StringIO(data.decode(), newline=""))
    assert header[:2] == ["trajectory", "t"]
    numbers = np.array([[float(cell) for cell in row[1:]] for row in rows])
    return np.array([int(row[0]) for row in rows]), numbers[:, 0], numbers[:, 1:], header[2:]


def assert_bits(one, other) -> None:
    one, other = np.ascontiguousarray(one), np.ascontiguousarray(other)
    assert one.dtype == other.dtype == np.float64
    np.testing.assert_array_equal(one.view(np.int64), other.view(np.int64))


@pytest.mark.parametrize("suffix", SUFFIXES)
@given(drawn=arguments())
def test_every_format_reads_back_bit_equal(suffix, drawn):
    data = Trajectories.from_arrays(*drawn)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"paths{suffix}"
        data.write(path)
        trajectory, times, states, found = read_back(path)
    np.testing.assert_array_equal(trajectory, np.repeat(np.arange(len(data)), np.diff(data.offsets)))
    assert_bits(times, data.flat_times)
    assert_bits(states, data.flat_states)
    assert tuple(found) == data.names


def test_long_csv_is_written_in_pieces(tmp_path, monkeypatch, small):
    small.write(tmp_path / "whole.csv")
    monkeypatch.setattr(writers, "ROWS_AT_ONCE", 2)
    small.write(tmp_path / "pieces.csv")
    assert (tmp_path / "pieces.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()
    assert (tmp_path / "whole.csv").read_text().splitlines()[:2] == ["trajectory,t,x,y", "0,0.0,1.0,2.0"]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_same_data_same_bytes_and_usual_permissions(tmp_path, small, suffix):
    first, second = tmp_path / f"a{suffix}", str(tmp_path / f"b{suffix.upper()}")
    small.write(first)
    small.write(second)
    assert first.read_bytes() == Path(second).read_bytes()
    (tmp_path / "plain").touch()
    assert first.stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_failure_keeps_the_old_file_and_leaves_no_other(tmp_path, monkeypatch, small, suffix):
    path = tmp_path / f"paths{suffix}"
    path.write_bytes(b"old")

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match=rf"The disk is full: 'paths{suffix}' could not be written"):
        small.write(path)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == [path.name]


def test_unknown_suffix_lists_the_known(tmp_path, small):
    for name in ("paths.txt", "paths", "csv", "paths.gz"):
        with pytest.raises(InputError, match=r"use one of \.csv, \.csv\.gz, \.parquet, \.npz"):
            small.write(tmp_path / name)
    assert os.listdir(tmp_path) == []


def test_missing_folder_and_folder_for_a_file(tmp_path, small):
    with pytest.raises(InputError, match="does not exist; make it or"):
        small.write(tmp_path / "nowhere" / "paths.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InputError, match="is a folder"):
        small.write(tmp_path / "folder.csv")


def test_a_place_that_cannot_be_written_is_a_sentence(monkeypatch, tmp_path, small):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)  # the tests may run as root, whom no folder refuses
    with pytest.raises(InputError, match="cannot be written"):
        small.write(tmp_path / "paths.csv")


def test_a_relative_name_means_the_current_folder(tmp_path, monkeypatch, small):
    monkeypatch.chdir(tmp_path)
    small.write("paths.npz")
    assert os.listdir(tmp_path) == ["paths.npz"]


def test_pyarrow_is_loaded_only_for_parquet():
    code = "import sys, liestonet.trajectories.writers; sys.exit('pyarrow' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
