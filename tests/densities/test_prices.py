"""Prices against formulas of the literature and integrals in many digits, far tails and poles included."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import ncx2, norm
from typer.testing import CliRunner

import liestonet as lsn
from liestonet import cli

BROWNIAN, DECAY = "dx = dW", "dx = -x dt + dW"
SHARE = "dx = 0.05*x dt + 0.2*x dW"
ROOT = "dx = (1 - x) dt + sqrt(x) dW"


def black_scholes(strike: float, maturity: float, start: float, call: bool) -> tuple[float, float, float]:
    """Price, delta and gamma with r = 0.05, s = 0.2, in sixty digits."""
    with mpmath.workdps(60):
        r, s, t = mpmath.mpf(5) / 100, mpmath.mpf(2) / 10, mpmath.mpf(str(maturity))
        x, k, root = mpmath.mpf(start), mpmath.mpf(strike), mpmath.sqrt(mpmath.mpf(str(maturity)))
        upper = (mpmath.log(x / k) + (r + s**2 / 2) * t) / (s * root)
        sign = 1 if call else -1
        value = sign * (x * mpmath.ncdf(sign * upper) - k * mpmath.exp(-r * t) * mpmath.ncdf(sign * (upper - s * root)))
        return float(value), float(sign * mpmath.ncdf(sign * upper)), float(mpmath.npdf(upper) / (x * s * root))


@pytest.mark.parametrize("strike", [1, 50, 95, 110, 300, 10_000])
@pytest.mark.parametrize("call", [True, False])
def test_black_and_scholes_keeps_its_digits_however_far_the_strike_is(strike, call):
    """Calls and puts down to 1e-114, as text and as a callable that is integrated."""
    expected = black_scholes(strike, 0.5, 100, call)
    found = lsn.price(SHARE, f"{'call' if call else 'put'}({strike})", 0.5, 100, killing=0.05)
    np.testing.assert_allclose([found.value, found.delta, found.gamma], expected, rtol=1e-9)
    assert abs(found.value - expected[0]) <= max(found.error, 1e-14 * expected[0])
    sign = 1 if call else -1
    summed = lsn.price(SHARE, lambda x: np.maximum(sign * (x - strike), 0), 0.5, 100, killing=0.05)
    assert summed.method == "quadrature"
    # far in the money gamma is what is left of integrals of order one
    np.testing.assert_allclose([summed.value, summed.delta, summed.gamma], expected, rtol=1e-9, atol=1e-13)


def test_bonds_of_vasicek_and_cox_ingersoll_ross():
    k, m, s, r, span = 0.5, 0.06, 0.1, 0.03, 5.0
    reach = (1 - np.exp(-k * span)) / k
    flat = (m - 0.02**2 / (2 * k**2)) * (reach - span) - 0.02**2 * reach**2 / (4 * k)
    vasicek = lsn.price("dr = 0.5*(0.06 - r) dt + 0.02 dW", "bond", span, r, killing="r")
    assert float(vasicek) == pytest.approx(np.exp(flat - reach * r), rel=1e-12)
    assert vasicek.delta == pytest.approx(-reach * float(vasicek), rel=1e-10)
    root = np.sqrt(k**2 + 2 * s**2)
    under = (root + k) * np.expm1(root * span) + 2 * root
    power = (2 * root * np.exp((k + root) * span / 2) / under) ** (2 * k * m / s**2)
    steep = 2 * np.expm1(root * span) / under
    cir = lsn.price("dr = 0.5*(0.06 - r) dt + 0.1*sqrt(r) dW", "1", span, r, killing="r")
    assert float(cir) == pytest.approx(power * np.exp(-steep * r), rel=1e-12)
    assert cir.delta == pytest.approx(-steep * float(cir), rel=1e-9)
    assert cir.gamma == pytest.approx(steep**2 * float(cir), rel=1e-9)


def test_the_square_root_process_by_its_noncentral_law():
    span, start = 0.4, 0.9
    scale = (1 - np.exp(-span)) / 4
    law: Any = ncx2(4, start * np.exp(-span) / scale, scale=scale)
    assert float(lsn.price(ROOT, "digital(1.2)", span, start)) == pytest.approx(law.sf(1.2), rel=1e-10)
    assert float(lsn.price(ROOT, "0.3 < x < 0.5", span, start)) == pytest.approx(law.cdf(0.5) - law.cdf(0.3), rel=1e-9)
    paid = quad(lambda x: (1 - x) * law.pdf(x), 0, 1, epsabs=1e-13, epsrel=1e-12)[0]
    assert float(lsn.price(ROOT, "put(1)", span, start)) == pytest.approx(paid, rel=1e-10)


def test_greeks_are_the_derivatives_of_the_price():
    """Where no formula of the literature is near: an absorbing end, killing by the state, a payoff with two kinks."""
    equation, payoff, step = "dx = (0.1 - x) dt + sqrt(x) dW", "max(min(x, 1) - 0.3, 0)", 1e-3

    def value(start: float, begin: float = 0.0) -> Any:
        return lsn.price(equation, payoff, 1, start, killing="x", boundary="absorbing", t0=begin)

    middle, up, down = value(0.6), value(0.6 + step), value(0.6 - step)
    assert middle.delta == pytest.approx((up - down) / (2 * step), rel=1e-5)
    assert middle.gamma == pytest.approx((up - 2 * middle + down) / step**2, rel=1e-4)
    assert middle.theta == pytest.approx((value(0.6, step) - value(0.6, -step)) / (2 * step), rel=1e-5)


@pytest.mark.parametrize("width", [1e-2, 1e-3])
def test_a_callable_much_narrower_than_the_density_is_seen(width):
    with mpmath.workdps(30):
        exact = float(mpmath.ncdf(mpmath.mpf("0.3") + width) - mpmath.ncdf(mpmath.mpf("0.3")))
    found = lsn.price(BROWNIAN, lambda x: (x > 0.3) & (x < 0.3 + width), 1, 0)
    assert float(found) == pytest.approx(exact, rel=1e-10)
    assert abs(found.value - exact) <= found.error + 1e-15


def test_text_is_seen_however_narrow():
    found = lsn.price(BROWNIAN, "0.3 < x < 0.300000001", 1, 0)
    exact = 1e-9 * np.exp(-(0.3**2) / 2) / np.sqrt(2 * np.pi)
    assert float(found) == pytest.approx(exact, rel=1e-6)
    assert abs(found.value - exact) <= found.error + 1e-9 * exact


@pytest.mark.parametrize("payoff", ["1/x", lambda x: 1 / x, "1/(x - 1/7)^2", "1/x^2", "(x - 0.3)^(-4)"])
@pytest.mark.parametrize("start", [0.0, 0.5])
def test_a_pole_inside_the_state_space_is_refused(payoff, start):
    with pytest.raises(lsn.InputError, match="pole"):
        lsn.price(BROWNIAN, payoff, 1, start)


@pytest.mark.parametrize(("payoff", "function"), [("log(abs(x))", mpmath.log), ("abs(x)^(-1/4)", lambda x: x**-0.25)])
def test_weak_singularities_are_integrated(payoff, function):
    with mpmath.workdps(20):
        places = [-9, -3, -1, -0.01, 0, 0.01, 1, 3, 9]
        exact: Any = mpmath.quad(lambda x: function(abs(x)) * mpmath.npdf(x, 0.5, 1), places)
    found = lsn.price(BROWNIAN, payoff, 1, 0.5)
    assert float(found) == pytest.approx(float(exact), rel=1e-8)
    assert abs(found.value - float(exact)) <= found.error


@pytest.mark.parametrize("rate", [30, 1000, 1_000_000])
def test_oscillating_payoffs_take_bounded_time_and_have_a_valid_error_bound(rate):
    found = lsn.price(BROWNIAN, lambda x: np.cos(rate * x), 0.01, 0.1)
    exact = np.cos(rate * 0.1) * np.exp(-(rate**2) * 0.005)
    assert abs(found.value - exact) <= found.error
    assert found.error < (1e-12 if rate < 10_000 else 2)


def test_payoffs_have_parameters():
    exact, *_ = black_scholes(110, 1, 100, True)
    equation, values = "dx = r*x dt + s*x dW", {"K": 110, "r": 0.05, "s": 0.2}
    found = lsn.price(equation, "max(x - K, 0)", 1, 100, killing="r", parameters=values)
    assert float(found) == pytest.approx(exact, rel=1e-12)
    named = lsn.price(equation, "r*x", 1, 100, killing="r", parameters={"r": 0.05, "s": 0.2})
    assert float(named) == pytest.approx(5, rel=1e-12)
    words = ["price", equation, "--payoff", "max(x - K, 0)", "--maturity", "1", "--x0", "100", "--killing", "r"]
    words += ["--param", "K=110", "--param", "r=0.05", "--param", "s=0.2", "--json"]
    shown = CliRunner().invoke(cli.app, words)
    assert shown.exit_code == 0, shown.output
    assert json.loads(shown.stdout)["value"] == pytest.approx(exact, rel=1e-12)


def down_and_out(start: float, strike: float, barrier: float) -> float:
    """A call that ends at a barrier below the strike, r = 0.05, s = 0.2, one year (Merton 1973)."""
    plain = black_scholes(strike, 1, start, True)[0]
    image = black_scholes(strike, 1, barrier**2 / start, True)[0]
    return plain - (start / barrier) ** (1 - 2 * 0.05 / 0.2**2) * image


@pytest.mark.parametrize("start", [90.5, 100.0, 140.0])
def test_a_barrier_option(start):
    found = lsn.price(SHARE, "call(100)", 1, start, killing=0.05, boundary="absorbing", domain=(90, np.inf))
    assert float(found) == pytest.approx(down_and_out(start, 100, 90), rel=1e-10)
    # beyond the barrier nothing is paid, and at it nothing is left
    digitals = [
        lsn.price(SHARE, text, 1, start, killing=0.05, boundary="absorbing", domain=(90, np.inf))
        for text in ("digital(80)", "digital(90)", "1")
    ]
    assert [float(one) for one in digitals] == pytest.approx([digitals[0].mass] * 3, rel=1e-12)


def test_absorbed_paths_pay_nothing():
    """Puts and calls differ by the forward only with what the absorbed paths would have paid."""
    share = "dx = 0.05*x dt + 0.9*sqrt(x) dW"
    put, call, forward = (
        lsn.price(share, text, 1, 1, killing=0.05, boundary="absorbing") for text in ("put(1)", "call(1)", "x")
    )
    absorbed = np.exp(-0.05) - put.mass
    assert absorbed > 0.01
    assert put + absorbed == pytest.approx(call - forward + np.exp(-0.05), rel=1e-9)
    assert float(forward) == pytest.approx(1, rel=1e-10)


@pytest.mark.parametrize(
    ("equation", "rate", "total", "variance"),
    [
        ("dx = (0.05 + 0.02*t)*x dt + 0.2*x dW", "0.05 + 0.02*t", 0.06, 0.04),
        ("dx = 0.05*x dt + (0.2 + 0.1*t)*x dW", 0.05, 0.05, 0.04 + 0.02 + 0.01 / 3),
    ],
)
def test_rates_and_volatilities_that_depend_on_time(equation, rate, total, variance):
    found = lsn.price(equation, "call(110)", 1, 100, killing=rate)
    upper = (np.log(100 / 110) + total + variance / 2) / np.sqrt(variance)
    below = upper - np.sqrt(variance)
    exact = 100 * float(mpmath.ncdf(upper)) - 110 * np.exp(-total) * float(mpmath.ncdf(below))
    assert float(found) == pytest.approx(exact, rel=1e-10)


def test_a_mean_that_moves_with_the_season():
    """The model of Hull and White: the bond is exponential in ∫∫ of the mean, here by quadrature."""
    found = lsn.price("dr = (0.03 + 0.01*sin(t) - 0.5*r) dt + 0.02 dW", "1", 5, 0.03, killing="r")

    def reach(span: float) -> float:
        return -np.expm1(-0.5 * span) / 0.5

    mean = quad(lambda t: (0.03 + 0.01 * np.sin(t)) * reach(5 - t), 0, 5, epsabs=1e-14)[0] + 0.03 * reach(5)
    variance = quad(lambda t: (0.02 * reach(5 - t)) ** 2, 0, 5, epsabs=1e-14)[0]
    assert float(found) == pytest.approx(np.exp(-mean + variance / 2), rel=1e-10)


def test_integrals_within_integrals_are_left_to_quadrature():
    found = lsn.price("dx = -(1 + t)*x dt + (1 + 0.5*sin(t)) dW", "digital(0)", 1, 0.3)
    mean = 0.3 * np.exp(-1.5)
    variance = quad(lambda t: (1 + 0.5 * np.sin(t)) ** 2 * np.exp(-3 + 2 * t + t**2), 0, 1, epsabs=1e-14)[0]
    assert float(found) == pytest.approx(float(mpmath.ncdf(mean / np.sqrt(variance))), rel=1e-10)
    assert found.method == "quadrature"


def mean_of(payoff: Any, places: list[float]) -> float:
    """The price of a payoff in Black and Scholes' model by integrals between its kinks."""
    with mpmath.workdps(20):
        s, m = mpmath.mpf(2) / 10, mpmath.log(100) + mpmath.mpf(3) / 100
        ends = [mpmath.log(place) for place in places]
        paid: Any = mpmath.quad(lambda y: payoff(mpmath.exp(y)) * mpmath.npdf(y, m, s), ends)
        return float(paid * mpmath.exp(-mpmath.mpf(5) / 100))


KINKS = [
    ("min(max(x - 90, 0), 20)", lambda x: min(max(x - 90, 0), 20), [10, 90, 110, 1000]),
    ("abs(abs(x - 100) - 15)", lambda x: abs(abs(x - 100) - 15), [10, 85, 100, 115, 1000]),
    ("max(log(x) - 4.7, 0)", lambda x: mpmath.log(x) - mpmath.mpf("4.7"), [np.exp(4.7), 150, 300, 600]),
    ("max(x*log(x) - 500, 0)", lambda x: x * mpmath.log(x) - 500, [107.00128942808259, 150, 300, 600]),
]


@pytest.mark.parametrize(("payoff", "function", "places"), KINKS)
def test_kinks_are_seen_wherever_they_are(payoff, function, places):
    """Nested ones, and those of equations without an exact root, far from zero."""
    found = lsn.price(SHARE, payoff, 1, 100, killing=0.05)
    assert float(found) == pytest.approx(mean_of(function, places), rel=1e-9)


def test_conditions_change_sign_without_end():
    """sin x > ½ with a standard deviation of ten: in a third of all places, to rounding."""
    found = lsn.price(BROWNIAN, "sin(x) > 1/2", 100, 0)
    k = np.arange(-30, 31)
    exact = float(np.sum(norm.cdf((2 * k + 5 / 6) * np.pi / 10) - norm.cdf((2 * k + 1 / 6) * np.pi / 10)))
    assert float(found) == pytest.approx(exact, rel=1e-10)


def test_callables_of_single_states_and_fractions():
    exact, *_ = black_scholes(110, 1, 100, True)
    single = lsn.price(SHARE, lambda x: max(x - 110, 0), Fraction(1), Fraction(100), killing=Fraction(1, 20))
    assert float(single) == pytest.approx(exact, rel=1e-11)


BAD: dict[str, tuple[Any, str]] = {
    "a condition with a name": (lambda: lsn.price(SHARE, "x > K", 1, 100), "contains K"),
    "two conditions": (lambda: lsn.price(SHARE, "x > 90 and x < 110", 1, 100), "more than one condition"),
    "a condition as a factor": (lambda: lsn.price(SHARE, "x*(x > 90)", 1, 100), "more than one condition"),
    "three conditions": (lambda: lsn.price(SHARE, "80 < x < 90 < 100", 1, 100), "more than one condition"),
    "empty": (lambda: lsn.price(SHARE, " ", 1, 100), "payoff is empty"),
    "no strike": (lambda: lsn.price(SHARE, "call()", 1, 100), "needs its strike"),
    "code": (lambda: lsn.price(SHARE, "__import__('os').getcwd()", 1, 100), "Unknown payoff"),
    "an empty rate": (lambda: lsn.price(SHARE, "1", 1, 100, killing=""), "killing is empty"),
    "many starts": (lambda: lsn.price(SHARE, "x", 1, np.array([90.0, 100.0])), "give a finite number"),
    "an unknown name": (lambda: lsn.price(SHARE, "x", 1, 100, parameters={"vol": 0.2}), "no parameter vol"),
    "no noise": (lambda: lsn.price("dx = x dt + s*x dW", "x", 1, 1, parameters={"s": 0}), "no noise"),
    "at an end": (lambda: lsn.price(ROOT, "x", 1, 0), "is an end of the state space"),
    "at once": (lambda: lsn.price(SHARE, "x", 0, 100), "not after t0"),
    "a name without a value": (lambda: lsn.price(SHARE, "max(x - K, 0)", 1, 100), "contains K"),
    "a value without a name": (lambda: lsn.price(SHARE, "call(1)", 1, 100, parameters={"K": 1}), "no parameter K"),
    "grows too fast": (lambda: lsn.price(BROWNIAN, "exp(x^2/2)", 1, 0), "not integrable"),
    "not real": (lambda: lsn.price(DECAY, "sqrt(x)", 1, 1), "not a real number at -"),
    "nothing seen": (lambda: lsn.price(BROWNIAN, lambda x: 0 * x, 1, 0), "is 0 at all"),
    "infinite at an end": (lambda: lsn.price(ROOT, "1/x^2", 1, 1), "not integrable"),
    "outside": (lambda: lsn.price(ROOT, "x", 1, -1), "outside the state space"),
    "too early": (lambda: lsn.price(SHARE, "x", -1, 100), "not after t0"),
    "no number": (lambda: lsn.price(SHARE, "x", 1, "a"), "x0 is 'a'"),
    "no boundary": (lambda: lsn.price("dx = -0.2/x dt + dW", "x", 1, 1), "boundary='reflecting'"),
    "fails": (lambda: lsn.price(BROWNIAN, lambda x: x / "a", 1, 0), "The payoff failed"),
    "wrong shape": (lambda: lsn.price(BROWNIAN, lambda x: np.ones(3), 1, 0), "returned shape"),
}


@pytest.mark.parametrize("case", BAD)
def test_wrong_input_ends_in_one_sentence(case):
    call, words = BAD[case]
    with pytest.raises(lsn.InputError, match=words) as problem:
        call()
    assert "\n" not in str(problem.value)


@pytest.mark.parametrize(
    ("payoff", "said"),
    [
        ("cal(110)", r"Unknown payoff cal; did you mean call\? Known are call\(K\), put\(K\), digital\(K\), bond"),
        ("2 * foo(x)", r"Unknown payoff foo\. Known are"),
        ("call(110) - call(120)", r"call\(\.\.\.\) is a whole payoff; in a formula write max\(x - 110, 0\)"),
        ("put", "needs its strike"),
    ],
)
def test_unknown_payoffs_are_answered_with_the_known_ones(payoff: str, said: str):
    with pytest.raises(lsn.InputError, match=said):
        lsn.price(lsn.SDE.parse("dx = 0.05 x dt + 0.2 x dW"), payoff, 1.0, 100.0)
