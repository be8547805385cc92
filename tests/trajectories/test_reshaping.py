"""Windows, thinning, chosen paths and transformed coordinates, against plain loops and exact identities."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from liestonet.errors import InputError
from liestonet.trajectories import Trajectories


def uneven(lengths, dimension=2, **named) -> Trajectories:
    """Paths of these lengths with irregular steps, all numbers different."""
    rng = np.random.default_rng(sum(lengths))
    times = [np.cumsum(rng.uniform(0.1, 1, n)) for n in lengths]
    return Trajectories.from_arrays(times, [rng.normal(size=(n, dimension)) for n in lengths], **named)


lengths = st.lists(st.integers(1, 12), max_size=5).map(lambda drawn: [12, *drawn])


@given(lengths, st.integers(2, 12), st.integers(1, 6))
def test_windows_equal_plain_loops(counts, n, stride):
    data = uneven(counts)
    cut = data.windows(n, stride)
    expected = [
        (t[start : start + n], x[start : start + n])
        for t, x in zip(data.times, data.states, strict=True)
        for start in range(0, len(t) - n + 1, stride)
    ]
    assert len(cut) == len(expected)
    for (t, x), own_t, own_x in zip(expected, cut.times, cut.states, strict=True):
        np.testing.assert_array_equal(own_t, t)
        np.testing.assert_array_equal(own_x, x)
    used = {row for t, _ in expected for row in t}
    left = data.points - len(used)
    if stride <= n:
        assert any(note.startswith(f"{left} point") for note in cut.notes) == (left > 0)
    assert any("overlap" in note for note in cut.notes) == (stride < n - 1)


def test_windows_without_a_stride_count_every_increment_once():
    data = uneven([31])
    for whole, cut in zip(data.increments()[:4], data.windows(6).increments()[:4], strict=True):
        np.testing.assert_array_equal(whole, cut)
    assert len(data.windows(6)) == 6


@given(lengths, st.integers(2, 12), st.integers(1, 6))
def test_windows_with_clocks_of_their_own_begin_at_zero(counts, n, stride):
    data = uneven(counts)
    kept, restarted = data.windows(n, stride), data.windows(n, stride, restart=True)
    for before, after in zip(kept.times, restarted.times, strict=True):
        np.testing.assert_array_equal(after, before - before[0])
    np.testing.assert_array_equal(kept.flat_states, restarted.flat_states)
    assert not any("date" in note for note in kept.notes)
    assert any("not to depend on the date" in note for note in restarted.notes)


def test_restarting_is_yes_or_no():
    with pytest.raises(InputError, match="True or False"):
        uneven([12]).windows(4, restart="daily")


@given(lengths, st.integers(1, 8))
def test_thinning_equals_slicing(counts, k):
    data = uneven(counts)
    thin = data.thin(k)
    for t, x, own_t, own_x in zip(data.times, data.states, thin.times, thin.states, strict=True):
        np.testing.assert_array_equal(own_t, t[::k])
        np.testing.assert_array_equal(own_x, x[::k])


@given(lengths, st.data())
def test_taking_paths_equals_indexing(counts, draw):
    data = uneven(counts)
    indices = [0, *draw.draw(st.lists(st.integers(0, len(counts) - 1), max_size=6))]
    taken = data.take(indices)
    assert len(taken) == len(indices)
    for index, t, x in zip(indices, taken.times, taken.states, strict=True):
        np.testing.assert_array_equal(t, data.times[index])
        np.testing.assert_array_equal(x, data.states[index])


@pytest.mark.parametrize(("fraction", "first"), [(0.5, 5), (0.01, 1), (0.999, 9), (0.8, 8)])
def test_split_parts_share_no_path_and_lose_none(fraction, first):
    data = uneven(range(2, 12))
    fit, held_out = data.split(fraction, seed=3)
    assert (len(fit), len(held_out)) == (first, 10 - first)
    starts = [part[0] for half in (fit, held_out) for part in half.times]
    assert sorted(starts) == sorted(part[0] for part in data.times)
    again, _ = data.split(fraction, seed=3)
    assert again.digest == fit.digest
    if first == 5:
        assert data.split(fraction, seed=4)[0].digest != fit.digest


def test_transform_names_and_values():
    data = Trajectories.from_arrays([0, 1, 2], [[[1, 1], [4, 2], [9, 3]]], ["x", "y"], units={"x": "um", "y": "V"})
    logged = data.transform(x=np.log)
    assert logged.names == ("log_x", "y")
    np.testing.assert_array_equal(logged.flat_states, np.stack([np.log([1, 4, 9]), [1, 2, 3]], axis=1))
    assert dict(logged.units) == {"y": "V"}
    assert "The coordinate x was transformed to log_x." in logged.notes
    both = data.transform(x=("root", np.sqrt), y=lambda y: -y)
    assert both.names == ("root", "y")
    assert both.flat_states.tolist() == [[1, -1], [2, -2], [3, -3]]
    assert data.flat_states[0].tolist() == [1, 1]


WRONG = {
    "log of a negative number": (
        lambda d: d.transform(x=np.log),
        "Trajectory 0, row 1: the transform of x = -2 is nan",
    ),
    "unknown coordinate": (lambda d: d.transform(z=np.log), "no coordinate 'z' to transform; there are x, y"),
    "time": (lambda d: d.transform(t=np.log), "no coordinate 't'"),
    "nothing": (lambda d: d.transform(), "No coordinate to transform"),
    "no function": (lambda d: d.transform(x=3), "must be a function such as np.log"),
    "a number for all": (lambda d: d.transform(x=np.sum), r"gave shape \(\) for \(4,\)"),
    "complex values": (lambda d: d.transform(x=lambda x: x * 1j), "complex"),
    "a name that is taken": (lambda d: d.transform(x=("y", np.abs)), "name 'y' is taken"),
    "window of one": (lambda d: d.windows(1), "at least 2, not 1"),
    "window too long": (lambda d: d.windows(5), "window of 5 points is longer than every path"),
    "stride of nothing": (lambda d: d.windows(2, 0), "stride must be a whole number, at least 1"),
    "thin by half": (lambda d: d.thin(0.5), "whole number"),
    "thin away": (lambda d: d.thin(4), "no increment would be left"),
    "no such path": (lambda d: d.take([0, 1]), "no path 1; paths are counted from 0 to 0"),
    "no paths": (lambda d: d.take([]), "list of whole numbers"),
    "a mask": (lambda d: d.take([True]), "list of whole numbers"),
    "split of one": (lambda d: d.split(0.5), "cut it into windows first"),
    "split into nothing": (lambda d: d.split(0), "between 0 and 1"),
    "split by a word": (lambda d: d.split("half"), "must be a number"),
    "split with a bad seed": (lambda d: d.windows(2).split(0.5, seed=-1), "seed must be a whole number"),
    "blocks of nothing": (lambda d: d.chunks(0), "at least 1"),
    "noise for others": (lambda d: d.degrade(noise=[1]), "1 sizes of noise for 2 coordinates"),
    "noise for a stranger": (lambda d: d.degrade(noise={"z": 1}), "no coordinate 'z'"),
    "negative noise": (lambda d: d.degrade(noise=-1), "must not be negative"),
    "endless noise": (lambda d: d.degrade(noise=np.inf), "must be a number"),
    "drop too many": (lambda d: d.degrade(drop=1.5), "between 0 and 1"),
    "drop all": (lambda d: d.degrade(drop=1), "Nothing would be left"),
    "keep none": (lambda d: d.degrade(keep=0), "Nothing would be left"),
    "blur to nothing": (lambda d: d.degrade(blur=4), "no increment would be left"),
    "blur by half": (lambda d: d.degrade(blur=1.5), "whole number"),
}


@pytest.mark.parametrize("case", WRONG.values(), ids=WRONG.keys())
def test_wrong_arguments_are_a_sentence(case):
    call, message = case
    data = Trajectories.from_arrays([0, 1, 2, 3], [[[1, 1], [-2, 2], [3, 3], [4, 5]]])
    with pytest.raises(InputError, match=message) as caught:
        call(data)
    assert "\n" not in str(caught.value)
