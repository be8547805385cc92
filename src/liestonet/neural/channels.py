"""Derivatives carried through the layers of networks beside the values.

A channel for the value, one per variable for the gradient, and for second derivatives either one for the curvature
½ a^{jk} ∂_jk, the only one in the determining equations, or one for each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations_with_replacement

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

# φ and its first two derivatives.
Activation = Callable[[Array], tuple[Array, Array, Array]]


class Layer(eqx.Module):
    """One affine map for each of g networks side by side."""

    weight: Float[Array, "g i o"] | Float[np.ndarray, "g i o"]
    bias: Float[Array, "g o"] | Float[np.ndarray, "g o"]


class Second:
    """Which second derivatives are carried: none, ½ a^{jk} ∂_jk, or all of them."""

    NONE, CURVATURE, HESSIAN = "none", "curvature", "hessian"


def carried_beside(variables: int, second: str) -> int:
    """How many derivatives are carried beside the value."""
    return variables + {Second.NONE: 0, Second.CURVATURE: 1, Second.HESSIAN: variables * (variables + 1) // 2}[second]


def upper_triangle(variables: int) -> tuple[tuple[int, int], ...]:
    return tuple((i, j) for i, j in combinations_with_replacement(range(variables), 2))


def channels(
    layers: Sequence[Layer],
    points: Float[Array, "*sets b v"],
    squared: Float[Array, "*sets b n n"] | None,
    activation: Activation,
    second: str,
) -> Float[Array, "groups b k o"]:
    """Value, gradient and second derivatives of a network's outputs."""
    h = seeded(points, second)
    for position, layer in enumerate(layers):
        h = jnp.einsum("gbki,gio->gbko", jnp.broadcast_to(h, (layer.weight.shape[0], *h.shape[1:])), layer.weight)
        h = h.at[:, :, 0].add(layer.bias[:, None, :])
        if position < len(layers) - 1:
            h = _activated(h, points.shape[-1], squared, activation, second)
    return h


def affine(h: Float[Array, "s b i"], layer: Layer) -> Float[Array, "g b o"]:
    """One layer of all networks, on common or on own inputs."""
    inputs = jnp.broadcast_to(h, (layer.weight.shape[0], *h.shape[1:]))
    return jnp.einsum("gbi,gio->gbo", inputs, layer.weight) + layer.bias[:, None, :]


def hidden(layers: Sequence[Layer], h: Float[Array, "s b v"], activation: Activation) -> Float[Array, "g b o"]:
    """Outputs of the last hidden layer."""
    for layer in layers[:-1]:
        h = activation(affine(h, layer))[0]
    return h


def features(layers: Sequence[Layer], points: Float[Array, "b v"], activation: Activation) -> Float[Array, "b o"]:
    """Outputs of the last hidden layer of all networks, side by side."""
    return jnp.moveaxis(hidden(layers, points[None], activation), 0, 1).reshape(len(points), -1)


def seeded(points: Float[Array, "*sets b v"], second: str) -> Float[Array, "groups b k v"]:
    """The variables themselves: gradient one, second derivatives zero."""
    points = points if points.ndim == 3 else points[None]
    variables = points.shape[-1]
    gradient = jnp.broadcast_to(jnp.eye(variables, dtype=points.dtype), (*points.shape[:2], variables, variables))
    more = carried_beside(variables, second) - variables
    nothing = jnp.zeros((*points.shape[:2], more, variables), dtype=points.dtype)
    return jnp.concatenate([points[:, :, None, :], gradient, nothing], axis=2)


def _activated(
    h: Float[Array, "g b k o"],
    variables: int,
    squared: Float[Array, "*sets b n n"] | None,
    activation: Activation,
    second: str,
) -> Float[Array, "g b k o"]:
    """φ(z) with the chain rule: φ' ∇z, φ' Kz + ½ φ'' a^{jk} z_j z_k for the curvature K, φ' z_jk + φ'' z_j z_k."""
    value, first, bend = activation(h[:, :, 0])
    rest = first[:, :, None] * h[:, :, 1:]
    slope = h[:, :, 1 : 1 + variables]
    if second == Second.CURVATURE and squared is not None:
        state = slope[:, :, 1:]
        crossed = jnp.sum(jnp.einsum("...jk,...ko->...jo", squared, state) * state, axis=2)
        rest = rest.at[:, :, -1].add(0.5 * bend * crossed)
    if second == Second.HESSIAN:
        i, j = np.array(upper_triangle(variables)).T
        rest = rest.at[:, :, variables:].add(bend[:, :, None] * slope[:, :, i] * slope[:, :, j])
    return jnp.concatenate([value[:, :, None], rest], axis=2)


def _tanh(z: Array) -> tuple[Array, Array, Array]:
    value = jnp.tanh(z)
    first = 1 - value**2
    return value, first, -2 * value * first


def _swish(z: Array) -> tuple[Array, Array, Array]:
    s = jax.nn.sigmoid(z)
    slope = s * (1 - s)
    return z * s, s + z * slope, slope * (2 + z * (1 - 2 * s))


ACTIVATIONS: dict[str, Activation] = {"tanh": _tanh, "swish": _swish}
