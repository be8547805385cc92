"""The resolution that drift and diffusion need round a periodic coordinate: the highest significant frequency."""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float

from liestonet.surrogate.overview import Overview
from liestonet.surrogate.tuning import FIT


def frequencies_of(overview: Overview) -> dict[int, int]:
    """For every periodic coordinate, by position, the highest significant frequency in steps or in their squares."""
    sample = overview.sample
    rows = slice(None, None, max(1, len(sample.t) // FIT.tried_frequencies))
    rates = sample.dx[rows] / np.sqrt(sample.dt[rows])[:, None]
    targets = np.concatenate([rates, (rates - rates.mean(axis=0)) ** 2], axis=1)
    return {
        variable: highest_frequency(targets, sample.x[rows, variable - 1] * np.pi / overview.domain.half[variable])
        for variable in overview.domain.periodic
    }


def reach(found: int) -> int:
    """The frequency up to which series go, given the highest significant one."""
    return min(FIT.frequencies, math.ceil(FIT.beyond_frequency * found))


def highest_frequency(
    targets: Float[np.ndarray, "b c"], angle: Float[np.ndarray, " b"], most: int = FIT.frequencies
) -> int:
    """The highest frequency whose cosine and sine together differ from zero in a regression on all of them."""
    count = min(most, len(angle) // 10)
    if not count:
        return 0
    phases = np.multiply.outer(angle, np.arange(1, count + 1))
    waves = np.concatenate([np.ones((len(angle), 1)), np.cos(phases), np.sin(phases)], axis=1)
    gram = waves.T @ waves
    # where there are no points some waves cannot be distinguished; their covariance says so
    covariance = np.linalg.inv(gram + FIT.unseen * len(angle) * np.eye(len(gram)))
    coefficients = covariance @ (waves.T @ targets)
    variances = np.mean((targets - waves @ coefficients) ** 2, axis=0)
    limit = 2 * math.log(2 * count * targets.shape[1] / FIT.frequency_level)
    for k in range(count, 0, -1):
        pair = [k, count + k]
        spread = np.linalg.inv(covariance[np.ix_(pair, pair)])
        squares = np.einsum("ic,ij,jc->c", coefficients[pair], spread, coefficients[pair])
        if (squares > limit * np.maximum(variances, np.finfo(float).tiny)).any():
            return k
    return 0
