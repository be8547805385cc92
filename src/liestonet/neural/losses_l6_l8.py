"""Losses of validity: the determining equations of Itô and law symmetries (L6) and of Fokker–Planck's (L8).

Written in n dimensions as in docs/method.md §2; coefficients are a table at the points of the batch.
"""

from __future__ import annotations

from collections.abc import Mapping

import jax.numpy as jnp
from jaxtyping import Array, Float

from liestonet.neural.generator_networks import GeneratorJets

Batch = Mapping[str, Array]
Residuals = tuple[Float[Array, "m b *rows"], ...]


def determining_residuals(kind: str, fields: GeneratorJets, batch: Batch) -> Residuals:
    """The left sides of the determining equations of one kind."""
    return {"ito": _ito, "law": _law, "fokker-planck": _fokker_planck}[kind](fields, batch)


def validity(kind: str, fields: GeneratorJets, batch: Batch, absolute: bool) -> Float[Array, ""]:
    """L6 or L8: the residuals' squares (or absolute values) summed over equations, averaged over points and m."""
    m, points = fields.values.shape[:2]
    measure = jnp.abs if absolute else jnp.square
    parts = [jnp.sum(measure(part)) for part in determining_residuals(kind, fields, batch)]
    return jnp.sum(jnp.stack(parts)) / (m * points)


def _parts(fields: GeneratorJets) -> tuple[Array, Array, Array, Array, Array]:
    """τ, τ', ξ, ∇ξ over (t, x) and ½ a:∇∇ξ."""
    n = fields.gradient.shape[-1] - 1
    xi = slice(1, n + 1)
    return (
        fields.values[..., 0],
        fields.gradient[..., 0, 0],
        fields.values[..., xi],
        fields.gradient[..., xi, :],
        fields.curvature[..., xi],
    )


def _drift_equation(fields: GeneratorJets, batch: Batch) -> Array:
    """E1 = ∂_t ξ + f·∇ξ − ξ·∇f − ∂_t(τ f) + ½ a:∇∇ξ."""
    tau, tau_rate, xi, slope, curvature = _parts(fields)
    f, gradient = batch["drift"], batch["drift_gradient"]
    moved = slope[..., 0] + jnp.einsum("bj,mbij->mbi", f, slope[..., 1:])
    carried = jnp.einsum("mbj,bij->mbi", xi, gradient[..., 1:]) + tau[..., None] * gradient[..., 0]
    return moved - carried - tau_rate[..., None] * f + curvature


def _ito(fields: GeneratorJets, batch: Batch) -> Residuals:
    """E1 and E2 = ∇ξ σ − ξ·∇σ − τ ∂_t σ − ½ τ' σ."""
    tau, tau_rate, xi, slope, _ = _parts(fields)
    sigma, gradient = batch["sigma"], batch["sigma_gradient"]
    noise = jnp.einsum("mbij,bjk->mbik", slope[..., 1:], sigma)
    noise = noise - jnp.einsum("mbj,bikj->mbik", xi, gradient[..., 1:])
    noise = noise - tau[..., None, None] * gradient[..., 0] - 0.5 * tau_rate[..., None, None] * sigma
    return _drift_equation(fields, batch), noise


def _covariance_equation(fields: GeneratorJets, batch: Batch) -> Array:
    """Q = ∇ξ a + (∇ξ a)ᵀ − ξ·∇a − τ ∂_t a − τ' a."""
    tau, tau_rate, xi, slope, _ = _parts(fields)
    a, gradient = batch["squared"], batch["squared_gradient"]
    turned = jnp.einsum("mbij,bjk->mbik", slope[..., 1:], a)
    carried = jnp.einsum("mbj,bikj->mbik", xi, gradient[..., 1:]) + tau[..., None, None] * gradient[..., 0]
    return turned + jnp.swapaxes(turned, -1, -2) - carried - tau_rate[..., None, None] * a


def _law(fields: GeneratorJets, batch: Batch) -> Residuals:
    return _drift_equation(fields, batch), _covariance_equation(fields, batch)


def _fokker_planck(fields: GeneratorJets, batch: Batch) -> Residuals:
    """F1 = Q/2, F2 and F3 with the corrected B and C (those printed in the paper's appendix differ)."""
    tau, tau_rate, xi, slope, curvature = _parts(fields)
    beta_slope, beta_curvature = fields.gradient[..., -1, :], fields.curvature[..., -1]
    a, b, b_gradient = batch["squared"], batch["b"], batch["b_gradient"]
    c, c_gradient = batch["c"], batch["c_gradient"]
    second = tau[..., None] * b_gradient[..., 0] + tau_rate[..., None] * b
    second = second + jnp.einsum("mbj,bij->mbi", xi, b_gradient[..., 1:]) - slope[..., 0]
    second = second - jnp.einsum("bj,mbij->mbi", b, slope[..., 1:]) + curvature
    second = second - jnp.einsum("bij,mbj->mbi", a, beta_slope[..., 1:])
    third = tau * c_gradient[..., 0] + tau_rate * c + jnp.einsum("mbj,bj->mb", xi, c_gradient[..., 1:])
    third = third + beta_slope[..., 0] - beta_curvature + jnp.einsum("bj,mbj->mb", b, beta_slope[..., 1:])
    return 0.5 * _covariance_equation(fields, batch), second, third
