"""The constants of an equation by maximum likelihood with the exact transition density of every step.

Steps may be long and of unequal length, since nothing is expanded in them. Errors come from the observed information,
and robust errors from the scatter of the paths' scores (docs/method.md §16.7).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np
from jaxtyping import Float
from scipy.optimize import minimize

from liestonet.core.flags import Flag
from liestonet.core.numbers import is_real
from liestonet.core.progress import Progress, silent
from liestonet.densities.compiled import Compiled, compiled
from liestonet.densities.density import Density, density_from
from liestonet.densities.tuning import LIKELIHOOD
from liestonet.errors import InputError
from liestonet.formulas.notation import with_uncertainty
from liestonet.sde.sde import SDE
from liestonet.trajectories.increments import Increments
from liestonet.trajectories.trajectories import Trajectories

Values = Float[np.ndarray, " p"]
Matrix = Float[np.ndarray, "p p"]


@dataclass(frozen=True)
class Estimate:
    """One constant of a model: its value, its standard error, and a robust error that does not assume the model."""

    name: str
    value: float
    error: float
    robust_error: float

    def __str__(self) -> str:
        return f"{self.name} = {with_uncertainty(self.value, self.error)}"


@dataclass(frozen=True)
class ModelFit:
    """An equation whose constants were fitted by exact likelihood.

    `constants` are rows with `name`, `value`, `error` (from the observed information) and `robust_error` (from the
    scatter of scores, path by path where there are many, else step by step); `covariance` belongs to the errors, in the
    order of `constants`. `sde` is the equation with the fitted values, `density` its transition density.
    """

    model: str
    constants: tuple[Estimate, ...]
    covariance: Matrix
    log_likelihood: float
    steps: int
    paths: int
    sde: SDE
    density: Density
    flags: tuple[Flag, ...] = ()
    robust_covariance: Matrix = field(default_factory=lambda: np.zeros((0, 0)), repr=False)

    def __getitem__(self, name: str) -> Estimate:
        for row in self.constants:
            if row.name == name:
                return row
        raise KeyError(name)

    def __str__(self) -> str:
        listed = ", ".join(map(str, self.constants))
        return f"{self.model} with {listed} (exact likelihood, {self.steps:,} steps, log L = {self.log_likelihood:.6g})"


def fit_model(
    data: object,
    model: object,
    boundary: object = None,
    start: object = None,
    domain: object = None,
    progress: Progress | None = None,
) -> ModelFit:
    """Fit the free constants of a scalar equation by exact maximum likelihood."""
    say = progress or silent
    if not isinstance(data, Trajectories):
        raise InputError(f"An exact likelihood needs Trajectories in memory, not a {type(data).__name__}.")
    sde = SDE.parse(model) if isinstance(model, str) else model
    if not isinstance(sde, SDE):
        raise InputError(
            f"The model is a {type(sde).__name__}; give text such as 'dx = k*(m - x) dt + s dW', or an SDE."
        )
    if not sde.parameters:
        raise InputError(f"The model {sde} has no free constant; leave at least one name without a value.")
    if data.dimension != 1:
        raise InputError(
            f"The data have {data.dimension} coordinates, and exact likelihoods are for one; take one of them."
        )
    flags = tuple(_data_flags(data))
    steps = data.increments()
    say("finding the density of the model")
    found = density_from(sde, None, boundary, domain, float(np.median(steps.x[:, 0])), say)
    _require_inside(found, data)
    begin = _given_start(sde, start)
    say("looking for starting values")
    guesses = [begin] if begin is not None else _guesses(found, steps)
    if not np.isfinite(_part(found, steps)(guesses[0])):
        found = _kernel_at(guesses[0], found, boundary, domain, steps)
    first = _best(guesses, _part(found, steps))
    exact = _Exact(found, steps)
    say("maximising the likelihood")
    best = _maximised(exact, first)
    say("computing errors")
    return _fitted(found, exact, best, data, str(model) if isinstance(model, str) else str(sde), flags)


class _Exact:
    """The log likelihood as a function of the constants; minus infinity where the model is not defined."""

    def __init__(self, density: Density, steps: Increments) -> None:
        self.density, self.steps = density, steps
        self.ends = steps.x[:, 0] + steps.dx[:, 0]
        same = np.unique(steps.dt)
        timed = density.kernel.plan.structure.equation.timed
        # functions of time are computed once for equal steps
        self._time = (same[0], np.float64(0.0)) if len(same) == 1 and not timed else (steps.t + steps.dt, steps.t)

    def part(self, rows: Any) -> _Exact:
        """The log likelihood of some of the steps."""
        return _Exact(self.density, Increments(*(array[rows] for array in self.steps)))

    def terms(self, values: Values) -> Float[np.ndarray, " n"] | None:
        """log p of every step."""
        try:
            with np.errstate(all="ignore"):
                found = self.density.kernel.log_density(
                    self._time[0], self.ends, self._time[1], self.steps.x[:, 0], tuple(values.tolist())
                )
        except (InputError, FloatingPointError, OverflowError):
            return None
        found = np.broadcast_to(np.asarray(found, dtype=float), self.ends.shape)
        return found if np.isfinite(found).all() else None

    def __call__(self, values: Values) -> float:
        found = self.terms(np.asarray(values, dtype=float))
        return -np.inf if found is None else float(found.sum())


def _part(found: Density, steps: Increments) -> _Exact:
    """The likelihood of some of the steps."""
    count = len(steps.dt)
    return _Exact(found, steps).part(np.linspace(0, count - 1, min(count, LIKELIHOOD.sampled)).astype(int))


def _kernel_at(values: Values, found: Density, boundary: Any, domain: Any, steps: Increments) -> Density:
    """The density with the kernel valid near these constants; kernels may differ, as for x^g on both sides of g = 1.

    The density as it is if there is none for these.
    """
    try:
        other = density_from(found.sde, None, boundary, domain, float(np.median(steps.x[:, 0])), near=values.tolist())
    except InputError:
        return found
    return other if np.isfinite(_part(other, steps)(values)) else found


def _best(guesses: Sequence[Values], exact: _Exact) -> Values:
    """The guess with the highest likelihood."""
    best, values = max(((exact(values), values) for values in guesses), key=lambda pair: pair[0])
    if not np.isfinite(best):
        raise InputError(
            "No values of the constants were found at which the data have a positive density; give start={...} with "
            "plausible values."
        )
    return values


def _guesses(found: Density, steps: Increments) -> list[Values]:
    """Starting values, the best first, chosen among many draws by Euler's approximate likelihood."""
    equation = found.kernel.plan.structure.equation
    parts = compiled([equation.time, equation.state, *equation.free], [equation.drift, equation.squared])
    count = len(steps.dt)
    rows = np.linspace(0, count - 1, min(count, LIKELIHOOD.sampled)).astype(int)
    few = Increments(*(array[rows] for array in steps))
    rng = np.random.default_rng(LIKELIHOOD.seed)
    signs = np.array([1.0 if value > 0 else -1.0 for value in equation.draw.values()])
    units = _units(steps)
    draws = [
        signs * np.exp(rng.normal(0.0, LIKELIHOOD.spread, len(signs))) * (rng.choice(units, len(signs)) if k % 2 else 1)
        for k in range(LIKELIHOOD.draws)
    ]
    scored = sorted(draws, key=lambda draw: _euler(parts, few, draw))
    tried = []
    for draw in scored[: LIKELIHOOD.tried]:
        rough = minimize(
            lambda values: _euler(parts, few, values), draw, method="Nelder-Mead", options=_simplex(len(draw))
        )
        tried.append(np.asarray(rough.x))
    return sorted([*tried, *scored[: LIKELIHOOD.tried]], key=lambda values: _euler(parts, few, values))


def _units(steps: Increments) -> Values:
    """Typical sizes of constants in the units of the data: of states, rates, speeds and noise."""
    size, span = float(np.median(np.abs(steps.x))), float(np.median(steps.dt))
    noise = float(np.sqrt(np.mean(steps.dx**2 / steps.dt[:, None])))
    sizes = np.array([1.0, size, 1 / span, size / span, noise, 1 / np.sqrt(span), noise / size if size > 0 else 1.0])
    return sizes[np.isfinite(sizes) & (sizes > 0)]


def _simplex(count: int) -> dict[str, Any]:
    return {"maxiter": LIKELIHOOD.simplex_steps * count, "xatol": 1e-4, "fatol": 1e-3, "adaptive": count > 2}


def _euler(parts: Compiled, steps: Increments, values: Values) -> float:
    """Minus Euler's log likelihood."""
    with np.errstate(all="ignore"):
        f, a = parts(steps.t, steps.x[:, 0], *np.asarray(values).tolist())
        terms = (steps.dx[:, 0] - f * steps.dt) ** 2 / (a * steps.dt) + np.log(a)
    total = float(terms.sum())
    return total if np.isfinite(total) else 1e300


def _maximised(exact: _Exact, first: Values) -> Values:
    """The maximum, by a simplex search on some of the steps, then Newton's method with finite differences on all."""
    count = len(exact.ends)
    rows = np.linspace(0, count - 1, min(count, LIKELIHOOD.sampled)).astype(int)
    part = exact.part(rows)

    def cost(values: Values) -> float:
        found = part(values)
        return -found if np.isfinite(found) else 1e300

    rough = minimize(cost, first, method="Nelder-Mead", options=_simplex(len(first)))
    values, level = np.asarray(rough.x, dtype=float), exact(np.asarray(rough.x, dtype=float))
    steps = _differences(exact, values)
    for _ in range(LIKELIHOOD.newton_steps):
        slope, bend = _derivatives(exact, values, steps)
        if not (np.isfinite(slope).all() and np.isfinite(bend).all()):
            break
        move = steps * _newton_move(slope * steps, bend * np.outer(steps, steps))
        for _ in range(LIKELIHOOD.halvings):
            higher = exact(values + move)
            if higher >= level:
                break
            move = move / 2
        else:
            break
        gained = higher - level
        values, level = values + move, higher
        if gained < LIKELIHOOD.gained:
            break
    return values


def _newton_move(slope: Values, bend: Matrix) -> Values:
    """Newton's step; along the gradient where the likelihood is not concave."""
    sizes, vectors = np.linalg.eigh(-bend)
    safe = np.maximum(np.abs(sizes), LIKELIHOOD.least_curvature * np.abs(sizes).max())
    return vectors @ ((vectors.T @ slope) / safe)


def _differences(exact: _Exact, values: Values) -> Values:
    """A finite difference for each constant that changes the likelihood little, but by more than rounding."""
    steps = LIKELIHOOD.difference * np.maximum(np.abs(values), LIKELIHOOD.least_size)
    level = exact(values)
    for unit, position in zip(np.eye(len(values)), range(len(values)), strict=True):
        step = steps[position]
        for _ in range(LIKELIHOOD.searches):
            change = abs(2 * level - exact(values + step * unit) - exact(values - step * unit))
            if LIKELIHOOD.least_change <= change <= LIKELIHOOD.most_change:
                steps[position] = step
                break
            step = step * LIKELIHOOD.finer if not change <= LIKELIHOOD.most_change else step / LIKELIHOOD.finer
    return steps


def _derivatives(function: Callable[[Values], Any], values: Values, steps: Values) -> tuple[Any, Any]:
    """First and second derivatives by central differences, of a number or of every step's logarithm."""
    units = np.diag(steps)
    middle = function(values)
    around = [(function(values + unit), function(values - unit)) for unit in units]
    slope = np.array([(up - down) / (2 * step) for (up, down), step in zip(around, steps, strict=True)])
    bend = np.empty((len(values), len(values)))
    for i, (up, down) in enumerate(around):
        bend[i, i] = (up - 2 * middle + down) / steps[i] ** 2
        for j in range(i):
            corners = [function(values + a * units[i] + b * units[j]) for a in (1, -1) for b in (1, -1)]
            bend[i, j] = bend[j, i] = (corners[0] - corners[1] - corners[2] + corners[3]) / (4 * steps[i] * steps[j])
    return slope, bend


def _fitted(
    found: Density, exact: _Exact, values: Values, data: Trajectories, model: str, flags: tuple[Flag, ...]
) -> ModelFit:
    names = found.parameters
    steps = _differences(exact, values)
    scores = _scores(exact, values, steps)
    _require_determined(names, scores)
    _, bend = _derivatives(exact, values, steps)
    scale = steps / LIKELIHOOD.difference
    sizes = np.linalg.eigvalsh(-bend * np.outer(scale, scale)) if np.isfinite(bend).all() else np.zeros(1)
    if not sizes.min() > LIKELIHOOD.least_curvature * max(sizes.max(), 1.0):
        _refuse_flat(names)
    covariance = np.linalg.inv(-bend)
    robust = _robust(exact, scores, covariance, data)
    rows = tuple(
        Estimate(name, float(value), float(np.sqrt(covariance[k, k])), float(np.sqrt(robust[k, k])))
        for k, (name, value) in enumerate(zip(names, values, strict=True))
    )
    at_values = found.with_parameters({row.name: row.value for row in rows})
    return ModelFit(
        model, rows, covariance, exact(values), len(exact.ends), len(data), at_values.sde, at_values, flags, robust
    )


def _scores(exact: _Exact, values: Values, steps: Values) -> Float[np.ndarray, "n p"]:
    """The derivative of every step's log density by every constant."""
    columns = []
    for unit, step in zip(np.diag(steps), steps, strict=True):
        up, down = exact.terms(values + unit), exact.terms(values - unit)
        if up is None or down is None:
            _refuse_flat(exact.density.parameters)
        columns.append((up - down) / (2 * step))
    found = np.stack(columns, axis=1)
    if not np.isfinite(found).all():
        _refuse_flat(exact.density.parameters)
    return found


def _refuse_flat(names: Sequence[str]) -> NoReturn:
    raise InputError(
        f"The data do not determine {' and '.join(names)} together: the likelihood is flat in a direction, or its "
        "maximum lies at the edge of the region where the model is defined; give one of them a value."
    )


def _require_determined(names: Sequence[str], scores: Float[np.ndarray, "n p"]) -> None:
    """Refuse constants whose scores are linearly dependent in every step: the density has fewer constants."""
    lengths = np.linalg.norm(scores, axis=0)
    if not lengths.all():
        name = names[int(np.flatnonzero(lengths == 0)[0])]
        raise InputError(f"The density does not depend on {name}, so that no data determine it; give it a value.")
    _, sizes, directions = np.linalg.svd(scores / lengths, full_matrices=False)
    if sizes[-1] < LIKELIHOOD.dependent * sizes[0]:
        part = np.linalg.norm(directions[sizes < LIKELIHOOD.dependent * sizes[0]], axis=0)
        together = [name for name, size in zip(names, part, strict=True) if size > LIKELIHOOD.partner * part.max()]
        raise InputError(
            f"No data determine {' and '.join(together)} together, because the density depends on a combination of "
            f"them alone; give {'one of them' if len(together) == 2 else 'all but one of them'} a value."
        )


def _robust(exact: _Exact, scores: Float[np.ndarray, "n p"], covariance: Matrix, data: Trajectories) -> Matrix:
    """The covariance from the scatter of scores: of whole paths if there are many, else of steps."""
    if len(data) >= LIKELIHOOD.many_paths:
        sums = np.zeros((len(data), len(covariance)))
        np.add.at(sums, exact.steps.trajectory, scores)
        scores = sums
    return covariance @ (scores.T @ scores) @ covariance


def _require_inside(found: Density, data: Trajectories) -> None:
    values = tuple(float(value) for value in found.kernel.plan.structure.equation.draw.values())
    low, high = found.kernel.interval(values)
    if found.kernel.plan.structure.equation.low.free_symbols or found.kernel.plan.structure.equation.high.free_symbols:
        return
    states = data.flat_states[:, 0]
    outside = int(np.count_nonzero((states <= low) | (states >= high)))
    if outside:
        raise InputError(
            f"{outside:,} of {len(states):,} points are outside the state space ({low:g}, {high:g}) of the model; "
            "leave them out, or give another model."
        )


def _given_start(sde: SDE, start: Mapping[str, Any] | Any | None) -> Values | None:
    if start is None:
        return None
    if not isinstance(start, Mapping):
        raise InputError(f"start is {start!r}; give a value for each constant, such as start={{'k': 1.5}}.")
    for name in sde.parameters:
        if not is_real(start.get(name)):
            raise InputError(f"start has no number for {name}; give one for each of {', '.join(sde.parameters)}.")
    return np.array([float(start[name]) for name in sde.parameters])


def _data_flags(data: Trajectories) -> list[Flag]:
    """Flags about data for which an exact likelihood is not valid."""
    noise = data.measurement.noise
    sizes = noise.values() if isinstance(noise, dict) else [noise]
    if any(is_real(size) and size > 0 for size in sizes):
        raise InputError(
            "The data have measurement errors, which the exact likelihood does not include; use lsn.fit "
            "without a model, or give measurement=lsn.Measurement(noise=0) if the errors are negligible."
        )
    if data.measurement.steps == "euler":
        message = "The data are marked as Euler steps, and the exact likelihood is that of the equation itself."
        return [Flag("euler-steps", message, "Simulate with more substeps, or expect a bias of the step's size.")]
    return []
