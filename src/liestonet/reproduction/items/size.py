"""Not in the paper: the angle against the amount of data, compared with a parametric oracle."""

from __future__ import annotations

from typing import Any

import numpy as np

from liestonet.core.angles import principal_angles
from liestonet.pipeline.discover import discover
from liestonet.pipeline.solve import solve
from liestonet.reproduction.cases import CASES, EXAMPLES, central_points
from liestonet.reproduction.engines import described
from liestonet.reproduction.figures import COLOURS, svg
from liestonet.reproduction.oracles import ORACLES
from liestonet.reproduction.publication import Item, ItemJob, Options, Publication
from liestonet.study.tables import Table, spread

FIRST_SEED = 4100
SHARES = (1 / 64, 1 / 16, 1 / 4, 1.0)
TURNED = 20.0


def run(case: str, seed: int, share: float) -> dict[str, Any]:
    """The largest angle from data and that of the oracle, at the true dimension."""
    what = CASES[case]
    data = what.data(seed, share)
    result = discover(data, symmetry=what.symmetry, dimension=what.dimension, formulas=False)
    t, x = central_points(data)
    oracle = solve(ORACLES[what.system](data), what.symmetry, result.domain.intervals, formulas=False)
    return {
        "increments": int(result.surrogate.overview.count),
        "angle": float(principal_angles(result.candidates(what.dimension), what.exact, t, x)[-1]),
        "oracle": float(principal_angles(oracle.candidates(what.dimension), what.exact, t, x)[-1]),
    }


def jobs(options: Options) -> list[ItemJob]:
    """The jobs: the four examples at a quarter, a sixteenth … of the data."""
    shares = SHARES[:2] if options.quick else SHARES
    return [
        ItemJob(
            "size",
            f"{case}-{round(1 / share)}-{seed}",
            "size:run",
            {"case": case, "seed": seed, "share": share},
            cost=8 * share + 2,
            given={"engine": described("spectral", case), "data": CASES[case].described},
        )
        for case in EXAMPLES
        for share in shares
        for seed in range(FIRST_SEED, FIRST_SEED + options.count(10))
    ]


def publish(records: list[dict[str, Any]]) -> Publication:
    """The table of examples and sizes, and a figure of it."""
    groups = [
        (case, share, rows)
        for case in EXAMPLES
        for share in SHARES
        if (rows := [r for r in records if r["case"] == case and r["share"] == share])
    ]
    table = Table(
        ("case", "increments", "`Spectral()`", "oracle"),
        tuple(
            (
                CASES[case].title,
                f"{rows[0]['increments']:,}",
                spread([row["angle"] for row in rows], "°"),
                spread([row["oracle"] for row in rows], "°"),
            )
            for case, _, rows in groups
        ),
    )
    return Publication(
        _sentence(records),
        {"angles": table},
        {"angles": svg(lambda axes: _draw(axes[0], groups), columns=4, size=(2.8, 2.8))},
    )


def _sentence(records: list[dict[str, Any]]) -> str:
    """A paragraph on the oracle, and on runs that mistook another direction for a symmetry."""
    text = "The oracle knows the functional form and fits its constants; smaller angles than its own are chance."
    turned = [record for record in records if record["angle"] > TURNED]
    if not turned:
        return text
    places = dict.fromkeys(f"{CASES[r['case']].title} with {r['increments']:,} increments" for r in turned)
    return (
        f"{text} {len(turned)} of {len(records)} runs are off by more than {TURNED:.0f}° ({', '.join(places)}): the "
        "data are too few, or a direction that is nearly a symmetry took the place of one at the dimension given. The "
        "residual of the nearest such direction is in the last column of the table of the three kinds."
    )


def _draw(axes: Any, groups: list[tuple[str, float, list[dict[str, Any]]]]) -> None:
    for ax, case in zip(axes, EXAMPLES, strict=True):
        rows = [rows for name, _, rows in groups if name == case]
        sizes = [group[0]["increments"] for group in rows]
        for key, colour, label in (("angle", "spectral", "Spectral()"), ("oracle", "exact", "oracle")):
            middle = [np.median([row[key] for row in group]) for group in rows]
            ends = np.array([np.quantile([row[key] for row in group], [0, 1]) for group in rows]).reshape(-1, 2).T
            ax.loglog(sizes, middle, "o-", color=COLOURS[colour], label=label)
            if len(sizes):
                ax.fill_between(sizes, *ends, color=COLOURS[colour], alpha=0.2, linewidth=0)
        ax.set(title=CASES[case].title, xlabel="increments", ylabel="largest angle (degrees)")
    axes[0].legend(frameon=False)


ITEM = Item("size", "Angle against data size, with the oracle", jobs, publish, cut="`Neural()`, `Neural.paper`")
