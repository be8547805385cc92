"""Drift and diffusion refitted under the symmetries that were found (MATH.md §3).

The parameters move as little as their covariance allows until the block V solves the determining equations, V being
free to turn: what a change of V absorbs costs nothing. Repeated, because V changes with the coefficients.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.special
from jaxtyping import Float

from liestonet.surrogate.surrogate import Surrogate
from liestonet.symmetry.judging import gather
from liestonet.symmetry.noise import NoisyOperator

# The equations are imposed to this part of the noise in them.
SLACK = 1e-2
ROUNDS = 6
STEP = 0.1


@dataclass(frozen=True)
class Refit:
    """The symmetric surrogate, the operator and the generators there, and the likelihood ratio of imposing them."""

    surrogate: Surrogate
    operator: NoisyOperator
    vectors: Float[np.ndarray, "m k"]
    deviance: float
    degrees_of_freedom: float
    converged: bool

    @property
    def p_value(self) -> float:
        """Chance of a deviance this large if the symmetries are exact."""
        return float(scipy.special.chdtrc(max(self.degrees_of_freedom, 1e-9), self.deviance))

    @property
    def helps(self) -> bool:
        """Whether fresh data are expected to be likelier under the constraint: Akaike's criterion."""
        return self.deviance < 2 * self.degrees_of_freedom


def refit_with_symmetries(
    surrogate: Surrogate,
    operator_of: Callable[[Surrogate], NoisyOperator],
    operator: NoisyOperator,
    vectors: Float[np.ndarray, "m k"],
) -> Refit:
    """Impose a block of directions on a surrogate; `operator_of` builds D for changed coefficients."""
    root, original = surrogate.errors.root, surrogate.parameters
    shift = np.zeros(root.shape[1])
    changed, freedom, converged = surrogate, 0.0, False
    for _ in range(ROUNDS):
        evidence = gather(operator, vectors)
        matrix, cross = evidence.noise.sum(axis=0), evidence.cross.sum(axis=1)
        values, turn = np.linalg.eigh(matrix)
        strength = np.maximum(values, 0.0) / (SLACK * max(values.mean(), np.finfo(float).tiny))
        # minimise |z|² + |r + A(z − z₀)|²/slack in the eigenbasis of AᵀA, where z₀ is the present shift
        aim = turn.T @ (matrix @ shift - cross) / (SLACK * max(values.mean(), np.finfo(float).tiny))
        previous, shift = shift, turn @ (aim / (1 + strength))
        freedom = float(np.sum(strength / (1 + strength)))
        changed = surrogate.with_parameters(original + root @ shift)
        operator = operator_of(changed)
        vectors = operator.lowest(vectors.shape[1])
        converged = bool(np.linalg.norm(shift - previous) < STEP)
        if converged:
            break
    return Refit(changed, operator, vectors, float(shift @ shift), freedom, converged)
