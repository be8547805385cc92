"""Errors that no coefficient shows are left out: the search on several coordinates costs the square of their number.

See docs/method.md §4.4.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from jaxtyping import Float

from liestonet.core.coefficients import JetOrder
from liestonet.core.uncertainty import Errors
from liestonet.surrogate.covariance import compressed
from liestonet.surrogate.tuning import ERRORS

ORDER = JetOrder(drift=2, diffusion=1, diffusion_squared=2)


def resolved_errors(surrogate: Any) -> Errors:
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


def _effects(surrogate: Any, root: Float[np.ndarray, "p s"]) -> Float[np.ndarray, "s s"]:
    """Inner products of what the errors do to f, σ and a and to their derivatives, in units of the box."""
    sample, half = surrogate.overview.points, surrogate.domain.half
    points = sample[np.linspace(0, len(sample) - 1, min(ERRORS.effect_points, len(sample))).astype(int)]
    _, directions = surrogate.jet_and_directions(points, ORDER, root)
    total, n = np.zeros((root.shape[1], root.shape[1])), surrogate.dimension
    for name, time, lengths in (("drift", 1.0, 1), ("diffusion", 0.5, 1), ("diffusion_squared", 1.0, 2)):
        for derivative, array in getattr(directions, name).items():
            unit = half[0] ** time * np.prod(half[list(derivative)])
            scaled = array * (unit / half[1:]).reshape(1, n, *[1] * (array.ndim - 2))
            scaled = scaled / half[1:][None, None, :, None] if lengths == 2 else scaled
            rows = scaled.reshape(-1, root.shape[1])
            total += rows.T @ rows / len(points)
    return total
