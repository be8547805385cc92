"""Losses of Lie-algebra structure: closure L1, Jacobi L2, skew symmetry L3, bilinearity L4, independence L5.

All of them read one evaluation of the generators (paper, appendix "Loss Functions").
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from liestonet.neural.networks import Fields

# Beside generators of unit length, this much keeps least squares solvable while they are still dependent.
RIDGE = 1e-10

Brackets = Float[Array, "m m b c"]
Constants = Float[Array, "*points m m m"]


def lie_brackets(fields: Fields) -> Brackets:
    """[X_i, X_j] for all pairs: X_i(X_j) − X_j(X_i), component by component (MATH.md §1)."""
    return bracket_of(fields, fields)


def bracket_of(first: Fields, second: Fields) -> Float[Array, "i j b c"]:
    """[X_i, Y_j] of the generators of two lists."""
    v = first.gradient.shape[-1]
    forward = jnp.einsum("ibv,jbcv->ijbc", first.values[:, :, :v], second.gradient)
    backward = jnp.einsum("jbv,ibcv->ijbc", second.values[:, :, :v], first.gradient)
    return forward - backward


def gram(fields: Fields) -> Float[Array, "m m"]:
    """Mean over the batch of the generators' inner products."""
    return jnp.einsum("ibc,jbc->ij", fields.values, fields.values) / fields.values.shape[1]


def _pairs(count: int) -> tuple[np.ndarray, np.ndarray]:
    pairs = np.array(list(combinations(range(count), 2)), dtype=int).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def global_constants(fields: Fields, brackets: Brackets) -> Float[Array, "m m m"]:
    """c_ij^k by one least squares over the whole batch."""
    m = fields.values.shape[0]
    inner = gram(fields)
    length = jnp.sqrt(jnp.diagonal(inner) + RIDGE)
    right = jnp.einsum("ijbc,kbc->ijk", brackets, fields.values) / fields.values.shape[1] / length
    regular = inner / jnp.outer(length, length) + RIDGE * jnp.eye(m)
    solved = jax.scipy.linalg.solve(regular, right.reshape(m * m, m).T, assume_a="pos").T
    return solved.reshape(m, m, m) / length


def pointwise_constants(fields: Fields, brackets: Brackets) -> Float[Array, "b m m m"]:
    """c_ij^k(t, x) by least squares at each point, the smallest ones where they are not unique."""
    m = fields.values.shape[0]
    values = jnp.moveaxis(fields.values, 1, 0)
    outer = jnp.einsum("bkc,bkd->bcd", values, values)
    outer = outer + RIDGE * jnp.eye(outer.shape[-1])
    dual = jnp.linalg.solve(outer, jnp.moveaxis(brackets, 2, 0).reshape(len(values), m * m, -1).swapaxes(1, 2))
    return jnp.einsum("bkc,bcp->bpk", values, dual).reshape(-1, m, m, m)


def closure(fields: Fields, brackets: Brackets, constants: Constants) -> Float[Array, ""]:
    """L1: what the span leaves of the brackets, summed over pairs."""
    i, j = _pairs(fields.values.shape[0])
    spec = "pk,kbc->pbc" if constants.ndim == 3 else "bpk,kbc->pbc"
    rest = brackets[i, j] - jnp.einsum(spec, constants[..., i, j, :], fields.values)
    return jnp.sum(rest**2) / fields.values.shape[1]


def constancy(
    constants_at: Callable[[Float[Array, "b v"]], Constants], points: Float[Array, "b v"]
) -> Float[Array, ""]:
    """Second part of L1 as the paper writes it: the squared gradient of c_ij^k(t, x)."""
    total = jnp.zeros(())
    for v in range(points.shape[1]):
        tangent = jnp.zeros_like(points).at[:, v].set(1.0)
        slope = jax.jvp(constants_at, (points,), (tangent,))[1]
        i, j = _pairs(slope.shape[-1])
        total = total + jnp.sum(slope[:, i, j] ** 2) / points.shape[0]
    return total


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


def bilinearity(fields: Fields, key: PRNGKeyArray) -> Float[Array, ""]:
    """L4: [aX_i + bX_j, X_k] against its parts, in both places, for random a, b and indices; zero up to rounding."""
    numbers, indices = jax.random.split(key)
    a, b = jax.random.uniform(numbers, (2,), minval=-1.0, maxval=1.0, dtype=fields.values.dtype)
    i, j, k = jax.random.randint(indices, (3,), 0, fields.values.shape[0])

    def pick(index: Array) -> Fields:
        return Fields(*(array[index][None] for array in fields))

    mixed = Fields(*(a * one + b * other for one, other in zip(pick(i), pick(j), strict=True)))
    left = bracket_of(mixed, pick(k)) - a * bracket_of(pick(i), pick(k)) - b * bracket_of(pick(j), pick(k))
    right = bracket_of(pick(k), mixed) - a * bracket_of(pick(k), pick(i)) - b * bracket_of(pick(k), pick(j))
    return jnp.sum(left**2 + right**2) / left.shape[2]


def independence_hinge(fields: Fields, level: float) -> Float[Array, ""]:
    """L5 as the tables have it: Σ relu(level − σ_k)² for the singular values σ_k of the stacked fields over √P."""
    values = jnp.linalg.eigvalsh(gram(fields))
    singular = jnp.sqrt(jnp.maximum(values, 1e-24))
    return jnp.sum(jax.nn.relu(level - singular) ** 2)


def independence_determinant(fields: Fields, epsilon: float) -> Float[Array, ""]:
    """L5 as the text has it: −log det(G + ε), G = VᵀV over the batch."""
    m, points = fields.values.shape[:2]
    return -jnp.linalg.slogdet(points * gram(fields) + epsilon * jnp.eye(m))[1]
