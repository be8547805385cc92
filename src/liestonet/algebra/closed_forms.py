"""From a numerical span of generators to formulas: a sparse basis with exact constants, put back into the equations.

The span is looked at in time alone and in the coordinates alone; simple functions that lie in these spaces make a small
dictionary, in which the generators have few coefficients. Row reduction makes them simple numbers, and SymPy decides
whether the formula solves the determining equations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from liestonet.algebra.dictionary import Samples, constant, dictionary_of, time_functions
from liestonet.algebra.formula import Formula
from liestonet.algebra.functionspace import evaluate, independent
from liestonet.algebra.proofs import solves
from liestonet.algebra.refinement import Refiner
from liestonet.algebra.sparse import SparseRows, sparse_rows
from liestonet.algebra.uncertain import find_uncertain_formulas
from liestonet.symmetry.equations import Equations
from liestonet.symmetry.fields import Fields

if TYPE_CHECKING:
    from liestonet.sde.symbolic import SymbolicCoefficients

# A formula with more constants than this that are no simple numbers explains nothing.
MOST_DECIMALS = 4
LARGEST_TIDY = 150
# A span less well known than this fits too many formulas.
LARGEST_TOLERANCE = 1e-2
# The error of a span is often far below what is stated. Where formulas can be proved, finer tolerances are tried.
FINER = (1.0, 1e-2, 1e-4)
LEAST_TOLERANCE = 1e-8
# A span with a larger error has constants with uncertainties.
LARGEST_EXACT = 1e-5


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

    `coefficients` suggest functions and let formulas be proved; without them only ordinary functions are tried and
    nothing is proved. `error` is the relative error of the span; one that matters leaves constants with uncertainties,
    `turns` say in which directions it is. Where no formulas are found the fields come back as they were. The search is
    bounded by numbers of candidates, not by time, so that it always ends the same way.
    """
    import sympy

    if not fields.count:
        return fields, ()
    symbols = tuple(sympy.Symbol(name, real=True) for name in ("t", *names))
    best: Found = fields, tuple(_unknown(i, symbols, fields.has_beta) for i in range(fields.count))
    if coefficients is None and error > LARGEST_EXACT:
        found = find_uncertain_formulas(fields, symbols, error, turns)
        return best if found is None else (found[0], tuple(row or best[1][i] for i, row in enumerate(found[1])))
    stated = max(30 * error, LEAST_TOLERANCE)
    samples = Samples(fields)
    tried = [stated * factor for factor in (FINER if coefficients is not None else FINER[:1])]
    for tolerance in dict.fromkeys(max(level, LEAST_TOLERANCE) for level in tried):
        if tolerance > LARGEST_TOLERANCE:
            continue
        found = _search(fields, samples, equations, coefficients, symbols, tolerance)
        if found is not None and _merit(found) > _merit(best):
            best = found
        if all(row.status == "proved" for row in best[1]):
            break
    return best


def _merit(found: Found) -> tuple[int, int]:
    """More proved formulas are better, then fewer without any."""
    statuses = [row.status for row in found[1]]
    return statuses.count("proved"), -statuses.count("numerical")


def _search(
    fields: Fields,
    samples: Samples,
    equations: Equations,
    coefficients: SymbolicCoefficients | None,
    symbols: tuple[Any, ...],
    tolerance: float,
) -> Found | None:
    """Formulas at one tolerance; None where the span is not made of functions we know."""
    times = time_functions(fields, samples, coefficients, symbols[0], tolerance)
    if not times:
        return None
    functions = dictionary_of(samples, coefficients, symbols, times, len(equations.unknowns), tolerance)
    if not functions:
        return None
    matrix, flat = _coefficients_in(functions, fields, samples, symbols)
    if np.linalg.matrix_rank(matrix, tol=1e-6) < fields.count:
        return None
    rows = sparse_rows(matrix, flat)
    refiner = None
    if coefficients is not None:
        scattered = np.random.default_rng(11).permutation(samples.points)
        refiner = Refiner(equations, coefficients, scattered)
    formulas, multipliers = [], []
    for k in range(fields.count):
        numbers = refiner and _refined(refiner, rows, k, flat, tolerance)
        numbers = numbers or _rounded(rows, k, flat, tolerance)
        found = _formula(equations, coefficients, numbers, flat, tolerance)
        formula, multiplier = found or (_unknown(k, symbols, fields.has_beta), 1.0)
        formulas.append(formula)
        multipliers.append(multiplier)
    return fields.mixed(rows.change / samples.norms[:, None] * np.array(multipliers)), tuple(formulas)


def _coefficients_in(
    dictionary: list[tuple[Any, ...]], fields: Fields, samples: Samples, symbols: tuple[Any, ...]
) -> tuple[Float[np.ndarray, "functions m"], list[tuple[int, Any, float]]]:
    """Coefficients of all generators, in units where every function has mean square one; and the functions."""
    parts, flat = [], []
    for component, functions in enumerate(dictionary):
        columns = evaluate(functions, symbols, samples.points)
        sizes = [float(np.sqrt(np.mean(column**2))) for column in columns]
        usable = independent(
            [column / size if size > 0 else column for column, size in zip(columns, sizes, strict=True)]
        )
        values = samples.values[:, :, :, component].reshape(fields.count, -1).T
        if usable:
            matrix = np.column_stack([columns[j] / sizes[j] for j in usable])
            parts.append(np.linalg.lstsq(matrix, values, rcond=1e-12)[0])
            scale = fields.basis.scales[component]
            flat += [(component, functions[j], sizes[j] / scale) for j in usable]
    return np.concatenate(parts), flat


def _refined(
    refiner: Refiner, rows: SparseRows, k: int, flat: list[tuple[int, Any, float]], tolerance: float
) -> dict[int, Any] | None:
    """Exact factors of the functions that a generator has, from the equations themselves; None where they fail."""
    weights = np.abs(rows.reduced[:, k])
    excluded = {pivot for pivot in rows.pivots if pivot != rows.pivots[k]}
    # what is in doubt may be there: the equations decide
    for least in (1e2 * tolerance, tolerance, 0.0):
        support = [j for j in range(len(flat)) if j not in excluded and (weights[j] > least or j == rows.pivots[k])]
        functions = [(flat[j][0], flat[j][1]) for j in support]
        if any(function.has(*_decimal()) for _, function in functions):
            return None
        exact = refiner.coefficients(functions, support.index(rows.pivots[k]))
        if exact is not None:
            return {j: number for j, number in zip(support, exact, strict=True) if number != 0}
    return None


def _decimal() -> tuple[Any, ...]:
    import sympy

    return (sympy.Float,)


def _rounded(rows: SparseRows, k: int, flat: list[tuple[int, Any, float]], tolerance: float) -> dict[int, Any]:
    """Factors as far as the numerical span knows them: exact where that leaves no doubt, decimals elsewhere."""
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
    flat: list[tuple[int, Any, float]],
    tolerance: float,
) -> tuple[Formula, float] | None:
    """One generator from its factors, and what made them integers; None where too many have no name."""
    import sympy

    decimals = sum(number.has(sympy.Float) for number in numbers.values())
    if decimals > MOST_DECIMALS:
        return None
    components: list[Any] = [sympy.Integer(0)] * len(equations.unknowns)
    for j, number in numbers.items():
        component, function, _ = flat[j]
        components[component] += number * function
    multiplier = sympy.ilcm(1, 1, *[n.q for n in numbers.values() if n.is_Rational])
    if multiplier > 64:
        multiplier = sympy.Integer(1)
    components = [_tidy(multiplier * component) for component in components]
    proved = not decimals and coefficients is not None and solves(equations, coefficients, components)
    n = equations.dimension
    beta = components[n + 1] if len(components) > n + 1 else sympy.Integer(0)
    status, error = ("proved", 0.0) if proved else ("consistent", tolerance)
    return Formula(components[0], tuple(components[1 : n + 1]), beta, status, error), float(multiplier)


def _tidy(expression: Any) -> Any:
    """Common exponentials in front."""
    import sympy

    # factors of polynomials with many digits are a search of their own
    if expression.has(sympy.Float) or not expression.has(sympy.exp) or sympy.count_ops(expression) > LARGEST_TIDY:
        return expression
    factored = sympy.factor_terms(sympy.factor(expression))
    return min((expression, factored), key=sympy.count_ops)


def _unknown(position: int, symbols: tuple[Any, ...], has_beta: bool) -> Formula:
    """A generator without a formula: named functions stand for its components."""
    import sympy

    number = position + 1
    xi = tuple(sympy.Function(f"xi_{number}_{symbol}")(*symbols) for symbol in symbols[1:])
    beta = sympy.Function(f"beta_{number}")(*symbols) if has_beta else sympy.Integer(0)
    return Formula(sympy.Function(f"tau_{number}")(symbols[0]), xi, beta, "numerical", 0.0)
