"""Detects paths of a Gaussian coordinate that reach an end of its range between two times."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Bool, Float

from liestonet.reduction.numerics import compiled, integrals_over, stacked
from liestonet.reduction.tuning import SAMPLE

if TYPE_CHECKING:
    from liestonet.reduction.reduction import Reduction


def keep_inside(
    made: Reduction,
    span: tuple[float, float],
    before: Float[np.ndarray, " k"],
    after: Float[np.ndarray, " k"],
    alive: Bool[np.ndarray, " k"],
    rng: np.random.Generator,
) -> Bool[np.ndarray, " k"]:
    """Which paths do not reach an end within a step, drawn given the coordinate at both times.

    Within the step the coordinate is a Brownian bridge in the time ∫G². It is drawn at a few intermediate times;
    between these the boundary is taken as straight, and is crossed with probability exp(−2 d₀ d₁/Δ).
    """
    begin, end = span
    if end <= begin:
        return alive
    formulas: Any = made.sde.symbolic
    time = (formulas.time,)

    def moments(t: np.ndarray) -> np.ndarray:
        drift = compiled(formulas.drift[0], time)(t)
        noise = stacked(list(formulas.diffusion), time, t)
        return np.column_stack([drift, (noise**2).sum(axis=1)])

    edges = np.linspace(begin, end, SAMPLE.pieces + 1)
    parts = np.array([integrals_over(moments, a, b) for a, b in pairwise(edges)])
    y = before
    for piece, (drift, variance) in enumerate(parts):
        rest_drift, rest = parts[piece + 1 :].sum(axis=0) if piece + 1 < len(parts) else (0.0, 0.0)
        total = variance + rest
        mean = y + drift + variance / total * (after - y - drift - rest_drift)
        new = mean + np.sqrt(variance * rest / total) * rng.standard_normal(len(y)) if rest > 0 else after
        for level, _ in made.ends:
            first, second = compiled(level, time)(edges[piece : piece + 2])
            one, two = y - first, new - second
            crossed = (one * two <= 0) | (rng.uniform(size=len(y)) < np.exp(-2 * np.abs(one * two) / variance))
            alive = alive & ~crossed
        y = new
    return alive
