"""Maps (t, x) → (s(t), γ(t, x)) of time and state, with the derivatives that the law of a process needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float

from liestonet.core.coefficients import Derivative
from liestonet.core.generators import Components
from liestonet.validation.formulas import Formulas
from liestonet.validation.tuning import MAPS

Points = Float[np.ndarray, "b v"]


@runtime_checkable
class Smooth(Protocol):
    """One row of components (s, γ^1, …, γ^n) with derivatives, as generators have them (τ, ξ^1, …, ξ^n)."""

    def components(self, points: Points, derivatives: Iterable[Derivative]) -> Components: ...


@dataclass(frozen=True)
class MapJet:
    """A map at B points: images (t̃, x̃), s' (B,), ∂_tγ (B, n), ∇γ (B, n, n) and ∇∇γ (B, n, n, n), γ's index first."""

    images: Float[np.ndarray, "b v"]
    speed: Float[np.ndarray, " b"]
    drift: Float[np.ndarray, "b n"]
    jacobian: Float[np.ndarray, "b n n"]
    hessian: Float[np.ndarray, "b n n n"]


@dataclass(frozen=True)
class PointMap:
    """A map of time and state; `text` is how it is written, `source` gives its components.

    `exact` are its formulas if they have parameters, for which the source has numbers.
    """

    text: str
    names: tuple[str, ...]
    source: Smooth
    exact: tuple[Any, ...] | None = None

    @property
    def dimension(self) -> int:
        return len(self.names)

    @property
    def formulas(self) -> tuple[Any, ...] | None:
        """s and γ^1, …, γ^n as SymPy expressions; None for a callable."""
        if self.exact is not None:
            return self.exact
        return self.source.rows[0] if isinstance(self.source, Formulas | Straight) else None

    def __call__(self, points: Points) -> Points:
        """The images of points (t, x)."""
        return self.source.components(points, [()])[()][0]

    def jet(self, points: Points) -> MapJet:
        """Images and all derivatives at points (t, x)."""
        n = self.dimension
        seconds = [(i, j) for i in range(1, n + 1) for j in range(i, n + 1)]
        table = self.source.components(points, [(), *[(v,) for v in range(n + 1)], *seconds])
        jacobian = np.stack([table[(j,)][0, :, 1:] for j in range(1, n + 1)], axis=2)
        hessian = np.empty((len(points), n, n, n))
        for i, j in seconds:
            hessian[:, :, i - 1, j - 1] = hessian[:, :, j - 1, i - 1] = table[i, j][0, :, 1:]
        first = table[(0,)][0]
        return MapJet(table[()][0], first[:, 0], first[:, 1:], jacobian, hessian)


@dataclass(frozen=True, eq=False)
class Straight:
    """(t, x) → (t + T, M x + b), as formulas and in numbers, with `moved` = (T, b)."""

    rows: tuple[tuple[Any, ...], ...]
    matrix: Float[np.ndarray, "n n"]
    moved: Float[np.ndarray, " v"]

    def components(self, points: Points, derivatives: Iterable[Derivative]) -> Components:
        """Derivatives of (s, γ): the first ones are constant, the others zero."""
        return {tuple(derivative): self._derivative(points, tuple(derivative))[None] for derivative in derivatives}

    def _derivative(self, points: Points, derivative: Derivative) -> Points:
        if not derivative:
            return np.column_stack([points[:, 0], points[:, 1:] @ self.matrix.T]) + self.moved
        found = np.zeros(points.shape)
        if derivative == (0,):
            found[:, 0] = 1.0
        elif len(derivative) == 1:
            found[:, 1:] = self.matrix[:, derivative[0] - 1]
        return found


@dataclass(frozen=True)
class Called:
    """A callable γ(t, x) with its Jacobian; second derivatives by differences of the Jacobian.

    Both are called with t (B,) and x (B, n); γ returns (B, n), or a pair of times (B,) and states.
    """

    function: Callable[..., Any]
    jacobian: Callable[..., Any]
    half: Float[np.ndarray, " v"]

    def components(self, points: Points, derivatives: Iterable[Derivative]) -> Components:
        """Derivatives of (s, γ) up to second order."""
        return {derivative: self._derivative(points, tuple(derivative))[None] for derivative in derivatives}

    def _derivative(self, points: Points, derivative: Derivative) -> Points:
        n = points.shape[1] - 1
        if not derivative:
            return self.values(points)
        if derivative == (0,):
            return self._difference(self.values, points, 0)
        found = np.zeros((len(points), n + 1))
        if len(derivative) == 1:
            found[:, 1:] = self.slopes(points)[:, :, derivative[0] - 1]
        else:
            first, second = derivative
            found[:, 1:] = self._difference(lambda at: self.slopes(at)[:, :, first - 1], points, second)
        return found

    def _difference(self, function: Callable[[Points], np.ndarray], points: Points, variable: int) -> np.ndarray:
        """A central difference of fourth order."""
        step = np.zeros(points.shape[1])
        step[variable] = MAPS.difference * self.half[variable]
        near, far = (function(points + k * step) - function(points - k * step) for k in (1, 2))
        return (8 * near - far) / (12 * step[variable])

    def values(self, points: Points) -> Points:
        """Images (s, γ) at points."""
        found = self.function(points[:, 0], points[:, 1:])
        pair = isinstance(found, tuple | list) and len(found) == 2 and np.ndim(found[0]) == 1 and np.ndim(found[1]) == 2
        times, states = found if pair else (points[:, 0], found)
        states = np.asarray(states, dtype=float)
        if states.shape != (len(points), points.shape[1] - 1):
            raise ValueError(f"the map returned shape {states.shape}, not ({len(points)}, {points.shape[1] - 1})")
        return np.column_stack([np.broadcast_to(np.asarray(times, dtype=float), len(points)), states])

    def slopes(self, points: Points) -> Float[np.ndarray, "b n n"]:
        """The Jacobian at points."""
        found = np.asarray(self.jacobian(points[:, 0], points[:, 1:]), dtype=float)
        n = points.shape[1] - 1
        if found.shape == (n, n):
            found = np.broadcast_to(found, (len(points), n, n))
        if found.shape != (len(points), n, n):
            raise ValueError(f"the Jacobian returned shape {found.shape}, not ({len(points)}, {n}, {n})")
        return found
