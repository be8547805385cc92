"""Flags for recorded values that are not continuous: steps of exactly zero, and values on a grid."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from jaxtyping import Float

from liestonet.core.flags import Flag
from liestonet.diagnostics.tuning import FLAGS
from liestonet.surrogate.overview import Overview


def value_flags(overview: Overview) -> Iterator[Flag]:
    """Flags for zero steps and quantised values; continuous data have neither, so these are counts, not tests."""
    dx = overview.sample.dx
    still = np.mean(dx == 0, axis=0)
    worst = int(np.argmax(still))
    if still[worst] > FLAGS.many_zeros:
        yield Flag(
            "zero-steps",
            f"{100 * still[worst]:.0f} % of the increments of {overview.names[worst]} are exactly zero.",
            "Thin the data, or keep only the rows where something changed.",
        )
    sizes = np.sqrt(np.mean(dx**2, axis=0))
    # wrapping at a full turn moves values off their grid, but not steps
    columns = [dx[:, i] if i + 1 in overview.domain.periodic else x for i, x in enumerate(overview.sample.x.T)]
    grids = np.array([grid_spacing(column) for column in columns]) / np.maximum(sizes, np.finfo(float).tiny)
    worst = int(np.argmax(grids))
    if grids[worst] > FLAGS.coarse_grid:
        yield Flag(
            "quantised",
            f"The values of {overview.names[worst]} are multiples of {grids[worst] * sizes[worst]:.4g}, "
            f"{grids[worst]:.2g} of a typical increment; rounding adds noise.",
            "Record with more digits, or thin the data until increments are large compared with the grid.",
        )


def grid_spacing(values: Float[np.ndarray, " b"]) -> float:
    """The spacing of the grid on which all values lie; 0 if there is none."""
    distinct = np.unique(values[:: max(1, len(values) // FLAGS.grid_values)])
    if len(distinct) < 2:
        return 0.0
    gaps = np.diff(distinct)
    rounding = 8 * np.finfo(float).eps * float(np.max(np.abs(distinct)))
    gaps = gaps[gaps > rounding]  # the same decimal number may be stored in two ways
    if not len(gaps):
        return 0.0
    spacing = float(gaps.min())
    places = gaps / spacing
    return spacing if bool(np.all(np.abs(places - np.round(places)) < FLAGS.on_grid + rounding / spacing)) else 0.0
