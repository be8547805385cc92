"""Formulas found at one choice of the parameters, generalised: numbers become expressions in the parameters.

The parameters have values whose numerators are different primes, so the prime factors of a number inside a function (a
rate, an exponent) identify the parameters in it. The factors in front of the functions enter the determining equations
linearly, and are solved for with the parameters as symbols.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, islice, product
from typing import TYPE_CHECKING, Any

from liestonet.formulas.formula import Formula
from liestonet.formulas.proved.proofs import is_zero
from liestonet.formulas.proved.tuning import PROOFS
from liestonet.symmetry.determining.equations import Equations

if TYPE_CHECKING:
    import sympy

    from liestonet.sde.symbolic import SymbolicCoefficients

SIMPLE = tuple(sorted({Fraction(p, q) for p in (-4, -3, -2, -1, 1, 2, 3, 4) for q in (1, 2, 3, 4)}))


class Lifter:
    """Generalises formulas of one equation; `values` are the numbers that its parameters had."""

    def __init__(
        self,
        equations: Equations,
        coefficients: SymbolicCoefficients,
        values: Mapping[sympy.Symbol, sympy.Rational],
        positive: set[sympy.Symbol],
    ) -> None:
        self._equations, self._values = equations, dict(values)
        self._variables = (coefficients.time, *coefficients.state)
        # powers of positive symbols can be combined, so symbols that are positive on the domain are declared so
        self._stand_in = _stand_ins(positive)
        self._back = {dummy: symbol for symbol, dummy in self._stand_in.items()}
        self._coefficients = _replaced(coefficients, self._stand_in)
        self._quantities = list(_monomials(coefficients, self._values))

    def lift(self, formula: Formula) -> Formula | None:
        """The proved formula with the parameters as symbols; None if none was found."""
        import sympy

        components = [formula.tau, *formula.xi, formula.beta][: len(self._equations.unknowns)]
        terms = [
            (position, term.as_independent(*self._variables, as_Add=False)[1])
            for position, component in enumerate(components)
            for term in sympy.Add.make_args(sympy.expand(component))
            if term != 0
        ]
        terms = list(dict.fromkeys(terms))
        if not 0 < len(terms) <= PROOFS.most_terms:
            return None
        for reading in islice(self._choices([function for _, function in terms]), PROOFS.most_choices):
            functions = [(position, _with_numbers(function, reading.__getitem__)) for position, function in terms]
            found = self._solved(functions)
            if found is not None:
                n = self._equations.dimension
                beta = found[n + 1] if len(found) > n + 1 else sympy.Integer(0)
                return Formula(found[0], tuple(found[1 : n + 1]), beta, "proved", 0.0)
        return None

    def _choices(self, functions: Sequence[Any]) -> Iterator[dict[Any, Any]]:
        """Possible expressions in the parameters for the numbers inside the functions, the likely ones first."""
        found: list[Any] = []
        for function in functions:
            _with_numbers(function, lambda number: found.append(number) or number)
        numbers = sorted(dict.fromkeys(found), key=str)
        readings = [self._readings(number)[: PROOFS.most_readings] for number in numbers]
        for choice in sorted(product(*(range(len(possible)) for possible in readings)), key=sum):
            yield {number: possible[k] for number, possible, k in zip(numbers, readings, choice, strict=True)}

    def _readings(self, number: Any) -> list[Any]:
        """Expressions in the parameters that have this value, simple ones first; the number itself comes last."""
        import sympy

        if _is_plain(number):
            return [number]
        target, found = float(number), []
        for expression, value in self._quantities:
            ratio = _simple(target / value)
            if ratio is not None:
                found.append((_size(ratio), sympy.Rational(ratio) * expression))
        for (one, first), (two, second) in combinations(self._quantities, 2):
            for factor in SIMPLE:
                ratio = _simple((target - float(factor) * first) / second)
                if ratio is not None:
                    both = sympy.Rational(factor) * one + sympy.Rational(ratio) * two
                    found.append((4 + _size(factor) + _size(ratio), both))
        ordered = sorted(found, key=lambda row: (row[0] + sympy.count_ops(row[1]), str(row[1])))
        return [*(expression for _, expression in ordered[: PROOFS.most_readings - 1]), number]

    def _solved(self, functions: list[tuple[int, Any]]) -> list[Any] | None:
        """τ, ξ and β with factors that solve the equations, normalised to one for the simplest function."""
        import sympy

        functions = list(dict.fromkeys((p, f.xreplace(self._stand_in)) for p, f in functions))
        factors = [sympy.Dummy(f"c{j}") for j in range(len(functions))]
        unknowns: list[Any] = [sympy.Integer(0)] * len(self._equations.unknowns)
        for factor, (position, function) in zip(factors, functions, strict=True):
            unknowns[position] += factor * function
        variables = tuple(self._stand_in.get(v, v) for v in self._variables)
        rows: list[Any] = []
        for residual in self._equations.residuals(self._coefficients, unknowns):
            collected = independent_parts(residual, variables)
            if collected is None:
                return None
            rows += collected
        pivot = min(range(len(functions)), key=lambda j: (sympy.count_ops(functions[j][1]), functions[j][0]))
        rest = [factor for j, factor in enumerate(factors) if j != pivot]
        found = linear_solution([row.subs(factors[pivot], 1) for row in rows], rest)
        if found is None:
            return None
        found = _without_denominators({factors[pivot]: sympy.Integer(1), **found})
        components = [component.xreplace(found).xreplace(self._back) for component in unknowns]
        return components if self._is_proved(components) else None

    def _is_proved(self, components: list[Any]) -> bool:
        inside = [component.xreplace(self._stand_in) for component in components]
        return any(inside) and all(is_zero(row) for row in self._equations.residuals(self._coefficients, inside))


def _stand_ins(positive: set[Any]) -> dict[Any, Any]:
    import sympy

    return {symbol: sympy.Dummy(symbol.name, positive=True) for symbol in positive}


def _replaced(coefficients: SymbolicCoefficients, change: Mapping[Any, Any]) -> SymbolicCoefficients:
    """The coefficients in other symbols."""
    from liestonet.sde.symbolic import SymbolicCoefficients

    matrices: list[Any] = [coefficients.drift, coefficients.diffusion, coefficients.killing]
    state = tuple(change.get(symbol, symbol) for symbol in coefficients.state)
    return SymbolicCoefficients(state, coefficients.time, *(matrix.xreplace(change) for matrix in matrices))


def _monomials(coefficients: SymbolicCoefficients, values: Mapping[Any, Any]) -> Iterator[tuple[Any, float]]:
    """Products of parameters, and of roots from a linear drift, with their values; simplest first."""
    import sympy

    found: list[Any] = [sympy.Integer(1)]
    exponents = [e for e in range(-PROOFS.largest_degree, PROOFS.largest_degree + 1) if e]
    found += [symbol**e for symbol in values for e in exponents]
    found += [sympy.sqrt(symbol) for symbol, value in values.items() if value > 0]
    found += [a**p * b**q for a, b in combinations(values, 2) for p in exponents for q in exponents]
    found += _roots(coefficients, values)
    for expression in sorted(found, key=lambda e: (sympy.count_ops(e), str(e))):
        yield expression, float(expression.subs(values))


def _roots(coefficients: SymbolicCoefficients, values: Mapping[Any, Any]) -> Iterator[Any]:
    """Square roots in the eigenvalues of a linear drift, with signs such that they are real at the values."""
    import sympy

    drift: Any = coefficients.drift
    jacobian = drift.jacobian(sympy.Matrix(coefficients.state))
    if not jacobian.free_symbols <= set(values) or not 1 < coefficients.dimension <= PROOFS.largest_degree + 1:
        return
    for eigenvalue in jacobian.eigenvals():
        for power in eigenvalue.atoms(sympy.Pow):
            if power.exp == sympy.Rational(1, 2) and power.free_symbols:
                yield power if power.base.subs(values) > 0 else sympy.sqrt(-power.base)


def _with_numbers(function: Any, read: Callable[[Any], Any]) -> Any:
    """The function with `read` applied to the numbers in its arguments and exponents, as large as possible."""
    if not function.args or function.is_number:
        return function
    if function.is_Mul or function.is_Add:
        number, rest = function.as_independent(*function.free_symbols, as_Add=function.is_Add)
        parts = [rest] if not (rest.is_Mul or rest.is_Add) or rest.func != function.func else rest.args
        changed = function.func(*(_with_numbers(part, read) for part in parts))
        neutral = number == (0 if function.is_Add else 1)
        return changed if neutral else function.func(read(number), changed)
    return function.func(*(read(a) if a.is_number else _with_numbers(a, read) for a in function.args))


def _is_plain(number: Any) -> bool:
    """Whether a number has only the prime factors 2, 3 and 5, and so contains no parameter."""
    return number.is_Rational and _is_smooth(abs(int(number.p)), (2, 3, 5)) and _is_smooth(int(number.q), (2, 3))


def _is_smooth(number: int, primes: tuple[int, ...]) -> bool:
    for prime in primes:
        while number and number % prime == 0:
            number //= prime
    return number in (0, 1)


def _simple(value: float) -> Fraction | None:
    """The small fraction equal to a number up to rounding; None if there is none."""
    fraction = Fraction(value).limit_denominator(4)
    near = abs(float(fraction) - value) < 1e-12 * max(1.0, abs(value))
    return fraction if near and abs(fraction) in SIMPLE else None


def _size(fraction: Fraction) -> int:
    return abs(fraction.numerator) + 2 * fraction.denominator - 3


def independent_parts(residual: sympy.Expr, variables: tuple[sympy.Symbol, ...]) -> list[sympy.Expr] | None:
    """Coefficients of the distinct functions of the variables, all of which must vanish; None if too many."""
    import sympy

    if residual == 0:
        return []
    if sympy.count_ops(residual) > PROOFS.largest_proof:
        return None
    if residual.has(sympy.sinh, sympy.cosh, sympy.tanh, sympy.sin, sympy.cos, sympy.tan):
        residual = residual.rewrite(sympy.exp)
    numerator = sympy.expand(sympy.fraction(sympy.together(sympy.expand(residual)))[0])
    parts: dict[Any, Any] = {}
    for term in sympy.Add.make_args(numerator):
        factor, function = term.as_independent(*variables, as_Add=False)
        parts[function] = parts.get(function, sympy.Integer(0)) + factor
    return list(parts.values())


def linear_solution(
    rows: Sequence[sympy.Expr], unknowns: Sequence[sympy.Symbol]
) -> dict[sympy.Symbol, sympy.Expr] | None:
    """The unique solution of linear equations with symbolic coefficients; None if there is none or more than one."""
    import sympy

    if not unknowns:
        return {} if all(sympy.simplify(row) == 0 for row in rows) else None
    solutions = sympy.solve(rows, unknowns, dict=True)
    if len(solutions) != 1 or set(solutions[0]) != set(unknowns):
        return None
    found: dict[Any, Any] = {unknown: sympy.factor(value) for unknown, value in solutions[0].items()}
    return None if any(value.free_symbols & set(unknowns) for value in found.values()) else found


def _without_denominators(factors: dict[Any, Any]) -> dict[Any, Any]:
    """All factors multiplied by their common denominator."""
    import sympy

    denominator = sympy.Integer(1)
    for value in factors.values():
        denominator = sympy.lcm(denominator, sympy.fraction(sympy.together(value))[1])
    return {symbol: sympy.factor_terms(sympy.cancel(value * denominator)) for symbol, value in factors.items()}
