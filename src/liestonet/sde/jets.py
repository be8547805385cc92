"""Coefficients speak in jets: values and derivatives of f, σ and a = σσᵀ at a batch of points.

A derivative is named by the sorted tuple of the variables it is taken in, 0 for time and i for the
i-th coordinate: `()` is the value, `(0,)` is ∂t, `(1, 2)` is ∂1∂2. An absent key is identically zero.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float

if TYPE_CHECKING:
    from liestonet.sde.taylor import SeriesRing

Derivative = tuple[int, ...]


@dataclass(frozen=True)
class JetOrder:
    """Highest derivative needed of each coefficient; −1 where it is not needed at all."""

    drift: int = -1
    diffusion: int = -1
    diffusion_squared: int = -1


@dataclass(frozen=True)
class Jet:
    """Derivatives of the coefficients at B points: arrays (B, n), (B, n, r) and (B, n, n) by derivative."""

    drift: Mapping[Derivative, Float[np.ndarray, "b n"]] = field(default_factory=dict)
    diffusion: Mapping[Derivative, Float[np.ndarray, "b n r"]] = field(default_factory=dict)
    diffusion_squared: Mapping[Derivative, Float[np.ndarray, "b n n"]] = field(default_factory=dict)


@runtime_checkable
class CoefficientSource(Protocol):
    """Whatever knows f and σ: an SDE's symbols, projected callables, or (later) a surrogate from data."""

    @property
    def dimension(self) -> int: ...

    @property
    def noise(self) -> int: ...

    @property
    def error(self) -> float:
        """Relative error of the coefficients themselves; 0 for exact ones."""
        ...

    def jet(self, t: Float[np.ndarray, " b"], x: Float[np.ndarray, "b n"], order: JetOrder) -> Jet:
        """Values and derivatives at a batch of points."""
        ...

    def series(
        self, ring: SeriesRing, point: Float[np.ndarray, " v"], half: Float[np.ndarray, " v"]
    ) -> dict[str, np.ndarray] | None:
        """Power series of f (n, size), σ (n, r, size) and a (n, n, size) in scaled variables, or None."""
        ...


@runtime_checkable
class ExactSource(Protocol):
    """A source that also knows its coefficients exactly, modulo a prime (see `modular`)."""

    def exact_series(self, ring: SeriesRing, names: set[str]) -> dict[str, np.ndarray] | None:
        """Power series of some coefficients at a random point, or None where a formula has none."""
        ...


def derivatives(variables: int, order: int) -> Iterator[Derivative]:
    """All derivatives in `variables` variables up to `order`, lowest first; none for order −1."""
    for length in range(order + 1):
        yield from combinations_with_replacement(range(variables), length)
