"""Detailed balance and entropy production, against systems whose stationary state is known."""

from __future__ import annotations

import json

import numpy as np
import pytest
import scipy.linalg

import liestonet as lsn
from liestonet.errors import InputError
from liestonet.validation.reversal.reversible import EntropyProduction

GRADIENT = "dx = (-x^3 - 0.5*x*y^2) dt + dW1; dy = (-y - 0.5*x^2*y) dt + dW2"
LANGEVIN = "dx = v dt; dv = (x - x^3 - 0.5*v) dt + dW"


@pytest.mark.parametrize(
    ("text", "odd"),
    [
        ("dx = (x - x^3) dt + dW", ()),
        ("dx = (1 - x) dt + sqrt(x) dW", ()),  # every scalar equation on a line
        (GRADIENT, ()),
        ("dx = -x dt + dW1; dy = -3*y dt + 2 dW2", ()),  # anisotropic
        ("dx = (-2*x + y) dt + dW1; dy = (x - 2*y) dt + dW2", ()),  # one temperature
        (LANGEVIN, ("v",)),
        ("dx = v dt; dv = (-sin(x) - v) dt + sqrt(2) dW", ("v",)),
    ],
)
def test_detailed_balance_is_proved(text: str, odd: tuple[str, ...]):
    found = lsn.reversible(lsn.SDE.parse(text), odd)
    assert (found.holds, found.status, found.verdict) == (True, "proved", "symmetry")
    assert found.residual == 0.0
    assert found.entropy_production == 0.0
    assert "proved" in str(found)


def exact_rate(drift: list[list[float]], squares: list[float]) -> float:
    """E[v·D⁻¹v] of the current v = (M + DS⁻¹)x over the Gaussian with MS + SMᵀ + a = 0, D = a/2."""
    matrix, a = np.array(drift), np.diag(squares)
    covariance = scipy.linalg.solve_continuous_lyapunov(matrix, -a)
    current = matrix + a / 2 @ np.linalg.inv(covariance)
    return float(np.trace(current.T @ np.linalg.inv(a / 2) @ current @ covariance))


@pytest.mark.parametrize(
    ("drift", "squares"),
    [
        ([[-1.0, -0.5], [0.5, -1.0]], [1.0, 1.0]),  # turning: 2ω²/k
        ([[-1.5, 1.0], [1.0, -1.5]], [1.0, 2.56]),  # two temperatures: the Brownian gyrator
        ([[-2.0, 0.3], [-0.7, -1.0]], [0.5, 2.0]),
    ],
)
def test_entropy_production_of_linear_equations(drift: list[list[float]], squares: list[float]):
    (a, b), (c, d) = drift
    one, two = np.sqrt(squares)
    sde = lsn.SDE.parse(f"dx = ({a}*x + {b}*y) dt + {one} dW1; dy = ({c}*x + {d}*y) dt + {two} dW2")
    found = lsn.reversible(sde)
    assert found.holds is False
    assert found.residual > 0.01
    assert found.entropy_production is not None
    assert float(found.entropy_production) == pytest.approx(exact_rate(drift, squares), rel=1e-6)
    assert exact_rate([[-1.0, -0.5], [0.5, -1.0]], [1.0, 1.0]) == pytest.approx(0.5)


@pytest.mark.parametrize("directions", [1, 3])
@pytest.mark.parametrize("truth", [0.0025, 0.05, 0.5])
def test_the_interval_of_a_square_covers(directions: int, truth: float):
    """u ~ N(m, λ1) in some directions, e = |m|²/2: 95 % intervals hold e in 93 to 99.5 % of 2,000."""
    noise, rng = 0.005, np.random.default_rng(directions)
    mean = np.zeros(directions)
    mean[0] = np.sqrt(2 * truth)
    inside = []
    for _ in range(2_000):
        u = mean + np.sqrt(noise) * rng.standard_normal(directions)
        unbiased, along = u @ u / 2 - directions * noise / 2, 2 * noise
        beside = directions * noise**2 / 2 - along**2 / 8
        found = EntropyProduction.of_square(unbiased, along, beside, 0.05)
        assert found.lower <= float(found) <= found.upper
        inside.append(found.lower <= truth <= found.upper)
    assert 0.93 < np.mean(inside) < 0.995


def test_a_constant_torque_on_a_circle_produces_entropy():
    """dθ = F dt + s dW: uniform, and e = ½(2F)²/s²; on a line there is no stationary state."""
    sde = lsn.SDE.parse("dtheta = 1.5 dt + 2 dW")
    found = lsn.reversible(sde.with_periods({"theta": 2 * np.pi}))
    assert found.holds is False
    assert found.entropy_production is not None
    # ln ρ is fitted to some 8,000 simulated points with 16 waves, so that 0.1 % of the rate is absorbed
    assert float(found.entropy_production) == pytest.approx(2 * 1.5**2 / 4, rel=5e-3)
    assert lsn.reversible(sde).entropy_production == 0.0
    still = lsn.reversible(lsn.SDE.parse("dtheta = 2 dW").with_periods({"theta": 2 * np.pi}))
    assert (still.holds, still.entropy_production) == (True, 0.0)


def test_the_part_that_breaks_balance_is_the_rotation():
    found = lsn.reversible(lsn.SDE.parse("dx = (-x - 0.5*y) dt + dW1; dy = (0.5*x - y) dt + dW2"))
    states = np.array([[1.0, 0.0], [0.0, 1.0], [0.3, -0.4]])
    expected = 0.5 * np.column_stack([-states[:, 1], states[:, 0]])
    np.testing.assert_allclose(found.breaking(states), expected, atol=1e-6)


def test_a_velocity_must_be_odd():
    assert lsn.reversible(lsn.SDE.parse(LANGEVIN), "v").holds
    assert lsn.reversible(lsn.SDE.parse(LANGEVIN)).holds is False


def recorded(text: str, seed: int, paths: int = 24) -> lsn.Trajectories:
    starts = np.random.default_rng(seed).uniform(-1, 1, (paths, 2))
    return lsn.SDE.parse(text).simulate(starts, duration=12.0, step=0.03, paths=paths, seed=seed)


@pytest.mark.slow
def test_data_of_a_gradient_system_and_of_a_turning_one():
    """The true one is rejected at 0.1 % in one seed of a thousand; a rotation at rate 1 is far beyond the noise."""
    still = lsn.reversible(recorded(GRADIENT, 2))
    assert still.p_value > 1e-3
    assert still.entropy_production is not None
    assert still.entropy_production.lower <= 0.05
    turning = lsn.reversible(recorded("dx = (-x - y) dt + dW1; dy = (x - y) dt + dW2", 3))
    assert turning.p_value < 1e-4
    assert turning.rejected
    assert turning.entropy_production is not None
    # the truth is 2ω²/k = 2; four standard errors
    assert abs(float(turning.entropy_production) - 2.0) < 4 * turning.entropy_production.error + 0.1
    json.dumps(turning.to_dictionary())


@pytest.mark.parametrize("text", ["dx = -x dt + dW; dy = -y dt + dW", "dx = -x dt + dW; dy = -3*y dt + 2 dW"])
def test_fewer_sources_of_noise_than_coordinates_are_refused(text: str):
    for given in (lsn.SDE.parse(text), recorded(text, 4, paths=12)):
        with pytest.raises(InputError, match="comes from fewer sources than there are of them"):
            lsn.reversible(given)


@pytest.mark.slow
def test_a_recorded_particle_is_reversible_with_its_velocity_odd():
    """The true one is rejected at 0.1 % in one seed of a thousand; without signs dx = v dt is a current."""
    data = recorded(LANGEVIN, 5, paths=40)
    found = lsn.reversible(data, "v")
    assert found.p_value > 1e-3
    assert found.lower == 0.0
    assert lsn.reversible(data).p_value < 1e-6


def test_bad_input_is_refused_in_a_sentence():
    sde = lsn.SDE.parse(LANGEVIN)
    with pytest.raises(InputError, match="odd names 'w', but the coordinates are x, v"):
        lsn.reversible(sde, ("w",))
    with pytest.raises(InputError, match="odd is a list of names"):
        lsn.reversible(sde, 3)
    with pytest.raises(InputError, match="an SDE or Trajectories, not a str"):
        lsn.reversible("x")
    with pytest.raises(InputError, match="depends on time"):
        lsn.reversible(lsn.SDE.parse("dx = (sin(t) - x) dt + dW"))
    with pytest.raises(InputError, match="no noise"):
        lsn.reversible(lsn.SDE.parse("dx = -x dt"))
    with pytest.raises(InputError, match="tolerance must be"):
        lsn.reversible(sde, tolerance=0)
