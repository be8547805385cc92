"""Projected callables against exact derivatives, their measured error, and what is refused."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from liestonet.core.coefficients import JetOrder, derivatives
from liestonet.core.domain import Domain
from liestonet.errors import InputError
from liestonet.sde.chebyshev import ChebyshevCoefficients, project
from liestonet.sde.polynomial import closure, expansion
from liestonet.sde.sde import SDE

T, X, Y = sp.symbols("t x y", real=True)


def scalar(drift: Callable, diffusion: Callable = lambda t, x: np.ones_like(x)) -> SDE:
    """A one-dimensional SDE from functions of (B,) arrays."""
    return SDE(
        lambda t, x: drift(t, x[:, 0])[:, None],
        lambda t, x: diffusion(t, x[:, 0])[:, None, None],
        dimension=1,
        noise=1,
    )


def identity(n: int) -> Callable:
    return lambda t, x: np.tile(np.eye(n), (len(t), 1, 1))


def inside(domain: Domain, count: int = 1000) -> tuple[np.ndarray, np.ndarray]:
    z = domain.centre + domain.half * np.random.default_rng(5).uniform(-1, 1, (count, domain.dimension + 1))
    return z[:, 0], z[:, 1:]


@dataclass(frozen=True)
class Case:
    """A formula of t and x, an interval, and the relative accuracy of derivatives of order 0, 1, 2, 3."""

    formula: str
    interval: tuple[float, float]
    accuracy: tuple[float, float, float, float]


# Each derivative costs about the square of the degree: that is conditioning, not the method.
ACCURATE = [
    Case("x - x**3", (-1.0, 1.0), (1e-15, 1e-14, 1e-14, 1e-14)),
    Case("sin(x)*exp(-t)", (-1.0, 1.0), (1e-14, 1e-12, 1e-10, 1e-8)),
    Case("exp(x) + x*t", (-2.0, 2.0), (1e-14, 1e-12, 1e-10, 1e-8)),
    Case("log(x)", (0.5, 2.0), (1e-14, 1e-11, 1e-9, 1e-7)),
    Case("1/x", (0.1, 3.0), (1e-13, 1e-10, 1e-8, 1e-6)),
    Case("sqrt(x)", (0.01, 4.0), (1e-13, 1e-9, 1e-6, 1e-4)),
    Case("tanh(10*x)", (-1.0, 1.0), (1e-13, 1e-10, 1e-7, 1e-4)),
    Case("1/(1 + 25*x**2)", (-1.0, 1.0), (1e-13, 1e-10, 1e-7, 1e-4)),
    Case("sin(10*x*t)", (-3.0, 3.0), (1e-12, 1e-11, 1e-9, 1e-7)),
]


@pytest.mark.parametrize("case", ACCURATE, ids=lambda case: case.formula)
def test_derivatives_up_to_third_order(case: Case) -> None:
    formula = sp.parse_expr(case.formula, local_dict={"t": T, "x": X})
    function = sp.lambdify((T, X), formula, "numpy")
    domain = Domain(((0.0, 1.0), case.interval))
    coefficients = project(scalar(lambda t, x: function(t, x) + 0 * x), domain)
    assert coefficients.error < 1e-13
    t, x = inside(domain)
    jet = coefficients.jet(t, x, JetOrder(drift=3))
    for derivative in derivatives(2, 3):
        exact_formula = formula
        for variable in derivative:
            exact_formula = exact_formula.diff((T, X)[variable])
        exact = sp.lambdify((T, X), exact_formula, "numpy")(t, x[:, 0]) + 0 * t
        found = jet.drift.get(derivative, np.zeros((len(t), 1)))[:, 0]
        scale = max(float(np.abs(exact).max()), 1e-3)
        assert np.abs(found - exact).max() < case.accuracy[len(derivative)] * scale, derivative


def test_absent_derivatives_are_zero_ones() -> None:
    coefficients = project(scalar(lambda t, x: x**2), Domain(((0.0, 1.0), (-1.0, 1.0))))
    t, x = inside(coefficients.domain, 10)
    jet = coefficients.jet(t, x, JetOrder(3, 1, 1))
    assert set(jet.drift) == {(), (1,), (1, 1)}
    assert set(jet.diffusion) == {()}
    assert set(jet.diffusion_squared) == {()}


def test_orders_not_asked_for_are_not_given() -> None:
    coefficients = project(scalar(lambda t, x: x, lambda t, x: 1 + x**2), Domain(((0.0, 1.0), (-1.0, 1.0))))
    t, x = inside(coefficients.domain, 10)
    jet = coefficients.jet(t, x, JetOrder(diffusion_squared=2))
    assert not jet.drift
    assert not jet.diffusion
    assert (1, 1) in jet.diffusion_squared


MATRICES = {
    "polynomial": ("leibniz", lambda x, y: [[1 + x, y], [x * y, 2 + 0 * x]]),
    "square roots": ("projected", lambda x, y: [[(2 + x) ** 0.5, 0 * x], [0 * x, (3 + y) ** 0.5]]),
    "rotation": ("projected", lambda x, y: [[np.cos(x), -np.sin(x)], [np.sin(x), np.cos(x)]]),
}


@pytest.mark.parametrize("name", MATRICES)
def test_square_of_sigma_by_either_route(name: str) -> None:
    route, entries = MATRICES[name]

    def sigma(t: np.ndarray, x: np.ndarray) -> np.ndarray:
        return np.moveaxis(np.array(entries(x[:, 0], x[:, 1])), -1, 0)

    domain = Domain(((0.0, 1.0), (-1.0, 1.0), (-1.0, 1.0)))
    coefficients = project(SDE(lambda t, x: x, sigma, dimension=2), domain)
    assert (coefficients.squared is None) == (route == "leibniz")
    symbols = sp.Matrix(
        {
            "polynomial": [[1 + X, Y], [X * Y, 2]],
            "square roots": [[sp.sqrt(2 + X), 0], [0, sp.sqrt(3 + Y)]],
            "rotation": [[sp.cos(X), -sp.sin(X)], [sp.sin(X), sp.cos(X)]],
        }[name]
    )
    exact_formula = symbols * symbols.T
    t, x = inside(domain, 200)
    jet = coefficients.jet(t, x, JetOrder(diffusion_squared=3))
    for derivative in derivatives(3, 3):
        entry = exact_formula
        for variable in derivative:
            entry = entry.diff((T, X, Y)[variable])
        exact = [[sp.lambdify((X, Y), e, "numpy")(*x.T) + 0 * t for e in row] for row in entry.tolist()]
        found = jet.diffusion_squared.get(derivative, np.zeros((len(t), 2, 2)))
        np.testing.assert_allclose(found, np.moveaxis(np.array(exact), -1, 0), atol=1e-11)


def test_no_noise_at_all() -> None:
    domain = Domain(((0.0, 1.0), (-1.0, 1.0)))
    sde = SDE(lambda t, x: -x, lambda t, x: np.zeros((len(t), 1, 0)), dimension=1)
    t, x = inside(domain, 5)
    jet = project(sde, domain).jet(t, x, JetOrder(1, 1, 1))
    np.testing.assert_array_equal(jet.diffusion_squared[()], np.zeros((5, 1, 1)))


def test_noisy_callable_is_accepted_and_its_noise_reported() -> None:
    sde = scalar(lambda t, x: x.astype(np.float32).astype(np.float64) * np.sin(x))
    coefficients = project(sde, Domain(((0.0, 1.0), (-1.0, 1.0))))
    assert 1e-9 < coefficients.error < 1e-6


def ten(drift: Callable, sigma: Callable | None = None) -> SDE:
    return SDE(drift, sigma or identity(10), dimension=10, noise=10)


MANY = {
    "linear": (lambda t, x: x @ np.arange(100.0).reshape(10, 10) / 100, 1e-13),
    "chain": (lambda t, x: np.sin(x - np.roll(x, 1, axis=1)) * np.exp(-t)[:, None], 1e-12),
    "all pairs": (lambda t, x: np.sin(x[:, None, :] - x[:, :, None]).mean(axis=2), 1e-12),
    "cubic": (lambda t, x: -x * (x**2).sum(axis=1, keepdims=True), 1e-12),
    "all at once": (lambda t, x: np.exp(x.sum(axis=1, keepdims=True) / 20) * np.ones(10), 1e-4),
}


@pytest.mark.parametrize("name", MANY)
def test_ten_coordinates(name: str) -> None:
    drift, error = MANY[name]
    domain = Domain(((0.0, 1.0), *[(-1.0, 1.0)] * 10))
    coefficients = project(ten(drift), domain)
    assert coefficients.error < error
    t, x = inside(domain, 200)
    jet = coefficients.jet(t, x, JetOrder(drift=1, diffusion=1))
    step = 1e-5
    for i in range(10):
        shift = step * np.eye(10)[i]
        exact = (drift(t, x + shift) - drift(t, x - shift)) / (2 * step)
        np.testing.assert_allclose(jet.drift.get((i + 1,), np.zeros((200, 10))), exact, atol=max(1e-8, 30 * error))


def test_dense_sigma_in_ten_coordinates_uses_each_entrys_own_variables() -> None:
    domain = Domain(((0.0, 1.0), *[(-1.0, 1.0)] * 10))
    coefficients = project(ten(lambda t, x: x, lambda t, x: np.sin(x[:, :, None] + x[:, None, :])), domain)
    assert coefficients.error < 1e-13
    assert coefficients.squared is None


def test_twenty_thousand_points_at_degree_thirty() -> None:
    def drift(t: np.ndarray, x: np.ndarray) -> np.ndarray:
        return np.stack([np.sin(6 * x[:, 0] * x[:, 1] + 8 * t), np.cos(9 * (x[:, 0] - x[:, 1] * t))], axis=1)

    coefficients = project(SDE(drift, identity(2), dimension=2), Domain(((0.0, 1.0), (-1.0, 1.0), (-1.0, 1.0))))
    assert coefficients.drift.terms.max() >= 30
    t, x = inside(coefficients.domain, 20_000)
    start = time.process_time()
    jet = coefficients.jet(t, x, JetOrder(2, 1, 1))
    assert time.process_time() - start < 20  # about 1 s; the bound only catches a wrong order of growth
    np.testing.assert_allclose(jet.drift[()], drift(t, x), atol=1e-12)


REFUSED = {
    "kink": (lambda t, x: np.abs(x - 0.2), (-1.0, 1.0), ["drift component 1", "not smooth in x", "degree^-2"]),
    "small kink": (lambda t, x: 1e-4 * np.abs(x - 0.1) - x, (-1.0, 1.0), ["not smooth in x", "degree^-2"]),
    "tiny kink": (lambda t, x: 1e-7 * np.abs(x - 0.1) - x, (-1.0, 1.0), ["not smooth in x"]),
    "jump": (lambda t, x: np.sign(x), (-1.0, 1.0), ["not smooth in x", "choose a domain"]),
    "third power of a kink": (lambda t, x: np.abs(x) ** 3, (-1.0, 1.0), ["not smooth in x", "degree^-4"]),
    "kink in time": (lambda t, x: np.abs(t - 0.5) + 0 * x, (-1.0, 1.0), ["not smooth in t on (0, 1)"]),
    "moving kink": (lambda t, x: np.maximum(x, t), (-1.0, 1.0), ["not smooth"]),
    "root at the edge": (lambda t, x: np.sqrt(x), (0.0, 1.0), ["not smooth in x"]),
    "pole inside": (lambda t, x: 1 / (x - 0.1), (-1.0, 1.0), ["drift component 1", "choose a"]),
    "pole at the edge": (lambda t, x: 1 / x, (0.0, 1.0), ["drift component 1", "choose a"]),
    "not real": (lambda t, x: np.log(x), (-1.0, 1.0), ["drift component 1 is undefined", "x = -"]),
    "infinite": (lambda t, x: x / np.maximum(x, 0), (-1.0, 1.0), ["drift component 1 is infinite", "t = "]),
    "too steep": (lambda t, x: np.tanh(1000 * x), (-1.0, 1.0), ["drift component 1", "choose a"]),
    "a corner that lines miss": (
        lambda t, x: np.where((x > 0.985) & (t > 0.985), 1.0, 0.0),
        (-1.0, 1.0),
        ["resolved only to", "smaller domain"],
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_one_sentence(name: str) -> None:
    drift, interval, words = REFUSED[name]
    with pytest.raises(InputError) as refusal:
        project(scalar(drift), Domain(((0.0, 1.0), interval)))
    message = str(refusal.value)
    assert all(word in message for word in words), message
    assert message.endswith(".")
    assert "\n" not in message


def test_the_guilty_entry_is_named() -> None:
    def sigma(t: np.ndarray, x: np.ndarray) -> np.ndarray:
        matrix = np.tile(np.eye(2), (len(t), 1, 1))
        matrix[:, 1, 0] = np.abs(x[:, 1])
        return matrix

    with pytest.raises(InputError, match=r"diffusion entry \(2, 1\) is not smooth in y"):
        project(SDE(lambda t, x: x, sigma, dimension=2), Domain(((0.0, 1.0), (-1.0, 1.0), (-1.0, 1.0))))


@settings(max_examples=15, deadline=None)
@given(scale=st.floats(1e-4, 1e4), shift=st.floats(-3, 3), stretch=st.floats(1e-2, 1e2), size=st.floats(1e-6, 1e6))
def test_affine_change_of_units_changes_nothing(scale: float, shift: float, stretch: float, size: float) -> None:
    """f((x − b)/c, t/s) on the moved box has the values and chain-rule derivatives of f."""

    def drift(t: np.ndarray, x: np.ndarray) -> np.ndarray:
        return size * np.sin(2 * x + t) / (2 + x)

    plain = project(scalar(drift), Domain(((0.0, 1.0), (-1.0, 1.0))))
    moved = project(
        scalar(lambda t, x: drift(t / stretch, x / scale - shift)),
        Domain(((0.0, stretch), (scale * (shift - 1), scale * (shift + 1)))),
    )
    t, x = inside(plain.domain, 100)
    one, other = (
        source.jet(a, b, JetOrder(drift=1))
        for source, a, b in ((plain, t, x), (moved, t * stretch, scale * (x + shift)))
    )
    np.testing.assert_allclose(other.drift[()], one.drift[()], atol=1e-11 * size)
    np.testing.assert_allclose(other.drift[0,] * stretch, one.drift[0,], atol=1e-9 * size)
    np.testing.assert_allclose(other.drift[1,] * scale, one.drift[1,], atol=1e-9 * size)


@given(st.lists(st.tuples(*[st.integers(0, 4)] * 3), min_size=1, max_size=6))
def test_sparse_terms_agree_with_numpy(terms: list[tuple[int, int, int]]) -> None:
    rng = np.random.default_rng(len(terms))
    values = rng.normal(size=len(terms))
    polynomial = expansion(np.array(terms), np.zeros(len(terms), dtype=int), values, np.zeros(1))
    dense = np.zeros((5, 5, 5))
    for term, value in zip(terms, values, strict=True):
        dense[term] += value
    z = rng.uniform(-1, 1, (20, 3))
    wanted = list(derivatives(3, 3))
    found = polynomial.evaluate(z, wanted)
    for derivative in wanted:
        expected = dense
        for variable in derivative:
            expected = np.polynomial.chebyshev.chebder(expected, axis=variable)
        exact = np.polynomial.chebyshev.chebval3d(z[:, 0], z[:, 1], z[:, 2], expected)
        np.testing.assert_allclose(found.get(derivative, np.zeros((20, 1)))[:, 0], exact, atol=1e-9)


def test_closure_contains_all_smaller_terms() -> None:
    closed = closure(np.array([[2, 1, 0]]))
    assert len(closed) == math.prod((3, 2))


def test_is_a_coefficient_source() -> None:
    coefficients = project(scalar(lambda t, x: x), Domain(((0.0, 1.0), (-1.0, 1.0))))
    assert isinstance(coefficients, ChebyshevCoefficients)
    assert (coefficients.dimension, coefficients.noise) == (1, 1)
