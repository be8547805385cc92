"""Whether SymPy shows that a formula solves the determining equations, within a bound on its effort."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from liestonet.symmetry.equations import Equations

if TYPE_CHECKING:
    from liestonet.sde.symbolic import SymbolicCoefficients

# Larger expressions are not simplified: that may take for ever.
LARGEST_PROOF = 3000


def solves(equations: Equations, coefficients: SymbolicCoefficients, components: list[Any]) -> bool:
    """Whether SymPy shows that the determining equations hold."""
    return all(is_zero(residual) for residual in equations.residuals(coefficients, components))


def is_zero(expression: Any) -> bool:
    """Whether SymPy can show that an expression vanishes identically; it is not asked where numbers say no."""
    import sympy

    if expression == 0:
        return True
    if not _vanishes_numerically(expression) or sympy.count_ops(expression) > LARGEST_PROOF:
        return False
    steps = [sympy.expand, sympy.simplify, lambda e: sympy.simplify(sympy.expand(e.rewrite(sympy.exp)))]
    if expression.has(sympy.asinh, sympy.acosh, sympy.atanh):
        steps.append(lambda e: sympy.simplify(e.rewrite(sympy.log)))
    return any(step(expression) == 0 for step in steps)


def _vanishes_numerically(expression: Any) -> bool:
    """Thirty digits at one point tell a zero from nearly everything else, at no cost."""
    import sympy

    symbols = sorted(expression.free_symbols, key=str)
    point = {symbol: sympy.Rational(7 + 2 * k, 11 + 3 * k) for k, symbol in enumerate(symbols)}
    value = expression.evalf(30, subs=point)
    return not value.is_number or bool(abs(value) < 1e-20)
