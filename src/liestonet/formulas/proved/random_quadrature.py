"""Solution of an equation by quadrature from its random symmetries (docs/method.md §2.7).

In coordinates u(t, x, w) with φ_i u_j = δ_ij neither the drift nor the noise of u depends on x, because φ commutes with
the drift and noise fields. So u is a sum of integrals of known functions of time and of the Wiener processes:

    u(t) = u(0) + ∫ p(s, w(s)) ds + ∫ q_k(s, w(s)) dW_k          x(t) = Φ(t, w(t), u(t))

For one coordinate φ = c(t, w) z(t, x) gives u = Y/c with Y = ∫dx/z. The constant of that integral is chosen so that a
noise with m_k ≠ 0 drops out: u is then an ordinary integral of exponentials of the Wiener process.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from liestonet.core.domain import Domain
from liestonet.formulas.proved.one_coordinate import real_on
from liestonet.formulas.proved.proofs import is_zero
from liestonet.formulas.proved.random_scalar import Directions, ScalarAnswer, scalar_answer
from liestonet.formulas.quadrature import antiderivative
from liestonet.formulas.shortest import shortest

if TYPE_CHECKING:
    import sympy
    from sympy import Expr

    from liestonet.sde.symbolic import SymbolicCoefficients


@dataclass(frozen=True)
class RandomQuadrature:
    """du_j = drift_j(t, w) dt + noise_jk(t, w) dW_k for the coordinates u(t, x, w), proved by Itô's formula.

    `inverse` gives x in t, w and the symbols `heights`, which stand for u; None if u could not be solved for x. It is
    valid as long as it is real and finite at the heights.
    """

    coordinates: tuple[sympy.Expr, ...]
    drift: tuple[sympy.Expr, ...]
    noise: tuple[tuple[sympy.Expr, ...], ...]
    heights: tuple[sympy.Symbol, ...]
    inverse: tuple[sympy.Expr, ...] | None
    status: str = "proved"


def random_quadrature(
    coefficients: SymbolicCoefficients, domain: Domain, phis: Sequence[Sequence[Expr]] = ()
) -> RandomQuadrature | None:
    """The solution of an equation extended by dw = dW; None if its random symmetries do not give one.

    For one coordinate the symmetry is computed again, with all its parts. For several, `phis` are as many proved
    symmetries as there are coordinates: they are the columns of a matrix Φ, and ∂u/∂x = Φ⁻¹.
    """
    import sympy

    fields = Directions.of(coefficients)
    n = len(fields.moved)
    if n == 1:
        answer = scalar_answer(coefficients, domain)
        found = None if answer is None else _scalar_coordinate(answer, fields, domain)
        if found is None:
            return None
        coordinates = (found,)
    else:
        if len(phis) != n:
            return None
        matrix = sympy.Matrix([[phi[i] for phi in phis] for i in range(n)])
        determinant: Any = matrix.det()
        if is_zero(determinant):
            return None
        slopes = matrix.inv().applyfunc(shortest)
        heights = [_height(list(slopes[j, :]), fields, domain) for j in range(n)]
        if any(height is None for height in heights):
            return None
        coordinates = tuple(heights)
    return _proved(coordinates, coefficients, fields, domain)


def _height(slopes: list[Any], fields: Directions, domain: Domain) -> Any:
    """u from its derivatives along the coordinates, by successive integrals; None if one is not found."""
    import sympy

    taken = tuple(s.name for s in (*fields.moved, *fields.wiener))
    height: Any = sympy.Integer(0)
    for k, (x, slope) in enumerate(zip(fields.moved, slopes, strict=True)):
        left = shortest(sympy.simplify(slope - height.diff(x)))
        if left.has(*fields.moved[:k]):
            return None
        part = antiderivative(left, x, domain.intervals[k + 1], taken)
        if part is None or part.has(sympy.Integral):
            return None
        height += real_on(part, (x,), (domain.intervals[k + 1],))
    return shortest(height)


def _scalar_coordinate(answer: ScalarAnswer, fields: Directions, domain: Domain) -> Any:
    """u = Y/c with the constant of Y = ∫dx/z that removes one of the noises."""
    import sympy

    if answer.phi is None or answer.invariant is not None:
        return None
    t, x = fields.time, fields.moved[0]
    taken = tuple(s.name for s in (*fields.moved, *fields.wiener))
    height = antiderivative(shortest(1 / answer.shape), x, domain.intervals[1], taken)
    if height is None:
        return None
    if not height.has(sympy.Integral):
        height = real_on(height, (t, x), domain.intervals[:2])
    for rate, column in zip(answer.rates, fields.noise, strict=True):
        if rate != 0:
            left = shortest(sympy.simplify(column[0] / answer.shape - rate * height))
            height = height if left.has(x) else shortest(height + left / rate)
            break
    else:
        if answer.growth != 0:
            # an ordinary symmetry: the fixed point of the drift is subtracted if it is constant in time
            left = shortest(sympy.simplify(height.diff(t) + fields.drift[0] / answer.shape - answer.growth * height))
            rest = shortest(left / answer.growth)
            height = height if left.has(x, t) or rest.has(t) else shortest(height + rest)
    scale = sympy.powsimp(answer.shape / answer.phi)
    return sympy.powsimp(shortest(height) * scale)


def _proved(
    coordinates: tuple[Any, ...], coefficients: SymbolicCoefficients, fields: Directions, domain: Domain
) -> RandomQuadrature | None:
    """The coordinates with their drift and noise by Itô's formula, if neither depends on x."""
    import sympy

    state, a = coefficients.state, coefficients.diffusion_squared
    size = len(state)
    drifts, noises = [], []
    for u in coordinates:
        slopes = [u.diff(s) for s in state]
        drift = u.diff(fields.time) + sum(coefficients.drift[i, 0] * slopes[i] for i in range(size))
        drift += sum(a[i, j] * slopes[i].diff(state[j]) for i in range(size) for j in range(size)) / 2
        noise = [sum(coefficients.diffusion[i, k] * slopes[i] for i in range(size)) for k in range(len(fields.wiener))]
        fixed = dict(zip(fields.moved, _inside(domain, len(fields.moved)), strict=True))
        parts = []
        for part in (drift, *noise):
            at_one = shortest(sympy.simplify(sympy.sympify(part).subs(fixed)))
            if not is_zero(part - at_one):
                return None
            parts.append(at_one)
        drifts.append(parts[0])
        noises.append(tuple(parts[1:]))
    heights = tuple(sympy.Symbol(f"u{j + 1}" if len(coordinates) > 1 else "u", real=True) for j in range(len(drifts)))
    return RandomQuadrature(
        coordinates, tuple(drifts), tuple(noises), heights, _inverted(coordinates, heights, fields, domain)
    )


def _inside(domain: Domain, count: int) -> list[Any]:
    """A point of the box with simple coordinates."""
    import sympy

    return [sympy.nsimplify(domain.centre[i + 1], rational=True) for i in range(count)]


def _inverted(
    coordinates: tuple[Any, ...], heights: tuple[Any, ...], fields: Directions, domain: Domain
) -> tuple[Any, ...] | None:
    """x as a function of u, on the branch that contains the box; None if SymPy finds none."""
    import sympy

    if any(u.has(sympy.Integral) for u in coordinates):
        return None
    positive = {
        x: sympy.Symbol(x.name, positive=True) for i, x in enumerate(fields.moved) if domain.intervals[i + 1][0] > 0
    }
    wanted = [positive.get(x, x) for x in fields.moved]
    equations = [u.xreplace(positive) - height for u, height in zip(coordinates, heights, strict=True)]
    try:
        solutions = sympy.solve(equations, wanted, dict=True)
    except (NotImplementedError, ValueError, TypeError, RecursionError):
        return None
    plain = {value: key for key, value in positive.items()}
    for solution in solutions:
        if set(solution) != set(wanted):
            continue
        found = tuple(shortest(sympy.powsimp(solution[x].xreplace(plain))) for x in wanted)
        if _gives_back(found, coordinates, heights, fields, domain):
            return found
    return None


def _gives_back(
    found: tuple[Any, ...], coordinates: tuple[Any, ...], heights: tuple[Any, ...], fields: Directions, domain: Domain
) -> bool:
    """Whether x(u(x)) = x at scattered points of the box."""
    import sympy

    symbols = [fields.time, *fields.moved, *fields.wiener]
    low, high = np.array(domain.intervals).T
    points = np.random.default_rng(29).uniform(low, high, (64, len(symbols)))
    given = {*symbols, *heights}
    free = sorted({s for part in (*coordinates, *found) for s in part.free_symbols} - given, key=str)
    values = {parameter: sympy.Rational(7 + 2 * k, 5 + k) for k, parameter in enumerate(free)}
    there, here = ([part.subs(values) for part in parts] for parts in (coordinates, found))
    forward = sympy.lambdify(symbols, there, ["scipy", "numpy"])
    backward = sympy.lambdify([fields.time, *fields.wiener, *heights], here, ["scipy", "numpy"])
    n = len(fields.moved)
    with np.errstate(all="ignore"):
        try:
            u = [np.broadcast_to(np.asarray(part, dtype=float), 64) for part in forward(*points.T)]
            back = backward(points[:, 0], *points[:, n + 1 :].T, *u)
            back = np.stack([np.broadcast_to(np.asarray(part, dtype=float), 64) for part in back], axis=1)
        except (TypeError, ValueError, ZeroDivisionError):
            return False
    return bool(np.isfinite(back).all() and np.allclose(back, points[:, 1 : n + 1], rtol=1e-8, atol=1e-8))
