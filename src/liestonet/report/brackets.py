"""Brackets of generators as the page shows them: exact numbers where there are any, three digits from data."""

from __future__ import annotations

from typing import Any

import numpy as np

from liestonet.result import Result
from liestonet.terminal_data import known_constants, least_shown


def shown_brackets(result: Result) -> dict[tuple[int, int], Any]:
    """[X_i, X_j] with i < j as SymPy sums over X1, X2, …, where they stand out of their error."""
    import sympy

    if result.standards is None:
        return result.brackets()
    constants = known_constants(result.algebra)
    least = least_shown(constants, result.algebra.closure)
    symbols = [sympy.Symbol(f"X{k + 1}") for k in range(len(constants))]
    found = {}
    for i, j in zip(*np.triu_indices(len(constants), 1), strict=True):
        kept = [_rounded(c) * symbols[k] for k, c in enumerate(constants[i, j].tolist()) if abs(c) > least]
        if kept:
            found[int(i), int(j)] = sympy.Add(*kept)
    return found


def _rounded(value: float) -> Any:
    """Three digits; a whole number where these say so."""
    import sympy

    short = float(f"{value:.3g}")
    return sympy.Integer(int(short)) if short.is_integer() and abs(short) < 100 else sympy.Float(short, 3)
