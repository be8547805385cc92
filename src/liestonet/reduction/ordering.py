"""The order in which generators are used: along a longest chain in which each span is an ideal of the next.

A generator remains usable after others only if it normalises their span (docs/method.md §18.4).
"""

from __future__ import annotations

from functools import cache

import numpy as np
import sympy

from liestonet.reduction.equation import Field
from liestonet.reduction.stage import Stage, numeric_rank
from liestonet.reduction.tuning import REDUCTION


def best_first(fields: list[Field], stage: Stage) -> list[Field]:
    """The fields sorted by the length of the longest chain that begins with each."""
    fields = sorted(fields, key=_length)[: REDUCTION.most_ordered]
    if len(fields) < 2:
        return fields
    lengths = _chain_lengths(fields, stage)
    return [fields[k] for k in sorted(range(len(fields)), key=lambda k: -lengths[k])]


def longest_chain(fields: list[Field], stage: Stage) -> int:
    """How many of the fields can be used one after the other."""
    fields = sorted(fields, key=_length)[: REDUCTION.most_ordered]
    return max(_chain_lengths(fields, stage), default=0)


def _chain_lengths(fields: list[Field], stage: Stage) -> list[int]:
    """For every field the length of the longest chain that begins with it."""
    brackets = _brackets(fields, stage)
    rank = {frozenset({k}): 1 for k in range(len(fields))}

    def rank_of(used: frozenset[int]) -> int:
        if used not in rank:
            rank[used] = numeric_rank([fields[k].xi for k in sorted(used)], stage.setting, REDUCTION.rank)
        return rank[used]

    @cache
    def longest(used: frozenset[int]) -> int:
        best = len(used)
        for k in range(len(fields)):
            if k in used or any(not brackets[k, u] <= used for u in used) or rank_of(used | {k}) <= len(used):
                continue
            best = max(best, longest(used | {k}))
            if best == len(stage.equation.closed):
                break
        return best

    return [longest(frozenset({k})) for k in range(len(fields))]


def _length(f: Field) -> int:
    return sum(int(sympy.count_ops(c)) + (c != 0) for c in f.xi)


def _brackets(fields: list[Field], stage: Stage) -> dict[tuple[int, int], frozenset[int]]:
    """For every pair, the fields in whose span the bracket lies; a bracket outside all gets one index too many."""
    closed, time = stage.equation.closed, stage.equation.time
    values = np.array([[stage.setting.numbers(c) for c in f.xi] for f in fields])
    flat = np.nan_to_num(values.reshape(len(fields), -1))
    sizes = np.linalg.norm(flat, axis=1)
    unit = flat / sizes[:, None]
    found: dict[tuple[int, int], frozenset[int]] = {}
    for i, first in enumerate(fields):
        for j in range(i):
            second = fields[j]
            bracket = [
                first.of(b, time, closed) - second.of(a, time, closed) for a, b in zip(first.xi, second.xi, strict=True)
            ]
            row = np.nan_to_num(np.concatenate([stage.setting.numbers(c) for c in bracket]))
            factors = np.linalg.lstsq(unit.T, row, rcond=None)[0]
            rest = np.linalg.norm(row - factors @ unit)
            size = max(np.linalg.norm(row), sizes[i] * sizes[j] * 1e-9)
            made = frozenset(np.flatnonzero(np.abs(factors) > 1e-6 * size).tolist())
            found[i, j] = found[j, i] = made if rest <= 1e-6 * size else made | {-1}
    return found
