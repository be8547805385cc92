"""Flags for a drift or diffusion that varies faster round a periodic coordinate than the fitted series can."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from liestonet.core.flags import Flag
from liestonet.diagnostics.standardised_steps import Residuals
from liestonet.diagnostics.tuning import FLAGS
from liestonet.surrogate.frequencies import highest_frequency


def fine_structure_flags(residuals: Residuals) -> Iterator[Flag]:
    """A flag if residuals or their squares vary round a periodic coordinate with a frequency above those fitted."""
    surrogate, overview = residuals.surrogate, residuals.surrogate.overview
    if not surrogate.domain.periodic or not residuals.names:
        return
    rows = slice(None, None, max(1, -(-len(residuals.sample.t) // FLAGS.fine_points)))
    standard = residuals.standard[rows]
    targets = np.concatenate([standard, standard**2 - np.mean(standard**2, axis=0)], axis=1)
    estimates = (*surrogate.drift_estimates, *surrogate.diffusion_estimates)
    for variable in surrogate.domain.periodic:
        reached = max(int(estimate.features.orders[:, variable].max()) for estimate in estimates)
        angle = residuals.sample.x[rows, variable - 1] * np.pi / surrogate.domain.half[variable]
        found = highest_frequency(targets, angle, FLAGS.fine_frequencies)
        if found > reached:
            name = overview.names[variable - 1]
            yield Flag(
                "fine-structure",
                f"Drift or diffusion vary {found} times in a turn of {name}, but the fitted series resolve only "
                f"{reached} times: the answer is for a smoother system.",
                f"Record more paths, or, if all of it repeats k times in a turn, give the period of {name} over k.",
            )
