"""The number of periodic symmetries: local ones continued once round the circle that return to themselves.

Power series at a point bound the dimension of the symmetries on a piece of the circle. Fewer may be periodic: θ ∂θ + 2t
∂t solves the equations of a free rotor everywhere, but is another field after a turn. On a cover, a box longer than a
turn, all local symmetries are found; the shift by a period maps their span to itself, and symmetries of the circle are
its fixed points (docs/method.md §3.7).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from liestonet.core.coefficients import Coefficients
from liestonet.core.domain import Domain
from liestonet.core.points import lattice_cloud
from liestonet.symmetry.analytic.dimension_bound import FormalCount
from liestonet.symmetry.analytic.nullspace import find_null_space
from liestonet.symmetry.analytic.tuning import NULL_SPACE, TURN
from liestonet.symmetry.determining.fields import Fields
from liestonet.symmetry.determining.kinds import Kind


def cover_of(domain: Domain) -> Domain:
    """The box without periodic variables: each of their intervals is extended beyond a turn at both ends."""
    intervals = list(domain.intervals)
    for variable in domain.periodic:
        (low, high), more = intervals[variable], TURN.overlap * domain.periods[variable]
        intervals[variable] = (float(low - more), float(high + more))
    return replace(domain, intervals=tuple(intervals), periodic=())


def periodic_bound(
    kind: Kind, source: Coefficients, domain: Domain, count: FormalCount, progress: Callable[[str], None] | None = None
) -> int | None:
    """The number of symmetries that are periodic; None where not all local ones are found on the cover.

    `source` must have values on the cover.
    """
    if not count.bound:
        return count.bound
    cover = cover_of(domain)
    null = find_null_space(kind, source, cover, count.bound, count.coupling, progress)
    if null.count != count.bound or null.gap < NULL_SPACE.clear_gap:
        return None
    fields = Fields(null.directions.basis, null.directions.coefficients[:, : null.count], kind.has_beta)
    changes = changes_round(fields, domain)
    fixed = int(np.sum(changes < TURN.fixed))
    return fixed if fixed == len(changes) or changes[fixed] > TURN.moved else None


def changes_round(fields: Fields, domain: Domain) -> Float[np.ndarray, " m"]:
    """Singular values of (shift by each period − 1) on a span given on the cover, relative to the fields' size."""
    here, change = [], []
    for variable in domain.periodic:
        low, period = domain.intervals[variable][0], domain.periods[variable]
        ends = (float(low - TURN.overlap * period), float(low + TURN.overlap * period))
        intervals = tuple(ends if v == variable else pair for v, pair in enumerate(fields.basis.domain.intervals))
        points = lattice_cloud(Domain(intervals), TURN.points).points
        after = points.copy()
        after[:, variable] += period
        values, shifted = (
            (fields.components(p, [()])[()] / fields.basis.scales).reshape(fields.count, -1).T for p in (points, after)
        )
        here.append(values)
        change.append(shifted - values)
    triangle = np.linalg.qr(np.concatenate(here))[1]
    relative = np.linalg.lstsq(triangle.T, np.concatenate(change).T, rcond=None)[0]
    return np.sort(np.linalg.svd(relative, compute_uv=False))
