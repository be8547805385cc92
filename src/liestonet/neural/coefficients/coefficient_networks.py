"""The networks as pure functions of arrays: z-scored inputs, features, and outputs linear in the features.

The last layer is separate: drift and diffusion are linear in it (σ through a softplus), so that it can be solved
exactly and has a covariance. Every function takes points with any leading axes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

# softplus is 1 at this argument: outputs of zero give a σ of one unit.
SHIFT = math.log(math.e - 1)

Layers = tuple[tuple[Any, Any], ...]


class Network(NamedTuple):
    """Hidden layers (weights, bias) and the last layer's matrix (features, outputs)."""

    layers: Layers
    last: Any


class CoefficientWeights(NamedTuple):
    """Weights of drift and diffusion; a diffusion without hidden layers uses those of the drift."""

    drift: Network
    diffusion: Network


class Units(NamedTuple):
    """Units: centre and spread of (t, x), size of f^i, size of σ^i of noisy coordinates."""

    centre: Any
    spread: Any
    drift: Any
    diffusion: Any


@dataclass(frozen=True)
class Form:
    """The properties of a network that are not arrays; static for the compiler."""

    dimension: int
    active: tuple[int, ...]
    diagonal: bool
    activation: str
    skip: bool
    time_dependent: bool
    floor: float

    @property
    def entries(self) -> tuple[tuple[int, int], ...]:
        """Entries of the triangular σ, among noisy coordinates, that are outputs of the network."""
        noisy = range(len(self.active))
        return tuple((i, j) for i in noisy for j in range(i + 1) if i == j or not self.diagonal)

    @property
    def inputs(self) -> int:
        return self.dimension + self.time_dependent


def initial_weights(
    form: Form, widths: tuple[int, ...], rng: np.random.Generator, start: str = "flat"
) -> CoefficientWeights:
    """Initial weights, drawn in NumPy because a compilation would take longer.

    "flat": last layers that give no drift and σ of one unit. "random": all layers drawn, biases zero, σ around
    softplus(0).
    """
    random = start == "random"
    size = 1 + form.inputs * form.skip + widths[-1]
    sizes, spread = (form.inputs, *widths), 0.0 if random else 0.5
    layers = initial_layers(sizes, rng, spread), () if form.diagonal else initial_layers(sizes, rng, spread)
    last = [np.zeros((size, outputs)) for outputs in (form.dimension, len(form.entries))]
    if random:
        for matrix in last:
            matrix[1:] = np.sqrt(2 / (widths[-1] + matrix.shape[1])) * rng.standard_normal(matrix[1:].shape)
        last[1][0] = [-SHIFT if i == j else 0.0 for i, j in form.entries]
    return CoefficientWeights(Network(layers[0], last[0]), Network(layers[1], last[1]))


def initial_layers(sizes: tuple[int, ...], rng: np.random.Generator, spread: float = 0.5) -> Layers:
    """Hidden layers with Glorot initialisation and scattered biases: units are nonlinear in different places."""
    return tuple(
        (np.sqrt(2 / (a + b)) * rng.standard_normal((a, b)), spread * rng.standard_normal(b))
        for a, b in pairwise(sizes)
    )


def features(form: Form, layers: Layers, inputs: jax.Array) -> jax.Array:
    """The features: 1, the inputs if they skip the hidden layers, and the last hidden layer."""
    hidden = hidden_layers(form.activation, layers, inputs)
    parts = [jnp.ones_like(inputs[..., :1]), *([inputs] if form.skip else []), hidden]
    return jnp.concatenate(parts, axis=-1)


def hidden_layers(activation: str, layers: Layers, inputs: jax.Array) -> jax.Array:
    """The last hidden layer."""
    bend = jnp.tanh if activation == "tanh" else swish
    for weights, bias in layers:
        inputs = bend(inputs @ weights + bias)
    return inputs


def swish(z: jax.Array) -> jax.Array:
    """z/(1 + e^{−z}), with the hyperbolic tangent, which compiles to far faster code in double precision."""
    return 0.5 * z * (1 + jnp.tanh(0.5 * z))


def scored(form: Form, units: Units, points: jax.Array) -> jax.Array:
    """z-scored inputs of points (t, x), without time if the model does not depend on it."""
    inputs = (points - units.centre) / units.spread
    return inputs if form.time_dependent else inputs[..., 1:]


def both_features(form: Form, weights: CoefficientWeights, inputs: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Features of drift and of diffusion."""
    first = features(form, weights.drift.layers, inputs)
    return first, features(form, weights.diffusion.layers, inputs) if weights.diffusion.layers else first


def triangle(form: Form, outputs: jax.Array) -> jax.Array:
    """The lower triangular σ (…, r, r) of noisy coordinates from its outputs, in its units."""
    rank = len(form.active)
    result = jnp.zeros((*outputs.shape[:-1], rank, rank))
    for column, (i, j) in enumerate(form.entries):
        value = outputs[..., column]
        value = jax.nn.softplus(value + SHIFT) + form.floor if i == j else value
        result = result.at[..., i, j].set(value)
    return result


def place(form: Form, units: Units, outputs: jax.Array) -> jax.Array:
    """σ (…, n, r) in the data's units: the rows of coordinates without noise are zero."""
    small = units.diffusion[:, None] * triangle(form, outputs)
    result = jnp.zeros((*outputs.shape[:-1], form.dimension, len(form.active)))
    return result.at[..., np.array(form.active, dtype=int), :].set(small)
