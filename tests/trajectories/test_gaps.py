"""Gaps: splitting at missing points equals splitting by hand; nothing is dropped without being counted."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from liestonet.errors import InputError
from liestonet.trajectories import Trajectories

NAN, INFINITY = float("nan"), float("inf")
number = st.floats(-1e6, 1e6) | st.sampled_from([NAN, INFINITY, -INFINITY])


@given(st.lists(hnp.arrays(np.float64, st.tuples(st.integers(1, 8), st.just(2)), elements=number), max_size=4))
def test_splitting_at_missing_points_equals_splitting_by_hand(parts):
    states = [np.zeros((2, 2)), *parts]
    times = [np.arange(len(part)) * 0.5 for part in states]
    data = Trajectories.from_arrays(times, states)
    pieces_t, pieces_x = [], []
    for t, x in zip(times, states, strict=True):
        edges = [-1, *np.flatnonzero(~np.isfinite(x).all(axis=1)), len(t)]
        for low, high in pairwise(edges):
            if high - low > 1:
                pieces_t.append(t[low + 1 : high])
                pieces_x.append(x[low + 1 : high])
    by_hand = Trajectories.from_arrays(pieces_t, pieces_x)
    assert data.digest == by_hand.digest
    assert data.points + data.gaps.rows == sum(map(len, states))
    assert data.gaps.paths == sum(not np.isfinite(part).all(axis=1).any() for part in states)
    assert by_hand.gaps.rows == 0
    for own, expected in zip(data.increments(), by_hand.increments(), strict=True):
        np.testing.assert_array_equal(own, expected)


@given(st.lists(st.sampled_from([1.0, 2.0, 5.0]), min_size=2, max_size=12))
def test_long_steps_split_and_no_increment_crosses_them(steps):
    times = np.concatenate([[0, 1], 1 + np.cumsum(steps)])
    data = Trajectories.from_arrays([times], [times[:, None]], gap=2.0)
    assert data.increments().dt.max() <= 2
    assert data.gaps.steps == steps.count(5.0) == len(data) - 1
    assert data.points == len(times)
    assert len(data.increments().dt) == len(times) - 1 - steps.count(5.0)


def test_missing_times_split_too_and_everything_is_said():
    times = [[0, 1, NAN, 3, 4], [0, 1, 2, 3, 4], [0.0, 1.0]]
    states = [np.ones((5, 1)), [[1], [NAN], [INFINITY], [2], [3]], [[NAN], [NAN]]]
    data = Trajectories.from_arrays(times, states, ["price"], gap=10)
    assert [part.tolist() for part in data.times] == [[0, 1], [3, 4], [0], [3, 4]]
    assert data.notes == (
        "5 rows were not finite (1 in t, 4 in price) and left out; paths are split there.",
        "1 path had no finite row: left out.",
        "1 path has one point only, hence no increment.",
    )
    assert data.summary().gaps == data.gaps
    assert "note        5 rows were not finite" in str(data.summary())


def test_a_single_missing_row_is_said_in_the_singular():
    data = Trajectories.from_arrays([[0, 1, 2, 3]], [[[1], [2], [NAN], [3]]])
    assert data.notes[0] == "1 row was not finite (1 in x) and left out; paths are split there."


@pytest.mark.parametrize("gap", [0, -1, NAN, "1", True, [1]])
def test_a_gap_is_a_positive_time(gap):
    with pytest.raises(InputError, match="positive time"):
        Trajectories.from_arrays([0.0, 1.0], np.zeros((1, 2, 1)), gap=gap)


def test_the_constructor_refuses_gaps_at_which_readers_split():
    with pytest.raises(InputError, match="Trajectory 1, row 1 has x = nan"):
        Trajectories(np.arange(4.0), np.array([[0], [1], [2], [NAN]]), np.array([0, 2, 4]), ("x",))


@pytest.mark.parametrize(
    ("units", "message"),
    [
        ({"z": "um"}, "a unit for 'z', but the columns are t, x"),
        ({"x": ""}, "not a label"),
        ({"x": "[um]"}, "not a label"),
        ({"x": "1"}, "not a label"),
        ({"t": " s"}, "not a label"),
        ({"t": 1}, "not a label"),
        ("s", "dictionary"),
    ],
)
def test_units_are_labels(units, message):
    with pytest.raises(InputError, match=message):
        Trajectories.from_arrays([0.0, 1.0], np.zeros((1, 2, 1)), units=units)
