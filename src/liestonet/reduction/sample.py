"""Sampled states of a process at given times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

if TYPE_CHECKING:
    from liestonet.trajectories import Trajectories


@dataclass(frozen=True, eq=False)
class Sample:
    """States (paths, times, coordinates) at times (N,): `np.asarray(sample)`, or a path by its index.

    `exact` says that the law is that of the equation for any step; `note` describes the method. States are NaN after a
    path has left the region where the coordinates are defined.
    """

    times: Float[np.ndarray, " n"]
    states: Float[np.ndarray, "k n d"]
    names: tuple[str, ...]
    exact: bool
    note: str

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.array(self.states, dtype=dtype) if copy else np.asarray(self.states, dtype=dtype)

    def __len__(self) -> int:
        return len(self.states)

    def __getitem__(self, index: Any) -> np.ndarray:
        return self.states[index]

    @property
    def shape(self) -> tuple[int, ...]:
        """Paths, times and coordinates."""
        return self.states.shape

    def trajectories(self) -> Trajectories:
        """The sample as `Trajectories`, for two times or more; paths end where they leave the region."""
        from liestonet.trajectories import Measurement, Trajectories

        recorded = Measurement.exact(steps="continuous")
        return Trajectories.from_arrays(self.times, self.states, self.names, measurement=recorded)
