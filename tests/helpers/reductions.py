"""Reductions by given generators, without a search, and an independent Itô formula to check them."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy

from liestonet.core.domain import Domain
from liestonet.formulas.formula import Formula
from liestonet.reduction.reduce import reduced_from
from liestonet.reduction.reduction import Reduction
from liestonet.reduction.start import start_of
from liestonet.sde.sde import SDE
from liestonet.validation.generator_input import read_formula_rows

BOX = (0.1, 0.9)


def reduced(
    equation: str | SDE,
    generators: str = "",
    box: list[tuple[float, float]] | None = None,
    law: bool = False,
    draw: dict[str, Any] | None = None,
) -> Any:
    """The reduction by generators such as "exp(-t) d_x; d_t", on a box: time first, then each coordinate."""
    sde = SDE.parse(equation) if isinstance(equation, str) else equation
    domain = Domain(tuple(box or [BOX] * (sde.dimension + 1)))
    given = read_formula_rows(generators, sde.names, sde.parameters) if generators else []
    rows = [
        (Formula(row[0], tuple(row[1:]), sympy.Integer(0), "proved", 0.0), f"X{k + 1}", not law)
        for k, row in enumerate(given)
    ]
    return reduced_from(start_of(sde, domain, draw or {}, rows, in_law=law))


def ito_mismatch(made: Reduction, box: list[tuple[float, float]] | None = None, **values: float) -> float:
    """The largest difference of the new equation from Itô's formula, applied independently, at points of a box."""
    rng = np.random.default_rng(7)
    low, high = np.array(box or [BOX] * (made.equation.dimension + 1)).T
    places = rng.uniform(low, high, (6, len(low)))
    old: Any = made.equation.symbolic
    variables = (old.time, *old.state)
    clock, *new = made.coordinates.values()
    worst = 0.0
    for place in places:
        at = dict(zip(variables, map(float, place), strict=True))
        at |= {sympy.Symbol(name, real=True): value for name, value in values.items()}
        speed = float(sympy.diff(clock, old.time).subs(at))
        here = {s: e.subs(at).evalf() for s, e in made.coordinates.items()}
        here |= {s: value for s, value in at.items() if s not in variables}
        drift, noise = ito(new, old, at)
        formulas: Any = made.sde.symbolic
        wanted = np.array([float(e.subs(here)) for e in formulas.drift])
        sigma = np.array([[float(e.subs(here)) for e in formulas.diffusion.row(i)] for i in range(formulas.dimension)])
        worst = max(worst, float(np.abs(drift / speed - wanted).max()))
        if made.level == "strong":
            worst = max(worst, float(np.abs(noise / np.sqrt(speed) - sigma).max()))
        worst = max(worst, float(np.abs(noise @ noise.T / speed - sigma @ sigma.T).max()))
    return worst


def ito(functions: list[Any], old: Any, at: dict[Any, Any]) -> tuple[np.ndarray, np.ndarray]:
    """dt- and dW-parts of functions of time and state at a point, by Itô's formula."""
    drift, noise = [], []
    squared = old.diffusion * old.diffusion.T
    for function in functions:
        slopes = sympy.Matrix([sympy.diff(function, s) for s in old.state])
        bends = sympy.hessian(function, old.state)
        total = sympy.diff(function, old.time) + (slopes.T * old.drift)[0] + (squared * bends).trace() / 2
        drift.append(float(sympy.sympify(total).subs(at).evalf()))
        noise.append([float(e.subs(at).evalf()) for e in slopes.T * old.diffusion])
    return np.array(drift), np.array(noise)


def return_mismatch(made: Reduction, box: list[tuple[float, float]] | None = None) -> float:
    """The largest error of old coordinates after the change to new ones and back."""
    rng = np.random.default_rng(8)
    low, high = np.array(box or [BOX] * (made.equation.dimension + 1)).T
    places = rng.uniform(low, high, (20, len(low)))
    clock, new = made.to_new(places[:, 0], places[:, 1:])
    t, x = made.to_old(clock, new)
    return float(np.abs(np.column_stack([t, x]) - places).max())
