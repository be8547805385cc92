"""Recorded paths with copies pushed by symmetries: data for learners that do not know the symmetry.

A copy has the noise of its path, so it is not a new observation. Every path carries the index of the recorded path it
comes from (its cluster), paths are split by cluster, and everything that estimates errors uses the recorded paths
alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

import numpy as np
from jaxtyping import Bool, Int

from liestonet.errors import InputError
from liestonet.trajectories import reshaping
from liestonet.trajectories.trajectories import FilePath, Trajectories


@dataclass(frozen=True, eq=False, repr=False)
class Augmented(Trajectories):
    """Trajectories with copies: `clusters` is the recorded path of each path, `copied` says which are copies."""

    clusters: Int[np.ndarray, " k"] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    copied: Bool[np.ndarray, " k"] = field(default_factory=lambda: np.zeros(0, dtype=bool))

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.clusters) != len(self.offsets) - 1 or len(self.copied) != len(self.clusters):
            raise InputError(
                "Augmented paths were cut, so that copies no longer belong to their paths; change the recorded paths, "
                "then augment them."
            )

    @property
    def recorded(self) -> Trajectories:
        """The recorded paths without the copies: all that errors and p-values may be computed from."""
        count = int(self.copied.sum())
        remark = f"{count:,} augmented copies were left out: they are not new observations."
        alone = reshaping.take(self._plain(), np.flatnonzero(~self.copied))
        return replace(alone, remarks=(*self.remarks, remark))

    def take(self, indices: object) -> Augmented:
        """The paths with these indices, in this order, each with its cluster."""
        chosen = reshaping.take(self._plain(), indices)
        rows = np.arange(len(self.clusters))[np.asarray(indices)]
        return self._with(chosen, np.atleast_1d(rows))

    def split(self, fraction: object, seed: object = 0) -> tuple[Trajectories, Trajectories]:
        """A random fraction of the recorded paths with their copies, and the rest; copies stay with their paths."""
        first, _ = reshaping.split_paths(self.take(np.flatnonzero(~self.copied))._numbered(), fraction, seed)
        inside = np.isin(self.clusters, first.flat_states[:, 0].astype(np.int64))
        return self.take(np.flatnonzero(inside)), self.take(np.flatnonzero(~inside))

    def windows(self, n: object, stride: object = None, *, restart: object = False) -> NoReturn:
        """Refused: windows are cut before paths are augmented."""
        raise InputError("Cut windows of the recorded paths first, then augment them: data.windows(…).augmented(…).")

    def write(self, path: FilePath) -> NoReturn:
        """Refused: a file does not say which paths are copies."""
        raise InputError(
            "A file does not say which paths are copies, and they would count as observations when it is read; write "
            "data.recorded, and give a learner the arrays data.times and data.states."
        )

    def _plain(self) -> Trajectories:
        made = (self.flat_times, self.flat_states, self.offsets, self.names, self.units, self.gaps, self.remarks)
        return Trajectories(*made, measurement=self.measurement, periodic=self.periodic)

    def _numbered(self) -> Trajectories:
        """Paths of two points whose states are the clusters; a split of whole paths is drawn with them."""
        count = len(self.clusters)
        states = np.repeat(self.clusters.astype(float), 2)[:, None]
        return Trajectories(np.tile([0.0, 1.0], count), states, 2 * np.arange(count + 1), ("cluster",))

    def _with(self, data: Trajectories, rows: np.ndarray) -> Augmented:
        values = {name: getattr(data, name) for name in Trajectories.__dataclass_fields__}
        return Augmented(**values, clusters=self.clusters[rows], copied=self.copied[rows])

    def __reduce__(self) -> tuple[Any, ...]:
        kind, made = super().__reduce__()
        return kind, (*made, self.clusters, self.copied)
