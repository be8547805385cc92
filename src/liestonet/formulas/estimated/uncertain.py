"""Closed forms of a span estimated from data: their constants have uncertainties.

Nothing can be proved here. A formula is *consistent* if it lies in the span within the stated error; a constant is
given as an exact number only if this is simple and within the uncertainty (docs/method.md §10.2).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Float

from liestonet.formulas.dictionary import spanning, terms_of
from liestonet.formulas.estimated.closing import Closing, not_closing
from liestonet.formulas.estimated.rates import Rate, find_rates, functions
from liestonet.formulas.estimated.separation import owners_of, separated
from liestonet.formulas.estimated.simple_numbers import simple_number, simple_rates
from liestonet.formulas.estimated.timeshift import shift_rates
from liestonet.formulas.estimated.tuning import ESTIMATED
from liestonet.formulas.formula import Constant, Formula
from liestonet.formulas.functionspace import evaluate, independent
from liestonet.formulas.notation import constant_name
from liestonet.formulas.sparse import Functions, SparseRows, sparse_rows
from liestonet.formulas.waves import coordinate_blocks, plain_blocks
from liestonet.symmetry.determining.fields import Fields, readable_basis

# Functions of time, 1 and t, used for a part of a span if those of the whole are not known.
PLAIN_TIME = Rate(0.0, 0.0, 2)


def find_uncertain_formulas(
    fields: Fields, symbols: tuple[Any, ...], error: float, turns: Float[np.ndarray, "s size m"] | None = None
) -> tuple[Fields, list[Formula | None]] | None:
    """A sparse basis and its formulas (None for a generator that none fits), or None if no functions fit.

    `turns` are independent errors of the fields, as coefficients; without them every direction has the error `error`.
    Several sets of functions may be consistent with a span that has an error. The most likely rates are chosen for
    which all formulas fit and their brackets close; if there are none, those with the most formulas. Of functions of
    state that fit equally well, those whose brackets close best are chosen. If no functions contain the whole span,
    the part that consists of constants and linear functions gets formulas.
    """
    sampled = _Sampled(fields, error, turns)
    best: _Found | None = None
    source, seen = _state_functions(sampled, symbols, error), []
    for rates in sampled.rates():
        tried = (ESTIMATED.fits, ESTIMATED.sparing)
        attempts = ((states, least) for states in _remembered(source, seen) for least in tried)
        for states, least in attempts:
            found = _in_functions(sampled, rates, states, symbols, error, least)
            if found is not None and (best is None or found.merit > best.merit):
                best = found
            if best is not None and best.merit == (fields.count, 0.0):
                break
        if best is not None and best.count == fields.count:
            break
    if best is None or not best.count:
        best = _in_part(fields, turns, sampled, symbols, error)
    if best is None or not best.count:
        return None
    return told_apart(fields.mixed(sampled.change @ best.mixing), best.formulas), best.formulas


def _remembered(source: Iterator[list[list[Any]]], seen: list[list[list[Any]]]) -> Iterator[list[list[Any]]]:
    """Yield the items already taken from a source, then its remaining ones, which are recorded as well."""
    yield from tuple(seen)
    for item in source:
        seen.append(item)
        yield item


@dataclass(frozen=True)
class _Found:
    """A mixing matrix of the orthonormal basis, formulas of the mixed generators, and how well their brackets close."""

    mixing: Float[np.ndarray, "m m"]
    formulas: list[Formula | None]
    excess: float

    @property
    def count(self) -> int:
        return sum(formula is not None for formula in self.formulas)

    @property
    def merit(self) -> tuple[int, float]:
        """The rank of a result: the number of formulas, then how well brackets close."""
        return self.count, -self.excess


def told_apart(fields: Fields, formulas: list[Formula | None]) -> Fields:
    """The fields with those without a formula made orthogonal to those with one, so that first terms differ."""
    known = np.array([formula is not None for formula in formulas])
    if known.all():
        return fields
    coefficients = fields.coefficients.copy()
    those, others = coefficients[:, known], coefficients[:, ~known]
    rest = others - those @ np.linalg.lstsq(those, others, rcond=None)[0]
    coefficients[:, ~known] = readable_basis(replace(fields, coefficients=rest)).coefficients
    return replace(fields, coefficients=coefficients)


def _in_functions(
    sampled: _Sampled, rates: list[Rate], states: list[list[Any]], symbols: tuple[Any, ...], error: float, least: float
) -> _Found | None:
    """A sparse basis in given functions and its formulas, None for those that do not fit or do not close.

    Factors below `least` standard errors are left out.
    """
    groups, constants = _time_functions(symbols[0], rates)
    dictionary = _dictionary(groups, states, symbols)
    values = {symbol: constant.value for symbol, constant in constants.items()}
    matrix, flat, gram, changes = _coefficients(sampled, dictionary, symbols, values)
    mixing = np.eye(sampled.count)
    if rates[0].generators:
        owners = owners_of([function for _, function, _ in flat], groups, symbols[0])
        matrix, changes, mixing = separated(matrix, changes, owners, [rate.generators for rate in rates])
    dependent = min(ESTIMATED.independent_errors * error, ESTIMATED.largest_tolerance)
    if np.linalg.matrix_rank(matrix, tol=dependent) < sampled.count:
        return None
    rows = sparse_rows(matrix, flat)
    scatter = _scatter(matrix, gram, changes, rows, error)
    formulas: list[Formula | None] = []
    numbers, places = rows.physical.copy(), np.zeros((sampled.count, sampled.count))
    for k in range(sampled.count):
        seen = np.abs(rows.physical[:, k]) > least * scatter[:, k]
        components, own, rounded = _rounded(
            np.where(seen, rows.physical[:, k], 0.0), scatter[:, k], flat, constants, sampled.values.shape[2]
        )
        distance, allowed, places[:, k] = _distance(sampled, components, own, symbols)
        fits = distance <= ESTIMATED.fits * allowed and allowed <= ESTIMATED.largest_tolerance
        formulas.append(_formula(components, own, len(symbols) - 1, allowed) if fits else None)
        if formulas[k] is not None:
            numbers[:, k] = rounded
    for k in _repeated(places, formulas, dependent):
        formulas[k] = None
    closing = Closing(flat, symbols, constants, sampled.points, sampled.scales)
    present = [formula is not None for formula in formulas]
    # factors left out are exactly zero, not unknown: else errors of nearly parallel functions would compensate
    excess = closing.excess(numbers, np.where(numbers, scatter, 0.0))
    lengths = np.count_nonzero(numbers, axis=0).tolist()
    for k in not_closing(excess, present, lengths, ESTIMATED.fits):
        formulas[k] = None
    kept = [k for k, formula in enumerate(formulas) if formula is not None]
    return _Found(mixing @ rows.change, formulas, float(excess[np.ix_(kept, kept)].max(initial=0.0)))


def _repeated(places: Float[np.ndarray, "m m"], formulas: list[Formula | None], dependent: float) -> Iterator[int]:
    """Positions of formulas that repeat others with fewer symbols, because terms that distinguish them were left out.

    The columns of `places` are their coordinates in the span.
    """
    symbols = {
        k: len(set().union(*(part.free_symbols for part in (formula.tau, *formula.xi))))
        for k, formula in enumerate(formulas)
        if formula is not None
    }
    kept: list[int] = []
    for k in sorted(symbols, key=lambda place: symbols[place]):
        before, own = places[:, kept], places[:, k]
        rest = own - before @ np.linalg.lstsq(before, own, rcond=None)[0] if kept else own
        if np.linalg.norm(rest) <= dependent * np.linalg.norm(own):
            yield k
        else:
            kept.append(k)


def _dictionary(groups: list[list[Any]], states: list[list[Any]], symbols: tuple[Any, ...]) -> list[list[Any]]:
    """Functions for every component: those of time for τ, products of time and state for the others."""
    times = list(dict.fromkeys(function for group in groups for function in group))
    return [times, *(terms_of([f * g for f in times for g in chosen], symbols) for chosen in states)]


def _in_part(
    fields: Fields,
    turns: Float[np.ndarray, "s size m"] | None,
    sampled: _Sampled,
    symbols: tuple[Any, ...],
    error: float,
) -> _Found | None:
    """Formulas of the part of a span made of constants and linear functions: translations, rotations, scalings."""
    import sympy

    ordinary = [x for v, x in enumerate(symbols) if v > 0 and v not in fields.basis.domain.periodic]
    rates, states = [PLAIN_TIME], [[sympy.Integer(1), *ordinary]] * (len(sampled.scales) - 1)
    dictionary = _dictionary(_time_functions(symbols[0], rates)[0], states, symbols)
    turned, sines = _sines(sampled, dictionary, symbols)
    inside = sines <= ESTIMATED.fits * np.array([sampled.known(direction) for direction in turned.T])
    if not inside.any() or inside.all():
        return None
    change = sampled.change @ turned[:, inside]
    part = _Sampled(fields.mixed(change), error, None if turns is None else turns @ change)
    found = _in_functions(part, rates, states, symbols, error, ESTIMATED.fits)
    if found is None:
        return None
    mixing = np.concatenate([turned[:, inside] @ part.change @ found.mixing, turned[:, ~inside]], axis=1)
    return _Found(mixing, [*found.formulas, *[None] * int(np.count_nonzero(~inside))], found.excess)


def _sines(
    sampled: _Sampled, dictionary: list[list[Any]], symbols: tuple[Any, ...]
) -> tuple[Float[np.ndarray, "m m"], Float[np.ndarray, " m"]]:
    """Directions of the span, and the sines of their angles to the space of fields with components in a dictionary."""
    missed = sampled.orthonormal.reshape(len(sampled.points), -1, sampled.count).copy()
    for component, entries in enumerate(dictionary):
        columns = np.column_stack(evaluate(entries, symbols, sampled.points))
        basis = np.linalg.svd(columns / np.linalg.norm(columns, axis=0), full_matrices=False)[0]
        missed[:, component] -= basis @ (basis.T @ missed[:, component])
    _, sines, turned = np.linalg.svd(missed.reshape(-1, sampled.count), full_matrices=False)
    return turned.T, sines


class _Sampled:
    """An orthonormal basis of the span at equidistant times and scattered states, components in natural units."""

    def __init__(self, fields: Fields, error: float, turns: Float[np.ndarray, "s size m"] | None) -> None:
        domain = self.domain = fields.basis.domain
        self.scales, self.count, self.error = fields.basis.scales, fields.count, error
        self.unit = float(domain.half[0])
        self.times = domain.centre[0] + domain.half[0] * np.linspace(-1, 1, ESTIMATED.times)
        u = 2 * np.random.default_rng(7).random((ESTIMATED.states, domain.dimension)) - 1
        self.states = domain.centre[1:] + domain.half[1:] * u
        times, states = ESTIMATED.times, ESTIMATED.states
        self.points = np.column_stack([np.repeat(self.times, states), np.tile(self.states, (times, 1))])
        flat, slope = self._flat(fields)
        self.orthonormal, triangle = np.linalg.qr(flat)
        self.change = np.linalg.inv(triangle)
        self.slope = slope @ self.change
        # (time, state, component, generator), mean square of every generator one
        self.values = (self.orthonormal * np.sqrt(len(self.points))).reshape(times, states, -1, fields.count)
        # errors of the orthonormal basis, one standard deviation each, and of its time derivative
        self.turns: list[tuple[np.ndarray, np.ndarray]] = []
        for turn in () if turns is None else turns:
            moved, derivative = (values @ self.change for values in self._flat(replace(fields, coefficients=turn)))
            within = self.orthonormal.T @ moved
            self.turns.append((moved - self.orthonormal @ within, derivative - self.slope @ within))

    def _flat(self, fields: Fields) -> tuple[np.ndarray, np.ndarray]:
        """Values and time derivatives of generators as columns, scaled so that their lengths are root mean squares."""
        jets = fields.components(self.points, [(), (0,)])
        root = np.sqrt(len(self.points))
        values, slope = ((jets[d] / self.scales).reshape(fields.count, -1).T / root for d in ((), (0,)))
        return values, slope

    @property
    def noise(self) -> float:
        """Root mean square error of the whole basis."""
        if not self.turns:
            return self.error * np.sqrt(self.count)
        return max(float(np.sqrt(sum(np.sum(moved**2) for moved, _ in self.turns))), self.error / 10)

    def located(self, field: Float[np.ndarray, "b components"]) -> tuple[float, Float[np.ndarray, " m"], float]:
        """Sine of the angle between a field and the span, its coordinates there, and the error of the span there."""
        vector = (field / self.scales).ravel()
        vector = vector / np.linalg.norm(vector)
        inside = self.orthonormal.T @ vector
        distance = float(np.linalg.norm(vector - self.orthonormal @ inside))
        return distance, inside, self.known(inside)

    def known(self, direction: Float[np.ndarray, " m"]) -> float:
        """The error of a direction of the span."""
        if not self.turns:
            return self.error
        known = float(np.sqrt(sum(np.sum((moved @ direction) ** 2) for moved, _ in self.turns)))
        return max(known, ESTIMATED.least_error)

    def rates(self) -> Iterator[list[Rate]]:
        """Sets of rates for the dependence on time, the likely ones first."""
        found = self._shift_rates()
        if found:
            yield from found
            return
        other = _time_rates(self, self.noise)
        if other is not None:
            yield other

    def _shift_rates(self) -> list[list[Rate]]:
        """Sets of rates from the action of ∂t on the span, if ∂t is in it and the errors are known."""
        field = np.zeros((len(self.points), len(self.scales)))
        field[:, 0] = 1.0
        distance, inside, known = self.located(field)
        if not self.turns or distance > ESTIMATED.fits * known:
            return []
        first = inside[:, None] / np.linalg.norm(inside)
        basis = np.concatenate([first, np.linalg.svd(first, full_matrices=True)[0][:, 1:]], axis=1)
        matrix = self.orthonormal.T @ self.slope
        changes = [moved.T @ self.slope + self.orthonormal.T @ derivative for moved, derivative in self.turns]
        return shift_rates(basis.T @ matrix @ basis, basis.T @ np.array(changes) @ basis, self.unit)


def _time_rates(sampled: _Sampled, noise: float) -> list[Rate] | None:
    """Rates of the functions of time in the span; None if none fit."""
    table = sampled.values.reshape(ESTIMATED.times, -1) / np.sqrt(ESTIMATED.times * ESTIMATED.states)
    left, sizes, _ = np.linalg.svd(table, full_matrices=False)
    kept = sizes > ESTIMATED.within * noise
    return find_rates(sampled.times, left[:, kept], sizes[kept], noise)


def _time_functions(t: Any, rates: list[Rate]) -> tuple[list[list[Any]], dict[Any, Constant]]:
    """SymPy functions of time, rate by rate, and the values of the symbols for constants without an exact form."""
    import sympy

    constants: dict[Any, Constant] = {}

    def named(number: Any, value: float, uncertainty: float) -> Any:
        if number is not None:
            return number
        symbol = sympy.Symbol(f"k{len(constants) + 1}", real=True)
        constants[symbol] = Constant(symbol, value, uncertainty)
        return symbol

    parts = [pair for r in rates for pair in ((r.decay, r.uncertainty), (r.turn, r.turn_uncertainty))]
    numbers = [named(number, *part) for number, part in zip(simple_rates(parts), parts, strict=True)]
    triples = [(*numbers[2 * k : 2 * k + 2], r.multiplicity) for k, r in enumerate(rates)]
    return [functions(t, [triple]) for triple in triples], constants


def _state_functions(sampled: _Sampled, symbols: tuple[Any, ...], error: float) -> Iterator[list[list[Any]]]:
    """Functions of state for all components except τ: the simplest that fit, then those that fit better."""
    import sympy

    from liestonet.formulas.blocks import real_blocks

    state, domain = symbols[1:], sampled.domain
    plain = plain_blocks(domain, symbols)
    everything = [*plain, *(block for row in coordinate_blocks(domain, symbols) for block in row)]
    general = real_blocks(everything, state, sampled.states)
    powers, further = [(plain, degree) for degree in (1, 2, 3)], [(general, 1), (general, 2)]
    # x log x, which occurs with noise proportional to x, is near other functions of x
    ordinary = [x for v, x in enumerate(symbols) if v > 0 and v not in domain.periodic]
    logarithms = real_blocks([*plain, *(sympy.log(x) for x in ordinary)], state, sampled.states)
    seen: list[list[list[Any]]] = []
    for choices, levels in (
        ([*powers, *further], (ESTIMATED.fits, 3 * ESTIMATED.fits)),
        ([*powers, *further], (1.0, ESTIMATED.fits, 3 * ESTIMATED.fits)),
        ([*powers, (logarithms, 2), *further], (1.0, ESTIMATED.fits, 3 * ESTIMATED.fits)),
    ):
        found = []
        for component in range(1, sampled.values.shape[2]):
            times, states = sampled.values.shape[:2]
            table = np.moveaxis(sampled.values[:, :, component], 1, 0).reshape(states, -1) / np.sqrt(times * states)
            left, sizes, _ = np.linalg.svd(table, full_matrices=False)
            space = left[:, sizes > ESTIMATED.within * sampled.noise]
            found.append(spanning(space, choices, state, sampled.states, [level * error for level in levels]))
        if None not in found and found not in seen:
            seen.append(found)
            yield found


def _coefficients(
    sampled: _Sampled, dictionary: list[list[Any]], symbols: tuple[Any, ...], values: dict[Any, float]
) -> tuple[np.ndarray, Functions, np.ndarray, np.ndarray]:
    """Coefficients in functions scaled to mean square one, these, their Gram matrix's inverse root, and the errors."""
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
    """Standard error of every factor in the sparse basis, from the same reduction of spans with random errors."""
    rng = np.random.default_rng(5)
    draws = []
    for _ in range(ESTIMATED.draws):
        if len(changes):
            other = matrix + np.tensordot(rng.standard_normal(len(changes)), changes, axes=1)
        else:
            other = matrix + error * root @ rng.standard_normal(matrix.shape)
        draws.append(other @ np.linalg.inv(other[rows.pivots]))
    units = np.abs(rows.physical) / np.maximum(np.abs(rows.reduced), np.finfo(float).tiny)
    return np.hypot(np.std(draws, axis=0), ESTIMATED.least_error) * units


def _rounded(
    values: Float[np.ndarray, " functions"],
    scatter: Float[np.ndarray, " functions"],
    flat: Functions,
    rates: dict[Any, Constant],
    count: int,
) -> tuple[list[Any], dict[Any, Constant], Float[np.ndarray, " functions"]]:
    """Components of one generator: zero factors left out, simple ones exact, others as symbols.

    Also the symbols with their values, and all factors after this.
    """
    import sympy

    components: list[Any] = [sympy.Integer(0)] * count
    constants, factors = dict(rates), np.zeros(len(flat))
    coordinates = {str(symbol) for _, function, _ in flat for symbol in function.free_symbols}
    entries = zip(flat, values.tolist(), scatter.tolist(), strict=True)
    for place, ((component, function, _), value, uncertainty) in enumerate(entries):
        if value == 0.0:
            continue
        number = simple_number(value, uncertainty)
        factors[place] = value if number is None else float(number)
        if number is None:
            number = sympy.Symbol(constant_name("c", len(constants) - len(rates) + 1, coordinates), real=True)
            constants[number] = Constant(number, value, uncertainty)
        components[component] += number * function
    used = set().union(*(component.free_symbols for component in components))
    return components, {symbol: constant for symbol, constant in constants.items() if symbol in used}, factors


def _distance(
    sampled: _Sampled, components: list[Any], constants: dict[Any, Constant], symbols: tuple[Any, ...]
) -> tuple[float, float, Float[np.ndarray, " m"]]:
    """Distance of a formula from the span, the error of the span there, and the formula's coordinates in it."""
    values = {symbol: constant.value for symbol, constant in constants.items()}
    columns = evaluate([component.subs(values) for component in components], symbols, sampled.points)
    field = np.column_stack(columns)
    if not np.any(field):
        return np.inf, sampled.error, np.zeros(sampled.count)
    distance, inside, known = sampled.located(field)
    return distance, known, inside


def _formula(components: list[Any], constants: dict[Any, Constant], dimension: int, error: float) -> Formula:
    import sympy

    beta = components[dimension + 1] if len(components) > dimension + 1 else sympy.Integer(0)
    xi = tuple(components[1 : dimension + 1])
    return Formula(components[0], xi, beta, "consistent", error, tuple(constants.values()))
