"""How long `solve` takes and how much memory it needs, system by system, and how both grow.

    python benchmarks/solve.py    prints the table, writes benchmarks/solve.md and docs/figures/solve_growth.svg

Every system runs in a process of its own with one thread, so that peak memory is its own. Seconds are processor time
after import, which other work on the machine distorts least; they are the median of the repeats, with a reference
(factoring a 1500 × 1500 matrix) measured in the same process, because machines differ.
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
# Closed forms are timed in up to three coordinates.
MOST_SEMICOLONS = 2


def brownian(n: int) -> str:
    return "; ".join(f"dx{i} = dW{i}" for i in range(1, n + 1))


SYSTEMS: dict[str, tuple[str, str, list[list[float]] | None]] = {
    "Brownian motion": ("dx = dW", "ito", None),
    "Brownian motion, FP": ("dx = dW", "fokker-planck", None),
    "linear drift, t in (0, 5)": ("dx = x dt + dW", "ito", [[0, 5], [-2, 2]]),
    "linear drift, FP": ("dx = x dt + dW", "fokker-planck", None),
    "geometric, FP": ("dx = x/4 dt + x dW", "fokker-planck", None),
    "square root (CIR), FP": ("dx = (1 - x) dt + sqrt(x) dW", "fokker-planck", None),
    "double well": ("dx = (x - x^3) dt + dW", "ito", None),
    "no symmetry": ("dx = (sin(t) x - x^3) dt + dW", "ito", None),
    "image of Brownian motion": ("dx = x/2 dt + sqrt(1 + x^2) dW", "ito", [[0, 1], [-3, 3]]),
    "free Langevin": ("dx = y dt; dy = -y dt + sqrt(2) dW", "ito", None),
    "free Langevin, FP": ("dx = y dt; dy = -y dt + sqrt(2) dW", "fokker-planck", None),
    "Bessel drift": ("dx = 1/x dt + dW1; dy = dt + dW2", "ito", None),
    "Bessel drift, FP": ("dx = 1/x dt + dW1; dy = dt + dW2", "fokker-planck", None),
    "two geometric, law": ("dx = x/4 dt + x dW1; dy = y/3 dt + y/2 dW1 + y dW2", "law", None),
    "infinite family": ("dx = dW; dy = y dt", "ito", None),
    "Lorenz with noise": (
        "dx = 10(y - x) dt + dW1; dy = (x (28 - z) - y) dt + dW2; dz = (x y - 8/3 z) dt + dW3",
        "ito",
        None,
    ),
    "10-D Brownian motion": (brownian(10), "ito", None),
    "10-D Brownian motion, law": (brownian(10), "law", None),
    "10-D geometric": ("; ".join(f"dx{i} = x{i}/10 dt + x{i} dW{i}" for i in range(1, 11)), "ito", None),
}
GROWTH = {f"law, n = {n}": (brownian(n), "law", None) for n in range(1, 11)}
DEGREES = (4, 6, 8, 10, 12, 14, 16)


def reference_seconds() -> float:
    """Seconds to factor a fixed matrix: a reference for the machine's present speed."""
    import numpy as np

    matrix = np.random.default_rng(0).standard_normal((1500, 1500))
    start = time.process_time()
    np.linalg.cholesky(matrix @ matrix.T + 1500 * np.eye(1500))
    return time.process_time() - start


def measure(text: str, kind: str, domain: list[list[float]] | None, repeats: int) -> dict[str, float | str | None]:
    """Solve one system several times in this process."""
    import liestonet as lsn

    lsn.solve(lsn.SDE.parse("dx = x dt + dW"))
    wanted = repeats > 1 and text.count(";") <= MOST_SEMICOLONS
    seconds, walls, references, result = [], [], [], None
    for _ in range(repeats):
        references.append(reference_seconds())
        start, wall = time.process_time(), time.perf_counter()
        result = lsn.solve(lsn.SDE.parse(text), kind, domain, formulas=False)
        seconds.append(time.process_time() - start)
        walls.append(time.perf_counter() - wall)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "dimension": str(getattr(result, "dimension", "")),
        "seconds": statistics.median(seconds),
        "wall": statistics.median(walls),
        "with_formulas": formula_seconds(text, kind, domain) if wanted else None,
        "reference": statistics.median(references),
        "megabytes": peak,
    }


def formula_seconds(text: str, kind: str, domain: list[list[float]] | None) -> float:
    """Seconds of one solution with closed forms."""
    import liestonet as lsn

    start = time.process_time()
    lsn.solve(lsn.SDE.parse(text), kind, domain)
    return time.process_time() - start


def measure_degree(degree: int) -> dict[str, float | int]:
    """Measure one null space in a full basis of the given total degree, for a system with two coordinates."""
    import liestonet as lsn
    from liestonet.core.domain import Domain
    from liestonet.core.multiindex import total_degree
    from liestonet.symmetry.analytic.nullspace import cloud_for
    from liestonet.symmetry.analytic.smallest_singular import lowest_directions
    from liestonet.symmetry.determining.basis import Basis
    from liestonet.symmetry.determining.kinds import ITO
    from liestonet.symmetry.determining.operator import Operator

    domain = Domain(((0.0, 2.0), (-3.0, 3.0), (-2.5, 2.5)))
    source = lsn.SDE.parse("dx = y dt; dy = -y dt + sqrt(2) dW").coefficients(domain)
    full = total_degree(range(3), 3, degree)
    equations = ITO.equations(2, 1)
    basis = Basis(domain, equations.unknown_scales(domain.half), (total_degree([0], 3, degree), full, full))
    start = time.perf_counter()
    directions = lowest_directions(Operator(ITO, source, domain, cloud_for(basis, domain)), basis, 6)
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "size": basis.size, "residual": float(directions.residuals[2])}


def in_process(*arguments: str) -> dict[str, Any]:
    """Run this file in a new process for one measurement, on one thread, and read its output."""
    command, alone = [sys.executable, __file__, *arguments], {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    output = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ | alone).stdout
    return json.loads(output.splitlines()[-1])


def plot(growth: dict[int, dict], degrees: dict[int, dict], target: Path) -> None:
    """Plot seconds and memory against n, and seconds and residual against degree."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "liestonet"
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(11, 3.2), layout="constrained")
    n = list(growth)
    axes[0].semilogy(n, [row["seconds"] for row in growth.values()], "o-", color="#0072B2")
    axes[0].set(xlabel="coordinates n", ylabel="seconds", title="Brownian motion, law")
    axes[1].plot(n, [row["megabytes"] for row in growth.values()], "o-", color="#009E73")
    axes[1].set(xlabel="coordinates n", ylabel="peak memory (MB)", title="the same", ylim=(0, None))
    p = list(degrees)
    axes[2].semilogy(p, [row["seconds"] for row in degrees.values()], "o-", color="#0072B2", label="seconds")
    residuals = [row["residual"] for row in degrees.values()]
    axes[2].semilogy(p, residuals, "s--", color="#D55E00", label="third residual")
    axes[2].set(xlabel="total degree of a full basis", title="free Langevin, one null space")
    axes[2].legend(frameon=False)
    target.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(target, metadata={"Date": None})


def main() -> None:
    table = [
        "| system | dimension | seconds | with formulas | wall clock | × reference | peak MB |",
        "|---|---|---|---|---|---|---|",
    ]
    planar: list[tuple[Any, Any]] = []
    for name, (text, kind, domain) in SYSTEMS.items():
        repeats = REPEATS if text.count(";") <= MOST_SEMICOLONS else 1
        row = in_process("system", text, kind, json.dumps(domain), str(repeats))
        ratio, formulas = row["seconds"] / row["reference"], row["with_formulas"]
        table.append(
            f"| {name} | {row['dimension']} | {row['seconds']:.2f} | {'–' if formulas is None else f'{formulas:.2f}'} "
            f"| {row['wall']:.2f} | {ratio:.1f} | {row['megabytes']:.0f} |"
        )
        print(table[-1], flush=True)
        if text.count(";") <= 1:
            planar.append((row["seconds"], formulas))
    growth = {n: in_process("system", *list(GROWTH.values())[n - 1][:2], "null", "1") for n in range(1, 11)}
    degrees = {degree: in_process("degree", str(degree)) for degree in DEGREES}
    plot(growth, degrees, ROOT / "docs" / "figures" / "solve_growth.svg")
    text = (
        "# Benchmark: solve\n\n"
        f"Printed by `python benchmarks/solve.py`; Python {platform.python_version()}, {platform.machine()}, "
        f"one thread. Seconds are processor time after import without the search for closed forms, median of {REPEATS} "
        "runs (one in ten dimensions), then one run with it; the wall clock is that of a machine on which others "
        "worked at the same time. The reference is one Cholesky factor of a 1500 × 1500 product.\n\n"
        + "\n".join(table)
        + f"\n\nMedian over the systems with one or two coordinates: {statistics.median(s for s, _ in planar):.2f} s, "
        + f"with formulas {statistics.median(s for _, s in planar):.2f} s.\n\n"
        + "| n (Brownian motion, law) | "
        + " | ".join(str(n) for n in growth)
        + " |\n|"
        + "---|" * (len(growth) + 1)
        + "\n| seconds | "
        + " | ".join(f"{row['seconds']:.2f}" for row in growth.values())
        + " |\n| peak MB | "
        + " | ".join(f"{row['megabytes']:.0f}" for row in growth.values())
        + " |\n"
    )
    (ROOT / "benchmarks" / "solve.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] == "system":
        print(json.dumps(measure(sys.argv[2], sys.argv[3], json.loads(sys.argv[4]), int(sys.argv[5]))))
    elif len(sys.argv) > 1 and sys.argv[1] == "degree":
        print(json.dumps(measure_degree(int(sys.argv[2]))))
    else:
        main()
