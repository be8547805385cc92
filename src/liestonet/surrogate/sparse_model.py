"""The simplest surrogate that the evidence supports, to impose symmetries on (docs/method.md §6.2).

Shrinkage keeps every kind of term at about its standard error, which the tests of symmetries need (docs/method.md
§4.2). After the tests, terms that are there by chance do harm: they turn a near-symmetry. Here whole groups of terms
are left out, one after the other, as long as the evidence loses little; the remaining model is not used for tests.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from jaxtyping import Float

from liestonet.core.uncertainty import Information, inverse
from liestonet.surrogate.regression import Estimate
from liestonet.surrogate.shrinkage import log_evidence, log_variances
from liestonet.surrogate.surrogate import Surrogate
from liestonet.surrogate.tuning import FIT


def sparse_model(surrogate: Surrogate) -> Information:
    """The information on the parameters after all groups of terms are left out that the evidence does not support."""
    noisy = surrogate.noisy
    estimates = [
        _left_out(estimate) if noisy[list(estimate.entry)].all() else estimate
        for estimate in (*surrogate.drift_estimates, *surrogate.diffusion_estimates)
    ]
    if surrogate.joint is not None:
        return Information((surrogate.joint.with_prior(np.concatenate([estimate.prior for estimate in estimates])),))
    return Information(tuple(estimate.block(noisy) for estimate in estimates))


def _left_out(estimate: Estimate) -> Estimate:
    """One coefficient with as few groups as the evidence allows; the group that matters least goes first."""
    features = estimate.features
    matrix, constant = log_variances(features.shrunk_orders, features.released, features.polar(estimate.entry))
    sizes = np.linalg.lstsq(matrix, np.log(estimate.prior) - constant, rcond=None)[0]
    moments = (estimate.precision @ estimate.parameters + estimate.parameters / estimate.prior)[:, None]

    def evidence(parameters: Float[np.ndarray, " k"]) -> float:
        return float(log_evidence(estimate.precision, moments, np.exp(matrix @ parameters + constant))[0][0])

    kept, best = list(range(matrix.shape[1] - 2)), evidence(sizes)
    while kept:
        without = {group: _without(sizes, group) for group in kept}
        values = {group: evidence(parameters) for group, parameters in without.items()}
        group = max(kept, key=lambda place: values[place])
        if values[group] < best - FIT.sparse_cost:
            break
        sizes, best = without[group], max(best, values[group])
        kept.remove(group)
    prior = np.exp(matrix @ sizes + constant)
    parameters = inverse(estimate.precision + np.diag(1 / prior)) @ moments[:, 0]
    return replace(estimate, prior=prior, parameters=parameters)


def _without(sizes: Float[np.ndarray, " k"], group: int) -> Float[np.ndarray, " k"]:
    return np.where(np.arange(len(sizes)) == group, 2 * FIT.smallest_variance, sizes)
