"""Copies of recorded paths, each pushed as a whole by a random element of the symmetry group (docs/method.md §17.2)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from liestonet.core.domain import Domain
from liestonet.core.generators import GeneratorFunction
from liestonet.core.threads import few_threads
from liestonet.errors import InputError
from liestonet.formulas.closed_fields import estimated_fields
from liestonet.trajectories import Trajectories
from liestonet.trajectories.augmented import Augmented
from liestonet.trajectories.reshaping import ranges, whole_number
from liestonet.validation.flows import Reach, flow
from liestonet.validation.tuning import AUGMENTATION

Factors = Float[np.ndarray, "paths m"]


@few_threads
def augmented(data: object, result: object, copies: object = 8, seed: object = 0) -> Augmented:
    """The data and `copies` pushed versions of every path, in the clusters of their paths."""
    if not isinstance(data, Trajectories):
        raise InputError(f"Only Trajectories can be augmented, not a {type(data).__name__}.")
    recorded: Trajectories = getattr(data, "recorded", data)
    count = whole_number(copies, "The number of copies", 1)
    random = np.random.default_rng(whole_number(seed, "The seed", 0))
    group = _group(result, recorded)
    sizes = _sizes(group, recorded)
    kept, factors, moved = [], [], []
    for _ in range(count):
        drawn = random.standard_normal((len(recorded), group.count)) * sizes
        pushed, arrived = _pushed(group, recorded, drawn)
        kept.append(arrived)
        factors.append(drawn)
        moved.append(pushed)
    return _joined(recorded, np.stack(kept), moved, _remarks(result, np.stack(kept), sizes))


@dataclass(frozen=True)
class _Group:
    """Generators, their number, and the box that flows may not leave."""

    generators: GeneratorFunction
    count: int
    box: Domain
    margin: float


def _group(result: Any, data: Trajectories) -> _Group:
    """What a result says about flows; refuses results that cannot push these data."""
    dimension = getattr(result, "dimension", None)
    if dimension is None or not hasattr(result, "generators"):
        raise InputError(f"Paths are augmented with a result of solve or discover, not with a {type(result).__name__}.")
    if not np.isfinite(dimension) or dimension < 1:
        many = "infinitely many symmetries" if dimension else "no symmetry"
        raise InputError(f"The result has {many}, so there is no group to draw from; nothing can be augmented.")
    if result.domain.dimension != data.dimension:
        raise InputError(
            f"The result has {result.domain.dimension} coordinates and the data have {data.dimension}; both must agree."
        )
    formulas = _by_formula(result)
    if formulas is None:
        return _Group(result.generators, int(dimension), result.domain, AUGMENTATION.series_margin)
    return _Group(formulas, int(dimension), _around(result.domain, data), AUGMENTATION.formula_margin)


def _by_formula(result: Any) -> GeneratorFunction | None:
    """The generators by formulas, which go on beyond the box that they were found on; None where one has none."""
    rows = result.formulas()
    if len(rows) != result.dimension:
        return None
    if all(row.status == "proved" for row in rows):
        return result.generators
    return None if result.draw else estimated_fields(result.fields, rows, result.names)


def _around(box: Domain, data: Trajectories) -> Domain:
    """The box, widened to hold all data."""
    points = np.column_stack([data.flat_times, data.flat_states])
    lows, highs = points.min(axis=0), points.max(axis=0)
    pairs = zip(box.intervals, lows.tolist(), highs.tolist(), strict=True)
    return replace(box, intervals=tuple((min(a, low), max(b, high)) for (a, b), low, high in pairs))


def _sizes(group: _Group, data: Trajectories) -> Float[np.ndarray, " m"]:
    """How far each generator is pushed (one standard deviation): halved until flows stay inside the box.

    First one by one, so that a generator that soon leaves does not hold back the others, then all together.
    """
    random = np.random.default_rng(AUGMENTATION.trial_seed)
    some = data.take(np.sort(random.permutation(len(data))[: AUGMENTATION.trial_paths]))
    sizes = AUGMENTATION.first_move / _speeds(group, data)
    for k in range(group.count):
        only = np.eye(group.count)[k]
        sizes[k] *= _fitting(group, some, sizes * only, random)
    return sizes * _fitting(group, some, sizes, random)


def _speeds(group: _Group, data: Trajectories) -> Float[np.ndarray, " m"]:
    """Root mean square of each generator on the data, in half-widths of the box."""
    tau, xi = group.generators(data.flat_times, data.flat_states)[:2]
    fields = np.concatenate([tau[:, :, None], xi], axis=2) / group.box.half
    speeds = np.sqrt(np.mean(np.sum(fields**2, axis=2), axis=1))
    if not np.isfinite(speeds).all() or not (speeds > 0).all():
        raise InputError(
            "A generator is not finite on the data, so paths cannot be pushed; solve on a box around them."
        )
    return speeds


def _fitting(group: _Group, data: Trajectories, sizes: np.ndarray, random: np.random.Generator) -> float:
    """The factor at which enough flows stay inside, of paths that are there to begin with."""
    factor = 1.0
    there = np.tile(_pushed(group, data, np.zeros((len(data), group.count)))[1], AUGMENTATION.trials)
    for _ in range(AUGMENTATION.most_halvings):
        drawn = random.standard_normal((AUGMENTATION.trials * len(data), group.count)) * sizes * factor
        rounds = np.split(drawn, AUGMENTATION.trials)
        arrived = np.concatenate([_pushed(group, data, part)[1] for part in rounds])
        if there.any() and arrived[there].mean() > AUGMENTATION.least_arrived:
            return factor
        factor /= 2
    raise InputError(
        "Paths leave the box under every symmetry, however little they are pushed, as the data reach to its edge or "
        "beyond; solve on a wider box, domain=[(start, end), (low, high), …], time first, then each coordinate."
    )


def _pushed(group: _Group, data: Trajectories, factors: Factors) -> tuple[np.ndarray, Bool[np.ndarray, " paths"]]:
    """All points after exp(Σ ε_i X_i) with each path's own ε, and which paths arrived whole.

    The ε are further coordinates that do not move, so that all paths flow at once.
    """
    lengths, n = np.diff(data.offsets), data.dimension

    def combined(t: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        tau, xi = group.generators(t, x[:, :n])[:2]
        weights = x[:, n:].T
        along = np.einsum("mb,mbd->bd", weights, xi)
        return np.sum(weights * tau, axis=0)[None], np.concatenate([along, np.zeros_like(x[:, n:])], axis=1)[None]

    states = np.column_stack([data.flat_states, np.repeat(factors, lengths, axis=0)])
    moved = flow(combined, data.flat_times, states, 1.0, 0, Reach(group.box, group.margin))
    points = np.column_stack([moved.t, moved.x[:, :n]])
    good = moved.arrived & np.isfinite(points).all(axis=1)
    backwards = np.concatenate([[False], np.diff(moved.t) <= 0])
    backwards[data.offsets[:-1]] = False
    whole = np.logical_and.reduceat(good & ~backwards, data.offsets[:-1])
    return points, whole


def _joined(data: Trajectories, kept: np.ndarray, moved: list[np.ndarray], remarks: tuple[str, ...]) -> Augmented:
    """The recorded paths, then the copies that arrived."""
    lengths = np.diff(data.offsets)
    times, states = [data.flat_times], [data.flat_states]
    clusters, sizes = [np.arange(len(data))], [lengths]
    for arrived, points in zip(kept, moved, strict=True):
        paths = np.flatnonzero(arrived)
        if not len(paths):
            continue
        rows = ranges(data.offsets[paths], lengths[paths])
        times.append(points[rows, 0])
        states.append(points[rows, 1:])
        clusters.append(paths)
        sizes.append(lengths[paths])
    belongs = np.concatenate(clusters)
    return Augmented(
        np.concatenate(times),
        np.concatenate(states),
        np.concatenate([[0], np.cumsum(np.concatenate(sizes))]).astype(np.int64),
        data.names,
        data.units,
        data.gaps,
        (*data.remarks, *remarks),
        data.measurement,
        data.periodic,
        clusters=belongs,
        copied=np.arange(len(belongs)) >= len(data),
    )


def _remarks(result: Any, kept: np.ndarray, sizes: np.ndarray) -> tuple[str, ...]:
    made, lost = int(kept.sum()), int((~kept).sum())
    dropped = f"; {lost:,} left the box and were dropped whole" if lost else ""
    first = f"{made:,} copies were pushed by random elements of a group of {len(sizes)} generators{dropped}."
    bound = _residual_bound(result)
    if bound is None:
        return (first,)
    return (
        first,
        f"The residuals of these symmetries are below {bound:.2g} (95 % confidence). Copies can be wrong by as much, "
        "which harms a learner whose own error is smaller; use only symmetries whose residuals are below that.",
    )


def _residual_bound(result: Any) -> float | None:
    """The largest upper end of the residuals of the generators; None for those of an equation."""
    rows = list(result.ladder)[: int(result.dimension)]
    uppers = [float(row.upper) for row in rows if row.upper is not None and np.isfinite(row.upper)]
    return max(uppers) if uppers and getattr(result.surrogate, "symbolic", None) is None else None
