"""The shortest of several equivalent forms of an expression, with bounded effort."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sympy import Expr

LARGEST = 150
# Expressions with no more operations than this are not shortened.
SMALLEST = 2
# SymPy treats exp(1.023 t) as the 1023rd power of exp(t/1000), and factoring such polynomials takes minutes. Above
# this power exponentials are replaced by symbols. Source: cost.
LARGEST_POWER = 60


@lru_cache(maxsize=1024)
def shortest(expression: Expr) -> Expr:
    """The expression expanded, factored, over one denominator or simplified, whichever has the fewest operations.

    Unevaluated integrals are replaced by symbols meanwhile, so that SymPy does not try to evaluate them.
    """
    import sympy

    if expression.has(sympy.Float) or not SMALLEST < sympy.count_ops(expression) <= LARGEST:
        return expression
    names = {node: sympy.Dummy(f"integral{k}") for k, node in enumerate(expression.atoms(sympy.Integral))}
    plain = expression.xreplace(names)
    growing, bases = _exponentials(plain)
    plain = plain.xreplace(growing)
    ways = [plain, *(way for way in _rewritten(plain) if has_phase(plain) or not has_phase(way))]
    best = min(ways, key=lambda e: (sympy.count_ops(e), len(str(e))))
    return best.xreplace(bases).xreplace({dummy: node for node, dummy in names.items()})


def _exponentials(expression: Any) -> tuple[dict[Any, Any], dict[Any, Any]]:
    """Symbols for exponentials whose rates have no small common divisor, and the replacements to restore them."""
    import sympy

    parts = {node: node.exp.as_coefficients_dict() for node in expression.atoms(sympy.exp)}
    rates: dict[Any, set[Any]] = {}
    for part in parts.values():
        for term, rate in part.items():
            rates.setdefault(term, set()).add(sympy.Rational(rate))
    if all(_power(found, sympy.ilcm(1, 1, *(rate.q for rate in found))) <= LARGEST_POWER for found in rates.values()):
        return {}, {}
    powers: dict[Any, Any] = {}
    bases: dict[Any, Any] = {}
    for term, found in rates.items():
        common = primitive_factor(list(found))
        positive = sympy.exp(term).is_positive
        shared = sympy.Dummy("growth", positive=positive)
        for rate in found:
            alone = _power(found, common) > LARGEST_POWER
            symbol = sympy.Dummy("growth", positive=positive) if alone else shared
            unit = abs(rate) if alone else 1 / common
            powers[term, rate] = symbol ** (rate / unit)
            bases[symbol] = sympy.exp(unit * term)
    written = {
        node: sympy.Mul(*(powers[term, sympy.Rational(rate)] for term, rate in part.items()))
        for node, part in parts.items()
    }
    return written, bases


def _power(rates: set[Any], common: Any) -> Any:
    """The largest power of exp(t/common) among exponentials with these rates."""
    return max(abs(rate) * common for rate in rates)


def _rewritten(expression: Any) -> list[Any]:
    """Equivalent expressions, as SymPy's rules give them."""
    import sympy

    expanded = sympy.expand(expression)
    found = [expanded, sympy.factor_terms(expanded), sympy.simplify(expression)]
    try:
        factored: Any = sympy.factor(expanded)
    except (sympy.PolynomialError, NotImplementedError):
        return found
    return [*found, factored, sympy.factor_terms(factored)]


def primitive_factor(components: list[Any]) -> Any:
    """The positive rational number that makes all rational factors in a list of expressions coprime integers."""
    import sympy

    contents = [abs(component.as_content_primitive()[0]) for component in components if component != 0]
    rational = [content for content in contents if content.is_Rational and content != 0]
    if not rational:
        return sympy.Integer(1)
    return sympy.Rational(sympy.ilcm(1, 1, *(c.q for c in rational)), sympy.igcd(0, 0, *(c.p for c in rational)))


def has_phase(expression: Any) -> bool:
    """Whether a sine or cosine has a number added to its argument, such as sin(2 t + π/4)."""
    import sympy

    waves = expression.atoms(sympy.sin, sympy.cos, sympy.tan)
    return any(term.is_number for wave in waves for term in sympy.Add.make_args(wave.args[0]))
