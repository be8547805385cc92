"""The paper's benchmark data, as sizes, initial laws and steps say, and what is compared on them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from liestonet.catalogue import catalogue
from liestonet.trajectories.trajectories import Trajectories

POINTS = 4000


@dataclass(frozen=True)
class Case:
    """A system, the kind of symmetry, and its data for a seed; `share` below 1 asks for fewer paths."""

    title: str
    system: str
    symmetry: str
    data: Callable[[int, float], Trajectories]

    @property
    def dimension(self) -> int:
        """The number of true symmetries."""
        return int(catalogue[self.system].dimension(self.symmetry))

    @property
    def exact(self) -> Callable[..., tuple[np.ndarray, ...]]:
        """The true generators."""
        return catalogue[self.system].generators(self.symmetry)


def _uniform(low: list[float], high: list[float]) -> Callable[[np.random.Generator, int], np.ndarray]:
    return lambda rng, count: rng.uniform(low, high, size=(count, len(low)))


def _count(full: int, share: float) -> int:
    return max(16, round(full * share))


def brownian(seed: int, share: float = 1.0) -> Trajectories:
    """2048 paths from U(−2, 2), T = 5, Δt = .01."""
    sde = catalogue["brownian"].sde
    return sde.simulate(initial=_uniform([-2.0], [2.0]), duration=5.0, step=0.01, paths=_count(2048, share), seed=seed)


def linear(seed: int, share: float = 1.0) -> Trajectories:
    """256,000 single increments, t ~ U(0, 5), x ~ U(−2, 2), Δt = .01."""
    count, rng = _count(256_000, share), np.random.default_rng(seed)
    start, initial = rng.uniform(0, 5, count), rng.uniform(-2, 2, (count, 1))
    sde = catalogue["linear"].sde
    return sde.simulate(initial=initial, duration=0.01, step=0.01, paths=count, seed=seed, start=start)


def langevin(seed: int, share: float = 1.0) -> Trajectories:
    """2048 paths from U(−2, 2)², T = 2, Δt = .01."""
    sde = catalogue["langevin"].sde
    return sde.simulate(
        initial=_uniform([-2.0, -2.0], [2.0, 2.0]), duration=2.0, step=0.01, paths=_count(2048, share), seed=seed
    )


def bessel(seed: int, share: float = 1.0) -> Trajectories:
    """2048 paths from U(.5, 3) × U(−2, 2), T = 2, Δt = .01, x kept above .05."""
    sde, initial = catalogue["bessel-drift"].sde, _uniform([0.5, -2.0], [3.0, 2.0])
    floor = {"x": (0.05, None)}
    return sde.simulate(initial=initial, duration=2.0, step=0.01, paths=_count(2048, share), seed=seed, boundary=floor)


def brownian_10d(seed: int, share: float = 1.0) -> Trajectories:
    """2048 paths from U(−2, 2)¹⁰, T = 2, Δt = .01."""
    sde = catalogue["brownian-10d"].sde
    initial = _uniform([-2.0] * 10, [2.0] * 10)
    return sde.simulate(initial=initial, duration=2.0, step=0.01, paths=_count(2048, share), seed=seed)


CASES = {
    "ex1": Case("Ex. 1", "brownian", "ito", brownian),
    "ex2": Case("Ex. 2", "linear", "ito", linear),
    "ex3": Case("Ex. 3", "langevin", "ito", langevin),
    "ex4": Case("Ex. 4", "bessel-drift", "ito", bessel),
    "fp": Case("Ex. 1, Fokker–Planck", "brownian", "fokker-planck", brownian),
    "10d": Case("10-D Brownian motion", "brownian-10d", "ito", brownian_10d),
}
EXAMPLES = ("ex1", "ex2", "ex3", "ex4")


def central_points(data: Trajectories) -> tuple[np.ndarray, np.ndarray]:
    """4,000 random data points inside the central 98 % of each coordinate."""
    low, high = np.quantile(data.flat_states, [0.01, 0.99], axis=0)
    inside = np.flatnonzero(((data.flat_states >= low) & (data.flat_states <= high)).all(axis=1))
    chosen = np.random.default_rng(0).choice(inside, min(POINTS, len(inside)), replace=False)
    return data.flat_times[chosen], data.flat_states[chosen]
