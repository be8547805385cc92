"""log(e^{−z} z^{−ν} I_ν(z)), also where a factor underflows or overflows in floating point, and I_{ν+1}/I_ν."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import gammaln, hyp0f1, ive

from liestonet.densities.numbers import Numbers
from liestonet.densities.tuning import BESSEL

# Coefficients of Debye's expansion u_1 … u_6 (Abramowitz and Stegun 9.3.9): polynomials in p, lowest power first.
_DEBYE = (
    ((1, 3, 24), (3, -5, 24)),
    ((2, 81, 1152), (4, -462, 1152), (6, 385, 1152)),
    ((3, 30375, 414720), (5, -369603, 414720), (7, 765765, 414720), (9, -425425, 414720)),
    (
        (4, 4465125, 39813120),
        (6, -94121676, 39813120),
        (8, 349922430, 39813120),
        (10, -446185740, 39813120),
        (12, 185910725, 39813120),
    ),
)


def log_even_bessel(order: Any, z: Any) -> Numbers:
    """log I_ν(z) − z − ν log z for z ≥ 0, which is finite at z = 0."""
    nu, z = np.broadcast_arrays(np.asarray(order, dtype=float), np.asarray(z, dtype=float))
    near = z**2 < BESSEL.near
    with np.errstate(all="ignore"):
        result = log_scaled_bessel(nu, z) - nu * np.log(z)
        if near.any():
            n, y = nu[near], z[near]
            result = np.array(result)
            result[near] = -n * np.log(2) - gammaln(n + 1) + y**2 / (4 * (n + 1)) - y
    return result


def log_scaled_bessel(order: Any, z: Any) -> Numbers:
    """log I_ν(z) − z for z ≥ 0, also where SciPy has no value: by series for small z, large z and large ν."""
    nu, z = np.broadcast_arrays(np.asarray(order, dtype=float), np.asarray(z, dtype=float))
    with np.errstate(all="ignore"):
        result = np.log(ive(nu, z))
        lost = ~(np.isfinite(result)) & np.isfinite(z) & (z > 0)
        if lost.any():
            result = np.array(result)
            result[lost] = _beyond(nu[lost], z[lost])
    return result


def _beyond(nu: Numbers, z: Numbers) -> Numbers:
    found = np.full(z.shape, -np.inf)
    small = z**2 < BESSEL.series * (nu + 1)
    with np.errstate(all="ignore"):
        if small.any():
            n, y = nu[small], z[small]
            found[small] = n * np.log(y / 2) - gammaln(n + 1) + np.log(hyp0f1(n + 1, y**2 / 4)) - y
        far = ~small & (z > BESSEL.far * (1 + nu**2))
        if far.any():
            found[far] = _hankel(nu[far], z[far])
        large = ~small & ~far & (nu > BESSEL.large)
        if large.any():
            found[large] = _debye(nu[large], z[large])
    return found


def _hankel(nu: Numbers, z: Numbers) -> Numbers:
    """The expansion for large z (Abramowitz and Stegun 9.7.1)."""
    square, term, total = 4 * nu**2, np.ones_like(z), np.ones_like(z)
    for k in range(1, BESSEL.terms + 1):
        term = -term * (square - (2 * k - 1) ** 2) / (8 * k * z)
        total = total + term
    return -0.5 * np.log(2 * np.pi * z) + np.log(total)


def _debye(nu: Numbers, z: Numbers) -> Numbers:
    """The uniform expansion for large orders."""
    nu = np.abs(nu) + (nu == 0)
    ratio = z / nu
    root = np.sqrt(1 + ratio**2)
    p = 1 / root
    total = 1 + sum(sum(c / d * p**k for k, c, d in row) / nu**j for j, row in enumerate(_DEBYE, start=1))
    eta = root + np.log(ratio / (1 + root))
    return nu * eta - z - 0.5 * np.log(2 * np.pi * nu * root) + np.log(total)


def bessel_ratio(order: Any, z: Numbers) -> Numbers:
    """I_{ν+1}(z)/(z I_ν(z)), which is finite at z = 0."""
    nu = np.asarray(order, dtype=float)
    return np.exp(log_even_bessel(nu + 1, z) - log_even_bessel(nu, z))
