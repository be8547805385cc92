"""Derivative channels and tables against differences."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from liestonet import catalogue
from liestonet.core.domain import Domain
from liestonet.neural import generator_networks as networks
from liestonet.neural.frame import TrainingFrame, tabulate
from liestonet.neural.generator_networks import make_networks
from liestonet.neural.settings import Architecture
from liestonet.symmetry.determining.kinds import kind_named
from neural_cases import AT_ONCE, at_once


@pytest.mark.parametrize(
    ("shared", "activation"), [pytest.param(True, "swish", marks=pytest.mark.slow), (False, "tanh")]
)
def test_channels_are_derivatives(shared, activation):
    networks = make_networks(jax.random.key(1), Architecture((5, 5), (6, 6), (4,), activation, shared), 3, 2, True)
    rng = np.random.default_rng(2)
    points, root = rng.normal(size=(7, 3)), rng.normal(size=(7, 2, 2))
    sets = np.stack([points, points + 0.1, points - 0.2])
    squared = root @ np.swapaxes(root, 1, 2)

    at = jax.jit(lambda points, squared: networks(points, squared), compiler_options=AT_ONCE)
    fields, step = at(points, squared), 1e-5
    bent = jnp.zeros_like(fields.values)
    for v in range(3):
        shift = jnp.zeros(3).at[v].set(step)
        ahead, behind = at(points + shift, squared), at(points - shift, squared)
        slope = (ahead.values - behind.values) / (2 * step)
        np.testing.assert_allclose(fields.gradient[..., v], slope, atol=1e-8)
        if v:
            second = (ahead.gradient - behind.gradient)[..., 1:] / (2 * step)
            bent = bent + 0.5 * jnp.einsum("bj,mbcj->mbc", squared[:, :, v - 1], second)
    np.testing.assert_allclose(fields.curvature, bent, atol=1e-8)
    variances = squared[:, np.arange(2), np.arange(2)]
    alone = at_once(lambda points, variances: networks(points, variances), points, variances)
    as_matrix = at(points, variances[..., None] * jnp.eye(2))
    np.testing.assert_allclose(alone.curvature, as_matrix.curvature, atol=1e-12)
    whole = at_once(lambda points, squared: networks.bent(points, squared), points, squared)
    assert whole.hessian is not None
    for name in ("values", "gradient", "curvature"):
        np.testing.assert_allclose(getattr(whole, name), getattr(fields, name), atol=1e-12)
    for v in range(3):
        shift = jnp.zeros(3).at[v].set(step)
        ahead, behind = at(points + shift, squared), at(points - shift, squared)
        np.testing.assert_allclose(whole.hessian[..., v], (ahead.gradient - behind.gradient) / (2 * step), atol=1e-7)
    values, clocks, own_values = (
        at_once(lambda at, ask=ask: ask(at), at)
        for ask, at in ((networks.values, points), (networks.clocks, sets[..., 0]), (networks.own_values, sets))
    )
    np.testing.assert_allclose(values, fields.values, atol=1e-12)
    np.testing.assert_allclose(clocks[0], fields.values[0, :, 0], atol=1e-12)
    # τ depends on time alone
    assert not np.any(fields.gradient[:, :, 0, 1:])
    own = at_once(lambda sets, squared: networks.at_own(sets, squared), sets, jnp.stack([squared] * 3))
    np.testing.assert_allclose(own_values, own.values, atol=1e-12)
    moved = at(points + 0.1, squared)
    np.testing.assert_allclose(own.values[1], moved.values[1], atol=1e-12)
    np.testing.assert_allclose(own.curvature[1], moved.curvature[1], atol=1e-12)
    np.testing.assert_allclose(clocks[1], moved.values[1, :, 0], atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("shared", [True, False])
def test_a_batch_in_pieces_is_the_whole_batch(shared, monkeypatch):
    """Values and the gradient by the weights; the size of a piece is a matter of speed alone."""
    nets = make_networks(jax.random.key(1), Architecture((5,), (6,), (4,), "tanh", shared), 3, 2, True)
    points, squared = jax.random.normal(jax.random.key(2), (96, 3)), jnp.ones((96, 2, 2))

    def value_and_gradient():
        def total(nets):
            sums = [jnp.sum(jnp.sin(part)) for part in (*nets.bent(points, squared), *nets(points, squared)[:3])]
            return sum(sums)

        return jax.jit(jax.value_and_grad(total))(nets)

    whole = value_and_gradient()
    assert networks._piece(nets, 96, 10) == 96
    monkeypatch.setattr(networks, "PIECE", 16 * 8 * 6 * 10)
    assert networks._piece(nets, 96, 10) < 96
    for one, other in zip(jax.tree.leaves(whole), jax.tree.leaves(value_and_gradient()), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-11)


@pytest.mark.parametrize(("key", "kind"), [("heston", "ito"), ("geometric-brownian", "fokker-planck")])
def test_tables_hold_derivatives_in_the_frame(key, kind):
    """Gradients and second derivatives of the table against differences of the table itself."""
    system = catalogue[key]
    domain = Domain.from_pairs(system.box, system.sde.dimension)
    frame, source = TrainingFrame.of(domain, True), system.sde.coefficients(domain)
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
