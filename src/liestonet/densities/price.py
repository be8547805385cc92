"""`price`: the discounted expectation of a payoff under the exact density, with its derivatives.

A closed form for some densities and payoffs (gaussian_prices.py, chi_square_prices.py), else quadrature with its error.
A closed form is compared with the quadrature before it is returned.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import sympy
from jaxtyping import Float
from sympy.core.function import AppliedUndef

from liestonet.core.numbers import as_float
from liestonet.core.progress import Progress, silent
from liestonet.densities.checks import DisagreementError
from liestonet.densities.chi_square_prices import chi_square_price
from liestonet.densities.compiled import compiled
from liestonet.densities.density import Density, density_from
from liestonet.densities.expectations import Expectation
from liestonet.densities.formula import names_of
from liestonet.densities.gaussian_prices import closed_price
from liestonet.densities.integration import Mass
from liestonet.densities.payoffs import Payoff, payoff_names, payoff_of
from liestonet.densities.state_space import require_scalar
from liestonet.densities.tuning import PRICE
from liestonet.errors import InputError
from liestonet.sde.sde import SDE

Vector = Float[np.ndarray, " _"]


class Price(float):
    """A price, usable as a number; `error` bounds the error of the quadrature, or of rounding in a closed form.

    `delta` and `gamma` are derivatives by x0, `theta` is the derivative by the initial time. `method` is "closed form"
    or "quadrature", `formula` a SymPy expression in T (the maturity), t0 and x0 where there is one. `mass` is the total
    mass of the density, 1 without killing and absorption: absorbed paths pay nothing. `density` is the density itself.
    """

    __slots__ = ("delta", "density", "error", "formula", "gamma", "mass", "method", "payoff", "theta")
    error: float
    delta: float
    gamma: float
    theta: float
    method: str
    formula: Any
    payoff: str
    mass: float
    density: Density

    @property
    def value(self) -> float:
        """The price as a plain number."""
        return float(self)

    def __repr__(self) -> str:
        return f"Price({float(self):.12g} ± {self.error:.1g}, delta={self.delta:.6g}, {self.method})"

    def to_dictionary(self) -> dict[str, Any]:
        """Plain numbers and texts, ready for JSON."""
        names = ("error", "delta", "gamma", "theta", "method", "payoff", "mass")
        found: dict[str, Any] = {"value": float(self), **{name: getattr(self, name) for name in names}}
        return found | {"formula": None if self.formula is None else str(self.formula)}


class Greeks(NamedTuple):
    """A value with its first two derivatives by x0, and the error of the value."""

    value: float
    delta: float
    gamma: float
    error: float


def price(
    sde: SDE | str | Any,
    payoff: Any,
    maturity: Any,
    x0: Any,
    killing: Any = None,
    boundary: Any = None,
    *,
    t0: Any = 0.0,
    domain: Any = None,
    parameters: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Price:
    """E[payoff(x at maturity) · exp(−∫ killing)] from x0 at time t0, exactly.

    `payoff` is text in the state ("1" or "bond", "max(x - 110, 0)" or "call(110)", "put(110)", "x > 110" or
    "digital(110)", "90 < x < 110"), a SymPy expression, a number, or a callable of an array of states. `killing` is the
    discount rate: a number, or an expression in the state such as "x" where the state is the short rate. `boundary`
    and `domain` are as in `density`; paths that are absorbed pay nothing, as in a knock-out option. The equation must
    be that of the pricing measure. `parameters` are values of names in the equation, the killing and the payoff. A
    callable is looked at on a fine grid: what is narrower than a forty-thousandth of where the density is may be
    missed. One that fails on arrays is called with single states, which takes longer.
    """
    say = progress or silent
    equation: Any = SDE.parse(sde) if isinstance(sde, str) else sde
    symbolic = require_scalar(equation)
    begin, end, start = (_number(value, name) for value, name in ((t0, "t0"), (maturity, "The maturity"), (x0, "x0")))
    if not end > begin:
        raise InputError(f"The maturity {end:g} is not after t0 = {begin:g}; give a later one.")
    equation = equation if killing is None else equation.with_killing(killing)
    given = dict(parameters or {})
    paying = {name: given[name] for name in payoff_names(payoff, symbolic) & given.keys()}
    own = {name: value for name, value in given.items() if name in equation.parameters or name not in paying}
    equation = equation.with_parameters(own) if own else equation
    equation.require_numeric()
    found = density_from(equation, None, boundary, domain, start, say)
    paid = payoff_of(payoff, symbolic, *found.domain, paying)
    say("integrating the payoff")
    found.mass(end, begin, start)  # refuses initial states outside the state space, and singular times
    mass = Mass(found.kernel, end, begin, start)
    summed = _by_quadrature(found, paid, mass)
    formula = closed_price(found.kernel.plan, paid)
    closed = None if formula is None else _by_formula(found, formula, end, begin, start)
    size = max(1.0, abs(start), *map(abs, paid.breaks))
    if closed is not None and not _agree(closed, summed, size):
        raise DisagreementError(
            f"The price is {closed.value!r} by formula and {summed.value!r} by quadrature; none is returned."
        )
    if closed is None:
        value = chi_square_price(found.kernel, paid, end, begin, start)
        if value is not None and _agree(summed._replace(value=value[0], error=value[1]), summed, size):
            closed, formula = summed._replace(value=value[0], error=value[1]), None
    if closed is not None and closed.error > max(PRICE.cancelled * abs(closed.value), summed.error):
        closed = None  # its terms cancel; those of the quadrature do not
    return _priced(found, paid, mass, summed, closed, formula)


def _agree(closed: Greeks, summed: Greeks, size: float) -> bool:
    """Whether two prices are the same within their errors."""
    errors = summed.error + closed.error + PRICE.underflow * size
    return abs(closed.value - summed.value) <= PRICE.agreement * abs(summed.value) + errors


def _priced(found: Density, paid: Payoff, mass: Mass, summed: Greeks, closed: Greeks | None, formula: Any) -> Price:
    best = closed or summed
    # exponents that cancel lose digits undetected, which does not happen in the quadrature
    best = best._replace(error=max(best.error, abs(best.value - summed.value)))
    made = Price(best.value)
    made.error, made.delta, made.gamma = best.error, best.delta, best.gamma
    made.theta = _theta(found, mass, best)
    made.method = "quadrature" if closed is None else "closed form"
    made.formula = None if formula is None else _shown(found, formula)
    made.payoff, made.mass, made.density = paid.text, mass.total, found
    return made


def _number(value: Any, name: str) -> float:
    found = as_float(value)
    if found is None or not np.isfinite(found):
        raise InputError(f"{name} is {value!r}; give a finite number.")
    return found


def _by_quadrature(found: Density, paid: Payoff, mass: Mass) -> Greeks:
    """The integrals of the payoff times the density and times its first two derivatives by the initial state."""
    kernel = found.kernel
    begin, start = np.float64(mass.t0), np.float64(mass.x0)

    def factors(x: Vector) -> Float[np.ndarray, "3 n"]:
        slopes = kernel.with_slopes(mass.t, x, begin, start)
        once = np.broadcast_to(slopes.slope, x.shape)
        return np.stack([np.ones_like(x), once, np.broadcast_to(slopes.bend, x.shape) + once**2])

    low, high = kernel.interval()
    inside = tuple(point for point in paid.breaks if low < point < high)
    values, _, errors = Expectation(mass, paid, factors, inside, bool(paid.pieces)).sums()
    return Greeks(float(values[0]), float(values[1]), float(values[2]), float(errors[0]))


def _by_formula(found: Density, formula: Any, t: float, t0: float, x0: float) -> Greeks | None:
    """The value of the formula and its derivatives; None if floating point fails or integrals are nested."""
    if formula.has(AppliedUndef) or any(node.function.has(sympy.Integral) for node in formula.atoms(sympy.Integral)):
        return None
    names = names_of(found.kernel.plan)
    time, begin, start = names[0], names[2], names[3]
    # the error is that of the terms, which may cancel
    terms = sympy.Add.make_args(sympy.expand_mul(formula))
    rows = [formula, sympy.diff(formula, start), sympy.diff(formula, start, 2), *terms]
    values = [float(value) for value in compiled([time, begin, start], rows)(t, t0, x0)]
    if not np.isfinite(values).all():
        return None
    sizes = np.abs(values[3:])
    # e^u has the rounding of u, a part |u| of its own
    depth = np.abs(np.log(np.where(sizes > 0, sizes, 1.0)))
    rounding = PRICE.rounding + np.finfo(float).eps * depth
    return Greeks(values[0], values[1], values[2], float((rounding * sizes).sum()))


def _shown(found: Density, formula: Any) -> Any:
    """The formula in the user's symbols, with the maturity T."""
    names = names_of(found.kernel.plan)
    equation = found.kernel.plan.structure.equation
    plain = {names[0]: sympy.Symbol("T", real=True), names[3]: sympy.Symbol(names[3].name, real=True)}
    written = sympy.powsimp(formula.rewrite(sympy.erfc), combine="exp")
    return equation.written(written).xreplace(plain)


def _theta(found: Density, mass: Mass, best: Greeks) -> float:
    """The derivative by the initial time, by the backward equation V_t0 = kV − fV_x − ½aV_xx."""
    equation = found.kernel.plan.structure.equation
    parts = compiled([equation.time, equation.state], [equation.drift, equation.squared, equation.killing])
    f, a, k = (float(value) for value in parts(mass.t0, mass.x0))
    return k * best.value - f * best.delta - a * best.gamma / 2
