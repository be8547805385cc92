"""Likelihood of paths that a fit has not seen, with symmetries imposed and without.

The sums that a fit is made of are kept in parts. Leaving one out gives the estimates of the others, imposing is linear
near the fit, so every part can be foretold by all others at the cost of a few small matrices.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from liestonet.surrogate.regression import Estimate, inverse
from liestonet.surrogate.surrogate import Surrogate


@dataclass(frozen=True)
class HeldOut:
    """Log-likelihood that each part gains by a constraint when the others foretell it."""

    gains: Float[np.ndarray, " folds"]

    @property
    def gain(self) -> float:
        return float(self.gains.sum())

    @property
    def error(self) -> float:
        """Standard error of the gain, from its scatter between parts."""
        return float(np.std(self.gains, ddof=1) * np.sqrt(len(self.gains)))

    def loses(self, errors: float) -> bool:
        """Whether held-out paths are less likely by more than so many standard errors."""
        return self.gain < -errors * self.error

    def behind(self, other: HeldOut, errors: float) -> bool:
        """Whether another constraint foretells better by more than so many standard errors of the difference."""
        return HeldOut(self.gains - other.gains).loses(errors)


def held_out(surrogate: Surrogate | Any, start: Sequence[Estimate], constrained: Surrogate | Any) -> HeldOut:
    """What a constraint gains over the surrogate; `start` are the estimates that it was imposed on.

    Directions that data do not show are taken out of the prediction.
    """
    estimates = (*surrogate.drift_estimates, *surrogate.diffusion_estimates)
    root, back, left = surrogate.errors.root, surrogate.errors.back, constrained.errors.root
    hidden = slice(surrogate.errors.scatter.shape[1] - surrogate.errors.hidden, surrogate.errors.scatter.shape[1])
    begin = np.concatenate([estimate.parameters for estimate in start])
    first, second = _without_parts(estimates), _without_parts(start)
    gains = []
    for fold, (free, other) in enumerate(zip(first, second, strict=True)):
        change = constrained.parameters - begin + (left - root) @ (back @ (other - begin))
        change = change - root[:, hidden] @ (back @ change)[hidden]
        gains.append(sum(_gains(estimates, surrogate.noisy, fold, free, other + change)))
    return HeldOut(np.array(gains))


def _without_parts(estimates: Sequence[Estimate]) -> list[Float[np.ndarray, " p"]]:
    """All parameters, estimated without one part after the other."""
    columns = []
    for estimate in estimates:
        folds = estimate.folds
        if folds is None:
            raise RuntimeError("sums by parts are there")
        moments, prior = folds.moments.sum(axis=0), np.diag(1 / estimate.prior)
        columns.append(
            [
                inverse(estimate.precision - precision + prior) @ (moments - moment)
                for precision, moment in zip(folds.precisions, folds.moments, strict=True)
            ]
        )
    return [np.concatenate(parts) for parts in zip(*columns, strict=True)]


def _gains(
    estimates: Sequence[Estimate],
    noisy: Bool[np.ndarray, " n"],
    fold: int,
    before: Float[np.ndarray, " p"],
    after: Float[np.ndarray, " p"],
) -> Iterator[float]:
    """Log-likelihood that one part gains, coefficient by coefficient; where there is no noise there is none."""
    begin = 0
    for estimate in estimates:
        rows = slice(begin, begin + len(estimate.parameters))
        begin = rows.stop
        if estimate.folds is not None and noisy[list(estimate.entry)].all():
            precision, moments = estimate.folds.precisions[fold], estimate.folds.moments[fold]
            change = after[rows] - before[rows]
            yield float((moments - precision @ before[rows]) @ change - 0.5 * change @ precision @ change)
