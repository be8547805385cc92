"""Functions that are constant along every path: σ_k·∇I = 0 and ∂_t I + LI = 0, each proved (docs/method.md §18.7)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy

from liestonet.core.threads import few_threads
from liestonet.formulas.proved.invariants import closed_invariants
from liestonet.pipeline.solve import solve
from liestonet.reduction.equation import Equation
from liestonet.reduction.integrating import closed_form
from liestonet.reduction.reduce import reduce
from liestonet.reduction.start import Start, equation_findings, given_box, started
from liestonet.reduction.tuning import REDUCTION
from liestonet.result import Result
from liestonet.symmetry.analytic.families import count_invariants

if TYPE_CHECKING:
    from liestonet.reduction.reduction import Reduction


@dataclass(frozen=True)
class Invariant:
    """A function of time and state that is constant along every path.

    `status` is "proved", or "numerical" for one that exists but has no formula: its expression is then a name.
    """

    expression: sympy.Expr
    status: str


@few_threads
def find_invariants(result: Result) -> tuple[Invariant, ...]:
    """All independent invariants, in closed form if one is found."""
    found = equation_findings(result)
    if result.symmetry == "random":
        result = solve(found.equation, "ito", given_box(result))
    numeric = found.equation
    if numeric.parameters:
        numeric = numeric.with_parameters({name: sympy.Rational(value) for name, value in result.draw.items()})
    count = count_invariants(numeric.coefficients(result.domain), result.domain)
    if not count or numeric.symbolic is None:
        return ()
    start = started(result, None)
    candidates = [*closed_invariants(numeric.symbolic, result.domain, result.names, count)]
    candidates += list(_from_coordinates(reduce(result), start))
    proved = [e for e in candidates if is_invariant(e, start)]
    rows = [Invariant(e, "proved") for e in _independent(proved, start, count)]
    symbols = tuple(sympy.Symbol(name, real=True) for name in ("t", *result.names))
    while len(rows) < count:
        rows.append(Invariant(sympy.Function(f"I_{len(rows) + 1}")(*symbols), "numerical"))
    return tuple(rows)


def is_invariant(expression: Any, start: Start) -> bool:
    """Whether SymPy proves that a function is constant along every path."""
    inside = sympy.sympify(expression).xreplace(dict(start.inner.inward))
    inner = start.inner
    equation = Equation(inner.time, inner.state, inner.drift, inner.noise, len(inner.state))
    parts = [equation.drift_of(inside), *equation.noise_of(inside)]
    return all(inner.setting.vanishes(part) for part in parts)


def _from_coordinates(made: Reduction, start: Start) -> Iterator[Any]:
    """Combinations of integrals without noise whose drift depends on time alone, minus the integral of it."""
    formulas: Any = made.sde.symbolic
    if made.kind == "none" or formulas is None or str(formulas.time) != "t":
        return
    setting = start.inner.setting
    fixed: dict[Any, Any] = {
        s: made.coordinates[s] for s, still in zip(formulas.state, _still(formulas), strict=True) if still
    }
    yield from fixed.values()
    setting = setting.extended({s: e.xreplace(dict(start.inner.inward)) for s, e in fixed.items()})
    moving = [s for s in formulas.state if s not in fixed]
    known = [k for k in range(made.closed, formulas.dimension) if not (moving and formulas.drift[k].has(*moving))]
    for row in _noiseless(formulas.diffusion, known, formulas):
        drift = sympy.Add(*(c * formulas.drift[k] for k, c in row.items()))
        place = sympy.Add(*(c * made.coordinates[formulas.state[k]] for k, c in row.items()))
        grown = closed_form(drift, formulas.time, setting)
        if grown is not None:
            yield from _plainer(place - grown.xreplace(fixed))


def _still(formulas: Any) -> list[bool]:
    """Which coordinates have neither drift nor noise."""
    return [
        formulas.drift[k] == 0 and all(entry == 0 for entry in formulas.diffusion[k, :])
        for k in range(formulas.dimension)
    ]


def _noiseless(noise: Any, known: list[int], formulas: Any) -> Iterator[dict[int, Any]]:
    """Linear combinations of some rows, with constant factors, whose noises cancel."""
    still = [k for k in known if all(entry == 0 for entry in noise[k, :])]
    yield from ({k: sympy.Integer(1)} for k in still)
    steady = [
        k for k in known if k not in still and not any(e.has(formulas.time, *formulas.state) for e in noise[k, :])
    ]
    if len(steady) > 1:
        for vector in sympy.Matrix([noise[k, :] for k in steady]).T.nullspace():
            yield {k: c for k, c in zip(steady, vector, strict=True) if c != 0}


def _plainer(expression: Any) -> Iterator[Any]:
    """An invariant and, if it has logarithms, powers of its exponential, the shortest first."""
    ways = [expression]
    if expression.has(sympy.log):
        ways += [sympy.simplify(sympy.exp(factor * expression)) for factor in (1, -1, 2, -2)]
    yield min(ways, key=lambda e: (sympy.count_ops(e), str(e)))


def _independent(expressions: list[Any], start: Start, count: int) -> list[Any]:
    """The simplest functions whose gradients are linearly independent at some point of the box."""
    setting, inward = start.inner.setting, dict(start.inner.inward)
    variables = (start.inner.time, *start.inner.state)
    kept: list[Any] = []
    slopes: list[np.ndarray] = []
    for expression in sorted(expressions, key=lambda e: (sympy.count_ops(e), str(e))):
        inside = expression.xreplace(inward)
        row = np.array([setting.numbers(sympy.diff(inside, v)) for v in variables])
        rows = np.array([*slopes, row / np.linalg.norm(row)])
        ranks = [np.linalg.matrix_rank(rows[:, :, p], tol=REDUCTION.rank) for p in range(rows.shape[2])]
        if max(ranks) == len(rows) and len(kept) < count:
            kept.append(expression)
            slopes.append(row / np.linalg.norm(row))
    return kept
