# pyright: basic, reportArgumentType=false, reportAttributeAccessIssue=false
# pyright: reportCallIssue=false, reportGeneralTypeIssues=false, reportIndexIssue=false
# pyright: reportOperatorIssue=false, reportReturnType=false
"""Systems of several coordinates with exact symmetries: images of simple ones, products, long times, many noises."""

from __future__ import annotations

import sympy as sp

from solve_cases_2d import KOLMOGOROV, isotropic, turned
from solve_cases_images import seen_as
from solve_exact import U, brownian, case, image, linear_system, t

R = sp.Rational
INF = float("inf")

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
        ito=[(1, 0, 0, 0), (0, 0, 0, 1), (0, 1, 0, "y/2"), (0, 0, 1, "-x/2"), ("2*t", "x", "y", "2*z")],
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
    # two equal eigenvalues: the law may be turned in their plane
    case(
        "ring of four",
        "x y z u",
        ["y + u - 2*x", "x + z - 2*y", "y + u - 2*z", "z + x - 2*u"],
        [["1", "0", "0", "0"], ["0", "1", "0", "0"], ["0", "0", "1", "0"], ["0", "0", "0", "1"]],
        ito=5,
        law=6,
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

CASES = [*PLANAR, *MANY]
