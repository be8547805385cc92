"""Detailed balance of an equation: proved or refuted by SymPy, and its entropy production (docs/method.md §15.4).

With noise in every coordinate ∇Φ = a⁻¹(2f⁺ − div a) must be free of curl and div f⁻ + f⁻·∇Φ zero; no integral is
needed. A coordinate without noise, such as a position, must have f⁺ = 0, and ∂Φ there follows from the last equation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import scipy.linalg
import scipy.stats.qmc
from jaxtyping import Bool, Float

from liestonet.core.coefficients import Coefficients as Source
from liestonet.core.coefficients import Jet
from liestonet.core.domain import Domain
from liestonet.core.points import lattice_cloud
from liestonet.core.progress import Progress
from liestonet.errors import InputError
from liestonet.formulas.proved.proofs import is_zero
from liestonet.formulas.quadrature import closed_integral
from liestonet.pipeline.solve import domain_of
from liestonet.sde.sde import SDE
from liestonet.symmetry.statistical.verdicts import Criteria
from liestonet.validation.exact_test import numeric_equation
from liestonet.validation.maps.equation_candidates import exact_number
from liestonet.validation.reversal.balance import (
    FEWER_SOURCES,
    ORDER,
    Coefficients,
    Signs,
    balanced,
    coefficients_of,
    frame_of,
    potential_gradients,
    split,
)
from liestonet.validation.reversal.entropy import Stationary, produced
from liestonet.validation.reversal.reversible import EntropyProduction, Reversibility
from liestonet.validation.tuning import MAPS, REVERSAL


def of_equation(
    sde: SDE, odd: Bool[np.ndarray, " n"], domain: Any, criteria: Criteria, seed: Any, say: Progress
) -> Reversibility:
    """Test detailed balance of an equation that does not depend on time."""
    numeric = numeric_equation(sde)
    box = domain_of(numeric, domain)
    _require_autonomous(numeric, box)
    source = numeric.coefficients(box)
    signs = Signs(odd, _noisy(source, box))
    say("testing detailed balance")
    proved, failure = None, None
    if sde.symbolic is not None:
        conditions = _conditions(sde.symbolic, signs, sde.periodic)
        if conditions is not None:
            proved = all(is_zero(condition) for condition in conditions)
            failure = None if proved else _where(conditions, numeric, box)
    if proved:
        return _proved(sde, odd, numeric, box)
    say("looking for the stationary state")
    state, why = _stationary(numeric, signs, box, seed)
    residual, breaking = _measured(signs, source if state is None else state.source, box, state)
    linear = _linear(numeric, box)
    if linear is not None and state is not None:
        breaking = _Gaussian.of(*linear, signs).breaking
    holds = proved is None and residual <= max(MAPS.same**0.5, 10 * source.error)
    rate: EntropyProduction | None = EntropyProduction(0.0, 0.0, 0.0, 0.0)
    if not holds:
        rate, why = _entropy(numeric, signs, box, criteria, state, why)
    near = "near-symmetry" if residual < criteria.tolerance else "no"
    return Reversibility(
        holds=holds,
        residual=residual,
        lower=residual,
        upper=residual,
        p_value=1.0 if holds else 0.0,
        verdict="symmetry" if holds else near,
        status="proved" if proved else ("numerical" if holds else "no"),
        odd=tuple(name for name, turned in zip(sde.names, odd.tolist(), strict=True) if turned),
        names=sde.names,
        entropy_production=rate,
        breaking=breaking,
        failure=failure,
        notes=() if why is None else (why,),
    )


def _proved(sde: SDE, odd: Bool[np.ndarray, " n"], numeric: SDE, box: Domain) -> Reversibility:
    """The outcome where SymPy proved balance."""
    linear = _linear(numeric, box)
    endless = linear is not None and np.linalg.eigvals(linear[0]).real.max() >= 0
    note = "There is no stationary state: balance holds for a density that cannot be normalised."
    return Reversibility(
        holds=True,
        residual=0.0,
        lower=0.0,
        upper=0.0,
        p_value=1.0,
        verdict="symmetry",
        status="proved",
        odd=tuple(name for name, turned in zip(sde.names, odd.tolist(), strict=True) if turned),
        names=sde.names,
        entropy_production=EntropyProduction(0.0, 0.0, 0.0, 0.0),
        breaking=lambda x: np.zeros(np.shape(x)),
        notes=(note,) if endless else (),
    )


def _require_autonomous(sde: SDE, box: Domain) -> None:
    points = lattice_cloud(box, MAPS.checked_points).points
    for coefficient in (sde.drift, sde.diffusion_squared):
        here, later = (coefficient(t, points[:, 1:]) for t in (points[:, 0], points[::-1, 0]))
        if np.abs(here - later).max() > MAPS.same * max(1.0, float(np.abs(here).max())):
            raise InputError(
                "The equation depends on time, so it has no stationary state and no detailed balance; fix the time."
            )


def _noisy(source: Source, box: Domain) -> Bool[np.ndarray, " n"]:
    points = lattice_cloud(box, MAPS.checked_points).points
    squared = source.jet(points[:, 0], points[:, 1:], ORDER).diffusion_squared.get(())
    if squared is None:
        raise InputError("The equation has no noise, and detailed balance is a property of noise; add some.")
    own = np.array([np.abs(squared[:, i, i]).max() > 0 for i in range(squared.shape[1])])
    noisy = np.flatnonzero(own)
    determinant = np.linalg.det(squared[:, noisy][:, :, noisy])
    sizes = np.prod(np.diagonal(squared, axis1=1, axis2=2)[:, noisy], axis=1)
    if (np.abs(determinant) <= MAPS.same * np.abs(sizes)).any():
        raise InputError(FEWER_SOURCES)
    return own


def _conditions(coefficients: Any, signs: Signs, periodic: Mapping[str, float]) -> list[Any] | None:
    """Expressions that all vanish if and only if detailed balance holds; None where one has no closed form."""
    import sympy

    x, n = coefficients.state, coefficients.dimension
    f, a = coefficients.drift, coefficients.diffusion_squared
    epsilon = [-1 if turned else 1 for turned in signs.odd.tolist()]
    image: Any = {x[i]: -x[i] for i in range(n) if epsilon[i] < 0}

    def turned(entry: Any) -> Any:
        return entry.subs(image, simultaneous=True) if image else entry

    even = [(f[i, 0] + epsilon[i] * turned(f[i, 0])) / 2 for i in range(n)]
    odd = [(f[i, 0] - epsilon[i] * turned(f[i, 0])) / 2 for i in range(n)]
    noisy = np.flatnonzero(signs.noisy).tolist()
    still = [i for i in range(n) if i not in noisy]
    found = [turned(a[i, j]) - epsilon[i] * epsilon[j] * a[i, j] for i in range(n) for j in range(i, n) if image]
    found += [even[i] for i in still]
    right = sympy.Matrix([2 * even[i] - sum(a[i, j].diff(x[j]) for j in range(n)) for i in noisy])
    block = sympy.Matrix([[a[i, j] for j in noisy] for i in noisy])
    slope: dict[int, Any] = dict(zip(noisy, [sympy.simplify(part) for part in block.LUsolve(right)], strict=True))
    found += [slope[i].diff(x[j]) - slope[j].diff(x[i]) for i, j in combinations(noisy, 2)]
    for i in noisy:
        if x[i].name in periodic:  # round a turn Φ has to come back to itself
            around = closed_integral(slope[i], x[i])
            if around is None:
                return None
            period = exact_number(periodic[x[i].name])
            found.append(sympy.simplify(around.subs(x[i], x[i] + period) - around))
    divergence = sum((odd[i].diff(x[i]) for i in range(n)), sympy.Integer(0))
    if not still:
        return [*found, divergence + sum(odd[i] * slope[i] for i in range(n))]
    rest = _still_slopes(coefficients, odd, divergence, slope, noisy, still)
    if rest is None:
        return None
    slope |= rest
    found += [slope[i].diff(x[j]) - slope[j].diff(x[i]) for i in range(n) for j in still if j != i]
    return [*found, divergence + sum(odd[i] * slope[i] for i in range(n))]


def _still_slopes(
    coefficients: Any, odd: list[Any], divergence: Any, slope: dict[int, Any], noisy: list[int], still: list[int]
) -> dict[int, Any] | None:
    """∂Φ along coordinates without noise, from div f⁻ + f⁻·∇Φ = 0 at as many values of the noisy ones as needed.

    With Φ = Φ₀ + g, ∂Φ₀ along the noisy coordinates known, g depends on the others alone, and the condition on f⁻·∇g is
    linear in ∂g.
    """
    import sympy

    x = coefficients.state
    potential: Any = sympy.Integer(0)
    for i in noisy:
        left = sympy.simplify(slope[i] - potential.diff(x[i]))
        if left != 0:
            potential += sympy.integrate(left, x[i])
    if potential.has(sympy.Integral):
        return None
    wanted = divergence + sum(odd[i] * slope[i] for i in noisy) + sum(odd[j] * potential.diff(x[j]) for j in still)
    unknown = [sympy.Dummy(f"g{j}") for j in still]
    whole = wanted + sum(odd[j] * g for j, g in zip(still, unknown, strict=True))
    values = [[sympy.Rational(3 + 2 * k + 5 * i * k, 7) for i in range(len(noisy))] for k in range(len(still))]
    rows = [whole.subs({x[i]: value for i, value in zip(noisy, row, strict=True)}) for row in values]
    solved = sympy.solve(rows, unknown, dict=True)
    if len(solved) != 1 or set(solved[0]) != set(unknown):
        return None
    return {j: sympy.simplify(solved[0][g] + potential.diff(x[j])) for j, g in zip(still, unknown, strict=True)}


def _where(conditions: list[Any], numeric: SDE, box: Domain) -> str | None:
    """A point at which one of the conditions does not vanish, in words."""
    import sympy

    symbolic = numeric.symbolic
    if symbolic is None:
        return None
    points = lattice_cloud(box, MAPS.checked_points).points
    names = ("t", *numeric.names)
    for condition in conditions:
        free = sorted(condition.free_symbols - {symbolic.time, *symbolic.state}, key=str)
        plain = condition.subs({s: sympy.Rational(7 + 2 * k, 5 + k) for k, s in enumerate(free)})
        with np.errstate(all="ignore"):
            function = sympy.lambdify((symbolic.time, *symbolic.state), plain, ["scipy", "numpy"])
            values = np.broadcast_to(np.asarray(function(*points.T), dtype=float), len(points))
        if np.isfinite(values).any() and np.nanmax(np.abs(values)) > MAPS.same:
            k = int(np.nanargmax(np.abs(values)))
            place = ", ".join(f"{name} = {v:.4g}" for name, v in zip(names[1:], points[k, 1:], strict=True))
            return f"At {place} a condition of detailed balance, which should be 0, is {values[k]:.4g}."
    return None


@dataclass(frozen=True, eq=False)
class _At:
    """Coefficients of a source at points and at their images."""

    signs: Signs
    source: Source

    def __call__(self, points: Float[np.ndarray, "b v"]) -> Coefficients:
        n = self.source.dimension
        places = [points, self.signs.image(points)] if self.signs.turned else [points]
        found = [
            coefficients_of(_filled(self.source.jet(p[:, 0], p[:, 1:], ORDER), len(p), n), n, sets=False)
            for p in places
        ]
        return replace(found[0], turned=found[1]) if self.signs.turned else found[0]


def _filled(jet: Jet, count: int, n: int) -> Jet:
    """A jet with zeros for what is identically zero."""
    wanted = [(), *[(i + 1,) for i in range(n)]]
    drift = {d: jet.drift.get(d, np.zeros((count, n))) for d in wanted}
    squared = {d: jet.diffusion_squared.get(d, np.zeros((count, n, n))) for d in wanted}
    return Jet(drift=drift, diffusion_squared=squared)


@dataclass(frozen=True, eq=False)
class _State:
    """A stationary state: points from it, path by path, the box they cover and the coefficients there."""

    states: Float[np.ndarray, "paths k n"]
    domain: Domain
    source: Source

    @property
    def points(self) -> Float[np.ndarray, "b v"]:
        flat = self.states.reshape(-1, self.states.shape[2])
        return np.column_stack([np.full(len(flat), self.domain.centre[0]), flat])


def _measured(signs: Signs, source: Source, box: Domain, state: _State | None) -> tuple[float, Any]:
    """The relative residual in the stationary state, else on the box, and the part of the drift behind it."""
    at = _At(signs, source)
    if state is None:
        cloud, domain = lattice_cloud(box, REVERSAL.equation_points), box
        points, weights = cloud.points, cloud.weights
    else:
        points, domain = state.points, state.domain
        points = points[:: max(1, len(points) // REVERSAL.equation_points)]
        weights = np.full(len(points), 1 / len(points))
    found = at(points)
    frame = frame_of(signs, found, points, weights, domain)
    best = balanced(frame, found)

    def breaking(x: Any) -> Float[np.ndarray, "b n"]:
        states = _states(x, source.dimension)
        places = np.column_stack([np.full(len(states), domain.centre[0]), states])
        here = at(places)
        even, _, _ = split(here, signs)
        slope = potential_gradients(signs, places, domain) @ best.coefficients
        rest = (2 * even - here.slope)[..., 0] - np.einsum("bij,bj->bi", here.squared[..., 0], slope)
        return rest / 2

    return float(np.linalg.norm(best.residual)), breaking


def _entropy(
    sde: SDE, signs: Signs, box: Domain, criteria: Criteria, state: _State | None, why: str | None
) -> tuple[EntropyProduction | None, str | None]:
    """The rate, exact for a linear drift with constant noise, else from simulated paths; None with a reason."""
    points = lattice_cloud(box, MAPS.checked_points).points
    even, _, _ = split(_At(signs, sde.coefficients(box))(points), signs)
    still = ~signs.noisy
    if still.any() and np.abs(even[:, still]).max() > MAPS.same * max(1.0, float(np.abs(even).max())):
        return None, "Entropy production is infinite: a coordinate without noise moves in a way that is not reversible."
    if state is None:
        return None, why
    linear = _linear(sde, box)
    if linear is not None:
        return _Gaussian.of(*linear, signs).rate(linear[2]), None
    at, turns = _At(signs, state.source), {v: box.intervals[v] for v in box.periodic}
    groups = np.repeat(np.arange(len(state.states)), state.states.shape[1]) * REVERSAL.blocks // len(state.states)
    found = produced(Stationary(signs, at(state.points), state.points, groups, turns))
    return EntropyProduction.around(found.value, float(np.sqrt(found.variance)), criteria.error_rate), None


def _linear(sde: SDE, box: Domain) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """M, b and a of dx = (Mx + b) dt + noise of constant covariance a; None for another equation."""
    points = lattice_cloud(box, MAPS.checked_points).points
    f, a = sde.drift(points[:, 0], points[:, 1:]), sde.diffusion_squared(points[:, 0], points[:, 1:])
    table = np.column_stack([points[:, 1:], np.ones(len(points))])
    found = np.linalg.lstsq(table, f, rcond=None)[0]
    rest = np.abs(f - table @ found).max(), np.abs(a - a[0]).max()
    if sde.periodic or max(rest[0] / max(np.abs(f).max(), 1e-300), rest[1] / np.abs(a).max()) > MAPS.same:
        return None
    return found[:-1].T, found[-1], a[0]


@dataclass(frozen=True, eq=False)
class _Gaussian:
    """The stationary state of a linear equation, MS + SMᵀ + a = 0, with u = 2f⁺ − a∇ ln ρ(εx) = Ux + u₀."""

    spread: Float[np.ndarray, "n n"]
    middle: Float[np.ndarray, " n"]
    slope: Float[np.ndarray, "n n"]
    shift: Float[np.ndarray, " n"]

    @classmethod
    def of(cls, matrix: np.ndarray, offset: np.ndarray, squared: np.ndarray, signs: Signs) -> _Gaussian:
        """f⁺ = ½(M + εMε)x + ½(b + εb), and ∇ ln ρ(εx) = −ε S⁻¹ (εx − m)."""
        epsilon = np.diag(signs.epsilon)
        spread = scipy.linalg.solve_continuous_lyapunov(matrix, -squared)
        middle = -np.linalg.solve(matrix, offset)
        inverse = np.linalg.inv(spread)
        slope = matrix + epsilon @ matrix @ epsilon + squared @ epsilon @ inverse @ epsilon
        shift = offset + epsilon @ offset - squared @ epsilon @ inverse @ middle
        return cls(spread, middle, slope, shift)

    def breaking(self, x: Any) -> Float[np.ndarray, "b n"]:
        """½u at states x."""
        return (_states(x, len(self.middle)) @ self.slope.T + self.shift) / 2

    def rate(self, squared: np.ndarray) -> EntropyProduction:
        """½E[uᵀ a⁺ u]."""
        moved, pseudo = self.slope @ self.middle + self.shift, np.linalg.pinv(squared)
        value = 0.5 * float(np.trace(pseudo @ self.slope @ self.spread @ self.slope.T) + moved @ pseudo @ moved)
        return EntropyProduction(value, 0.0, value, value)


def _states(x: Any, count: int) -> Float[np.ndarray, "b n"]:
    """States given by the user, checked: one row per point."""
    states = np.asarray(x, dtype=float)
    if states.ndim != 2 or states.shape[1] != count:
        raise InputError(f"x has shape {states.shape}, but (B, {count}) is needed: one row per point.")
    return states


def _stationary(sde: SDE, signs: Signs, box: Domain, seed: Any) -> tuple[_State | None, str | None]:
    """Points of the stationary state, Gaussian for a linear equation, else from simulated paths; or a reason."""
    linear = _linear(sde, box)
    if linear is not None:
        matrix, offset, squared = linear
        if np.linalg.eigvals(matrix).real.max() >= 0:
            return None, "There is no stationary state: the linear drift does not pull the state back."
        spread = scipy.linalg.solve_continuous_lyapunov(matrix, -squared)
        middle = -np.linalg.solve(matrix, offset)
        spaced = scipy.stats.qmc.MultivariateNormalQMC(middle, spread, rng=np.random.default_rng(0))
        return _state_of(spaced.random(REVERSAL.spaced_points)[:, None], sde, box), None
    rate = _rate(sde, box)
    if rate <= 0:
        return None, "There is no stationary state: the drift does not depend on the state."
    step = 1 / rate / REVERSAL.simulated_steps
    try:
        data = sde.simulate(
            box.centre[1:], REVERSAL.simulated_relaxations / rate, 5 * step, REVERSAL.simulated_paths, seed, substeps=5
        )
    except InputError as problem:
        return None, f"The stationary state is not known, as paths could not be simulated: {problem}"
    paths = np.array(data.states)
    stride = max(1, paths.shape[1] // 40)
    late, earlier = (
        paths[:, paths.shape[1] // 2 :: stride],
        paths[:, paths.shape[1] // 4 : paths.shape[1] // 2 : stride],
    )
    turns = [i for i, name in enumerate(sde.names) if name not in sde.periodic]
    growth = late.std(axis=(0, 1))[turns] / np.maximum(earlier.std(axis=(0, 1))[turns], np.finfo(float).tiny)
    if not np.isfinite(late).all() or (growth > REVERSAL.largest_growth).any():
        return None, "There is no stationary state: simulated paths spread without end."
    return _state_of(late, sde, box), None


def _state_of(states: Float[np.ndarray, "paths k n"], sde: SDE, box: Domain) -> _State:
    """Points of a stationary state with the box that they cover."""
    flat = states.reshape(-1, states.shape[2])
    pairs = [box.intervals[0], *zip(flat.min(axis=0).tolist(), flat.max(axis=0).tolist(), strict=True)]
    pairs = [box.intervals[v] if v in box.periodic else pair for v, pair in enumerate(pairs)]
    domain = Domain(tuple(pairs), periodic=box.periodic)
    return _State(states, domain, sde.coefficients(domain))


def _rate(sde: SDE, box: Domain) -> float:
    """The largest rate at which the state is forgotten: by the drift, its mean ∂_i f^i, or by noise round a circle."""
    points = lattice_cloud(box, MAPS.checked_points).points
    jet = sde.coefficients(box).jet(points[:, 0], points[:, 1:], ORDER)
    slopes, squared = jet.drift, jet.diffusion_squared.get((), np.zeros((len(points), sde.dimension, sde.dimension)))
    found = [float(np.sqrt(np.mean(slopes[(i + 1,)][:, i] ** 2))) for i in range(sde.dimension) if (i + 1,) in slopes]
    found += [float(squared[:, v - 1, v - 1].mean()) / 2 * (2 * np.pi / box.periods[v]) ** 2 for v in box.periodic]
    return max(found, default=0.0)
