"""The search on data in stages: translations, then all directions, then a refit with the symmetries imposed.

All tests use the rich surrogate with all its errors. A sparse surrogate, chosen by the marginal likelihood, only
proposes directions to test, and coefficients on which to impose the symmetries. Held-out likelihood decides which
refit is kept. See docs/method.md §6.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.linalg
from jaxtyping import Float

from liestonet.core.coefficients import EstimatedCoefficients
from liestonet.core.numbers import is_whole
from liestonet.core.progress import Progress, silent
from liestonet.core.uncertainty import Information
from liestonet.errors import InputError
from liestonet.inference.held_out import HeldOut, held_out
from liestonet.inference.refit import Imposed, deviance, refit_with_symmetries
from liestonet.inference.translation_invariance import shift_invariant
from liestonet.inference.tuning import STAGES
from liestonet.surrogate.sparse_model import sparse_model
from liestonet.surrogate.surrogate import Surrogate
from liestonet.symmetry.determining.kinds import Kind
from liestonet.symmetry.statistical.noisy_operator import NoisyOperator
from liestonet.symmetry.statistical.search import (
    Criteria,
    Once,
    Search,
    anew,
    directions_tested,
    exact_first,
    judged,
    most_symmetries,
    rivals,
    search,
)
from liestonet.symmetry.statistical.span_covariance import turned_by, turns_of
from liestonet.symmetry.statistical.translations import Shifts, exact_shifts
from liestonet.symmetry.statistical.tuning import JUDGING

Block = Float[np.ndarray, "m k"]


@dataclass(frozen=True)
class _Stage:
    """A surrogate with translations imposed, its operator, and a way to operators of others in the same basis."""

    kind: Kind
    surrogate: Surrogate
    operator: NoisyOperator
    shifts: Shifts

    def operator_of(self, changed: EstimatedCoefficients) -> NoisyOperator:
        return NoisyOperator(self.kind, changed, self.operator.basis, self.operator.cloud)


@dataclass(frozen=True)
class _Sparse:
    """The sparse model with translations imposed: its information, surrogate, directions and their residuals."""

    information: Information
    surrogate: Surrogate
    vectors: Block
    residuals: Float[np.ndarray, " k"]


@dataclass(frozen=True)
class Shifted:
    """A surrogate with the translations of some variables (0 is time) imposed."""

    surrogate: Surrogate
    variables: tuple[int, ...] = ()


def search_in_stages(
    kind: Kind, surrogate: Surrogate, criteria: Criteria, dimension: object, imposing: bool, say: Progress
) -> tuple[Search, Imposed | None, Shifted]:
    """Search; impose translations that are exact and search again; impose all symmetries and solve once more.

    Returns the search, the refit if there is one, and the surrogate with the exact translations imposed.
    """
    found, stage, sparse = _judged(kind, surrogate, criteria, dimension, imposing, say, anew)
    shifted = Shifted(stage.surrogate, stage.shifts.variables)
    if sparse is None or not found.count:
        return found, None, shifted
    if dimension is None:
        found = replace(found, rivals=rivals(found, kind, criteria, stage.shifts.vectors))
    say(f"refitting with {found.count} {'symmetry' if found.count == 1 else 'symmetries'} imposed")
    return found, _refitted(stage, surrogate, found, sparse), shifted


def ladders(
    kind: Kind, surrogate: Surrogate, tolerances: Sequence[float], error_rate: float, imposing: bool
) -> Iterator[Search]:
    """The searches on one surrogate at each of several tolerances, without a refit.

    Intervals and p-values do not depend on the tolerance, but the choice of basis and of translations taken as exact
    does. Computations that several tolerances share are done once.
    """
    kept: dict[Hashable, Any] = {}

    def once(key: Hashable, make: Callable[[], Any]) -> Any:
        if key not in kept:
            kept[key] = make()
        return kept[key]

    for tolerance in tolerances:
        yield _judged(kind, surrogate, Criteria(tolerance, error_rate), None, imposing, silent, once)[0]


def _judged(
    kind: Kind, surrogate: Surrogate, criteria: Criteria, dimension: object, imposing: bool, say: Progress, once: Once
) -> tuple[Search, _Stage, _Sparse | None]:
    """The search with exact translations imposed, its stage, and the sparse model, None if there can be no refit."""
    found = search(kind, surrogate, surrogate.suited, surrogate.overview.points, criteria, once)
    most, poorer = most_symmetries(kind, surrogate.dimension), found.poorer
    if dimension is not None:
        found = replace(found, count=_possible(dimension, found))
    if not imposing or not surrogate.errors.complete:
        # a random sample of the errors suffices to test symmetries, but not to impose them
        none = Shifts((), found.vectors[:, :0], ())
        return found.withdraw_unsettled(most), _Stage(kind, surrogate, found.operator, none), None
    shifts = exact_shifts(found.operator, criteria, criteria.error_rate / most)
    stage, rows, key = _Stage(kind, surrogate, found.operator, shifts), shifts.rows, (found.operator, shifts.variables)
    if rows:
        say(f"taking {len(rows)} {'shift' if len(rows) == 1 else 'shifts'} as exact")
        sharper = once((key, "shifted"), lambda: shift_invariant(surrogate, shifts.variables))
        beside = once(
            (key, "beside"),
            lambda: directions_tested(stage.operator_of(sharper), kind, criteria, shifts.vectors),
        )
        found = judged(beside, criteria).preceded(rows)
        stage = replace(stage, surrogate=sharper, operator=found.operator)
    sparse = once((key, "sparse"), lambda: _sparse(stage, surrogate, found.vectors.shape[1]))
    proposed = once(
        (key, "proposed"),
        lambda: directions_tested(found.operator, kind, criteria, shifts.vectors, sparse.vectors),
    )
    other = judged(proposed, criteria).preceded(rows)
    found = replace(other if other.count > found.count else found, poorer=poorer).withdraw_unsettled(most)
    return found if dimension is None else replace(found, count=dimension), stage, sparse


def _sparse(stage: _Stage, surrogate: Surrogate, count: int) -> _Sparse:
    """The sparse model of a surrogate, with directions ordered by residual after the translations."""
    information = sparse_model(surrogate)
    plain = shift_invariant(surrogate, stage.shifts.variables, information)
    gram = stage.operator_of(plain).gram
    vectors = exact_first(stage.shifts.vectors, scipy.linalg.eigh(gram, subset_by_index=[0, count - 1])[1])
    squares = np.einsum("mk,mn,nk->k", vectors, gram, vectors)
    return _Sparse(information, plain, vectors, np.sqrt(np.maximum(squares, 0.0)))


def _refitted(stage: _Stage, surrogate: Surrogate, found: Search, sparse: _Sparse) -> Imposed | None:
    """A refit of the rich or the sparse surrogate with the symmetries; None if held-out data contradict them."""
    count, sizes = found.count, sparse.residuals
    imposed = refit_with_symmetries(stage.surrogate, stage.operator_of, found.operator, found.vectors[:, :count])
    conditions = deviance(surrogate, stage.surrogate)[1]
    imposed, gained = _compared(surrogate, surrogate.information, imposed, conditions)
    if count < len(sizes) and sizes[count] > STAGES.gap * max(sizes[:count].max(), JUDGING.negligible):
        operator = stage.operator_of(sparse.surrogate)
        second = refit_with_symmetries(sparse.surrogate, stage.operator_of, operator, sparse.vectors[:, :count])
        second, other = _compared(surrogate, sparse.information, second, conditions)
        if _inside(imposed, second) and not other.loses_to(gained, STAGES.clearly):
            imposed, gained = second, other
    return None if gained.loses(STAGES.clearly) else imposed


def likely_refit(surrogate: EstimatedCoefficients, shifted: EstimatedCoefficients, imposed: Imposed) -> Imposed | None:
    """A refit with its likelihood, None if held-out data contradict it; it began with the translations imposed."""
    if surrogate.information is None:
        raise RuntimeError("the surrogate keeps no sums by parts of the data")
    compared, gained = _compared(surrogate, surrogate.information, imposed, deviance(surrogate, shifted)[1])
    return None if gained.loses(STAGES.clearly) else compared


def _compared(
    surrogate: EstimatedCoefficients, start: Information, imposed: Imposed, conditions: float
) -> tuple[Imposed, HeldOut]:
    """A refit with its deviance from the estimates, and its gain in held-out likelihood.

    `conditions` is the number of conditions that translations had imposed before.
    """
    refit = imposed.refit
    gained = held_out(surrogate, start, refit.surrogate)
    known = replace(
        refit,
        deviance=deviance(surrogate, refit.surrogate)[0],
        degrees_of_freedom=refit.degrees_of_freedom + conditions,
        held_out=gained.gain,
        held_out_error=gained.error,
    )
    return replace(imposed, refit=known), gained


def _inside(imposed: Imposed, other: Imposed) -> bool:
    """Whether the generators of one refit lie in the span of another to within its errors."""
    vectors, operator = imposed.refit.vectors, imposed.operator
    error = turned_by(turns_of(operator, vectors), operator.whitening)
    outside = other.refit.vectors - vectors @ (vectors.T @ other.refit.vectors)
    return float(np.linalg.norm(outside, ord=2)) < STAGES.errors * max(error, STAGES.least_error)


def _possible(dimension: object, found: Search) -> int:
    available = found.vectors.shape[1]
    if not is_whole(dimension) or not 0 <= dimension <= available:
        raise InputError(f"The dimension must be a whole number from 0 to {available}, not {dimension!r}.")
    return int(dimension)
