"""Times and path labels that names do not give: a wrong reading would exchange particles and frames."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import liestonet as lsn
from liestonet.errors import UndecidedError

PARTICLES, FRAMES = 6, 40
RNG = np.random.default_rng(7)
X = 10 * RNG.normal(size=(1, PARTICLES, 2)) + np.cumsum(0.1 * RNG.normal(size=(FRAMES, PARTICLES, 2)), axis=0)


def rows(order: str = "frames", states: np.ndarray = X) -> list[tuple[float, ...]]:
    """Frame, particle and coordinates of every point, sorted by frames or by particles."""
    pairs = [(frame, particle) for frame in range(FRAMES) for particle in range(PARTICLES)]
    if order == "particles":
        pairs.sort(key=lambda pair: pair[::-1])
    return [(frame, particle, *states[frame, particle]) for frame, particle in pairs]


def written(tmp_path, header: str, found: Sequence[tuple[float, ...]], places=(0, 1, 2, 3)) -> lsn.Trajectories:
    path = tmp_path / "tracks.csv"
    lines = [",".join(str(row[place]) for place in places) for row in found]
    path.write_text("\n".join(([header] if header else []) + lines) + "\n")
    return lsn.Trajectories.read(path)


def assert_tracks(data: lsn.Trajectories, step: float = 1.0) -> None:
    assert len(data) == PARTICLES
    for particle in range(PARTICLES):
        np.testing.assert_array_equal(data.times[particle], step * np.arange(FRAMES))
        np.testing.assert_array_equal(data.states[particle], X[:, particle])


@pytest.mark.parametrize("order", ["frames", "particles"])
@pytest.mark.parametrize(
    ("header", "places"),
    [
        ("frame,id,x,y", (0, 1, 2, 3)),
        ("id,frame,x,y", (1, 0, 2, 3)),
        ("x,y,frame,particle", (2, 3, 0, 1)),
        ("x,y,Frame,fish_id", (2, 3, 0, 1)),
        ("", (0, 1, 2, 3)),
        ("", (1, 0, 2, 3)),
    ],
)
def test_frames_are_the_time_and_particles_the_paths(header, places, order, tmp_path):
    assert_tracks(written(tmp_path, header, rows(order), places))


@pytest.mark.parametrize("label", ["id", "cell", "Bead ID"])
def test_labels_with_less_usual_names_beside_times(label, tmp_path):
    found = [(0.5 * frame, *rest) for frame, *rest in rows("particles")]
    data = written(tmp_path, f"t,{label},x,y", found)
    assert_tracks(data, 0.5)
    assert any(f"trajectory {label!r}" in note for note in data.notes)


def test_a_whole_number_beside_times_that_never_begin_again_is_a_coordinate(tmp_path):
    found: list[tuple[float, ...]] = [(k, k % 3, *X[k, 0]) for k in range(FRAMES)]
    assert written(tmp_path, "t,id,x,y", found).names == ("id", "x", "y")


def test_what_values_cannot_tell_is_asked_for(tmp_path):
    noise = np.random.default_rng(8).normal(size=X.shape)  # neighbours are no closer than others
    with pytest.raises(UndecidedError, match="path labels and times") as caught:
        written(tmp_path, "", rows(states=noise))
    assert "trajectory='c2', time='c1'" in str(caught.value)
    data = lsn.Trajectories.read(tmp_path / "tracks.csv", trajectory="c2", time="c1")
    assert len(data) == PARTICLES
