"""Losses of untrained networks on Brownian motion: what they cost, and how large they are, gradients included."""

from __future__ import annotations

import time
from typing import Any

import jax
import numpy as np

from liestonet.neural.generator_networks import make_networks
from liestonet.neural.objective import Losses
from liestonet.neural.settings import Architecture, Objective

WIDTHS = ((32, 32), (64, 64), (64, 64))  # of τ, ξ and β, the paper's
REPEATS = 5


def brownian_problem(
    count: int, dimension: int, batch: int, *, widths: Any = WIDTHS, shared: bool = False, seed: int = 0
) -> tuple[Any, dict[str, Any]]:
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
        "sigma": identity,
        "sigma_gradient": np.zeros((batch, n, n, v)),
        "sigma_hessian": np.zeros((batch, n, n, v, v)),
        "time_step": np.full(batch, 0.01),
    }
    return networks, {name: jax.numpy.asarray(values) for name, values in table.items()}


def value_and_gradient(numbers: tuple[int, ...], networks: Any, table: Any, **forms: Any) -> Any:
    """The sum of some losses with its gradient, compiled for these networks and this table."""
    losses = Losses(Objective(checks=True, **forms), "ito")

    def total(networks: Any, table: Any) -> Any:
        return sum(losses.terms(networks, table, jax.random.key(0), numbers).values())

    return jax.jit(jax.value_and_grad(total)).lower(networks, table).compile()


def cost(numbers: tuple[int, ...], networks: Any, table: Any, **forms: Any) -> dict[str, float]:
    """Median CPU milliseconds of value and gradient of some losses together, and CPU seconds of compilation."""
    start = time.process_time()
    run = value_and_gradient(numbers, networks, table, **forms)
    compilation, seconds = time.process_time() - start, []
    for _ in range(REPEATS + 1):
        start = time.process_time()
        jax.block_until_ready(run(networks, table))
        seconds.append(time.process_time() - start)
    return {"milliseconds": 1e3 * float(np.median(seconds[1:])), "compilation": compilation}


def size(number: int, networks: Any, table: Any, **forms: Any) -> tuple[float, float]:
    """A loss and the largest entry of its gradient."""
    value, gradient = value_and_gradient((number,), networks, table, **forms)(networks, table)
    return float(value), max(float(np.abs(np.asarray(leaf)).max()) for leaf in jax.tree.leaves(gradient))
