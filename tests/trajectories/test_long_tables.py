"""Tables: neither the package a table comes from nor the order of rows and columns changes what is read."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from liestonet.errors import InputError
from liestonet.trajectories import Trajectories
from liestonet.trajectories.columns import make_header, parse_header

number = st.floats(-1e6, 1e6) | st.sampled_from([float("nan"), float("inf")])


def assert_same(one: Trajectories, other: Trajectories) -> None:
    np.testing.assert_array_equal(one.flat_times, other.flat_times)
    np.testing.assert_array_equal(one.flat_states, other.flat_states)
    np.testing.assert_array_equal(one.offsets, other.offsets)
    assert (one.names, dict(one.units), one.gaps) == (other.names, dict(other.units), other.gaps)


@st.composite
def long_tables(draw):
    """Columns label, t, x, y whose paths are mixed with each other but in order of time."""
    count = draw(st.integers(4, 20))
    labels = draw(st.lists(st.sampled_from(["b", "a", "c 1"]), min_size=count, max_size=count))
    x, y = (draw(st.lists(number, min_size=count, max_size=count)) for _ in range(2))
    # Two rows that certainly make an increment.
    return {
        "label": ["b", "b", *labels],
        "t": np.arange(-2.0, count),
        "x [um]": np.array([1.0, 2.0, *x]),
        "y": np.array([1.0, 2.0, *y]),
    }


def by_hand(columns) -> list[tuple[list[float], list[list[float]]]]:
    """The same paths by plain loops: labels in order of appearance, split where a row is not finite."""
    paths = []
    for label in dict.fromkeys(columns["label"]):
        piece: list[tuple[float, list[float]]] = []
        rows = zip(columns["label"], columns["t"], columns["x [um]"], columns["y"], strict=True)
        for own, t, x, y in rows:
            if own != label:
                continue
            if np.isfinite([t, x, y]).all():
                piece.append((t, [x, y]))
            elif piece:
                paths.append(piece)
                piece = []
        if piece:
            paths.append(piece)
    return [([t for t, _ in piece], [x for _, x in piece]) for piece in paths]


@given(long_tables())
def test_mixed_rows_and_gaps_equal_plain_loops(columns):
    data = Trajectories.from_dataframe(columns, "t", "label", ["x", "y"])
    expected = by_hand(columns)
    assert len(data) == len(expected)
    for (times, states), own_times, own_states in zip(expected, data.times, data.states, strict=True):
        np.testing.assert_array_equal(own_times, times)
        np.testing.assert_array_equal(own_states, states)
    missing = ~np.isfinite(columns["x [um]"]) | ~np.isfinite(columns["y"])
    assert data.gaps.rows == missing.sum()
    assert dict(data.gaps.columns) == {
        name: count for name in ("x", "y") if (count := (~np.isfinite(columns[{"x": "x [um]"}.get(name, name)])).sum())
    }
    assert data.units == {"x": "um"}


@given(long_tables(), st.permutations(["label", "t", "x [um]", "y"]))
def test_neither_container_nor_order_of_columns_matters(columns, order):
    expected = Trajectories.from_dataframe(columns, "t", "label", ["x", "y"])
    mixed = {name: columns[name] for name in order}
    plain = pd.DataFrame(mixed)
    containers = [
        mixed,
        {name: list(values) for name, values in mixed.items()},
        plain,
        plain.astype({"label": "category"}),
        plain.convert_dtypes(),
        plain.set_index("t"),
        plain.set_index(["label", "t"]),
        plain.set_index(plain.index + 7),
        pl.DataFrame(mixed),
        pl.DataFrame(mixed).with_columns(pl.col("label").cast(pl.Categorical)),
        pa.table(mixed),
        pa.concat_tables([pa.table(mixed).slice(0, 3), pa.table(mixed).slice(3)]),
    ]
    for container in containers:
        assert_same(Trajectories.from_dataframe(container, "t", "label", ["x", "y"]), expected)


@given(long_tables(), st.randoms())
def test_sorting_undoes_any_shuffle_within_paths(columns, random):
    frame = pd.DataFrame(columns)
    shuffled = frame.iloc[random.sample(range(len(frame)), len(frame))]
    data = Trajectories.from_dataframe(shuffled, "t", "label", ["x", "y"], sort=True)
    first = dict.fromkeys(shuffled["label"])
    regrouped = pd.concat([frame[frame["label"] == label] for label in first])
    assert_same(data, Trajectories.from_dataframe(regrouped, "t", "label", ["x", "y"]))


@pytest.mark.parametrize(
    "labels", [[7, 7, 3, 3], ["7", "7", "3", "3"], [7.0, 7.0, 3.0, 3.0], [True, True, False, False]]
)
def test_labels_of_any_kind(labels):
    data = Trajectories.from_dataframe({"t": [0, 1, 0, 1], "id": labels, "x": [1, 2, 3, 4]}, trajectory="id", state="x")
    np.testing.assert_array_equal(data.offsets, [0, 2, 4])
    np.testing.assert_array_equal(data.flat_states[:, 0], [1, 2, 3, 4])


def test_two_unnamed_coordinates_are_inferred_with_a_note():
    table = {
        "Time (s)": [0, 1],
        "particle": [1, 1],
        "x": [1, 2],
        "note": ["a", "b"],
        "flag": [True, False],
        "n": [1, 2],
    }
    data = Trajectories.from_dataframe(table)
    assert data.names == ("x", "n")
    assert data.units == {"t": "s"}
    found = "Columns found by their names: time 'Time (s)', trajectory 'particle', state 'x', 'n'"
    assert data.notes[0] == f"{found}; not used: 'note', 'flag'."
    named = Trajectories.from_dataframe(table, "Time", "particle", ["n", "x"])
    assert named.names == ("n", "x")
    assert named.notes == ()


def test_text_beside_the_columns_of_our_own_layout_is_left_out():
    table = {"trajectory": [0, 0], "t": [0, 1], "x": [1, 2], "comment": ["a", "b"]}
    data = Trajectories.from_dataframe(table)
    assert data.names == ("x",)
    assert "not used: 'comment'" in data.notes[0]
    assert Trajectories.from_dataframe(table | {"Time": [5, 5]}, state="x").flat_times.tolist() == [0, 1]


def test_a_column_wanted_as_state_is_not_taken_for_the_label():
    data = Trajectories.from_dataframe({"t": [0, 1], "path": [1.5, 2.5]}, state="path")
    assert data.names == ("path",)


MOMENTS = [datetime.datetime(2024, 2, 28, 23, 59, 59), datetime.datetime(2024, 3, 1, 0, 0, 0, 250_000)]
SECONDS = [0.0, 24 * 3600 + 1.25]  # the leap day lies between
STAMPS = {
    "python": MOMENTS,
    "text": [str(moment) for moment in MOMENTS],
    "text with T": [moment.isoformat() for moment in MOMENTS],
    "text in UTC": [f"{moment.isoformat()}Z" for moment in MOMENTS],
    "text elsewhere": [f"{moment.isoformat()}+05:30" for moment in MOMENTS],
    "numpy": np.array(MOMENTS, "M8[ms]"),
    "nanoseconds": np.array(MOMENTS, "M8[ns]"),
    "pandas": pd.Series(MOMENTS),
    "pandas with a zone": pd.Series(MOMENTS).dt.tz_localize("UTC"),
    "polars": pl.Series(MOMENTS),
    "arrow": pa.array(MOMENTS, pa.timestamp("us")),
}


@pytest.mark.parametrize("values", STAMPS.values(), ids=STAMPS.keys())
def test_dates_become_seconds_since_the_first(values):
    data = Trajectories.from_dataframe({"t": values, "x": [1, 2]})
    assert data.flat_times.tolist() == SECONDS
    assert data.units == {"t": "s"}
    since = "2024-02-28T18:29:59" if "+05:30" in str(values[0]) else "2024-02-28T23:59:59"
    assert f"Times are seconds since {since}." in data.notes


def test_dates_count_from_the_earliest_of_all_paths_and_to_the_nanosecond():
    ticks = np.array([5, 6, 1, 4], "M8[ns]") + np.timedelta64(10**18, "ns")
    data = Trajectories.from_dataframe({"t": ticks, "path": [1, 1, 2, 2], "x": [1, 2, 3, 4]})
    np.testing.assert_array_equal(data.flat_times, np.array([4, 5, 0, 3]) / 1e9)


def test_a_missing_date_splits_and_days_and_durations_are_times():
    days = [
        datetime.date(2024, 1, 1),
        datetime.date(2024, 1, 2),
        None,
        datetime.date(2024, 1, 5),
        datetime.date(2024, 1, 6),
    ]
    data = Trajectories.from_dataframe({"date": days, "x": [1, 2, 3, 4, 5]})
    assert (data.flat_times / 86_400).tolist() == [0, 1, 4, 5]
    assert data.offsets.tolist() == [0, 2, 4]
    spans = Trajectories.from_dataframe({"t": np.array([1500, 4000], "m8[ms]"), "x": [1, 2]})
    assert spans.flat_times.tolist() == [1.5, 4.0]
    assert spans.units == {"t": "s"}


@pytest.mark.parametrize(
    ("header", "name", "unit"),
    [
        ("x", "x", None),
        (" x ", "x", None),
        ("x [um]", "x", "um"),
        ("x[um]", "x", "um"),
        ("x (um)", "x", "um"),
        ("mean x (m/s^2)", "mean x", "m/s^2"),
        ("x [m (rel)]", "x", "m (rel)"),
        ("f(x)", "f(x)", None),
        ("x[0]", "x[0]", None),
        ("x (2)", "x (2)", None),
        ("x []", "x []", None),
        ("[um]", "[um]", None),
        ("x [0] [um]", "x [0]", "um"),
    ],
)
def test_units_in_headers(header, name, unit):
    assert parse_header(header) == (name, unit)
    assert parse_header(make_header(name, unit)) == (name, unit)


integers = st.integers(-(2**70), 2**70)  # beyond 64 bits too
things = st.none() | st.booleans() | st.floats() | integers | st.text(max_size=3) | st.binary(max_size=2) | st.dates()
anything = things | st.lists(things | st.lists(things, max_size=4), max_size=4)


@given(
    st.dictionaries(st.sampled_from(["t", "time", "x", "path", "y [m]", ""]), anything, max_size=4),
    st.booleans(),
    st.booleans(),
)
def test_fuzzed_tables_end_in_our_error_or_in_trajectories(table, named, sort):
    arguments = ("t", None, ["x"]) if named else ()
    try:
        data = Trajectories.from_dataframe(table, *arguments, sort=sort)
    except InputError as problem:
        message = str(problem)
        data = None
    else:
        message = ""
    if data is None:
        assert "\n" not in message
    else:
        assert np.isfinite(data.flat_states).all()
