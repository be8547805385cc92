"""Replaces every number in a formula estimated from data by a free constant, since none is known exactly.

Only the form of a generator, the functions in it, is taken from its formula. One factor fixes its scale.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy

from liestonet.formulas.formula import Formula


@dataclass(frozen=True)
class FreeGenerator:
    """A generator whose factors and rates in time are symbols, with their values in its formula."""

    tau: Any
    xi: tuple[Any, ...]
    constants: tuple[Any, ...]
    values: tuple[float, ...]


def with_free_numbers(row: Formula, symbols: tuple[Any, ...], name: str) -> FreeGenerator:
    """The generator of a formula with constants named after `name`; `symbols` are time and coordinates."""
    known: dict[Any, Any] = {constant.symbol: constant.value for constant in row.constants}
    real = {s: sympy.Symbol(str(s), real=True) for part in (row.tau, *row.xi) for s in part.free_symbols}
    known = {real.get(symbol, symbol): value for symbol, value in known.items()}
    found: dict[Any, float] = {}
    rates: dict[Any, Any] = {}

    def free(value: Any) -> Any:
        symbol = sympy.Symbol(f"{name}_{len(found) + 1}", real=True)
        found[symbol] = float(value.subs(known))
        return symbol

    def moving(wave: Any) -> Any:
        """The function of time with its rate as a free symbol; equal rates share a symbol."""
        inner: Any = sympy.expand(wave.args[0])
        rate: Any = inner.coeff(symbols[0], 1)
        rest = sympy.expand(inner - rate * symbols[0])
        if rate == 0 or rate.has(*symbols):
            return wave
        if rate not in rates and -rate not in rates:
            rates[rate] = free(rate)
        turned = rates[rate] if rate in rates else -rates[-rate]
        return wave.func(turned * symbols[0] + rest)

    scaled = False
    parts = []
    for part in (row.tau, *row.xi):
        total = sympy.Integer(0)
        for term in sympy.Add.make_args(sympy.expand(part.xreplace(real))):
            if term == 0:
                continue
            factor, function = term.as_independent(*symbols, as_Add=False)
            waves = function.atoms(sympy.exp, sympy.sin, sympy.cos)
            function = function.xreplace({wave: moving(wave) for wave in waves})
            total += (free(factor) if scaled else factor.subs(known)) * function
            scaled = True
        parts.append(total)
    return FreeGenerator(parts[0], tuple(parts[1:]), tuple(found), tuple(found.values()))
