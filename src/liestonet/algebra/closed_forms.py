"""From a numerical span of generators to formulas: a sparse basis with exact constants, put back into the equations.

The span is looked at in time alone and in the coordinates alone; simple functions that lie in these spaces make a small
dictionary, in which the generators have few coefficients. Row reduction makes them simple numbers, and SymPy decides
whether the formula solves the determining equations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from liestonet.algebra.blocks import general_blocks, products, state_blocks, time_blocks
from liestonet.algebra.constants import recognise
from liestonet.algebra.functionspace import evaluate, members, orthonormal_span
from liestonet.symmetry.equations import Equations
from liestonet.symmetry.fields import Fields

if TYPE_CHECKING:
    from liestonet.sde.symbolic import SymbolicCoefficients

TIMES, STATES = 28, 240
LARGEST_DICTIONARY = 5000
# A formula with more constants than this that are no simple numbers explains nothing.
MOST_DECIMALS = 4
# A span less well known than this fits too many formulas.
LARGEST_TOLERANCE = 1e-2
# Larger expressions are not simplified: that may take for ever.
LARGEST_PROOF = 3000


@dataclass(frozen=True)
class Formula:
    """One generator in closed form.

    `status` is "proved" (SymPy puts it into the determining equations and gets zero), "consistent" (it fits within the
    stated error) or "numerical" (no formula was found; τ, ξ and β are then named functions without one).
    """

    tau: Any
    xi: tuple[Any, ...]
    beta: Any
    status: str
    error: float


@dataclass(frozen=True)
class SparseRows:
    """Coefficients in a sparse basis: `reduced` in units of the functions' mean squares, `physical` of themselves.

    `change` takes the old (unit-length) generators to the new ones.
    """

    physical: Float[np.ndarray, "functions m"]
    reduced: Float[np.ndarray, "functions m"]
    change: Float[np.ndarray, "m m"]


class Samples:
    """Values of the generators at a grid of times and scattered states, each component in its natural units."""

    def __init__(self, fields: Fields) -> None:
        domain = fields.basis.domain
        s = np.cos(np.pi * (np.arange(TIMES) + 0.5) / TIMES)
        self.times = domain.centre[0] + domain.half[0] * s
        u = 2 * np.random.default_rng(7).random((STATES, domain.dimension)) - 1
        self.states = domain.centre[1:] + domain.half[1:] * u
        grid = np.column_stack([np.repeat(self.times, STATES), np.tile(self.states, (TIMES, 1))])
        self.points = grid
        values = fields.components(grid, [()])[()] / fields.basis.scales
        norms = np.sqrt(np.mean(np.sum(values**2, axis=2), axis=1))
        # (generator, time, state, component)
        self.values = (values / norms[:, None, None]).reshape(fields.count, TIMES, STATES, -1)
        self.norms = norms

    def time_space(self, tolerance: float) -> Float[np.ndarray, "times k"]:
        """All functions of time that occur at fixed states."""
        return orthonormal_span(np.moveaxis(self.values, 1, 0).reshape(TIMES, -1), tolerance)

    def state_space(self, component: int, tolerance: float) -> Float[np.ndarray, "states k"]:
        """All functions of state that occur in a component at fixed times."""
        columns = np.moveaxis(self.values[:, :, :, component], 2, 0).reshape(STATES, -1)
        if np.abs(columns).max(initial=0.0) < tolerance:
            return np.zeros((STATES, 0))
        return orthonormal_span(columns, tolerance)


def find_formulas(
    fields: Fields,
    equations: Equations,
    coefficients: SymbolicCoefficients | None,
    names: tuple[str, ...],
    error: float,
) -> tuple[Fields, tuple[Formula, ...]]:
    """A readable basis of the span and its formulas, generator by generator in the same order.

    `coefficients` suggest functions and let formulas be proved; without them only ordinary functions are tried and
    nothing is proved. `error` is the relative error of the span. Where no formulas are found the fields come back as
    they were.
    """
    import sympy

    tolerance = max(30 * error, 1e-8)
    symbols = tuple(sympy.Symbol(name, real=True) for name in ("t", *names))
    if not fields.count:
        return fields, ()
    unknown = fields, tuple(_unknown(i, symbols, fields.has_beta) for i in range(fields.count))
    if tolerance > LARGEST_TOLERANCE:
        return unknown
    samples = Samples(fields)
    times = _time_functions(fields, samples, coefficients, symbols[0], tolerance)
    dictionary = times and _dictionary(samples, coefficients, symbols, times, len(equations.unknowns), tolerance)
    if not dictionary:
        return unknown
    matrix, flat = _coefficients_in(dictionary, fields, samples, symbols)
    if np.linalg.matrix_rank(matrix, tol=1e-6) < fields.count:
        return unknown
    rows = _sparse_rows(matrix, flat)
    formulas, multipliers = [], []
    for k in range(fields.count):
        found = _formula(equations, coefficients, rows.physical[:, k], rows.reduced[:, k], flat, tolerance)
        formula, multiplier = found or (_unknown(k, symbols, fields.has_beta), 1.0)
        formulas.append(formula)
        multipliers.append(multiplier)
    return fields.mixed(rows.change / samples.norms[:, None] * np.array(multipliers)), tuple(formulas)


def _time_functions(
    fields: Fields, samples: Samples, coefficients: SymbolicCoefficients | None, t: Any, tolerance: float
) -> list[Any] | None:
    """Functions that span all that happens in time; None where none are found."""
    exponentials = _exponentials(fields, samples, t, tolerance)
    if exponentials is not None:
        choices = [(exponentials, 1)]
    else:
        blocks = general_blocks(t) if coefficients is None else time_blocks(coefficients)
        choices = [(blocks, degree) for degree in (1, 2, 3, 4)]
    return _spanning(samples.time_space(tolerance), choices, (t,), samples.times[:, None], tolerance)


def _exponentials(fields: Fields, samples: Samples, t: Any, tolerance: float) -> list[Any] | None:
    """t^k e^{λt} (cos ωt, sin ωt), where the span maps into itself under ∂t; None where it does not."""
    import sympy

    jets = fields.components(samples.points[:: max(1, len(samples.points) // 2000)], [(), (0,)])
    values, slopes = ((jets[d] / fields.basis.scales).reshape(fields.count, -1).T / samples.norms for d in ((), (0,)))
    matrix = np.linalg.lstsq(values, slopes, rcond=None)[0]
    half = fields.basis.domain.half[0]
    if half * np.linalg.norm(slopes - values @ matrix) > 1e3 * tolerance * np.linalg.norm(values):
        return None
    rates = np.linalg.eigvals(matrix)
    functions = []
    for k, rate in _with_multiplicity(rates, half):
        # a rate that belongs to a Jordan block of size k is known to the k-th root of the error only
        decay, turn = (_constant(part, 100 * tolerance / half) for part in (rate.real, abs(rate.imag)))
        envelope = sympy.exp(decay * t)
        waves = [sympy.cos(turn * t), sympy.sin(turn * t)] if turn != 0 else [sympy.Integer(1)]
        functions += [t**power * envelope * wave for power in range(k) for wave in waves]
    return sorted(dict.fromkeys(functions), key=lambda e: (sympy.count_ops(e), str(e)))


def _with_multiplicity(rates: np.ndarray, half: float) -> list[tuple[int, complex]]:
    """Clusters of eigenvalues: how many, and their mean, which is far more accurate than each."""
    clusters: list[list[complex]] = []
    for rate in sorted(rates.tolist(), key=lambda z: (z.real, z.imag)):
        near = [c for c in clusters if abs(np.mean(c) - rate) * half < 0.02]
        near[0].append(rate) if near else clusters.append([rate])
    return [(len(cluster), complex(np.mean(cluster))) for cluster in clusters]


def _constant(value: float, error: float) -> Any:
    """The exact constant, or the decimal where there is none."""
    import sympy

    exact = recognise(float(value), error)
    return sympy.Float(value) if exact is None else exact


def _dictionary(
    samples: Samples,
    coefficients: SymbolicCoefficients | None,
    symbols: tuple[Any, ...],
    times: list[Any],
    components: int,
    tolerance: float,
) -> list[tuple[Any, ...]] | None:
    """Functions of time times functions of state, component by component; None where a component has none."""
    import sympy

    functions: list[tuple[Any, ...]] = [tuple(times)]
    for component in range(1, components):
        space = samples.state_space(component, tolerance)
        choices = _state_choices(coefficients, symbols[1:], component == len(symbols))
        chosen = _spanning(space, choices, symbols[1:], samples.states, tolerance)
        if chosen is None:
            return None
        functions.append(tuple(sympy.expand(f * g) for f in times for g in chosen))
    return functions


def _state_choices(
    coefficients: SymbolicCoefficients | None, state: tuple[Any, ...], density: bool
) -> list[tuple[list[Any], int]]:
    """Building blocks for functions of state and the degree of their products, from few to many."""
    own = list(state) if coefficients is None else state_blocks(coefficients, density)
    general = list(dict.fromkeys(own + [block for x in state for block in general_blocks(x)]))
    return [(own, 2), (own, 3), (general, 2)]


def _spanning(
    space: np.ndarray,
    choices: list[tuple[list[Any], int]],
    symbols: tuple[Any, ...],
    points: np.ndarray,
    tolerance: float,
) -> list[Any] | None:
    """Few products of blocks that span a space of functions: close fits before loose ones, single ones before sums."""
    import sympy

    if not space.shape[1]:
        return []
    candidates = [_candidates(blocks, degree, symbols, points) for blocks, degree in choices]
    # the error is often far smaller than stated, and what agrees to more digits is more likely the truth
    finer = [level for level in (1e-9, 1e-7, 1e-5) if level < 10 * tolerance]
    for level in [*finer, 10 * tolerance]:
        for longest in (1, 2, 3):
            for (blocks, _), (factors, columns) in zip(choices, candidates, strict=True):
                found = members(space, columns, longest, level)
                if found is not None:
                    return [sympy.Mul(*(blocks[factor] for factor in factors[j])) for j in found]
    return None


def _candidates(
    blocks: list[Any], degree: int, symbols: tuple[Any, ...], points: np.ndarray
) -> tuple[list[tuple[int, ...]], list[np.ndarray]]:
    """Products of blocks, as positions and as values at the points."""
    values = np.column_stack([np.ones(len(points)), *evaluate(blocks, symbols, points)])
    factors = products(blocks, degree)[:LARGEST_DICTIONARY]
    return factors, [np.prod(values[:, [0, *(j + 1 for j in choice)]], axis=1) for choice in factors]


def _coefficients_in(
    dictionary: list[tuple[Any, ...]], fields: Fields, samples: Samples, symbols: tuple[Any, ...]
) -> tuple[Float[np.ndarray, "functions m"], list[tuple[int, Any, float]]]:
    """Coefficients of all generators, in units where every function has mean square one; and the functions."""
    parts, flat = [], []
    for component, functions in enumerate(dictionary):
        columns = evaluate(functions, symbols, samples.points)
        sizes = [float(np.sqrt(np.mean(column**2))) for column in columns]
        usable = [j for j, size in enumerate(sizes) if size > 0]
        values = samples.values[:, :, :, component].reshape(fields.count, -1).T
        if usable:
            matrix = np.column_stack([columns[j] / sizes[j] for j in usable])
            parts.append(np.linalg.lstsq(matrix, values, rcond=1e-12)[0])
            scale = fields.basis.scales[component]
            flat += [(component, functions[j], sizes[j] / scale) for j in usable]
    return np.concatenate(parts), flat


def _sparse_rows(matrix: Float[np.ndarray, "functions m"], flat: list[tuple[int, Any, float]]) -> SparseRows:
    """Row-reduce the coefficients: every generator has one function, with coefficient 1, that no other has."""
    pivots = _pivots(matrix, flat)
    change = np.linalg.inv(matrix[pivots])
    reduced = matrix @ change
    sizes = np.array([size for _, _, size in flat])
    return SparseRows(reduced / sizes[:, None] * sizes[pivots], reduced, change * sizes[pivots])


def _pivots(matrix: Float[np.ndarray, "functions m"], flat: list[tuple[int, Any, float]]) -> list[int]:
    """One function per generator that it alone will have: time first, then simple ones."""
    import sympy

    order = sorted(range(len(flat)), key=lambda j: (sympy.count_ops(flat[j][1]), flat[j][0], str(flat[j][1])))
    span = np.linalg.qr(matrix)[0]
    remaining, pivots, threshold = np.eye(span.shape[1]), [], 0.05
    while remaining.shape[1]:
        for row in order:
            projection = span[row] @ remaining
            if np.linalg.norm(projection) > threshold:
                pivots.append(row)
                remaining = remaining @ np.linalg.svd(projection[None, :], full_matrices=True)[2][1:].T
            if not remaining.shape[1]:
                break
        threshold /= 4
    return pivots


def _formula(
    equations: Equations,
    coefficients: SymbolicCoefficients | None,
    physical: Float[np.ndarray, " functions"],
    reduced: Float[np.ndarray, " functions"],
    flat: list[tuple[int, Any, float]],
    tolerance: float,
) -> tuple[Formula, float] | None:
    """One generator from its numbers, and the factor that made them integers; None where too many have no name."""
    import sympy

    components: list[Any] = [sympy.Integer(0)] * len(equations.unknowns)
    numbers: list[Any] = []
    for (component, function, _), value, weight in zip(flat, physical, reduced, strict=True):
        if abs(weight) <= 1e2 * tolerance:
            continue
        number = _constant(float(value), 1e2 * tolerance * abs(value / weight))
        numbers.append(number)
        components[component] += number * function
    multiplier = sympy.ilcm(1, 1, *[n.q for n in numbers if n.is_Rational])
    if multiplier > 64:
        multiplier = sympy.Integer(1)
    components = [_tidy(multiplier * component) for component in components]
    decimals = sum(number.has(sympy.Float) for number in numbers)
    if decimals > MOST_DECIMALS:
        return None
    proved = not decimals and coefficients is not None and _solves(equations, coefficients, components)
    n = equations.dimension
    beta = components[n + 1] if len(components) > n + 1 else sympy.Integer(0)
    status, error = ("proved", 0.0) if proved else ("consistent", tolerance)
    return Formula(components[0], tuple(components[1 : n + 1]), beta, status, error), float(multiplier)


def _solves(equations: Equations, coefficients: SymbolicCoefficients, components: list[Any]) -> bool:
    """Whether SymPy shows that the determining equations hold."""
    return all(is_zero(residual) for residual in equations.residuals(coefficients, components))


def _tidy(expression: Any) -> Any:
    """Common exponentials in front."""
    import sympy

    factored: Any = sympy.factor(expression)
    factored = sympy.factor_terms(factored) if expression.has(sympy.exp) else expression
    return min((expression, factored), key=sympy.count_ops)


def is_zero(expression: Any) -> bool:
    """Whether SymPy can show that an expression vanishes identically; it is not asked where numbers say no."""
    import sympy

    if expression == 0:
        return True
    if not _vanishes_numerically(expression) or sympy.count_ops(expression) > LARGEST_PROOF:
        return False
    for step in (sympy.expand, sympy.simplify, lambda e: sympy.simplify(sympy.expand(e.rewrite(sympy.exp)))):
        if step(expression) == 0:
            return True
    return False


def _vanishes_numerically(expression: Any) -> bool:
    """Thirty digits at one point tell a zero from nearly everything else, at no cost."""
    import sympy

    symbols = sorted(expression.free_symbols, key=str)
    point = {symbol: sympy.Rational(7 + 2 * k, 11 + 3 * k) for k, symbol in enumerate(symbols)}
    value = expression.evalf(30, subs=point)
    return not value.is_number or bool(abs(value) < 1e-20)


def _unknown(position: int, symbols: tuple[Any, ...], has_beta: bool) -> Formula:
    """A generator without a formula: named functions stand for its components."""
    import sympy

    number = position + 1
    xi = tuple(sympy.Function(f"xi_{number}_{symbol}")(*symbols) for symbol in symbols[1:])
    beta = sympy.Function(f"beta_{number}")(*symbols) if has_beta else sympy.Integer(0)
    return Formula(sympy.Function(f"tau_{number}")(symbols[0]), xi, beta, "numerical", 0.0)
