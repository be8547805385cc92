"""Coefficients known as SymPy expressions: exact derivatives, compiled once into NumPy functions.

Symbols are real and have the names that the user gave. Abs, sign and similar functions are differentiated as away
from their kinks; `kinks` lists where those are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import sympy
from jaxtyping import Float
from sympy import Expr, ImmutableMatrix, Symbol
from sympy.printing.str import StrPrinter

from liestonet.core.coefficients import Derivative, Jet, JetOrder, derivatives
from liestonet.core.power_series import SeriesRing
from liestonet.errors import InputError
from liestonet.sde.exact import number, rebuild
from liestonet.sde.modular import exact_series
from liestonet.sde.taylor import coefficient_series
from liestonet.sde.tokens import suggestion

Times = Float[np.ndarray, " b"]
States = Float[np.ndarray, "b n"]
Entries = dict[tuple[int, ...], Expr]
_KINKED = (sympy.Abs, sympy.sign, sympy.Heaviside, sympy.floor, sympy.Max, sympy.Min)
_TIDY_OPERATIONS = 60


class Step(sympy.Function):
    """sign(u) with derivative zero; the derivative of SymPy's sign has a Dirac delta, which NumPy lacks."""

    def fdiff(self, argindex: int = 1) -> Expr:
        return sympy.Integer(0)


class Floor(Step):
    """floor(u) with derivative zero."""


@dataclass(frozen=True)
class SymbolicCoefficients:
    """f (n×1) and σ (n×r) in symbols of time and state; any other symbol is a parameter without a value.

    `killing` (1×1) is the rate at which paths are killed, usually zero: it enters only the equation of the density.
    """

    state: tuple[Symbol, ...]
    time: Symbol
    drift: ImmutableMatrix
    diffusion: ImmutableMatrix
    killing: ImmutableMatrix = field(default_factory=lambda: ImmutableMatrix(1, 1, [0]))
    _compiled: dict[tuple[str, int], _Compiled] = field(default_factory=dict, compare=False, repr=False)

    @property
    def dimension(self) -> int:
        return len(self.state)

    @property
    def noise(self) -> int:
        return self.diffusion.shape[1]

    @property
    def error(self) -> float:
        """The relative error, zero for exact coefficients."""
        return 0.0

    @cached_property
    def diffusion_squared(self) -> ImmutableMatrix:
        """a = σσᵀ, simplified if that is cheap."""
        product = self.diffusion * self.diffusion.T
        return ImmutableMatrix(product.shape[0], product.shape[1], [_tidy(entry) for entry in product])

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """Names without a value, in alphabetical order."""
        parts = self.drift.free_symbols | self.diffusion.free_symbols | self.killing.free_symbols
        free = parts - {*self.state, self.time}
        return tuple(sorted(str(symbol) for symbol in free))

    @cached_property
    def kinks(self) -> tuple[Expr, ...]:
        """Expressions at whose zeros (for floor: integers) a coefficient is not smooth."""
        found: set[Any] = set()
        for node in self.drift.atoms(*_KINKED) | self.diffusion.atoms(*_KINKED) | self.killing.atoms(*_KINKED):
            if isinstance(node, (sympy.Max, sympy.Min)):
                arguments: list[Any] = sorted(node.args, key=sympy.default_sort_key)
                found.update(a - b for i, a in enumerate(arguments) for b in arguments[i + 1 :])
            else:
                found.add(node.args[0])
        return tuple(sorted(found, key=sympy.default_sort_key))

    def require_numeric(self) -> None:
        """Raise an error if a parameter has no value."""
        if not self.parameters:
            return
        listed, first = ", ".join(self.parameters), self.parameters[0]
        subject = f"Parameters {listed} have" if len(self.parameters) > 1 else f"Parameter {first} has"
        raise InputError(
            f"{subject} no value: give one, e.g. "
            f"{first} = 1.5 in the text or with_parameters({first}=1.5), or add the equation d{first} = ... "
            f"if {first} is a coordinate."
        )

    def substitute(self, values: Mapping[str, object]) -> SymbolicCoefficients:
        """The same coefficients with some parameters given their values."""
        for name in values:
            if name not in self.parameters:
                hint = suggestion(name, self.parameters)
                unset = ", ".join(self.parameters) or "none"
                raise InputError(f"There is no parameter {name} without a value (those are: {unset}){hint or '.'}")
        exact = {_real(name): number(value, f"Parameter {name}") for name, value in values.items()}

        def replaced(matrix: Any, what: str) -> ImmutableMatrix:
            return ImmutableMatrix(*matrix.shape, [rebuild(entry, exact, what) for entry in matrix])

        drift, diffusion = replaced(self.drift, "The drift"), replaced(self.diffusion, "The diffusion")
        return SymbolicCoefficients(self.state, self.time, drift, diffusion, replaced(self.killing, "The killing"))

    def jet(self, t: Times, x: States, order: JetOrder) -> Jet:
        """Values and derivatives at B points; NaN where a coefficient is not real."""
        return Jet(
            drift={key: value[:, :, 0] for key, value in self._evaluate("drift", order.drift, t, x).items()},
            diffusion=self._evaluate("diffusion", order.diffusion, t, x),
            diffusion_squared=self._evaluate("diffusion_squared", order.diffusion_squared, t, x),
            killing=self._evaluate("killing", order.killing, t, x),
        )

    def series(
        self, ring: SeriesRing, point: Float[np.ndarray, " v"], half: Float[np.ndarray, " v"]
    ) -> dict[str, np.ndarray] | None:
        """Power series of all coefficients at a point; None if one of them has none."""
        return coefficient_series(self, ring, point, half)

    def exact_series(
        self, ring: SeriesRing, names: set[str], fixed: Mapping[str, int] | None = None
    ) -> dict[str, np.ndarray] | None:
        """Power series modulo a prime at a random point; None if a formula has none.

        Parameters have the values in `fixed`, or else random ones.
        """
        return exact_series(self, ring, names, fixed)

    def values(self, which: str, t: Float[np.ndarray, " b"], x: Float[np.ndarray, "b n"]) -> Float[np.ndarray, "b n k"]:
        """One coefficient, `drift` as (B, n, 1) or `diffusion` as (B, n, r), without derivatives."""
        found = self._evaluate(which, 0, t, x)
        return found[()] if found else np.zeros((len(t), *getattr(self, which).shape))

    def equations(self) -> str:
        """The equations as text that `SDE.parse` reads back."""
        drift: Any = self.drift
        diffusion: Any = self.diffusion
        lines = []
        for row, symbol in enumerate(self.state):
            terms = [(drift[row], "dt")]
            for column in range(self.noise):
                coefficient = diffusion[row, column]
                # A noise with only zero entries is written in the first equation, so that it is kept.
                keep = row == 0 and diffusion[:, column].is_zero_matrix
                label = f"dW{column + 1}" if self.noise > 1 else "dW"
                terms.append((coefficient, f"0 {label}" if keep else label))
            lines.append(f"d{symbol} = {_join(terms)}")
        return "; ".join(lines)

    def _evaluate(self, which: str, order: int, t: np.ndarray, x: np.ndarray) -> dict[Derivative, np.ndarray]:
        if order < 0:
            return {}
        if (which, order) not in self._compiled:
            self.require_numeric()
            variables = (self.time, *self.state)
            self._compiled[which, order] = _Compiled(
                variables, getattr(self, which), order, which == "diffusion_squared"
            )
        return self._compiled[which, order](t, x)

    def __getstate__(self) -> dict[str, Any]:
        # Compiled functions cannot be sent to other processes; they are compiled again there.
        return {**self.__dict__, "_compiled": {}}


class _Compiled:
    """All non-zero derivatives of one coefficient up to one order, as a single NumPy function."""

    def __init__(self, variables: tuple[Symbol, ...], matrix: Any, order: int, symmetric: bool) -> None:
        self._shape, self._symmetric = matrix.shape, symmetric
        self._table = {
            key: entries for key, entries in _differentiate(variables, matrix, order, symmetric).items() if entries
        }
        expressions = [_for_numpy(entry) for entries in self._table.values() for entry in entries.values()]
        self._function: Callable[..., list[Any]] = sympy.lambdify(
            variables,
            expressions,
            modules=[{"Step": np.sign, "Floor": np.floor}, *numeric_modules(*expressions)],
            cse=True,
            dummify=True,
        )

    def __call__(self, t: np.ndarray, x: np.ndarray) -> dict[Derivative, np.ndarray]:
        with np.errstate(all="ignore"):
            values = iter(self._function(t, *x.T))
        result = {}
        for key, entries in self._table.items():
            array = result[key] = np.zeros((len(t), *self._shape))
            for row, column in entries:
                array[:, row, column] = next(values)
                if self._symmetric:
                    array[:, column, row] = array[:, row, column]
        return result


def numeric_modules(*expressions: sympy.Basic | float) -> list[str]:
    """Modules with the numerical functions: SciPy too if formulas contain erf or others that NumPy lacks."""
    functions = {type(f).__module__ for e in expressions for f in sympy.sympify(e).atoms(sympy.Function)}
    special = any(name.startswith("sympy.functions.special") for name in functions)
    return ["scipy", "numpy"] if special else ["numpy"]


def _differentiate(
    variables: tuple[Symbol, ...], matrix: Any, order: int, symmetric: bool
) -> dict[Derivative, Entries]:
    """Non-zero entries of every derivative, each from the derivative one order lower."""
    rows, columns = matrix.shape
    indices = [(i, j) for i in range(rows) for j in range(columns) if j >= i or not symmetric]
    table: dict[Derivative, Entries] = {(): {ij: away_from_kinks(matrix[ij]) for ij in indices if matrix[ij] != 0}}
    for key in derivatives(len(variables), order):
        if key:
            variable = variables[key[-1]]
            lower = table[key[:-1]].items()
            entries = {ij: entry.diff(variable) for ij, entry in lower if variable in entry.free_symbols}
            table[key] = {ij: entry for ij, entry in entries.items() if entry != 0}
    return table


def _for_numpy(entry: Any) -> Any:
    """The entry with whole numbers beyond 2^53 as floats: NumPy's functions do not accept Python's long integers."""
    large = {n: sympy.Float(n, 17) for n in entry.atoms(sympy.Rational) if max(abs(n.p), n.q) > 2**53}
    return entry.xreplace(large) if large else entry


def ito_drift(drift: list[Expr], diffusion: list[list[Expr]], state: tuple[Symbol, ...]) -> list[Expr]:
    """Drift of the Itô equation with the same solutions: f^i + ½ σ^j_k ∂_j σ^i_k."""
    result = []
    for row, entry in enumerate(drift):
        terms = [entry]
        for column, sigma in enumerate(diffusion[row]):
            for index, symbol in enumerate(state):
                slope = away_from_kinks(sigma).diff(symbol).replace(Step, sympy.sign).replace(Floor, sympy.floor)
                terms.append(diffusion[index][column] * slope / 2)
        result.append(sympy.Add(*terms))
    return result


def away_from_kinks(expression: Expr) -> Expr:
    """The same function written with Step and Floor, so that its derivatives are ordinary functions."""
    if not expression.has(*_KINKED):
        return expression

    step: Any = Step

    def extreme(*arguments: Any, sign: int) -> Any:
        first, *rest = arguments
        for other in rest:
            first = (first + other + sign * (first - other) * step(first - other)) / 2
        return first

    rules: list[tuple[Any, Any]] = [
        (sympy.Abs, lambda u: u * step(u)),
        (sympy.sign, Step),
        (sympy.Heaviside, lambda u, *_: (1 + step(u)) / 2),
        (sympy.floor, Floor),
        (sympy.Max, lambda *u: extreme(*u, sign=1)),
        (sympy.Min, lambda *u: extreme(*u, sign=-1)),
    ]
    smooth: Any = expression
    for function, rule in rules:
        smooth = smooth.replace(function, rule)
    return smooth


def _real(name: str) -> Symbol:
    return Symbol(name, real=True)


def _tidy(entry: Any) -> Any:
    """Expand and use sin² + cos² = 1 if that is cheap and makes the entry shorter."""
    operations = entry.count_ops()
    high = any(power.exp.is_Integer and abs(power.exp) > 4 for power in entry.atoms(sympy.Pow) if power.base.is_Add)
    if operations > _TIDY_OPERATIONS or high:
        return entry
    expanded = sympy.expand(entry, trig=False, power_base=False, power_exp=False, log=False)
    best = expanded if expanded.count_ops() <= operations else entry
    if best.is_Add and best.has(sympy.sin, sympy.cos):
        best = min(best, sympy.trigsimp(best), key=sympy.count_ops)
    return best


class _Printer(StrPrinter):
    """SymPy's printer, with Euler's number as exp(1): E alone is read as a parameter."""

    def _print_Exp1(self, expr: Expr) -> Any:
        return "exp(1)"


def _join(terms: list[tuple[Expr, str]]) -> str:
    text = ""
    for coefficient, differential in terms:
        if coefficient == 0 and not differential.startswith("0 "):
            continue
        shown = _Printer().doprint(coefficient)
        negative = shown.startswith("-") and not coefficient.is_Add
        shown = f"({shown})" if coefficient.is_Add else shown.removeprefix("-")
        body = differential if shown in ("1", "0") else f"{shown} {differential}"
        lead = (" - " if negative else " + ") if text else ("-" if negative else "")
        text += lead + body
    return text or "0 dt"
