"""Losses of finite steps: coefficients pushed along the flow (L7), and densities (L9).

The flow of a generator, with all quantities pushed along it, is integrated by Heun's method (docs/method.md §8.1).
Coefficients at the pushed point are extrapolated from the tabulated point by their second-order Taylor polynomial, with
an error of order ε³.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from liestonet.neural.generator_networks import DifferentiableGenerators, GeneratorJets
from liestonet.neural.losses_l6_l8 import Batch
from liestonet.neural.settings import Objective

Rates = Callable[[Any], Any]
# Point, drift and noise, pushed along the flow.
Carried = tuple[Array, Array, Array]


def heun(rates: Rates, state: Any, length: float, steps: int, first: Any = None) -> Any:
    """Integrate d(state)/dε = rates(state) over a length by steps of Heun's method; `first` are known initial rates."""
    h = length / steps
    for _ in range(steps):
        first = rates(state) if first is None else first
        ahead = jax.tree.map(lambda value, rate: value + h * rate, state, first)
        second = rates(ahead)
        state = jax.tree.map(lambda value, a, b: value + 0.5 * h * (a + b), state, first, second)
        first = None
    return state


def continued(batch: Batch, name: str, shift: Float[Array, "m b v"]) -> Float[Array, "m b *entries"]:
    """A coefficient at points moved by `shift`, by its Taylor polynomial of second order."""
    value, gradient, hessian = batch[name], batch[f"{name}_gradient"], batch[f"{name}_hessian"]
    linear = jnp.einsum("b...v,mbv->mb...", gradient, shift)
    return value[None] + linear + 0.5 * jnp.einsum("b...vw,mbv,mbw->mb...", hessian, shift, shift)


def pushed_coefficients(
    kind: str, networks: DifferentiableGenerators, fields: GeneratorJets, batch: Batch, objective: Objective
) -> Float[Array, ""]:
    """L7: pushed drift and σ (Itô) or a (law) minus those at the pushed point, squared, and the barrier.

    The flow begins with the generators evaluated for the other losses, on the batch or its first points.
    """
    batch = _subsampled(batch, objective)
    count = len(batch["points"])
    fields = jax.tree.map(lambda array: array[:, :count], fields)
    m, noise = networks.count, "sigma" if kind == "ito" else "squared"

    def spread(values: Array) -> Array:
        return jnp.broadcast_to(values, (m, *values.shape))

    def rates(state: Carried) -> Carried:
        points, _, noisy = state
        squared = jnp.einsum("mbik,mbjk->mbij", noisy, noisy) if kind == "ito" else noisy
        return _carried(kind, networks.at_own(points, squared), state)

    start = (spread(batch["points"]), spread(batch["drift"]), spread(batch[noise]))
    points, drift, noisy = heun(rates, start, objective.flow, objective.flow_steps, first=_carried(kind, fields, start))
    shift = points - batch["points"]
    missed = jnp.sum((drift - continued(batch, "drift", shift)) ** 2)
    missed = missed + jnp.sum((noisy - continued(batch, noise, shift)) ** 2)
    return missed / (m * count) + objective.barrier * _barrier(networks, batch, points[..., 0], objective)


def _subsampled(batch: Batch, objective: Objective) -> Batch:
    """The points of a batch at which flows begin."""
    return {name: values[: objective.flow_points] for name, values in batch.items()}


def _carried(kind: str, fields: GeneratorJets, state: Carried) -> Carried:
    """Rates of the point, the drift and the noise along the flow (docs/method.md §8.1)."""
    _, drift, noisy = state
    n = drift.shape[-1]
    slope, tau_rate = fields.gradient[:, :, 1 : n + 1], fields.gradient[:, :, 0, 0]
    space = slope[..., 1:]
    carried = slope[..., 0] + jnp.einsum("mbij,mbj->mbi", space, drift) + fields.curvature[:, :, 1 : n + 1]
    carried = carried - tau_rate[..., None] * drift
    turned = jnp.einsum("mbij,mbjk->mbik", space, noisy)
    if kind == "ito":
        turned = turned - 0.5 * tau_rate[..., None, None] * noisy
    else:
        turned = turned + jnp.swapaxes(turned, -1, -2) - tau_rate[..., None, None] * noisy
    return fields.values[:, :, : n + 1], carried, turned


def _barrier(
    networks: DifferentiableGenerators, batch: Batch, now: Float[Array, "m b"], objective: Objective
) -> Float[Array, ""]:
    """Mean softplus(−Δt̃) of adjacent pushed times, `now` the earlier ones: the paper's penalty on reversing time."""
    times = batch["points"][:, 0] + batch["time_step"]
    start = jnp.broadcast_to(times, (networks.count, len(times)))
    later = heun(networks.clocks, start, objective.flow, objective.flow_steps)
    return jnp.mean(jax.nn.softplus(-(later - now)))


def pushed_density(networks: DifferentiableGenerators, batch: Batch, objective: Objective) -> Float[Array, ""]:
    """L9 in the form chosen by the settings."""
    measure = jnp.abs if objective.absolute else jnp.square
    form = _printed if objective.pushed_density == "printed" else _solution
    return jnp.mean(measure(form(networks, _subsampled(batch, objective), objective)))


def _flowed(
    networks: DifferentiableGenerators, objective: Objective, points: Float[Array, "m b v"]
) -> tuple[Array, Array, Array]:
    """Pushed points, with the integrals of β and of β − τ' along the flow."""
    n = networks.dimension

    def rates(state: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        at = state[0]
        values, times = networks.own_values(at), at[..., 0]
        slowing = jax.jvp(networks.clocks, (times,), (jnp.ones_like(times),))[1]
        return values[..., : n + 1], values[..., -1], values[..., -1] - slowing

    nothing = jnp.zeros(points.shape[:2])
    return heun(rates, (points, nothing, nothing), objective.flow, objective.flow_steps)


def _printed(networks: DifferentiableGenerators, batch: Batch, objective: Objective) -> Float[Array, "m b"]:
    """û at the pushed point minus the pushed value, as the paper prints it: zero only if û is invariant."""
    start = jnp.broadcast_to(batch["points"], (networks.count, *batch["points"].shape))
    points, grown, _ = _flowed(networks, objective, start)
    return continued(batch, "density", points - batch["points"]) - batch["density"] * jnp.exp(grown)


def _solution(networks: DifferentiableGenerators, batch: Batch, objective: Objective) -> Float[Array, "m b"]:
    """Residual of the pushed density at the pushed point, minus the pushed residual of û.

    With R(u) = u_t + A u_xx + B u_x + C u, a symmetry takes R(û) to exp(∫β − τ') R(û), so this vanishes for every û,
    also for an approximate solution.
    """
    start = jnp.broadcast_to(batch["points"], (networks.count, *batch["points"].shape))

    def image(points: Array) -> tuple[Array, Array]:
        """The pushed point and the logarithm of the factor of u, as functions of the original point."""
        pushed, grown, _ = _flowed(networks, objective, points)
        return pushed, grown

    pushed, grown, carried = _flowed(networks, objective, start)
    jacobian, growth_gradient, map_hessian, growth_hessian = _derivatives(image, start)
    # ũ = û e^g as a function of the original point, then of the pushed point by the chain rule
    u, gradient, hessian = batch["density"], batch["density_gradient"], batch["density_hessian"]
    factor = jnp.exp(grown)
    first = factor[..., None] * (gradient + u[:, None] * growth_gradient)
    cross = jnp.einsum("bv,mbw->mbvw", gradient, growth_gradient)
    second = hessian + cross + jnp.swapaxes(cross, -1, -2)
    outer = growth_gradient[..., :, None] * growth_gradient[..., None, :]
    second = factor[..., None, None] * (second + u[:, None, None] * (outer + growth_hessian))
    inverse = jnp.linalg.inv(jacobian)
    slope = jnp.einsum("mbvw,mbv->mbw", inverse, first)
    bent = second - jnp.einsum("mbk,mbkvw->mbvw", slope, map_hessian)
    bent = jnp.einsum("mbvp,mbvw,mbwq->mbpq", inverse, bent, inverse)
    shift = pushed - batch["points"]
    after = _density_residual(
        factor * u, slope, bent[..., 1:, 1:], *(continued(batch, name, shift) for name in ("squared", "b", "c"))
    )
    before = _density_residual(u, gradient, hessian[:, 1:, 1:], batch["squared"], batch["b"], batch["c"])
    return after - jnp.exp(carried) * before


def _density_residual(u: Array, gradient: Array, hessian: Array, a: Array, b: Array, c: Array) -> Array:
    """u_t + A^{ij} u_ij + B^i u_i + C u with A = −½ a."""
    return gradient[..., 0] - 0.5 * jnp.sum(a * hessian, axis=(-1, -2)) + jnp.sum(b * gradient[..., 1:], -1) + c * u


def _derivatives(image: Callable[[Array], tuple[Array, Array]], points: Float[Array, "m b v"]) -> tuple[Array, ...]:
    """First and second derivatives of a map and of a function, point by point."""
    v = points.shape[-1]
    unit = [jnp.zeros_like(points).at[..., k].set(1.0) for k in range(v)]

    def along(k: int) -> Callable[[Array], tuple[Array, Array]]:
        return lambda at: jax.jvp(image, (at,), (unit[k],))[1]

    both = {(k, j): jax.jvp(along(k), (points,), (unit[j],)) for k in range(v) for j in range(k, v)}
    firsts = [both[k, k][0] for k in range(v)]
    seconds = [[both[min(k, j), max(k, j)][1] for j in range(v)] for k in range(v)]
    jacobian = jnp.stack([first[0] for first in firsts], axis=-1)
    gradient = jnp.stack([first[1] for first in firsts], axis=-1)
    map_hessian = jnp.stack([jnp.stack([s[0] for s in row], axis=-1) for row in seconds], axis=-2)
    hessian = jnp.stack([jnp.stack([s[1] for s in row], axis=-1) for row in seconds], axis=-2)
    return jacobian, gradient, map_hessian, hessian
