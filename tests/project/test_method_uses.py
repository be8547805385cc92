"""Formulas of docs/method.md about maps, reversal, densities and reductions (§14 to §18), derived without the code."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.integrate
import scipy.special
import scipy.stats
import sympy as sp

import liestonet as lsn
from liestonet.validation.maps.map_equations import exact_equations

t, s, eps = sp.symbols("t s epsilon", real=True)
x, y, u, z = sp.symbols("x y u z", real=True)


def free(name: str, *variables: Any) -> Any:
    """A random function."""
    return sp.Function(name)(*variables)


def gone(expression: Any) -> bool:
    return sp.simplify(sp.expand(sp.sympify(expression).doit())) == 0


def generator(g: Any, f: Any, a: Any) -> Any:
    """𝓛g in one coordinate."""
    return sp.diff(g, t) + f * sp.diff(g, x) + a * sp.diff(g, x, 2) / 2


@pytest.mark.parametrize(
    ("equation", "clock", "image"),
    [("dx = (x - x^3 + t) dt + (1 + x^2) dW", 2 * t, -x), ("dx = t*x dt + x dW", t + 1, x**3 + t)],
)
def test_image_of_a_process_under_a_map(equation, clock, image):
    """§14.1: Itô's formula on the clock s(t) gives (𝓛γ)/s' and γ_x²a/s', to be compared with f and a at the image."""
    symbolic: Any = lsn.SDE.parse(equation).symbolic
    here = {symbolic.time: t, symbolic.state[0]: x}
    f, a = symbolic.drift[0, 0].subs(here), symbolic.diffusion_squared[0, 0].subs(here)
    there = {symbol: old for old, symbol in here.items()}
    rows = tuple(part.subs(there) for part in (clock, image))
    drift, squared = (found.subs(here) for found in exact_equations(symbolic, rows))
    moved, speed = {t: clock, x: image}, sp.diff(clock, t)
    mapped = generator(image, f, a) / speed - f.subs(moved, simultaneous=True)
    noise = sp.diff(image, x) ** 2 * a / speed - a.subs(moved, simultaneous=True)
    assert gone(drift - speed * mapped)
    assert gone(squared - speed * noise)


def test_the_deviance_splits_in_two():
    """§14.3: d₁ + d₂ = rᵀK⁻¹r, and the two parts are independent."""
    rng = np.random.default_rng(3)
    root, r, low = rng.normal(size=(5, 5)), rng.normal(size=5), rng.normal(size=(5, 2))
    values, vectors = np.linalg.eigh(root @ root.T)
    half = vectors * np.sqrt(values) @ vectors.T
    basis, _ = np.linalg.qr(half @ low)
    project = basis @ basis.T
    white = np.linalg.solve(half, r)
    first, second = np.sum((project @ white) ** 2), np.sum((white - project @ white) ** 2)
    np.testing.assert_allclose(first + second, r @ np.linalg.solve(root @ root.T, r))
    np.testing.assert_allclose(project @ (np.eye(5) - project), 0, atol=1e-12)


@pytest.mark.parametrize(("p", "q"), [(3, 0), (0, 2), (2, 2), (1, 4)])
def test_mirrors_of_a_term_in_the_plane(p, q):
    """§14.5: f = c z^p z̄^q has the mirrors z → e^{iα}z̄ with α(p − q − 1) = −2 arg c, and no others."""
    c, place = 0.7 - 1.1j, 0.4 + 0.3j
    for number in range(abs(p - q - 1)):
        angle = (-2 * np.angle(c) + 2 * np.pi * number) / (p - q - 1)
        for shift, same in ((0.0, True), (0.1, False)):
            turn = np.exp(1j * (angle + shift))
            image = turn * np.conj(place)
            drift = c * image**p * np.conj(image) ** q
            carried = turn * np.conj(c * place**p * np.conj(place) ** q)
            assert np.isclose(drift, carried) == same


def test_error_of_an_unknown_centre():
    """§14.6: the root of wᵀ(r + r'δ + noise) has the variance 1/(r'ᵀK⁻¹r'), the smallest of all weights."""
    rng = np.random.default_rng(4)
    root, slope = rng.normal(size=(4, 4)), rng.normal(size=4)
    covariance = root @ root.T

    def variance(weights: np.ndarray) -> float:
        return float(weights @ covariance @ weights / (weights @ slope) ** 2)

    best = np.linalg.solve(covariance, slope)
    np.testing.assert_allclose(variance(best), 1 / (slope @ best))
    assert all(variance(best + 0.1 * rng.normal(size=4)) >= variance(best) for _ in range(10))


def test_conditions_of_detailed_balance():
    """§15.1: the process run backwards has drift −f + div a + a∇ln ρ; with signs ε it is f where 2f⁺ − div a = a∇Φ.

    The stationary equation is then div f⁻ + f⁻·∇Φ = 0.
    """
    signs = (1, -1)
    state, mirrored = (x, y), {y: -y}
    f = [free("f1", x, y), free("f2", x, y)]
    even, odd = free("g", x, y**2), y * free("h", x, y**2)
    a = [[even, odd], [odd, 2 + even**2]]
    phi = free("Phi", x, y**2)

    def turned(field: list[Any]) -> list[Any]:
        """ε g(εx)."""
        return [signs[i] * field[i].subs(mirrored) for i in range(2)]

    div = [sum(sp.diff(a[i][j], state[j]) for j in range(2)) for i in range(2)]
    pull = [sum(a[i][j] * sp.diff(phi, state[j]) for j in range(2)) for i in range(2)]
    plus = [(f[i] + turned(f)[i]) / 2 for i in range(2)]
    minus = [(f[i] - turned(f)[i]) / 2 for i in range(2)]
    backwards = turned([-f[i] + div[i] + pull[i] for i in range(2)])
    for i in range(2):
        assert gone(backwards[i] - f[i] + (2 * plus[i] - div[i] - pull[i]))
    density = sp.exp(phi)
    flow = sum(sp.diff(f[i] * density, state[i]) for i in range(2))
    flow -= sum(sp.diff(a[i][j] * density, state[i], state[j]) for i in range(2) for j in range(2)) / 2
    half = sum(sp.diff((2 * plus[i] - div[i] - pull[i]) * density, state[i]) for i in range(2)) / 2
    rest = sum(sp.diff(minus[i], state[i]) + minus[i] * sp.diff(phi, state[i]) for i in range(2)) * density
    assert gone(flow - half - rest)


def test_entropy_production_of_a_linear_equation():
    """§15.3 and §15.4: of dx = −kx + ωJx with noise √(2D), S = (D/k) 1 and e = 2ω²/k."""
    k, omega, level = sp.symbols("k omega D", positive=True)
    m = sp.Matrix([[-k, omega], [-omega, -k]])
    a, spread = 2 * level * sp.eye(2), level / k * sp.eye(2)
    assert sp.simplify(m * spread + spread * m.T + a) == sp.zeros(2)
    pull = 2 * m + a * spread.inv()  # u = 2f⁺ − a∇Φ as a matrix, Φ = −½ xᵀS⁻¹x
    rate = (pull.T * a.inv() * pull * spread).trace() / 2
    assert sp.simplify(rate - 2 * omega**2 / k) == 0


def test_potential_with_killing_and_time():
    """§16.1: p = e^Γ ψ with Γ_y = g turns p_t = ½p_yy − (gp)_y − kp into ψ_t = ½ψ_yy − Vψ."""
    gauge, psi, kill = free("Gamma", t, y), free("psi", t, y), free("k", t, y)
    g, p = sp.diff(gauge, y), sp.exp(gauge) * psi
    forward = sp.diff(p, t) - sp.diff(p, y, 2) / 2 + sp.diff(g * p, y) + kill * p
    potential = (g**2 + sp.diff(g, y)) / 2 + sp.diff(gauge, t) + kill
    assert gone(sp.exp(-gauge) * forward - (sp.diff(psi, t) - sp.diff(psi, y, 2) / 2 + potential * psi))


def test_drift_in_the_coordinate_of_unit_noise():
    """§16.1: g = y_t + f/σ − ½σ_x."""
    sigma, f = free("sigma", t, x), free("f", t, x)
    slope = 1 / sigma
    drift = f * slope + sigma**2 * sp.diff(slope, x) / 2
    assert gone(drift - (f / sigma - sp.diff(sigma, x) / 2))


def test_which_potentials_have_dimension_four():
    """§16.2: u, c, q₂ and δ'' from derivatives of V = c/u² + q₂u² + δ''u + q₀."""
    c, q2, q1, q0, delta = sp.symbols("c q_2 q_1 q_0 delta")
    place = y - delta
    potential = c / place**2 + q2 * place**2 + q1 * place + q0
    v = [sp.diff(potential, y, order) for order in range(6)]
    assert gone(5 * v[3] * v[5] - 6 * v[4] ** 2)
    assert gone(-5 * v[3] / v[4] - place)
    assert gone(-v[3] * place**5 / 24 - c)
    assert gone(v[2] - 6 * c / place**4 - 2 * q2)
    assert gone(v[1] + 2 * c / place**3 - 2 * q2 * place - q1)


def test_condition_on_the_potential():
    """§16.2: §2.3 in the coordinate y, for ψ: the equation that V must satisfy."""
    tau, rho, chi = (free(name, t) for name in ("tau", "rho", "chi"))
    potential, psi = free("V", t, y), free("psi", t, y)
    xi = sp.diff(tau, t) * y / 2 + rho
    beta = chi - sp.diff(tau, t, 2) * y**2 / 4 - sp.diff(rho, t) * y
    eta = beta * psi - tau * sp.diff(psi, t) - xi * sp.diff(psi, y)
    left: Any = sp.diff(eta, t) - sp.diff(eta, y, 2) / 2 + potential * eta
    time = sp.diff(psi, y, 2) / 2 - potential * psi
    left = left.doit().subs(sp.diff(psi, t, 2), sp.diff(time, t)).doit()
    derivatives: Any = (sp.diff(psi, t, y, y), sp.diff(psi, t, y), sp.diff(psi, t))
    for derivative in derivatives:
        order = sum(count for variable, count in derivative.variable_count if variable == y)
        left = left.subs(derivative, sp.diff(time, y, order)).doit()
    stated = -sp.diff(tau, t, 3) * y**2 / 4 - sp.diff(rho, t, 2) * y + sp.diff(chi, t) + sp.diff(tau, t, 2) / 4
    stated += sp.diff(tau * potential, t) + xi * sp.diff(potential, y)
    assert gone(left - stated * psi)


@pytest.mark.parametrize(("order", "kappa", "scale", "end"), [(0.5, 1.3, 0.8, 0.9), (2.0, 0.4, 2.5, 1.7)])
def test_integral_of_a_bessel_kernel(order, kappa, scale, end):
    """§16.6: a noncentral χ² law."""

    def integrand(place: float) -> float:
        return place ** (1 + order) * np.exp(-scale * place**2 / 2) * scipy.special.iv(order, kappa * place)

    integral, _ = scipy.integrate.quad(integrand, end, 20.0, epsabs=0.0, epsrel=1e-11)
    shift = kappa**2 / scale
    tail = scipy.stats.ncx2.sf(scale * end**2, 2 * order + 2, shift)
    np.testing.assert_allclose(integral, kappa**order * scale ** (-order - 1) * np.exp(shift / 2) * tail, rtol=1e-9)


def test_a_symmetry_without_time_makes_an_integral():
    """§18.2: with σ = Gξ and E1, the drift of y = ∫dx/ξ does not depend on x."""
    xi, f, size = free("xi", t, x), free("f", t, x), free("G", t)
    a = size**2 * xi**2
    e1 = generator(xi, f, a) - xi * sp.diff(f, x)
    inner = f / xi - a * sp.diff(xi, x) / (2 * xi**2)
    # ∂_x of y_t = −∫ξ_t/ξ² dx is known, though y has no closed form
    change = sp.diff(inner, x) - sp.diff(xi, t) / xi**2
    assert gone(change + e1 / xi**2)


def test_a_bessel_process_from_its_drift():
    """§18.2: u, A, b and the clock on which dζ = (A/ζ) ds + dB."""
    strength = sp.Symbol("A", real=True)
    b, origin = free("b", t), free("o", t)
    place = y - origin
    g = strength / place + b * place + sp.diff(origin, t)
    slopes = [sp.diff(g, y, order) for order in range(4)]
    assert gone(-3 * slopes[2] / slopes[3] - place)
    assert gone(place**3 * slopes[2] / 2 - strength)
    assert gone(slopes[1] + strength / place**2 - b)
    assert gone(sp.diff(place, t) + g - (strength / place + b * place))
    mu = sp.exp(-sp.Integral(b, t))
    drift = sp.diff(mu, t) * u + mu * (strength / u + b * u)
    assert gone(drift / mu**2 - strength / (mu * u))


@pytest.mark.parametrize(
    ("matrix", "shift", "angle"),
    [
        ([[0, 0], [3, 0]], [2, 0], x / 2),
        ([[2, 0], [0, 1]], [3, 0], sp.log(x + sp.Rational(3, 2)) / 2),
        ([[1, -2], [2, 1]], [0, 0], sp.atan2(y, x) / 2),
        ([[0, 0], [1, 0]], [0, 5], y / (x + 5)),
    ],
)
def test_angles_of_affine_fields(matrix, shift, angle):
    """§18.3: X(θ) = 1 for the rows ℓ with ℓA = λℓ, λ zero, real, complex, and for a nilpotent A."""
    xi = sp.Matrix(matrix) * sp.Matrix([x, y]) + sp.Matrix(shift)
    assert gone(xi[0] * sp.diff(angle, x) + xi[1] * sp.diff(angle, y) - 1)


def test_a_generator_with_time_makes_an_equation_autonomous():
    """§18.5: dx = −kx dt + dW and e^{2kt}(∂_t + kx∂_x), carried to t* = 0, on the clock s = ∫dt/τ."""
    k = sp.Symbol("k", positive=True)
    tau, xi = sp.exp(-2 * k * t), -k * x * sp.exp(-2 * k * t)
    moved = x * sp.exp(k * t)  # constant along the flow of the field, and x at t* = 0
    assert gone(tau * sp.diff(moved, t) + xi * sp.diff(moved, x))
    drift = generator(moved, -k * x, sp.Integer(1)) * tau
    noise = sp.diff(moved, x) * sp.sqrt(tau)
    at_start = {t: 0}
    assert gone(drift - (tau * (-k * x) - xi).subs(at_start))
    assert gone(noise - sp.sqrt(tau).subs(at_start))


@pytest.mark.parametrize(
    ("tau", "xi", "beta"),
    [(1, 0, 0), (0, 1, 0), (0, t, -x), (2 * t, x, 0), (t**2, t * x, -(x**2 + t) / 2)],
)
def test_symmetries_of_the_density_map_martingales_to_martingales(tau, xi, beta):
    """§18.8: 𝓛M = (M + τ')𝓛 for Brownian motion and M = τ∂_t + ξ∂_x + β + ξ_x, hence M1 is a martingale."""
    tau, xi, beta, one = sp.sympify(tau), sp.sympify(xi), sp.sympify(beta), sp.Integer(1)
    function = free("v", t, x)

    def apply(g: Any) -> Any:
        return tau * sp.diff(g, t) + xi * sp.diff(g, x) + (beta + sp.diff(xi, x)) * g

    def backward(g: Any) -> Any:
        return generator(g, sp.Integer(0), one)

    assert gone(backward(apply(function)) - apply(backward(function)) - sp.diff(tau, t) * backward(function))
    assert gone(backward(apply(one)))
