"""The grammar of formulas as people write them: tokens become a small tree, and nothing is executed.

`parse` turns the tree into SymPy. Text with two possible readings (1/2x, e^2x, f(x)) is refused, not guessed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NoReturn

from liestonet.errors import InputError
from liestonet.sde.tokens import NOISE, Token, exact_number, is_differential, near, quote, suggestion

MAX_DEPTH = 50
# Common names of functions, and their names in SymPy.
_CIRCULAR = ("sin", "cos", "tan", "sinh", "cosh", "tanh")
PLAIN = ("sqrt", "exp", "log", *_CIRCULAR, *(f"a{name}" for name in _CIRCULAR), "erf", "erfc", "sign", "Abs")
FUNCTIONS = {name: name for name in (*PLAIN, "cot", "sec", "csc", "coth", "sech", "csch")}
FUNCTIONS |= {"ln": "log", "abs": "Abs", "sgn": "sign"}
# The larger and the smaller of several numbers.
EXTREMES = {"max": "Max", "min": "Min", "Max": "Max", "Min": "Min"}
FUNCTIONS |= {f"arc{name}": f"a{name}" for name in _CIRCULAR} | {
    f"ar{name}h": f"a{name}h" for name in ("sin", "cos", "tan")
}


@dataclass(frozen=True, slots=True)
class Number:
    """A literal, exact."""

    value: Fraction
    text: str


@dataclass(frozen=True, slots=True)
class Name:
    """A coordinate, a parameter, a constant or a differential."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Sum:
    """Terms with their signs, +1 or −1."""

    terms: tuple[tuple[int, Node], ...]
    text: str


@dataclass(frozen=True, slots=True)
class Product:
    """Factors with +1, divisors with −1."""

    factors: tuple[tuple[int, Node], ...]
    text: str


@dataclass(frozen=True, slots=True)
class Power:
    """Base and exponent."""

    base: Node
    exponent: Node
    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """One of FUNCTIONS, by its SymPy name, applied to one argument."""

    function: str
    argument: Node
    text: str


@dataclass(frozen=True, slots=True)
class Extreme:
    """One of EXTREMES, by its SymPy name, of two or more arguments."""

    function: str
    arguments: tuple[Node, ...]
    text: str


Node = Number | Name | Sum | Product | Power | Call | Extreme


class Parser:
    """A parser of one formula; before a bracket only `coordinates` and `valued` names are taken as factors.

    `operators` are names that end a term as dt does: 1/x before one of them is a factor, as in 1/x dt.
    """

    def __init__(
        self,
        tokens: Sequence[Token],
        source: str,
        coordinates: Iterable[str] = (),
        valued: Iterable[str] = (),
        operators: Iterable[str] = (),
    ) -> None:
        self._tokens = tokens
        self._source = source
        self._coordinates = frozenset(coordinates)
        self._valued = frozenset(valued)
        self._operators = frozenset(operators)
        self._position = 0
        self._depth = 0

    def formula(self) -> Node:
        """The tree of the whole formula; text left over is an error."""
        node = self._sum()
        if (token := self._peek()) is not None:
            self._fail(token)
        return node

    def _peek(self, ahead: int = 0) -> Token | None:
        position = self._position + ahead
        return self._tokens[position] if position < len(self._tokens) else None

    def _kind(self, ahead: int = 0) -> str:
        token = self._peek(ahead)
        return token.kind if token is not None else ""

    def _take(self) -> Token:
        self._position += 1
        return self._tokens[self._position - 1]

    def _text(self, first: int) -> str:
        return self._source[self._tokens[first].start : self._tokens[self._position - 1].end]

    def _fail(self, token: Token | None, expected: str = "") -> NoReturn:
        if token is None:
            last = self._tokens[-1].text if self._tokens else "="
            raise InputError(f"The formula stops after {quote(last)}; {expected or 'something is missing there'}.")
        known = {
            ")": "a bracket is closed here that was never opened",
            "number": "an operator is missing before the number (write x^2 or x*2)",
            ",": "functions take one argument, and decimals are written with a point",
            "=": "an equation has one = sign, after the name it defines",
        }
        place = near(self._source, token.start)
        where = f"Unexpected {quote(token.text)} {token.place}, near {place}"
        raise InputError(f"{where}: {expected or known.get(token.kind, 'a name, a number or a bracket belongs here')}.")

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise InputError(f"The formula is nested more than {MAX_DEPTH} deep; simplify it.")

    def _sum(self) -> Node:
        self._deeper()
        first = self._position
        terms = [(1, self._product())]
        while self._kind() in ("+", "-"):
            sign = 1 if self._take().kind == "+" else -1
            terms.append((sign, self._product()))
        self._depth -= 1
        return terms[0][1] if len(terms) == 1 else Sum(tuple(terms), self._text(first))

    def _product(self) -> Node:
        first = self._position
        factors = [(1, self._signed())]
        # A divisor or exponent to which a following factor without * might belong.
        doubtful = self._glued()
        while True:
            kind, token = self._kind(), self._peek()
            if kind in ("*", "/", "∘"):
                self._take()
                following = self._peek()
                if kind == "∘" and not (following and following.kind == "name" and NOISE.fullmatch(following.text)):
                    raise InputError("The sign ∘ (Stratonovich) must stand directly before a noise, as in x ∘ dW.")
                start = self._position
                factors.append((-1 if kind == "/" else 1, self._signed()))
                bare = self._position == start + 1 and self._tokens[start].kind == "number"
                after = self._peek()
                spaced = after is not None and after.spaced
                doubtful = self._glued() or (kind == "/" and not (bare and spaced))
            elif token is not None and kind in ("name", "(", "√"):
                if doubtful and not (is_differential(token.text) or token.text in self._operators):
                    shown = quote(self._text(first) + (" " if token.spaced else "") + token.text)
                    raise InputError(
                        f"It is not clear what {token.text} belongs to in {shown}, {token.place}; "
                        "write the * and brackets, as in (1/2)*x or 1/(2*x)."
                    )
                factors.append((1, self._power()))
                doubtful = self._glued()
            else:
                break
        return factors[0][1] if len(factors) == 1 else Product(tuple(factors), self._text(first))

    def _glued(self) -> bool:
        """Whether a name touches a number exponent or root: e^2x and √2x may mean two things."""
        token = self._peek()
        kinds = [token.kind for token in self._tokens[max(0, self._position - 3) : self._position]]
        if token is None or token.kind != "name" or token.spaced or kinds[-1] != "number":
            return False
        return kinds[-2:-1] in (["^"], ["√"]) or kinds[:2] == ["^", "-"]

    def _signed(self) -> Node:
        first = self._position
        sign = 1
        while self._kind() in ("+", "-"):
            sign *= -1 if self._take().kind == "-" else 1
        node = self._power()
        return node if sign == 1 else Sum(((-1, node),), self._text(first))

    def _power(self) -> Node:
        first = self._position
        base = self._atom()
        if self._kind() != "^":
            return base
        self._take()
        self._deeper()
        exponent = self._signed()
        self._depth -= 1
        return Power(base, exponent, self._text(first))

    def _atom(self) -> Node:
        token = self._peek()
        if token is None or token.kind not in ("number", "name", "(", "√"):
            self._fail(token, "" if token else "a name, a number or a bracket is missing")
        self._take()
        if token.kind == "number":
            return Number(exact_number(token.text), token.text)
        if token.kind == "(":
            return self._closed(self._sum())
        if token.kind == "√":
            return self._root(token)
        if token.text in EXTREMES and self._kind() == "(" and token.text not in self._coordinates | self._valued:
            return self._extreme(token)
        if token.text in FUNCTIONS:
            if self._kind() != "(":
                raise InputError(
                    f"The function {token.text} {token.place} needs its argument in brackets; "
                    f"write {token.text}(x), and {token.text}(x)^2 for its square."
                )
            self._take()
            argument = self._closed(self._sum())
            return Call(
                FUNCTIONS[token.text],
                argument,
                self._source[token.start : self._tokens[self._position - 1].end],
            )
        self._check_factor(token)
        return Name(token.text, token.text)

    def _extreme(self, token: Token) -> Node:
        """max(a, b, …), after its name."""
        self._take()
        arguments = [self._sum()]
        while self._kind() == ",":
            self._take()
            arguments.append(self._sum())
        self._closed(arguments[-1])
        if len(arguments) < 2:
            raise InputError(
                f"The function {token.text} {token.place} takes two arguments or more; write {token.text}(x, 0)."
            )
        text = self._source[token.start : self._tokens[self._position - 1].end]
        return Extreme(EXTREMES[token.text], tuple(arguments), text)

    def _closed(self, node: Node) -> Node:
        if self._kind() != ")":
            self._fail(self._peek(), "a closing bracket is missing" if self._peek() is None else "")
        self._take()
        return node

    def _root(self, token: Token) -> Node:
        bracketed = self._kind() == "("
        self._deeper()
        argument = self._atom()
        self._depth -= 1
        if self._kind() == "^" and not bracketed:
            raise InputError(f"√ {token.place} is followed by ^, so either may go first; write √(...) or (√x)^2.")
        return Call("sqrt", argument, self._source[token.start : self._tokens[self._position - 1].end])

    def _check_factor(self, token: Token) -> None:
        """Refuse name(...) if it may be meant as an unknown function instead of a product."""
        name, bracket = token.text, self._peek()
        if bracket is None or bracket.kind != "(" or bracket.spaced:
            return
        inside, lone = self._peek(1), self._kind(2) == ")"
        if inside is not None and lone and inside.text == "t" and (is_differential(name) or name in self._coordinates):
            raise InputError(f"{name}(t) {token.place} would read as {name} times t; write {name} or {name}*t.")
        if is_differential(name) or name in self._coordinates or name in self._valued or name == "pi":
            return
        if len(name) == 1 and not (lone and inside is not None and inside.kind == "name"):
            return
        hint = suggestion(name, FUNCTIONS).rstrip("?")
        raise InputError(
            f"Unknown function {name} {token.place}{hint} (known are {', '.join(PLAIN)}; "
            f"for a product write {name}*(...))."
        )
