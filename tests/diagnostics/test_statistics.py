"""The tests behind the flags, on random numbers alone: error rates on Gaussian ones, known values on others."""

from __future__ import annotations

import numpy as np
import pytest

from liestonet.diagnostics.correlated_steps import correlation
from liestonet.diagnostics.coverage import is_function, polynomial_relation, superfluous
from liestonet.diagnostics.tails import jumps, tail_limit, tail_ratio
from liestonet.diagnostics.values import grid_spacing

SETS, SIZE = 2000, 1000


@pytest.fixture(scope="module")
def gaussian() -> np.ndarray:
    return np.random.default_rng(1).standard_normal((SETS, SIZE))


def test_heavy_tails_are_seen_in_at_most_one_of_a_thousand_gaussian_sets(gaussian: np.ndarray) -> None:
    # the rate is 1e-3: more than 7 of 2,000 has a chance of 0.1 %
    assert sum(tail_ratio(z) > tail_limit(SIZE, 1) for z in gaussian) <= 7


def test_the_limit_of_tails_is_not_much_too_wide(gaussian: np.ndarray) -> None:
    """The ratio's spread is what the limit takes it for: at 2 standard errors the rate is 1 to 4 %, not zero."""
    centre = 1.959964 / 0.674490
    spread = (tail_limit(SIZE, 1) / centre - 1) / 3.0902
    rate = np.mean([tail_ratio(z) > centre * (1 + 2 * spread) for z in gaussian])
    assert 0.008 < rate < 0.045


def test_jumps_are_never_seen_in_gaussian_sets(gaussian: np.ndarray) -> None:
    # the rate is below 1e-3, as a jump also has to be a quarter beyond the limit
    assert sum(jumps(z)[0] > 0 for z in gaussian) <= 1


def test_jumps_are_counted_whatever_the_scale() -> None:
    z = np.random.default_rng(2).standard_normal(5000)
    z[[10, 400, 3000]] = [12.0, -15.0, 20.0]
    assert jumps(z)[0] == jumps(1e-6 * z)[0] == 3
    assert jumps(z)[1] == pytest.approx(20, rel=0.05)


def test_a_few_jumps_do_not_pass_as_heavy_tails() -> None:
    z = np.random.default_rng(3).standard_normal(5000)
    z[:25] *= 20
    assert tail_ratio(z) < tail_limit(5000, 1)
    assert jumps(z)[0] > 10


@pytest.mark.parametrize("freedom", [3, 5])
def test_students_steps_are_heavy_tailed(freedom: int) -> None:
    assert tail_ratio(np.random.default_rng(4).standard_t(freedom, 20_000)) > tail_limit(20_000, 1)


def test_correlations_of_independent_numbers_are_standard_normal_in_their_errors(gaussian: np.ndarray) -> None:
    rows = np.arange(SIZE - 1)
    scores = np.array([c.value / c.error for c in (correlation(z, rows, 1) for z in gaussian)])
    assert abs(scores.mean()) < 4 / np.sqrt(SETS)
    assert scores.std() == pytest.approx(1, abs=0.06)
    assert np.mean(np.abs(scores) > 3.29) < 0.005  # 0.1 %


@pytest.mark.parametrize(
    ("weights", "first", "second"), [([1, 0], 0.0, 0.0), ([1, 1], 0.5, 0.0), ([1, -0.4], -0.4 / 1.16, 0)]
)
def test_correlations_of_moving_averages(weights: list[float], first: float, second: float) -> None:
    z = np.convolve(np.random.default_rng(5).standard_normal(200_000), weights, "valid")
    z /= z.std()
    rows = np.arange(len(z) - 2)
    assert correlation(z, rows, 1).value == pytest.approx(first, abs=0.01)
    assert correlation(z, rows, 2).value == pytest.approx(second, abs=0.01)


def test_without_pairs_nothing_is_clear() -> None:
    assert not correlation(np.ones(3), np.zeros(0, dtype=np.int64), 1).clear(1.0)


@pytest.mark.parametrize("spacing", [0.1, 0.25, 1.0, 3e-4, 1e6])
def test_the_spacing_of_a_grid(spacing: float) -> None:
    x = np.random.default_rng(6).standard_normal(3000) * 20 * spacing + 7 * spacing
    assert grid_spacing(np.round(x / spacing) * spacing) == pytest.approx(spacing, rel=1e-6)
    assert grid_spacing(x) == 0


def test_repeated_values_alone_are_no_grid() -> None:
    x = np.concatenate([np.full(500, 1.5), np.random.default_rng(7).standard_normal(3000)])
    assert grid_spacing(x) == 0
    assert grid_spacing(np.ones(10)) == 0


def test_functions_of_another_variable() -> None:
    rng = np.random.default_rng(8)
    x = rng.standard_normal(10_000)
    for y in (2 * x + 1, np.exp(x), np.tanh(x)):
        assert is_function(x, y)
        assert not is_function(x, y + 0.01 * rng.standard_normal(10_000))
    assert not is_function(x**2, x)  # two branches
    assert not is_function(x, np.where(rng.random(10_000) < 0.01, 1.0, 0.0))  # hardly ever changes


@pytest.mark.parametrize("units", [1.0, 1e-9, 1e6])
def test_quadratic_relations_in_any_units(units: float) -> None:
    rng = np.random.default_rng(9)
    angle, free, other = rng.uniform(0, 7, 5000), rng.standard_normal(5000), rng.standard_normal(5000)
    circle = np.column_stack([units * np.cos(angle), np.sin(angle), free])
    assert polynomial_relation(circle, 2)[0] < 1e-12
    assert polynomial_relation(circle, 2)[1] == (True, True, False)
    assert polynomial_relation(np.column_stack([units * free, other, np.hypot(free, other)]), 2)[0] < 1e-12
    assert polynomial_relation(np.column_stack([units * free, other, free + other]), 1)[0] < 1e-12
    assert polynomial_relation(np.column_stack([units * free, other, angle]), 2)[0] > 0.3
    # y = x + small noise: least variance of a combination 1 − ρ, as for any two correlated variables
    near = np.column_stack([units * free, free + 0.01 * other])
    first, second = ((near - near.mean(axis=0)) / near.std(axis=0)).T
    assert polynomial_relation(near, 1)[0] == pytest.approx(1 - np.mean(first * second), rel=0.05)
    assert polynomial_relation(near, 2)[0] > 1e-12


def test_one_coordinate_of_each_relation_is_superfluous() -> None:
    """Positions with and without their own drift: two relations, and what is left has none."""
    x, y, shift = np.random.default_rng(11).standard_normal((3, 2000))
    both = np.column_stack([x, y, x + 1e-3 * shift, y + 1e-3 * shift])
    assert superfluous(both, ("x", "y", "x_own", "y_own"), 1) == ["x_own", "y_own"]
