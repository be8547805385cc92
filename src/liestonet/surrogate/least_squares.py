"""The same series by plain least squares: unbiased, noisier, with a covariance that is all scatter.

Shrinkage makes estimates sharp and biased towards simple coefficients. A test with a stated error rate needs estimates
whose only error is noise, with a covariance that does not have to be estimated from few extreme points: the one of
Gaussian increments with the fitted diffusion (docs/method.md §7.1).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import numpy as np
import scipy.linalg
from jaxtyping import Float

from liestonet.core.uncertainty import Block, Errors, inverse
from liestonet.surrogate.covariance import semidefinite_root
from liestonet.surrogate.discretisation import step_directions
from liestonet.surrogate.noiseless_coordinates import residuals
from liestonet.surrogate.regression import Entry, Scaled, pieces_of, scaled_block
from liestonet.surrogate.spectral_fit import diffusion_targets, drift_targets
from liestonet.surrogate.surrogate import Surrogate
from liestonet.surrogate.tuning import ERRORS, FIT
from liestonet.trajectories.increments import Increments


@lru_cache(maxsize=1)
def without_prior(surrogate: Surrogate) -> Surrogate:
    """The fit with its shrinkage undone; errors hidden by the finite step remain.

    The result for the last fit is cached, since many questions may be asked of it.
    """
    if surrogate.joint is not None:
        return _jointly(surrogate, surrogate.joint)
    drift = tuple(estimate.unshrunk() for estimate in surrogate.drift_estimates)
    diffusion = tuple(estimate.unshrunk() for estimate in surrogate.diffusion_estimates)
    blocks = scipy.linalg.block_diag(*(estimate.free for estimate in (*drift, *diffusion)))
    scatter = np.asarray(blocks) @ semidefinite_root(_score_covariance(surrogate))
    free = replace(surrogate, drift_estimates=drift, diffusion_estimates=diffusion)
    errors = Errors(scatter, np.zeros((len(scatter), 0)))
    return replace(free, errors=errors.with_hidden(step_directions(surrogate)))


def _jointly(surrogate: Surrogate, joint: Block) -> Surrogate:
    """The fit without shrinkage where all parameters share one information matrix, the covariance of their scores."""
    free = inverse(joint.precision + np.diag(FIT.unseen * np.diag(joint.precision)))
    moments = joint.posterior_precision @ joint.parameters
    scatter = free @ semidefinite_root(joint.precision)
    return surrogate.with_parameters(free @ moments).with_errors(Errors(scatter, np.zeros((len(scatter), 0))))


def _score_covariance(surrogate: Surrogate) -> Float[np.ndarray, "p p"]:
    """Covariance of Σ_k φ(x_k) w_k y_k over all regressions, for Gaussian increments with the fitted a."""
    overview = surrogate.overview
    rows = slice(None, None, max(1, len(overview.sample.t) // ERRORS.scored_unshrunk))
    sample = scaled_block(Increments(*(array[rows] for array in overview.sample)), overview.domain)
    estimates, weights_of = (*surrogate.drift_estimates, *surrogate.diffusion_estimates), _weights(surrogate)
    starts = np.concatenate([[0], np.cumsum([len(estimate.parameters) for estimate in estimates])])
    total = np.zeros((starts[-1], starts[-1]))
    for piece in pieces_of(sample):
        weights, covariance = weights_of(piece), _Covariance(surrogate, piece)
        tables = {features: features.values(piece.points)[()] for features in {e.features: None for e in estimates}}
        for i, first in enumerate(estimates):
            for j, second in enumerate(estimates[: i + 1]):
                if len(first.entry) == len(second.entry):
                    scale = covariance(first.entry, second.entry) * weights[:, i] * weights[:, j]
                    block = tables[first.features].T @ (tables[second.features] * scale[:, None])
                    total[starts[i] : starts[i + 1], starts[j] : starts[j + 1]] += block
    counted = overview.inside / len(sample.dt)
    return (np.tril(total) + np.tril(total, -1).T) * counted


def _weights(surrogate: Surrogate) -> Callable[[Scaled], Float[np.ndarray, "b c"]]:
    """The weights of all regressions of a fit."""
    overview, noisy, drift = surrogate.overview, surrogate.noisy, surrogate.drift_estimates
    sample = scaled_block(overview.sample, overview.domain)
    rest = sample.dx if noisy.all() else np.where(noisy, sample.dx, residuals(sample, drift))
    features = drift[0].features
    first = drift_targets(overview, rest, noisy, features)[0]
    second = diffusion_targets(overview, drift, noisy, features)[0]

    def weights(piece: Scaled) -> Float[np.ndarray, "b c"]:
        parts = [targets(piece)[1] for targets in ((first, second) if noisy.any() else (first,))]
        return np.concatenate(parts, axis=1)

    return weights


class _Covariance:
    """Covariance of two regressions' targets at every increment, in units of the box.

    Δx/Δt has covariance a/Δt, and products of residuals over Δt have a^{ik}a^{jl} + a^{il}a^{jk}; the two kinds are
    uncorrelated. For a coordinate without noise, a is its squared residual over Δt.
    """

    def __init__(self, surrogate: Surrogate, piece: Scaled) -> None:
        half = surrogate.domain.half
        series = surrogate.diffusion_squared(piece.points[:, 0], piece.points[:, 1:])
        self.a, self.dt = series * half[0] / np.outer(half[1:], half[1:]), piece.dt
        rest = residuals(piece, surrogate.drift_estimates)
        for still in np.flatnonzero(~surrogate.noisy):
            self.a[:, still, still] = rest[:, still] ** 2 / piece.dt

    def __call__(self, first: Entry, second: Entry) -> Float[np.ndarray, " b"]:
        a = self.a
        if len(first) == 1:
            return a[:, first[0], second[0]] / self.dt
        (i, j), (k, m) = first, second
        return a[:, i, k] * a[:, j, m] + a[:, i, m] * a[:, j, k]
