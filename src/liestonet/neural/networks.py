"""Generators as networks: values, gradients and the second derivatives that the equations need, in one pass.

Derivatives are carried through the layers beside the values: a channel for the value, one per variable for the
gradient, and one for the curvature ½ a^{jk} ∂_jk, the only second derivative in the determining equations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

# φ and its first two derivatives.
Activation = Callable[[Array], tuple[Array, Array, Array]]


class Layer(eqx.Module):
    """One affine map for each of g networks side by side."""

    weight: Float[Array, "g i o"]
    bias: Float[Array, "g o"]


class Fields(NamedTuple):
    """All components (τ, ξ^1, …, ξ^n, β) of m generators at b points; `curvature` is ½ a^{jk} ∂_jk of ξ and β."""

    values: Float[Array, "m b c"]
    gradient: Float[Array, "m b c v"]
    curvature: Float[Array, "m b c"]


@runtime_checkable
class Generators(Protocol):
    """What the losses ask of generators: networks, or in tests exact ones."""

    @property
    def count(self) -> int: ...

    @property
    def dimension(self) -> int: ...

    def __call__(self, points: Float[Array, "*sets b v"], squared: Float[Array, "*sets b n n"]) -> Fields: ...

    def at_own(self, points: Float[Array, "m b v"], squared: Float[Array, "m b n n"]) -> Fields: ...


class Networks(eqx.Module):
    """τ(t), ξ(t, x) and β(t, x) of m generators: a network each, or heads on common layers."""

    tau: tuple[Layer, ...]
    xi: tuple[Layer, ...]
    beta: tuple[Layer, ...]
    count: int = eqx.field(static=True)
    dimension: int = eqx.field(static=True)
    activation: str = eqx.field(static=True)

    @property
    def shared(self) -> bool:
        """Whether the generators are heads on common layers."""
        return self.xi[0].weight.shape[0] != self.count

    def at_own(self, points: Float[Array, "m b v"], squared: Float[Array, "m b n n"]) -> Fields:
        """Generator i at the i-th set of points."""
        if not self.shared:
            return self(points, squared)
        m, b = points.shape[:2]
        all_at_all = self(points.reshape(m * b, -1), squared.reshape(m * b, *squared.shape[2:]))
        own = jnp.arange(m)
        return Fields(*(array.reshape(m, m, b, *array.shape[2:])[own, own] for array in all_at_all))

    def __call__(self, points: Float[Array, "*sets b v"], squared: Float[Array, "*sets b n n"]) -> Fields:
        """Values, gradients and curvatures at points of the frame, where a = σσᵀ is `squared`."""
        n, m = self.dimension, self.count
        activation = ACTIVATIONS[self.activation]
        tau = channels(self.tau, points[..., :1], None, activation)
        parts = [_in_full(_headed(tau, m, 1), n)]
        parts.append(_headed(channels(self.xi, points, squared, activation), m, n))
        if self.beta:
            parts.append(_headed(channels(self.beta, points, squared, activation), m, 1))
        joined = jnp.concatenate(parts, axis=3)
        return Fields(joined[:, :, 0], jnp.moveaxis(joined[:, :, 1:-1], 2, 3), joined[:, :, -1])


def channels(
    layers: Sequence[Layer],
    points: Float[Array, "*sets b v"],
    squared: Float[Array, "*sets b n n"] | None,
    activation: Activation,
) -> Float[Array, "groups b k o"]:
    """Value, gradient and curvature of a network's outputs; without `squared` the curvature is that of no noise."""
    h = seeded(points, squared is not None)
    for position, layer in enumerate(layers):
        h = jnp.einsum("gbki,gio->gbko", jnp.broadcast_to(h, (layer.weight.shape[0], *h.shape[1:])), layer.weight)
        h = h.at[:, :, 0].add(layer.bias[:, None, :])
        if position < len(layers) - 1:
            h = _activated(h, squared, activation)
    return h


def features(layers: Sequence[Layer], points: Float[Array, "b v"], activation: Activation) -> Float[Array, "b o"]:
    """Outputs of the last hidden layer of all networks, side by side."""
    h = points[None]
    for layer in layers[:-1]:
        inputs = jnp.broadcast_to(h, (layer.weight.shape[0], *h.shape[1:]))
        h = activation(jnp.einsum("gbi,gio->gbo", inputs, layer.weight) + layer.bias[:, None, :])[0]
    return jnp.moveaxis(h, 0, 1).reshape(len(points), -1)


def seeded(points: Float[Array, "*sets b v"], curved: bool) -> Float[Array, "groups b k v"]:
    """The variables themselves: gradient one, curvature zero."""
    points = points if points.ndim == 3 else points[None]
    variables = points.shape[-1]
    gradient = jnp.broadcast_to(jnp.eye(variables, dtype=points.dtype), (*points.shape[:2], variables, variables))
    parts = [points[:, :, None, :], gradient, *([jnp.zeros_like(points)[:, :, None, :]] if curved else [])]
    return jnp.concatenate(parts, axis=2)


def _activated(
    h: Float[Array, "g b k o"], squared: Float[Array, "*sets b n n"] | None, activation: Activation
) -> Float[Array, "g b k o"]:
    """φ(z) with the chain rule: φ' ∇z, and φ' Kz + ½ φ'' a^{jk} z_j z_k for the curvature K."""
    value, first, second = activation(h[:, :, 0])
    rest = first[:, :, None] * h[:, :, 1:]
    if squared is not None:
        n = squared.shape[-1]
        state = h[:, :, 2 : 2 + n]
        bent = jnp.sum(jnp.einsum("...jk,...ko->...jo", squared, state) * state, axis=2)
        rest = rest.at[:, :, -1].add(0.5 * second * bent)
    return jnp.concatenate([value[:, :, None], rest], axis=2)


def _headed(h: Float[Array, "g b k o"], count: int, components: int) -> Float[Array, "m b k c"]:
    """One row per generator, whether it had a network of its own or a head on a common one."""
    g, b, k, _ = h.shape
    return h if g == count else jnp.moveaxis(h.reshape(b, k, count, components), 2, 0)


def _in_full(tau: Float[Array, "m b k one"], dimension: int) -> Float[Array, "m b full one"]:
    """τ with the derivatives in the coordinates, and the curvature, that it does not have."""
    missing = jnp.zeros((*tau.shape[:2], dimension + 1, 1), dtype=tau.dtype)
    return jnp.concatenate([tau, missing], axis=2)


def _tanh(z: Array) -> tuple[Array, Array, Array]:
    value = jnp.tanh(z)
    first = 1 - value**2
    return value, first, -2 * value * first


def _swish(z: Array) -> tuple[Array, Array, Array]:
    s = jax.nn.sigmoid(z)
    slope = s * (1 - s)
    return z * s, s + z * slope, slope * (2 + z * (1 - 2 * s))


ACTIVATIONS: dict[str, Activation] = {"tanh": _tanh, "swish": _swish}


def make_networks(
    key: PRNGKeyArray,
    count: int,
    dimension: int,
    widths: tuple[Sequence[int], Sequence[int], Sequence[int]],
    activation: str,
    shared: bool,
    has_beta: bool,
) -> Networks:
    """Networks with random weights of the usual size 1/√inputs; `widths` are the hidden ones of τ, ξ and β."""
    keys = jax.random.split(key, 3)
    groups = 1 if shared else count
    heads = count if shared else 1

    def stack(key: PRNGKeyArray, inputs: int, hidden: Sequence[int], outputs: int) -> tuple[Layer, ...]:
        sizes = [inputs, *hidden, outputs * heads]
        layers = []
        for position, k in enumerate(jax.random.split(key, len(sizes) - 1)):
            i, o = sizes[position], sizes[position + 1]
            weights, biases = jax.random.split(k)
            weight = jax.random.normal(weights, (groups, i, o), dtype=jnp.float64) / jnp.sqrt(1.0 * i)
            spread = 0.0 if position == len(sizes) - 2 else 0.5
            layers.append(Layer(weight, spread * jax.random.normal(biases, (groups, o), dtype=jnp.float64)))
        return tuple(layers)

    beta = stack(keys[2], dimension + 1, widths[2], 1) if has_beta else ()
    tau, xi = stack(keys[0], 1, widths[0], 1), stack(keys[1], dimension + 1, widths[1], dimension)
    return Networks(tau, xi, beta, count, dimension, activation)
