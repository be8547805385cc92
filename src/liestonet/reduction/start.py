"""The first stage of a reduction from a result: formulas in inner symbols, and the usable generators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sympy
from sympy import Symbol

from liestonet.core.domain import Domain
from liestonet.core.numbers import is_whole
from liestonet.errors import InputError
from liestonet.formulas.formula import Formula
from liestonet.formulas.notation import field_text
from liestonet.formulas.proved.proofs import solves
from liestonet.reduction.equation import Equation, Field
from liestonet.reduction.setting import Inner, inner_equation
from liestonet.reduction.stage import Stage
from liestonet.reduction.state_space import Space, state_spaces
from liestonet.result import Result
from liestonet.result.findings import EquationFindings
from liestonet.sde.sde import SDE
from liestonet.symmetry.determining.kinds import ITO, LAW


@dataclass(frozen=True)
class Start:
    """The equation with its formulas, its regular intervals, and the first stage."""

    sde: SDE
    domain: Domain
    spaces: tuple[Space, ...]
    inner: Inner
    stage: Stage
    draw: Mapping[str, Any]
    left_out: tuple[str, ...]

    def values(self) -> dict[Any, Any]:
        """A point of the box in the user's symbols, with the parameter values at which the result was solved."""
        names = ("t", *self.sde.names)
        middle = dict(zip(names, self.domain.centre.tolist(), strict=True)) | dict(self.draw)
        return {Symbol(name, real=True): sympy.nsimplify(value, rational=True) for name, value in middle.items()}


def equation_findings(result: Result) -> EquationFindings:
    """The findings of a result from an equation; a result from data is refused."""
    if not isinstance(result.findings, EquationFindings):
        raise InputError(
            "This result is from data, and its symmetries are not proved; take the estimated equation instead: "
            "lsn.solve(result.equation().sde)."
        )
    return result.findings


def started(result: Result, generator: Any) -> Start:
    """The first stage with the generators of a result, or with the one that the user chose."""
    sde = equation_of(result)
    rows, left_out = _usable(result, generator)
    draw = {name: sympy.Rational(value) for name, value in result.draw.items()}
    return start_of(sde, result.domain, draw, rows, tuple(left_out), result.symmetry != "ito")


def equation_of(result: Result) -> SDE:
    """The equation of a result; one without formulas or without noise is refused."""
    sde = equation_findings(result).equation
    _require_formulas(sde)
    return sde


def given_box(result: Result) -> list[list[float]] | None:
    """The user's box of time and coordinates, without Wiener processes; None if it was chosen automatically."""
    if result.domain.chosen:
        return None
    return [list(pair) for pair in result.domain.intervals[: equation_of(result).dimension + 1]]


def _require_formulas(sde: SDE) -> None:
    if sde.symbolic is None:
        raise InputError(
            "The equation is given by callables, and new coordinates need formulas; give it as text or in SymPy."
        )
    if all(entry == 0 for entry in sde.symbolic.diffusion):
        raise InputError("The equation has no noise, and reduce takes stochastic equations only; add a noise.")


def start_of(
    sde: SDE,
    domain: Domain,
    draw: Mapping[str, Any],
    rows: Sequence[tuple[Formula, str, bool]] = (),
    left_out: tuple[str, ...] = (),
    in_law: bool = False,
) -> Start:
    """The first stage of an equation on a box with some generators; `in_law` allows symmetries of the law."""
    if sde.symbolic is None:
        raise RuntimeError("an equation without formulas has no coordinates to change")
    spaces = state_spaces(sde, domain, draw)
    inner = inner_equation(sde.symbolic, domain, spaces, {name: float(value) for name, value in draw.items()})
    equation = Equation(inner.time, inner.state, inner.drift, inner.noise, len(inner.state))
    fields = tuple(_field(row, name, strong, inner) for row, name, strong in rows)
    fields = with_simple_combinations(fields, inner)
    noises = ("W", "B", *(f"{letter}{k + 1}" for letter in "WB" for k in range(max(equation.noises, sde.dimension))))
    taken = frozenset(("t", *sde.names, *sde.parameters, *noises))
    stage = Stage(equation, inner.setting, fields, taken, in_law=in_law)
    return Start(sde, domain, spaces, inner, stage, draw, left_out)


def _usable(result: Result, generator: Any) -> tuple[list[tuple[Formula, str, bool]], list[str]]:
    """Generators with a formula that are Itô or law symmetries, and a sentence for each of the others."""
    names = result.names
    rows = list(result.formulas())
    if generator is not None:
        return [_asked(result, generator)], []
    found, left_out = [], []
    for position, row in enumerate(rows):
        label = f"X{position + 1}"
        if row.status == "numerical":
            left_out.append(f"{label} has no formula")
            continue
        level = _level(result, row) if row.status == "proved" else None
        if level is None:
            why = "only consistent with the equation, not proved" if row.status != "proved" else "none of the SDE"
            left_out.append(f"{label} is {why}")
            continue
        found.append((row, f"{label} = {field_text(_plain(row), names)}", level))
    return found, left_out


def _plain(row: Formula) -> Formula:
    """A generator without β, as a field in time and state."""
    return replace(row, beta=sympy.Integer(0))


def _level(result: Result, row: Formula) -> bool | None:
    """True for an Itô symmetry, False for one of the law only, None for neither."""
    sde = result.surrogate
    coefficients, parts = sde.symbolic, [row.tau, *row.xi]
    if result.symmetry == "ito" or solves(ITO.equations(sde.dimension, sde.noise), coefficients, parts):
        return True
    if result.symmetry == "law" or solves(LAW.equations(sde.dimension, sde.noise), coefficients, parts):
        return False
    return None


def _asked(result: Result, generator: Any) -> tuple[Formula, str, bool]:
    """The generator that the user chose: by its number from 0, as text, or in SymPy."""
    from liestonet.validation.generator_input import read_formula_rows

    rows = result.formulas()
    if is_whole(generator):
        if not 0 <= generator < len(rows):
            raise InputError(
                f"There are {len(rows)} generators, counted from 0; generator={generator} is none of them."
            )
        row = rows[generator]
        if row.status != "proved":
            raise InputError(
                f"X{generator + 1} has no proved formula, so no coordinates can be made of it; choose another."
            )
        label = f"X{generator + 1} = "
    else:
        parts = read_formula_rows(generator, result.names, result.surrogate.parameters)
        if len(parts) != 1:
            raise InputError(f"{len(parts)} generators were given; reduce takes one, or none to use all of the result.")
        row, label = Formula(parts[0][0], tuple(parts[0][1:]), sympy.Integer(0), "proved", 0.0), ""
    text = field_text(_plain(row), result.names)
    level = _checked_level(result, row)
    if level is None:
        raise InputError(
            f"{text} is not a symmetry of {result.surrogate}; choose one of result.formulas(), or leave generator out."
        )
    return row, f"{label}{text}", level


def _checked_level(result: Result, row: Formula) -> bool | None:
    """The level of a field that may not be a symmetry."""
    sde = result.surrogate
    parts = [row.tau, *row.xi]
    for kind, strong in ((ITO, True), (LAW, False)):
        if kind is LAW and result.symmetry == "ito":
            continue
        if solves(kind.equations(sde.dimension, sde.noise), sde.symbolic, parts):
            return strong
    return None


def _field(row: Formula, name: str, strong: bool, inner: Inner) -> Field:
    """A generator in inner symbols."""
    inward, setting = dict(inner.inward), inner.setting
    turn = [1 if inward[_public(s, inner)] == s else -1 for s in inner.state]
    xi = [sign * setting.plain(sympy.sympify(c).xreplace(inward)) for sign, c in zip(turn, row.xi, strict=True)]
    return Field(setting.plain(sympy.sympify(row.tau).xreplace(inward)), tuple(map(setting.tidy, xi)), name, strong)


def _public(symbol: Symbol, inner: Inner) -> Symbol:
    return next(s for s, meant in inner.inward.items() if symbol in meant.free_symbols)


def with_simple_combinations(fields: Sequence[Field], inner: Inner) -> tuple[Field, ...]:
    """The fields, with one of every two with proportional time components replaced by a difference without any."""
    kept: list[Field] = []
    for f in fields:
        other = next((g for g in kept if not g.is_simple and not f.is_simple and _ratio(f, g, inner) is not None), None)
        if other is None:
            kept.append(f)
            continue
        ratio = _ratio(f, other, inner)
        xi = tuple(inner.setting.tidy(a - ratio * b) for a, b in zip(f.xi, other.xi, strict=True))
        name = f"{f.name.partition(' =')[0]} − {inner.setting.public(ratio)} {other.name.partition(' =')[0]}"
        kept.append(Field(sympy.Integer(0), xi, name.replace(" 1 ", " "), f.strong and other.strong))
    return tuple(kept)


def _ratio(f: Field, g: Field, inner: Inner) -> Any:
    ratio = inner.setting.tidy(f.tau / g.tau)
    return None if ratio.has(inner.time) else ratio
