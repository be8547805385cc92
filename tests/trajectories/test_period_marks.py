"""Periods travel with the data through files."""

import math

import numpy as np
import pytest

import liestonet as lsn
from liestonet.errors import InputError

SUFFIXES = [".csv", ".csv.gz", ".parquet", ".npz"]


def wound(names=("x", "theta"), measurement=None):
    rng = np.random.default_rng(3)
    states = np.cumsum(0.3 * rng.normal(size=(2, 400, 2)), axis=1)
    states[..., 1] %= 2 * math.pi
    periods = {names[1]: 2 * math.pi}
    return lsn.Trajectories.from_arrays(
        np.arange(400.0), states, names=list(names), periodic=periods, measurement=measurement
    )


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("names", [("x", "theta"), ("x", "θ = 1 %, a")])
@pytest.mark.parametrize("measurement", [None, lsn.Measurement(noise=0.02)])
def test_files_keep_periods(suffix, names, measurement, tmp_path):
    data = wound(names, measurement)
    assert np.ptp(data.flat_states[:, 1]) > 2 * math.pi
    file = tmp_path / f"paths{suffix}"
    data.write(file)
    again = lsn.Trajectories.read(file)
    assert dict(again.periodic) == dict(data.periodic)
    assert again.digest == data.digest
    assert again.remarks == ()
    assert again.measurement == data.measurement
    np.testing.assert_array_equal(again.increments().x, data.increments().x)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_is_given_wins(suffix, tmp_path):
    file = tmp_path / f"paths{suffix}"
    wound().write(file)
    assert dict(lsn.Trajectories.read(file, periodic={"theta": 4 * math.pi}).periodic) == {"theta": 4 * math.pi}
    assert not lsn.Trajectories.read(file, periodic={}).periodic


def test_a_coordinate_that_is_not_read_takes_its_period_along(tmp_path):
    wound().write(tmp_path / "paths.csv")
    assert not lsn.Trajectories.read(tmp_path / "paths.csv", state=["x"]).periodic


def test_a_streamed_file_has_its_periods(tmp_path):
    data = wound()
    data.write(tmp_path / "paths.parquet")
    source = lsn.Trajectories.scan(tmp_path / "paths.parquet")
    assert dict(source.periodic) == dict(data.periodic)
    np.testing.assert_allclose(next(source.chunks()).dx, data.increments().dx, atol=1e-12)


def test_a_damaged_mark_is_a_sentence(tmp_path):
    file = tmp_path / "paths.csv"
    file.write_text("trajectory,t,theta,# periodic: theta=round\n0,0,1,\n0,1,2,\n")
    with pytest.raises(InputError, match="periods cannot be read"):
        lsn.Trajectories.read(file)
    assert dict(lsn.Trajectories.read(file, periodic={"theta": 360}).periodic) == {"theta": 360.0}
