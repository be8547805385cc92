"""Functions without drift along the paths, v_t + Lv = 0, from the symmetries of the Fokker–Planck equation.

If τ∂t + ξ·∂ + β u∂u is one of these, M = τ∂t + ξ·∇ + (β + div ξ) maps solutions v to solutions, and 1 is a solution
(docs/method.md §18.8). SymPy verifies the equation for each function listed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import sympy

from liestonet.core.threads import few_threads
from liestonet.formulas.formula import Formula
from liestonet.formulas.notation import expression_text
from liestonet.pipeline.solve import solve
from liestonet.reduction.equation import Equation
from liestonet.reduction.integrating import closed_form
from liestonet.reduction.inverting import inverted
from liestonet.reduction.reduce import reduce
from liestonet.reduction.reduction import Reduction
from liestonet.reduction.sampling import is_gaussian
from liestonet.reduction.start import Start, equation_findings, given_box, started
from liestonet.reduction.tuning import MARTINGALES, REDUCTION
from liestonet.result import Result


@dataclass(frozen=True)
class Martingale:
    """A function v(t, x) of the state whose drift vanishes.

    `local` is False if integrability is proved, so that it is a true martingale and not only a local one. `origin`
    names the symmetries that give it.
    """

    expression: sympy.Expr
    status: str
    local: bool
    origin: str


@dataclass(frozen=True)
class _Operator:
    """M of one generator, in inner symbols."""

    name: str
    tau: Any
    xi: tuple[Any, ...]
    factor: Any

    def of(self, function: Any, equation: Equation) -> Any:
        moved = [c * sympy.diff(function, s) for c, s in zip(self.xi, equation.state, strict=True)]
        return sympy.Add(self.tau * sympy.diff(function, equation.time), *moved, self.factor * function)


@few_threads
def find_martingales(result: Result) -> tuple[Martingale, ...]:
    """Martingales that the symmetries of the Fokker–Planck equation generate from the constant 1."""
    found = equation_findings(result)
    gaussian = None
    if result.symmetry != "fokker-planck":
        made = reduce(result)
        gaussian = made if is_gaussian(made) and made.validity.startswith("at all times") and made.inverse else None
        result = solve(found.equation, "fokker-planck", given_box(result))
    start = started(result, None)
    equation = Equation(
        start.inner.time, start.inner.state, start.inner.drift, start.inner.noise, len(start.inner.state)
    )
    operators = [
        _operator(row, f"X{k + 1}", start) for k, row in enumerate(result.formulas()) if row.status == "proved"
    ]
    rows = [*_words(operators, equation, start), *_exponentials(operators, equation, start)]
    public = start.inner.setting.public
    listed = [
        Martingale(public(e), "proved", not (is_integrable(e, equation) or _is_gaussian(public(e), gaussian)), origin)
        for e, origin in rows
    ]
    return (*listed, *_transforms(operators, equation, start))


def _is_gaussian(function: Any, made: Reduction | None) -> bool:
    """Whether a function is a polynomial times the exponential of a linear function of Gaussian coordinates."""
    if made is None:
        return False
    new = [s for s in made.coordinates if str(s) != "t"]
    inside: Any = sympy.powsimp(sympy.expand(function.subs(made.inverse, simultaneous=True)))
    expanded: Any = sympy.expand(inside)
    for term in sympy.Add.make_args(expanded):
        denested: Any = sympy.powdenest(term, force=True)
        factors: Any = sympy.Mul.make_args(denested)
        for factor in factors:
            if isinstance(factor, sympy.exp):
                exponent = sympy.expand(factor.args[0])
                if not exponent.is_polynomial(*new) or (
                    exponent.has(*new) and sympy.Poly(exponent, *new).total_degree() > 1
                ):
                    return False
            elif not sympy.expand_log(factor, force=True).is_polynomial(*new):
                return False
    return True


def _operator(row: Formula, name: str, start: Start) -> _Operator:
    inner = start.inner
    inward, setting = dict(inner.inward), inner.setting
    public = [sympy.Symbol(s.name, real=True) for s in inner.state]
    turn = [1 if inward[p] == s else -1 for p, s in zip(public, inner.state, strict=True)]
    factor = row.beta + sympy.Add(*(sympy.diff(c, s) for c, s in zip(row.xi, public, strict=True)))
    components: list[Any] = [c.xreplace(inward) for c in row.xi]
    xi = tuple(setting.tidy(sign * c) for sign, c in zip(turn, components, strict=True))
    tau = sympy.sympify(row.tau).xreplace(inward)
    return _Operator(name, tau, xi, setting.tidy(sympy.sympify(factor).xreplace(inward)))


def _is_martingale(function: Any, equation: Equation, start: Start) -> bool:
    return start.inner.setting.vanishes(equation.drift_of(function))


def _words(operators: list[_Operator], equation: Equation, start: Start) -> list[tuple[Any, str]]:
    """M_i 1 and M_i M_j 1, made linearly independent of each other and of 1, and simplified by linear combination."""
    setting = start.inner.setting
    first = [(setting.tidy(m.factor), m.name) for m in operators if m.factor != 0]
    words = list(first)
    pairs = ((m, v, name) for v, name in first for m in operators if v.free_symbols & set(equation.state))
    for m, v, name in islice(pairs, MARTINGALES.most_words):
        words.append((sympy.expand(m.of(v, equation)), f"{m.name} {name}"))
    kept: list[tuple[Any, str]] = []
    columns = [np.ones(REDUCTION.points)]
    for v, name in sorted(words, key=lambda row: (len(row[1].split()), sympy.count_ops(row[0]))):
        values = setting.numbers(v)
        if not np.isfinite(values).all() or np.linalg.norm(values) == 0:
            continue
        unit = values / np.linalg.norm(values)
        basis = np.array(columns).T
        rest = unit - basis @ np.linalg.lstsq(basis, unit, rcond=None)[0]
        if np.linalg.norm(rest) > MARTINGALES.independent and len(kept) < MARTINGALES.most_rows:
            if not _is_martingale(v, equation, start):
                continue
            kept.append((v, name))
            columns.append(unit)
    return _shortened(kept, equation, start)


def _shortened(rows: list[tuple[Any, str]], equation: Equation, start: Start) -> list[tuple[Any, str]]:
    """Every function after subtraction of constants and of multiples of simpler functions."""
    variables = (equation.time, *equation.state)

    def weight(term: Any) -> tuple[int, int, str]:
        """A sorting key: functions with high powers of the state come first."""
        powers = [p for p in term.atoms(sympy.Pow) if p.base in equation.state and p.exp.is_Integer]
        degree = max((int(p.exp) for p in powers), default=int(bool(term.free_symbols & set(equation.state))))
        return degree, int(sympy.count_ops(term)), str(term)

    found: list[tuple[Any, str]] = []
    tables: list[dict[Any, Any]] = []
    for v, name in rows:
        table = _terms(v, variables)
        for other in tables:
            lead = max(other, key=weight)
            if lead in table:
                factor = table[lead] / other[lead]
                for term, value in other.items():
                    table[term] = sympy.simplify(table.get(term, 0) - factor * value)
                table = {term: value for term, value in table.items() if value != 0}
        table.pop(sympy.Integer(1), None)
        if not table:
            continue
        scale = 1 / table[max(table, key=weight)]
        shorter = start.inner.setting.tidy(sympy.Add(*(scale * value * term for term, value in table.items())))
        if _is_martingale(shorter, equation, start):
            tables.append(table)
            found.append((shorter, name))
        else:
            found.append((v, name))
    return found


def _terms(expression: Any, variables: tuple[Any, ...]) -> dict[Any, Any]:
    """The terms of a sum, each a function of the variables, with their factors."""
    table: dict[Any, Any] = {}
    for term in sympy.Add.make_args(sympy.expand(expression)):
        factor, function = term.as_independent(*variables, as_Add=False)
        table[function] = table.get(function, 0) + factor
    return table


def _exponentials(operators: list[_Operator], equation: Equation, start: Start) -> Iterator[tuple[Any, str]]:
    """exp(εM)1 = exp ∫₀^ε (β + div ξ)∘flow of generators without time component."""
    setting = start.inner.setting
    eps, e = sympy.Symbol("epsilon", real=True), sympy.Symbol("e_", real=True)
    for m in operators:
        if m.tau != 0 or not m.factor.free_symbols & set(equation.state):
            continue
        flow = _flow(m, equation, start, e)
        if flow is None:
            continue
        inside = sympy.expand(setting.tidy(m.factor.xreplace(flow)))
        reach = setting.extended({e: equation.time, eps: equation.time})
        grown = closed_form(inside, e, reach)
        if grown is None:
            continue
        exponent = sympy.expand(grown.subs(e, eps) - grown.subs(e, 0))
        function = sympy.exp(sympy.collect(exponent, eps))
        if reach.vanishes(equation.drift_of(function)):
            yield function, f"exp(ε {m.name})"


def _flow(m: _Operator, equation: Equation, start: Start, e: Any) -> dict[Any, Any] | None:
    """The state after the flow of ξ: for shifts, and for one coordinate by its canonical coordinate; else None."""
    if not any(c.has(*equation.state) for c in m.xi):
        return {s: s + e * c for s, c in zip(equation.state, m.xi, strict=True)}
    if len(equation.state) > 1:
        return None
    state: Any = equation.state
    x, setting = state[0], start.inner.setting
    height = closed_form(1 / m.xi[0], x, setting)
    y = sympy.Symbol("y_", real=True)
    back = None if height is None else inverted(height, x, y, setting)
    return None if back is None else {x: setting.tidy(back.xreplace({y: height + e}))}


def _transforms(operators: list[_Operator], equation: Equation, start: Start) -> list[Martingale]:
    """E[exp(−ε h(x_T)) | x_t] where h comes from a generator that vanishes at one time: exp(A(t) + B(t) h)."""
    if len(equation.state) != 1 or not equation.is_autonomous():
        return []
    setting = start.inner.setting
    function = _vanishing(operators, equation, start)
    if function is None:
        return []
    x = equation.state[0]
    h = function
    slope = setting.tidy(equation.covariance(0, 0) * sympy.diff(h, x) ** 2)
    drift = setting.tidy(equation.drift_of(h))
    parts = [_affine_in(expression, h, x, setting) for expression in (drift, slope)]
    if any(part is None for part in parts):
        return []
    (alpha, beta), (gamma, delta) = parts  # type: ignore[misc]
    if gamma != 0 or delta == 0:
        return []
    eps, final = sympy.Symbol("epsilon", positive=True), sympy.Symbol("T", real=True)
    left = final - equation.time
    grown = left if beta == 0 else (sympy.exp(beta * left) - 1) / beta
    below = 1 + eps * delta * grown / 2
    strength = eps * (1 if beta == 0 else sympy.exp(beta * left)) / below
    value = below ** (-2 * alpha / delta) * sympy.exp(-strength * h)
    reach = setting.extended({eps: sympy.Integer(1) + equation.time**2, final: 2 + equation.time})
    if not reach.vanishes(equation.drift_of(value)):
        return []
    # between 0 and 1 where h is never negative, and a bounded local martingale is a martingale
    origin = f"E[exp(-ε {expression_text(setting.public(h))}) at T]"
    return [Martingale(setting.public(value), "proved", not h.is_nonnegative, origin)]


def _affine_in(expression: Any, h: Any, x: Any, setting: Any) -> tuple[Any, Any] | None:
    """expression = p + q h with numbers p and q, or None."""
    slope = setting.tidy(sympy.diff(expression, x) / sympy.diff(h, x))
    if not setting.lacks(slope, [x]):
        return None
    slope = setting.tidy(slope) if not slope.has(x) else setting.tidy(slope.subs(x, 1))
    rest = setting.tidy(expression - slope * h)
    return (rest, slope) if not rest.has(x) else None


def _vanishing(operators: list[_Operator], equation: Equation, start: Start) -> Any:
    """h = −(β + div ξ) at t = 0 of the combination with τ(0) = τ'(0) = 0 and ξ(0, x) = 0; None where there is none."""
    time, x, setting = equation.time, equation.state[0], start.inner.setting
    if not operators:
        return None
    places = [sympy.Rational(k, 7) for k in (3, 8, 11)]
    rows = [
        [m.tau.subs(time, 0) for m in operators],
        [sympy.diff(m.tau, time).subs(time, 0) for m in operators],
        *[[m.xi[0].subs({time: 0, x: place}) for m in operators] for place in places],
    ]
    space = sympy.Matrix(rows).applyfunc(sympy.simplify).nullspace()
    for vector in space:
        tau = sympy.Add(*(c * m.tau for c, m in zip(vector, operators, strict=True)))
        if setting.vanishes(tau):
            continue
        factor = sympy.Add(*(c * m.factor.subs(time, 0) for c, m in zip(vector, operators, strict=True)))
        dependent = sympy.expand(setting.tidy(factor)).as_independent(x, as_Add=True)[1]
        if dependent != 0:
            number, plain = dependent.as_independent(x, as_Add=False)
            return plain if number != 0 else None
    return None


def is_integrable(function: Any, equation: Equation) -> bool:
    """Whether a local martingale is shown to be a martingale.

    With drift and noise that grow linearly all moments exist on finite times, so that polynomials are integrable. An
    exponential whose exponent is a polynomial with noise that depends on time alone satisfies Novikov's condition.
    """
    state = equation.state
    if not all(_grows_linearly(f, state, 1) for f in equation.drift):
        return False
    squares = [sympy.expand(equation.covariance(i, i)) for i in range(len(state))]
    if not all(_grows_linearly(a, state, 2) for a in squares):
        return False
    expanded = sympy.expand(function)
    if expanded.is_polynomial(*state):
        return True
    if not isinstance(function, sympy.exp):
        return False
    exponent = sympy.expand(function.args[0])  # smooth everywhere: a root would end at a boundary that is reached
    return exponent.is_polynomial(*state) and not any(sympy.expand(g).has(*state) for g in equation.noise_of(exponent))


def _grows_linearly(expression: Any, state: tuple[Any, ...], degree: int) -> bool:
    expression = sympy.expand(expression)
    return expression.is_polynomial(*state) and (
        not expression.has(*state) or sympy.Poly(expression, *state).total_degree() <= degree
    )
