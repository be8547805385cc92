"""Weights that follow the noise, and series in the logarithm where they reach further."""

from __future__ import annotations

import numpy as np
import pytest

from liestonet.catalogue import catalogue
from liestonet.core.domain import Domain
from liestonet.surrogate.overview import Overview, look_over, quantile_edges
from liestonet.surrogate.regression import scaled_block
from liestonet.surrogate.spectral_fit import choose_features
from liestonet.surrogate.tuning import FIT
from liestonet.surrogate.variances import VarianceMap, map_variances
from liestonet.trajectories.increments import Increments


def test_edges_are_quantiles_with_tails_at_either_end() -> None:
    values = np.arange(10_000.0)
    edges = quantile_edges(values, 4, [0.01, 0.03])
    assert np.allclose(edges / 9999, [0.01, 0.03, 0.25, 0.5, 0.75, 0.97, 0.99])
    assert np.allclose(quantile_edges(values, 4) / 9999, [0.25, 0.5, 0.75])


def test_weights_follow_noise_that_grows_without_bound() -> None:
    # a = 1 + x²: in cells of equal filling alone the outermost would be off by a factor of five and more
    data = catalogue["brownian-sinh"].simulate(paths=1024, seed=21)
    overview = look_over(data)
    sample, half = overview.sample, overview.domain.half
    cells = map_variances(overview, scaled_block(sample, overview.domain).dx)
    true = (1 + sample.x[:, 0] ** 2) * half[0] / half[1] ** 2
    ratio = cells(overview.points)[0][:, 0] / true
    assert ratio.min() > 0.3
    assert ratio.max() < 3.0


def test_weights_from_the_same_data_do_not_bias_means() -> None:
    """Increments 0.5 + ε of variance one in 36 cells of about 55: means are right to four standard errors."""
    rng, drifts, squares = np.random.default_rng(8), [], []
    for _ in range(120):
        x = rng.uniform(-1, 1, (2000, 1))
        dx = 0.5 + rng.standard_normal((2000, 1))
        sample = Increments(rng.uniform(0, 1, 2000), x, np.ones(2000), dx, np.arange(2000))
        overview = Overview(Domain(((-1.0, 1.0), (-1.0, 1.0))), ("x",), 2000, sample, 1, sample, np.zeros(0, dtype=int))
        raw, rest = map_variances(overview, dx), map_variances(overview, dx - 0.5)
        (first, once), (second, twice) = raw(overview.points), rest(overview.points)
        drifts.append(np.average(dx[:, 0] * once, weights=1 / first[:, 0]))
        squares.append(np.average((dx[:, 0] - 0.5) ** 2 * twice**2, weights=second[:, 0] ** -2))
    for found, true, uncorrected in ((drifts, 0.5, 0.5 * (1 - 2 / 60)), (squares, 1.0, 1 - 4 / 60)):
        error = np.std(found) / np.sqrt(len(found))
        assert abs(np.mean(found) - true) < 4 * error + 0.15 * (true - uncorrected)  # second order in 4/60


def test_weights_from_the_same_data_spread_means_of_squares_as_stated() -> None:
    """Squares of unit increments in 36 cells of about 55: the mean's variance is the widened one of its scores.

    To four standard errors of a variance from 1,500 draws, 15 %; what is added to the scores is 27 %.
    """
    rng, means, stated = np.random.default_rng(9), [], []
    for _ in range(1500):
        x = rng.uniform(-1, 1, (2000, 1))
        dx = rng.standard_normal((2000, 1))
        sample = Increments(rng.uniform(0, 1, 2000), x, np.ones(2000), dx, np.arange(2000))
        overview = Overview(Domain(((-1.0, 1.0), (-1.0, 1.0))), ("x",), 2000, sample, 1, sample, np.zeros(0, dtype=int))
        cells = map_variances(overview, dx)
        values, restored = cells(overview.points)
        weights, squares = 1 / (2 * values[:, 0] ** 2), dx[:, 0] ** 2 * restored**2
        mean = np.average(squares, weights=weights)
        scores = (weights * (squares - mean)) ** 2
        means.append(mean)
        stated.append(np.sum(scores * cells.widened(overview.points)) / weights.sum() ** 2)
    assert np.var(means) == pytest.approx(np.mean(stated), rel=4 * np.sqrt(2 / 1500))


@pytest.mark.parametrize("count", [30, 55, 240])
def test_the_spread_of_means_of_squares_is_known_to_second_order(count: int) -> None:
    """Sums of squares in 40 cells by their χ² law, the rest by hand, to four standard errors of 40,000 draws, 3 %."""
    rng, draws = np.random.default_rng(10), 40_000
    sums = rng.chisquare(count, (draws, 40))
    filled = count + FIT.borrowed
    local = (sums + FIT.borrowed * sums.mean(axis=1, keepdims=True) / count) / filled
    weights, restored = 1 / (2 * local**2), (1 + 2 / filled) ** 2
    whole = count * weights.sum(axis=1)
    means = restored * (weights * sums).sum(axis=1) / whole
    fourth = 3 * sums**2 / (count + 2)  # sum of fourth powers, given that of squares
    around = means[:, None]
    spread = restored**2 * fourth - 2 * restored * around * sums + count * around**2
    scored = np.mean((weights**2 * spread).sum(axis=1) / whole**2)
    cells = VarianceMap((np.zeros(0),), np.ones((1, 1)), np.array([4 / filled]))
    assert np.var(means) == pytest.approx(scored * cells.widened(np.zeros((1, 1)))[0], rel=4 * np.sqrt(2 / draws))


@pytest.mark.parametrize(
    ("system", "logarithmic"), [("bessel", True), ("bessel-3d", True), ("cir", False), ("geometric-brownian", False)]
)
def test_logarithms_are_used_where_the_data_need_them_or_do_not_decide(system: str, logarithmic: bool) -> None:
    # 1/x is out of reach of low powers of x; linear and square-root coefficients are shorter in x itself
    features = choose_features(look_over(catalogue[system].simulate(paths=1024, seed=22)))
    assert features.logarithmic == (False, logarithmic)
