"""Combinations of errors that hardly change any coefficient are left out of the search.

The cost of the search grows with the square of the number of errors. See docs/method.md §4.4.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from jaxtyping import Float

from liestonet.core.coefficients import derivatives
from liestonet.core.uncertainty import Errors
from liestonet.surrogate.regression import evaluate
from liestonet.surrogate.surrogate import Surrogate
from liestonet.surrogate.tuning import ERRORS, FIT


def resolved_errors(surrogate: Surrogate) -> Errors:
    """The errors with the combinations marked that change the coefficients noticeably; hidden errors are all kept."""
    errors = surrogate.errors
    place = errors.hidden_columns
    shown = np.delete(np.arange(errors.root.shape[1]), place)
    left, lengths, rows = np.linalg.svd(errors.root[:, shown], full_matrices=False)
    values, vectors = np.linalg.eigh(_effects(surrogate, left * lengths))
    kept = rows.T @ vectors[:, values > ERRORS.least_effect**2]
    felt = np.zeros((errors.root.shape[1], kept.shape[1] + errors.hidden))
    felt[shown, : kept.shape[1]] = kept
    felt[place, kept.shape[1] :] = np.eye(errors.hidden)
    return replace(errors, felt=felt)


def _effects(surrogate: Surrogate, root: Float[np.ndarray, "p s"]) -> Float[np.ndarray, "s s"]:
    """Inner products of the changes that the errors make in f, σ and a and in their derivatives, in units of the box.

    The change of σ made by an error of a is taken as δa/2σ, with the smaller of the two σ that belong to the entry.
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
    """The variances, raised where they are too small."""
    return np.maximum(values, FIT.least_eigenvalue * max(float(np.median(np.abs(values))), np.finfo(float).tiny))
