"""The tables of determining equations against docs/method.md §2 written out by hand, on random functions."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import sympy as sp

from known_symmetries import (
    CASES,
    GEOMETRIC,
    ORNSTEIN_UHLENBECK,
    SYSTEMS,
    by_hand,
    covariance_equations,
    density_equations,
    drift_equations,
    flat,
    noise_equations,
    numbers,
    read,
    scattered,
)
from liestonet.core.domain import Domain
from liestonet.core.multiindex import total_degree
from liestonet.core.points import tensor_cloud
from liestonet.errors import InputError
from liestonet.sde import SDE
from liestonet.sde.symbolic import SymbolicCoefficients
from liestonet.symmetry.determining.basis import Basis
from liestonet.symmetry.determining.kinds import INVARIANT, KINDS, kind_named
from liestonet.symmetry.determining.operator import Operator

SHAPES = [(1, 1), (1, 2), (2, 1), (2, 2)]


class Generic:
    """Coefficients and unknowns that are undetermined functions of t and x."""

    def __init__(self, n: int, r: int) -> None:
        self.t = sp.Symbol("t", real=True)
        self.x = sp.symbols("x y", real=True)[:n]

        def free(name: str):
            return sp.Function(name)(self.t, *self.x)

        self.f = [free(f"f{i}") for i in range(n)]
        self.sigma = [[free(f"s{i}{k}") for k in range(r)] for i in range(n)]
        self.tau, self.xi, self.beta = sp.Function("tau")(self.t), [free(f"xi{i}") for i in range(n)], free("beta")
        self.source = SymbolicCoefficients(self.x, self.t, sp.ImmutableMatrix(self.f), sp.ImmutableMatrix(self.sigma))


@cache
def generic(n: int, r: int) -> Generic:
    return Generic(n, r)


def residuals(known, kind: str, generator) -> list:
    """The package's equations for one generator of one system."""
    source = known.source
    return KINDS[kind].equations(source.dimension, source.noise).residuals(source, generator)


def identical(found, expected) -> bool:
    assert len(found) == len(expected)
    return all(sp.expand((a - b).doit()) == 0 for a, b in zip(found, expected, strict=True))


ORDINARY = [name for name, kind in KINDS.items() if not kind.extended]


@pytest.mark.parametrize("kind", ORDINARY)
@pytest.mark.parametrize(("n", "r"), SHAPES)
def test_tables_are_the_equations_of_the_theory(kind, n, r):
    g = generic(n, r)
    unknowns = [g.tau, *g.xi, *([g.beta] if kind == "fokker-planck" else [])]
    found = KINDS[kind].equations(n, r).residuals(g.source, unknowns)
    assert identical(found, by_hand(kind, g.t, g.x, g.f, g.sigma, unknowns))


class Extended:
    """A generic equation beside its Wiener processes, and a generic field φ(t, x, w) that moves x only."""

    def __init__(self, n: int, r: int) -> None:
        base = generic(n, r)
        self.t, self.x, self.w = base.t, base.x, sp.symbols("w1 w2", real=True)[:r]
        self.f, self.sigma = base.f, base.sigma
        self.phi = [sp.Function(f"phi{i}")(self.t, *self.x, *self.w) for i in range(n)]
        drift = sp.ImmutableMatrix([*base.f, *[0] * r])
        noise = sp.ImmutableMatrix(sp.Matrix(base.sigma).col_join(sp.eye(r)))
        self.source = SymbolicCoefficients((*self.x, *self.w), self.t, drift, noise)
        self.rows = KINDS["random"].equations(n + r, r).residuals(self.source, [0, *self.phi, *[0] * r])

    def bracket(self, drift: list, wiener: int | None) -> list:
        """[V, φ] for V = ∂_t + drift·∂x, or ∂_w + drift·∂x for one of the Wiener processes."""
        outer = self.t if wiener is None else self.w[wiener]
        return [
            sp.diff(p, outer)
            + sum(drift[j] * sp.diff(p, y) - self.phi[j] * sp.diff(drift[i], y) for j, y in enumerate(self.x))
            for i, p in enumerate(self.phi)
        ]


@pytest.mark.parametrize(("n", "r"), SHAPES)
def test_random_table_is_the_equation_of_the_theory(n, r):
    """The equations of Gaeta and Spadaro (arXiv:1705.08873), written out."""
    g = Extended(n, r)
    a = sp.Matrix(g.sigma) * sp.Matrix(g.sigma).T
    first = []
    for i, p in enumerate(g.phi):
        total = sp.diff(p, g.t) + sum(sp.diff(p, w, 2) for w in g.w) / 2
        for j, y in enumerate(g.x):
            total += g.f[j] * sp.diff(p, y) - g.phi[j] * sp.diff(g.f[i], y)
            total += sum(g.sigma[j][k] * sp.diff(p, y, w) for k, w in enumerate(g.w))
            total += sum(a[j, m] * sp.diff(p, y, z) for m, z in enumerate(g.x)) / 2
        first.append(total)
    columns = [[g.sigma[i][k] for i in range(n)] for k in range(r)]
    brackets = [g.bracket(column, k) for k, column in enumerate(columns)]
    second = [brackets[k][i] for i in range(n) for k in range(r)]
    assert identical(g.rows, [*first, *second])


@pytest.mark.parametrize(("n", "r"), SHAPES)
def test_random_symmetries_are_those_that_commute(n, r):
    """docs/method.md §2.7: E1 = [V₀, φ] + ½ (V_k e_k + e_k·∂σ_k) with e_k = [V_k, φ], whatever φ is."""
    g = Extended(n, r)
    columns = [[g.sigma[i][k] for i in range(n)] for k in range(r)]
    slope = [sum(c[j] * sp.diff(c[i], y) for c in columns for j, y in enumerate(g.x)) / 2 for i in range(n)]
    expected = g.bracket([f - s for f, s in zip(g.f, slope, strict=True)], None)
    for k, column in enumerate(columns):
        e = g.bracket(column, k)
        for i in range(n):
            carried = sp.diff(e[i], g.w[k]) + sum(column[j] * sp.diff(e[i], y) for j, y in enumerate(g.x))
            expected[i] += (carried + sum(e[j] * sp.diff(column[i], y) for j, y in enumerate(g.x))) / 2
    assert identical(g.rows[:n], expected)


@pytest.mark.parametrize(("n", "r"), SHAPES)
def test_invariant_equations_are_itos_formula(n, r):
    g = generic(n, r)
    a = g.source.diffusion * g.source.diffusion.T
    value = g.beta
    drift = sp.diff(value, g.t) + sum(f * sp.diff(value, x) for f, x in zip(g.f, g.x, strict=True))
    drift += sum(a[i, j] * sp.diff(value, g.x[i], g.x[j]) for i in range(n) for j in range(n)) / 2
    noise = [sum(g.sigma[i][k] * sp.diff(value, g.x[i]) for i in range(n)) for k in range(r)]
    assert identical(INVARIANT.equations(n, r).residuals(g.source, [value]), [drift, *noise])


@pytest.mark.parametrize(("n", "r"), SHAPES)
def test_covariance_equation_comes_from_the_noise_equation(n, r):
    g = generic(n, r)
    rows = KINDS["ito"].equations(n, r).residuals(g.source, [g.tau, *g.xi])
    E2, sigma = sp.Matrix(n, r, rows[n:]), sp.Matrix(g.sigma)
    Q = E2 * sigma.T + sigma * E2.T
    found = KINDS["law"].equations(n, r).residuals(g.source, [g.tau, *g.xi])[n:]
    assert identical(found, [Q[i, j] for i in range(n) for j in range(i, n)])


@pytest.mark.parametrize(("n", "r"), SHAPES)
def test_lift_identities(n, r):
    """With β = −div ξ: F1 = Q/2, F2^i = −E1^i + ∂_j Q^{ij}, F3 = −div E1 + ½ ∂_ij Q^{ij}."""
    g = generic(n, r)
    beta = -sum(sp.diff(xi, x) for xi, x in zip(g.xi, g.x, strict=True))
    law = KINDS["law"].equations(n, r).residuals(g.source, [g.tau, *g.xi])
    E1, upper = law[:n], iter(law[n:])
    Q = {}
    for i in range(n):
        for j in range(i, n):
            Q[i, j] = Q[j, i] = next(upper)
    indices = range(n)
    expected = [Q[i, j] / 2 for i in indices for j in range(i, n)]
    expected += [-E1[i] + sum(sp.diff(Q[i, j], g.x[j]) for j in indices) for i in indices]
    expected += [
        -sum(sp.diff(E1[i], g.x[i]) for i in indices)
        + sum(sp.diff(Q[i, j], g.x[i], g.x[j]) for i in indices for j in indices) / 2
    ]
    assert identical(KINDS["fokker-planck"].equations(n, r).residuals(g.source, [g.tau, *g.xi, beta]), expected)


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_true_generators_are_annihilated(name, kind):
    known = SYSTEMS[name]
    points = scattered(known.domain, 20)
    for generator in known.expressions(kind):
        values = numbers(known.source, residuals(known, kind, generator), points)
        np.testing.assert_allclose(values, 0, atol=1e-12, err_msg=str(generator))


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_the_oracle_itself_is_right(name, kind):
    """The listed generators solve the hand-written equations and are independent: later tests lean on them."""
    known = SYSTEMS[name]
    source = known.source
    generators = known.expressions(kind)
    for generator in generators:
        rows = by_hand(kind, source.time, source.state, source.drift.flat(), source.diffusion.tolist(), generator)
        assert all(sp.simplify(value) == 0 for value in rows)
    points = scattered(known.domain, 20)
    columns = np.array([numbers(source, generator, points).ravel() for generator in generators])
    columns /= np.linalg.norm(columns, axis=1, keepdims=True)
    assert np.linalg.svd(columns, compute_uv=False)[-1] > 1e-4


NEAR_MISSES = [
    ("Brownian motion", "ito", ("0", "exp(t)")),  # belongs to dx = x dt + dW
    ("Brownian motion", "ito", ("-2*t", "x")),  # wrong sign
    ("Brownian motion", "ito", ("t", "x")),  # x scales like the root of time
    ("Brownian motion", "ito", ("0", "x")),  # belongs to multiplicative noise
    ("Brownian motion", "ito", ("t**2", "t*x")),  # a symmetry of the density only
    ("Brownian motion", "fokker-planck", ("0", "t", "x")),
    ("Brownian motion", "fokker-planck", ("t**2", "t*x", "-(x**2 - t)/2")),
    ("Ornstein-Uhlenbeck", "ito", ("0", "exp(t)")),
    ("Ornstein-Uhlenbeck", "ito", ("0", "1")),
    ("Ornstein-Uhlenbeck", "ito", ("exp(2*t)", "x*exp(2*t)")),
    ("Ornstein-Uhlenbeck", "fokker-planck", ("0", "exp(t)", "2*x*exp(t)")),
    ("geometric Brownian motion", "ito", ("0", "1")),  # belongs to additive noise
    ("geometric Brownian motion", "ito", ("2*t", "x*(log(x) - 7*t/8)")),
    ("geometric Brownian motion", "fokker-planck", ("0", "x", "x")),
    ("double well", "ito", ("0", "1")),
    ("double well", "fokker-planck", ("0", "0", "x")),
    ("Example 3", "ito", ("0", "exp(-t)", "exp(-t)")),
    ("Example 3", "ito", ("2*t", "3*x", "y")),  # belongs to dy = dW
    ("plane", "ito", ("0", "-y", "x")),  # turns the noise
    ("plane", "law", ("0", "y", "x")),
    ("Kolmogorov", "ito", ("2*t", "x", "2*y")),
    ("two noises", "ito", ("0", "sqrt(1 + x**2)")),
    ("Feller", "ito", ("0", "sqrt(x)*exp(-t/2)")),
]


@pytest.mark.parametrize(("name", "kind", "generator"), NEAR_MISSES)
def test_near_misses_are_not_annihilated(name, kind, generator):
    known = SYSTEMS[name]
    values = numbers(known.source, residuals(known, kind, read(known.source, generator)), scattered(known.domain, 20))
    assert np.max(np.abs(values)) > 0.1


def test_every_sign_matters():
    """Turning round any one component of a generator that has two breaks at least one equation."""
    for name, kind in [case for case in CASES if case[1] != "law"]:
        known = SYSTEMS[name]
        for generator in known.expressions(kind):
            present = [position for position, part in enumerate(generator) if part != 0]
            for position in present if len(present) > 1 else []:
                turned = [-part if i == position else part for i, part in enumerate(generator)]
                values = numbers(known.source, residuals(known, kind, turned), scattered(known.domain, 5))
                assert np.max(np.abs(values)) > 1e-2, (name, kind, generator, position)


def printed_theorem(source, generator) -> list:
    """The paper's FP theorem: in its second equation both signs of Bξ_x − ξB_x are wrong."""
    t, (x,), (tau, xi, beta) = source.time, source.state, generator
    f, a, d = source.drift[0], source.diffusion_squared[0], sp.diff
    A, B, C = -a / 2, f - d(a, x), d(f, x) - d(a, x, 2) / 2
    return [
        d(tau * A, t) + xi * d(A, x) - 2 * A * d(xi, x),
        d(tau * B, t) - d(xi, t) + B * d(xi, x) - xi * d(B, x) - A * d(xi, x, 2) + 2 * A * d(beta, x),
        d(tau * C, t) + xi * d(C, x) + d(beta, t) + A * d(beta, x, 2) + B * d(beta, x),
    ]


def printed_appendix(source, generator) -> list:
    """The paper's L8: the right equations with B = f − A_x and C = f_x − A_xx."""
    t, (x,), (tau, xi, beta) = source.time, source.state, generator
    f, a, d = source.drift[0], source.diffusion_squared[0], sp.diff
    A = -a / 2
    B, C = f - d(A, x), d(f, x) - d(A, x, 2)
    return [
        d(tau * A, t) + xi * d(A, x) - 2 * A * d(xi, x),
        d(tau * B, t) - d(xi, t) - B * d(xi, x) + xi * d(B, x) - A * d(xi, x, 2) + 2 * A * d(beta, x),
        d(tau * C, t) + xi * d(C, x) + d(beta, t) + A * d(beta, x, 2) + B * d(beta, x),
    ]


def corrected(source, generator) -> list:
    return KINDS["fokker-planck"].equations(1, 1).residuals(source, generator)


@pytest.mark.parametrize(
    ("known", "equations", "annihilated"),
    [
        (ORNSTEIN_UHLENBECK, corrected, 6),
        (GEOMETRIC, corrected, 6),
        (ORNSTEIN_UHLENBECK, printed_theorem, 4),
        (GEOMETRIC, printed_theorem, 4),
        (GEOMETRIC, printed_appendix, 3),
        (ORNSTEIN_UHLENBECK, printed_appendix, 6),  # constant noise: the wrong B and C do not show
    ],
)
def test_misprints_lose_true_generators(known, equations, annihilated):
    source, points = known.source, scattered(known.domain, 40)
    images = [numbers(source, equations(source, g), points).ravel() for g in known.expressions("fokker-planck")]
    values = np.linalg.svd(np.array(images), compute_uv=False)
    assert np.sum(values < 1e-10) == annihilated
    assert np.all((values < 1e-10) | (values > 1e-2))


@pytest.mark.parametrize("kind", [name for name, kind in KINDS.items() if not kind.extended])
def test_relative_residual_has_no_units(kind):
    """The operator in the basis of its own box is the same matrix in minutes and millimetres as in seconds."""
    text = "dx = (1 + t x - y^2) dt + (2 + x y) dW1 + t dW2; dy = cos(x + t) dt + (1 + y^2) dW2"
    source = SDE.parse(text).symbolic
    assert source is not None
    minute, units = sp.Integer(60), [sp.Rational(1, 1000), sp.Integer(7)]
    change = {source.time: minute * source.time, **{x: u * x for x, u in zip(source.state, units, strict=True)}}
    shrink = sp.diag(*[1 / u for u in units])
    drift = sp.ImmutableMatrix(shrink * source.drift.subs(change, simultaneous=True) * minute)
    diffusion = sp.ImmutableMatrix(shrink * source.diffusion.subs(change, simultaneous=True) * sp.sqrt(minute))
    other = SymbolicCoefficients(source.state, source.time, drift, diffusion)
    here = Domain(((0.0, 2.0), (1.0, 2.0), (-1.0, 3.0)))
    sizes = [60.0, 1e-3, 7.0]
    there = Domain(tuple((low / u, high / u) for (low, high), u in zip(here.intervals, sizes, strict=True)))
    grams = []
    for coefficients, domain in ((source, here), (other, there)):
        equations = KINDS[kind].equations(2, 2)
        rows = total_degree(range(3), 3, 2)
        time = total_degree([0], 3, 2)
        degrees = (time, rows, rows, *([rows] if kind == "fokker-planck" else []))
        basis = Basis(domain, equations.unknown_scales(domain.half), degrees)
        operator = Operator(KINDS[kind], coefficients, domain, tensor_cloud(domain, np.full(3, 4)))
        grams.append(operator.assemble(basis).gram())
    np.testing.assert_allclose(grams[0], grams[1], rtol=0, atol=1e-12 * np.max(grams[0]))


def test_scales_of_the_ito_equations():
    """T/L_i for E1^i and √T/L_i for E2^i; T for τ and L_i for ξ^i: docs/method.md §3.1."""
    half, table = np.array([2.0, 3.0, 5.0]), KINDS["ito"].equations(2, 1)
    np.testing.assert_allclose(table.row_scales(half), [2 / 3, 2 / 5, 2**0.5 / 3, 2**0.5 / 5], rtol=1e-15)
    np.testing.assert_array_equal(table.unknown_scales(half), half)


@pytest.mark.parametrize(("kind", "label"), [("law", "Q"), ("fokker-planck", "F1")])
def test_off_diagonal_rows_count_twice(kind, label):
    """The sum over all i, j of (T Q^{ij}/(L_i L_j))² from rows i ≤ j."""
    half, table = np.array([2.0, 3.0, 5.0]), KINDS[kind].equations(2, 1)
    scales = dict(zip([row.label for row in table.rows], table.row_scales(half), strict=True))
    expected = {f"{label}[1,1]": 2 / 9, f"{label}[1,2]": 2**0.5 * 2 / 15, f"{label}[2,2]": 2 / 25}
    expected |= {"F2[1]": 2 / 3, "F2[2]": 2 / 5, "F3": 2.0} if label == "F1" else {"E1[1]": 2 / 3, "E1[2]": 2 / 5}
    assert scales == pytest.approx(expected, rel=1e-15)
    assert table.unknown_scales(half).tolist() == [2, 3, 5, 1][: len(table.unknowns)]


def test_kinds_by_name():
    assert kind_named("Fokker_Planck") is KINDS["fokker-planck"]
    assert kind_named(KINDS["law"]) is KINDS["law"]
    with pytest.raises(InputError, match="ito, law, fokker-planck"):
        kind_named("strong")


def test_hand_written_equations_agree_among_themselves():
    """A slip of the pen in the oracle would break Q = E2σᵀ + σE2ᵀ or the lift; neither uses the package."""
    g = generic(2, 1)
    E2, sigma = sp.Matrix(noise_equations(g.t, g.x, g.sigma, g.tau, g.xi)), sp.Matrix(g.sigma)
    Q = covariance_equations(g.t, g.x, g.sigma, g.tau, g.xi)
    assert identical(list(E2 * sigma.T + sigma * E2.T), flat(Q))
    beta = -sum(sp.diff(xi, x) for xi, x in zip(g.xi, g.x, strict=True))
    F1, F2, _ = density_equations(g.t, g.x, g.f, g.sigma, g.tau, g.xi, beta)
    E1 = drift_equations(g.t, g.x, g.f, g.sigma, g.tau, g.xi)
    assert identical(flat(F1), [value / 2 for value in flat(Q)])
    assert identical(F2, [-E1[i] + sum(sp.diff(Q[i][j], g.x[j]) for j in range(2)) for i in range(2)])
