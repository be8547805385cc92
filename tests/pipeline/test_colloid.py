"""The worked example's recording, where it is there: what docs/colloid.md says of it."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import liestonet as lsn
from liestonet.errors import InputError

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def colloid() -> Any:
    spec = importlib.util.spec_from_file_location("colloid", ROOT / "experiments" / "colloid.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def tracks(colloid: Any, data_folder: Path) -> lsn.Trajectories:
    assert (data_folder / colloid.FILE).is_file()
    return colloid.recording()


def test_all_rows_of_the_recording_are_there(tracks):
    # counts from the recording's provenance notes
    assert len(tracks) == 745
    assert tracks.points == 74_859
    assert tracks.units["t"] == "s"


@pytest.mark.parametrize(("lag", "apparent"), [(1, 0.24), (6, 0.37)])
def test_the_fit_sees_the_apparent_diffusion_constant(lag, apparent, tracks, colloid):
    """The provenance notes give it from mean squared displacements: at short lags it is too small."""
    data = colloid.from_the_start(tracks).thin(lag)
    surrogate = lsn.fit(data)
    centre = surrogate.domain.centre
    found = np.trace(surrogate.diffusion_squared(centre[:1], centre[None, 1:])[0]) / 4
    assert found == pytest.approx(apparent, rel=0.12)


def test_single_frames_are_not_gaussian_and_long_lags_are(tracks, colloid):
    # provenance: excess kurtosis 2.1 at one frame, 0.04–0.15 at twelve
    assert colloid.excess_kurtosis(tracks.thin(1)) == pytest.approx(2.1, abs=0.3)
    assert abs(colloid.excess_kurtosis(tracks.thin(12))) < 0.3


def test_it_says_how_to_find_the_recording(colloid, monkeypatch):
    monkeypatch.delenv("LIESTONET_DATA", raising=False)
    with pytest.raises(InputError, match="LIESTONET_DATA"):
        colloid.recording()
