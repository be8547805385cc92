"""The symmetry search on data: directions sorted by noise, judged one after the other, in a basis that is rich enough."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from jaxtyping import Float

from liestonet.domain import Domain
from liestonet.multiindex import total_degree
from liestonet.symmetry.basis import Basis
from liestonet.symmetry.fields import Fields
from liestonet.symmetry.judging import Evidence, gather
from liestonet.symmetry.kinds import Kind
from liestonet.symmetry.noise import NoisyOperator, UncertainSource
from liestonet.symmetry.operator import Cloud, lattice_cloud

# Degrees in time and in the coordinates, richer and richer.
LEVELS = {1: [(6, 4), (9, 5), (12, 7)], 2: [(6, 3), (9, 4)], 3: [(4, 2), (6, 3)]}
LEVELS_BEYOND = [(2, 2)]
POINTS = {1: 400, 2: 500, 3: 600}
POINTS_BEYOND = 500


def generator_basis(kind: Kind, dimension: int, noise: int, domain: Domain, level: tuple[int, int]) -> Basis:
    """τ up to a degree in time; ξ and β with time and coordinates sharing theirs, affine functions of x always full."""
    time, state = level
    rows = [
        row
        for row in product(range(time + 1), *[range(state + 1)] * dimension)
        if row[0] / time + sum(row[1:]) / state <= 1 or (dimension <= 3 and sum(row[1:]) <= 1)
    ] if dimension <= 3 else total_degree(range(dimension + 1), dimension + 1, state).tolist()
    full = np.array(sorted(rows, key=lambda row: (sum(row), tuple(row))), dtype=np.int64)
    alone = total_degree([0], dimension + 1, time)
    equations = kind.equations(dimension, noise)
    degrees = tuple(alone if unknown.time_only else full for unknown in equations.unknowns)
    return Basis(domain, equations.unknown_scales(domain.half), degrees)


def mixed_cloud(domain: Domain, data: Float[np.ndarray, "rows v"], count: int) -> Cloud:
    """Half data points, half uniform on the box (MATH.md §3)."""
    chosen = np.random.default_rng(0).choice(len(data), size=min(count // 2, len(data)), replace=False)
    points = np.concatenate([data[np.sort(chosen)], lattice_cloud(domain, count // 2).points])
    return Cloud(points, np.full(len(points), 1 / len(points)))
