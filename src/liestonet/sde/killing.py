"""Expressions in the state that go with an equation: the rate at which paths are killed, a payoff."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import sympy
from sympy import Expr, ImmutableMatrix, Symbol

from liestonet.errors import InputError
from liestonet.sde.exact import number, rebuild
from liestonet.sde.grammar import Parser
from liestonet.sde.parse import Reader
from liestonet.sde.symbolic import SymbolicCoefficients
from liestonet.sde.tokens import tokenise


def expression_of(given: object, coefficients: SymbolicCoefficients, what: str) -> Expr:
    """An expression in time, state and parameters, from text, SymPy or a number, with exact and checked constants."""
    known = {symbol.name: symbol for symbol in (coefficients.time, *coefficients.state)}
    if isinstance(given, str):
        if not given.strip():
            raise InputError(f"{what} is empty; give an expression in the state.")
        form = Reader(known).form(Parser(tokenise(given), given, known).formula())
        if set(form) != {""}:
            raise InputError(f"{what} is {given!r}, which has a dt or dW; give an expression in the state.")
        return form[""]
    if isinstance(given, Expr):
        symbols = {symbol: known.get(symbol.name, Symbol(symbol.name, real=True)) for symbol in given.atoms(Symbol)}
        return rebuild(given, symbols, what)
    return number(given, what)


def with_killing(coefficients: SymbolicCoefficients | None, killing: Any) -> SymbolicCoefficients:
    """The coefficients of the same equation with paths killed at this rate."""
    if coefficients is None:
        raise InputError("A killing needs an equation with formulas, and this one is made of callables; use SDE.parse.")
    rate = sympy.Integer(0) if killing is None else expression_of(killing, coefficients, "The killing")
    return replace(coefficients, killing=ImmutableMatrix(1, 1, [rate]), _compiled={})
