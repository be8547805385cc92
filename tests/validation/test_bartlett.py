"""The law of the deviance under exact generators: recordings drawn along paths, and p-values from few of them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

import liestonet as lsn
from liestonet.surrogate.surrogate import Surrogate
from liestonet.validation.bartlett import NullLaw
from liestonet.validation.generator_residuals import GivenResiduals
from liestonet.validation.intervals import interval, shrinkage_bias, with_own_bias
from liestonet.validation.null_model import stream
from liestonet.validation.simulated import design_of, draw_paths
from liestonet.validation.tuning import RATIO

OU = lsn.SDE.parse("dx = -x dt + dW")


def recording(paths: int, seed: int, steps: int = 50) -> lsn.Trajectories:
    """Paths of the Ornstein–Uhlenbeck process that begin uniformly between −2 and 2."""
    duration = 0.02 * steps
    return OU.simulate(lambda rng, k: rng.uniform(-2, 2, (k, 1)), duration=duration, step=0.02, paths=paths, seed=seed)


def linear_model(data: lsn.Trajectories, rate: float, a: float) -> Surrogate:
    """A fit whose parameters are replaced by those of f = −rate x and a constant a."""
    fitted = lsn.fit(data)
    (drift,), (diffusion,) = fitted.drift_estimates, fitted.diffusion_estimates
    points, half = fitted.overview.points[::7], fitted.domain.half
    functions = drift.features.values(points)[()]
    first = np.linalg.lstsq(functions, -rate * points[:, 1] * half[0] / half[1], rcond=None)[0]
    functions = diffusion.features.values(points)[()]
    second = np.linalg.lstsq(functions, np.full(len(points), a * half[0] / half[1] ** 2), rcond=None)[0]
    return fitted.with_parameters(np.concatenate([first, second]))


def test_few_draws_make_f_of_chi_square():
    """Whatever the scale, p-values are uniform if the mean is that of a few other deviances (KS at 0.1 %)."""
    rng = np.random.default_rng(4)
    seen, others = 1.7 * rng.chisquare(5, 3000), 1.7 * rng.chisquare(5, (3000, 3)).mean(axis=1)
    p_values = [NullLaw(mean / 5, 3.0).p_value(one, 5) for one, mean in zip(seen, others, strict=True)]
    assert scipy.stats.kstest(p_values, "uniform").pvalue > 1e-3
    assert NullLaw().p_value(7.3, 4.5) == pytest.approx(scipy.stats.chi2.sf(7.3, 4.5))
    assert NullLaw(2.0).p_value(0.0, 0.0) == 1.0


def test_conditions_that_do_not_scatter_are_not_counted():
    """Half of the conditions add nothing: the deviance is χ² with half the freedom (KS at 0.1 %), not with all."""
    seen = np.random.default_rng(5).chisquare(20, 3000)
    p_values = np.array([NullLaw.of_part(0.5, 1e9).p_value(deviance, 40) for deviance in seen])
    assert scipy.stats.kstest(p_values, "uniform").pvalue > 1e-3
    assert NullLaw(0.5, 1e9).p_value(34.2, 40) < 0.5 * NullLaw.of_part(0.5, 1e9).p_value(34.2, 40)
    assert NullLaw.of_part(1.4, 12.0) == NullLaw(1.4, 12.0)


def test_draws_are_euler_chains_of_the_model():
    """Mean and variance of x after 40 steps of x ← (1 − hΔt) x + √(aΔt) z, exactly, within four standard errors."""
    data = recording(30, 1, steps=40)
    rate, a, count = 1.5, 0.01, 400
    inside = data.take(np.flatnonzero([abs(x[0, 0]) < 1 for x in data.states]))
    drawn = draw_paths(linear_model(data, rate, a), inside, count, stream(0, "test"))
    ends = np.array([[path[-1, 0] for path in one.states] for one in drawn])
    factor = 1 - rate * 0.02
    mean = factor**40 * np.array([path[0, 0] for path in inside.states])
    variance = a * 0.02 * np.sum(factor ** (2 * np.arange(40)))
    assert np.max(np.abs(ends.mean(axis=0) - mean)) < 4 * np.sqrt(variance / count)
    assert ends.var(axis=0).mean() == pytest.approx(variance, rel=4 * np.sqrt(2 / ends.size))
    assert all(np.array_equal(one.flat_times, inside.flat_times) for one in drawn)
    assert all(np.array_equal(one.states[k][0], inside.states[k][0]) for one in drawn for k in range(len(inside)))


def test_unequal_paths_keep_their_lengths_and_draws_repeat():
    data = lsn.Trajectories.from_arrays(
        [times[: 20 + 5 * k] for k, times in enumerate(recording(10, 2).times[:7])],
        [states[: 20 + 5 * k] for k, states in enumerate(recording(10, 2).states[:7])],
    )
    model = linear_model(recording(30, 1), 1.0, 1.0)
    first, second = (draw_paths(model, data, 2, stream(0, "test")) for _ in range(2))
    assert np.array_equal(first[0].offsets, data.offsets)
    assert first[1].digest == second[1].digest
    assert first[0].digest != first[1].digest


def test_draws_are_of_bounded_size():
    small = recording(20, 3)
    assert design_of(small) == (small, 1.0)
    rows = np.tile(np.arange(20), 100)
    many, part = design_of(small.take(rows))
    assert many.points - len(many) <= RATIO.drawn_increments
    assert part == pytest.approx((many.points - len(many)) / (2000 * 50))
    long, _ = design_of(recording(1, 3, steps=3 * RATIO.drawn_steps))
    assert np.diff(long.offsets).max() == RATIO.drawn_steps + 1


def test_single_increments_need_no_correction():
    """If every increment has its own start, the design is fixed and the mean deviance is the degrees of freedom."""
    begin = recording(64, 5).increments()
    pairs = lsn.Trajectories.from_arrays(
        np.stack([begin.t, begin.t + begin.dt], axis=1), np.stack([begin.x, begin.x + begin.dx], axis=1)
    )
    found = lsn.test(pairs, "exp(-t) d_x")
    # 20 draws of about 32 degrees of freedom: four standard errors
    assert found.expected == pytest.approx(found.dof, rel=4 * np.sqrt(2 / (20 * found.dof)))


def test_draws_that_leave_the_box_are_left_out(monkeypatch: pytest.MonkeyPatch):
    """A single Brownian path: a draw from its fit may leave the box for good, and cannot be fitted there."""
    brownian = lsn.SDE.parse("dx = dW")
    data = brownian.simulate(initial=[0.0], duration=7.9, step=0.01, paths=1, seed=316)
    found = lsn.test(data, "d_x")
    assert found.expected is not None
    assert found.expected > found.dof
    assert found.uncorrected is None
    # where none can be fitted, the law is that of χ², and the text says so
    far = brownian.simulate(initial=[1e3], duration=7.9, step=0.01, paths=1, seed=1)
    monkeypatch.setattr("liestonet.validation.bartlett.draw_paths", lambda *words: [far] * 12)
    plain = lsn.test(data, "d_x")
    assert plain.p_value == pytest.approx(scipy.stats.chi2.sf(plain.deviance, plain.dof))
    assert plain.expected == plain.dof
    assert any("only 0 stay in the box" in line for line in plain.sentences())


@pytest.mark.slow
def test_the_expected_deviance_is_that_of_independent_recordings():
    """With 8 paths the mean deviance is far from χ²; draws from one recording know it (four standard errors)."""
    from liestonet.surrogate.least_squares import without_prior
    from liestonet.symmetry.determining.kinds import LAW
    from liestonet.validation.generator_input import parse_generators
    from liestonet.validation.generator_residuals import put_in
    from liestonet.validation.ratio import data_cloud

    given, ratios = parse_generators("exp(-t) d_x", ("x",)), []
    for seed in range(24):
        free = without_prior(lsn.fit(recording(8, seed)))
        deviance, dof = put_in(LAW, free, given, data_cloud(free), free.domain).deviance()
        ratios.append(deviance / dof)
    known = [lsn.test(recording(8, seed), "exp(-t) d_x") for seed in range(100, 101)]
    means = [found.expected / found.dof for found in known if found.expected is not None]
    error = np.hypot(np.std(ratios) / np.sqrt(24), np.std(ratios) / np.sqrt(20))
    assert np.mean(ratios) > 1.1
    assert abs(np.mean(means) - np.mean(ratios)) < 4 * error


def test_the_bias_is_what_the_prior_takes_from_the_estimate():
    """A ridge regression of data without noise, y = φθ, gives θ less the bias at θ."""
    fitted = lsn.fit(recording(64, 6))
    estimate = fitted.drift_estimates[0]
    shrunk = np.linalg.solve(estimate.precision + np.diag(1 / estimate.prior), estimate.precision @ estimate.parameters)
    count = len(shrunk)
    np.testing.assert_allclose(shrunk + shrinkage_bias(fitted)[:count], estimate.parameters, atol=1e-9)
    own = with_own_bias(fitted).errors
    assert own.prior.shape[1] == 1
    assert own.scatter is fitted.errors.scatter


def test_zero_is_excluded_by_cautious_evidence_only():
    """One condition with a residual of 1: noise .8 does not exclude zero, noise .1 does."""

    def evidence(noise: float):
        return GivenResiduals(np.ones((1, 1)), np.full((1, 1, 1), noise), 1, True).evidence()

    assert interval(evidence(0.8), evidence(0.1), 0, 0.95) == evidence(0.8).interval(0, 0.975)
    lower, upper = interval(evidence(0.2), evidence(0.1), 0, 0.95)
    assert (lower, upper) == evidence(0.1).interval(0, 0.975)
    assert 0.7 < lower < 1 < upper < 1.3
