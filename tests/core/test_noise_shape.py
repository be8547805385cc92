"""Shapes of noise against closed forms of their integrals and against differences."""

from __future__ import annotations

import numpy as np
import pytest

from liestonet.core.coordinate import Coordinate
from liestonet.core.noise_shape import NoiseShape

# x^{3/4} on (0.15, 6.6): q = 1 + b u vanishes at x = 0
POWER = NoiseShape(0.15, 6.6, (0.0,), (6.45 / 6.75, 0.0), 0.75)
# √(1 + x²) on (−3, 3): q = 1 + 9u²
ROOT = NoiseShape(-3.0, 3.0, (0.2,), (0.0, 9.0), 0.5)
EXPONENTIAL = NoiseShape(-1.0, 3.0, (0.1, 0.7, -0.2))
X = np.linspace(0.3, 2.7, 9)


@pytest.mark.parametrize("shape", [POWER, ROOT, EXPONENTIAL])
class TestDerivatives:
    def test_of_powers(self, shape: NoiseShape) -> None:
        step, half = 1e-5, (shape.high - shape.low) / 2
        for power in (1.0, 2.0):
            wanted = (shape.values(X + step, 2, power) - shape.values(X - step, 2, power)) / (2 * step) * half
            assert np.allclose(shape.values(X, 3, power)[1:], wanted, rtol=1e-6, atol=1e-7)

    def test_of_the_coordinate(self, shape: NoiseShape) -> None:
        step, half = 1e-5, (shape.high - shape.low) / 2
        wanted = (shape.map(X + step, 2) - shape.map(X - step, 2)) / (2 * step) * half
        assert np.allclose(shape.map(X, 3)[1:], wanted, rtol=1e-6, atol=1e-7)

    def test_place_is_the_inverse(self, shape: NoiseShape) -> None:
        assert np.allclose(shape.place(shape.map(X, 0)[0]), X, atol=1e-10)


class TestTheCoordinate:
    def test_of_a_power(self) -> None:
        # ∫dx/x^{3/4} = 4 x^{1/4}
        low, high = POWER.low**0.25, POWER.high**0.25
        assert np.allclose(POWER.map(X, 0)[0], 2 * (X**0.25 - low) / (high - low) - 1, atol=1e-8)

    def test_of_a_root(self) -> None:
        assert np.allclose(ROOT.map(X, 0)[0], np.arcsinh(X) / np.arcsinh(3), atol=1e-8)

    def test_goes_on_beyond_the_interval(self) -> None:
        assert np.allclose(ROOT.map(np.array([3.5, -4.0]), 0)[0], np.arcsinh([3.5, -4.0]) / np.arcsinh(3), atol=1e-8)

    def test_noise_is_uniform_in_it(self) -> None:
        for shape in (POWER, ROOT, EXPONENTIAL):
            product = shape.map(X, 1)[1] * shape.values(X, 0)[0]
            assert np.allclose(product, product[0], rtol=1e-10)


class TestFunctions:
    def test_are_orthonormal_in_x_with_their_factor(self) -> None:
        coordinate = Coordinate(ROOT.low, ROOT.high, shape=ROOT, weighted=1)
        nodes, weights = np.polynomial.legendre.leggauss(200)
        x = 3.0 * nodes
        functions = coordinate.table(x, 6, 0)[0] * (ROOT.values(x, 0)[0] / ROOT.size)[:, None]
        assert np.allclose(functions.T @ (functions * weights[:, None] / 2), np.eye(7), atol=1e-6)
