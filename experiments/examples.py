"""The paper's examples from data: dimension and angle over seeds, the parametric oracle beside them.

    python experiments/examples.py                     # ten seeds a case, prints the table and writes docs/examples.md
    python experiments/examples.py --cases ex1 ex2 --seeds 3

Data and angles are those of the paper's benchmarks: raw stack on 4,000 data points inside the central 98 % of each
coordinate. Seeds begin at 3010; none of them was looked at while the method was built.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.optimize

import liestonet as lsn

FIRST_SEED = 3010
ROOT = Path(__file__).resolve().parent.parent
RECORDS = ROOT / "experiments" / "records" / "examples.jsonl"
PAGE = ROOT / "docs" / "examples.md"


@dataclass(frozen=True)
class Case:
    """One row of the table: a system, its data, and what is compared."""

    title: str
    system: str
    symmetry: str
    data: Callable[[int], lsn.Trajectories]
    oracle: Callable[[lsn.Trajectories], lsn.SDE] | None
    paper: float | None


def uniform(low: list[float], high: list[float]) -> Callable[[np.random.Generator, int], np.ndarray]:
    return lambda rng, count: rng.uniform(low, high, size=(count, len(low)))


def brownian(seed: int) -> lsn.Trajectories:
    """2048 paths from U(−2, 2), T = 5, Δt = .01."""
    sde = lsn.catalogue["brownian"].sde
    return sde.simulate(initial=uniform([-2], [2]), duration=5.0, step=0.01, paths=2048, seed=seed)


def linear(seed: int) -> lsn.Trajectories:
    """256,000 single increments, t ~ U(0, 5), x ~ U(−2, 2)."""
    rng = np.random.default_rng(seed)
    start, initial = rng.uniform(0, 5, 256_000), rng.uniform(-2, 2, (256_000, 1))
    sde = lsn.catalogue["linear"].sde
    return sde.simulate(initial=initial, duration=0.01, step=0.01, paths=256_000, seed=seed, start=start)


def langevin(seed: int) -> lsn.Trajectories:
    """2048 paths from U(−2, 2)², T = 2, Δt = .01."""
    sde = lsn.catalogue["langevin"].sde
    return sde.simulate(initial=uniform([-2, -2], [2, 2]), duration=2.0, step=0.01, paths=2048, seed=seed)


def bessel(seed: int) -> lsn.Trajectories:
    """2048 paths from U(.5, 3) × U(−2, 2), T = 2, Δt = .01, x kept above .05."""
    sde = lsn.catalogue["bessel-drift"].sde
    initial = uniform([0.5, -2], [3, 2])
    return sde.simulate(initial=initial, duration=2.0, step=0.01, paths=2048, seed=seed, boundary={"x": (0.05, None)})


def ten(seed: int) -> lsn.Trajectories:
    """2048 paths from U(−2, 2)¹⁰, T = 2, Δt = .01."""
    sde = lsn.catalogue["brownian-10d"].sde
    return sde.simulate(initial=uniform([-2] * 10, [2] * 10), duration=2.0, step=0.01, paths=2048, seed=seed)


def _least_squares(columns: list[np.ndarray], values: np.ndarray, dt: np.ndarray) -> np.ndarray:
    """Drift parameters by weighted least squares on increments."""
    root = np.sqrt(dt)
    return np.linalg.lstsq(np.stack(columns, axis=1) * root[:, None], values / dt * root, rcond=None)[0]


def _noise(values: np.ndarray, drift: np.ndarray, dt: np.ndarray) -> float:
    return float(np.sqrt(np.mean((values - drift * dt) ** 2 / dt)))


def brownian_oracle(data: lsn.Trajectories) -> lsn.SDE:
    """dx = c dt + s dW."""
    step = data.increments()
    (c,) = _least_squares([np.ones_like(step.t)], step.dx[:, 0], step.dt)
    return lsn.SDE.parse("dx = c dt + s dW", parameters={"c": float(c), "s": _noise(step.dx[:, 0], c, step.dt)})


def linear_oracle(data: lsn.Trajectories) -> lsn.SDE:
    """dx = (k x + c) dt + s dW."""
    step = data.increments()
    x = step.x[:, 0]
    k, c = _least_squares([x, np.ones_like(x)], step.dx[:, 0], step.dt)
    return lsn.SDE.parse(
        "dx = (k*x + c) dt + s dW",
        parameters={"k": float(k), "c": float(c), "s": _noise(step.dx[:, 0], k * x + c, step.dt)},
    )


def langevin_oracle(data: lsn.Trajectories) -> lsn.SDE:
    """dx = y dt, dy = (c − g y) dt + s dW."""
    step = data.increments()
    y = step.x[:, 1]
    g, c = _least_squares([y, np.ones_like(y)], step.dx[:, 1], step.dt)
    return lsn.SDE.parse(
        "dx = y dt; dy = (g*y + c) dt + s dW",
        parameters={"g": float(g), "c": float(c), "s": _noise(step.dx[:, 1], g * y + c, step.dt)},
    )


def bessel_oracle(data: lsn.Trajectories) -> lsn.SDE:
    """dx = a/(x + c) dt + s dW₁, dy = b dt + r dW₂."""
    step = data.increments()
    x, y = step.x.T

    def residual(parameters: np.ndarray) -> np.ndarray:
        return (step.dx[:, 0] - parameters[0] / (x + parameters[1]) * step.dt) / np.sqrt(step.dt)

    a, c = scipy.optimize.least_squares(residual, [1.0, 0.0], bounds=([0.1, -0.04], [10, 1])).x
    (b,) = _least_squares([np.ones_like(y)], step.dx[:, 1], step.dt)
    return lsn.SDE.parse(
        "dx = a/(x + c) dt + s dW1; dy = b dt + r dW2",
        parameters={
            "a": float(a),
            "c": float(c),
            "s": _noise(step.dx[:, 0], a / (x + c), step.dt),
            "b": float(b),
            "r": _noise(step.dx[:, 1], b, step.dt),
        },
    )


CASES = {
    "ex1": Case("Ex. 1", "brownian", "ito", brownian, brownian_oracle, 6.3),
    "ex2": Case("Ex. 2", "linear", "ito", linear, linear_oracle, 19.4),
    "ex3": Case("Ex. 3", "langevin", "ito", langevin, langevin_oracle, 7.6),
    "ex4": Case("Ex. 4", "bessel-drift", "ito", bessel, bessel_oracle, 14.3),
    "ten": Case("10-D, Itô", "brownian-10d", "ito", ten, None, 16.6),
    "ten-law": Case("10-D, law", "brownian-10d", "law", ten, None, None),
    "ex1-fp": Case("Ex. 1, Fokker–Planck", "brownian", "fokker-planck", brownian, brownian_oracle, 8.4),
}


def central_points(data: lsn.Trajectories) -> tuple[np.ndarray, np.ndarray]:
    """4,000 random data points inside the central 98 % of each coordinate."""
    low, high = np.quantile(data.flat_states, [0.01, 0.99], axis=0)
    inside = np.flatnonzero(((data.flat_states >= low) & (data.flat_states <= high)).all(axis=1))
    chosen = np.random.default_rng(0).choice(inside, 4000, replace=False)
    return data.flat_times[chosen], data.flat_states[chosen]


def run(name: str, seed: int) -> dict[str, object]:
    """One run: what was found, its angles at the true dimension, the oracle's, and the time."""
    case, system = CASES[name], lsn.catalogue[CASES[name].system]
    data = case.data(seed)
    begin = time.perf_counter()
    result = lsn.discover(data, symmetry=case.symmetry, formulas=False)
    seconds = time.perf_counter() - begin
    true, exact = int(system.dimension(case.symmetry)), system.generators(case.symmetry)
    t, x = central_points(data)
    half = result.domain.half
    found = result.candidates(true)
    record: dict[str, object] = {
        "case": name,
        "seed": seed,
        "true": true,
        "found": result.dimension,
        "law": result.law_dimension,
        "verdicts": [row.verdict for row in result.ladder],
        "angles": lsn.principal_angles(found, exact, t, x).tolist(),
        "scaled": lsn.principal_angles(found, exact, t, x, scale=(half[0], half[1:])).tolist(),
        "flags": [flag.code for flag in result.flags],
        "seconds": seconds,
    }
    if case.oracle is not None:
        oracle = lsn.solve(case.oracle(data), case.symmetry, result.domain.intervals, formulas=False)
        record["oracle"] = lsn.principal_angles(oracle.candidates(true), exact, t, x).tolist()
    return record


def table(records: list[dict]) -> str:
    """Markdown: one row a case."""
    lines = [
        "| case | seeds | dimension right | max angle, median (range) | unit-free | oracle | paper | seconds |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, case in CASES.items():
        rows = [record for record in records if record["case"] == name]
        if not rows:
            continue
        angles, scaled, seconds = (
            np.array([np.max(row[key]) for row in rows]) for key in ("angles", "scaled", "seconds")
        )
        right = sum(row["found"] == row["true"] for row in rows)
        oracle = f"{np.median([np.max(row['oracle']) for row in rows]):.2f}°" if "oracle" in rows[0] else "–"
        paper = f"{case.paper}°" if case.paper else "–"
        lines.append(
            f"| {case.title} | {rows[0]['seed']}–{rows[-1]['seed']} | {right} of {len(rows)} "
            f"| {np.median(angles):.2f}° ({angles.min():.2f}–"
            f"{angles.max():.2f}°) | {np.median(scaled):.2f}° | {oracle} | {paper} "
            f"| {np.median(seconds):.1f} |"
        )
    return "\n".join(lines)


def details(records: list[dict]) -> str:
    """What was found where the dimension was not the true one, and the fourth direction of Example 3."""
    lines = [
        f"- {CASES[record['case']].title}, seed {record['seed']}: {record['found']} instead of {record['true']} "
        f"(first {record['true'] + 1} directions: {_counted(record['verdicts'][: record['true'] + 1])})"
        for record in records
        if record["found"] != record["true"]
    ]
    fourth = [record["verdicts"][3] for record in records if record["case"] == "ex3"]
    if fourth:
        lines.append(f"- The fourth direction of Example 3 was called: {_counted(fourth)}.")
    return "\n".join(lines)


def _counted(verdicts: list[str]) -> str:
    """How often each verdict occurs."""
    return ", ".join(f"{count} {verdict}" for verdict, count in Counter(verdicts).most_common())


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cases", nargs="*", default=list(CASES), choices=list(CASES))
    parser.add_argument("--seeds", type=int, default=10)
    arguments = parser.parse_args()
    RECORDS.parent.mkdir(exist_ok=True)
    done = [json.loads(line) for line in RECORDS.read_text().splitlines()] if RECORDS.exists() else []
    present = {(record["case"], record["seed"]) for record in done}
    for name in arguments.cases:
        for seed in range(FIRST_SEED, FIRST_SEED + arguments.seeds):
            if (name, seed) in present:
                continue
            record = run(name, seed)
            done.append(record)
            with RECORDS.open("a") as file:
                file.write(json.dumps(record) + "\n")
            print(name, seed, "found", record["found"], "angle", f"{np.max(record['angles']):.2f}", flush=True)
    page = f"# The paper's examples from data\n\n{INTRODUCTION}\n{table(done)}\n\n{details(done)}\n"
    PAGE.write_text(page)
    print(table(done))


INTRODUCTION = """Made by `python experiments/examples.py`. No seed was used while the method that ran on it was
built. The rows are of three ages, and the seeds tell which:

- Seeds from 2000 came first. Example 3 had 7 of 10 right, which led to repairs tuned on seeds below 1000. Rows that
  still show these seeds have not been run again since.
- Seeds 3000 to 3009 were run after the first repairs (sorting by likelihood, shrinkage by coordinate). Example 3 had 7
  of 10 right again: 2, 2 and 1 found instead of 3, median angle 1.36°.
- Seeds from 3010 were run after one more repair on seeds below 1000 (the joint test lets a block turn towards
  near-symmetries, as the sorting does), with the code as it is.

On the tuning seeds 100 to 129 Example 3 had 27 of 30 right after the first repairs (seven of them, two wrong before,
were run again after the last: six right). Where fresh seeds do worse, theirs is the rate to expect.

Three of the 10-D seeds (2000 to 2002) had been run before another fault was repaired that cost one of the twelve
symmetries; nothing else was changed then. Data sizes and angles are the paper's: raw stack on 4,000 data points inside
the central 98 % of each coordinate, all at the true dimension. The oracle fits the true functional form to the same
data and solves that. Seconds are wall time of `discover` without formulas on a machine with two cores that others use
at the same time (about ten processes a core when the rows from 3010 were made).
"""


if __name__ == "__main__":
    main()
