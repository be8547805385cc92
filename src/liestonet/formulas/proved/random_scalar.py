"""Random symmetries φ(t, x, w) ∂x of one coordinate, which commute with the fields of drift and noise.

Put V₀ = ∂_t + A ∂x with Stratonovich's drift A = f − ½ σ_k σ_k', and V_k = ∂_{w_k} + σ_k ∂x. φ ∂x is a random symmetry
if and only if it commutes with all V_a (docs/method.md §2.7), and then with their brackets. A bracket is a field z ∂x,
so if one is not zero, φ = c(t, w) z, and φ commutes with V_a if

    ∂_a log c = m_a := (X_a' z − X_a z' − ∂_a z) / z          X₀ = A, X_k = σ_k.

c exists if no m_a depends on x and no m_k on t: there is one symmetry, or none. If all brackets vanish, the equation is
Brownian motion in other coordinates, I = y − c_k w_k − ∫g dt is constant along every path, and σ_1 h(I) ∂x is a
symmetry for every function h.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from liestonet.core.domain import Domain
from liestonet.formulas.proved.one_coordinate import real_on
from liestonet.formulas.proved.proofs import is_zero
from liestonet.formulas.quadrature import antiderivative
from liestonet.formulas.shortest import shortest

if TYPE_CHECKING:
    from sympy import Expr

    from liestonet.sde.symbolic import SymbolicCoefficients

Field = tuple["Expr", ...]  # τ, ξ^1, …, with zeros for time and for w


@dataclass(frozen=True)
class Directions:
    """The fields V₀, V_1, …, V_r of an equation with its Wiener processes; all random symmetries commute with them.

    `moved` are the coordinates x, `drift` is Stratonovich's drift A, `noise` the columns of σ, all as components in x.
    """

    time: Any
    moved: tuple[Any, ...]
    wiener: tuple[Any, ...]
    drift: tuple[Any, ...]
    noise: tuple[tuple[Any, ...], ...]

    @classmethod
    def of(cls, coefficients: SymbolicCoefficients) -> Directions:
        """The fields of an equation that was extended by dw = dW."""
        n, r = coefficients.dimension - coefficients.noise, coefficients.noise
        x, sigma = coefficients.state[:n], coefficients.diffusion
        f: Any = coefficients.drift
        columns: tuple[tuple[Any, ...], ...] = tuple(tuple(sigma[i, k] for i in range(n)) for k in range(r))
        drift = tuple(
            shortest(f[i, 0] - sum(column[j] * column[i].diff(x[j]) for column in columns for j in range(n)) / 2)
            for i in range(n)
        )
        return cls(coefficients.time, x, coefficients.state[n:], drift, columns)

    def bracket(self, first: tuple[Any, ...], second: tuple[Any, ...], timed: bool = False) -> tuple[Any, ...]:
        """[first, second] of fields in x; `timed` adds ∂_t to the first."""
        x = self.moved
        parts = [
            sum(first[j] * second[i].diff(x[j]) - second[j] * first[i].diff(x[j]) for j in range(len(x)))
            + (second[i].diff(self.time) if timed else 0)
            for i in range(len(x))
        ]
        return tuple(shortest(part) for part in parts)

    def brackets(self) -> list[tuple[Any, ...]]:
        """The nonzero brackets [V₀, V_k] and [V_j, V_k]; they have no components along t and w."""
        found = [self.bracket(self.drift, column, timed=True) for column in self.noise]
        found += [self.bracket(one, other) for one, other in combinations(self.noise, 2)]
        return [field for field in found if not all(is_zero(part) for part in field)]


@dataclass(frozen=True)
class ScalarAnswer:
    """φ of the random symmetry, None if there is none; or an `invariant` I such that σ_1 h(I) is one for every h.

    φ = exp(Σ rates_k w_k + ∫growth dt) · shape(t, x).
    """

    phi: Any = None
    shape: Any = None
    growth: Any = None
    rates: tuple[Any, ...] = ()
    invariant: Any = None


def scalar_answer(coefficients: SymbolicCoefficients, domain: Domain) -> ScalarAnswer | None:
    """All random symmetries of a scalar equation that was extended by dw = dW; None if an integral is not found."""
    import sympy

    fields = Directions.of(coefficients)
    brackets = fields.brackets()
    if not brackets:
        return _brownian(fields, domain)
    t, x = fields.time, fields.moved[0]
    shape = _without_time(min((field[0] for field in brackets), key=sympy.count_ops), x)
    slope = shape.diff(x)
    rates = [shortest(_over(column[0].diff(x) * shape - column[0] * slope, shape)) for column in fields.noise]
    drift = fields.drift[0]
    growth = shortest(_over(drift.diff(x) * shape - drift * slope - shape.diff(t), shape))
    if growth.has(x) or any(rate.has(x, t) for rate in rates):
        return ScalarAnswer()
    grown = antiderivative(growth, t, domain.intervals[0], tuple(s.name for s in coefficients.state))
    if grown is None:
        return None
    exponent = sum((rate * w for rate, w in zip(rates, fields.wiener, strict=True)), grown)
    phi = shape * sympy.exp(sympy.expand(exponent))
    return ScalarAnswer(_tidied(phi), shape, growth, tuple(rates))


def _over(numerator: Any, shape: Any) -> Any:
    import sympy

    return sympy.simplify(numerator / shape)


def _without_time(shape: Any, x: Any) -> Any:
    """A bracket without factors that do not depend on x, which belong to c(t, w)."""
    import sympy

    factored: Any = sympy.factor(sympy.simplify(shape))
    return shortest(factored.as_independent(x, as_Add=False)[1])


def _tidied(phi: Any) -> Any:
    """The product in its shortest form with its exponential kept whole."""
    import sympy

    return sympy.powsimp(phi, combine="exp")


def _brownian(fields: Directions, domain: Domain) -> ScalarAnswer | None:
    """The invariant I of an equation that is Brownian motion in y = ∫dx/σ_1; σ_1 h(I) is a symmetry for every h."""
    import sympy

    t, x = fields.time, fields.moved[0]
    first = next((column[0] for column in fields.noise if column[0] != 0), None)
    if first is None:
        return None
    taken = tuple(s.name for s in (*fields.moved, *fields.wiener))
    height = antiderivative(shortest(1 / first), x, domain.intervals[1], taken)
    if height is None:
        return None
    if not height.has(sympy.Integral):
        height = real_on(height, (t, x), domain.intervals[:2])
    ratios = [shortest(_over(column[0], first)) for column in fields.noise]
    speed = shortest(sympy.simplify(height.diff(t) + fields.drift[0] / first))
    if speed.has(x) or any(ratio.has(x, t) for ratio in ratios):
        return None
    gone = antiderivative(speed, t, domain.intervals[0], taken)
    if gone is None:
        return None
    noise = sum((ratio * w for ratio, w in zip(ratios, fields.wiener, strict=True)), sympy.Integer(0))
    return ScalarAnswer(phi=first, shape=first, growth=sympy.Integer(0), invariant=height - noise - gone)
