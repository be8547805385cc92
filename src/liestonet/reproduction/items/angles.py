"""Principal angles at the true dimension: the paper's tables for the SDEs, Fokker–Planck, and ten dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np

from liestonet.reproduction.cases import CASES, central_points
from liestonet.reproduction.engines import TITLES, discovered
from liestonet.reproduction.jobs import Job
from liestonet.reproduction.paper import SDE_ANGLES
from liestonet.reproduction.study import Item, Options, Publication
from liestonet.reproduction.tables import Table, spread
from liestonet.validation.angles import principal_angles

FIRST_SEED = 4000
SEEDS = {"spectral": 10, "neural": 5, "polished": 5, "paper": 1}
# guesses of CPU seconds, for the time left
COSTS = {"spectral": 6.0, "neural": 60.0, "polished": 60.0, "paper": 900.0}


def run(case: str, engine: str, seed: int, share: float = 1.0) -> dict[str, Any]:
    """Angles between what one engine finds at the true dimension and the exact generators, with the verdicts."""
    what = CASES[case]
    data = what.data(seed, share)
    result = discovered(case, engine, data, seed)
    t, x = central_points(data)
    half = result.domain.half
    found = result.candidates(what.dimension)
    return {
        "angles": principal_angles(found, what.exact, t, x),
        "scaled": principal_angles(found, what.exact, t, x, scale=(half[0], half[1:])),
        "verdicts": [row.verdict for row in result.ladder[: what.dimension + 1]],
    }


def jobs(options: Options) -> list[Job]:
    """Every engine on every case; in quick studies a tenth of the data."""
    share = 0.1 if options.quick else 1.0
    engines = ("spectral",) if options.quick else tuple(SEEDS)
    made = [
        _job(case, engine, FIRST_SEED + i, share)
        for engine in engines
        for case in CASES
        for i in range(options.count(SEEDS[engine]))
    ]
    return [*made, _job("ex1", "neural", FIRST_SEED, share)] if options.quick else made


def _job(case: str, engine: str, seed: int, share: float) -> Job:
    settings = {"case": case, "engine": engine, "seed": seed, "share": share}
    return Job("angles", f"{case}-{engine}-{seed}", "angles:run", settings, cost=COSTS[engine])


def publish(records: list[dict[str, Any]]) -> Publication:
    """The largest angle by engine, and all angles beside the paper's."""
    largest = tuple(
        (
            case.title,
            f"{max(SDE_ANGLES[name]):.2f}°",
            *(spread([max(r["angles"]) for r in _of(records, name, engine)], "°") for engine in SEEDS),
            _seconds(records, name),
        )
        for name, case in CASES.items()
    )
    every = tuple(
        (CASES[name].title, "paper" if engine is None else TITLES[engine], _listed(angles))
        for name in CASES
        for engine, angles in [(None, SDE_ANGLES[name]), *_means(records, name)]
    )
    columns = ("case", "paper", *(TITLES[engine] for engine in SEEDS), "CPU s")
    return Publication(
        _sentence(records),
        {
            "largest": Table(columns, largest),
            "all": Table(("case", "engine", "all angles, mean over seeds, in degrees"), every),
        },
    )


def _of(records: list[dict[str, Any]], case: str, engine: str) -> list[dict[str, Any]]:
    return [record for record in records if record["case"] == case and record["engine"] == engine]


def _means(records: list[dict[str, Any]], case: str) -> list[tuple[str, np.ndarray]]:
    return [
        (engine, np.mean([record["angles"] for record in rows], axis=0))
        for engine in SEEDS
        if (rows := _of(records, case, engine))
    ]


def _listed(angles: Any) -> str:
    return ", ".join(f"{angle:.2f}" for angle in angles)


def _seconds(records: list[dict[str, Any]], case: str) -> str | None:
    """CPU seconds of each engine, data included."""
    parts = [
        f"{np.mean([r['cpu_seconds'] for r in rows]):.0f}" if (rows := _of(records, case, engine)) else "–"
        for engine in SEEDS
    ]
    return " / ".join(parts)


def _sentence(records: list[dict[str, Any]]) -> str:
    """Where each engine is better than the paper's number, counted."""
    lines = ["CPU seconds are of the engines in the table's order, with the simulation of the data."]
    for engine in SEEDS:
        known = [(name, rows) for name in CASES if (rows := _of(records, name, engine))]
        if known:
            better = [
                CASES[name].title
                for name, rows in known
                if np.mean([max(row["angles"]) for row in rows]) < max(SDE_ANGLES[name])
            ]
            lines.append(
                f"{TITLES[engine]} has a smaller angle than the paper in {len(better)} of {len(known)} cases"
                + (f" ({', '.join(better)})." if better and len(better) < len(known) else ".")
            )
    return "\n".join(lines)


ITEM = Item("angles", "Principal angles at the true dimension", jobs, publish)
