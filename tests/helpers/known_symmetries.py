"""Reference for the tests of `symmetry`: the determining equations by hand, and systems with known symmetries.

Nothing here uses the package's own equations. Generators are text: τ, ξ^1 … ξ^n and, for Fokker–Planck, β.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

from liestonet.core.domain import Domain
from liestonet.core.multiindex import total_degree
from liestonet.sde import SDE
from liestonet.sde.symbolic import SymbolicCoefficients
from liestonet.symmetry.determining.basis import Basis
from liestonet.symmetry.determining.fields import Fields


def squared(sigma: Any) -> Any:
    """a = σσᵀ entry by entry, untouched by simplification."""
    rows = range(len(sigma))
    return [[sum((p * q for p, q in zip(sigma[i], sigma[j], strict=True)), sp.S(0)) for j in rows] for i in rows]


def drift_equations(t, x, f, sigma, tau, xi) -> list[Any]:
    """E1^i of docs/method.md §2.1."""
    d, n, a = sp.diff, range(len(x)), squared(sigma)
    return [
        d(xi[i], t)
        + sum(f[j] * d(xi[i], x[j]) for j in n)
        - sum(xi[j] * d(f[i], x[j]) for j in n)
        - d(tau * f[i], t)
        + sum(a[j][k] * d(xi[i], x[j], x[k]) for j, k in product(n, n)) / 2
        for i in n
    ]


def noise_equations(t, x, sigma, tau, xi) -> list[list[Any]]:
    """E2^i_k of docs/method.md §2.1."""
    d, n = sp.diff, range(len(x))
    return [
        [
            sum(sigma[j][k] * d(xi[i], x[j]) for j in n)
            - sum(xi[j] * d(sigma[i][k], x[j]) for j in n)
            - tau * d(sigma[i][k], t)
            - d(tau, t) * sigma[i][k] / 2
            for k in range(len(sigma[0]))
        ]
        for i in n
    ]


def covariance_equations(t, x, sigma, tau, xi) -> list[list[Any]]:
    """Q^{ij} of docs/method.md §2.2."""
    d, n, a = sp.diff, range(len(x)), squared(sigma)
    return [
        [
            sum(a[i][k] * d(xi[j], x[k]) + a[j][k] * d(xi[i], x[k]) - xi[k] * d(a[i][j], x[k]) for k in n)
            - tau * d(a[i][j], t)
            - d(tau, t) * a[i][j]
            for j in n
        ]
        for i in n
    ]


def density_equations(t, x, f, sigma, tau, xi, beta) -> tuple[list[list[Any]], list[Any], Any]:
    """F1^{ij}, F2^i and F3 of docs/method.md §2.3, with A, B and C of u_t + A^{ij}u_ij + B^i u_i + Cu = 0."""
    d, n, a = sp.diff, range(len(x)), squared(sigma)
    A = [[-a[i][j] / 2 for j in n] for i in n]
    B = [f[i] - sum(d(a[i][j], x[j]) for j in n) for i in n]
    C = sum(d(f[i], x[i]) for i in n) - sum(d(a[i][j], x[i], x[j]) for i, j in product(n, n)) / 2
    F1 = [
        [
            d(tau * A[i][j], t)
            + sum(xi[k] * d(A[i][j], x[k]) - A[i][k] * d(xi[j], x[k]) - A[j][k] * d(xi[i], x[k]) for k in n)
            for j in n
        ]
        for i in n
    ]
    F2 = [
        d(tau * B[i], t)
        + sum(xi[j] * d(B[i], x[j]) - B[j] * d(xi[i], x[j]) + 2 * A[i][j] * d(beta, x[j]) for j in n)
        - d(xi[i], t)
        - sum(A[j][k] * d(xi[i], x[j], x[k]) for j, k in product(n, n))
        for i in n
    ]
    F3 = (
        d(tau * C, t)
        + sum(xi[i] * d(C, x[i]) + B[i] * d(beta, x[i]) for i in n)
        + d(beta, t)
        + sum(A[i][j] * d(beta, x[i], x[j]) for i, j in product(n, n))
    )
    return F1, F2, F3


def upper(matrix: list[list[Any]]) -> list[Any]:
    """The entries of a symmetric matrix, each once."""
    return [matrix[i][j] for i in range(len(matrix)) for j in range(i, len(matrix))]


def flat(matrix: list[list[Any]]) -> list[Any]:
    """All entries, row by row."""
    return [entry for row in matrix for entry in row]


def by_hand(kind: str, t, x, f, sigma, unknowns) -> list[Any]:
    """All determining equations of one kind, in the order of the package's rows."""
    n = len(x)
    tau, xi = unknowns[0], unknowns[1 : n + 1]
    if kind == "ito":
        return [*drift_equations(t, x, f, sigma, tau, xi), *flat(noise_equations(t, x, sigma, tau, xi))]
    if kind == "law":
        return [*drift_equations(t, x, f, sigma, tau, xi), *upper(covariance_equations(t, x, sigma, tau, xi))]
    F1, F2, F3 = density_equations(t, x, f, sigma, tau, xi, unknowns[n + 1])
    return [*upper(F1), *F2, F3]


@cache
def parsed(text: str) -> SymbolicCoefficients:
    symbolic = SDE.parse(text).symbolic
    assert symbolic is not None
    return symbolic


@dataclass(frozen=True)
class Known:
    """An equation, a box away from its singular points, and independent exact generators of each kind.

    `complete` names the kinds of which no further generator exists.
    """

    text: str
    box: tuple[tuple[float, float], ...]
    generators: dict[str, list[tuple[str, ...]]]
    complete: tuple[str, ...] = field(default=())

    @property
    def source(self) -> SymbolicCoefficients:
        return parsed(self.text)

    @property
    def domain(self) -> Domain:
        return Domain.from_pairs(self.box, len(self.box) - 1)

    def expressions(self, kind: str) -> list[list[Any]]:
        return [read(self.source, generator) for generator in self.generators[kind]]


def read(source: SymbolicCoefficients, texts: tuple[str, ...]) -> list[Any]:
    """Expressions from text, in the source's own symbols."""
    names: dict[str, Any] = {str(symbol): symbol for symbol in (source.time, *source.state)}
    sympify: Any = sp.sympify
    return [sympify(text, locals=names) for text in texts]


def numbers(source: SymbolicCoefficients, expressions: list[Any], points: np.ndarray) -> np.ndarray:
    """Values of expressions at points (t, x_1, …), shape (expressions, points)."""
    function = sp.lambdify((source.time, *source.state), expressions, "numpy")
    return np.array([np.broadcast_to(value, len(points)) for value in function(*points.T)], dtype=float)


def scattered(domain: Domain, count: int, seed: int = 0) -> np.ndarray:
    """Random points of a box."""
    return domain.centre + domain.half * np.random.default_rng(seed).uniform(-1, 1, (count, len(domain.half)))


def invertible(seed: int, size: int) -> np.ndarray:
    """A random change of basis with singular values between 1/10 and 10."""
    rng = np.random.default_rng(seed)
    left, right = (np.linalg.qr(rng.standard_normal((size, size)))[0] for _ in range(2))
    return left * 10.0 ** rng.uniform(-1, 1, size) @ right


def polynomial_fields(generators: list[list[Any]], domain: Domain, degree: int, has_beta: bool = False) -> Fields:
    """Fields from polynomials in t, x, y, …: their Legendre coefficients by quadrature, exact up to the degree."""
    variables = sp.symbols("t x y z", real=True)[: len(domain.intervals)]
    nodes, weights = np.polynomial.legendre.leggauss(degree + 1)
    grid = np.array(list(product(nodes, repeat=len(variables))))
    rule = np.array([np.prod(row) for row in product(weights / 2, repeat=len(variables))])
    rows = total_degree(range(len(variables)), len(variables), degree)
    values = [np.polynomial.legendre.legvander(grid[:, v], degree)[:, rows[:, v]] for v in range(len(variables))]
    table = np.prod(values, axis=0) * np.sqrt(np.prod(2 * rows + 1, axis=1))
    points = domain.centre + domain.half * grid
    columns = []
    for generator in generators:
        function = sp.lambdify(variables, [sp.sympify(part) for part in generator], "numpy")
        parts = [np.broadcast_to(part, len(grid)) for part in function(*points.T)]
        columns.append(np.concatenate([table.T @ (rule * part) for part in parts]))
    unknowns = len(generators[0])
    return Fields(Basis(domain, np.ones(unknowns), (rows,) * unknowns), np.array(columns).T, has_beta)


BROWNIAN = Known(
    "dx = dW",
    ((0, 1), (-1, 2)),
    {
        "ito": [("1", "0"), ("0", "1"), ("2*t", "x")],
        "law": [("1", "0"), ("0", "1"), ("2*t", "x")],
        "fokker-planck": [
            ("1", "0", "0"),
            ("0", "1", "0"),
            ("2*t", "x", "0"),
            ("0", "0", "1"),
            ("0", "t", "-x"),
            ("t**2", "t*x", "-(x**2 + t)/2"),
        ],
    },
    ("ito", "law", "fokker-planck"),
)
ORNSTEIN_UHLENBECK = Known(
    "dx = -x dt + dW",
    ((0, 1), (-1, 1.5)),
    {
        "ito": [("1", "0"), ("0", "exp(-t)"), ("exp(-2*t)", "-x*exp(-2*t)")],
        "law": [("1", "0"), ("0", "exp(-t)"), ("exp(-2*t)", "-x*exp(-2*t)")],
        "fokker-planck": [
            ("1", "0", "0"),
            ("0", "0", "1"),
            ("0", "exp(-t)", "0"),
            ("exp(-2*t)", "-x*exp(-2*t)", "exp(-2*t)"),
            ("0", "exp(t)", "-2*x*exp(t)"),
            ("exp(2*t)", "x*exp(2*t)", "-2*x**2*exp(2*t)"),
        ],
    },
    ("ito", "law", "fokker-planck"),
)
# dy = c dt + s dW in y = log x with c = μ − s²/2; here μ = 1, s = 1/2, c = 7/8, and z = log x − ct is Brownian
GEOMETRIC = Known(
    "dx = x dt + x/2 dW",
    ((0, 1), (1, 2)),
    {
        "ito": [("1", "0"), ("0", "x"), ("2*t", "x*(log(x) + 7*t/8)")],
        "law": [("1", "0"), ("0", "x"), ("2*t", "x*(log(x) + 7*t/8)")],
        "fokker-planck": [
            ("1", "0", "0"),
            ("0", "0", "1"),
            ("0", "x", "0"),
            ("2*t", "x*(log(x) + 7*t/8)", "-(log(x) + 7*t/8)"),
            ("0", "x*t", "-4*(log(x) - 7*t/8) - t"),
            ("t**2", "t*x*log(x)", "-2*(log(x) - 7*t/8)**2 - t/2 - t*log(x)"),
        ],
    },
    ("ito", "law", "fokker-planck"),
)
DOUBLE_WELL = Known(
    "dx = (x - x^3) dt + dW",
    ((0, 1), (-1, 1.5)),
    {"ito": [("1", "0")], "law": [("1", "0")], "fokker-planck": [("1", "0", "0"), ("0", "0", "1")]},
    ("ito", "law", "fokker-planck"),
)
_KICKED = [("1", "0", "0"), ("0", "1", "0"), ("0", "exp(-t)", "-exp(-t)")]
EXAMPLE_3 = Known(
    "dx = y dt; dy = -y dt + sqrt(2) dW",
    ((0, 2), (-3, 3), (-2, 2.5)),
    {
        "ito": _KICKED,
        "law": _KICKED,
        "fokker-planck": [
            *[(*generator, "0") for generator in _KICKED],
            ("0", "0", "0", "1"),
            ("0", "-2*t", "-2", "x + y"),
            ("0", "-exp(t)", "-exp(t)", "y*exp(t)"),
        ],
    },
    ("ito", "law", "fokker-planck"),
)
_PLANE = [("1", "0", "0"), ("0", "1", "0"), ("0", "0", "1"), ("2*t", "x", "y")]
PLANE = Known(
    "dx = dW1; dy = dW2",
    ((0, 1), (-1, 1), (-1, 2)),
    {"ito": _PLANE, "law": [*_PLANE, ("0", "-y", "x")]},
    ("ito", "law"),
)
KOLMOGOROV = Known(
    "dx = dW; dy = x dt",
    ((0, 1), (-1, 1), (-1, 1)),
    {"ito": [("1", "0", "0"), ("0", "1", "t"), ("0", "0", "1"), ("2*t", "x", "3*y")]},
    ("ito",),
)
TWO_NOISES = Known(
    "dx = x/2 dt + dW1 + x dW2",
    ((0, 1), (-1, 1)),
    {
        "ito": [("1", "0")],
        "law": [("1", "0"), ("0", "sqrt(1 + x**2)"), ("2*t", "sqrt(1 + x**2)*asinh(x)")],
    },
    ("ito", "law"),
)
# 4κθ = σ²: in y = 2√x this is dy = −y/2 dt + dW
SQUARE_ROOT = Known(
    "dx = (1/4 - x) dt + sqrt(x) dW",
    ((0, 1), (1, 3)),
    {"ito": [("1", "0"), ("exp(-t)", "-x*exp(-t)"), ("0", "sqrt(x)*exp(-t/2)")]},
    ("ito",),
)
FELLER = Known(
    "dx = (1 - x) dt + sqrt(x) dW", ((0, 1), (1, 3)), {"ito": [("1", "0"), ("exp(-t)", "-x*exp(-t)")]}, ("ito",)
)
BESSEL = Known(
    "dx = 1/x dt + dW",
    ((0, 1), (1, 3)),
    {
        "ito": [("1", "0"), ("2*t", "x")],
        # at A = 1 the density divided by x solves the heat equation
        "fokker-planck": [
            ("1", "0", "0"),
            ("0", "0", "1"),
            ("2*t", "x", "0"),
            ("t**2", "t*x", "-(x**2 - t)/2"),
            ("0", "1", "1/x"),
            ("0", "t", "-x + t/x"),
        ],
    },
    ("ito", "fokker-planck"),
)
DRIVEN = Known(
    "dx = sin(t) dt + dW",
    ((0, 2), (-1, 2)),
    {"ito": [("1", "sin(t)"), ("0", "1"), ("2*t", "x + cos(t) + 2*t*sin(t)")]},
    ("ito",),
)
ROTATING = Known(
    "dx = -y dt + dW1; dy = x dt + dW2",
    ((0, 1), (-1, 1), (-1, 2)),
    {
        "ito": [("1", "0", "0"), ("0", "cos(t)", "sin(t)"), ("0", "-sin(t)", "cos(t)")],
        "law": [
            ("1", "0", "0"),
            ("0", "cos(t)", "sin(t)"),
            ("0", "-sin(t)", "cos(t)"),
            ("0", "-y", "x"),
            ("2*t", "x - 2*t*y", "y + 2*t*x"),
        ],
    },
    ("ito", "law"),
)
# every function of y e^{−t} may multiply ∂x and y∂y
UNBOUNDED = Known("dx = dW; dy = y dt", ((0, 1), (-1, 1), (1, 2)), {"ito": [("0", "1", "0"), ("0", "0", "y")]})

SYSTEMS = {
    "Brownian motion": BROWNIAN,
    "Ornstein-Uhlenbeck": ORNSTEIN_UHLENBECK,
    "geometric Brownian motion": GEOMETRIC,
    "double well": DOUBLE_WELL,
    "Example 3": EXAMPLE_3,
    "plane": PLANE,
    "Kolmogorov": KOLMOGOROV,
    "two noises": TWO_NOISES,
    "square root": SQUARE_ROOT,
    "Feller": FELLER,
    "Bessel": BESSEL,
    "driven": DRIVEN,
    "rotating": ROTATING,
    "unbounded": UNBOUNDED,
}
CASES = [(name, kind) for name, known in SYSTEMS.items() for kind in known.generators]
