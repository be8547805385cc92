"""SymPy coefficients given by users, converted to one form: real symbols, exact numbers, matrices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import sympy
from sympy import Expr, ImmutableMatrix, MatrixBase, Symbol

from liestonet.core.flags import Flag
from liestonet.errors import InputError
from liestonet.sde.exact import number, rebuild
from liestonet.sde.symbolic import SymbolicCoefficients, ito_drift

STRATONOVICH = Flag(
    "converted",
    "The equation was read as Stratonovich and converted to Itô: ½ σ^j_k ∂_j σ^i_k was added to the drift given.",
    "Check that the Itô equation printed with the result is the one intended.",
)


def coefficients(
    drift: Any,
    diffusion: Any,
    state: Any,
    time: Any,
    parameters: Mapping[Any, object] | None,
    stratonovich: bool,
) -> tuple[SymbolicCoefficients, tuple[Flag, ...]]:
    """Checked coefficients and the flags to show with them."""
    given = _symbols(state)
    clock = _time(time, given)
    names = [symbol.name for symbol in (clock, *given)]
    symbols = {old: Symbol(old.name, real=True) for old in (clock, *given)}
    column = [_expression(entry, f"Drift entry {i + 1}") for i, entry in enumerate(_vector(drift))]
    table = _table(diffusion, len(given))
    if len(column) != len(given):
        raise InputError(f"The drift has {len(column)} entries, but the state {len(given)}; give one per coordinate.")
    rows = [[_expression(e, _place(i, k)) for k, e in enumerate(row)] for i, row in enumerate(table)]
    free: set[Any] = set().union(*(entry.free_symbols for entry in [*column, *(e for row in rows for e in row)]))
    for symbol in sorted(free - symbols.keys(), key=str):
        if symbol.name in names:
            hint = "pass it as time=" if time is None and symbol.name == "t" else "use one and the same object"
            raise InputError(f"The coefficients contain a symbol {symbol.name} that is not the one given; {hint}.")
        names.append(symbol.name)
        symbols[symbol] = Symbol(symbol.name, real=True)

    def canonical(entry: Expr, what: str) -> Expr:
        return rebuild(entry, symbols, what)

    exact_drift = [canonical(entry, f"Drift entry {i + 1}") for i, entry in enumerate(column)]
    exact_rows = [[canonical(e, _place(i, k)) for k, e in enumerate(row)] for i, row in enumerate(rows)]
    found = assemble(tuple(symbols[s] for s in given), symbols[clock], exact_drift, exact_rows, stratonovich)
    if parameters:
        found = found.substitute({getattr(key, "name", key): value for key, value in parameters.items()})
    return found, (STRATONOVICH,) if stratonovich else ()


def assemble(
    state: tuple[Symbol, ...], time: Symbol, drift: list[Expr], rows: list[list[Expr]], stratonovich: bool
) -> SymbolicCoefficients:
    """Coefficients from canonical entries; Stratonovich's are converted to Itô's."""
    if stratonovich:
        drift = [rebuild(entry, {}, "The converted drift") for entry in ito_drift(drift, rows, state)]
    size, noise = len(state), len(rows[0])
    return SymbolicCoefficients(
        state,
        time,
        ImmutableMatrix(size, 1, drift),
        ImmutableMatrix(size, noise, [entry for row in rows for entry in row]),
    )


def _place(row: int, column: int) -> str:
    return f"Diffusion entry ({row + 1}, {column + 1})"


def _symbols(state: Any) -> tuple[Symbol, ...]:
    given = (state,) if isinstance(state, Symbol) else tuple(state) if isinstance(state, Iterable) else ()
    if not given or not all(isinstance(symbol, Symbol) for symbol in given):
        raise InputError(f"state is {state!r}, but it must be a list of SymPy symbols, one per coordinate.")
    names = [symbol.name for symbol in given]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"Two coordinates are named {name}; give each its own name.")
    return given


def _time(time: Any, state: tuple[Symbol, ...]) -> Symbol:
    clock = Symbol("t", real=True) if time is None else time
    if not isinstance(clock, Symbol):
        raise InputError(f"time is {time!r}, but it must be a SymPy symbol, or None if nothing depends on time.")
    if clock.name in [symbol.name for symbol in state]:
        raise InputError(f"A coordinate is named {clock.name}, like time; rename one of them.")
    return clock


def _vector(drift: Any) -> list[Any]:
    if isinstance(drift, MatrixBase):
        if 1 not in drift.shape:
            raise InputError(f"The drift is a matrix of shape {drift.shape}, but it must be a single column.")
        return drift.flat()
    return list(drift) if isinstance(drift, Iterable) and not isinstance(drift, (str, Expr)) else [drift]


def _table(diffusion: Any, rows: int) -> list[list[Any]]:
    """Rows of σ, from a matrix, a list of lists, a list (one noise) or one entry (one dimension)."""
    if isinstance(diffusion, MatrixBase):
        table = [list(diffusion[i, :]) for i in range(diffusion.shape[0])]
    else:
        table = [_vector(entry) for entry in _vector(diffusion)]
    if len(table) != rows:
        raise InputError(f"The diffusion has {len(table)} rows, but the state {rows} entries; give one row for each.")
    if len({len(row) for row in table}) > 1:
        lengths = [len(row) for row in table]
        raise InputError(f"The diffusion's rows have {lengths} entries; all must have one per noise.")
    return table


def _expression(entry: Any, what: str) -> Expr:
    if isinstance(entry, Expr):
        if bad := sorted(entry.atoms(sympy.core.function.AppliedUndef), key=str):
            raise InputError(f"{what} contains {bad[0]}, whose formula is unknown; use symbols, and x instead of x(t).")
        return entry
    return number(entry, what)
