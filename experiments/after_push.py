"""The paper's finite-ε checks on its four examples, with what the paper leaves out: the floor and the control.

    python experiments/after_push.py               # what is not there yet, then docs/after_push.md
    python experiments/after_push.py --only-page   # the page alone

As many generators as there are are found on the paper's amount of data, scaled to unit length on their box, and written
as formulas where the data allow it. As in the paper, fresh paths of the exact equation are pushed by ε = 1, 3, 5 and
fitted again; misfits are mean squares in units of the box, against the exact coefficients. The exact generators are
treated in the same way, to show the best possible result.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

import liestonet as lsn
from liestonet.reproduction.cases import CASES
from liestonet.study.command import Study, run_study
from liestonet.study.jobs import Job
from liestonet.validation.after_push import after_push
from liestonet.validation.push_test import invariance

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = {"Ex. 1": "ex1", "Ex. 2": "ex2", "Ex. 3": "ex3", "Ex. 4": "ex4"}
REFITS, PUSHES = (1.0, 3.0, 5.0), (0.05, 0.1, 0.2, 0.3, 0.5)
FIRST_SEED, SEEDS, FRESH = 20_000, 3, 100_000
# The paper pushes 500 paths; of these as many as have so many points.
PUSHED, MOST, DRAWS = 500 / 2048, 50_000, 19


class UnitLength:
    """Generators divided by their root mean square on the box of a result."""

    def __init__(self, generators: Any, result: lsn.Result | Any) -> None:
        from liestonet.core.points import lattice_cloud
        from liestonet.validation.generator_input import read_generators

        self.given = read_generators(generators, result.names, result.domain)
        points, half = lattice_cloud(result.domain, 500).points, result.domain.half
        tau, xi, *_ = self.given(points[:, 0], points[:, 1:])
        self.lengths = np.sqrt(np.mean((tau / half[0]) ** 2 + np.sum((xi / half[1:]) ** 2, axis=2), axis=1))

    def __call__(self, t: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        tau, xi, *_ = self.given(t, x)
        return tau / self.lengths[:, None], xi / self.lengths[:, None, None]

    count = property(lambda self: self.given.count)
    has_beta = False

    def components(self, points: np.ndarray, derivatives: Any) -> dict[Any, np.ndarray]:
        width = points.shape[1]
        table = self.given.components(points, derivatives)
        return {d: values[:, :, :width] / self.lengths[:, None, None] for d, values in table.items()}


def run(example: str, seed: int) -> dict[str, Any]:
    """One run: refits and likelihoods after pushes; those of the exact generators for the first seed only."""
    case = CASES[EXAMPLES[example]]
    system = lsn.catalogue[case.system]
    data, fresh = case.data(seed, 1.0), case.data(FRESH + seed, PUSHED)
    result = lsn.discover(data, dimension=case.dimension)
    forms = result.formulas()
    known = len(forms) == result.dimension and all(form.status != "numerical" for form in forms)
    unit = UnitLength(list(forms) if known else result, result)
    options: dict[str, Any] = {"truth": system.sde, "fresh": fresh, "seed": seed, "most": MOST}
    refits = after_push(data, unit, REFITS, **options)
    exact = UnitLength([(row.tau, list(row.xi)) for row in system.formulas("ito")], result)
    bounds = after_push(data, exact, REFITS, **options) if seed == FIRST_SEED else ()
    pushed = invariance(fresh, unit, PUSHES, draws=DRAWS, seed=seed)
    return {
        "formulas": [str(form) for form in forms] if known else None,
        "verdicts": [row.verdict for row in result.ladder[: case.dimension]],
        "points": fresh.points,
        "after_push": [asdict(row) for row in refits],
        "exact": [asdict(row) for row in bounds],
        "delta_nll": [asdict(row) for row in pushed.rows],
        "p_values": list(pushed.p_values),
    }


def jobs(seeds: int | None) -> list[Job]:
    given = {"epsilons": [REFITS, PUSHES], "fresh": [FRESH, PUSHED, MOST], "draws": DRAWS}
    return [
        Job(
            "after_push",
            f"{case}-{seed}",
            "after_push:run",
            {"example": example, "seed": seed},
            given={"data": CASES[case].described, **given},
        )
        for seed in range(FIRST_SEED, FIRST_SEED + (seeds or SEEDS))
        for example, case in EXAMPLES.items()
    ]


def refit_table(records: list[dict[str, Any]], part: str, epsilon: float) -> list[str]:
    """The paper's table for one ε; each cell is residual / floor / control, medians over the seeds."""
    heads = " | ".join(f"Gen {k + 1} Dft. | Gen {k + 1} Dfu." for k in range(3))
    lines = [f"\nε = {epsilon:g}\n", f"| Ex. | {heads} | lost points |", "|---|" + "---|" * 7]
    for example in EXAMPLES:
        own = [record for record in records if record["example"] == example and record[part]]
        if not own:
            continue
        cells, lost = [], []
        for k in range(3):
            rows = [r for record in own for r in record[part] if (r["generator"], r["epsilon"]) == (k, epsilon)]
            cells += [cell(rows, name) for name in ("drift", "diffusion")]
            points = min(own[0]["points"], MOST)
            lost.append(f"{np.median([row['left'] + row['blew_up'] for row in rows]) / points:.0%}")
        lines.append(f"| {example[4:]} | {' | '.join(cells)} | {' '.join(lost)} |")
    return lines


def cell(rows: list[dict[str, Any]], name: str) -> str:
    """Medians over the seeds that have a residual; a dash where most have none."""
    there = [row for row in rows if row["residual"] is not None]
    if 2 * len(there) <= len(rows):
        return "–"
    parts = [[row[part][name] for row in there if row[part] is not None] for part in ("residual", "floor", "control")]
    texts = [f"{median(values):.0e}" if values else "–" for values in parts]
    return f"**{texts[0]}** / {texts[1]} / {texts[2]}"


def median(values: list[float | None]) -> float:
    """The median of stored numbers, where None stands for one that is not finite."""
    return float(np.median(np.array(values, dtype=float)))


def likelihood_table(records: list[dict[str, Any]], example: str) -> list[str]:
    """ΔNLL of each generator and of random pushes, as in the paper's table; in brackets the floor."""
    own = [record for record in records if record["example"] == example]
    heads = " | ".join(f"Gen. {k + 1}" for k in range(3))
    lines = [f"\n{example}\n", f"| ε | {heads} | Random control |", "|---|" + "---|" * 4]
    for epsilon in PUSHES:
        rows = [row for record in own for row in record["delta_nll"] if row["epsilon"] == epsilon]
        control = [abs(value) for row in rows for value in row["control"] if value is not None]
        cells = []
        for k in range(3):
            mine = [row for row in rows if row["generator"] == k]
            change, floor = (median([row[name] for row in mine]) for name in ("delta_nll", "floor"))
            cells.append(f"{change:+.4f} ({floor:.4f})")
        lines.append(f"| {epsilon:.2f} | {' | '.join(cells)} | {np.median(control) if control else np.nan:.3f} |")
    p_values = [" ".join(f"{record['p_values'][k]:.2f}" for record in own) for k in range(3)]
    lines.append(f"| p, all ε | {' | '.join(p_values)} | |")
    return lines


def page(records: list[dict[str, Any]]) -> str:
    lines = [INTRODUCTION, *found_lines(records), "\n## After-push residuals"]
    for epsilon in REFITS:
        lines += refit_table(records, "after_push", epsilon)
    lines += ["\n## The same with the exact generators"]
    for epsilon in REFITS:
        lines += refit_table(records, "exact", epsilon)
    lines += ["\n## Distributional invariance: ΔNLL"]
    for example in EXAMPLES:
        if any(record["example"] == example for record in records):
            lines += likelihood_table(records, example)
    return "\n".join(lines) + "\n" + MEASURED


def found_lines(records: list[dict[str, Any]]) -> list[str]:
    """What was found on each example: verdicts, and formulas where there are any."""
    lines = ["| Ex. | seeds | verdicts | formulas in |", "|---|---|---|---|"]
    for example in EXAMPLES:
        own = [record for record in records if record["example"] == example]
        if own:
            counts = Counter(verdict for record in own for verdict in record["verdicts"])
            verdicts = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
            known = sum(record["formulas"] is not None for record in own)
            lines.append(f"| {example[4:]} | {len(own)} | {verdicts} | {known} of {len(own)} |")
    return lines


INTRODUCTION = """# After a finite push

*For readers who want to compare with the paper's checks at finite ε.*

Paths are pushed along the generators that were found, and drift (Dft.) and diffusion (Dfu.) are fitted again. If a
generator is a symmetry, the **residual** is no larger than the floor, which is the error of a refit without a push; the
control is a push along a random generator of equal norm.
"""

MEASURED = """
## What limits the residuals

- **Formulas for all generators** (first table): the residuals are those of the exact generators, at or near the floor
  for every ε, with two exceptions. In Example 4 the second generator is about three times above the floor in drift at
  ε = 3, as the exact scaling is, and up to 87 % of its points leave the region of eight half-widths. The third
  generator of Example 2, with e^{2t}, is above the floor even when it is exact, because its flow stretches the data
  beyond what the series can fit.
- **No formula**: the generators are polynomials fitted on the box of the data. A push by ε ≥ 3 leaves that box, and the
  residual grows with the extrapolation error (Example 3).
- **Below the floor**: probably flows that shrink the unit of the misfit, because boxes after a push are larger. This
  was not tested.

## How this was measured

`python experiments/after_push.py`: seeds from 20000, medians over the seeds of the first table.

- Generators are found on the paper's data (2,048 paths; 256,000 increments in Example 2) with their number given, and
  scaled to unit length on the box of the data: ε = 1 moves points by about half the box.
- As in the paper, fresh paths of the exact equation are pushed and fitted again: of the paper's 500 paths as many as
  have 50,000 points.
- A cell is **residual** / floor / control: the mean squared misfit against the exact coefficients, in units of the box.
  A dash means that too few points have an end, because the flow blows up or leaves the region where the generator is
  known by eight half-widths.
- The exact generators were pushed for the first seed only. They show the best that any generator can reach: the flow of
  x∂x carries the data to where there are few of them, and that of e^{2t}∂t ends at finite ε.
- ΔNLL is the change of the negative log-likelihood of the standardised residuals per increment, of 4,000 increments and
  the fit to them. In brackets is its median size in bootstrap draws for which the generator is exact (the floor). The
  random control has equal displacement. The last row has the p-value of all ε together for each seed, from 19 draws.
"""


STUDY = Study(jobs, page, ROOT / "experiments" / "results", ROOT / "docs" / "after_push.md")

if __name__ == "__main__":
    run_study(STUDY, __doc__ or "")
