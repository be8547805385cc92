"""How long a million values of a closed-form density take, compared with a million exponentials.

    python benchmarks/densities.py

Prints a table and writes benchmarks/densities.md. Seconds are processor time, medians of five runs.
"""

from __future__ import annotations

import platform
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import liestonet as lsn

ROOT = Path(__file__).resolve().parent.parent
COUNT, REPEATS = 10**6, 5
EQUATIONS = {
    "dx = -x dt + dW": None,
    "dx = (1 - x) dt + sqrt(x) dW": None,
    "dx = (0.3 - x) dt + sqrt(x) dW": "reflecting",
}


def seconds(run: Callable[[], object]) -> float:
    """Median processor time."""
    found = []
    for _ in range(REPEATS):
        begun = time.process_time()
        run()
        found.append(time.process_time() - begun)
    return statistics.median(found)


def main() -> None:
    x = np.random.default_rng(0).uniform(0.01, 4, COUNT)
    plain = seconds(lambda: np.exp(-x))
    lines = ["| equation | one time | a time for each value | a million exponentials |", "|---|---|---|---|"]
    for equation, boundary in EQUATIONS.items():
        p = lsn.density(equation, boundary=boundary)
        p(0.5, x[:10], 0, 0.7)
        once, each = seconds(lambda p=p: p(0.5, x, 0, 0.7)), seconds(lambda p=p: p(0.5 + x, x, 0, 0.7))
        lines.append(f"| `{equation}` | {once:.2f} s | {each:.2f} s | {plain:.3f} s |")
        print(lines[-1], flush=True)
    table = "\n".join(lines)
    (ROOT / "benchmarks" / "densities.md").write_text(
        f"# A million values of a density\n\nMade by `python benchmarks/densities.py` on {platform.machine()}: "
        f"processor time, medians of {REPEATS} runs.\n\n{table}\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
