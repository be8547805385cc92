"""Drift and diffusion of the pair (x, v) from positions x alone.

Gauss–Newton on the likelihood of the filter for positions (`inertial_filter.py`). The drift of a position is its
velocity, so only the drift of the velocity, the diffusion and the errors of the points are estimated. See
docs/method.md §4.9.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from liestonet.core.coefficients import JetOrder
from liestonet.core.progress import Progress
from liestonet.core.uncertainty import Block, Errors, Folds, inverse
from liestonet.errors import InputError
from liestonet.surrogate.covariance import compressed, positive_root
from liestonet.surrogate.error_directions import resolved_errors
from liestonet.surrogate.filter import Sums, matrices
from liestonet.surrogate.inertial_filter import (
    InertialModel,
    followed,
    inertial_model,
    inertial_segments,
    inertial_segments_in,
)
from liestonet.surrogate.newton import bounded_step, evident_prior
from liestonet.surrogate.overview import look_over
from liestonet.surrogate.recording_errors import Level, RecordingErrors
from liestonet.surrogate.regression import Estimate
from liestonet.surrogate.surrogate import Surrogate
from liestonet.surrogate.tuning import INERTIA, RECORDING
from liestonet.trajectories.increments import BLOCK_ROWS, Increments, IncrementSource
from liestonet.trajectories.measurement import Measurement
from liestonet.trajectories.velocities import velocities_of


@dataclass(frozen=True)
class _Round:
    """The state of the iteration: parameters of F and a, Λ, the prior variances, and the last step."""

    parameters: Float[np.ndarray, " p"]
    error: Float[np.ndarray, " n"]
    prior: Float[np.ndarray, " p"]
    step: Float[np.ndarray, " q"] | None = None


class _InertialFit:
    """The fit of one source of positions; it starts from a fit to differences of positions."""

    def __init__(self, start: Surrogate, source: IncrementSource) -> None:
        self.start, self.source = start, source
        self.measurement: Measurement = source.measurement
        self.n = start.dimension // 2
        self.features = start.drift_estimates[0].features
        self.own: tuple[Estimate, ...] = (*start.drift_estimates[self.n :], *start.diffusion_estimates)
        degrees = self.features.degrees
        linear = (degrees[:, 0] == 0) & (degrees[:, 1:].sum(axis=1) <= 1)
        constant = degrees.sum(axis=1) == 0
        self.simple = np.concatenate([linear if len(e.entry) == 1 else constant for e in self.own])
        self.free = np.array([self.measurement.noise_of(name) == "auto" for name in start.names[: self.n]])
        overview = start.overview
        rows = np.linspace(0, len(overview.sample.t) - 1, min(RECORDING.step_points, len(overview.sample.t)))
        self.points = overview.points[rows.astype(int)]
        self.values = self.features.values(self.points)[()]

    def begin(self) -> _Round:
        """Starting values from differences of positions: a linear drift, and constant noise from their scatter."""
        half, sizes = self.start.domain.half, velocities_of(self.source).sizes
        error = sizes.error.copy()
        for i, name in enumerate(self.start.names[: self.n]):
            size = self.measurement.noise_of(name)
            error[i] = error[i] if isinstance(size, str) else float(size) ** 2
        parts = []
        for place, estimate in enumerate(self.own):
            parameters, own = np.zeros(self.features.size), self.simple[place * self.features.size :]
            kept = np.flatnonzero(own[: self.features.size])
            if len(estimate.entry) == 1:
                moments = estimate.precision @ estimate.parameters + estimate.parameters / estimate.prior
                inner = estimate.precision[np.ix_(kept, kept)]
                parameters[kept] = np.linalg.lstsq(inner, moments[kept], rcond=None)[0]
            elif estimate.entry[0] == estimate.entry[1]:
                i = estimate.entry[0] - self.n
                level = sizes.added[i] / float(np.median(self.start.overview.sample.dt))
                parameters[kept] = level * half[0] / half[1 + self.n + i] ** 2 / self.values[0, kept]
            parts.append(parameters)
        prior = np.concatenate([estimate.prior for estimate in self.own])
        return _Round(np.concatenate(parts), error / half[1 : self.n + 1] ** 2, prior)

    def model(self, now: _Round) -> InertialModel:
        """The filter's model at given parameters."""
        columns = now.parameters.reshape(-1, self.features.size).T
        return inertial_model(
            self.start, columns[:, : self.n], columns[:, self.n :], now.error, self.measurement.steps == "euler"
        )

    def sums(self, model: InertialModel, rough: bool) -> Sums:
        """Score and information over all the data; a rough sum, for early steps, uses a part of them."""
        result, every = Sums(model.size), 1
        if rough:
            every = max(1, min(RECORDING.rough_part, self.start.overview.count // RECORDING.rough_steps))
        for segments in inertial_segments(self.source, self.start.domain, every):
            followed(model, segments, result)
        result.finish()
        return result.scaled(every)


def fit_positions(start: Surrogate, source: IncrementSource, say: Progress) -> Surrogate:
    """Fit the surrogate of the pair (x, v)."""
    fit = _InertialFit(start, source)
    now = fit.begin()
    for count in range(INERTIA.rounds):
        say(f"drift and diffusion from positions, round {count + 1}")
        simply, choosing = count < INERTIA.simple_rounds, count < INERTIA.shrinking_rounds
        try:
            sums = fit.sums(fit.model(now), rough=count + 1 < INERTIA.shrinking_rounds)
            now, moved = _next(fit, now, sums, choosing and not simply, simply)
        except np.linalg.LinAlgError:  # parameters have run away
            break
        enough = RECORDING.standing if count + 1 < INERTIA.rounds else RECORDING.wandering
        if count >= INERTIA.shrinking_rounds and moved < enough:
            return _surrogate(fit, now, sums)
    raise InputError(
        "With order=2 no equation fits these positions: steps are too long compared with the time over which "
        "velocities change, errors of the points hide the velocities, or the process has none. Record more densely or "
        "more accurately, or give order=1."
    )


def _next(fit: _InertialFit, now: _Round, sums: Sums, shrinking: bool, simply: bool) -> tuple[_Round, float]:
    """One Gauss–Newton step, and its length in standard errors; if `simply`, with linear drift and constant noise."""
    size = len(now.parameters)
    information, score = sums.information.sum(axis=0), sums.score.sum(axis=0)
    prior = now.prior
    if shrinking:
        prior = evident_prior(fit.features, information[:size, :size], score[:size], now.parameters)
    extra = np.concatenate([1 / prior, np.zeros(fit.n)])
    present = np.concatenate([now.parameters, now.error])
    low, high = np.full(len(present), -np.inf), np.full(len(present), np.inf)
    low[size:] = 0.0
    free = np.concatenate([fit.simple if simply else np.ones(size, dtype=bool), fit.free])
    hessian = information + np.diag(extra)
    step = bounded_step(hessian, score - extra * present, free, low - present, high - present)
    if now.step is not None and step @ hessian @ now.step < 0:  # back and forth
        step = step * RECORDING.damped
    moved = float(np.sqrt(max(step @ hessian @ step, 0.0) / free.sum()))
    if not np.isfinite(moved):
        raise np.linalg.LinAlgError("the step is not finite")
    changed = present + step
    return _Round(changed[:size], changed[size:], prior, step), moved


def _surrogate(fit: _InertialFit, now: _Round, sums: Sums) -> Surrogate:
    """The surrogate of the pair, with one information matrix of all parameters; point errors are marginalised."""
    start, n, width, size = fit.start, fit.n, fit.features.size, len(now.parameters)
    information = sums.information.sum(axis=0)
    nuisance = np.flatnonzero(fit.free) + size
    keep = np.eye(len(information))[:size]
    if len(nuisance):
        inner = information[np.ix_(nuisance, nuisance)]
        keep[:, nuisance] = -np.linalg.solve(inner, information[nuisance, :size]).T
    precisions = np.einsum("pq,fqr,sr->fps", keep, sums.information, keep)
    moments = sums.score @ keep.T + precisions @ now.parameters
    precision = precisions.sum(axis=0)
    posterior = inverse(precision + np.diag(1 / now.prior))
    scatter = posterior @ keep @ positive_root(sums.outer)
    errors = (compressed(scatter), compressed(posterior / np.sqrt(now.prior)))
    # velocities are the drift of positions, without error
    known = n * width
    certain = INERTIA.certain * float(np.diag(precision).max())
    whole = Block(
        np.concatenate([*(e.parameters for e in start.drift_estimates[:n]), now.parameters]),
        _beside(np.eye(known) * certain, precision),
        np.concatenate([*(e.prior for e in start.drift_estimates[:n]), now.prior]),
        np.concatenate([fit.features.degrees] * (len(now.parameters) // width + n)),
        True,
        None,
    )
    still = np.eye(known) * certain / len(precisions)
    folds = Folds(
        np.stack([_beside(still, part) for part in precisions]),
        np.concatenate([np.tile(still @ whole.parameters[:known], (len(precisions), 1)), moments], axis=1),
    )
    joint = replace(whole, folds=folds)
    estimates = []
    for place, estimate in enumerate((*start.drift_estimates, *start.diffusion_estimates)):
        rows = slice(place * width, (place + 1) * width)
        own = (whole.parameters[rows], whole.precision[rows, rows], whole.prior[rows])
        estimates.append(replace(estimate, parameters=own[0], precision=own[1], prior=own[2], folds=None))
    scattered, shrunk = (np.concatenate([np.zeros((known, part.shape[1])), part]) for part in errors)
    found = replace(
        start,
        drift_estimates=tuple(estimates[: 2 * n]),
        diffusion_estimates=tuple(estimates[2 * n :]),
        errors=Errors(scattered, shrunk),
        joint=joint,
        recorded=_found(fit, now, information + np.diag(np.concatenate([1 / now.prior, np.zeros(n)]))),
    )
    found = replace(found, overview=replace(start.overview, **_seen(found, fit, now)))
    return replace(found, errors=resolved_errors(found))


def _beside(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """A block-diagonal matrix of two blocks."""
    size = len(first)
    result = np.zeros((size + len(second), size + len(second)))
    result[:size, :size], result[size:, size:] = first, second
    return result


def _found(fit: _InertialFit, now: _Round, precision: Float[np.ndarray, "q q"]) -> RecordingErrors:
    """Estimated errors of the points with their standard errors, in the data's units."""
    size, half = len(now.parameters), fit.start.domain.half
    free = np.concatenate([np.ones(size, dtype=bool), fit.free])
    variances = np.zeros(len(free))
    variances[free] = np.diag(inverse(precision[np.ix_(free, free)]))
    noise: list[Level | None] = []
    for i in range(fit.n):
        value, above = np.sqrt(now.error[i]), np.sqrt(now.error[i] + np.sqrt(variances[size + i]))
        noise.append(Level(float(value * half[1 + i]), float((above - value) * half[1 + i])))
    return RecordingErrors((*noise, *([None] * fit.n)), None, fit.measurement.steps, 0.0, order=2)


def _seen(found: Surrogate, fit: _InertialFit, now: _Round) -> dict[str, object]:
    """An overview of the increments of the filtered state: expected displacement plus the innovation as noise."""
    overview = look_over(_Filtered(found, fit.source, fit.model(now)), found.domain)
    return {"sample": overview.sample, "stride": overview.stride}


class _Filtered:
    """Increments of the filtered state with the innovations as noise; they scatter like Euler steps of the fit."""

    def __init__(self, surrogate: Surrogate, source: IncrementSource, model: InertialModel) -> None:
        self.surrogate, self.source, self.model = surrogate, source, model
        self.names, self.periodic, self.dimension = surrogate.names, source.periodic, surrogate.dimension
        self.measurement = source.measurement

    def chunks(self, rows: int = BLOCK_ROWS) -> Iterator[Increments]:
        """All settled increments, block by block."""
        n, half = self.dimension // 2, self.surrogate.domain.half
        for block in self.source.chunks(rows):
            parts = []
            for segments in inertial_segments_in(block, self.surrogate.domain):
                run = followed(self.model, segments)
                counted = segments.counted
                parts.append((segments.rows[counted], run.states[counted], run.innovations[counted]))
            if not parts:
                continue
            places, states, innovations = (np.concatenate(each) for each in zip(*parts, strict=True))
            order = np.argsort(places)
            places, x, noise = places[order], states[order] * half[1:], innovations[order]
            t, dt = block.t[places], block.dt[places]
            jet = self.surrogate.jet(t, x, JetOrder(drift=0, diffusion_squared=0))
            velocities = tuple((i, j) for i in range(n) for j in range(i, n))
            a = jet.diffusion_squared[()][:, n:, n:]
            entries = np.stack([a[:, i, j] for i, j in velocities], axis=1)
            root = np.linalg.cholesky(matrices(entries, velocities, RECORDING.least_diffusion * _mean_own(a)))
            dx = jet.drift[()] * dt[:, None]
            dx[:, n:] += np.einsum("bij,bj->bi", root, noise) * np.sqrt(dt)[:, None]
            yield Increments(t, x, dt, dx, block.trajectory[places])


def _mean_own(a: Float[np.ndarray, "b n n"]) -> Float[np.ndarray, " n"]:
    return np.mean(np.maximum(np.diagonal(a, axis1=1, axis2=2), 0.0), axis=0)
