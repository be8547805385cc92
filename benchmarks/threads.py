"""The effect of linear algebra threads on `discover`: with one, the default up to three coordinates, and with all.

    python benchmarks/threads.py

Prints a table and writes benchmarks/threads.md. Every case runs in its own process, without environment variables for
threads. Processor time is given with the time on the clock, which other work on the machine changes.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REPEATS = 3
SYSTEMS = ("ornstein-uhlenbeck", "harmonic", "lorenz", "brownian-3d")
PATHS, SEED = 512, 71
VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def measure(system: str, threads: str) -> tuple[float, float]:
    """Median seconds of processor and clock for one search, in this process."""
    import liestonet as lsn
    from liestonet.pipeline import discover

    data = lsn.catalogue[system].simulate(paths=PATHS, seed=SEED)
    # what few_threads wraps is the search itself
    search = vars(discover.discover)["__wrapped__"] if threads == "all" else lsn.discover
    search(data, formulas=False)
    processor, clock = [], []
    for _ in range(REPEATS):
        start, begun = time.perf_counter(), time.process_time()
        search(data, formulas=False)
        clock.append(time.perf_counter() - start)
        processor.append(time.process_time() - begun)
    return statistics.median(processor), statistics.median(clock)


def measured_apart(system: str, threads: str) -> tuple[float, float]:
    """The measurement in its own process."""
    environment = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    command = [sys.executable, __file__, system, threads]
    printed = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
    processor, clock = json.loads(printed)
    return processor, clock


def main() -> None:
    if len(sys.argv) == 3:
        print(json.dumps(measure(*sys.argv[1:])))
        return
    lines = ["| system | one thread: processor, clock | all threads: processor, clock | ratio |", "|---|---|---|---|"]
    for system in SYSTEMS:
        (one, one_clock), (many, many_clock) = measured_apart(system, "one"), measured_apart(system, "all")
        lines.append(
            f"| {system} | {one:.1f} s, {one_clock:.1f} s | {many:.1f} s, {many_clock:.1f} s "
            f"| {many / one:.1f}, {many_clock / one_clock:.1f} |"
        )
        print(lines[-1], flush=True)
    table = "\n".join(lines)
    (ROOT / "benchmarks" / "threads.md").write_text(
        f"# Threads of linear algebra\n\nMade by `python benchmarks/threads.py` on {platform.machine()} with "
        f"{os.cpu_count()} cores, seed {SEED}: medians of {REPEATS} searches in {PATHS} paths, without closed forms.\n"
        f"\n{table}\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
