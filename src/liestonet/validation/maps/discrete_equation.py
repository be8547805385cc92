"""Discrete symmetries of an equation: candidates are screened numerically, and SymPy proves the remaining ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from liestonet.core.domain import Domain
from liestonet.core.points import lattice_cloud
from liestonet.core.progress import Progress
from liestonet.errors import InputError
from liestonet.pipeline.solve import domain_of
from liestonet.sde.sde import SDE
from liestonet.symmetry.statistical.verdicts import Criteria
from liestonet.validation.exact_test import compared, map_on_equation, numeric_equation
from liestonet.validation.maps.affine import AffineMap, plane_rotations, signed_permutations
from liestonet.validation.maps.discrete import Discrete, DiscreteRow, in_order
from liestonet.validation.maps.equation_candidates import affine_candidates, exact_number
from liestonet.validation.maps.groups import Element, generated, group_of
from liestonet.validation.maps.point_map import PointMap
from liestonet.validation.maps.scalar_maps import mirrors
from liestonet.validation.tuning import DISCRETE


def of_equation(sde: SDE, domain: Any, criteria: Criteria, say: Progress) -> Discrete:
    """Prove or refute all candidates that the equation suggests."""
    numeric = numeric_equation(sde)
    box = domain_of(numeric, domain)
    say("looking for candidates")
    affine = _affine(numeric, box)
    pairs: list[tuple[PointMap, AffineMap | None]] = [(each.as_map(sde.names), each) for each in affine]
    if sde.dimension == 1 and numeric.symbolic is not None:
        pairs += [(made, None) for made in mirrors(numeric.symbolic, box)]
    say(f"testing {len(pairs)} candidates")
    rows: list[DiscreteRow] = []
    holding: list[tuple[str, Element]] = []
    proved: set[tuple[float, ...]] = set()
    few: list[Element] = []
    for made, each in pairs:
        element = each.element if each is not None else Element.of(made, np.zeros(sde.dimension + 1))
        row = _row(sde, numeric, made, element, box, criteria, element.key in proved)
        if row is None:
            continue
        rows.append(row)
        if row.verdict == "symmetry":
            holding.append((made.text, element))
            if row.status == "proved" and element.key not in proved:
                # what is proved for some maps is proved for their products
                larger = generated([*few, element])
                few = [*few, element] if larger is not None else few
                proved |= {element.key, *(other.key for other in larger or ())}
    symbolic = sde.dimension == 1 and numeric.symbolic is not None and not sde.periodic
    return Discrete(in_order(rows), group_of(holding), "equation", complete=symbolic and not holding)


def _affine(numeric: SDE, box: Domain) -> list[AffineMap]:
    """Candidates from formulas; for callables the general ones."""
    periods = [0, *(exact_number(numeric.periodic[name]) if name in numeric.periodic else 0 for name in numeric.names)]
    if numeric.symbolic is not None:
        return affine_candidates(numeric.symbolic, box, periods)
    n = numeric.dimension
    return [
        AffineMap.of(matrix, periods=periods)
        for matrix in (*signed_permutations(n), *plane_rotations(n, DISCRETE.orders))
    ]


def _row(
    sde: SDE, numeric: SDE, made: PointMap, element: Element, box: Domain, criteria: Criteria, known: bool
) -> DiscreteRow | None:
    """The outcome for one candidate: numbers refute most, a proof decides the rest; None if it leaves the equation."""
    cloud = lattice_cloud(box, DISCRETE.screening_points)
    try:
        values, size, _ = compared(made, numeric, cloud, box)
    except InputError:
        return None
    residual = float(np.sqrt(np.sum(cloud.weights[:, None] * values**2)) / size) / 2
    order = element.order(DISCRETE.largest_order)
    if not residual < DISCRETE.screened:
        verdict = "near-symmetry" if residual < criteria.tolerance else "no"
        return DiscreteRow(made.text, verdict, 0.0, 0.0, residual, residual, residual, "no", None, order)
    if known:
        return DiscreteRow(made.text, "symmetry", 1.0, 1.0, 0.0, 0.0, 0.0, "proved", None, order)
    found = map_on_equation(sde, made, box)
    return DiscreteRow(
        made.text, found.verdict, found.p_value, found.p_value, found.residual, found.lower, found.upper, found.status,
        None, order,
    )  # fmt: skip
