"""Every system of the catalogue: what its symmetries give, whether samples are exact, and solutions path by path.

    python experiments/reductions.py              # what is missing, then docs/reductions.md
    python experiments/reductions.py --only cir-  # systems whose names begin like this

Nothing about the reductions is random. Samples: one step of length 1 by `Reduction.sample`, compared with
Euler–Maruyama with fine steps, 100,000 paths each, two-sided Kolmogorov–Smirnov test; seeds begin at 41000 and were not
used before. Solutions: the formula along the Wiener paths that drive Euler's steps, seeds from 42000.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import liestonet as lsn
from liestonet.study.command import Study, run_study
from liestonet.study.jobs import Job

ROOT = Path(__file__).resolve().parent.parent
FIRST_SEED, PATHS, FINE = 41000, 100_000, 1000
LEVEL = 0.01
# Where a path starts for the comparison of laws: ten systems of different kinds, each with an exact sample.
STARTS: dict[str, list[float]] = {
    "linear": [0.4],
    "ornstein-uhlenbeck-affine": [0.2],
    "geometric-brownian": [1.0],
    "gompertz": [0.7],
    "brownian-sinh": [0.3],
    "cir": [1.0],
    "three-halves": [1.0],
    "bessel-3d": [0.8],
    "langevin": [0.1, -0.5],
    "geometric-brownian-pair": [1.0, 0.8],
}
# Where a path starts for the comparison path by path: solutions along the equation's own Wiener process.
DRIVEN: dict[str, list[float]] = {
    "linear": [0.4],
    "ornstein-uhlenbeck-forced": [0.2],
    "langevin": [0.1, -0.5],
    "harmonic": [0.3, 0.2],
    "geometric-brownian": [1.0],
    "gompertz": [0.7],
    "brownian-sinh": [0.3],
    "ornstein-uhlenbeck-sinh": [0.3],
    "verhulst": [0.6],
    "geometric-brownian-pair": [1.0, 0.8],
    "hyperbolic-plane": [0.1, 0.9],
}
FIRST_DRIVEN_SEED, WALKS, STEPS = 42000, 200, (10, 100, 1000, 10_000)
Row = dict[str, Any]


def use(key: str) -> Row:
    """What the symmetries of one system give: those of Itô's equations and, with several noises, those of the law."""
    system = lsn.catalogue[key]
    begin = time.process_time()
    result = lsn.solve(system.sde, "ito", system.box)
    row: Row = {"dimension": str(result.dimension), "ito": described(lsn.reduce(result))}
    if system.sde.noise > 1 and row["ito"]["kind"] != "solved":
        row["law"] = described(lsn.reduce(lsn.solve(system.sde, "law", system.box)))
    row["invariants"] = [[str(found.expression), found.status] for found in result.invariants()]
    row["martingales"] = [[str(found.expression), found.local] for found in result.martingales()]
    return row | {"processor_seconds": time.process_time() - begin}


def described(made: Any) -> Row:
    """A reduction as plain values."""
    from liestonet.reduction.wording import verdict

    return {
        "kind": made.kind,
        "status": made.status,
        "error": made.error,
        "level": made.level,
        "verdict": verdict(made),
        "equation": str(made.sde),
        "bessel": made.bessel is not None,
        "autonomous": made.kind == "reduced" and made.closed == made.sde.dimension,
        "exact": made.is_exact,
        "steps": [str(step) for step in made.steps],
    }


def compare(key: str, seed: int) -> Row:
    """The law after one step of length 1, drawn at once and simulated in fine steps; the smallest p-value by Holm."""
    from scipy.stats import ks_2samp

    system = lsn.catalogue[key]
    made = lsn.reduce(lsn.solve(system.sde, "ito", system.box))
    drawn = made.sample(STARTS[key], [1.0], PATHS, seed).states[:, 0]
    paths = system.sde.simulate(STARTS[key], 1.0, 1.0, PATHS, seed + 1, substeps=FINE)
    fine = np.array([path[-1] for path in paths.states])
    tests: list[Any] = [ks_2samp(drawn[:, i], fine[:, i]) for i in range(drawn.shape[1])]
    return {
        "exact": made.is_exact,
        "distance": max(float(test.statistic) for test in tests),
        "p_value": min(1.0, len(tests) * min(float(test.pvalue) for test in tests)),
    }


def drive(key: str, seed: int) -> Row:
    """The distance at time 1 between the solution formula and Euler's steps, both along the same Wiener paths."""
    system = lsn.catalogue[key]
    sde, finest = system.sde, max(STEPS)
    made = lsn.reduce(lsn.solve(sde, "ito", system.box))
    noise = np.random.default_rng(seed).standard_normal((WALKS, finest, sde.noise)) / np.sqrt(finest)
    solution = made.follow(DRIVEN[key], np.linspace(0, 1, finest + 1), noise)[:, -1]
    ends = {steps: stepped(sde, DRIVEN[key], noise.reshape(WALKS, steps, -1, sde.noise).sum(axis=2)) for steps in STEPS}
    errors = {steps: float(np.sqrt(np.mean(np.sum((end - solution) ** 2, axis=1)))) for steps, end in ends.items()}
    formulas: Any = sde.symbolic
    return {
        "spread": float(np.sqrt(np.sum(np.var(solution, axis=0)))),
        "errors": [errors[steps] for steps in STEPS],
        "order": float(-np.polyfit(np.log(STEPS), np.log([errors[steps] for steps in STEPS]), 1)[0]),
        "additive": not any(entry.has(*formulas.state) for entry in formulas.diffusion),
    }


def stepped(sde: Any, start: list[float], noise: np.ndarray) -> np.ndarray:
    """Euler–Maruyama up to time 1 with given increments (paths, steps, noises)."""
    paths, steps, _ = noise.shape
    x = np.tile(np.array(start), (paths, 1))
    for k in range(steps):
        t = np.full(paths, k / steps)
        x = x + sde.drift(t, x) / steps + np.einsum("bik,bk->bi", sde.diffusion(t, x), noise[:, k])
    return x


def jobs(seeds: int | None = None) -> list[Job]:
    """Every system, then the comparisons of laws and of paths."""
    listed = [
        Job(
            "reductions",
            key,
            "reductions:use",
            {"key": key},
            given={"equation": system.equation, "box": repr(system.box)},
        )
        for key, system in lsn.catalogue.items()
    ]
    compared = [
        Job(
            "reductions",
            f"sample-{key}",
            "reductions:compare",
            {"key": key, "seed": FIRST_SEED + 2 * position},
            given={"equation": lsn.catalogue[key].equation, "paths": PATHS, "fine": FINE, "start": repr(start)},
        )
        for position, (key, start) in enumerate(STARTS.items())
    ]
    driven = [
        Job(
            "reductions",
            f"path-{key}",
            "reductions:drive",
            {"key": key, "seed": FIRST_DRIVEN_SEED + position},
            given={"equation": lsn.catalogue[key].equation, "walks": WALKS, "steps": list(STEPS), "start": repr(start)},
        )
        for position, (key, start) in enumerate(DRIVEN.items())
    ]
    return [*listed, *compared, *driven]


def page(records: list[Row]) -> str:
    rows = [row for row in records if "ito" in row]
    compared = [row for row in records if "p_value" in row]
    driven = [row for row in records if "order" in row]
    parts = [INTRODUCTION, *summary(rows), "", *table(rows), "", SAMPLES, *comparison(compared), ""]
    return "\n".join([*parts, SOLUTIONS, *orders(driven), "", MEASURED])


def best(row: Row) -> Row:
    """The better of the two reductions, by Itô's symmetries or by those of the law."""
    order = {"solved": 0, "reduced": 1, "none": 2}
    found = [row["ito"], *([row["law"]] if "law" in row else [])]
    return min(found, key=lambda made: (order[made["kind"]], made["level"] == "law"))


def summary(rows: list[Row]) -> Iterator[str]:
    """The totals over the catalogue, as Markdown."""
    count = {kind: sum(best(row)["kind"] == kind for row in rows) for kind in ("solved", "reduced", "none")}
    proved = sum(best(row)["status"] == "proved" and best(row)["kind"] != "none" for row in rows)
    scalar = [row for row in rows if lsn.catalogue[row["key"]].sde.dimension == 1 and row["dimension"] in ("2", "3")]
    done = [row for row in scalar if best(row)["status"] == "proved" and best(row)["kind"] != "none"]
    missing = len(lsn.catalogue) - len(rows)
    if missing:
        yield f"- not run yet: {missing} of {len(lsn.catalogue)} systems; the same command goes on"
    yield f"- {len(rows)} systems: {count['solved']} solved, {count['reduced']} reduced, {count['none']} neither"
    yield f"- proved: {proved} of {count['solved'] + count['reduced']} that are solved or reduced"
    yield (
        f"- scalar systems with two or three symmetries: {len(done)} of {len(scalar)} solved, or brought to a Bessel "
        "process or to an autonomous equation, with proof"
    )
    yield f"- exact samples at any step: {sum(best(row)['exact'] for row in rows)} systems"
    yield f"- with invariants: {sum(bool(row['invariants']) for row in rows)}; " + (
        f"with martingales: {sum(bool(row['martingales']) for row in rows)}"
    )


def table(rows: list[Row]) -> Iterator[str]:
    yield "| system | symmetries | reduced | solved | proof | sample | invariants | martingales |"
    yield "|---|---|---|---|---|---|---|---|"
    for row in rows:
        made = best(row)
        law = " (law)" if made["level"] == "law" else ""
        reduced = "—" if made["kind"] == "none" else f"`{made['equation']}`{law}"
        solved = "yes" if made["kind"] == "solved" else "Bessel" if made["bessel"] else "no"
        proof = (
            "" if made["kind"] == "none" else "proved" if made["status"] == "proved" else f"error {made['error']:.0e}"
        )
        sample = "exact" if made["exact"] else "simulated" if made["kind"] != "none" else ""
        constants = ", ".join(f"`{text}`" if status == "proved" else "no formula" for text, status in row["invariants"])
        dimension = row["dimension"].replace("inf", "∞")
        yield (
            f"| `{row['key']}` | {dimension} | {escaped(reduced)} | {solved} | {proof} | {sample} | "
            f"{escaped(constants) or '—'} | {escaped(martingale_words(row['martingales']))} |"
        )


def martingale_words(found: list[Any]) -> str:
    """The number of martingales, and the shortest of them."""
    if not found:
        return "—"
    local = sum(bool(row[1]) for row in found)
    shown = min((row[0] for row in found), key=len)
    kind = "all local" if local == len(found) else f"{local} local" if local else "all true"
    return f"{len(found)} ({kind}), such as `{shown}`"


def escaped(text: str) -> str:
    """The text with vertical bars escaped, which would end a cell."""
    return text.replace("|", "\\|")


def comparison(rows: list[Row]) -> Iterator[str]:
    """Markdown: one row per system."""
    if not rows:
        yield "Not run yet; the same command goes on."
        return
    yield "| system | from | sample | largest distance | p-value |"
    yield "|---|---|---|---|---|"
    for row in rows:
        start = ", ".join(f"{value:g}" for value in STARTS[row["key"]])
        kind = "exact" if row["exact"] else "simulated"
        yield f"| `{row['key']}` | {start} | {kind} | {row['distance']:.4f} | {row['p_value']:.3f} |"
    rejected = sum(row["p_value"] < LEVEL / max(len(rows), 1) for row in rows)
    yield ""
    level = f"{100 * LEVEL:g} % (Bonferroni over the systems)"
    yield f"Rejected at the family-wise level of {level}: {rejected} of {len(rows)}."


def orders(rows: list[Row]) -> Iterator[str]:
    """Markdown: one row per system."""
    if not rows:
        yield "Not run yet; the same command goes on."
        return
    yield f"| system | noise | {' | '.join(f'{steps:,} steps' for steps in STEPS)} | order | by theory |"
    yield "|---|---|" + "---|" * (len(STEPS) + 2)
    for row in rows:
        noise, theory = ("additive", "1") if row["additive"] else ("multiplicative", "1/2")
        errors = " | ".join(f"{error / row['spread']:.1e}" for error in row["errors"])
        yield f"| `{row['key']}` | {noise} | {errors} | {row['order']:.2f} | {theory} |"


INTRODUCTION = """# The catalogue, integrated

*For readers who want to know how far symmetries carry an equation.*

Every system of the catalogue with what `lsn.reduce`, `result.invariants()` and `result.martingales()` make of its
symmetries. Each entry is proved by Itô's formula in SymPy, or stands with its numerical error.
"""

SAMPLES = """## Samples against simulation

One step of length 1 by `sample`, against Euler–Maruyama with 1,000 sub-steps: 100,000 paths each, two-sample
Kolmogorov–Smirnov test, the smallest p-value of the coordinates times their number. At this number of paths the test
sees a distance of about 0.008.
"""

SOLUTIONS = f"""## Solutions along given paths

The solution formula at time 1 and Euler–Maruyama steps along the same Wiener path, {WALKS} paths: root mean square of
the distance, in units of the spread of the states. By theory it goes down with the number of steps with strong order 1
for additive noise, 1/2 else; the order found is the slope of a line through the logarithms of all four.
"""

MEASURED = """## How this was measured

`python experiments/reductions.py`. Systems are solved on their own boxes for Itô symmetries and, where these do not
solve them and there are several noises, for those of the law; the better reduction is shown. Seeds of the samples begin
at 41000, those of paths at 42000; none of them was used during development. `local` martingales are not shown to be
integrable. Scalar systems that ordinary symmetries do not solve are solved by random ones where these exist. Runs
without a digest of their code were made while it still changed: their martingales come from the symmetries of the
Fokker–Planck equation only, and more of them are `local` than now. `--anew` repeats them.
"""

STUDY = Study(jobs, page, ROOT / "experiments" / "results", ROOT / "docs" / "reductions.md")

if __name__ == "__main__":
    run_study(STUDY, __doc__ or "")
