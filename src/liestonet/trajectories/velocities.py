"""Positions of a system with inertia: the same paths with velocities computed from the positions.

The state of such a system is (x, v), and only x was recorded. `WithVelocities` is a source of increments of the pair:
the positions are those that were recorded, the velocities differences of positions over a few steps in the past. These
velocities choose the box and the functions of a fit, and serve its tests; drift and diffusion are estimated from the
positions alone (docs/method.md §4.9).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float, Int

from liestonet.errors import InputError
from liestonet.trajectories.clock import Relabelled, recorded_source
from liestonet.trajectories.increments import BLOCK_ROWS, Increments, IncrementSource
from liestonet.trajectories.measurement import Measurement, Source
from liestonet.trajectories.tuning import VELOCITIES

ONE_VELOCITY = "v"


@dataclass(frozen=True)
class RoughSizes:
    """By coordinate, the variance of the points' errors, and the variance that noise adds to a velocity in a step."""

    error: Float[np.ndarray, " n"]
    added: Float[np.ndarray, " n"]


@dataclass(frozen=True, eq=False)
class WithVelocities:
    """Increments of positions and velocities of a source of positions; velocities reach `back` steps into the past.

    If `ahead`, the displacement of a velocity is computed from later positions alone, for the start of a fit.
    """

    positions: IncrementSource
    back: int
    sizes: RoughSizes
    ahead: bool = False

    @property
    def dimension(self) -> int:
        """Number of coordinates of the state: positions and velocities."""
        return 2 * self.positions.dimension

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the positions, then of the velocities."""
        return state_names(self.positions.names)

    @property
    def periodic(self) -> Mapping[str, float]:
        """Periods of angles among the positions."""
        return self.positions.periodic

    @property
    def measurement(self) -> Measurement:
        """How the positions were recorded."""
        return self.positions.measurement

    def chunks(self, rows: int = BLOCK_ROWS) -> Iterator[Increments]:
        """All increments with enough of their path before them, in order."""
        for block in self.positions.chunks(rows):
            pairs = self._paired(block)
            if len(pairs.t):
                yield pairs

    def _paired(self, block: Increments) -> Increments:
        """The increments of a block that have `back` steps of their path before them in it."""
        count, back = len(block.t), self.back
        rows = np.arange(back, count - (VELOCITIES.ahead if self.ahead else 0))
        last = rows + (VELOCITIES.ahead if self.ahead else 0)
        rows = rows[block.trajectory[rows - back] == block.trajectory[last]] if len(rows) else rows
        moved = np.concatenate([np.zeros((1, block.dx.shape[1])), np.cumsum(block.dx, axis=0)])
        passed = np.concatenate([[0.0], np.cumsum(block.dt)])

        def velocity(first: Int[np.ndarray, " b"], last: Int[np.ndarray, " b"]) -> Float[np.ndarray, "b n"]:
            return (moved[last] - moved[first]) / (passed[last] - passed[first])[:, None]

        v = velocity(rows - back, rows)
        if self.ahead:
            change = velocity(rows + 2, rows + 3) - velocity(rows + 1, rows + 2)
            dv = change * (2 * block.dt[rows] / (passed[rows + 3] - passed[rows + 1]))[:, None]
        else:
            dv = velocity(rows + 1 - back, rows + 1) - v
        x, dx = np.column_stack([block.x[rows], v]), np.column_stack([block.dx[rows], dv])
        return Increments(block.t[rows], x, block.dt[rows], dx, block.trajectory[rows])


def with_velocities(source: IncrementSource) -> IncrementSource:
    """A source of positions with velocities added if the system has inertia (order 2); any other source unchanged."""
    measurement = source.measurement
    if measurement.order != 2 or has_velocities(source):
        return source
    if isinstance(source, Relabelled):
        return replace(source, source=with_velocities(source.source))
    if source.dimension > VELOCITIES.most_positions:
        raise InputError(
            f"With order=2 there may be at most {VELOCITIES.most_positions} positions, and these data have "
            f"{source.dimension} coordinates; choose the positions, or record velocities and give order=1."
        )
    if measurement.exposure not in (0, "auto"):
        raise InputError(
            f"An exposure of {measurement.exposure} and order=2 contradict each other: blur of positions is modelled "
            "without inertia only. Give exposure=0 if it is short compared with the time over which velocities change."
        )
    seen = _beginning(source)
    _require_no_velocities(seen, source.names)
    sizes = _rough_sizes(seen, source.names)
    ratio = np.max(sizes.error / np.maximum(sizes.added, np.finfo(float).tiny) / float(np.median(seen.dt)) ** 2)
    # the error of a velocity over k steps is 2Λ/(kΔ)² from the points and ⅓ k times what a step adds
    back = int(np.clip(round(float(12 * ratio) ** (1 / 3)), 1, VELOCITIES.most_back))
    return WithVelocities(source, back, sizes)


def require_state(source: Source, what: str) -> Source:
    """The source itself; an error if `what` needs velocities of the state that were not recorded."""
    measurement = getattr(source, "measurement", None)
    if isinstance(measurement, Measurement) and measurement.order == 2:
        raise InputError(
            f"{what} needs the whole state, and with order=2 only positions were recorded; discover, fit, validate and "
            "the test of generators take positions alone. Add velocities as coordinates, or give order=1."
        )
    return source


def velocities_of(source: IncrementSource) -> WithVelocities:
    """The source of positions and velocities inside a source with another clock."""
    inner = recorded_source(source)
    if not isinstance(inner, WithVelocities):
        raise RuntimeError("the source has no velocities")
    return inner


def has_velocities(source: IncrementSource) -> bool:
    """Whether a source has velocities computed from positions, on any clock."""
    return isinstance(recorded_source(source), WithVelocities)


def looking_ahead(source: IncrementSource) -> IncrementSource:
    """The source with displacements of velocities that share no point with the velocities."""
    ahead = replace(velocities_of(source), ahead=True)
    return replace(source, source=ahead) if isinstance(source, Relabelled) else ahead


def state_names(positions: tuple[str, ...]) -> tuple[str, ...]:
    """Names of positions, then of their velocities: v for one, v_x for several or where v is taken."""
    alone = len(positions) == 1 and ONE_VELOCITY not in positions
    velocities = (ONE_VELOCITY,) if alone else tuple(f"{ONE_VELOCITY}_{name}" for name in positions)
    return (*positions, *velocities)


def positions_among(state: tuple[str, ...]) -> tuple[str, ...]:
    """The position columns of an array of positions and velocities."""
    return state[: len(state) // 2]


def _beginning(source: IncrementSource) -> Increments:
    """The first increments of a source; all of them if they are few."""
    blocks, seen = [], 0
    for block in source.chunks():
        blocks.append(block)
        seen += len(block.t)
        if seen >= VELOCITIES.looked_at:
            break
    whole = Increments(*(np.concatenate(arrays) for arrays in zip(*blocks, strict=True))) if blocks else None
    if whole is None or _runs(whole, VELOCITIES.ahead + 1).sum() < VELOCITIES.least_runs:
        raise InputError(
            f"With order=2 velocities come from several points of a path, and fewer than {VELOCITIES.least_runs} times "
            f"do {VELOCITIES.ahead + 3} points follow each other in these data; record longer paths."
        )
    return whole


def _runs(block: Increments, steps: int) -> Bool[np.ndarray, " rows"]:
    """Which increments are followed by a given number of steps of their path."""
    return block.trajectory[:-steps] == block.trajectory[steps:]


def _rough_sizes(seen: Increments, names: tuple[str, ...]) -> RoughSizes:
    """Sizes from second differences D of positions, with q the variance that noise adds to a velocity, times Δt²:

    Cov(D, D) = ⅔q + 6Λ,  Cov(D, next) = q/6 − 4Λ,  Cov(D, next but one) = Λ.
    """
    usable = np.flatnonzero(_runs(seen, 1))
    velocity = seen.dx / seen.dt[:, None]
    both = (seen.dt[usable] + seen.dt[usable + 1]) / 2
    second = np.full((len(seen.t), len(names)), np.nan)
    second[usable] = (velocity[usable + 1] - velocity[usable]) * both[:, None]
    second = second - np.nanmedian(second, axis=0)

    def shared(lag: int) -> Float[np.ndarray, " n"]:
        return np.nanmean(second[: len(second) - lag] * second[lag:], axis=0)

    own, next_ = shared(0), shared(1)
    error = np.maximum((own - 4 * next_) / 22, 0.0)
    added = np.maximum(own + 2 * next_ + 2 * error, VELOCITIES.least_added * own)
    if not (added > 0).all():
        still = " and ".join(name for name, size in zip(names, added, strict=True) if not size > 0)
        raise InputError(f"{still} moves without any noise, so order=2 finds no diffusion of its velocity.")
    return RoughSizes(error, added / float(np.median(seen.dt)) ** 2)


def _require_no_velocities(seen: Increments, names: tuple[str, ...]) -> None:
    """Refuse a coordinate that is the velocity of another."""
    usable = np.flatnonzero(_runs(seen, 1)) + 1
    time = (seen.dt[usable - 1] + seen.dt[usable])[:, None]
    velocity = (seen.dx[usable - 1] + seen.dx[usable]) / time
    for i, position in enumerate(names):
        for j, other in enumerate(names):
            size = float(velocity[:, i] @ velocity[:, i])
            rest = velocity[:, i] - seen.x[usable, j]
            if i != j and float(rest @ rest) < VELOCITIES.is_velocity * size:
                raise InputError(
                    f"order=2 is for positions alone, and {other} is the velocity of {position}: leave {other} out, or "
                    "give order=1 to use it."
                )
