"""Closed forms of a span that is known with an error, as data give it: constants come with uncertainties.

Nothing can be proved here. A formula is *consistent* if it lies in the span within the stated error; its constants are
exact numbers only where these are simple and within the uncertainty.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Float

from liestonet.algebra.dictionary import spanning, terms_of
from liestonet.algebra.formula import Constant, Formula
from liestonet.algebra.functionspace import evaluate, independent
from liestonet.algebra.rates import Rate, find_rates, functions
from liestonet.algebra.separation import owners_of, separated
from liestonet.algebra.sparse import Functions, SparseRows, sparse_rows
from liestonet.algebra.timeshift import shift_rates
from liestonet.symmetry.fields import Fields

TIMES, STATES = 33, 200
DRAWS = 200
# A constant is zero, or an exact number, within this many uncertainties; a formula fits within as many errors.
WITHIN = 2.0
FITS = 3.0
# Bases and grids leave this error in a direction, however well it is known.
LEAST_ERROR = 3e-4
# Generators are independent of each other if no combination is smaller than this, or than ten errors.
LARGEST_TOLERANCE = 0.1
DENOMINATORS = (1, 2, 3, 4)
# Largest probability that a random number would be taken for a simple one.
CHANCE = 0.2


def find_uncertain_formulas(
    fields: Fields, symbols: tuple[Any, ...], error: float, turns: Float[np.ndarray, "s size m"] | None = None
) -> tuple[Fields, list[Formula | None]] | None:
    """A sparse basis and its formulas (None where one does not fit), or None where the functions are not known.

    `turns` are independent errors of the fields, as coefficients; without them all are equally likely to be off by
    `error`.
    """
    sampled = _Sampled(fields, error, turns)
    noise = sampled.noise
    rates = sampled.shift_rates() or _time_rates(sampled, noise)
    if rates is None:
        return None
    groups, constants = _time_functions(symbols[0], rates)
    times = list(dict.fromkeys(function for group in groups for function in group))
    dictionary = _dictionary(sampled, symbols, times, noise, error)
    if dictionary is None:
        return None
    values = {symbol: constant.value for symbol, constant in constants.items()}
    matrix, flat, gram, changes = _coefficients(sampled, dictionary, symbols, values)
    mixing = np.eye(fields.count)
    if rates[0].generators:
        owners = owners_of([function for _, function, _ in flat], groups, symbols[0])
        matrix, changes, mixing = separated(matrix, changes, owners, [rate.generators for rate in rates])
    if np.linalg.matrix_rank(matrix, tol=min(10 * error, LARGEST_TOLERANCE)) < fields.count:
        return None
    rows = sparse_rows(matrix, flat)
    scatter = _scatter(matrix, gram, changes, rows, error)
    formulas = []
    for k in range(fields.count):
        components, own = _rounded(rows.physical[:, k], scatter[:, k], flat, constants, sampled.values.shape[2])
        distance, allowed = _distance(sampled, components, own, symbols)
        formulas.append(_formula(components, own, len(symbols) - 1, allowed) if distance <= FITS * allowed else None)
    return fields.mixed(sampled.change @ mixing @ rows.change), formulas


class _Sampled:
    """An orthonormal basis of the span at equidistant times and scattered states, components in natural units."""

    def __init__(self, fields: Fields, error: float, turns: Float[np.ndarray, "s size m"] | None) -> None:
        domain = fields.basis.domain
        self.scales, self.count, self.error = fields.basis.scales, fields.count, error
        self.unit = float(domain.half[0])
        self.times = domain.centre[0] + domain.half[0] * np.linspace(-1, 1, TIMES)
        u = 2 * np.random.default_rng(7).random((STATES, domain.dimension)) - 1
        self.states = domain.centre[1:] + domain.half[1:] * u
        self.points = np.column_stack([np.repeat(self.times, STATES), np.tile(self.states, (TIMES, 1))])
        flat, slope = self._flat(fields)
        self.orthonormal, triangle = np.linalg.qr(flat)
        self.change = np.linalg.inv(triangle)
        self.slope = slope @ self.change
        # (time, state, component, generator), mean square of every generator one
        self.values = (self.orthonormal * np.sqrt(len(self.points))).reshape(TIMES, STATES, -1, fields.count)
        # errors of the orthonormal basis, one standard deviation each, and of its time derivative
        self.turns: list[tuple[np.ndarray, np.ndarray]] = []
        for turn in () if turns is None else turns:
            moved, derivative = (values @ self.change for values in self._flat(replace(fields, coefficients=turn)))
            within = self.orthonormal.T @ moved
            self.turns.append((moved - self.orthonormal @ within, derivative - self.slope @ within))

    def _flat(self, fields: Fields) -> tuple[np.ndarray, np.ndarray]:
        """Values and time derivatives of generators as columns whose lengths are root mean squares."""
        jets = fields.components(self.points, [(), (0,)])
        root = np.sqrt(len(self.points))
        values, slope = ((jets[d] / self.scales).reshape(fields.count, -1).T / root for d in ((), (0,)))
        return values, slope

    @property
    def noise(self) -> float:
        """Root mean square error of all of the basis together."""
        if not self.turns:
            return self.error * np.sqrt(self.count)
        return max(float(np.sqrt(sum(np.sum(moved**2) for moved, _ in self.turns))), self.error / 10)

    def located(self, field: Float[np.ndarray, "b components"]) -> tuple[float, Float[np.ndarray, " m"], float]:
        """Sine of the angle between a field and the span, where in the span it is, and how well that is known."""
        vector = (field / self.scales).ravel()
        vector = vector / np.linalg.norm(vector)
        inside = self.orthonormal.T @ vector
        distance = float(np.linalg.norm(vector - self.orthonormal @ inside))
        if not self.turns:
            return distance, inside, self.error
        known = float(np.sqrt(sum(np.sum((moved @ inside) ** 2) for moved, _ in self.turns)))
        return distance, inside, max(known, LEAST_ERROR)

    def shift_rates(self) -> list[Rate] | None:
        """Rates by what ∂t does to the span, if it is in it and the errors are known."""
        field = np.zeros((len(self.points), len(self.scales)))
        field[:, 0] = 1.0
        distance, inside, known = self.located(field)
        if not self.turns or distance > FITS * known:
            return None
        first = inside[:, None] / np.linalg.norm(inside)
        basis = np.concatenate([first, np.linalg.svd(first, full_matrices=True)[0][:, 1:]], axis=1)
        matrix = self.orthonormal.T @ self.slope
        changes = [moved.T @ self.slope + self.orthonormal.T @ derivative for moved, derivative in self.turns]
        return shift_rates(basis.T @ matrix @ basis, basis.T @ np.array(changes) @ basis, self.unit)


def simple_number(value: float, uncertainty: float) -> Any:
    """The simple fraction within the uncertainty, if few enough are near that this says something; else None."""
    import sympy

    near = max(WITHIN * uncertainty, 1e-9)
    for denominator in DENOMINATORS:
        numerator = round(value * denominator)
        if abs(numerator / denominator - value) <= near:
            return sympy.Rational(numerator, denominator) if 2 * near * denominator**2 < CHANCE else None
    return None


def _time_rates(sampled: _Sampled, noise: float) -> list[Rate] | None:
    """Rates of all that happens in time."""
    table = sampled.values.reshape(TIMES, -1) / np.sqrt(TIMES * STATES)
    left, sizes, _ = np.linalg.svd(table, full_matrices=False)
    kept = sizes > WITHIN * noise
    return find_rates(sampled.times, left[:, kept], sizes[kept], noise)


def _time_functions(t: Any, rates: list[Rate]) -> tuple[list[list[Any]], dict[Any, Constant]]:
    """SymPy functions of time, rate by rate; constants without an exact form are symbols, with their values beside."""
    import sympy

    constants: dict[Any, Constant] = {}

    def exact(value: float, uncertainty: float) -> Any:
        simple = simple_number(value, uncertainty)
        if simple is not None:
            return simple
        symbol = sympy.Symbol(f"k{len(constants) + 1}", real=True)
        constants[symbol] = Constant(symbol, value, uncertainty)
        return symbol

    triples = [(exact(r.decay, r.uncertainty), exact(r.turn, r.turn_uncertainty), r.multiplicity) for r in rates]
    return [functions(t, [triple]) for triple in triples], constants


def _dictionary(
    sampled: _Sampled, symbols: tuple[Any, ...], times: list[Any], noise: float, error: float
) -> list[list[Any]] | None:
    """Functions of time times functions of state, component by component."""
    from liestonet.algebra.blocks import general_blocks, real_blocks

    state = symbols[1:]
    general = real_blocks([*state, *(block for x in state for block in general_blocks(x))], state, sampled.states)
    choices = [(list(state), 1), (list(state), 2), (list(state), 3), (general, 1), (general, 2)]
    found = [list(times)]
    for component in range(1, sampled.values.shape[2]):
        table = np.moveaxis(sampled.values[:, :, component], 1, 0).reshape(STATES, -1) / np.sqrt(TIMES * STATES)
        left, sizes, _ = np.linalg.svd(table, full_matrices=False)
        space = left[:, sizes > WITHIN * noise]
        chosen = spanning(space, choices, state, sampled.states, [FITS * error, 3 * FITS * error])
        if chosen is None:
            return None
        found.append(terms_of([f * g for f in times for g in chosen], symbols))
    return found


def _coefficients(
    sampled: _Sampled, dictionary: list[list[Any]], symbols: tuple[Any, ...], values: dict[Any, float]
) -> tuple[np.ndarray, Functions, np.ndarray, np.ndarray]:
    """Coefficients in functions of mean square one, these, the inverse root of their Gram matrix, and the errors."""
    from scipy.linalg import block_diag

    parts, roots, turns = [], [], [moved for moved, _ in sampled.turns]
    flat: Functions = []
    for component, entries in enumerate(dictionary):
        columns = evaluate([entry.subs(values) for entry in entries], symbols, sampled.points)
        sizes = [float(np.sqrt(np.mean(column**2))) for column in columns]
        units = [column / size if size > 0 else column for column, size in zip(columns, sizes, strict=True)]
        usable = independent(units)
        if usable:
            matrix = np.column_stack([units[j] for j in usable])
            shape, root = (len(matrix), -1, sampled.count), np.sqrt(len(matrix))
            targets = [root * moved.reshape(shape)[:, component] for moved in (sampled.orthonormal, *turns)]
            parts.append(np.linalg.lstsq(matrix, np.concatenate(targets, axis=1), rcond=1e-12)[0])
            roots.append(np.linalg.inv(np.linalg.qr(matrix / np.sqrt(len(matrix)))[1]))
            flat += [(component, entries[j], sizes[j] / sampled.scales[component]) for j in usable]
    stacked = np.concatenate(parts).reshape(len(flat), -1, sampled.count)
    return stacked[:, 0], flat, np.asarray(block_diag(*roots)), np.moveaxis(stacked[:, 1:], 1, 0)


def _scatter(
    matrix: Float[np.ndarray, "functions m"],
    root: np.ndarray,
    changes: Float[np.ndarray, "s functions m"],
    rows: SparseRows,
    error: float,
) -> Float[np.ndarray, "functions m"]:
    """Uncertainty of every factor in the sparse basis: the same reduction of spans that differ by the errors."""
    rng = np.random.default_rng(5)
    draws = []
    for _ in range(DRAWS):
        if len(changes):
            other = matrix + np.tensordot(rng.standard_normal(len(changes)), changes, axes=1)
        else:
            other = matrix + error * root @ rng.standard_normal(matrix.shape)
        draws.append(other @ np.linalg.inv(other[rows.pivots]))
    units = np.abs(rows.physical) / np.maximum(np.abs(rows.reduced), np.finfo(float).tiny)
    return np.hypot(np.std(draws, axis=0), LEAST_ERROR) * units


def _rounded(
    values: Float[np.ndarray, " functions"],
    scatter: Float[np.ndarray, " functions"],
    flat: Functions,
    rates: dict[Any, Constant],
    count: int,
) -> tuple[list[Any], dict[Any, Constant]]:
    """Components of one generator: factors that may be zero left out, simple ones exact, others as symbols."""
    import sympy

    components: list[Any] = [sympy.Integer(0)] * count
    constants = dict(rates)
    for (component, function, _), value, uncertainty in zip(flat, values.tolist(), scatter.tolist(), strict=True):
        if abs(value) <= FITS * uncertainty:
            continue
        number = simple_number(value, uncertainty)
        if number is None:
            number = sympy.Symbol(f"c{len(constants) - len(rates) + 1}", real=True)
            constants[number] = Constant(number, value, uncertainty)
        components[component] += number * function
    used = set().union(*(component.free_symbols for component in components))
    return components, {symbol: constant for symbol, constant in constants.items() if symbol in used}


def _distance(
    sampled: _Sampled, components: list[Any], constants: dict[Any, Constant], symbols: tuple[Any, ...]
) -> tuple[float, float]:
    """How far a formula is from the span, and how well the span is known there."""
    values = {symbol: constant.value for symbol, constant in constants.items()}
    columns = evaluate([component.subs(values) for component in components], symbols, sampled.points)
    field = np.column_stack(columns)
    if not np.any(field):
        return np.inf, sampled.error
    distance, _, known = sampled.located(field)
    return distance, known


def _formula(components: list[Any], constants: dict[Any, Constant], dimension: int, error: float) -> Formula:
    import sympy

    beta = components[dimension + 1] if len(components) > dimension + 1 else sympy.Integer(0)
    xi = tuple(components[1 : dimension + 1])
    return Formula(components[0], xi, beta, "consistent", error, tuple(constants.values()))
