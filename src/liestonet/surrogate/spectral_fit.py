"""How the spectral surrogate is fitted: increments on the drift, then squared residuals on the diffusion.

The estimates are linear in the data; the tests of symmetries rely on this (docs/method.md §5.1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement

import numpy as np
from jaxtyping import Bool, Float, Int

from liestonet.core.noise_shape import NoiseShape
from liestonet.core.progress import Progress, silent
from liestonet.core.tuning import SHARED
from liestonet.core.uncertainty import Errors
from liestonet.errors import InputError
from liestonet.surrogate.covariance import Regression, parameter_errors
from liestonet.surrogate.discretisation import step_directions
from liestonet.surrogate.error_directions import resolved_errors
from liestonet.surrogate.features import (
    Features,
    coordinate_variants,
    degree_variants,
    shape_variants,
    with_frequencies,
)
from liestonet.surrogate.frequencies import frequencies_of, reach
from liestonet.surrogate.inertial_fit import fit_positions
from liestonet.surrogate.noise_shapes import noise_shapes
from liestonet.surrogate.noiseless_coordinates import noisy_coordinates, residuals
from liestonet.surrogate.overview import Overview, look_over
from liestonet.surrogate.poles import drift_poles, natural_pole
from liestonet.surrogate.recording_fit import fit_recording, is_modelled
from liestonet.surrogate.regression import (
    Entry,
    Estimate,
    Scaled,
    Targets,
    pieces_of,
    regress,
    regress_on,
    scaled_block,
)
from liestonet.surrogate.surrogate import Surrogate
from liestonet.surrogate.tuning import ERRORS, FIT
from liestonet.surrogate.unusable_columns import impossible_fit
from liestonet.surrogate.variances import VarianceMap, map_variances
from liestonet.trajectories.clock import Relabelled
from liestonet.trajectories.increments import Increments, IncrementSource
from liestonet.trajectories.velocities import has_velocities, looking_ahead

Shapes = tuple[NoiseShape | None, ...]


def fit_spectral(source: IncrementSource, progress: Progress | None = None, autonomous: bool = False) -> Surrogate:
    """Estimate drift and diffusion of trajectories in memory or in a file; `autonomous` leaves out terms in time."""
    say = progress or silent
    try:
        if has_velocities(source):
            return fit_positions(_fitted_ahead(source, say, autonomous), source, say)
        return _recorded(_fitted(source, say, autonomous), source, say)
    except np.linalg.LinAlgError:
        raise impossible_fit(look_over(source).sample, source.names) from None


def _recorded(fitted: Surrogate, source: IncrementSource, say: Progress) -> Surrogate:
    """The fit with errors of the recording in the model, where they can be modelled; else the fit itself."""
    if not is_modelled(fitted, source):
        return fitted
    start = fit_plainly(fitted, source, say)  # errors of the points blur the shape of the noise
    found = fit_recording(start, source, say)
    if found is start:
        return fitted
    return found if found.dimension == 1 else replace(found, errors=resolved_errors(found))


def _fitted(source: IncrementSource, say: Progress, autonomous: bool = False) -> Surrogate:
    """Choose coordinates and degrees, then estimate drift, diffusion, and the covariance of both."""
    say("looking over the data")
    overview = look_over(source)
    clocked = isinstance(source, Relabelled) and source.autonomous
    shapes = None if clocked or overview.domain.dimension > SHARED.few_coordinates else _noise_shapes(overview)
    features = choose_features(overview, autonomous or clocked, shapes)
    features = features if clocked else with_poles(overview, features, shapes)
    return _fitted_in(overview, features, source, say)


def _fitted_ahead(source: IncrementSource, say: Progress, autonomous: bool) -> Surrogate:
    """The start of a fit to positions: velocities and their displacements are differences that share no point."""
    say("looking over the data")
    ahead = looking_ahead(source)
    overview = _with_plain_velocities(look_over(ahead))
    n = overview.domain.dimension // 2
    clocked = isinstance(source, Relabelled) and source.autonomous
    features = choose_features(overview, autonomous or clocked)
    say(f"drift from {overview.count:,} positions")
    sample = scaled_block(overview.sample, overview.domain)
    entries: list[Entry] = [(i,) for i in range(2 * n)]
    noisy = np.arange(2 * n) >= n
    drift = _regressed(ahead, overview, features, entries, *drift_targets(overview, sample.dx, noisy))
    drift = [*(_carried(estimate, overview) for estimate in drift[:n]), *drift[n:]]
    say("diffusion")
    pairs = list(combinations_with_replacement(range(n, 2 * n), 2))
    diffusion = _regressed(ahead, overview, features, pairs, *diffusion_targets(overview, drift, noisy))
    nothing = np.zeros((features.size * (2 * n + len(pairs)), 0))
    overview = replace(overview, consecutive=look_over(source, overview.domain).consecutive)
    return Surrogate(overview, tuple(drift), tuple(diffusion), Errors(nothing, nothing), noisy)


def _with_plain_velocities(overview: Overview) -> Overview:
    """The overview with velocities never replaced by logarithms: the drift of a position is a velocity."""
    domain, n = overview.domain, overview.domain.dimension // 2
    if not domain.singular:
        return overview
    kept = (*domain.singular[: n + 1], *([(None, None)] * n))
    return replace(overview, domain=replace(domain, singular=kept))


def _carried(estimate: Estimate, overview: Overview) -> Estimate:
    """The drift of a position: its velocity."""
    domain, points = overview.domain, overview.points
    n, i = domain.dimension // 2, estimate.entry[0]
    rows = np.linspace(0, len(points) - 1, min(ERRORS.step_points, len(points))).astype(int)
    velocity = points[rows, 1 + n + i] * domain.half[0] / domain.half[1 + i]
    alone = estimate.features.degrees.sum(axis=1) == estimate.features.degrees[:, 1 + n + i]
    used = np.flatnonzero(alone & (estimate.features.degrees[:, 1 + n + i] <= 1))
    functions = estimate.features.values(points[rows])[()][:, used]
    parameters = np.zeros(estimate.features.size)
    parameters[used] = np.linalg.lstsq(functions, velocity, rcond=None)[0]
    return replace(estimate, parameters=parameters)


def fit_plainly(fitted: Surrogate, source: IncrementSource | None = None, say: Progress = silent) -> Surrogate:
    """The fit without noise shapes and poles, to the source or to the kept sample; the fit itself if it has none."""
    overview, first = fitted.overview, fitted.drift_estimates[0].features
    if first.shapes is None and first.poles is None:
        return fitted
    features = choose_features(overview, not first.degrees[:, 0].any())
    if source is None:  # the sample is then all that there is
        overview = replace(overview, count=len(overview.sample.t), stride=1)
    return _fitted_in(overview, features, source, say)


def _fitted_in(overview: Overview, features: Features, source: IncrementSource | None, say: Progress) -> Surrogate:
    """Drift, diffusion and their covariance in given features, from all increments or from the sample alone."""
    say(f"drift from {overview.count:,} increments")
    sample = scaled_block(overview.sample, overview.domain)
    entries: list[Entry] = [(i,) for i in range(sample.dx.shape[1])]
    expected = _roughly_noisy(overview)
    targets = drift_targets(overview, sample.dx, expected if expected.all() else None, features)
    drift = _regressed(source, overview, features, entries, *targets)
    noisy = noisy_coordinates(overview, drift)
    if expected.all() and not noisy.all():
        drift = _regressed(source, overview, features, entries, *drift_targets(overview, sample.dx, None, features))
        noisy = noisy_coordinates(overview, drift)
    if not noisy.any():
        raise InputError(
            f"There is no noise in {' or '.join(overview.names)}: these paths follow an ordinary differential equation,"
            " which has infinitely many symmetries. Check that the recorded values were not smoothed or filtered."
        )
    if not noisy.all():
        say("drift of coordinates without noise")
        targets = drift_targets(overview, np.where(noisy, sample.dx, residuals(sample, drift)), noisy, features)
        drift = _regressed(source, overview, features, entries, *targets)
    say("diffusion")
    squares = diffusion_targets(overview, drift, noisy, features)
    pairs = list(combinations_with_replacement(np.flatnonzero(noisy).tolist(), 2))
    diffusion = _regressed(source, overview, features, pairs, *squares) if pairs else []
    say("covariance of the estimates")
    regressions = [Regression(drift, targets[0]), Regression(diffusion, squares[0], squares[0].widened)]
    errors = parameter_errors(overview, regressions)
    surrogate = Surrogate(overview, tuple(drift), tuple(diffusion), errors, noisy)
    surrogate = replace(surrogate, errors=errors.with_hidden(step_directions(surrogate)))
    if errors.complete and surrogate.dimension > 1:
        surrogate = replace(surrogate, errors=resolved_errors(surrogate))
    return surrogate


def _noise_shapes(overview: Overview) -> Shapes | None:
    """The noise shapes of those coordinates that have noise."""
    shapes = noise_shapes(overview)
    if shapes is None or overview.domain.dimension == 1:
        return shapes
    noisy = _roughly_noisy(overview).tolist()
    kept = (None, *(shape if own else None for shape, own in zip(shapes[1:], noisy, strict=True)))
    return kept if any(shape is not None for shape in kept) else None


def _roughly_noisy(overview: Overview) -> Bool[np.ndarray, " n"]:
    """Which coordinates have noise, judged from a part of the sample with the simplest features."""
    few = _thinned(overview, FIT.tried_shapes)
    sample = scaled_block(few.sample, few.domain)
    entries: list[Entry] = [(i,) for i in range(sample.dx.shape[1])]
    features = coordinate_variants(few.domain)[0]
    return noisy_coordinates(few, regress(pieces_of(sample), features, entries, *drift_targets(few, sample.dx)))


def _regressed(
    source: IncrementSource | None,
    overview: Overview,
    features: Features,
    entries: Sequence[Entry],
    targets: Targets,
    pooled: bool,
) -> list[Estimate]:
    """Estimate one coefficient per entry from a source, or from the sample where there is none."""
    if source is None:
        sample = scaled_block(overview.sample, overview.domain)
        return regress(pieces_of(sample), features, entries, targets, pooled)
    return regress_on(source, overview.domain, features, entries, targets, pooled)


def fit_again(like: Surrogate, source: IncrementSource) -> Surrogate:
    """Fit other data in the box and the series of an earlier fit, with its noisy coordinates; its errors are kept.

    For data drawn with the same design, where choosing everything again would take most of the time.
    """
    overview, noisy = look_over(source, like.domain), like.noisy
    features = like.drift_estimates[0].features.plain
    inside, least = len(overview.sample.t), min(features.size, len(like.overview.sample.t) // 2)
    if inside < least:
        raise InputError(
            f"Only {inside} increments begin inside the box, too few to fit there; give data that stay in it."
        )
    sample = scaled_block(overview.sample, overview.domain)
    rest = sample.dx if noisy.all() else np.where(noisy, sample.dx, residuals(sample, like.drift_estimates))
    targets = drift_targets(overview, rest, noisy, features)
    entries = [estimate.entry for estimate in like.drift_estimates]
    drift = regress_on(source, overview.domain, features, entries, *targets, like.drift_estimates)
    pairs = [estimate.entry for estimate in like.diffusion_estimates]
    squares = diffusion_targets(overview, drift, noisy, features)
    known = like.diffusion_estimates
    diffusion = regress_on(source, overview.domain, features, pairs, *squares, known) if pairs else []
    found = {"drift_estimates": tuple(drift), "diffusion_estimates": tuple(diffusion)}
    return replace(like, overview=overview, joint=None, recorded=None, **found)


def choose_features(overview: Overview, autonomous: bool = False, shapes: Shapes | None = None) -> Features:
    """The features that explain a sample best: first the coordinates, then the degrees; with `autonomous` none in time.

    With `shapes` of the noise, coordinates in which the noise is uniform are tried too.
    """
    variants = coordinate_variants(overview.domain, autonomous)
    costs = [-FIT.logarithm_credit * sum(features.logarithmic) for features in variants]
    best = _most_likely(_thinned(overview, FIT.tried_coordinates), variants, costs)
    if shapes is not None:
        others = shape_variants(best, shapes)
        variants = [best, *others]
        costs = [
            FIT.shape_cost * (features.shapes is not None) - FIT.logarithm_credit * sum(features.logarithmic)
            for features in variants
        ]
        best = _most_likely(_thinned(overview, FIT.tried_coordinates), variants, costs)
    choices = [best, *degree_variants(best, autonomous)]
    if overview.domain.periodic:
        highest = {v: reach(found) for v, found in frequencies_of(overview).items()}
        choices += filter(None, [with_frequencies(features, highest) for features in choices])
    return _most_likely(_thinned(overview, FIT.tried_degrees), choices, [0.0] + [FIT.degrees_cost] * (len(choices) - 1))


def with_poles(overview: Overview, best: Features, shapes: Shapes | None) -> Features:
    """The features with poles of the drift where the data support them, in the coordinate in which noise is uniform."""
    if overview.domain.dimension > SHARED.few_coordinates:
        return best
    few = _thinned(overview, FIT.tried_coordinates)
    sample = scaled_block(few.sample, few.domain)
    targets, _ = drift_targets(few, sample.dx)
    logarithms = sum(best.logarithmic)
    uniform = replace(best, logarithmic=(False,) * len(best.logarithmic), shapes=shapes if logarithms else best.shapes)
    poles = drift_poles(few, uniform, sample, targets, np.ones(sample.dx.shape[1], dtype=bool))
    if poles is None:
        return best
    natural = sum(pole is not None and pole == natural_pole(uniform, v) for v, pole in enumerate(poles))
    known = natural == sum(pole is not None for pole in poles)
    costs = [-FIT.logarithm_credit * logarithms, FIT.shape_cost - FIT.pole_credit * natural]
    return _most_likely(few, [best, uniform.with_poles(poles, known)], costs)


def _most_likely(overview: Overview, variants: Sequence[Features], costs: Sequence[float]) -> Features:
    """The variant with the largest log evidence over all coefficients, less its penalty."""
    if len(variants) == 1:
        return variants[0]
    scores = [_log_evidence(overview, features) - cost for features, cost in zip(variants, costs, strict=True)]
    return variants[int(np.argmax(scores))]


def _thinned(overview: Overview, count: int) -> Overview:
    """The overview with a smaller sample."""
    rows = slice(None, None, max(1, len(overview.sample.t) // count))
    return replace(overview, sample=Increments(*(array[rows] for array in overview.sample)))


def _log_evidence(overview: Overview, features: Features) -> float:
    """Log evidence of the drift and of the squares of noisy coordinates in these features.

    The residual of a coordinate without noise is misfit from the prior, so its squares are left out.
    """
    sample = scaled_block(overview.sample, overview.domain)
    n, pieces = sample.dx.shape[1], list(pieces_of(sample))
    explained, uniform = drift_targets(overview, sample.dx)
    drift = regress(pieces, features, [(i,) for i in range(n)], explained, uniform)
    noisy = noisy_coordinates(overview, drift)
    squares, pooled = diffusion_targets(overview, drift, noisy)
    pairs = list(combinations_with_replacement(np.flatnonzero(noisy).tolist(), 2))
    own = [place for place, (i, j) in enumerate(pairs) if i == j]

    def targets(block: Scaled) -> tuple[np.ndarray, np.ndarray]:
        values, weights = squares(block)
        return values[:, own], weights[:, own]

    entries = [pairs[place] for place in own]
    diffusion = regress(pieces, features, entries, targets, pooled) if own else []
    return sum(estimate.log_evidence for estimate in (*drift, *diffusion)) + _gained_by_offsets(
        pieces, drift, explained
    )


def _gained_by_offsets(pieces: Sequence[Scaled], drift: Sequence[Estimate], targets: Targets) -> float:
    """Log-likelihood gained by the offsets alone; the evidence of the series is relative to them."""
    total = 0.0
    for column, estimate in enumerate(drift):
        if estimate.features.factors:
            for piece in pieces:
                (values, weights), offset = targets(piece), estimate.offset(piece.points)
                total += float(weights[:, column] @ (offset * (values[:, column] - offset / 2)))
    return total


def drift_targets(
    overview: Overview,
    rest: Float[np.ndarray, "b n"],
    noisy: Bool[np.ndarray, " n"] | None = None,
    features: Features | None = None,
) -> tuple[Targets, bool]:
    """Δx/Δt = f + noise of variance a/Δt, a from the squares of `rest`; and whether the weights are proportional.

    Coordinates without noise get one weight everywhere, since their residual is no diffusion. The bias from weights
    computed on the same data is corrected where it is known which coordinates have noise.
    """
    variances = map_variances(overview, rest, features)
    nowhere = np.zeros(rest.shape[1], dtype=bool)
    still, pulled = (nowhere, nowhere) if noisy is None else (~noisy, noisy)
    step = np.mean(scaled_block(overview.sample, overview.domain).dt)
    level = np.maximum(np.mean(rest**2, axis=0), (FIT.rounding_residual**0.5 * step) ** 2) / step
    return _DriftTargets(variances, still, pulled, level), variances.uniform


@dataclass(frozen=True, eq=False)
class _DriftTargets:
    """Δx/Δt and weights.

    `still` marks coordinates without noise, whose level is the same everywhere; `pulled` marks those whose weights bias
    means.
    """

    variances: VarianceMap
    still: Bool[np.ndarray, " n"]
    pulled: Bool[np.ndarray, " n"]
    level: Float[np.ndarray, " n"]

    def __call__(self, block: Scaled) -> tuple[np.ndarray, np.ndarray]:
        variances, factors = self.variances(block.points)
        local = np.where(self.still, self.level, variances)
        restored = np.where(self.pulled, factors[:, None], 1.0)
        return block.dx * restored / block.dt[:, None], block.dt[:, None] / local


def diffusion_targets(
    overview: Overview, drift: Sequence[Estimate], noisy: Bool[np.ndarray, " n"], features: Features | None = None
) -> tuple[_DiffusionTargets, bool]:
    """rrᵀ/Δt = a + noise of variance a^{ii}a^{jj} + (a^{ij})², r the residual of the drift, among noisy coordinates."""
    variances = map_variances(overview, residuals(scaled_block(overview.sample, overview.domain), drift), features)
    pairs = list(combinations_with_replacement(np.flatnonzero(noisy).tolist(), 2))
    plain = tuple(replace(estimate, folds=None) for estimate in drift)
    return _DiffusionTargets(variances, plain, np.array(pairs, dtype=int).reshape(-1, 2)), variances.uniform


@dataclass(frozen=True, eq=False)
class _DiffusionTargets:
    """Products of residuals and weights; the drift's sums by parts are dropped to keep the object small."""

    variances: VarianceMap
    drift: tuple[Estimate, ...]
    pairs: Int[np.ndarray, "entries 2"]

    def __call__(self, block: Scaled) -> tuple[np.ndarray, np.ndarray]:
        first, second = self.pairs.T
        factor = np.where(first == second, 2.0, 1.0)
        rest, (local, restored) = residuals(block, self.drift), self.variances(block.points)
        values = rest[:, first] * rest[:, second] * (restored**2 / block.dt)[:, None]
        return values, 1 / (factor * local[:, first] * local[:, second])

    def widened(self, block: Scaled) -> Float[np.ndarray, " b"]:
        """What the variance of the scores is multiplied by."""
        return self.variances.widened(block.points)
