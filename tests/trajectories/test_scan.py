"""Streams: whatever the row groups and blocks, the increments are those of the same data in memory."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import h5py
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet
from scipy.io import savemat

import liestonet
from liestonet.errors import InputError
from liestonet.trajectories import IncrementSource, Trajectories
from liestonet.trajectories.block_sums import Place
from liestonet.trajectories.tuning import ScanTuning

number = st.floats(-1e6, 1e6) | st.just(float("nan"))


@st.composite
def tables(draw):
    """A table whose paths stand together, with missing rows and long steps."""
    lengths = [2, *draw(st.lists(st.integers(1, 6), max_size=6))]
    draw_text = draw(st.booleans())
    numbers = draw(st.lists(st.integers(-5, 20), min_size=len(lengths), max_size=len(lengths), unique=True))
    count = sum(lengths)
    x = [0.0, 1.0, *draw(st.lists(number, min_size=count - 2, max_size=count - 2))]
    steps = [1.0, 1.0, *draw(st.lists(st.sampled_from([1.0, 2.5]), min_size=count - 2, max_size=count - 2))]
    labels = [f"p{label}" if draw_text else label for label in numbers]
    return pa.table({
        "id": np.repeat(np.array(labels), lengths),
        "time [s]": np.cumsum(steps),
        "x [um]": np.array(x),
        "y": np.arange(float(count)),
    })  # fmt: skip


class Everything:
    """A sum that keeps what it is given: the increments, and the places of blocks."""

    rows = 2

    def __init__(self) -> None:
        self.blocks, self.places = [], []

    def empty(self):
        return Everything()

    def take(self, block, place):
        self.blocks.append(block)
        self.places.append(place)

    def join(self, later):
        self.blocks += later.blocks
        self.places += later.places


def written(table, folder, cuts, group):
    """A table cut into files at these rows."""
    ends = [0, *sorted({cut % table.num_rows for cut in cuts} - {0}), table.num_rows]
    for number, (first, last) in enumerate(pairwise(ends)):
        parquet.write_table(
            table.slice(first, last - first), Path(folder) / f"{number:02}.parquet", row_group_size=group
        )


@given(tables(), st.lists(st.integers(0, 40), max_size=5), st.integers(1, 12), st.integers(1, 4), st.integers(0, 3))
def test_no_split_into_files_and_pieces_changes_anything(table, cuts, group, leaf, parts):
    data = Trajectories.from_dataframe(table, "time", "id", ["x", "y"])
    with tempfile.TemporaryDirectory() as folder:
        written(table, folder, cuts, group)
        source = Trajectories.scan(folder, "time", "id", ["x", "y"], continued=True)
        source = replace(source, blocks=replace(source.blocks, leaf_rows=2 * leaf))
        source = source if not parts else replace(source, crew=Bystander(parts))
        found, whole, gaps = source.summed(Everything()), source.read(), source.count_gaps()
    for mine, theirs in zip(joined(found.blocks), data.increments(), strict=True):
        np.testing.assert_array_equal(mine, theirs)
    place = Place()
    for block, own in zip(found.blocks, found.places, strict=True):
        assert own.increments == place.increments
        if own.path == block.trajectory[0] or place.path == block.trajectory[0]:
            assert own == place
        place = place.after(block)
    np.testing.assert_array_equal(whole.flat_states, data.flat_states)
    np.testing.assert_array_equal(whole.offsets, data.offsets)
    assert (gaps.rows, dict(gaps.columns), gaps.paths) == (data.gaps.rows, dict(data.gaps.columns), data.gaps.paths)


class Bystander:
    """Workers in this process, each with a part of the files at a time."""

    told = ""

    def __init__(self, workers):
        self.workers = workers

    def map(self, function, shared, tasks):
        return (function(shared, *task) for task in tasks)


@given(tables(), st.lists(st.integers(0, 40), max_size=5))
def test_labels_belong_to_their_file(table, cuts):
    with tempfile.TemporaryDirectory() as folder:
        written(table, folder, cuts, 5)
        source = Trajectories.scan(folder, "time", "id", ["x", "y"])
        try:
            parts = [Trajectories.scan(file.path, "time", "id", ["x", "y"]) for file in source.files]
            apart = [block for part in parts for block in part.chunks()]
        except InputError:  # a file without an increment of its own
            return
        together = joined(source.chunks())
    for k in range(4):
        np.testing.assert_array_equal(together[k], np.concatenate([block[k] for block in apart]))


def joined(blocks) -> list[np.ndarray]:
    return [np.concatenate(parts) for parts in zip(*blocks, strict=True)]


@given(tables(), st.integers(1, 12), st.integers(1, 12), st.sampled_from([None, 2.0]))
def test_streams_equal_memory(table, group, rows, gap):
    data = Trajectories.from_dataframe(table, "time", "id", ["x", "y"], gap=gap)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "paths.parquet"
        parquet.write_table(table, path, row_group_size=group)
        source = Trajectories.scan(path, "time", "id", ["x", "y"], gap=gap)
        blocks = list(source.chunks(rows))
        gaps = source.count_gaps()
        again = joined(source.chunks())
    assert all(0 < len(block.dt) <= rows for block in blocks)
    for streamed, repeated, kept in zip(joined(blocks), again, data.increments(), strict=True):
        np.testing.assert_array_equal(streamed, kept)
        np.testing.assert_array_equal(repeated, kept)
    assert (gaps.rows, dict(gaps.columns), gaps.paths, gaps.steps) == (
        data.gaps.rows,
        dict(data.gaps.columns),
        data.gaps.paths,
        data.gaps.steps,
    )
    assert (source.names, source.dimension, dict(source.units)) == (data.names, data.dimension, dict(data.units))


@given(tables(), st.integers(1, 12))
def test_blocks_of_memory_equal_all_at_once(table, rows):
    data = Trajectories.from_dataframe(table, "time", "id", ["x", "y"])
    blocks = list(data.chunks(rows))
    assert all(0 < len(block.dt) <= rows for block in blocks)
    for block, whole in zip(joined(blocks), data.increments(), strict=True):
        np.testing.assert_array_equal(block, whole)


@given(tables())
def test_increments_equal_plain_loops(table):
    data = Trajectories.from_dataframe(table, "time", "id", ["x", "y"])
    rows = [
        (t[i], x[i], t[i + 1] - t[i], x[i + 1] - x[i], k)
        for k, (t, x) in enumerate(zip(data.times, data.states, strict=True))
        for i in range(len(t) - 1)
    ]
    for own, expected in zip(data.increments(), zip(*rows, strict=True), strict=True):
        np.testing.assert_array_equal(own, np.array(expected))


def test_equal_lengths_take_the_short_way_to_the_same():
    states = np.random.default_rng(0).normal(size=(4, 5, 2))
    even = Trajectories.from_arrays(np.arange(5.0), states)
    odd = Trajectories.from_arrays([*[np.arange(5.0)] * 4, np.arange(3.0)], [*states, np.zeros((3, 2))]).increments()
    for own, expected in zip(even.increments(), odd, strict=True):
        np.testing.assert_array_equal(own, expected[:16])


def test_one_long_path_is_not_copied():
    data = Trajectories.from_arrays([np.arange(1000.0)], [np.arange(1000.0)[:, None]])
    for part in (data.increments(), *data.chunks(100)):
        assert np.shares_memory(part.t, data.flat_times)
        assert np.shares_memory(part.x, data.flat_states)


def test_both_are_sources_of_increments(tmp_path):
    data = Trajectories.from_arrays(np.arange(4.0), np.random.default_rng(0).normal(size=(3, 4, 1)), units={"t": "s"})
    data.write(tmp_path / "paths.parquet")
    source = Trajectories.scan(tmp_path / "paths.parquet")
    assert isinstance(source, liestonet.TrajectoryFiles)
    assert isinstance(source, IncrementSource)
    assert isinstance(data, IncrementSource)
    assert (source.rows, source.notes) == (12, ())
    for streamed, kept in zip(joined(source.chunks()), data.increments(), strict=True):
        np.testing.assert_array_equal(streamed, kept)


@pytest.mark.parametrize("group", [1, 2, 5])
def test_dates_count_from_the_earliest_of_all(tmp_path, group):
    table = pa.table({
        "t": np.array([500, 700, 100, 250, 300], "M8[ms]"),
        "path": [1, 1, 2, 2, 2],
        "x": [1.0, 2, 3, 4, 5],
    })  # fmt: skip
    parquet.write_table(table, tmp_path / "paths.parquet", row_group_size=group)
    source = Trajectories.scan(tmp_path / "paths.parquet")
    np.testing.assert_allclose(joined(source.chunks(2))[0], [0.4, 0.0, 0.15], rtol=1e-15)
    assert source.units == {"t": "s"}
    assert "Times are seconds since 1970-01-01T00:00:00.1." in source.notes


def test_memory_does_not_grow_with_the_file(tmp_path):
    count = 400_000
    table = pa.table(
        {
            "trajectory": np.arange(count) // 50,
            "t": np.arange(count) % 50,
            "x": np.random.default_rng(0).normal(size=count),
        }
    )
    parquet.write_table(table, tmp_path / "paths.parquet", row_group_size=20_000)
    del table
    before = pa.total_allocated_bytes()
    increments, most = 0, 0
    for block in Trajectories.scan(tmp_path / "paths.parquet").chunks(1000):
        increments += len(block.dt)
        most = max(most, pa.total_allocated_bytes() - before)
    assert increments == count * 49 // 50
    assert most < 2_000_000  # three columns of all rows are 9.6 million bytes


def test_many_numbered_paths_are_remembered_as_one_interval():
    from liestonet.trajectories.scan_index import Seen

    seen = Seen()
    assert seen.add_all(list(range(1000))) is None
    assert seen.add_all(list(range(1000, 3000))) is None
    assert seen.runs == [(0, 2999)]
    assert seen.add_all([5000, 4000, 4001, 2999]) == 3
    assert seen.add_all([4001]) == 0


def test_a_key_of_folders_labels_paths(tmp_path):
    for run in (1, 2):
        place = tmp_path / f"run={run}"
        place.mkdir()
        for part in (0, 1):
            table = pa.table({"t": [2.0 * part, 2.0 * part + 1], "x": [1.0, 2.0 * run]})
            parquet.write_table(table, place / f"{part}.parquet")
    source = Trajectories.scan(tmp_path, trajectory="run", continued=True)
    assert [file.keys["run"] for file in source.files] == ["1", "1", "2", "2"]
    assert joined(source.chunks())[4].tolist() == [0, 0, 0, 1, 1, 1]
    assert joined(Trajectories.scan(tmp_path).chunks())[4].tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".npz", ".parquet"])
def test_files_of_every_kind_are_one_source(tmp_path, suffix):
    rng = np.random.default_rng(0)
    data = Trajectories.from_arrays(np.arange(5.0), rng.normal(size=(6, 5, 2)), ["x [um]", "y"])
    for part in range(3):
        data.take(range(2 * part, 2 * part + 2)).write(tmp_path / f"{part}{suffix}")
    pattern = str(tmp_path / f"*{suffix}")
    for source in (Trajectories.scan(pattern), Trajectories.scan(sorted(tmp_path.iterdir()))):
        for mine, theirs in zip(joined(source.chunks(4)), data.increments(), strict=True):
            np.testing.assert_array_equal(mine, theirs)
        assert source.units == {"x": "um"}
        assert source.read().states[5].tolist() == data.states[5].tolist()


def test_what_is_too_large_is_tested_in_parts(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    data = Trajectories.from_arrays([np.arange(300_000.0)], [rng.normal(size=(300_000, 1))])
    data.write(tmp_path / "a.parquet")
    source = Trajectories.scan(tmp_path)
    assert source.some_paths().points == 300_000
    monkeypatch.setattr("liestonet.trajectories.scan.SCAN", ScanTuning(in_memory=300_000))
    part = source.some_paths()
    assert part.points == 2 * 65_536 - (5 * 65_536 - 300_000)
    assert len(part) == 2
    assert part.flat_states[0] == data.flat_states[0]
    assert part.flat_states[-1] == data.flat_states[-1]
    assert "in 2 parts evenly spread" in part.remarks[-1]


@pytest.mark.parametrize("suffix", [".h5", ".nc", ".mat"])
def test_arrays_of_other_programs_are_one_source(tmp_path, suffix):
    rng = np.random.default_rng(0)
    states = rng.normal(size=(3, 5, 1))
    for number, x in enumerate(states):
        values = {"t": np.arange(5.0), "x": x[:, 0]}
        if suffix == ".mat":
            savemat(tmp_path / f"{number}.mat", values)
            continue
        with h5py.File(tmp_path / f"{number}{suffix}", "w") as file:
            for name, array in values.items():
                file[name] = array
    whole = Trajectories.from_arrays(np.arange(5.0), states, ["x"])
    for mine, theirs in zip(joined(Trajectories.scan(tmp_path).chunks(4)), whole.increments(), strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_errors_distinguish_files_of_one_name(tmp_path):
    for run in (1, 2):
        (tmp_path / f"run={run}").mkdir()
        table = pa.table({"t": [0.0, 1.0 if run == 1 else -1.0], "x": [1.0, 2.0]})
        parquet.write_table(table, tmp_path / f"run={run}" / "part.parquet")
    with pytest.raises(InputError, match=r"(?i)row 1 of the file 'run=2/part\.parquet'"):
        joined(Trajectories.scan(tmp_path).chunks())
    (tmp_path / "run=2" / "part.parquet").write_bytes(b"PAR1")
    with pytest.raises(InputError, match=r"The file 'run=2/part\.parquet' cannot be read"):
        Trajectories.scan(tmp_path)


def test_a_copy_is_no_more_data(tmp_path):
    for name, x in (("1", 2.0), ("2", 3.0), ("copy of 1", 2.0)):
        parquet.write_table(pa.table({"t": [0.0, 1.0], "x": [1.0, x]}), tmp_path / f"{name}.parquet")
    with pytest.raises(InputError, match=r"'1\.parquet' and 'copy of 1\.parquet' have the same content"):
        Trajectories.scan(tmp_path)


def test_a_file_of_another_kind_may_hold_no_data(tmp_path):
    for number in (1, 2):
        parquet.write_table(pa.table({"t": [0.0, 1.0], "x": [1.0, number]}), tmp_path / f"{number}.parquet")
    (tmp_path / "README.txt").write_text("What is in this folder\n")
    with pytest.raises(InputError, match=r"'README\.txt'.*give the pattern '\*\.parquet'\.$"):
        Trajectories.scan(tmp_path)


def test_a_folder_that_may_not_be_read_is_a_sentence(tmp_path, monkeypatch):
    def refuse(path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "exists", refuse)
    with pytest.raises(InputError, match=r"\*\.parquet' cannot be read by this user"):
        Trajectories.scan(tmp_path / "*.parquet")
    with pytest.raises(InputError, match=r"1\.parquet' cannot be read by this user"):
        Trajectories.scan(tmp_path / "1.parquet")


@pytest.mark.slow
def test_tests_and_validation_take_files(tmp_path):
    data = liestonet.SDE.parse("dx = -x dt + dW").simulate([0.5], duration=1.0, step=0.02, paths=60, seed=3)
    for part in range(3):
        data.take(range(20 * part, 20 * part + 20)).write(tmp_path / f"{part}.parquet")
    source = Trajectories.scan(tmp_path)
    result = liestonet.discover(data, formulas=False, dimension=1)
    assert liestonet.test(source, "d_t").p_value == liestonet.test(data, "d_t").p_value
    mine, theirs = (liestonet.validate(result, each, epsilons=(0.1,)) for each in (source, data))
    assert [gate.p_value for gate in mine.gates.gates] == [gate.p_value for gate in theirs.gates.gates]
    assert mine.test is not None
    assert theirs.test is not None
    assert mine.test.p_value == theirs.test.p_value
    assert mine.invariance is not None
    assert theirs.invariance is not None
    np.testing.assert_array_equal(mine.invariance.p_values, theirs.invariance.p_values)


@pytest.mark.parametrize("suffix", [".parquet", ".npz"])
def test_files_may_have_clocks_of_their_own(tmp_path, suffix):
    rng, later = np.random.default_rng(0), [0.0, 5e3, 9e4]
    states = rng.normal(size=(3, 2, 6, 1))
    for part, (x, begin, step) in enumerate(zip(states, later, (0.5, 0.25, 1.0), strict=True)):
        times = begin + step * np.arange(6.0)
        Trajectories.from_arrays([times, times + 1], list(x), ["x"]).write(tmp_path / f"{part}{suffix}")
    source = Trajectories.scan(tmp_path, own_clock=True)
    times, _, steps, _, path = joined(source.chunks(4))
    for part, step in enumerate((0.5, 0.25, 1.0)):
        for number in (0, 1):
            own = path == 2 * part + number
            np.testing.assert_allclose(times[own], number + step * np.arange(5), atol=1e-10)
            np.testing.assert_allclose(steps[own], step, rtol=1e-9)
    assert source.times_range == (0.0, 6.0)
    assert source.read().times[5][0] == 1.0
    assert "Times are counted in each file from its first row." in source.notes
    assert Trajectories.scan(tmp_path).times_range[1] == 9e4 + 6.0
    with pytest.raises(InputError, match="leave own_clock or continued out"):
        Trajectories.scan(tmp_path, own_clock=True, continued=True)


@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
def test_files_are_recordings_with_paths_of_their_own(tmp_path, suffix):
    """The first path of each file, as all blocks together count them, where a gap cuts a path and one has one row."""
    rng = np.random.default_rng(3)
    for part, lengths in enumerate(([6, 1, 5], [3], [4, 4])):
        x = rng.normal(size=sum(lengths))
        x[1] = np.nan if part == 0 else x[1]  # its first row stands alone
        labels, times = np.repeat(np.arange(len(lengths)), lengths), np.concatenate([np.arange(n) for n in lengths])
        table = pd.DataFrame({"path": labels, "t": times.astype(float), "x": x})
        (table.to_parquet if suffix == ".parquet" else table.to_csv)(tmp_path / f"{part}{suffix}", index=False)
    source = Trajectories.scan(tmp_path, own_errors=True)
    _, x, _, _, path = joined(source.chunks(3))
    assert [each.name for each in source.recordings] == [f"{part}{suffix}" for part in range(3)]
    for first, each in zip(source.first_paths, source.recordings, strict=True):
        _, own, _, _, number = joined(each.chunks(3))
        there = (path >= first) & (path <= first + number.max())
        np.testing.assert_array_equal(x[there], own)
        np.testing.assert_array_equal(path[there], first + number)
    assert Trajectories.scan(tmp_path).recordings == (Trajectories.scan(tmp_path),)
    assert "In memory, errors of the points are of one size for all files." in source.read().notes


def test_errors_of_each_file_are_asked_for_where_there_are_any(tmp_path):
    for part in range(2):
        states = np.random.default_rng(part).normal(size=(2, 6, 1))
        Trajectories.from_arrays(np.arange(6.0), states, ["x"]).write(tmp_path / f"{part}.parquet")
    for options, words in (
        ({"continued": True}, "leave own_errors or continued out"),
        ({"measurement": liestonet.Measurement.exact()}, "Points without error have no errors"),
        ({"measurement": liestonet.Measurement(order=2)}, "Positions of a system with inertia have no errors"),
    ):
        with pytest.raises(InputError, match=words):
            Trajectories.scan(tmp_path, own_errors=True, **cast(Any, options))
    with pytest.raises(InputError, match="must be True or False"):
        Trajectories.scan(tmp_path, own_errors=cast(Any, 3))
