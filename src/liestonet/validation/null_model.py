"""Data as they would be if given generators were exact symmetries: a parametric bootstrap with the design kept.

The null model is the fit with the generators imposed. Every increment is drawn anew from its starting point, so that a
draw needs no simulation, whatever the paths look like, and the fit has the same design.
"""

from __future__ import annotations

from zlib import crc32

import numpy as np
from jaxtyping import Float

from liestonet.core.coefficients import JetOrder
from liestonet.core.domain import Domain
from liestonet.core.generators import Generators
from liestonet.inference.refit import refit_exactly
from liestonet.surrogate.surrogate import Surrogate
from liestonet.symmetry.determining.kinds import Kind
from liestonet.symmetry.statistical.search import mixed_cloud
from liestonet.trajectories import Trajectories
from liestonet.trajectories.increments import Increments
from liestonet.validation.generator_residuals import put_in
from liestonet.validation.tuning import PUSH


def stream(seed: int, purpose: str) -> np.random.Generator:
    """Random numbers for one purpose, independent of those for any other purpose or from the seed itself.

    Data may have been simulated with the same seed; draws that repeat their noise would not be independent of them.
    """
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(crc32(purpose.encode()),)))


def stream_of(data: Trajectories, purpose: str) -> np.random.Generator:
    """Random numbers specific to a recording, seeded by the signs of its increments.

    Draws for one recording are independent of those for another, and the same in all units.
    """
    return stream(crc32(np.packbits(data.increments().dx > 0).tobytes()), purpose)


def null_model(kind: Kind, surrogate: Surrogate, given: Generators) -> Surrogate:
    """The fit with the given generators imposed; unchanged where only a sample of its errors is known."""
    if not surrogate.errors.complete:
        return surrogate
    cloud = mixed_cloud(surrogate.domain, surrogate.overview.points, PUSH.null_points)
    return refit_exactly(surrogate, put_in(kind, surrogate, given, cloud, surrogate.domain).evidence())


def draw(model: Surrogate, begin: Increments, names: tuple[str, ...], rng: np.random.Generator) -> Trajectories:
    """Draw one set of data from a model: paths of two points that begin where the increments do."""
    ends = begin.x + drawn_steps(model, begin, rng)
    times = np.stack([begin.t, begin.t + begin.dt], axis=1).reshape(-1)
    states = np.stack([begin.x, ends], axis=1).reshape(-1, begin.x.shape[1])
    periodic = model.domain.named_periods(names)
    return Trajectories(times, states, np.arange(0, 2 * len(begin.t) + 1, 2), names, periodic=periodic)


def as_pairs(begin: Increments, names: tuple[str, ...], domain: Domain | None = None) -> Trajectories:
    """The recorded increments as paths of two points; the domain says which coordinates are periodic."""
    times = np.stack([begin.t, begin.t + begin.dt], axis=1).reshape(-1)
    states = np.stack([begin.x, begin.x + begin.dx], axis=1).reshape(-1, begin.x.shape[1])
    periodic = {} if domain is None else domain.named_periods(names)
    return Trajectories(times, states, np.arange(0, 2 * len(begin.t) + 1, 2), names, periodic=periodic)


def drawn_steps(model: Surrogate, begin: Increments, rng: np.random.Generator) -> Float[np.ndarray, "b n"]:
    """Increments drawn anew from their starting points; those of coordinates without noise stay as recorded."""
    steps = diffusive_steps(model, begin.t, begin.x, begin.dt, rng)
    steps[:, ~model.noisy] = begin.dx[:, ~model.noisy]
    return steps


def diffusive_steps(
    model: Surrogate,
    t: Float[np.ndarray, " b"],
    x: Float[np.ndarray, "b n"],
    dt: Float[np.ndarray, " b"],
    rng: np.random.Generator,
) -> Float[np.ndarray, "b n"]:
    """f Δt + σ ΔW with σσᵀ = a; coordinates without noise follow the drift."""
    jet = model.jet(t, x, JetOrder(drift=0, diffusion_squared=0))
    values, vectors = np.linalg.eigh(jet.diffusion_squared[()])
    root = np.sqrt(np.maximum(values, 0.0) * dt[:, None])
    noise = np.einsum("bij,bj->bi", vectors, root * rng.standard_normal(x.shape))
    return jet.drift[()] * dt[:, None] + np.where(model.noisy, noise, 0.0)
