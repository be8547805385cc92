"""Steps too long for any diffusion, found in the raw data: gross errors and codes for missing values such as −999."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float, Int

from liestonet.surrogate.tuning import DATA
from liestonet.trajectories.block_sums import Place
from liestonet.trajectories.increments import Increments


@dataclass(frozen=True)
class Outlier:
    """The worst point: its path, its row there (from 0), time, coordinate and value, and the number of such steps."""

    trajectory: int
    row: int
    time: float
    name: str
    value: float
    factor: float
    steps: int

    def __str__(self) -> str:
        return f"trajectory {self.trajectory}, row {self.row} (t = {self.time:.6g}) has {self.name} = {self.value:.6g}"


class OutlierSearch:
    """Searches the blocks of a source one after another; keeps the worst point and the number of such steps."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names
        self.worst: Outlier | None = None

    def look_at(self, block: Increments, place: Place) -> None:
        """Search the steps of one block, given its place in the source."""
        # a long step may be drift, a short one an error of reading: neither is held against a coordinate
        steps = block.dx / np.maximum(block.dt, np.median(block.dt))[:, None]
        for column in range(steps.shape[1]) if len(steps) >= DATA.least_steps else ():
            rows, factors = far_steps(steps[:, column], block.trajectory)
            if len(rows):
                worst = int(np.argmax(factors))
                self._keep(self._outlier(block, place, column, int(rows[worst]), float(factors[worst]), len(rows)))

    def join(self, later: OutlierSearch) -> None:
        """Add the result of a search through the blocks that come next."""
        if later.worst is not None:
            self._keep(later.worst)

    def _keep(self, found: Outlier) -> None:
        known = self.worst
        if known is None:
            self.worst = found
            return
        worse = found if found.factor > known.factor else known
        self.worst = replace(worse, steps=found.steps + known.steps)

    def _outlier(self, block: Increments, place: Place, column: int, step: int, factor: float, count: int) -> Outlier:
        """The end of a step that is farther from the median of its path."""
        path = int(block.trajectory[step])
        own = np.flatnonzero(block.trajectory == path)
        ends = block.x[step, column], block.x[step, column] + block.dx[step, column]
        middle = np.median(block.x[own, column])
        after = bool(abs(ends[1] - middle) > abs(ends[0] - middle))
        row = step - int(own[0]) + after + (place.steps if path == place.path else 0)
        time = float(block.t[step] + after * block.dt[step])
        return Outlier(path, row, time, self.names[column], float(ends[after]), factor, count)


def far_steps(
    steps: Float[np.ndarray, " b"], trajectory: Int[np.ndarray, " b"]
) -> tuple[Int[np.ndarray, " far"], Float[np.ndarray, " far"]]:
    """Rows of steps that are far too long, and their lengths over the usual one of the block or nearby (the larger)."""
    sizes = np.abs(steps)
    moving = sizes[sizes > 0]
    usual = float(np.median(moving)) if len(moving) else np.inf
    rows = np.flatnonzero(sizes > DATA.outlier_factor * usual)
    if len(rows) > DATA.longest_steps:
        rows = np.sort(rows[np.argsort(-sizes[rows])[: DATA.longest_steps]])
    known, nearby = _beside(sizes, trajectory, rows)
    rows = rows[known]
    factors = sizes[rows] / np.maximum(nearby[known], usual)
    rows, factors = rows[factors > DATA.outlier_factor], factors[factors > DATA.outlier_factor]
    wrong = (factors > DATA.lone_outlier_factor) | _returns(steps, trajectory, rows)
    return rows[wrong], factors[wrong]


def _beside(
    sizes: Float[np.ndarray, " b"], trajectory: Int[np.ndarray, " b"], rows: Int[np.ndarray, " far"]
) -> tuple[Bool[np.ndarray, " far"], Float[np.ndarray, " far"]]:
    """Which rows have enough neighbouring steps in their path, and the median size of those neighbours."""
    places = rows[:, None] + np.array([*range(-DATA.beside, -1), *range(2, DATA.beside + 1)])
    inside = (places >= 0) & (places < len(sizes))
    places = np.clip(places, 0, len(sizes) - 1)
    same = inside & (trajectory[places] == trajectory[rows, None])
    known = same.sum(axis=1) >= DATA.least_beside
    middle = np.zeros(len(rows))
    if known.any():
        middle[known] = np.nanmedian(np.where(same, sizes[places], np.nan)[known], axis=1)
    return known, middle


def _returns(
    steps: Float[np.ndarray, " b"], trajectory: Int[np.ndarray, " b"], rows: Int[np.ndarray, " far"]
) -> Bool[np.ndarray, " far"]:
    """Which long steps are undone by another soon after, or undo one: together they hardly move the path."""
    first, second = steps[rows[:-1]], steps[rows[1:]]
    near = (np.diff(rows) <= DATA.beside) & (np.diff(trajectory[rows]) == 0)
    undone = near & (np.abs(first + second) < DATA.leads_nowhere * np.maximum(np.abs(first), np.abs(second)))
    result = np.zeros(len(rows), dtype=bool)
    result[:-1] |= undone
    result[1:] |= undone
    return result
