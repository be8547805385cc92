"""The paper's benchmark data, with sizes, initial laws and steps, and the kinds of symmetry compared on them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from liestonet.catalogue import catalogue
from liestonet.study.jobs import digest
from liestonet.trajectories.trajectories import Trajectories

POINTS, QUANTILES = 4000, (0.01, 0.99)  # where angles are measured
LEAST_PATHS = 16

Interval = tuple[float, float]


@dataclass(frozen=True)
class Recording:
    """The simulation of a case's data: paths that begin uniformly in `initial`, recorded every `step` for `duration`.

    With `starts`, an interval of time, every path is one increment that begins at a random time in it; `floor` gives
    lower bounds at which paths are kept, by coordinate. A call with a seed simulates; a `share` below 1 gives fewer
    paths.
    """

    system: str
    paths: int
    duration: float
    step: float
    initial: tuple[Interval, ...]
    starts: Interval | None = None
    floor: tuple[tuple[str, float], ...] = ()

    def __call__(self, seed: int, share: float = 1.0) -> Trajectories:
        """Simulate the data of a seed."""
        count = max(LEAST_PATHS, round(self.paths * share))
        initial: Any = self._begin
        start: Any = 0.0
        if self.starts is not None:
            rng = np.random.default_rng(seed)
            start = rng.uniform(*self.starts, count)
            initial = self._begin(rng, count)
        return catalogue[self.system].sde.simulate(
            initial=initial,
            duration=self.duration,
            step=self.step,
            paths=count,
            seed=seed,
            start=start,
            boundary={name: (least, None) for name, least in self.floor},
        )

    def _begin(self, rng: np.random.Generator, count: int) -> np.ndarray:
        low, high = np.array(self.initial).T
        return rng.uniform(low, high, size=(count, len(low)))


@dataclass(frozen=True)
class Case:
    """One case: a kind of symmetry, and the recording in which it is sought."""

    title: str
    symmetry: str
    data: Recording

    @property
    def system(self) -> str:
        """The catalogue's name of the system."""
        return self.data.system

    @property
    def dimension(self) -> int:
        """The number of true symmetries."""
        return int(catalogue[self.system].dimension(self.symmetry))

    @property
    def exact(self) -> Callable[..., tuple[np.ndarray, ...]]:
        """The true generators."""
        return catalogue[self.system].generators(self.symmetry)

    @property
    def described(self) -> str:
        """A digest of the equation, of the simulation of data and of the points for angles, for a job's identity."""
        return digest(repr((catalogue[self.system].equation, self.data, LEAST_PATHS, POINTS, QUANTILES)))


_AROUND = (-2.0, 2.0)
brownian = Recording("brownian", 2048, 5.0, 0.01, (_AROUND,))
linear = Recording("linear", 256_000, 0.01, 0.01, (_AROUND,), starts=(0.0, 5.0))
langevin = Recording("langevin", 2048, 2.0, 0.01, (_AROUND,) * 2)
bessel = Recording("bessel-drift", 2048, 2.0, 0.01, ((0.5, 3.0), _AROUND), floor=(("x", 0.05),))
brownian_10d = Recording("brownian-10d", 2048, 2.0, 0.01, (_AROUND,) * 10)

CASES = {
    "ex1": Case("Ex. 1", "ito", brownian),
    "ex2": Case("Ex. 2", "ito", linear),
    "ex3": Case("Ex. 3", "ito", langevin),
    "ex4": Case("Ex. 4", "ito", bessel),
    "fp": Case("Ex. 1, Fokker–Planck", "fokker-planck", brownian),
    "10d": Case("10-D Brownian motion", "ito", brownian_10d),
}
EXAMPLES = ("ex1", "ex2", "ex3", "ex4")


def central_points(data: Trajectories) -> tuple[np.ndarray, np.ndarray]:
    """4,000 random data points inside the central 98 % of each coordinate."""
    low, high = np.quantile(data.flat_states, QUANTILES, axis=0)
    inside = np.flatnonzero(((data.flat_states >= low) & (data.flat_states <= high)).all(axis=1))
    chosen = np.random.default_rng(0).choice(inside, min(POINTS, len(inside)), replace=False)
    return data.flat_times[chosen], data.flat_states[chosen]
