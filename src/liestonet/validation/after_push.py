"""The paper's finite-ε check: push paths, fit again, compare drift and diffusion with those before.

A residual needs a comparison: the floor, from a fit to paths that were not pushed, and the control, from a random
generator of equal norm. Of long recordings a random part is pushed and fitted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float

from liestonet.core.domain import Domain
from liestonet.core.generators import GeneratorFunction, Generators
from liestonet.core.points import lattice_cloud
from liestonet.errors import InputError
from liestonet.pipeline.discover import fit
from liestonet.surrogate.surrogate import Surrogate
from liestonet.surrogate.tuning import DATA
from liestonet.trajectories import Trajectories
from liestonet.validation.flows import Reach, one_generator
from liestonet.validation.generator_input import read_generators
from liestonet.validation.null_model import stream
from liestonet.validation.push import Pushed, measured_after_push, push
from liestonet.validation.push_test import random_field
from liestonet.validation.tuning import AFTER_PUSH

NO_FIT = "the flow stretched the pushed data too far to be fitted"
TOO_LITTLE = "too little of the pushed data stays where the coefficients are known"


@runtime_checkable
class KnownCoefficients(Protocol):
    """Coefficients known at points: the drift, and σ or a = σσᵀ. An equation, or another fit."""

    def drift(self, t: np.ndarray, x: np.ndarray, /) -> np.ndarray: ...


@dataclass(frozen=True)
class Misfit:
    """Mean squared errors of drift and diffusion over a box, in units of the box: (T δf/L)² and (T δa/L²)²."""

    drift: float
    diffusion: float


@dataclass(frozen=True)
class AfterPushRow:
    """One generator and ε: the residual after the push, the floor (no push) and the control (a random push).

    `left` and `blew_up` count lost points; a `note` says why there is no residual, and then all three are missing.
    """

    generator: int
    epsilon: float
    residual: Misfit | None
    floor: Misfit | None
    control: Misfit | None
    left: int = 0
    blew_up: int = 0
    note: str = ""


def after_push(
    data: Trajectories,
    generators: object,
    epsilons: Sequence[float] = AFTER_PUSH.epsilons,
    *,
    truth: KnownCoefficients | None = None,
    fresh: Trajectories | None = None,
    seed: int = 0,
    most: int = AFTER_PUSH.most_points,
    progress: Callable[[str], None] | None = None,
) -> tuple[AfterPushRow, ...]:
    """Push `fresh` paths along every generator, fit, and compare with `truth`, or with a fit if that is not given.

    `truth` is an SDE, or has drift(t, x) and diffusion_squared(t, x); with it every fit is compared on the fit's own
    box, with another fit on the common part of both boxes. Without fresh data, half of the paths are pushed and
    compared with a fit to the other half, split by `seed`. At most `most` points are pushed, and as many are used for
    the fit to compare with.
    """
    rng, say = stream(seed, "after push"), progress or (lambda message: None)
    cut = _in_pieces(data, most)
    first, second = (data, fresh) if fresh is not None else cut.split(0.5, seed)
    first, second = (_measured_alike(_some_paths(_in_pieces(paths, most), most, rng)) for paths in (first, second))
    reference = fit(first, clock="recorded")
    given = read_generators(generators, reference.names, reference.domain)
    compared = _Compared(second, truth, reference, fit(second, clock="recorded"))
    rows = []
    for k in range(given.count):
        say(f"refitting paths pushed along generator {k + 1} of {given.count}")
        wild = _equal_norm(random_field(reference.domain, rng), given, k, reference.domain)
        for epsilon in epsilons:
            rows.append(_row(k, float(epsilon), one_generator(given, k), wild, compared))
    return tuple(rows)


def _measured_alike(paths: Trajectories) -> Trajectories:
    """The paths marked like pushed ones, so that fits before and after a push use one model of the recording."""
    return replace(paths, measurement=measured_after_push(paths))


def _in_pieces(data: Trajectories, most: int) -> Trajectories:
    """The paths, cut into shorter ones if each would hold a large part of the points wanted."""
    length = max(most // AFTER_PUSH.pieces, 2)
    return data.windows(length) if np.diff(data.offsets).min() > length and data.points > most else data


def _some_paths(data: Trajectories, most: int, rng: np.random.Generator) -> Trajectories:
    """A random choice of paths with about as many points as wanted; all paths if they have no more."""
    if data.points <= most:
        return data
    order = rng.permutation(len(data))
    count = max(int(np.searchsorted(np.cumsum(np.diff(data.offsets)[order]), most)), 1)
    return data.take(np.sort(order[:count]))


@dataclass(frozen=True)
class _Compared:
    """The paths to push, the truth or reference fit for the comparison, and the fit to the paths before a push."""

    paths: Trajectories
    truth: KnownCoefficients | None
    reference: Surrogate
    floor_fit: Surrogate


def _row(
    k: int, epsilon: float, generator: GeneratorFunction, wild: GeneratorFunction, compared: _Compared
) -> AfterPushRow:
    paths, truth, reference = compared.paths, compared.truth, compared.reference
    try:
        pushed = _push(generator, paths, epsilon, reference.domain)
    except InputError as problem:
        return AfterPushRow(k, epsilon, None, None, None, note=str(problem))
    try:
        moved = fit(central_part(pushed), clock="recorded")
    except (InputError, np.linalg.LinAlgError) as problem:
        note = str(problem) if isinstance(problem, InputError) else NO_FIT
        return AfterPushRow(k, epsilon, None, None, None, pushed.left, pushed.blew_up, note)
    found = _against(moved, truth, reference)
    if found is None:
        return AfterPushRow(k, epsilon, None, None, None, pushed.left, pushed.blew_up, TOO_LITTLE)
    unpushed = compared.floor_fit
    floor = misfit(unpushed, *((truth, unpushed.domain) if truth is not None else (reference, found[1])))
    control = _control(wild, paths, epsilon, truth, reference)
    return AfterPushRow(k, epsilon, found[0], floor, control, pushed.left, pushed.blew_up)


def _push(generator: GeneratorFunction, paths: Trajectories, epsilon: float, domain: Domain) -> Pushed:
    """Push paths along the first generator by ε, with the accuracy that fits need."""
    return push(generator, paths, 0, epsilon, Reach(domain, AFTER_PUSH.margin, AFTER_PUSH.tolerance))


def _against(moved: Surrogate, truth: KnownCoefficients | None, reference: Surrogate) -> tuple[Misfit, Domain] | None:
    """The misfit of a fit to pushed paths: to truth on the fit's box, to another fit on the common box."""
    box = moved.domain if truth is not None else overlap(reference.domain, moved.domain)
    return None if box is None else (misfit(moved, reference if truth is None else truth, box), box)


def _control(
    wild: GeneratorFunction, paths: Trajectories, epsilon: float, truth: KnownCoefficients | None, reference: Surrogate
) -> Misfit | None:
    """The residual after a random push, which is shortened where the random flow does not reach ε."""
    for part in AFTER_PUSH.control_parts:
        try:
            pushed = _push(wild, paths, part * epsilon, reference.domain)
            moved = fit(central_part(pushed), clock="recorded")
        except (InputError, np.linalg.LinAlgError):
            continue
        found = _against(moved, truth, reference)
        if found is not None:
            return found[0]
    return None


def misfit(found: KnownCoefficients, source: KnownCoefficients, box: Domain) -> Misfit:
    """Mean squares over a box of the differences between two sources of coefficients."""
    points = lattice_cloud(box, AFTER_PUSH.points).points
    t, x = points[:, 0], points[:, 1:]
    duration, lengths = box.half[0], box.half[1:]
    drift = (_drift(found, t, x) - _drift(source, t, x)) * duration / lengths
    squared = (_squared(found, t, x) - _squared(source, t, x)) * duration / np.outer(lengths, lengths)
    return Misfit(float(np.mean(np.sum(drift**2, axis=1))), float(np.mean(np.sum(squared**2, axis=(1, 2)))))


def overlap(first: Domain, second: Domain) -> Domain | None:
    """The common part of two boxes; None where it is too small."""
    pairs = []
    for (a, b), (c, d) in zip(first.intervals, second.intervals, strict=True):
        low, high = max(a, c), min(b, d)
        if high - low < AFTER_PUSH.overlap * min(b - a, d - c):
            return None
        pairs.append((low, high))
    return Domain(tuple(pairs), periodic=first.periodic)


def central_part(paths: Trajectories) -> Trajectories:
    """The paths cut at points that a flow threw far out, which would enlarge the box and leave it nearly empty."""
    low, high = np.quantile(paths.flat_states, [DATA.tail, 1 - DATA.tail], axis=0)
    reach = AFTER_PUSH.far * (high - low) + np.finfo(float).tiny
    # an angle is nowhere far
    reach[[name in paths.periodic for name in paths.names]] = np.inf
    far = ((paths.flat_states < low - reach) | (paths.flat_states > high + reach)).any(axis=1)
    if not far.any():
        return paths
    times, states = np.array(paths.flat_times), np.array(paths.flat_states)
    states[far] = np.nan
    cuts = paths.offsets[1:-1]
    cut = Trajectories.from_arrays(np.split(times, cuts), np.split(states, cuts), paths.names)
    return replace(cut, periodic=paths.periodic, measurement=paths.measurement)


def _drift(source: KnownCoefficients, t: np.ndarray, x: np.ndarray) -> Float[np.ndarray, "b n"]:
    return np.asarray(source.drift(t, x), dtype=float)


def _squared(source: KnownCoefficients, t: np.ndarray, x: np.ndarray) -> Float[np.ndarray, "b n n"]:
    """a of a surrogate, or σσᵀ of an equation."""
    coefficients: Any = source
    if hasattr(source, "diffusion_squared"):
        return np.asarray(coefficients.diffusion_squared(t, x), dtype=float)
    sigma = np.asarray(coefficients.diffusion(t, x), dtype=float)
    return sigma @ np.swapaxes(sigma, 1, 2)


def _equal_norm(field: GeneratorFunction, given: Generators, k: int, domain: Domain) -> GeneratorFunction:
    """A random field scaled to the length of a generator on the box (docs/method.md §3.1)."""
    points = lattice_cloud(domain, AFTER_PUSH.points).points

    def length(tau: np.ndarray, xi: np.ndarray) -> float:
        squares = (tau / domain.half[0]) ** 2 + np.sum((xi / domain.half[1:]) ** 2, axis=1)
        return float(np.sqrt(np.mean(squares)))

    tau, xi, *_ = given(points[:, 0], points[:, 1:])
    own, (other_tau, other_xi) = length(tau[k], xi[k]), field(points[:, 0], points[:, 1:])[:2]
    factor = own / length(other_tau[0], other_xi[0])
    return lambda t, x: tuple(factor * part for part in field(t, x))
