"""The functions of time, and those of the coordinates, that occur in a span of generators, simplest first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float, Int

from liestonet.formulas.blocks import general_blocks, products, real_blocks, state_blocks, time_blocks, without_fraction
from liestonet.formulas.eigenrates import eigenrates
from liestonet.formulas.exact_numbers import recognise
from liestonet.formulas.functionspace import evaluate, members, orthonormal_span
from liestonet.formulas.tuning import FORMULAS
from liestonet.formulas.waves import coordinate_blocks, is_periodic, plain_blocks
from liestonet.symmetry.determining.fields import Fields

if TYPE_CHECKING:
    from liestonet.sde.symbolic import SymbolicCoefficients


class Samples:
    """Values of the generators on a grid of times and scattered states, each component in its natural units."""

    def __init__(self, fields: Fields) -> None:
        domain = self.domain = fields.basis.domain
        s = np.cos(np.pi * (np.arange(FORMULAS.times) + 0.5) / FORMULAS.times)
        self.times = domain.centre[0] + domain.half[0] * s
        u = 2 * np.random.default_rng(7).random((FORMULAS.states, domain.dimension)) - 1
        self.states = domain.centre[1:] + domain.half[1:] * u
        grid = np.column_stack([np.repeat(self.times, FORMULAS.states), np.tile(self.states, (FORMULAS.times, 1))])
        self.points = grid
        values = fields.components(grid, [()])[()] / fields.basis.scales
        norms = np.sqrt(np.mean(np.sum(values**2, axis=2), axis=1))
        # (generator, time, state, component)
        self.values = (values / norms[:, None, None]).reshape(fields.count, FORMULAS.times, FORMULAS.states, -1)
        self.norms = norms

    def few(self, values: int) -> Int[np.ndarray, " chosen"]:
        """Positions of scattered points, whose components are about as many values as requested."""
        count = min(len(self.points), max(values // self.values.shape[-1], FORMULAS.least_points))
        return np.random.default_rng(13).permutation(len(self.points))[:count]

    def time_space(self, components: slice, tolerance: float) -> Float[np.ndarray, "times k"]:
        """A basis of all functions of time that occur in some components at fixed states."""
        columns = np.moveaxis(self.values[..., components], 1, 0).reshape(FORMULAS.times, -1)
        if np.abs(columns).max(initial=0.0) < tolerance:
            return np.zeros((FORMULAS.times, 0))
        return orthonormal_span(columns, tolerance)

    def state_space(self, component: int, tolerance: float) -> Float[np.ndarray, "states k"]:
        """A basis of all functions of state that occur in a component at fixed times."""
        columns = np.moveaxis(self.values[:, :, :, component], 2, 0).reshape(FORMULAS.states, -1)
        if np.abs(columns).max(initial=0.0) < tolerance:
            return np.zeros((FORMULAS.states, 0))
        return orthonormal_span(columns, tolerance)


def time_functions(
    fields: Fields, samples: Samples, coefficients: SymbolicCoefficients | None, t: Any, tolerance: float
) -> list[list[Any]] | None:
    """For each component, functions that span its dependence on time; None if they are not found."""
    exponentials = exponential_functions(fields, samples, t, tolerance, eigenrates(coefficients))
    n = fields.basis.domain.dimension
    groups = [slice(0, 1), slice(1, n + 1), *([slice(n + 1, n + 2)] if fields.has_beta else [])]
    interval = fields.basis.domain.intervals[0]
    blocks = general_blocks(t) if coefficients is None else time_blocks(coefficients, interval)
    blocks = real_blocks(blocks, (t,), samples.times[:, None])
    found: list[list[Any]] = []
    earlier: list[Any] = []
    for group in groups:
        space = samples.time_space(group, tolerance)
        if exponentials is not None:
            choices = [(exponentials, 1)]
        else:
            choices = [(blocks, degree) for degree in (1, 2, 3, 4)]
            if earlier:
                choices = [(earlier, 1), ([*earlier, *blocks][: FORMULAS.most_blocks], 2), *choices]
        points = samples.times[:, None]
        chosen = spanning(space, choices, (t,), points, _levels(tolerance))
        if chosen is None and exponentials is None and coefficients is not None:
            chosen = _all_in_few(space, choices, (t,), points, tolerance, FORMULAS.times // 2)
        if chosen is None:
            return None
        found.append(chosen)
        earlier = with_derivatives([*earlier, *chosen], t)
    return [found[0], *[found[1]] * n, *found[2:]]


def with_derivatives(functions: list[Any], t: Any) -> list[Any]:
    """The terms of functions and their derivatives: ξ contains the functions in τ', and β those in τ''."""
    import sympy

    slopes = [sympy.factor_terms(sympy.expand(function.diff(t), multinomial=False)) for function in functions]
    terms = [term for slope in slopes for term in sympy.Add.make_args(sympy.expand(slope, multinomial=False))]
    kept = [without_fraction(function, (t,)) for function in [*functions, *slopes, *terms] if not function.is_number]
    return list(dict.fromkeys(kept))


def exponential_functions(
    fields: Fields, samples: Samples, t: Any, tolerance: float, suggested: list[Any]
) -> list[Any] | None:
    """Functions t^k e^{λt} (cos ωt, sin ωt) if the span is invariant under ∂t; None if it is not."""
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
        # the error of a rate in a Jordan block of size k is the k-th root of that of the matrix
        error = 100 * tolerance / half
        decay, turn = (_rate(part, error, suggested) for part in (rate.real, abs(rate.imag)))
        envelope = sympy.exp(decay * t)
        waves = [sympy.cos(turn * t), sympy.sin(turn * t)] if turn != 0 else [sympy.Integer(1)]
        functions += [t**power * envelope * wave for power in range(k) for wave in waves]
    return sorted(dict.fromkeys(functions), key=lambda e: (sympy.count_ops(e), str(e)))


def _with_multiplicity(rates: np.ndarray, half: float) -> list[tuple[int, complex]]:
    """Clusters of eigenvalues: the number in each, and their mean, which is far more accurate than each of them."""
    clusters: list[list[complex]] = []
    for rate in sorted(rates.tolist(), key=lambda z: (z.real, z.imag)):
        near = [c for c in clusters if abs(np.mean(c) - rate) * half < 0.02]
        near[0].append(rate) if near else clusters.append([rate])
    return [(len(cluster), complex(np.mean(cluster))) for cluster in clusters]


def _rate(value: float, error: float, suggested: list[Any]) -> Any:
    """A rate as an exact number: one that the equation suggests, if it is near enough, else a recognised one."""
    near = [number for number in suggested if abs(float(number) - value) <= error]
    return near[0] if near else constant(value, error)


def constant(value: float, error: float) -> Any:
    """The exact constant, or the decimal if none is recognised."""
    import sympy

    exact = recognise(float(value), error)
    return sympy.Float(value) if exact is None else exact


def dictionary_of(
    samples: Samples,
    coefficients: SymbolicCoefficients | None,
    symbols: tuple[Any, ...],
    times: list[list[Any]],
    components: int,
    tolerance: float,
) -> list[tuple[Any, ...]] | None:
    """Products of functions of time and of state, component by component; None if a component has none."""

    functions: list[tuple[Any, ...]] = [tuple(terms_of(times[0], symbols))]
    for component in range(1, components):
        space = samples.state_space(component, tolerance)
        choices = _state_choices(coefficients, symbols, samples, component == len(symbols))
        chosen = spanning(space, choices, symbols[1:], samples.states, _levels(tolerance))
        if chosen is None and coefficients is not None:
            chosen = _all_in_few(space, choices, symbols[1:], samples.states, tolerance)
        if chosen is None:
            return None
        functions.append(tuple(terms_of([f * g for f in times[component] for g in chosen], symbols)))
    return functions


def terms_of(functions: list[Any], symbols: tuple[Any, ...]) -> list[Any]:
    """The terms of all functions, each once; sums that share terms would not be linearly independent."""
    import sympy

    terms = [term for function in functions for term in sympy.Add.make_args(sympy.expand(function, multinomial=False))]
    return list(dict.fromkeys(without_fraction(term, symbols) for term in terms))


def _all_in_few(
    space: np.ndarray,
    choices: list[tuple[list[Any], int]],
    symbols: tuple[Any, ...],
    points: np.ndarray,
    tolerance: float,
    most: int = FORMULAS.most_together,
) -> list[Any] | None:
    """Products of few blocks that together contain a space, in sums of any length; these need a proof."""
    import sympy

    for blocks, degree in choices:
        factors, columns = _candidates(blocks, degree, symbols, points)
        usable = [j for j, column in enumerate(columns) if np.linalg.norm(column) > 0]
        if not 0 < len(usable) <= most:
            continue
        matrix = np.column_stack([columns[j] / np.linalg.norm(columns[j]) for j in usable])
        weights = np.linalg.lstsq(matrix, space, rcond=1e-10)[0]
        if np.linalg.norm(space - matrix @ weights, axis=0).max() <= 10 * tolerance:
            kept = np.flatnonzero(np.abs(weights).max(axis=1) > 1e2 * tolerance)
            return [sympy.Mul(*(blocks[factor] for factor in factors[usable[j]])) for j in kept]
    return None


def _state_choices(
    coefficients: SymbolicCoefficients | None, symbols: tuple[Any, ...], samples: Samples, density: bool
) -> list[tuple[list[Any], int]]:
    """Lists of building blocks for functions of state with the degree of their products, from few to many."""
    state, domain = symbols[1:], samples.domain
    own = plain_blocks(domain, symbols) if coefficients is None else state_blocks(coefficients, density)
    own = [block for block in real_blocks(own, state, samples.states) if is_periodic((block,), domain, symbols)]
    general = list(dict.fromkeys(own + [block for row in coordinate_blocks(domain, symbols) for block in row]))
    further = [(own, 4)] if len(own) <= FORMULAS.few_blocks else []
    return [(own, 2), (own, 3), (general, 2), *further]


def spanning(
    space: np.ndarray,
    choices: list[tuple[list[Any], int]],
    symbols: tuple[Any, ...],
    points: np.ndarray,
    levels: list[float],
) -> list[Any] | None:
    """Few products of blocks that span a space of functions: smaller tolerances first, single products before sums."""
    import sympy

    if not space.shape[1]:
        return []
    candidates = [_candidates(blocks, degree, symbols, points) for blocks, degree in choices]
    for level in levels:
        for longest in (1, 2, 3):
            for (blocks, _), (factors, columns) in zip(choices, candidates, strict=True):
                found = members(space, columns, longest, level)
                if found is not None:
                    return [sympy.Mul(*(blocks[factor] for factor in factors[j])) for j in found]
    return None


def _levels(tolerance: float) -> list[float]:
    """Tolerances to try, smallest first: the error is often far smaller than stated."""
    return [*(level for level in (1e-9, 1e-7, 1e-5) if level < 10 * tolerance), 10 * tolerance]


def _candidates(
    blocks: list[Any], degree: int, symbols: tuple[Any, ...], points: np.ndarray
) -> tuple[list[tuple[int, ...]], list[np.ndarray]]:
    """Products of blocks, as positions and as values at the points."""
    values = np.column_stack([np.ones(len(points)), *evaluate(blocks, symbols, points)])
    factors = products(blocks, degree)[: FORMULAS.largest_dictionary]
    return factors, [np.prod(values[:, [0, *(j + 1 for j in choice)]], axis=1) for choice in factors]
