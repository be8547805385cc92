"""An equation under a condition on its parameters: one of them is expressed by the others (docs/method.md §17.1)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import sympy
from sympy import Expr, ImmutableMatrix

from liestonet.sde.symbolic import SymbolicCoefficients
from liestonet.symmetry.analytic.special_parameters import Condition, canonical

ONE = sympy.Integer(1)
UNDEFINED = (sympy.zoo, sympy.nan, sympy.oo, -sympy.oo)


@dataclass(frozen=True)
class Branch:
    """The coefficients where some polynomials vanish, and the values that parameters take there."""

    coefficients: SymbolicCoefficients
    equations: tuple[Expr, ...] = ()
    values: tuple[tuple[Expr, Expr], ...] = ()
    divisors: tuple[Expr, ...] = ()  # what values were divided by: where one is zero, another branch has the case

    @property
    def is_defined(self) -> bool:
        """False where a coefficient is infinite under the condition."""
        return not any(matrix.has(*UNDEFINED) for matrix in _matrices(self.coefficients))

    @property
    def is_noiseless(self) -> bool:
        return bool(self.coefficients.diffusion.is_zero_matrix)

    def vanishes(self, polynomial: Expr) -> bool:
        """Whether a polynomial in the parameters is zero everywhere on the branch."""
        return sympy.simplify(polynomial.subs(list(self.values))) == 0


@dataclass(frozen=True)
class Split:
    """The branches of a condition; `unsolved` are polynomials that could not be solved for any parameter."""

    branches: tuple[Branch, ...] = ()
    unsolved: tuple[Any, ...] = ()


def branches_of(branch: Branch, condition: Condition) -> Split:
    """The branches on which all polynomials of a condition vanish, for real parameters."""
    found, open_ends, unsolved = [], [(branch, sorted(condition, key=sympy.default_sort_key))], []
    while open_ends:
        current, waiting = open_ends.pop()
        if not waiting:
            found.append(current)
            continue
        first, *rest = waiting
        here = sympy.numer(sympy.together(first.subs(list(current.values))))
        if sympy.expand(here) == 0:
            open_ends.append((current, rest))
            continue
        for factor in _real_factors(here):
            split = _on(current, factor)
            if split is None:
                unsolved.append(factor)
                continue
            done, other = split
            if done is not None:
                open_ends.append((done, rest))
            open_ends += [(current, [*more, *rest]) for more in other]
    return Split(tuple(found), tuple(unsolved))


def other_ways(root: Branch, branch: Branch) -> list[Branch]:
    """The same condition solved for other parameters: formulas may then be simpler."""
    if len(branch.equations) != 1 or len(branch.values) != 1:
        return []
    (polynomial,), ((used, _),) = branch.equations, branch.values
    splits = [_on(root, polynomial, [symbol]) for symbol in _order(polynomial) if symbol != used]
    return [split[0] for split in splits if split is not None and split[0] is not None]


def _real_factors(expression: Any) -> list[Any]:
    """Irreducible factors that can vanish for real parameters."""
    _, factors = sympy.factor_list(expression)
    return [canonical(f) for f, _ in factors if not (f.is_positive or f.is_negative or (f.is_nonzero and f.is_number))]


def _on(
    branch: Branch, polynomial: Any, symbols: list[Any] | None = None
) -> tuple[Branch | None, list[list[Any]]] | None:
    """The branch where a polynomial vanishes, and conditions under which it does not fix the chosen parameter.

    None where it can be solved for no parameter; no branch where the divisors of earlier steps would vanish.
    """
    for symbol in _order(polynomial) if symbols is None else symbols:
        rows = sympy.Poly(polynomial, symbol).as_dict()
        (degree,) = max(rows)
        if (together := _only_together(polynomial, symbol)) is not None:
            return None, [together]
        if set(rows) - {(degree,), (0,)}:
            continue
        leading, rest = rows[degree,], rows.get((0,), sympy.Integer(0))
        power = sympy.factor(-rest / leading)
        if degree % 2 == 0 and power != 0 and (power.is_nonpositive or power.is_negative):
            # only where both are zero
            made = _replaced(branch, symbol, sympy.Integer(0), polynomial)
            return None if made is None else _with(made, rest), []
        value = _root(branch, symbol, power, degree)
        if value is None:
            continue
        made = _replaced(branch, symbol, value, polynomial, leading)
        apart = (
            [[a, b] for a, b in product(_real_factors(leading), _real_factors(rest))] if leading.free_symbols else []
        )
        return made, apart
    return None


def _only_together(polynomial: Any, symbol: Any) -> list[Any] | None:
    """For a quadratic with discriminant ≤ 0, factors of it and the derivative: all vanish at a real zero; else None."""
    poly = sympy.Poly(polynomial, symbol)
    if poly.degree() != 2:
        return None
    gap = sympy.factor(sympy.discriminant(polynomial, symbol))
    if not gap.is_nonpositive or gap == 0:
        return None
    return [*{factor for factor, _ in sympy.factor_list(gap)[1]}, sympy.diff(polynomial, symbol)]


def _with(branch: Branch, rest: Any) -> Branch:
    """The branch with one more condition, a sum of squares: all parameters in it are zero."""
    for symbol in sorted(rest.free_symbols, key=str):
        made = _replaced(branch, symbol, sympy.Integer(0), symbol)
        branch = branch if made is None else made
    return branch


def _order(polynomial: Expr) -> list[Any]:
    """Parameters, easiest to solve for first: linear, with a number as coefficient, few terms."""

    def effort(symbol: Any) -> tuple[Any, bool, int, str]:
        poly = sympy.Poly(polynomial, symbol)
        return poly.degree(), bool(poly.LC().free_symbols), len(sympy.Add.make_args(poly.LC())), str(symbol)

    return sorted(polynomial.free_symbols, key=effort)


def _root(branch: Branch, symbol: Any, power: Any, degree: int) -> Any:
    """The value of a parameter with symbol^degree = power; None where coefficients need more than that power."""
    if degree == 1 or power == 0:
        return power
    known = sympy.Dummy("power", positive=True)
    for matrix in _matrices(branch.coefficients):
        changed: Any = sympy.powdenest(matrix.subs(symbol, known ** sympy.Rational(1, degree)), force=True)
        if any(not node.exp.is_integer for node in changed.atoms(sympy.Pow) if node.base == known):
            exact = sympy.real_root(power, degree) if power.is_number else None
            return exact if exact is not None and exact.is_rational else None
    return power ** sympy.Rational(1, degree)


def _replaced(branch: Branch, symbol: Any, value: Any, polynomial: Any, divisor: Any = ONE) -> Branch | None:
    """The branch with a parameter replaced by its value; None where this makes a divisor vanish."""
    known = branch.coefficients
    divisors: tuple[Any, ...] = tuple(sympy.factor(old.subs(symbol, value)) for old in branch.divisors)
    if any(old == 0 or old.has(*UNDEFINED) for old in divisors):
        return None
    drift, diffusion, killing = (
        ImmutableMatrix(matrix.subs(symbol, value).applyfunc(_tidy)) for matrix in _matrices(known)
    )
    made = SymbolicCoefficients(known.state, known.time, drift, diffusion, killing)
    values = tuple((old, new.subs(symbol, value)) for old, new in branch.values)
    return Branch(made, (*branch.equations, polynomial), (*values, (symbol, value)), (*divisors, divisor))


def _tidy(entry: Any) -> Any:
    """A simpler form of an entry, without nested fractions and roots of squares left by a replacement."""
    tidied = sympy.powdenest(sympy.expand_power_base(entry), force=False) if entry.has(sympy.Pow) else entry
    return min((tidied, sympy.expand(tidied)), key=lambda form: (sympy.count_ops(form), str(form)))


def _matrices(coefficients: SymbolicCoefficients) -> tuple[Any, Any, Any]:
    return coefficients.drift, coefficients.diffusion, coefficients.killing
