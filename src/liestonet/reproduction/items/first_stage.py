"""Which stage limits the paper's recipe: generators computed exactly instead of trained, on its surrogate."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from liestonet.core.angles import principal_angles
from liestonet.core.tuning import by_dimension
from liestonet.inference.engine import Request
from liestonet.reproduction.cases import CASES, central_points
from liestonet.reproduction.engines import PAPER_SEED, TITLES, described, engine_named, kept
from liestonet.reproduction.items import angles
from liestonet.reproduction.paper import SDE_ANGLES
from liestonet.reproduction.publication import Item, ItemJob, Options, Publication
from liestonet.study.tables import Table, spread
from liestonet.symmetry.determining.fields import Fields
from liestonet.symmetry.determining.kinds import Kind, kind_named
from liestonet.symmetry.statistical.noisy_operator import NoisyOperator
from liestonet.symmetry.statistical.search import generator_basis, mixed_cloud
from liestonet.symmetry.statistical.tuning import SEARCH
from liestonet.symmetry.statistical.verdicts import Criteria

SEEDS = {"random": 5, "flat": 2}
STARTS = {"random": "as the recipe has it", "flat": "begun at no drift and σ = 1"}
COSTS = {"ex4": 900.0, "10d": 150.0, "ex2": 20.0}
USUAL_COST = 80.0


def run(case: str, seed: int, start: str) -> dict[str, Any]:
    """Errors of the surrogate, and angles of the directions with the least residuals on it."""
    what = CASES[case]
    data = what.data(seed)
    kind = kind_named(what.symmetry)
    source = _learnt(case, data, kind, seed, start)
    t, x = central_points(data)
    found = solved(kind, source, what.dimension)
    return {
        "angles": principal_angles(found, what.exact, t, x),
        "surrogate": angles.surrogate_errors(case, source, t, x),
    }


def _learnt(case: str, data: Any, kind: Kind, seed: int, start: str) -> Any:
    """The recipe's surrogate, shared with the table of angles, or the same with another start."""
    from liestonet.neural.coefficients.fit_coefficients import fit_coefficients
    from liestonet.neural.coefficients.settings import PAPER
    from liestonet.neural.stage_one import coefficient_sources

    engine = kept(engine_named("paper", case), data, seed, kind.name)
    if start == "random":
        request = Request(data, kind, Criteria(), CASES[case].dimension, False, seed, lambda message: None)
        return coefficient_sources(engine, request)[0]
    example = int(engine.surrogate.removeprefix("paper-"))
    return fit_coefficients(data, replace(PAPER[example], start=start), seed=seed)


def solved(kind: Kind, source: Any, count: int) -> Fields:
    """As many directions of the spectral engine's richest series as there are symmetries, by their residuals."""
    n = source.dimension
    basis = generator_basis(kind, n, source.noise, source.domain, by_dimension(SEARCH.levels, n)[-1])
    cloud = mixed_cloud(source.domain, source.overview.points, by_dimension(SEARCH.points, n))
    operator = NoisyOperator(kind, source, basis, cloud)
    return Fields(basis, operator.whitening @ operator.lowest(count), kind.has_beta)


def jobs(options: Options) -> list[ItemJob]:
    """The jobs: every case from both starts, and the runs of the table of angles; nothing in quick studies."""
    if options.quick:
        return []
    trained = [
        angles.job(case, "paper", seed, 1.0) for case in CASES for seed in angles.seeds_of("paper", SEEDS["random"])
    ]
    return trained + [
        ItemJob(
            "first-stage",
            f"{case}-{start}-{seed}",
            "first_stage:run",
            {"case": case, "seed": seed, "start": start},
            cost=COSTS.get(case, USUAL_COST),
            given={"engine": described("paper", case), "data": CASES[case].described},
        )
        for start, count in SEEDS.items()
        for case in CASES
        for seed in range(PAPER_SEED, PAPER_SEED + options.count(count))
    ]


def publish(records: list[dict[str, Any]]) -> Publication:
    """The table of the largest angle, solved for and trained, and the errors of the surrogate."""
    rows = []
    for name, case in CASES.items():
        for start, words in STARTS.items():
            mine = [r for r in records if (r["case"], r.get("start")) == (name, start)]
            if mine:
                errors = [[max(r["surrogate"][what]) for r in mine] for what in ("drift", "variance")]
                trained = _trained(records, name) if start == "random" else []
                both = ([max(r["angles"]) for r in mine], trained)
                rows.append(
                    (
                        case.title,
                        words,
                        f"{max(SDE_ANGLES[name]):.1f}°",
                        *(spread(each, "°") if each else None for each in both),
                        *(spread(each) for each in errors),
                    )
                )
    columns = ("case", "surrogate", "paper", "generators solved for", f"{TITLES['paper']}, trained", "error of f")
    tables = {"angles": Table((*columns, "of σσᵀ"), tuple(rows))} if rows else {}
    return Publication(WHAT + _limits(records), tables)


WHAT = (
    "The paper's method learns a surrogate and trains generators on it. Here the generators are solved for on the same "
    "surrogate: as many directions of the spectral engine's series as there are symmetries, those with the least "
    "residuals of the determining equations. The remaining angle is due to the surrogate; the excess of the trained "
    "ones is due to the training. Errors are root mean squares where angles are measured, of the worst coordinate."
)


def _trained(records: list[dict[str, Any]], case: str) -> list[float]:
    """Largest angles of the recipe."""
    return [max(r["angles"]) for r in records if r["case"] == case and r.get("engine") == "paper"]


def _limits(records: list[dict[str, Any]]) -> str:
    """A sentence: in which cases training, and in which the surrogate, causes the larger part of the angle."""
    by_training, by_surrogate = [], []
    for name, case in CASES.items():
        left = [max(r["angles"]) for r in records if (r["case"], r.get("start")) == (name, "random")]
        trained = _trained(records, name)
        if left and trained:
            middle, whole = float(np.median(left)), float(np.median(trained))
            part = by_training if middle < whole / 2 else by_surrogate
            part.append(f"{case.title} ({middle:.1f}° of {whole:.1f}°)")
    said = [f"training in {', '.join(by_training)}"] if by_training else []
    said += [f"the surrogate in {', '.join(by_surrogate)}"] if by_surrogate else []
    return f" The larger part of the angle is due to {', and to '.join(said)} (medians)." if said else ""


ITEM = Item(
    "first-stage",
    "Which stage limits the recipe",
    jobs,
    publish,
    cut="more than five seeds, and than two of the other start",
    uncut="--seeds 10",
)
