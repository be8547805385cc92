"""Whether SymPy shows that a formula solves the determining equations, within a bound on its effort."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from liestonet.symmetry.equations import Equations

if TYPE_CHECKING:
    from liestonet.sde.symbolic import SymbolicCoefficients

# Larger expressions are not simplified: that may take for ever.
LARGEST_PROOF = 3000
LARGEST_SIMPLIFIED = 400


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
    steps = [sympy.expand, _numerator]
    if sympy.count_ops(expression) <= LARGEST_SIMPLIFIED:
        steps.append(sympy.simplify)
        if expression.has(sympy.asinh, sympy.acosh, sympy.atanh):
            steps.append(lambda e: sympy.simplify(e.rewrite(sympy.log)))
    return any(step(expression) == 0 for step in steps)


def _numerator(expression: Any) -> Any:
    """The numerator of an expression as a polynomial in exponentials and other functions that have no relation."""
    import sympy

    exponentials: Any = sympy.expand(expression.rewrite(sympy.exp)) if expression.has(*_circular()) else expression
    groups: dict[Any, list[Any]] = {}
    for node in exponentials.atoms(sympy.exp):
        number, rest = node.args[0].as_coeff_Mul(rational=True)
        groups.setdefault(rest, []).append(number)
    change = {}
    for rest, numbers in groups.items():
        symbol, unit = sympy.Dummy(positive=True), sympy.gcd_list(numbers)
        change |= {sympy.exp(number * rest): symbol ** (number / unit) for number in numbers}
    polynomial = exponentials.xreplace(change)
    return sympy.expand(sympy.fraction(sympy.together(polynomial))[0])


def _circular() -> tuple[Any, ...]:
    import sympy

    return (sympy.sinh, sympy.cosh, sympy.tanh, sympy.coth, sympy.sin, sympy.cos, sympy.tan, sympy.cot)


def _vanishes_numerically(expression: Any) -> bool:
    """Thirty digits at one point tell a zero from nearly everything else, at no cost."""
    import sympy

    symbols = sorted(expression.free_symbols, key=str)
    point = {symbol: sympy.Rational(7 + 2 * k, 11 + 3 * k) for k, symbol in enumerate(symbols)}
    value = expression.evalf(30, subs=point)
    return not value.is_number or bool(abs(value) < 1e-20)
