"""For a generator whose flow has no closed form: the equation on a section, which is still exact.

Every orbit crosses the plane x^k = c once. The crossing point z and the flow parameter θ from there are new
coordinates; their equation follows from the field and its derivatives on the plane alone. Only the coordinates
themselves are computed numerically (docs/method.md §18.3).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy
from jaxtyping import Float
from sympy import Symbol

from liestonet.reduction.equation import Equation, Field, triangular_root
from liestonet.reduction.integrating import anchor
from liestonet.reduction.numerics import stacked
from liestonet.reduction.ordering import best_first
from liestonet.reduction.reduction import Flows
from liestonet.reduction.stage import Stage
from liestonet.reduction.tuning import REDUCTION


@dataclass(frozen=True)
class Section:
    """The plane `plane` = `at`, the field in the user's symbols, and the equation of z and θ in inner ones."""

    field: Field
    plane: int
    at: Any
    equation: Equation


def on_section(stage: Stage) -> Section | None:
    """The equation on a section for the first generator that crosses one everywhere in the box."""
    simple = [f for f in stage.fields if f.is_simple]
    if stage.changes or stage.equation.active < 2:
        return None
    for f in best_first(simple, stage):
        k = _plane(f, stage)
        if k is not None:
            c = anchor(stage.equation.closed[k], stage.setting)
            return Section(f, k, c, _equation(f, k, c, stage))
    return None


def _plane(f: Field, stage: Stage) -> int | None:
    """The component of a field that varies least over the box and has no zero there."""
    spreads = []
    for component in f.xi:
        values = stage.setting.numbers(component)
        one = np.isfinite(values).all() and (np.sign(values) == np.sign(values[0])).all() and np.abs(values).min() > 0
        spreads.append(float(np.abs(values).max() / np.abs(values).min()) if one else np.inf)
    best = int(np.argmin(spreads))
    return best if np.isfinite(spreads[best]) else None


def _equation(f: Field, k: int, c: Any, stage: Stage) -> Equation:
    """dz = [f − ηf^k − a^{jk}∂_jη + ½a^{kk}(η^j∂_jη − ∂_kη)] dt + (σ − ησ^k) dW and dθ likewise, at x^k = c."""
    given, x, setting = stage.equation, stage.equation.closed, stage.setting
    others = [i for i in range(len(x)) if i != k]
    eta = {i: f.xi[i] / f.xi[k] for i in others}
    h = 1 / f.xi[k]
    names = stage.fresh([*("z" for _ in others), "y"])
    z = [Symbol(name, real=True) for name in names[:-1]]
    place = {**{x[i]: s for i, s in zip(others, z, strict=True)}, x[k]: c}

    def along(function: Any) -> Any:
        return sympy.Add(*(eta[j] * sympy.diff(function, x[j]) for j in others))

    def at(value: Any) -> Any:
        return setting.tidy(sympy.sympify(value).xreplace(place))

    drift, noise = [], []
    for i in others:
        cross = sympy.Add(*(given.covariance(j, k) * sympy.diff(eta[i], x[j]) for j in others))
        bend = given.covariance(k, k) * (along(eta[i]) - sympy.diff(eta[i], x[k])) / 2
        drift.append(at(given.drift[i] - eta[i] * given.drift[k] - cross + bend))
        noise.append(tuple(at(a - eta[i] * b) for a, b in zip(given.noise[i], given.noise[k], strict=True)))
    cross = sympy.Add(*(given.covariance(j, k) * sympy.diff(h, x[j]) for j in others))
    bend = given.covariance(k, k) * (sympy.diff(h, x[k]) - along(h)) / 2
    drift.append(at(h * given.drift[k] + cross + bend))
    noise.append(tuple(at(h * b) for b in given.noise[k]))
    if not f.strong:
        rows = sympy.Matrix([list(row) for row in noise])
        noise = triangular_root((rows * rows.T).applyfunc(setting.tidy), setting)
    return Equation(given.time, (*z, Symbol(names[-1], real=True)), tuple(drift), tuple(noise), len(others))


def flows_of(section: Section, stage: Stage) -> Flows:
    """Numerical coordinates: the flow along the field to the plane, and from the plane."""
    symbols = tuple(stage.setting.public(s) for s in (stage.equation.time, *stage.equation.closed))
    field = [stage.setting.public(c) for c in section.field.xi]
    k, c = section.plane, float(section.at)
    others = [i for i in range(len(field)) if i != k]

    def velocity(t: np.ndarray, x: np.ndarray) -> np.ndarray:
        return stacked(field, symbols, t, *x.T)

    def to_plane(t: np.ndarray, place: np.ndarray) -> np.ndarray:
        """The flow to the plane, with x^k as the variable: d(x, θ)/dx^k, θ in the last column."""
        moved = velocity(t, place[:, :-1])
        return np.column_stack([moved / moved[:, [k]], 1 / moved[:, k]])

    def forward(t: np.ndarray, x: np.ndarray) -> np.ndarray:
        start = np.column_stack([x, np.zeros(len(x))])
        end = _integrated(lambda place: to_plane(t, place) * (c - x[:, [k]]), start)
        return np.column_stack([end[:, others], -end[:, -1]])

    def backward(t: np.ndarray, z: np.ndarray) -> np.ndarray:
        start = np.insert(z[:, :-1], k, c, axis=1)
        return _integrated(lambda place: velocity(t, place) * z[:, [-1]], start)

    values = stage.setting.values
    t = values[stage.equation.time]
    x = np.column_stack([values[s] for s in stage.equation.closed])
    error = np.abs(backward(t, forward(t, x)) - x).max(axis=1) / (1 + np.abs(x).max(axis=1))
    returned = error[error < REDUCTION.returned]  # some orbits may not cross the plane
    return Flows(forward, backward, float(returned.max(initial=np.finfo(float).eps)), len(returned) / len(error))


def _integrated(slope: Callable[[np.ndarray], np.ndarray], start: Float[np.ndarray, "b v"]) -> Float[np.ndarray, "b v"]:
    """The solution of a differential equation from 0 to 1 by the classical Runge–Kutta method, all points at once."""
    place, step = start, 1 / REDUCTION.flow_steps
    with np.errstate(all="ignore"):
        for _ in range(REDUCTION.flow_steps):
            one = slope(place)
            two = slope(place + step / 2 * one)
            three = slope(place + step / 2 * two)
            four = slope(place + step * three)
            place = place + step / 6 * (one + 2 * two + 2 * three + four)
    return place
