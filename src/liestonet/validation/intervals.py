"""Intervals for the residuals of given generators: the estimate's scatter, and the bias that its prior gives it.

The ladder of `discover` counts what a prior may hide in any system that is likely under it; there a false symmetry
would be the price of too short an interval. Here the generator is fixed and its residual is asked for, and the error
of a shrunk estimate H⁻¹b around the truth θ is its scatter and its bias H⁻¹Λθ. The bias is known as well as θ is.
See docs/method.md §7.3.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from jaxtyping import Float

from liestonet.core.uncertainty import Errors
from liestonet.surrogate.surrogate import Surrogate
from liestonet.symmetry.statistical.evidence import Evidence


def with_own_bias(surrogate: Surrogate) -> Surrogate:
    """The same fit, with the bias of its own estimate in place of all that the prior may hide."""
    errors, bias = surrogate.errors, shrinkage_bias(surrogate)
    return replace(surrogate, errors=Errors(errors.scatter, bias[:, None], errors.complete, errors.hidden))


def shrinkage_bias(surrogate: Surrogate) -> Float[np.ndarray, " p"]:
    """H⁻¹Λθ with the estimate for θ: by how much the prior pulls the mean of all parameters to zero."""
    estimates = (*surrogate.drift_estimates, *surrogate.diffusion_estimates)
    return np.concatenate([estimate.posterior @ (estimate.parameters / estimate.prior) for estimate in estimates])


def interval(cautious: Evidence, own: Evidence, k: int, confidence: float) -> tuple[float, float]:
    """Both ends together are wrong with chance 1 − confidence.

    Zero is excluded only where the cautious evidence does so, all that the prior may hide counted; where it does not,
    the upper end is that of the cautious evidence too.
    """
    each = (1 + confidence) / 2
    lower, upper = cautious.interval(k, each)
    return own.interval(k, each) if lower > 0 else (lower, upper)
