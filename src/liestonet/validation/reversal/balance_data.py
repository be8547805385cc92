"""Detailed balance of data: a likelihood ratio with a free potential, and the entropy production rate with its error.

Imposing balance restricts drift and diffusion, with Φ free: what Φ absorbs is not evidence. Entropy is produced at the
rate e = ½ E[uᵀ a⁻¹ u], u = 2 f⁺ − div a − a∇ ln ρ, the mean over the stationary density. Noise of the estimate makes
|u|² too large on average; this bias is subtracted. See docs/method.md §15.2 and §15.3.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import scipy.special
from jaxtyping import Bool, Float, Int

from liestonet.core.p_values import p_clause
from liestonet.core.points import PointCloud
from liestonet.core.progress import Progress
from liestonet.errors import InputError
from liestonet.surrogate.noiseless_coordinates import residuals
from liestonet.surrogate.regression import scaled_block
from liestonet.surrogate.relaxation import recorded_times
from liestonet.surrogate.surrogate import Surrogate
from liestonet.symmetry.statistical.verdicts import Criteria, verdict_of
from liestonet.trajectories import Trajectories
from liestonet.validation.bartlett import Costs, safely_noisy
from liestonet.validation.flows import widened
from liestonet.validation.generator_residuals import GivenResiduals
from liestonet.validation.intervals import with_free_linear_terms
from liestonet.validation.maps.claims import joined
from liestonet.validation.maps.map_residuals import low_functions
from liestonet.validation.maps.map_test import Prepared, prepare, without_date, without_time
from liestonet.validation.ratio import Clouds, likelihood_ratio
from liestonet.validation.reversal.balance import (
    FEWER_SOURCES,
    ORDER,
    Balanced,
    Coefficients,
    Signs,
    balanced,
    change_rows,
    coefficients_of,
    frame_of,
    potential_gradients,
    split,
)
from liestonet.validation.reversal.entropy import Stationary, produced
from liestonet.validation.reversal.reversible import EntropyProduction, Reversibility
from liestonet.validation.tuning import REVERSAL


def of_data(
    data: Trajectories, odd: Bool[np.ndarray, " n"], criteria: Criteria, measurement: Any, clock: Any, say: Progress
) -> Reversibility:
    """Test detailed balance of the law of data."""
    prepared = without_time(prepare(data, measurement, clock, say))
    surrogate = prepared.surrogate
    signs = Signs(odd, surrogate.noisy)
    notes = _notes(prepared)
    if surrogate.dimension == 1 and not surrogate.domain.periodic and not odd.any():
        return _one_coordinate(prepared, criteria, notes)
    if not surrogate.errors.complete:
        raise InputError(
            f"reversible takes data of at most three coordinates, not {surrogate.dimension}: with more, only a sample "
            "of the errors is known. Test fewer coordinates."
        )
    if _fewer_sources(surrogate):
        raise InputError(FEWER_SOURCES)
    say("testing detailed balance")
    put = partial(_put, signs, prepared)
    cloud = _cloud(signs, prepared, surrogate)
    clouds = Clouds(cloud, partial(_cloud, signs, prepared))
    costs = Costs(GivenResiduals.split_deviances, joined=True)
    ratio = likelihood_ratio(put, put, prepared.tried, surrogate, clouds, costs)
    p_value, (lower, upper) = joined(ratio.p_values(), ratio.costs), ratio.interval(0, 1 - criteria.error_rate)
    rejected = p_value <= criteria.error_rate
    say("entropy production")
    produced, why = _entropy(signs, prepared, criteria)
    return Reversibility(
        holds=None,
        residual=ratio.evidence.residual(0),
        lower=lower,
        upper=upper,
        p_value=p_value,
        verdict=verdict_of(not rejected, rejected, lower, upper, criteria.tolerance),
        status="tested",
        odd=tuple(name for name, turned in zip(surrogate.names, odd.tolist(), strict=True) if turned),
        names=surrogate.names,
        entropy_production=produced,
        breaking=_breaking(signs, prepared, cloud),
        deviance=sum(deviance for deviance, _ in ratio.costs),
        dof=sum(dof for _, dof in ratio.costs),
        increments=surrogate.overview.count,
        error_rate=criteria.error_rate,
        notes=(*((why,) if why else ()), *((ratio.laws[0].note,) if ratio.laws[0].note else ()), *notes),
    )


def _notes(prepared: Prepared) -> tuple[str, ...]:
    notes = []
    if prepared.autonomous is not None:
        notes.append(without_date(prepared.autonomous))
    elif prepared.surrogate.drift_estimates[0].features.degrees[:, 0].any():
        notes.append("The law depends on time, so that there is no stationary state; balance is tested at each time.")
    return (*notes, *(flag.message for flag in prepared.doubts))


def _one_coordinate(prepared: Prepared, criteria: Criteria, notes: tuple[str, ...]) -> Reversibility:
    """The outcome for one coordinate: every diffusion on a line satisfies detailed balance, so nothing is tested."""
    names = prepared.surrogate.names
    always = "On a line every diffusion satisfies detailed balance: there is nothing to test."
    return Reversibility(
        holds=True,
        residual=0.0,
        lower=0.0,
        upper=0.0,
        p_value=1.0,
        verdict="symmetry",
        status="proved",
        odd=(),
        names=names,
        entropy_production=EntropyProduction(0.0, 0.0, 0.0, 0.0),
        breaking=lambda x: np.zeros(np.shape(x)),
        increments=prepared.surrogate.overview.count,
        error_rate=criteria.error_rate,
        notes=(always, *notes),
    )


def _cloud(signs: Signs, prepared: Prepared, surrogate: Surrogate) -> PointCloud:
    """Points of a fit that are safely noisy and, with odd variables, have visited images."""
    points = surrogate.overview.points
    wanted = REVERSAL.imposed_points
    points = points[np.linspace(0, len(points) - 1, min(4 * wanted, len(points))).astype(int)]
    if signs.turned:
        points = points[prepared.visited(signs.image(points))]
        if len(points) < wanted / 8:
            raise InputError(
                "The data have hardly visited the states with the signs of the odd variables changed; reversal cannot "
                "be tested there. Check which variables are odd, or record more."
            )
    points = points[np.linspace(0, len(points) - 1, min(wanted, len(points))).astype(int)]
    return safely_noisy(surrogate, points)


def _fewer_sources(surrogate: Surrogate) -> bool:
    """Whether increments less the drift show that some combination of noisy coordinates has no noise."""
    noisy = np.flatnonzero(surrogate.noisy)
    sample = scaled_block(surrogate.overview.sample, surrogate.domain)
    left = residuals(sample, surrogate.drift_estimates)[:, noisy] / np.sqrt(sample.dt)[:, None]
    sizes = np.maximum(np.sqrt(np.mean(left**2, axis=0)), np.finfo(float).tiny)
    return len(noisy) > 1 and float(np.linalg.eigvalsh((left / sizes).T @ (left / sizes))[0]) < (
        REVERSAL.fewer_sources * len(left)
    )


def _put(signs: Signs, prepared: Prepared, surrogate: Surrogate, cloud: PointCloud) -> GivenResiduals:
    """Residuals of balance with the best Φ, and their changes by errors of the coefficients that Φ does not absorb."""
    found, changed = at_points(signs, surrogate, cloud.points, surrogate.errors.root)
    frame = frame_of(signs, found, cloud.points, cloud.weights, surrogate.domain)
    best = balanced(frame, found)
    changes = best.without_potential(change_rows(frame, changed, best.slope))
    return GivenResiduals(
        best.residual[None],
        changes[None],
        surrogate.errors.scatter.shape[1],
        surrogate.errors.complete,
        _smooth(best, cloud, surrogate),
    )


def at_points(
    signs: Signs,
    surrogate: Surrogate,
    points: Float[np.ndarray, "b v"],
    directions: Float[np.ndarray, "p s"],
    continued: bool = False,
) -> tuple[Coefficients, Coefficients]:
    """Coefficients at points, and at their images where signs change, with their changes in directions.

    Series are not valid beyond the box: where points may lie there (`continued`), the drift is continued linearly from
    the nearest place inside and the diffusion as a constant.
    """
    places = [points, signs.image(points)] if signs.turned else [points]
    pairs = [_at_places(surrogate, at, directions, continued) for at in places]
    (found, changed), *turned = pairs
    if not turned:
        return found, changed
    return replace(found, turned=turned[0][0]), replace(changed, turned=turned[0][1])


def _at_places(
    surrogate: Surrogate, points: Float[np.ndarray, "b v"], directions: Float[np.ndarray, "p s"], continued: bool
) -> tuple[Coefficients, Coefficients]:
    n = surrogate.dimension
    inside = points
    if continued:
        low, high = widened(surrogate.domain, 0.0).T
        inside = np.clip(points, low, high)
    jet, moved = surrogate.jet_and_directions(inside, ORDER, directions)
    if moved is None:
        raise RuntimeError("directions were asked for")
    away = (points - inside)[:, 1:]
    pairs = []
    for arrays, sets in ((jet, False), (moved, True)):
        made = coefficients_of(arrays, n, sets)
        if away.any():
            slopes = np.stack([arrays.drift[(i + 1,)] for i in range(n)], axis=2)
            slopes = slopes if sets else slopes[..., None]
            made = replace(made, drift=made.drift + np.einsum("bijs,bj->bis", slopes, away))
        pairs.append(made)
    return pairs[0], pairs[1]


def _smooth(best: Balanced, cloud: PointCloud, surrogate: Surrogate) -> Float[np.ndarray, "rows q"]:
    """Residuals of drifts of degree one in the equations: a circulation, or a friction that breaks balance."""
    n = surrogate.dimension
    signs, domain = best.frame.signs, surrogate.domain
    here = low_functions(cloud.points, domain, 1)
    there = low_functions(signs.image(cloud.points), domain, 1)
    sets = n * here.shape[1]
    drift, turned = np.zeros((len(here), n, sets)), np.zeros((len(here), n, sets))
    slopes, turned_slopes = np.zeros((len(here), sets)), np.zeros((len(here), sets))
    for i in range(n):
        own = slice(i * here.shape[1], (i + 1) * here.shape[1])
        drift[:, i, own], turned[:, i, own] = here, there
        slopes[:, own] = _slope_of(cloud.points, surrogate, i)
        turned_slopes[:, own] = _slope_of(signs.image(cloud.points), surrogate, i)
    nothing = np.zeros((len(here), n, n, sets))
    flat = np.zeros((len(here), n, sets))
    made = Coefficients(drift, nothing, slopes, flat, Coefficients(turned, nothing, turned_slopes, flat))
    columns = best.without_potential(change_rows(best.frame, made, best.slope))
    lengths = np.linalg.norm(columns, axis=0)
    kept = lengths > REVERSAL.seen_low * lengths.max(initial=0.0)
    return columns[:, kept] / lengths[kept]


def _slope_of(points: Float[np.ndarray, "b v"], surrogate: Surrogate, i: int) -> Float[np.ndarray, "b q"]:
    """∂_i of the functions of degree one."""
    step = 1e-4 * surrogate.domain.half[i + 1]
    shift = np.zeros(points.shape[1])
    shift[i + 1] = step
    above, below = (low_functions(points + sign * shift, surrogate.domain, 1) for sign in (1, -1))
    return (above - below) / (2 * step)


def _breaking(signs: Signs, prepared: Prepared, cloud: PointCloud) -> Callable[[Any], Float[np.ndarray, "b n"]]:
    """½(2f⁺ − div a − a∇Φ) as a function of x, with the Φ that is closest to balance on the data."""
    surrogate = prepared.surrogate
    nothing = np.zeros((len(surrogate.parameters), 1))
    found, _ = at_points(signs, surrogate, cloud.points, nothing)
    frame = frame_of(signs, found, cloud.points, cloud.weights, surrogate.domain)
    best = balanced(frame, found)

    def breaking(x: Any) -> Float[np.ndarray, "b n"]:
        states = np.asarray(x, dtype=float)
        if states.ndim != 2 or states.shape[1] != surrogate.dimension:
            raise InputError(
                f"x has shape {states.shape}, but (B, {surrogate.dimension}) is needed: one row per point."
            )
        points = np.column_stack([np.full(len(states), surrogate.domain.centre[0]), states])
        here, _ = at_points(signs, surrogate, points, nothing)
        even, _, _ = split(here, signs)
        slope = potential_gradients(signs, points, surrogate.domain) @ best.coefficients
        rest = (2 * even - here.slope)[..., 0] - np.einsum("bij,bj->bi", here.squared[..., 0], slope)
        return rest / 2

    return breaking


def _entropy(signs: Signs, prepared: Prepared, criteria: Criteria) -> tuple[EntropyProduction | None, str | None]:
    """The entropy production rate, or a reason why there is none."""
    if not signs.noisy.all() and not signs.turned:
        return None, "A coordinate has no noise, so that entropy production is infinite unless some variable is odd."
    rows, groups, why = stationary_rows(prepared)
    if why is not None:
        return None, why
    surrogate, data = prepared.surrogate, prepared.recorded
    points = np.column_stack([data.flat_times[rows], data.flat_states[rows]])
    points[:, 0] = surrogate.domain.centre[0]
    return _rate(signs, with_free_linear_terms(surrogate), points, groups, criteria.error_rate), None


def _rate(
    signs: Signs,
    fit: Surrogate,
    points: Float[np.ndarray, "b v"],
    groups: Int[np.ndarray, " b"],
    error_rate: float,
) -> EntropyProduction:
    """The rate with the bias from noise subtracted, and its interval.

    Errors of the coefficients (their scatter, and the bias of shrinkage) change u and the metric a⁻¹ in which it is
    measured; the scatter of the points is added. Only scatter makes |u|² too large.
    """
    errors = fit.errors
    found, changed = at_points(signs, fit, points, errors.root, continued=True)
    turns = {v: fit.domain.intervals[v] for v in fit.domain.periodic}
    best = produced(Stationary(signs, found, points, groups, turns))
    noisy, root = np.flatnonzero(signs.noisy), np.sqrt(1 / len(points))
    even, _, _ = split(changed, signs)
    inner = np.einsum("bijs,bj->bis", changed.squared[:, noisy][:, :, noisy], best.slope[:, noisy])
    moved = np.linalg.solve(best.roots, (2 * even - changed.slope)[:, noisy] - inner) * root
    moved = moved.reshape(-1, moved.shape[-1])
    moved -= best.taken @ (best.taken.T @ moved)
    scattered = moved[:, : errors.scatter.shape[1] - errors.hidden]
    noise = scattered.T @ scattered
    white = np.linalg.solve(np.swapaxes(best.roots, 1, 2), best.local[..., None])[..., 0]
    metric = np.einsum("bi,bijs,bj->s", white, changed.squared[:, noisy][:, :, noisy], white, optimize=True) / len(
        points
    )
    slope = moved.T @ best.local.ravel() * root - metric / 2
    whole = 0.5 * float(np.mean(np.sum(best.local**2, axis=1)))
    along = float(slope @ slope) / max(whole, np.finfo(float).tiny)
    # noise in one direction, that of u, is part of the square; all of it in others stands beside
    beside = max(0.5 * float(np.sum(noise**2)) - along**2 / 8, 0.0) + best.variance
    return EntropyProduction.of_square(best.value - 0.5 * float(np.trace(noise)), along, beside, error_rate)


def stationary_rows(prepared: Prepared) -> tuple[Int[np.ndarray, " b"], Int[np.ndarray, " b"], str | None]:
    """Rows of the paths that are stationary, the blocks they belong to, and a reason if there are none."""
    recorded = prepared.recorded
    nothing = np.zeros(0, dtype=np.int64)
    rate = recorded_times(recorded, together=True).rate
    if rate <= 0:
        return nothing, nothing, "No relaxation is seen, so that the data have no stationary state to average over."
    waiting = REVERSAL.relaxations / rate
    begins = np.repeat(recorded.flat_times[recorded.offsets[:-1]], np.diff(recorded.offsets))
    late = recorded.flat_times - begins >= waiting
    if late.mean() < REVERSAL.least_stationary:
        p_value = _changing(recorded)
        if p_value < REVERSAL.changing_level:
            return (
                nothing,
                nothing,
                (
                    "The paths have not reached a stationary state: they are too short compared with "
                    "their relaxation time "
                    f"({1 / rate:.3g}), and their law changes from beginning to end ({p_clause(p_value)})."
                ),
            )
        late = np.ones(len(recorded.flat_times), dtype=bool)
    elif (p_value := _changing(recorded, waiting)) < REVERSAL.changing_level:
        return (
            nothing,
            nothing,
            (f"The paths have not reached a stationary state: their law still changes ({p_clause(p_value)})."),
        )
    rows = np.flatnonzero(late)
    rows = rows[np.linspace(0, len(rows) - 1, min(REVERSAL.averaged_points, len(rows))).astype(int)]
    paths = np.searchsorted(recorded.offsets, rows, side="right") - 1
    if len(recorded) >= REVERSAL.blocks:
        groups = paths * REVERSAL.blocks // len(recorded)
    else:
        groups = np.arange(len(rows)) * REVERSAL.blocks // len(rows)
    return rows, groups, None


def _changing(data: Trajectories, waiting: float = 0.0) -> float:
    """P-value for the same mean and square of every coordinate after some time and at the end of the paths."""
    pairs = []
    for start, stop in zip(data.offsets[:-1].tolist(), data.offsets[1:].tolist(), strict=True):
        late = np.flatnonzero(data.flat_times[start:stop] - data.flat_times[start] >= waiting)
        if len(late) > 1:
            pairs.append((data.flat_states[start + int(late[0])], data.flat_states[stop - 1]))
    if len(pairs) < 4:
        return 1.0
    first, last = (np.array([pair[k] for pair in pairs]) for k in range(2))
    turns = [i for i, name in enumerate(data.names) if name not in data.periodic]
    changes = np.concatenate([(last - first)[:, turns], (last**2 - first**2)[:, turns]], axis=1)
    if not changes.shape[1]:
        return 1.0
    errors = changes.std(axis=0, ddof=1) / np.sqrt(len(changes))
    largest = float(np.max(np.abs(changes.mean(axis=0)) / np.maximum(errors, np.finfo(float).tiny)))
    return float(min(1.0, changes.shape[1] * 2 * scipy.special.stdtr(len(changes) - 1, -largest)))
