"""Euler–Maruyama: its orders, and separately its limit against exact laws; seeds, bounds, wrong input.

A z-test at 4.5 standard errors raises a false alarm once in 147,000; there are about 40 here, all with fixed
seeds, so a change of the streams makes one fail by chance with a probability below 3e-4.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from inspect import unwrap
from itertools import pairwise

import numpy as np
import pytest
from scipy.linalg import expm

from liestonet.errors import InputError
from liestonet.sde import SDE, simulation
from liestonet.sde.boundary import Bounds, free_bounds
from liestonet.sde.simulation import euler_step, simulate, wiener_normals

SIGMAS = 4.5


def scalar(drift: Callable, diffusion: Callable) -> SDE:
    return SDE(lambda t, x: drift(x), lambda t, x: diffusion(x)[:, :, None], dimension=1, noise=1)


def geometric(mu=1.0, sigma=0.5) -> SDE:
    return scalar(lambda x: mu * x, lambda x: sigma * x)


def hyperbolic_sine() -> SDE:
    """dx = x/2 dt + sqrt(1 + x²) dW, solved by x = sinh(W + arsinh x₀)."""
    return scalar(lambda x: x / 2, lambda x: np.sqrt(1 + x**2))


def brownian(drift=0.0) -> SDE:
    return scalar(lambda x: drift + 0 * x, lambda x: 1 + 0 * x)


def last(data) -> np.ndarray:
    return np.array([states[-1, 0] for states in data.states])


def assert_moments(sample: np.ndarray, mean: float, variance: float, bias=(0.0, 0.0)) -> None:
    """Sample mean and variance are within SIGMAS standard errors, plus a bias, of the exact ones."""
    root = np.sqrt(len(sample))
    assert abs(sample.mean() - mean) < SIGMAS * sample.std() / root + bias[0]
    squares = (sample - mean) ** 2
    assert abs(squares.mean() - variance) < SIGMAS * squares.std() / root + bias[1]


def euler_maruyama(equation, times, initial, increments) -> np.ndarray:
    """The paths for given Wiener increments, so that several grids can share a noise."""
    states = [initial]
    for index, (now, following) in enumerate(pairwise(times)):
        t, h = np.full(len(initial), now), np.full(len(initial), following - now)
        states.append(euler_step(equation, t, states[-1], h, increments[:, index], free_bounds(1))[1])
    return np.stack(states, axis=1)


def final_errors(equation, exact, begin, duration, levels, paths, observe, seed):
    """observe(Euler at T) − observe(exact at T) for each level, all levels and the solution on one noise."""
    finest = 2 ** max(levels)
    fine = np.random.default_rng(seed).standard_normal((paths, finest, 1)) * np.sqrt(duration / finest)
    truth = observe(exact(fine.sum(axis=(1, 2))))
    errors = []
    for level in levels:
        steps = 2**level
        coarse = fine.reshape(paths, steps, finest // steps, 1).sum(axis=2)
        grid = np.linspace(0, duration, steps + 1)
        end = euler_maruyama(equation, grid, np.full((paths, 1), begin), coarse)[:, -1, 0]
        errors.append(observe(end) - truth)
    return np.array(errors)


def order(errors: np.ndarray, levels, batches=20) -> tuple[float, float]:
    """Slope of log error in log step, and its standard error from independent batches of paths."""
    means = np.abs(errors.reshape(len(levels), batches, -1).mean(axis=2))
    slopes = -np.polyfit(levels, np.log2(means), 1)[0]
    return float(slopes.mean()), float(slopes.std(ddof=1) / np.sqrt(batches))


STRONG = {
    "geometric": (geometric(0.5, 0.8), lambda w: np.exp(0.5 - 0.32 + 0.8 * w), 1.0),
    "hyperbolic sine": (hyperbolic_sine(), lambda w: np.sinh(w + np.arcsinh(0.5)), 0.5),
}


@pytest.mark.parametrize("name", STRONG)
def test_strong_order_is_one_half(name):
    equation, exact, begin = STRONG[name]
    levels = range(5, 10)
    errors = final_errors(equation, exact, begin, 1.0, levels, 8000, lambda x: x, seed=1)
    slope, error = order(np.abs(errors), levels)
    assert error < 0.02  # so that the test below can tell 1/2 from anything else
    assert abs(slope - 0.5) < SIGMAS * error + 0.01  # 0.01: higher orders in the step at 1/32 and below


def hyperbolic_square_error(h: float, steps: int, begin=0.5) -> float:
    """Euler's second moment obeys m ← (1 + h/2)² m + h (1 + m); the exact one is (x₀² + ½) exp(2T) − ½."""
    moment = begin**2
    for _ in range(steps):
        moment = (1 + h / 2) ** 2 * moment + h * (1 + moment)
    return moment - ((begin**2 + 0.5) * np.exp(2 * h * steps) - 0.5)


WEAK = {
    "geometric, mean": (
        geometric(), lambda w: np.exp(1 - 0.125 + 0.5 * w), 1.0, 1.0, range(2, 6), np.positive,
        lambda h, steps: (1 + h) ** steps - np.exp(h * steps),
    ),
    "hyperbolic sine, square": (
        hyperbolic_sine(), lambda w: np.sinh(w + np.arcsinh(0.5)), 0.5, 0.5, range(1, 5), np.square,
        hyperbolic_square_error,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WEAK)
def test_weak_order_is_one(name):
    equation, exact, begin, duration, levels, observe, known = WEAK[name]
    errors = final_errors(equation, exact, begin, duration, levels, 150_000, observe, seed=2)
    standard = errors.std(axis=1) / np.sqrt(errors.shape[1])
    expected = [known(duration / 2**level, 2**level) for level in levels]
    assert (np.abs(errors.mean(axis=1) - expected) < SIGMAS * standard).all()
    # On steps of 1/4 to 1/32 Euler's own errors have slopes 0.92 and 0.86; these tend to 1.
    fine = range(9, 12)
    limit = -np.polyfit(fine, np.log2(np.abs([known(duration / 2**level, 2**level) for level in fine])), 1)[0]
    assert abs(limit - 1) < 0.01
    slope, error = order(errors, levels)
    assert error < 0.03
    assert abs(slope + np.polyfit(levels, np.log2(np.abs(expected)), 1)[0]) < SIGMAS * error


def test_limit_ornstein_uhlenbeck():
    rate, level, sigma, begin = 1.5, 0.5, 0.8, 2.0
    equation = scalar(lambda x: rate * (level - x), lambda x: sigma + 0 * x)
    data = simulate(equation, begin, 1.0, 0.1, 40_000, seed=3, substeps=20)
    decay = np.exp(-rate)
    # Euler's own law is known: factor (1 − rate h)^200 for decay, and a variance larger by 1/(1 − rate h/2).
    bias = abs((1 - rate / 200) ** 200 - decay) * (begin - level), 0.01 * sigma**2 / (2 * rate)
    assert_moments(last(data), level + (begin - level) * decay, sigma**2 / (2 * rate) * (1 - decay**2), bias)


def test_limit_geometric():
    mu, sigma = 0.3, 0.4
    data = simulate(geometric(mu, sigma), 1.0, 1.0, 0.1, 40_000, seed=4, substeps=20)
    mean, square = (1 + mu / 200) ** 200, ((1 + mu / 200) ** 2 + sigma**2 / 200) ** 200  # Euler's own moments
    exact = np.exp(mu), np.exp(2 * mu) * (np.exp(sigma**2) - 1)
    bias = abs(mean - exact[0]), abs(square - mean**2 - exact[1]) + (mean - exact[0]) ** 2
    assert max(bias) < 0.002
    assert_moments(last(data), *exact, bias)


@pytest.mark.parametrize(
    ("level", "sigma", "touches"),
    [(0.5, 0.4, False), (0.1, 1.0, True), (0.02, 1.0, True)],
    ids=["Feller", "touches zero", "mostly at zero"],
)
def test_limit_square_root(level, sigma, touches):
    # touches: 2 κ θ < σ², zero is reached and left again
    rate, begin = 1.0, 0.2
    equation = scalar(lambda x: rate * (level - x), lambda x: sigma * np.sqrt(x))
    data = simulate(equation, begin, 1.0, 0.25, 40_000, seed=5, substeps=64, boundary={"x": 0.0})
    decay = np.exp(-rate)
    variance = begin * sigma**2 / rate * (decay - decay**2) + level * sigma**2 / (2 * rate) * (1 - decay) ** 2
    # The bias at h = 1/256 is an eighth of that at 1/32, measured below 0.003 in mean and 0.002 in variance.
    assert_moments(last(data), level + (begin - level) * decay, variance, (4e-4, 3e-4))
    assert data.flat_states.min() >= 0
    zeros = np.array([states[:, 0] for states in data.states]) == 0
    assert zeros.any() == touches
    assert (zeros[:, :-1] & ~zeros[:, 1:]).any() == touches


def test_limit_wright_fisher_with_two_absorbing_bounds():
    equation = scalar(lambda x: 0 * x, lambda x: np.sqrt(x * (1 - x)))
    data = simulate(equation, 0.3, 1.0, 0.5, 40_000, seed=6, substeps=100, boundary={"x": (0, 1)})
    # The mean is kept and x(1 − x) decays as exp(−t); bias at h = 1/200 from runs at 1/10 and 1/40.
    assert_moments(last(data), 0.3, 0.21 * (1 - np.exp(-1)), (4e-4, 3e-4))
    middle, end = (np.array([states[i, 0] for states in data.states]) for i in (1, 2))
    assert all((end[middle == bound] == bound).all() for bound in (0, 1))


def test_limit_two_dimensions_three_noises():
    matrix = np.array([[-1.0, 0.7], [-0.4, -0.5]])
    noise = np.array([[0.6, -0.3, 0.2], [0.1, 0.5, 0.4]])
    equation = SDE(lambda t, x: x @ matrix.T, lambda t, x: np.tile(noise, (len(x), 1, 1)), dimension=2)
    begin = np.array([1.0, -1.0])
    data = simulate(equation, begin, 1.0, 0.1, 40_000, seed=7, substeps=20)
    ends = np.array([states[-1] for states in data.states])
    # Van Loan: the exact covariance from one matrix exponential; Euler's own law by recursion gives the bias.
    blocks = expm(np.block([[-matrix, noise @ noise.T], [np.zeros((2, 2)), matrix.T]]))
    flow = blocks[2:, 2:].T
    mean, covariance = flow @ begin, flow @ blocks[:2, 2:]
    euler_mean, euler_covariance, factor = begin, np.zeros((2, 2)), np.eye(2) + matrix / 200
    for _ in range(200):
        euler_mean = factor @ euler_mean
        euler_covariance = factor @ euler_covariance @ factor.T + noise @ noise.T / 200
    error = SIGMAS * ends.std(axis=0) / 200 + abs(euler_mean - mean)
    assert (abs(ends.mean(axis=0) - mean) < error).all()
    products = (ends - euler_mean)[:, :, None] * (ends - euler_mean)[:, None, :]
    error = SIGMAS * products.std(axis=0) / 200 + abs(euler_covariance - covariance)
    assert (abs(products.mean(axis=0) - covariance) < error).all()


@pytest.mark.parametrize("side", [1, -1], ids=["floor", "ceiling"])
def test_limit_reflected_brownian_motion_has_no_bias(side):
    # Reflection of Brownian motion is exact in law at any step: |W| beyond the floor.
    boundary = {"x": 0.05} if side == 1 else {0: (None, -0.05)}
    data = simulate(brownian(), side * 0.05, 1.0, 0.1, 40_000, seed=8, boundary=boundary)
    values = side * last(data) - 0.05
    assert_moments(values, np.sqrt(2 / np.pi), 1 - 2 / np.pi)
    assert (values > 0).all()


def test_limit_reflected_drift_is_exponential():
    data = simulate(brownian(-1.0), 0.55, 12.0, 1.0, 20_000, seed=9, substeps=40, boundary={"x": 0.05})
    # Stationary law: exponential of rate 2; exp(−6) of the beginning is left. The bias at h = 1/40, measured
    # with 200,000 paths: 0.013 ± 0.001 in mean, 0.003 ± 0.002 in variance (clipping: mean −0.58 √h = −0.09).
    assert_moments(last(data) - 0.05, 0.5, 0.25, (0.016, 0.008))


def test_bounds_may_be_narrower_than_a_step():
    data = simulate(brownian(), 0.5, 10.0, 1.0, 50, seed=10, boundary={"x": (0.4, 0.6)})
    assert ((data.flat_states >= 0.4) & (data.flat_states <= 0.6)).all()


def test_noise_that_vanishes_up_to_rounding_is_truncated_not_reflected():
    # 3x − 0.3 is 5.6e-17 at the bound 0.1, its root 7e-9: the noise is gone all the same.
    shifted = scalar(lambda x: -0.5 * (x - 0.2), lambda x: np.sqrt(np.abs(3 * x - 0.3)))
    bounds = Bounds(np.array([0.1]), np.array([np.inf]))
    h, begin, increment = np.array([0.01]), np.array([[0.11]]), np.array([[-0.3]])
    assert euler_step(shifted, np.zeros(1), begin, h, increment, bounds)[1][0, 0] < 0.1
    # Beyond the bound both coefficients are those of the bound: drift 0.05, no noise.
    _, end = euler_step(shifted, np.zeros(1), begin - 0.1, h, increment, bounds)
    assert end[0, 0] == pytest.approx(0.01 + 0.01 * 0.05, abs=1e-8)


def test_time_enters_the_coefficients_at_the_left_of_each_substep():
    equation = SDE(lambda t, x: 2 * t[:, None], lambda t, x: np.zeros((len(x), 1, 0)), dimension=1, noise=0)
    start = np.array([0.0, 1.0, -3.0])
    data = simulate(equation, 0.0, 1.0, 0.5, 3, start=start, substeps=2)
    for k, begin in enumerate(start):
        np.testing.assert_allclose(data.times[k], begin + np.array([0, 0.5, 1]))
        np.testing.assert_allclose(data.states[k][-1, 0], 0.5 * sum(begin + np.arange(4) / 4))


def test_last_time_is_the_nearest_multiple_of_the_step():
    assert simulate(brownian(), 0.0, 1.0, 0.3).times[0][-1] == pytest.approx(0.9)
    assert simulate(brownian(), 0.0, 1.0, 0.1).times[0][-1] == 1.0
    assert simulate(brownian(), 0.0, 0.01, 0.01).points == 2


def test_the_same_seed_gives_the_same_bits_and_another_does_not():
    def run(seed):
        return simulate(geometric(), lambda rng, paths: rng.uniform(1, 2, (paths, 1)), 0.5, 0.01, 7, seed)

    np.testing.assert_array_equal(run(5).flat_states, run(5).flat_states)
    assert not np.intersect1d(run(5).flat_states, run(6).flat_states).size


@pytest.mark.parametrize("most", [2**18, 64, 8])
def test_a_path_does_not_depend_on_how_many_there_are(monkeypatch, most):
    monkeypatch.setattr(simulation, "NORMALS_AT_ONCE", most)

    equation = SDE(lambda t, x: -x, lambda t, x: np.sin(x)[:, :, None] + np.arange(3.0), dimension=2)

    def run(paths):
        return simulate(equation, lambda rng, n: rng.uniform(1, 2, (n, 2)), 0.5, 0.1, paths, seed=1)

    many = run(100)
    for few in (run(1), run(11)):
        np.testing.assert_array_equal(few.flat_states, many.flat_states[: few.points])
    assert len(np.unique(last(many))) == 100


def test_streams_of_initial_law_and_noise_are_unrelated():
    data = simulate(brownian(), lambda rng, n: rng.standard_normal((n, 1)), 1.0, 1.0, 10_000, seed=2)
    begin = np.array([states[0, 0] for states in data.states])
    assert abs(np.corrcoef(begin, last(data) - begin)[0, 1]) < SIGMAS / 100


def test_substeps_are_steps_that_are_not_recorded():
    coarse = simulate(geometric(), 1.0, 1.0, 0.1, 5, seed=3, substeps=10)
    fine = simulate(geometric(), 1.0, 1.0, 0.01, 5, seed=3)
    for few, all_of_them in zip(coarse.states, fine.states, strict=True):
        np.testing.assert_allclose(few, all_of_them[::10], rtol=1e-12)


def test_simulate_is_euler_maruyama_on_its_own_normals():
    normals = wiener_normals(np.random.SeedSequence(4).spawn(2)[1], 6, 20, 1)
    increments = np.sqrt(0.05) * np.stack(list(normals), axis=1)
    direct = euler_maruyama(geometric(), 0.05 * np.arange(21), np.ones((6, 1)), increments)
    data = simulate(geometric(), 1.0, 1.0, 0.05, 6, seed=4)
    np.testing.assert_allclose(np.array(data.states), direct, rtol=1e-12)


def test_many_short_paths_are_quick():
    begin = time.process_time()
    assert simulate(geometric(), 1.0, 0.01, 0.01, 256_000, start=np.linspace(0, 5, 256_000)).points == 512_000
    assert time.process_time() - begin < 5  # 0.02 s when measured; 256,000 separate runs would take a minute


def test_progress_is_told_seldom_and_at_the_end():
    told: list[tuple[int, int]] = []
    begin = time.monotonic()
    simulate(geometric(), 1.0, 1.0, 0.001, 10, progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (1000, 1000)
    assert len(told) <= 10 * (time.monotonic() - begin) + 2


@pytest.mark.parametrize(
    ("equation", "initial"),
    [
        (scalar(lambda x: -1 + 0 * x, lambda x: np.sqrt(x)), [[4.0], [0.1], [4.0]]),
        (scalar(lambda x: x**9, lambda x: 0 * x), [[0.1], [1e8], [0.1]]),
        (scalar(lambda x: -1 / (x - 5), lambda x: 0 * x), [[1.0], [5.0], [1.0]]),
    ],
    ids=["square root of a negative", "explosion", "pole"],
)
def test_a_path_that_fails_is_named(equation, initial):
    with pytest.raises(InputError, match=r"Path 1 .*after t = .*substeps, or boundary= "):
        simulate(equation, initial, 1.0, 0.05, 3)


WRONG = [
    ({"duration": 0.0}, "duration is 0.0"),
    ({"duration": "long"}, "duration is 'long'"),
    ({"duration": 0.05}, "shorter than the step"),
    ({"duration": 1e300, "step": 1e-300}, "step larger"),
    ({"paths": 2**40}, "memory"),
    ({"step": float("nan")}, "step is nan"),
    ({"paths": 2.0}, "number of paths is 2.0"),
    ({"substeps": 0}, "number of substeps is 0"),
    ({"seed": -1}, "seed is -1"),
    ({"initial": [1.0, 2.0, 3.0]}, r"initial state has shape (3,), but (2,) or (4, 2) is needed"),
    ({"initial": [1.0, float("nan")]}, "initial must hold finite real numbers"),
    ({"initial": lambda rng, paths: rng.uniform(size=2)}, "initial(rng, paths) returned shape (2,)"),
    ({"start": [0.0, 1.0]}, "start has shape (2,)"),
    ({"start": 1e308}, "start must hold finite real numbers"),
    ({"start": 1e20}, "lost in rounding"),
    ({"boundary": 0.0}, "give a dictionary"),
    ({"boundary": {"z": 0.0}}, "names 'z', but the coordinates are x, y"),
    ({"boundary": {"x": "low"}}, "give a lower bound or (lower, upper)"),
    ({"boundary": {"x": (1, 0)}}, "which is empty"),
    ({"boundary": {"y": 2.0}}, "Path 0 begins at (1, 1), outside the boundary"),
]


@pytest.mark.parametrize(("change", "message"), WRONG, ids=[message for _, message in WRONG])
def test_wrong_input_is_a_sentence(change, message):
    plane = SDE(lambda t, x: -x, lambda t, x: np.ones((len(x), 2, 1)), dimension=2)
    arguments = {"initial": [1.0, 1.0], "duration": 1.0, "step": 0.1, "paths": 4} | change
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        unwrap(simulate)(plane, **arguments)  # as users call it, without the tests' own check of types
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "begin"),
    [
        ("dx = 1/(4*x) dt + dW", 0.3),
        ("dx = 1/(4*x) dt + dW", -0.3),
        ("dx = -log(x) dt + dW", 0.3),
        ("dx = sqrt(x) dt + dW", 0.2),
        ("dx = (1/5 - x) dt + sqrt(x) dW", 0.2),
        ("dx = x*log(x)/9 dt + 3*x dW", 0.2),
        ("dx = 1/(x - 1) dt + dW", 1.2),
    ],
)
def test_singular_points_are_not_crossed(text, begin):
    """Every path stays on the side on which it begins, with steps that would often lead across; it is counted."""
    sde = SDE.parse(text)
    bound = 1.0 if "x - 1" in text else 0.0
    data = sde.simulate(begin, duration=2.0, step=0.05, paths=300, seed=4)
    assert (np.sign(begin - bound) * (data.flat_states - bound) >= 0).all()
    assert any("kept on its side" in note and "steps crossed" in note for note in data.notes)


def test_paths_on_both_sides_of_a_pole_stay_there():
    begin = np.array([[-0.5], [0.5], [-1.0], [2.0]])
    data = SDE.parse("dx = 1/(4*x) dt + dW").simulate(begin, duration=3.0, step=0.02, paths=4, seed=3)
    for path in range(4):
        states = data.flat_states[data.offsets[path] : data.offsets[path + 1]]
        assert (states * begin[path] > 0).all()


def test_bessel_process_keeps_its_law_beside_the_pole():
    """dx = dt/x + dW is the length of a three-dimensional Brownian motion: E x² = x₀² + 3t, though it starts near 0."""
    data = SDE.parse("dx = 1/x dt + dW").simulate(0.3, duration=1.0, step=1.0, paths=40_000, seed=1, substeps=400)
    last = data.flat_states[data.offsets[1:] - 1, 0]
    squares = last**2
    assert abs(squares.mean() - 3.09) < 4 * squares.std() / np.sqrt(len(last)) + 0.01


def test_a_coordinate_set_free_may_cross():
    data = SDE.parse("dx = 1/(4*x) dt + dW").simulate(
        0.3, duration=2.0, step=0.05, paths=300, seed=4, boundary={"x": (None, None)}
    )
    assert (data.flat_states < 0).any()
    assert not data.notes


def test_equations_without_singular_points_are_left_alone():
    assert not SDE.parse("dx = -x dt + dW").simulate(0.3, duration=1.0, step=0.1, paths=3).notes


def test_the_boundary_as_on_the_command_line():
    sde = SDE.parse("dx = -x dt + dW1; dy = dW2")
    same = [
        sde.simulate([0.5, 0.5], 1.0, 0.1, 20, boundary=given).flat_states
        for given in ({"x": 0.0, "y": (0, 1)}, "x>0, 0<y<1", ["x > 0", "y>0", "y<1"])
    ]
    np.testing.assert_array_equal(same[0], same[1])
    np.testing.assert_array_equal(same[0], same[2])
    with pytest.raises(InputError, match="cannot be read"):
        sde.simulate([0.5, 0.5], 1.0, 0.1, boundary="x")
