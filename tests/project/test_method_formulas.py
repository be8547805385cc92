"""Formulas of docs/method.md against derivations that do not use them, by SymPy or in numbers.

More are in test_method_recordings.py and test_method_uses.py; test_method_sections.py says what is checked where.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
import scipy.stats
import sympy as sp

import liestonet as lsn
from known_symmetries import flat
from liestonet.algebra.bianchi import LEVI_CIVITA
from liestonet.algebra.exact_constants import exact_constants
from liestonet.algebra.naming import name_algebra
from liestonet.core.points import PointCloud
from liestonet.core.uncertainty import Block, Folds
from liestonet.formulas.estimated.simple_numbers import simple_number
from liestonet.inference.refit import refit_exactly
from liestonet.sde.symbolic import SymbolicCoefficients
from liestonet.surrogate.discretisation import added_by_step
from liestonet.surrogate.surrogate import Surrogate
from liestonet.symmetry.determining.kinds import KINDS, LAW
from liestonet.symmetry.statistical.evidence import Evidence
from liestonet.symmetry.statistical.noisy_operator import NoisyOperator
from liestonet.symmetry.statistical.search import generator_basis, mixed_cloud
from liestonet.symmetry.statistical.tuning import JUDGING
from liestonet.symmetry.statistical.verdicts import most_symmetries
from liestonet.validation.generator_input import read_generators
from liestonet.validation.generator_residuals import put_in

t, eps = sp.symbols("t epsilon", real=True)
x, y = sp.symbols("x y", real=True)


def free(name: str, *variables: Any) -> Any:
    """A random function."""
    return sp.Function(name)(*variables)


def vanish(*expressions: Any) -> bool:
    return all(sp.expand(sp.sympify(expression).doit()) == 0 for expression in expressions)


def at(expression: Any, places: dict[Any, Any]) -> Any:
    """A function at another point; derivatives taken afterwards are those of the composition."""
    return expression.subs(places, simultaneous=True)


def ito_drift(g: Any, states: tuple[Any, ...], f: list[Any], sigma: list[list[Any]]) -> Any:
    """Itô's formula: what stands before dt in dg."""
    n = range(len(states))
    second = sum(
        sigma[i][k] * sigma[j][k] * sp.diff(g, states[i], states[j])
        for i, j in product(n, n)
        for k in range(len(sigma[0]))
    )
    return sp.diff(g, t) + sum(f[i] * sp.diff(g, states[i]) for i in n) + second / 2


def ito_noise(g: Any, states: tuple[Any, ...], sigma: list[list[Any]], k: int) -> Any:
    """Itô's formula: what stands before dW^k in dg."""
    return sum(sigma[i][k] * sp.diff(g, states[i]) for i in range(len(states)))


@pytest.mark.parametrize(("n", "r"), [(1, 1), (1, 2), (2, 1), (2, 2)])
def test_determining_equations_are_the_first_order_of_the_transformed_process(n, r):
    """§2.1, §2.2 and §8.1: x̃ = x + εξ in the clock t̃ = t + ετ, by Itô's formula and dW̃ = √(dt̃/dt) dW."""
    states = (x, y)[:n]
    f = [free(f"f{i}", t, *states) for i in range(n)]
    sigma = [[free(f"s{i}{k}", t, *states) for k in range(r)] for i in range(n)]
    tau, xi = free("tau", t), [free(f"xi{i}", t, *states) for i in range(n)]
    speed = 1 + eps * sp.diff(tau, t)
    moved = {t: t + eps * tau, **{states[i]: states[i] + eps * xi[i] for i in range(n)}}
    images = [states[i] + eps * xi[i] for i in range(n)]
    drift = [ito_drift(images[i], states, f, sigma) / speed - at(f[i], moved) for i in range(n)]
    noise = [
        [ito_noise(images[i], states, sigma, k) / sp.sqrt(speed) - at(sigma[i][k], moved) for k in range(r)]
        for i in range(n)
    ]
    squared = [
        [
            sum(
                ito_noise(images[i], states, sigma, k) * ito_noise(images[j], states, sigma, k) / speed
                - at(sigma[i][k], moved) * at(sigma[j][k], moved)
                for k in range(r)
            )
            for j in range(i, n)
        ]
        for i in range(n)
    ]

    def first_order(rows: list[Any]) -> list[Any]:
        return [sp.diff(row, eps).subs(eps, 0).doit() for row in rows]

    source = SymbolicCoefficients(states, t, sp.ImmutableMatrix(f), sp.ImmutableMatrix(sigma))
    ito = KINDS["ito"].equations(n, r).residuals(source, [tau, *xi])
    law = KINDS["law"].equations(n, r).residuals(source, [tau, *xi])
    derived = first_order(drift)
    assert vanish(*(a - b for a, b in zip(ito, [*derived, *first_order(flat(noise))], strict=True)))
    assert vanish(*(a - b for a, b in zip(law, [*derived, *first_order(flat(squared))], strict=True)))


def polynomial(rng: np.random.Generator, variables: tuple[Any, ...], degree: int = 2) -> Any:
    """All terms up to a total degree, with small whole coefficients."""
    powers = (row for row in product(range(degree + 1), repeat=len(variables)) if sum(row) <= degree)
    terms = [sp.prod([v**k for v, k in zip(variables, row, strict=True)]) for row in powers]
    return sum(int(rng.integers(1, 9)) * term for term in terms)


POINT = {t: sp.Rational(1, 3), x: sp.Rational(2, 5), y: sp.Rational(-1, 7)}


@pytest.mark.parametrize("n", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_fokker_planck_equations_are_those_of_the_pushed_solution(n):
    """§2.3: to first order the pushed density is u + εη, η = βu − τu_t − ξ·∇u, and solves the equation.

    At one time u may be any function of state, here exp(k·x), and its time derivatives follow from the equation; the
    powers of k then stand for u_ij, u_i and u. In one dimension all functions are free, in two they are polynomials.
    """
    states, rng, places = (x, y)[:n], np.random.default_rng(n), range(n)
    if n == 1:
        f, sigma = [free("f", t, x)], [[free("s", t, x)]]
        tau, xi, beta = free("tau", t), [free("xi", t, x)], free("beta", t, x)
    else:
        f, xi = ([polynomial(rng, (t, x, y)) for _ in states] for _ in range(2))
        sigma = [[x * y + t * x, y**2 + 2], [x**2 - t, 3 * y + t * x]]
        tau, beta = polynomial(rng, (t,), 3), polynomial(rng, (t, x, y))
    a = [[sp.expand(sum(p * q for p, q in zip(sigma[i], sigma[j], strict=True))) for j in places] for i in places]
    wave = sp.symbols("k l")[:n]
    u = sp.exp(sum(k * v for k, v in zip(wave, states, strict=True)))

    def rate(v: Any, order: int = 0) -> Any:
        """∂_t of a density, −∂_i(f^i v) + ½ ∂_ij(a^{ij} v), or the same with time derivatives of f and a."""
        flux = sum(sp.diff(sp.diff(f[i], t, order) * v, states[i]) for i in places)
        pairs = product(places, places)
        return sum(sp.diff(sp.diff(a[i][j], t, order) * v, states[i], states[j]) for i, j in pairs) / 2 - flux

    def moved(v: Any, order: int = 0) -> Any:
        return sum(sp.diff(xi[i], t, order) * sp.diff(v, states[i]) for i in places)

    now = rate(u)
    change = beta * u - tau * now - moved(u)
    slope = sp.diff(beta, t) * u + beta * now - sp.diff(tau, t) * now - tau * (rate(u, 1) + rate(now))
    residual = slope - moved(u, 1) - moved(now) - rate(change)
    source = SymbolicCoefficients(states, t, sp.ImmutableMatrix(f), sp.ImmutableMatrix(sigma))
    rows = iter(KINDS["fokker-planck"].equations(n, len(sigma[0])).residuals(source, [tau, *xi, beta]))
    expected = sp.S(0)
    for i in places:
        for j in range(i, n):
            expected += (1 if i == j else 2) * next(rows) * wave[i] * wave[j]
    expected += sum(next(rows) * wave[i] for i in places)
    difference = residual / u - expected - next(rows)
    assert vanish(difference if n == 1 else difference.subs(POINT))


@pytest.mark.parametrize("n", [1, 2])
def test_bracket_is_the_commutator_of_the_operators(n):
    """§1.2, with β: on functions of time, state and density."""
    u, states = sp.Symbol("u"), (x, y)[:n]
    value = free("G", t, *states, u)

    def fields(name: str) -> tuple[Any, list[Any], Any]:
        xi = [free(f"{name}{i}", t, *states) for i in range(n)]
        return free(f"{name}t", t), xi, free(f"{name}b", t, *states)

    def apply(field: tuple[Any, list[Any], Any], g: Any) -> Any:
        tau, xi, beta = field
        return tau * sp.diff(g, t) + sum(xi[i] * sp.diff(g, states[i]) for i in range(n)) + beta * u * sp.diff(g, u)

    def along(field: tuple[Any, list[Any], Any], g: Any) -> Any:
        return field[0] * sp.diff(g, t) + sum(field[1][i] * sp.diff(g, states[i]) for i in range(n))

    first, second = fields("p"), fields("q")
    bracket = (
        first[0] * sp.diff(second[0], t) - second[0] * sp.diff(first[0], t),
        [along(first, second[1][i]) - along(second, first[1][i]) for i in range(n)],
        along(first, second[2]) - along(second, first[2]),
    )
    commutator = apply(first, apply(second, value)) - apply(second, apply(first, value))
    assert vanish(commutator - apply(bracket, value))


def test_brackets_of_the_package_have_beta():
    """§1.2 and §11.1: [∂t, t∂x − xu∂u] = ∂x and [∂x, t∂x − xu∂u] = −u∂u."""
    zero, one = sp.S(0), sp.S(1)
    generators = [[one, zero, zero], [zero, one, zero], [zero, t, -x], [zero, zero, one]]
    points = np.random.default_rng(0).uniform(0.5, 1.5, (40, 2))
    constants = exact_constants(generators, (t, x), points)
    assert constants is not None
    expected = np.zeros((4, 4, 4))
    expected[0, 2, 1], expected[2, 0, 1] = 1, -1
    expected[1, 2, 3], expected[2, 1, 3] = -1, 1
    np.testing.assert_allclose(constants, expected, atol=1e-12)


def test_itos_formula_along_a_finite_flow_is_the_prolongation():
    """§8.1: the coefficients of the process pushed by x²∂x + 2t∂t obey the equations for dμ/dε, dσ/dε and da/dε."""
    f, s = free("f", t, x), free("s", t, x)
    image, clock = x / (1 - eps * x), sp.exp(2 * eps) * t
    speed = sp.diff(clock, t)
    assert vanish(sp.simplify(sp.diff(image, eps) - image**2), sp.diff(clock, eps) - 2 * clock)
    drift = ito_drift(image, (x,), [f], [[s]]) / speed
    noise = ito_noise(image, (x,), [[s]], 0) / sp.sqrt(speed)
    squared = noise**2
    slope, bend, tau_rate = 2 * image, 2, 2  # ξ = z² at the image, and τ = 2t
    rates = [
        slope * drift + squared * bend / 2 - tau_rate * drift,
        slope * noise - tau_rate * noise / 2,
        2 * slope * squared - tau_rate * squared,
    ]
    for carried, rate in zip((drift, noise, squared), rates, strict=True):
        assert sp.simplify((sp.diff(carried, eps) - rate).doit()) == 0


def test_a_flow_that_ends():
    """§8.1: e^{2t}∂t exists for ε < ½e^{−2t}."""
    clock = -sp.log(sp.exp(-2 * t) - 2 * eps) / 2
    assert vanish(sp.diff(clock, eps) - sp.exp(2 * clock), sp.simplify(clock.subs(eps, 0) - t))
    assert sp.limit(clock.subs(t, 0), eps, sp.Rational(1, 2), "-") == sp.oo


def test_change_of_a_cholesky_factor():
    """§2.5: δσ is lower triangular and (σ + δσ)(σ + δσ)ᵀ = a + δa to first order."""
    p, q, r, b, c, d = sp.symbols("p q r b c d", positive=True)
    sigma, change = sp.Matrix([[p, 0], [q, r]]), sp.Matrix([[b, c], [c, d]])
    inner = sigma.inv() * change * sigma.inv().T
    half = sp.Matrix(2, 2, lambda i, j: inner[i, j] if i > j else inner[i, j] / 2 if i == j else 0)
    moved = sigma * half
    assert moved[0, 1] == 0
    assert sp.simplify(moved * sigma.T + sigma * moved.T - change) == sp.zeros(2, 2)


@pytest.mark.parametrize(
    ("equation", "kind", "dimension"),
    [
        ("dx = dW1; dy = dW2", "ito", 4),
        ("dx = dW1; dy = dW2", "law", 5),
        ("dx = 1/2*x dt + dW1 + x dW2", "ito", 1),
        ("dx = 1/2*x dt + dW1 + x dW2", "law", 3),
        ("dx = cos(x/2) dW1 - sin(x/2) dW2; dy = sin(x/2) dW1 + cos(x/2) dW2", "ito", 2),
    ],
)
def test_dimensions_of_the_examples(equation, kind, dimension):
    """§2.4 and §2.5."""
    assert lsn.solve(lsn.SDE.parse(equation), symmetry=kind, formulas=False).dimension == dimension


@pytest.mark.parametrize(
    ("drift", "ito", "density"),
    [("2 - 3*x", 3, 6), ("2/x - 3*x", 2, 4), ("1/x", 2, 6), ("x - x^3", 1, 2), ("x^2 + t*x^3", 0, 1)],
)
def test_dimensions_of_scalar_equations(drift, ito, density):
    """§2.6: affine, A/y + by, an inverse square that is a quadratic potential, neither, and nothing."""
    equation, domain = lsn.SDE.parse(f"dx = ({drift}) dt + dW"), [(0, 1), (1, 2)]
    for kind, dimension in (("ito", ito), ("fokker-planck", density)):
        assert lsn.solve(equation, symmetry=kind, domain=domain, formulas=False).dimension == dimension


@pytest.mark.parametrize("n", [1, 2, 3])
def test_brownian_motion_has_the_largest_algebras(n):
    """§2.6: the numbers M are the bounds of power series for Brownian motion, which are those of its algebra."""
    from liestonet.core.domain import Domain
    from liestonet.symmetry.analytic.dimension_bound import formal_counts

    source = lsn.SDE.parse("; ".join(f"d{name} = dW{i}" for i, name in enumerate("xyz"[:n], 1))).symbolic
    assert source is not None
    domain = Domain(((0.0, 1.0), *[(-1.0, 1.0)] * n))
    for kind in (each for each in KINDS.values() if not each.extended):
        if n < 3 or kind.name != "fokker-planck":
            assert formal_counts(kind, source, domain)[-1].bound == most_symmetries(kind, n)


def test_scalar_equation_with_unit_noise():
    """§2.6: E2 leaves ξ = ½τ'y + h, and E1 is the equation that is written there."""
    g, tau, h = free("g", t, y), free("tau", t), free("h", t)
    xi = sp.diff(tau, t) * y / 2 + h
    source = SymbolicCoefficients((y,), t, sp.ImmutableMatrix([g]), sp.ImmutableMatrix([[1]]))
    first, second = KINDS["ito"].equations(1, 1).residuals(source, [tau, xi])
    left = sp.diff(tau, t, 2) * y / 2 + sp.diff(h, t)
    right = xi * sp.diff(g, y) + sp.diff(tau, t) * g / 2 + tau * sp.diff(g, t)
    assert vanish(second, first - left + right)


def test_potential_of_a_scalar_equation():
    """§2.6: u = exp(∫g dy) v turns the density's equation into v_t = ½ v_yy − V v."""
    G, v = free("G", t, y), free("v", t, y)
    g, u = sp.diff(G, y), sp.exp(G) * v
    potential = (sp.diff(g, y) + g**2) / 2 + sp.diff(G, t)
    density = sp.diff(u, t) + sp.diff(g * u, y) - sp.diff(u, y, 2) / 2
    assert vanish(sp.expand(density / sp.exp(G)) - (sp.diff(v, t) - sp.diff(v, y, 2) / 2 + potential * v))


def test_fields_of_a_scalar_density():
    """§10.1: F1 and F2 hold for ξ = ½τ'w + h and β as written, with any functions of the clock."""
    w = sp.Symbol("w", real=True)
    g, tau, h, k = free("g", w), free("tau", t), free("h", t), free("k", t)
    rate, bend = sp.diff(tau, t), sp.diff(tau, t, 2)
    xi = rate * w / 2 + h
    beta = rate * w * g / 2 + h * g - bend * w**2 / 4 - sp.diff(h, t) * w + k
    source = SymbolicCoefficients((w,), t, sp.ImmutableMatrix([g]), sp.ImmutableMatrix([[1]]))
    first, second, _ = KINDS["fokker-planck"].equations(1, 1).residuals(source, [tau, xi, beta])
    assert vanish(first, second)


@pytest.mark.parametrize("kind", KINDS)
def test_functions_of_an_invariant_multiply_symmetries(kind):
    """§3.6: dx = dW, dy = y dt has I = y e^{−t}, and h(I) ∂x (h(I) u∂u of the density) for any h."""
    h = free("h", y * sp.exp(-t))
    source = SymbolicCoefficients((x, y), t, sp.ImmutableMatrix([0, y]), sp.ImmutableMatrix([[1], [0]]))
    fields = [[0, h, 0]] if kind != "fokker-planck" else [[0, h, 0, 0], [0, 0, 0, h]]
    for field in fields:
        assert vanish(*KINDS[kind].equations(2, 1).residuals(source, field))


@pytest.mark.parametrize("n", [1, 2])
def test_moments_over_a_step(n):
    """§4.5: E[g(x_Δ)] = g + Δ𝓛g + ½Δ²𝓛²g + …, for g = x^i and x^i x^j, and what the package adds for polynomials."""
    states, rng = (x, y)[:n], np.random.default_rng(3)
    f = [polynomial(rng, (t, *states)) for _ in states]
    sigma = [[polynomial(rng, (t, *states), 1) for _ in states] for _ in states]
    places = range(n)

    def generator(g: Any) -> Any:
        return ito_drift(g, states, f, sigma)

    def mean(g: Any) -> list[Any]:
        """E[g] in powers of the step: g, 𝓛g and ½𝓛²g, at the point."""
        once = generator(g)
        return [part.subs(POINT) for part in (g, once, generator(once) / 2)]

    a: Any = [[sum(p * q for p, q in zip(sigma[i], sigma[j], strict=True)) for j in places] for i in places]
    drift, covariance = np.zeros(n), np.zeros((n, n))
    means = [mean(state) for state in states]
    for i in places:
        assert means[i][2] == (generator(f[i]) / 2).subs(POINT)
        drift[i] = float(means[i][2])
        for j in places:
            moment = mean(states[i] * states[j])
            first, second = (moment[k] - sum(means[i][m] * means[j][k - m] for m in range(k + 1)) for k in (1, 2))
            turned = sum(sp.diff(f[i], states[k]) * a[k][j] + a[i][k] * sp.diff(f[j], states[k]) for k in places)
            assert first == a[i][j].subs(POINT)
            assert second == ((generator(a[i][j]) + turned) / 2).subs(POINT)
            covariance[i, j] = float(second)

    def jet(entries: np.ndarray) -> dict[tuple[int, ...], np.ndarray]:
        variables = (t, *states)
        orders = [(), *[(v,) for v in range(n + 1)], *[(v, w) for v in range(n + 1) for w in range(v, n + 1)]]
        derive = np.vectorize(lambda e, *d: float(sp.diff(e, *d).subs(POINT)) if d else float(e.subs(POINT)))
        return {order: derive(entries, *[variables[v] for v in order])[None, ..., None] for order in orders}

    found = added_by_step(jet(np.array(f, dtype=object)), jet(np.array(a, dtype=object)), np.ones(1))
    np.testing.assert_allclose(found[0][0, :, 0], drift, rtol=1e-12)
    np.testing.assert_allclose(found[1][0, :, :, 0], covariance, rtol=1e-12)


def test_covariance_of_a_shrunk_estimate():
    """§4.4: θ̂ − θ = H⁻¹(score − Λθ), with the score of covariance M and θ of the prior's covariance Λ⁻¹."""
    rng = np.random.default_rng(0)
    functions, weights, prior = rng.standard_normal((30, 4)), rng.uniform(1, 2, 30), rng.uniform(1, 3, 4)
    variances = rng.uniform(0.5, 2, 30)  # not the inverse weights
    information = functions.T @ (functions * weights[:, None]) + np.diag(prior)
    estimate = np.linalg.solve(information, functions.T * weights)
    # the error is a linear map of noise and θ, so its covariance is a sum over both
    by_theta = estimate @ functions - np.eye(4)
    covariance = estimate @ np.diag(variances) @ estimate.T + by_theta @ np.diag(1 / prior) @ by_theta.T
    score = functions.T @ (functions * (weights**2 * variances)[:, None])
    inverse = np.linalg.inv(information)
    np.testing.assert_allclose(inverse @ (score + np.diag(prior)) @ inverse, covariance, rtol=1e-10)


@pytest.fixture(scope="module")
def surrogate() -> Surrogate:
    return lsn.fit(lsn.catalogue["ornstein-uhlenbeck"].simulate(paths=64, seed=2))


def small_operator(surrogate: Surrogate) -> NoisyOperator:
    cloud = mixed_cloud(surrogate.domain, surrogate.overview.points, 100)
    basis = generator_basis(LAW, 1, 1, surrogate.domain, (2, 2))
    return NoisyOperator(LAW, surrogate, basis, cloud)


def test_noise_is_what_errors_add_to_the_mean_of_squares(surrogate: Surrogate):
    """§5.1: with θ̂ = θ ± √S δ_s, each as likely, the mean of DᵀD is that of θ plus N."""
    operator = small_operator(surrogate)
    scatter = surrogate.errors.scatter
    count, total = scatter.shape[1], np.zeros_like(operator.gram)
    for direction in np.sqrt(count) * scatter.T:
        for sign in (1, -1):
            changed = surrogate.with_parameters(surrogate.parameters + sign * direction)
            total += NoisyOperator(LAW, changed, operator.basis, operator.cloud).gram
    np.testing.assert_allclose(
        total / (2 * count), operator.gram + operator.noise_gram, atol=1e-7 * np.abs(total).max()
    )


def test_p_value_of_a_residual():
    """§5.2: components of the residual along the singular vectors of the errors, and Satterthwaite's χ²."""
    rng = np.random.default_rng(6)
    errors = rng.standard_normal((40, 5)) * np.array([0.3, 0.1, 0.05, 0.02, 1e-5])
    residual = errors @ np.array([1.0, -2.0, 1.5, 2.5, 0.0])
    noise = (errors.T @ errors)[None]
    cross, gram = (errors.T @ residual)[:, None], np.array([[residual @ residual]])
    evidence = Evidence(np.ones((1, 1)), gram, noise, noise.sum(axis=0)[:1, :1], cross, np.eye(5), 5, True)
    left, sizes, _ = np.linalg.svd(errors, full_matrices=False)
    seen = sizes**2 > JUDGING.model_error**2 / JUDGING.visible
    assert seen.sum() == 4
    trace, square = np.sum(sizes**2), np.sum(sizes**4)
    added = JUDGING.model_error**2 + trace**2 / seen.sum()  # error times error, in equal shares
    deviance = np.sum((left.T @ residual)[seen] ** 2 / (sizes[seen] ** 2 + added))
    ratio = scipy.stats.chi2.sf(deviance, seen.sum())
    plain = scipy.stats.chi2.sf(residual @ residual * trace / square, trace**2 / square)
    assert evidence.p_value() == pytest.approx(min(1, 2 * min(ratio, plain)), rel=1e-9)


def test_terms_that_leave_are_the_nearest_estimate_without_them():
    """§6.1: H_SS⁻¹ H_S· θ is the minimum of (θ' − θ)ᵀ H (θ' − θ) over θ' without these terms."""
    rng = np.random.default_rng(1)
    root, prior, theta = rng.standard_normal((9, 5)), rng.uniform(1, 2, 5), rng.standard_normal(5)
    degrees = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [0, 2]])
    block = Block(theta, root.T @ root, prior, degrees, True)
    found = block.without_terms([0]) @ theta
    stay = np.array([0, 1, 4])
    factor = np.linalg.cholesky(block.posterior_precision).T
    nearest = np.linalg.lstsq(factor[:, stay], factor @ theta, rcond=None)[0]
    np.testing.assert_allclose(found[stay], nearest, rtol=1e-9)
    assert not found[[2, 3]].any()


def test_a_refit_is_the_least_change(surrogate: Surrogate):
    """§6.3: z minimises |z|² + |r + Az|²/s, by least squares on both parts stacked."""
    given = read_generators("d_t", surrogate.names, surrogate.domain)
    points = surrogate.overview.points[:150]
    cloud = PointCloud(points, np.full(len(points), 1 / len(points)))
    found = put_in(LAW, surrogate, given, cloud, surrogate.domain)
    changes, residual = found.changes[0], found.residual[0]
    slack = 1e-3 * np.linalg.norm(changes, ord=2) ** 2
    stacked = np.concatenate([np.eye(changes.shape[1]), changes / np.sqrt(slack)])
    target = np.concatenate([np.zeros(changes.shape[1]), -residual / np.sqrt(slack)])
    shift = np.linalg.lstsq(stacked, target, rcond=None)[0]
    refit = refit_exactly(surrogate, found.evidence(), 1e-3)
    moved = refit.parameters - surrogate.parameters
    np.testing.assert_allclose(moved, surrogate.errors.root @ shift, atol=1e-9 * np.abs(moved).max())


def test_gain_of_a_part_is_a_difference_of_likelihoods():
    """§6.4."""
    rng = np.random.default_rng(2)
    functions, weights, values = rng.standard_normal((12, 3)), rng.uniform(1, 2, 12), rng.standard_normal(12)
    precision, moments = functions.T @ (functions * weights[:, None]), functions.T @ (weights * values)
    folds = Folds(precision[None], moments[None])
    before, after = rng.standard_normal((2, 3))
    block = Block(before, precision, np.ones(3), np.zeros((3, 2), dtype=int), True, folds)

    def likelihood(theta: np.ndarray) -> float:
        return -0.5 * float(np.sum(weights * (values - functions @ theta) ** 2))

    assert block.gain(0, before, after) == pytest.approx(likelihood(after) - likelihood(before))


@pytest.mark.parametrize(("weights", "h"), [((2, 1), "−9"), ((3, 1), "−4"), ((3, -1), "−1/4")])
def test_parameter_of_bianchi_six(weights, h):
    """§11.2: two commuting generators scaled by the third with weights λ."""
    constants = np.zeros((3, 3, 3))
    for k, weight in enumerate(weights):
        constants[2, k, k], constants[k, 2, k] = weight, -weight
    assert name_algebra(constants, 1e-10).text == f"Bianchi VI, h = {h}"
    first, second = weights
    assert sp.Rational(-((first + second) ** 2), (first - second) ** 2) == sp.Rational(h.replace("−", "-"))


def test_bianchi_constants_from_n_and_a():
    """§11.2: every three-dimensional algebra is of this form, with h = |a|²/(ν₁ν₂) of both signs."""
    growth, turn, first, second = sp.symbols("alpha beta lambda_1 lambda_2", positive=True)
    real: Any = sp.diag(first, second)
    turning: Any = sp.Matrix([[growth, -turn], [turn, growth]])
    places, triples = range(3), list(product(range(3), repeat=3))
    for action, h in ((real, -(((first + second) / (first - second)) ** 2)), (turning, (growth / turn) ** 2)):
        c: dict[Any, Any] = {triple: sp.S(0) for triple in triples}
        for j, k in product(range(2), repeat=2):
            c[2, j, k], c[j, 2, k] = action[k, j], -action[k, j]
        dual = sp.zeros(3, 3)
        for i, j, k in triples:
            for m in places:
                dual[m, k] += int(LEVI_CIVITA[i, j, m]) * c[i, j, k] / 2
        n, a = (dual + dual.T) / 2, [sum(c[i, j, j] for j in places) / 2 for i in places]
        assert (n * sp.Matrix(a)).applyfunc(sp.simplify) == sp.zeros(3, 1)
        for i, j, k in triples:
            made = sum(int(LEVI_CIVITA[i, j, m]) * n[m, k] for m in places) + int(j == k) * a[i] - int(i == k) * a[j]
            assert sp.simplify(made - c[i, j, k]) == 0
        minors = (n.trace() ** 2 - (n * n).trace()) / 2
        assert sp.simplify(sum(e**2 for e in a) / minors - h) == 0


@pytest.mark.parametrize("denominator", [1, 2, 3, 4])
def test_when_a_constant_is_an_exact_number(denominator):
    """§10.2: within two uncertainties s, and only if 4 s q² < 0.1."""
    exact, limit = 5 / denominator if denominator != 1 else 5.0, 0.1 / 4 / denominator**2
    assert simple_number(exact + 1.9 * 0.9 * limit, 0.9 * limit) == sp.Rational(5, denominator)
    assert simple_number(exact + 0.1 * limit, 1.1 * limit) is None
    assert simple_number(exact + 2.1 * 0.01 * limit, 0.01 * limit) is None
