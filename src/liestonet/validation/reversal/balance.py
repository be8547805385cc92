"""Detailed balance at points: the density e^Φ that makes drift and diffusion closest to reversible, and the residual.

With signs ε_i = −1 for variables that time reversal reverses (velocities), f^± = ½(f(x) ± ε f(εx)), a process is
reversible with the stationary density e^Φ if and only if (docs/method.md §15.1)

    a(εx) = ε a ε          2 f⁺ − div a = a ∇Φ          div f⁻ + f⁻·∇Φ = 0          Φ(εx) = Φ(x).

Φ is sought among polynomials (waves of an angle) by least squares. Rows are without units: noise measures the second
equation, its size the rate κ = ½ E[(2f⁺ − div a)ᵀ a⁻¹ (2f⁺ − div a)], and κ the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from liestonet.core.coefficients import Derivative, Jet, JetDirections, JetOrder
from liestonet.core.domain import Domain
from liestonet.core.multiindex import both_waves, total_degree
from liestonet.core.tuning import by_dimension
from liestonet.symmetry.determining.basis import Basis
from liestonet.validation.tuning import REVERSAL

FEWER_SOURCES = (
    "The noise of several coordinates comes from fewer sources than there are of them; detailed balance is tested for "
    "noise of full rank in the coordinates that have any."
)

Points = Float[np.ndarray, "b v"]
ORDER = JetOrder(drift=1, diffusion_squared=1)


@dataclass(frozen=True, eq=False)
class Signs:
    """ε: which coordinates change sign when time is reversed, and which have noise."""

    odd: Bool[np.ndarray, " n"]
    noisy: Bool[np.ndarray, " n"]

    @property
    def epsilon(self) -> Float[np.ndarray, " n"]:
        return np.where(self.odd, -1.0, 1.0)

    @property
    def turned(self) -> bool:
        """Whether any variable changes sign."""
        return bool(self.odd.any())

    def image(self, points: Points) -> Points:
        """The image (t, εx) of points."""
        return np.column_stack([points[:, 0], points[:, 1:] * self.epsilon])


@dataclass(frozen=True, eq=False)
class Coefficients:
    """f, a and the first derivatives that balance needs, at B points, for s sets at once along the last axis.

    `turned` are those at εx. `divergence` is div f, `slope` div a.
    """

    drift: Float[np.ndarray, "b n s"]
    squared: Float[np.ndarray, "b n n s"]
    divergence: Float[np.ndarray, "b s"]
    slope: Float[np.ndarray, "b n s"]
    turned: Coefficients | None = None


def coefficients_of(arrays: Jet | JetDirections, n: int, sets: bool) -> Coefficients:
    """The coefficients from a jet, or from its changes, at points."""

    def entry(table: Any, derivative: Derivative) -> np.ndarray:
        value = table[derivative]
        return value if sets else value[..., None]

    f, a = arrays.drift, arrays.diffusion_squared
    divergence = sum(entry(f, (i + 1,))[:, i] for i in range(n))
    slope = sum(entry(a, (j + 1,))[:, :, j] for j in range(n))
    return Coefficients(entry(f, ()), entry(a, ()), np.asarray(divergence), np.asarray(slope))


@dataclass(frozen=True, eq=False)
class Frame:
    """Where balance is evaluated: points with weights, functions ∇g for Φ, roots of a there, κ, and scales of x."""

    signs: Signs
    weights: Float[np.ndarray, " b"]
    gradients: Float[np.ndarray, "b n q"]
    roots: Float[np.ndarray, "b k k"]
    rate: float
    scales: Float[np.ndarray, " n"]


def split(found: Coefficients, signs: Signs) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """f⁺, f⁻ (B, n, s) and div f⁻ (B, s)."""
    if found.turned is None:
        return found.drift, np.zeros_like(found.drift), np.zeros_like(found.divergence)
    image = signs.epsilon[:, None] * found.turned.drift
    return (
        (found.drift + image) / 2,
        (found.drift - image) / 2,
        (found.divergence - found.turned.divergence) / 2,
    )


def frame_of(
    signs: Signs, found: Coefficients, points: Points, weights: Float[np.ndarray, " b"], domain: Domain
) -> Frame:
    """The frame for one set of coefficients: roots of their diffusion, and the rate κ."""
    noisy = np.flatnonzero(signs.noisy)
    squared = found.squared[:, noisy][:, :, noisy, 0]
    values, vectors = np.linalg.eigh(squared)
    floor = REVERSAL.least_noise * np.median(values, axis=0)
    roots = vectors * np.sqrt(np.maximum(values, floor))[:, None, :]
    even, _, _ = split(found, signs)
    whole = np.linalg.solve(roots, (2 * even - found.slope)[:, noisy])
    rate = float(np.einsum("b,bks->", weights, whole**2)) / 2
    mean = weights @ points[:, 1:]
    scales = np.sqrt(weights @ (points[:, 1:] - mean) ** 2)
    return Frame(signs, weights, potential_gradients(signs, points, domain), roots, max(rate, 1e-300), scales)


def potential_basis(domain: Domain) -> Basis:
    """The functions of which Φ is a sum: polynomials of the coordinates, or waves of angles, without the constant."""
    n = domain.dimension
    degree = by_dimension(REVERSAL.degrees, n)
    degrees = both_waves(total_degree(range(1, n + 1), n + 1, degree), domain.periodic)
    return Basis(domain, np.ones(1), (degrees[degrees.sum(axis=1) > 0],))


def gradients_at(points: Points, domain: Domain) -> Float[np.ndarray, "b n q"]:
    """∇g of the basis functions at points."""
    basis = potential_basis(domain)
    tables = basis.tables(points, 1)
    return np.stack([basis.functions(tables, 0, (i,)) for i in range(1, domain.dimension + 1)], axis=1)


def potential_gradients(signs: Signs, points: Points, domain: Domain) -> Float[np.ndarray, "b n q"]:
    """∇g of the basis functions, made even in the variables that change sign."""
    here = gradients_at(points, domain)
    if not signs.turned:
        return here
    return (here + signs.epsilon[:, None] * gradients_at(signs.image(points), domain)) / 2


def constant_rows(frame: Frame, found: Coefficients) -> Float[np.ndarray, "rows s"]:
    """The terms of the equations without Φ, one below the other: linear in f and a, for every set of coefficients."""
    signs, noisy = frame.signs, np.flatnonzero(frame.signs.noisy)
    still = np.flatnonzero(~frame.signs.noisy)
    even, _, divergence = split(found, signs)
    whole = np.linalg.solve(frame.roots, (2 * even - found.slope)[:, noisy]) / np.sqrt(2 * frame.rate)
    parts = [_flat(whole, frame)]
    if signs.turned:
        parts.append(_flat(divergence[:, None], frame) / frame.rate)
        parts.append(_uneven(frame, found, noisy))
    if len(still):
        parts.append(_flat(2 * even[:, still] / frame.scales[still][:, None] / frame.rate, frame))
    return np.concatenate(parts)


def _uneven(frame: Frame, found: Coefficients, noisy: np.ndarray) -> np.ndarray:
    """a(εx) − ε a ε in units of a."""
    if found.turned is None:
        raise RuntimeError("coefficients at the turned points are missing")
    epsilon = frame.signs.epsilon
    difference = found.turned.squared - epsilon[:, None, None] * found.squared * epsilon[:, None]
    inner = difference[:, noisy][:, :, noisy]
    left = np.linalg.solve(frame.roots, inner.reshape(len(inner), len(noisy), -1)).reshape(inner.shape)
    both = np.linalg.solve(frame.roots, np.swapaxes(left, 1, 2).reshape(len(inner), len(noisy), -1)).reshape(
        inner.shape
    )
    return _flat(both.reshape(len(inner), -1, inner.shape[-1]), frame)


def _flat(values: Float[np.ndarray, "b k s"], frame: Frame) -> Float[np.ndarray, "rows s"]:
    weighted = values * np.sqrt(frame.weights)[:, None, None]
    return weighted.reshape(-1, values.shape[-1])


def potential_rows(frame: Frame, found: Coefficients) -> Float[np.ndarray, "rows q"]:
    """The contribution of each function in Φ to the equations, for one set of coefficients."""
    signs, noisy = frame.signs, np.flatnonzero(frame.signs.noisy)
    _, odd, _ = split(found, signs)
    carried = -np.einsum("bkl,bkq->blq", frame.roots, frame.gradients[:, noisy]) / np.sqrt(2 * frame.rate)
    parts = [_flat(carried, frame)]
    if signs.turned:
        along = np.einsum("bn,bnq->bq", odd[..., 0], frame.gradients)[:, None]
        parts.append(_flat(along, frame) / frame.rate)
        parts.append(np.zeros((len(frame.weights) * len(noisy) ** 2, frame.gradients.shape[2])))
    still = int((~signs.noisy).sum())
    if still:
        parts.append(np.zeros((len(frame.weights) * still, frame.gradients.shape[2])))
    return np.concatenate(parts)


def change_rows(frame: Frame, changed: Coefficients, slope: Float[np.ndarray, "b n"]) -> Float[np.ndarray, "rows s"]:
    """The changes of the equations with the coefficients, at a Φ with this gradient."""
    signs, noisy = frame.signs, np.flatnonzero(frame.signs.noisy)
    rows = constant_rows(frame, changed)
    inner = np.einsum("bijs,bj->bis", changed.squared[:, noisy][:, :, noisy], slope[:, noisy])
    shift = [-_flat(np.linalg.solve(frame.roots, inner), frame) / np.sqrt(2 * frame.rate)]
    if signs.turned:
        _, odd, _ = split(changed, signs)
        shift.append(_flat(np.einsum("bns,bn->bs", odd, slope)[:, None], frame) / frame.rate)
    added = np.concatenate(shift)
    rows[: len(added)] += added
    return rows


@dataclass(frozen=True, eq=False)
class Balanced:
    """Balance with the best Φ: its gradient at the points, the residual, and the range that Φ absorbs."""

    frame: Frame
    slope: Float[np.ndarray, "b n"]
    coefficients: Float[np.ndarray, " q"]
    residual: Float[np.ndarray, " rows"]
    range: Float[np.ndarray, "rows k"]

    def without_potential(self, rows: Float[np.ndarray, "rows s"]) -> Float[np.ndarray, "rows s"]:
        """Rows without the part that a change of Φ absorbs."""
        return rows - self.range @ (self.range.T @ rows)


def balanced(frame: Frame, found: Coefficients) -> Balanced:
    """The Φ with the smallest residual of the balance equations."""
    constant, columns = constant_rows(frame, found)[:, 0], potential_rows(frame, found)
    left, sizes, right = np.linalg.svd(columns, full_matrices=False)
    seen = sizes > REVERSAL.seen * sizes.max(initial=0.0)
    left, sizes, right = left[:, seen], sizes[seen], right[seen]
    numbers = -(right.T @ ((left.T @ constant) / sizes))
    residual = constant - left @ (left.T @ constant)
    return Balanced(frame, frame.gradients @ numbers, numbers, residual, left)
