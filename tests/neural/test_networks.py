"""Derivative channels against JAX's own derivatives; the frame against the chain rule."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from liestonet import catalogue
from liestonet.domain import Domain
from liestonet.neural.frame import Frame, tabulate
from liestonet.neural.networks import make_networks
from liestonet.symmetry.kinds import kind_named


@pytest.mark.parametrize(("shared", "activation"), [(True, "swish"), (False, "tanh")])
def test_channels_are_derivatives(shared, activation):
    networks = make_networks(jax.random.key(1), 3, 2, ((5, 5), (6, 6), (4,)), activation, shared, True)
    points = jax.random.normal(jax.random.key(2), (7, 3))
    root = jax.random.normal(jax.random.key(3), (7, 2, 2))
    squared = root @ jnp.swapaxes(root, 1, 2)

    def value(point):
        return networks(point[None], jnp.zeros((1, 2, 2))).values[:, 0]

    fields = networks(points, squared)
    gradient = jax.jit(jax.vmap(jax.jacfwd(value), out_axes=1))(points)
    hessian = jax.jit(jax.vmap(jax.jacfwd(jax.jacfwd(value)), out_axes=1))(points)
    bent = 0.5 * jnp.einsum("bjk,mbcjk->mbc", squared, hessian[..., 1:, 1:])
    np.testing.assert_allclose(fields.gradient, gradient, atol=1e-12)
    np.testing.assert_allclose(fields.curvature, bent, atol=1e-12)
    # τ depends on time alone
    assert not np.any(fields.gradient[:, :, 0, 1:])
    own = networks.at_own(jnp.stack([points, points + 0.1, points - 0.2]), jnp.stack([squared] * 3))
    moved = networks(points + 0.1, squared)
    np.testing.assert_allclose(own.values[1], moved.values[1], atol=1e-12)
    np.testing.assert_allclose(own.curvature[1], moved.curvature[1], atol=1e-12)


@pytest.mark.parametrize(("key", "kind"), [("heston", "ito"), ("geometric-brownian", "fokker-planck")])
def test_tables_hold_derivatives_in_the_frame(key, kind):
    """Gradients and second derivatives of the table against differences of the table itself."""
    system = catalogue[key]
    domain = Domain.from_pairs(system.box, system.sde.dimension)
    frame, source = Frame.of(domain, True), system.sde.coefficients(domain)
    points = domain.centre + 0.5 * domain.half * np.random.default_rng(0).uniform(-1, 1, (5, len(domain.intervals)))
    table = tabulate(kind_named(kind), source, frame, points, second=True)
    step = 1e-5
    for v in range(points.shape[1]):
        shift = np.zeros(points.shape[1])
        shift[v] = step * frame.half[v]
        ahead = tabulate(kind_named(kind), source, frame, points + shift)
        behind = tabulate(kind_named(kind), source, frame, points - shift)
        for name in ("drift", "squared", *(("sigma",) if kind == "ito" else ("b", "c"))):
            slope = (ahead[name] - behind[name]) / (2 * step)
            scale = 1 + np.abs(slope).max()
            np.testing.assert_allclose(table[f"{name}_gradient"][..., v], slope, atol=1e-6 * scale)
            bent = (ahead[f"{name}_gradient"] - behind[f"{name}_gradient"]) / (2 * step)
            np.testing.assert_allclose(table[f"{name}_hessian"][..., v], bent, atol=1e-4 * (1 + np.abs(bent).max()))
