"""SymPy expressions as a table of small rows, and back without evaluation.

A row is a head with its arguments, the numbers of earlier rows: `["Mul", 0, 3]`. Only heads listed here are accepted;
sums, products, powers and functions are built without evaluation, so that reading computes nothing. A stored formula is
read as the same expression, with the same order of terms.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from liestonet.errors import InputError

# Larger or deeper expressions, shared parts counted each time, are refused.
MOST_PARTS, MOST_LEVELS, MOST_BITS, LARGEST_EXPONENT = 200_000, 150, 20_000, 100_000
CONSTANTS = ("Pi", "Exp1", "ImaginaryUnit", "EulerGamma", "GoldenRatio", "Catalan", "Infinity", "NegativeInfinity")
ELEMENTARY = (
    "exp log sin cos tan cot sec csc asin acos atan acot asec acsc atan2 sinh cosh tanh coth sech csch asinh acosh "
    "atanh acoth asech acsch Abs sign re im arg conjugate Heaviside floor ceiling Max Min LambertW"
)
SPECIAL = (
    "erf erfc erfi erfinv Ei Si Ci Shi Chi li expint gamma loggamma lowergamma uppergamma fresnels fresnelc besselj "
    "bessely besseli besselk airyai airybi elliptic_f elliptic_e elliptic_k elliptic_pi polylog zeta"
)
FUNCTIONS = frozenset((*ELEMENTARY.split(), *SPECIAL.split()))
NESTED = frozenset({"Add", "Mul", "Pow"})
# Names of functions that stand for the components of a generator without a formula.
UNKNOWN = re.compile(r"(?:tau|xi|beta)_[0-9]{1,6}(?:_\w{0,200})?")
Row = list[Any]
Size = tuple[int, int]  # parts and levels


class ExpressionWriter:
    """Writes expressions as rows; an expression that occurs several times is stored once."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self._numbers: dict[Any, int] = {}
        self._sizes: list[Size] = []

    def add(self, expression: Any) -> int:
        """Add an expression; returns the number of its row."""
        import sympy

        for node in sympy.postorder_traversal(expression):
            # the limits of an integral are a tuple, not an expression; the row holds their parts
            if not isinstance(node, sympy.Tuple) and _key(node) not in self._numbers:
                row = self._row(node)
                self._sizes.append(self._checked(row, node))
                self.rows.append(row)
                self._numbers[_key(node)] = len(self.rows) - 1
        return self._numbers[_key(expression)]

    def _checked(self, row: Row, node: Any) -> Size:
        """The size of a row; one that could not be read again is refused."""
        try:
            if row[0] in LEAVES:
                LEAVES[row[0]](*row[1:])
            return _size(row, self._sizes)
        except ValueError as problem:
            head = type(node).__name__  # the number itself may have millions of digits
            raise InputError(f"A file cannot hold this {head} of a formula: {problem}; use to_json().") from None

    def _row(self, node: Any) -> Row:
        import sympy
        from sympy.core.function import AppliedUndef

        if isinstance(node, sympy.Symbol):
            return ["Symbol", node.name, _facts(node)]
        if isinstance(node, sympy.Rational) and node.is_finite:
            return ["Rational", hex(node.p), hex(node.q)]
        if isinstance(node, sympy.Float) and node.is_finite:
            sign, mantissa, exponent, _ = node._mpf_
            return ["Float", hex(-int(mantissa) if sign else int(mantissa)), int(exponent), int(node._prec)]
        if isinstance(node, sympy.Integral) and len(node.limits) == 1 and len(node.limits[0].args) == 3:
            return ["Integral", *(self._numbers[_key(part)] for part in (node.function, *node.limits[0].args))]
        arguments = [self._numbers[_key(part)] for part in node.args if not isinstance(part, sympy.Tuple)]
        if isinstance(node, AppliedUndef):
            name = re.sub(r"\W", "_", node.func.__name__)
            return ["Unknown", name, *arguments]
        head = type(node).__name__
        if type(node) is _heads().get(head):
            return [head, *arguments]
        raise InputError(f"The formula {str(node)[:60]!r} has a {head} in it, which cannot be stored; use to_json().")


def _key(node: Any) -> tuple[type, Any]:
    """A dictionary key that distinguishes SymPy's 1 and 1.0, and symbols that differ only in their class."""
    return type(node), node


def _facts(symbol: Any) -> dict[str, bool]:
    """The assumptions of a symbol: one word if it implies all the others, else all of them."""
    import sympy

    for facts in ({}, {"real": True}, {"positive": True}):
        if sympy.Symbol(symbol.name, **facts) == symbol:
            return facts
    return dict(symbol.assumptions0)


@lru_cache(maxsize=1)
def _heads() -> dict[str, Any]:
    """Heads whose arguments are expressions, and constants without arguments."""
    import sympy

    made = {name: getattr(sympy, name) for name in (*NESTED, *FUNCTIONS)}
    return made | {name: type(getattr(sympy.S, name)) for name in CONSTANTS}


def read_expressions(rows: Any) -> list[Any]:
    """All expressions of a table; a ValueError for an invalid row."""
    if not isinstance(rows, list):
        raise ValueError("the expressions are not a list")
    found: list[Any] = []
    sizes: list[Size] = []
    for row in rows:
        if not (isinstance(row, list) and row and isinstance(row[0], str)):
            raise ValueError("an expression is not a row")
        sizes.append(_size(row, sizes))
        found.append(_read_row(row, [found[number] for number in _references(row)]))
    return found


def _references(row: Row) -> list[Any]:
    """The numbers of the rows to which a row refers."""
    return [] if row[0] in LEAVES else row[2:] if row[0] == "Unknown" else row[1:]


def _size(row: Row, sizes: list[Size]) -> Size:
    """The number of parts and levels of an expression, from those of the earlier rows."""
    numbers = _references(row)
    if not all(type(number) is int and 0 <= number < len(sizes) for number in numbers):
        raise ValueError("an expression refers to a later one")
    parts = 1 + sum(sizes[number][0] for number in numbers)
    levels = 1 + max((sizes[number][1] for number in numbers), default=0)
    if parts > MOST_PARTS or levels > MOST_LEVELS:
        raise ValueError("an expression is too large")
    return parts, levels


def _read_row(row: Row, arguments: list[Any]) -> Any:
    import sympy

    head = row[0]
    if head in LEAVES:
        return LEAVES[head](*row[1:])
    if head == "Unknown":
        if not (isinstance(row[1], str) and UNKNOWN.fullmatch(row[1]) and arguments):
            raise ValueError("an unknown function has an unexpected name")
        made: Any = sympy.Function(row[1])
        return made(*arguments)
    if head in CONSTANTS and not arguments:
        return getattr(sympy.S, head)
    if head == "Integral":
        if len(arguments) != 4 or not isinstance(arguments[1], sympy.Symbol):
            raise ValueError("an integral has an integrand, a variable and two bounds")
        return sympy.Integral(arguments[0], tuple(arguments[1:]))
    if (head in NESTED or head in FUNCTIONS) and arguments:
        if head == "Pow" and len(arguments) != 2:
            raise ValueError("a power has a base and an exponent")
        return _heads()[head](*arguments, evaluate=False)
    raise ValueError(f"{head!r} is not part of an expression")


def _symbol(name: Any, facts: Any) -> Any:
    import sympy

    if not (isinstance(name, str) and name and len(name) <= 200 and isinstance(facts, dict)):
        raise ValueError("a symbol has no name, or one too long")
    if not (all(type(value) is bool for value in facts.values()) and facts.keys() <= _known_facts()):
        raise ValueError("a symbol has an assumption unknown to SymPy")
    return sympy.Symbol(name, **facts)


@lru_cache(maxsize=1)
def _known_facts() -> frozenset[str]:
    import sympy

    return frozenset(sympy.Symbol("x", positive=True, integer=True, even=True, prime=False).assumptions0)


def _rational(numerator: Any, denominator: Any) -> Any:
    import sympy

    top, bottom = _integer(numerator), _integer(denominator)
    if bottom <= 0:
        raise ValueError("a fraction has no positive denominator")
    return sympy.Rational(top, bottom)


def _float(mantissa: Any, exponent: Any, precision: Any) -> Any:
    import sympy

    number = _integer(mantissa)
    if not (type(exponent) is int and abs(exponent) <= LARGEST_EXPONENT and type(precision) is int):
        raise ValueError("not a decimal number, or out of range")
    if not 1 <= precision <= MOST_BITS:
        raise ValueError("a decimal number has too many digits")
    if not number:
        return sympy.Float(0, precision=precision)  # SymPy turns a zero mantissa into the integer zero
    return sympy.Float((int(number < 0), abs(number), exponent, abs(number).bit_length()), precision=precision)


def _integer(text: Any) -> int:
    """A whole number from base 16, which takes time proportional to its length."""
    if not (isinstance(text, str) and re.fullmatch("-?0x[0-9a-f]+", text) and len(text) <= MOST_BITS // 4):
        raise ValueError("not a whole number, or it has too many digits")
    return int(text, 16)


LEAVES: dict[str, Callable[..., Any]] = {"Symbol": _symbol, "Rational": _rational, "Float": _float}
