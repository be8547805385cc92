"""Random systems: a diffusion with known symmetries in a random coordinate, with a random time change.

Brownian motion, linear drift and Bessel drift (with and without a linear term) in a coordinate w; x is a power, an
exponential, a hyperbolic sine or a logarithm of w, with random constants; if no drift is linear, a factor of the noise
may grow with time. In addition there is a drift w − w³ with ∂t alone. Number k is drawn with seed 77000 + k and is the
same on every machine. The method was developed without these systems.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from liestonet.catalogue.building import Motion, bessel_motion, brownian_motion, linear_motion, scalar_image
from liestonet.catalogue.reading import read_formula, symbols
from liestonet.catalogue.system import ITO, Experiment, System

FIRST_SEED, SYSTEMS = 77000, 60
BASES = ("brownian", "linear", "bessel", "radial", "well")
MAPS = ("power", "exponential", "sinh", "logarithm", "none")


def system(number: int) -> System:
    """System `number`; its experiment has duration 2 and steps of .01."""
    import sympy

    w, t = _symbol("w"), _symbol("t")
    rng = np.random.default_rng(FIRST_SEED + number)
    base, form = BASES[number % len(BASES)], MAPS[int(rng.integers(len(MAPS)))]
    positive = base in ("bessel", "radial") or form == "power"
    low, high = sorted(rng.uniform(0.8, 3.0, 2)) if positive else sorted(rng.uniform(-1.5, 1.5, 2))
    low, high = low, max(high, low + 0.6)
    drift, motion = _base(base, rng)
    image, inverse = _map(form, rng)
    clocked = base in ("brownian", "bessel") and rng.random() < 0.4
    rate = sympy.Rational(int(rng.integers(-8, 9)) or 3, 20)
    speed = sympy.exp(rate * t) if clocked else sympy.Integer(1)
    slope, bend = (sympy.diff(image, w, k) for k in (1, 2))
    f = (speed * (drift * slope + bend / 2)).subs(w, inverse)
    sigma = (sympy.sqrt(speed) * slope).subs(w, inverse)
    noise, shape = (
        _text(slope.subs(w, inverse)),
        _text(sympy.diff(slope.subs(w, inverse), _symbol("x")) / slope.subs(w, inverse)),
    )
    own = scalar_image(motion(_text(inverse)), noise, shape).ito
    if clocked:
        clock = (speed - 1) / rate
        time = symbols(("x",))[0]
        parts = [[read_formula(part, ("x",)).subs(time, clock) for part in row] for row in own]
        own = tuple((_text((tau / speed).subs(time, t)), _text(xi.subs(time, t))) for tau, xi in parts)
    first, last = sorted(float(image.subs(w, end)) for end in (low, high))
    ends = (first, last)
    edge = float(image.subs(w, 0.15))
    boundary: dict[str, Any] = {"x": edge if edge < first else (0.0, edge)} if positive else {}
    return System(
        key=f"random-{number}", title=f"{base} in a coordinate: {form}", description="drawn at random",
        equation=f"dx = ({_text(f)}) dt + ({_text(sigma)}) dW", symmetries={ITO: own}, box=((0, 2), ends),
        experiment=Experiment((ends,), duration=2.0, boundary=boundary), argument="an image of a known motion",
    )  # fmt: skip


def _base(base: str, rng: np.random.Generator) -> tuple[Any, Any]:
    """The drift in w for unit noise, and its generators for a text of w."""
    import sympy

    w = _symbol("w")
    k = sympy.Rational(int(rng.integers(6, 21)), 10) * (-1 if rng.random() < 0.8 else 0.5)
    strength = sympy.Rational(int(rng.integers(6, 21)), 10)
    if base == "brownian":
        return sympy.Integer(0), brownian_motion
    if base == "linear":
        return k * w, lambda text: linear_motion(str(k), text)
    if base == "well":
        return w - w**3, lambda text: Motion((("1", "0"),), (), ())
    rate = sympy.nsimplify(k) if base == "radial" else sympy.Integer(0)
    return strength / w + rate * w, lambda text: bessel_motion(str(strength), text, str(rate))


def _map(form: str, rng: np.random.Generator) -> tuple[Any, Any]:
    """x(w) and w(x)."""
    import sympy

    w, x = _symbol("w"), _symbol("x")
    k = sympy.Rational(int(rng.integers(4, 13)), 10)
    if form == "power":
        power = sympy.Rational(int(rng.choice([-2, -1, 2, 3, 4])), int(rng.choice([1, 1, 3])))
        return w**power, x ** (1 / power)
    if form == "exponential":
        return sympy.exp(k * w), sympy.log(x) / k
    if form == "sinh":
        return sympy.sinh(k * w), sympy.log(x + sympy.sqrt(1 + x**2)) / k
    if form == "logarithm":
        return sympy.log(1 + sympy.exp(k * w)), sympy.log(sympy.exp(x) - 1) / k
    return w, x


def _symbol(name: str) -> Any:
    import sympy

    return sympy.Symbol(name, real=True)


def _text(expression: Any) -> str:
    import sympy

    return str(sympy.simplify(expression)).replace("**", "^")
