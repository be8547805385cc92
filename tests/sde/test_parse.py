"""Equations from text against coefficients written by hand, and everything that must end in one clear sentence."""

from __future__ import annotations

import re
import time

import pytest
import sympy as sp
from hypothesis import example, given, settings
from hypothesis import strategies as st

from liestonet.errors import InputError
from liestonet.sde import SDE


def real(names):
    return sp.symbols(names, real=True)


x, y, z, v, t, k, s, e, B, X, w = (real(n) for n in ("x", "y", "z", "v", "t", "k", "s", "e", "B", "X", "w"))
x1, x2 = real("x1"), real("x2")
theta, kappa, sigma = real("θ"), real("κ"), real("σ")

# SymPy's own 12**EXPONENT is an integer of 300 MB.
EXPONENT = sp.Rational(987654321, 10**9)
QUICK = 2 * sp.Integer(2) ** (2 * EXPONENT - 1) * sp.Integer(3) ** EXPONENT

GOOD = [
    ("dx = -k*x dt + s dW", [-k * x], [[s]]),
    ("dx = -k*x dt + s dW; k = 1.5; s=0.1", [-sp.Rational(3, 2) * x], [[sp.Rational(1, 10)]]),
    ("dx = -k*x dt + s dW\nk = 1.5, s = sqrt(2)/3", [-sp.Rational(3, 2) * x], [[sp.sqrt(2) / 3]]),
    ("dx = y dt; dy = -y dt + sqrt(2) dW", [y, -y], [[0], [sp.sqrt(2)]]),
    ("dx = (x - x^3) dt + dW", [x - x**3], [[1]]),
    ("dx = x(1-x) dt + 2x dW", [x * (1 - x)], [[2 * x]]),
    ("dx = dt*x - dW", [x], [[-1]]),
    ("dx = (x dt + dW)/2", [x / 2], [[sp.Rational(1, 2)]]),
    ("dx = 2(x dt + dW)", [2 * x], [[2]]),
    ("dx = x dt + x dt - dW/x", [2 * x], [[-1 / x]]),
    ("dx = −κ·x dt + σ × x² dW", [-kappa * x], [[sigma * x**2]]),
    ("dθ = √2 dW_1 + √(1+θ^2) dW2", [0], [[sp.sqrt(2), sp.sqrt(1 + theta**2)]]),
    ("dx = dW10 + 2 dW2 + 3 dB1", [0], [[2, 1, 3]]),
    ("dx = x dW; dy = y dW", [0, 0], [[x], [y]]),
    ("dx = t dt + e^(-t) dW", [t], [[sp.exp(-t)]]),
    ("dx = e x dt + dW; e = 2", [2 * x], [[1]]),
    ("de = -e dt + dB", [-e], [[1]]),
    ("dB = -B dt + dW", [-B], [[1]]),
    ("dx = y dt; dy = -x dt", [y, -x], sp.zeros(2, 0)),
    ("dx = 0 dt + 0 dW3 + x dW1", [0], [[x, 0]]),
    ("dx = y dt\ndy = -y dt\n   + sqrt(2) dW", [y, -y], [[0], [sp.sqrt(2)]]),
    ("\n\ndx = (y +\n x) dt;\n\n; dy = dW\n", [x + y, 0], [[0], [1]]),
    ("delta = 0.5; dx = delta dt + dW", [sp.Rational(1, 2)], [[1]]),
    ("dx = 1/2 x dt + dW1 + x dW2", [x / 2], [[1, x]]),
    ("dx = abs(x) dt + sign(x) dW", [sp.Abs(x)], [[sp.sign(x)]]),
    ("dx = pi tanh(x) dt + ln(x) dW", [sp.pi * sp.tanh(x)], [[sp.log(x)]]),
    ("dx = x ∘ dW", [x / 2], [[x]]),
    ("dx = -x dt + x y o dW1; dy = x∘dW2", [-x + x * y**2 / 2, 0], [[x * y, 0], [0, x]]),
    ("dx = x ∘ dW1 + y ∘ dW2; dy = x ∘ dW1", [x / 2, x / 2], [[x, y], [x, 0]]),
    ("dx = x o dW; o = 2", [0], [[2 * x]]),
    ("dx = tan(x + pi/2) dt + dW", [-1 / sp.tan(x)], [[1]]),
    ("dx = asinh(x) dt + acosh(x) dW", [sp.asinh(x)], [[sp.acosh(x)]]),
    ("dx = arcsinh(x) dt + arccosh(x) dW1 + arctanh(x) dW2", [sp.asinh(x)], [[sp.acosh(x), sp.atanh(x)]]),
    ("dx = arsinh(x) dt + arcosh(x) dW1 + artanh(x) dW2", [sp.asinh(x)], [[sp.acosh(x), sp.atanh(x)]]),
    ("dx = erf(x/2) dt + erfc(-t) dW", [sp.erf(x / 2)], [[sp.erfc(-t)]]),
    ("dx = atanh(1/2) dt + asinh(3/4) dW", [sp.atanh(sp.Rational(1, 2))], [[sp.asinh(sp.Rational(3, 4))]]),
    ("dx = cot(x) dt + sec(x) dW1 + csc(x) dW2", [sp.cos(x) / sp.sin(x)], [[1 / sp.cos(x), 1 / sp.sin(x)]]),
    ("dx = coth(x) dt + sech(x) dW1 + csch(x) dW2", [sp.coth(x)], [[1 / sp.cosh(x), 1 / sp.sinh(x)]]),
    ("dx = abs(log(x)) dt + dW", [sp.Abs(sp.log(x), evaluate=False)], [[1]]),
    ("dx = (12 x)^0.987654321 dt + dW", [QUICK * (x**EXPONENT)], [[1]]),
    ("dX_t = 2 X_t dt + 3 X_t dW_t", [2 * X], [[3 * X]]),
    ("dX_{t} = 2 X_{t} dt + 3 X_t dB_t", [2 * X], [[3 * X]]),
    ("dXₜ = 2 Xₜ dt + 3 Xₜ dWₜ", [2 * X], [[3 * X]]),
    ("dX_t = σ_1 X_t^2 dt + σ_2 dW_t; σ_1 = 2; σ₂ = 3", [2 * X**2], [[3]]),
    ("dx_1 = x_2 dt; dx_2 = x₁ dW", [x2, 0], [[0], [x1]]),
    ("dx_{1,t} = x_{2,t} dt; dx_{t,2} = x1 dW", [x2, 0], [[0], [x1]]),
    ("dx = x dt + dw", [x], [[1]]),
    ("dx = x dt + dw_t", [x], [[1]]),
    ("dx = x dt + x dw1 + 2 dw_2", [x], [[x, 2]]),
    ("dw = -w dt + dW", [-w], [[1]]),
    ("dx = dw x dt + dW; dw = 3", [3 * x], [[1]]),
    ("dx = dW^1 + x dW^2", [0], [[1, x]]),
    ("dx = 3 dW^{(2)}_t + x dW^{(1)}_t", [0], [[x, 3]]),
    ("dx = dW_t^1 + x dW_t^(2)", [0], [[1, x]]),
    ("dx = dW¹ + x dW²", [0], [[1, x]]),
    ("dx(t) = -x(t) dt + x(t)^2 dW(t)", [-x], [[x**2]]),
    ("dX(t) = t X(t) dt + dB(t)", [t * X], [[1]]),
    ("dx(t) = y(t) dt; dy(t) = t x(t) dt + dW(t)", [y, x * t], [[0], [1]]),
    ("\ufeffdx = x dt + dW\r\n", [x], [[1]]),
    ("dx = 1.05^365 dt + dW", [sp.Rational(21, 20) ** 365], [[1]]),
]


@pytest.mark.parametrize(("text", "drift", "diffusion"), GOOD, ids=[row[0] for row in GOOD])
def test_coefficients(text, drift, diffusion):
    symbolic = SDE.parse(text).symbolic
    assert symbolic is not None
    assert sp.simplify(symbolic.drift - sp.Matrix(drift)).is_zero_matrix
    assert symbolic.diffusion.shape == sp.Matrix(diffusion).shape
    assert symbolic.noise == 0 or sp.simplify(symbolic.diffusion - sp.Matrix(diffusion)).is_zero_matrix


@pytest.mark.parametrize("text", [row[0] for row in GOOD if "365" not in row[0]])
def test_printed_equation_reads_back(text):
    sde = SDE.parse(text)
    assert SDE.parse(str(sde)).symbolic == sde.symbolic


BAD = [
    ("dx = x_a dt + dW", "index as in x_1"),
    ("dx = x__t dt + dW", "'_'"),
    ("dx = x_ dt + dW", "'_'"),
    ("dx = x1_2 dt + dW", "'_'"),
    ("dx = x_{ab} dt + dW", "'_'"),
    ("dx = _t dt + dW", "'_'"),
    ("dx = dW^2", "may only be a factor"),
    ("dx = dW²", "may only be a factor"),
    ("dx = dw + dW", "dw"),
    ("dx = x(t) dt + dW", "x times t"),
    ("dX_t/X_t = 0.1 dt + dW_t", "dX = X*(...)"),
    ("dx = \\sigma dW", "LaTeX"),
    ("$dx = dW$", "dollar"),
    ("dx = atanh(2) dt + dW", "atanh is at 2"),
    ("dx = acosh(1/2) dt + dW", "acosh is at 0.5"),
    ("dx = coth(0) dt + dW", "divides by zero"),
    ("", "no equation"),
    (" ;\n ", "no equation"),
    ("k = 2", "no equation"),
    ("dx", "'dx' has no = sign"),
    ("dx =", "'dx ='"),
    ("= x dt", "'= x dt'"),
    ("x = -x dt + dW", "dx = ..."),
    ("dx/dt = -x", "dx = ... dt + ... dW"),
    ("dx = -x", "no dt and no dW"),
    ("dx = 0", "no dt and no dW"),
    ("dx = x dt + 1", "'1'"),
    ("dx = x + dt", "'x'"),
    ("dx = (1 + dt)*x", "'(1 + dt)*x'"),
    ("dx = x dt + dZ", "dZ is not a noise"),
    ("dx = dt dW", "two differentials"),
    ("dx = dW*(x + dW)", "two differentials"),
    ("dx = dt^2", "'dt^2'"),
    ("dx = 2^dt", "'2^dt'"),
    ("dx = sin(dt)", "'sin(dt)'"),
    ("dx = x/dt", "'x/dt'"),
    ("dx = dy; dy = dW", "dy"),
    ("dx = x dx + dW", "dx occurs on the right"),
    ("dx = x dt; dx = dW", "dx = ... occurs 2 times"),
    ("dx = k dt; k = 1; k = 2", "k = ... occurs 2 times"),
    ("dW = dt", "names the noise"),
    ("dW1 = dt", "names the noise"),
    ("dt = dW", "names time"),
    ("dsin = dW", "names a function"),
    ("dpi = dW", "number π"),
    ("d = dW", "names no coordinate"),
    ("dx = W dt + dW", "W occurs in a coefficient"),
    ("dx = B dt + dB", "B occurs in a coefficient"),
    ("dx = dW + dW1", "both dW and dW1"),
    ("dx = x ∘ dW1 + dW2", "mixed"),
    ("dx = x ∘ dW; dy = dW", "mixed"),
    ("dx = ∘ dW", "'∘'"),
    ("dx = x dt + dW; k = 2", "does not occur"),
    ("dx = kappa dt + dW; kapa = 2", "did you mean kappa?"),
    ("dx = k dt + dW; k = x", "contains the name x"),
    ("dx = k dt + dW; k = 1,5", "decimals with a point"),
    ("dx = x dt + dW; x = 2", "coordinate"),
    ("dx = t dt + dW; t = 2", "names time"),
    ("dx = lambda dt + dW", "reserved word"),
    ("dx = 9**9**9**9 dt", "9**9**9"),
    ("dx = 10^10^10 dt", "10^10^10"),
    ("dx = 10^-10^10 dt", "10^-10^10"),
    ("dx = exp(exp(exp(100))) dt", "exp(exp(100))"),
    ("dx = 1e90*1e90 dt", "1e90*1e90"),
    ("dx = (1e90 x)(1e90 x) dt", "1e90 x"),
    ("dx = 2^(x+10^9)*2^(-x) dt", "2^(x+10^9)"),
    ("dx = (2^(300 x))^(64) dt", "(2^(300 x))^(64)"),
    ("dx = 1.0000001^(10^8) dt", "too many digits"),
    ("dx = x^1000 dt", "x^1000"),
    ("dx = 9^k^k dt + dW; k = 9", "9^k^k"),
    ("dx = sqrt(-1) dt", "complex"),
    ("dx = (-8)^(1/3) dt", "complex"),
    ("dx = log(-2) dt", "complex"),
    ("dx = asin(2) dt", "complex"),
    ("dx = (-2)^x dt", "base"),
    ("dx = 1/0 dt", "zero"),
    ("dx = 1/(2-2) dt", "zero"),
    ("dx = x/(x-x) dt", "zero"),
    ("dx = tan(pi/2) dt", "tan(pi/2)"),
    ("dx = 0^-1 dt", "zero"),
    ("dx = I*x dt + dW", "imaginary unit"),
    ("dx = exp(I x) dt + dW", "imaginary unit"),
    ("dx = k dt + dW; k = I", "imaginary unit"),
    ("dx = oo dt + dW", "infinity"),
    ("dx = x dt + inf dW", "infinity"),
    ("dx = zoo*x dt + dW", "complex infinity"),
    ("dx = nan dt + dW", "not a number"),
]


@pytest.mark.parametrize(("text", "mentions"), BAD, ids=[row[0] for row in BAD])
def test_refused(text, mentions):
    with pytest.raises(InputError) as caught:
        SDE.parse(text)
    message = str(caught.value)
    assert mentions in message
    assert message.endswith((".", "?"))
    assert "\n" not in message
    assert ". " not in message.replace("... ", "")


def test_what_the_names_of_sympy_mean():
    """I with an equation or a value is a name; e and pi are numbers, E and i are parameters."""
    assert SDE.parse("dS = -S*I dt + dW1; dI = S*I dt + dW2").names == ("S", "I")
    assert str(SDE.parse("dx = I*x dt + dW; I = 3")) == "dx = 3*x dt + dW"
    assert str(SDE.parse("dx = oo*x dt + dW", oo=2)) == "dx = 2*x dt + dW"
    assert SDE.parse("dx = e*x dt + pi dW").parameters == ()
    assert SDE.parse("dx = E*x dt + i dW").parameters == ("E", "i")


@pytest.mark.parametrize(
    ("values", "mentions"),
    [
        ({"kk": 1.0}, "did you mean k?"),
        ({"x": 1.0}, "coordinate"),
        ({"t": 1.0}, "names time"),
        ({"sin": 1.0}, "names a function"),
        ({"k": "1"}, "not a real number"),
        ({"k": True}, "not a real number"),
        ({"k": 1j}, "not a real number"),
        ({"k": None}, "not a real number"),
        ({"k": float("nan")}, "not a finite number"),
        ({"k": float("inf")}, "not a finite number"),
        ({"k": 1e200}, "Parameter k"),
        ({"k": sp.I}, "not a real number"),
        ({3: 1.0}, "3 has a value"),
    ],
)
def test_refused_values(values, mentions):
    with pytest.raises(InputError, match=r"\.$|\?$") as caught:
        SDE.parse("dx = k x dt + dW", parameters=values)
    assert mentions in str(caught.value)


def test_text_only():
    with pytest.raises(InputError, match="must be text"):
        SDE.parse(5)


WORDS = (
    "dx dy = + - * / ^ ** ( ) ; , x y t k dt dW dW1 o ∘ sin( exp( sqrt( log( abs( 2 0 -1 .5 1e9 1e90 9^9 √ ² e _ . ["
)
PIECES = st.sampled_from([*WORDS.split(), "\n"])
TEXTS = st.sampled_from([row[0] for row in GOOD])
MUTATIONS = st.tuples(TEXTS, st.integers(0, 40), st.text(max_size=3), st.integers(0, 3))


def mutate(row):
    text, at, insert, drop = row
    return text[:at] + insert + text[at + drop :]


@settings(max_examples=400)
@given(
    st.one_of(
        st.text(max_size=60),
        st.lists(PIECES, max_size=25).map(" ".join),
        st.lists(PIECES, max_size=25).map(lambda p: "dx = (" + "".join(p) + ") dt + dW"),
        MUTATIONS.map(mutate),
    )
)
@example("dx = \ufdfa dt")
@example("dx = ẋ dt + d\u0307W")
@example("d\ud800x = dt")
@example("dx = (" + "+".join(f"sqrt({i})" for i in range(2, 90)) + ")^20 dt")
@example("dx = " + "x^" * 20 + "x dt")
@example("dx = " + "abs(1+log(" * 12 + "x" + "))" * 12 + " dt")
def test_any_text_ends_soon_and_in_our_error(text):
    start = time.process_time()
    try:
        sde = SDE.parse(text)
    except InputError as error:
        assert "\n" not in str(error)  # noqa: PT017
    else:
        long = re.search("[0-9]{60}", str(sde))  # exact to the last digit, but beyond what a text may hold
        assert long or SDE.parse(str(sde)).symbolic == sde.symbolic
    assert time.process_time() - start < 10  # the longest takes a second; the bound only catches a blow-up
