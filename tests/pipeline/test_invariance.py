"""Renaming or permuting coordinates, shifting time and changing units change nothing but names, for every kind.

The equation is rewritten with SymPy and solved on the image of the box; dimension, name of the algebra and number of
proofs must agree, and the span found must be the image of the span of the original.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy

import liestonet as lsn
from liestonet.result import Result

LARGEST_ANGLE = 0.01
KINDS = ("ito", "law", "fokker-planck")


@dataclass(frozen=True)
class Change:
    """New time s = (t − start)/duration, new coordinate z_i = x_{order[i]}/lengths[i], and new names."""

    order: Callable[[int], list[int]] = lambda n: list(range(n))
    start: Any = sympy.S.Zero
    duration: Any = sympy.S.One
    length: Any = sympy.S.One
    letters: str = "xyz"


CHANGES = {
    "names and order": Change(order=lambda n: list(range(n))[::-1], letters="qpr"),
    "shift of time": Change(start=sympy.Rational(-1, 3)),
    "unit of time": Change(duration=sympy.Rational(5, 2)),
    "unit of length": Change(length=sympy.Rational(1, 100)),
    "all at once": Change(
        lambda n: list(range(n))[::-1], sympy.Integer(2), sympy.Rational(1, 3), sympy.Integer(7), "abc"
    ),
}
SYSTEMS = ("linear", "cir", "growing-noise", "geometric-brownian", "langevin", "brownian-2d", "hopf")
SLOW = {(key, "fokker-planck") for key in ("langevin", "brownian-2d", "hopf")}
# single changes that are quick: of an equation with the time in it, from paths and from the density
SINGLE = {("growing-noise", "ito"), ("growing-noise", "fokker-planck")}


@cache
def original(key: str, kind: str) -> Result:
    system = lsn.catalogue[key]
    return lsn.solve(system.sde, kind, system.box)


def lengths(change: Change, n: int) -> list[Any]:
    """Units of length, another for every coordinate."""
    return [change.length ** (i + 1) if change.length < 1 else change.length * (i + 1) for i in range(n)]


def changed(key: str, change: Change) -> tuple[lsn.SDE, list[tuple[float, float]]]:
    """The equation and the box in new names and units."""
    system = lsn.catalogue[key]
    old: Any = system.sde.symbolic
    n, r = old.diffusion.shape
    order, units = change.order(n), lengths(change, n)
    s = sympy.Symbol("t", real=True)
    new = [sympy.Symbol(name, real=True) for name in change.letters[:n]]
    place = {old.time: change.start + change.duration * s}
    place |= {old.state[i]: units[k] * new[k] for k, i in enumerate(order)}

    def put(entry: Any, factor: Any) -> Any:
        return sympy.simplify(entry.subs(place, simultaneous=True) * factor)

    drift = [put(old.drift[i], change.duration / unit) for i, unit in zip(order, units, strict=True)]
    root = sympy.sqrt(change.duration)
    noise = [[put(old.diffusion[i, j], root / unit) for j in range(r)] for i, unit in zip(order, units, strict=True)]
    sde = lsn.SDE.from_sympy(drift=drift, diffusion=sympy.Matrix(noise), state=new, time=s)
    low, high = system.box[0]
    box = [(float((low - change.start) / change.duration), float((high - change.start) / change.duration))]
    box += [
        (float(system.box[i + 1][0] / units[k]), float(system.box[i + 1][1] / units[k])) for k, i in enumerate(order)
    ]
    return sde, box


def image(result: Result, change: Change) -> Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, ...]]:
    """The generators found for the original, as fields in the new time and coordinates."""
    n = len(result.names)
    order, units = change.order(n), np.array([float(unit) for unit in lengths(change, n)])

    def generators(s: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, ...]:
        x = np.empty_like(z)
        x[:, order] = z * units
        tau, xi, *beta = result.generators(float(change.start) + float(change.duration) * s, x)
        return tau / float(change.duration), xi[:, :, order] / units, *beta

    return generators


def is_slow(key: str, kind: str, name: str) -> bool:
    return (key, kind) in SLOW or (name != "all at once" and (key, kind) not in SINGLE)


def cases() -> list[Any]:
    return [
        pytest.param(key, kind, name, marks=[pytest.mark.slow] if is_slow(key, kind, name) else [])
        for key in SYSTEMS
        for kind in KINDS
        for name in CHANGES
        # a change of everything covers the single ones; those are kept where they are quick
        if name == "all at once" or key in ("linear", "growing-noise")
    ]


@pytest.mark.parametrize(("key", "kind", "name"), cases())
def test_nothing_but_names_changes(key, kind, name):
    change, first = CHANGES[name], original(key, kind)
    sde, box = changed(key, change)
    second = lsn.solve(sde, kind, box)
    assert second.dimension == first.dimension
    assert second.algebra.name == first.algebra.name
    assert [row.status for row in second.formulas()] == ["proved"] * second.fields.count
    assert [row.status for row in first.formulas()] == ["proved"] * first.fields.count
    low, high = np.array(box).T
    points = np.random.default_rng(2).uniform(low, high, (300, len(low)))
    half = (high - low) / 2
    found = lsn.principal_angles(
        second.generators, image(first, change), points[:, 0], points[:, 1:], (half[0], list(half[1:]))
    )
    assert found[-1] < LARGEST_ANGLE
