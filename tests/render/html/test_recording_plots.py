"""Pictures of data: all that is in the data is in the picture, under its name and unit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot as plt

import liestonet as lsn
from liestonet.render.html.recording_plots import draw_recording, outline
from liestonet.render.limits import MOST_PATHS_DRAWN, MOST_POINTS_OF_A_LINE, MOST_ROWS_OF_A_PICTURE


def walks(paths: int = 3, points: int = 50, dimension: int = 2) -> lsn.Trajectories:
    rng = np.random.default_rng(4)
    states = rng.normal(size=(paths, points, dimension)).cumsum(axis=1)
    return lsn.Trajectories.from_arrays([np.arange(points) / 10] * paths, list(states))


@pytest.fixture
def ax() -> Iterator[Any]:
    figure, axes = plt.subplots()
    yield axes
    plt.close(figure)


def test_every_path_is_drawn_with_names_and_units(ax, tmp_path):
    (tmp_path / "a.csv").write_text("t [s],x [um]\n0,1\n1,3\n2,2\n")
    data = lsn.Trajectories.read(tmp_path / "a.csv")
    assert lsn.plots.paths(data, ax) is ax
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("t [s]", "x [um]")
    assert ax.lines[0].get_ydata().tolist() == [1, 3, 2]
    lsn.plots.steps(data, ax)
    assert ax.get_xlabel() == "step of x [um]"


def test_steps_stay_within_paths_and_are_all_counted(ax):
    data = lsn.Trajectories.from_arrays([[0, 1, 2], [0, 1]], [[[0.0], [1.0], [1.0]], [[900.0], [902.0]]])
    lsn.plots.steps(data, ax)
    assert sum(bar.get_height() for bar in ax.patches) == 3
    assert max(bar.get_x() + bar.get_width() for bar in ax.patches) == pytest.approx(2)
    assert ax.get_title(loc="center") or ax.get_title(loc="left")
    assert "33 % of them 0" in ax.get_title(loc="center") + ax.get_title(loc="left")


def test_of_many_paths_some_are_drawn_and_the_title_says_so(ax):
    lsn.plots.paths(walks(paths=100), ax)
    assert len(ax.lines) == MOST_PATHS_DRAWN
    assert f"{MOST_PATHS_DRAWN} of 100 paths" in ax.get_title(loc="center") + ax.get_title(loc="left")


def test_an_outline_keeps_ends_and_extremes_of_every_piece():
    values = np.random.default_rng(1).normal(size=100_003)
    values[77_777] = 50
    times = np.arange(len(values)) / 7
    t, x = outline(times, values)
    assert len(x) <= MOST_POINTS_OF_A_LINE + 2
    assert np.all(np.diff(t) > 0)
    assert (t[0], t[-1], x.min(), x.max()) == (times[0], times[-1], values.min(), 50)
    assert np.array_equal(x, values[np.rint(7 * t).astype(int)])


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_a_picture_is_of_the_kind_that_its_name_says(kind, tmp_path):
    draw_recording(walks(), tmp_path / f"a.{kind}")
    begin = (tmp_path / f"a.{kind}").read_bytes()[:8]
    assert begin.startswith({"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[kind])


def test_a_picture_has_two_pictures_for_each_of_the_first_coordinates(tmp_path):
    draw_recording(walks(dimension=MOST_ROWS_OF_A_PICTURE + 2), tmp_path / "a.svg")
    drawn = (tmp_path / "a.svg").read_text()
    assert drawn.count(">step of x") == MOST_ROWS_OF_A_PICTURE


def test_a_coordinate_that_is_not_there_is_one_sentence(ax):
    for draw in (lsn.plots.paths, lsn.plots.steps):
        with pytest.raises(lsn.InputError, match="2 coordinates, counted from 0"):
            draw(walks(), ax, coordinate=2)
