# pyright: basic, reportArgumentType=false, reportAttributeAccessIssue=false
# pyright: reportCallIssue=false, reportGeneralTypeIssues=false, reportIndexIssue=false
# pyright: reportOperatorIssue=false, reportReturnType=false
"""Scalar systems with exact symmetries that are images of simple ones: other coordinates, time changes, long times."""

from __future__ import annotations

import sympy as sp

from solve_exact import Case, U, affine, bessel, brownian, case, image, linear, retimed, t

R, exp, sin, cos, sqrt, log = sp.Rational, sp.exp, sp.sin, sp.cos, sp.sqrt, sp.log


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


BM, OU, GROWTH = brownian(1, "w"), linear(-R(3, 4), R(1, 3), R(2, 3), "w"), linear(R(1, 2), 0, 1, "w")
BRIDGE = affine(-1 / (2 - t), 0, 1, 2 - t, 0, 1 / (2 - t), "w")
FORCED = affine(-1, sin(2 * t), 1, exp(-t), exp(t) * (sin(2 * t) - 2 * cos(2 * t)) / 5, exp(2 * t) / 2, "w")

CASES = [
    seen_as(BM, "softplus of bm", ["log(1 + exp(w))"], ["log(exp(x) - 1)"], ((0, 1), (0.5, 2))),
    seen_as(BM, "squashed bm", ["w/sqrt(1 + w**2)"], ["x/sqrt(1 - x**2)"], ((0, 1), (-0.6, 0.6))),
    seen_as(BM, "1/bm", ["1/w"], ["1/x"], ((0, 1), (0.5, 2))),
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
]
