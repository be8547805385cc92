"""Random symmetries φ(t, x, w) ∂x of several coordinates, from their values at w = 0.

φ commutes with V₀ = ∂_t + A·∂x and V_k = ∂_{w_k} + σ_k·∂x (docs/method.md §2.7), so with their brackets Z, which
have components along x only. At w = 0 it is a field ψ(t, x) that commutes with V₀ and all Z, in fewer variables than
the extended equation has, found by the usual search. [σ_k, ·] maps such fields to such fields, by commuting matrices
M_k, and

    φ = ψ exp(−M_1 w_1 − … − M_r w_r)

extends them to all w: joint eigenvectors of ∂_t and ∂_w, e^{λt + μw} ψ(x), if the matrices can be diagonalised.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import mpmath
import numpy as np

from liestonet.core.domain import Domain
from liestonet.formulas.exact_numbers import recognise_precisely
from liestonet.formulas.proved.origin import find_formulas_anywhere
from liestonet.formulas.proved.proofs import solves
from liestonet.formulas.proved.random_scalar import Directions, Field
from liestonet.formulas.proved.tuning import SLICES
from liestonet.formulas.shortest import primitive_factor, shortest
from liestonet.formulas.tuning import FORMULAS
from liestonet.symmetry.analytic.dimension_bound import formal_counts
from liestonet.symmetry.analytic.nullspace import find_null_space
from liestonet.symmetry.determining.fields import Fields, readable_basis
from liestonet.symmetry.determining.kinds import COMMUTANT, RANDOM

if TYPE_CHECKING:
    from liestonet.sde.symbolic import SymbolicCoefficients

Vector = tuple[Any, ...]  # the components of a field along x


def random_fields(coefficients: SymbolicCoefficients, domain: Domain) -> list[Field]:
    """Random symmetries of an extended equation in closed form, each proved; not necessarily all of them."""
    fields = Directions.of(coefficients)
    sources = _closed_under_noise(fields, domain)
    if not sources:
        return []
    shapes = _commuting(fields, sources, domain)
    if not shapes:
        return []
    matrices = _actions(fields, shapes, domain)
    if matrices is None:
        return []
    zeros = (0,) * len(fields.wiener)
    carried = [(0, *field, *zeros) for field in _carried(shapes, matrices, fields)]
    equations = RANDOM.equations(coefficients.dimension, coefficients.noise)
    listed = [_as_expressions(field) for field in carried]
    return [field for field in listed if solves(equations, coefficients, list(field))]


def _as_expressions(field: Sequence[Any]) -> Any:
    import sympy

    return tuple(sympy.sympify(part) for part in field)


def _closed_under_noise(fields: Directions, domain: Domain) -> list[Vector]:
    """The brackets of V₀, …, V_r, and brackets of these with the noise if they are independent and not too long.

    A field that commutes with V₀ and Z commutes with [V₀, Z]; so only brackets with σ_k have to be added.
    """
    import sympy

    found: list[Vector] = []
    fresh = fields.brackets()
    for _ in range(SLICES.depth + 1):
        added = []
        for field in fresh:
            long = sum(int(sympy.count_ops(part)) for part in field) > SLICES.longest
            if not long and len(found) < SLICES.most_fields and _is_new(field, found, fields, domain):
                found.append(field)
                added.append(field)
        fresh = [fields.bracket(column, field) for column in fields.noise for field in added]
    return found


def _is_new(field: Vector, known: Sequence[Vector], fields: Directions, domain: Domain) -> bool:
    """Whether a field is not a linear combination of others."""
    columns = [_values(each, fields, domain) for each in (*known, field)]
    if not all(np.isfinite(column).all() for column in columns):
        return False
    table = np.column_stack([column / max(float(np.linalg.norm(column)), np.finfo(float).tiny) for column in columns])
    return bool(np.linalg.svd(table, compute_uv=False)[-1] > SLICES.dependent) and bool(columns[-1].any())


def _values(field: Vector, fields: Directions, domain: Domain) -> np.ndarray:
    """The components of a field at scattered points, as one vector."""
    import sympy

    symbols = (fields.time, *fields.moved)
    low, high = np.array(domain.intervals[: len(symbols)]).T
    points = np.random.default_rng(17).uniform(low, high, (SLICES.points, len(symbols)))
    with np.errstate(all="ignore"):
        values = sympy.lambdify(symbols, list(field), ["scipy", "numpy"])(*points.T)
    return np.concatenate([np.broadcast_to(np.asarray(part, dtype=float), len(points)) for part in values])


def _commuting(fields: Directions, sources: Sequence[Vector], domain: Domain) -> list[Vector]:
    """Fields ψ(t, x) in closed form that commute with V₀ and all sources; empty if one has no formula."""
    import sympy

    from liestonet.sde.symbolic import SymbolicCoefficients

    n = len(fields.moved)
    box = Domain(
        domain.intervals[: n + 1],
        singular=None if domain.singular is None else domain.singular[: n + 1],
        periodic=tuple(v for v in domain.periodic if v <= n),
    )
    noise = sympy.ImmutableMatrix([[field[i] for field in sources] for i in range(n)])
    source = SymbolicCoefficients(fields.moved, fields.time, sympy.ImmutableMatrix(list(fields.drift)), noise)
    counts = formal_counts(COMMUTANT, source, box)
    bound = counts[-1].bound if counts else None
    if not bound:
        return []
    null = find_null_space(COMMUTANT, source, box, bound, counts[-1].coupling)
    if not null.count:
        return []
    columns = null.directions.coefficients[:, : null.count]
    span = readable_basis(Fields(null.directions.basis, columns))
    names = tuple(symbol.name for symbol in fields.moved)
    table = COMMUTANT.equations(n, len(sources))
    formulas = find_formulas_anywhere(span, table, source, names, 1 / null.gap)[1]
    return [row.xi for row in formulas] if all(row.status == "proved" for row in formulas) else []


def _actions(fields: Directions, shapes: Sequence[Vector], domain: Domain) -> list[Any] | None:
    """Exact M_k with [σ_k, ψ_i] = Σ_j (M_k)_ji ψ_j; None if a bracket is not in the span or a number not exact."""
    import sympy

    symbols = (fields.time, *fields.moved)
    images = [[fields.bracket(column, shape) for shape in shapes] for column in fields.noise]
    rows = [*shapes, *(image for row in images for image in row)]
    evaluate = sympy.lambdify(symbols, [list(row) for row in rows], "mpmath", cse=True)
    low, high = np.array(domain.intervals[: len(symbols)]).T
    points = np.random.default_rng(23).uniform(low, high, (len(shapes) + SLICES.extra_points, len(symbols)))
    with mpmath.workdps(FORMULAS.digits):
        try:
            values = [evaluate(*map(mpmath.mpf, point)) for point in points]
            columns = [[mpmath.mpf(v) for table in values for v in table[k]] for k in range(len(rows))]
            left = mpmath.matrix([list(row) for row in zip(*columns[: len(shapes)], strict=True)])
            found = []
            for k in range(len(shapes), len(rows)):
                right = mpmath.matrix(columns[k])
                solution = mpmath.lu_solve(left, right)
                size = max([mpmath.mpf(1), *(abs(v) for v in columns[k])])
                if mpmath.norm(left * solution - right, mpmath.inf) > FORMULAS.precisely * size:
                    return None
                found.append([recognise_precisely(number) for number in solution])
        except (TypeError, ValueError, ZeroDivisionError, NameError, KeyError, OverflowError):
            return None
    if any(number is None for row in found for number in row):
        return None
    m = len(shapes)
    return [sympy.Matrix(found[k * m : (k + 1) * m]).T for k in range(len(fields.noise))]


def _carried(shapes: Sequence[Vector], matrices: Sequence[Any], fields: Directions) -> list[Vector]:
    """ψ exp(−Σ M_k w_k), in a basis of real eigenvectors if there is one; fields independent of w come first."""
    import sympy

    m, n = len(shapes), len(fields.moved)
    change = _eigenvectors(matrices)
    back = change.inv()
    flow = sympy.eye(m)
    for matrix, w in zip(matrices, fields.wiener, strict=True):
        flow = flow * _exponential(-(back * matrix * change), w)
    found = []
    for i in range(m):
        weights = change * flow[:, i]
        field = [shortest(sum(weights[j] * shapes[j][c] for j in range(m))) for c in range(n)]
        factor = primitive_factor(field)
        found.append(tuple(factor * part for part in field))
    return sorted(found, key=lambda field: any(part.has(*fields.wiener) for part in field))


def _eigenvectors(matrices: Sequence[Any]) -> Any:
    """Columns that diagonalise commuting matrices jointly, if they are real; else the identity."""
    import sympy

    m = matrices[0].shape[0]
    if all(matrix.is_diagonal() for matrix in matrices):
        return sympy.eye(m)
    mixed: Any = sum(
        (weight * matrix for weight, matrix in zip(SLICES.weights, matrices, strict=False)), sympy.zeros(m)
    )
    try:
        change, _ = mixed.diagonalize(reals_only=True)
    except (sympy.matrices.exceptions.MatrixError, ValueError, NotImplementedError):
        return sympy.eye(m)
    together = all((change.inv() * matrix * change).applyfunc(sympy.simplify).is_diagonal() for matrix in matrices)
    return change if together else sympy.eye(m)


def _exponential(matrix: Any, w: Any) -> Any:
    """exp(matrix · w) with real entries."""
    import sympy

    if matrix.is_zero_matrix:
        return sympy.eye(matrix.shape[0])
    if matrix.is_diagonal():
        return sympy.diag(*(sympy.exp(matrix[i, i] * w) for i in range(matrix.shape[0])))
    grown = (matrix * w).exp()
    return grown.applyfunc(lambda entry: sympy.simplify(sympy.expand(entry.rewrite(sympy.cos), complex=False)))
