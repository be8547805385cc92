"""Sets of exponents or degrees in several variables: rows of non-negative integers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement

import numpy as np
from jaxtyping import Int

Degrees = Int[np.ndarray, "m v"]


def total_degree(variables: Sequence[int], count: int, degree: int) -> Degrees:
    """All degrees with sum ≤ `degree` in the chosen variables out of `count`, lowest first."""
    rows = []
    for length in range(degree + 1):
        for choice in combinations_with_replacement(variables, length):
            rows.append(np.bincount(choice, minlength=count) if length else np.zeros(count, int))
    return np.array(rows, dtype=np.int64).reshape(-1, count)


def downward_closed(degrees: Degrees) -> Degrees:
    """The smallest set that contains these degrees and, with each, every lower one."""
    seen = {tuple(row) for row in degrees.tolist()}
    stack = list(seen)
    while stack:
        row = stack.pop()
        for variable, degree in enumerate(row):
            if degree:
                lower = (*row[:variable], degree - 1, *row[variable + 1 :])
                if lower not in seen:
                    seen.add(lower)
                    stack.append(lower)
    return np.array(sorted(seen, key=lambda row: (sum(row), row)), dtype=np.int64).reshape(-1, degrees.shape[1])


def margin(degrees: Degrees, variables: Sequence[int], reach: int) -> Degrees:
    """Degrees just outside a set: every member moved up by 1…reach in one of the variables."""
    present = {tuple(row) for row in degrees.tolist()}
    outside: dict[tuple[int, ...], None] = {}
    for row in degrees.tolist():
        for variable in variables:
            for step in range(1, reach + 1):
                moved = (*row[:variable], row[variable] + step, *row[variable + 1 :])
                if moved not in present:
                    outside[moved] = None
    return np.array(list(outside), dtype=np.int64).reshape(-1, degrees.shape[1])
