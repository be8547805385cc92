"""Errors that no coefficient shows are left out: the search on several coordinates costs the square of their number.

See docs/method.md §4.4.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from jaxtyping import Float

from liestonet.core.coefficients import JetOrder
from liestonet.core.uncertainty import Errors
from liestonet.surrogate.tuning import ERRORS

ORDER = JetOrder(drift=2, diffusion=1, diffusion_squared=2)


def resolved_errors(surrogate: Any) -> Errors:
    """The same covariance in directions sorted by what they do to the coefficients, the last ones left out.

    Errors of the data's noise and of the prior are kept apart, and the hidden ones stay as they are.
    """
    errors: Errors = surrogate.errors
    seen = errors.scatter.shape[1] - errors.hidden
    scatter = _sorted(surrogate, errors.scatter[:, :seen])
    scatter = np.concatenate([scatter, errors.scatter[:, seen:]], axis=1)
    return Errors(scatter, _sorted(surrogate, errors.prior), errors.complete, errors.hidden)


def _sorted(surrogate: Any, root: Float[np.ndarray, "p s"]) -> Float[np.ndarray, "p t"]:
    values, turn = np.linalg.eigh(_effects(surrogate, root))
    return root @ turn[:, values > ERRORS.least_effect**2]


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
