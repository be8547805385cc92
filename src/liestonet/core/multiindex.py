"""Sets of exponents or degrees in several variables: rows of non-negative integers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement
from types import MappingProxyType

import numpy as np
from jaxtyping import Int

# Two sets in one signature may differ in length, so only the number of variables has a name.
Degrees = Int[np.ndarray, "_ v"]
NO_HARMONICS: Mapping[int, int] = MappingProxyType({})


def total_degree(variables: Sequence[int], count: int, degree: int) -> Degrees:
    """All multi-indices with sum ≤ `degree` that are zero except in the chosen variables, lowest sum first."""
    rows = []
    for length in range(degree + 1):
        for choice in combinations_with_replacement(variables, length):
            rows.append(np.bincount(choice, minlength=count) if length else np.zeros(count, int))
    return np.array(rows, dtype=np.int64).reshape(-1, count)


def both_waves(orders: Degrees, periodic: Sequence[int]) -> Degrees:
    """Degrees from orders: a frequency k > 0 of a periodic variable becomes two degrees, 2k − 1 (cos) and 2k (sin)."""
    rows = orders
    for variable in periodic:
        sines, waves = rows.copy(), rows[:, variable] > 0
        sines[:, variable] *= 2
        cosines = sines[waves]
        cosines[:, variable] -= 1
        rows = np.concatenate([sines, cosines])
    return union(rows, rows[:0]) if periodic else rows


def union(first: Degrees, second: Degrees) -> Degrees:
    """All rows of both sets, each once, lowest total degree first."""
    rows = {tuple(row) for row in first.tolist()} | {tuple(row) for row in second.tolist()}
    return np.array(sorted(rows, key=lambda row: (sum(row), row)), dtype=np.int64).reshape(-1, first.shape[1])


def margin(
    degrees: Degrees, variables: Sequence[int], coupled: int, harmonics: Mapping[int, int] = NO_HARMONICS
) -> Degrees:
    """Degrees just outside a set: members raised in one variable by 1, by 2 and, if it is high, by half of it.

    Rows with more than `coupled` coordinates (time not counted) are left out. `harmonics` gives for periodic variables
    the frequency by which the equation couples waves: waves coupled to a member are also candidates.
    """
    present = {tuple(row) for row in degrees.tolist()}
    outside: dict[tuple[int, ...], None] = {}
    for row in degrees.tolist():
        active = sum(1 for degree in row[1:] if degree)
        for variable in variables:
            if variable and not row[variable] and active >= coupled:
                continue
            reach = max(2, row[variable] // 2 if row[variable] == sum(row) else 0)
            for step in range(1, reach + 1):
                moved = (*row[:variable], row[variable] + step, *row[variable + 1 :])
                if moved not in present:
                    outside[moved] = None
            for degree in _reached(row[variable], harmonics.get(variable, 0)):
                moved = (*row[:variable], degree, *row[variable + 1 :])
                if moved not in present:
                    outside[moved] = None
    return np.array(list(outside), dtype=np.int64).reshape(-1, degrees.shape[1])


def _reached(degree: int, harmonic: int) -> list[int]:
    """Cosines and sines with frequencies |k ± h|, for a wave of frequency k and a harmonic h of the equation."""
    frequency = (degree + 1) // 2
    found = {frequency + harmonic, abs(frequency - harmonic)} - {0, frequency} if harmonic else set()
    return [2 * other - sine for other in sorted(found) for sine in (1, 0)]
