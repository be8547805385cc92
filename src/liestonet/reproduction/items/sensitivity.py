"""What an error of the surrogate does to the angle and to the determining equations, on Example 1."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from liestonet.from_data import discover
from liestonet.reproduction.cases import CASES
from liestonet.reproduction.jobs import Job
from liestonet.reproduction.paper import SENSITIVITY
from liestonet.reproduction.study import Item, Options, Publication
from liestonet.reproduction.tables import Table, spread
from liestonet.symmetry.kinds import ITO
from liestonet.validation.sensitivity import sensitivity

FIRST_SEED = 4800


def run(seed: int, share: float = 1.0) -> dict[str, Any]:
    """Perturb the surrogate of one data set by each shape and amplitude."""
    what = CASES["ex1"]
    data = what.data(seed, share)
    result = discover(data, symmetry=what.symmetry, dimension=what.dimension, formulas=False)
    rows = sensitivity(result.surrogate, result.fields, ITO, tuple(SENSITIVITY), seed=seed)
    return {"rows": [asdict(row) for row in rows]}


def jobs(options: Options) -> list[Job]:
    """Ten seeds of Example 1."""
    share = 0.1 if options.quick else 1.0
    return [
        Job("sensitivity", f"ex1-{seed}", "sensitivity:run", {"seed": seed, "share": share}, cost=8)
        for seed in range(FIRST_SEED, FIRST_SEED + options.count(10))
    ]


def publish(records: list[dict[str, Any]]) -> Publication:
    """The paper's layout, with the bound of the C¹ norm."""
    rows = []
    for amplitude, (sine, sine_loss, network, network_loss) in SENSITIVITY.items():
        cells: list[Any] = [amplitude, f"{sine}°", f"{sine_loss:.1e}", f"{network}°", f"{network_loss:.1e}"]
        for shape in ("sine", "network"):
            found = [
                row for r in records for row in r["rows"] if row["shape"] == shape and row["amplitude"] == amplitude
            ]
            cells += [
                spread([row["angle"] for row in found], "°"),
                spread([row["residual"] for row in found]),
                spread([row["bound"] for row in found]),
            ]
        rows.append(tuple(cells))
    ours = [f"ours, {shape}: {what}" for shape in ("sine", "network") for what in ("angle", "residual", "bound")]
    columns = ("δ", "paper, sine: angle", "L6", "paper, network: angle", "L6", *ours)
    return Publication(
        "δ is the amplitude in units of the coefficients. The residual is the largest relative one of the generators "
        "found before the perturbation; the bound is their residual plus C(X) times the C¹ norm of the change. "
        + _agreement(records),
        {"angles": Table(columns, tuple(rows))},
    )


def _agreement(records: list[dict[str, Any]]) -> str:
    """How the angles grow beside the paper's, and whether the bound holds."""
    rows = [row for record in records for row in record["rows"]]

    def ours(shape: str, amplitude: float) -> float:
        return float(np.mean([row["angle"] for row in rows if (row["shape"], row["amplitude"]) == (shape, amplitude)]))

    small, large = (amplitude for amplitude in SENSITIVITY if amplitude >= 0.1)
    grown = [
        f"{ours(shape, large) / ours(shape, small):.1f} times under a {shape} "
        f"(paper: {SENSITIVITY[large][place] / SENSITIVITY[small][place]:.1f})"
        for shape, place in (("sine", 0), ("network", 2))
    ]
    held = sum(row["residual"] <= row["bound"] for row in rows)
    return (
        f"From δ = {small} to δ = {large} the angle grows {' and '.join(grown)}; stability says in proportion, while "
        f"angles are small. The bound holds in {held} of {len(rows)} rows."
    )


ITEM = Item("sensitivity", "Sensitivity to errors of the surrogate", jobs, publish)
