"""The last layer of generator networks, solved exactly with the spectral engine's operator.

The last hidden layer of trained networks is a basis of functions. In it the determining equations are linear, and the
symmetries are the smallest singular directions of the same operator as in the spectral engine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import combinations_with_replacement
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from liestonet.core.coefficients import Derivative, EstimatedCoefficients
from liestonet.core.domain import Domain
from liestonet.core.points import PointCloud
from liestonet.neural.channels import ACTIVATIONS, Layer, features
from liestonet.neural.frame import TrainingFrame
from liestonet.neural.generator_networks import Networks
from liestonet.neural.tuning import GENERATORS
from liestonet.symmetry.determining.basis import Basis
from liestonet.symmetry.determining.kinds import Kind
from liestonet.symmetry.statistical.noisy_operator import NoisyOperator


@dataclass(frozen=True)
class LearnedBasis(Basis):
    """Features of trained networks, orthonormal on a cloud, used in place of polynomials.

    `degrees` only count the functions; `tables` hold the features' derivatives and `functions` combines them.
    """

    networks: Networks
    frame: TrainingFrame
    mixing: tuple[Float[np.ndarray, "_ _"], ...]
    polynomial: ClassVar[bool] = False

    def tables(self, points: Float[np.ndarray, "b v"], order: int) -> Any:
        """Derivatives up to `order` of the features of τ, ξ and β, at points of the data."""
        inside = jnp.asarray(self.frame.enter(points))
        kinds = [self.networks.tau, self.networks.xi, *([self.networks.beta] if self.networks.beta else [])]
        return [feature_jets(layers, self.networks.activation, inside, order) for layers in kinds]

    def functions(self, tables: Any, unknown: int, derivative: Derivative) -> Float[np.ndarray, "b m"]:
        """The derivative of every function of one unknown at the tabulated points."""
        jets = tables[_network_of(unknown, self.domain.dimension)]
        if derivative not in jets:
            count = len(jets[()])
            return np.zeros((count, self.mixing[unknown].shape[1]))
        unit = self.scales[unknown] / np.prod(self.frame.half[list(derivative)])
        return jets[derivative] @ self.mixing[unknown] * unit


def _network_of(unknown: int, dimension: int) -> int:
    """The index of the network of an unknown: τ, any ξ^i, or β."""
    return 0 if unknown == 0 else (1 if unknown <= dimension else 2)


def feature_jets(
    layers: tuple[Layer, ...], activation: str, points: Float[Array, "b v"], order: int
) -> dict[Derivative, np.ndarray]:
    """1, the variables and the last hidden layer, with derivatives in the frame's variables up to an order."""
    variables = layers[0].weight.shape[1]
    found = _jets(layers, activation, order, points[:, :variables])
    return {derivative: np.asarray(values) for derivative, values in found.items()}


@partial(jax.jit, static_argnums=(1, 2))
def _jets(layers: tuple[Layer, ...], activation: str, order: int, points: Array) -> dict[Derivative, Array]:
    def values(at: Array) -> Array:
        hidden = features(layers, at, ACTIVATIONS[activation])
        return jnp.concatenate([jnp.ones((len(at), 1)), at, hidden], axis=1)

    def along(function: Callable[[Array], Array], v: int) -> Callable[[Array], Array]:
        tangent = jnp.zeros_like(points).at[:, v].set(1.0)
        return lambda at: jax.jvp(function, (at,), (tangent,))[1]

    found = {}
    for length in range(order + 1):
        for derivative in combinations_with_replacement(range(points.shape[1]), length):
            function = values
            for v in derivative:
                function = along(function, v)
            found[derivative] = function(points)
    return found


def learned_basis(
    kind: Kind, networks: Networks, frame: TrainingFrame, domain: Domain, cloud: PointCloud, noise: int
) -> LearnedBasis:
    """The features of trained networks, made orthonormal on a cloud."""
    n = networks.dimension
    scales = kind.equations(n, noise).unknown_scales(domain.half)
    empty = LearnedBasis(domain, scales, (), networks, frame, ())
    tables = empty.tables(cloud.points, 0)
    root = np.sqrt(cloud.weights)[:, None]
    mixed: dict[int, np.ndarray] = {}
    for unknown in range(len(scales)):
        place = _network_of(unknown, n)
        if place not in mixed:
            mixed[place] = _orthonormal(tables[place][()] * root)
    mixing = tuple(mixed[_network_of(unknown, n)] for unknown in range(len(scales)))
    degrees = tuple(np.zeros((matrix.shape[1], n + 1), dtype=np.int64) for matrix in mixing)
    return LearnedBasis(domain, scales, degrees, networks, frame, mixing)


def _orthonormal(values: Float[np.ndarray, "b p"]) -> Float[np.ndarray, "p q"]:
    """Orthonormal combinations of columns, without those of negligible norm."""
    _, lengths, right = np.linalg.svd(values, full_matrices=False)
    kept = np.flatnonzero(lengths > GENERATORS.truncation * lengths[0])[: GENERATORS.most_functions]
    return right[kept].T / lengths[kept]


@dataclass(frozen=True)
class Polished:
    """The smallest singular directions in the learned basis, callable like networks."""

    basis: LearnedBasis
    coefficients: Float[np.ndarray, "size m"]

    def __call__(self, points: Float[np.ndarray, "b v"]) -> Float[np.ndarray, "m b c"]:
        """Components (τ, ξ, β) at points of the data."""
        tables = self.basis.tables(points, 0)
        parts = [
            self.basis.functions(tables, unknown, ()) @ self.coefficients[self.basis.columns(unknown)]
            for unknown in range(len(self.basis.scales))
        ]
        return np.stack(parts, axis=-1).swapaxes(0, 1)


def polish(
    kind: Kind,
    source: EstimatedCoefficients,
    networks: Networks,
    frame: TrainingFrame,
    domain: Domain,
    cloud: PointCloud,
) -> Polished:
    """Solve the last layer: as many smallest singular directions of the determining equations as generators."""
    basis = learned_basis(kind, networks, frame, domain, cloud, source.noise)
    operator = NoisyOperator(kind, source, basis, cloud)
    return Polished(basis, operator.whitening @ operator.lowest(networks.count))
