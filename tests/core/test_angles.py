"""Principal angles: built by construction, against SciPy, and the same in any basis and any units."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given
from hypothesis import strategies as st

from known_symmetries import invertible
from liestonet.core.angles import principal_angles
from liestonet.errors import InputError

B, D = 12, 2
T, X = np.linspace(0, 1, B), np.random.default_rng(5).uniform(-1, 1, (B, D))


def generators(columns: np.ndarray, components: int = D + 1) -> Callable:
    """Generators whose stacked components at the points T, X are the columns of a matrix."""
    values = columns.T.reshape(columns.shape[1], B, components)

    def call(t, x):
        parts = values[:, :, 0], values[:, :, 1 : D + 1]
        return (*parts, values[:, :, D + 1]) if components > D + 1 else parts

    return call


def spans(angles: list[float], seed: int = 0, extra: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Two sets of columns with given angles in degrees between them, the second with `extra` more of them."""
    rng, m = np.random.default_rng(seed), len(angles)
    frame = np.linalg.qr(rng.standard_normal((B * (D + 1), 2 * m + extra)))[0]
    radians = np.radians(angles)
    second = frame[:, :m] * np.cos(radians) + frame[:, m : 2 * m] * np.sin(radians)
    return frame[:, :m], np.column_stack([second, frame[:, 2 * m :]])


def mixed(columns: np.ndarray, seed: int) -> np.ndarray:
    """Other columns with the same span."""
    rng, size = np.random.default_rng(seed), columns.shape[1]
    return columns @ (np.linalg.qr(rng.standard_normal((size, size)))[0] * rng.uniform(1, 10, size))


def angles_of(first: np.ndarray, second: np.ndarray, **options) -> np.ndarray:
    return principal_angles(generators(first), generators(second), T, X, **options)


@pytest.mark.parametrize("angle", [0.0, 1e-10, 1e-8, 1e-6, 1e-3, 0.1, 30.0, 44.9, 45.1, 80.0, 89.999, 90.0])
def test_one_angle(angle):
    first, second = spans([angle])
    # rounding of a sine or a cosine is about 1e-16 radians; 1e-13 degrees is twenty times that
    np.testing.assert_allclose(angles_of(first, 7 * second), [angle], rtol=1e-13, atol=1e-13)


SEVERAL = [[5.0, 20.0, 70.0], [1e-3, 1.0, 89.0], [10.0, 10.0, 10.0], [0.0, 45.0, 90.0]]
SMALL = [[1e-10, 1e-7, 1e-5], [1e-10, 1e-6, 60.0], [1e-9, 1e-9, 1e-4]]


@pytest.mark.parametrize("angles", [*SEVERAL, *SMALL])
@pytest.mark.parametrize("extra", [0, 2])
def test_several_angles_ascending(angles, extra):
    first, second = spans(angles, extra=extra)
    found = angles_of(mixed(first, 1), mixed(second, 2))
    assert found.shape == (3,)
    np.testing.assert_allclose(found, angles, rtol=1e-12, atol=2e-13)
    np.testing.assert_allclose(angles_of(mixed(second, 3), mixed(first, 4)), angles, rtol=1e-12, atol=2e-13)


@given(st.integers(1, 5), st.integers(1, 5), st.integers(0, 10_000))
def test_angles_are_scipys(m, r, seed):
    rng = np.random.default_rng(seed)
    first, second = rng.standard_normal((B * (D + 1), m)), rng.standard_normal((B * (D + 1), r))
    found = angles_of(first, second)
    assert len(found) == min(m, r)
    expected = np.sort(np.degrees(scipy.linalg.subspace_angles(first, second)))
    np.testing.assert_allclose(found, expected, atol=1e-11)
    assert (np.diff(found) >= 0).all()


@given(st.integers(0, 10_000))
def test_angles_do_not_depend_on_the_bases(seed):
    left, right = invertible(seed, 3), invertible(seed, 2)
    rng = np.random.default_rng(0)
    first, second = rng.standard_normal((B * (D + 1), 3)), rng.standard_normal((B * (D + 1), 2))
    np.testing.assert_allclose(angles_of(first @ left, second @ right), angles_of(first, second), atol=1e-11)


def brownian(t, x):
    """∂t, translations and the scaling."""
    one, none = np.ones_like(t), np.zeros_like(t)
    tau = np.stack([one, none, none, 2 * t])
    xi = np.stack([0 * x, np.eye(2)[[0] * len(t)], np.eye(2)[[1] * len(t)], x])
    return tau, xi


def perturbed(t, x):
    """The same, with the scaling wrong."""
    tau, xi = brownian(t, x)
    tau[3], xi[3] = tau[3] * (1 + 0.3 * t), xi[3] + x**2
    return tau, xi


def in_units(field: Callable, time: float, lengths: np.ndarray) -> Callable:
    """The same fields where t is counted in `time` and x in `lengths`."""

    def call(t, x):
        tau, xi = field(t * time, x * lengths)
        return tau / time, xi / lengths

    return call


@pytest.mark.parametrize(("time", "lengths"), [(60.0, [1e-3, 7.0]), (1e-4, [1.0, 1e4])])
def test_scaled_angles_have_no_units_and_raw_ones_have(time, lengths):
    sizes = np.array(lengths)
    here = principal_angles(brownian, perturbed, T, X, scale=(0.5, [1.0, 2.0]))
    pair = [in_units(field, time, sizes) for field in (brownian, perturbed)]
    scale = (0.5 / time, (np.array([1.0, 2.0]) / sizes).tolist())
    np.testing.assert_allclose(principal_angles(pair[0], pair[1], T / time, X / sizes, scale=scale), here, atol=1e-10)
    raw = principal_angles(brownian, perturbed, T, X)
    assert abs(principal_angles(pair[0], pair[1], T / time, X / sizes)[-1] - raw[-1]) > 0.1


def test_one_length_serves_all_coordinates():
    both = [principal_angles(brownian, perturbed, T, X, scale=(0.5, length)) for length in (3.0, [3.0, 3.0])]
    np.testing.assert_array_equal(both[0], both[1])
    np.testing.assert_allclose(
        principal_angles(brownian, perturbed, T, X, scale=(1.0, 1.0)), principal_angles(brownian, perturbed, T, X)
    )


def test_points_may_come_as_lists():
    np.testing.assert_array_equal(
        principal_angles(brownian, perturbed, T.tolist(), X.tolist()), principal_angles(brownian, perturbed, T, X)
    )


def test_beta_counts_only_when_both_have_it():
    rng = np.random.default_rng(0)
    first, second = rng.standard_normal((2, B * (D + 2), 2))

    def without(columns: np.ndarray) -> np.ndarray:
        return columns.reshape(B, D + 2, 2)[:, : D + 1].reshape(-1, 2)

    full = [generators(columns, D + 2) for columns in (first, second)]
    plain = [generators(without(columns)) for columns in (first, second)]
    expected = np.sort(np.degrees(scipy.linalg.subspace_angles(first, second)))
    np.testing.assert_allclose(principal_angles(full[0], full[1], T, X), expected, atol=1e-11)
    expected = np.sort(np.degrees(scipy.linalg.subspace_angles(without(first), without(second))))
    for pair in ((full[0], plain[1]), (plain[0], full[1]), (plain[0], plain[1])):
        np.testing.assert_allclose(principal_angles(pair[0], pair[1], T, X), expected, atol=1e-11)


def test_weights_are_repetitions_of_points():
    counts = np.arange(B) % 3
    repeated = np.repeat(np.arange(B), counts)
    expected = principal_angles(brownian, perturbed, T[repeated], X[repeated])
    found = principal_angles(brownian, perturbed, T, X, weights=counts)
    np.testing.assert_allclose(found, expected, atol=1e-11)
    np.testing.assert_allclose(principal_angles(brownian, perturbed, T, X, weights=17.0 * counts), found, atol=1e-11)
    assert abs(found[-1] - principal_angles(brownian, perturbed, T, X)[-1]) > 1e-3


def test_an_empty_span_has_no_angles():
    first, second = spans([30.0])
    assert angles_of(first[:, :0], second).shape == (0,)


GOOD = generators(spans([10.0, 20.0])[0])


def replaced(position: int, value: object) -> Callable:
    """Good generators with one component replaced."""

    def call(t, x):
        parts: list = [*GOOD(t, x), np.ones((2, B))]
        parts[position] = value
        return tuple(parts[: max(position + 1, 2)])

    return call


BAD = {
    "t is a scalar": ({"t": 0.0}, "Points are given"),
    "t is a column": ({"t": T[:, None]}, "Points are given"),
    "x is flat": ({"x": X[:, 0]}, "Points are given"),
    "fewer times than states": ({"t": T[:-1]}, "Points are given"),
    "tau without points": ({"G": replaced(0, np.ones(2))}, "tau"),
    "xi without coordinates": ({"G": replaced(1, np.ones((2, B)))}, "xi"),
    "xi with too many coordinates": ({"G": replaced(1, np.ones((2, B, D + 1)))}, "xi"),
    "more xi than tau": ({"G": replaced(1, np.ones((3, B, D)))}, "xi"),
    "points lost": ({"G": replaced(0, np.ones((2, B - 1)))}, "tau"),
    "not a number": ({"G": replaced(0, np.full((2, B), np.nan))}, "not finite"),
    "infinite": ({"H": replaced(1, np.full((2, B, D), np.inf))}, "not finite"),
    "dependent": ({"G": generators(np.repeat(spans([10.0])[0], 2, axis=1))}, "dependent"),
    "more generators than numbers": ({"t": T[:1], "x": X[:1], "G": brownian, "H": brownian}, "dependent"),
    "a zero generator": ({"G": generators(spans([1.0, 2.0])[0] * [1, 0])}, "vanishes"),
    "no time": ({"scale": (0.0, 1.0)}, "scale"),
    "a negative length": ({"scale": (1.0, -1.0)}, "scale"),
    "an infinite length": ({"scale": (1.0, [1.0, np.inf])}, "scale"),
    "negative weights": ({"weights": [-1.0] * B}, "weights"),
    "weights all zero": ({"weights": [0.0] * B}, "weights"),
    "weights not finite": ({"weights": [np.nan] * B}, "weights"),
    "too few weights": ({"weights": [1.0]}, "weights"),
    "a length too many": ({"scale": (1.0, [1.0, 2.0, 3.0])}, "scale"),
    "beta of other points": ({"G": replaced(2, np.ones((2, B + 1))), "H": replaced(2, np.ones((2, B + 1)))}, "beta"),
    "beta is flat": ({"G": replaced(2, np.ones(2)), "H": replaced(2, np.ones(2))}, "beta"),
    "only tau": ({"G": lambda t, x: GOOD(t, x)[:1]}, "xi"),
    "times in words": ({"t": ["now"] * B}, "t must be an array of numbers"),
    "weights in words": ({"weights": ["heavy"] * B}, "weights"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_ends_in_our_error(case):
    changes, message = BAD[case]
    arguments = {"G": GOOD, "H": GOOD, "t": T, "x": X} | changes
    with pytest.raises(InputError, match=message):
        principal_angles(**arguments)
