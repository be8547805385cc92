"""Boxes much smaller than the diffusion length of their duration: solved on a wider box, then shown on the given one.

On a box of a thousandth of that length a generator's ξ is a million times its β in units of the box, so β is lost in
rounding errors. A formula that is proved on a wider box also holds on the given one.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from liestonet.core.coefficients import Coefficients, JetOrder
from liestonet.core.domain import Domain
from liestonet.core.flags import Flag
from liestonet.core.points import lattice_cloud
from liestonet.errors import InputError
from liestonet.pipeline.assemble import proved_elsewhere
from liestonet.pipeline.tuning import SMALL_BOX
from liestonet.result import Result


def wider_box(source: Coefficients, domain: Domain) -> Domain | None:
    """The box widened to the diffusion length of its duration; None if it is hardly wider or cannot be widened."""
    if domain.periodic:
        return None  # the interval of a periodic coordinate cannot be widened
    points = lattice_cloud(domain, SMALL_BOX.samples).points
    jet = source.jet(points[:, 0], points[:, 1:], JetOrder(diffusion_squared=0))
    if () not in jet.diffusion_squared:
        return None
    variances = np.einsum("bii->bi", jet.diffusion_squared[()]).mean(axis=0)
    reach = np.maximum(np.sqrt(variances * domain.half[0]), domain.half[1:])
    if (reach < SMALL_BOX.worthwhile * domain.half[1:]).all():
        return None
    intervals = [
        (float(middle - half), float(middle + half)) for middle, half in zip(domain.centre[1:], reach, strict=True)
    ]
    return Domain((domain.intervals[0], *intervals))


def shown_on(result: Result, solve: Callable[[Domain], Result], source: Coefficients) -> Result:
    """A doubtful result with the generators from the wider box if these are all proved; else unchanged."""
    wider = wider_box(source, result.domain)
    if wider is None:
        return result
    try:
        found = solve(wider)
    except InputError:
        return result  # the coefficients have no values there
    formulas = found.closed_forms
    if found.dimension != result.bound or not formulas or any(row.status != "proved" for row in formulas):
        return result
    if result.fields.count != len(formulas):
        return result
    text = ", ".join(f"{name} in ({low:.4g}, {high:.4g})" for name, (low, high) in _named(found))
    flag = Flag(
        "wider-box",
        f"Noise crosses the box many times within the time interval, so rounding errors hide part of the generators; "
        f"they were found and proved on a wider box, {text}, and hold on the given one.",
        "Nothing to do; residuals are more informative on a wider domain.",
    )
    return proved_elsewhere(result, found, wider, flag)


def _named(result: Result) -> list[tuple[str, tuple[float, float]]]:
    return list(zip(result.names, result.domain.intervals[1:], strict=True))
