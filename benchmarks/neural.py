"""What the neural engine's losses cost: CPU milliseconds for value and gradient, compilation, growth in m, n and B.

    python benchmarks/neural.py            prints tables and writes benchmarks/neural.md
    python benchmarks/neural.py --quick    the table of losses alone

Processor time, not time on the clock: other work on the machine hardly touches it. Separate networks of the paper's
widths at m = 3 and B = 2048, as in the paper's table of an H100, and the shared layers that `Neural()` uses.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import jax
import numpy as np

jax.config.update("jax_enable_x64", True)

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "benchmarks" / "neural.md"
PAPER_MILLISECONDS = {1: 0.43, 2: 0.76, 3: 0.38, 4: 0.52, 5: 0.47, 6: 0.47, 7: 2.15}
REPEATS = 5


def problem(count: int, dimension: int, batch: int, shared: bool) -> tuple[Any, dict[str, Any]]:
    """Networks of the paper's widths and a table of Brownian motion's coefficients."""
    from liestonet.neural.networks import make_networks

    widths = ((32, 32), (64, 64), (64, 64))
    networks = make_networks(jax.random.key(0), count, dimension, widths, "tanh", shared, False)
    rng, n, v = np.random.default_rng(0), dimension, dimension + 1
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


def cost(
    numbers: tuple[int, ...], count: int, dimension: int, batch: int, shared: bool, **forms: Any
) -> dict[str, float]:
    """Median CPU milliseconds of value and gradient of some losses together, and CPU seconds of compilation."""
    from liestonet.neural.objective import Losses
    from liestonet.neural.settings import Objective

    networks, table = problem(count, dimension, batch, shared)
    losses = Losses(Objective(checks=True, **forms), "ito")

    def total(networks: Any, table: Any) -> Any:
        return sum(losses.terms(networks, table, jax.random.key(0), numbers).values())

    start = time.process_time()
    run = jax.jit(jax.value_and_grad(total)).lower(networks, table).compile()
    compiled, seconds = time.process_time() - start, []
    for _ in range(REPEATS + 1):
        start = time.process_time()
        jax.block_until_ready(run(networks, table))
        seconds.append(time.process_time() - start)
    return {"milliseconds": 1e3 * float(np.median(seconds[1:])), "compilation": compiled}


def losses_table() -> list[str]:
    """Every loss alone, and together."""
    lines = ["| losses | separate networks | shared layers | compilation, s | paper, H100 |", "|---|---|---|---|---|"]
    rows: list[tuple[str, tuple[int, ...], dict[str, Any]]] = [
        ("L1, global constants", (1,), {}),
        ("L1, pointwise and constancy", (1,), {"closure": "pointwise"}),
        *((f"L{number}", (number,), {}) for number in range(2, 8)),
        ("L1, L2, L5, L6 together (`Neural()`)", (1, 2, 5, 6), {}),
        ("L1 to L7 together", (1, 2, 3, 4, 5, 6, 7), {}),
    ]
    for title, numbers, forms in rows:
        separate, shared = (cost(numbers, 3, 1, 2048, shared, **forms) for shared in (False, True))
        paper = f"{PAPER_MILLISECONDS[numbers[0]]:.2f}" if len(numbers) == 1 and not forms else "–"
        lines.append(
            f"| {title} | {separate['milliseconds']:.0f} | {shared['milliseconds']:.0f} | "
            f"{separate['compilation']:.1f} | {paper} |"
        )
        print(lines[-1], flush=True)
    return lines


def growth_table() -> list[str]:
    """L1, L2, L5 and L6 together on shared layers, one size varied at a time."""
    lines = ["| varied | values | CPU ms |", "|---|---|---|"]
    sizes = {"m": [(3, 1, 256), (6, 1, 256), (12, 1, 256)], "n": [(3, 1, 256), (3, 3, 256), (3, 10, 256)]}
    sizes["B"] = [(3, 1, 256), (3, 1, 1024), (3, 1, 4096)]
    for name, cases in sizes.items():
        position = "mnB".index(name)
        measured = [cost((1, 2, 5, 6), *case, shared=True)["milliseconds"] for case in cases]
        values = ", ".join(str(case[position]) for case in cases)
        lines.append(f"| {name} | {values} | {', '.join(f'{value:.1f}' for value in measured)} |")
        print(lines[-1], flush=True)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    parts = [
        (__doc__ or "").split("\n\n")[0],
        "## Losses at m = 3, B = 2048, CPU milliseconds",
        "\n".join(losses_table()),
    ]
    if not quick:
        parts += ["## Growth (m = 3, n = 1, B = 256 where not varied)", "\n".join(growth_table())]
        PAGE.write_text("# Speed of the neural engine\n\n" + "\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
