"""Losses of Lie-algebra structure: closure L1, Jacobi L2, skew symmetry L3, bilinearity L4, independence L5.

All of them use one evaluation of the generators (paper, appendix "Loss Functions").
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from liestonet.neural.generator_networks import GeneratorJets

Brackets = Float[Array, "m m b c"]
Constants = Float[Array, "*points m m m"]


def lie_brackets(fields: GeneratorJets) -> Brackets:
    """[X_i, X_j] for all pairs: X_i(X_j) − X_j(X_i), component by component (docs/method.md §1.2)."""
    return bracket_of(fields, fields)


def bracket_of(first: GeneratorJets, second: GeneratorJets) -> Float[Array, "i j b c"]:
    """[X_i, Y_j] of the generators of two lists."""
    v = first.gradient.shape[-1]
    forward = jnp.einsum("ibv,jbcv->ijbc", first.values[:, :, :v], second.gradient)
    backward = jnp.einsum("jbv,ibcv->ijbc", second.values[:, :, :v], first.gradient)
    return forward - backward


def gram(values: Float[Array, "m b c"]) -> Float[Array, "m m"]:
    """Mean over the batch of the generators' inner products."""
    return jnp.einsum("ibc,jbc->ij", values, values) / values.shape[1]


def _pairs(count: int) -> tuple[np.ndarray, np.ndarray]:
    pairs = np.array(list(combinations(range(count), 2)), dtype=int).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def global_constants(fields: GeneratorJets, brackets: Brackets, ridge: float) -> Float[Array, "m m m"]:
    """c_ij^k by one least-squares fit over the whole batch; the ridge is relative to generators of unit length."""
    m = fields.values.shape[0]
    inner = gram(fields.values)
    length = jnp.sqrt(jnp.diagonal(inner) + ridge)
    right = jnp.einsum("ijbc,kbc->ijk", brackets, fields.values) / fields.values.shape[1] / length
    regular = inner / jnp.outer(length, length) + ridge * jnp.eye(m)
    solved = jax.scipy.linalg.solve(regular, right.reshape(m * m, m).T, assume_a="pos").T
    return solved.reshape(m, m, m) / length


class Pointwise(NamedTuple):
    """c_ij^k(t, x) at each point with their gradients, by least squares; the minimum-norm solution if not unique."""

    constants: Float[Array, "b m m m"]
    gradient: Float[Array, "b v p m"]


def pointwise_constants(fields: GeneratorJets, brackets: Brackets, ridge: float) -> Pointwise:
    """Fit [X_i, X_j] = c_ij^k X_k at each point, and differentiate the fit; `fields` come with second derivatives.

    With V the components of the generators, S = V Vᵀ and b a bracket, c = Vᵀ S⁻¹ b for pairs i < j. For m = 1 + n there
    are points with det V = 0, where c is infinite: the ridge, a part of the mean of S over points, bounds it.
    """
    m = fields.values.shape[0]
    i, j = _pairs(m)
    values, pairs = jnp.moveaxis(fields.values, 0, 2), jnp.moveaxis(brackets[i, j], 0, 2)
    outer = values @ jnp.swapaxes(values, 1, 2)
    size = jax.lax.stop_gradient(jnp.mean(jnp.trace(outer, axis1=1, axis2=2))) / outer.shape[-1]
    inverse = jnp.linalg.inv(outer + ridge * size * jnp.eye(outer.shape[-1]))
    dual = inverse @ pairs
    fitted = jnp.swapaxes(dual, 1, 2) @ values
    empty = jnp.zeros((len(values), m, m, m), dtype=values.dtype)
    constants = empty.at[:, i, j].set(fitted).at[:, j, i].set(-fitted)
    slopes = [
        _slope(values, inverse, dual, jnp.moveaxis(fields.gradient[..., v], 0, 2), bracket_slope)
        for v, bracket_slope in enumerate(_bracket_slopes(fields, i, j))
    ]
    return Pointwise(constants, jnp.stack(slopes, axis=1))


def _bracket_slopes(fields: GeneratorJets, i: np.ndarray, j: np.ndarray) -> list[Float[Array, "b c p"]]:
    """∂_v [X_i, X_j] for the pairs, from gradients and second derivatives."""
    if fields.hessian is None:
        raise ValueError("the gradient of brackets needs the generators' second derivatives")
    size = fields.gradient.shape[-1]
    found = []
    for v in range(size):
        moved = GeneratorJets(fields.gradient[..., v], fields.hessian[..., v], fields.curvature)
        slope = bracket_of(moved, fields) + bracket_of(fields, moved)
        found.append(jnp.moveaxis(slope[i, j], 0, 2))
    return found


def _slope(values: Array, inverse: Array, dual: Array, moved: Array, bracket_slope: Array) -> Float[Array, "b p m"]:
    """Derivative of c = Vᵀ S⁻¹ b where V and b change as given: dVᵀ y + Vᵀ S⁻¹ (db − dS y), y = S⁻¹ b."""
    turned = moved @ jnp.swapaxes(values, 1, 2)
    change = bracket_slope - (turned + jnp.swapaxes(turned, 1, 2)) @ dual
    return jnp.swapaxes(dual, 1, 2) @ moved + jnp.swapaxes(inverse @ change, 1, 2) @ values


def closure(fields: GeneratorJets, brackets: Brackets, constants: Constants) -> Float[Array, ""]:
    """L1: the part of the brackets outside the span, summed over pairs."""
    i, j = _pairs(fields.values.shape[0])
    spec = "pk,kbc->pbc" if constants.ndim == 3 else "bpk,kbc->pbc"
    rest = brackets[i, j] - jnp.einsum(spec, constants[..., i, j, :], fields.values)
    return jnp.sum(rest**2) / fields.values.shape[1]


def constancy(gradient: Float[Array, "b v p m"]) -> Float[Array, ""]:
    """Second part of L1 as the paper writes it: the squared gradient of c_ij^k(t, x), pairs summed."""
    return jnp.sum(gradient**2) / len(gradient)


def jacobi(constants: Constants) -> Float[Array, ""]:
    """L2: Σ_l c_ij^l c_lk^p summed over cyclic permutations, squared, over triples i < j < k."""
    nested = jnp.einsum("...ijl,...lkp->...ijkp", constants, constants)
    cyclic = nested + jnp.moveaxis(nested, -2, -4) + jnp.moveaxis(nested, -4, -2)
    triples = np.array(list(combinations(range(constants.shape[-1]), 3)), dtype=int).reshape(-1, 3).T
    chosen = cyclic[..., triples[0], triples[1], triples[2], :] ** 2
    return jnp.sum(chosen) / max(1, chosen.size // max(1, chosen.shape[-1] * chosen.shape[-2]))


def skew_symmetry(brackets: Brackets) -> Float[Array, ""]:
    """L3: [X_i, X_j] + [X_j, X_i]; zero by construction, kept as a check."""
    i, j = _pairs(brackets.shape[0])
    return jnp.sum((brackets[i, j] + brackets[j, i]) ** 2) / brackets.shape[2]


def bilinearity(fields: GeneratorJets, key: PRNGKeyArray) -> Float[Array, ""]:
    """L4: [aX_i + bX_j, X_k] against its parts, in both places, for random a, b and indices; zero up to rounding."""
    numbers, indices = jax.random.split(key)
    a, b = jax.random.uniform(numbers, (2,), minval=-1.0, maxval=1.0, dtype=fields.values.dtype)
    i, j, k = jax.random.randint(indices, (3,), 0, fields.values.shape[0])

    def pick(index: Array) -> GeneratorJets:
        return jax.tree.map(lambda array: array[index][None], fields)

    mixed = jax.tree.map(lambda one, other: a * one + b * other, pick(i), pick(j))
    left = bracket_of(mixed, pick(k)) - a * bracket_of(pick(i), pick(k)) - b * bracket_of(pick(j), pick(k))
    right = bracket_of(pick(k), mixed) - a * bracket_of(pick(k), pick(i)) - b * bracket_of(pick(k), pick(j))
    return jnp.sum(left**2 + right**2) / left.shape[2]


def independence_hinge(values: Float[Array, "m b c"], level: float) -> Float[Array, ""]:
    """L5 as in the paper's tables: Σ relu(level − σ_k)² for the singular values σ_k of the stacked fields over √P."""
    squares = jnp.linalg.eigvalsh(gram(values))
    singular = jnp.sqrt(jnp.maximum(squares, 1e-24))
    return jnp.sum(jax.nn.relu(level - singular) ** 2)


def independence_determinant(values: Float[Array, "m b c"], epsilon: float) -> Float[Array, ""]:
    """L5 as in the paper's text: −log det(G + ε), G = VᵀV over the batch."""
    m, points = values.shape[:2]
    return -jnp.linalg.slogdet(points * gram(values) + epsilon * jnp.eye(m))[1]
