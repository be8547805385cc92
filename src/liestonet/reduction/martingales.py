"""Functions that paths change by noise alone: v_t + Lv = 0.

Where all coordinates are Gaussian they are polynomials and exponentials of these; elsewhere they are polynomials of the
state, and what the symmetries of the Fokker–Planck equation make.

If τ∂t + ξ·∂ + β u∂u is one of these, M = τ∂t + ξ·∇ + (β + div ξ) maps solutions v to solutions, and 1 is a solution
(docs/method.md §18.8). Each of these functions is put into the equation by SymPy; for Gaussian coordinates the proof of
the coordinates is enough.
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
from liestonet.reduction.gaussian_martingales import gaussian_martingales
from liestonet.reduction.growth import growth, is_exponential
from liestonet.reduction.integrating import closed_form
from liestonet.reduction.inverting import inverted
from liestonet.reduction.polynomial_martingales import polynomial_martingales
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
    """Martingales of an equation, made of Gaussian coordinates, of polynomials, or of the constant 1 by symmetries."""
    found = equation_findings(result)
    made = reduce(result)
    if not _is_shown(made) or found.equation.dimension == 1 or result.symmetry == "random":
        if result.symmetry != "fokker-planck":
            result = solve(found.equation, "fokker-planck", given_box(result))
        if found.equation.noise > 1 and not _is_shown(made):  # symmetries of the law may do more
            made = reduce(result)
    start = started(result, None)
    equation = Equation(
        start.inner.time, start.inner.state, start.inner.drift, start.inner.noise, len(start.inner.state)
    )
    stays = made.validity.startswith("at all times") and ", if" not in made.validity
    polynomials = [(p, "polynomial") for p in polynomial_martingales(equation) if _is_martingale(p, equation, start)]
    if _is_shown(made):
        rows = list(gaussian_martingales(made, start))
        sure = {e for e, _ in rows} if stays else set()
        plain = [row for row in rows if not isinstance(row[0], sympy.exp)]
        rows = [*_independent([*plain, *polynomials], start), *rows[len(plain) :]]
        operators = _operators(result, start) if result.symmetry == "fokker-planck" else []
    else:
        sure, operators = set(), _operators(result, start)
        words = _words(operators, equation, start)
        rows = _shortened(_independent([*polynomials, *words], start), equation, start)
        rows += _exponentials(operators, equation, start)
    public = start.inner.setting.public
    listed = [
        Martingale(public(e), "proved", not (e in sure or is_integrable(e, equation)), origin) for e, origin in rows
    ]
    return (*listed, *_transforms(operators, equation, start, stays))


def _is_shown(made: Reduction) -> bool:
    """Whether it is proved that all coordinates of a reduction are Gaussian."""
    return is_gaussian(made) and made.status == "proved"


def _operators(result: Result, start: Start) -> list[_Operator]:
    """M of every generator with a proved formula."""
    rows = enumerate(result.formulas())
    return [_operator(row, f"X{k + 1}", start) for k, row in rows if row.status == "proved"]


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
    """M_i 1 and M_i M_j 1, those of one generator first."""
    setting = start.inner.setting
    first = [(setting.tidy(m.factor), m.name) for m in operators if m.factor != 0]
    pairs = ((m, v, name) for v, name in first for m in operators if v.free_symbols & set(equation.state))
    words = [(_expanded(m.of(v, equation)), f"{m.name} {name}") for m, v, name in islice(pairs, MARTINGALES.most_words)]
    return [*first, *sorted(words, key=lambda row: sympy.count_ops(row[0]))]


def _independent(rows: list[tuple[Any, str]], start: Start) -> list[tuple[Any, str]]:
    """The first functions of a list that are independent of each other and of 1."""
    setting = start.inner.setting
    kept: list[tuple[Any, str]] = []
    columns = [np.ones(REDUCTION.points)]
    for v, name in rows:
        values = setting.numbers(v)
        if not np.isfinite(values).all() or np.linalg.norm(values) == 0:
            continue
        unit = values / np.linalg.norm(values)
        basis = np.array(columns).T
        rest = unit - basis @ np.linalg.lstsq(basis, unit, rcond=None)[0]
        if np.linalg.norm(rest) > MARTINGALES.independent and len(kept) < MARTINGALES.most_rows:
            kept.append((v, name))
            columns.append(unit)
    return kept


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
        if not shorter.has(*equation.state):
            continue  # a constant
        if _is_martingale(shorter, equation, start):
            tables.append(table)
            found.append((shorter, name))
        elif _is_martingale(v, equation, start):
            found.append((v, name))
    return found


def _expanded(expression: Any) -> Any:
    """A sum without fractions that cancel."""
    expanded = sympy.expand(expression)
    if not any(p.exp.is_negative for p in expanded.atoms(sympy.Pow)) or expanded.has(sympy.Function):
        return expanded
    return sympy.expand(sympy.cancel(expanded)) if expanded.is_rational_function() else expanded


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


def _transforms(operators: list[_Operator], equation: Equation, start: Start, stays: bool) -> list[Martingale]:
    """E[exp(−ε h(x_T)) | x_t] where h comes from a generator that vanishes at one time: exp(A(t) + B(t) h).

    `stays` says that paths reach no end of the state space. Where they may, Itô's formula goes on there for smooth
    functions of smooth equations only.
    """
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
    # bounded where h is never negative, and a bounded local martingale is a martingale
    stays = stays or all(e.is_polynomial(x) for e in (h, *equation.drift, sympy.expand(equation.covariance(0, 0))))
    origin = f"E[exp(-ε {expression_text(setting.public(h))}) at T]"
    return [Martingale(setting.public(value), "proved", not (stays and _is_never_negative(h)), origin)]


def _is_never_negative(h: Any) -> bool:
    """Whether a function with real values is never negative: a square, or positive by its symbols."""
    number, rest = h.as_coeff_Mul()
    square = rest.is_Pow and rest.exp.is_Integer and rest.exp % 2 == 0
    return bool(h.is_nonnegative or (square and number > 0))


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
            plain = dependent.as_independent(x, as_Add=False)[1]
            return sympy.factor(-plain if (setting.numbers(plain) <= 0).all() else plain)
    return None


def is_integrable(function: Any, equation: Equation) -> bool:
    """Whether a local martingale is shown to be a martingale.

    With drift and noise that grow linearly all moments exist on finite times, so that what grows like a power is
    integrable. If the noise is bounded too, tails are those of Gaussian variables, and what grows like the exponential
    of the state is.
    """
    state = equation.state
    entire = all(not s.is_positive for s in state)
    squares = [sympy.expand(equation.covariance(i, i)) for i in range(len(state))]
    if not all(_grows_as(f, state, 1, entire) for f in equation.drift):
        return False
    if not all(_grows_as(a, state, 2, entire) for a in squares):
        return False
    if sympy.expand(function).is_polynomial(*state) or (entire and growth(function, state) is not None):
        return True
    return entire and all(_grows_as(a, state, 0, entire) for a in squares) and is_exponential(function, state)


def _grows_as(expression: Any, state: tuple[Any, ...], degree: int, entire: bool) -> bool:
    """Whether a coefficient grows no faster than a power; other than polynomials only where all states are real."""
    expanded = sympy.expand(expression)
    if expanded.is_polynomial(*state):
        return not expanded.has(*state) or sympy.Poly(expanded, *state).total_degree() <= degree
    power = growth(expression, state) if entire else None
    return power is not None and bool(power <= degree)
