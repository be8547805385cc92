"""Logarithms of Bessel functions against mpmath where SciPy has no value: at zero, far out, and at large orders."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from liestonet.densities.bessel import bessel_ratio, log_even_bessel

PLACES = (0.0, 1e-300, 1e-5, 1.01e-4, 0.3, 40.0, 1e3, 3e7, 1e10, 1e15, 1e100)


def exact(nu: float, z: float) -> float:
    """log(e^{−z} z^{−ν} I_ν(z)) in sixty digits."""
    with mpmath.workdps(60):
        if z == 0:
            return float(-nu * mpmath.log(2) - mpmath.loggamma(nu + 1))
        if z > 1e9:
            return float(-mpmath.log(2 * mpmath.pi * z) / 2 + mpmath.log1p(-(4 * nu**2 - 1) / (8 * z))) - nu * np.log(z)
        found = mpmath.besseli(nu, mpmath.mpf(z))
        return float(mpmath.log(found) - z - nu * mpmath.log(z))


@pytest.mark.parametrize("nu", [-0.9, -0.5, 0.0, 0.3, 4.0])
@pytest.mark.parametrize("z", PLACES)
def test_the_logarithm_has_its_digits_everywhere(nu, z):
    size = 1 + abs(nu) * np.log1p(z) + abs(np.log(max(z, 1)))
    assert float(log_even_bessel(nu, z)) == pytest.approx(exact(nu, z), abs=1e-12 * size + 1e-15 * z * (z < 1e4))


@pytest.mark.parametrize("nu", [0.3, 30.0, 400.0])
@pytest.mark.parametrize("z", [0.0, 1e-3, 2.0, 500.0, 1e5])
def test_ratios_of_neighbours(nu, z):
    with mpmath.workdps(60):
        whole = mpmath.besseli(nu + 1, z) / (z * mpmath.besseli(nu, z)) if z else 1 / mpmath.mpf(2 * nu + 2)
    assert float(bessel_ratio(nu, np.float64(z))) == pytest.approx(float(whole), rel=1e-8 if nu > 20 else 1e-11)
