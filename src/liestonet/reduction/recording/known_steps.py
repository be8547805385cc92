"""Discretisation bias of drift and diffusion, if it is known how steps were made (docs/method.md §4.5)."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from liestonet.reduction.recording.candidate_terms import Term
from liestonet.reduction.tuning import EQUATION
from liestonet.surrogate.discretisation import step_directions
from liestonet.surrogate.surrogate import Surrogate
from liestonet.trajectories.measurement import Measurement


def step_rounds(surrogate: Surrogate, measurement: Measurement) -> int:
    """How often the bias is recomputed from the corrected equation; zero if it is not known."""
    if not (measurement.is_exact and surrogate.errors.hidden):
        return 0
    return EQUATION.step_rounds if measurement.steps == "continuous" else 1


def step_added(
    surrogate: Surrogate, terms: list[Term], factors: Float[np.ndarray, " k"], measurement: Measurement
) -> Float[np.ndarray, " p"]:
    """The discretisation bias of the parameters to first order in the step; zero for Euler steps."""
    if measurement.steps != "continuous":
        return np.zeros(len(surrogate.parameters))
    parameters = np.column_stack([term.parameters for term in terms]) @ factors
    return step_directions(surrogate.with_parameters(parameters)).sum(axis=1)
