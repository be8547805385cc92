"""The span of generators on a long box from the spans on overlapping windows of time.

A symmetry on the whole box is one on every window, and neighbouring windows agree where they overlap. These are linear
conditions on the coefficients in all windows; their solutions are the span, without generators that exist on one window
only.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from jaxtyping import Float

from liestonet.core.domain import Domain
from liestonet.symmetry.analytic.timecourse import Places, box_scales
from liestonet.symmetry.analytic.tuning import NULL_SPACE
from liestonet.symmetry.determining.fields import Fields


def glued(windows: list[Fields], domain: Domain) -> Fields | None:
    """The generators on the box from its windows; None if there are fewer than on one window, or not resolved."""
    places, scales = Places.of(windows), box_scales(windows[0].basis, domain)
    units = scales[places.unknowns][None, :, None]
    m = windows[0].count
    conditions = np.zeros((2 * m * (len(windows) - 1), m * len(windows)))
    for k, (first, second) in enumerate(pairwise(windows)):
        times = _overlap(first.basis.domain, second.basis.domain)
        here, there = (places.courses(part, times) / units for part in (first, second))
        table = np.concatenate([here, -there], axis=2).reshape(-1, 2 * m) / np.sqrt(NULL_SPACE.overlap_points)
        conditions[2 * m * k : 2 * m * (k + 1), m * k : m * (k + 2)] = np.linalg.qr(table, mode="r")
    _, values, vectors = np.linalg.svd(conditions)
    values = np.append(values, np.zeros(len(vectors) - len(values)))[::-1]
    if values[m - 1] > NULL_SPACE.agrees or values[m] < NULL_SPACE.disagrees * values[m - 1]:
        return None
    mixing = vectors[::-1][:m].T.reshape(len(windows), m, m)
    middles = np.array([part.basis.domain.centre[0] for part in windows])

    def courses(times: Float[np.ndarray, " b"]) -> np.ndarray:
        nearest = np.abs(times[:, None] - middles).argmin(axis=1)
        result = np.zeros((len(times), len(places.unknowns), m))
        for k in np.unique(nearest):
            chosen = nearest == k
            result[chosen] = places.courses(windows[k], times[chosen]) @ mixing[k]
        return result

    fields, resolved = places.series(courses, domain, scales, windows[0].has_beta)
    if not resolved:
        return None
    return Fields(fields.basis, np.linalg.qr(fields.coefficients)[0], fields.has_beta)


def _overlap(first: Domain, second: Domain) -> Float[np.ndarray, " b"]:
    """Times that both windows contain, denser at the ends."""
    low, high = second.intervals[0][0], first.intervals[0][1]
    count = NULL_SPACE.overlap_points
    return (low + high) / 2 - (high - low) / 2 * np.cos(np.pi * (np.arange(count) + 0.5) / count)
