"""Equations as people write them: from statements such as `dx = -k*x dt + s dW; k = 1.5` to exact coefficients.

Noises are dW, dW1, dW2, ... (or dB): the same name is the same noise everywhere, columns of σ follow the numbers,
and dW together with dW1 is refused. `e` is Euler's number unless it has a value or an equation; `E` is an ordinary
name, and `I` (see NOT_REAL) is one only if it has a value or an equation.
"""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import sympy
from sympy import Expr, Symbol

from liestonet.core.flags import Flag
from liestonet.errors import InputError
from liestonet.sde import exact
from liestonet.sde.grammar import EXTREMES, FUNCTIONS, Call, Extreme, Name, Node, Number, Parser, Power, Product, Sum
from liestonet.sde.symbolic import SymbolicCoefficients
from liestonet.sde.sympy_input import STRATONOVICH, assemble
from liestonet.sde.tokens import NOISE, Token, is_differential, plain_name, quote, suggestion, tokenise

Form = dict[str, Expr]  # coefficient of each differential, and under "" the terms without one
WRITE = "write equations such as dx = -x dt + dW"
# Names that SymPy does not read as real numbers; with a value or an equation they are ordinary names.
NOT_REAL = {"I": "the imaginary unit", "zoo": "complex infinity"} | dict.fromkeys(("nan", "NaN"), "not a number")
NOT_REAL |= dict.fromkeys(("oo", "inf", "Inf", "infinity", "Infinity"), "infinity")


@dataclass(frozen=True)
class Statement:
    """`left = right`, with the place in the text for messages."""

    left: str
    right: Sequence[Token]
    text: str


def parse_system(
    text: str | Any, given: Mapping[Any, object], stratonovich: bool
) -> tuple[SymbolicCoefficients, tuple[Flag, ...]]:
    """Coefficients of the system a text describes, and the flags to show with them."""
    if not isinstance(text, str):
        raise InputError(f"The equation is a {type(text).__name__}, but it must be text; {WRITE}.")
    text = unicodedata.normalize("NFC", text.removeprefix("\ufeff"))  # an accent is then part of its letter
    statements = _statements(_without_clock(_capital(tokenise(text), given)), text)
    equations = {s.left[1:]: s for s in statements if _is_equation(s)}
    _check_equations(statements, equations)
    definitions = [s for s in statements if not _is_equation(s)]
    used = {token.text for s in equations.values() for token in s.right if token.kind == "name"}
    values = _values(definitions, given, used, set(equations), text)
    equations = {name: replace(s, right=_mark(s.right, {*equations, *values})) for name, s in equations.items()}
    noises = _noises(used, set(equations))
    circles = _is_stratonovich(equations.values()) or stratonovich

    known = values | {name: Symbol(name, real=True) for name in (*equations, "t")}
    reader = Reader(known)
    forms = {}
    for name, statement in equations.items():
        tree = Parser(statement.right, text, equations, values).formula()
        forms[name] = _linear(reader, tree, name)
    zero = sympy.Integer(0)
    drift = [form.get("dt", zero) for form in forms.values()]
    rows = [[form.get(noise, zero) for noise in noises] for form in forms.values()]
    state = tuple(Symbol(name, real=True) for name in equations)
    flags = [STRATONOVICH] if circles else []
    for noise in noises:
        sharing = [name for name, form in forms.items() if noise in form]
        if not noise[2:] and len(sharing) > 1:
            message = f"The equations of {', '.join(sharing)} share one noise {noise}."
            flags.append(Flag("shared-noise", message, f"Write {noise}1, {noise}2 for independent ones."))
    return assemble(state, Symbol("t", real=True), drift, rows, circles), tuple(flags)


def _capital(tokens: list[Token], given: Mapping[Any, object]) -> list[Token]:
    """Read dw as dW, unless w is a coordinate, dw a parameter, or dW another noise."""
    defined = {before.text for before, token in pairwise(tokens) if token.kind == "="} | {str(key) for key in given}
    small = [token for token in tokens if token.kind == "name" and re.fullmatch(r"dw[0-9]*", token.text)]
    if any(token.text in defined for token in small) or any(re.match("dW", token.text) for token in tokens):
        return tokens
    return [replace(token, text="dW" + token.text[2:]) if token in small else token for token in tokens]


def _without_clock(tokens: list[Token]) -> list[Token]:
    """Remove (t) after noises and coordinates if an equation begins with dx(t) =, which shows what it means."""
    clock = [i for i in range(len(tokens) - 2) if [token.text for token in tokens[i : i + 3]] == ["(", "t", ")"]]
    states = {tokens[i - 1].text[1:] for i in clock if i and tokens[i + 3 : i + 4] and tokens[i + 3].kind == "="}
    meant = {*states, *(f"d{name}" for name in states)}
    dropped: set[int] = set()
    for i in clock:
        if states and i and (tokens[i - 1].text in meant or NOISE.fullmatch(tokens[i - 1].text)):
            dropped |= {i, i + 1, i + 2}
    return [token for i, token in enumerate(tokens) if i not in dropped]


def _statements(tokens: Sequence[Token], text: str) -> list[Statement]:
    """Cut at semicolons, line ends and commas outside brackets, and split each piece at its = sign."""
    pieces: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token.kind == "(") - (token.kind == ")")
        if token.kind in (";", "newline") or (token.kind == "," and depth <= 0):
            pieces.append([])
            depth = 0
        else:
            pieces[-1].append(token)
    statements = [_statement(piece, text) for piece in pieces if piece]
    if not statements:
        raise InputError(f"The text holds no equation; {WRITE}.")
    return statements


def _statement(tokens: list[Token], source: str) -> Statement:
    text = quote(source[tokens[0].start : tokens[-1].end])
    kinds = [token.kind for token in tokens]
    if "=" not in kinds:
        raise InputError(f"{text} has no = sign; {WRITE}, and decimals with a point.")
    left, right = tokens[: kinds.index("=")], tokens[kinds.index("=") + 1 :]
    shown = " ".join(token.text for token in left)
    if re.fullmatch(r"d\w+ / d ?t", shown):
        variable = left[0].text
        raise InputError(f"In {text}, /dt leaves no place for the noise; write {variable} = ... dt + ... dW.")
    if divided := re.fullmatch(r"d(\w+) / (?:\1|\( \1 \))", shown):
        raise InputError(
            f"In {text}, d{divided[1]} is divided by {divided[1]}; multiply, d{divided[1]} = {divided[1]}*(...)."
        )
    if [token.kind for token in left] != ["name"]:
        raise InputError(f"In {text}, one name belongs before the = sign but {quote(shown)} is there; {WRITE}.")
    if not right:
        raise InputError(f"In {text}, nothing follows the = sign; {WRITE}.")
    for token in tokens:
        if token.kind == "name" and keyword.iskeyword(token.text):
            raise InputError(f"In {text}, {token.text} is a reserved word of Python; rename it, such as {token.text}1.")
    return Statement(left[0].text, right, text)


def _is_equation(statement: Statement) -> bool:
    return statement.left[0] == "d" and any(t.kind == "name" and is_differential(t.text) for t in statement.right)


def _check_equations(statements: Sequence[Statement], equations: Mapping[str, Statement]) -> None:
    lefts = [statement.left for statement in statements]
    for statement in statements:
        left, text = statement.left, statement.text
        if lefts.count(left) > 1:
            raise InputError(f"{left} = ... occurs {lefts.count(left)} times; keep one of them.")
        if not _is_equation(statement) and any(is_differential(t.text) for t in statement.right):
            raise InputError(f"{text} has dt or dW on the right but no differential on the left; write d{left} = ...")
        for token in statement.right:
            if token.kind == "name" and token.text[:1] == "d" and token.text[1:] in equations:
                raise InputError(f"In {text}, {token.text} occurs on the right; insert its own equation there.")
    for name, statement in equations.items():
        if not name or name[0].isdigit():
            raise InputError(f"In {statement.text}, {statement.left} names no coordinate; {WRITE}.")
        _check_name(name, "a coordinate", statement.text)
    if not equations:
        first = statements[0]
        if first.left[0] == "d" and len(first.left) > 1:
            raise InputError(f"{first.text} has no dt and no dW; write {first.left} = ... dt + ... dW.")
        raise InputError(f"The text holds no equation; {WRITE}.")


def _check_name(name: str, role: str, where: str) -> None:
    """Refuse names that have another meaning."""
    meaning = None
    if name in FUNCTIONS:
        meaning = "a function"
    elif name in ("t", "dt"):
        meaning = "time"
    elif name == "pi":
        meaning = "the number π"
    elif re.fullmatch(r"d?W\d*", name):
        meaning = "the noise (the Wiener process)"
    if meaning:
        raise InputError(f"In {where}, {name} cannot be {role}, because it names {meaning}; choose another name.")


def _values(
    definitions: Sequence[Statement], given: Mapping[Any, object], used: set[str], states: set[str], text: str
) -> dict[str, Expr]:
    """Exact values of parameters: from the text, or given separately, which takes precedence."""
    values: dict[str, Expr] = {}
    for statement in definitions:
        name = statement.left
        if name[0] == "d" and name not in used and len(name) > 1:
            raise InputError(f"{statement.text} has no dt and no dW; write {name} = ... dt + ... dW.")
        _check_parameter(name, used, states, statement.text)
        reader = Reader({}, constant=statement.text)
        values[name] = reader.form(Parser(statement.right, text).formula())[""]
    for key, value in given.items():
        name = plain_name(str(key))
        _check_parameter(name, used, states, f"the value for {name}")
        values[name] = exact.number(value, f"Parameter {name}")
    return values


def _check_parameter(name: str, used: set[str], states: set[str], where: str) -> None:
    _check_name(name, "a parameter", where)
    if name in states:
        raise InputError(f"In {where}, {name} cannot be a parameter, because it is a coordinate.")
    if name not in used:
        known = {*FUNCTIONS, *EXTREMES}
        others = {n for n in used if not is_differential(n) and n not in known} - states - {"t"}
        hint = suggestion(name, others)
        end = hint or "; remove it."
        raise InputError(f"In {where}, {name} has a value but does not occur in the equations{end}")


def _mark(tokens: Sequence[Token], defined: set[str]) -> list[Token]:
    """Read a lone letter o before a noise as ∘, unless o has a value or an equation."""
    marked = list(tokens)
    for index, (token, following) in enumerate(pairwise(tokens)):
        if token.text == "o" and "o" not in defined and NOISE.fullmatch(following.text):
            marked[index] = replace(token, kind="∘")
    return marked


def _is_stratonovich(equations: Iterable[Statement]) -> bool:
    circled, plain = [], []
    for statement in equations:
        for before, token in zip([None, *statement.right], statement.right, strict=False):
            if token.kind == "name" and NOISE.fullmatch(token.text):
                (circled if before is not None and before.kind == "∘" else plain).append(token.text)
    if circled and plain:
        raise InputError(f"∘ {circled[0]} (Stratonovich) and plain {plain[0]} (Itô) are mixed; write all in one way.")
    return bool(circled)


def _noises(used: set[str], states: set[str]) -> list[str]:
    """Noise names in column order: W before B, each by its number."""
    found = {name: match for name in used if (match := NOISE.fullmatch(name))}
    for letter in "WB":
        names = sorted(name for name, match in found.items() if match[1] == letter)
        if f"d{letter}" in names and len(names) > 1:
            raise InputError(
                f"The equations use both {names[0]} and {names[1]}; number every noise, as in {names[0]}1."
            )
        taken = sorted(name for name in used if re.fullmatch(rf"{letter}\d*", name) and name not in states)
        if taken and (names or letter == "W"):
            raise InputError(f"{taken[0]} occurs in a coefficient, but names the noise (Wiener process); rename it.")
    return sorted(found, key=lambda name: (found[name][1] != "W", int(found[name][2] or 0)))


class Reader:
    """A converter from trees to exact expressions, linear in the differentials; unknown names become parameters."""

    def __init__(self, known: Mapping[str, Expr], constant: str = "") -> None:
        self._known, self._constant = known, constant

    def form(self, node: Node) -> Form:
        """Coefficients of the differentials in a tree."""
        text = quote(node.text)
        match node:
            case Number(value):
                return {"": exact.fraction(value, text)}
            case Name(name):
                return {name: sympy.Integer(1)} if is_differential(name) else {"": self._name(name)}
            case Sum(terms):
                parts: dict[str, list[Expr]] = {}
                for sign, term in terms:
                    for key, value in self.form(term).items():
                        parts.setdefault(key, []).append(sign * value)
                return {key: exact.add(values, text) for key, values in parts.items()}
            case Product():
                return self._product(node, text)
            case Power(base, exponent):
                return {"": exact.power(self._plain(base, text), self._plain(exponent, text), text)}
            case Call("sqrt", argument):
                return {"": exact.power(self._plain(argument, text), sympy.Rational(1, 2), text)}
            case Call(function, argument):
                return {"": exact.apply(getattr(sympy, function), self._plain(argument, text), text)}
            case Extreme(function, arguments):
                parts_of = [self._plain(argument, text) for argument in arguments]
                return {"": exact.extreme(getattr(sympy, function), parts_of, text)}

    def _name(self, name: str) -> Expr:
        if name in self._known:
            return self._known[name]
        if name in ("pi", "e"):
            return sympy.pi if name == "pi" else sympy.E
        if name in NOT_REAL:
            raise InputError(
                f"{name} may be read as {NOT_REAL[name]}, but coefficients are real numbers; choose another name, or "
                f"give it a value, as in {name} = 2."
            )
        if self._constant:
            raise InputError(f"In {self._constant}, the value contains the name {name}; give a number, such as 3/2.")
        return Symbol(name, real=True)

    def _plain(self, node: Node, where: str) -> Expr:
        form = self.form(node)
        if form.keys() - {""}:
            first = min(form.keys() - {""})
            raise InputError(
                f"In {where}, {first} occurs in a function, a power or a divisor; it may only be a factor."
            )
        return form[""]

    def _product(self, node: Product, text: str) -> Form:
        factors: list[Expr] = []
        linear: Form | None = None
        for direction, factor in node.factors:
            if direction < 0:
                factors.append(exact.power(self._plain(factor, text), sympy.Integer(-1), text))
                continue
            form = self.form(factor)
            if not form.keys() - {""}:
                factors.append(form[""])
            elif linear is None:
                linear = form
            else:
                raise InputError(f"{text} multiplies two differentials; every term holds one dt or one dW.")
        if linear is None:
            return {"": exact.multiply(factors, text)}
        return {key: exact.multiply([*factors, value], text) for key, value in linear.items()}


def _linear(reader: Reader, tree: Node, name: str) -> Form:
    """The form of an equation's right-hand side, every term of which has a differential."""
    form = reader.form(tree)
    if form.get("", 0) == 0:
        return form
    terms = tree.terms if isinstance(tree, Sum) else ((1, tree),)
    bad = next((term for _, term in terms if reader.form(term).get("", 0) != 0), tree)
    strange = re.search(r"\bd[A-Z]\w*", bad.text)
    hint = f"{strange[0]} is not a noise (dW, dW1, dB are)" if strange else "write it times dt or dW"
    raise InputError(f"In the equation of {name}, the term {quote(bad.text)} has no dt and no dW; {hint}.")
