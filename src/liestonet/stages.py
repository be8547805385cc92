"""The search on data in stages: shifts first, then all directions, then the coefficients with the symmetries imposed.

Everything is judged on the rich surrogate with all its errors. A simpler one, which the data do not speak against, only
proposes: directions to judge, and coefficients to impose the symmetries on. Paths held out decide what is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.linalg
from jaxtyping import Float

from liestonet.errors import InputError
from liestonet.surrogate.held_out import HeldOut, held_out
from liestonet.surrogate.refit import Refit, deviance, refit_with_symmetries
from liestonet.surrogate.regression import Estimate
from liestonet.surrogate.shifts import shift_invariant
from liestonet.surrogate.simpler import simpler
from liestonet.surrogate.surrogate import Surrogate
from liestonet.symmetry.judging import NEGLIGIBLE
from liestonet.symmetry.kinds import Kind
from liestonet.symmetry.noise import NoisyOperator
from liestonet.symmetry.search import Search, Standards, behind, judge_directions, most_symmetries, search
from liestonet.symmetry.simple import Shifts, exact_shifts
from liestonet.symmetry.spread import turned_by, turns_of

# What a simpler surrogate proposes must stand out of its next direction by this factor, and lie in the span that the
# rich one gives to within so many of its errors, none of which is taken as smaller than the last number (radians).
GAP, ERRORS, LEAST_ERROR = 3.0, 3.0, 1e-2
# Symmetries are imposed unless held-out paths are less likely by more than so many standard errors.
CLEARLY = 2.0

Progress = Callable[[str], None]
Block = Float[np.ndarray, "m k"]


@dataclass(frozen=True)
class _Stage:
    """A surrogate with shifts imposed, its operator, and how to get operators of others in the same basis."""

    kind: Kind
    surrogate: Surrogate
    operator: NoisyOperator
    shifts: Shifts

    def operator_of(self, changed: Any) -> NoisyOperator:
        return NoisyOperator(self.kind, changed, self.operator.basis, self.operator.cloud)


def search_in_stages(
    kind: Kind, surrogate: Surrogate, standards: Standards, dimension: Any, imposing: bool, say: Progress
) -> tuple[Search, Refit | None]:
    """Search; take exact shifts as such and search again; impose all that was found and solve once more."""
    found = search(kind, surrogate, surrogate.domain, surrogate.overview.points, standards)
    most, poorer = most_symmetries(kind, surrogate.dimension), found.poorer
    if dimension is not None:
        found = replace(found, count=_possible(dimension, found))
    if not imposing or not surrogate.errors.complete:
        # a sample of the errors can judge symmetries, but not tell which errors they would exclude
        return found.settled(most), None
    level = standards.error_rate / most
    shifts = exact_shifts(found.operator, standards, level)
    stage, rows = _Stage(kind, surrogate, found.operator, shifts), shifts.rows
    if rows:
        say(f"taking {len(rows)} {'shift' if len(rows) == 1 else 'shifts'} as exact")
        sharper = shift_invariant(surrogate, shifts.variables)
        found = judge_directions(stage.operator_of(sharper), kind, standards, shifts.vectors).preceded(rows)
        stage = replace(stage, surrogate=sharper, operator=found.operator)
    estimates = simpler(surrogate)
    plain = shift_invariant(surrogate, shifts.variables, estimates)
    proposed, sizes = _lowest(stage, plain, found.vectors.shape[1])
    other = judge_directions(found.operator, kind, standards, shifts.vectors, proposed).preceded(rows)
    found = replace(other if other.count > found.count else found, poorer=poorer).settled(most)
    found = found if dimension is None else replace(found, count=dimension)
    if not found.count:
        return found, None
    say(f"refitting with {found.count} {'symmetry' if found.count == 1 else 'symmetries'} imposed")
    return found, _refitted(stage, surrogate, found, estimates, plain, proposed, sizes)


def _lowest(stage: _Stage, surrogate: Surrogate, count: int) -> tuple[Block, Float[np.ndarray, " k"]]:
    """Directions of a surrogate by their residuals alone, the shifts first, and the residuals."""
    gram = stage.operator_of(surrogate).gram
    vectors = behind(stage.shifts.vectors, scipy.linalg.eigh(gram, subset_by_index=[0, count - 1])[1])
    squares = np.einsum("mk,mn,nk->k", vectors, gram, vectors)
    return vectors, np.sqrt(np.maximum(squares, 0.0))


def _refitted(
    stage: _Stage,
    surrogate: Surrogate,
    found: Search,
    estimates: tuple[Estimate, ...],
    plain: Surrogate,
    proposed: Block,
    sizes: Float[np.ndarray, " k"],
) -> Refit | None:
    """The symmetries imposed on the rich surrogate or on the simpler one, if paths held out do not speak against it."""
    count = found.count
    refit = refit_with_symmetries(stage.surrogate, stage.operator_of, found.operator, found.vectors[:, :count])
    own = (*surrogate.drift_estimates, *surrogate.diffusion_estimates)
    conditions = deviance(surrogate, stage.surrogate)[1]
    refit, gained = _compared(surrogate, own, refit, conditions)
    if count < len(sizes) and sizes[count] > GAP * max(sizes[:count].max(), NEGLIGIBLE):
        operator = stage.operator_of(plain)
        second = refit_with_symmetries(plain, stage.operator_of, operator, proposed[:, :count])
        second, other = _compared(surrogate, estimates, second, conditions)
        if _inside(refit, second) and not other.behind(gained, CLEARLY):
            refit, gained = second, other
    return None if gained.loses(CLEARLY) else refit


def likely_refit(surrogate: Surrogate, shifted: Surrogate, refit: Refit) -> Refit | None:
    """A refit with its likelihood, unless paths held out speak against it; it began with shifts imposed already."""
    own = (*surrogate.drift_estimates, *surrogate.diffusion_estimates)
    compared, gained = _compared(surrogate, own, refit, deviance(surrogate, shifted)[1])
    return None if gained.loses(CLEARLY) else compared


def _compared(
    surrogate: Surrogate, start: tuple[Estimate, ...], refit: Refit, conditions: float
) -> tuple[Refit, HeldOut]:
    """A refit with its likelihood: how far it is from the estimates, and what paths held out gain by it.

    `conditions` is the number of those that shifts had imposed before.
    """
    gained = held_out(surrogate, start, refit.surrogate)
    cost = deviance(surrogate, refit.surrogate)[0]
    known = replace(refit, deviance=cost, degrees_of_freedom=refit.degrees_of_freedom + conditions)
    return replace(known, held_out=gained.gain, held_out_error=gained.error), gained


def _inside(refit: Refit, other: Refit) -> bool:
    """Whether the generators of one refit lie in the span of another to within its errors."""
    error = turned_by(turns_of(refit.operator, refit.vectors), refit.operator.whitening)
    outside = other.vectors - refit.vectors @ (refit.vectors.T @ other.vectors)
    return float(np.linalg.norm(outside, ord=2)) < ERRORS * max(error, LEAST_ERROR)


def _possible(dimension: Any, found: Search) -> int:
    available = found.vectors.shape[1]
    if not isinstance(dimension, int | np.integer) or isinstance(dimension, bool) or not 0 <= dimension <= available:
        raise InputError(f"The dimension must be a whole number from 0 to {available}, not {dimension!r}.")
    return int(dimension)
