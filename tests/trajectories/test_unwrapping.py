"""Angles in data: wrapped and unwrapped values are the same data, and no step crosses the end of a turn."""

from __future__ import annotations

import copy
import math
import pickle
from pathlib import Path

import numpy as np
import pytest

from liestonet.errors import InputError
from liestonet.trajectories import Trajectories
from liestonet.trajectories.unwrapping import winding as winding_of

P = 2 * math.pi
PERIODIC = {"theta": P}
TIMES = 0.01 * np.arange(201)


def winding(seed: int = 0, paths: int = 20, speed: float = 5.0) -> np.ndarray:
    """Paths (K, N, 2) of an angle that winds several times, and of a coordinate that does not."""
    rng = np.random.default_rng(seed)
    steps = np.stack([speed * 0.01 + 0.2 * rng.standard_normal((paths, 200)), rng.standard_normal((paths, 200))], -1)
    start = np.concatenate([rng.uniform(0, P, (paths, 1, 1)), np.zeros((paths, 1, 1))], axis=2)
    return np.concatenate([start, start + np.cumsum(steps, axis=1)], axis=1)


def wrapped(states: np.ndarray, low: float = 0.0) -> np.ndarray:
    return np.stack([low + (states[..., 0] - low) % P, states[..., 1]], axis=-1)


@pytest.mark.parametrize("low", [0.0, -math.pi, 100.0])
def test_wrapped_and_unwrapped_values_are_the_same_data(low: float) -> None:
    states = winding()
    one = Trajectories.from_arrays(TIMES, states, ["theta", "x"], periodic=PERIODIC)
    other = Trajectories.from_arrays(TIMES, wrapped(states, low), ["theta", "x"], periodic=PERIODIC)
    first, second = one.increments(), other.increments()
    np.testing.assert_allclose(second.dx, first.dx, atol=1e-12)
    np.testing.assert_allclose(np.exp(1j * second.x[:, 0]), np.exp(1j * first.x[:, 0]), atol=1e-12)
    assert np.all((first.x[:, 0] >= 0) & (first.x[:, 0] < P))
    assert np.all((second.x[:, 0] >= 0) & (second.x[:, 0] < P))
    np.testing.assert_array_equal(second.x[:, 1], first.x[:, 1])
    assert np.ptp(other.states[0][:, 0]) > P  # stored as it winds
    assert other.remarks == ()


def test_blocks_and_all_increments_agree() -> None:
    data = Trajectories.from_arrays(TIMES, wrapped(winding()), ["theta", "x"], periodic=PERIODIC)
    blocks = [block for block in data.chunks(333)]
    for place, whole in enumerate(data.increments()):
        np.testing.assert_array_equal(np.concatenate([block[place] for block in blocks]), whole)


def test_whole_turns_are_added_and_nothing_else() -> None:
    states = wrapped(winding())
    data = Trajectories.from_arrays(TIMES, states, ["theta", "x"], periodic=PERIODIC)
    turns = (data.flat_states[:, 0] - states[..., 0].reshape(-1)) / P
    np.testing.assert_allclose(turns, np.round(turns), atol=1e-9)
    np.testing.assert_array_equal(data.flat_states[data.offsets[:-1], 0], states[:, 0, 0])


def test_a_path_that_is_split_is_unwrapped_piece_by_piece() -> None:
    states = wrapped(winding(paths=2))
    states[0, 100] = np.nan
    data = Trajectories.from_arrays(TIMES, states, ["theta", "x"], periodic=PERIODIC)
    assert len(data) == 3
    assert np.abs(data.increments().dx[:, 0]).max() < 1.2


def test_unwrapped_values_keep_their_long_steps() -> None:
    rng = np.random.default_rng(1)
    angle = np.cumsum(1.2 * rng.standard_normal((5, 400)), axis=1)
    data = Trajectories.from_arrays(np.arange(400.0), angle[..., None], ["theta"], periodic=PERIODIC)
    np.testing.assert_array_equal(data.flat_states[:, 0], angle.reshape(-1))
    assert np.abs(data.increments().dx).max() > math.pi


def test_wrapped_values_with_some_long_steps_are_flagged_as_uncertain() -> None:
    rng = np.random.default_rng(2)
    angle = np.cumsum(0.7 * rng.standard_normal((5, 400)), axis=1) % P
    data = Trajectories.from_arrays(np.arange(400.0), angle[..., None], ["theta"], periodic=PERIODIC)
    assert any("longer than a quarter of its period" in note for note in data.notes)


def test_values_that_leave_the_turn_a_little_are_wrapped_too() -> None:
    states = wrapped(winding()) + np.random.default_rng(3).normal(0, 0.02, (20, 201, 2))
    data = Trajectories.from_arrays(TIMES, states, ["theta", "x"], periodic=PERIODIC)
    assert np.abs(data.increments().dx[:, 0]).max() < 1.3
    assert any("over the end of a turn" in note for note in data.notes)


def test_a_period_shorter_than_the_steps_is_refused() -> None:
    states = winding()
    for period in (1e-3, 0.1):
        with pytest.raises(InputError, match="too short for its steps"):
            Trajectories.from_arrays(TIMES, states, ["theta", "x"], periodic={"theta": period})
    rng = np.random.default_rng(4)
    angles = rng.uniform(0, P, (3, 201, 1))
    with pytest.raises(InputError, match="too short for its steps"):
        Trajectories.from_arrays(TIMES, angles, ["theta"], periodic=PERIODIC)


@pytest.mark.parametrize("periodic", [{"theta": 0}, {"theta": -1}, {"phi": 1}, 6.28, {"theta": math.nan}])
def test_what_is_no_period_is_refused(periodic: object) -> None:
    with pytest.raises(InputError):
        Trajectories.from_arrays(TIMES, winding(), ["theta", "x"], periodic=periodic)


def test_periods_stay_with_the_data() -> None:
    data = Trajectories.from_arrays(TIMES, wrapped(winding()), ["theta", "x"], periodic=PERIODIC)
    parts = (data.thin(2), data.take([1, 2]), data.windows(11), *data.split(0.5), data.degrade(0.1, drop=0.1, blur=2))
    for part in (*parts, copy.deepcopy(data), pickle.loads(pickle.dumps(data))):
        assert dict(part.periodic) == PERIODIC
    assert data.transform(theta=np.cos).periodic == {}
    assert dict(data.transform(x=np.exp).periodic) == PERIODIC
    plain = Trajectories.from_arrays(TIMES, winding(), ["theta", "x"])
    assert plain.digest != plain.with_periods(PERIODIC).digest


def test_files_are_read_with_periods(tmp_path: Path) -> None:
    states = wrapped(winding())
    whole = Trajectories.from_arrays(TIMES, states, ["theta", "x"], periodic=PERIODIC)
    Trajectories.from_arrays(TIMES, states, ["theta", "x"]).write(tmp_path / "angles.parquet")
    read = Trajectories.read(tmp_path / "angles.parquet", periodic=PERIODIC)
    np.testing.assert_array_equal(read.flat_states, whole.flat_states)
    streamed = list(Trajectories.scan(tmp_path / "angles.parquet", periodic=PERIODIC).chunks(1000))
    np.testing.assert_allclose(np.concatenate([block.dx for block in streamed]), whole.increments().dx, atol=1e-12)
    table = {"t": np.tile(TIMES, 20), "k": np.repeat(np.arange(20), 201), "theta": states[..., 0].reshape(-1)}
    made = Trajectories.from_dataframe(table, "t", "k", "theta", periodic=PERIODIC)
    np.testing.assert_array_equal(made.flat_states[:, 0], whole.flat_states[:, 0])


def table(angle: np.ndarray) -> str:
    """One long path in a table, with a coordinate that is no angle."""
    rng = np.random.default_rng(3)
    rows = zip(range(len(angle)), angle, rng.standard_normal(len(angle)).cumsum(), strict=True)
    return "time,heading,x\n" + "".join(f"{0.1 * k:.1f},{a:.4f},{x:.4f}\n" for k, a, x in rows)


def rotor(seed: int = 4, size: float = 0.3) -> np.ndarray:
    return size * np.random.default_rng(seed).standard_normal(4000).cumsum()


@pytest.mark.parametrize(
    ("angle", "period"),
    [
        (rotor() % P, P),
        ((rotor() + math.pi) % P - math.pi, P),
        (np.degrees(rotor()) % 360, 360.0),
        (np.degrees(rotor()) % 360 - 180, 360.0),
    ],
)
def test_a_table_whose_values_jump_across_a_turn_holds_an_angle(angle: np.ndarray, period: float, tmp_path) -> None:
    (tmp_path / "a.csv").write_text(table(angle))
    data = Trajectories.read(tmp_path / "a.csv")
    assert dict(data.periodic) == {"heading": period}
    assert np.abs(np.diff(data.states[0][:, 0])).max() < period / 2
    assert any("heading" in note and "--periodic none" in note for note in data.notes)
    plain = Trajectories.read(tmp_path / "a.csv", periodic={})
    assert not plain.periodic
    np.testing.assert_allclose(plain.states[0][:, 0], angle, atol=1e-4)


@pytest.mark.parametrize(
    "values",
    [
        rotor(),  # winds
        np.random.default_rng(5).uniform(0, 360, 4000),  # noise that fills a turn has steps of all lengths
        np.abs(np.degrees(rotor()) % 720 - 360),  # reflected, without jumps
        rotor() % 1.0,  # another period
    ],
)
def test_other_values_are_no_angles(values: np.ndarray, tmp_path) -> None:
    (tmp_path / "b.csv").write_text(table(values))
    assert not Trajectories.read(tmp_path / "b.csv").periodic


def test_a_table_of_our_own_is_read_as_it_was_written(tmp_path) -> None:
    data = Trajectories.from_arrays(0.1 * np.arange(4000), (rotor() % P)[None, :, None], ["theta"])
    data.write(tmp_path / "own.csv")
    again = Trajectories.read(tmp_path / "own.csv")
    assert not again.periodic
    np.testing.assert_array_equal(again.flat_states, data.flat_states)


@pytest.mark.parametrize("period", [1.0, 6.0, math.pi])
def test_values_wrapped_at_another_period_are_refused(period: float) -> None:
    with pytest.raises(InputError, match=r"jump across that range, so they are wrapped at about 6\.2"):
        Trajectories.from_arrays(
            0.1 * np.arange(4000), (rotor() % P)[None, :, None], ["theta"], periodic={"theta": period}
        )


def driven(speed: float, header: str, tmp_path) -> Trajectories:
    """Three particles on a ring, read from a file."""
    rng = np.random.default_rng(3)
    steps = 0.1 * speed + 0.1 * rng.normal(size=(3, 400))
    rows = (
        f"{p},{0.1 * k:.1f},{x:.5f}\n" for p, path in enumerate(np.cumsum(steps, axis=1)) for k, x in enumerate(path)
    )
    (tmp_path / "ring.csv").write_text(f"particle,t,{header}\n" + "".join(rows))
    return Trajectories.read(tmp_path / "ring.csv")


@pytest.mark.parametrize(
    ("speed", "header", "period"),
    [
        (2.0, "angle (rad)", 2 * math.pi),
        (2.0, "s [rad]", 2 * math.pi),
        (100.0, "theta [deg]", 360.0),
        (2.0, "theta", None),  # in which unit nobody knows
        (2.0, "angle (mrad)", None),
        (0.2, "angle (rad)", None),  # less than two turns
    ],
)
def test_angles_that_wind_are_known_by_their_unit(speed, header, period, tmp_path):
    data = driven(speed, header, tmp_path)
    assert list(data.periodic.values()) == ([] if period is None else [period])
    assert any("wind through" in note for note in data.notes) == (period is not None)
    assert not Trajectories.read(tmp_path / "ring.csv", periodic={}).periodic


def test_what_comes_back_does_not_wind():
    rng = np.random.default_rng(5)
    confined = [20 * np.sin(rng.uniform(0, 6) + np.linspace(0, 30, 50)) for _ in range(20)]  # as wide as six turns
    assert winding_of("theta", "rad", confined, np.full(10, 0.1)) is None
    assert winding_of("theta", "rad", [np.linspace(0, 20, 50)], np.full(10, 0.4)) is not None
