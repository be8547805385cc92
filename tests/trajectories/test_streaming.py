"""Streams: whatever the row groups and blocks, the increments are those of the same data in memory."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

import liestonet
from liestonet.trajectories import IncrementSource, Trajectories

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


def joined(blocks) -> list[np.ndarray]:
    return [np.concatenate(parts) for parts in zip(*blocks, strict=True)]


@given(tables(), st.integers(1, 12), st.integers(1, 12), st.sampled_from([None, 2.0]))
def test_streams_equal_memory(table, group, rows, gap):
    data = Trajectories.from_dataframe(table, "time", "id", ["x", "y"], gap=gap)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "paths.parquet"
        parquet.write_table(table, path, row_group_size=group)
        source = Trajectories.stream(path, "time", "id", ["x", "y"], gap=gap)
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
    source = Trajectories.stream(tmp_path / "paths.parquet")
    assert isinstance(source, liestonet.TrajectoryFile)
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
    source = Trajectories.stream(tmp_path / "paths.parquet")
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
    for block in Trajectories.stream(tmp_path / "paths.parquet").chunks(1000):
        increments += len(block.dt)
        most = max(most, pa.total_allocated_bytes() - before)
    assert increments == count * 49 // 50
    assert most < 2_000_000  # three columns of all rows are 9.6 million bytes


def test_many_numbered_paths_are_remembered_as_one_interval():
    from liestonet.trajectories.streaming import _Seen

    seen = _Seen()
    assert seen.add_all(list(range(1000))) is None
    assert seen.add_all(list(range(1000, 3000))) is None
    assert seen.runs == [(0, 2999)]
    assert seen.add_all([5000, 4000, 4001, 2999]) == 3
    assert seen.add_all([4001]) == 0
