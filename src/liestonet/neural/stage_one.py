"""Stage 1: the surrogate whose symmetries are sought, and paths simulated from it."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
from jaxtyping import Float

from liestonet.core.ladder import LadderRow
from liestonet.core.tuning import by_dimension
from liestonet.errors import InputError
from liestonet.inference.engine import Request
from liestonet.inference.refit import refit_exactly
from liestonet.inference.translation_invariance import shift_invariant
from liestonet.neural.clouds import reflected
from liestonet.neural.coefficients.fit_coefficients import fit_coefficients
from liestonet.neural.coefficients.settings import PAPER, CoefficientSettings
from liestonet.neural.running import writing
from liestonet.neural.settings import Cloud, Neural
from liestonet.surrogate.fitted import FittedCoefficients
from liestonet.surrogate.spectral_fit import fit_spectral
from liestonet.surrogate.surrogate import Surrogate
from liestonet.symmetry.statistical.elimination import unprojected
from liestonet.symmetry.statistical.noisy_operator import NoisyOperator
from liestonet.symmetry.statistical.search import generator_basis, mixed_cloud
from liestonet.symmetry.statistical.translations import exact_shifts
from liestonet.symmetry.statistical.tuning import SEARCH
from liestonet.symmetry.statistical.verdicts import most_symmetries


def coefficient_sources(
    settings: Neural, request: Request
) -> tuple[FittedCoefficients, FittedCoefficients, tuple[LadderRow, ...]]:
    """The surrogate chosen by the settings, the same with shifts taken as exact, and the tests of the shifts.

    Both are the same if no shifts are wanted or the errors are known only by a sample.
    """
    if settings.surrogate == "spectral":
        source = fit_spectral(request.source, request.say)
    else:
        source = _learnt(settings, request)
    if not (settings.shifts and source.errors.complete):
        return source, source, ()
    return source, *_with_shifts(source, request)


def _learnt(settings: Neural, request: Request) -> FittedCoefficients:
    """Coefficients as networks, stored with the checkpoints: learning them can take longer than all later steps."""
    from liestonet.storage import read_value, save

    example = settings.surrogate.removeprefix("paper-")
    # the paper's data are of order one; other data are scaled to it
    chosen = replace(PAPER[int(example)], scale_outputs=settings.scaled) if example.isdigit() else CoefficientSettings()
    # a file that is read in pieces has no digest
    running, data = settings.running, getattr(request.source, "digest", None)
    folder = running.surrogates or running.checkpoint
    if folder is None or data is None:
        return fit_coefficients(request.source, chosen, seed=request.seed, progress=request.say)
    identity = hashlib.sha256(repr((chosen, request.seed, data)).encode()).hexdigest()[:12]
    path = Path(folder) / f"surrogate-{identity}.lsn"
    if path.exists():
        request.say("taking up the stored surrogate")
        try:
            return cast(FittedCoefficients, read_value(path))
        except InputError as problem:
            raise InputError(f"{problem} Delete it to start again.") from problem
    source = fit_coefficients(request.source, chosen, seed=request.seed, progress=request.say)
    with writing("checkpoint folder"):
        save(source, path)
    return source


def _with_shifts(source: Any, request: Request) -> tuple[Any, tuple[LadderRow, ...]]:
    """The coefficients with ∂t and translations imposed that the tests do not reject."""
    n, kind = source.dimension, request.kind
    level = by_dimension(SEARCH.levels, n)[0]
    basis = generator_basis(kind, n, source.noise, source.domain, level)
    cloud = mixed_cloud(source.domain, source.overview.points, by_dimension(SEARCH.points, n))
    operator = NoisyOperator(kind, source, basis, cloud)
    rate = request.criteria.error_rate / most_symmetries(kind, n)
    shifts = exact_shifts(operator, request.criteria, rate)
    if not shifts.rows:
        return source, ()
    request.say(f"taking {len(shifts.rows)} {'shift' if len(shifts.rows) == 1 else 'shifts'} as exact")
    if isinstance(source, Surrogate):
        return shift_invariant(source, shifts.variables), shifts.rows
    return refit_exactly(source, unprojected(operator, shifts.vectors)), shifts.rows


def simulated_paths(source: Any, settings: Cloud, paths: int, rng: np.random.Generator) -> Float[np.ndarray, "k s v"]:
    """Paths of the surrogate by Euler–Maruyama over the domain's time, from early states of the data."""
    start, stop = source.domain.intervals[0]
    step = settings.step or float(np.median(source.overview.sample.dt))
    steps = max(1, round((stop - start) / step))
    low, high = np.array(source.domain.intervals[1:]).T
    points = source.overview.points
    early = points[points[:, 0] <= np.quantile(points[:, 0], settings.starts)]
    x = early[rng.integers(len(early), size=paths), 1:]
    states = np.empty((paths, steps + 1, source.dimension + 1))
    states[:, 0] = np.column_stack([np.full(paths, start), x])
    for index in range(steps):
        now = np.full(paths, start + index * step)
        # series are not valid outside the box: the coefficients are those of the nearest point inside
        inside = np.clip(x, low, high) if settings.clip else x
        kick = np.einsum("bij,bj->bi", _root(source.diffusion_squared(now, inside)), rng.standard_normal(x.shape))
        x = x + step * source.drift(now, inside) + np.sqrt(step) * kick
        if settings.reflect:
            x = reflected(x, low, high)
        states[:, index + 1] = np.column_stack([now + step, x])
    return states


def _root(squared: Float[np.ndarray, "b n n"]) -> Float[np.ndarray, "b n n"]:
    """A symmetric root of a, also if a is singular; the law of paths depends only on a."""
    values, vectors = np.linalg.eigh(squared)
    return np.einsum("bij,bj,bkj->bik", vectors, np.sqrt(np.maximum(values, 0.0)), vectors)
