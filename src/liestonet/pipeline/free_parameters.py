"""Equations with free parameters: solved at a few generic values, with formulas then proved for all values.

Dimension and type of the algebra are the same for almost all values of the parameters; at special values there can be
more symmetries, never fewer. `classify` determines the special values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from liestonet.algebra.commutators import nonzero_brackets
from liestonet.algebra.parametric_brackets import parametric_brackets
from liestonet.algebra.structure import find_algebra
from liestonet.core.flags import Flag
from liestonet.core.points import lattice_cloud
from liestonet.core.progress import Progress
from liestonet.errors import InputError
from liestonet.formulas.closed_fields import closed_fields
from liestonet.formulas.formula import Formula
from liestonet.formulas.proved.parametric import Lifter
from liestonet.pipeline.assemble import Spanned, generic_result, spanned_by
from liestonet.pipeline.tuning import ANSWER, GENERIC
from liestonet.result import Result
from liestonet.result.findings import EquationFindings
from liestonet.sde.sde import SDE
from liestonet.symmetry.determining.kinds import Kind

MOST_PARAMETERS = len(GENERIC.draws[0])

Draw = dict[str, Any]
Solver = Callable[[SDE, bool], Result]


def solve_generic(sde: SDE, kind: Kind, formulas: bool, solver: Solver, say: Progress) -> Result:
    """The symmetries for generic parameters; `solver` solves an equation without parameters."""
    if len(sde.parameters) > MOST_PARAMETERS:
        raise InputError(
            f"{len(sde.parameters)} parameters have no value ({', '.join(sde.parameters)}), and at most "
            f"{MOST_PARAMETERS} may stay symbols; give the others values."
        )
    check_names(sde)
    first, result = _first_draw(sde, solver)
    solved = [(first, result)]
    for number in range(1, 3 if sde.dimension <= GENERIC.few_coordinates else 2):
        draw = _draw(sde.parameters, number, _signs(first))
        say(f"solving with {_assignments(draw)}")
        solved.append((draw, solver(sde.with_parameters(draw), False)))
    draw, result = min(solved, key=lambda pair: pair[1].dimension)
    say(f"looking for formulas with {_assignments(draw)}")
    if formulas:
        result = solver(sde.with_parameters(draw), True)
    say(f"proving the formulas for all {', '.join(sde.parameters)}")
    lifted = _lifted(sde, kind, result, draw)
    flags = (_flag(sde, solved), *_unproved_flag(lifted.unproved, draw))
    ordered = [draw, *(other for other, _ in solved if other is not draw)]
    draws = tuple(_texts(values) for values in ordered)
    findings = EquationFindings(sde, result.bound, result.gap, draws, lifted.brackets)
    return generic_result(result, findings, lifted.spanned, flags)


def check_names(sde: SDE) -> None:
    """Refuse a parameter that looks like a coordinate without its equation: x, y, z, or x3 when x1 and x2 exist."""
    stems = {re.sub(r"_?\d+$", "", name) for name in sde.names if re.search(r"\d$", name)} | {"x", "y", "z"}
    for name in sde.parameters:
        if re.sub(r"_?\d+$", "", name) in stems:
            raise InputError(
                f"{name} has no value and no equation; give it a value, such as {name}=1.5, "
                f"or the equation d{name} = … if {name} is a coordinate."
            )


def _first_draw(sde: SDE, solver: Solver) -> tuple[Draw, Result]:
    """The first values at which the equation can be solved: all positive, else with one or all signs changed."""
    count = len(sde.parameters)
    turned = [tuple(-1 if j == i else 1 for j in range(count)) for i in range(count)]
    problem: InputError | None = None
    for signs in dict.fromkeys([(1,) * count, *turned, (-1,) * count]):
        draw = _draw(sde.parameters, 0, signs)
        try:
            return draw, solver(sde.with_parameters(draw), False)
        except InputError as error:
            problem = problem or error
    raise InputError(f"With {_assignments(_draw(sde.parameters, 0, (1,) * count))}: {problem}") from problem


def _draw(names: tuple[str, ...], number: int, signs: tuple[int, ...]) -> Draw:
    import sympy

    values = zip(names, signs, GENERIC.draws[number], strict=False)
    return {name: sign * sympy.Rational(*value) for name, sign, value in values}


def _signs(draw: Draw) -> tuple[int, ...]:
    return tuple(1 if value > 0 else -1 for value in draw.values())


@dataclass(frozen=True)
class _Lifted:
    """Generators with formulas for all parameters, except those at positions `unproved`, and their brackets."""

    spanned: Spanned
    brackets: dict[tuple[int, int], Any] | None = None
    unproved: tuple[int, ...] = ()


def _lifted(sde: SDE, kind: Kind, result: Result, draw: Draw) -> _Lifted:
    """The generators with formulas in the parameters; those that cannot be proved keep the draw's values."""
    coefficients = sde.symbolic
    if coefficients is None or not result.closed_forms:
        return _Lifted(spanned_by(result))
    values = {_symbol(name): value for name, value in draw.items()}
    above = [
        symbol for symbol, (low, _) in zip(coefficients.state, result.domain.intervals[1:], strict=True) if low > 0
    ]
    positive = {*above, *(symbol for symbol, value in values.items() if value > 0)}
    lifter = Lifter(kind.equations(sde.dimension, sde.noise), coefficients, values, positive)
    formulas, factors, unproved = [], [], []
    for position, formula in enumerate(result.closed_forms):
        found = lifter.lift(formula) if formula.status == "proved" else None
        if found is None:
            unproved.append(position)
        formulas.append(found or _at_draw(formula))
        factors.append(1.0 if found is None else _ratio(found, formula, values))
    fields = result.fields.mixed(np.diag(factors))
    generators = closed_fields(fields, formulas, sde.names, _texts(draw))
    cloud = lattice_cloud(result.domain, ANSWER.bracket_points)
    algebra = find_algebra(generators, cloud.points, cloud.weights)
    brackets = None
    if not unproved and not algebra.open:
        numerical = nonzero_brackets(algebra)
        brackets = parametric_brackets(formulas, numerical, (coefficients.time, *coefficients.state))
    spanned = replace(spanned_by(result), fields=fields, formulas=tuple(formulas), algebra=algebra)
    return _Lifted(spanned, brackets, tuple(unproved))


def _at_draw(formula: Formula) -> Formula:
    """A formula proved only at one value of the parameters, no longer marked as proved."""
    return replace(formula, status="consistent") if formula.status == "proved" else formula


def _ratio(found: Formula, formula: Formula, values: Mapping[Any, Any]) -> float:
    """The factor between the new generator and the old one at the draw."""
    pairs = zip((found.tau, *found.xi, found.beta), (formula.tau, *formula.xi, formula.beta), strict=True)
    new, old = next((new.subs(values), old) for new, old in pairs if old != 0)
    symbols = sorted(old.free_symbols, key=str)
    point: dict[Any, Any] = {symbol: (7 + 2 * k) / (11 + 3 * k) for k, symbol in enumerate(symbols)}
    return float(new.subs(point)) / float(old.subs(point))


def _symbol(name: str) -> Any:
    import sympy

    return sympy.Symbol(name, real=True)


def _flag(sde: SDE, solved: list[tuple[Draw, Result]]) -> Flag:
    """The flag that describes how free parameters were treated and what is not proved."""
    names = ", ".join(sde.parameters)
    draws = " and at ".join(_assignments(draw) for draw, _ in solved)
    found = {result.dimension for _, result in solved}
    types = {_type(result) for _, result in solved}
    message = f"{names} {'have' if len(sde.parameters) > 1 else 'has'} no value: solved at {draws}. "
    if len(found) > 1:
        listed = ", ".join(str(result.dimension) for _, result in solved)
        message += f"The dimensions found are {listed}; the smallest is the generic one. "
    elif len(types) > 1:
        message += f"The algebras differ in type: {'; '.join(result.algebra.name for _, result in solved)}. "
    message += (
        "Special values can have more symmetries. Proofs assume that parameters with positive values "
        "here are positive; "
        "numerical residuals and structure constants are for "
        f"{_assignments(min(solved, key=lambda pair: pair[1].dimension)[0])}."
    )
    first = next(iter(sde.parameters))
    return Flag(
        "generic-parameters",
        message,
        f"Give a value, such as {first}=1.5, for one of them, or the equation d{first} = … if {first} is a coordinate.",
    )


def _unproved_flag(unproved: tuple[int, ...], draw: Draw) -> Iterator[Flag]:
    if unproved:
        listed = ", ".join(f"X{position + 1}" for position in unproved)
        yield Flag(
            "formulas-at-draw",
            f"No formula in the parameters could be proved for {listed}; what is shown is for {_assignments(draw)}.",
            "Give the parameters values for a proof there.",
        )


def _type(result: Result) -> str:
    """The algebra's name without its numbers, which may depend on the parameters."""
    return re.sub(r"[−-]?\d+(\.\d+)?(/\d+)?", "#", result.algebra.name)


def _texts(draw: Draw) -> dict[str, str]:
    return {name: str(value) for name, value in draw.items()}


def _assignments(draw: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in draw.items())
