"""Separation of generators by their rates: [∂t, ·] splits an algebra that contains ∂t into parts with one rate each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float


def owners_of(functions: Sequence[Any], groups: Sequence[Sequence[Any]], t: Any) -> list[int]:
    """For every function of time and state, the number of the group of functions of time to which it belongs."""
    places = {_in_time(function, t): place for place, group in enumerate(groups) for function in group}
    return [places[_in_time(function, t)] for function in functions]


def separated(
    matrix: Float[np.ndarray, "functions m"],
    changes: Float[np.ndarray, "s functions m"],
    owners: Sequence[int],
    counts: Sequence[int],
) -> tuple[Float[np.ndarray, "functions m"], Float[np.ndarray, "s functions m"], Float[np.ndarray, "m m"]]:
    """Generators with functions of one group each, `counts` per group, their errors, and the matrix that mixes them.

    For every group the combinations with the smallest part in other groups are taken, and this part is set to zero.
    """
    parts, moved, mixing = [], [], []
    for place, count in enumerate(counts):
        own = np.array([owner == place for owner in owners])
        outside = matrix[~own]
        # the combinations with the smallest part in other groups; all of them if there are no other groups
        turn = np.linalg.svd(np.concatenate([outside, np.zeros((matrix.shape[1], matrix.shape[1]))]))[2]
        chosen = turn[matrix.shape[1] - count :].T
        parts.append(np.where(own[:, None], matrix @ chosen, 0.0))
        moved.append(np.where(own[:, None], changes @ chosen, 0.0))
        mixing.append(chosen)
    return np.concatenate(parts, axis=1), np.concatenate(moved, axis=2), np.concatenate(mixing, axis=1)


def _in_time(function: Any, t: Any) -> Any:
    """The factor of a product that contains all its dependence on time."""
    return function.as_independent(t, as_Add=False)[1]
