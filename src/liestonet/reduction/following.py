"""The solution formula along a given Wiener path, for comparisons path by path with a simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Bool, Float

from liestonet.errors import InputError
from liestonet.reduction.numerics import compiled, new_from_old, old_from_new
from liestonet.sde.simulation import initial_states

if TYPE_CHECKING:
    from liestonet.reduction.reduction import Reduction


def follow(made: Reduction, initial: Any, times: Any, increments: Any) -> Float[np.ndarray, "k n d"]:
    """States at all times, (paths, times, coordinates)."""
    made.require_numeric()
    formulas: Any = made.sde.symbolic
    if made.kind != "solved" or formulas is None:
        raise InputError("There is no solution formula to evaluate: the reduction is not solved.")
    if made.level != "strong" or made.equation.noise != formulas.noise:
        raise InputError("These symmetries preserve the law only, so there is no solution for a given Wiener path.")
    t, steps = np.asarray(times, dtype=float), np.asarray(increments, dtype=float)
    if t.ndim != 1 or steps.ndim != 3 or steps.shape[1:] != (len(t) - 1, formulas.noise):
        raise InputError(
            f"The increments must be (paths, {max(len(t) - 1, 0)}, {formulas.noise}): paths, steps between the times, "
            "noises."
        )
    if not (np.isfinite(t).all() and (np.diff(t) > 0).all()):
        raise InputError("The times must be finite numbers that increase, the beginning first, as in [0, 0.5, 1].")
    states = initial_states(initial, np.random.default_rng(0), len(steps), made.equation.dimension)
    require_inside(made, float(t[0]), states)
    return along(made, states, t, steps)


def along(
    made: Reduction, states: Float[np.ndarray, "k d"], t: Float[np.ndarray, " n"], steps: Float[np.ndarray, "k m r"]
) -> Float[np.ndarray, "k n d"]:
    """The states for checked input; NaN after a path has left the range of coordinates that depend on the noise."""
    formulas: Any = made.sde.symbolic
    paths = len(steps)
    _, first = new_from_old(made, np.full(paths, t[0]), states)
    symbols = (formulas.time, *formulas.state)
    grid = np.broadcast_to(t, (paths, len(t)))
    known: list[np.ndarray] = []
    for k in range(formulas.dimension):
        columns = [grid, *known, *[np.zeros_like(grid)] * (formulas.dimension - k)]
        flat = [column.reshape(-1) for column in columns]

        def values(entry: Any, flat: list[np.ndarray] = flat) -> np.ndarray:
            return compiled(entry, symbols)(*flat).reshape(paths, len(t))

        drift = values(formulas.drift[k])
        moved = (drift[:, 1:] + drift[:, :-1]) / 2 * np.diff(t)
        for j in range(formulas.noise):
            if formulas.diffusion[k, j] != 0:
                moved = moved + values(formulas.diffusion[k, j])[:, :-1] * steps[:, :, j]
        known.append(first[:, [k]] + np.concatenate([np.zeros((paths, 1)), np.cumsum(moved, axis=1)], axis=1))
    new = np.stack([column.reshape(-1) for column in known], axis=1)
    _, x = old_from_new(made, grid.reshape(-1).copy(), new)
    if made.noise_names:
        x = np.where(_until_it_leaves(made, grid, x, new)[:, None], x, np.nan)
    return x.reshape(paths, len(t), made.equation.dimension)


def _until_it_leaves(
    made: Reduction, grid: Float[np.ndarray, "k n"], x: Float[np.ndarray, "b d"], new: Float[np.ndarray, "b m"]
) -> Bool[np.ndarray, " b"]:
    """Which points precede the exit of a path: their coordinates agree with those from which they were computed."""
    noise = new[:, : len(made.noise_names)]
    _, again = new_from_old(made, grid.reshape(-1), np.column_stack([x, noise]))
    inside = np.isclose(again, new, rtol=1e-6, atol=0.0).all(axis=1)
    inside &= np.stack([space.contains(x[:, i]) for i, space in enumerate(made.spaces[1:])]).all(axis=0)
    return np.logical_and.accumulate(inside.reshape(grid.shape), axis=1).reshape(-1)


def require_inside(made: Reduction, start: float, states: np.ndarray) -> None:
    """Refuse initial values outside the part of space on which the new coordinates are defined."""
    for i, (name, space) in enumerate(zip(made.equation.names, made.spaces[1:], strict=True)):
        outside = states[~space.contains(states[:, i]), i]
        if outside.size:
            raise InputError(
                f"{name} = {outside[0]:g} is outside the state space {space.words(name)}; begin inside, or solve the "
                "equation on a domain there."
            )
    if not made.is_whole or made.flows is not None:
        return
    clock, new = new_from_old(made, np.full(len(states), start), states)
    _, back = old_from_new(made, clock, new)
    wrong = ~np.isclose(back, states, rtol=1e-6, atol=1e-9).all(axis=1)
    if wrong.any():
        shown = ", ".join(f"{n} = {v:g}" for n, v in zip(made.equation.names, states[wrong][0], strict=True))
        raise InputError(
            f"{shown} is outside the part of space on which these coordinates hold ({made.validity}); solve the "
            "equation on a domain there."
        )
