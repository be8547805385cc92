"""Random symmetries compared with ordinary ones: processor time and memory of `solve`, up to three coordinates.

    python benchmarks/random_kind.py    prints the table and writes benchmarks/random_kind.md; a number after it
                                        replaces the number of repeats

Every run is a process of its own with one thread, so that peak memory is its own. Seconds are processor time after
import, the median of the repeats, with closed forms and proofs.
"""

from __future__ import annotations

import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
REPEATS = 3
SYSTEMS = {
    "logistic": "dx = (x - x^2) dt + x dW",
    "linear, two constants": "dx = (2*x + 1) dt + (x + 3) dW",
    "Ornstein–Uhlenbeck": "dx = -3*x dt + 2 dW",
    "double well": "dx = (x - x^3) dt + dW",
    "square root (CIR)": "dx = (1 - x) dt + sqrt(x) dW",
    "two logistic": "dx = (x - x^2) dt + x dW1; dy = (y - y^2) dt + y dW2",
    "linear plane, one noise": "dx = (x + 1) dt + (x + y) dW; dy = y dt + (y - x + 1) dW",
    "predator and prey": "dx = (x - x*y) dt + x dW1; dy = (x*y - y) dt + y dW2",
    "three, separate": "dx = (x - x^2) dt + x dW1; dy = (y - y^3) dt + y dW2; dz = (1 + z) dt + z dW3",
    "Lorenz with noise": "dx = 10*(y - x) dt + dW1; dy = (x*(28 - z) - y) dt + dW2; dz = (x*y - 8/3*z) dt + dW3",
}


def measure(equation: str, kind: str) -> dict[str, Any]:
    """Measure one run in this process."""
    import liestonet as lsn

    for first in ("ito", "random"):  # what is imported when first used is not timed
        lsn.solve(lsn.SDE.parse("dx = -x dt + dW"), symmetry=first).formulas()
    sde = lsn.SDE.parse(equation)
    begun = time.process_time()
    found = lsn.solve(sde, symmetry=kind)
    statuses = [row.status for row in found.formulas()]
    seconds = time.process_time() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"dimension": str(found.dimension), "seconds": seconds, "peak": peak, "proved": statuses.count("proved")}


def measured(equation: str, kind: str, repeats: int) -> dict[str, Any]:
    """The median of several runs, each in its own process."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    runs = []
    for _ in range(repeats):
        done = subprocess.run(
            [sys.executable, __file__, "--one", equation, kind],
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | threads,
        )
        runs.append(json.loads(done.stdout))
    return runs[0] | {"seconds": statistics.median(run["seconds"] for run in runs)}


def table(repeats: int) -> str:
    """Markdown: one row per system."""
    lines = [
        "| system | coordinates | ito: dimension | seconds | peak MB | random: dimension | seconds | peak MB | × ito |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name, equation in SYSTEMS.items():
        ito, random = (measured(equation, kind, repeats) for kind in ("ito", "random"))
        ratio = random["seconds"] / ito["seconds"]
        cells = [name, equation.count(";") + 1]
        for run in (ito, random):
            cells += [run["dimension"], f"{run['seconds']:.2f}", f"{run['peak']:.0f}"]
        lines.append(f"| {' | '.join(str(cell) for cell in [*cells, f'{ratio:.1f}'])} |")
        sys.stderr.write(lines[-1] + "\n")
    return "\n".join(lines)


def main() -> None:
    """Print and save the table."""
    if sys.argv[1:2] == ["--one"]:
        sys.stdout.write(json.dumps(measure(*sys.argv[2:4])))
        return
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else REPEATS
    head = (
        "# Benchmark: random symmetries\n\nPrinted by `python benchmarks/random_kind.py`; Python "
        f"{platform.python_version()}, {platform.machine()}, one thread. Seconds are processor time after import, with "
        f"closed forms and proofs, {f'median of {repeats} runs' if repeats > 1 else 'one run'}.\n\n"
    )
    text = head + table(repeats) + "\n"
    (ROOT / "benchmarks" / "random_kind.md").write_text(text, encoding="utf-8")
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
