"""Files in: what was written reads back bit-equal, and files of others are read by the names of their columns."""

from __future__ import annotations

import gzip
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import h5netcdf
import h5py
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from pyarrow import parquet

from drawn_names import names, units
from liestonet.trajectories import Trajectories

SUFFIXES = [".csv", ".csv.gz", ".parquet", ".npz"]
finite = st.floats(-1e150, 1e150)


@st.composite
def arguments(draw):
    dimension = draw(st.integers(1, 3))
    lengths = [2, *draw(st.lists(st.integers(1, 4), max_size=4))]
    chosen = draw(st.lists(names, min_size=dimension, max_size=dimension, unique=True))
    return {
        "times": [sorted(draw(st.lists(finite, min_size=n, max_size=n, unique=True))) for n in lengths],
        "states": [draw(hnp.arrays(np.float64, (n, dimension), elements=finite)) for n in lengths],
        "names": chosen,
        "units": draw(st.dictionaries(st.sampled_from(["t", *chosen]), units, max_size=3)),
    }


def assert_equal(one: Trajectories, other: Trajectories) -> None:
    """The same bits, offsets, names and units."""
    for a, b in ((one.flat_times, other.flat_times), (one.flat_states, other.flat_states)):
        np.testing.assert_array_equal(a.view(np.int64), b.view(np.int64))
    np.testing.assert_array_equal(one.offsets, other.offsets)
    assert (one.names, dict(one.units)) == (other.names, dict(other.units))


@pytest.mark.parametrize("suffix", SUFFIXES)
@given(drawn=arguments())
def test_what_was_written_reads_back_bit_equal_without_an_argument(suffix, drawn):
    data = Trajectories.from_arrays(**drawn)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"paths{suffix}"
        data.write(path)
        again = Trajectories.read(path)
    assert_equal(again, data)
    assert again.digest == data.digest
    assert again.remarks == ()


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_gap_splits_what_is_read(tmp_path, suffix):
    Trajectories.from_arrays([[0, 1, 2, 5, 6]], [np.arange(5.0)[:, None]]).write(tmp_path / f"paths{suffix}")
    data = Trajectories.read(tmp_path / f"paths{suffix}", gap=1.5)
    assert data.offsets.tolist() == [0, 3, 5]
    assert data.gaps.steps == 1
    assert any("1 step was longer than the gap" in note for note in data.notes)


def test_csv_of_others(tmp_path):
    text = 'id;"when (s)";  x [um];note\n"a;1";0;1.5;hello\nb;0;2.5;\n"a;1";0.25;;x\n"a;1";1e0; 3.5 ;y\n'
    text += '"a;1";2;NA;y\nb;1;-inf;z\n"a;1";3;4.5;\n"a;1";4;5.5;\n\n'
    (tmp_path / "a.csv").write_text(text)
    (tmp_path / "with a mark.csv").write_bytes(b"\xef\xbb\xbf" + text.encode())
    (tmp_path / "with tabs.csv.gz").write_bytes(gzip.compress(text.replace(";", "\t").encode()))
    for path in tmp_path.iterdir():
        data = Trajectories.read(path, time="when", trajectory="id", state="x")
        assert [part.tolist() for part in data.times] == [[0], [1], [3, 4], [0]]
        assert data.flat_states[:, 0].tolist() == [1.5, 3.5, 4.5, 5.5, 2.5]
        assert dict(data.units) == {"t": "s", "x": "um"}
        assert data.gaps.rows == 3


def test_whole_numbers_first_and_fractions_after_the_first_block(tmp_path):
    rows = [f"{k},{k}\n" for k in range(200_000)]
    (tmp_path / "paths.csv").write_text("t,x\n" + "".join(rows) + "200000,\n200000.25,NA\n200000.5,0.25\n")
    data = Trajectories.read(tmp_path / "paths.csv")
    assert (data.points, data.gaps.rows) == (200_001, 2)
    assert data.flat_times[-1] == 200_000.5
    assert data.flat_states[-1, 0] == 0.25


def test_dates_in_a_csv(tmp_path):
    (tmp_path / "paths.csv").write_text(
        "timestamp,x\n2024-01-01 00:00:00,1\n2024-01-01 00:00:01.5,2\n,3\n2024-01-02,4\n2024-01-03,5\n"
    )
    data = Trajectories.read(tmp_path / "paths.csv")
    assert data.flat_times.tolist() == [0, 1.5, 86_400, 172_800]
    assert data.offsets.tolist() == [0, 2, 4]
    assert data.units["t"] == "s"


def test_parquet_of_others(tmp_path):
    table = pa.table({
        "x": pa.array([1, 2, None, 4, 5], pa.int32()),
        "track": pa.array(["b", "a", "b", "b", "b"]).dictionary_encode(),
        "t": pa.array([0, 0, 1, 2, 3], pa.float32()),
        "__index_level_0__": [5, 6, 7, 8, 9],
    })  # fmt: skip
    parquet.write_table(table, tmp_path / "paths.parquet")
    data = Trajectories.read(tmp_path / "paths.parquet")
    assert data.names == ("x",)
    assert [part[:, 0].tolist() for part in data.states] == [[1], [4, 5], [2]]


@pytest.mark.parametrize("named", [True, False])
def test_npz_of_others(tmp_path, named):
    t, block = np.linspace(0, 1, 5), np.random.default_rng(1).normal(size=(3, 5, 2))
    expected = Trajectories.from_arrays(t, block)
    arguments: dict[str, Any] = {"time": "times", "state": "states"} if named else {}
    np.savez(tmp_path / "block.npz", times=t, states=block)
    assert_equal(Trajectories.read(tmp_path / "block.npz", **arguments), expected)
    np.savez(tmp_path / "two.npz", t=t, x=block[..., 0], y=block[..., 1])
    assert_equal(Trajectories.read(tmp_path / "two.npz", time="t" if named else None, state=["x", "y"]), expected)
    long = {"t": np.tile(t, 3), "x": block[..., 0].ravel(), "y": block[..., 1].ravel(), "path": np.repeat([4, 2, 9], 5)}
    np.savez(tmp_path / "long.npz", **long)
    arguments = {"time": "t", "trajectory": "path", "state": ["x", "y"]} if named else {}
    assert_equal(Trajectories.read(tmp_path / "long.npz", **arguments), expected)
    np.savez(
        tmp_path / "matrix.npz",
        times=np.tile(t, 3),
        states=block.reshape(-1, 2),
        id=np.repeat([4, 2, 9], 5),
        names=["x", "y"],
    )
    assert_equal(Trajectories.read(tmp_path / "matrix.npz", trajectory="id"), expected)


def test_netcdf_with_units_fill_values_and_packing(tmp_path):
    with h5netcdf.File(tmp_path / "paths.nc", "w") as file:
        file.dimensions = {"row": 5}
        packed = file.create_variable(
            "x", ("row",), np.int16, data=np.array([0, 10, -999, 30, 40]), fillvalue=np.int16(-999)
        )
        packed.attrs.update({"scale_factor": 0.5, "add_offset": 1.0, "units": "um"})
        file.create_variable("y", ("row",), np.float64, data=np.arange(5.0)).attrs["units"] = "1"
        file.create_variable("time", ("row",), np.float64, data=np.arange(5.0)).attrs["units"] = (
            "seconds since 2000-01-01"
        )
    data = Trajectories.read(tmp_path / "paths.nc", state=["x", "y"])
    assert data.flat_states.tolist() == [[1, 0], [6, 1], [16, 3], [21, 4]]
    assert data.offsets.tolist() == [0, 2, 4]
    assert dict(data.units) == {"x": "um", "t": "seconds"}
    assert "Times are seconds since 2000-01-01." in data.notes


@pytest.mark.parametrize("suffix", [".h5", ".hdf5", ".H5"])
def test_plain_hdf5_with_groups(tmp_path, suffix):
    block = np.random.default_rng(2).normal(size=(3, 4, 2))
    with h5py.File(tmp_path / f"paths{suffix}", "w") as file:
        file["run/times"] = np.arange(4.0)
        file["run/states"] = block
        file["t"] = np.arange(12.0)
        file["x"] = block[..., 0].ravel()
    data = Trajectories.read(tmp_path / f"paths{suffix}", time="run/times", state="run/states")
    assert_equal(data, Trajectories.from_arrays(np.arange(4.0), block))
    assert Trajectories.read(tmp_path / f"paths{suffix}").flat_states[:, 0].tolist() == block[..., 0].ravel().tolist()


@pytest.mark.parametrize("labels", [["b", "a", "b", "a"], np.array([b"b", b"a", b"b", b"a"]), [2, 1, 2, 1]])
def test_labels_in_hdf5(tmp_path, labels):
    with h5py.File(tmp_path / "paths.h5", "w") as file:
        file["t"], file["x"], file["track"] = [0.0, 0.0, 1.0, 2.0], [1.0, 2.0, 3.0, 4.0], labels
    data = Trajectories.read(tmp_path / "paths.h5")
    assert [part[:, 0].tolist() for part in data.states] == [[1, 3], [2, 4]]


def test_colloid_recording(data_folder):
    path = data_folder / "colloid" / "bulk_water_tracks.csv.gz"
    data = Trajectories.read(path, time="t_s", trajectory="particle", state=["x_um", "y_um"])
    assert (len(data), data.points) == (745, 74_859)  # as its provenance says
    lengths = np.diff(data.offsets)
    assert (lengths.min(), lengths.max(), np.median(lengths)) == (25, 300, 68)
    split = Trajectories.read(path, "t_s", "particle", ["x_um", "y_um"], gap=1.5 / 24)
    assert split.increments().dt.max() < 1.5 / 24
    assert len(split) == 745 + split.gaps.steps


def test_reading_npz_or_hdf_needs_no_more_than_it_says():
    code = "import sys, liestonet.trajectories; sys.exit(bool({'pyarrow', 'h5netcdf', 'pandas'} & set(sys.modules)))"
    subprocess.run([sys.executable, "-c", code], check=True)
