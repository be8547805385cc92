"""Computing time of the neural engine's losses: CPU milliseconds for value and gradient, compilation, growth.

    python benchmarks/neural.py            prints tables and writes benchmarks/neural.md
    python benchmarks/neural.py --quick    the table of losses alone
    python benchmarks/neural.py --peaks    memory and traces of whole runs alone, the other tables as they were
    python benchmarks/neural.py --page     the page again, with the whole runs recorded since

Processor time, not time on the clock: other work on the machine hardly changes it. Separate networks of the paper's
widths at m = 3 and B = 2048, as in the paper's table of an H100, and the shared layers that `Neural()` uses.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import jax
import numpy as np

from liestonet.neural.loss_probe import brownian_problem, cost, value_and_gradient
from liestonet.reproduction.cases import CASES
from liestonet.reproduction.items import angles
from liestonet.reproduction.publication import Options
from liestonet.study.store import Store

jax.config.update("jax_enable_x64", True)

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "benchmarks" / "neural.md"
PAPER_MILLISECONDS = {1: 0.43, 2: 0.76, 3: 0.38, 4: 0.52, 5: 0.47, 6: 0.47, 7: 2.15}
RESULTS = ROOT / "experiments" / "reproduction" / "results"
MEASURED = ROOT / "benchmarks" / "neural.json"
FIRST_SEED = 4000


def problem(count: int, dimension: int, batch: int, shared: bool) -> tuple[Any, dict[str, Any]]:
    """Networks of the paper's widths and a table of Brownian motion's coefficients."""
    return brownian_problem(count, dimension, batch, shared=shared)


def losses_table() -> list[str]:
    """Time of every loss alone, and of all together."""
    lines = ["| losses | separate networks | shared layers | compilation, s | paper, H100 |", "|---|---|---|---|---|"]
    rows: list[tuple[str, tuple[int, ...], dict[str, Any]]] = [
        ("L1, global constants", (1,), {}),
        ("L1, pointwise and constancy", (1,), {"closure": "pointwise"}),
        *((f"L{number}", (number,), {}) for number in range(2, 8)),
        ("L1, L2, L5, L6 together (`Neural()`)", (1, 2, 5, 6), {}),
        ("L1 to L7 together", (1, 2, 3, 4, 5, 6, 7), {}),
    ]
    for title, numbers, forms in rows:
        separate, shared = (cost(numbers, *problem(3, 1, 2048, shared), **forms) for shared in (False, True))
        paper = f"{PAPER_MILLISECONDS[numbers[0]]:.2f}" if len(numbers) == 1 and not forms else "–"
        lines.append(
            f"| {title} | {separate['milliseconds']:.0f} | {shared['milliseconds']:.0f} | "
            f"{separate['compilation']:.1f} | {paper} |"
        )
        print(lines[-1], flush=True)
    return lines


def growth_table() -> list[str]:
    """Time of L1, L2, L5 and L6 together on shared layers, one size varied at a time."""
    lines = ["| varied | values | CPU ms |", "|---|---|---|"]
    sizes = {"m": [(3, 1, 256), (6, 1, 256), (12, 1, 256)], "n": [(3, 1, 256), (3, 3, 256), (3, 10, 256)]}
    sizes["B"] = [(3, 1, 256), (3, 1, 1024), (3, 1, 4096)]
    for name, cases in sizes.items():
        position = "mnB".index(name)
        measured = [cost((1, 2, 5, 6), *problem(*case, shared=True))["milliseconds"] for case in cases]
        values = ", ".join(str(case[position]) for case in cases)
        lines.append(f"| {name} | {values} | {', '.join(f'{value:.1f}' for value in measured)} |")
        print(lines[-1], flush=True)
    return lines


def training_table() -> list[str]:
    """The compiled chunk of the two recipes: compilation, steps, and how often the step was traced in four chunks."""
    from dataclasses import replace

    from liestonet.neural import generator_training as training
    from liestonet.neural.generator_networks import make_networks
    from liestonet.neural.settings import Neural
    from liestonet.neural.training import COMPILED

    lines = ["| settings | compilation, CPU s | a step, CPU ms | traces in four chunks |", "|---|---|---|---|"]
    for settings in (Neural(), Neural.paper(1)):
        settings = replace(settings, optimizer=replace(settings.optimizer, steps=40)).with_running(chunk=10)
        networks = make_networks(jax.random.key(0), settings.architecture, 3, 1, False)
        table = {name: np.asarray(values) for name, values in problem(3, 1, 8192, True)[1].items()}
        COMPILED.clear()
        start, marks = time.process_time(), list[float]()
        trained = training.begin(networks, settings, "ito")

        def mark(*_: object, marks: list[float] = marks) -> None:
            marks.append(time.process_time())

        training.train(trained, settings, "ito", table, 0, mark)
        step = (marks[-1] - marks[0]) / 30
        compilation = marks[0] - start - 10 * step
        lines.append(f"| {settings.name} | {compilation:.1f} | {1e3 * step:.1f} | {len(COMPILED)} |")
        print(lines[-1], flush=True)
    return lines


def memory_table() -> list[str]:
    """Memory of the compiled value and gradient without their arguments, as planned by the compiler."""
    lines = ["| losses | m | n | B | MB |", "|---|---|---|---|---|"]
    for numbers, count, dimension, batch in (
        ((5,), 3, 1, 2048),
        ((1, 2, 5, 6), 3, 1, 2048),
        ((1, 2, 5, 6, 7), 3, 1, 2048),
        ((1, 2, 5, 6, 7), 3, 1, 8192),
        ((1, 2, 5, 6), 12, 10, 2048),
    ):
        networks, table = problem(count, dimension, batch, False)
        used: Any = value_and_gradient(numbers, networks, table).memory_analysis()
        megabytes = used.temp_size_in_bytes / 2**20
        names = ", ".join(f"L{number}" for number in numbers)
        lines.append(f"| {names} | {count} | {dimension} | {batch} | {megabytes:.1f} |")
        print(lines[-1], flush=True)
    return lines


def runs_table() -> list[str]:
    """Whole runs at the true dimension from the results of `liestonet reproduce angles`, medians over seeds."""
    rows = Store(RESULTS).values(angles.jobs(Options()))
    lines = [
        "| case | settings | seeds | CPU s | largest angle | CPU s beside `Neural()` |",
        "|---|---|---|---|---|---|",
    ]
    for case, what in CASES.items():
        ours = 0.0
        for engine, name in (("neural", "Neural()"), ("paper", "Neural.paper")):
            chosen: list[Any] = [row for row in rows if row["case"] == case and row["engine"] == engine]
            if not chosen:
                continue
            seconds = float(np.median([row["cpu_seconds"] for row in chosen]))
            angle = np.median([max(row["angles"]) for row in chosen])
            ours = ours or seconds
            lines.append(
                f"| {what.title} | `{name}` | {len(chosen)} | {seconds:.0f} | {angle:.2f}° | {seconds / ours:.1f} |"
            )
    return lines


def peaks_table() -> list[str]:
    """Whole runs on Example 1, each in a process of its own: its peak memory, and how often a step was traced.

    The paper's recipe trains generators for 500 steps only: every step takes the same memory.
    """
    lines = [
        "| settings | steps | peak, MB | before `discover`, MB | traces of a step |",
        "|---|---|---|---|---|",
    ]
    context = multiprocessing.get_context("spawn")
    for name, steps in (("Neural()", 3000), ("Neural.paper(1)", 500)):
        with ProcessPoolExecutor(1, mp_context=context) as pool:
            before, peak, traces = pool.submit(watched_run, name, steps).result()
        lines.append(f"| `{name}` | {steps} | {peak:.0f} | {before:.0f} | {traces} |")
        print(lines[-1], flush=True)
    return lines


def watched_run(name: str, steps: int) -> tuple[float, float, int]:
    """Run `discover` on the data of Example 1: megabytes before and at the peak, and the largest number of traces."""
    from dataclasses import replace

    import liestonet as lsn
    from liestonet.neural.training import COMPILED

    settings = lsn.Neural() if name == "Neural()" else lsn.Neural.paper(1)
    settings = replace(settings, optimizer=replace(settings.optimizer, steps=steps))
    data = CASES["ex1"].data(FIRST_SEED, 1.0)
    before = peak_megabytes()
    lsn.discover(data, settings, dimension=3, formulas=False, seed=FIRST_SEED)
    return before, peak_megabytes(), len(COMPILED)


def peak_megabytes() -> float:
    """The peak memory of this process by Linux; `getrusage` would include that of the parent."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--peaks", action="store_true")
    parser.add_argument("--page", action="store_true")
    arguments = parser.parse_args()
    if arguments.quick:
        losses_table()
        return
    if arguments.peaks:
        tables = [*json.loads(MEASURED.read_text(encoding="utf-8"))[:4], peaks_table()]
        MEASURED.write_text(json.dumps(tables, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    elif not arguments.page:
        tables = [losses_table(), growth_table(), training_table(), memory_table(), peaks_table()]
        MEASURED.write_text(json.dumps(tables, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    losses, growth, training, memory, peaks = json.loads(MEASURED.read_text(encoding="utf-8"))
    parts = [
        (__doc__ or "").split("\n\n")[0],
        "## Losses at m = 3, B = 2048, CPU milliseconds",
        "\n".join(losses),
        "## Growth (m = 3, n = 1, B = 256 where not varied)",
        "\n".join(growth),
        GROWTH,
        "## Compilation and steps",
        "\n".join(training),
        "## Memory",
        "\n".join(memory),
        PEAKS,
        "\n".join(peaks),
        "## Whole runs",
        RUNS,
        "\n".join(runs_table()),
    ]
    PAGE.write_text("# Speed of the neural engine\n\n" + "\n\n".join(parts) + "\n", encoding="utf-8")


PEAKS = """The first table is what the compiler plans for value and gradient; the second a whole run on Example 1,
1,024,000 increments, in a process of its own (with the paper's settings fewer steps, which takes the same memory)."""

RUNS = """From data at the true dimension, simulation included, with compilation where JAX's cache did not hold the
code already; the results of `liestonet reproduce angles`."""

GROWTH = """L1, L2, L5 and L6 read one evaluation. The paper's formulas are O(B(m D + m²)) to O(B(m D + m³)) with D the
cost of a generator's derivatives: linear in B, and in m while the networks cost more than the algebra. On shared layers
D itself is paid once for all m, so growth in m is slower than that; n adds a channel of derivatives for each coordinate
and a component for each generator."""


if __name__ == "__main__":
    main()
