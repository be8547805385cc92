"""Formulas of docs/method.md about random symmetries and recordings (§2.7, §4, §5), derived without the code."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
import sympy as sp

from liestonet.symmetry.determining.kinds import ITO
from liestonet.symmetry.statistical.verdicts import Criteria, verdict_of

t, x, v = sp.symbols("t x v", real=True)
w = sp.symbols("w1 w2", real=True)
a, b, c, k, h, e = sp.symbols("a b c k h e", positive=True)


def free(name: str, *variables: Any) -> Any:
    """A random function."""
    return sp.Function(name)(*variables)


def test_random_symmetries_commute_with_the_fields_of_the_equation():
    """§2.7: E2_k = [V_k, φ] and E1 = [V₀, φ] + ½(V_k e_k + e_k·∂σ_k) on the extended equation, for any coefficients."""
    f, sigma, phi = free("f", t, x), [free("s1", t, x), free("s2", t, x)], free("phi", t, x, *w)
    noise = range(2)

    def along(number: int, g: Any) -> Any:
        return sp.diff(g, w[number]) + sigma[number] * sp.diff(g, x)

    second = sum(along(i, along(i, phi)) - sigma[i] * sp.diff(sigma[i], x) * sp.diff(phi, x) for i in noise)
    e1 = sp.diff(phi, t) + f * sp.diff(phi, x) + second / 2 - phi * sp.diff(f, x)
    e2 = [along(i, phi) - phi * sp.diff(sigma[i], x) for i in noise]
    drift = f - sum(s * sp.diff(s, x) for s in sigma) / 2
    first = sp.diff(phi, t) + drift * sp.diff(phi, x) - phi * sp.diff(drift, x)
    rest = sum(along(i, e2[i]) + e2[i] * sp.diff(sigma[i], x) for i in noise) / 2
    assert sp.expand((e1 - first - rest).doit()) == 0


def test_random_symmetry_of_the_stochastic_logistic_equation():
    """§2.7: φ = z exp(m w + ∫m₀ dt) with m_a from the brackets, and the coordinate u in which it is a shift."""
    drift, noise, wiener = a * x - b * x**2 - c**2 * x / 2, c * x, w[0]
    z = x**2
    m0, m1 = (sp.simplify((sp.diff(X, x) * z - X * sp.diff(z, x)) / z) for X in (drift, noise))
    assert m0.free_symbols | m1.free_symbols <= {a, b, c}
    phi = z * sp.exp(m1 * wiener + m0 * t)
    assert sp.simplify(phi - x**2 * sp.exp(-c * wiener - (a - c**2 / 2) * t)) == 0
    for field, shift in ((drift, sp.diff(phi, t)), (noise, sp.diff(phi, wiener))):
        assert sp.simplify(shift + field * sp.diff(phi, x) - phi * sp.diff(field, x)) == 0
    factor = sp.exp(c * wiener + (a - c**2 / 2) * t)
    u = -factor / x
    assert sp.simplify(phi * sp.diff(u, x) - 1) == 0
    moved = sp.diff(u, t) + drift * sp.diff(u, x)  # Stratonovich: the chain rule
    assert sp.simplify(moved + b * factor) == 0
    assert sp.simplify(sp.diff(u, wiener) + noise * sp.diff(u, x)) == 0


def test_squared_residuals_grow_by_two_or_by_eight():
    """§4.3: from one step to two, of a diffusion and of an integral of one."""
    first, second = sp.symbols("r s", positive=True)
    integral = 2 * sp.integrate(second, (second, 0, first), (first, 0, h))
    for variance, growth in ((h, 2), (integral, 8)):
        assert sp.simplify(variance.subs(h, 2 * h) / variance) == growth


def test_residuals_of_points_with_errors():
    """§4.7: of y = x + error, x' = Mx + noise of covariance ΔtA: Cov r_n = ΔtA + L + MLMᵀ, Cov(r_n, r_n+1) = −LMᵀ."""
    rng = np.random.default_rng(1)
    m, noise, error = (rng.normal(size=(2, 2)) for _ in range(3))
    # independent pieces: noise of both steps, errors of three points; residuals are linear in them
    zero = np.zeros((2, 2))
    r0 = np.hstack([noise, zero, -m @ error, error, zero])
    r1 = np.hstack([zero, noise, zero, -m @ error, error])
    step, spread = noise @ noise.T, error @ error.T
    np.testing.assert_allclose(r0 @ r0.T, step + spread + m @ spread @ m.T)
    np.testing.assert_allclose(r0 @ r1.T, -spread @ m.T)


def test_averages_of_a_linear_process():
    """§4.7: means over the part e of a step have L = −aeΔt/6 without a term of the order kΔt."""
    lag = sp.Symbol("kappa", positive=True)  # k e Δt
    level = a / (2 * k)
    same = level * 2 / lag * (1 - (1 - sp.exp(-lag)) / lag)
    next_one = level * (sp.sinh(lag / 2) / (lag / 2)) ** 2  # divided by M = e^{−kΔt}
    series = sp.series(same - next_one, lag, 0, 3).removeO()
    assert sp.simplify(series.subs(lag, k * e * h) + a * e * h / 6) == 0


def test_averages_of_brownian_motion():
    """§4.7: R = e/6 in both covariances, which for M = 1 are ΔtA + 2L and −L."""
    begin, end = sp.symbols("r s", positive=True)

    def covariance(first: int, second: int) -> Any:
        """Of means over the last part e of the steps that end at `first` and `second`, first <= second."""
        low, high = first - e, first
        if second > first:
            return sp.integrate(begin, (begin, low, high)) / e
        inner = sp.integrate(end, (end, low, begin)) + begin * (high - begin)
        return sp.expand(sp.integrate(inner, (begin, low, high)) / e**2)

    steps = {1: {2: 1, 1: -1}, 2: {3: 1, 2: -1}}

    def of(one: int, other: int) -> Any:
        pairs = product(steps[one].items(), steps[other].items())
        return sp.simplify(sp.Add(*(s * z * covariance(min(i, j), max(i, j)) for (i, s), (j, z) in pairs)))

    blur = -e / 6
    assert sp.simplify(of(1, 1) - (1 + 2 * blur)) == 0
    assert sp.simplify(of(1, 2) + blur) == 0


def test_coefficients_in_the_coordinate_of_uniform_noise():
    """§4.8: a = m²b and f = ½mm'b + m f^y, by Itô's formula for y = ∫dx/m."""
    f, squared, m = free("f", t, x), free("a", t, x), free("m", x)
    slope = 1 / m
    drift = f * slope + squared * sp.diff(slope, x) / 2
    noise = squared * slope**2
    assert sp.simplify(m**2 * noise - squared) == 0
    assert sp.simplify((m * sp.diff(m, x) * noise / 2 + m * drift - f).doit()) == 0


def test_the_pole_of_a_power():
    """§4.8: noise x^κ makes y a power of x^{1 − κ}, and a linear drift of x a pole at y = 0."""
    kappa, place = sp.symbols("kappa y", positive=True)
    m = x**kappa
    y = x ** (1 - kappa) / (1 - kappa)
    assert sp.simplify(sp.diff(y, x) - 1 / m) == 0
    drift = sp.simplify((-k * x * sp.diff(y, x) + m**2 * sp.diff(y, x, 2) / 2).subs(kappa, sp.Rational(1, 2)))
    in_y = drift.subs(x, place**2 / 4)
    assert sp.simplify(in_y - (-k * place / 2 - 1 / (2 * place))) == 0


def test_second_differences_of_positions():
    """§4.9: Cov(D_n, D_n+j) = ⅔q + 6Λ, q/6 − 4Λ, Λ for positions whose velocity is Brownian, q = aΔt³."""
    weights = np.array([1.0, -2.0, 1.0])
    # position over a step: v h + ∫(h − s) dW; D_n = what the noise of the steps before and after adds
    early, late = sp.integrate((h - e) ** 2, (e, 0, h)), sp.integrate(e**2, (e, 0, h))
    cross = sp.integrate(e * (h - e), (e, 0, h))
    own, neighbour = sp.simplify(early + late), sp.simplify(cross)
    assert (sp.simplify(own / h**3), sp.simplify(neighbour / h**3)) == (sp.Rational(2, 3), sp.Rational(1, 6))
    errors = [float(weights[lag:] @ weights[: 3 - lag]) for lag in range(3)]
    assert errors == [6.0, -4.0, 1.0]


def test_differences_give_two_thirds_of_the_friction():
    """§4.9: regression of Δv̂ on v̂ = Δx/Δt for dv = −γv dt + √a dW, as the step goes to zero."""
    lag = sp.Symbol("kappa", positive=True)  # γΔt
    level = a / (2 * k)
    same = level * 2 / lag * (1 - (1 - sp.exp(-lag)) / lag)
    after = level * sp.exp(-lag) * (sp.sinh(lag / 2) / (lag / 2)) ** 2
    # means over neighbouring steps: e^{−γ|s − r|} averaged over both is e^{−κ}(sinh(κ/2)/(κ/2))²
    slope = sp.series((after - same) / same, lag, 0, 2).removeO()
    assert sp.simplify(slope + sp.Rational(2, 3) * lag) == 0
    noise = sp.series(2 * (same - after), lag, 0, 2).removeO()
    assert sp.simplify(noise.subs(lag, k * h) - sp.Rational(2, 3) * a * h) == 0


def test_symmetries_of_positions_are_prolonged():
    """§4.9: E1 in the row of dx = v dt is ξ^v = ∂_tξ^x + v∂_xξ^x − τ'v, where noise keeps ξ^x from depending on v."""
    force, squared, tau = free("F", t, x, v), free("a", t, x, v), free("tau", t)
    position, velocity = free("xi", t, x), free("eta", t, x, v)
    e1 = sp.diff(position, t) + v * sp.diff(position, x) + force * sp.diff(position, v)
    e1 += squared * sp.diff(position, v, 2) / 2 - velocity - sp.diff(tau * v, t)
    prolonged = sp.diff(position, t) + v * sp.diff(position, x) - sp.diff(tau, t) * v
    assert sp.simplify(e1 - (prolonged - velocity)) == 0


@pytest.mark.parametrize(
    ("consistent", "excluded", "lower", "upper", "verdict"),
    [
        (True, False, 0.0, 0.05, "symmetry"),
        (False, True, 0.01, 0.05, "near-symmetry"),
        (False, False, 0.0, 0.05, "undecided"),
        (False, True, 0.2, 0.5, "no"),
        (False, True, 0.05, 0.5, "undecided"),
        (True, False, 0.0, 0.5, "undecided"),
    ],
)
def test_verdicts(consistent, excluded, lower, upper, verdict):
    """§5.4: the table, at a tolerance of 10 %."""
    assert verdict_of(consistent, excluded, lower, upper, 0.1) == verdict


@pytest.mark.parametrize("n", [1, 2, 3])
def test_levels_of_all_tests_add_up_to_the_error_rate(n):
    """§5.5: α/M for each of M = n + 2 tests."""
    assert Criteria().level(ITO, n) * (n + 2) == pytest.approx(0.05)
    assert Criteria().level(ITO, 4) == 0.05


@pytest.mark.parametrize("count", [1, 5, 40])
def test_p_value_of_the_smallest_of_several(count):
    """§5.7: 1 − (1 − p)^K is uniform if each of K independent p-values is."""
    p = np.linspace(0.0, 1.0, 11)
    smallest = 1 - (1 - p) ** count  # distribution of the smallest of K uniform numbers, at p
    draws = np.random.default_rng(count).uniform(size=(20_000, count)).min(axis=1)
    shares = np.mean(draws[:, None] <= p, axis=0)
    np.testing.assert_allclose(shares, smallest, atol=0.02)
