"""When a map is a symmetry of the law of dx = f dt + σ dW, a = σσᵀ: two equations that are affine in f and a.

For (t, x) → (s(t), γ(t, x)) Itô's formula and the change of clock give (docs/method.md §14.1)

    E^i    = ∂_tγ^i + f^j ∂_jγ^i + ½ a^{jk} ∂_jkγ^i − s' f^i(s, γ)
    Q^{ij} = ∂_kγ^i a^{kl} ∂_lγ^j − s' a^{ij}(s, γ)

Both vanish if and only if the image of the process has its law.
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from liestonet.core.domain import Domain
from liestonet.validation.maps.point_map import MapJet

if TYPE_CHECKING:
    from liestonet.sde.symbolic import SymbolicCoefficients

Values = Float[np.ndarray, "b rows ..."]


def drift_rows(jet: MapJet, drift: np.ndarray, squared: np.ndarray, image: np.ndarray) -> np.ndarray:
    """E without ∂_tγ, for f (B, n, …) and a (B, n, n, …) at points and f at their images: linear in all of them."""
    carried = np.einsum("bij,bj...->bi...", jet.jacobian, drift)
    carried += np.einsum("bijk,bjk...->bi...", jet.hessian, squared) / 2
    return carried - jet.speed.reshape(-1, *[1] * (image.ndim - 1)) * image


def squared_rows(jet: MapJet, squared: np.ndarray, image: np.ndarray) -> np.ndarray:
    """Q for a (B, n, n, …) at points and at their images."""
    carried = np.einsum("bik,bkl...,bjl->bij...", jet.jacobian, squared, jet.jacobian, optimize=True)
    return carried - jet.speed.reshape(-1, *[1] * (image.ndim - 1)) * image


def upper_entries(dimension: int) -> list[tuple[int, int]]:
    """The entries of a symmetric matrix, each once."""
    return list(combinations_with_replacement(range(dimension), 2))


def stacked(drift: np.ndarray, squared: np.ndarray, domain: Domain) -> Values:
    """All equations without units, side by side: T E^i/L_i, then T Q^{ij}/(L_i L_j) for i ≤ j, weighted for both."""
    n, units = drift.shape[1], row_units(domain)
    parts = [drift[:, i] for i in range(n)] + [squared[:, i, j] for i, j in upper_entries(n)]
    return np.stack([unit * part for unit, part in zip(units, parts, strict=True)], axis=1)


def row_units(domain: Domain) -> Float[np.ndarray, " rows"]:
    """What takes the units off each equation of `stacked`; entries off the diagonal stand for two."""
    half, n = domain.half, domain.dimension
    parts = [half[0] / half[i + 1] for i in range(n)]
    for i, j in upper_entries(n):
        parts.append(half[0] / (half[i + 1] * half[j + 1]) * (1.0 if i == j else np.sqrt(2)))
    return np.array(parts)


def labels(names: tuple[str, ...]) -> list[str]:
    """The name of each equation of `stacked`."""
    drift = [f"the drift of {name}" for name in names]
    entries = [(names[i], names[j]) for i, j in upper_entries(len(names))]
    return drift + [f"the diffusion of {i}" if i == j else f"the diffusion of {i} with {j}" for i, j in entries]


def exact_equations(coefficients: SymbolicCoefficients, row: tuple[Any, ...]) -> list[Any]:
    """E and the upper triangle of Q as SymPy expressions, for the map with these formulas (s, γ)."""
    import sympy

    t, x, n = coefficients.time, coefficients.state, coefficients.dimension
    f: Any = coefficients.drift
    a: Any = coefficients.diffusion_squared
    clock, *gamma = (sympy.sympify(part) for part in row)
    moved: Any = dict(zip((t, *x), (clock, *gamma), strict=True))
    speed = clock.diff(t)
    slopes = [[entry.diff(symbol) for symbol in x] for entry in gamma]
    found = []
    for i in range(n):
        total = gamma[i].diff(t) + sum(f[j, 0] * slopes[i][j] for j in range(n))
        total += sum(a[j, k] * slopes[i][j].diff(x[k]) for j in range(n) for k in range(n)) / 2
        found.append(total - speed * f[i, 0].subs(moved, simultaneous=True))
    for i, j in upper_entries(n):
        carried = sum(slopes[i][k] * a[k, m] * slopes[j][m] for k in range(n) for m in range(n))
        found.append(carried - speed * a[i, j].subs(moved, simultaneous=True))
    return found
