"""Structure constants of exact generators, from their brackets (differentiated by SymPy) at points of a box."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy
from jaxtyping import Float

from liestonet.algebra.structure import Algebra, jacobi_residual
from liestonet.catalogue.reading import symbols
from liestonet.core.generators import directional_derivative

POINTS = 200


def exact_algebra(rows: Sequence[Any], names: Sequence[str], box: Sequence[Any], has_beta: bool) -> Algebra:
    """The algebra spanned by generators, by least squares at random points, each component in units of the box."""
    m = len(rows)
    if not m:
        nothing = np.zeros((0, 0, 0))
        return Algebra(nothing, 0.0, 0.0, nothing)
    low, high = np.array(box, dtype=float).T
    points = np.random.default_rng(2).uniform(low, high, (POINTS, len(low)))
    table = [[row.tau, *row.xi, *([row.beta] if has_beta else [])] for row in rows]
    units = np.append((high - low) / 2, [1.0] * has_beta)
    variables = symbols(names)
    values = _evaluate(table, variables, points)
    slopes = ([[sympy.diff(entry, v) for entry in row] for row in table] for v in variables)
    gradient = np.stack([_evaluate(slope, variables, points) for slope in slopes])
    forward = directional_derivative(values, gradient) / units
    brackets = (forward - np.swapaxes(forward, 0, 1)).reshape(m * m, -1).T
    columns = (values / units).reshape(m, -1).T
    norms = np.linalg.norm(columns, axis=0)
    constants = np.linalg.lstsq(columns / norms, brackets, rcond=None)[0].T.reshape(m, m, m) / norms
    rest = brackets - columns @ constants.reshape(m * m, m).T
    closure = np.linalg.norm(rest, axis=0) / (np.linalg.norm(brackets, axis=0) + np.outer(norms, norms).ravel())
    lengths = norms / np.sqrt(POINTS)
    unit = constants * lengths[None, None, :] / (lengths[:, None, None] * lengths[None, :, None])
    return Algebra(constants, float(closure.max()), jacobi_residual(unit), unit)


def _evaluate(
    table: list[list[Any]], variables: Sequence[Any], points: Float[np.ndarray, "b v"]
) -> Float[np.ndarray, "m b components"]:
    """The values of a table of formulas at points."""
    function = sympy.lambdify(variables, [entry for row in table for entry in row], "numpy", cse=True)
    columns = [np.broadcast_to(np.asarray(value, dtype=float), len(points)) for value in function(*points.T)]
    return np.moveaxis(np.array(columns).reshape(len(table), -1, len(points)), 1, 2)
