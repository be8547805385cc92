"""Equations from recordings: is the truth in the 95 % region, do forecast bands cover, how far does the drift reach?

    python experiments/equations.py               # what is missing, then docs/equation_checks.md
    python experiments/equations.py --only beyond # runs whose names begin like this

Each run: 4,096 paths of a catalogue system, `discover`, `equation`. Seeds begin at 127000, those of drifts beyond the
data at 271000; none was used before.
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
FIRST_SEED, SEEDS, PATHS = 127000, 20, 4096
NEW_PATHS, HORIZON, LEVEL = 2000, 1.0, 0.95
# An equation whose coefficients can come no nearer to the true ones than this part of them has other terms.
SAME_FORM = 0.01
# Beyond the data: half of their range more on each side. The sparse fit has powers up to this degree, and leaves out
# factors below this size, as is usual (Brunton, Proctor and Kutz 2016).
FARTHER, GRID, DEGREE, THRESHOLD = 0.5, 41, 3, 0.1
FIRST_BEYOND, BEYOND_SEEDS = 271000, 5
OTHERS = ("series", "sparse")
SYSTEMS = (
    "linear", "ornstein-uhlenbeck", "ornstein-uhlenbeck-affine", "arithmetic-brownian", "brownian", "double-well",
    "weak-cubic", "geometric-brownian", "cir", "cir-linear", "gompertz", "three-halves", "verhulst", "brownian-sinh",
    "sine-drift", "langevin", "ornstein-uhlenbeck-2d", "ornstein-uhlenbeck-rotating", "geometric-brownian-pair",
    "brownian-2d",
)  # fmt: skip
Row = dict[str, Any]


def equation(key: str, seed: int) -> Row:
    """One recording: the equation, its distance from the truth, and the coverage of a forecast."""
    system = lsn.catalogue[key]
    begin = time.process_time()
    data = system.simulate(paths=PATHS, seed=seed)
    found = lsn.discover(data).equation()
    given = data.times, data.states
    row: Row = {
        "system": key,
        "text": str(found),
        "form": found.kind,
        "shown": bool(np.isfinite([row.error for row in found.constants]).all()),
        "notes": list(found.notes),
    }
    row |= placed(found, system.sde, *(np.concatenate([np.asarray(part) for part in parts[:200]]) for parts in given))
    row["held"] = held(found, system.sde, np.asarray(data.states[0])[0], seed)
    return row | {"processor_seconds": time.process_time() - begin}


def placed(found: Any, sde: Any, times: np.ndarray, states: np.ndarray) -> Row:
    """The constants closest to the true coefficients at points of the data, and χ² of the estimate there."""
    import scipy.optimize
    import scipy.stats
    import sympy

    every = slice(None, None, max(1, len(states) // 300))
    t, x = times[every], states[every]
    sigma = sde.diffusion(t, x)
    true = [sde.drift(t, x), np.einsum("bik,bjk->bij", sigma, sigma)]
    symbols = [sympy.Symbol(name, real=True) for name in ("t", *found.names)]
    constants = [row.symbol for row in found.constants]
    noise = sympy.Matrix(found.diffusion)
    drift = [sympy.lambdify([*symbols, *constants], entry) for entry in found.drift]
    squared = [sympy.lambdify([*symbols, *constants], entry) for entry in noise * noise.T]
    sizes = [np.sqrt(np.mean(part**2)) for part in true]

    def gap(values: np.ndarray) -> np.ndarray:
        parts = [np.broadcast_to(np.asarray(f(t, *x.T, *values), float), len(x)) for f in drift]
        more = [np.broadcast_to(np.asarray(f(t, *x.T, *values), float), len(x)) for f in squared]
        first = (np.array(parts).T - true[0]) / max(sizes[0], 1e-12)
        second = (np.array(more).T - true[1].reshape(len(x), -1)) / sizes[1]
        return np.concatenate([first.ravel(), second.ravel()]) / np.sqrt(len(x))

    values = np.array([row.value for row in found.constants])
    nearest = scipy.optimize.least_squares(gap, values)
    if np.linalg.norm(nearest.fun) > SAME_FORM:
        return {"same_form": False}
    away = nearest.x - values
    chi2 = float(away @ np.linalg.pinv(found.covariance, rcond=1e-10) @ away)
    return {
        "same_form": True,
        "p_value": float(scipy.stats.chi2.sf(chi2, np.linalg.matrix_rank(found.covariance))),
    }


def held(found: Any, sde: Any, begin: np.ndarray, seed: int) -> float:
    """The fraction of new true paths inside the forecast band, averaged over the coordinates."""
    band = found.forecast(begin, [HORIZON], NEW_PATHS, seed + 500, level=LEVEL)
    paths = sde.simulate(begin, HORIZON, HORIZON, NEW_PATHS, seed + 900, substeps=400)
    ends = np.array([path[-1] for path in paths.states])
    return float(np.mean((ends >= band.lower[0]) & (ends <= band.upper[0])))


def beyond(key: str, seed: int) -> Row:
    """Root mean square errors of three drifts around the range of the data."""
    system = lsn.catalogue[key]
    data = system.simulate(paths=PATHS, seed=seed)
    result = lsn.discover(data)
    found = result.equation()
    x = around(np.concatenate([np.asarray(path) for path in data.states]))
    t = np.full(len(x), float(np.mean([np.mean(times) for times in data.times])))
    true = system.sde.drift(t, x)
    drifts = {"equation": found.sde.drift, "series": result.surrogate.drift, "sparse": sparse(data)}
    errors = {name: float(np.sqrt(np.mean(np.sum((f(t, x) - true) ** 2, axis=1)))) for name, f in drifts.items()}
    return {"system": key, "form": found.kind, "beyond": errors}


def around(states: np.ndarray) -> np.ndarray:
    """Points of a grid outside the range of the data; half way to zero, not farther, where all states are positive."""
    low, high = states.min(axis=0), states.max(axis=0)
    margin = FARTHER * (high - low)
    first = np.where(low > 0, low / 2, low - margin)
    axes = [np.linspace(a, b, GRID) for a, b in zip(first, high + margin, strict=True)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(low))
    return points[((points < low) | (points > high)).any(axis=1)]


def sparse(data: Any) -> Any:
    """Drift as a sum of powers: least squares of increments, small factors left out again and again."""
    import itertools

    x = np.concatenate([np.asarray(path)[:-1] for path in data.states])
    steps = np.concatenate([np.diff(np.asarray(times)) for times in data.times])[:, None]
    slopes = np.concatenate([np.diff(np.asarray(path), axis=0) for path in data.states]) / steps
    choices = itertools.product(range(DEGREE + 1), repeat=x.shape[1])
    powers = np.array([choice for choice in choices if sum(choice) <= DEGREE])

    def features(states: np.ndarray) -> np.ndarray:
        return np.stack([np.prod(states**power, axis=1) for power in powers], axis=1)

    table = features(x)
    gram, moments = table.T @ table, table.T @ slopes
    factors = np.linalg.solve(gram, moments)
    for _ in range(len(powers)):
        small = np.abs(factors) < THRESHOLD
        factors = np.zeros_like(factors)
        for i, kept in enumerate(~small.T):
            factors[kept, i] = np.linalg.solve(gram[np.ix_(kept, kept)], moments[kept, i])
    return lambda t, states: features(states) @ factors


def jobs(seeds: int | None = None) -> list[Job]:
    """The first seed of every system, then the second, so that finished runs are spread over all systems."""
    given = {"paths": PATHS, "new_paths": NEW_PATHS, "horizon": HORIZON}
    checked = [
        Job(
            "equations",
            f"{key}-{k}",
            "equations:equation",
            {"key": key, "seed": FIRST_SEED + 1000 * position + k},
            given=given | {"equation": lsn.catalogue[key].equation},
        )
        for k in range(SEEDS if seeds is None else seeds)
        for position, key in enumerate(SYSTEMS)
    ]
    given = {"paths": PATHS, "farther": FARTHER, "degree": DEGREE, "threshold": THRESHOLD}
    reaching = [
        Job(
            "equations",
            f"beyond-{key}-{k}",
            "equations:beyond",
            {"key": key, "seed": FIRST_BEYOND + 1000 * position + k},
            given=given | {"equation": lsn.catalogue[key].equation},
        )
        for k in range(BEYOND_SEEDS if seeds is None else seeds)
        for position, key in enumerate(SYSTEMS)
    ]
    return [*checked, *reaching]


def page(records: list[Row]) -> str:
    checked = [row for row in records if "held" in row]
    farther = [row for row in records if "beyond" in row]
    parts = [INTRODUCTION, *summary(checked), "", *table(checked), "", BEYOND, *reach(farther), "", MEASURED]
    return "\n".join(parts)


def interval(count: int, total: int) -> str:
    """A fraction with its 95 % interval by Clopper and Pearson."""
    from scipy.stats import binomtest

    low, high = binomtest(count, total).proportion_ci(0.95)
    return f"{count} of {total} ({100 * count / total:.0f} %, 95 % interval {100 * low:.0f}–{100 * high:.0f} %)"


def summary(records: list[Row]) -> Iterator[str]:
    """The totals over all systems, as Markdown."""
    if not records:
        yield "Not run yet."
        return
    formed = with_true_terms(records)
    yield f"- runs: {len(records)} of {SEEDS * len(SYSTEMS)}; the same command goes on"
    yield f"- the terms are the true ones in {interval(len(formed), len(records))}"
    if formed:
        yield f"- there, the truth is inside the 95 % region in {interval(covered(formed), len(formed))}"
    yield f"- errors are not given in {sum(not row['shown'] for row in records)} of {len(records)}"
    bands = [row["held"] for row in records]
    yield (
        f"- bands of 95 % hold {100 * np.mean(bands):.1f} % of new paths on average; least {100 * min(bands):.1f} %, "
        f"most {100 * max(bands):.1f} %"
    )


def with_true_terms(rows: list[Row]) -> list[Row]:
    return [row for row in rows if row["same_form"] and row["shown"]]


def covered(rows: list[Row]) -> int:
    return sum(row["p_value"] > 1 - LEVEL for row in rows)


def table(records: list[Row]) -> Iterator[str]:
    """Markdown: one row per system."""
    yield "| system | runs | true terms | truth inside | band holds | first run |"
    yield "|---|---|---|---|---|---|"
    for key in SYSTEMS:
        rows = [row for row in records if row["system"] == key]
        if not rows:
            continue
        formed = with_true_terms(rows)
        yield (
            f"| `{key}` | {len(rows)} | {len(formed)} | {covered(formed)} of {len(formed)} | "
            f"{100 * float(np.mean([row['held'] for row in rows])):.1f} % | "
            f"`{rows[0]['text'].replace('|', chr(92) + '|')}` |"
        )


def reach(records: list[Row]) -> Iterator[str]:
    """Markdown: ratios of errors beyond the data, one row per system and one for all."""
    if not records:
        yield "Not run yet; the same command goes on."
        return
    yield "| system | runs | form | equation / series | equation / sparse sum | error of the equation |"
    yield "|---|---|---|---|---|---|"
    for key in (*SYSTEMS, None):
        rows = [row for row in records if key in (None, row["system"])]
        if not rows:
            continue
        ratios = [spread([ratio(row["beyond"], other) for row in rows]) for other in OTHERS]
        forms = sorted({row["form"] for row in rows}) if key else []
        error = f"{np.median([row['beyond']['equation'] for row in rows]):.2g}" if key else ""
        yield f"| {f'`{key}`' if key else 'all'} | {len(rows)} | {', '.join(forms)} | {' | '.join(ratios)} | {error} |"


def ratio(errors: dict[str, float], other: str) -> float:
    """The error of the equation to that of another drift, infinite where that has none."""
    return errors["equation"] / errors[other] if errors[other] else np.inf if errors["equation"] else 1.0


def spread(ratios: list[float]) -> str:
    """Median and quartiles."""
    low, middle, high = np.quantile(ratios, [0.25, 0.5, 0.75], method="inverted_cdf")
    return f"{middle:.2g} ({low:.2g}–{high:.2g})".replace("inf", "∞")


INTRODUCTION = """# Equations from recordings, checked

*For readers who want to know how far the errors of an estimated equation can be trusted.*

4,096 simulated paths of each system, the equation that `result.equation()` makes of them, and the true one beside it.
"True terms": the equation can be made equal to the true one by its constants, and gives errors for them; then χ² says
whether the truth is inside their 95 % region. The band of a forecast, one unit of time ahead, is compared with 2,000
new paths of the true equation.
"""

BEYOND = f"""## Drift beyond the data

Where no path has been: up to half of the data's range farther out on each side (half way to zero for coordinates that
are positive). Root mean square errors of the drift on a grid there, as ratios: the equation with its symmetries to the
series of `lsn.discover` before symmetries are imposed, and to a sparse sum of powers up to degree {DEGREE} by least
squares with a threshold (factors below {THRESHOLD} are left out). Medians with quartiles over the runs; below 1 the
equation is nearer to the truth, and ∞ stands for an exact drift beside it. `family`: the symmetries leave a few
constants; `closed form`: they leave functions free, and the terms were chosen by evidence. Powers that fit the data may
lead far away beyond them.
"""

MEASURED = """## How this was measured

`python experiments/equations.py`. Seeds begin at 127000, those of drifts beyond the data at 271000, in steps of 1,000
from system to system, and were not used during development. The twenty systems were chosen before any run. `linear` has
4,096 increments in all, so few that its terms are hardly known; sin x is no sum of powers."""

STUDY = Study(jobs, page, ROOT / "experiments" / "results", ROOT / "docs" / "equation_checks.md")

if __name__ == "__main__":
    run_study(STUDY, __doc__ or "")
