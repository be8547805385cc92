"""Callables as a coefficient source: f, σ and a = σσᵀ projected on Chebyshev polynomials over a domain.

Derivatives are exact for the projection; the error of the projection is measured at points not used to make it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations_with_replacement, product

import numpy as np
from jaxtyping import Float

from liestonet.core.coefficients import Derivative, Jet, JetOrder, derivatives
from liestonet.core.domain import Domain
from liestonet.core.power_series import SeriesRing
from liestonet.errors import InputError
from liestonet.sde.chebyshev_fitting import fit
from liestonet.sde.polynomial import Expansion
from liestonet.sde.probing import (
    ROUNDING,
    Function,
    Resolution,
    Roughness,
    entry_names,
    require_finite,
    resolve,
    rough_error,
    stack,
    to_box,
)
from liestonet.sde.sde import SDE
from liestonet.sde.taylor import jet_series
from liestonet.sde.tuning import SERIES


@dataclass(frozen=True)
class ChebyshevCoefficients:
    """Polynomials for f and σ (row by row) and, if a needs fewer terms than σ, for the upper triangle of a."""

    domain: Domain
    dimension: int
    noise: int
    error: float
    drift: Expansion
    diffusion: Expansion
    squared: Expansion | None

    def jet(self, t: Float[np.ndarray, " b"], x: Float[np.ndarray, "b n"], order: JetOrder) -> Jet:
        """Values and derivatives at points of the domain."""
        z = (np.column_stack([t, x]) - self.domain.centre) / self.domain.half
        n, r = self.dimension, self.noise
        leibniz = order.diffusion_squared if self.squared is None else -1
        drift = self._derivatives(self.drift, z, order.drift)
        found = self._derivatives(self.diffusion, z, max(order.diffusion, leibniz))
        sigma = {d: values.reshape(len(z), n, r) for d, values in found.items()}
        if self.squared is None:
            squared = square(sigma, n + 1, order.diffusion_squared)
        else:
            found = self._derivatives(self.squared, z, order.diffusion_squared)
            squared = {d: symmetric(values, n) for d, values in found.items()}
        return Jet(drift, {d: s for d, s in sigma.items() if len(d) <= order.diffusion}, squared)

    def series(
        self, ring: SeriesRing, point: Float[np.ndarray, " v"], half: Float[np.ndarray, " v"]
    ) -> dict[str, np.ndarray]:
        """Power series of the projections at a point."""
        return jet_series(self, ring, point, half)

    def _derivatives(
        self, polynomials: Expansion, z: Float[np.ndarray, "b v"], order: int
    ) -> dict[Derivative, Float[np.ndarray, "b e"]]:
        found = polynomials.evaluate(z, list(derivatives(self.dimension + 1, order)))
        return {d: values / np.prod(self.domain.half[list(d)]) for d, values in found.items()}


def symmetric(upper: Float[np.ndarray, "b e"], n: int) -> Float[np.ndarray, "b n n"]:
    """A symmetric matrix from its upper triangle, row by row."""
    matrix = np.empty((len(upper), n, n))
    for column, (i, j) in enumerate(combinations_with_replacement(range(n), 2)):
        matrix[:, i, j] = matrix[:, j, i] = upper[:, column]
    return matrix


def square(
    sigma: Mapping[Derivative, Float[np.ndarray, "b n r"]], variables: int, order: int
) -> dict[Derivative, Float[np.ndarray, "b n n"]]:
    """Derivatives of a = σσᵀ from those of σ, by the Leibniz rule."""
    result: dict[Derivative, Float[np.ndarray, "b n n"]] = {}
    for derivative in derivatives(variables, order):
        counts = [derivative.count(v) for v in range(variables)]
        for part in product(*(range(count + 1) for count in counts)):
            left = tuple(v for v, taken in enumerate(part) for _ in range(taken))
            right = tuple(v for v, taken in enumerate(part) for _ in range(counts[v] - taken))
            if left > right or left not in sigma or right not in sigma:
                continue  # it is the transpose of the exchanged pair
            weight = math.prod(math.comb(count, taken) for count, taken in zip(counts, part, strict=True))
            term = weight * (sigma[left] @ sigma[right].swapaxes(1, 2))
            term = term + term.swapaxes(1, 2) if left != right else term
            result[derivative] = result[derivative] + term if derivative in result else term
    return result


def project(sde: SDE, domain: Domain) -> ChebyshevCoefficients:
    """Chebyshev projection of f and σ on the domain, as accurate as rounding allows; refuses rough coefficients."""
    n, r = sde.dimension, sde.noise
    function, squared = on_cube(sde, domain), lambda z: upper_square(function(z)[:, n:], n)
    resolution = resolve(function, n + 1)
    if isinstance(resolution, Roughness):
        raise rough_error(resolution, entry_names(sde)[resolution.entry], sde, domain)
    polynomials = fit(function, resolution)
    errors = measured_errors(function, polynomials, resolution)
    worst, names = int(np.argmax(errors)), entry_names(sde)
    if errors[worst] > SERIES.error_limit:
        raise InputError(
            f"The {names[worst]} could be resolved only to {errors[worst]:.1e} of its size on this "
            "domain by Chebyshev polynomials; choose a smaller domain, or give the coefficients as formulas."
        )
    error, a = float(errors[worst]), None
    smoothness = resolve(squared, n + 1)
    if isinstance(smoothness, Resolution) and cost(smoothness) <= cost(resolution, n):
        a = fit(squared, smoothness)
        error = max(error, float(measured_errors(squared, a, smoothness).max()))
    drift, diffusion = polynomials.entries(0, n), polynomials.entries(n, n + n * r)
    return ChebyshevCoefficients(domain, n, r, error, drift, diffusion, a)


def on_cube(sde: SDE, domain: Domain) -> Function:
    """f and σ as functions of the unit cube, checked to be finite, with rounding errors set to zero.

    An entry of σ (of a rotation, for example) that is everywhere below the rounding error of its row is zero.
    """
    n, r = sde.dimension, sde.noise

    def checked(z: Float[np.ndarray, "b v"]) -> Float[np.ndarray, "b e"]:
        points = to_box(domain, z)
        values = stack(sde, points)
        require_finite(values, points, sde)
        return values

    sample = np.abs(checked(np.random.default_rng(141).uniform(-1, 1, (200, n + 1)))).max(axis=0)
    rows = sample[n:].reshape(n, r)
    largest = rows.max(axis=1, keepdims=True, initial=0.0)
    relevant = np.concatenate([np.ones(n), (rows > ROUNDING * largest).reshape(-1)])
    return lambda z: checked(z) * relevant


def upper_square(sigma: Float[np.ndarray, "b e"], n: int) -> Float[np.ndarray, "b u"]:
    """Upper triangle of a = σσᵀ row by row; sums that cancel up to rounding errors are set to zero."""
    sigma = sigma.reshape(len(sigma), n, sigma.shape[1] // n)
    i, j = np.triu_indices(n)
    a = np.einsum("bik,bjk->bij", sigma, sigma)[:, i, j]
    size = np.einsum("bik,bjk->bij", np.abs(sigma), np.abs(sigma))[:, i, j]
    return np.where(np.abs(a).max(axis=0) > 2 * ROUNDING * size.max(axis=0), a, 0.0)


def cost(resolution: Resolution, start: int = 0) -> float:
    """The number of tensor coefficients that the entries from `start` on need: fewer are cheaper and more accurate."""
    return float(np.prod(resolution.degree[:, start:] + 1.0, axis=0).sum())


def measured_errors(function: Function, polynomials: Expansion, resolution: Resolution) -> Float[np.ndarray, " e"]:
    """Largest error of each polynomial at new points, relative to the entry's size."""
    rng = np.random.default_rng(577)
    z = rng.uniform(-1, 1, (SERIES.fresh_points, len(resolution.degree)))
    z[::2] = np.cos(np.pi * z[::2])  # half of the points are dense near the edges
    exact = function(z)
    found = polynomials.evaluate(z, [()])[()]
    scale = np.maximum(resolution.scale, np.abs(exact).max(axis=0))
    return np.abs(found - exact).max(axis=0) / np.where(scale > 0, scale, 1.0)
