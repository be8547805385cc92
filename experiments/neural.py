"""The neural engine on the paper's examples: dimensions by sweep over seeds, and angles at the true dimension.

    python experiments/neural.py                    # five seeds of a sweep on Examples 1 to 4; writes docs/neural.md
    python experiments/neural.py --only ex1 ex2 --seeds 2
    python experiments/neural.py --only-page        # the page from what is there

Seeds begin at 4200; settings were chosen on seeds below 1000. Angles at the true dimension are those of `liestonet
reproduce angles`; the page reads its results.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import liestonet as lsn
from liestonet.reproduction.cases import CASES, EXAMPLES
from liestonet.reproduction.engines import described, networks
from liestonet.reproduction.items import angles
from liestonet.reproduction.paper import SDE_ANGLES
from liestonet.reproduction.publication import Options
from liestonet.study.command import Study, run_study
from liestonet.study.jobs import Job
from liestonet.study.store import Store

FIRST_SEED, SEEDS = 4200, 5
ROOT = Path(__file__).resolve().parent.parent
ANGLES = ROOT / "experiments" / "reproduction" / "results"
AIMS = {"ex1": 1.5, "ex2": 4.0, "ex3": 4.0, "ex4": 3.0, "fp": 6.0, "10d": 8.0}


def run(case: str, seed: int) -> dict[str, Any]:
    """A sweep for one seed of data and training: the dimension by each rule, and the verdicts of the ladder."""
    chosen = CASES[case]
    engine = networks(polish=True)
    result = lsn.discover(chosen.data(seed, 1.0), engine, chosen.symmetry, formulas=False, seed=seed)
    return {
        "true": chosen.dimension,
        "dimension": result.dimension,
        "verdicts": [row.verdict for row in result.ladder],
        "selected": result.training.selected,
        "worst": [rung.residuals[-1] for rung in result.training.rungs],
    }


def jobs(seeds: int | None) -> list[Job]:
    return [
        Job(
            "neural",
            f"{case}-{seed}",
            "neural:run",
            {"case": case, "seed": seed},
            given={"engine": described("polished", case), "data": CASES[case].described},
        )
        for seed in range(FIRST_SEED, FIRST_SEED + (seeds or SEEDS))
        for case in EXAMPLES
    ]


def angle_text(runs: list[dict[str, Any]], name: str) -> str:
    """The median of the largest angles, with the largest of all in brackets if there are several seeds."""
    worst = [max(row[name]) for row in runs]
    if not worst:
        return "–"
    return f"{worst[0]:.2f}°" if len(worst) == 1 else f"{np.median(worst):.2f}° (max {max(worst):.2f}°)"


def table() -> list[str]:
    """The angles at the true dimension."""
    runs = Store(ANGLES).values(angles.jobs(Options()))
    lines = [
        "| case | seeds | aim | `Neural(polish=False)` | with polish | `Neural.paper` (seeds) | the paper | CPU s | "
        "CPU s of `Neural.paper` |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for case, aim in AIMS.items():
        ours, theirs = (
            [row for row in runs if row["case"] == case and row["engine"] == engine] for engine in ("neural", "paper")
        )
        seconds = [
            f"{np.median([row['cpu_seconds'] for row in group]):.0f}" if group else "–" for group in (ours, theirs)
        ]
        preset = f"{angle_text(theirs, 'angles')} ({len(theirs)})" if theirs else "not run"
        lines.append(
            f"| {CASES[case].title} | {len(ours)} | ≤ {aim:g}° | {angle_text(ours, 'angles')} | "
            f"{angle_text(ours, 'polished')} | {preset} | {max(SDE_ANGLES[case]):.1f}° | {' | '.join(seconds)} |"
        )
    return lines


def sweep_table(rows: list[dict[str, Any]]) -> list[str]:
    """Dimensions where none was given, by rule."""
    lines = [
        "| case | seed | true | rule of the jump | the paper's rule | ladder | beyond | worst residual, m = 1, 2, … |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in sorted(rows, key=lambda row: (row["case"], row["seed"])):
        curve = ", ".join(f"{residual:.2g}" for residual in row["worst"])
        beyond = row["verdicts"][row["dimension"] :][:1]
        lines.append(
            f"| {CASES[row['case']].title} | {row['seed']} | {row['true']} | {row['selected']['jump']} | "
            f"{row['selected']['paper']} | {row['dimension']} | {', '.join(beyond)} | {curve} |"
        )
    return lines


def page(rows: list[dict[str, Any]]) -> str:
    """The page as Markdown."""
    text = PAGE_TEXT.replace("TABLE", "\n".join(table()))
    return text.replace("SWEEP", "\n".join(sweep_table(rows)))


PAGE_TEXT = """# Accuracy of the neural engine

*For readers who want to know how accurate the networks are beside the paper. To use them: [the neural engine on your
data](networks.md).*

The table has the largest principal angle between the span found and the true one, at the true dimension: the median
over seeds, with the largest in brackets. [The spectral engine](examples.md), the default, reaches similar angles in
less time.

TABLE

## Dimension

If no dimension is given, networks are trained for m = 1, 2, … generators, each from the one before. The ladder then
counts the directions of the selected span that the data support; its count is the dimension of the result.

SWEEP

- *Rule of the jump*: the largest m before the worst relative residual of the span jumps.
- *The paper's rule*: the first minimum of the closure loss L1 for m ≥ 2.
- *Beyond*: the verdict on the first direction that does not count.
- If the noise has full rank, the sweep ends at the bound n + 2, so on Examples 1 and 2 no rule could exceed the truth.
  Example 3 has a near-symmetry, which training finds as well; the ladder has to separate it from the symmetries.

## What was learnt

`Neural()` trains on the spectral surrogate, in units of the box, on half data and half uniform points; generators are
heads on common layers. ∂t and translations that the data do not exclude are taken as exact. Three choices were made on
seeds below 1000:

- **Closure losses start late**, after 40 % of the steps. From the start, they can hold the generators in a wrong
  algebra that closes: 82° on Fokker–Planck (seeds 2 and 3), against 1.9° and 0.5°.
- **The span is imposed on the coefficients**, unless held-out paths reject it, and training continues with those, as
  the spectral engine refits. Errors of the coefficients limit Example 4: 2.9° and 4.4° without this step (seeds 2 and
  3), 1.7° and 1.5° with it. Both columns of the table have it; on Example 1 exact shifts leave nothing to impose.
- **The last layer is solved exactly** (*with polish*) on the learned features, with the operator of the spectral
  engine. It is done on the refitted coefficients. On those as estimated it made Example 3 worse (3.2° against 1.5°,
  seeds 3000 and 3001), because a near-symmetry lies beside the symmetries.

## How this was measured

`python experiments/neural.py`, from the results of `liestonet reproduce angles` and from its own sweeps.

- Angles are of the raw stack on data points, as in [the spectral table](examples.md). Data and training seeds vary
  together and begin at 4000, for sweeps at 4200; settings were chosen on seeds below 1000. Seeds 4100 to 4104 had
  Example 4 right in three of five and led to a change, so they were replaced.
- Seconds are CPU seconds of simulation and `discover`, with the surrogate, and with compilation where JAX's cache did
  not hold the code. A case or column that is missing has not been run.
- `Neural.paper` follows the paper: `print(liestonet.Neural.paper(1))` lists every setting as *stated*, *conflicting* or
  *unstated*, with the reason. Its data and trainings have seeds of their own, from 7000 on. L3 and L4 vanish
  identically with exact derivatives (`tests/neural/test_losses.py`) and are not evaluated in training. L7 is evaluated
  on at most 256 points of a batch (the paper: "subsampled trajectory points", without a number).
- The paper's appendix leaves out Fokker–Planck and ten dimensions. Their presets train generators as in Example 1, the
  second with batches of 512 from 4,096 points, on a surrogate like Example 3's.
- [The paper, reproduced](reproduction.md) changes settings of `Neural.paper` one at a time.
"""


STUDY = Study(jobs, page, ROOT / "experiments" / "results", ROOT / "docs" / "neural.md")

if __name__ == "__main__":
    run_study(STUDY, __doc__ or "")
