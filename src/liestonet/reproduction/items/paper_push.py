"""After-push residuals as in the paper: its networks, its surrogate fitted to pushed paths, on a fixed box."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from liestonet.catalogue import catalogue
from liestonet.core.domain import Domain
from liestonet.core.points import lattice_cloud
from liestonet.errors import InputError
from liestonet.reproduction.cases import CASES, EXAMPLES, QUANTILES
from liestonet.reproduction.engines import PAPER_SEED, described, discovered
from liestonet.reproduction.paper import AFTER_PUSH
from liestonet.reproduction.publication import ItemJob
from liestonet.study.tables import Table
from liestonet.trajectories import Trajectories
from liestonet.validation.after_push import central_part
from liestonet.validation.flows import Reach
from liestonet.validation.push import push
from liestonet.validation.tuning import AFTER_PUSH as TUNING

FRESH = 90_000  # seeds of the pushed paths, apart from those that were fitted
PATHS = 500  # that the paper pushes
EPSILONS = (1.0, 3.0, 5.0)
# Steps of the surrogate of Example 4, a tenth of the paper's: nine fits with its 20,000 take four hours.
STEPS = {"ex4": 2000}
COSTS = {"ex1": 600, "ex2": 250, "ex3": 600, "ex4": 1700}
Row = dict[str, Any]


def run(case: str, seed: int, steps: int | None = None) -> dict[str, Any]:
    """Mean squared errors of f and σ on a fixed box, in fits to pushed and unpushed paths."""
    what = CASES[case]
    result = discovered(case, "paper", what.data(seed), seed)
    fresh = what.data(FRESH + seed, PATHS / what.data.paths if what.data.starts is None else 1.0)
    low, high = np.quantile(fresh.flat_states, QUANTILES, axis=0)
    box = Domain(((float(fresh.flat_times.min()), float(fresh.flat_times.max())), *zip(low, high, strict=True)))
    rows = []
    for k in range(what.dimension):
        for epsilon in EPSILONS:
            row: Row = {"generator": k, "epsilon": epsilon}
            try:
                moved = push(result.training.generators, fresh, k, epsilon, Reach(box, TUNING.margin, TUNING.tolerance))
                row |= {"left": moved.left, "blew_up": moved.blew_up}
                row |= _missed(case, central_part(moved), box, seed, steps)
            except (InputError, np.linalg.LinAlgError) as problem:
                row |= {"note": str(problem)}
            rows.append(row)
    return {"rows": rows, "floor": _missed(case, fresh, box, seed, steps)}


def _missed(case: str, paths: Trajectories, box: Domain, seed: int, steps: int | None) -> dict[str, float]:
    """The paper's surrogate, fitted to paths, against the truth on a box: mean squares of f and of the root of a."""
    from liestonet.neural.coefficients.fit_coefficients import fit_coefficients
    from liestonet.neural.coefficients.settings import PAPER
    from liestonet.reproduction.engines import PRESETS

    settings = PAPER[int(PRESETS[case])]
    settings = settings if steps is None else replace(settings, steps=steps)
    found, true = fit_coefficients(paths, settings, seed=seed), catalogue[CASES[case].system].sde
    points = lattice_cloud(box, TUNING.points).points
    t, x = points[:, 0], points[:, 1:]
    sigma = true.diffusion(t, x)
    drift = found.drift(t, x) - true.drift(t, x)
    noise = _root(found.diffusion_squared(t, x)) - _root(sigma @ np.swapaxes(sigma, 1, 2))
    return {
        "drift": float(np.mean(np.sum(drift**2, axis=1))),
        "diffusion": float(np.mean(np.sum(noise**2, axis=(1, 2)))),
    }


def _root(squared: np.ndarray) -> np.ndarray:
    """The symmetric root of a, which is σ where it is diagonal."""
    values, vectors = np.linalg.eigh(squared)
    return np.einsum("bij,bj,bkj->bik", vectors, np.sqrt(np.maximum(values, 0.0)), vectors)


def jobs(seeds: int) -> list[ItemJob]:
    """The jobs: every example."""
    return [
        ItemJob(
            "after-push",
            f"{case}-paper-{seed}",
            "paper_push:run",
            {"case": case, "seed": seed, "steps": STEPS.get(case)},
            cost=COSTS[case],
            given={
                "engine": described("paper", case),
                "data": CASES[case].described,
                "epsilons": EPSILONS,
                "pushed": [FRESH, PATHS],
                "margin": TUNING.margin,
            },
        )
        for seed in range(PAPER_SEED, PAPER_SEED + seeds)
        for case in EXAMPLES
    ]


def table(records: list[dict[str, Any]]) -> Table:
    """The table of drift and diffusion for every generator and ε, with the paper's values and the floor."""
    rows = []
    for record in records:
        floor = _pair(record["floor"])
        for row in record["rows"]:
            k, epsilon = row["generator"], row["epsilon"]
            theirs = " / ".join(f"{number:.1e}" for number in AFTER_PUSH[int(epsilon)][record["case"]][k])
            lost = row["left"] + row["blew_up"] if "left" in row else None
            rows.append((CASES[record["case"]].title, k + 1, epsilon, theirs, _pair(row), floor, lost))
    columns = ("case", "generator", "ε", "paper", "`Neural.paper`", "floor", "points lost")
    return Table(columns, tuple(rows))


def _pair(row: Row) -> str | None:
    return f"{row['drift']:.1e} / {row['diffusion']:.1e}" if "drift" in row else None


def sentence(records: list[dict[str, Any]]) -> str:
    """A paragraph: in how many cells the residual, and in how many the floor, is at most the paper's number."""
    if not records:
        return ""
    cells = [
        (row.get(name), record["floor"][name], AFTER_PUSH[int(row["epsilon"])][record["case"]][row["generator"]][place])
        for record in records
        for row in record["rows"]
        for place, name in enumerate(("drift", "diffusion"))
    ]
    there = [(ours, floor, theirs) for ours, floor, theirs in cells if ours is not None]
    reached = sum(ours <= theirs for ours, _, theirs in there)
    hidden = sum(floor > theirs for _, floor, theirs in cells)
    return (
        "The last table is the paper's check as it describes it, with `Neural.paper`: its networks push "
        f"{PATHS} fresh paths (Example 2: its single steps), its surrogate is fitted to them, and drift and σ are "
        "compared with the truth on the central 98% of the paths before the push, in the data's units. "
        f"Of {len(cells)} numbers {len(there)} have one of ours beside them, {reached} of which are at most the "
        f"paper's. In {hidden} of {len(cells)} the floor, the same fit to paths that were not pushed, is larger than "
        "what the paper prints after a push. "
        + "; ".join(f"{CASES[case].title}: {steps:,} steps of the surrogate, a tenth" for case, steps in STEPS.items())
        + "."
    )
