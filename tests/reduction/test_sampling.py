"""Samples have the law of the equation: against known moments, laws and simulations; wrong questions are refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import scipy.special
import scipy.stats

from liestonet.errors import InputError
from liestonet.reduction.sampling import bessel_step, semidefinite_root
from reductions import reduced

OU = ("dx = -x dt + dW", "exp(-t) d_x")
# Chance of a false alarm of each test below: at most 1e-6 (KS at that level, or five standard errors and more).
LEVEL = 1e-6


def test_a_gaussian_step_of_any_length_has_the_known_law():
    made = reduced(*OU)
    sample = made.sample(1.5, [2.0], 20_000, 1)
    mean, variance = 1.5 * math.exp(-2), (1 - math.exp(-4)) / 2
    assert sample.exact
    assert scipy.stats.kstest(sample.states[:, 0, 0], scipy.stats.norm(mean, math.sqrt(variance)).cdf).pvalue > LEVEL


def test_steps_join_to_the_same_process():
    sample = reduced(*OU).sample(0.0, [0.5, 1.0], 40_000, 2).states[:, :, 0]
    expected = math.exp(-0.5) * (1 - math.exp(-1)) / 2
    assert np.mean(sample[:, 0] * sample[:, 1]) == pytest.approx(expected, abs=6 * 0.35 / math.sqrt(40_000))


@pytest.mark.parametrize("strength", [-0.2, 0.7])
def test_a_step_of_a_bessel_process_has_the_known_law(strength):
    rng = np.random.default_rng(3)
    square = bessel_step(np.full(20_000, 0.8), 1.5, strength, False, rng)
    mean, dimension = 0.8 + (2 * strength + 1) * 1.5, 2 * strength + 1
    deviation = math.sqrt(2 * 1.5 * (dimension * 1.5 + 2 * 0.8))
    assert square.mean() == pytest.approx(mean, abs=6 * deviation / math.sqrt(20_000))


@pytest.mark.parametrize("strength", [-1.5, -0.3])
def test_the_part_that_is_absorbed_is_known(strength):
    rng = np.random.default_rng(4)
    square = bessel_step(np.full(40_000, 0.8), 1.5, strength, True, rng)
    expected = scipy.special.gammaincc(0.5 - strength, 0.8 / 3.0)
    error = math.sqrt(expected * (1 - expected) / 40_000)
    assert np.mean(square == 0) == pytest.approx(expected, abs=6 * error)


@pytest.mark.parametrize(
    ("equation", "generators", "start"),
    [
        ("dx = 2*(1-x) dt + 0.5*sqrt(x) dW", "exp(-2*t)*(d_t - 2*x*d_x); d_t", [0.5]),
        ("dx = x*(1-2*log(x)) dt + 0.5*x dW", "exp(-2*t)*x d_x", [0.5]),
        ("dx = v dt; dv = -2*v dt + 3 dW", "d_x; exp(-2*t)*(d_x - 2*d_v)", [0.2, 0.4]),
    ],
)
def test_one_step_agrees_with_fine_simulation(equation, generators, start):
    made = reduced(equation, generators)
    drawn = made.sample(start, [0.5], 4000, 5).states[:, 0]
    paths = made.equation.simulate(start, 0.5, 0.5, 4000, 6, substeps=200)
    fine = np.array([path[-1] for path in paths.states])
    for column in range(drawn.shape[1]):
        found: Any = scipy.stats.ks_2samp(drawn[:, column], fine[:, column])
        assert found.pvalue > LEVEL


def test_the_solution_along_a_wiener_path_is_the_limit_of_euler_steps_with_strong_order_one_half():
    made = reduced("dx = 0.2*x dt + 0.6*x dW", "x d_x")
    rng, levels = np.random.default_rng(7), (32, 128, 512)
    fine = rng.standard_normal((400, 512, 1)) / math.sqrt(512)
    exact = made.follow([1.0], np.linspace(0, 1, 513), fine)[:, -1, 0]
    # ln x = (0.2 − 0.18) t + 0.6 W by hand
    np.testing.assert_allclose(exact, np.exp(0.02 + 0.6 * fine.sum(axis=(1, 2))), rtol=1e-10)
    errors = []
    for steps in levels:
        increments = fine.reshape(400, steps, -1).sum(axis=2)
        x = np.ones(400)
        for k in range(steps):
            x = x + 0.2 * x / steps + 0.6 * x * increments[:, k]
        errors.append(math.sqrt(np.mean((x - exact) ** 2)))
    slope = np.polyfit(np.log(levels), np.log(errors), 1)[0]
    assert -0.65 < slope < -0.35


def test_paths_end_where_the_formula_does():
    made = reduced("dx = (1/4-x/2) dt + sqrt(x*(1-x)) dW", "sqrt(x*(1-x)) d_x")
    states = made.sample(0.5, [0.1, 3.0], 400, 8).states[:, :, 0]
    inside = states[np.isfinite(states)]
    assert (inside >= 0).all()
    assert (inside <= 1).all()


def test_a_singular_covariance_has_a_root():
    matrix = np.array([[4.0, 2e-3], [2e-3, 1e-6]])
    root = semidefinite_root(matrix)
    np.testing.assert_allclose(root @ root.T, matrix, rtol=1e-12, atol=1e-18)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"times": [-1.0, 1.0]}, "before the start"),
        ({"times": [1.0, 0.5]}, "that increase"),
        ({"times": "soon"}, "must be numbers"),
        ({"paths": 0}, "number of paths is 0"),
        ({"initial": -2.0}, "outside the state space"),
        ({"seed": -1}, "seed"),
        ({"boundary": "sticky"}, '"reflecting" or "absorbing"'),
        ({"start": math.nan}, "start is nan"),
    ],
)
def test_wrong_questions_are_refused_in_one_sentence(arguments, message):
    made = reduced("dx = 0.1*x dt + 0.2*x dW", "x d_x")
    given = {"initial": 1.0, "times": [1.0], "paths": 3, "seed": 0} | arguments
    with pytest.raises(InputError, match=message):
        made.sample(**given)


def test_times_beyond_a_singular_one_are_refused():
    made = reduced("dx = -x/(1-t) dt + dW", "(1-t) d_x")
    with pytest.raises(InputError, match="t < 1 only"):
        made.sample(0.0, [0.5, 2.0])


@pytest.mark.parametrize(
    ("initial", "times", "shape", "message"),
    [
        (1.0, [0.0, 1.0], (2, 2, 1), "increments must be"),
        (-1.0, [0.0, 1.0], (2, 1, 1), "outside the state space"),
        (1.0, [1.0, 0.0], (2, 1, 1), "that increase"),
        (1.0, [0.0, math.nan], (2, 1, 1), "that increase"),
    ],
)
def test_wrong_paths_to_follow_are_refused(initial, times, shape, message):
    made = reduced("dx = 0.1*x dt + 0.2*x dW", "x d_x")
    with pytest.raises(InputError, match=message):
        made.follow(initial, times, np.zeros(shape))


def test_without_new_coordinates_the_equation_itself_is_simulated():
    sample = reduced("dx = (x - x^3 + sin(t)) dt + dW").sample(0.5, [0.2], 3, 1)
    assert not sample.exact
    assert "there are no new coordinates" in sample.note
