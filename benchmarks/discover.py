"""How long `discover` takes and how much memory it needs, compared with a plain pass over the same data.

    python benchmarks/discover.py           Example 1 in memory, and 10⁴ … 10⁷ increments left in Parquet
    python benchmarks/discover.py --full    up to 10⁸ increments

Prints tables, writes benchmarks/discover.md and docs/figures/discover_scaling.svg. Every case runs in a process of its
own, so that peak memory is its own; the memory of imports and data is measured before and reported. A plain pass reads
every increment and adds up its square: the least cost of reading all the data. Processor time, which other work on the
machine hardly changes, is given beside the time on the clock.
"""

from __future__ import annotations

import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
REPEATS = 3
PATHS, STEPS, STEP = 2048, 500, 0.01  # Example 1: 1,024,000 increments
SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
LARGEST = 100_000_000
PATHS_AT_ONCE = 2000


def peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def brownian(paths: int, seed: int) -> tuple[Any, Any]:
    """Times and states of Brownian motion with starts uniform on (−2, 2)."""
    import numpy as np

    rng = np.random.default_rng(seed)
    states = np.empty((paths, STEPS + 1, 1))
    states[:, 0, 0] = rng.uniform(-2, 2, paths)
    states[:, 1:, 0] = STEP**0.5 * rng.standard_normal((paths, STEPS))
    np.cumsum(states, axis=1, out=states)
    return STEP * np.arange(STEPS + 1), states


def plain_pass(source: Any) -> float:
    """Processor seconds to read every increment and add up its square."""
    start, total = time.process_time(), 0.0
    for block in source.chunks():
        total += float((block.dx**2).sum())
    if not total > 0:
        raise ValueError("The increments add up to nothing.")
    return time.process_time() - start


def measure_arrays() -> dict[str, Any]:
    """Measure Example 1, from arrays to result, in this process."""
    import liestonet as lsn

    times, states = brownian(PATHS, 1)
    warm = lsn.Trajectories.from_arrays(times, states[:20])
    lsn.discover(warm, formulas=False)
    before = peak_megabytes()
    seconds, processor, plain, dimension, extra = [], [], [], None, 0.0
    for _ in range(REPEATS):
        start, begun = time.perf_counter(), time.process_time()
        data = lsn.Trajectories.from_arrays(times, states)
        dimension = lsn.discover(data, formulas=False).dimension
        seconds.append(time.perf_counter() - start)
        processor.append(time.process_time() - begun)
        extra = extra or peak_megabytes() - before  # of the first, while nothing of another run is there
        plain.append(plain_pass(data))
        del data
    if "jax" in sys.modules:
        raise RuntimeError("JAX was imported.")
    return {
        "increments": PATHS * STEPS,
        "dimension": dimension,
        "seconds": statistics.median(seconds),
        "processor": statistics.median(processor),
        "plain": statistics.median(plain),
        "data": PATHS * (STEPS + 1) * 2 * 8 / 2**20,  # times and states, as Trajectories hold them
        "extra": extra,
    }


def measure_stream(path: str) -> dict[str, Any]:
    """Measure one streamed file in this process."""
    import liestonet as lsn

    source = lsn.Trajectories.scan(path)
    plain = [plain_pass(source)]
    start, begun = time.perf_counter(), time.process_time()
    result = lsn.discover(source, formulas=False)
    seconds, processor = time.perf_counter() - start, time.process_time() - begun
    plain.append(plain_pass(source))
    count = result.surrogate.overview.count
    return {
        "increments": count,
        "dimension": result.dimension,
        "seconds": seconds,
        "processor": processor,
        "plain": statistics.mean(plain),
        "peak": peak_megabytes(),
    }


def write_file(increments: int, path: Path) -> None:
    """Write a Parquet file with Brownian paths of 500 steps, group by group."""
    import numpy as np
    import pyarrow as arrow
    from pyarrow import parquet

    paths = increments // STEPS
    schema = arrow.schema([("trajectory", arrow.int64()), ("t", arrow.float64()), ("x", arrow.float64())])
    with parquet.ParquetWriter(path, schema) as writer:
        for first in range(0, paths, PATHS_AT_ONCE):
            count = min(PATHS_AT_ONCE, paths - first)
            times, states = brownian(count, first)
            columns = [np.repeat(np.arange(first, first + count), STEPS + 1), np.tile(times, count), states.ravel()]
            writer.write_table(arrow.Table.from_arrays([arrow.array(column) for column in columns], schema=schema))


def in_own_process(*words: str) -> dict[str, Any]:
    # one thread: the matrices are small, and threads that wait for each other on a busy machine only cost time
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, __file__, *words]
    outcome = subprocess.run(command, capture_output=True, text=True, check=True, timeout=7200, env=environment)
    return json.loads(outcome.stdout.splitlines()[-1])


def streamed(sizes: tuple[int, ...]) -> list[dict[str, Any]]:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            path = Path(folder) / f"{size}.parquet"
            write_file(size, path)
            rows.append(in_own_process("--stream", str(path)))
            sys.stdout.write(stream_row(rows[-1]) + "\n")
            sys.stdout.flush()
            path.unlink()
    return rows


def stream_row(row: dict[str, Any]) -> str:
    each = 1e9 / row["increments"]
    return (
        f"| {row['increments']:,} | {row['dimension']} | {row['seconds']:.1f} | {row['processor']:.2f} | "
        f"{row['plain']:.3f} | {row['processor'] * each:,.0f} | {row['plain'] * each:,.0f} | "
        f"{row['processor'] / row['plain']:.1f} | {row['peak']:.0f} |"
    )


STREAM_HEAD = (
    "| increments | dimension | clock, s | processor, s | plain pass, s | ns per increment | plain pass, ns | ratio | "
    "peak MB |\n|---|---|---|---|---|---|---|---|---|"
)


def report(arrays: dict[str, Any], rows: list[dict[str, Any]], load: tuple[float, float]) -> str:
    return "\n".join(
        [
            "# How long `discover` takes",
            "",
            f"Made by `python benchmarks/discover.py` on {platform.machine()} with {os.cpu_count()} cores, one BLAS "
            f"thread, Python {platform.python_version()}; load of the shared machine {load[0]:.1f} to {load[1]:.1f}.",
            "",
            "## Example 1, arrays to result, no formulas",
            "",
            "| increments | dimension | clock, s | processor, s | plain pass, s | data, MB | further memory, MB | "
            "memory / data |",
            "|---|---|---|---|---|---|---|---|",
            f"| {arrays['increments']:,} | {arrays['dimension']} | {arrays['seconds']:.2f} | "
            f"{arrays['processor']:.2f} | {arrays['plain']:.3f} | "
            f"{arrays['data']:.0f} | {arrays['extra']:.0f} | {arrays['extra'] / arrays['data']:.1f} |",
            "",
            "Seconds are the median of three. Further memory is what the process's peak rose by from where it stood "
            "with the caller's arrays and all imports; the copy that `Trajectories` make is in it. No JAX.",
            "",
            "## Streamed from Parquet",
            "",
            STREAM_HEAD,
            *(stream_row(row) for row in rows),
            "",
            "A plain pass reads the same file by `chunks()` and adds up the squares of its increments; it and all but "
            "the clock are seconds of the processor. Peak memory is the whole process's, imports included.",
            "",
            "![time and memory against the number of increments](../docs/figures/discover_scaling.svg)",
            "",
        ]
    )


def draw(rows: list[dict[str, Any]], path: Path) -> None:
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "liestonet"
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(8, 3.2), layout="constrained")
    counts = [row["increments"] for row in rows]
    left.loglog(counts, [row["processor"] for row in rows], "o-", color="#1f5fa8", label="discover, streamed")
    left.loglog(counts, [row["plain"] for row in rows], "s--", color="#777777", label="plain pass over the file")
    left.set(xlabel="increments", ylabel="seconds of the processor")
    left.legend(frameon=False)
    right.semilogx(counts, [row["peak"] for row in rows], "o-", color="#1f5fa8")
    right.set(xlabel="increments", ylabel="peak memory of the process, MB", ylim=(0, None))
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def main() -> None:
    if "--arrays" in sys.argv:
        sys.stdout.write(json.dumps(measure_arrays()) + "\n")
        return
    if "--stream" in sys.argv:
        sys.stdout.write(json.dumps(measure_stream(sys.argv[-1])) + "\n")
        return
    before = os.getloadavg()[0]
    arrays = in_own_process("--arrays")
    sys.stdout.write(f"{json.dumps(arrays)}\n{STREAM_HEAD}\n")
    rows = streamed((*SIZES, LARGEST) if "--full" in sys.argv else SIZES)
    after = os.getloadavg()[0]
    text = report(arrays, rows, (min(before, after), max(before, after)))
    (ROOT / "benchmarks" / "discover.md").write_text(text, encoding="utf-8")
    draw(rows, ROOT / "docs" / "figures" / "discover_scaling.svg")


if __name__ == "__main__":
    main()
