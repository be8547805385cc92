"""Formulas of generators from text, by the parser of equations; the only file of the catalogue that loads SymPy."""

from __future__ import annotations

from collections.abc import Sequence

from sympy import Expr, Symbol

from liestonet.errors import InputError
from liestonet.sde.grammar import Parser
from liestonet.sde.parse import Reader
from liestonet.sde.tokens import tokenise


def symbols(names: Sequence[str]) -> tuple[Symbol, ...]:
    """The symbols of time and coordinates, the same as those of an SDE."""
    return tuple(Symbol(name, real=True) for name in ("t", *names))


def read_formula(text: str, names: Sequence[str]) -> Expr:
    """The expression of a formula in t and the coordinates; other names are refused."""
    known = {symbol.name: symbol for symbol in symbols(names)}
    form = Reader(known).form(Parser(tokenise(text), text, known).formula())
    value = form.get("")
    if value is None or set(form) != {""} or value.free_symbols - set(known.values()):
        raise InputError(f"The formula {text!r} holds a name besides t, {', '.join(names)}; use these only.")
    return value
