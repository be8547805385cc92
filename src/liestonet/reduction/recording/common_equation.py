"""An equation with given terms fitted to data, so that several results can be compared term by term."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Bool, Float

from liestonet.errors import InputError
from liestonet.reduction.recording.candidate_terms import candidate_terms, symbols_of
from liestonet.reduction.recording.constant_fit import (
    Fitted,
    Likelihood,
    likelihood_of,
    restricted,
    whole_family,
)
from liestonet.reduction.recording.known_steps import step_added, step_rounds
from liestonet.surrogate.surrogate import Surrogate
from liestonet.trajectories.measurement import Measurement

if TYPE_CHECKING:
    from sympy import Expr

Place = tuple[tuple[int, ...], "Expr"]


@dataclass(frozen=True, eq=False)
class TermConstants:
    """The constant factors of given terms, with their covariance, in the order of the terms.

    For a noise with one term the constant is that of σ, not of a. `p_value` tests these terms against the full series.
    """

    values: Float[np.ndarray, " c"]
    covariance: Float[np.ndarray, "c c"]
    p_value: float


def constants_on(surrogate: Surrogate, places: Sequence[Place], measurement: Measurement) -> TermConstants:
    """Fit an equation with exactly these terms, (entry, function), to a surrogate's sums (docs/method.md §18.9).

    Discretisation bias is subtracted if the measurement says how steps were made.
    """
    used = {str(symbol) for _, function in places for symbol in function.free_symbols}
    absent = {v for v, symbol in enumerate(symbols_of(surrogate)) if symbol.name not in used}
    terms = candidate_terms(surrogate, absent)
    kept = np.array([(term.entry, term.function) in places for term in terms])
    if int(kept.sum()) != len(places):
        raise InputError("The functions of the common equation are linearly dependent on the box of this recording.")
    fitted = _with_terms(likelihood_of(surrogate, terms), kept)
    for _ in range(step_rounds(surrogate, measurement)):
        added = step_added(surrogate, terms, fitted.factors, measurement)
        fitted = _with_terms(likelihood_of(surrogate, terms, added), kept)
    position = {(term.entry, term.function): k for k, term in enumerate(terms)}
    order = [position[place] for place in places]
    values, covariance = fitted.factors[order], fitted.covariance[np.ix_(order, order)]
    slopes = np.ones(len(places))
    for k, place in enumerate(places):
        if is_root(place, places):
            if not values[k] > 0:
                raise InputError("The noise of the common equation vanishes on this recording.")
            values[k] = np.sqrt(values[k])
            slopes[k] = 1 / (2 * values[k])
    return TermConstants(values, covariance * slopes[:, None] * slopes, fitted.p_value)


def _with_terms(known: Likelihood, kept: Bool[np.ndarray, " k"]) -> Fitted:
    return restricted(known, whole_family(known), kept)


def is_root(place: Place, places: Sequence[Place]) -> bool:
    """Whether a constant is a factor of σ: its term is the only one in a diagonal entry of a, and in its row."""
    entry = place[0]
    others = [other for other, _ in places if len(other) == 2 and entry[0] in other]
    return len(entry) == 2 and entry[0] == entry[1] and len(others) == 1
