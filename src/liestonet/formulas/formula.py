"""One generator in closed form, and its constants with uncertainties."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    import sympy


@dataclass(frozen=True)
class Constant:
    """An inexact number in a formula: its symbol, its value and its uncertainty."""

    symbol: sympy.Symbol
    value: float
    uncertainty: float


@dataclass(frozen=True)
class Formula:
    """One generator in closed form.

    `status` is "proved" (SymPy inserts it into the determining equations and gets zero), "consistent" (it fits within
    the stated error) or "numerical" (no formula was found; τ, ξ and β are then names of functions). `constants` are its
    symbols for numbers with an uncertainty.
    """

    tau: sympy.Expr
    xi: tuple[sympy.Expr, ...]
    beta: sympy.Expr
    status: str
    error: float
    constants: tuple[Constant, ...] = ()


@runtime_checkable
class ClosedForm(Protocol):
    """Any expression of a generator τ ∂t + ξ·∂x (+ β u∂u) in SymPy; β is None for kinds without it."""

    @property
    def tau(self) -> sympy.Expr: ...

    @property
    def xi(self) -> tuple[sympy.Expr, ...]: ...

    @property
    def beta(self) -> sympy.Expr | None: ...


def unknown_formula(position: int, symbols: tuple[sympy.Symbol, ...], has_beta: bool) -> Formula:
    """A generator without a formula: its components are names of functions."""
    import sympy

    number = position + 1
    xi = tuple(sympy.Function(f"xi_{number}_{symbol}")(*symbols) for symbol in symbols[1:])
    beta = sympy.Function(f"beta_{number}")(*symbols) if has_beta else sympy.Integer(0)
    return Formula(sympy.Function(f"tau_{number}")(symbols[0]), xi, beta, "numerical", 0.0)
