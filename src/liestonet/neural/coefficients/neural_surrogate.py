"""Drift and diffusion as networks: a coefficient source with a covariance, like the spectral surrogate.

The parameters are the last layers' weights: given the hidden layers, f is linear in them and a smooth, so errors are
propagated exactly for f and to leading order for a. Everything is a frozen value of arrays and settings.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from liestonet.core.coefficients import Jet, JetDirections, JetOrder
from liestonet.core.domain import Domain
from liestonet.core.points import points_of
from liestonet.core.uncertainty import Errors
from liestonet.neural.coefficients.coefficient_networks import CoefficientWeights, Form, Network, Units
from liestonet.neural.coefficients.jets import (
    first_column,
    further_columns,
    jets,
    parameter_vector,
    with_parameter_vector,
)
from liestonet.neural.coefficients.settings import CoefficientSettings
from liestonet.neural.training import History
from liestonet.surrogate.cholesky import cholesky_jet
from liestonet.surrogate.overview import Overview


@dataclass(frozen=True)
class HiddenLayer:
    """One hidden layer."""

    weights: Float[np.ndarray, "inputs outputs"]
    bias: Float[np.ndarray, " outputs"]


@dataclass(frozen=True, eq=False)
class NeuralSurrogate:
    """f and a estimated from data by networks. `diffusion_layers` is empty if drift and diffusion share a network.

    `form` has the properties that are not arrays; `centre` and `spread` z-score (t, x); `drift_unit` and
    `diffusion_unit` are the outputs' units, the second for noisy coordinates only. σ is lower triangular.
    """

    overview: Overview
    settings: CoefficientSettings
    form: Form
    centre: Float[np.ndarray, " v"]
    spread: Float[np.ndarray, " v"]
    drift_unit: Float[np.ndarray, " n"]
    diffusion_unit: Float[np.ndarray, " r"]
    drift_layers: tuple[HiddenLayer, ...]
    diffusion_layers: tuple[HiddenLayer, ...]
    drift_last: Float[np.ndarray, "p n"]
    diffusion_last: Float[np.ndarray, "q k"]
    errors: Errors
    history: History

    @property
    def domain(self) -> Domain:
        return self.overview.domain

    @property
    def names(self) -> tuple[str, ...]:
        return self.overview.names

    @property
    def dimension(self) -> int:
        return self.form.dimension

    @property
    def noise(self) -> int:
        """Number of columns of σ: one per noisy coordinate."""
        return len(self.form.active)

    @property
    def noisy(self) -> Bool[np.ndarray, " n"]:
        """Which coordinates have noise of their own."""
        return np.isin(np.arange(self.dimension), self.form.active)

    @property
    def error(self) -> float:
        """Relative error of the coefficients as functions; their statistical error is in `errors`."""
        return 0.0

    @property
    def units(self) -> Units:
        """The units in the form that the networks' functions take."""
        return Units(self.centre, self.spread, self.drift_unit, self.diffusion_unit)

    @property
    def weights(self) -> CoefficientWeights:
        """All weights in the form that the networks' functions take."""
        return CoefficientWeights(
            Network(tuple((layer.weights, layer.bias) for layer in self.drift_layers), self.drift_last),
            Network(tuple((layer.weights, layer.bias) for layer in self.diffusion_layers), self.diffusion_last),
        )

    @property
    def parameters(self) -> Float[np.ndarray, " p"]:
        """The last layers' weights: drift, then diffusion."""
        return parameter_vector(self.weights)

    @property
    def parameter_covariance(self) -> Float[np.ndarray, "p p"]:
        """Covariance of `parameters`."""
        return self.errors.root @ self.errors.root.T

    def __str__(self) -> str:
        noisy = ", ".join(name for name, own in zip(self.names, self.noisy.tolist(), strict=True) if own)
        return (
            f"drift and diffusion of {', '.join(self.names)} as networks (noise in {noisy or 'none'}), trained on "
            f"{self.overview.count:,} increments"
        )

    def drift(self, t: Float[np.ndarray, " b"] | Any, x: Float[np.ndarray, "b d"] | Any) -> Float[np.ndarray, "b d"]:
        """f at points t (B,), x (B, d)."""
        points = points_of(t, x, self.dimension)
        return self.jet(points[:, 0], points[:, 1:], JetOrder(drift=0)).drift[()]

    def diffusion_squared(
        self, t: Float[np.ndarray, " b"] | Any, x: Float[np.ndarray, "b d"] | Any
    ) -> Float[np.ndarray, "b d d"]:
        """a at points t (B,), x (B, d), positive semidefinite by construction."""
        points = points_of(t, x, self.dimension)
        return self.jet(points[:, 0], points[:, 1:], JetOrder(diffusion_squared=0)).diffusion_squared[()]

    @property
    def information(self) -> None:
        """None: learnt coefficients keep no sums over the data."""
        return

    def with_errors(self, errors: Errors) -> NeuralSurrogate:
        """The same coefficients with other errors."""
        return replace(self, errors=errors)

    def with_parameters(self, parameters: Float[np.ndarray, " p"]) -> NeuralSurrogate:
        """The same networks with other last layers; the covariance is kept."""
        changed = with_parameter_vector(self.weights, parameters)
        return replace(self, drift_last=changed.drift.last, diffusion_last=changed.diffusion.last)

    def perturb(self, amplitude: object, shape: object = "sine", seed: int = 0) -> NeuralSurrogate:
        """The surrogate with a deliberate perturbation δ of drift and σ, a "sine" or a random "network"."""
        from liestonet.neural.coefficients.perturbation import perturbed

        return perturbed(self, amplitude, shape, seed)

    def series(self, ring: Any, point: Any, half: Any) -> None:
        """None: a surrogate has no exact power series."""
        return

    def jet(self, t: Float[np.ndarray, " b"], x: Float[np.ndarray, "b n"], order: JetOrder) -> Jet:
        """Values and derivatives at a batch of points."""
        return self.jet_and_directions(np.column_stack([t, x]), order, None)[0]

    def jet_and_directions(
        self, points: Float[np.ndarray, "b v"], order: JetOrder, directions: Float[np.ndarray, "p s"] | None
    ) -> tuple[Jet, JetDirections | None]:
        """The jet at points (t, x), and its changes along directions of the parameters, if given."""
        orders = (order.drift, max(order.diffusion_squared, order.diffusion))
        drift, squared = jets(self.form, self.units, self.weights, points, orders, directions)
        sigma, sigma_directions = {}, {}
        if order.diffusion >= 0:
            sigma, sigma_directions = cholesky_jet(squared, self.noisy)
        jet = Jet(first_column(drift), sigma, first_column(squared))
        if directions is None:
            return jet, None
        return jet, JetDirections(further_columns(drift), sigma_directions, further_columns(squared))
