"""How a recording was made travels with it: through files, windows and transforms, and never claims too much."""

from __future__ import annotations

import numpy as np
import pytest

import liestonet as lsn
from liestonet.errors import InputError
from liestonet.trajectories.record import record_of

OU = lsn.SDE.parse("dx = -x dt + dW; dy = -y dt + dW")
EULER = lsn.Measurement.exact(steps="euler")


def simulated(substeps: int = 1) -> lsn.Trajectories:
    return OU.simulate(initial=[1.0, 0.5], duration=0.4, step=0.01, paths=4, seed=0, substeps=substeps)


def test_unknown_by_default_and_exact_where_simulated():
    data = lsn.Trajectories.from_arrays(np.arange(3.0), np.zeros((1, 3, 1)) + np.arange(3.0)[None, :, None])
    assert data.measurement == lsn.Measurement() == lsn.Measurement("auto", "auto", "continuous", 1)
    assert not data.measurement.is_exact
    assert simulated().measurement == EULER
    assert simulated(2).measurement == lsn.Measurement.exact(steps="continuous")
    assert EULER.is_exact


WRONG = [
    ({"noise": -1}, "noise"), ({"noise": "small"}, "noise"), ({"noise": float("inf")}, "noise"),
    ({"noise": [1]}, "noise"),
    ({"noise": {}}, "dictionary"), ({"noise": {"x": -1}}, "noise"), ({"noise": True}, "noise"),
    ({"exposure": 1.5}, "exposure"), ({"exposure": None}, "exposure"), ({"steps": "milstein"}, "'euler'"),
    ({"steps": 3}, "'euler'"), ({"order": 3}, "order"), ({"order": 1.0}, "order"),
    ({"steps": "euler", "exposure": 0.5}, "contradict"),
]  # fmt: skip


@pytest.mark.parametrize(("given", "part"), WRONG)
def test_wrong_values_are_a_sentence(given, part):
    with pytest.raises(InputError, match=part) as caught:
        lsn.Measurement(**given)
    assert "\n" not in str(caught.value)


def test_noise_of_a_coordinate_that_is_not_there():
    with pytest.raises(InputError, match="coordinates are x"):
        lsn.Trajectories.from_arrays([[0, 1]], [[[1.0], [2.0]]], measurement=lsn.Measurement(noise={"z": 1}))
    with pytest.raises(InputError, match=r"lsn\.Measurement"):
        lsn.Trajectories.from_arrays([[0, 1]], [[[1.0], [2.0]]], measurement="exact")


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".parquet", ".npz"])
@pytest.mark.parametrize(
    "measurement", [EULER, lsn.Measurement(), lsn.Measurement({"x": 0.02, "y": "auto"}, 0.5), lsn.Measurement(order=2)]
)
def test_files_keep_it(suffix, measurement, tmp_path):
    data = lsn.Trajectories.from_arrays(np.arange(5.0), np.random.default_rng(0).normal(size=(2, 5, 2)),
                                        measurement=measurement)  # fmt: skip
    data.write(tmp_path / f"paths{suffix}")
    again = lsn.Trajectories.read(tmp_path / f"paths{suffix}")
    assert again.measurement == measurement
    assert again.digest == data.digest
    assert again.remarks == ()
    told = lsn.Trajectories.read(tmp_path / f"paths{suffix}", measurement=lsn.Measurement(noise=3))
    assert told.measurement.noise == 3


def test_what_is_not_known_leaves_a_csv_as_it_was(tmp_path):
    lsn.Trajectories.from_arrays([[0, 1]], [[[1.0], [2.0]]]).write(tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == "trajectory,t,x\n0,0.0,1.0\n0,1.0,2.0\n"


def test_what_is_done_to_data_is_done_to_it():
    data = simulated()
    assert data.windows(5).measurement == data.take([0]).measurement == data.split(0.5)[0].measurement == EULER
    assert data.thin(1).measurement == EULER
    assert data.thin(2).measurement == lsn.Measurement.exact(steps="continuous")
    assert data.degrade(noise=0.1).measurement == lsn.Measurement(noise="auto", exposure=0, steps="euler")
    assert data.degrade(drop=0.2, seed=1).measurement == lsn.Measurement.exact(steps="continuous")
    assert data.degrade(blur=2).measurement == lsn.Measurement(noise=0, exposure="auto")
    assert data.degrade(keep=0.5).measurement == EULER
    assert data.transform(x=("u", lambda x: 2 * x + 1)).measurement == EULER  # an Euler step in other units
    assert data.transform(x=("u", np.exp)).measurement == lsn.Measurement.exact(steps="continuous")


def test_a_transform_scales_the_noise_it_can():
    data = lsn.Trajectories.from_arrays(np.arange(9.0), np.random.default_rng(0).normal(size=(1, 9, 2)),
                                        measurement=lsn.Measurement(noise=0.1, exposure=0.5))  # fmt: skip
    assert data.transform(x=("u", lambda x: -3 * x)).measurement.noise_of("u") == pytest.approx(0.3)
    curved = data.transform(x=("u", np.exp)).measurement
    assert (curved.noise_of("u"), curved.noise_of("y")) == ("auto", 0.1)
    assert data.thin(4).measurement.exposure == 0.125


def test_a_result_remembers_it(tmp_path):
    assert record_of(simulated(), 1).measurement == EULER
    told = record_of(simulated(), 1).to_dictionary()["measurement"]
    assert isinstance(told, dict)
    assert told["steps"] == "euler"
    simulated().write(tmp_path / "a.parquet")
    assert lsn.Trajectories.scan(tmp_path / "a.parquet").measurement == EULER
