"""The price of unknown measurement errors: `discover` on clean data, marked as exact and unmarked, in one run.

    python benchmarks/default.py                     the paper's examples and systems of the catalogue, seed 800
    python benchmarks/default.py --seed 801 --only cir brownian

512 paths of 100 steps; the catalogue marks them as points without error. For comparison, the same numbers are given as
plain arrays, for which errors of the points, blur and whole steps are part of the model and the fit is tested. Seconds
are processor time, the smaller of two runs, without formulas. Writes benchmarks/default.md.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from pathlib import Path

import numpy as np

import liestonet as lsn

ROOT = Path(__file__).resolve().parent.parent
PATHS, STEPS, SEED, REPEATS = 512, 100, 800, 2
SYSTEMS = (
    "brownian",
    "brownian-2d",
    "ornstein-uhlenbeck",
    "double-well",
    "geometric-brownian",
    "cir",
    "wright-fisher",
    "bessel",
    "langevin",
)


def timed(data: lsn.Trajectories) -> tuple[float, lsn.Result]:
    """Seconds of the processor, and the result."""
    spent, result = [], None
    for _ in range(REPEATS):
        begun = time.process_time()
        result = lsn.discover(data, formulas=False)
        spent.append(time.process_time() - begun)
    if result is None:
        raise RuntimeError("nothing was run")
    return min(spent), result


def row(name: str, seed: int) -> tuple[str, float]:
    """A line of the table, and the ratio."""
    data = lsn.catalogue[name].simulate(paths=PATHS, seed=seed)
    arrays = [t[: STEPS + 1] for t in data.times], [x[: STEPS + 1] for x in data.states]
    plain = lsn.Trajectories.from_arrays(*arrays, names=data.names)
    marked = lsn.Trajectories.from_arrays(*arrays, names=data.names, measurement=data.measurement)
    (exact, first), (default, second) = timed(marked), timed(plain)
    modelled = "yes" if second.measurement is not None and second.measurement.noise is not None else "no"
    ratio = default / exact
    found = f"{first.dimension} | {second.dimension}"
    return f"| {name} | {found} | {modelled} | {exact:.2f} | {default:.2f} | {ratio:.1f} |", ratio


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--only", nargs="+", default=SYSTEMS)
    given = parser.parse_args()
    timed(lsn.catalogue["brownian"].simulate(paths=20, seed=0))  # imports
    lines, ratios = [], []
    for name in given.only:
        line, ratio = row(name, given.seed)
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
        lines.append(line)
        ratios.append(ratio)
    middle = f"Ratio: median {np.median(ratios):.1f}, from {min(ratios):.1f} to {max(ratios):.1f}."
    text = [
        "# The default call on clean data, beside points marked exact",
        "",
        f"Made by `python benchmarks/default.py` on {platform.machine()}, one thread, Python "
        f"{platform.python_version()}; load of the shared machine {os.getloadavg()[0]:.1f}. {PATHS} paths of {STEPS} "
        f"steps, seed {given.seed}; seconds of the processor, the smaller of {REPEATS} runs.",
        "",
        "| system | found, marked | by default | errors modelled | marked, s | default, s | ratio |",
        "|---|---|---|---|---|---|---|",
        *lines,
        "",
        middle,
        "",
    ]
    (ROOT / "benchmarks" / "default.md").write_text("\n".join(text), encoding="utf-8")


if __name__ == "__main__":
    main()
