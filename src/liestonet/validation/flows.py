"""Finite flows Φ_ε of a generator over whole data sets: Dormand–Prince, all points at once, each with its own steps.

A point whose flow leaves the domain or blows up before ε is counted and ends as not-a-number, never as a huge number.
See docs/method.md §8.1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from functools import reduce
from typing import cast

import numpy as np
from jaxtyping import Bool, Float, Int
from numpy.typing import ArrayLike

from liestonet.core.domain import Domain
from liestonet.core.generators import GeneratorFunction
from liestonet.errors import InputError
from liestonet.symmetry.determining.fields import Fields
from liestonet.trajectories.reshaping import real_number, whole_number
from liestonet.validation.tuning import FLOW

# Points are worked on so many at a time: all stages of a piece stay in the processor's cache.
PIECE = 16_384

# Dormand and Prince (1980): stages of the fifth-order step, and its difference to the fourth-order one.
STAGES = (
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
ERROR = (71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40)

VectorField = Callable[[Float[np.ndarray, "b c"]], Float[np.ndarray, "b c"]]


class Outcome(IntEnum):
    """The outcome of a point's flow."""

    ARRIVED = 0
    LEFT = 1  # outside the domain, where the generator is not known
    BLEW_UP = 2  # infinite or undefined before ε


@dataclass(frozen=True)
class Flow:
    """Where points are after ε; not-a-number for those that did not arrive.

    `growth` is ∫β dε along the way, the logarithm of the factor of u; None without β. `steps` is the largest number of
    steps that a point took.
    """

    t: Float[np.ndarray, " b"]
    x: Float[np.ndarray, "b d"]
    growth: Float[np.ndarray, " b"] | None
    outcome: Int[np.ndarray, " b"]
    steps: int

    @property
    def arrived(self) -> Bool[np.ndarray, " b"]:
        return self.outcome == Outcome.ARRIVED

    @property
    def left(self) -> int:
        """Number of points that left the domain."""
        return int(np.count_nonzero(self.outcome == Outcome.LEFT))

    @property
    def blew_up(self) -> int:
        """Number of points whose flow does not exist up to ε."""
        return int(np.count_nonzero(self.outcome == Outcome.BLEW_UP))


@dataclass(frozen=True)
class Reach:
    """How far a flow may carry points, and how accurately.

    A point has left once it steps outside the `domain`, widened on every side by `margin` of its half-widths. The error
    of each step is below `tolerance` of the data's size.
    """

    domain: Domain | None = None
    margin: float = 0.0
    tolerance: float = FLOW.tolerance


def flow(
    generators: object,
    t: object,
    x: object,
    epsilon: object,
    index: object = 0,
    reach: Reach | None = None,
) -> Flow:
    """Φ_ε of one generator at the points t (B,), x (B, d): dt/dε = τ, dx/dε = ξ, d log u/dε = β.

    `generators` is anything that gives tau (m, B), xi (m, B, d) and perhaps beta (m, B); `index` counts from 0, or is a
    list of m factors of a combination. `reach` says how far points may go and how accurately; without it, anywhere.
    """
    reach = Reach() if reach is None else reach
    points = _points(t, x)
    amount, chosen = real_number(epsilon, "The amount ε of a flow"), one_generator(generators, index)
    with np.errstate(all="ignore"):
        has_growth = len(chosen(points[:1, 0], points[:1, 1:])) > 2
    start = np.column_stack([points, np.zeros(len(points))]) if has_growth else points
    limits = widened(reach.domain, reach.margin) if reach.domain is not None else None
    field, size = _vector_field(chosen, amount, points.shape[1]), _sizes(start)
    end, outcome, steps = np.empty_like(start), np.empty(len(start), dtype=np.int64), 0
    for first in range(0, len(start), PIECE):
        rows = slice(first, first + PIECE)
        end[rows], outcome[rows], taken = _integrate(field, start[rows], size, limits, reach.tolerance)
        steps = max(steps, taken)
    growth = end[:, -1] if has_growth else None
    return Flow(end[:, 0], end[:, 1 : points.shape[1]], growth, outcome, steps)


def one_generator(generators: object, index: object = 0) -> GeneratorFunction:
    """One generator of several, or a combination of all, as a callable with m = 1."""
    if not callable(generators):
        raise InputError(
            f"A flow needs a callable (t, x) -> tau, xi such as result.generators, not a {type(generators).__name__}."
        )
    function = cast(GeneratorFunction, generators)
    if np.ndim(cast(ArrayLike, index)) == 1:
        factors = np.asarray(index, dtype=float)
        if isinstance(generators, Fields) and len(factors) == generators.count:
            return generators.mixed(factors[:, None])
        return _combination(function, factors)
    number = whole_number(index, "The number of a generator", 0)
    if isinstance(generators, Fields):
        _check_number(number, generators.count)
        return generators.mixed(np.eye(generators.count)[:, [number]])
    return _row(function, number)


def widened(domain: Domain, margin: float) -> Float[np.ndarray, "v 2"]:
    """Ends of the domain's intervals, moved outward by a part of their half-widths, but not past a singular point.

    A periodic coordinate has no ends.
    """
    ends = np.array(domain.intervals) + margin * domain.half[:, None] * np.array([-1.0, 1.0])
    for row, (below, above) in zip(ends, domain.singular or (), strict=False):
        row[0] = row[0] if below is None else max(row[0], below)
        row[1] = row[1] if above is None else min(row[1], above)
    ends[list(domain.periodic)] = -np.inf, np.inf
    return ends


def _combination(generators: GeneratorFunction, factors: np.ndarray) -> GeneratorFunction:
    def chosen(t: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, ...]:
        parts = generators(t, x)
        _check_count(len(factors), len(parts[0]))
        return tuple(np.tensordot(factors, part, axes=1)[None] for part in parts)

    return chosen


def _row(generators: GeneratorFunction, number: int) -> GeneratorFunction:
    def chosen(t: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, ...]:
        parts = generators(t, x)
        _check_number(number, len(parts[0]))
        return tuple(part[number : number + 1] for part in parts)

    return chosen


def _check_number(number: int, count: int) -> None:
    if number >= count:
        raise InputError(f"There is no generator {number}; there are {count}, counted from 0.")


def _check_count(given: int, count: int) -> None:
    if given != count:
        raise InputError(f"A combination of {count} generators needs {count} factors, not {given}.")


def _points(t: object, x: object) -> Float[np.ndarray, "b v"]:
    """Points (t, x_1, …, x_n), finite."""
    try:
        time, state = np.asarray(t, dtype=float), np.asarray(x, dtype=float)
    except (TypeError, ValueError) as problem:
        raise InputError("The points of a flow must be arrays of numbers, t (B,) and x (B, d).") from problem
    if time.ndim != 1 or state.ndim != 2 or len(time) != len(state) or not len(time):
        raise InputError(f"The points of a flow are t (B,) and x (B, d), not {time.shape} and {state.shape}.")
    points = np.column_stack([time, state])
    if not np.isfinite(points).all():
        raise InputError("The points of a flow must be finite; leave the others out.")
    return points


def _vector_field(generators: GeneratorFunction, amount: float, variables: int) -> VectorField:
    """(τ, ξ, β)·ε as one function of (t, x, …), so that the flow runs from 0 to 1."""

    def field(points: np.ndarray) -> np.ndarray:
        parts = generators(points[:, 0], points[:, 1:variables])
        columns = [parts[0][0][:, None], parts[1][0], *(beta[0][:, None] for beta in parts[2:])]
        return amount * np.concatenate(columns, axis=1)

    return field


def _sizes(start: Float[np.ndarray, "b c"]) -> Float[np.ndarray, " c"]:
    """The data's range in every component; where they have none, the size of the value itself, or one."""
    ranges, values = np.ptp(start, axis=0), np.max(np.abs(start), axis=0)
    return np.where(ranges > 0, ranges, np.where(values > 0, values, 1.0))


def _integrate(
    field: VectorField,
    start: Float[np.ndarray, "b c"],
    size: Float[np.ndarray, " c"],
    limits: Float[np.ndarray, "v 2"] | None,
    tolerance: float,
) -> tuple[Float[np.ndarray, "b c"], Int[np.ndarray, " b"], int]:
    """End points, outcomes and the largest number of steps; points that have finished make room for others."""
    end, outcome = np.full_like(start, np.nan), np.full(len(start), int(Outcome.BLEW_UP))
    active, taken = np.arange(len(start)), 0
    with np.errstate(all="ignore"):
        place, origin, done = start, start, np.zeros(len(start))
        slope = field(place)
        step = np.minimum(1.0, FLOW.first_move / np.maximum(_worst(np.abs(slope) / size), 1e-300))
        while active.size and taken < FLOW.most_steps:
            taken += 1
            last = step >= 1 - done
            length = np.where(last, 1 - done, step)
            there, error, slope_there = _step(field, place, slope, length)
            wrong = _worst(np.abs(error) / (tolerance * (size + np.abs(there - origin))))
            wrong = np.where(np.isfinite(wrong) & np.isfinite(slope_there.sum(axis=1)), wrong, np.inf)
            good = wrong <= 1
            place, slope = np.where(good[:, None], there, place), np.where(good[:, None], slope_there, slope)
            done = np.where(good, np.where(last, 1.0, done + length), done)
            factor = FLOW.safety * np.maximum(wrong, 1e-30) ** -0.2
            step = length * np.clip(factor, FLOW.least_factor, FLOW.largest_factor)
            gone = _outside(place, limits)
            arrived = (done >= 1) & ~gone
            end[active[arrived]], outcome[active[arrived]] = place[arrived], Outcome.ARRIVED
            outcome[active[gone]] = Outcome.LEFT
            parts = (1 - done) / FLOW.most_steps if taken > FLOW.first_steps else 0.0
            least = np.maximum(FLOW.smallest_step, parts)
            running = ~(arrived | gone) & (step > least)
            if not running.all():
                active, place, origin = active[running], place[running], origin[running]
                slope, step, done = slope[running], step[running], done[running]
    return end, outcome, taken


def _step(
    field: VectorField, place: np.ndarray, slope: np.ndarray, length: Float[np.ndarray, " b"]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """One step of fifth order, with an estimate of its error and the slope at its end."""
    slopes, there = [slope], place
    for factors in STAGES:
        there = place + length[:, None] * _sum(factors, slopes)
        slopes.append(field(there))
    return there, length[:, None] * _sum(ERROR, slopes), slopes[-1]


def _worst(parts: Float[np.ndarray, "b c"]) -> Float[np.ndarray, " b"]:
    """The largest component at every point; for few columns a loop over them is faster."""
    return reduce(np.maximum, parts.T)


def _sum(factors: tuple[float, ...], slopes: list[np.ndarray]) -> np.ndarray:
    total = factors[0] * slopes[0]
    for factor, slope in zip(factors[1:], slopes[1:], strict=True):
        if factor:
            total += factor * slope
    return total


def _outside(place: Float[np.ndarray, "b c"], limits: Float[np.ndarray, "v 2"] | None) -> Bool[np.ndarray, " b"]:
    if limits is None:
        return np.zeros(len(place), dtype=bool)
    coordinates = place[:, : len(limits)]
    return np.any((coordinates < limits[:, 0]) | (coordinates > limits[:, 1]), axis=1)
