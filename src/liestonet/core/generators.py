"""The protocol for generators τ ∂t + ξ·∂x (+ β u∂u) that all packages use, and its few wrappers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float

from liestonet.core.coefficients import Derivative
from liestonet.core.domain import Domain
from liestonet.core.points import lattice_cloud, points_of
from liestonet.core.tuning import SHARED
from liestonet.errors import InputError

# tau (m, B), xi (m, B, d) and, for generators that act on the density, beta (m, B).
Values = tuple[np.ndarray, ...]
# Derivatives of all components (τ, ξ^1, …, ξ^n, β).
Components = dict[Derivative, Float[np.ndarray, "m b components"]]
# Generators without derivatives, as users may give them: t (B,), x (B, d) -> Values.
GeneratorFunction = Callable[[np.ndarray, np.ndarray], Values]


@runtime_checkable
class Generators(Protocol):
    """m generators as functions with derivatives: series, formulas, or functions that a user gave."""

    @property
    def count(self) -> int:
        """Number of generators, m."""
        ...

    @property
    def has_beta(self) -> bool:
        """Whether the generators also act on the density, by β u∂u."""
        ...

    def __call__(self, t: Float[np.ndarray, " b"], x: Float[np.ndarray, "b d"]) -> Values:
        """tau (m, B), xi (m, B, d) and, if `has_beta`, beta (m, B)."""
        ...

    def components(self, points: Float[np.ndarray, "b v"], derivatives: Iterable[Derivative]) -> Components:
        """Derivatives of all components (τ, ξ^1, …, ξ^n, β) at points (t, x_1, …, x_n)."""
        ...


def values_at(generators: Generators, t: object, x: object, dimension: int) -> Values:
    """The components of generators at a batch of points, separated into those of time, state and density."""
    table = generators.components(points_of(t, x, dimension), [()])[()]
    parts = table[:, :, 0], table[:, :, 1 : dimension + 1]
    return (*parts, table[:, :, dimension + 1]) if generators.has_beta else parts


@dataclass(frozen=True)
class Lifted:
    """The same generators with β = −div ξ, by which a symmetry of paths acts on densities (docs/method.md §2.4)."""

    base: Generators
    dimension: int

    @property
    def count(self) -> int:
        return self.base.count

    @property
    def has_beta(self) -> bool:
        return True

    def __call__(self, t: object, x: object) -> Values:
        return values_at(self, t, x, self.dimension)

    def components(self, points: Float[np.ndarray, "b v"], derivatives: Iterable[Derivative]) -> Components:
        """Derivatives of all components; those of β come from ξ."""
        wanted, variables = list(derivatives), range(1, self.dimension + 1)
        further = {tuple(sorted((*derivative, i))) for derivative in wanted for i in variables}
        table = self.base.components(points, {*wanted, *further})
        width = self.dimension + 1
        result = {}
        for derivative in wanted:
            divergence = np.sum([table[tuple(sorted((*derivative, i)))][:, :, i] for i in variables], axis=0)
            result[derivative] = np.concatenate([table[derivative][:, :, :width], -divergence[:, :, None]], axis=2)
        return result


@dataclass(frozen=True)
class Normalised:
    """Generators divided by their lengths, as motions of points: τ and ξ without β."""

    base: Generators
    lengths: Float[np.ndarray, " m"]

    @property
    def count(self) -> int:
        return self.base.count

    @property
    def has_beta(self) -> bool:
        return False

    def __call__(self, t: Float[np.ndarray, " b"], x: Float[np.ndarray, "b d"]) -> Values:
        tau, xi, *_ = self.base(t, x)
        return tau / self.lengths[:, None], xi / self.lengths[:, None, None]

    def components(self, points: Float[np.ndarray, "b v"], derivatives: Iterable[Derivative]) -> Components:
        """Derivatives of τ and ξ."""
        width = points.shape[1]
        table = self.base.components(points, derivatives)
        return {d: values[:, :, :width] / self.lengths[:, None, None] for d, values in table.items()}


@dataclass(frozen=True)
class Random:
    """Generators φ(t, x, w) ∂x, which move x only: series in time, the coordinates x and the Wiener processes w."""

    base: Generators
    dimension: int
    noises: int

    @property
    def count(self) -> int:
        return self.base.count

    def __call__(self, t: object, x: object, w: object = None) -> Float[np.ndarray, "m b d"]:
        """xi (m, B, d) at points t (B,), x (B, d), w (B, r) or, for one Wiener process, (B,)."""
        points = points_of(t, x, self.dimension)
        if w is None:
            raise InputError("Random symmetries depend on the Wiener process too; call generators(t, x, w).")
        given = np.asarray(w, dtype=float)
        values = given[:, None] if given.ndim == 1 and self.noises == 1 else given
        if values.shape != (len(points), self.noises):
            raise InputError(
                f"w has shape {given.shape}, but ({len(points)}, {self.noises}) is needed: one row per point."
            )
        table = self.base.components(np.concatenate([points, values], axis=1), [()])[()]
        return table[:, :, 1 : self.dimension + 1]


def without_noise(generators: Generators, domain: Domain, noises: int) -> tuple[bool, ...]:
    """For each generator, whether it is independent of the last `noises` coordinates of a box."""
    if not generators.count or not noises:
        return (True,) * generators.count
    variables = range(len(domain.intervals) - noises, len(domain.intervals))
    table = generators.components(lattice_cloud(domain, SHARED.noise_points).points, [(), *[(v,) for v in variables]])
    size = np.abs(table[()]).max(axis=(1, 2))
    slopes = np.max([domain.half[v] * np.abs(table[(v,)]).max(axis=(1, 2)) for v in variables], axis=0)
    return tuple((slopes <= SHARED.no_slope * size).tolist())


def directional_derivative(
    generator: Float[np.ndarray, "m b components"], gradient: Float[np.ndarray, "v k b components"]
) -> Float[np.ndarray, "m k b components"]:
    """X_i(Y_j) for all i, j: τ ∂_t + ξ·∇ of i applied to every component of j, shape (i, j, b, components)."""
    variables = len(gradient)
    return np.einsum("ibv,vjbc->ijbc", generator[:, :, :variables], gradient, optimize=True)
