"""Two columns that are the same clock: the one in units of time is taken, and a note says so."""

import numpy as np

import liestonet as lsn


def tracks(seconds):
    rng = np.random.default_rng(0)
    lines = ["particle,frame,t_s,x,y"]
    for particle in range(4):
        for frame in range(particle, particle + 30):
            x, y = rng.normal(size=2)
            lines.append(f"{particle},{frame},{seconds(frame, rng):.6f},{x},{y}")
    return "\n".join(lines)


def test_seconds_beside_frames_are_the_time(tmp_path):
    (tmp_path / "a.csv").write_text(tracks(lambda frame, rng: frame / 24))
    data = lsn.Trajectories.read(tmp_path / "a.csv")
    assert data.names == ("x", "y")
    np.testing.assert_allclose(data.times[1], np.arange(1, 31) / 24, atol=1e-6)
    assert any("same clock" in note and "'t_s' is used" in note for note in data.notes)


def test_a_column_that_is_not_proportional_stays_a_coordinate(tmp_path):
    (tmp_path / "b.csv").write_text(tracks(lambda frame, rng: frame / 24 + rng.normal()))
    assert lsn.Trajectories.read(tmp_path / "b.csv").names == ("t_s", "x", "y")


def test_seconds_are_the_time_where_the_state_is_given(tmp_path):
    (tmp_path / "c.csv").write_text(tracks(lambda frame, rng: frame / 24))
    data = lsn.Trajectories.read(tmp_path / "c.csv", state=["x", "y"])
    assert data.names == ("x", "y")
    np.testing.assert_allclose(data.times[1], np.arange(1, 31) / 24, atol=1e-6)
