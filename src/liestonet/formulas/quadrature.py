"""Antiderivatives: in closed form if rules find one, else as an unevaluated integral with numerical values.

The derivative of an unevaluated integral is known, so formulas that contain it can be proved.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from liestonet.formulas.shortest import shortest
from liestonet.formulas.tuning import FORMULAS

if TYPE_CHECKING:
    from sympy import Basic, Expr, Integral, Symbol


def antiderivative(integrand: Any, x: Any, interval: tuple[float, float], taken: Sequence[str] = ()) -> Any:
    """∫ integrand dx: closed where possible, else an integral from zero or the interval's end; None if too large."""
    import sympy

    closed = closed_integral(integrand, x)
    if closed is not None:
        return closed
    if sympy.count_ops(integrand) > FORMULAS.largest_kept or integrand.has(sympy.Integral):
        return None
    name = next(f"{x.name}_{k}" for k in range(1, len(taken) + 2) if f"{x.name}_{k}" not in taken)
    s = sympy.Symbol(name, real=True)
    low, high = (sympy.nsimplify(end, rational=True) for end in interval)
    start = sympy.Integer(0) if low <= 0 <= high else low
    return sympy.Integral(integrand.xreplace({x: s}), (s, start, x))


def integral_values(
    integral: Integral, symbols: Sequence[Symbol], points: Float[np.ndarray, "points v"]
) -> Float[np.ndarray, " points"]:
    """Values of an unevaluated integral by Gauss's rule; not finite where the integrand is not."""
    import sympy

    limits: Any = integral.limits[0]
    variable, low, high = limits
    ends = [np.broadcast_to(sympy.lambdify(list(symbols), end, "numpy")(*points.T), len(points)) for end in (low, high)]
    nodes, weights = np.polynomial.legendre.leggauss(FORMULAS.nodes)
    middle, half = (ends[0] + ends[1]) / 2, (ends[1] - ends[0]) / 2
    places = middle[:, None] + half[:, None] * nodes
    function = sympy.lambdify([variable], integral.function, ["scipy", "numpy"])
    return half * (np.broadcast_to(function(places), places.shape) @ weights)


def without_integrals(expression: Basic) -> Basic:
    """The expression with a symbol for each unevaluated integral; an identity in these holds for the integrals."""
    import sympy

    return expression.xreplace({node: sympy.Dummy() for node in expression.atoms(sympy.Integral)})


@lru_cache(maxsize=512)
def closed_integral(integrand: Expr | None, x: Symbol, generic: bool = False) -> Expr | None:
    """An antiderivative in closed form, or None; by rules only, because a general search may never end.

    With `generic`, symbols other than variables have no special values: of x^p it is x^(p + 1)/(p + 1).
    """
    import sympy

    if integrand is None or sympy.count_ops(integrand) > FORMULAS.largest_integrand:
        return None
    result = _by_shift(integrand, x)
    if result is None:
        result = _by_rules(integrand, x)
    if generic and result is not None:
        result = result.replace(sympy.Piecewise, lambda *pieces: _generic_piece(pieces))
    if (result is None or result.has(sympy.Integral)) and integrand.has(sympy.sin, sympy.cos):
        result = _by_sums(integrand, x)
    if (result is None or result.has(sympy.Integral)) and integrand.has(sympy.exp, sympy.sinh, sympy.cosh, sympy.tanh):
        result = _by_exponential(integrand, x)
    if result is None:
        return None
    for name, plain in ((sympy.sec, sympy.cos), (sympy.csc, sympy.sin), (sympy.cot, sympy.tan)):
        result = result.replace(name, lambda argument, plain=plain: 1 / plain(argument))
    known = all(_is_elementary(node) for node in result.atoms(sympy.Function)) and not result.has(sympy.Integral)
    if not known or result.has(sympy.I, sympy.Piecewise) or sympy.count_ops(result) > FORMULAS.largest_integral:
        return None
    return shortest(result)


def _generic_piece(pieces: Any) -> Any:
    """The piece of a piecewise result that is valid unless two expressions are equal."""
    import sympy

    return next((piece for piece, condition in pieces if isinstance(condition, sympy.Ne)), sympy.Piecewise(*pieces))


def _by_shift(integrand: Any, x: Any) -> Any:
    """An antiderivative of powers of one linear function, in powers of it: (1 + t)³/3, not t³/3 + t² + t; else None."""
    import sympy

    bases = {power.base for power in integrand.atoms(sympy.Pow) if power.has(x)}
    bases = {base for base in bases if base.is_Add and base.is_polynomial(x) and sympy.degree(base, x) == 1}
    if len(bases) != 1:
        return None
    base = bases.pop()
    u, slope = sympy.Dummy("u", real=True), sympy.diff(base, x)
    inside = integrand.xreplace({base: u})
    if inside.has(x):
        return None
    result = _by_rules(inside, u)
    # an unevaluated integral over u cannot have u replaced by a sum
    return None if result is None or result.has(sympy.Integral) else (result / slope).xreplace({u: base})


def _by_sums(integrand: Any, x: Any) -> Any:
    """An antiderivative after powers of sines and cosines are rewritten as sums."""
    import sympy
    from sympy.simplify.fu import TR8

    return _by_rules(sympy.expand(TR8(integrand)), x)


def _by_rules(integrand: Any, x: Any) -> Any:
    """An antiderivative by SymPy's rules, or None."""
    import sympy
    from sympy.integrals.manualintegrate import manualintegrate

    # the rules recognise 1/cos only as sec
    known_names = integrand.replace(
        lambda e: e.is_Pow and e.exp.is_negative and isinstance(e.base, sympy.cos | sympy.sin),
        lambda e: (sympy.sec if isinstance(e.base, sympy.cos) else sympy.csc)(*e.base.args) ** -e.exp,
    )
    try:
        return manualintegrate(known_names, x)
    except (NotImplementedError, ValueError, TypeError, AttributeError, RecursionError):
        return None


def _by_exponential(integrand: Any, x: Any) -> Any:
    """An antiderivative of a function rational in u = e^{cx}, by this substitution; None if no such c is found."""
    import sympy

    u = sympy.Dummy("u", positive=True)
    exponentials: Any = sympy.expand(integrand.rewrite(sympy.exp), power_exp=False)
    rates = [node.args[0].coeff(x) for node in exponentials.atoms(sympy.exp) if (node.args[0] / x).is_number]
    if not rates or not all(rate.is_Rational for rate in rates):
        return None
    rate = sympy.gcd_list([abs(rate) for rate in rates])
    inside = exponentials.replace(
        lambda e: isinstance(e, sympy.exp) and (e.args[0] / x).is_number, lambda e: u ** (e.args[0].coeff(x) / rate)
    )
    if inside.has(x):
        return None
    result = _by_rules(sympy.cancel(inside / u) if inside.is_rational_function(u) else inside / u, u)
    return None if result is None or result.has(sympy.Integral) else (result / rate).xreplace({u: sympy.exp(rate * x)})


def _is_elementary(node: Any) -> bool:
    """Whether a node is an elementary function, or an error function, as in integrals of Gaussians."""
    known = ("sympy.functions.elementary", "sympy.functions.special.error_functions")
    return type(node).__module__.startswith(known)
