"""Which coordinates have no noise of their own: in dx = y dt, the position."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool, Float

from liestonet.surrogate.overview import Overview
from liestonet.surrogate.regression import Estimate, Scaled, evaluate, evaluate_block, scaled_block
from liestonet.surrogate.tuning import FIT
from liestonet.trajectories.increments import Increments


def noisy_coordinates(overview: Overview, drift: Sequence[Estimate]) -> Bool[np.ndarray, " n"]:
    """Which coordinates have noise of their own; dx = y dt has none (docs/method.md §4.3)."""
    sample = scaled_block(overview.sample, overview.domain)
    moved = evaluate(drift, sample.points) * sample.dt[:, None]
    ratio = np.mean((sample.dx - moved) ** 2, axis=0) / np.maximum(np.mean(moved**2, axis=0), np.finfo(float).tiny)
    faster = _growth(overview, drift) > FIT.diffusive_growth
    return (ratio > FIT.rounding_residual) & ~((ratio < FIT.small_residual) & faster)


def _growth(overview: Overview, drift: Sequence[Estimate]) -> Float[np.ndarray, " n"]:
    """Mean squared residual over two steps divided by that over one: 2 for a diffusion, 8 for an integral of one."""
    first, pairs = overview.consecutive, overview.pairs
    if len(pairs) < FIT.least_pairs:
        return np.full(first.x.shape[1], 2.0)
    pairs = pairs[:: -(-len(pairs) // FIT.most_pairs)]
    begin, after = (
        scaled_block(Increments(*(array[rows] for array in first)), overview.domain) for rows in (pairs, pairs + 1)
    )
    slopes = evaluate(drift, begin.points)
    one = begin.dx - slopes * begin.dt[:, None]
    two = one + after.dx - slopes * after.dt[:, None]
    return np.mean(two**2, axis=0) / np.maximum(np.mean(one**2, axis=0), np.finfo(float).tiny)


def residuals(block: Scaled, drift: Sequence[Estimate]) -> Float[np.ndarray, "b n"]:
    """Displacements less the drift's part."""
    return block.dx - evaluate_block(drift, block) * block.dt[:, None]
