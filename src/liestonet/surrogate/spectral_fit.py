"""How the spectral surrogate is fitted: increments on the drift, then squared residuals on the diffusion.

The estimates are linear in the data, which is what the judging of symmetries rests on (docs/method.md §5.1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations_with_replacement

import numpy as np
from jaxtyping import Bool, Float

from liestonet.core.progress import Progress, silent
from liestonet.errors import InputError
from liestonet.surrogate.covariance import parameter_errors
from liestonet.surrogate.discretisation import step_directions
from liestonet.surrogate.error_directions import resolved_errors
from liestonet.surrogate.features import Features, coordinate_variants, degree_variants, with_frequencies
from liestonet.surrogate.frequencies import frequencies_of, reach
from liestonet.surrogate.noiseless_coordinates import noisy_coordinates, residuals
from liestonet.surrogate.overview import Overview, look_over
from liestonet.surrogate.recording_fit import fit_recording, is_modelled
from liestonet.surrogate.regression import (
    Entry,
    Estimate,
    Scaled,
    Targets,
    pieces_of,
    regress,
    scaled_block,
    scaled_blocks,
)
from liestonet.surrogate.surrogate import Surrogate
from liestonet.surrogate.tuning import FIT
from liestonet.surrogate.variances import map_variances
from liestonet.trajectories.clock import Relabelled
from liestonet.trajectories.increments import Increments, IncrementSource


def fit_spectral(source: IncrementSource, progress: Progress | None = None) -> Surrogate:
    """Estimate drift and diffusion of trajectories in memory or in a file."""
    try:
        return _recorded(_fitted(source, progress or silent), source, progress or silent)
    except np.linalg.LinAlgError:
        raise InputError(
            "Drift and diffusion cannot be estimated from these paths: their increments differ too much in size, or "
            "are nearly deterministic. Restrict times and states, leave out columns that are no coordinates "
            "(state=, --state), or check that the values were not smoothed."
        ) from None


def _recorded(fitted: Surrogate, source: IncrementSource, say: Progress) -> Surrogate:
    """The same with errors of the recording in the model, where they are."""
    if not is_modelled(fitted, source):
        return fitted
    found = fit_recording(fitted, source, say)
    return found if found.dimension == 1 or found is fitted else replace(found, errors=resolved_errors(found))


def _fitted(source: IncrementSource, say: Progress) -> Surrogate:
    """Coordinates and degrees first, then drift, diffusion, and the covariance of both."""
    say("looking over the data")
    overview = look_over(source)
    features = choose_features(overview, isinstance(source, Relabelled) and source.autonomous)
    say(f"drift from {overview.count:,} increments")
    sample = scaled_block(overview.sample, overview.domain)
    entries: list[Entry] = [(i,) for i in range(sample.dx.shape[1])]
    targets = drift_targets(overview, sample.dx)
    drift = regress(scaled_blocks(source, overview.domain), features, entries, *targets)
    noisy = noisy_coordinates(overview, drift)
    if not noisy.any():
        raise InputError(
            f"There is no noise in {' or '.join(overview.names)}: these paths follow an ordinary differential equation,"
            " which has infinitely many symmetries. Check that the recorded values were not smoothed or filtered."
        )
    if not noisy.all():
        say("drift of coordinates without noise")
        targets = drift_targets(overview, np.where(noisy, sample.dx, residuals(sample, drift)), noisy)
        drift = regress(scaled_blocks(source, overview.domain), features, entries, *targets)
    say("diffusion")
    squares = diffusion_targets(overview, drift, noisy)
    pairs = list(combinations_with_replacement(np.flatnonzero(noisy).tolist(), 2))
    diffusion = regress(scaled_blocks(source, overview.domain), features, pairs, *squares) if pairs else []
    say("covariance of the estimates")
    errors = parameter_errors(overview, [(drift, targets[0]), (diffusion, squares[0])])
    surrogate = Surrogate(overview, tuple(drift), tuple(diffusion), errors, noisy)
    surrogate = replace(surrogate, errors=errors.with_hidden(step_directions(surrogate)))
    if errors.complete and surrogate.dimension > 1:
        surrogate = replace(surrogate, errors=resolved_errors(surrogate))
    return surrogate


def fit_again(like: Surrogate, source: IncrementSource) -> Surrogate:
    """Other data in the box, the series and with the noisy coordinates of an earlier fit; its errors are kept.

    For data drawn on the same design, where choosing everything anew would cost most of the time.
    """
    overview, noisy = look_over(source, like.domain), like.noisy
    features = like.drift_estimates[0].features
    inside, least = len(overview.sample.t), min(features.size, len(like.overview.sample.t) // 2)
    if inside < least:
        raise InputError(
            f"Only {inside} increments begin inside the box, too few to fit there; give data that stay in it."
        )
    sample = scaled_block(overview.sample, overview.domain)
    rest = sample.dx if noisy.all() else np.where(noisy, sample.dx, residuals(sample, like.drift_estimates))
    targets = drift_targets(overview, rest, None if noisy.all() else noisy)
    entries = [estimate.entry for estimate in like.drift_estimates]
    drift = regress(scaled_blocks(source, overview.domain), features, entries, *targets)
    pairs = [estimate.entry for estimate in like.diffusion_estimates]
    squares = diffusion_targets(overview, drift, noisy)
    diffusion = regress(scaled_blocks(source, overview.domain), features, pairs, *squares) if pairs else []
    found = {"drift_estimates": tuple(drift), "diffusion_estimates": tuple(diffusion)}
    return replace(like, overview=overview, joint=None, recorded=None, **found)


def choose_features(overview: Overview, autonomous: bool = False) -> Features:
    """The features that explain a sample best: first the coordinates, then the degrees; without time if asked so."""
    variants = coordinate_variants(overview.domain, autonomous)
    costs = [-FIT.logarithm_credit * sum(features.logarithmic) for features in variants]
    best = _most_likely(_thinned(overview, FIT.tried_coordinates), variants, costs)
    choices = [best, *degree_variants(best, autonomous)]
    if overview.domain.periodic:
        highest = {v: reach(found) for v, found in frequencies_of(overview).items()}
        choices += filter(None, [with_frequencies(features, highest) for features in choices])
    return _most_likely(_thinned(overview, FIT.tried_degrees), choices, [0.0] + [FIT.degrees_cost] * (len(choices) - 1))


def _most_likely(overview: Overview, variants: Sequence[Features], costs: Sequence[float]) -> Features:
    """The variant with the largest log evidence for all coefficients, less its cost."""
    if len(variants) == 1:
        return variants[0]
    scores = [_log_evidence(overview, features) - cost for features, cost in zip(variants, costs, strict=True)]
    return variants[int(np.argmax(scores))]


def _thinned(overview: Overview, count: int) -> Overview:
    """The same with a smaller sample."""
    rows = slice(None, None, max(1, len(overview.sample.t) // count))
    return replace(overview, sample=Increments(*(array[rows] for array in overview.sample)))


def _log_evidence(overview: Overview, features: Features) -> float:
    """Log evidence of drift and of the noisy coordinates' own squares in these features.

    What is left of a coordinate without noise is the prior's misfit: its squares are evidence of nothing.
    """
    sample = scaled_block(overview.sample, overview.domain)
    n, pieces = sample.dx.shape[1], list(pieces_of(sample))
    drift = regress(pieces, features, [(i,) for i in range(n)], *drift_targets(overview, sample.dx))
    noisy = noisy_coordinates(overview, drift)
    squares, pooled = diffusion_targets(overview, drift, noisy)
    pairs = list(combinations_with_replacement(np.flatnonzero(noisy).tolist(), 2))
    own = [place for place, (i, j) in enumerate(pairs) if i == j]

    def targets(block: Scaled) -> tuple[np.ndarray, np.ndarray]:
        values, weights = squares(block)
        return values[:, own], weights[:, own]

    entries = [pairs[place] for place in own]
    diffusion = regress(pieces, features, entries, targets, pooled) if own else []
    return sum(estimate.log_evidence for estimate in (*drift, *diffusion))


def drift_targets(
    overview: Overview, rest: Float[np.ndarray, "b n"], noisy: Bool[np.ndarray, " n"] | None = None
) -> tuple[Targets, bool]:
    """Δx/Δt = f + noise of variance a/Δt, a from the squares of `rest`; and whether the weights are proportional.

    Coordinates without noise get one weight everywhere: what is left of them is no diffusion.
    """
    variances = map_variances(overview, rest)
    still = np.zeros(rest.shape[1], dtype=bool) if noisy is None else ~noisy
    step = np.mean(scaled_block(overview.sample, overview.domain).dt)
    level = np.maximum(np.mean(rest**2, axis=0), (FIT.rounding_residual**0.5 * step) ** 2) / step

    def targets(block: Scaled) -> tuple[np.ndarray, np.ndarray]:
        local = np.where(still, level, variances(block.points))
        return block.dx / block.dt[:, None], block.dt[:, None] / local

    return targets, variances.uniform


def diffusion_targets(
    overview: Overview, drift: Sequence[Estimate], noisy: Bool[np.ndarray, " n"]
) -> tuple[Targets, bool]:
    """rrᵀ/Δt = a + noise of variance a^{ii}a^{jj} + (a^{ij})², r the residual of the drift, among noisy coordinates."""
    variances = map_variances(overview, residuals(scaled_block(overview.sample, overview.domain), drift))
    pairs = list(combinations_with_replacement(np.flatnonzero(noisy).tolist(), 2))
    first, second = np.array(pairs, dtype=int).reshape(-1, 2).T
    factor = np.where(first == second, 2.0, 1.0)

    def targets(block: Scaled) -> tuple[np.ndarray, np.ndarray]:
        rest, local = residuals(block, drift), variances(block.points)
        return rest[:, first] * rest[:, second] / block.dt[:, None], 1 / (factor * local[:, first] * local[:, second])

    return targets, variances.uniform
