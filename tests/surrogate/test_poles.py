"""Poles of drifts from data: where the equation has one, where it has none, and what a fit with one is worth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from liestonet.catalogue import catalogue
from liestonet.core.domain import Domain
from liestonet.core.noise_shape import NoiseShape
from liestonet.sde.sde import SDE
from liestonet.surrogate.features import Features, rich_degrees
from liestonet.surrogate.poles import natural_pole
from liestonet.surrogate.shrinkage import log_variances
from liestonet.surrogate.spectral_fit import fit_plainly, fit_spectral
from liestonet.surrogate.surrogate import Surrogate
from liestonet.surrogate.tuning import FIT

BOX = Domain(((0.0, 2.0), (0.5, 4.0)))
DEGREES = rich_degrees(1, *FIT.degrees[0][0])


@pytest.fixture(scope="module")
def bessel() -> Surrogate:
    return fit_spectral(catalogue["bessel"].simulate(paths=512, seed=64))


def _away(centre: float) -> Surrogate:
    """dx = 1/(x − c) dt + dW, to the right of c: nothing but the data says where c is."""
    sde = SDE.parse("dx = 1/(x - c) dt + dW", parameters={"c": centre})
    data = sde.simulate(
        initial=lambda rng, paths: centre + rng.uniform(0.3, 2.0, (paths, 1)),
        duration=2.0, step=0.01, paths=1024, seed=62, substeps=5, boundary={"x": centre + 0.05},
    )  # fmt: skip
    return fit_spectral(data)


class TestFeatures:
    @pytest.mark.parametrize("derivative", [(0,), (1,), (0, 1), (1, 1), (1, 1, 1)])
    @pytest.mark.parametrize("shape", [None, NoiseShape(0.5, 4.0, (0.0,), (3.5 / 4.5, 0.0), 0.75)])
    def test_derivatives(self, derivative: tuple[int, ...], shape: NoiseShape | None) -> None:
        shapes = None if shape is None else (None, shape)
        features = Features(BOX, DEGREES, (False, False), shapes).with_poles((None, -1.3))
        points = np.random.default_rng(0).uniform([0.3, 0.8], [1.7, 3.5], size=(7, 2))
        *before, last = derivative
        step = np.eye(2)[last] * 1e-5
        lower, upper = (features.values(points + sign * step, (tuple(before),))[tuple(before)] for sign in (-1, 1))
        exact = features.values(points, (derivative,))[derivative]
        assert np.allclose((upper - lower) / 2e-5, exact, rtol=2e-5, atol=2e-5 * np.abs(exact).max())

    def test_span_is_that_of_the_pole_and_polynomials(self) -> None:
        features = Features(BOX, DEGREES, (False, False)).with_poles((None, -1.3))
        points = np.column_stack([np.full(60, 0.7), np.linspace(0.5, 4.0, 60)])
        distance = (points[:, 1] - 2.25) / 1.75 + 1.3
        wanted = np.stack([1 / distance, 1 / distance**2, points[:, 1] ** 7, points[:, 0] / distance], axis=1)
        table = features.values(points)[()]
        assert np.allclose(table @ np.linalg.lstsq(table, wanted, rcond=None)[0], wanted, atol=1e-8)

    def test_a_known_place_has_no_square(self) -> None:
        plain = Features(BOX, DEGREES, (False, False))
        known, fitted = plain.with_poles((None, -1.3), known=True), plain.with_poles((None, -1.3))
        assert (known.size, fitted.size) == (plain.size + 2, plain.size + 3)
        drift = fitted.polar((0,))
        assert drift is not None
        assert sorted(drift[drift != 0].tolist()) == [1, 2]
        assert np.array_equal(np.sort(fitted.orders[:, 1])[-1:], [DEGREES[:, 1].max()])

    def test_a_diffusion_has_no_pole(self) -> None:
        features = Features(BOX, DEGREES, (False, False)).with_poles((None, -1.3))
        polar = features.polar((0, 0))
        assert polar is not None
        assert np.count_nonzero(polar == -1) == 3
        matrix, constant = log_variances(features.shrunk_orders, None, polar)
        assert matrix.shape[1] == log_variances(DEGREES)[0].shape[1]
        assert not matrix[polar < 0].any()
        assert (constant[polar < 0] == FIT.smallest_variance).all()

    def test_the_other_variances_stay(self) -> None:
        features = Features(BOX, DEGREES, (False, False)).with_poles((None, -1.3))
        matrix, constant = log_variances(features.shrunk_orders, None, features.polar((0,)))
        plain, before = log_variances(DEGREES)
        first = len(DEGREES)
        assert np.array_equal(np.delete(matrix[:first], [3, 4], axis=1), plain)
        assert np.array_equal(constant[:first], before)


class TestNaturalPlaces:
    def test_of_a_power(self) -> None:
        # y = 4 x^{1/4}, zero where x is
        shape = NoiseShape(0.15, 6.6, (0.0,), (6.45 / 6.75, 0.0), 0.75)
        low, high = 0.15**0.25, 6.6**0.25
        assert shape.natural_pole == pytest.approx(-(high + low) / (high - low), rel=1e-9)

    def test_of_noise_that_grows_faster_than_x(self) -> None:
        # y = −1/x, zero at infinity
        shape = NoiseShape(0.5, 4.0, (0.3,), (3.5 / 4.5, 0.0), 2.0)
        assert shape.natural_pole == pytest.approx((2.0 + 0.25) / (2.0 - 0.25), rel=1e-9)

    def test_of_other_noise_there_is_none(self) -> None:
        assert NoiseShape(-3.0, 3.0, (0.2,), (0.0, 9.0), 0.5).natural_pole is None
        assert NoiseShape(-1.0, 3.0, (0.1, 0.7)).natural_pole is None
        assert NoiseShape(0.5, 4.0, (0.3,), (3.5 / 4.5, 0.0), 1.0).natural_pole is None

    def test_of_a_coordinate_that_stays_positive(self) -> None:
        wide = replace(BOX, singular=((None, None), (0.0, None)))
        features = Features(wide, DEGREES, (False, False))
        assert natural_pole(features, 1) == pytest.approx(-2.25 / 1.75)
        assert natural_pole(Features(BOX, DEGREES, (False, False)), 1) is None


class TestFits:
    def test_a_bessel_process_has_one(self, bessel: Surrogate) -> None:
        features = bessel.drift_estimates[0].features
        low, high = bessel.domain.intervals[1]
        assert features.pole(1) == pytest.approx(-(high + low) / (high - low))
        x = np.linspace(low, high, 9)[:, None]
        # within four standard errors everywhere, and those are a tenth of the drift or less near the pole
        points = np.column_stack([np.ones(9), x])
        table = features.values(points)[()] * bessel.domain.half[1] / bessel.domain.half[0]
        rows = slice(0, features.size)
        errors = np.linalg.norm(table @ bessel.errors.root[rows], axis=1)
        drift = 1.5 / x[:, 0]
        assert (np.abs(bessel.drift(np.ones(9), x)[:, 0] - drift) < 4 * errors).all()
        assert errors[0] < 0.1 * drift[0]

    def test_its_place_may_be_anywhere(self) -> None:
        centre = -1.4
        fitted = _away(centre)
        low, high = fitted.domain.intervals[1]
        pole = fitted.drift_estimates[0].features.pole(1)
        assert pole is not None
        place = (low + high) / 2 + pole * (high - low) / 2
        assert abs(place - centre) < 0.35
        polar = fitted.drift_estimates[0].features.polar((0,))
        assert polar is not None
        assert 2 in polar

    @pytest.mark.parametrize("name", ["double-well", "ornstein-uhlenbeck", "brownian-sinh", "brownian-2d"])
    def test_others_have_none(self, name: str) -> None:
        fitted = fit_spectral(catalogue[name].simulate(paths=128, seed=63))
        assert fitted.drift_estimates[0].features.poles is None

    def test_the_plain_fit_has_none(self, bessel: Surrogate) -> None:
        assert fit_plainly(bessel).drift_estimates[0].features.poles is None
