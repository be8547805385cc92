"""A strategy for the equation left after a reduction, which may have symmetries that the full equation has not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import sympy

from liestonet.errors import InputError
from liestonet.formulas.notation import field_text
from liestonet.pipeline.solve import solve
from liestonet.reduction.equation import Field
from liestonet.reduction.stage import Stage
from liestonet.reduction.tuning import REDUCTION
from liestonet.sde.sde import SDE
from liestonet.sde.symbolic import SymbolicCoefficients


def own_symmetries(stage: Stage) -> Stage | None:
    """Add the symmetries of the closed equation alone, if a reduction has left two or more coordinates."""
    count = stage.equation.active
    if (
        stage.asked
        or not stage.changes
        or not 2 <= count <= REDUCTION.most_asked
        or any(f.is_simple for f in stage.fields)
    ):
        return None
    stage = replace(stage, asked=True)
    equation, setting = stage.equation.subsystem(), stage.setting
    public = setting.public
    inward = {public(s): s for s in setting.values if public(s).is_Symbol}
    coefficients = SymbolicCoefficients(
        tuple(public(s) for s in equation.closed),
        sympy.Symbol("t", real=True),
        sympy.ImmutableMatrix(count, 1, [_plain(public(e), equation, stage) for e in equation.drift]),
        sympy.ImmutableMatrix(
            count, equation.noises, [_plain(public(e), equation, stage) for row in equation.noise for e in row]
        ),
    )
    symbols = (equation.time, *equation.closed)
    box = [[float(np.min(setting.values[s])), float(np.max(setting.values[s]))] for s in symbols]
    try:
        result = solve(SDE.from_coefficients(coefficients, ()), "law" if stage.in_law else "ito", box)
    except InputError:
        return stage
    names = tuple(str(public(s)) for s in equation.closed)
    inward[sympy.Symbol("t", real=True)] = equation.time
    zero = (sympy.Integer(0),) * (len(stage.equation.state) - count)
    fields = []
    for row in result.formulas():
        if row.status == "proved" and not (row.tau == 1 and all(c == 0 for c in row.xi)):
            xi = tuple(setting.tidy(c.xreplace(inward)) for c in row.xi)
            shown = field_text(replace(row, beta=sympy.Integer(0)), names)
            name = f"{shown} (of the equation of {', '.join(names)} alone)"
            strong = result.symmetry == "ito"
            tau: Any = sympy.sympify(row.tau).xreplace(inward)
            fields.append(Field(tau, xi, name, strong, zero))
    # a step without a change of coordinates: strategies for generators follow
    return replace(stage, fields=(*stage.fields, *fields), renewed=bool(fields))


def _plain(entry: Any, equation: Any, stage: Stage) -> Any:
    return entry.xreplace({stage.setting.public(equation.time): sympy.Symbol("t", real=True)})
