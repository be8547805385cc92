"""Files of earlier versions open and answer what exact algebra says; made by make_old_files.py, never again."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy

import liestonet as lsn

OLD = Path(__file__).resolve().parent / "old"
VERSIONS = sorted(folder.name for folder in OLD.iterdir())
t, x, y, k, s = sympy.symbols("t x y k s", real=True)
ZERO, ONE = sympy.Integer(0), sympy.Integer(1)

# Generators (τ, ξ, …, β) that solve the determining equations; proved below.
KNOWN = {
    "solve-1d": [(ONE, ZERO), (ZERO, sympy.exp(t)), (sympy.exp(2 * t), x * sympy.exp(2 * t))],
    "solve-callables": [(ONE, ZERO), (ZERO, sympy.exp(t)), (sympy.exp(2 * t), x * sympy.exp(2 * t))],
    "discover-1d": [(ONE, ZERO), (ZERO, sympy.exp(-t)), (sympy.exp(-2 * t), -x * sympy.exp(-2 * t))],
    "solve-2d": [(ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, sympy.exp(-t), -sympy.exp(-t))],
    "discover-2d": [(ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE), (ZERO, -y, x), (2 * t, x, y)],
    "solve-fokker-planck": [
        (ONE, ZERO, ZERO),
        (ZERO, ONE, ZERO),
        (ZERO, ZERO, ONE),
        (2 * t, x, ZERO),
        (ZERO, t, -x),
        (t**2, t * x, -(x**2 + t) / 2),
    ],
}
EQUATIONS: dict[str, tuple[Any, Any]] = {
    "solve-1d": ([x], [[ONE]]),
    "solve-callables": ([x], [[ONE]]),
    "discover-1d": ([-x], [[ONE]]),
    "solve-2d": ([y, -y], [[ZERO], [sympy.sqrt(2)]]),
    "solve-infinite": ([ZERO, y], [[ONE], [ZERO]]),
    "solve-parameters": ([-k * x], [[s]]),
}


def ito_residuals(drift, sigma, tau, xi) -> list:
    """E1 and E2 of docs/method.md §2.1, written out here once more."""
    state = [x, y][: len(drift)]
    a = sympy.Matrix(sigma) * sympy.Matrix(sigma).T
    found = []
    for i, f in enumerate(drift):
        first = sympy.diff(xi[i], t) - sympy.diff(tau * f, t)
        for j, u in enumerate(state):
            first += drift[j] * sympy.diff(xi[i], u) - xi[j] * sympy.diff(f, u)
            first += sum(a[j, m] * sympy.diff(xi[i], u, v) for m, v in enumerate(state)) / 2
        found.append(first)
        for noise, entry in enumerate(sigma[i]):
            second = -tau * sympy.diff(entry, t) - sympy.diff(tau, t) * entry / 2
            for j, u in enumerate(state):
                second += sigma[j][noise] * sympy.diff(xi[i], u) - xi[j] * sympy.diff(entry, u)
            found.append(second)
    return [sympy.simplify(row) for row in found]


def opened(version: str, name: str):
    return lsn.load(OLD / version / f"{name}.lsn")


def angles(result, known) -> np.ndarray:
    """Principal angles in degrees between a result's generators and formulas, on random points."""
    rng = np.random.default_rng(2)
    count = len(result.names)
    low, high = np.array(result.domain.intervals).T
    points = rng.uniform(low, high, (400, count + 1))
    found = [v.reshape(len(v), 400, -1) for v in result.generators(points[:, 0], points[:, 1:])]
    first = np.concatenate(found, axis=2).reshape(result.fields.count, -1)
    symbols = [t, x, y][: count + 1]
    rows = []
    for generator in known:
        values = [np.broadcast_to(sympy.lambdify(symbols, part)(*points.T), (400,)) for part in generator]
        rows.append(np.stack(values, axis=1).reshape(-1))
    a, b = np.linalg.qr(first.T)[0], np.linalg.qr(np.array(rows).T)[0]
    return np.degrees(np.arcsin(np.clip(np.linalg.svd(b - a @ (a.T @ b), compute_uv=False), 0, 1)))


def test_the_known_generators_are_right():
    for name, known in KNOWN.items():
        if name in EQUATIONS:
            for tau, *xi in known:
                assert not any(ito_residuals(*EQUATIONS[name], tau, xi)), name


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(("name", "limit"), [
    ("solve-1d", 1e-5), ("solve-callables", 1e-5), ("solve-2d", 1e-5), ("solve-fokker-planck", 1e-5),
    ("discover-1d", 15.0), ("discover-2d", 15.0),
])  # fmt: skip
def test_generators_are_those_of_exact_algebra(version, name, limit):
    result = opened(version, name)
    assert result.dimension == len(KNOWN[name])
    assert angles(result, KNOWN[name]).max() < limit


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", ["solve-1d", "solve-2d", "solve-infinite", "solve-parameters"])
def test_formulas_solve_the_equations(version, name):
    result = opened(version, name)
    rows = result.formulas()
    assert rows
    for row in rows:
        assert row.status == "proved"
        change = {symbol: sympy.Symbol(str(symbol), real=True) for symbol in row.tau.free_symbols}
        for part in row.xi:
            change |= {symbol: sympy.Symbol(str(symbol), real=True) for symbol in part.free_symbols}
        tau, xi = row.tau.xreplace(change), [part.xreplace(change) for part in row.xi]
        assert not any(ito_residuals(*EQUATIONS[name], tau, xi))


@pytest.mark.parametrize("version", VERSIONS)
def test_numbers_that_are_known(version):
    assert math.isinf(opened(version, "solve-infinite").dimension)
    assert opened(version, "solve-none").dimension == 0
    assert opened(version, "solve-law").dimension == 3  # docs/method.md §2.4
    assert opened(version, "solve-1d").algebra.name == "Bianchi VI, h = −9"
    assert opened(version, "solve-parameters").surrogate.parameters == ("k", "s")


@pytest.mark.parametrize("version", VERSIONS)
def test_brackets_are_those_of_the_formulas(version):
    """[X, Y] of every pair, from derivatives, against the structure constants that were stored."""
    result = opened(version, "solve-1d")
    fields = [(row.tau, row.xi[0]) for row in result.formulas()]
    clock, place = [sympy.Symbol(name, real=True) for name in ("t", "x")]

    def along(field, function):
        return field[0] * sympy.diff(function, clock) + field[1] * sympy.diff(function, place)

    for i, first in enumerate(fields):
        for j, second in enumerate(fields):
            constants = result.algebra.structure_constants[i, j]
            for component in range(2):
                bracket = along(first, second[component]) - along(second, first[component])
                summed = sum(c * field[component] for c, field in zip(constants, fields, strict=True))
                values = [float((bracket - summed).subs({clock: a, place: b})) for a, b in ((0.1, 0.7), (0.9, -0.4))]
                assert np.allclose(values, 0, atol=1e-6)


@pytest.mark.parametrize("version", VERSIONS)
def test_coefficients_from_data_are_near_the_true_ones(version):
    result = opened(version, "discover-1d")
    at = np.linspace(-1.5, 1.5, 7)[:, None]
    times = np.full(7, 1.0)
    assert np.abs(result.surrogate.drift(times, at) + at).max() < 0.5
    assert np.abs(result.surrogate.diffusion_squared(times, at) - 1).max() < 0.1
    assert result.findings.data.summary.paths == 60
    assert result.findings.data.summary.increments == 60 * 100
    squared = opened(version, "discover-2d").surrogate.diffusion_squared(times, np.repeat(at, 2, axis=1))
    assert np.abs(squared - np.eye(2)).max() < 0.2


@pytest.mark.parametrize("version", VERSIONS)
def test_callables_are_polynomials(version):
    result = opened(version, "solve-callables")
    at = np.linspace(-1, 1, 9)[:, None]
    np.testing.assert_allclose(result.surrogate.drift(np.full(9, 0.5), at), at, atol=1e-12)
    again = lsn.solve(result.surrogate, domain=result.domain, formulas=False)
    assert again.dimension == 3


@pytest.mark.parametrize("version", VERSIONS)
def test_every_file_says_everything(version):
    for path in sorted((OLD / version).glob("*.lsn")):
        result = lsn.load(path)
        assert '"schema"' in result.to_json()
        assert result.latex()
        assert result._repr_html_()
