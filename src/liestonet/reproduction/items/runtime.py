"""What each loss costs: value and gradient at m = 3 and B = 2048, as in the paper's table."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from liestonet.reproduction.engines import prepare_networks
from liestonet.reproduction.jobs import Job
from liestonet.reproduction.paper import MILLISECONDS
from liestonet.reproduction.study import Item, Options, Publication
from liestonet.reproduction.tables import Table, spread

WIDTHS = ((32, 32), (64, 64), (64, 64))  # of τ, ξ and β, the paper's
COUNT, DIMENSION, BATCH = 3, 1, 2048
REPEATS, RUNS = 7, 5
TOGETHER = (1, 2, 5, 6)


def run(losses: list[int], repetition: int) -> dict[str, Any]:
    """Median CPU milliseconds of value and gradient of these losses together, without compilation."""
    prepare_networks()
    import jax

    from liestonet.neural.objective import Losses
    from liestonet.neural.settings import Objective

    networks, table = brownian_problem(COUNT, DIMENSION, BATCH)
    terms = Losses(Objective(checks=True), "ito").terms

    def total(networks: Any, table: Any) -> Any:
        return sum(terms(networks, table, jax.random.key(0), tuple(losses)).values())

    compiled, seconds = jax.jit(jax.value_and_grad(total)).lower(networks, table).compile(), []
    for _ in range(REPEATS + 1):
        start = time.process_time()
        jax.block_until_ready(compiled(networks, table))
        seconds.append(time.process_time() - start)
    return {"milliseconds": 1e3 * float(np.median(seconds[1:]))}


def brownian_problem(
    count: int, dimension: int, batch: int, *, shared: bool = False, seed: int = 0
) -> tuple[Any, dict[str, Any]]:
    """Networks of the paper's widths and a table of Brownian motion's coefficients."""
    import jax

    from liestonet.neural.networks import make_networks

    networks = make_networks(jax.random.key(seed), count, dimension, WIDTHS, "tanh", shared, False)
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


def jobs(options: Options) -> list[Job]:
    """Every loss alone, what `Neural()` uses together, and all."""
    groups = [*([number] for number in range(1, 8)), list(TOGETHER), list(range(1, 8))]
    return [
        Job("runtime", f"{_name(group)}-{i}", "runtime:run", {"losses": group, "repetition": i}, cost=15)
        for i in range(options.count(RUNS))
        for group in groups
    ]


def _name(losses: list[int]) -> str:
    return "L" + "-".join(map(str, losses))


def publish(records: list[dict[str, Any]]) -> Publication:
    """One row for each group of losses, the paper's milliseconds beside."""
    groups = list(dict.fromkeys(tuple(r["losses"]) for r in records))
    rows = tuple(
        (
            ", ".join(f"L{number}" for number in group),
            f"{MILLISECONDS[f'L{group[0]}']:.2f}" if len(group) == 1 else None,
            spread([r["milliseconds"] for r in records if tuple(r["losses"]) == group], digits=0),
        )
        for group in groups
    )
    columns = ("losses", "paper, H100: ms", "one CPU core: CPU ms")
    alone = {r["losses"][0]: r["milliseconds"] for r in records if len(r["losses"]) == 1}
    ratio = (
        f" L7 costs {alone[7] / alone[6]:.1f} times L6 here, 4.6 times in the paper." if {6, 7} <= alone.keys() else ""
    )
    return Publication(
        f"Value and gradient at m = {COUNT}, n = {DIMENSION}, B = {BATCH}, networks of the paper's widths, double "
        "precision. A graphics card and a processor core cannot be compared; what can is the order of the losses. All "
        "losses read one evaluation of the fields and their derivatives, which is nearly the whole cost: together they "
        f"cost little more than the dearest of them.{ratio}",
        {"milliseconds": Table(columns, rows)},
    )


ITEM = Item("runtime", "Run time of each loss", jobs, publish, cut="no graphics card was at hand")
