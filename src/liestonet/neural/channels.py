"""Forward-mode derivatives: values and derivatives are propagated through the layers of networks together.

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
# a = σσᵀ at points, or its diagonal where it has nothing else.
Covariance = Float[Array, "*sets b n n"] | Float[Array, "*sets b n"]


class Layer(eqx.Module):
    """One affine map for each of g networks side by side."""

    weight: Float[Array, "g i o"] | Float[np.ndarray, "g i o"]
    bias: Float[Array, "g o"] | Float[np.ndarray, "g o"]


class Second:
    """Which second derivatives are propagated: none, ½ a^{jk} ∂_jk, or all of them."""

    NONE, CURVATURE, HESSIAN = "none", "curvature", "hessian"


def carried_beside(variables: int, second: str) -> int:
    """The number of derivatives propagated with the value."""
    return variables + {Second.NONE: 0, Second.CURVATURE: 1, Second.HESSIAN: variables * (variables + 1) // 2}[second]


def upper_triangle(variables: int) -> tuple[tuple[int, int], ...]:
    return tuple((i, j) for i, j in combinations_with_replacement(range(variables), 2))


def channels(
    layers: Sequence[Layer],
    points: Float[Array, "*sets b v"],
    squared: Covariance | None,
    activation: Activation,
    second: str,
) -> Float[Array, "groups b k o"]:
    """Value, gradient and second derivatives of the outputs of every network, one network after the other.

    Each channel is a separate array: matrix products that fit in the cache are three times as fast as one product for
    all networks and channels. Intermediate values of a network are recomputed for the gradient.
    """
    groups = layers[0].weight.shape[0]
    own = points.ndim == 3 and points.shape[0] == groups

    def outputs(layers: Sequence[Layer], at: Array, spread: Array | None) -> Array:
        return jnp.stack(_carried_through(layers, at, spread, activation, second), axis=1)

    if groups == 1:
        if points.ndim == 3:
            points, squared = points[0], None if squared is None else squared[0]
        return outputs(jax.tree.map(lambda leaf: leaf[0], tuple(layers)), points, squared)[None]
    if own:
        each = jax.checkpoint(lambda part: outputs(*part))
        return jax.lax.map(each, (tuple(layers), points, squared))
    return jax.lax.map(jax.checkpoint(lambda one: outputs(one, points, squared)), tuple(layers))


def _carried_through(
    layers: Sequence[Layer], points: Array, squared: Array | None, activation: Activation, second: str
) -> list[Array]:
    """The channels of one network's outputs; second derivatives are None up to the first hidden layer."""
    variables = points.shape[-1]
    value = points @ layers[0].weight + layers[0].bias
    slopes = [jnp.broadcast_to(row, value.shape) for row in layers[0].weight]
    bends: list[Array | None] = [None] * (carried_beside(variables, second) - variables)
    for layer in layers[1:]:
        value, slopes, bends = _activated(value, slopes, bends, squared, activation, second)
        value = value @ layer.weight + layer.bias
        slopes = [slope @ layer.weight for slope in slopes]
        bends = [None if bend is None else bend @ layer.weight for bend in bends]
    return [value, *slopes, *(jnp.zeros_like(value) if bend is None else bend for bend in bends)]


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


def _activated(
    z: Array,
    slopes: list[Array],
    bends: list[Array | None],
    squared: Array | None,
    activation: Activation,
    second: str,
) -> tuple[Array, list[Array], list[Array | None]]:
    """φ(z) with the chain rule: φ' ∇z, φ' Kz + ½ φ'' a^{jk} z_j z_k for the curvature K, φ' z_jk + φ'' z_j z_k."""
    value, first, bend = activation(z)

    def bent(before: Array | None, product: Array) -> Array:
        return bend * product if before is None else first * before + bend * product

    if second == Second.CURVATURE and squared is not None:
        bends = [bent(bends[0], 0.5 * _quadratic(squared, slopes[1:]))]
    if second == Second.HESSIAN:
        pairs = upper_triangle(len(slopes))
        bends = [bent(before, slopes[i] * slopes[j]) for before, (i, j) in zip(bends, pairs, strict=True)]
    return value, [first * slope for slope in slopes], bends


def _quadratic(squared: Float[Array, "b n n"] | Float[Array, "b n"], slopes: list[Array]) -> Float[Array, "b o"]:
    """a^{jk} z_j z_k of a symmetric a, every pair once, or of its diagonal."""
    if squared.ndim == 2:
        terms = [squared[:, i, None] * slope**2 for i, slope in enumerate(slopes)]
    else:
        terms = [
            (1.0 if i == j else 2.0) * squared[:, i, j, None] * slopes[i] * slopes[j]
            for i, j in upper_triangle(len(slopes))
        ]
    return sum(terms[1:], start=terms[0])


def _tanh(z: Array) -> tuple[Array, Array, Array]:
    value = jnp.tanh(z)
    first = 1 - value**2
    return value, first, -2 * value * first


def _swish(z: Array) -> tuple[Array, Array, Array]:
    s = 0.5 * (1 + jnp.tanh(0.5 * z))  # far faster in double precision than the exponential
    slope = s * (1 - s)
    return z * s, s + z * slope, slope * (2 + z * (1 - 2 * s))


ACTIVATIONS: dict[str, Activation] = {"tanh": _tanh, "swish": _swish}
