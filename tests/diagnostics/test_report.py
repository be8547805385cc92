"""Each flag is raised on data made to deserve it, and none on clean data.

The tests of correlations and tails have an error rate of 0.1 % each and that of steps 0.5 %, so the clean data sets
below would raise a flag by chance in about one of fifty choices of their seeds; the seeds are fixed.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import liestonet as lsn
from liestonet.core.flags import Flag
from liestonet.diagnostics.report import data_flags
from liestonet.trajectories import Trajectories

STEP, STEPS, PATHS = 0.01, 150, 100

Noise = Callable[[np.random.Generator], np.ndarray]


def simulated(noise: Noise | None = None, seed: int = 11, paths: int = PATHS) -> Trajectories:
    """dx = −x dt + noise, all steps of a path at once (steps, paths)."""
    rng = np.random.default_rng(seed)
    steps = np.sqrt(STEP) * rng.standard_normal((STEPS, paths)) if noise is None else noise(rng)
    states = [rng.uniform(-2, 2, steps.shape[1])]
    for step in steps:
        states.append((1 - STEP) * states[-1] + step)
    return Trajectories.from_arrays(STEP * np.arange(STEPS + 1), np.stack(states, axis=1)[:, :, None])


PLAIN = lsn.Measurement.exact(steps="euler")  # nothing of how points were recorded is part of the model


def flags(data: Trajectories, measurement: lsn.Measurement | None = PLAIN) -> dict[str, Flag]:
    return {flag.code: flag for flag in data_flags(lsn.fit(data, measurement=measurement))}


def with_column(data: Trajectories, column: Callable[[np.ndarray], np.ndarray]) -> Trajectories:
    return Trajectories.from_arrays(data.times, [np.column_stack([x, column(x)]) for x in data.states])


@pytest.mark.parametrize("name", ["cir", pytest.param("sabr", marks=pytest.mark.slow), "langevin", "two-noises"])
def test_clean_data_raise_no_flag(name: str) -> None:
    assert not flags(lsn.catalogue[name].simulate(paths=PATHS, seed=21))


@pytest.mark.parametrize("seed", [31, 32])
def test_lost_frames_and_irregular_steps_are_no_fault(seed: int) -> None:
    assert not flags(simulated(seed=seed).degrade(drop=0.3, seed=seed))


def test_measurement_noise_and_its_size() -> None:
    found = flags(simulated().degrade(noise=0.03, seed=1))
    assert set(found) == {"measurement-noise"}
    size = float(found["measurement-noise"].message.split("error of about ")[1].split(",")[0])
    assert size == pytest.approx(0.03, rel=0.15)


@pytest.mark.parametrize("fault", [{"noise": 0.03, "seed": 1}, {"blur": 3}])
def test_faults_that_are_modelled_are_no_longer_in_doubt(fault: dict) -> None:
    assert not flags(simulated(paths=3 * PATHS).degrade(**fault), measurement=None)


def test_little_measurement_noise_is_not_worth_a_flag() -> None:
    assert not flags(simulated(paths=600).degrade(noise=0.005, seed=1))


@pytest.mark.parametrize("frames", [2, 3])
def test_blur(frames: int) -> None:
    assert set(flags(simulated(paths=frames * PATHS).degrade(blur=frames))) == {"blur"}


@pytest.mark.parametrize(("memory", "code"), [(0.5, "coloured-noise"), (5.0, "positions-only")])
def test_noise_with_a_memory(memory: float, code: str) -> None:
    """Force with correlations e^{−t/τ}, τ in steps, summed over ten parts of each step."""

    def noise(rng: np.random.Generator) -> np.ndarray:
        keep = np.exp(-1 / (10 * memory))
        force = rng.standard_normal((10 * STEPS, PATHS)) * np.sqrt(1 - keep**2)
        force[0] /= np.sqrt(1 - keep**2)
        for k in range(1, len(force)):
            force[k] += keep * force[k - 1]
        return 0.02 * force.reshape(STEPS, 10, PATHS).sum(axis=1)

    assert set(flags(simulated(noise))) == {code}


def test_positions_without_velocities() -> None:
    data = lsn.catalogue["langevin"].simulate(paths=PATHS, seed=22)
    found = flags(Trajectories.from_arrays(data.times, [x[:, :1] for x in data.states]))
    assert set(found) == {"positions-only"}


def test_heavy_tails() -> None:
    found = flags(simulated(lambda rng: 0.07 * rng.standard_t(4, (STEPS, PATHS))))
    assert set(found) == {"heavy-tails"}


def test_jumps() -> None:
    def noise(rng: np.random.Generator) -> np.ndarray:
        return 0.1 * rng.standard_normal((STEPS, PATHS)) + (rng.random((STEPS, PATHS)) < 1e-3) * 2.0

    assert set(flags(simulated(noise))) == {"jumps"}


def test_long_steps() -> None:
    sde = lsn.SDE.parse("dx = -x dt + dW")
    data = sde.simulate(lambda rng, n: rng.uniform(-2, 2, (n, 1)), 10.0, 0.25, 400, seed=3, substeps=20)
    assert set(flags(data)) == {"coarse-steps"}


def test_too_little_data() -> None:
    assert set(flags(simulated(paths=2))) == {"too-little-data"}


def test_empty_parts_of_the_box() -> None:
    """Two independent coordinates whose paths begin on the diagonal and are too short to leave it."""
    rng = np.random.default_rng(5)
    first = rng.uniform(-2, 2, (1000, 1, 1)) * np.ones(2)
    walk = np.cumsum(0.05 * rng.standard_normal((1000, 20, 2)), axis=1)
    data = Trajectories.from_arrays(np.arange(21.0), np.concatenate([first, first + walk], axis=1))
    assert set(flags(data)) == {"coverage"}


@pytest.mark.parametrize("column", [lambda x: 3 - 2 * x[:, 0], lambda x: np.exp(x[:, 0]), lambda x: x[:, 0] ** 2])
def test_a_coordinate_that_is_a_function_of_another(column: Callable[[np.ndarray], np.ndarray]) -> None:
    assert "dependent" in flags(with_column(simulated(paths=30), column))


def test_values_on_a_grid() -> None:
    found = flags(simulated().transform(x=lambda x: np.round(x, 1)))
    assert {"quantised", "zero-steps"} <= set(found)
    assert "multiples of 0.1," in found["quantised"].message
    assert "quantised" not in flags(simulated().transform(x=lambda x: np.round(x, 3)))


def test_steps_of_zero() -> None:
    rng = np.random.default_rng(6)
    assert "zero-steps" in flags(simulated(lambda _: 0.1 * rng.standard_normal((STEPS, PATHS)), 7).transform(x=_sticky))


def _sticky(x: np.ndarray) -> np.ndarray:
    """Every tenth value repeated."""
    result = x.copy()
    result[1::10] = result[0:-1:10][: len(result[1::10])]
    return result


@pytest.mark.parametrize("scale", [1e-6, 1e4])
def test_units_change_no_flag(scale: float) -> None:
    data = simulated().degrade(noise=0.03, seed=1)
    other = Trajectories.from_arrays([7 * t for t in data.times], [scale * x for x in data.states])
    assert set(flags(other)) == set(flags(data))


def test_a_file_read_in_blocks_raises_the_same_flags(tmp_path: Path) -> None:
    data = simulated().degrade(noise=0.03, seed=1)
    data.write(tmp_path / "paths.parquet")
    stream = Trajectories.scan(tmp_path / "paths.parquet", time="t", trajectory="trajectory", state=["x"])
    whole, read = (tuple(data_flags(lsn.fit(source, measurement=PLAIN))) for source in (data, stream))
    assert whole
    assert read == whole


def test_discover_reports_flags_with_one_action_each() -> None:
    noisy = simulated(paths=40).degrade(noise=0.05, seed=1)
    result = lsn.discover(noisy, formulas=False, measurement=PLAIN)
    assert "measurement-noise" in {flag.code for flag in result.flags}
    assert all(flag.action.endswith(".") for flag in result.flags)


def test_a_state_that_hardly_moves_in_its_box() -> None:
    rng = np.random.default_rng(5)
    steps = 1e-3 * np.sqrt(STEP) * rng.standard_normal((PATHS, STEPS, 1))
    start = rng.uniform(-2, 2, (PATHS, 1, 1))
    states = np.concatenate([start, start + np.cumsum(steps, axis=1)], axis=1)
    found = flags(Trajectories.from_arrays(STEP * np.arange(STEPS + 1), states))
    # √(T a)/L with T = 0.75, a = 1e-6, L = 2: 0.04 %
    assert "0.04 %" in found["little-motion"].message


def test_the_same_state_looked_at_closely_moves() -> None:
    rng = np.random.default_rng(6)
    steps = 1e-3 * np.sqrt(STEP) * rng.standard_normal((PATHS, STEPS, 1))
    start = 1e-3 * rng.uniform(-2, 2, (PATHS, 1, 1))
    states = np.concatenate([start, start + np.cumsum(steps, axis=1)], axis=1)
    assert "little-motion" not in flags(Trajectories.from_arrays(STEP * np.arange(STEPS + 1), states))


def long_series(duration: float = 1000.0) -> Trajectories:
    """One path of dx = −x dt + dW, many relaxation times long."""
    return lsn.SDE.parse("dx = -x dt + dW").simulate([0.5], duration, 0.02, paths=1, seed=0)


@pytest.mark.slow
def test_one_long_series_on_the_recorded_clock_is_told_to_restart_it() -> None:
    """All three symmetries stand in the data; on the recorded clock e^{−t}∂x is out of reach."""
    data = long_series()
    told = lsn.discover(data, formulas=False, clock="recorded")
    assert told.dimension == 0
    actions = {flag.code: flag.action for flag in told.flags}
    for code in ("too-little-data", "undecided"):
        assert 'clock="restart"' in actions[code]
    assert lsn.discover(data, formulas=False, clock="restart").dimension == 3


def test_gross_errors_are_no_turnover() -> None:
    """They lengthen the mean step, but the clock is short: the only remedy is to take them out."""
    data = simulated(paths=60)
    states = np.array(data.states)
    states[5, 20], states[40, 100] = -999.0, 999.0
    result = lsn.discover(Trajectories.from_arrays(data.times[0], states), formulas=False)
    assert "outliers" in {flag.code for flag in result.flags}
    assert all("restart" not in flag.action for flag in result.flags)


def test_few_short_paths_are_told_to_record_more() -> None:
    found = flags(simulated(paths=2))["too-little-data"]
    assert found.action.startswith("Record at least")


def test_one_free_particle_has_not_turned_over() -> None:
    rng = np.random.default_rng(8)
    walk = np.cumsum(rng.standard_normal((1, 20_000, 1)), axis=1)
    result = lsn.discover(Trajectories.from_arrays(np.arange(20_000.0), walk), formulas=False)
    assert all("restart" not in flag.action for flag in result.flags)


@pytest.mark.filterwarnings("error")
def test_data_that_mostly_stand_still_raise_flags_and_no_warnings() -> None:
    rng = np.random.default_rng(1)
    steps = 0.1 * rng.standard_normal((40, 200, 1)) * (rng.random((40, 200, 1)) < 0.3)
    states = np.concatenate([np.zeros((40, 1, 1)), steps], axis=1).cumsum(axis=1)
    result = lsn.discover(lsn.Trajectories.from_arrays(0.01 * np.arange(201), states), formulas=False)
    assert {"undecided", "zero-steps"} <= {flag.code for flag in result.flags}
