"""The paper's recipe repeated: twice on one machine, with another number of threads, with changed last bits."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

from liestonet.core.angles import principal_angles
from liestonet.reproduction.cases import CASES, central_points
from liestonet.reproduction.engines import KEPT, PAPER_SEED, described, discovered
from liestonet.reproduction.items import angles, closure
from liestonet.reproduction.publication import Item, ItemJob, Options, Publication
from liestonet.study.tables import Table

# engine, case and number of threads of each run in addition to that of the table of angles
RUNS = (("paper", "ex2", 1), ("paper", "ex1", 2), ("paper", "ex2", 2), ("paper", "ex3", 2), ("pointwise", "ex2", 2))
COSTS = {"ex1": 250, "ex2": 300, "ex3": 250}


def run(case: str, engine: str, seed: int, threads: int) -> dict[str, Any]:
    """Run the whole recipe in a new process with a number of threads and without stored networks."""
    one = threads == 1
    environment = {name: value for name, value in os.environ.items() if name != KEPT}
    environment["XLA_FLAGS"] = f"--xla_cpu_multi_thread_eigen={'false' if one else 'true'}"
    environment |= dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), str(threads))
    # the study's process may be bound to one core
    free = "" if one or not hasattr(os, "sched_setaffinity") else "os.sched_setaffinity(0, range(os.cpu_count())); "
    code = (
        f"import json, os, sys; {free}from liestonet.reproduction.items import repetition; "
        f"json.dump(repetition.recipe({case!r}, {engine!r}, {seed}), sys.stdout)"
    )
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def recipe(case: str, engine: str, seed: int) -> dict[str, Any]:
    """Angles and losses of one run, in full precision."""
    what = CASES[case]
    data = what.data(seed)
    result = discovered(case, engine, data, seed)
    (rung,), (t, x) = result.training.rungs, central_points(data)
    found = principal_angles(result.training.generators, what.exact, t, x)
    return {"angles": found.tolist(), "losses": {f"L{k}": v for k, v in rung.losses.items()}, "cpu": _cpu_seconds()}


def _cpu_seconds() -> float:
    import time

    return time.process_time()


def jobs(options: Options) -> list[ItemJob]:
    """The jobs: the repetitions, and the runs of the table of angles for comparison; nothing in quick studies."""
    if options.quick:
        return []
    first = [angles.job(case, "paper", PAPER_SEED, 1.0) for case in dict.fromkeys(case for _, case, _ in RUNS)]
    first += [job for job in closure.jobs(options) if job.name == f"ex2-pointwise-{PAPER_SEED}"]
    again = [
        ItemJob(
            "repetition",
            f"{case}-{engine}-{threads}",
            "repetition:run",
            {"case": case, "engine": engine, "seed": PAPER_SEED, "threads": threads},
            cost=COSTS[case],
            given={"engine": described(engine, case), "data": CASES[case].described},
        )
        for engine, case, threads in RUNS
    ]
    return first + again


def publish(records: list[dict[str, Any]]) -> Publication:
    """The table of every repetition and the run in the table of angles."""
    known = {("paper", r["case"]): max(r["angles"]) for r in records if "threads" not in r and "angles" in r}
    for record in records:
        for part in record.get("curve", []):
            if part["count"] == CASES[record["case"]].dimension:
                known["pointwise", record["case"]] = max(part["subsets"])
    rows = []
    for r in records:
        if "threads" in r and (r["engine"], r["case"]) in known:
            here, there = max(r["angles"]), known[r["engine"], r["case"]]
            same = "to the last bit" if here == there else f"{abs(here - there):.1e}°"
            reading = "pointwise" if r["engine"] == "pointwise" else "global"
            rows.append((CASES[r["case"]].title, reading, r["threads"], f"{there:.3f}°", f"{here:.3f}°", same))
    columns = ("case", "L1", "threads", "one thread", "again", "differs by")
    return Publication(WHAT + _largest(records, known), {"angles": Table(columns, tuple(rows))} if rows else {})


WHAT = (
    "Surrogate and generators are trained anew in another process, with one thread as before and with two. More "
    "threads, or another processor, add numbers in another order, so that the last bits differ; training then "
    "amplifies the difference."
)


def _largest(records: list[dict[str, Any]], known: dict[tuple[str, str], float]) -> str:
    """A sentence on the largest change of an angle for each form of L1, and its cause."""
    said = []
    for engine, reading in (("paper", "one fit of structure constants"), ("pointwise", "constants at each point")):
        moved = [
            abs(max(r["angles"]) - known[engine, r["case"]])
            for r in records
            if r.get("threads", 1) > 1 and r["engine"] == engine and (engine, r["case"]) in known
        ]
        if moved:
            said.append(f"{max(moved):.2g}° with {reading}")
    if not said:
        return ""
    return (
        f" The largest change of an angle with two threads is {' and '.join(said)}. The fit at each point divides by a "
        "determinant that vanishes somewhere, which no fit to all points does."
    )


ITEM = Item("repetition", "The recipe again, with other threads", jobs, publish, cut="another machine")
