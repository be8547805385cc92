"""Bounds that keep simulated paths where the coefficients are defined: those of a user, and the equation's own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from jaxtyping import Float

from liestonet.core.numbers import is_real, is_whole
from liestonet.errors import InputError
from liestonet.sde.tuning import BOX

BOUND = re.compile(r"(?:([^<>=]+)(<|>)=?)?([^\W\d]\w*)(?:(<|>)=?([^<>=]+))?")
Pair = tuple[float | None, float | None]


@dataclass(frozen=True)
class Bounds:
    """Lowest and highest value of every coordinate, infinite if there is no bound; one for all paths, or a row each.

    `natural` marks the coordinates whose bounds are the equation's own, not a user's choice.
    """

    lower: Float[np.ndarray, "*paths n"]
    upper: Float[np.ndarray, "*paths n"]
    natural: tuple[int, ...] = ()

    def project(self, x: Float[np.ndarray, "b n"]) -> Float[np.ndarray, "b n"]:
        """The nearest points inside the bounds; NaN stays NaN."""
        return np.clip(x, self.lower, self.upper)

    def of(self, paths: np.ndarray) -> Bounds:
        """The bounds of some of the paths."""
        if self.lower.ndim == 1:
            return self
        return Bounds(self.lower[paths], self.upper[paths], self.natural)


def free_bounds(dimension: int) -> Bounds:
    """No bound on any coordinate."""
    return Bounds(np.full(dimension, -np.inf), np.full(dimension, np.inf))


def read_bounds(boundary: Any, names: tuple[str, ...]) -> Bounds:
    """Bounds by name or number of the coordinate: a lower bound, or (lower, upper) with None for free; or "0<x<1"."""
    bounds = free_bounds(len(names))
    for key, (low, high) in _given(boundary, names).items():
        bounds.lower[key] = -np.inf if low is None else low
        bounds.upper[key] = np.inf if high is None else high
    return bounds


def _given(boundary: Any, names: tuple[str, ...]) -> dict[int, Pair]:
    """The pair of bounds that a user gave for each coordinate mentioned, by position."""
    if isinstance(boundary, str):
        boundary = boundary.split(",")
    if isinstance(boundary, list | tuple) and boundary and all(isinstance(piece, str) for piece in boundary):
        boundary = bounds_in_words(boundary)
    if boundary is not None and not isinstance(boundary, Mapping):
        raise InputError(f"The boundary is {boundary!r}; give a dictionary such as {{'x': 0.0}}, or 'x>0'.")
    given: dict[int, Pair] = {}
    for key, value in (boundary or {}).items():
        if key in names:
            index = names.index(str(key))
        elif is_whole(key) and 0 <= key < len(names):
            index = int(key)
        else:
            raise InputError(f"The boundary names {key!r}, but the coordinates are {', '.join(names)}.")
        pair = tuple(value) if isinstance(value, tuple | list) else (value, None)
        if len(pair) != 2 or not all(end is None or (is_real(end) and not np.isnan(end)) for end in pair):
            raise InputError(f"The boundary of {key!r} is {value!r}; give a lower bound or (lower, upper).")
        low, high = pair
        if low is not None and high is not None and not low < high:
            raise InputError(f"The boundary of {key!r} is {value!r}, which is empty; give the lower first.")
        given[index] = (None if low is None else float(low), None if high is None else float(high))
    return given


def bounds_in_words(texts: Iterable[str]) -> dict[str, Pair]:
    """`x>0`, `0<x<1`, `x<=5` as (lower, upper) for each name."""
    bounds: dict[str, Pair] = {}
    for text in texts:
        plain = "".join(text.split()).replace("≤", "<").replace("≥", ">")
        match = BOUND.fullmatch(plain)
        signs = {sign for sign in (match[2], match[4]) if sign} if match else set()
        if match is None or len(signs) != 1:
            raise InputError(f'The boundary {text.strip()[:60]!r} cannot be read; write "x>0", "x<1" or "0<x<1".')
        name = match[3]
        before, after = (_number(part, name) if part else None for part in (match[1], match[5]))
        low, high = (before, after) if "<" in signs else (after, before)
        old_low, old_high = bounds.get(name, (None, None))
        if (old_low is not None and low is not None) or (old_high is not None and high is not None):
            raise InputError(f"The boundary gives {name} the same bound twice; keep one of them.")
        bounds[name] = (old_low if low is None else low, old_high if high is None else high)
    return bounds


def _number(text: str, name: str) -> float:
    try:
        return float(Fraction(text))
    except (ValueError, ZeroDivisionError, OverflowError) as problem:
        raise InputError(
            f"The bound of {name} is {text[:60]!r}, which is not a number; write one such as 1.5 or 3/2."
        ) from problem


def with_natural_bounds(
    sde: Any, boundary: Any, start: Float[np.ndarray, " k"], initial: Float[np.ndarray, "k n"]
) -> Bounds:
    """A user's bounds, and for coordinates not mentioned the nearest singular points of the equation's formulas.

    Each path stays on the side on which it begins. Singular points are zeros of denominators and of arguments of roots
    and logarithms that depend on the coordinate alone.
    """
    names = tuple(sde.names)
    bounds, mentioned = read_bounds(boundary, names), _given(boundary, names)
    roots = {i: found for i, found in _singular_points(sde, initial).items() if i not in mentioned and found}
    if not roots:
        return bounds
    lower, upper = (np.repeat(ends[None], len(initial), axis=0) for ends in (bounds.lower, bounds.upper))
    for i, points in roots.items():
        below, above = _sides(np.array([-np.inf, *points, np.inf]), initial[:, i])
        # a path that begins on a singular point goes to the side on which the equation is defined
        on = np.isin(initial[:, i], points)
        if on.any():
            upwards = _defined(sde, start[on], initial[on], i)
            below[on], above[on] = (
                np.where(upwards, initial[on, i], below[on]),
                np.where(upwards, above[on], initial[on, i]),
            )
        for ends, sign in ((below, 1.0), (above, -1.0)):
            finite = np.isfinite(ends)
            at = initial[finite].copy()
            at[:, i] = ends[finite]
            undefined = ~_finite(sde, start[finite], at)
            distance = np.abs(initial[finite, i] - ends[finite])
            ends[finite] += sign * np.where(undefined, BOX.inside_bound * distance, 0.0)
        lower[:, i], upper[:, i] = below, above
    return Bounds(lower, upper, tuple(roots))


def _singular_points(sde: Any, initial: Float[np.ndarray, "k n"]) -> dict[int, list[float]]:
    """For each coordinate the points at which some formula is singular for all values of the other coordinates."""
    from liestonet.sde.sde import SDE
    from liestonet.sde.singularities import Singularity, loci

    found: dict[int, list[float]] = {}
    for locus in loci(sde) if isinstance(sde, SDE) else ():
        if len(locus.variables) == 1 and locus.variables[0] and locus.kind in (Singularity.POLE, Singularity.BRANCH):
            i = locus.variables[0] - 1
            roots = locus.roots(initial[:, i].min() - BOX.reach, initial[:, i].max() + BOX.reach)
            found[i] = sorted({*found.get(i, []), *roots})
    return found


def _sides(points: Float[np.ndarray, " p"], values: Float[np.ndarray, " k"]) -> tuple[np.ndarray, np.ndarray]:
    """The nearest of the points below and above each value."""
    below = points[np.searchsorted(points, values, side="left") - 1]
    above = points[np.minimum(np.searchsorted(points, values, side="right"), len(points) - 1)]
    return below.copy(), above.copy()


def _defined(sde: Any, t: np.ndarray, x: np.ndarray, coordinate: int) -> np.ndarray:
    """Whether the coefficients have finite values just above the points in one coordinate."""
    above = x.copy()
    above[:, coordinate] += 1e-6 * (1 + np.abs(x[:, coordinate]))
    return _finite(sde, t, above)


def _finite(sde: Any, t: np.ndarray, x: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        return np.isfinite(sde.drift(t, x)).all(axis=1) & np.isfinite(sde.diffusion(t, x)).all(axis=(1, 2))
