"""An equation with estimated constants and their errors: as text, SymPy, LaTeX, and as an SDE to simulate."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy
from jaxtyping import Float

from liestonet.formulas.notation import expression_latex, expression_text
from liestonet.sde.sde import SDE

if TYPE_CHECKING:
    from liestonet.reduction.recording.forecast import Forecast


@dataclass(frozen=True)
class FittedConstant:
    """One constant of an equation: its symbol, its value and its standard error."""

    symbol: sympy.Symbol
    value: float
    error: float

    def __str__(self) -> str:
        return f"{self.symbol} = {in_brackets(self.value, self.error)}"


@dataclass(frozen=True, eq=False)
class EstimatedEquation:
    """dx = f dt + σ dW with fitted constants.

    `drift` (d,) and `diffusion` (d, r) are SymPy expressions in time, coordinates and the constants' symbols;
    `covariance` is that of the constants, by whole paths. `kind` is "family" if the symmetries determine the equation
    up to these constants, and "closed form" if they leave free functions, whose terms were selected by BIC. If no
    equation of the functions tried fits the recording, errors of constants are NaN. `p_value` is that of the
    likelihood-ratio test of the symmetries on these functions. `notes` say what was not imposed, and why. `terms` give,
    for each constant, the entry, (i,) of the drift or (i, j) of a = σσᵀ, and the function that it multiplies.
    """

    names: tuple[str, ...]
    drift: tuple[sympy.Expr, ...]
    diffusion: tuple[tuple[sympy.Expr, ...], ...]
    constants: tuple[FittedConstant, ...]
    covariance: Float[np.ndarray, "c c"]
    kind: str
    p_value: float
    step: float
    notes: tuple[str, ...] = ()
    terms: tuple[tuple[tuple[int, ...], sympy.Expr], ...] = ()

    @property
    def correlations(self) -> Float[np.ndarray, "c c"]:
        """Correlations of the constants."""
        errors = np.sqrt(np.diag(self.covariance))
        return self.covariance / np.where(errors > 0, np.outer(errors, errors), 1.0)

    @property
    def sde(self) -> SDE:
        """The equation at the values of the constants, to six digits."""
        values = {row.symbol: sympy.Rational(f"{row.value:.6g}") for row in self.constants}
        drift = [entry.xreplace(values) for entry in self.drift]
        diffusion = [[entry.xreplace(values) for entry in row] for row in self.diffusion]
        return SDE.from_sympy(drift, diffusion, [sympy.Symbol(name, real=True) for name in self.names])

    def forecast(
        self, initial: Any, times: Any, paths: int | Any = None, seed: int | Any = 0, *, level: float | Any = None
    ) -> Forecast:
        """Bands of the state at `times`, from `initial` at time 0: noise and errors of the constants together."""
        from liestonet.reduction.recording.forecast import forecast

        return forecast(self, initial, times, paths, seed, level)

    def __str__(self) -> str:
        return "; ".join(self._row(i, expression_text, "") for i in range(len(self.names)))

    def __repr__(self) -> str:
        return f"<EstimatedEquation ({self.kind}): {self}>"

    def latex(self) -> str:
        """The equation in LaTeX with errors in brackets; needs amsmath."""
        rows = [self._row(i, expression_latex, r"\,") for i in range(len(self.names))]
        return "\\begin{align}\n" + " \\\\\n".join(row.replace(" = ", " &= ", 1) for row in rows) + "\n\\end{align}\n"

    def _row(self, i: int, show: Any, space: str) -> str:
        values = {row.symbol: row.value for row in self.constants}
        signed = {row.symbol: sympy.Symbol(in_brackets(row.value, row.error), positive=True) for row in self.constants}
        sizes = {s: sympy.Symbol(name.name.removeprefix("−"), positive=True) for s, name in signed.items()}

        def text(expression: Any) -> str:
            if expression.is_Pow and expression.exp == sympy.Rational(1, 2) and expression.base.is_Add:
                inside = text(expression.base)
                return f"\\sqrt{{{inside}}}" if space else f"sqrt({inside})"
            terms = []
            for term in sorted(sympy.Add.make_args(expression), key=lambda e: _position(e, values)):
                held = [s for s in term.free_symbols if s in values]
                rest, factor = term.as_independent(*held, as_Add=False) if held else (term, sympy.Integer(1))
                number, rest = rest.as_coeff_Mul()
                sums = any(node.has(*held) for node in factor.atoms(sympy.Add))
                odd = [s for s, power in factor.as_powers_dict().items() if s in values and power % 2 == 1]
                negative = (number < 0) != (not sums and np.prod([np.sign(values[s]) for s in odd]) < 0)
                parts = [abs(number), factor.xreplace(signed if sums else sizes), rest]
                shown = " ".join(show(part) for part in parts if part != 1)
                terms.append(("−" if negative else "", shown or "1"))
            front, *others = terms
            return front[0] + front[1] + "".join(f" {sign or '+'} {body}" for sign, body in others)

        gap = f"{space} " if space else " "
        parts = []
        if self.drift[i] != 0:
            body = text(self.drift[i])
            parts.append(f"({body}){gap}dt" if self.drift[i].is_Add else f"{body}{gap}dt")
        several = len(self.diffusion[i]) > 1
        for k, entry in enumerate(self.diffusion[i]):
            if entry != 0:
                body = text(entry)
                mark = (f"_{k + 1}" if space else str(k + 1)) if several else ""
                parts.append(f"({body}){gap}dW{mark}" if entry.is_Add else f"{body}{gap}dW{mark}")
        name = show(sympy.Symbol(self.names[i]))
        return f"d{name} = {' + '.join(parts) or '0'}".replace("+ −", "− ")

    def to_dictionary(self) -> dict[str, Any]:
        """Plain values for JSON (docs/json.md)."""
        return {
            "text": str(self),
            "drift": [str(entry) for entry in self.drift],
            "diffusion": [[str(entry) for entry in row] for row in self.diffusion],
            "constants": [
                {"name": str(r.symbol), "value": r.value, "error": r.error if math.isfinite(r.error) else None}
                for r in self.constants
            ],
            "covariance": self.covariance.tolist(),
            "kind": self.kind,
            "p_value": self.p_value,
            "notes": list(self.notes),
            "latex": self.latex(),
        }


def _position(term: Any, constants: Any) -> int:
    """The sorting key of a term: the position of its first constant."""
    order = {symbol: k for k, symbol in enumerate(constants)}
    return min((order[s] for s in term.free_symbols if s in order), default=-1)


def in_brackets(value: float, error: float) -> str:
    """1.00(3): a value with the error of its last digits in brackets; two digits of it where the first is a one."""
    if not (math.isfinite(error) and error > 0) or (value and abs(error / value) < 1e-9):
        return f"{value:.6g}".replace("-", "−")
    exponent = math.floor(math.log10(error))
    leading = round(error / 10.0**exponent, 1)
    digits = -exponent + (1 if leading < 2 else 0)
    rounded = round(error * 10.0**digits)
    if digits <= 0:
        rounded = round(error * 10.0**digits) * 10 ** (-digits)
        return f"{round(value, digits):.0f}({rounded})".replace("-", "−")
    return f"{value:.{digits}f}({rounded})".replace("-", "−")
