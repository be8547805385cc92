"""y = ∫dx/σ and other integrals over the state: in closed form if rules find one, else unevaluated."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import sympy
from sympy import Symbol
from sympy.integrals.rationaltools import ratint

from liestonet.densities.numbers import Expression
from liestonet.densities.precision import function_of
from liestonet.densities.state_space import ScalarEquation
from liestonet.densities.tuning import POTENTIAL, STATE_SPACE
from liestonet.formulas.quadrature import closed_integral
from liestonet.formulas.shortest import shortest

WAVES = (sympy.sin, sympy.cos, sympy.tan)


def over_state(equation: ScalarEquation, integrand: Expression) -> Expression:
    """∫ integrand dx on the state space, checked by its derivative; an integral from the base point where none is."""
    x = equation.state
    for way in (_power_rule, _rational_rule, _root_rule, closed_integral):
        found = way(integrand, x)
        found = found if found is None else _real_logarithms(equation, found)
        if found is not None and _is_antiderivative(equation, found, integrand):
            return found
    s = Symbol(equation.unused(f"{x.name}_1"), real=True)
    return sympy.Integral(integrand.xreplace({x: s}), (s, equation.base, x))


def over_time(equation: ScalarEquation, integrand: Expression) -> Expression | None:
    """∫ integrand dt in closed form, or None."""
    t = equation.time
    if not integrand.has(t):
        return integrand * t
    found = _power_rule(integrand, t)
    found = closed_integral(integrand, t) if found is None else found
    if found is None:
        return None
    error = function_of((t,), sympy.diff(found, t) - integrand, equation.draw)
    size = function_of((t,), integrand, equation.draw)
    good = [_is_close(error(time), size(time)) for time in equation.times()]
    return found if good and all(good) else None


def tidy(expression: Any) -> Any:
    """A simplified expression, within a bound on the effort."""
    if expression.is_Rational or isinstance(expression, Symbol):
        return expression
    if expression.is_number:
        return sympy.radsimp(sympy.expand(expression))
    if expression.is_rational_function(*expression.free_symbols):
        return sympy.cancel(expression)
    rational = _without_roots(expression)
    if rational is not None:
        return rational
    if expression.has(*WAVES):
        return _without_waves(expression)
    return shortest(expression) if _has_simple_rates(expression) else sympy.expand(expression)


def _without_waves(expression: Any) -> Any:
    """The same of an expression with sines and cosines: a rational function of them and of what else is no polynomial.

    sin² + cos² = 1 gives one form of each; SymPy's own simplifications of waves take minutes.
    """
    names: dict[Any, Any] = {}
    pairs: dict[Any, tuple[Any, Any]] = {}
    for node in sorted(_irrational_parts(expression), key=sympy.default_sort_key):
        if not isinstance(node, WAVES):
            names[node] = sympy.Dummy("part")
            continue
        (angle,) = node.args
        sine, cosine = pairs.setdefault(angle, (sympy.Dummy("sine"), sympy.Dummy("cosine")))
        names[node] = {sympy.sin: sine, sympy.cos: cosine}.get(node.func, sine / cosine)
    whole: Any = expression.xreplace(names)
    for pair in pairs.values():
        whole = _reduced(whole, *pair)
    back = {name: node for node, name in names.items() if name.is_Symbol}
    for angle, (sine, cosine) in pairs.items():
        back |= {sine: sympy.sin(angle), cosine: sympy.cos(angle)}
    return whole.xreplace(back)


def _irrational_parts(expression: Any) -> set[Any]:
    """The outermost parts that are neither sums, products and whole powers nor symbols."""
    if expression.is_Add or expression.is_Mul or (expression.is_Pow and expression.exp.is_Integer):
        return set().union(*(_irrational_parts(part) for part in expression.args))
    return set() if expression.is_Rational or expression.is_Symbol else {expression}


def _reduced(expression: Any, sine: Any, cosine: Any) -> Any:
    """A rational function of a sine and a cosine as P + Q·cosine, P and Q rational in the sine; or the other way."""
    fraction: Any = sympy.fraction(sympy.together(expression))
    over, under = fraction
    kept, dropped = (cosine, sine) if under.has(cosine) and not under.has(sine) else (sine, cosine)

    def low(polynomial: Any) -> Any:
        return sympy.rem(sympy.expand(polynomial), dropped**2 + kept**2 - 1, dropped)

    over, under = low(over), low(under)
    if under.has(dropped):
        turned = under.subs(dropped, -dropped)
        over, under = low(over * turned), low(under * turned)
    if not over.has(dropped):
        return sympy.cancel(over / under)
    odd: Any = sympy.Poly(over, dropped).coeff_monomial(dropped)
    return sympy.cancel(over.subs(dropped, 0) / under) + sympy.cancel(odd / under) * dropped


def _without_roots(expression: Any) -> Any:
    """A simplified rational function of one root of a + bs, which is rational in the root; None for others."""
    powers = [node for node in expression.atoms(sympy.Pow) if not node.exp.is_Integer]
    bases = {node.base for node in powers}
    if len(bases) != 1 or not all(node.exp.is_Rational for node in powers):
        return None
    base = bases.pop()
    degree = math.lcm(*(node.exp.q for node in powers))
    symbol = min(base.free_symbols, key=str, default=None)
    slope: Any = sympy.diff(base, symbol) if symbol is not None else sympy.Integer(0)
    if slope == 0 or slope.has(symbol) or degree > POTENTIAL.simple:
        return None
    root = sympy.Dummy("root", positive=True)
    inner = expression.xreplace({node: root ** (node.exp * degree) for node in powers})
    inner = inner.subs(symbol, (root**degree - base.subs(symbol, 0)) / slope)
    if not inner.is_rational_function(*inner.free_symbols):
        return None
    return sympy.cancel(inner).subs(root, base ** sympy.Rational(1, degree))


def _has_simple_rates(expression: Any) -> bool:
    """Whether numbers in exponents are small fractions: for others SymPy would form polynomials of huge degree."""
    numbers = [
        number
        for node in expression.atoms(sympy.exp, sympy.Pow, sympy.sinh, sympy.cosh)
        for number in (node.exp if node.is_Pow else node.args[0]).atoms(sympy.Rational)
    ]
    return all(abs(number.p) <= POTENTIAL.simple and number.q <= POTENTIAL.simple for number in numbers)


def negligible(equation: ScalarEquation, expression: Any) -> bool:
    """Whether a function of time is zero for the drawn parameters, to sixty digits at several times."""
    if expression == 0:
        return True
    terms = [function_of((equation.time,), term, equation.draw) for term in sympy.Add.make_args(expression)]
    for time in equation.times():
        values = [term(time) for term in terms]
        with mpmath.workdps(STATE_SPACE.digits):
            if not abs(mpmath.fsum(values)) <= POTENTIAL.cancelled * mpmath.fsum(values, absolute=True):
                return False
    return True


def _power_rule(integrand: Expression, x: Symbol) -> Expression | None:
    """The antiderivative of a sum of powers of x, also with symbols in the exponents."""
    total: Any = sympy.Integer(0)
    for term in sympy.Add.make_args(sympy.expand(integrand)):
        factor, power = sympy.powsimp(term).as_independent(x, as_Add=False)
        base, exponent = power.as_base_exp()
        if power != 1 and (base != x or exponent.has(x)):
            return None
        exponent = sympy.Integer(0) if power == 1 else exponent
        raised = sympy.simplify(exponent + 1)
        total += factor * (sympy.log(x) if raised == 0 else x**raised / raised)
    return total


def _rational_rule(integrand: Expression, x: Symbol) -> Expression | None:
    """The antiderivative of a rational function with rational coefficients."""
    if integrand.free_symbols - {x} or not integrand.is_rational_function(x):
        return None
    found = ratint(integrand, x)
    return None if found.has(sympy.RootSum, sympy.I) else found


def _root_rule(integrand: Expression, x: Symbol) -> Expression | None:
    """∫ dx/√Q of a quadratic Q, as an arcsine or an inverse hyperbolic sine; log where Q is a square."""
    inverse: Any = sympy.expand(sympy.powdenest(1 / integrand**2, force=True))
    if not inverse.is_polynomial(x) or sympy.Poly(inverse, x).degree() != 2:
        return None
    coefficients: Any = sympy.Poly(inverse, x).all_coeffs()
    a, b, c = coefficients
    gap: Any = sympy.factor(b**2 - 4 * a * c)
    place: Any = 2 * a * x + b
    if a.is_negative and not gap.is_nonpositive:
        return sympy.asin(-place / sympy.sqrt(gap)) / sympy.sqrt(-a)
    if a.is_positive and gap.is_negative:
        return sympy.asinh(place / sympy.sqrt(-gap)) / sympy.sqrt(a)
    if a.is_positive and gap.is_positive:
        return sympy.log(place + 2 * sympy.sqrt(a) * sympy.sqrt(inverse)) / sympy.sqrt(a)
    return None


def _real_logarithms(equation: ScalarEquation, found: Expression) -> Expression:
    """The antiderivative, up to a constant, with logarithms of positive arguments on the state space."""
    place, time = next(equation.inside()), next(equation.times(), None)
    if time is None:
        return found
    for node in found.atoms(sympy.log):
        if mpmath.re(equation.function(node.args[0])(time, place)) < 0:
            found = found.xreplace({node: sympy.log(-node.args[0])})
    return found


def _is_antiderivative(equation: ScalarEquation, found: Expression, integrand: Expression) -> bool:
    """Whether a function is real on the state space and has the right derivative there."""
    slope, value = equation.function(sympy.diff(found, equation.state)), equation.function(found)
    wanted = equation.function(integrand)
    for time in equation.times():
        for place in equation.inside():
            real = mpmath.im(value(time, place)) == 0 and mpmath.isfinite(value(time, place))
            if not real or not _is_close(slope(time, place) - wanted(time, place), wanted(time, place)):
                return False
    return True


def _is_close(error: Any, size: Any) -> bool:
    return bool(mpmath.isfinite(error) and abs(error) <= POTENTIAL.cancelled * (1 + abs(size)))
