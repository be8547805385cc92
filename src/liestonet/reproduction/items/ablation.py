"""What leaving out one of L1 to L7 does to the angle."""

from __future__ import annotations

from typing import Any

from liestonet.from_data import discover
from liestonet.reproduction.cases import CASES, central_points
from liestonet.reproduction.engines import networks, with_objective
from liestonet.reproduction.jobs import Job
from liestonet.reproduction.paper import ABLATION
from liestonet.reproduction.study import Item, Options, Publication
from liestonet.reproduction.tables import Table, spread
from liestonet.validation.angles import principal_angles

FIRST_SEED = 4400
LOSSES = ("L1", "L2", "L3", "L4", "L5", "L6", "L7")
# every loss on; L3 and L4 vanish identically with exact derivatives, and are paid for here to show it
FULL = (1.0, 0.1, 0.1, 0.1, 1.0, 1.0, 0.1, 0.0, 0.0)
# L7 is the one costly loss; on a part of every batch its gradient is right on average
FLOW_POINTS = 64


def run(case: str, without: str, seed: int, share: float, full: list[float], flow_points: int) -> dict[str, Any]:
    """The angle at the true dimension with all losses, or all but one."""
    what = CASES[case]
    data = what.data(seed, share)
    weights = tuple(0.0 if f"L{i + 1}" == without else float(weight) for i, weight in enumerate(full))
    engine = with_objective(networks(), weights=weights, checks=True, flow_points=flow_points)
    result = discover(data, engine, what.symmetry, dimension=what.dimension, formulas=False, seed=seed)
    t, x = central_points(data)
    return {
        "angle": float(principal_angles(result.training.generators, what.exact, t, x)[-1]),
        "losses": result.training.to_dictionary()["losses"],
    }


def jobs(options: Options) -> list[Job]:
    """Both examples, all losses and each one left out."""
    share = 0.1 if options.quick else 1.0
    return [
        Job(
            "ablation",
            f"{case}-{without}-{seed}",
            "ablation:run",
            {
                "case": case,
                "without": without,
                "seed": seed,
                "share": share,
                "full": list(FULL),
                "flow_points": FLOW_POINTS,
            },
            cost=40,
        )
        for seed in range(FIRST_SEED, FIRST_SEED + options.count(3))
        for case in (("ex1",) if options.quick else ("ex1", "ex2"))
        for without in (("full", "L6") if options.quick else ("full", *LOSSES))
    ]


def publish(records: list[dict[str, Any]]) -> Publication:
    """The paper's table, ours below each row."""
    rows = []
    for case in ("ex1", "ex2"):
        paper = ABLATION[case]
        rows.append((CASES[case].title, "paper", *(f"{paper[name]:.2f}°" for name in ("full", *LOSSES))))
        ours = [
            spread([r["angle"] for r in records if r["case"] == case and r["without"] == name], "°")
            for name in ("full", *LOSSES)
        ]
        rows.append((CASES[case].title, "`Neural(polish=False)`", *ours))
    largest = max((abs(r["losses"].get(name, 0.0)) for r in records for name in ("L3", "L4")), default=0.0)
    return Publication(
        "With brackets from exact derivatives L3 (skew symmetry) and L4 (bilinearity) vanish identically, gradients "
        f"and all: the largest value met in these runs is {largest:.1e}. Leaving them out cannot change anything, so "
        "the paper's degradation without them must come from something else. L7 is ε² L6 to leading order.",
        {"angles": Table(("case", "engine", "full", *(f"without {name}" for name in LOSSES)), tuple(rows))},
    )


ITEM = Item("ablation", "Ablation of the losses L1 to L7", jobs, publish)
