"""A strategy for algebras without a full chain of ideals, such as so(3): their joint invariants satisfy an equation.

Only the equation of the radius is returned; the other coordinates do not become integrals (docs/method.md §18.4).
"""

from __future__ import annotations

from typing import Any

import sympy
from sympy import Symbol

from liestonet.reduction.equation import Change
from liestonet.reduction.ordering import longest_chain
from liestonet.reduction.stage import Stage, linear_matrix, numeric_rank
from liestonet.reduction.tuning import REDUCTION


def radius(stage: Stage) -> Stage | None:
    """The equation of r = √(xᵀQx), for linear fields that span all directions but one without a full chain."""
    closed, setting = stage.equation.closed, stage.setting
    simple = [f for f in stage.fields if f.is_simple]
    if stage.changes or len(closed) < 3 or len(simple) < 2:
        return None
    rank = numeric_rank([f.xi for f in simple], setting, REDUCTION.rank)
    if rank != len(closed) - 1 or longest_chain(simple, stage) >= rank:
        return None
    matrices = [linear_matrix(f.xi, stage) for f in simple]
    form = None if any(m is None for m in matrices) else _invariant_form(matrices, len(closed))
    if form is None:
        return None
    x = sympy.Matrix(closed)
    place = sympy.sqrt(sympy.expand((x.T * form * x)[0]))
    r = Symbol(stage.fresh(["r"])[0], positive=True)
    section: dict[Symbol, Any] = dict.fromkeys(closed, sympy.Integer(0))
    section[closed[0]] = r / sympy.sqrt(form[0, 0])
    change = Change({r: place}, None, section, 1)
    still = all(setting.vanishes(f.of(place, stage.equation.time, closed)) for f in simple)
    names = ", ".join(f.name for f in simple)
    text = f"{r} = {place} is closed; no order of these generators turns the other coordinates into integrals"
    return stage.after(change, simple, names, text, lemma=still)


def _invariant_form(matrices: list[Any], size: int) -> Any:
    """The only symmetric Q, up to a factor, with QA + AᵀQ = 0 for all A, if it is positive; else None."""
    entries = {(i, j): sympy.Dummy(f"q{i}{j}") for i in range(size) for j in range(i, size)}
    form = sympy.Matrix(size, size, lambda i, j: entries[min(i, j), max(i, j)])
    equations = [entry for m in matrices for entry in form * m + m.T * form]
    unknowns = list(entries.values())
    space = sympy.linear_eq_to_matrix(equations, unknowns)[0].nullspace()
    if len(space) != 1:
        return None
    found = form.subs(dict(zip(unknowns, space[0], strict=True)))
    found = found if found[0, 0] > 0 else -found
    found = found / found[0, 0] if found[0, 0] != 0 else found
    return found if found.is_positive_definite else None
