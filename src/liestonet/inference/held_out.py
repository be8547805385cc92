"""Held-out log-likelihood with symmetries imposed and without (docs/method.md §6.4).

The sums of a fit are kept by parts of the data. The fit without one part follows from the other sums, and imposing is
linear near the fit, so every part can be predicted from all others at the cost of a few small matrices.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from liestonet.core.coefficients import EstimatedCoefficients
from liestonet.core.uncertainty import Information


@dataclass(frozen=True)
class HeldOut:
    """The gain in log-likelihood by a constraint, for each part of the data when it is predicted from the others."""

    gains: Float[np.ndarray, " folds"]

    @property
    def gain(self) -> float:
        return float(self.gains.sum())

    @property
    def error(self) -> float:
        """Standard error of the gain, from the scatter between parts."""
        return float(np.std(self.gains, ddof=1) * np.sqrt(len(self.gains)))

    def loses(self, errors: float) -> bool:
        """Whether the constraint makes held-out data less likely by more than `errors` standard errors."""
        return self.gain < -errors * self.error

    def loses_to(self, other: HeldOut, errors: float) -> bool:
        """Whether another constraint predicts better by more than `errors` standard errors of the difference."""
        return HeldOut(self.gains - other.gains).loses(errors)


def held_out(surrogate: EstimatedCoefficients, start: Information, constrained: EstimatedCoefficients) -> HeldOut:
    """The held-out gain of a constraint over the surrogate; `start` is the information on which it was imposed.

    Directions that the data do not determine are projected out of the prediction.
    """
    known = surrogate.information
    if known is None:
        raise RuntimeError("the surrogate keeps no sums by parts of the data")
    root, back, left = surrogate.errors.root, surrogate.errors.back, constrained.errors.root
    hidden, begin = surrogate.errors.hidden_columns, start.parameters
    gains = []
    pairs = zip(known.without_each_fold(), start.without_each_fold(), strict=True)
    for fold, (free, other) in enumerate(pairs):
        change = constrained.parameters - begin + (left - root) @ (back @ (other - begin))
        change = change - root[:, hidden] @ (back @ change)[hidden]
        gains.append(known.gain(fold, free, other + change))
    return HeldOut(np.array(gains))
