"""Errors that no coefficient shows are left out: the search on several coordinates costs the square of their number.

See docs/method.md §4.4.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from liestonet.core.coefficients import derivatives
from liestonet.core.uncertainty import Errors
from liestonet.surrogate.covariance import compressed
from liestonet.surrogate.regression import evaluate
from liestonet.surrogate.surrogate import Surrogate
from liestonet.surrogate.tuning import ERRORS, FIT


def resolved_errors(surrogate: Surrogate) -> Errors:
    """The same covariance without what hardly shows in the coefficients.

    Errors of the data's noise and of the prior together are turned to directions sorted by what they do, and those that
    do next to nothing are taken out of both; the hidden ones stay as they are.
    """
    errors: Errors = surrogate.errors
    seen = errors.scatter.shape[1] - errors.hidden
    shown = Errors(errors.scatter[:, :seen], errors.prior, errors.complete)
    root, turn = shown.joint
    values, vectors = np.linalg.eigh(_effects(surrogate, root))
    kept = turn @ vectors[:, values > ERRORS.least_effect**2]
    scatter, prior = np.split(root @ turn.T @ kept @ kept.T, [seen], axis=1)
    scatter, prior = (compressed(part) for part in (scatter, prior))
    return Errors(np.concatenate([scatter, errors.scatter[:, seen:]], axis=1), prior, errors.complete, errors.hidden)


def _effects(surrogate: Surrogate, root: Float[np.ndarray, "p s"]) -> Float[np.ndarray, "s s"]:
    """Inner products of what the errors do to f, σ and a and to their derivatives, in units of the box.

    What an error of a does to σ is taken as δa/2σ, with the smaller of the two σ that it belongs to.
    """
    sample = surrogate.overview.points
    points = sample[np.linspace(0, len(sample) - 1, min(ERRORS.effect_points, len(sample))).astype(int)]
    wanted = tuple(derivatives(surrogate.dimension + 1, 2))
    units = [np.prod(surrogate.domain.half[list(derivative)]) for derivative in wanted]
    own = {e.entry[0]: e for e in surrogate.diffusion_estimates if e.entry[0] == e.entry[1]}
    levels = {i: _safely_positive(evaluate([estimate], points)[:, 0]) for i, estimate in own.items()}
    total, start = np.zeros((root.shape[1], root.shape[1])), 0
    for estimate in (*surrogate.drift_estimates, *surrogate.diffusion_estimates):
        rows = root[start : start + len(estimate.parameters)]
        start += len(rows)
        tables = estimate.features.values(points, wanted)
        weights = np.ones(len(points))
        if len(estimate.entry) == 2:
            weights = 1 + 1 / (4 * np.minimum(*(levels[i] for i in estimate.entry)))
        for derivative, unit in zip(wanted, units, strict=True):
            size = unit * (np.sqrt(weights) if len(derivative) < 2 else np.ones(len(points)))
            effects = size[:, None] * tables[derivative]
            total += rows.T @ ((effects.T @ effects / len(points)) @ rows)
    return total


def _safely_positive(values: Float[np.ndarray, " b"]) -> Float[np.ndarray, " b"]:
    """A variance that is not too small."""
    return np.maximum(values, FIT.least_eigenvalue * max(float(np.median(np.abs(values))), np.finfo(float).tiny))
