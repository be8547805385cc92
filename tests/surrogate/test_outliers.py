"""Gross errors and codes for missing values are found where they are; noise that varies and heavy tails are none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import liestonet as lsn
from liestonet.diagnostics.report import data_flags
from liestonet.surrogate.overview import look_over
from liestonet.trajectories import Trajectories

STEP = 0.01


def brownian(paths: int = 60, points: int = 101, seed: int = 0) -> np.ndarray:
    steps = np.sqrt(STEP) * np.random.default_rng(seed).standard_normal((paths, points, 1))
    return np.cumsum(steps, axis=1)


def recorded(states: np.ndarray) -> Trajectories:
    return Trajectories.from_arrays(STEP * np.arange(states.shape[1]), states)


@pytest.mark.parametrize("count", [1, 5, 20])
@pytest.mark.parametrize("value", [-999.0, 100.0, 1e12])
def test_codes_for_missing_values_are_flagged_with_their_place(value: float, count: int) -> None:
    states = brownian()
    places = np.random.default_rng(count).choice(states.size, count, replace=False)
    states.reshape(-1)[places] = value
    found = {flag.code: flag for flag in data_flags(lsn.fit(recorded(states)))}
    assert "NaN" in found["outliers"].action
    assert not found.keys() & {"jumps", "heavy-tails", "too-little-data", "coloured-noise"}
    message = found["outliers"].message
    path, row = (int(message.split(word)[1].split(",")[0].split()[0]) for word in ("trajectory ", "row "))
    assert path * 101 + row in places
    assert message.endswith(f"(t = {STEP * row:.6g}) has x = {value:.6g}.")


@pytest.mark.parametrize(("row", "length"), [(0, 1), (100, 1), (50, 6)])
def test_the_ends_of_a_path_and_a_run_of_codes(row: int, length: int) -> None:
    states = brownian()
    states[17, row : row + length] = -999.0
    worst = look_over(recorded(states)).outlier
    assert worst is not None
    assert (worst.trajectory, worst.value, worst.name) == (17, -999.0, "x")
    assert row <= worst.row < row + length
    assert worst.steps == (1 if length == 1 else 2)


def test_rows_are_counted_across_the_blocks_of_a_file(tmp_path: Path) -> None:
    states = brownian(paths=2, points=50_000)
    states[1, 40_000] = 1e6  # in the second block of 65,536 increments, as the path's begin is in the first
    data = recorded(states)
    data.write(tmp_path / "paths.parquet")
    for source in (data, Trajectories.scan(tmp_path / "paths.parquet")):
        worst = look_over(source).outlier
        assert worst is not None
        assert (worst.trajectory, worst.row, worst.value) == (1, 40_000, 1e6)


@pytest.mark.parametrize(
    "name", ["inverse-bessel", "geometric-brownian", "brownian-sinh", "brownian-sine", "hyperbolic-plane", "langevin"]
)
def test_noise_that_varies_over_orders_of_magnitude_is_no_outlier(name: str) -> None:
    """Here raw steps reach a hundred times the usual ones, or a third of that beside their neighbours."""
    assert look_over(lsn.catalogue[name].simulate(paths=60, seed=7)).outlier is None


@pytest.mark.parametrize("seed", range(5))
def test_heavy_tails_are_no_outliers(seed: int) -> None:
    steps = 0.1 * np.random.default_rng(seed).standard_t(3, (100, 150, 1))
    assert look_over(recorded(np.cumsum(steps, axis=1))).outlier is None


def test_irregular_steps_are_no_outliers() -> None:
    """Gaps of a thousand steps, over which drift makes long ways, and repeated readings with an error of their own."""
    rng = np.random.default_rng(5)
    times, states = [], []
    for _ in range(50):
        dt = rng.choice([1e-6, 0.01, 10.0], p=[0.02, 0.96, 0.02], size=150)
        steps = 5 * dt + np.sqrt(dt) * rng.standard_normal(150)
        times.append(np.cumsum(dt))
        states.append((np.cumsum(steps) + 0.1 * rng.standard_normal(150))[:, None])
    assert look_over(Trajectories.from_arrays(times, states)).outlier is None


def test_units_change_nothing() -> None:
    states = brownian()
    states[3, 7] = -999.0
    plain, scaled = look_over(recorded(states)).outlier, look_over(recorded(1e-6 * states)).outlier
    assert plain is not None
    assert scaled is not None
    assert (plain.trajectory, plain.row, plain.steps) == (scaled.trajectory, scaled.row, scaled.steps) == (3, 7, 2)
    assert plain.factor == pytest.approx(scaled.factor)
