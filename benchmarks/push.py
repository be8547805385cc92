"""Pushing a million points through three generators: seconds and error, compared with exact flows.

python benchmarks/push.py            # prints a table and writes benchmarks/push.md
"""

from __future__ import annotations

import platform
import time
from pathlib import Path

import numpy as np

import liestonet as lsn
from liestonet.validation.flows import flow
from liestonet.validation.generator_input import parse_generators

POINTS = 1_000_000
PAGE = Path(__file__).resolve().parent / "push.md"
EPSILON = 0.05
GENERATORS = ("2 t d_t + x d_x", "exp(2t) d_t + exp(2t)*x d_x", "x^2 d_x")


def exact(index: int, t: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if index == 0:
        return np.exp(2 * EPSILON) * t, np.exp(EPSILON) * x
    if index == 1:
        with np.errstate(invalid="ignore"):
            moved = -0.5 * np.log(np.exp(-2 * t) - 2 * EPSILON)
        return moved, x * np.exp(moved - t)[:, None]
    return t, x / (1 - EPSILON * x)


def main() -> None:
    rng = np.random.default_rng(0)
    t, x = rng.uniform(0, 2, POINTS), rng.uniform(-2, 2, (POINTS, 1))
    lines = ["| generator | given as | seconds | largest error | arrived | blew up |", "|---|---|---|---|---|---|"]
    fields = lsn.solve(lsn.SDE.parse("dx = dW"), formulas=False).fields
    for index, text in enumerate(GENERATORS):
        given = parse_generators(text, ("x",))
        begun = time.process_time()
        found = flow(given, t, x, EPSILON)
        seconds = time.process_time() - begun
        end_t, end_x = exact(index, t, x)
        # next to the blow-up every flow is infinitely sensitive to where it began
        arrived = found.arrived
        if index == 1:
            arrived = arrived & (np.exp(-2 * t) > 1.01 * 2 * EPSILON)
        error = max(np.max(np.abs(found.t - end_t)[arrived]), np.max(np.abs(found.x - end_x)[arrived]))
        lines.append(
            f"| {text} | formula | {seconds:.1f} | {error:.0e} | {found.arrived.sum():,} | {found.blew_up:,} |"
        )
    tau = fields(np.array([0.0, 1.0]), np.zeros((2, 1)))[0]
    scaling = int(np.argmax(np.abs(tau[:, 1] - tau[:, 0])))
    begun = time.process_time()
    found = flow(fields, t, x, EPSILON, scaling)
    seconds = time.process_time() - begun
    counts = f"{found.arrived.sum():,} | {found.blew_up:,}"
    lines.append(f"| the scaling of Brownian motion | fields of `solve` | {seconds:.1f} | | {counts} |")
    table = "\n".join(lines)
    print(table)
    PAGE.write_text(
        f"# Pushing a million points\n\nMade by `python benchmarks/push.py` on {platform.machine()}, one core, seconds "
        f"of processor time: {POINTS:,} points with t ~ U(0, 2), x ~ U(−2, 2), ε = {EPSILON}, tolerance 1e-9; "
        f"the error is against the exact flow, where at least 1 % of ε is left before a blow-up.\n\n{table}\n"
    )


if __name__ == "__main__":
    main()
