"""Functions of angles and phases that formulas may contain, and a check that a formula is periodic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from liestonet.core.domain import Domain
from liestonet.core.points import lattice_cloud
from liestonet.formulas.blocks import general_blocks
from liestonet.formulas.exact_numbers import recognise
from liestonet.formulas.functionspace import evaluate
from liestonet.formulas.tuning import FORMULAS

if TYPE_CHECKING:
    from sympy import Expr, Symbol


def coordinate_blocks(domain: Domain, symbols: tuple[Any, ...]) -> list[list[Any]]:
    """General functions of each coordinate; for a periodic one sines and cosines of integer frequencies."""
    return [
        waves(x, domain.periods[v]) if v in domain.periodic else general_blocks(x)
        for v, x in enumerate(symbols)
        if v > 0
    ]


def plain_blocks(domain: Domain, symbols: tuple[Any, ...]) -> list[Any]:
    """The coordinates, and for periodic ones their sines and cosines."""
    return [
        block
        for v, x in enumerate(symbols)
        if v > 0
        for block in (waves(x, domain.periods[v]) if v in domain.periodic else [x])
    ]


def waves(x: Any, period: float) -> list[Any]:
    """cos x, sin x, cos 2x, … for a period of 2π; for other periods, of x scaled to 2π."""
    import sympy

    number, halves = (recognise(value / period, 1e-12 / period) for value in (2 * np.pi, 2.0))
    if number is None:
        number = sympy.Float(2 * np.pi / period) if halves is None else sympy.pi * halves
    return [f(k * number * x) for k in range(1, FORMULAS.waves + 1) for f in (sympy.cos, sympy.sin)]


def is_periodic(field: tuple[Expr, ...], domain: Domain, symbols: tuple[Symbol, ...]) -> bool:
    """Whether every component of a field is unchanged by one period of each periodic coordinate."""
    turned = [v for v in domain.periodic if any(symbols[v] in component.free_symbols for component in field)]
    if not turned:
        return True
    points = lattice_cloud(domain, FORMULAS.turned_points).points
    for variable in turned:
        after = points.copy()
        after[:, variable] += domain.periods[variable]
        here, there = (np.array(evaluate(field, symbols, p)) for p in (points, after))
        if np.abs(there - here).max() > FORMULAS.not_periodic * max(1.0, float(np.abs(here).max())):
            return False
    return True
