"""Drift and diffusion refitted with the symmetries that were found (docs/method.md §6.3).

The parameters change as little as possible, in the metric of their covariance, until the block of generators V solves
the determining equations. V may rotate, and residuals removed by a rotation cost nothing. The steps are repeated,
because V changes with the coefficients.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
import scipy.special
from jaxtyping import Float

from liestonet.core.coefficients import EstimatedCoefficients
from liestonet.inference.tuning import REFIT
from liestonet.symmetry.statistical.elimination import Elimination
from liestonet.symmetry.statistical.evidence import Evidence
from liestonet.symmetry.statistical.noisy_operator import NoisyOperator
from liestonet.symmetry.statistical.tuning import JUDGING

Estimated = TypeVar("Estimated", bound=EstimatedCoefficients)


@dataclass(frozen=True)
class Refit:
    """The symmetric surrogate, its generators, and the likelihood ratio of imposing them.

    The surrogate's errors are those that remain if the symmetries are exact. `held_out` is the gain by the symmetries
    in the log-likelihood of held-out data, with its standard error.
    """

    surrogate: EstimatedCoefficients
    vectors: Float[np.ndarray, "m k"]
    deviance: float
    degrees_of_freedom: float
    converged: bool
    held_out: float = np.nan
    held_out_error: float = np.nan

    @property
    def tests_something(self) -> bool:
        """Whether the symmetries impose any condition on the coefficients."""
        return self.degrees_of_freedom >= REFIT.least_freedom

    @property
    def p_value(self) -> float:
        """Probability of a deviance this large if the symmetries are exact; conservative.

        The deviance is measured in the posterior's metric, where shrunk parameters scatter less than their prior says.
        Symmetries that impose no condition, such as ∂t on a clock that restarts, cannot be rejected.
        """
        if not self.tests_something:
            return 1.0
        return float(scipy.special.chdtrc(self.degrees_of_freedom, self.deviance))


@dataclass(frozen=True)
class Imposed:
    """A refit with the determining equations of its coefficients, for further computations."""

    refit: Refit
    operator: NoisyOperator


def refit_with_symmetries(
    surrogate: Estimated,
    operator_of: Callable[[Estimated], NoisyOperator],
    operator: NoisyOperator,
    vectors: Float[np.ndarray, "m k"],
) -> Imposed:
    """Impose a block of directions on a surrogate; `operator_of` gives D for changed coefficients."""
    shift, moved = np.zeros(operator.directions), np.inf
    step = _Step(shift, surrogate, 0.0)
    for _ in range(REFIT.rounds):
        changes = operator.changes(vectors)
        beside = Elimination(operator, changes, cautious=False)
        evidence = beside.evidence(np.eye(vectors.shape[1]), operator.noise(vectors))
        step = _imposed(surrogate, evidence, shift, REFIT.slack)
        vectors = beside.followed(step.shift - shift, REFIT.largest_turn)
        moved, shift = float(np.linalg.norm(step.shift - shift)), step.shift
        # every round starts from the original errors, not from those that the last round left
        operator = operator_of(step.surrogate.with_errors(surrogate.errors))
        if moved < REFIT.standing:
            break
    operator = operator_of(step.surrogate)
    refit = Refit(step.surrogate, vectors, float(shift @ shift), step.freedom, moved < REFIT.standing)
    return Imposed(refit, operator)


def refit_exactly(surrogate: Estimated, evidence: Evidence, slack: float | int = REFIT.exact_slack) -> Estimated:
    """Impose directions without rotating them; residuals up to `slack` of the largest noise, in squares, remain."""
    shift = np.zeros(len(evidence.cross))
    return _imposed(surrogate, evidence, shift, slack).surrogate


@dataclass(frozen=True)
class _Step(Generic[Estimated]):
    """One step: the errors that explain the residuals, the surrogate without them, and the number of conditions."""

    shift: Float[np.ndarray, " s"]
    surrogate: Estimated
    freedom: float


def _imposed(
    surrogate: EstimatedCoefficients, evidence: Evidence, shift: Float[np.ndarray, " s"], slack: float
) -> _Step:
    """Minimise |z|² + |r + A(z − z₀)|²/slack, where z₀ is the present shift, in the eigenbasis of AᵀA."""
    matrix, cross = evidence.noise.sum(axis=0), evidence.cross.sum(axis=1)
    values, turn = np.linalg.eigh(matrix)
    scale = slack * max(float(values[-1]), JUDGING.negligible**2)
    strength = np.maximum(values, 0.0) / scale
    aimed = turn @ (turn.T @ (matrix @ shift - cross) / scale / (1 + strength))
    changed = surrogate.with_parameters(surrogate.parameters + surrogate.errors.root @ (evidence.turn @ aimed))
    errors = surrogate.errors.imposed((turn / (1 + strength)) @ turn.T, evidence.turn)
    return _Step(aimed, changed.with_errors(errors), float(np.sum(strength / (1 + strength))))


def deviance(surrogate: EstimatedCoefficients, constrained: EstimatedCoefficients) -> tuple[float, float]:
    """Twice the loss of log posterior by a constraint, and its mean if the constraint is exact: degrees of freedom.

    The mean is what the constraint does to all errors, those that the prior adds included: the sizes of the prior came
    from the same data. Directions that data do not show cost nothing beyond their own size.
    """
    known, errors = surrogate.information, surrogate.errors
    if known is None:
        raise RuntimeError("the surrogate keeps no information about its parameters")
    hidden = errors.hidden_columns
    moved = np.delete(constrained.errors.root - errors.root, hidden, axis=1)
    changes = np.column_stack([constrained.parameters - surrogate.parameters, moved])
    costs = _costs(known.posterior_precision, errors.root[:, hidden], changes)
    return float(costs[0]), float(costs[1:].sum())


def _costs(
    precision: Float[np.ndarray, "p p"], hidden: Float[np.ndarray, "p h"], changes: Float[np.ndarray, "p k"]
) -> Float[np.ndarray, " k"]:
    """The loss of log posterior by changes of all parameters, each minimised over the hidden directions."""
    both = hidden.T @ precision
    share = np.linalg.solve(both @ hidden + np.eye(hidden.shape[1]), both @ changes)
    rest = changes - hidden @ share
    return np.sum(rest * (precision @ rest), axis=0) + np.sum(share**2, axis=0)
