"""Whole paths pushed along a generator: trajectories with new, non-uniform steps, and counts of lost points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from liestonet.errors import InputError
from liestonet.trajectories import Trajectories
from liestonet.trajectories.measurement import Measurement
from liestonet.trajectories.reshaping import real_number
from liestonet.validation.flows import Outcome, Reach, flow


@dataclass(frozen=True, eq=False, repr=False)
class Pushed(Trajectories):
    """Trajectories after a flow, with the number of points that did not arrive: paths are split there."""

    left: int = 0
    blew_up: int = 0

    def __reduce__(self) -> tuple[object, ...]:
        arrays = (self.flat_times, self.flat_states, self.offsets)
        mine = (self.measurement, dict(self.periodic), self.left, self.blew_up)
        return type(self), (*arrays, self.names, dict(self.units), self.gaps, self.remarks, *mine)


def push(
    generators: object,
    data: object,
    index: object,
    epsilon: object,
    reach: Reach | None = None,
) -> Pushed:
    """Every point of the data moved by Φ_ε of one generator; steps are those of the flow, Δt̃ ≠ Δt.

    See `flow` for `index` and `reach`. Points that left the domain or blew up are left out and
    split their paths.
    """
    if not isinstance(data, Trajectories):
        raise InputError(f"Only Trajectories can be pushed, not a {type(data).__name__}.")
    moved = flow(generators, data.flat_times, data.flat_states, epsilon, index, reach)
    amount = real_number(epsilon, "The amount ε of a flow")
    starts = np.zeros(data.points, dtype=bool)
    starts[data.offsets[:-1]] = True
    # time steps that shrank below rounding are as lost as those of a flow that ends
    collapsed = moved.arrived & _collapsed(moved.t, starts)
    kept = moved.arrived & ~collapsed
    offsets = _runs(kept, starts)
    if not kept.any() or np.diff(offsets).max() < 2:
        raise InputError(
            f"No two neighbouring points of a path are left after a push by {amount:g} ({moved.left:,} of "
            f"{data.points:,} points leave the domain, {moved.blew_up:,} blow up); push less far."
        )
    blew_up = int(np.count_nonzero((moved.outcome == Outcome.BLEW_UP) | collapsed))
    return Pushed(
        moved.t[kept],
        moved.x[kept],
        offsets,
        data.names,
        data.units,
        data.gaps,
        (*data.remarks, _remark(amount, moved.left, blew_up)),
        measurement=measured_after_push(data),
        periodic=data.periodic,
        left=moved.left,
        blew_up=blew_up,
    )


def measured_after_push(data: Trajectories) -> Measurement:
    """How pushed points count as measured: without error if the recorded ones are; other sizes of errors are unknown.

    A flow bends straight steps, so that Euler steps are Euler steps no longer.
    """
    return data.measurement.transformed({name: (name, None) for name in data.names}, data.names)


def _collapsed(times: Float[np.ndarray, " n"], starts: Bool[np.ndarray, " n"]) -> Bool[np.ndarray, " n"]:
    """Which points are not later than the one before them in the same path."""
    found = np.zeros(len(times), dtype=bool)
    found[1:] = (np.diff(times) <= 0) & ~starts[1:]
    return found


def _runs(kept: Bool[np.ndarray, " n"], starts: Bool[np.ndarray, " n"]) -> Int[np.ndarray, " runs_and_one"]:
    """Offsets of runs of kept points: a run begins at the start of a path and after every lost point."""
    fresh = kept & (starts | ~np.concatenate([[False], kept[:-1]]))
    number = np.cumsum(fresh)[kept]
    return np.concatenate([[0], np.flatnonzero(np.diff(number)) + 1, [len(number)]]).astype(np.int64)


def _remark(epsilon: float, left: int, blew_up: int) -> str:
    lost = f"; {left:,} points left the domain and {blew_up:,} blew up" if left or blew_up else ""
    return f"Pushed along a generator by {epsilon:g}{lost}."
