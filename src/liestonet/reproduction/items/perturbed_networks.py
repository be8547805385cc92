"""The paper's table of sensitivity with networks: its recipe on Example 1, trained on a surrogate changed by its δ.

For each training it stores the ratio that the stability constant C* of the paper's appendix bounds: the distance of the
span from the truth over the residual on the changed surrogate plus the C¹ error of that surrogate (docs/method.md §9).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from liestonet.catalogue import catalogue
from liestonet.core.angles import principal_angles
from liestonet.core.domain import Domain
from liestonet.core.points import lattice_cloud
from liestonet.inference.engine import Request
from liestonet.reproduction.cases import CASES, EXAMPLES, central_points
from liestonet.reproduction.engines import PAPER_SEED, described, discovered, engine_named
from liestonet.reproduction.items import kinds
from liestonet.reproduction.paper import SENSITIVITY
from liestonet.reproduction.publication import ItemJob
from liestonet.study.tables import Table, spread
from liestonet.symmetry.determining.kinds import ITO
from liestonet.symmetry.statistical.search import mixed_cloud
from liestonet.symmetry.statistical.verdicts import Criteria
from liestonet.validation.sensitivity import SHAPES, relative_residuals
from liestonet.validation.tuning import GATES

CASE = "ex1"
POINTS = GATES.sensitivity_points
COST = 160


def run(seed: int, shape: str, amplitude: float) -> dict[str, Any]:
    """One training of the paper's networks on its surrogate changed by δ."""
    what = CASES[CASE]
    data = what.data(seed)
    found: Any = discovered(CASE, "paper", data, seed)
    source = found.surrogate
    if amplitude:
        from liestonet.neural.engine import run as train

        source = source.perturb(amplitude, shape, seed)
        request = Request(data, ITO, Criteria(), what.dimension, False, seed, lambda message: None)
        found = train(engine_named("paper", CASE), request, source)
    (rung,), (t, x) = found.training.rungs, central_points(data)
    half, span = source.domain.half, found.training.generators
    cloud = mixed_cloud(source.domain, source.overview.points, POINTS)
    scaled = principal_angles(span, what.exact, t, x, scale=(half[0], half[1:]))
    return {
        "angle": float(principal_angles(span, what.exact, t, x)[-1]),
        "L6": rung.losses[6],
        "distance": float(np.sin(np.radians(scaled[-1]))),
        "residual": float(np.max(relative_residuals(ITO, source, found.fields, cloud))),
        "error": _error(source),
    }


def _error(source: Any) -> float:
    """‖f̂ − f‖ + ‖σ̂ − σ‖ in C¹, in units of the box."""
    from liestonet.neural.frame import TrainingFrame, tabulate

    domain: Domain = source.domain
    points, frame = lattice_cloud(domain, POINTS).points, TrainingFrame.of(domain, True)
    true = catalogue[CASES[CASE].system].sde.coefficients(domain)
    ours, theirs = (tabulate(ITO, each, frame, points) for each in (source, true))
    names = ("drift", "drift_gradient", "sigma", "sigma_gradient")
    return float(sum(np.abs(ours[name] - theirs[name]).max() for name in names))


def jobs(seeds: int) -> list[ItemJob]:
    """The jobs: every shape and δ, the unchanged surrogate once, and the exact gaps, which give C*."""
    trained = [
        ItemJob(
            "sensitivity",
            f"paper-{shape}-{amplitude:g}-{seed}",
            "perturbed_networks:run",
            {"seed": seed, "shape": shape, "amplitude": amplitude},
            cost=COST if amplitude else 40,
            given={"engine": described("paper", CASE), "data": CASES[CASE].described, "points": POINTS},
        )
        for seed in range(PAPER_SEED, PAPER_SEED + seeds)
        for shape in SHAPES
        for amplitude in SENSITIVITY
        if amplitude or shape == SHAPES[0]
    ]
    return trained + [kinds.gap_job(case, "ito") for case in EXAMPLES]


def table(records: list[dict[str, Any]]) -> Table:
    """The table in the paper's layout: angle and L6 for each shape, with the paper's."""
    rows = []
    for amplitude, printed in SENSITIVITY.items():
        cells: list[Any] = [amplitude]
        for place, shape in enumerate(SHAPES):
            mine = _of(records, shape, amplitude)
            angles, losses = ([r[name] for r in mine] for name in ("angle", "L6"))
            cells += [f"{printed[2 * place]}°", spread(angles, "°"), f"{printed[2 * place + 1]:.1e}", spread(losses)]
        rows.append(tuple(cells))
    columns = [f"{shape}: {what}" for shape in SHAPES for what in ("paper", "`Neural.paper`", "paper, L6", "L6")]
    return Table(("δ", *columns), tuple(rows))


def _of(records: list[dict[str, Any]], shape: str, amplitude: float) -> list[dict[str, Any]]:
    """The trainings for a shape and δ; those without a change have no shape."""
    wanted = shape if amplitude else SHAPES[0]
    return [r for r in records if (r.get("shape"), r.get("amplitude")) == (wanted, amplitude)]


def sentence(records: list[dict[str, Any]], gaps: dict[str, float]) -> str:
    """Paragraphs on the growth of the angle, and on the stability constant from runs and exact equations."""
    trained, below = "", ""
    if records:
        ratios = [r["distance"] / (r["residual"] + r["error"]) for r in records]
        trained = (
            "The last table is the paper's own with `Neural.paper`: the surrogate that it learnt on Example 1 is "
            "changed by δ in the data's units (drift and σ each by δ times a function whose largest value is one), and "
            "its networks are trained anew. L6 is the loss at the end of training, on the changed surrogate.\n\n"
        )
        below = (
            f" In units of the box this ratio is between {min(ratios):.2f} and {max(ratios):.2f} in these "
            f"{len(ratios)} trainings, so C* is at least {max(ratios):.2f}."
        )
    if not gaps:
        return trained + below.strip()
    exact = ", ".join(f"{CASES[case].title} {1 / gap:.3g}" for case, gap in gaps.items())
    return (
        f"{trained}**The stability constant.** The appendix bounds the distance of the learnt generators from the true "
        f"span by C* times the residual on the surrogate plus the C¹ error of the surrogate.{below} From above: the "
        "determining equations are linear, and away from the symmetries their relative residual is at least that of "
        "the nearest other direction, s; so C* is at most 1/s times the constant C(X) of the first bound, or 1/s "
        f"where that is less than one. 1/s is, on the boxes of the data: {exact}. Where it is large, small errors of "
        "the surrogate rotate the span: Example 3 has a near-symmetry."
    )
