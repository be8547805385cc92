"""Coefficients as jets: values and derivatives of f, σ and a = σσᵀ at a batch of points (docs/method.md §1.1).

A derivative is named by the sorted tuple of the variables it is taken in, 0 for time and i for the
i-th coordinate: `()` is the value, `(0,)` is ∂t, `(1, 2)` is ∂1∂2. An absent key is identically zero.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations_with_replacement
from typing import Protocol, TypeVar, runtime_checkable

import numpy as np
from jaxtyping import Float

from liestonet.core.power_series import SeriesRing
from liestonet.core.uncertainty import Errors, Information

Derivative = tuple[int, ...]
Same = TypeVar("Same")


@dataclass(frozen=True)
class JetOrder:
    """Highest order of derivative needed of each coefficient; −1 if not even its value is needed."""

    drift: int = -1
    diffusion: int = -1
    diffusion_squared: int = -1
    killing: int = -1


@dataclass(frozen=True)
class Jet:
    """Derivatives of the coefficients at B points: arrays (B, n), (B, n, r) and (B, n, n) by derivative.

    `killing` (B, 1, 1) is the rate at which paths end; it appears only in the Fokker–Planck equation.
    """

    drift: Mapping[Derivative, Float[np.ndarray, "b n"]] = field(default_factory=dict)
    diffusion: Mapping[Derivative, Float[np.ndarray, "b n r"]] = field(default_factory=dict)
    diffusion_squared: Mapping[Derivative, Float[np.ndarray, "b n n"]] = field(default_factory=dict)
    killing: Mapping[Derivative, Float[np.ndarray, "b 1 1"]] = field(default_factory=dict)


# f (b, n, s), σ (b, n, r, s) and a (b, n, n, s) by derivative: a jet for each of s parameter directions.
DirectionArrays = Mapping[Derivative, Float[np.ndarray, "..."]]


@dataclass(frozen=True)
class JetDirections:
    """How a jet changes in each of s directions of the parameters; arrays as in `Jet` with one more axis."""

    drift: DirectionArrays
    diffusion: DirectionArrays
    diffusion_squared: DirectionArrays


@runtime_checkable
class Coefficients(Protocol):
    """A source of f and σ: an SDE's symbols, projected callables, or a surrogate from data."""

    @property
    def dimension(self) -> int: ...

    @property
    def noise(self) -> int: ...

    @property
    def error(self) -> float:
        """Relative error of the coefficients; 0 if they are exact."""
        ...

    def jet(self, t: Float[np.ndarray, " b"], x: Float[np.ndarray, "b n"], order: JetOrder) -> Jet:
        """Values and derivatives of the coefficients at a batch of points."""
        ...

    def series(
        self, ring: SeriesRing, point: Float[np.ndarray, " v"], half: Float[np.ndarray, " v"]
    ) -> dict[str, np.ndarray] | None:
        """Power series of f (n, size), σ (n, r, size) and a (n, n, size) in scaled variables, or None."""
        ...


@runtime_checkable
class EstimatedCoefficients(Coefficients, Protocol):
    """Coefficients from data: smooth functions of parameters, with the errors of these parameters.

    `errors` are used to test symmetries; `information` is the joint information of data and prior about all parameters,
    None if the sums over the data were not kept.
    """

    @property
    def parameters(self) -> Float[np.ndarray, " p"]: ...

    @property
    def errors(self) -> Errors: ...

    @property
    def information(self) -> Information | None: ...

    def with_parameters(self: Same, parameters: Float[np.ndarray, " p"]) -> Same:
        """The same functions with other parameters and the same errors."""
        ...

    def with_errors(self: Same, errors: Errors) -> Same:
        """The same functions and parameters with other errors."""
        ...

    def jet_and_directions(
        self, points: Float[np.ndarray, "b v"], order: JetOrder, directions: Float[np.ndarray, "p s"] | None
    ) -> tuple[Jet, JetDirections | None]:
        """The jet at points (t, x), and its derivatives in the directions of the parameters, if any are given."""
        ...


@runtime_checkable
class ExactSource(Protocol):
    """A source of coefficients that can also compute them exactly, modulo a prime (see `modular`)."""

    def exact_series(self, ring: SeriesRing, names: set[str]) -> dict[str, np.ndarray] | None:
        """Power series of the named coefficients at a random point; None if a formula has no such series."""
        ...


def derivatives(variables: int, order: int) -> Iterator[Derivative]:
    """All derivatives in `variables` variables up to `order`, lowest first; none for order −1."""
    for length in range(order + 1):
        yield from combinations_with_replacement(range(variables), length)
