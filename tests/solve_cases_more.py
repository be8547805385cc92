# pyright: basic, reportArgumentType=false, reportAttributeAccessIssue=false
# pyright: reportCallIssue=false, reportGeneralTypeIssues=false, reportIndexIssue=false
# pyright: reportOperatorIssue=false, reportReturnType=false
"""More systems with exact symmetries: images under changes of variables and of time, products, long times, many noises."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from solve_cases_2d import KOLMOGOROV, isotropic, turned
from solve_exact import Case, Later, U, affine, bessel, brownian, case, image, linear, linear_system, retimed, t

R, exp, sin, cos, sqrt, log = sp.Rational, sp.exp, sp.sin, sp.cos, sp.sqrt, sp.log
INF = float("inf")


def seen_as(
    item: Case, name: str, forward: list[str], inverse: list[str], domain: object = None, **more: object
) -> Case:
    """The system in new coordinates, both ways as text; the new ones are x, y, z or x1, x2, …"""
    new = ("x y z" if len(item.state) <= 3 else " ".join(f"x{i + 1}" for i in range(len(item.state)))).split()
    new = new[: len(item.state)]
    old = {s.name: s for s in item.state} | {"t": t}
    fresh = {s: sp.Symbol(s, real=True) for s in new} | {"t": t}
    there = [sp.sympify(e, locals=old) for e in forward]
    back = [sp.sympify(e, locals=fresh) for e in inverse]
    return image(item, " ".join(new), there, back).named(name, domain, **more)


def later(name: str, build: Callable[[], Case], kinds: tuple[str, ...] = ("ito", "law", "fokker-planck")) -> Later:
    return Later(name, lambda: build().named(name), kinds)


BM, OU, GROWTH = brownian(1, "w"), linear(-R(3, 4), R(1, 3), R(2, 3), "w"), linear(R(1, 2), 0, 1, "w")
BRIDGE = affine(-1 / (2 - t), 0, 1, 2 - t, 0, 1 / (2 - t), "w")
FORCED = affine(-1, sin(2 * t), 1, exp(-t), exp(t) * (sin(2 * t) - 2 * cos(2 * t)) / 5, exp(2 * t) / 2, "w")

SCALAR = [
    seen_as(BM, "softplus of bm", ["log(1 + exp(w))"], ["log(exp(x) - 1)"], ((0, 1), (0.5, 2))),
    seen_as(BM, "squashed bm", ["w/sqrt(1 + w**2)"], ["x/sqrt(1 - x**2)"], ((0, 1), (-0.6, 0.6))),
    seen_as(BM, "1/bm", ["1/w"], ["1/x"], ((0, 1), (0.5, 2))),
    seen_as(BM, "square root of bm", ["sqrt(w)"], ["x**2"], ((0, 1), (0.5, 2))),
    seen_as(BM, "moving frame of bm", ["w*exp(t/3) + sin(t)"], ["(x - sin(t))*exp(-t/3)"]),
    seen_as(OU, "sinh of ou", ["2*sinh(w/2)"], ["2*asinh(x/2)"]),
    seen_as(OU, "logistic of ou", ["1/(1 + exp(-w))"], ["log(x/(1 - x))"], ((0, 1), (0.2, 0.8))),
    seen_as(OU, "exp of ou, late", ["exp(w + t/5)"], ["log(x) - t/5"], ((3, 5), (0.5, 3))),
    seen_as(OU, "tan of ou", ["tan(w)"], ["atan(x)"], ((0, 1), (-0.8, 0.8))),
    seen_as(GROWTH, "cube of growth", ["(w + 3)**3"], ["x**(1/3) - 3"], ((0, 1), (8, 40))),
    seen_as(GROWTH, "moving exp of growth", ["exp(w)*(1 + t)"], ["log(x/(1 + t))"], ((0, 1), (0.5, 2))),
    seen_as(BRIDGE, "bridge", ["w"], ["x"], ((0, 1), (-1, 1))),
    seen_as(BRIDGE, "sinh of a bridge", ["sinh(w)"], ["asinh(x)"], ((0, 1), (-1, 1))),
    seen_as(FORCED, "forced", ["w"], ["x"], ((0, 3), (-1, 1))),
    seen_as(FORCED, "exp of forced", ["exp(w)"], ["log(x)"], ((0, 1), (0.5, 2))),
    seen_as(bessel(R(2, 3), "w"), "square of bessel", ["w**2"], ["sqrt(x)"], ((0, 1), (0.3, 3))),
    seen_as(bessel(2, "w"), "log of bessel", ["log(w)"], ["exp(x)"], ((0, 1), (-1, 1))),
    seen_as(bessel(1, "w"), "1/bessel", ["1/w"], ["1/x"], ((0, 1), (0.5, 2))),
    seen_as(bessel(3, "w"), "moving bessel", ["w*exp(-t)"], ["x*exp(t)"], ((0, 1), (0.5, 2))),
    retimed(brownian(1, "x"), sqrt(t), t**2).named("bm in the square of time", ((0.5, 2), (-1, 1))),
    retimed(linear(-1), log(t), exp(t)).named("ou in the exponential of time", ((0, 1), (-1, 1))),
    retimed(linear(-1), t**3, sp.cbrt(t)).named("ou in a root of time", ((0.5, 3), (-1, 1))),
    retimed(bessel(2), exp(t), log(t)).named("bessel in the logarithm of time", ((1, 3), (0.5, 2))),
    linear(-2).named("ou for fifty", ((0, 50), (-1, 1))),
    linear(R(1, 3), 1, 2).named("growth from -200", ((-200, 0), (-2, 2))),
    seen_as(OU, "exp of ou for long", ["exp(w)"], ["log(x)"], ((0, 80), (0.5, 2))),
    # two noises in one equation: no Itô algebra but time, the law sees their sum
    case("two noises", "x", ["-x"], [["sqrt(3)", "1"]], ito=3, law=3, fp=6),
    case(
        "three noises", "x", ["0"], [["cos(x)", "sin(x)", "1"]], ito=[(1, 0)], law=[(1, 0), (0, 1), ("2*t", "x")], fp=6
    ),
    case("cubic in time", "x", ["-x + t^3"], [["1 + t"]], ito=3, law=3, fp=6),
    case("no symmetry", "x", ["sin(x*t) + x^2"], [["1"]], ito=[], law=[], fp=[U]),
    case("quartic well", "x", ["-x^3"], [["1"]], ito=[(1, 0)], law=[(1, 0)], fp=[(1, 0, 0), U]),
    case(
        "pitchfork with x noise", "x", ["x - x^3"], [["x"]], domain=((0, 1), (0.5, 2)), ito=[(1, 0)], law=[(1, 0)], fp=2
    ),
    case("gompertz", "x", ["-x*log(x)"], [["x/2"]], ito=3, law=3, fp=6),
    case("sine noise", "x", ["0"], [["2 + sin(x)"]], ito=[(1, 0), ("2*t", "0")][:1], law=1),
]
SCALAR = [row for row in SCALAR if row.name != "sine noise"]  # an image of Brownian motion with drift g(y), no theory

PLANE = brownian(2, "w v")
TWO = linear_system("", [[-1, 0], [0, -3]], [[1, 0], [0, 2]], "w v", {})
OSCILLATOR = linear_system("", [[0, 1], [-2, -3]], [[0], [1]], "w v", {})
ROTATED = ["w*cos(t) - v*sin(t)", "w*sin(t) + v*cos(t)"], ["x*cos(t) + y*sin(t)", "y*cos(t) - x*sin(t)"]
SHEAR = ["w", "v + w**2"], ["x", "y - x**2"]
WAVE = ["w", "v + sin(w)"], ["x", "y - sin(x)"]
SCALED = ["w", "v*exp(w/2)"], ["x", "y*exp(-x/2)"]
BOTH = ["sinh(w)", "v + w/2"], ["asinh(x)", "y - asinh(x)/2"]
POSITIVE = ["exp(w)", "exp(v/2)"], ["log(x)", "2*log(y)"]

PLANAR = [
    seen_as(PLANE, "plane bm sheared", *SHEAR),
    seen_as(PLANE, "plane bm on a wave", *WAVE),
    seen_as(PLANE, "plane bm scaled by the other", *SCALED),
    seen_as(PLANE, "plane bm in sinh", *BOTH),
    seen_as(PLANE, "plane bm turning", *ROTATED),
    seen_as(PLANE, "two geometric", *POSITIVE, ((0, 1), (0.5, 2), (0.5, 2))),
    seen_as(TWO, "two rates sheared", *SHEAR),
    seen_as(TWO, "two rates scaled", *SCALED),
    seen_as(TWO, "two rates turning", *ROTATED),
    seen_as(TWO, "two rates for long", ["w + v", "v"], ["x - y", "y"], ((0, 60), (-1, 1), (-1, 1))),
    seen_as(OSCILLATOR, "oscillator sheared", *SHEAR),
    seen_as(OSCILLATOR, "oscillator in a moving frame", ["w + sin(t)", "v - cos(t)"], ["x - sin(t)", "y + cos(t)"]),
    seen_as(OSCILLATOR, "oscillator for long", ["w", "v"], ["x", "y"], ((0, 100), (-1, 1), (-1, 1))),
    image(
        KOLMOGOROV,
        "u v",
        [sp.Symbol("x", real=True) + t**2, 2 * sp.Symbol("y", real=True)],
        [sp.Symbol("u", real=True) - t**2, sp.Symbol("v", real=True) / 2],
    ).named("integrated bm moving"),
    turned(PLANE, "plane bm turned by w v", sp.Symbol("w", real=True) * sp.Symbol("v", real=True), [(1, 0, 0, 0)]),
    turned(isotropic(-1, 0), "ou turned by time", 2 * t, 3),
    # independent parts: what moves time in one must move it in the other
    case(
        "well beside ou",
        "x y",
        ["x - x^3", "-y"],
        [["1", "0"], ["0", "1"]],
        ito=[(1, 0, 0), (0, 0, "exp(-t)")],
        law=[(1, 0, 0), (0, 0, "exp(-t)")],
        fp=[(1, 0, 0, 0), (0, 0, "exp(-t)", 0), (0, 0, "exp(t)", "-2*y*exp(t)"), U],
    ),
    case(
        "geometric beside ou",
        "x y",
        ["x/3", "-y"],
        [["x", "0"], ["0", "1"]],
        ((0, 1), (0.5, 2), (-1, 1)),
        ito=[(1, 0, 0), (0, "x", 0), (0, 0, "exp(-t)")],
        law=[(1, 0, 0), (0, "x", 0), (0, 0, "exp(-t)")],
        fp=6,
    ),
    case(
        "well beside another",
        "x y",
        ["x - x^3", "-y^3"],
        [["1", "0"], ["0", "2"]],
        ito=[(1, 0, 0)],
        law=[(1, 0, 0)],
        fp=[(1, 0, 0, 0), U],
    ),
    case(
        "pendulum",
        "x y",
        ["y", "-sin(x) - y/2"],
        [["0"], ["1"]],
        ito=[(1, 0, 0)],
        law=[(1, 0, 0)],
        fp=[(1, 0, 0, 0), U],
    ),
    case(
        "van der pol",
        "x y",
        ["y", "(1 - x^2)*y - x"],
        [["0"], ["1"]],
        ito=[(1, 0, 0)],
        law=[(1, 0, 0)],
        fp=[(1, 0, 0, 0), U],
    ),
    case("three noises in the plane", "x y", ["0", "0"], [["1", "1", "0"], ["0", "1", "1"]], ito=4, law=5, fp=9),
    case(
        "heisenberg",
        "x y z",
        ["0", "0", "0"],
        [["1", "0"], ["0", "1"], ["-y/2", "x/2"]],
        ito=[(1, 0, 0, 0), (0, 0, 0, 1), (0, 1, 0, "-y/2"), (0, 0, 1, "x/2"), ("2*t", "x", "y", "2*z")][:2]
        + [(0, 1, 0, "y/2"), (0, 0, 1, "-x/2"), ("2*t", "x", "y", "2*z")],
    ),
    case("free motion with a dead coordinate", "x y", ["0", "-3*y"], [["1"], ["0"]], ito=INF, law=INF, fp=INF),
    case(
        "spiral without reach",
        "x y",
        ["-y", "x"],
        [["x"], ["y"]],
        ((0, 1), (0.5, 2), (0.5, 2)),
        ito=INF,
        law=INF,
        fp=INF,
    ),
    case(
        "noise round the circle",
        "x y",
        ["0", "0"],
        [["y"], ["-x"]],
        ((0, 1), (0.5, 2), (0.5, 2)),
        ito=INF,
        law=INF,
        fp=INF,
    ),
    case("one noise for two", "x y", ["-x", "-y"], [["1"], ["2"]], ito=INF, law=INF, fp=INF),
]

SPACE = brownian(3, "w v u")
MANY = [
    seen_as(SPACE, "space bm sheared", ["w", "v + w**2", "u + w"], ["x", "y - x**2", "z - x"]),
    seen_as(
        SPACE,
        "three geometric",
        ["exp(w)", "exp(v)", "exp(u/2)"],
        ["log(x)", "log(y)", "2*log(z)"],
        ((0, 1), (0.5, 2), (0.5, 2), (0.5, 2)),
    ),
    linear_system("three rates", sp.diag(-1, -2, R(1, 2)), sp.eye(3), "x y z", {}),
    case("chain of three", "x y z", ["y", "z", "-x - 2*y - z"], [["0"], ["0"], ["1"]], ito=4, law=4, fp=8),
    linear_system(
        "ring of four", [[-2, 1, 0, 1], [1, -2, 1, 0], [0, 1, -2, 1], [1, 0, 1, -2]], sp.eye(4), "x y z u", {}
    ),
    case(
        "three wells",
        "x y z",
        ["x - x^3", "-y^3 + x", "z - z^3 + y"],
        [["1", "0", "0"], ["0", "1", "0"], ["0", "0", "1"]],
        ito=[(1, 0, 0, 0)],
        law=[(1, 0, 0, 0)],
        fp=[(1, 0, 0, 0, 0), U],
    ),
    case(
        "lorenz with one noise",
        "x y z",
        ["10*(y - x)", "x*(28 - z) - y", "x*y - 8*z/3"],
        [["1"], ["0"], ["0"]],
        ito=[(1, 0, 0, 0)],
        law=[(1, 0, 0, 0)],
    ),
    case(
        "unicycle",
        "x y z",
        ["cos(z)", "sin(z)", "0"],
        [["0"], ["0"], ["1"]],
        ito=[(1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, "-y", "x", 1)],
        law=[(1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, "-y", "x", 1)],
    ),
    seen_as(
        brownian(5, "a b c d e"),
        "bm 5 sheared",
        ["a", "b + a**2", "c", "d - c**2/2", "e + a"],
        ["x1", "x2 - x1**2", "x3", "x4 + x3**2/2", "x5 - x1"],
    ),
    seen_as(
        brownian(6, "a b c d e f"),
        "six geometric",
        [f"exp({v})" for v in "abcdef"],
        [f"log(x{i})" for i in range(1, 7)],
        ((0, 1), *[(0.5, 2)] * 6),
    ),
]

BROWNIAN_10 = brownian(10, "a b c d e f g h k l")
CASES = [*SCALAR, *PLANAR, *MANY]
