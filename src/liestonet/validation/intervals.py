"""Intervals for the residuals of given generators: the estimate's scatter, and its bias from the prior.

The ladder of `discover` allows for everything that the prior may hide in any system that is likely under it, since too
short an interval there would give false symmetries. Here the generator is fixed and its residual is estimated: the
error of a shrunk estimate H⁻¹b around the truth θ is its scatter and its bias H⁻¹Λθ. The bias is known as well as θ is.
See docs/method.md §7.3.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.linalg
from jaxtyping import Float

from liestonet.core.uncertainty import Errors, inverse
from liestonet.surrogate.surrogate import Surrogate
from liestonet.surrogate.tuning import FIT
from liestonet.symmetry.statistical.evidence import Evidence


def with_own_bias(surrogate: Surrogate) -> Surrogate:
    """The fit with the bias of its own estimate in place of everything that the prior may hide."""
    errors, bias = surrogate.errors, shrinkage_bias(surrogate)
    return replace(surrogate, errors=Errors(errors.scatter, bias[:, None], errors.complete, errors.hidden))


def shrinkage_bias(surrogate: Surrogate) -> Float[np.ndarray, " p"]:
    """H⁻¹Λθ with the estimate for θ: how far the prior pulls the mean of all parameters towards zero."""
    estimates = (*surrogate.drift_estimates, *surrogate.diffusion_estimates)
    return np.concatenate([estimate.posterior @ (estimate.parameters / estimate.prior) for estimate in estimates])


def with_free_linear_terms(surrogate: Surrogate) -> Surrogate:
    """The fit without a prior on the constant and linear terms of the drift; the other terms keep their own bias.

    Shrinkage makes a square of the drift too small, by an amount that depends on the noise of the very terms that are
    shrunk, so it cannot be corrected afterwards. Terms of higher order stay shrunk, as nearly all of their estimate is
    noise.
    """
    free = np.concatenate([estimate.linear_terms for estimate in surrogate.drift_estimates])
    free = np.pad(free, (0, len(surrogate.parameters) - len(free)))
    errors, known = surrogate.errors, surrogate.errors.scatter.shape[1] - surrogate.errors.hidden
    cuts = np.cumsum([len(block.parameters) for block in surrogate.information.blocks])[:-1]
    parameters, bias, maps = [], [], []
    for block, own in zip(surrogate.information.blocks, np.split(free, cuts), strict=True):
        made = block.with_prior(np.where(own, 1 / (FIT.unseen * np.diag(block.precision)), block.prior))
        posterior = inverse(made.posterior_precision)
        parameters.append(made.parameters)
        bias.append(posterior @ (made.parameters / made.prior))
        maps.append(posterior @ block.posterior_precision)
    seen = np.asarray(scipy.linalg.block_diag(*maps)) @ errors.scatter[:, :known]
    scatter, left = np.concatenate([seen, errors.scatter[:, known:]], axis=1), np.concatenate(bias)[:, None]
    found = surrogate.with_parameters(np.concatenate(parameters))
    return found.with_errors(Errors(scatter, left, errors.complete, errors.hidden))


def interval(cautious: Evidence, own: Evidence, k: int, confidence: float) -> tuple[float, float]:
    """Ends of an interval, wrong together with probability 1 − confidence.

    Zero is excluded only where the cautious evidence excludes it, with everything counted that the prior may hide; else
    the upper end too is that of the cautious evidence.
    """
    each = (1 + confidence) / 2
    lower, upper = cautious.interval(k, each)
    return own.interval(k, each) if lower > 0 else (lower, upper)
