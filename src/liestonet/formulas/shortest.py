"""The shortest of equivalent ways to write an expression, within a bound on the effort."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

LARGEST = 150
# What has no more operations than this cannot be written shorter.
SMALLEST = 2


@lru_cache(maxsize=1024)
def shortest(expression: Any) -> Any:
    """The expression expanded, factored, over one denominator or simplified, whichever has the fewest operations.

    Kept integrals stand as symbols meanwhile: nothing tries to evaluate them.
    """
    import sympy

    if expression.has(sympy.Float) or not SMALLEST < sympy.count_ops(expression) <= LARGEST:
        return expression
    names = {node: sympy.Dummy(f"integral{k}") for k, node in enumerate(expression.atoms(sympy.Integral))}
    plain = expression.xreplace(names)
    ways = [plain, *(way for way in _rewritten(plain) if has_phase(plain) or not has_phase(way))]
    best = min(ways, key=lambda e: (sympy.count_ops(e), len(str(e))))
    return best.xreplace({dummy: node for node, dummy in names.items()})


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
