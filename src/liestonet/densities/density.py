"""`density`: the transition density of a scalar equation in closed form, where its symmetries give one.

In order: the state space (state_space.py), the potential and the dimension of the Fokker–Planck algebra (potential.py,
checks.py), the ends and the kernel (plan.py), and its proof (checks.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from liestonet.core.numbers import is_real
from liestonet.core.progress import Progress, silent
from liestonet.densities.checks import DisagreementError, counted_dimension, forward_residual, potential_is_proved
from liestonet.densities.formula import density_formula, names_of
from liestonet.densities.integration import Mass
from liestonet.densities.kernels import Kernel
from liestonet.densities.numbers import Numbers
from liestonet.densities.plan import BoundaryRow, plan_of
from liestonet.densities.points import Points, checked_points
from liestonet.densities.potential import dimension_of
from liestonet.densities.state_space import ScalarEquation, require_scalar, scalar_equation
from liestonet.densities.tuning import BOUNDARY, CHECKS, DENSITY
from liestonet.errors import InputError
from liestonet.sde.sde import SDE
from liestonet.sde.singularities import Locus, Singularity, loci

if TYPE_CHECKING:
    from sympy import Expr, Symbol

DEPENDS = "reached or not, depending on the parameters"


@dataclass(frozen=True, eq=False)
class Density:
    """The transition density p(t, x | t0, x0): call it with t, x, t0, x0, numbers or arrays.

    `dimension` is that of the Fokker–Planck algebra, superposition not counted. `status` is "proved" where SymPy shows
    that the equation has the stated potential, else "verified": the forward equation holds to thirty digits
    (`residual`). Free parameters are given as keywords of a call, or fixed by `with_parameters`.
    """

    sde: SDE
    kernel: Kernel
    dimension: int
    status: str
    residual: float | None
    choice: object = None
    given_domain: object = None
    singular_times: tuple[Locus, ...] = field(default=(), repr=False)
    bound: tuple[float, ...] = ()

    def __call__(
        self, t: object, x: object, t0: object = 0.0, x0: object = None, **parameters: object
    ) -> float | np.ndarray:
        """p at the given points, an array if one of them is; zero for x outside the state space.

        At an end of the state space it is the limit from inside, which may be infinite.
        """
        points = self._points(t, x, t0, x0, parameters)
        with np.errstate(over="ignore"):
            return points.shaped(np.exp(self._everywhere(points)))

    def log(
        self, t: object, x: object, t0: object = 0.0, x0: object = None, **parameters: object
    ) -> float | np.ndarray:
        """log p, which is finite where p itself is too small for floating point."""
        points = self._points(t, x, t0, x0, parameters)
        return points.shaped(self._everywhere(points))

    def _everywhere(self, points: Points) -> Numbers:
        """log p inside the state space and at its ends, minus infinity elsewhere."""
        result = np.full(points.shape, -np.inf)
        if points.inside.any():
            result[points.inside] = self._logarithms(points)
        for end, sign in zip(self.kernel.interval(points.values), (1, -1), strict=True):
            there = np.broadcast_to(points.arrays[1] == end, points.shape)
            if np.isfinite(end) and there.any():
                result[there] = self._limit(points, there, end, sign)
        return result

    def _limit(self, points: Points, there: Any, end: float, sign: int) -> Numbers:
        """The limit of log p at an end: p is a power of the distance there, so it is finite if the exponent is zero."""
        scale = abs(end) * DENSITY.near if end else DENSITY.nearest
        near, nearer = (
            self._logarithms(points.moved(there, end + sign * part * scale)) for part in (1.0, DENSITY.closer)
        )
        with np.errstate(invalid="ignore"):
            power = (near - nearer) / -np.log(DENSITY.closer)
        outer = np.where(power > 0, -np.inf, np.inf)
        found = np.where(np.abs(power) < DENSITY.constant, nearer, outer)
        return np.where(np.isfinite(nearer), found, -np.inf)

    def _logarithms(self, points: Points) -> Numbers:
        """log p at points inside; another kernel is found for parameter values far from those of this one."""
        t, x, t0, x0 = (part if np.ndim(part) == 0 else part[points.inside] for part in points.arrays)
        found = self.kernel.log_density(t, x, t0, x0, points.values)
        if points.values and np.isnan(found).any():
            given = dict(zip((symbol.name for symbol in self._equation.free), points.values, strict=True))
            other = density(self.sde.with_parameters(given), boundary=self.choice, domain=self.given_domain)
            found = other.kernel.log_density(t, x, t0, x0)
        return found

    def cdf(
        self, t: object, x: object, t0: object = 0.0, x0: object = None, **parameters: object
    ) -> float | np.ndarray:
        """The mass below x at time t; above the upper end the total mass."""
        points = self._points(t, x, t0, x0, parameters)
        result = np.empty(points.shape).reshape(-1)
        for chosen, mass in self._starts(points):
            x_here = points.flat[1][chosen]
            low, high = self.kernel.interval(points.values)
            below = np.zeros(len(x_here))
            inner = (x_here > low) & (x_here < high)
            if inner.any():
                heights = self.kernel.height(mass.t, x_here[inner], points.values)
                below[inner] = mass.below(np.asarray(heights))
                if self.kernel.direction < 0:
                    below[inner] = mass.total - below[inner]
            below[x_here >= high] = mass.total
            result[chosen] = below
        return points.shaped(result.reshape(points.shape))

    def mass(self, t: object, t0: object = 0.0, x0: object = None, **parameters: object) -> float | np.ndarray:
        """The total mass at time t: 1 unless paths are absorbed or killed."""
        points = self._points(t, x0, t0, x0, parameters)
        result = np.empty(points.shape).reshape(-1)
        for chosen, mass in self._starts(points):
            result[chosen] = mass.total
        return points.shaped(result.reshape(points.shape))

    @property
    def boundary(self) -> str:
        """What happens at the ends of the state space: "reflecting", "absorbing", "not reached" or "none".

        "reached or not, depending on the parameters" if those that determine it have no value.
        """
        plan = self.kernel.plan
        if self._depends():
            return DEPENDS
        if self.bound and plan.structure.exponent is not None and not plan.killed_before:
            reached = self.kernel.exponent(self.bound) < 0.5 - BOUNDARY.nearest
            return str(plan.choice) if reached else "not reached"
        return plan.boundary

    @property
    def boundaries(self) -> tuple[BoundaryRow, ...]:
        """The lower and the upper end, each with `point`, `kind`, `reached` and `exponent`."""
        rows = self.kernel.plan.rows
        if not self._depends():
            return rows
        # the kind of an end at the drawn values need not hold for others
        return tuple(
            row if row.exponent is None else replace(row, kind=DEPENDS, reached=None, exponent=None) for row in rows
        )

    def _depends(self) -> bool:
        """Whether it depends on free parameters if an end is reached."""
        exponent = self.kernel.plan.structure.exponent
        free = {symbol.name for symbol in getattr(exponent, "free_symbols", ())}
        return bool(free & set(self.parameters)) and not self.kernel.plan.killed_before

    @property
    def domain(self) -> tuple[Expr, Expr]:
        """The ends of the state space, in SymPy."""
        equation = self._equation.at(dict(zip(self._equation.free, self.bound, strict=False)))
        return equation.written(equation.low), equation.written(equation.high)

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of free parameters."""
        return () if self.bound else tuple(symbol.name for symbol in self._equation.free)

    @cached_property
    def formula(self) -> Expr:
        """p as a SymPy expression in t, x, t0, x0 and the free parameters."""
        found = density_formula(self.kernel.plan)
        if self.bound:
            found = found.subs(dict(zip(self._equation.free, self.bound, strict=True)))
        return self._equation.written(found).xreplace(self._plain_start)

    @property
    def symbols(self) -> tuple[Symbol, Symbol, Symbol, Symbol]:
        """The symbols t, x, t0 and x0 of the formula."""
        t, x, t0, x0 = (self._equation.written(symbol) for symbol in names_of(self.kernel.plan))
        return t, x, t0, self._plain_start.get(x0, x0)

    @property
    def _plain_start(self) -> dict[Any, Any]:
        """Replacement of the initial state's symbol by a real one, as in the user's equations."""
        import sympy

        start = names_of(self.kernel.plan)[3]
        return {start: sympy.Symbol(start.name, real=True)}

    @property
    def _equation(self) -> ScalarEquation:
        return self.kernel.plan.structure.equation

    def with_parameters(self, values: Mapping[str, object] | None = None, /, **more: object) -> Density:
        """The density of the equation with values for some parameters."""
        given = dict(values or {}) | more
        if not given:
            return self
        sde = self.sde.with_parameters(given)
        values_given = [given[name] for name in self.parameters if name in given]
        if set(given) == set(self.parameters) and all(map(is_real, values_given)):
            numbers = tuple(float(value) for value in values_given if is_real(value))
            if self.kernel.holds_at(numbers):
                return replace(self, sde=sde, bound=numbers)
        return density(sde, boundary=self.choice, domain=self.given_domain)

    def _points(self, t: object, x: object, t0: object, x0: object, parameters: Mapping[str, object]) -> Points:
        if x0 is None:
            raise InputError("The density needs a start: give t, x, t0 and x0.")
        return checked_points(self, (t, x, t0, x0), parameters)

    def _starts(self, points: Points) -> Iterable[tuple[Any, Mass]]:
        """Every different start, time of start and time, with the points that have it."""
        if points.start is not None and 0 not in points.shape:
            yield np.arange(points.inside.size), Mass(self.kernel, *points.start, points.values)
            return
        t, _, t0, x0 = points.flat
        keys = np.stack([t, t0, x0], axis=1)
        distinct, group = np.unique(keys, axis=0, return_inverse=True)
        for number, (time, begin, start) in enumerate(distinct.tolist()):
            chosen = np.flatnonzero(group.reshape(-1) == number)
            yield chosen, Mass(self.kernel, time, begin, start, points.values)

    def __repr__(self) -> str:
        kind = {6: "Gaussian", 4: "Bessel"}[self.dimension]
        low, high = self.domain
        return (
            f"Density of {self.sde} on ({low}, {high}): {kind} kernel, Fokker–Planck dimension {self.dimension}, "
            f"{self.status}; boundary: {self.boundary}"
        )


def density(
    sde: SDE | str | Any,
    killing: Any = None,
    boundary: Any = None,
    *,
    domain: Any = None,
    progress: Progress | None = None,
) -> Density:
    """The transition density of a scalar equation in closed form, where its symmetries give one.

    `killing` is a rate at which paths end, an expression in the state such as "r*x". `boundary` is "reflecting" or
    "absorbing" for ends of the state space that paths reach, or a pair of them for the lower and the upper end.
    `domain`, such as (0, math.inf), is the state space if that is not the interval between singular points of the
    coefficients; an end inside this interval is a barrier. An equation without such a density is refused with the
    dimension of its algebra.
    """
    return density_from(sde, killing, boundary, domain, None, progress)


def density_from(
    sde: Any,
    killing: object,
    boundary: object,
    domain: object,
    start: float | None,
    progress: Progress | None = None,
    near: Sequence[float] | None = None,
) -> Density:
    """The density on the interval around an initial state, with the kernel for parameters near given values."""
    say = progress or silent
    sde = SDE.parse(sde) if isinstance(sde, str) else sde
    require_scalar(sde)
    sde = sde if killing is None else sde.with_killing(killing)
    say("looking for the state space")
    equation = scalar_equation(sde, domain, start, near)
    say("testing the potential")
    dimension = dimension_of(equation)
    counted = counted_dimension(sde, equation)
    if counted is not None and counted != dimension and max(counted, dimension) > 2:
        raise DisagreementError(
            f"The potential of {sde} has {dimension} symmetries, and power series count {counted}; none is returned."
        )
    if dimension < 4:
        _refuse(sde, 2 if counted is None else counted)
    say("choosing the kernel")
    plan = plan_of(equation, dimension, boundary)
    _require_bounded(sde, plan.structure)
    say("proving the density")
    proved, residual = potential_is_proved(plan.structure), forward_residual(plan)
    if residual is not None and not residual <= CHECKS.residual:
        raise DisagreementError(f"The density found for {sde} misses its equation by {residual:.1e}; none is returned.")
    if not proved and residual is None:
        raise InputError(f"A density of {sde} was found but could not be proved; none is returned.")
    singular = tuple(locus for locus in loci(sde) if locus.variables == (0,) and locus.kind is not Singularity.KINK)
    return Density(
        sde, Kernel(plan), dimension, "proved" if proved else "verified", residual, boundary, domain, singular
    )


def _refuse(sde: SDE, dimension: int) -> None:
    from liestonet.symmetry.determining.kinds import SPOKEN

    raise InputError(
        f"{sde} has no density of this kind: its {SPOKEN['fokker-planck']} algebra has dimension {dimension} "
        "(superposition not counted), and a closed form needs 4 or 6; simulate the equation instead."
    )


def _require_bounded(sde: SDE, structure: Any) -> None:
    """Refuse a killing rate under which expectations are infinite after some time."""
    if sde.killing is None or structure.uniform is not None or not structure.steady:
        return
    equation = structure.equation
    value = float(equation.function(structure.q2)(0, 0)) if structure.q2 != 0 else 0.0
    if value < -BOUNDARY.nearest:
        longest = np.pi / np.sqrt(-2 * value)
        raise InputError(
            f"The killing {sde.killing} is not bounded below: expectations are infinite after t − t0 = "
            f"{longest / 2:.3g} at the latest; give a killing that is bounded below."
        )
