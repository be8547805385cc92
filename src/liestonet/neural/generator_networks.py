"""Generators as networks: values, gradients and the second derivatives that the equations need, in one pass.

Large batches are evaluated in pieces that fit in the processor's cache; intermediate values are recomputed for the
gradient, which is cheaper than reading them from memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple, Protocol, runtime_checkable

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from liestonet.neural.channels import (
    ACTIVATIONS,
    Covariance,
    Layer,
    Second,
    affine,
    carried_beside,
    channels,
    hidden,
    upper_triangle,
)
from liestonet.neural.settings import Architecture

# Largest size in bytes of one hidden layer for a piece of a batch: a few of these fit in a core's cache.
PIECE = 2**20


class GeneratorJets(NamedTuple):
    """All components (τ, ξ^1, …, ξ^n, β) of m generators at b points; `curvature` is ½ a^{jk} ∂_jk of ξ and β.

    `hessian` holds all second derivatives if they were requested.
    """

    values: Float[Array, "m b c"]
    gradient: Float[Array, "m b c v"]
    curvature: Float[Array, "m b c"]
    hessian: Float[Array, "m b c v v"] | None = None


@runtime_checkable
class DifferentiableGenerators(Protocol):
    """The interface of generators for the losses: networks, or exact generators in tests."""

    @property
    def count(self) -> int: ...

    @property
    def dimension(self) -> int: ...

    def __call__(self, points: Float[Array, "*sets b v"], squared: Covariance) -> GeneratorJets: ...

    def bent(self, points: Float[Array, "b v"], squared: Covariance) -> GeneratorJets: ...

    def values(self, points: Float[Array, "b v"]) -> Float[Array, "m b c"]: ...

    def clocks(self, times: Float[Array, "m b"]) -> Float[Array, "m b"]: ...

    def at_own(self, points: Float[Array, "m b v"], squared: Covariance) -> GeneratorJets: ...

    def own_values(self, points: Float[Array, "m b v"]) -> Float[Array, "m b c"]: ...


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

    def at_own(self, points: Float[Array, "m b v"], squared: Covariance) -> GeneratorJets:
        """Values and derivatives of generator i at the i-th set of points."""
        if not self.shared:
            return self(points, squared)
        m, b = points.shape[:2]
        all_at_all = self(points.reshape(m * b, -1), squared.reshape(m * b, *squared.shape[2:]))
        own = jnp.arange(m)
        return jax.tree.map(lambda array: array.reshape(m, m, b, *array.shape[2:])[own, own], all_at_all)

    def __call__(self, points: Float[Array, "*sets b v"], squared: Covariance) -> GeneratorJets:
        """Values, gradients and curvatures at points of the frame, where a = σσᵀ is `squared`."""
        return self._in_pieces(points, squared, Second.CURVATURE)

    def bent(self, points: Float[Array, "b v"], squared: Covariance) -> GeneratorJets:
        """Values, gradients and all second derivatives."""
        return self._in_pieces(points, squared, Second.HESSIAN)

    def values(self, points: Float[Array, "*sets b v"]) -> Float[Array, "m b c"]:
        """Values alone, without the cost of derivatives."""
        stacks = [(self.tau, points[..., :1], 1), (self.xi, points, self.dimension)]
        stacks += [(self.beta, points, 1)] if self.beta else []
        parts = [_headed(self._plain(layers, at)[:, :, None], self.count, size) for layers, at, size in stacks]
        return jnp.concatenate(parts, axis=3)[:, :, 0]

    def own_values(self, points: Float[Array, "m b v"]) -> Float[Array, "m b c"]:
        """Generator i at the i-th set of points, without derivatives."""
        m, b = points.shape[:2]
        if self.shared:
            own = jnp.arange(m)
            return self.values(points.reshape(m * b, -1)).reshape(m, m, b, -1)[own, own]
        return self.values(points)

    def clocks(self, times: Float[Array, "m b"]) -> Float[Array, "m b"]:
        """τ_i at the i-th set of times."""
        m, b = times.shape
        if self.tau[0].weight.shape[0] == m:
            return self._plain(self.tau, times[..., None])[..., 0]
        every = self._plain(self.tau, times.reshape(1, m * b, 1)).reshape(m, b, m)
        return every[jnp.arange(m), :, jnp.arange(m)]

    def _plain(self, layers: Sequence[Layer], points: Float[Array, "*sets b v"]) -> Float[Array, "g b o"]:
        """Outputs of a network's last layer without derivatives."""
        h = hidden(layers, points if points.ndim == 3 else points[None], ACTIVATIONS[self.activation])
        return affine(h, layers[-1])

    def _in_pieces(self, points: Array, squared: Array, second: str) -> GeneratorJets:
        """Evaluate large batches in pieces, so that hidden layers stay in the cache."""
        batch = points.shape[-2]
        piece = _piece(self, batch, 1 + carried_beside(self.dimension + 1, second))
        if piece == batch:
            return self._evaluate(points, squared, second)

        def split(array: Array, axis: int) -> Array:
            shape = (*array.shape[:axis], batch // piece, piece, *array.shape[axis + 1 :])
            return jnp.moveaxis(array.reshape(shape), axis, 0)

        axis = points.ndim - 2
        evaluate = jax.checkpoint(lambda part: self._evaluate(part[0], part[1], second))
        found = jax.lax.map(evaluate, (split(points, axis), split(squared, axis)))

        def joined(array: Array) -> Array:
            return jnp.moveaxis(array, 0, 1).reshape(array.shape[1], batch, *array.shape[3:])

        return jax.tree.map(joined, found)

    def _evaluate(self, points: Array, squared: Array, second: str) -> GeneratorJets:
        """All channels of all components."""
        n, m = self.dimension, self.count
        activation = ACTIVATIONS[self.activation]
        in_time = Second.HESSIAN if second == Second.HESSIAN else Second.NONE
        tau = channels(self.tau, points[..., :1], None, activation, in_time)
        parts = [_in_full(_headed(tau, m, 1), n, second)]
        parts.append(_headed(channels(self.xi, points, squared, activation, second), m, n))
        if self.beta:
            parts.append(_headed(channels(self.beta, points, squared, activation, second), m, 1))
        joined = jnp.concatenate(parts, axis=3)
        values, gradient = joined[:, :, 0], jnp.moveaxis(joined[:, :, 1 : n + 2], 2, 3)
        if second == Second.CURVATURE:
            return GeneratorJets(values, gradient, joined[:, :, -1])
        hessian = _matrices(joined[:, :, n + 2 :], n + 1)
        spread = squared if squared.ndim > points.ndim else squared[..., None] * jnp.eye(n)
        curvature = 0.5 * jnp.einsum("...bjk,mbcjk->mbc", spread, hessian[..., 1:, 1:])
        return GeneratorJets(values, gradient, curvature, hessian)


def _piece(networks: Networks, batch: int, carried: int) -> int:
    """Points of a piece: the largest divisor of the batch whose hidden layer is small enough, or the whole batch."""
    width = max(layer.weight.shape[2] for layer in networks.xi[:-1])
    most = max(16, PIECE // (8 * carried * width))
    if batch <= most:
        return batch
    largest = max(size for size in range(1, most + 1) if batch % size == 0)
    return largest if 4 * largest >= most else batch


def _matrices(entries: Float[Array, "m b p c"], variables: int) -> Float[Array, "m b c v v"]:
    """Symmetric matrices from their upper triangles."""
    places = {pair: place for place, pair in enumerate(upper_triangle(variables))}
    order = np.array([[places[min(i, j), max(i, j)] for j in range(variables)] for i in range(variables)])
    return jnp.moveaxis(entries, 2, 3)[..., order]


def _headed(h: Float[Array, "g b k o"], count: int, components: int) -> Float[Array, "m b k c"]:
    """Outputs with one row per generator, from separate networks or from heads of a common one."""
    g, b, k, _ = h.shape
    return h if g == count else jnp.moveaxis(h.reshape(b, k, count, components), 2, 0)


def _in_full(tau: Float[Array, "m b k one"], dimension: int, second: str) -> Float[Array, "m b full one"]:
    """τ padded with its zero derivatives in the coordinates and zero curvature."""
    carried, v = carried_beside(dimension + 1, second), dimension + 1
    full = jnp.zeros((*tau.shape[:2], 1 + carried, 1), dtype=tau.dtype)
    # value and ∂t come first, and ∂tt is the first of the second derivatives
    return full.at[:, :, np.array([0, 1, 1 + v][: tau.shape[2]])].set(tau)


def make_networks(key: PRNGKeyArray, shape: Architecture, count: int, dimension: int, has_beta: bool) -> Networks:
    """Networks with random weights of the usual size 1/√inputs, and biases by the settings."""
    scattered = 0.5 if shape.initial == "scattered" else 0.0
    keys = jax.random.split(key, 3)
    groups = 1 if shape.shared else count
    heads = count if shape.shared else 1
    # inputs, hidden widths and outputs of τ, ξ and β
    stacks = [
        (1, *shape.tau, heads),
        (dimension + 1, *shape.xi, dimension * heads),
        *([(dimension + 1, *shape.beta, heads)] if has_beta else []),
    ]
    most = groups * max(i * o for sizes in stacks for i, o in pairwise(sizes))

    def drawn(key: PRNGKeyArray, *sizes: int) -> Float[np.ndarray, "..."]:
        """Normal random numbers, cut from an array of the largest layer's size: one compilation serves all layers."""
        numbers = np.asarray(jax.random.normal(key, (most,), dtype=jnp.float64))
        return numbers[: int(np.prod(sizes))].reshape(sizes)

    def stack(key: PRNGKeyArray, sizes: Sequence[int]) -> tuple[Layer, ...]:
        layers = []
        for position, k in enumerate(jax.random.split(key, len(sizes) - 1)):
            i, o = sizes[position], sizes[position + 1]
            weights, biases = jax.random.split(k)
            weight = drawn(weights, groups, i, o) * (1 / np.sqrt(i))
            spread = 0.0 if position == len(sizes) - 2 else scattered
            layers.append(Layer(jnp.asarray(weight), jnp.asarray(spread * drawn(biases, groups, o))))
        return tuple(layers)

    tau, xi, *beta = (stack(k, sizes) for k, sizes in zip(keys, stacks, strict=False))
    return Networks(tau, xi, beta[0] if beta else (), count, dimension, shape.activation)
