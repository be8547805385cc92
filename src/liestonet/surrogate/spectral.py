"""How the spectral surrogate is fitted: increments on the drift, then squared residuals on the diffusion.

The estimates are linear in the data, which is what the judging of symmetries rests on (MATH.md §3).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations_with_replacement

import numpy as np
from jaxtyping import Bool, Float

from liestonet.surrogate.covariance import parameter_errors
from liestonet.surrogate.features import feature_variants
from liestonet.surrogate.overview import Overview, look_over
from liestonet.surrogate.regression import (
    Entry,
    Estimate,
    Scaled,
    Targets,
    evaluate,
    most_likely,
    regress,
    scaled_block,
    scaled_blocks,
)
from liestonet.surrogate.surrogate import Surrogate
from liestonet.surrogate.variances import map_variances
from liestonet.trajectories.increments import Increments, IncrementSource

# A coordinate whose residuals are below this part of its drift's displacement may be without noise; it is, if they
# grow faster with the step than a diffusion's, whose squares double over two steps, or if they are rounding.
SMALL_RESIDUAL, ROUNDING_RESIDUAL = 0.1, 1e-16
DIFFUSIVE_GROWTH = 4.0
LEAST_PAIRS = 100

Progress = Callable[[str], None]


def fit_spectral(source: IncrementSource, progress: Progress | None = None) -> Surrogate:
    """Estimate drift and diffusion of trajectories in memory or in a file."""
    say = progress or _silent
    say("looking over the data")
    overview = look_over(source)
    sample = scaled_block(overview.sample, overview.domain)
    say(f"drift from {overview.count:,} increments")
    entries: list[Entry] = [(i,) for i in range(sample.dx.shape[1])]
    targets = drift_targets(overview, sample.dx)
    drifts = _regress(source, overview, entries, *targets)
    drift = drifts[most_likely(drifts)]
    noisy = noisy_coordinates(overview, drift)
    if not noisy.all():
        say("drift of coordinates without noise")
        targets = drift_targets(overview, np.where(noisy, sample.dx, residuals(sample, drift)), noisy)
        drifts = _regress(source, overview, entries, *targets)
        drift = drifts[most_likely(drifts)]
    say("diffusion")
    pairs = list(combinations_with_replacement(np.flatnonzero(noisy).tolist(), 2))
    diffusions = _regress(source, overview, pairs, *diffusion_targets(overview, drift, noisy)) if pairs else [[]]
    variants = [[*f, *a] for f, a in zip(drifts, diffusions, strict=bool(pairs))]
    best = most_likely(variants)
    drift, diffusion = drifts[best], diffusions[best] if pairs else []
    say("covariance of the estimates")
    squares = diffusion_targets(overview, drift, noisy)
    errors = parameter_errors(overview, [(drift, targets[0]), (diffusion, squares[0])])
    return Surrogate(overview, tuple(drift), tuple(diffusion), errors, noisy)


def _regress(
    source: IncrementSource, overview: Overview, entries: Sequence[Entry], targets: Targets, pooled: bool
) -> list[list[Estimate]]:
    """One pass over all increments."""
    blocks = scaled_blocks(source, overview.domain)
    return regress(blocks, feature_variants(overview.domain), entries, targets, pooled)


def drift_targets(
    overview: Overview, rest: Float[np.ndarray, "b n"], noisy: Bool[np.ndarray, " n"] | None = None
) -> tuple[Targets, bool]:
    """Δx/Δt = f + noise of variance a/Δt, a from the squares of `rest`; and whether the weights are proportional.

    Coordinates without noise get one weight everywhere: what is left of them is no diffusion.
    """
    variances = map_variances(overview, rest)
    still = np.zeros(rest.shape[1], dtype=bool) if noisy is None else ~noisy
    step = np.mean(scaled_block(overview.sample, overview.domain).dt)
    level = np.maximum(np.mean(rest**2, axis=0), (ROUNDING_RESIDUAL**0.5 * step) ** 2) / step

    def targets(block: Scaled) -> tuple[np.ndarray, np.ndarray]:
        local = np.where(still, level, variances(block.points))
        return block.dx / block.dt[:, None], block.dt[:, None] / local

    return targets, variances.uniform


def diffusion_targets(
    overview: Overview, drift: Sequence[Estimate], noisy: Bool[np.ndarray, " n"]
) -> tuple[Targets, bool]:
    """rrᵀ/Δt = a + noise of variance a^{ii}a^{jj} + (a^{ij})², r the residual of the drift, among noisy coordinates."""
    variances = map_variances(overview, residuals(scaled_block(overview.sample, overview.domain), drift))
    pairs = list(combinations_with_replacement(np.flatnonzero(noisy).tolist(), 2))
    first, second = np.array(pairs, dtype=int).reshape(-1, 2).T
    factor = np.where(first == second, 2.0, 1.0)

    def targets(block: Scaled) -> tuple[np.ndarray, np.ndarray]:
        rest, local = residuals(block, drift), variances(block.points)
        return rest[:, first] * rest[:, second] / block.dt[:, None], 1 / (factor * local[:, first] * local[:, second])

    return targets, variances.uniform


def residuals(block: Scaled, drift: Sequence[Estimate]) -> Float[np.ndarray, "b n"]:
    """Displacements without the drift's part."""
    return block.dx - evaluate(drift, block.points) * block.dt[:, None]


def noisy_coordinates(overview: Overview, drift: Sequence[Estimate]) -> Bool[np.ndarray, " n"]:
    """Which coordinates have noise of their own; dx = y dt has none."""
    sample = scaled_block(overview.sample, overview.domain)
    moved = evaluate(drift, sample.points) * sample.dt[:, None]
    ratio = np.mean((sample.dx - moved) ** 2, axis=0) / np.maximum(np.mean(moved**2, axis=0), np.finfo(float).tiny)
    faster = _growth(overview, drift) > DIFFUSIVE_GROWTH
    return (ratio > ROUNDING_RESIDUAL) & ~((ratio < SMALL_RESIDUAL) & faster)


def _growth(overview: Overview, drift: Sequence[Estimate]) -> Float[np.ndarray, " n"]:
    """Mean squared residual over two steps relative to one; 2 for a diffusion, 8 where noise enters by an integral."""
    first, pairs = overview.consecutive, overview.pairs
    if len(pairs) < LEAST_PAIRS:
        return np.full(first.x.shape[1], 2.0)
    begin = Increments(*(array[pairs] for array in first))
    longer = begin._replace(dt=begin.dt + first.dt[pairs + 1], dx=begin.dx + first.dx[pairs + 1])
    one, two = (
        np.mean(residuals(scaled_block(block, overview.domain), drift) ** 2, axis=0) for block in (begin, longer)
    )
    return two / np.maximum(one, np.finfo(float).tiny)


def _silent(message: str) -> None:
    """Progress nobody asked for."""
