"""`lsn.test`: exact symmetries pass at the stated rate, near misses do not, and the statistic is a likelihood ratio."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
import sympy

import liestonet as lsn
from liestonet.core.domain import Domain
from liestonet.core.points import PointCloud
from liestonet.surrogate.least_squares import without_prior
from liestonet.symmetry.determining.kinds import LAW
from liestonet.validation.generator_input import parse_generators
from liestonet.validation.generator_residuals import GivenResiduals, put_in

pytestmark = pytest.mark.usefixtures("few_draws")

OU = lsn.SDE.parse("dx = -x dt + dW")


def recording(sde: lsn.SDE, paths: int, seed: int, duration: float = 1.0) -> lsn.Trajectories:
    """Paths that begin uniformly between −2 and 2 in every coordinate."""
    n = sde.dimension
    return sde.simulate(lambda rng, k: rng.uniform(-2, 2, (k, n)), duration=duration, step=0.02, paths=paths, seed=seed)


@pytest.fixture(scope="module")
def data() -> lsn.Trajectories:
    return recording(OU, 600, 11, duration=2.0)


@pytest.fixture(scope="module")
def fewer() -> lsn.Trajectories:
    """Half as many, which is enough for what is true or far from it."""
    return recording(OU, 300, 11, duration=2.0)


@pytest.mark.parametrize("generator", ["d_t", "exp(-t) d_x", "exp(-2t) d_t - exp(-2t)*x d_x", "d_t; exp(-t) d_x"])
def test_true_symmetries_pass(fewer: lsn.Trajectories, generator: str):
    """False-alarm rate 0.1 % each: seeds are fixed, and a p-value this small would be seen once in 250 such sets."""
    found = lsn.test(fewer, generator)
    assert found.p_value > 1e-3
    assert found.lower <= 0.02
    assert found.dof > 5
    assert not found.doubts
    assert "does not reject" in str(found)


@pytest.mark.parametrize(
    "generator",
    [
        "exp(t) d_x",  # a sign error
        "2 t d_t + x d_x",  # Brownian motion's
        "exp(-1.5 t) d_x",  # that of a neighbouring system
        "d_x",
        "d_t; exp(-t) d_x; x d_x",  # one of three is wrong
    ],
)
def test_near_misses_are_rejected(fewer: lsn.Trajectories, generator: str):
    found = lsn.test(fewer, generator)
    assert found.p_value < 1e-4
    assert found.rejected
    assert found.lower > 0.05


@pytest.mark.parametrize(("generator", "seed"), [("exp(-t) d_x", 100), ("exp(-t) d_x", 103), ("exp(-2*t) d_x", 401)])
def test_with_one_noise_ito_and_law_are_the_same_claim(generator, seed):
    """Sixteen paths: σ = √a is far from linear in what was estimated, and the p-value must not depend on it."""
    few = OU.simulate(lambda rng, k: rng.uniform(-2, 2, (k, 1)), duration=1.0, step=0.01, paths=16, seed=seed)
    ito, law = (lsn.test(few, generator, kind) for kind in ("ito", "law"))
    assert ito.p_value == pytest.approx(law.p_value)


def test_an_exact_ito_symmetry_of_two_coordinates_passes():
    """32 paths, where imposing it used to take all noise from the other coordinate; chance of failing 1 in 1000."""
    plane = lsn.SDE.parse("dx = dW1; dy = dW2")
    data = plane.simulate(lambda rng, k: rng.uniform(-2, 2, (k, 2)), duration=1.0, step=0.01, paths=32, seed=0)
    tested = lsn.test(data, "d_x", "ito")
    assert tested.p_value > 1e-3
    assert tested.expected is not None
    assert tested.expected < 2 * tested.dof


def test_a_shift_of_time_changes_nothing():
    """e^{−t}∂x on times from 0 to 1 is e^{1024−t}∂x on times from 1024 (exact in binary) to 1025."""
    early = OU.simulate(initial=lambda rng, k: rng.uniform(-2, 2, (k, 1)), duration=1.0, step=1 / 64, paths=40, seed=5)
    later = [times + 1024 for times in early.times]
    late = lsn.Trajectories.from_arrays(later, early.states, measurement=early.measurement)
    first, second = lsn.test(early, "exp(-t) d_x"), lsn.test(late, "exp(1024 - t) d_x")
    assert second.p_value == pytest.approx(first.p_value, rel=1e-6)
    assert second.residual == pytest.approx(first.residual, rel=1e-6)


@pytest.mark.parametrize("symmetry", ["law", "ito"])
def test_the_density_is_not_dropped_silently(symmetry: str):
    with pytest.raises(lsn.InputError, match="fokker-planck"):
        lsn.test(recording(OU, 30, 6), "exp(-t) d_x + u d_u", symmetry)
    t = sympy.Symbol("t")
    assert lsn.test(recording(OU, 30, 6), (0, [sympy.exp(-t)], 0), symmetry).symmetry == symmetry


def test_what_no_error_explains_counts():
    """dx = y dt has no noise, so nothing can make e^t∂x a symmetry; ∂x is one."""
    data = recording(lsn.SDE.parse("dx = y dt; dy = -y dt + sqrt(2) dW"), 100, 3)
    assert lsn.test(data, "exp(t) d_x").p_value < 1e-6
    assert lsn.test(data, "d_x").p_value > 1e-3


@pytest.mark.slow
def test_p_values_are_uniform():
    """20 recordings of 32 paths: a Kolmogorov–Smirnov test at 0.1 % (the false-alarm rate of this test)."""
    p_values = [lsn.test(recording(OU, 32, seed), "exp(-t) d_x").p_value for seed in range(20)]
    assert scipy.stats.kstest(p_values, "uniform").pvalue > 1e-3


def test_the_deviance_is_the_least_square_of_errors_that_explain_the_residual():
    """Against SciPy: minimise |z|² under DX + A z = 0, A of full row rank and far above the model's error."""
    rng = np.random.default_rng(2)
    changes, residual = rng.standard_normal((1, 6, 15)), rng.standard_normal((1, 6))
    deviance, freedom = GivenResiduals(residual, changes, 15, True).deviance()
    z = np.linalg.lstsq(changes[0], -residual[0], rcond=None)[0]
    assert freedom == pytest.approx(6)
    assert deviance == pytest.approx(z @ z, rel=1e-4)


def test_equations_are_put_in_as_written():
    """OU with f = −x exactly: for x∂x, E1 = 0 + f·1 − x·f' = 0 and Q = 2a; for t∂x, E1 = 1 + t."""
    data = recording(OU, 200, 3)
    surrogate = lsn.fit(data)
    cloud = PointCloud(np.array([[0.3, 0.5], [0.7, -1.0]]), np.full(2, 0.5))
    domain = Domain(((0.0, 1.0), (-2.0, 2.0)))
    given = parse_generators("x d_x; t d_x", ("x",))
    found = put_in(LAW, surrogate, given, cloud, domain)
    f, jacobian = surrogate.drift(cloud.points[:, 0], cloud.points[:, 1:])[:, 0], []
    for point in cloud.points:
        ends = surrogate.drift(np.full(2, point[0]), point[1:] + np.array([[-1e-5], [1e-5]]))[:, 0]
        jacobian.append((ends[1] - ends[0]) / 2e-5)
    t, x = cloud.points.T
    lengths = np.sqrt(np.mean(x**2 / 4)), np.sqrt(np.mean(t**2 / 4))
    first = 0.5 / 2.0 * (f - x * jacobian) * np.sqrt(0.5) / lengths[0]
    second = 0.5 / 2.0 * (1 - t * jacobian) * np.sqrt(0.5) / lengths[1]
    np.testing.assert_allclose(found.residual[0, :2], first, atol=1e-6)
    np.testing.assert_allclose(found.residual[1, :2], second, atol=1e-6)


def test_the_free_fit_is_plain_least_squares():
    """Parameters of the drift against NumPy's least squares on the same increments and features."""
    data = recording(lsn.SDE.parse("dx = dW"), 100, 5)
    surrogate = lsn.fit(data)
    free = without_prior(surrogate)
    estimate, domain = free.drift_estimates[0], surrogate.domain
    block = surrogate.overview.sample
    functions = estimate.features.values(np.column_stack([block.t, block.x]))[()]
    weights = np.sqrt(block.dt / np.diff(data.flat_times)[0])  # equal steps, nearly constant noise
    scaled = block.dx[:, 0] / domain.half[1] / (block.dt / domain.half[0])
    plain = np.linalg.lstsq(functions * weights[:, None], scaled * weights, rcond=None)[0]
    spread = np.sqrt(np.diag(free.errors.scatter @ free.errors.scatter.T))[: len(plain)]
    assert np.max(np.abs(estimate.parameters - plain) / spread) < 1.0
    assert np.corrcoef(estimate.parameters / spread, plain / spread)[0, 1] > 0.9


@pytest.mark.slow
def test_generators_found_on_the_same_data_are_tested_on_others(data: lsn.Trajectories):
    result = lsn.discover(data, formulas=False)
    found = lsn.test(data, result)
    assert found.held_out is not None
    assert "300 of 600 paths" in found.held_out
    assert found.turning
    assert found.p_value > 1e-3
    fresh = lsn.test(recording(OU, 300, 12, duration=2.0), result)
    assert fresh.held_out is None
    other = lsn.test(recording(lsn.SDE.parse("dx = -3*x dt + dW"), 300, 13, duration=2.0), result)
    assert other.p_value < 1e-3


def test_a_doubt_about_the_data_comes_first():
    noisy = recording(OU, 200, 4).degrade(noise=0.3, seed=1)
    assert not lsn.test(noisy, "d_t").doubts  # errors of the points are part of the model
    found = lsn.test(noisy, "d_t", measurement=lsn.Measurement.exact(steps="euler"))
    assert found.doubts
    assert found.sentences()[0].startswith("Provided that the data are a diffusion")


def test_wrong_input_is_named(fewer: lsn.Trajectories):
    with pytest.raises(lsn.InputError, match="Trajectories"):
        lsn.test(np.zeros(3), "d_t")
    with pytest.raises(lsn.InputError, match="no generators"):
        lsn.test(recording(OU, 50, 1), lsn.discover(fewer, dimension=0, formulas=False))


@pytest.mark.parametrize("seed", [5, 7])
def test_generators_from_few_data_have_room_to_turn(seed):
    """Half of 200 paths may give generators that are off by 20°; that is no evidence against a symmetry.

    The p-value is conservative, so a true algebra falls below 0.001 in at most one of a thousand recordings.
    """
    data = lsn.catalogue["ornstein-uhlenbeck"].simulate(paths=200, seed=seed)
    assert lsn.test(data, lsn.discover(data, dimension=3, formulas=False)).p_value > 1e-3


def test_turning_does_not_save_what_is_no_symmetry():
    """The double well has one symmetry; two directions more, found on half of the data, fail on the other half."""
    data = lsn.catalogue["double-well"].simulate(paths=400, seed=6)
    assert lsn.test(data, lsn.discover(data, dimension=3, formulas=False)).p_value < 1e-6


def test_generators_that_half_of_the_paths_does_not_support_are_left_free_to_turn() -> None:
    # 32 paths know one of the two symmetries; taking the other for known to its linear error once gave p = 1e-49
    system = lsn.SDE.parse("dx = -x dt + dW")
    data = system.simulate(
        initial=lambda rng, paths: rng.uniform(-2, 2, (paths, 1)), duration=1.0, step=0.01, paths=64, seed=5
    )
    tested = lsn.test(data, lsn.discover(data, formulas=False), seed=2)
    assert not tested.rejected
    assert "free to rotate" in str(tested)


def test_overlapping_windows_are_named() -> None:
    data = lsn.SDE.parse("dx = -x dt + dW").simulate(np.zeros(1), duration=20.0, step=0.02, paths=1, seed=3)
    overlapping = str(lsn.test(data.windows(100, 20, restart=True), "d_t"))
    assert "The windows overlap" in overlapping
    assert "overlap" not in str(lsn.test(data.windows(100, restart=True), "d_t"))
