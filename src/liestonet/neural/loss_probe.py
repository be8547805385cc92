"""Measures the cost and size of the losses, and of their gradients, for untrained networks on Brownian motion."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import cast

import jax
import numpy as np
from jax.stages import Compiled

from liestonet.neural.generator_networks import Networks, make_networks
from liestonet.neural.objective import Losses
from liestonet.neural.settings import Architecture, Objective

WIDTHS = ((32, 32), (64, 64), (64, 64))  # of τ, ξ and β, the paper's
REPEATS = 5
ThreeWidths = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
Table = dict[str, jax.Array]  # coefficients at the points of a batch, by name
Form = str | float | int  # a setting of `Objective`


def brownian_problem(
    count: int,
    dimension: int,
    batch: int,
    *,
    widths: ThreeWidths = WIDTHS,
    shared: bool = False,
    seed: int = 0,
) -> tuple[Networks, Table]:
    """Networks of the paper's or other widths and a table of Brownian motion's coefficients."""
    networks = make_networks(jax.random.key(seed), Architecture(*widths, shared=shared), count, dimension, False)
    rng, n, v = np.random.default_rng(seed), dimension, dimension + 1
    identity = np.broadcast_to(np.eye(n), (batch, n, n))
    table = {
        "points": rng.uniform(-1, 1, (batch, v)),
        "drift": np.zeros((batch, n)),
        "drift_gradient": np.zeros((batch, n, v)),
        "drift_hessian": np.zeros((batch, n, v, v)),
        "squared": identity,
        **({"variances": np.ones((batch, n))} if n > 1 else {}),
        "sigma": identity,
        "sigma_gradient": np.zeros((batch, n, n, v)),
        "sigma_hessian": np.zeros((batch, n, n, v, v)),
        "time_step": np.full(batch, 0.01),
    }
    return networks, {name: jax.numpy.asarray(values) for name, values in table.items()}


def value_and_gradient(numbers: tuple[int, ...], networks: Networks, table: Table, **forms: Form) -> Compiled:
    """The compiled function for the sum of some losses and its gradient."""
    losses = Losses(replace(Objective(checks=True), **forms), "ito")

    def total(networks: Networks, table: Table) -> jax.Array:
        return cast(jax.Array, sum(losses.terms(networks, table, jax.random.key(0), numbers).values()))

    return jax.jit(jax.value_and_grad(total)).lower(networks, table).compile()


def cost(numbers: tuple[int, ...], networks: Networks, table: Table, **forms: Form) -> dict[str, float]:
    """Median CPU milliseconds of value and gradient of some losses together, and CPU seconds of compilation."""
    start = time.process_time()
    run = value_and_gradient(numbers, networks, table, **forms)
    compilation, seconds = time.process_time() - start, []
    for _ in range(REPEATS + 1):
        start = time.process_time()
        jax.block_until_ready(run(networks, table))
        seconds.append(time.process_time() - start)
    return {"milliseconds": 1e3 * float(np.median(seconds[1:])), "compilation": compilation}


def size(number: int, networks: Networks, table: Table, **forms: Form) -> tuple[float, float]:
    """The value of a loss and the largest entry of its gradient."""
    value, gradient = value_and_gradient((number,), networks, table, **forms)(networks, table)
    return float(value), max(float(np.abs(np.asarray(leaf)).max()) for leaf in jax.tree.leaves(gradient))
