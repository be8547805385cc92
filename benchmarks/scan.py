"""How long a fit to files takes, by one process and by workers, compared with a plain pass over the same files.

    python benchmarks/scan.py                        10⁷ increments of two coordinates in 20 Parquet files
    python benchmarks/scan.py --increments 100000000 or 300000000; half a million in each file
    python benchmarks/scan.py --coordinates 1        of one coordinate
    python benchmarks/scan.py --workers 1 2 4        other numbers of workers
    python benchmarks/scan.py --folder DIR           where the files go, and stay; a temporary folder otherwise
    python benchmarks/scan.py --only-page            the page once more

Keeps what it measures in benchmarks/scan.json and writes benchmarks/scan.md of all that is there. Every case runs in a
process of its own, so that peak memory is its own; memory of workers is sampled ten times a second. A plain pass reads
every increment and adds up its square. Processor time, of all processes together, is given beside the time on the
clock, which other work on the machine lengthens; the load says how much other work there was. "Longest" is the
processor time of this process and of its busiest worker: the time on the clock if nothing else ran and no process
waited for another. The fit is that of drift and diffusion: index, overview, drift, diffusion. The rest of `discover`
does not grow with the data. Data: linear systems with noise, by Euler steps and marked as such, seed by file.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "benchmarks" / "scan.json"
STEPS, STEP, PATHS_A_FILE = 100, 0.01, 5000  # half a million increments a file


def simulate(folder: Path, increments: int, coordinates: int) -> None:
    """Write files of paths of the same length; existing files are kept."""
    import numpy as np

    import liestonet as lsn

    drift = np.array([[-1.0, 0.5], [-0.5, -1.0]])[:coordinates, :coordinates]
    for number in range(max(1, increments // (STEPS * PATHS_A_FILE))):
        file = folder / f"{number:05d}.parquet"
        if file.exists():
            continue
        rng = np.random.default_rng(number)
        x = np.empty((PATHS_A_FILE, STEPS + 1, coordinates))
        x[:, 0] = rng.uniform(-2, 2, (PATHS_A_FILE, coordinates))
        for k in range(STEPS):
            noise = STEP**0.5 * rng.standard_normal((PATHS_A_FILE, coordinates))
            x[:, k + 1] = x[:, k] + STEP * x[:, k] @ drift.T + noise
        exact = lsn.Measurement.exact()
        lsn.Trajectories.from_arrays(STEP * np.arange(STEPS + 1), x, measurement=exact).write(file)


def measure(folder: Path, workers: int | None) -> dict[str, Any]:
    """Measure one pass (`workers` None), or a fit by this process (0) or by that many workers."""
    import psutil

    import liestonet as lsn
    from liestonet.core.cluster import local_workers

    source, peaks, own = lsn.Trajectories.scan(folder), dict[int, float](), psutil.Process()
    seconds, received, sent = {"start": 0.0}, 0, 0
    stop = threading.Event()

    def look() -> None:
        children = own.children(recursive=True)  # a list of all processes each time would cost much of a processor
        while not stop.wait(0.1):
            for child in children:
                try:
                    peaks[child.pid] = max(peaks.get(child.pid, 0.0), child.memory_info().rss / 2**20)
                    used = child.cpu_times()
                    processor[child.pid] = used.user + used.system
                except psutil.Error:
                    continue

    processor: dict[int, float] = {}
    before = peak_megabytes()
    begun = time.perf_counter()
    with ExitStack() as stack:
        crew = stack.enter_context(local_workers(workers)) if workers else None
        seconds["start"] = time.perf_counter() - begun
        watcher = threading.Thread(target=look, daemon=True)
        watcher.start()
        begun, used = time.perf_counter(), time.process_time()
        if workers is None:
            total = sum(float((block.dx**2).sum()) for _, block in source.blocks.blocks(first_start()))
            found = total / source.rows
        else:
            surrogate = lsn.fit(replace(source, crew=crew))
            found = float(surrogate.drift_estimates[0].parameters[0])
        seconds["clock"] = time.perf_counter() - begun
        used = time.process_time() - used
        if crew is not None:
            received, sent = crew.received, crew.sent
        stop.set()
        watcher.join()
    return {
        "workers": workers,
        "clock": seconds["clock"],
        "start": seconds["start"],
        "processor": used + sum(processor.values()),
        "longest": used + max(processor.values(), default=0.0),
        "own": peak_megabytes(),
        "before": before,
        "each": max(peaks.values(), default=0.0),
        "received": received,
        "sent": sent,
        "found": found,
        "load": os.getloadavg()[0],
    }


def first_start() -> Any:
    from liestonet.trajectories.scan_index import Start

    return Start()


def peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def alone(folder: Path, workers: int | None) -> dict[str, Any]:
    """Measure a case in its own process."""
    words = [sys.executable, __file__, "--case", json.dumps(workers), "--folder", str(folder)]
    one = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
    out = subprocess.run(words, check=True, capture_output=True, text=True, env=os.environ | one)
    return json.loads(out.stdout.splitlines()[-1])


def table(found: dict[str, Any]) -> str:
    """The cases of one set of files as a Markdown table."""
    increments, cases, one = found["increments"], found["cases"], {case["workers"]: case for case in found["cases"]}
    plain = one[None]
    rows = [
        f"## {increments:,} increments in {('one coordinate', 'two coordinates')[found['coordinates'] - 1]}",
        "",
        f"{found['size'] / 1e6:,.0f} MB of Parquet in {found['files']} files.",
        "",
        "| | clock, s | processor, s | of plain pass | longest, s | own memory, MB | each worker, MB | came back, MB "
        "| went out, MB | load |",
        "|" + "---|" * 10,
    ]
    for case in cases:
        name = {None: "plain pass", 0: "one process", 1: "1 worker"}.get(case["workers"], f"{case['workers']} workers")
        rows.append(
            f"| {name} | {case['clock']:.1f} | {case['processor']:.1f} | {case['processor'] / plain['processor']:.1f} "
            f"| {case['longest']:.1f} | {case['own']:.0f} | {case['each']:.0f} | {case['received'] / 1e6:.1f} "
            f"| {case['sent'] / 1e6:.1f} | {case['load']:.1f} |"
        )
    same = len({case["found"] for case in cases if case["workers"] is not None}) == 1
    rows += [
        "",
        f"All fits have the same first parameter to the last bit: {'yes' if same else 'no'}. One process: "
        f"{1e9 * one[0]['processor'] / increments:.0f} ns of the processor an increment, plain pass "
        f"{1e9 * plain['processor'] / increments:.0f} ns.",
    ]
    if 1 in one and 2 in one:
        ratios = [one[1][what] / one[2][what] for what in ("clock", "longest")]
        rows[-1] += (
            f" Two workers are {ratios[0]:.2f} times as fast as one by the clock, {ratios[1]:.2f} by the longest."
        )
    return "\n".join(rows)


def page(measured: list[dict[str, Any]]) -> str:
    """The page of all sets of files."""
    made = measured[0]["machine"]
    head = (
        "# A fit to files, by one process and by workers\n\nMade by `python benchmarks/scan.py`; its beginning says "
        f"what is measured and how. {made}; load is the mean number of running processes, those measured "
        "among them. The files are in the system's cache of files where it holds them.\n\n"
    )
    return head + "\n\n".join(table(each) for each in measured) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--increments", type=int, nargs="+", default=[10_000_000])
    parser.add_argument("--coordinates", type=int, choices=(1, 2), default=2)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--only-page", action="store_true")
    parser.add_argument("--case")
    given = parser.parse_args()
    if given.case is not None:
        sys.stdout.write(json.dumps(measure(given.folder, json.loads(given.case))) + "\n")
        return
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else []
    for increments in () if given.only_page else given.increments:
        with ExitStack() as stack:
            root = given.folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
            folder = root / f"{increments}-{given.coordinates}"
            folder.mkdir(parents=True, exist_ok=True)
            simulate(folder, increments, given.coordinates)
            sizes = [file.stat().st_size for file in folder.iterdir()]
            found = {
                "coordinates": given.coordinates,
                "increments": increments,
                "files": len(sizes),
                "size": sum(sizes),
                "cases": [alone(folder, case) for case in (None, 0, *given.workers)],
                "machine": f"{os.cpu_count()} processors of {platform.machine()}, Python {platform.python_version()}",
            }
        others = [one for one in kept if (one["coordinates"], one["increments"]) != (given.coordinates, increments)]
        kept = sorted([*others, found], key=lambda one: (one["coordinates"], one["increments"]))
        KEPT.write_text(json.dumps(kept, indent=1) + "\n")
    (ROOT / "benchmarks" / "scan.md").write_text(page(kept))


if __name__ == "__main__":
    main()
