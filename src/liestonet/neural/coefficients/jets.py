"""Derivatives of the networks on a cloud, and their changes with the last layers: compiled once, returned as NumPy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from liestonet.core.coefficients import Derivative, derivatives
from liestonet.neural.coefficients.coefficient_networks import (
    CoefficientWeights,
    Form,
    Units,
    both_features,
    place,
    scored,
)

# Points per piece, and the multiple to which directions are padded: few shapes need few compilations.
ROWS, COLUMNS = 128, 16

Tensors = list[jax.Array]


def parameter_vector(weights: CoefficientWeights) -> Float[np.ndarray, " p"]:
    """The last layers as one vector: drift, then diffusion, each ordered by feature."""
    return np.concatenate([np.ravel(weights.drift.last), np.ravel(weights.diffusion.last)])


def with_parameter_vector(weights: CoefficientWeights, vector: Float[np.ndarray, " p"]) -> CoefficientWeights:
    """The weights with the same hidden layers and other last layers."""
    size = np.size(weights.drift.last)
    drift = vector[:size].reshape(np.shape(weights.drift.last))
    diffusion = vector[size:].reshape(np.shape(weights.diffusion.last))
    return CoefficientWeights(weights.drift._replace(last=drift), weights.diffusion._replace(last=diffusion))


def jets(
    form: Form,
    units: Units,
    weights: CoefficientWeights,
    points: Float[np.ndarray, "b v"],
    orders: tuple[int, int],
    directions: Float[np.ndarray, "p s"] | None,
) -> tuple[dict[Derivative, np.ndarray], dict[Derivative, np.ndarray]]:
    """Derivatives of f (b, n, 1 + s) and a (b, n, n, 1 + s): the networks' own, then their change in each direction."""
    count = 0 if directions is None else directions.shape[1]
    given = np.zeros((len(parameter_vector(weights)), -(-count // COLUMNS) * COLUMNS))
    if directions is not None:
        given[:, :count] = directions
    drift, squared = given[: np.size(weights.drift.last)], given[np.size(weights.drift.last) :]
    changes = (
        drift.reshape(*np.shape(weights.drift.last), -1),
        squared.reshape(*np.shape(weights.diffusion.last), -1),
    )
    found = _in_pieces(partial(_piece, form, orders, units, weights, changes), points)
    return tuple(_by_derivative(tensors, points.shape[1], 1 + count) for tensors in found)  # pyright: ignore[reportReturnType]


def _in_pieces(function: Callable[[Any], tuple[Tensors, Tensors]], points: np.ndarray) -> tuple[Any, Any]:
    """Apply a function to pieces with a fixed number of points, and concatenate."""
    filled = np.concatenate([points, np.repeat(points[-1:], (-len(points)) % ROWS, axis=0)])
    parts = [jax.device_get(function(filled[first : first + ROWS])) for first in range(0, len(filled), ROWS)]
    joined = [
        [np.concatenate([part[which][level] for part in parts])[: len(points)] for level in range(len(parts[0][which]))]
        for which in (0, 1)
    ]
    return joined[0], joined[1]


@partial(jax.jit, static_argnums=(0, 1))
def _piece(
    form: Form,
    orders: tuple[int, int],
    units: Units,
    weights: CoefficientWeights,
    changes: tuple[Any, Any],
    points: jax.Array,
) -> tuple[Tensors, Tensors]:
    """Tensors of derivatives at some points, one per order: (b, n, s, v, …) and (b, n, n, s, v, …)."""

    def drift(point: jax.Array) -> jax.Array:
        shared, _ = both_features(form, weights, scored(form, units, point))
        columns = jnp.concatenate([weights.drift.last[..., None], changes[0]], axis=-1)
        return units.drift[:, None] * jnp.tensordot(shared, columns, axes=1)

    def squared(point: jax.Array) -> jax.Array:
        _, shared = both_features(form, weights, scored(form, units, point))

        def at(outputs: jax.Array) -> jax.Array:
            root = place(form, units, outputs)
            return root @ root.T

        outputs = shared @ weights.diffusion.last
        moved = jnp.tensordot(shared, changes[1], axes=1)
        change = jax.vmap(lambda tangent: jax.jvp(at, (outputs,), (tangent,))[1], in_axes=1, out_axes=-1)
        value = at(outputs)[..., None]
        return jnp.concatenate([value, change(moved)], axis=-1) if changes[1].shape[-1] else value

    return _tower(drift, orders[0], points), _tower(squared, orders[1], points)


def _tower(function: Callable[[jax.Array], jax.Array], order: int, points: jax.Array) -> Tensors:
    """The function and its derivatives up to an order, at all points."""
    result = []
    for _ in range(order + 1):
        result.append(jax.vmap(function)(points))
        function = jax.jacfwd(function)
    return result


def _by_derivative(tensors: list[np.ndarray], variables: int, columns: int) -> dict[Derivative, np.ndarray]:
    """Tensors by the names of their derivatives, without padding."""
    order = len(tensors) - 1
    result = {}
    for derivative in derivatives(variables, order):
        array = tensors[len(derivative)][(..., *derivative)]
        result[derivative] = np.ascontiguousarray(array[..., :columns])
    return result


def first_column(arrays: Mapping[Derivative, np.ndarray]) -> dict[Derivative, np.ndarray]:
    """The networks' own derivatives."""
    return {derivative: np.ascontiguousarray(array[..., 0]) for derivative, array in arrays.items()}


def further_columns(arrays: Mapping[Derivative, np.ndarray]) -> dict[Derivative, np.ndarray]:
    """The changes in each direction."""
    return {derivative: array[..., 1:] for derivative, array in arrays.items()}
