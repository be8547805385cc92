"""Constants in closed forms from data: are the true ones within the uncertainties?

    python experiments/constants.py              # 25 seeds a case, as far as they are not there; docs/constants.md

The rates of these systems are not simple numbers, so they appear in the formulas as constants with an uncertainty.
Seeds begin at 4100; none of them was used while the method was built.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import liestonet as lsn
from liestonet.study.command import Study, run_study
from liestonet.study.jobs import Job

FIRST_SEED, SEEDS = 4100, 25
ROOT = Path(__file__).resolve().parent.parent
# Equation, paths from a uniform box, duration, and the rates of its exponentials; a decay of a turning pair counts.
CASES: dict[str, tuple[str, int, list[list[float]], float, tuple[float, ...]]] = {
    "stable": ("dx = -1.137*x dt + dW", 512, [[-2], [2]], 2.0, (-1.137, -2.274)),
    "unstable": ("dx = 0.863*x dt + 0.7 dW", 512, [[-2], [2]], 2.0, (0.863, 1.726)),
    "friction": ("dx = y dt; dy = -1.137*y dt + 1.3 dW", 1024, [[-2, -2], [2, 2]], 2.0, (-1.137,)),
    "square root": ("dx = 0.863*(1.2 - x) dt + 0.8*sqrt(x) dW", 1024, [[0.6], [2]], 2.0, (-0.863,)),
}


def run(case: str, seed: int) -> dict[str, Any]:
    """One run: the rates in the formulas, each with the nearest true one, and the number not found."""
    import sympy

    equation, paths, (low, high), duration, rates = CASES[case]

    def initial(rng: np.random.Generator, count: int) -> np.ndarray:
        return rng.uniform(low, high, size=(count, len(low)))

    sde = lsn.SDE.parse(equation)
    data = sde.simulate(initial=initial, duration=duration, step=0.01, paths=paths, seed=seed, substeps=5)
    result = lsn.discover(data)
    found: dict[str, tuple[float, float]] = {}
    for formula in result.formulas():
        known = {constant.symbol: constant for constant in formula.constants}
        for power in sympy.Tuple(formula.tau, *formula.xi).atoms(sympy.exp):
            rate = sympy.diff(power.args[0], sympy.Symbol("t", real=True))
            if rate.is_number:
                found[str(rate)] = float(rate), 0.0
            elif rate in known:
                found[str(rate)] = known[rate].value, known[rate].uncertainty
    statuses = [formula.status for formula in result.formulas()]
    listed = [(value, width, min(rates, key=lambda true: abs(true - value))) for value, width in found.values()]
    return {"dimension": result.dimension, "statuses": statuses, "rates": listed}


def jobs(seeds: int | None) -> list[Job]:
    return [
        Job(
            "constants",
            f"{case.replace(' ', '-')}-{seed}",
            "constants:run",
            {"case": case, "seed": seed},
            given={"case": CASES[case]},
        )
        for case in CASES
        for seed in range(FIRST_SEED, FIRST_SEED + (seeds or SEEDS))
    ]


def page(records: list[dict[str, Any]]) -> str:
    return f"# Constants in formulas from data\n\n{INTRODUCTION}\n{table(records)}\n\n{MEASURED}"


def table(records: list[dict[str, Any]]) -> str:
    """Markdown: one row per case."""
    lines = [
        "| case | equation | runs | formulas for all | rates with ± | median ± | within 1 σ | within 2 σ | rounded, "
        "within 0.1 |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for case, (equation, *_) in CASES.items():
        own = [record for record in records if record["case"] == case]
        if not own:
            continue
        full = sum("numerical" not in record["statuses"] for record in own)
        rates = [rate for record in own for rate in record["rates"]]
        wide = [(abs(value - true) / width, width) for value, width, true in rates if width > 0]
        exact = [abs(value - true) < 0.1 for value, width, true in rates if width == 0]
        one, two = (sum(distance <= limit for distance, _ in wide) for limit in (1, 2))
        width = f"{np.median([width for _, width in wide]):.3f}" if wide else "–"
        lines.append(
            f"| {case} | `{equation}` | {len(own)} | {full} | {len(wide)} | {width} | {one} | {two} | "
            f"{sum(exact)} of {len(exact)} |"
        )
    return "\n".join(lines)


INTRODUCTION = """*For readers who use the number after ± in a formula that `discover` found.*

A rate in an exponential is given with one standard error, or as a simple number where one is consistent with the data.
If the standard errors are right, about two thirds of the rates lie within 1 σ of the truth and 95 % within 2 σ.
"""

MEASURED = """## How this was measured

`python experiments/constants.py`: seeds from 4100, none of them used during development.

- The two rates of one run are correlated: 40 rates carry the information of about 20. Runs that found fewer generators
  have fewer rates.
- A rate is replaced by a simple number if that number lies within two standard errors and few simple numbers do. All
  rates of a result are rounded together. The last column counts these replacements, and how many of them are within 0.1
  of the truth.
- A step of 0.01 changes the apparent rate from k to (exp(k/100) − 1) · 100. In the unstable case that is nearly 0.6
  standard errors upwards, so its coverage is a little lower. A file does not show whether it holds a continuous process
  or Euler steps of its own step size; only Euler steps show k itself.
"""


STUDY = Study(jobs, page, ROOT / "experiments" / "results", ROOT / "docs" / "constants.md")

if __name__ == "__main__":
    run_study(STUDY, __doc__ or "")
