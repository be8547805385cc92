"""Shapes of noise from data, and series made with them, against known equations and plain least squares."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from liestonet.catalogue import catalogue
from liestonet.core.coefficients import JetOrder
from liestonet.surrogate.features import Features
from liestonet.surrogate.noise_shapes import noise_shapes
from liestonet.surrogate.overview import look_over
from liestonet.surrogate.regression import Scaled, regress
from liestonet.surrogate.spectral_fit import fit_plainly, fit_spectral
from liestonet.surrogate.surrogate import Surrogate


@pytest.fixture(scope="module")
def fitted() -> Surrogate:
    return fit_spectral(catalogue["ornstein-uhlenbeck-sinh"].simulate(paths=256, seed=31))


class TestShapesFromData:
    @pytest.mark.parametrize(("name", "power"), [("cev", 0.75), ("geometric-brownian", 1.0), ("brownian-cube", 2 / 3)])
    def test_powers(self, name: str, power: float) -> None:
        overview = look_over(catalogue[name].simulate(paths=256, seed=32))
        shapes = noise_shapes(overview)
        assert shapes is not None
        assert shapes[1] is not None
        low, high = overview.domain.intervals[1]
        x = np.linspace(low + 0.1 * (high - low), high, 20)
        slopes = shapes[1].values(x, 1)
        # d log m / d log x
        assert np.allclose(slopes[1] / slopes[0] * x / overview.domain.half[1], power, atol=0.08)

    @pytest.mark.parametrize("name", ["double-well", "brownian-2d"])
    def test_uniform_noise_has_none(self, name: str) -> None:
        assert noise_shapes(look_over(catalogue[name].simulate(paths=64, seed=33))) is None

    def test_coordinates_without_noise_have_none(self) -> None:
        fitted = fit_spectral(catalogue["langevin"].simulate(paths=64, seed=33))
        assert fitted.noisy.tolist() == [False, True]
        assert fitted.drift_estimates[0].features.shapes is None

    def test_factors_of_other_coordinates_are_divided_out(self) -> None:
        # dx = v √x dW₁, dv = … v dW₂
        overview = look_over(catalogue["sabr"].simulate(paths=512, seed=34))
        shapes = noise_shapes(overview)
        assert shapes is not None
        for variable, power in ((1, 0.5), (2, 1.0)):
            shape = shapes[variable]
            assert shape is not None
            low, high = overview.domain.intervals[variable]
            x = np.linspace(low + 0.1 * (high - low), low + 0.8 * (high - low), 20)
            slopes = shape.values(x, 1)
            assert np.allclose(slopes[1] / slopes[0] * x / overview.domain.half[variable], power, atol=0.12)


class TestSeriesWithAShape:
    def test_are_near_the_equation(self, fitted: Surrogate) -> None:
        assert fitted.drift_estimates[0].features.shapes is not None
        x = np.linspace(-1.5, 1.5, 9)[:, None]
        t = np.full(9, 1.0)
        sde = catalogue["ornstein-uhlenbeck-sinh"].sde
        assert np.allclose(fitted.drift(t, x), sde.drift(t, x), atol=0.4)
        assert np.allclose(fitted.diffusion_squared(t, x)[:, 0, 0], 1 + x[:, 0] ** 2, rtol=0.05)

    def test_derivatives(self, fitted: Surrogate) -> None:
        x, t, step = np.linspace(-1.5, 1.5, 9)[:, None], np.full(9, 1.0), 1e-5
        order = JetOrder(drift=2, diffusion_squared=2)
        here, before, after = (fitted.jet(t, x + move, order) for move in (0.0, -step, step))
        for name in ("drift", "diffusion_squared"):
            jets = [getattr(jet, name) for jet in (here, before, after)]
            for derivative in ((), (1,)):
                wanted = (jets[2][derivative] - jets[1][derivative]) / (2 * step)
                assert np.allclose(jets[0][(*derivative, 1)], wanted, rtol=1e-5, atol=1e-5)

    def test_are_the_weighted_regression_on_features_with_factors(self, fitted: Surrogate) -> None:
        rng = np.random.default_rng(3)
        features = replace(fitted.drift_estimates[0].features.plain, degrees=np.array([[0, 0], [0, 1], [0, 2]]))
        block = Scaled(np.column_stack([rng.random(500), rng.uniform(-2, 2, 500)]), np.ones(500), np.zeros((500, 1)))
        values, weights = rng.standard_normal((500, 1)), 0.5 + rng.random((500, 1))
        found = regress([block], features, [(0,)], lambda _: (values, weights), False)[0].unshrunk()
        own: Features = features.of((0,))
        root = np.sqrt(weights)
        table, target = own.values(block.points)[()] * root, (values[:, 0] - own.offset(block.points)) * root[:, 0]
        assert np.allclose(found.parameters, np.linalg.lstsq(table, target, rcond=None)[0], rtol=1e-6)

    def test_offset_is_half_the_noise_times_its_slope(self, fitted: Surrogate) -> None:
        estimate = fitted.drift_estimates[0]
        points = np.column_stack([np.ones(5), np.linspace(-2, 2, 5)])
        shape = estimate.features.shapes[1] if estimate.features.shapes else None
        assert shape is not None
        size, slope = shape.values(points[:, 1], 1)
        assert np.allclose(estimate.offset(points), size * slope / 2)

    def test_the_plain_fit_has_no_shape(self, fitted: Surrogate) -> None:
        assert fit_plainly(fitted).drift_estimates[0].features.shapes is None
