"""The data door: shapes and containers that mean the same give the same; all else ends in one sentence."""

from __future__ import annotations

import copy
import pickle
import re
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from liestonet.errors import InputError
from liestonet.trajectories import Trajectories

finite = st.floats(-1e150, 1e150)  # larger numbers, whose squares overflow, are refused


@st.composite
def paths(draw, dimension=None):
    """A list of (times, states) of unequal lengths with any finite values."""
    d = draw(st.integers(1, 4)) if dimension is None else dimension
    lengths = draw(st.lists(st.integers(2, 5), min_size=1, max_size=5))
    times = [np.sort(draw(hnp.arrays(np.float64, n, elements=finite, unique=True))) for n in lengths]
    states = [draw(hnp.arrays(np.float64, (n, d), elements=finite)) for n in lengths]
    return times, states


def assert_same(one: Trajectories, other: Trajectories) -> None:
    np.testing.assert_array_equal(one.flat_times, other.flat_times)
    np.testing.assert_array_equal(one.flat_states, other.flat_states)
    np.testing.assert_array_equal(one.offsets, other.offsets)
    assert one.names == other.names


@given(paths())
def test_what_goes_in_comes_out(drawn):
    times, states = drawn
    data = Trajectories.from_arrays(times, states)
    assert len(data) == len(times) == len(data.times) == len(data.states)
    assert data.points == sum(map(len, times))
    assert data.dimension == states[0].shape[1] == len(data.names)
    for given_arrays, kept in ((times, data.times), (states, data.states)):
        for array, view in zip(given_arrays, kept, strict=True):
            np.testing.assert_array_equal(array, view)
            assert not view.flags.owndata
    assert data.offsets[0] == 0
    np.testing.assert_array_equal(np.diff(data.offsets), [len(part) for part in times])


@given(paths(), st.randoms())
def test_order_of_trajectories_is_kept(drawn, random):
    times, states = drawn
    order = list(range(len(times)))
    random.shuffle(order)
    data = Trajectories.from_arrays(times, states)
    shuffled = Trajectories.from_arrays([times[k] for k in order], [states[k] for k in order])
    for position, k in enumerate(order):
        np.testing.assert_array_equal(shuffled.times[position], data.times[k])
        np.testing.assert_array_equal(shuffled.states[position], data.states[k])


@given(st.integers(1, 4), st.integers(2, 5), st.integers(1, 4), st.data())
def test_containers_that_mean_the_same(count, length, dimension, data):
    times = np.array(data.draw(st.lists(finite, min_size=length, max_size=length, unique=True).map(sorted)))
    states = data.draw(hnp.arrays(np.float64, (count, length, dimension), elements=finite))
    expected = Trajectories.from_arrays(times, states)
    many = np.tile(times, (count, 1))
    for same_times in (times, times.tolist(), tuple(times), many, list(many), many.tolist(), tuple(many)):
        for same_states in (states, list(states), tuple(states), states.tolist(), np.asfortranarray(states)):
            assert_same(Trajectories.from_arrays(same_times, same_states), expected)


@pytest.mark.parametrize("kind", [np.float32, np.float16, np.int64, np.int8, np.uint16, object])
def test_number_types_become_float64(kind):
    data = Trajectories.from_arrays(np.arange(3, dtype=kind), np.arange(6, dtype=kind).reshape(2, 3, 1))
    assert data.flat_times.dtype == data.flat_states.dtype == np.float64
    np.testing.assert_array_equal(data.states[1], [[3], [4], [5]])


@pytest.mark.parametrize(("dimension", "names"), [(1, "x"), (2, "x y"), (3, "x y z"), (4, "x1 x2 x3 x4")])
def test_default_names(dimension, names):
    data = Trajectories.from_arrays([0.0, 1.0], np.zeros((1, 2, dimension)))
    assert data.names == tuple(names.split())


def test_nothing_can_be_changed():
    times, states = np.array([0.0, 1.0]), np.zeros((1, 2, 1))
    data = Trajectories.from_arrays([times], states)
    states[:] = 7
    times[:] = 7
    assert data.flat_states.max() == 0
    assert data.flat_times.max() == 1
    for array in (data.flat_times, data.flat_states, data.offsets, data.times[0], data.states[0]):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    with pytest.raises(AttributeError):
        data.names = ("y",)  # pyright: ignore[reportAttributeAccessIssue]


def test_copies_are_equal_and_read_only():
    data = Trajectories.from_arrays([0, 1, 2], [[[1], [2], [np.nan]]], ["x [um]"], gap=5)
    for twin in (copy.deepcopy(data), pickle.loads(pickle.dumps(data))):
        assert_same(twin, data)
        assert (dict(twin.units), twin.gaps, twin.notes) == ({"x": "um"}, data.gaps, data.notes)
        assert not twin.flat_states.flags.writeable


def test_repr_can_be_checked_at_a_glance():
    even = Trajectories.from_arrays([0, 0.5, 1], np.arange(12).reshape(2, 3, 2))
    assert repr(even) == "Trajectories(2 paths of 3 points; t 0 to 1, step 0.5; x 0 to 10, y 1 to 11)"
    uneven = Trajectories.from_arrays([[0, 1], [5, 7, 10]], [[[1], [2]], [[3], [4], [5]]], ["price"])
    assert repr(uneven) == "Trajectories(2 paths of 2 to 3 points; t 0 to 10, step 1 to 3; price 1 to 5)"
    wide = repr(Trajectories.from_arrays([0, 1], np.zeros((1, 2, 10))))
    assert wide == "Trajectories(1 path of 2 points; t 0 to 1, step 1; x1 0, x2 0, x3 0, … 10 coordinates)"


def test_many_short_paths_cost_what_one_long_path_costs():
    times = np.stack([np.linspace(0, 5, 256_000), np.linspace(0, 5, 256_000) + 0.01], axis=1)
    states = np.zeros((256_000, 2, 1))
    tracemalloc.start()
    data = Trajectories.from_arrays(times, states)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(data) == 256_000
    assert peak < 3 * (times.nbytes + states.nbytes)  # the copy, and what checks need; an object per path takes more


TIMES, STATES = [np.arange(3.0), np.arange(2.0)], [np.zeros((3, 2)), np.zeros((2, 2))]
SINGLE = "a single path is [times], [states]"
NAN, BIG = float("nan"), 2**60

WRONG = [
    (np.arange(3.0), np.zeros((3, 2)), "states have shape (3, 2), but times must be (N,) shared"),
    (np.arange(3.0), np.zeros((3, 2)), SINGLE),
    (np.arange(3.0), np.zeros(3), SINGLE),
    (np.zeros((1, 3, 1)), np.zeros((1, 3, 1)), "times have shape (1, 3, 1)"),
    (3.0, np.zeros((1, 3, 1)), "times have shape ()"),
    (np.arange(3.0), [np.zeros(3)], "states of trajectory 0 have shape (3,)"),
    (TIMES, [STATES[0], np.zeros((2, 2, 1))], "states of trajectory 1 have shape (2, 2, 1)"),
    (TIMES, [STATES[0], np.zeros((2, 0))], "states of trajectory 1 have shape (2, 0)"),
    ([TIMES[0], np.zeros((2, 1))], STATES, "times of trajectory 1 have shape (2, 1)"),
    (TIMES, [STATES[0], np.zeros((2, 3))], "Trajectory 1 has 3 coordinates but trajectory 0 has 2"),
    (TIMES, [*STATES, STATES[0]], "times for 2 trajectories but states for 3"),
    (np.zeros((4, 3)), np.zeros((2, 3, 1)), "times for 4 trajectories but states for 2"),
    (TIMES[0], STATES, "Trajectory 1 has 3 times but 2 states"),
    ([], [], "no trajectories"),
    ([], np.zeros((0, 3, 1)), "no trajectories"),
    (object(), STATES, "The times cannot be read as a regular array of real numbers"),
    (TIMES, object(), "The states cannot be read as a regular array of real numbers"),
    (None, STATES, "times have shape ()"),
    (TIMES, [STATES[0], [[1, 2], [3]]], "states of trajectory 1 cannot be read"),
    ([TIMES[0], [[1], [2, 3]]], STATES, "times of trajectory 1 cannot be read"),
    (TIMES, [STATES[0], STATES[1] * 1j], "states of trajectory 1 have the type complex128"),
    (TIMES, [STATES[0], [["1", "2"], ["3", "4"]]], "states of trajectory 1 have the type <U1"),
    (np.array([0, 1]), np.array([[["2020-01-01"], ["2020-02-01"]]], "M8[s]"), "type datetime64[s]"),
    (np.ma.masked_equal(np.array([0, 1], "M8[s]"), np.datetime64(0, "s")), np.zeros((1, 2, 1)), "type datetime64[s]"),
    ([np.array([0, 1], "M8[s]"), np.array([0, 1], "m8[s]")], np.zeros((2, 2, 1)), "type datetime64[s]"),
    (np.array([False, True]), np.zeros((1, 2, 1)), "times have the type bool"),
    (TIMES, [STATES[0], np.ma.masked_equal([[1, 2], [3, 4]], 3)], "states of trajectory 1 are masked"),
    (np.array([BIG, BIG + 1]), np.zeros((1, 2, 1)), "times are integers too large for float64"),
    (TIMES[1], [[[0, 1], [2, NAN]]], "consecutive finite points (Trajectory 0, row 1 has y = nan), so there is no"),
    (TIMES[1], [[[float("inf"), 1], [2, 3]]], "Trajectory 0, row 0 has x = inf"),
    ([[0, NAN]], [STATES[1]], "Trajectory 0, row 1 has time = nan"),
    (TIMES, [STATES[0], [[0, 1], [2, 1e300]]], "Trajectory 1, row 1 has y = 1e+300, whose square overflows"),
    ([TIMES[0], [0, -1e200]], STATES, "Trajectory 1, row 1 has time = -1e+200, whose square overflows"),
    ([TIMES[0], [1, 1]], STATES, "Trajectory 1, row 1 has time 1 after 1; times must increase strictly"),
    ([[0, 2, 1], TIMES[1]], STATES, "Trajectory 0, row 2 has time 1 after 2"),
    ([[0, 2, NAN, 1], TIMES[1]], [np.zeros((4, 2)), STATES[1]], "Trajectory 0, row 3 has time 1 after 2"),
    ([[0], [0]], [[[0, 1]], [[0, 1]]], "No trajectory has two consecutive finite points, so there is no increment"),
    ([TIMES[0], []], [STATES[0], np.zeros((0, 2))], "Trajectory 1 has 0 points"),
]


@pytest.mark.parametrize(("times", "states", "message"), WRONG, ids=[row[2][:40] for row in WRONG])
def test_wrong_arrays_are_a_sentence(times, states, message):
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        Trajectories.from_arrays(times, states)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["x"], "1 names for 2 coordinates"),
        ("xy", "not the string 'xy'"),
        (["x", "x"], "name 'x' is taken"),
        (["x", "t"], "name 't' is taken"),
        (["trajectory", "y"], "name 'trajectory' is taken"),
        (["x", ""], "name '' is not a plain word"),
        (["x", " y"], "name ' y' is not a plain word"),
        (["x", "a\nb"], "is not a plain word"),
        (["x", 3], "name 3 is not a plain word"),
        (3, "not 3"),
        (["x", "y [um] [nm]"], "name 'y [um]' holds a unit"),
    ],
)
def test_wrong_names_are_a_sentence(names, message):
    with pytest.raises(InputError, match=re.escape(message)):
        Trajectories.from_arrays(TIMES, STATES, names)


things = st.none() | st.floats() | st.text(max_size=3) | st.integers(-(2**70), 2**70)  # beyond 64 bits too
lists = st.lists(things, max_size=4)
lists_of_lists = st.lists(things | lists, max_size=4)


@given(things | lists | lists_of_lists | st.lists(lists_of_lists, max_size=4))
def test_fuzzed_input_ends_in_our_error_or_in_trajectories(values):
    for times in (values, [0.0, 1.0]):
        try:
            data = Trajectories.from_arrays(times, values)
        except InputError:
            continue
        assert np.isfinite(data.flat_states).all()


@pytest.mark.parametrize(
    ("times", "states", "offsets", "message"),
    [
        (np.arange(4.0), np.zeros((4, 1)), np.array([0, 2, 3]), "offsets must begin with 0"),
        (np.arange(4.0), np.zeros((4, 1)), np.array([0, 3, 2, 4]), "Trajectory 1 has -1 points"),
        (np.arange(4.0), np.zeros((4, 1)), np.array([4]), "offsets must begin with 0"),
    ],
)
def test_flat_storage_is_checked_too(times, states, offsets, message):
    with pytest.raises(InputError, match=message):
        Trajectories(times, states, offsets, ("x",))


DAYS = np.array(["2024-02-28T12", "2024-03-01T00", "2024-03-01T06"], "M8[h]")  # the leap day lies between
DATED = {
    "shared": (DAYS, np.zeros((2, 3, 1)), [0, 36, 42, 0, 36, 42]),
    "for each path": (np.stack([DAYS, DAYS + np.timedelta64(1, "h")]), np.zeros((2, 3, 1)), [0, 36, 42, 1, 37, 43]),
    "a list": ([DAYS[1:], DAYS[:2].astype("M8[ns]")], [np.zeros((2, 1))] * 2, [36, 42, 0, 36]),
    "a list of dates": (list(DAYS), np.zeros((1, 3, 1)), [0, 36, 42]),
    "pandas with a zone": ([pd.Series(DAYS).dt.tz_localize("UTC")], [np.zeros((3, 1))], [0, 36, 42]),
}


@pytest.mark.parametrize(("times", "states", "hours"), DATED.values(), ids=DATED.keys())
def test_dates_become_seconds_since_the_earliest(times, states, hours):
    data = Trajectories.from_arrays(times, states)
    np.testing.assert_array_equal(data.flat_times, 3600.0 * np.array(hours))
    assert data.units["t"] == "s"
    assert "Times are seconds since 2024-02-28T12:00:00." in data.notes


def test_durations_count_from_zero_and_missing_dates_split():
    durations = Trajectories.from_arrays(np.array([500, 1500], "m8[ms]"), np.zeros((1, 2, 1)))
    np.testing.assert_array_equal(durations.flat_times, [0.5, 1.5])
    assert not any("since" in note for note in durations.notes)
    times = np.array(["2024-01-01", "2024-01-02", "NaT", "2024-01-04", "2024-01-05"], "M8[D]")
    split = Trajectories.from_arrays(times, np.zeros((1, 5, 1)))
    assert [t.tolist() for t in split.times] == [[0, 86400], [3 * 86400, 4 * 86400]]


def test_numbers_that_look_like_dates_are_noted():
    states = np.arange(4.0).reshape(1, 4, 1)
    dates = Trajectories.from_arrays(np.array([20240130, 20240131, 20240201, 20240202]), states)
    assert any("20240130 look like dates" in note for note in dates.notes)
    for times in ([20240130, 20240131, 20240132, 20240133], [0, 1, 2, 3], [20240101.5, 20240102, 20240103, 20240104]):
        assert not any("look like" in note for note in Trajectories.from_arrays(np.array(times), states).notes)
