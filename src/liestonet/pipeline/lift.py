"""Fokker–Planck symmetries that come from the paths, by the lift X ↦ X − (div ξ) u∂u (docs/method.md §2.4)."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from jaxtyping import Float

from liestonet.core.coefficients import Coefficients
from liestonet.core.flags import Flag
from liestonet.core.points import lattice_cloud
from liestonet.pipeline.tuning import LIFT
from liestonet.symmetry.determining.fields import Fields
from liestonet.symmetry.determining.kinds import ITO, Kind


def lift_flag(kind: Kind, source: Coefficients, fields: Fields) -> Iterable[Flag]:
    """The flag that says how many symmetries of the Fokker–Planck equation are lifts of Itô symmetries."""
    if not kind.has_beta or not fields.count:
        return
    count = lifted_count(source, fields)
    if count is None:
        return
    others = fields.count - count
    if not count:
        told = "None of the symmetries of the density's equation comes from an Itô symmetry of the paths."
    else:
        told = (
            f"{count} of the {fields.count} symmetries of the density's equation come from Itô symmetries of the "
            "paths: X ↦ X − (div ξ) u∂u maps those onto them one to one and keeps brackets. "
            f"The other {others}, u∂u among them, do not."
        )
    yield Flag("lift", told, "Use symmetry='ito' for the symmetries of the paths by themselves.")


def lifted_count(source: Coefficients, fields: Fields) -> int | None:
    """Dimension of the part of a Fokker–Planck span in which (τ, ξ) is an Itô symmetry and β = −div ξ.

    None if rounding errors leave it open.
    """
    domain = fields.basis.domain
    cloud = lattice_cloud(domain, LIFT.points)
    values = fields.components(cloud.points, _derivatives(fields.dimension))
    rows = np.concatenate([_ito_rows(source, fields, cloud.points, values), _divergence(values, fields.dimension)])
    whole = values[()] / np.append(domain.half, 1.0)
    lengths = np.moveaxis(whole, 0, 2).reshape(-1, fields.count)
    # relative to the length of a combination, like residuals
    triangle = np.linalg.qr(lengths, mode="r")
    if np.linalg.cond(triangle) > 1 / LIFT.zero:
        return None
    sizes = np.linalg.svd(rows.reshape(-1, fields.count) @ np.linalg.inv(triangle), compute_uv=False)
    if ((sizes >= LIFT.zero) & (sizes < LIFT.nonzero)).any():
        return None
    return int(np.count_nonzero(sizes < LIFT.zero))


def _derivatives(dimension: int) -> set[tuple[int, ...]]:
    table = ITO.equations(dimension, 1)
    return {term.derivative for term in table.terms} | {()} | {(i + 1,) for i in range(dimension)}


def _ito_rows(
    source: Coefficients, fields: Fields, points: Float[np.ndarray, "b v"], values: dict
) -> Float[np.ndarray, "r b m"]:
    """The Itô equations of (τ, ξ) at points, in units of the box."""
    table = ITO.equations(source.dimension, source.noise)
    jet = source.jet(points[:, 0], points[:, 1:], ITO.jet_order)
    scales = table.row_scales(fields.basis.domain.half)
    rows = np.zeros((len(table.rows), len(points), fields.count))
    for term in table.terms:
        field = values[term.derivative][:, :, term.unknown].T
        factor = np.full(len(points), float(term.factor))
        if term.coefficient is not None:
            name, entry, derivative = term.coefficient
            array = getattr(jet, name).get(derivative)
            factor = 0.0 * factor if array is None else factor * array[(slice(None), *entry)]
        rows[term.row] += scales[term.row] * factor[:, None] * field
    return rows


def _divergence(values: dict, dimension: int) -> Float[np.ndarray, "one b m"]:
    """β + div ξ, which is zero for a lift."""
    total = values[()][:, :, -1] + sum(values[(i + 1,)][:, :, i + 1] for i in range(dimension))
    return total.T[None]
