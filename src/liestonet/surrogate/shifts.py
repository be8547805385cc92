"""Coefficients that do not depend on time, or on some coordinates: what invariance under shifts asks of them.

Features are products of functions of one variable each, so this leaves out all terms of the variables. The others are
estimated again from the same sums; data and prior being Gaussian, that is a linear map of the estimates and of their
errors. Moving the estimates along their known errors instead would go far astray: small errors are left out of these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import scipy.linalg
from jaxtyping import Float

from liestonet.surrogate.covariance import Errors
from liestonet.surrogate.regression import Estimate, inverse
from liestonet.surrogate.surrogate import Surrogate


def shift_invariant(
    surrogate: Surrogate, variables: Sequence[int], estimates: Sequence[Estimate] | None = None
) -> Surrogate:
    """The surrogate without the terms of some variables (0 is time), from its own estimates or from others."""
    own = (*surrogate.drift_estimates, *surrogate.diffusion_estimates)
    chosen = own if estimates is None else tuple(estimates)
    kept, errors = _without_terms(own, variables), surrogate.errors
    maps = kept if estimates is None else _without_terms(chosen, variables)
    parameters = np.concatenate([part @ each.parameters for part, each in zip(maps, chosen, strict=True)])
    left = scipy.linalg.block_diag(*kept)
    changed = surrogate.with_parameters(parameters)
    return replace(changed, errors=Errors(left @ errors.scatter, left @ errors.prior, errors.complete, errors.hidden))


def _without_terms(estimates: Sequence[Estimate], variables: Sequence[int]) -> list[Float[np.ndarray, "p p"]]:
    """For every estimate the map from its parameters to those of the terms that stay, estimated alone."""
    maps = []
    for estimate in estimates:
        stay = np.flatnonzero(estimate.features.degrees[:, list(variables)].sum(axis=1) == 0)
        precision = estimate.precision + np.diag(1 / estimate.prior)
        result = np.zeros_like(precision)
        result[stay] = inverse(precision[np.ix_(stay, stay)]) @ precision[stay]
        maps.append(result)
    return maps
