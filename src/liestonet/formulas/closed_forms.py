"""From a numerical span of generators to formulas: a sparse basis with exact constants, checked in the equations.

At fixed states and at fixed times the span gives spaces of functions of time and of the coordinates. Simple functions
in these spaces form a small dictionary, in which the generators have few coefficients. Row reduction makes these simple
numbers, and SymPy decides whether a formula solves the determining equations (docs/method.md §10.1).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from liestonet.formulas.dictionary import Samples, constant, dictionary_of, exponential_functions, time_functions
from liestonet.formulas.eigenrates import eigenrates
from liestonet.formulas.estimated.uncertain import find_uncertain_formulas, told_apart
from liestonet.formulas.formula import Formula, unknown_formula
from liestonet.formulas.functionspace import evaluate, independent
from liestonet.formulas.proved.one_coordinate import scalar_fields
from liestonet.formulas.proved.projection import projected
from liestonet.formulas.proved.proofs import solves
from liestonet.formulas.proved.refinement import Refiner
from liestonet.formulas.shortest import primitive_factor, shortest
from liestonet.formulas.sparse import SparseRows, sparse_rows
from liestonet.formulas.tuning import FORMULAS
from liestonet.formulas.waves import is_periodic
from liestonet.symmetry.determining.equations import Equations
from liestonet.symmetry.determining.fields import Fields

if TYPE_CHECKING:
    from liestonet.sde.symbolic import SymbolicCoefficients


Columns = Float[np.ndarray, "values m"]
Field = tuple[Any, ...]  # τ, ξ^1, …, ξ^n and, for Fokker–Planck, β as SymPy expressions
# The leading component, its function, its size in units of the box, and the whole field.
Candidate = tuple[int, Any, float, Field]
Found = tuple[Fields, tuple[Formula, ...]]


def find_formulas(
    fields: Fields,
    equations: Equations,
    coefficients: SymbolicCoefficients | None,
    names: tuple[str, ...],
    error: float,
    turns: Float[np.ndarray, "s size m"] | None = None,
) -> Found:
    """A readable basis of the span and its formulas, generator by generator in the same order.

    `coefficients` suggest functions and allow proofs; without them only general functions are tried and nothing is
    proved. `error` is the relative error of the span; if it is not negligible, constants have uncertainties, and
    `turns` are its independent directions. If no formulas are found, the fields are returned unchanged. The search is
    limited by numbers of candidates, not by time, so its result is reproducible.
    """
    import sympy

    if not fields.count:
        return fields, ()
    symbols = tuple(sympy.Symbol(name, real=True) for name in ("t", *names))
    best: Found = fields, tuple(unknown_formula(i, symbols, fields.has_beta) for i in range(fields.count))
    if coefficients is None and error > FORMULAS.largest_exact:
        found = find_uncertain_formulas(fields, symbols, error, turns)
        return best if found is None else (found[0], tuple(row or best[1][i] for i, row in enumerate(found[1])))
    stated = max(FORMULAS.stated_errors * error, FORMULAS.least_tolerance)
    samples = Samples(fields)
    tried = [stated * factor for factor in (FORMULAS.finer if coefficients is not None else FORMULAS.finer[:1])]
    for tolerance in dict.fromkeys(max(level, FORMULAS.least_tolerance) for level in tried):
        if tolerance > FORMULAS.largest_tolerance:
            continue
        found = _search(_Task(fields, samples, equations, coefficients, symbols, tolerance))
        if found is not None and _merit(found) > _merit(best):
            best = found
        if all(row.status == "proved" for row in best[1]):
            break
    if error > FORMULAS.exact_enough and any(row.status == "proved" for row in best[1]):
        return projected(*best, symbols), best[1]
    return best


@dataclass(frozen=True)
class _Task:
    """A span, its values, its equations and coefficients, the variables, and the tolerance for formulas."""

    fields: Fields
    samples: Samples
    equations: Equations
    coefficients: SymbolicCoefficients | None
    symbols: tuple[Any, ...]
    tolerance: float


def _merit(found: Found) -> tuple[int, int]:
    """The rank of a result: the number of proved formulas, then the fewest generators without a formula."""
    statuses = [row.status for row in found[1]]
    return statuses.count("proved"), -statuses.count("numerical")


def _search(task: _Task) -> Found | None:
    """Formulas at one tolerance; None if the span is not spanned by functions of the dictionary."""
    best: Found | None = None
    for source in (_scalar_candidates, _dictionary_candidates, _plain_candidates):
        candidates = [field for field in source(task) if is_periodic(field, task.fields.basis.domain, task.symbols)]
        found = _among(candidates, task)
        if found is None:
            found = _among_in_part(candidates, task)
        if found is not None and (best is None or _merit(found) > _merit(best)):
            best = found
        if best is not None and all(row.status == "proved" for row in best[1]):
            break
        if best is not None and source is _dictionary_candidates and not _merit(best)[1]:
            break  # every generator has a formula
    return best


def _scalar_candidates(task: _Task) -> list[Field]:
    """Candidate fields for an equation with one coordinate, from theory."""
    coefficients, fields = task.coefficients, task.fields
    if coefficients is None or task.equations.dimension != 1:
        return []
    rates = eigenrates(coefficients)
    times = exponential_functions(fields, task.samples, task.symbols[0], task.tolerance, rates)
    return scalar_fields(coefficients, fields.basis.domain, times, fields.has_beta)


def _dictionary_candidates(task: _Task) -> list[Field]:
    """Candidate fields with one component: products of the span's functions of time and of state."""
    import sympy

    samples, coefficients, symbols, tolerance = task.samples, task.coefficients, task.symbols, task.tolerance
    times = time_functions(task.fields, samples, coefficients, symbols[0], tolerance)
    if not times:
        return []
    width = len(task.equations.unknowns)
    functions = dictionary_of(samples, coefficients, symbols, times, width, tolerance)
    return [
        tuple(function if i == component else sympy.Integer(0) for i in range(width))
        for component, row in enumerate(functions or [])
        for function in row
    ]


def _plain_candidates(task: _Task) -> list[Field]:
    """Translations, scalings, rotations and boosts: candidates for a span of which only a part has formulas."""
    import sympy

    t, *state = task.symbols
    one = sympy.Integer(1)
    functions = [one, t, *state]
    width = len(task.equations.unknowns)
    return [
        tuple(function if i == component else sympy.Integer(0) for i in range(width))
        for component in range(width)
        for function in ([one, t, t**2] if component == 0 else functions)
    ]


def _among_in_part(candidates: list[Field], task: _Task) -> Found | None:
    """Formulas for the part of the span that consists of candidate fields; the rest stays without."""
    fields, samples, symbols = task.fields, task.samples, task.symbols
    fitted = _coefficients_in(candidates, fields, samples, symbols)
    if fitted is None:
        return None
    values, missed = fitted[2:]
    triangle = np.linalg.inv(np.linalg.qr(values)[1])
    _, sines, turned = np.linalg.svd(missed @ triangle, full_matrices=False)
    inside = sines <= task.tolerance
    if not inside.any() or inside.all():
        return None
    change = triangle @ turned.T / samples.norms[:, None]
    part, rest = fields.mixed(change[:, inside]), fields.mixed(change[:, ~inside])
    found = _among(candidates, replace(task, fields=part, samples=Samples(part)))
    if found is None:
        return None
    known = [row if row.status != "numerical" else None for row in found[1]] + [None] * rest.count
    joined = replace(fields, coefficients=np.concatenate([found[0].coefficients, rest.coefficients], axis=1))
    formulas = tuple(row or unknown_formula(k, symbols, fields.has_beta) for k, row in enumerate(known))
    return told_apart(joined, known), formulas


def _among(candidates: list[Field], task: _Task) -> Found | None:
    """Formulas as combinations of candidate fields; None if these do not contain the span."""
    fields, samples, symbols, tolerance = task.fields, task.samples, task.symbols, task.tolerance
    equations, coefficients = task.equations, task.coefficients
    fitted = _coefficients_in(candidates, fields, samples, symbols)
    if fitted is None:
        return None
    matrix, flat, _, missed = fitted
    if np.linalg.norm(missed, axis=0).max() > FORMULAS.loosest * tolerance:
        return None
    if np.linalg.matrix_rank(matrix, tol=1e-6) < fields.count:
        return None
    rows = sparse_rows(matrix, [entry[:3] for entry in flat])
    refiner = None
    if coefficients is not None:
        scattered = np.random.default_rng(11).permutation(samples.points)
        refiner = Refiner(equations, coefficients, scattered)
    formulas, multipliers = [], []
    for k in range(fields.count):
        numbers = refiner and _refined(refiner, rows, k, flat, tolerance)
        numbers = numbers or _rounded(rows, k, flat, tolerance)
        found = _formula(equations, coefficients, numbers, flat, tolerance)
        formula, multiplier = found or (unknown_formula(k, symbols, fields.has_beta), 1.0)
        formulas.append(formula)
        multipliers.append(multiplier)
    return fields.mixed(rows.change / samples.norms[:, None] * np.array(multipliers)), tuple(formulas)


def _coefficients_in(
    candidates: list[Field], fields: Fields, samples: Samples, symbols: tuple[Any, ...]
) -> tuple[Float[np.ndarray, "functions m"], list[Candidate], Columns, Columns] | None:
    """Coefficients of all generators in fields scaled to mean square one, and these fields.

    Also the generators' values as unit columns, and their residuals with respect to the fields.
    """
    if not candidates:
        return None
    chosen = samples.few(FORMULAS.most_values)
    columns, flat = [], []
    for field in candidates:
        values = np.column_stack(evaluate(field, symbols, samples.points[chosen])) / fields.basis.scales
        size = float(np.sqrt(np.mean(np.sum(values**2, axis=1))))
        if size > 0:
            leading = next(i for i, component in enumerate(field) if component != 0)
            columns.append(values.ravel() / size)
            flat.append((leading, field[leading], size, field))
    usable = independent(columns)
    if not usable:  # every candidate nearly vanishes on the box
        return None
    matrix = np.column_stack([columns[j] for j in usable])
    width = samples.values.shape[-1]
    values = samples.values.reshape(fields.count, -1, width)[:, chosen].reshape(fields.count, -1).T
    found = np.linalg.lstsq(matrix, values, rcond=1e-12)[0]
    root = np.sqrt(len(chosen))
    return found, [flat[j] for j in usable], values / root, (values - matrix @ found) / root


def _refined(
    refiner: Refiner, rows: SparseRows, k: int, flat: list[Candidate], tolerance: float
) -> dict[int, Any] | None:
    """Exact factors of the fields in a generator, computed from the determining equations; None if that fails."""
    weights = np.abs(rows.reduced[:, k])
    excluded = {pivot for pivot in rows.pivots if pivot != rows.pivots[k]}
    # fields with doubtful factors are included: the equations decide
    for least in (1e2 * tolerance, tolerance, 0.0):
        support = [j for j in range(len(flat)) if j not in excluded and (weights[j] > least or j == rows.pivots[k])]
        if any(component.has(*_decimal()) for j in support for component in flat[j][3]):
            return None
        exact = refiner.coefficients([flat[j][3] for j in support], support.index(rows.pivots[k]))
        if exact is not None:
            return {j: number for j, number in zip(support, exact, strict=True) if number != 0}
    return None


def _decimal() -> tuple[Any, ...]:
    import sympy

    return (sympy.Float,)


def _rounded(rows: SparseRows, k: int, flat: list[Candidate], tolerance: float) -> dict[int, Any]:
    """Factors from the numerical span: exact numbers where these are unambiguous, else decimals."""
    numbers = {}
    for j in range(len(flat)):
        value, weight = float(rows.physical[j, k]), float(rows.reduced[j, k])
        if abs(weight) > 1e2 * tolerance:
            numbers[j] = constant(value, 1e2 * tolerance * abs(value / weight))
    return numbers


def _formula(
    equations: Equations,
    coefficients: SymbolicCoefficients | None,
    numbers: dict[int, Any],
    flat: list[Candidate],
    tolerance: float,
) -> tuple[Formula, float] | None:
    """The formula of one generator, and the number that made its factors integers; None if too many are not exact."""
    import sympy

    decimals = sum(number.has(sympy.Float) for number in numbers.values())
    if decimals > FORMULAS.most_decimals:
        return None
    components: list[Any] = [sympy.Integer(0)] * len(equations.unknowns)
    for j, number in numbers.items():
        for i, component in enumerate(flat[j][3]):
            components[i] += number * component
    multiplier = primitive_factor(components)
    if max(multiplier.p, multiplier.q) > FORMULAS.largest_multiplier:
        multiplier = sympy.Integer(1)
    components = [multiplier * component for component in components]
    short = [shortest(component) for component in components]
    proved = False
    if not decimals and coefficients is not None:
        proved = solves(equations, coefficients, short)
        if not proved and short != components:
            short, proved = components, solves(equations, coefficients, components)
    components = short
    n = equations.dimension
    beta = components[n + 1] if len(components) > n + 1 else sympy.Integer(0)
    status, error = ("proved", 0.0) if proved else ("consistent", tolerance)
    return Formula(components[0], tuple(components[1 : n + 1]), beta, status, error), float(multiplier)
