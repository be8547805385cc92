"""Candidate functions of an estimated equation, each expanded in the series that was fitted to the data."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import sympy
from jaxtyping import Float

from liestonet.core.domain import Domain
from liestonet.reduction.numerics import compiled
from liestonet.reduction.tuning import EQUATION
from liestonet.surrogate.surrogate import Surrogate


@dataclass(frozen=True)
class Term:
    """One function in one entry of drift (i,) or diffusion (i, j), with its coefficients in the series."""

    entry: tuple[int, ...]
    function: Any
    parameters: Float[np.ndarray, " p"]


def symbols_of(surrogate: Surrogate) -> tuple[Any, ...]:
    """Time and coordinates."""
    return tuple(sympy.Symbol(name, real=True) for name in ("t", *surrogate.names))


def series_terms(surrogate: Surrogate) -> list[Term]:
    """The basis functions of the series as terms, without formulas."""
    estimates = (*surrogate.drift_estimates, *surrogate.diffusion_estimates)
    entries = [estimate.entry for estimate in estimates for _ in estimate.parameters]
    return [Term(entry, None, row) for entry, row in zip(entries, np.eye(len(entries)), strict=True)]


def candidate_terms(surrogate: Surrogate, absent: Collection[int], more: int = 0) -> list[Term]:
    """Functions of all variables except those in `absent` (0 is time) that the series can represent.

    `more` is added to the usual degrees.
    """
    symbols, points = symbols_of(surrogate), surrogate.overview.points
    points = points[:: max(1, len(points) // EQUATION.points)]
    total, start, found = len(surrogate.parameters), 0, []
    estimates = (*surrogate.drift_estimates, *surrogate.diffusion_estimates)
    for estimate in estimates:
        features = estimate.features.values(points)[()]
        half = surrogate.domain.half
        unit = float(np.prod(half[1:][list(estimate.entry)]) / half[0])
        rows = slice(start, start + len(estimate.parameters))
        functions = _functions(surrogate.domain, symbols, len(estimate.entry) == 2, absent, more)
        if surrogate.from_positions and not surrogate.noisy[estimate.entry[0]]:
            functions = iter([symbols[1 + surrogate.dimension // 2 + estimate.entry[0]]])  # the velocity
        simpler, left_out = np.zeros((len(points), 0)), []
        for function in functions:
            if any((function / other).is_polynomial(*symbols) for other in left_out):
                continue
            wanted = compiled(function, symbols)(*points.T) / unit
            if not np.isfinite(wanted).all():
                continue
            own = _beyond(simpler, wanted)
            if own is None:
                left_out.append(function)
                continue
            simpler = np.column_stack([simpler, own])
            solved = np.linalg.lstsq(features, wanted, rcond=None)[0]
            error = np.linalg.norm(features @ solved - wanted) / np.linalg.norm(wanted)
            if error < EQUATION.representable:
                parameters = np.zeros(total)
                parameters[rows] = solved
                found.append(Term(estimate.entry, function, parameters))
        start = rows.stop
    return found


def _beyond(simpler: Float[np.ndarray, "b k"], values: Float[np.ndarray, " b"]) -> Float[np.ndarray, " b"] | None:
    """The unit vector along what a function adds to simpler ones, which are orthonormal; None if it adds too little.

    In a box that is narrow compared with its distance from zero, powers are nearly sums of lower ones.
    """
    rest = values
    for _ in range(2):  # the second time removes what rounding left
        rest = rest - simpler @ (simpler.T @ rest)
    size = float(np.linalg.norm(rest))
    return rest / size if size > EQUATION.distinct * np.linalg.norm(values) else None


def _functions(
    domain: Domain, symbols: tuple[Any, ...], squared: bool, absent: Collection[int], more: int
) -> Iterator[Any]:
    """Products of powers up to a total degree, waves of angles and, for one coordinate, powers that need x > 0."""
    count = domain.dimension
    degree = (EQUATION.diffusion_degrees if squared else EQUATION.drift_degrees)[min(count, 4) - 1] + more
    choices = []
    for v in range(1, count + 1):
        x = symbols[v]
        if v in absent:
            choices.append([(sympy.Integer(1), 0)])
        elif v in domain.periodic:
            rate = sympy.nsimplify(2 * np.pi / (domain.intervals[v][1] - domain.intervals[v][0]), [sympy.pi], 1e-9)
            waves = [w(k * rate * x) for k in range(1, 3 + more) for w in (sympy.sin, sympy.cos)]
            choices.append([(sympy.Integer(1), 0), *((w, 1 + k // 2) for k, w in enumerate(waves))])
        else:
            choices.append([(x**k, k) for k in range(degree + 1)])
    times = [sympy.Integer(1)] if 0 in absent else [symbols[0] ** k for k in range(EQUATION.time_degree + 1)]
    for row in product(*choices):
        if sum(power for _, power in row) <= degree:
            for factor in times:
                yield sympy.Mul(factor, *(f for f, _ in row))
    if count == 1 and 1 not in absent and domain.intervals[1][0] > 0 and not domain.periodic:
        x = symbols[1]
        others = (x ** sympy.Rational(3, 2),) if squared else (1 / x, sympy.sqrt(x), x * sympy.log(x))
        yield from others
