"""The summary: numbers that can be checked by hand, and notes on what deserves a look."""

from __future__ import annotations

import hashlib

import numpy as np

from liestonet.trajectories import Trajectories


def test_a_summary_can_be_checked_by_hand():
    data = Trajectories.from_arrays(
        [[0, 1, 3], [10, 14]], [[[1, 7], [2, 7], [3, 7]], [[4, 7], [5, 7]]], ["x [um]", "k"], units={"t": "s"}
    )
    summary = data.summary()
    assert (summary.paths, summary.points, summary.increments, summary.path_points) == (2, 5, 3, (2, 3))
    assert (summary.start, summary.end, summary.duration, summary.step) == (0, 14, 7, (1, 2, 4))
    x, k = summary.coordinates
    assert (x.name, x.unit, x.minimum, x.maximum, x.mean) == ("x", "um", 1, 5, 3)
    assert x.standard_deviation == np.sqrt(2)
    assert (k.unit, k.minimum, k.maximum) == (None, 7, 7)
    assert str(summary).splitlines() == [
        "paths       2 with 2 to 3 points each; 5 points in all",
        "increments  3; total duration 7 s",
        "time        0 to 14 s; step 1 to 4, median 2 s",
        "x           1 to 5 um; mean 3, standard deviation 1.41421",
        "k           7; mean 7, standard deviation 0",
        "note        The coordinate is constant: k; leave constants out of the state.",
    ]
    assert repr(data) == "Trajectories(2 paths of 2 to 3 points; t 0 to 14 s, step 1 to 4 s; x 1 to 5 um, k 7)"


def test_the_digest_is_the_hash_of_the_arrays():
    data = Trajectories.from_arrays([[0, 1]], [[[2], [3]]], ["ä"])
    content = np.array([0, 1, 2, 3], "<f8").tobytes() + np.array([0, 2], "<i8").tobytes() + "ä".encode()
    assert data.digest == hashlib.sha256(content).hexdigest()


def test_the_digest_distinguishes_data():
    states = np.arange(8.0).reshape(2, 4, 1)
    data = Trajectories.from_arrays(np.arange(4.0), states)
    others = [
        Trajectories.from_arrays(np.arange(4.0) + 1e-15, states),
        Trajectories.from_arrays(np.arange(4.0), states[::-1]),
        Trajectories.from_arrays(np.arange(4.0), states, ["y"]),
        Trajectories.from_arrays(np.arange(8.0), states.reshape(1, 8, 1)),
    ]
    assert len({data.digest, *(other.digest for other in others)}) == 5
    assert Trajectories.from_arrays([np.arange(4.0)] * 2, list(states)).digest == data.digest
