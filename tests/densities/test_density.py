"""Densities against independent formulas, their own equation, Chapman and Kolmogorov, and the catalogue."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy
from scipy.integrate import quad
from scipy.linalg import solve_banded
from scipy.stats import lognorm, ncx2, norm

import liestonet as lsn
from liestonet.densities.density import Density
from liestonet.densities.potential import dimension_of
from liestonet.densities.state_space import scalar_equation

# Equation, boundary, x0, t, x, and the density: by formulas of the literature with mpmath, twenty digits.
TABLE = [
    ("dx = dW", None, 0, 1, 0.5, 0.352065326764),
    ("dx = -x dt + dW", None, 1, 0.5, 0.3, 0.611603210669),
    ("dx = 2*(1/2 - x) dt + 0.8 dW", None, 0.2, 0.7, 0.9, 0.487343776900),
    ("dx = x/5 dt + x/2 dW", None, 1, 1, 1.3, 0.572142980854),
    ("dx = (1 - x) dt + sqrt(x) dW", None, 1, 0.5, 0.8, 0.772148035621),
    ("dx = (3/4 - x) dt + sqrt(x) dW", None, 1, 0.5, 0.8, 0.762982629881),
    ("dx = (1/4 - x) dt + sqrt(x) dW", "reflecting", 1, 0.5, 0.8, 0.664349558360),
    ("dx = (1/4 - x) dt + sqrt(x) dW", "absorbing", 1, 0.5, 0.8, 0.664348619542),
    ("dx = (0.1 - x) dt + sqrt(x) dW", "reflecting", 0.5, 1, 0.2, 0.926209294680),
    ("dx = (0.1 - x) dt + sqrt(x) dW", "absorbing", 0.5, 1, 0.2, 0.796676010069),
    ("dx = 3/(2*x) dt + dW", None, 1, 0.7, 1.4, 0.537658422131),
    ("dx = 1/x dt + dW", None, 1, 0.7, 1.4, 0.584557583302),
    ("dx = tanh(x) dt + dW", None, 0.4, 0.8, -0.3, 0.212836827908),
    ("dx = (2*x^3 - 1)/(x*(x^3 + 1)) dt + dW", "absorbing", 1, 0.5, 1.2, 0.366604370796),
    ("dx = x^2 dW", None, 1, 0.5, 0.8, 1.02819512730),
    ("dx = x/10 dt + x^(3/4)/2 dW", "absorbing", 1, 1, 1.1, 0.713950269337),
    ("dx = (3/(2*x) - t*x) dt + dW", None, 0.8, 0.7, 1.1, 0.662257044099),
]
MASSES = {
    ("dx = (1/4 - x) dt + sqrt(x) dW", "absorbing"): 0.986976952240,
    ("dx = (0.1 - x) dt + sqrt(x) dW", "absorbing"): 0.545577129987,
    ("dx = (2*x^3 - 1)/(x*(x^3 + 1)) dt + dW", "absorbing"): 0.713796647765,
}
# Some of every kind of kernel, for checks that cost more: line, half-line, interval; steady and moving.
SHAPES = [
    ("dx = tanh(x) dt + dW", None, 0.4),
    ("dx = (-x + sin(3*t)) dt + dW", None, 0.4),
    ("dx = (0.1 - x) dt + sqrt(x) dW", "absorbing", 0.5),
    ("dx = (0.1 - x) dt + sqrt(x) dW", "reflecting", 0.5),
    ("dx = (3/(2*x) - t*x) dt + dW", None, 0.8),
    ("dx = (2*x^3 - 1)/(x*(x^3 + 1)) dt + dW", "absorbing", 1.0),
    ("dx = x^2 dW", None, 1.0),
    ("dx = 3/2*(1/2 - x) dt + sqrt(x*(1 - x)) dW", None, 0.3),
    ("dx = (1/4 - x/2) dt + sqrt(x*(1 - x)) dW", ("reflecting", "absorbing"), 0.3),
]
FOUND: dict[Any, Density] = {}


def of(equation: str, boundary: Any = None, **more: Any) -> Any:
    key = equation, boundary, tuple(sorted(more.items()))
    if key not in FOUND:
        FOUND[key] = lsn.density(lsn.SDE.parse(equation), boundary=boundary, **more)
    return FOUND[key]


@pytest.mark.parametrize(("equation", "boundary", "x0", "t", "x", "value"), TABLE)
def test_densities_agree_with_formulas_of_the_literature(equation, boundary, x0, t, x, value):
    p = of(equation, boundary)
    assert p(t, x, 0, x0) == pytest.approx(value, rel=1e-11)
    assert p.status == "proved"
    assert p.residual is not None
    assert p.residual < 1e-30
    start = {symbol: sympy.Float(v, 30) for symbol, v in zip(p.symbols, (t, x, 0, x0), strict=True)}
    assert float(p.formula.subs(start)) == pytest.approx(value, rel=1e-11)
    expected = MASSES.get((equation, boundary), 1.0)
    assert p.mass(t, 0, x0) == pytest.approx(expected, abs=1e-11)
    assert p.dimension == lsn.solve(p.sde, "fokker-planck", formulas=False).dimension


def test_against_scipy():
    x = np.linspace(0.05, 4, 60)
    k, m, s, t, x0 = 1.3, 0.9, 0.7, 0.8, 0.6
    gaussian = of("dx = 1.3*(0.9 - x) dt + 0.7 dW")
    spread = s * np.sqrt((1 - np.exp(-2 * k * t)) / (2 * k))
    law: Any = norm(m + (x0 - m) * np.exp(-k * t), spread)
    np.testing.assert_allclose(gaussian(1 + t, x, 1, x0), law.pdf(x), rtol=1e-12)
    np.testing.assert_allclose(gaussian.cdf(1 + t, x, 1, x0), law.cdf(x), atol=1e-13)
    root = of("dx = 1.3*(0.9 - x) dt + 0.7*sqrt(x) dW")
    scale = s**2 * (1 - np.exp(-k * t)) / (4 * k)
    chi: Any = ncx2(4 * k * m / s**2, x0 * np.exp(-k * t) / scale, scale=scale)
    np.testing.assert_allclose(root(t, x, 0, x0), chi.pdf(x), rtol=1e-9)
    np.testing.assert_allclose(root.cdf(t, x, 0, x0), chi.cdf(x), atol=1e-10)
    price = of("dx = 0.1*x dt + 0.3*x dW")
    log: Any = lognorm(0.3 * np.sqrt(t), scale=x0 * np.exp((0.1 - 0.045) * t))
    np.testing.assert_allclose(price(t, x, 0, x0), log.pdf(x), rtol=1e-12)


@pytest.mark.parametrize(("equation", "boundary", "x0"), SHAPES)
def test_chapman_and_kolmogorov(equation, boundary, x0):
    """p(t, x | t0) = ∫ p(t, x | s, z) p(s, z | t0) dz."""
    p = of(equation, boundary)
    low, high = (float(end) for end in p.domain)
    x, s, t = x0 * 1.1, 0.2, 0.5

    z, weights = _trapezoid(low, high)
    whole = np.sum(weights * p(t, x, s, z) * p(s, z, 0, x0))
    assert whole == pytest.approx(p(t, x, 0, x0), rel=1e-8)


def _trapezoid(low, high):
    """Points and weights on an interval: the trapezoidal rule in a coordinate without ends, which converges fast."""
    if np.isinf(low):
        z = np.linspace(-12, 12, 4001)
        return z, np.full(len(z), z[1] - z[0])
    s = np.linspace(-180, 6, 20001) if np.isinf(high) else np.linspace(-30, 30, 8001)
    if np.isinf(high):
        z, slope = low + np.exp(s), np.exp(s)
    else:
        z, slope = low + (high - low) / (1 + np.exp(-s)), (high - low) / (2 * np.cosh(s / 2)) ** 2
    inside = (z > low) & (z < high)
    return z[inside], (slope * (s[1] - s[0]))[inside]


@pytest.mark.parametrize(("equation", "boundary", "x0"), SHAPES)
def test_the_forward_equation_by_finite_differences(equation, boundary, x0):
    """p_t + (f p)_x − ½(a p)_xx = 0, with coefficients from the equation itself and no derivative of ours."""
    p = of(equation, boundary)
    t, x, h = 0.4, x0 * 1.2, 1e-3

    def coefficients(places):
        flat = np.asarray(places)[:, None]
        times = np.full(len(flat), t)
        return p.sde.drift(times, flat)[:, 0], p.sde.diffusion_squared(times, flat)[:, 0, 0]

    grid = x + h * np.arange(-3, 4)
    f, a = coefficients(grid)
    values = p(t, grid, 0, x0)
    first = np.array([-1, 9, -45, 0, 45, -9, 1]) / 60 / h
    second = np.array([2, -27, 270, -490, 270, -27, 2]) / 180 / h**2
    rate = sum(c * p(t + k * h, x, 0, x0) for k, c in zip(range(-3, 4), first, strict=True))
    terms = [rate, first @ (f * values), -second @ (a * values) / 2]
    assert abs(sum(terms)) < 1e-7 * max(map(abs, terms))


def test_the_kernels_solve_their_equations():
    """ψ_t = ½ψ_yy − Vψ for any m and l with m″ = 2q₂m, l″ = 2q₂l and l m′ − m l′ = 1: both kernels, once for all."""
    t, y, y0, nu = sympy.symbols("t y y0 nu", positive=True)
    q2, q1, q0 = (sympy.Function(name)(t) for name in ("q2", "q1", "q0"))
    m, even, delta, action = (sympy.Function(name)(t) for name in ("m", "even", "delta", "S"))
    dm = sympy.Derivative(m, t)
    rules = {
        sympy.Derivative(m, (t, 2)): 2 * q2 * m,
        sympy.Derivative(even, t): (even * dm - 1) / m,
        sympy.Derivative(delta, (t, 2)): 2 * q2 * delta + q1,
    }

    def reduced(expression: Any) -> Any:
        return sympy.simplify(expression.doit().subs(rules).doit().subs(rules))

    w, speed = y - delta, sympy.Derivative(delta, t)
    log = -sympy.log(m) / 2 - (dm * w**2 - 2 * w * y0 + even * y0**2) / (2 * m) - speed * w - action
    rate = speed**2 / 2 + q2 * delta**2 + q1 * delta + q0
    potential = q2 * y**2 + q1 * y + q0
    left = sympy.diff(log, t) + sympy.Derivative(action, t) - rate
    assert reduced(left - (sympy.diff(log, y, 2) + sympy.diff(log, y) ** 2) / 2 + potential) == 0
    # the Bessel kernel: I″ = (1 + ν²/z²) I − I′/z, 2c = ν² − ¼; F stands for I′/I at z = y y0/m
    z = y * y0 / m
    slope = sympy.Function("F")
    outer = sympy.log(y) / 2 - sympy.log(m) - (dm * y**2 + even * y0**2) / (2 * m)
    first = sympy.diff(outer, y) + slope(z) * y0 / m
    bend = 1 + nu**2 / z**2 - slope(z) / z - slope(z) ** 2
    second = sympy.diff(outer, y, 2) + bend * (y0 / m) ** 2
    in_time = sympy.diff(outer, t) + slope(z) * sympy.diff(z, t)
    well = (nu**2 - sympy.Rational(1, 4)) / (2 * y**2) + q2 * y**2
    assert reduced(in_time - (second + first**2) / 2 + well) == 0


# Systems whose paths reach an end of the state space.
REACHED = {"inverse-square", "brownian-cube", "brownian-sine", "cir-linear", "cev", "feller-branching"}
SCALAR = [key for key in lsn.catalogue if lsn.catalogue[key].sde.dimension == 1]


@pytest.mark.parametrize("key", SCALAR)
def test_the_potential_gives_the_dimension_for_the_catalogue(key):
    system = lsn.catalogue[key]
    known = system.dimension("fokker-planck")
    assert dimension_of(scalar_equation(system.sde)) == max(known, 2)


@pytest.mark.slow
@pytest.mark.parametrize("key", SCALAR)
def test_systems_of_dimension_four_or_six_have_a_density(key):
    """Every system of dimension 4 or 6 has a density, proved; every other is refused with its dimension."""
    system = lsn.catalogue[key]
    known = system.dimension("fokker-planck")
    assert lsn.solve(system.sde, "fokker-planck", formulas=False).dimension == known
    if known < 4:
        with pytest.raises(lsn.InputError, match=f"has dimension {known} "):
            lsn.density(system.sde)
        return
    reached = key in REACHED
    found = lsn.density(system.sde, boundary="absorbing" if reached else None)
    assert (found.boundary == "absorbing") == reached
    assert found.status == "proved"
    assert found.residual is None or found.residual < 1e-30


def test_parameters_stay_symbols():
    p = of("dx = k*(m - x) dt + s*sqrt(x) dW", "reflecting")
    assert p.parameters == ("k", "m", "s")
    assert {str(symbol) for symbol in p.formula.free_symbols} == {"k", "m", "s", "t", "x", "t0", "x0"}
    for m, boundary in ((1.0, None), (0.25, "reflecting"), (0.1, "reflecting")):
        exact = of(f"dx = ({m} - x) dt + sqrt(x) dW", boundary)
        assert p(0.5, 0.8, 0, 1, k=1.0, m=m, s=1.0) == pytest.approx(exact(0.5, 0.8, 0, 1), rel=1e-13)
    absorbing = of("dx = k*(m - x) dt + s*sqrt(x) dW", "absorbing")
    values = {"k": 1.0, "m": 0.1, "s": 1.0}
    assert absorbing(1, 0.2, 0, 0.5, **values) == pytest.approx(0.796676010069, rel=1e-11)
    assert absorbing.with_parameters(values).mass(1, 0, 0.5) == pytest.approx(0.545577129987, abs=1e-11)
    with pytest.raises(lsn.InputError, match="Parameter k has no value"):
        p(0.5, 0.8, 0, 1)
    # the state space is on the other side of the singular point for exponents above one
    power = of("dx = mu*x dt + s*x^g dW", "absorbing")
    values = {"mu": 0.1, "s": 0.5}
    assert power(1, 1.1, 0, 1, g=0.75, **values) == pytest.approx(0.713950269337, rel=1e-11)
    assert power(1, 1.1, 0, 1, g=1.25, **values) == pytest.approx(of("dx = x/10 dt + x^1.25/2 dW")(1, 1.1, 0, 1))


def test_killing_by_feynman_and_kac():
    """E exp(−½ω²∫W²) = cosh(ωT)^{−1/2} (Cameron and Martin), and a killing by position alone multiplies."""
    p = of("dx = dW", killing="x^2/2")
    assert p.mass(1.3, 0, 0.0) == pytest.approx(np.cosh(1.3) ** -0.5, rel=1e-12)
    plain, killed = of("dx = -x dt + dW"), of("dx = -x dt + dW", killing=0.3)
    assert killed(1, 0.4, 0, 1) == pytest.approx(plain(1, 0.4, 0, 1) * np.exp(-0.3), rel=1e-13)
    # killing that is infinite at the end keeps paths away: no choice is needed, and ν grows
    strong = of("dx = dW", killing="1/x^2", domain=(0, np.inf))
    assert strong.boundary == "not reached"
    # ν = √(2 + ¼) = 3/2: mass ∫ √(y y0)/T e^{−(y²+y0²)/2T} I_{3/2}(y y0/T) dy
    with mpmath.workdps(30):
        weight: Any = mpmath.quad(
            lambda y: mpmath.sqrt(y) * mpmath.exp(-(y**2 + 1) / 2) * mpmath.besseli(1.5, y), [0, 1, 4, 12]
        )
    assert strong.mass(1, 0, 1.0) == pytest.approx(float(weight), rel=1e-12)


def test_barriers_and_intervals():
    """Brownian motion with a barrier of the user's, by the reflection principle and by standing waves."""
    barrier = of("dx = 1/2 dt + dW", "absorbing", domain=(0.0, np.inf))
    x, x0, t, mu = 0.7, 1.1, 0.9, 0.5
    mirrored = norm.pdf(x, x0 + mu * t, np.sqrt(t)) - np.exp(-2 * mu * x0) * norm.pdf(x, -x0 + mu * t, np.sqrt(t))
    assert barrier(t, x, 0, x0) == pytest.approx(mirrored, rel=1e-12)
    survival = norm.cdf((x0 + mu * t) / np.sqrt(t)) - np.exp(-2 * mu * x0) * norm.cdf((mu * t - x0) / np.sqrt(t))
    assert barrier.mass(t, 0, x0) == pytest.approx(survival, rel=1e-12)
    with pytest.raises(lsn.InputError, match="Robin"):
        lsn.density("dx = 1/2 dt + dW", boundary="reflecting", domain=(0, np.inf))
    between = of("dx = dW", "absorbing", domain=(0.0, 1.0))
    n = np.arange(1, 60)
    for span in (0.02, 0.7):
        waves = 2 * np.sum(np.sin(n * np.pi * 0.3) * np.sin(n * np.pi * 0.6) * np.exp(-((n * np.pi) ** 2) * span / 2))
        assert between(span, 0.6, 0, 0.3) == pytest.approx(waves, rel=1e-12)
    mixed = of("dx = dW", ("reflecting", "absorbing"), domain=(0.0, 1.0))
    half = n - 0.5
    for span in (0.02, 0.7):
        waves = 2 * np.sum(
            np.cos(half * np.pi * 0.3) * np.cos(half * np.pi * 0.6) * np.exp(-((half * np.pi) ** 2) * span / 2)
        )
        assert mixed(span, 0.6, 0, 0.3) == pytest.approx(waves, rel=1e-11)


def test_integrals_without_a_closed_form_are_tabulated():
    """dx = ½σσ′ dt + σ dW with an elliptic ∫dx/σ; its inverse makes it a Brownian motion that leaves at infinity."""
    p = of("dx = x^3 dt + sqrt(1 + x^4) dW", "absorbing")
    end = quad(lambda s: 1 / np.sqrt(1 + s**4), 0, np.inf)[0]
    y, y0 = (quad(lambda s: 1 / np.sqrt(1 + s**4), 0, place)[0] for place in (0.8, 0.3))
    n = np.arange(1, 200)
    waves = np.sum(
        np.sin(n * np.pi * (y + end) / (2 * end))
        * np.sin(n * np.pi * (y0 + end) / (2 * end))
        * np.exp(-((n * np.pi / (2 * end)) ** 2) * 0.25)
    )
    assert p(0.5, 0.8, 0, 0.3) == pytest.approx(waves / end / np.sqrt(1 + 0.8**4), rel=1e-10)
    many = np.linspace(-3, 3, 5001)
    alone = [p(0.5, float(x), 0, 0.3) for x in many[::1000]]
    np.testing.assert_allclose(p(0.5, many, 0, 0.3)[::1000], alone, rtol=1e-11)


def test_time_dependence_without_a_closed_form_is_integrated():
    """A potential that changes in time and a drift that is not affine: h-transform of an oscillator, by mpmath."""
    # h = cosh(x) exp(...) is no solution here, so take a killing that depends on time: V = ½ω(t)²x²
    p = of("dx = dW", killing="(1 + t)*x^2/2")
    m, even = _oscillator(lambda t: 1 + t, 0.2, 1.1)
    x, x0 = 0.4, -0.3
    exponent = -(m[1] * x**2 - 2 * x * x0 + even * x0**2) / (2 * m[0])
    assert p(1.1, x, 0.2, x0) == pytest.approx(
        float(mpmath.exp(exponent) / mpmath.sqrt(2 * mpmath.pi * m[0])), rel=1e-11
    )


def _oscillator(square, t0, t):
    """m with its slope, and l, of m″ = square(t) m, by Taylor series of mpmath."""
    with mpmath.workdps(25):
        grow = mpmath.odefun(lambda s, y: [y[1], square(s) * y[0], y[3], square(s) * y[2]], t0, [0, 1, 1, 0])
        m, slope, even, _ = grow(t)
        return (m, slope), even


def test_arrays_and_numbers():
    p = of("dx = (1 - x) dt + sqrt(x) dW")
    x, t = np.array([[0.2], [1.0], [-1.0]]), np.array([0.3, 0.5])
    table = p(t, x, 0, 1)
    assert table.shape == (3, 2)
    assert (table[2] == 0).all()
    assert isinstance(p(0.5, 1, 0, 1), float)
    assert table[1, 1] == p(0.5, 1, 0, 1)
    assert p.log(0.01, 80.0, 0, 1) < -3000
    assert p(0.01, 80.0, 0, 1) == 0
    starts = p(0.5, 1.0, 0, np.array([0.5, 1.0, 2.0]))
    assert starts[1] == p(0.5, 1, 0, 1)
    np.testing.assert_allclose(p.cdf(0.5, np.array([0.5, 1.0, np.inf]), 0, 1)[-1], 1.0)


BAD: dict[str, tuple[Any, str]] = {
    "no kernel": (lambda: lsn.density("dx = (x - x^3) dt + dW"), "has dimension 2 "),
    "no kernel in time": (lambda: lsn.density("dx = (x - x^3 + sin(t)) dt + dW"), "has dimension 1 "),
    "boundary not chosen": (lambda: lsn.density("dx = (0.1 - x) dt + sqrt(x) dW"), "boundary='reflecting' or"),
    "boundary with one choice": (lambda: lsn.density("dx = x^(3/4) dW"), "which is all that is possible"),
    "impossible": (lambda: lsn.density("dx = x^(3/4) dW", boundary="reflecting"), "cannot be reflected"),
    "unknown boundary": (lambda: lsn.density("dx = dW", boundary="sticky"), "'reflecting' or 'absorbing'"),
    "no boundary": (lambda: lsn.density("dx = -x dt + dW", boundary="absorbing"), "leave the boundary out"),
    "explosion": (lambda: lsn.density("dx = 2*x^3 dt + x^2 dW"), "explodes"),
    "killing downwards": (lambda: lsn.density("dx = dW", killing="-x^2"), "not bounded below"),
    "killing at the end": (lambda: lsn.density("dx = 1/x dt + dW", killing="-1/x^2"), "not bounded below"),
    "two ends": (lambda: lsn.density("dx = -x dt + dW", boundary="absorbing", domain=(-1, 1)), "two ends"),
    "a barrier beside the singular point": (
        lambda: lsn.density("dx = 1.2/x dt + dW", boundary="absorbing", domain=(1, np.inf)),
        "no closed form there",
    ),
    "two coordinates": (lambda: lsn.density("dx = y dt + dW1; dy = dW2"), "2 coordinates"),
    "no noise": (lambda: lsn.density("dx = -x dt"), "no noise"),
    "a kink": (lambda: lsn.density("dx = -sign(x) dt + dW"), "not smooth"),
    "callables": (lambda: lsn.density(lsn.SDE(lambda t, x: x, lambda t, x: x[:, :, None], 1)), "callables"),
    "no equation": (lambda: lsn.density(3), "needs an SDE"),
    "a domain that is not a number": (lambda: lsn.density("dx = dW", domain=(np.nan, 1)), "two ends of the state"),
    "a domain of text": (lambda: lsn.density("dx = dW", domain=("0", "inf")), "two ends of the state"),
    "a start at an end": (lambda: of("dx = (1 - x) dt + sqrt(x) dW")(1, 1, 0, 0), "is an end of the state space"),
    "a domain": (lambda: lsn.density("dx = dW", domain=(1, 0)), "lower end comes first"),
    "start outside": (lambda: of("dx = (1 - x) dt + sqrt(x) dW")(1, 1, 0, -1), "outside the state space"),
    "no start": (lambda: of("dx = dW")(1, 1), "needs a start"),
    "time backwards": (lambda: of("dx = dW")(0, 1, 0, 1), "t > t0"),
    "not a number": (lambda: of("dx = dW")(1, np.nan, 0, 1), "not finite"),
    "shapes": (lambda: of("dx = dW")(np.ones(3), np.ones(2), 0, 1), "do not fit"),
    "across a singular time": (lambda: of("dx = -x/(1 - t) dt + dW")(1.5, 0, 0, 0), "between t0 and t"),
    "unknown parameter": (lambda: of("dx = dW")(1, 1, 0, 1, k=2), "no parameter k"),
}


@pytest.mark.parametrize("case", BAD)
def test_wrong_input_ends_in_one_sentence(case):
    call, words = BAD[case]
    with pytest.raises(lsn.InputError, match=words.replace("(", r"\(")) as problem:
        call()
    assert "\n" not in str(problem.value)


def test_parameters_without_a_value_leave_open_whether_an_end_is_reached() -> None:
    found = lsn.density(lsn.SDE.parse("dx = a/x dt + dW"))
    assert "depending on the parameters" in found.boundary
    assert found.boundaries[0].reached is None
    assert found.with_parameters(a=0.8).boundary == "not reached"


def test_a_price_that_quadrature_does_not_see() -> None:
    """Black–Scholes far out of the money, 200 from 100 within a tenth of a year: 5.752080410e-28 in many digits."""
    sde = lsn.SDE.parse("dx = 0.05*x dt + 0.2*x dW")
    price = lsn.price(sde, "call(200)", 0.1, 100.0, killing=0.05)
    with mpmath.workdps(60):
        spread = mpmath.mpf(2) / 10 * mpmath.sqrt(mpmath.mpf(1) / 10)
        upper = (mpmath.log(mpmath.mpf(1) / 2) + (mpmath.mpf(5) / 100 + mpmath.mpf(2) / 100) / 10) / spread
        paid = 200 * mpmath.exp(-mpmath.mpf(5) / 1000) * mpmath.ncdf(upper - spread)
        exact = float(100 * mpmath.ncdf(upper) - paid)
    assert float(price) == pytest.approx(exact, rel=1e-6)


# More equations than the table: time in coefficients, several noises, ends of both kinds, killing, changed coordinates.
MORE = [
    ("dx = (0.5*(1 + t) - x) dt + sqrt((1 + t)*x) dW", None, None, None, 0.6, 1.0),
    ("dx = (sin(t) - x) dt + (1 + 0.5*cos(t)) dW", None, None, None, 0.4, 1.0),
    ("dx = 3/2*x dt + dW1 + x dW2", None, None, None, 0.4, 0.5),
    ("dx = (x + 4*x/(1 + 2*x^2)) dt + dW", None, None, None, 0.3, 0.6),
    ("dx = (1 - x) dt + sqrt(x) dW", "x/2 + 1/(3*x)", None, None, 0.8, 1.0),
    ("dx = 1/x dt + dW", "0.3/x^2 + 0.2*x^2", None, None, 0.8, 1.0),
    ("dx = -x dt + dW", None, "absorbing", (0, np.inf), 0.6, 1.0),
    ("dx = -x dt + dW", None, "reflecting", (0, np.inf), 0.6, 1.0),
    ("dx = dW", None, ("absorbing", "reflecting"), (-1, 2), 0.6, 1.0),
    ("dx = (1 + x^2) dW", None, None, None, 0.3, 0.5),
    ("dx = (-1 - x) dt + sqrt(-x) dW", None, None, None, -0.8, 1.0),
]


@pytest.mark.parametrize(("equation", "killing", "boundary", "domain", "start", "span"), MORE)
def test_densities_against_a_scheme_of_finite_volumes(equation, killing, boundary, domain, start, span):
    """The forward equation in steps of Crank and Nicolson, with fluxes that ends of both kinds get by themselves."""
    p = of(equation, boundary, domain=domain, killing=killing)
    places, values, mass = forward_equation(p.sde, p.domain, boundary, start, span)
    exact = p(span, places, 0, start)
    inner = slice(len(places) // 50, -(len(places) // 50))  # next to an end cells differ from points
    assert np.max(np.abs(values - exact)[inner]) < 5e-4 * values[inner].max()
    assert p.mass(span, 0, start) == pytest.approx(mass, abs=2e-4)


def forward_equation(sde, domain, boundary, start, span):
    """Centres of cells, the density there and what is left of the mass."""
    symbolic = sde.symbolic
    names = [symbolic.time, symbolic.state[0]]
    f, a, k = (
        sympy.lambdify(names, part)
        for part in (symbolic.drift[0], symbolic.diffusion_squared[0, 0], symbolic.killing[0])
    )
    edges, ended = _cells(lambda x: float(np.sqrt(a(span / 2, x))), domain, start, span)
    centres, widths = (edges[1:] + edges[:-1]) / 2, np.diff(edges)
    first = int(np.searchsorted(centres, start)) - 1
    share = (start - centres[first]) / (centres[first + 1] - centres[first])
    density = np.zeros(len(centres))
    density[first : first + 2] = np.array([1 - share, share]) / widths[first : first + 2]
    choice = boundary if isinstance(boundary, tuple) else (boundary, boundary)
    absorbing = [end and kind == "absorbing" for end, kind in zip(ended, choice, strict=True)]

    def operator(time):
        """Rates by Scharfetter and Gummel's fluxes: diagonal, from the left, from the right."""
        squared = a(time, centres) * np.ones(len(centres))
        h, middle = np.diff(centres), edges[1:-1]
        weight = h * 2 * f(time, middle) / a(time, middle)
        left = _bernoulli(-weight) * squared[:-1] / (2 * h)
        right = _bernoulli(weight) * squared[1:] / (2 * h)
        diagonal = np.zeros(len(centres))
        diagonal[:-1] -= left
        diagonal[1:] -= right
        for position, kind in zip((0, -1), absorbing, strict=True):
            if kind:
                diagonal[position] -= squared[position] / widths[position]
        return diagonal / widths - k(time, centres), left / widths[1:], right / widths[:-1]

    steps, time = 300, 0.0
    for number in range(steps + 2):
        step, part = (span / steps / 2, 1.0) if number < 4 else (span / steps, 0.5)
        diagonal, left, right = operator(time + step * (1.0 if part == 1.0 else 0.5))
        known = density + (1 - part) * step * diagonal * density
        known[1:] += (1 - part) * step * left * density[:-1]
        known[:-1] += (1 - part) * step * right * density[1:]
        bands = np.zeros((3, len(centres)))
        bands[1] = 1 - part * step * diagonal
        bands[0, 1:], bands[2, :-1] = -part * step * right, -part * step * left
        density = solve_banded((1, 1), bands, known)
        time += step
    return centres, density, float((density * widths).sum())


def _bernoulli(w):
    with np.errstate(all="ignore"):
        return np.where(np.abs(w) < 1e-8, 1 - w / 2, w / np.expm1(w))


def _cells(noise, domain, start, span):
    """Edges of cells of equal size in units of the noise, and which ends of the state space they arrive at."""
    low, high = (float(end) for end in domain)
    size, reach = 0.01 * np.sqrt(span), 9 * np.sqrt(span)
    sides, ended = [], []
    for sign, end in ((-1, low), (1, high)):
        places, gone = [start], 0.0
        while gone < reach:
            half = places[-1] + sign * size / 2 * noise(places[-1])
            place = places[-1] + sign * size * noise(half) if low < half < high else end
            if not low < place < high or abs(place) > 1e6:
                break
            places.append(place)
            gone += size
        ended.append(gone < reach and bool(np.isfinite(end)))
        sides.append([*places[1:-1], end] if ended[-1] else places[1:])
    return np.array([*sides[0][::-1], start, *sides[1]]), ended


@pytest.mark.parametrize(
    ("equation", "boundary", "domain", "start", "limit"),
    [
        ("dx = dW", "reflecting", (0, np.inf), 0.5, 2 * norm.pdf(0.5)),
        ("dx = (1/2 - x) dt + sqrt(x) dW", None, None, 0.5, 2 / (1 - np.exp(-1)) * np.exp(-1 / (np.e - 1))),
        ("dx = (0.2 - x) dt + sqrt(x) dW", "reflecting", None, 0.5, np.inf),
        ("dx = (1 - x) dt + sqrt(x) dW", None, None, 0.5, 0.0),
        ("dx = dW", "absorbing", (-1, 2), 0.5, 0.0),
    ],
)
def test_the_density_at_an_end_is_its_limit(equation, boundary, domain, start, limit):
    p = of(equation, boundary, domain=domain)
    low = p.kernel.interval()[0]
    assert p(1, low, 0, start) == pytest.approx(limit, rel=1e-9)
    assert p(1, np.array([low - 1, low]), 0, start)[0] == 0


def test_a_square_root_process_in_a_season():
    """x = e^{−1.5t} Z(τ) with a squared Bessel process Z and dτ = (2 + sin t)² e^{1.5t} dt: a noncentral χ² law."""
    p = of("dx = (0.8*(2 + sin(t))^2 - 1.5*x) dt + (2 + sin(t))*sqrt(x) dW")
    t0, t, x0 = 0.2, 1.2, 0.7
    clock = quad(lambda u: (2 + np.sin(u)) ** 2 * np.exp(1.5 * (u - t0)), t0, t, epsabs=1e-13, epsrel=1e-13)[0]
    law: Any = ncx2(3.2, 4 * x0 / clock, scale=clock / 4 * np.exp(-1.5 * (t - t0)))
    x = np.array([0.5, 1.3, 4.0])
    np.testing.assert_allclose(p(t, x, t0, x0), law.pdf(x), rtol=1e-10)
    # many starts at one time
    starts = np.array([0.3, 0.7, 0.9])
    np.testing.assert_allclose(p(t, 1.3, t0, starts), [p(t, 1.3, t0, float(start)) for start in starts], rtol=1e-13)


def test_a_parameter_may_have_the_name_of_the_start():
    p: Any = lsn.density("dx = k*(x0 - x) dt + s dW")
    with pytest.raises(lsn.InputError, match="has no value"):
        p(1, 0.3, 0, 0.2, k=1, s=1)
    symbols = {str(symbol) for symbol in p.formula.free_symbols}
    assert symbols == {"k", "s", "x0", "t", "x", "t0", "x0_"}
    given: Any = p.with_parameters(k=1, x0=Fraction(1, 2), s=1)
    assert given(1, 0.3, 0, 0.2) == pytest.approx(of("dx = (1/2 - x) dt + dW")(1, 0.3, 0, 0.2), rel=1e-14)
    values = {symbol: sympy.Float(v, 30) for symbol, v in zip(given.symbols, (1, 0.3, 0, 0.2), strict=True)}
    assert float(given.formula.subs(values)) == pytest.approx(given(1, 0.3, 0, 0.2), rel=1e-13)


def test_numbers_may_be_fractions():
    p = of("dx = k*(m - x) dt + s*sqrt(x) dW", "reflecting")
    half = Fraction(1, 2)
    found = p(half, Fraction(4, 5), 0, 1, k=Fraction(1), m=Fraction(1, 4), s=sympy.Integer(1))
    assert found == pytest.approx(0.664349558360, rel=1e-11)


def test_parameters_without_a_density_end_in_a_sentence():
    with pytest.raises(lsn.InputError, match="no noise"):
        of("dx = -x dt + s dW")(1, 0.0, 0, 0.5, s=0)
