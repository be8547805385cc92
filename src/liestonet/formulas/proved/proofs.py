"""Proofs by SymPy that a formula solves the determining equations, with bounded effort."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from liestonet.formulas.proved.tuning import PROOFS
from liestonet.formulas.quadrature import without_integrals
from liestonet.formulas.shortest import has_phase
from liestonet.formulas.tuning import FORMULAS
from liestonet.symmetry.determining.equations import Equations

if TYPE_CHECKING:
    from sympy import Basic, Expr

    from liestonet.sde.symbolic import SymbolicCoefficients


def solves(equations: Equations, coefficients: SymbolicCoefficients, components: list[Expr]) -> bool:
    """Whether SymPy proves that the determining equations hold."""
    return all(is_zero(residual) for residual in equations.residuals(coefficients, components))


def is_zero(expression: Basic) -> bool:
    """Whether SymPy proves that an expression vanishes identically; it is not tried if the value is not zero."""
    if expression == 0:
        return True
    expression = without_integrals(expression)
    return _vanishes_numerically(expression) and simplifies_to_zero(expression)


def simplifies_to_zero(expression: Basic, thorough: bool = True) -> bool:
    """Whether SymPy's rules reduce an expression to zero, with integrals as symbols and bounded effort.

    If not `thorough`, only arithmetic is used, without SymPy's simplifications, which is fast.
    """
    import sympy

    if sympy.count_ops(expression) > PROOFS.largest_proof:
        return False
    steps: list[Callable[[Any], Any]] = [sympy.expand, _numerator]
    if thorough and sympy.count_ops(expression) <= PROOFS.largest_simplified:
        steps.append(sympy.simplify)
        if expression.has(sympy.asinh, sympy.acosh, sympy.atanh):
            steps.append(lambda e: sympy.simplify(e.rewrite(sympy.log)))
    return any(_is_brought_to_zero(step, expression) for step in steps)


def _is_brought_to_zero(step: Callable[[Any], Any], expression: Any) -> bool:
    """Whether a simplification step gives zero; one that fails with an error counts as not."""
    from sympy.polys.polyerrors import BasePolynomialError

    try:
        return step(expression) == 0
    except BasePolynomialError:
        return False


def _numerator(expression: Any) -> Any:
    """The numerator of an expression as a rational function of exponentials, roots and other functions."""
    import sympy

    plain: Any = sympy.expand_trig(expression) if has_phase(expression) else expression
    plain = plain.rewrite(sympy.exp) if expression.has(*_circular()) else plain
    plain = plain.replace(
        lambda e: isinstance(e, sympy.exp) and e.args[0].is_Add,
        lambda e: sympy.Mul(*(sympy.exp(term) for term in e.args[0].args)),
    )
    imaginary = sympy.Dummy("i")
    rational = plain.xreplace({**_powers(plain.atoms(sympy.exp)), sympy.I: imaginary})
    while functions := rational.atoms(sympy.Function):
        inner = {node for function in functions for part in function.args for node in part.atoms(sympy.Function)}
        # log(log(x)) first, then log(x)
        rational = rational.xreplace({node: sympy.Dummy() for node in functions - inner})
    # an identity in a symbol also holds for π and e
    rational = rational.xreplace({number: sympy.Dummy() for number in rational.atoms(sympy.NumberSymbol)})
    generators = sorted(rational.free_symbols, key=str)
    if not generators or any(not node.exp.is_Integer for node in rational.atoms(sympy.Pow)):
        return sympy.expand(sympy.fraction(sympy.together(rational))[0].xreplace({imaginary: sympy.I}))
    # arithmetic in the field of fractions never expands terms that cancel
    numerator = sympy.QQ.frac_field(*generators).from_sympy(rational).numer.as_expr()
    return sympy.rem(numerator, imaginary**2 + 1, imaginary)


def _powers(nodes: Iterable[Any]) -> dict[Any, Any]:
    """Exponentials of multiples of the same quantity as integer powers of one symbol."""
    import sympy

    groups: dict[Any, list[tuple[Any, Any]]] = {}
    for node in nodes:
        number, rest = node.args[0].as_coeff_Mul(rational=True)
        groups.setdefault(rest, []).append((number, node))
    change = {}
    for rows in groups.values():
        symbol, unit = sympy.Dummy(positive=True), sympy.gcd_list([number for number, _ in rows])
        change |= {node: symbol ** (number / unit) for number, node in rows}
    return change


def _circular() -> tuple[Any, ...]:
    import sympy

    return (sympy.sinh, sympy.cosh, sympy.tanh, sympy.coth, sympy.sin, sympy.cos, sympy.tan, sympy.cot)


def _vanishes_numerically(expression: Any) -> bool:
    """Whether the value at one point is zero in fifty digits: a cheap test that excludes nearly all nonzero ones."""
    import mpmath
    import sympy

    symbols = sorted(expression.free_symbols, key=str)
    with mpmath.workdps(FORMULAS.digits):
        point = [mpmath.mpf(7 + 2 * k) / (11 + 3 * k) for k in range(len(symbols))]
        try:
            # not evalf: it adds digits until a sum reaches the required accuracy, which a zero never does
            value = sympy.lambdify(symbols, expression, "mpmath", cse=True)(*point)
            return bool(abs(mpmath.mpmathify(value)) < FORMULAS.precisely)
        except (TypeError, ValueError, ZeroDivisionError, NameError, KeyError, OverflowError):
            return True
