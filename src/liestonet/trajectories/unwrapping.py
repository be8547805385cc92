"""Angles and phases: values that jump at the end of a turn are made continuous, so that no step crosses a seam."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float, Int

from liestonet.errors import InputError
from liestonet.trajectories.increments import Increments
from liestonet.trajectories.tuning import SEAMS

if TYPE_CHECKING:
    from liestonet.trajectories.trajectories import Trajectories

TURNS = {"2pi": 2 * math.pi, "360": 360.0}
UNITS = {"rad": "2pi", "radian": "2pi", "radians": "2pi", "deg": "360", "degree": "360", "degrees": "360", "°": "360"}
ANGLES = ("theta", "phi", "psi", "angle", "phase", "heading", "orientation", "azimuth", "direction")


def unwrap(
    states: Float[np.ndarray, "n d"], offsets: Int[np.ndarray, " k"], names: Sequence[str], periods: Mapping[str, float]
) -> tuple[Float[np.ndarray, "n d"], tuple[str, ...]]:
    """The paths with every periodic coordinate unwrapped, and remarks on its steps.

    Values that stay within one turn are wrapped: each step is the shortest that leads there. Values that leave it were
    unwrapped already, and keep their steps; if all the long ones are a turn too long, they are taken as steps over a
    seam.
    """
    result, remarks = states.copy(), []
    inside = np.ones(max(len(states) - 1, 0), dtype=bool)
    inside[offsets[1:-1] - 1] = False
    for name, period in periods.items():
        column = list(names).index(name)
        values = states[:, column]
        steps = np.where(inside, np.diff(values), 0.0)
        turns = np.round(steps / period)
        shortest = np.abs(steps - period * turns)[inside]
        wound = bool(np.ptp(values) > period * (1 + SEAMS.rounding))
        if wound:
            _refuse_other_turn(name, period, values, np.abs(steps)[inside])
        own = wound and bool((shortest > SEAMS.long * period).any())
        _require_short(name, period, np.abs(steps)[inside] if own else shortest, own)
        crossed = int(np.count_nonzero(turns[inside]))
        if own or not crossed:
            continue
        far = int(np.count_nonzero(shortest > SEAMS.long * period))
        if far:
            remarks.append(
                f"{far} of {len(shortest)} steps of {name} are longer than a quarter of its period {period:.6g}: which "
                "way round they went is a guess. Record more often, or give values that are not wrapped."
            )
        if wound:
            remarks.append(
                f"{crossed} {'step' if crossed == 1 else 'steps'} of {name} are longer than half its period "
                f"{period:.6g} and were taken as steps over the end of a turn."
            )
        # whole turns only are added, so that what lies between two of them is as it was recorded
        shift = np.concatenate([[0.0], -np.cumsum(turns * inside)])
        starts = np.repeat(shift[offsets[:-1]], np.diff(offsets))
        result[:, column] = values + period * (shift - starts)
    return result, tuple(remarks)


def _refuse_other_turn(
    name: str, period: float, values: Float[np.ndarray, " n"], steps: Float[np.ndarray, " m"]
) -> None:
    """Refuse values that exceed the period but jump across all of their range: they are wrapped at another one."""
    extent = float(np.ptp(values))
    if extent > SEAMS.other_turn * period and _jumps(steps, extent)[1]:
        raise InputError(
            f"Values of {name} go from {values.min():.4g} to {values.max():.4g} and jump across that range, so they "
            f"are wrapped at about {extent:.4g}, not at the period {period:.6g}; give the period of the wrapping."
        )


def _jumps(sizes: Float[np.ndarray, " m"], turn: float) -> tuple[int, bool]:
    """Number of steps that jump across a turn, and whether they are certain: several, and clearly apart."""
    jumps, short = np.count_nonzero(sizes > SEAMS.jump * turn), np.count_nonzero(sizes < SEAMS.long * turn)
    between = len(sizes) - jumps - short
    return int(jumps), bool(jumps >= SEAMS.least_jumps and between <= SEAMS.between * jumps)


def _require_short(name: str, period: float, steps: Float[np.ndarray, " m"], unwrapped: bool) -> None:
    """Refuse steps that are large parts of a turn: they are ambiguous if wrapped, and too coarse otherwise."""
    limit, part = (SEAMS.longest, 0.5) if unwrapped else (SEAMS.long, SEAMS.most_long)
    if len(steps) and np.mean(steps > limit * period) > part:
        raise InputError(
            f"The period of {name}, {period:.6g}, is too short for its steps, of which {100 * part:g} % and more are "
            f"longer than {limit:g} of it; check the period and its unit, or record more often."
        )


@dataclass(frozen=True)
class Turn:
    """A turn that the values of a coordinate fill and stay in, as text and as a number.

    `jumps` says that steps lead across its seam, and `certain` that almost no steps have lengths between these and
    short ones, which no diffusion produces.
    """

    text: str
    period: float
    jumps: bool
    certain: bool

    @property
    def in_python(self) -> str:
        """The period as an expression in Python."""
        return "2 * math.pi" if self.text == "2pi" else self.text


def turn_of(values: Float[np.ndarray, " n"], steps: Float[np.ndarray, " m"]) -> Turn | None:
    """The turn, from 0 or around 0, in radians or degrees; `steps` are those within paths."""
    low, high, sizes = float(values.min()), float(values.max()), np.abs(steps)
    for text, turn in TURNS.items():
        edge = SEAMS.rounding * turn
        inside = (low >= -edge and high <= turn + edge) or (low >= -turn / 2 - edge and high <= turn / 2 + edge)
        if inside and high - low >= SEAMS.filled * turn:
            jumps, certain = _jumps(sizes, turn)
            return Turn(text, turn, jumps > 0, certain)
    return None


def called_angle(name: str) -> bool:
    """Whether a coordinate has a usual name for angles."""
    return name.lower() in ANGLES or any(name.lower().endswith(f"_{word}") for word in ANGLES)


@dataclass(frozen=True)
class Winding:
    """An angle that is driven round: the turn of its unit, and through how many turns its values go."""

    text: str
    period: float
    turns: float
    in_its_unit: bool  # whether the data name the unit, or only the coordinate's name is that of an angle


def winding(
    name: str, unit: str | None, paths: Sequence[Float[np.ndarray, " _"]], steps: Float[np.ndarray, " m"]
) -> Winding | None:
    """Whether a coordinate that is an angle by its unit or name goes round and round, mostly in one direction.

    An ordinary coordinate in a confining force comes back, and diffusion alone turns back as often as not.
    """
    known = UNITS.get((unit or "").lower())
    if known is None and (unit is not None or not called_angle(name)):
        return None
    ranges = np.array([float(np.ptp(path)) for path in paths])
    ways = np.array([abs(float(path[-1] - path[0])) for path in paths])
    if not ranges.size or ways.sum() < SEAMS.driven * ranges.sum():
        return None
    for text, turn in TURNS.items():
        enough = ranges.max() >= SEAMS.turns * turn and np.mean(steps > SEAMS.long * turn) <= SEAMS.most_long
        if enough and known in (None, text):
            return Winding(text, turn, float(ranges.max() / turn), known is not None)
    return None


def with_certain_turns(data: Trajectories) -> Trajectories:
    """The data with periods for coordinates that certainly jump across the seam of a turn; notes mention them."""
    found: dict[str, float] = {}
    said = []
    steps = np.abs(np.diff(data.flat_states, axis=0))
    within = np.ones(len(steps), dtype=bool)
    within[data.offsets[1:-1] - 1] = False
    for column, name in enumerate(data.names):
        if name in data.periodic or not len(steps):
            continue
        values = data.flat_states[:, column]
        turn = turn_of(values, steps[within, column])
        wound = winding(name, data.units.get(name), np.split(values, data.offsets[1:-1]), steps[within, column])
        if turn is not None and turn.certain:
            text, why = turn.text, "stay within one turn and jump across it"
        elif wound is not None and wound.in_its_unit:
            text, why = wound.text, f"wind through {wound.turns:.3g} turns"
        else:
            continue
        found[name] = TURNS[text]
        said.append(
            f"Values of {name} {why}, so they are an angle: --periodic {shlex.quote(f'{name}={text}')} "
            "(--periodic none takes them as they are)."
        )
    if not found:
        return data
    turned = data.with_periods(found)
    return replace(turned, remarks=(*turned.remarks, *said))


def wrap_increments(block: Increments, names: Sequence[str], periods: Mapping[str, float]) -> Increments:
    """The increments with each start moved into the turn from 0 to the period; displacements are unchanged."""
    if not periods:
        return block
    x = block.x.copy()
    for name, period in periods.items():
        column = list(names).index(name)
        x[:, column] %= period
    return block._replace(x=x)


def shortest_steps(block: Increments, names: Sequence[str], periods: Mapping[str, float]) -> Increments:
    """The increments with every displacement replaced by the shortest equivalent one, for use piece by piece."""
    if not periods:
        return block
    dx = block.dx.copy()
    for name, period in periods.items():
        column = list(names).index(name)
        dx[:, column] -= period * np.round(dx[:, column] / period)
        _require_short(name, period, np.abs(dx[:, column]), False)
    return wrap_increments(block._replace(dx=dx), names, periods)
