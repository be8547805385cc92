"""Drift and diffusion from a recording with errors of its points, blur and coarse steps.

Gauss–Newton on one likelihood: that of the filter (`filter.py`), whose moments of a step come from drift and diffusion
by `one_step.py`. Errors of the points and the exposure are estimated with them. See docs/method.md §4.7.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from weakref import WeakKeyDictionary

import numpy as np
import scipy.linalg
from jaxtyping import Bool, Float, Int

from liestonet.core.coefficients import JetOrder
from liestonet.core.progress import Progress
from liestonet.core.uncertainty import Block, Errors, Folds, inverse
from liestonet.surrogate.covariance import compressed, positive_root
from liestonet.surrogate.exact_points import all_steps
from liestonet.surrogate.filter import (
    Collector,
    Segments,
    StepModel,
    Sums,
    filtered,
    flow,
    matrices,
    segments_in,
)
from liestonet.surrogate.inertial_filter import InertialModel, followed, inertial_segments_in, known_model
from liestonet.surrogate.newton import bounded_step, evident_prior
from liestonet.surrogate.noiseless_coordinates import residuals
from liestonet.surrogate.one_step import Dynamics, one_step
from liestonet.surrogate.recording_errors import Level, RecordingErrors
from liestonet.surrogate.recording_sums import RecordingSums
from liestonet.surrogate.regression import Estimate, scaled_block
from liestonet.surrogate.surrogate import Surrogate
from liestonet.surrogate.tuning import FIT, RECORDING
from liestonet.trajectories.block_sums import first_paths_of, recordings_of, summed
from liestonet.trajectories.clock import Relabelled
from liestonet.trajectories.increments import Increments, IncrementSource
from liestonet.trajectories.measurement import Measurement


@dataclass(frozen=True)
class _Round:
    """The state of the iteration: parameters of f and a, errors of the points, R, prior variances, the last step.

    `errors` are, for each recording, the variances of the points' errors by coordinate, then R. With `first_order` they
    are so small that the filter runs without them; they enter the likelihood by its derivatives there.
    """

    parameters: Float[np.ndarray, " p"]
    errors: Float[np.ndarray, "r m"]
    prior: Float[np.ndarray, " p"]
    first_order: bool
    step: Float[np.ndarray, " q"] | None = None

    @property
    def filtered_with(self) -> Float[np.ndarray, "r m"]:
        """The errors of the points and R that the filter uses."""
        return np.zeros_like(self.errors) if self.first_order else self.errors


@dataclass(frozen=True)
class _Part:
    """What one recording tells in a round: its sums, the derivative of what they are of, and in what it is taken.

    `whole` is the derivative of the parameters of a step, Λ and R in those of the fit; `columns` are the places of the
    latter among f, a and the errors of all recordings.
    """

    sums: Sums
    whole: Float[np.ndarray, "q q"]
    columns: Int[np.ndarray, " q"]


class RecordingFit:
    """The fit of one source; it starts from a fit to the increments without recording errors."""

    def __init__(self, start: Surrogate, source: IncrementSource | None, measurement: Measurement) -> None:
        self.start, self.measurement = start, measurement
        self.sources = () if source is None else recordings_of(source)
        self.first_paths = (0,) if source is None else first_paths_of(source)
        estimates = start.drift_estimates
        self.features, self.n = estimates[0].features, len(estimates)
        self.entries = tuple(estimate.entry for estimate in start.diffusion_estimates)
        self.coefficients: Sequence[Estimate] = (*start.drift_estimates, *start.diffusion_estimates)
        sample = start.overview.sample
        rows = np.linspace(0, len(sample.t) - 1, min(RECORDING.step_points, len(sample.t))).astype(int)
        self.points = start.overview.points[rows]
        self.dt = sample.dt[rows] / start.domain.half[0]
        self.values = self.features.values(self.points)[()]
        steps = scaled_block(sample, start.overview.domain)
        self.shown = np.mean(steps.dx**2 / steps.dt[:, None], axis=0)
        self.last: dict[int, StepModel] = {}
        self.free = np.array([*self._free_errors(), measurement.exposure == "auto"] * len(self.first_paths))

    def _free_errors(self) -> list[bool]:
        return [self.measurement.noise_of(name) == "auto" for name in self.start.names]

    def begin(self) -> _Round:
        """Starting values from the increments: a correlation of neighbouring increments is due to error or blur."""
        overview, half = self.start.overview, self.start.domain.half
        pairs = overview.pairs
        rest = residuals(scaled_block(overview.consecutive, overview.domain), self.start.drift_estimates)
        variance, common = np.mean(rest[pairs] ** 2, axis=0), np.mean(rest[pairs] * rest[pairs + 1], axis=0)
        least, most = RECORDING.begun_correlation
        common = np.clip(common, least * variance, most * variance)
        share = (variance + 2 * common) / variance
        error, blur = np.maximum(-common, 0.0), 0.0
        for i, name in enumerate(self.start.names):
            size = self.measurement.noise_of(name)
            error[i] = error[i] if isinstance(size, str) else (size / half[1 + i]) ** 2
        exposure = self.measurement.exposure
        if isinstance(exposure, str):
            blur = (
                float(np.clip(np.max(common / (variance + 2 * common)), 0.0, RECORDING.most_blur))
                if (common > 0).any()
                else 0.0
            )
        else:
            blur = exposure * RECORDING.most_blur
        parts, priors = [], []
        for estimate in self.coefficients:
            scale = np.sqrt(np.prod(share[list(estimate.entry)])) if len(estimate.entry) == 2 else share.min()
            parts.append(estimate.parameters * scale)
            priors.append(estimate.prior * scale**2)
        by_chance = np.abs(common) < RECORDING.chance_correlation / np.sqrt(len(pairs)) * variance
        errors = np.tile(np.append(error, blur), (len(self.first_paths), 1))
        if (by_chance.all() or not self.free.any()) and not errors.ravel()[~self.free].any():
            plain = self.coefficients
            return _Round(
                np.concatenate([each.parameters for each in plain]),
                np.zeros_like(errors),
                np.concatenate([each.prior for each in plain]),
                first_order=True,
            )
        return _Round(np.concatenate(parts), errors, np.concatenate(priors), first_order=False)

    def nearly_linear(self, begun: _Round) -> _Round:
        """The same with drift and squared noise linear but for a little: a start from which fewer fits run away."""
        linear = np.concatenate([estimate.linear_terms for estimate in self.coefficients])
        prior = np.where(linear, begun.prior, RECORDING.nearly_linear * begun.prior)
        return replace(begun, parameters=np.where(linear, begun.parameters, 0.0), prior=prior)

    def split(self, parameters: Float[np.ndarray, " p"]) -> tuple[np.ndarray, np.ndarray]:
        """Parameters of the drift (c, n) and of the diffusion (c, e)."""
        columns = parameters.reshape(-1, self.features.size).T
        return columns[:, : self.n], columns[:, self.n :]

    def least(self, diffusion: Float[np.ndarray, "c e"]) -> Float[np.ndarray, " n"]:
        """The smallest A accepted: a part of its mean, or a smaller part of the observed squares if that is more."""
        own = [place for place, (i, j) in enumerate(self.entries) if i == j]
        mean = np.mean(np.maximum(self.values @ diffusion[:, own], 0.0), axis=0)
        return RECORDING.least_diffusion * np.maximum(mean, RECORDING.least_diffusion * self.shown)

    def step_model(self, now: _Round, recording: int = 0) -> tuple[StepModel, Float[np.ndarray, "p p"]]:
        """The moments of a step of one recording as series, and their derivative in the parameters."""
        drift, diffusion = self.split(now.parameters)
        least, size, instant = self.least(diffusion), len(now.parameters), diffusion
        jacobian = np.eye(size)
        if self.measurement.steps == "continuous":
            drift, diffusion, jacobian = self._whole_step(drift, diffusion, least, self._uncertain(recording))
        first = self.n * self.features.size
        back = np.linalg.pinv(jacobian[first:, first:])
        *error, blur = now.filtered_with[recording].tolist()
        model = StepModel(self.features, self.entries, drift, diffusion, instant, np.array(error), blur, least, back)
        self.last[recording] = model
        return model, jacobian

    def enters_at_first_order(self, errors: Float[np.ndarray, "r m"], covariance: Float[np.ndarray, "f f"]) -> bool:
        """Whether the filter may run without these errors of the points and R, known with this covariance.

        At first order they move the parameters by at most as many standard errors as they themselves are from zero;
        higher orders are smaller by the factor L/(aΔt), the variance they add relative to that of a step.
        """
        if not self.last or errors.ravel()[~self.free].any():
            return False
        made = np.concatenate([self._made(recording, own) for recording, own in enumerate(errors)])
        size = float(np.sqrt(np.max(np.mean(made**2, axis=0))))
        free = errors.ravel()[self.free]
        length = float(np.sqrt(free @ np.linalg.solve(covariance, free))) if len(free) else 0.0
        return size * length < RECORDING.standing

    def _made(self, recording: int, errors: Float[np.ndarray, " m"]) -> Float[np.ndarray, "b n"]:
        """The variance that errors of the points and R add at the points, relative to that of a step."""
        model = self.last[recording]
        a = matrices(self.values @ model.diffusion, self.entries, model.least)
        return errors[:-1] / (np.einsum("bii->bi", a) * self.dt[:, None]) - errors[-1]

    def _uncertain(self, recording: int) -> Float[np.ndarray, "b n n"]:
        """The covariance of the state at the points, given all that was recorded before; stationary, by iteration."""
        result = np.zeros((len(self.points), self.n, self.n))
        model = self.last.get(recording)
        if model is None or model.points_are_exact:
            return result
        dt = self.dt[:, None, None]
        diffusion = matrices(self.values @ model.diffusion, self.entries, model.least)
        instant = matrices(self.values @ model.instant, self.entries, model.least)
        error = np.diag(model.error) - model.blur * dt * instant
        step = self._flow(model.drift)
        for _ in range(RECORDING.settling * 4):
            moved = step @ result @ np.swapaxes(step, 1, 2) + dt * diffusion
            result = moved @ np.linalg.solve(moved + error, error)
            result = (result + np.swapaxes(result, 1, 2)) / 2
        return result

    def _flow(self, drift: Float[np.ndarray, "c n"]) -> Float[np.ndarray, "b n n"]:
        """The derivative of the state after a step in the state before."""
        half = self.start.domain.half
        variables = tuple((j,) for j in range(1, self.n + 1))
        tables = self.features.values(self.points, variables)
        jacobian = np.stack([tables[j] @ drift * half[j[0]] for j in variables], axis=2)
        return flow(jacobian, self.dt)

    def _whole_step(
        self, drift: np.ndarray, diffusion: np.ndarray, least: np.ndarray, uncertain: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Drift and diffusion of a whole step, projected on the functions with the weights of the regressions."""
        model = Dynamics(self.features, self.entries, drift, diffusion, least)
        step = one_step(model, self.points, self.dt, uncertain)
        width, n, dt = self.features.size, self.n, self.dt
        a = np.stack([np.maximum(self.values @ diffusion[:, place], 0) for place in range(len(self.entries))], axis=1)
        own = {i: np.maximum(a[:, place], least[i]) for place, (i, j) in enumerate(self.entries) if i == j}
        moved, size = [], width * (n + len(self.entries))
        jacobian = np.zeros((size, size))
        drifts = np.empty_like(drift)
        for i in range(n):
            project = self._projection(dt / own[i])
            drifts[:, i] = drift[:, i] + project @ (step.mean[:, i] / dt - self.values @ drift[:, i])
            jacobian[i * width : (i + 1) * width] = self._changed(project, step.mean_change[:, i] / dt[:, None], i)
        after = self._flow(drifts)
        covariance = step.covariance - after @ uncertain @ np.swapaxes(after, 1, 2)
        missed = step.mean - dt[:, None] * (self.values @ drifts)
        for place, (i, j) in enumerate(self.entries):
            project = self._projection(1 / (own[i] * own[j]))
            target = (covariance[:, i, j] + missed[:, i] * missed[:, j]) / dt
            moved.append(diffusion[:, place] + project @ (target - self.values @ diffusion[:, place]))
            rows = slice((n + place) * width, (n + place + 1) * width)
            jacobian[rows] = self._changed(project, step.covariance_change[:, i, j] / dt[:, None], n + place)
        return drifts, np.stack(moved, axis=1), jacobian

    def _projection(self, weights: Float[np.ndarray, " b"]) -> Float[np.ndarray, "c b"]:
        weighted = self.values * weights[:, None]
        gram = self.values.T @ weighted
        ridge = RECORDING.ridge * np.trace(gram) / len(gram) * np.eye(len(gram))
        return np.linalg.solve(gram + ridge, weighted.T)

    def _changed(self, project: np.ndarray, change: np.ndarray, place: int) -> np.ndarray:
        """Rows of the derivative: the coefficient's own parameters, plus the correction for the whole step."""
        width = self.features.size
        own = np.zeros((width, change.shape[1]))
        columns = slice(place * width, (place + 1) * width)
        own[:, columns] = np.eye(width)
        added = change.copy()
        added[:, columns] -= self.values
        return own + project @ added

    def told(self, now: _Round, rough: bool) -> list[_Part]:
        """What each recording tells; a rough sum, for early steps, uses a part of the data."""
        every = 1
        if not self.sources:
            raise RuntimeError("there is no source to sum over")
        if rough:
            every = max(1, min(RECORDING.rough_part, self.start.overview.count // RECORDING.rough_steps))
        parts, size, own = [], len(now.parameters), np.arange(self.n + 1)
        for recording, source in enumerate(self.sources):
            model, jacobian = self.step_model(now, recording)
            found = summed(source, RecordingSums(run_filter, model, self.start.domain, every)).sums.scaled(every)
            whole = np.asarray(scipy.linalg.block_diag(jacobian, np.eye(self.n + 1)))
            columns = np.append(np.arange(size), size + (self.n + 1) * recording + own)
            parts.append(_Part(found, whole, columns))
        return parts

    def information(self, parts: Sequence[_Part]) -> Float[np.ndarray, "q q"]:
        """The information of all recordings about f, a and the errors of each."""
        size = parts[-1].columns[-1] + 1
        total = np.zeros((size, size))
        for part in parts:
            own = part.whole.T @ part.sums.information.sum(axis=0) @ part.whole
            total[np.ix_(part.columns, part.columns)] += own
        return total


def run_filter(model: StepModel, segments: Segments, collector: Collector | None = None) -> Float[np.ndarray, "k b n"]:
    """The filter along segments; all steps at once where points have no error."""
    return (all_steps if model.points_are_exact else filtered)(model, segments, collector)


def is_modelled(start: Surrogate, source: IncrementSource) -> bool:
    """Whether errors of the recording are part of the model.

    They are modelled for one coordinate with noise, and for two where the law does not depend on the clock. If points
    have no error and the clock does not restart, only coarse steps are modelled. Nothing is modelled if the data
    contain gross errors: their flag says where they are.
    """
    autonomous, measurement = isinstance(source, Relabelled) and source.autonomous, source.measurement
    possible = (
        not (measurement.is_exact and measurement.steps == "euler")
        and measurement.order == 1
        and start.dimension <= (RECORDING.most_coordinates if autonomous else 1)
        and bool(start.noisy.all())
        and start.overview.outlier is None
        and len(start.overview.pairs) >= FIT.least_pairs
    )
    return possible and (autonomous or not measurement.is_exact or step_in_relaxations(start) > RECORDING.coarse)


def step_in_relaxations(start: Surrogate) -> float:
    """The typical step in units of the drift's relaxation time."""
    sample = start.overview.sample
    rows = np.linspace(0, len(sample.t) - 1, min(RECORDING.step_points, len(sample.t))).astype(int)
    points = start.overview.points[rows]
    jet = start.jet(points[:, 0], points[:, 1:], JetOrder(drift=1))
    slopes = np.stack([jet.drift[(j + 1,)] for j in range(start.dimension)], axis=2)
    rate = np.sqrt(np.mean(np.sum(slopes**2, axis=(1, 2))))
    return float(rate * np.median(sample.dt))


def fit_recording(start: Surrogate, source: IncrementSource, say: Progress) -> Surrogate:
    """Correct the fit to increments for errors of the recording; returns the original fit if that does not converge."""
    fit = RecordingFit(start, source, source.measurement)
    begun = fit.begin()
    found = _converged(fit, begun, say)
    if found is None:
        fit.last.clear()
        found = _converged(fit, fit.nearly_linear(begun), say, RECORDING.linear_rounds)
    return start if found is None else found


def _converged(fit: RecordingFit, now: _Round, say: Progress, waiting: int = 0) -> Surrogate | None:
    """The fit where Gauss–Newton stands still, if it does; `waiting` rounds keep the shrinkage that it begins with."""
    begun, last = now.prior, RECORDING.rounds + RECORDING.later_rounds - 1
    # where nothing has to be found but small errors, the fit begins so near that all rounds are of all the data
    near = now.first_order
    first, held = (0 if near else each for each in (RECORDING.shrinking_rounds[0], RECORDING.held_rounds))
    chosen = waiting + (1 if near else RECORDING.shrinking_rounds[1])
    for count in range(last + 1):
        say(f"errors of the recording, round {count + 1}")
        if count == RECORDING.rounds:  # steps that go on and on follow what the filter neglects: less is left free
            now = replace(now, prior=begun, step=None)
        choosing = first <= count - waiting < RECORDING.shrinking_rounds[1]
        try:
            with np.errstate(over="ignore", invalid="ignore"):  # what overflows shows in the sums
                parts = fit.told(now, rough=count + 1 < chosen)
                before, (now, moved) = now, _next(fit, now, parts, choosing, count < held)
        except np.linalg.LinAlgError:  # parameters have run away
            return None
        enough = RECORDING.standing if count < last else RECORDING.wandering
        if count >= chosen and moved < enough and before.first_order == now.first_order:
            return _surrogate(fit, now, parts)
    return None


def _next(fit: RecordingFit, now: _Round, parts: Sequence[_Part], shrinking: bool, held: bool) -> tuple[_Round, float]:
    """One step of Gauss–Newton, and its length in standard errors; `held` fixes the points' errors and R."""
    size, precision = len(now.parameters), fit.information(parts)
    score = np.zeros(len(precision))
    for part in parts:
        score[part.columns] += part.whole.T @ part.sums.score.sum(axis=0)
    if not (np.isfinite(precision).all() and np.isfinite(score).all() and (np.diag(precision)[:size] > 0).all()):
        raise np.linalg.LinAlgError("the sums are no likelihood near its maximum")
    prior = evident_prior(fit.features, precision, score, now.parameters) if shrinking else now.prior
    extra = np.concatenate([1 / prior, _known_errors(fit)])
    present, known = (np.append(now.parameters, errors) for errors in (now.filtered_with, now.errors))
    push = score - extra * present
    low, high = np.full(len(present), -np.inf), np.full(len(present), np.inf)
    blurs = slice(size + fit.n, None, fit.n + 1)
    low[size:], high[blurs] = 0.0, np.maximum(RECORDING.most_blur, now.errors[:, -1])
    free = np.concatenate([np.ones(size, dtype=bool), fit.free & (not held)])
    hessian = precision + np.diag(extra)
    step = present + bounded_step(hessian, push, free, low - present, high - present) - known
    if now.step is not None and step @ hessian @ now.step < 0:  # back and forth
        step = step * RECORDING.damped
    moved = float(np.sqrt(max(step @ hessian @ step, 0.0) / free.sum()))
    if not np.isfinite(moved):
        raise np.linalg.LinAlgError("the step is not finite")
    changed = known + step
    if not isinstance(fit.measurement.exposure, str):
        changed[blurs] = fit.measurement.exposure * RECORDING.most_blur
    found = np.flatnonzero(free[size:]) + size
    covariance = inverse(hessian[np.ix_(free, free)])[size:, size:] if len(found) else np.zeros((0, 0))
    errors = changed[size:].reshape(now.errors.shape)
    small = now.first_order and fit.enters_at_first_order(errors, covariance)
    return _Round(changed[:size], errors, prior, small, step), moved


def _known_errors(fit: RecordingFit) -> Float[np.ndarray, " e"]:
    """What is known of Λ and R of every recording before the data, as precisions: of R alone."""
    return np.tile(np.append(np.zeros(fit.n), RECORDING.blur_spread**-2), len(fit.first_paths))


def innovations(surrogate: Surrogate, block: Increments) -> tuple[Float[np.ndarray, "m n"], Bool[np.ndarray, " m"]]:
    """Standardised steps of a block in their order, each given all before it, and where the filter has settled."""
    result, settled = np.zeros((len(block.t), surrogate.dimension)), np.zeros(len(block.t), dtype=bool)
    for segments, standard in _filtered(surrogate, block, None):
        counted = segments.rows[segments.counted]
        result[np.ix_(counted, surrogate.noisy)], settled[counted] = standard[segments.counted], True
    return result, settled


def collect_steps(surrogate: Surrogate, block: Increments, collector: Collector) -> None:
    """Give the contribution of every settled step of a block to a collector."""
    for _ in _filtered(surrogate, block, collector):
        pass


def _filtered(
    surrogate: Surrogate, block: Increments, collector: Collector | None
) -> Iterator[tuple[Segments, Float[np.ndarray, "k b n"]]]:
    """Segments of a block with their standardised innovations; of positions where only those are recorded."""
    for rows, model in _models_of(surrogate, block):
        own = Increments(*(array[rows] for array in block))
        if isinstance(model, InertialModel):
            for segments in inertial_segments_in(own, surrogate.domain):
                yield segments, followed(model, segments, collector).innovations
        else:
            for segments in segments_in(own, surrogate.domain):
                there = replace(segments, rows=segments.rows + rows.start)
                yield there, run_filter(model, there, collector)


def _models_of(surrogate: Surrogate, block: Increments) -> Iterator[tuple[slice, StepModel | InertialModel]]:
    """The rows of each recording in a block, and the model of its steps."""
    models = _known_models(surrogate)
    first = (0,) if surrogate.recorded is None else surrogate.recorded.first_paths
    cuts = [0, *np.searchsorted(block.trajectory, first[1:]).tolist(), len(block.t)]
    for model, (low, high) in zip(models, pairwise(cuts), strict=True):
        if low < high:
            yield slice(low, high), model


_MODELS: WeakKeyDictionary[Surrogate, list[StepModel] | list[InertialModel]] = WeakKeyDictionary()


def _known_models(surrogate: Surrogate) -> list[StepModel] | list[InertialModel]:
    """The filter's models, one for each recording, computed once for all blocks."""
    if surrogate not in _MODELS:
        found = [known_model(surrogate)] if surrogate.from_positions else _fitted_models(surrogate)
        _MODELS[surrogate] = found
    return _MODELS[surrogate]


def _fitted_models(surrogate: Surrogate) -> list[StepModel]:
    """The models of steps of a fit that has errors of the recording."""
    recorded, half = surrogate.recorded, surrogate.domain.half
    if recorded is None:
        raise RuntimeError("the surrogate has no model of the recording's errors")
    fit = RecordingFit(surrogate, None, Measurement(steps=recorded.steps))
    rows = []
    for each in recorded.recordings:
        error = np.array([0.0 if level is None else level.value for level in each.noise]) / half[1:]
        rows.append(np.append(error**2, each.blur))
    now = _Round(surrogate.parameters, np.array(rows), np.ones(len(surrogate.parameters)), recorded.first_order)
    models = []
    for recording in range(len(rows)):
        model = fit.step_model(now, recording)[0]
        for _ in range(0 if model.points_are_exact else RECORDING.shrinking_rounds[1]):
            model = fit.step_model(now, recording)[0]
        models.append(model)
    return models


def _surrogate(fit: RecordingFit, now: _Round, parts: Sequence[_Part]) -> Surrogate:
    """The surrogate with one information matrix of all parameters; the points' errors are marginalised."""
    size, width = len(now.parameters), fit.features.size
    information, known = fit.information(parts), _known_errors(fit)
    nuisance = np.flatnonzero(fit.free) + size
    keep = np.eye(len(information))[:size]
    if len(nuisance):
        inner = (information + np.diag(np.append(np.zeros(size), known)))[np.ix_(nuisance, nuisance)]
        keep[:, nuisance] = -np.linalg.solve(inner, information[nuisance, :size]).T
    precisions, moments, scores = np.zeros((FIT.folds, size, size)), np.zeros((FIT.folds, size)), []
    for part in parts:
        project = keep[:, part.columns] @ part.whole.T
        precisions += np.einsum("pq,fqr,sr->fps", project, part.sums.information, project)
        moments += part.sums.score @ project.T
        scores.append(project @ positive_root(part.sums.outer))
    moments = moments + precisions @ now.parameters
    precision = precisions.sum(axis=0)
    posterior = inverse(precision + np.diag(1 / now.prior))
    scatter = posterior @ np.concatenate(scores, axis=1)
    errors = Errors(compressed(scatter), compressed(posterior / np.sqrt(now.prior)))
    estimates = []
    for place, estimate in enumerate(fit.coefficients):
        rows = slice(place * width, (place + 1) * width)
        estimates.append(
            replace(
                estimate,
                parameters=now.parameters[rows],
                precision=precision[rows, rows],
                prior=now.prior[rows],
                folds=None,
            )
        )
    degrees = np.concatenate([estimate.features.degrees for estimate in estimates])
    joint = Block(now.parameters, precision, now.prior, degrees, True, Folds(precisions, moments))
    return replace(
        fit.start,
        drift_estimates=tuple(estimates[: fit.n]),
        diffusion_estimates=tuple(estimates[fit.n :]),
        errors=errors,
        joint=joint,
        recorded=_found(fit, now, information + np.diag(np.append(1 / now.prior, known))),
    )


def _found(fit: RecordingFit, now: _Round, precision: Float[np.ndarray, "q q"]) -> RecordingErrors:
    """Estimated errors of the points and the exposure with their standard errors, in the data's units."""
    size = len(now.parameters)
    free = np.concatenate([np.ones(size, dtype=bool), fit.free])
    variances = np.zeros(len(free))
    variances[free] = np.diag(inverse(precision[np.ix_(free, free)]))
    spread = np.sqrt(variances[size:]).reshape(now.errors.shape)
    each = tuple(_levels(fit, now, *row) for row in zip(now.errors, spread, strict=True))
    if len(each) == 1:
        return each[0]
    count = len(each)
    together = _levels(fit, now, now.errors.mean(axis=0), np.sqrt(np.sum(spread**2, axis=0)) / count)
    return replace(together, each=each, first_paths=fit.first_paths)


def _levels(
    fit: RecordingFit, now: _Round, errors: Float[np.ndarray, " m"], spread: Float[np.ndarray, " m"]
) -> RecordingErrors:
    """Variances of points' errors and R, with standard errors, as deviations in the data's units and an exposure."""
    half, noise = fit.start.domain.half, []
    for i in range(fit.n):
        value, above = np.sqrt(errors[i]), np.sqrt(errors[i] + spread[i])
        noise.append(Level(float(value * half[1 + i]), float((above - value) * half[1 + i])))
    known = spread[-1] < RECORDING.identified * RECORDING.blur_spread
    exposure = Level(*(float(each / RECORDING.most_blur) for each in (errors[-1], spread[-1]))) if known else None
    return RecordingErrors(tuple(noise), exposure, fit.measurement.steps, float(errors[-1]), now.first_order)
