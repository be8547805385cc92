"""The solution formula along a given Wiener path, for comparisons path by path with a simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

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
        raise InputError("There is no solution formula to follow: the reduction is not solved.")
    if made.level != "strong" or made.equation.noise != formulas.noise:
        raise InputError("These symmetries keep the law only, so that the solution is none of the given Wiener path.")
    t, steps = np.asarray(times, dtype=float), np.asarray(increments, dtype=float)
    if t.ndim != 1 or steps.ndim != 3 or steps.shape[1:] != (len(t) - 1, formulas.noise):
        raise InputError(
            f"The increments must be (paths, {max(len(t) - 1, 0)}, {formulas.noise}): paths, steps between the times, "
            "noises."
        )
    paths = len(steps)
    states = initial_states(initial, np.random.default_rng(0), paths, made.equation.dimension)
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
    return x.reshape(paths, len(t), made.equation.dimension)
