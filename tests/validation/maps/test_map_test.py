"""`lsn.test` of a map on data: true mirrors pass, broken ones do not, and what the data do not show is refused."""

from __future__ import annotations

import numpy as np
import pytest

import liestonet as lsn
from liestonet.errors import InputError
from liestonet.validation.maps.claims import joined


def well(tilt: float = 0.0, low: float = -1.8, seed: int = 3) -> lsn.Trajectories:
    sde = lsn.SDE.parse(f"dx = (x - x^3 + {tilt}) dt + 0.7 dW")
    starts = np.random.default_rng(seed).uniform(low, 1.8, (96, 1))
    return sde.simulate(starts, duration=2.0, step=0.02, paths=96, seed=seed)


@pytest.mark.slow
def test_a_true_mirror_and_a_broken_one():
    """The true one is rejected at 0.1 % in one seed of a thousand; a tilt of 0.8 is far beyond the noise."""
    true = lsn.test(well(), "x -> -x")
    assert true.p_value > 1e-3
    assert 0 <= true.lower <= true.residual <= true.upper
    assert true.visited > 0.9
    assert true.randomisation is not None
    assert true.randomisation.p_value > 1e-3
    assert "likelihood-ratio test" in str(true)
    broken = lsn.test(well(0.8), "x -> -x")
    assert broken.p_value < 1e-4
    assert broken.rejected
    assert broken.lower > true.lower


@pytest.mark.slow
def test_a_turn_of_the_plane():
    """dx = −x + rotation: turned by a quarter it is itself; a mirror turns the rotation round."""
    sde = lsn.SDE.parse("dx = (-x - y) dt + 0.7 dW1; dy = (x - y) dt + 0.7 dW2")
    starts = np.random.default_rng(1).uniform(-1.5, 1.5, (128, 2))
    data = sde.simulate(starts, duration=2.0, step=0.02, paths=128, seed=1)
    assert lsn.test(data, "x, y -> -y, x").p_value > 1e-3
    assert lsn.test(data, "x -> -x").p_value < 1e-4


def test_four_coordinates_have_a_sample_of_the_errors():
    """Four equal springs may be swapped, rejected in one seed of a thousand; one three times as stiff may not."""
    for stiff, holds in ((1, True), (3, False)):
        text = "; ".join(f"dx{k} = -{stiff if k == 4 else 1}*x{k} dt + dW{k}" for k in range(1, 5))
        starts = np.random.default_rng(2).uniform(-1.5, 1.5, (60, 4))
        data = lsn.SDE.parse(text).simulate(starts, duration=2.0, step=0.02, paths=60, seed=2)
        found = lsn.test(data, "x3, x4 -> x4, x3")
        assert (found.p_value > 1e-3) is holds
        assert found.dof > 1
        assert found.expected == pytest.approx(found.dof)


def test_unvisited_images_are_refused():
    sde = lsn.SDE.parse("dx = (3 - x) dt + 0.3 dW")
    data = sde.simulate([3.0], duration=1.0, step=0.02, paths=64, seed=1)
    with pytest.raises(InputError, match="leads away from the data"):
        lsn.test(data, "x -> -x")


def test_other_input_is_refused():
    data = well()
    for claim, said in (("x, y -> y, x", "none of t, x"), ("x -> x^2", "not invertible"), ("t -> -t", "reversible")):
        with pytest.raises(InputError, match=said):
            lsn.test(data, claim)
    with pytest.raises(InputError, match="domain is for an equation"):
        lsn.test(data, "x -> -x", domain=[(0, 1), (-1, 1)])
    with pytest.raises(InputError, match="symmetry of the law"):
        lsn.test(data, "x -> -x", "ito")


def test_joined_p_values_are_uniform():
    """The smaller of two independent uniform numbers has the law 1 − (1 − p)²; a test without conditions is none."""
    assert joined([0.1, 0.4], [(1.0, 2), (1.0, 3)]) == pytest.approx(1 - 0.9**2)
    assert joined([0.1, 0.0], [(1.0, 2), (0.0, 0)]) == pytest.approx(0.1)
    assert joined([1.0], [(0.0, 3)]) == 1.0
    assert joined([], []) == 1.0
