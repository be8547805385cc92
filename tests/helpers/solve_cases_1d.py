# pyright: basic, reportArgumentType=false, reportAttributeAccessIssue=false
# pyright: reportCallIssue=false, reportGeneralTypeIssues=false, reportIndexIssue=false
# pyright: reportOperatorIssue=false, reportReturnType=false, reportOptionalMemberAccess=false
# pyright: reportAssignmentType=false, reportPossiblyUnboundVariable=false
"""Scalar systems with their exact symmetries."""

from __future__ import annotations

import sympy as sp

from solve_exact import Case, U, affine, bessel, brownian, case, damped, gauged, image, linear, t

R = sp.Rational
BM, OU = brownian(1, "w"), linear(-1, 0, 1, "w")
W = sp.Symbol("w", real=True)
V = sp.Symbol("v", positive=True)
X = sp.Symbol("x", real=True)


def mapped(item: Case, name: str, forward: str, inverse: str, domain: object = None, via: str = "text") -> Case:
    """A scalar system in the coordinate x = forward(w)."""
    w = item.state[0]
    there = sp.sympify(forward, locals={"w": w, "t": t})
    back = sp.sympify(inverse, locals={"x": X, "t": t})
    return image(item, "x", [there], [back]).named(name, domain, via=via)


def cir(kappa: object, theta: object, sigma: object) -> Case:
    """dx = κ(θ − x)dt + σ√x dW as a damped Bessel process y = 2√x/σ with A = 2κθ/σ² − ½."""
    kappa, theta, sigma = (sp.nsimplify(v) for v in (kappa, theta, sigma))
    A = 2 * kappa * theta / sigma**2 - R(1, 2)
    start = bessel(A, "w") if A != 0 else brownian(1, "w")
    square = damped(start, -kappa / 2)
    w = square.state[0]
    return image(square, "x", [sigma**2 * w**2 / 4], [2 * sp.sqrt(X) / sigma])


PAPER = [
    brownian(1, "x").named("brownian"),
    linear(1).named("linear"),
    linear(1).named("linear long", ((0, 5), (-2, 2))),
    linear(1).named("linear longer", ((0, 10), (-2, 2))),
    linear(1).named("linear callable", ((0, 5), (-2, 2)), via="callable"),
]

UNITS = [
    linear(R(1, 100), 0, R(1, 1000)).named("rate 0.01, noise 0.001"),
    linear(-50, 0, 100).named("rate 50, noise 100"),
    linear(-50, 3, R(1, 1000)).named("rate 50, noise 0.001"),
    linear(-50, 0, 1).named("rate 50 for long", ((0, 0.2), (-1, 1))),
    linear(0, 0, 100).named("noise 100", ((0, 1), (-100, 100))),
    linear(-1).named("tiny box", ((0, 1), (1e-3, 2e-3))),
    linear(-1).named("tiny box far away", ((0, 1), (1000, 1000.001))),
    linear(-1).named("huge box", ((0, 1), (-100, 100))),
    linear(-1, 2, R(1, 2)).named("ou late", ((100, 103), (-2, 2))),
    linear(-1, 2, R(1, 2)).named("ou t from -3", ((-3, 0), (-2, 2))),
    linear(R(1, 5), 0, 1).named("t to 10", ((0, 10), (-2, 2))),
    linear(-2).named("ou t to 10, rate 2", ((0, 10), (-2, 2))),
    mapped(linear(0, R(3, 100), R(1, 5), "w"), "gbm finance", "exp(w)", "log(x)", ((0, 1), (50, 200))),
    mapped(linear(0, R(3, 100), R(1, 5), "w"), "gbm micro", "exp(w)/10**6", "log(10**6*x)", ((0, 3600), (1e-6, 2e-6))),
]

BESSEL = [
    bessel(1).named("bessel 1"),
    bessel(R(1, 2)).named("bessel 1/2", via="callable"),
    bessel(R(1, 2)).named("bessel 1/2 wide", ((0, 2), (0.05, 3))),
    bessel(-R(1, 4)).named("bessel -1/4", ((0, 1), (0.1, 2))),
    bessel(1).named("bessel 1 wide", ((0, 2), (0.05, 3))),
    bessel(5).named("bessel 5"),
    damped(bessel(2), -1).named("radial ou"),
    damped(bessel(1), -1).named("radial ou 1", ((0, 3), (0.2, 3))),
    damped(bessel(R(1, 3)), R(1, 2)).named("radial explosive"),
    cir(1, 1, 1).named("cir"),
    cir(1, 1, 1).named("cir callable", ((0, 1), (0.5, 2)), via="callable"),
    cir(2, R(1, 2), R(3, 10)).named("cir rates"),
    cir(1, R(1, 4), 1).named("cir 4kt = s^2"),
    cir(1, R(3, 4), 1).named("cir 4kt = 3s^2"),
    cir(1, R(3, 4), 1).named("cir near zero", ((0, 1), (0.01, 4))),
    cir(1, 1, 1).named("cir near zero generic", ((0, 2), (0.01, 4))),
    cir(R(1, 2), R(4, 100), R(1, 10)).named("cir rates of interest", ((0, 5), (0.005, 0.15))),
    image(bessel(R(1, 2), "w"), "x", [sp.log(sp.Symbol("w", positive=True))], [sp.exp(X)]).named("log bessel"),
    image(bessel(1, "w"), "x", [1 / sp.Symbol("w", positive=True)], [1 / X]).named("inverse bessel"),
]

IMAGES = [
    mapped(BM, "sinh of bm", "sinh(w)", "asinh(x)"),
    mapped(BM, "sinh of bm wide", "sinh(w)", "asinh(x)", ((0, 2), (-4, 4))),
    mapped(BM, "sinh of bm callable", "sinh(w)", "asinh(x)", ((0, 1), (-1, 1)), via="callable"),
    mapped(BM, "exp of bm", "exp(w)", "log(x)"),
    mapped(linear(0, R(1, 2), 1, "w"), "gbm", "exp(w)", "log(x)", ((0, 1), (0.5, 2))),
    mapped(linear(0, R(1, 2), 1, "w"), "gbm wide", "exp(w)", "log(x)", ((0, 2), (0.02, 3))),
    mapped(linear(0, R(1, 2), 1, "w"), "gbm callable", "exp(w)", "log(x)", ((0, 1), (0.5, 2)), via="callable"),
    mapped(BM, "tan of bm", "tan(w)", "atan(x)"),
    mapped(BM, "tanh of bm", "tanh(w)", "atanh(x)", ((0, 1), (-0.8, 0.8))),
    mapped(BM, "tanh of bm default box", "tanh(w)", "atanh(x)"),
    mapped(BM, "log of bm", "log(w)", "exp(x)"),
    mapped(BM, "cube of bm", "w**3", "x**(1/3)", ((0, 1), (0.5, 2))),
    mapped(BM, "cube of bm wide", "w**3", "x**(1/3)", ((0, 1), (0.05, 3))),
    mapped(BM, "reciprocal of bm", "1/w", "1/x"),
    mapped(BM, "sine of bm", "sin(w)", "asin(x)", ((0, 1), (-0.9, 0.9))),
    mapped(BM, "logistic of bm", "1/(1+exp(-w))", "log(x/(1-x))"),
    mapped(BM, "moving frame", "w*(2+sin(t)) + t**2", "(x - t**2)/(2+sin(t))"),
    mapped(BM, "moving exp", "exp(w+t**2)", "log(x)-t**2", ((0, 1), (0.5, 2))),
    mapped(OU, "sinh of ou", "sinh(w)", "asinh(x)", via="sympy"),
    mapped(OU, "sinh of ou callable", "sinh(w)", "asinh(x)", ((0, 1), (-1.5, 1)), via="callable"),
    mapped(OU, "gompertz", "exp(w)", "log(x)", ((0, 2), (0.2, 3))),
    mapped(OU, "gompertz wide", "exp(w)", "log(x)", ((0, 1), (0.02, 3))),
    mapped(OU, "gompertz default box", "exp(w)", "log(x)"),
    mapped(linear(-2, 1, R(1, 2), "w"), "gompertz rates", "exp(w)", "log(x)"),
    mapped(OU, "tanh of ou", "tanh(w)", "atanh(x)", ((0, 1), (-0.8, 0.8)), via="sympy"),
    mapped(OU, "cube of ou", "w**3", "x**(1/3)", ((0, 1), (0.5, 2))),
    mapped(OU, "square of ou", "w**2", "sqrt(x)", ((0, 1), (0.1, 2))),
    mapped(linear(1, 0, 1, "w"), "tan of linear", "tan(w)", "atan(x)", ((0, 2), (-1, 1))),
]

sin, cos, exp, log, sqrt, erf = sp.sin, sp.cos, sp.exp, sp.log, sp.sqrt, sp.erf
TIME = [
    affine(t, 0, 1, exp(t**2 / 2), 0, sqrt(sp.pi) / 2 * erf(t)).named("t x", ((0, 2), (-2, 2))),
    affine(t, 0, 1, exp(t**2 / 2), 0, sqrt(sp.pi) / 2 * erf(t)).named("t x default"),
    affine(t, 0, 1, exp(t**2 / 2), 0, sqrt(sp.pi) / 2 * erf(t)).named(
        "t x callable", ((0, 1), (-1, 1)), via="callable"
    ),
    affine(0, sin(t), exp(-t), 1, -cos(t), -exp(-2 * t) / 2).named("sin t drift, falling noise"),
    affine(0, sin(t), exp(-t), 1, -cos(t), -exp(-2 * t) / 2).named("sin t drift long", ((0, 6), (-2, 2))),
    affine(1 / (1 + t), 0, 1, 1 + t, 0, -1 / (1 + t)).named("x/(1+t)"),
    affine(1 / (1 + t), 0, 1, 1 + t, 0, -1 / (1 + t)).named("x/(1+t) long", ((0, 10), (-2, 2))),
    affine(-1 / (1 - t), 0, 1, 1 - t, 0, 1 / (1 - t)).named("brownian bridge", ((0, 0.9), (-1, 1))),
    affine(-1 / (1 - t), 0, 1, 1 - t, 0, 1 / (1 - t)).named("brownian bridge default"),
    affine(0, 0, 1 + t**2, 1, 0, t + 2 * t**3 / 3 + t**5 / 5).named("noise 1+t^2"),
    affine(0, 0, 2 + sin(t), 1, 0, 4 * t - 4 * cos(t) + t / 2 - sin(2 * t) / 4).named(
        "noise 2+sin t", ((0, 6), (-2, 2))
    ),
    affine(0, 0, sqrt(1 + t), 1, 0, t + t**2 / 2).named("noise sqrt(1+t)"),
    affine(0, t**2, 3, 1, t**3 / 3, 9 * t).named("drift t^2"),
    affine(
        -cos(t) / (2 + sin(t)),
        cos(t) / (2 + sin(t)),
        1,
        1 / (2 + sin(t)),
        sin(t),
        4 * t - 4 * cos(t) + t / 2 - sin(2 * t) / 4,
    ).named("oscillating rate"),
    affine(2 * t / (1 + t**2), 1, 1 + t**2, 1 + t**2, sp.atan(t), t).named("rational rate"),
    affine(-1, sin(3 * t), 1, exp(-t), exp(t) * (sin(3 * t) - 3 * cos(3 * t)) / 10, exp(2 * t) / 2).named(
        "driven ou", ((0, 4), (-2, 2))
    ),
    affine(-1, sin(t), 1, exp(-t), exp(t) * (sin(t) - cos(t)) / 2, exp(2 * t) / 2).named(
        "driven ou callable", ((0, 2), (-2, 2)), via="callable"
    ),
    affine(-1, 0, exp(-t), exp(-t), 0, t).named("ou with falling noise"),
    affine(0, 0, 1 / (1 + t), 1, 0, -1 / (1 + t)).named("noise 1/(1+t)"),
    affine(0, cos(20 * t), 1, 1, sin(20 * t) / 20, t).named("fast forcing", ((0, 2), (-1, 1))),
]

FREE, TRAP = brownian(1, "x"), linear(1)
SCHROEDINGER = [
    gauged(sp.cosh(X), "tanh drift", R(1, 2), FREE, [(1, 0, 0)]),
    gauged(sp.cosh(3 * X), "3 tanh 3x drift", R(9, 2), FREE, [(1, 0, 0)]),
    gauged(sp.cosh(3 * X), "3 tanh 3x drift wide", R(9, 2), FREE, [(1, 0, 0)]).named(
        "3 tanh 3x wide", ((0, 1), (-2, 2))
    ),
    gauged(sp.cos(X), "-tan drift", -R(1, 2), FREE, [(1, 0, 0)]).named("-tan drift", ((0, 1), (-1.2, 1.2))),
    gauged(sp.sinh(X), "coth drift", R(1, 2), FREE, [(1, 0, 0)]).named("coth drift", ((0, 1), (0.3, 2))),
    gauged((1 + 2 * X**2) * sp.exp(X**2 / 2), "hermite drift", 2, TRAP, [(1, 0, 0)]),
    gauged((1 + 2 * X**2) * sp.exp(X**2 / 2), "hermite drift", 2, TRAP, [(1, 0, 0)]).named(
        "hermite drift wide", ((0, 2), (-2, 2))
    ),
    case(
        "inverse square potential",
        "x",
        ["(2*x**3-1)/(x*(x**3+1))"],
        [["1"]],
        ((0, 1), (0.5, 2)),
        ito=[["1", "0"]],
        fp=[
            ["1", "0", "0"],
            ["2*t", "x", "x*(2*x**3-1)/(x*(x**3+1))"],
            ["t**2", "t*x", "-x**2/2 + t*(2*x**3-1)/(x**3+1) - t/2"],
            U,
        ],
    ),
    image(gauged(sp.sin(W), "", -R(1, 2), BM, [(1, 0, 0)]), "x", [sp.sin(W / 2) ** 2], [2 * sp.asin(sp.sqrt(X))]).named(
        "jacobi, free", ((0, 1), (0.1, 0.9)), drift=(R(3, 4) * (1 - 2 * X),)
    ),
    case("tanh(3x) drift", "x", ["tanh(3*x)"], [["1"]], ito=[["1", "0"]], fp=[["1", "0", "0"], U]),
    case("tan drift", "x", ["tan(x)"], [["1"]], ito=[["1", "0"]], fp=[["1", "0", "0"], U]),
]

ONE = {"ito": [["1", "0"]], "law": [["1", "0"]], "fp": [["1", "0", "0"], U]}
FEW = [
    case("double well", "x", ["x-x**3"], [["1"]], **ONE),
    case("double well callable", "x", ["x-x**3"], [["1"]], ((0, 1), (-2, 2)), via="callable", **ONE),
    case("verhulst", "x", ["x*(1-x)"], [["x/2"]], **ONE),
    case("verhulst wide", "x", ["x*(1-x)"], [["x/2"]], ((0, 2), (0.05, 3)), **ONE),
    case("sine drift", "x", ["sin(x)"], [["1"]], **ONE),
    case("wright-fisher", "x", ["0"], [["sqrt(x*(1-x))"]], ((0, 1), (0.1, 0.9)), **ONE),
    case("jacobi", "x", ["1/2-x"], [["sqrt(x*(1-x))"]], ((0, 1), (0.1, 0.9)), ito=[["1", "0"]], fp=2),
    case("sqrt(1+x^2) noise, no drift", "x", ["0"], [["sqrt(1+x**2)"]], **ONE),
    case("log-mean-reversion", "x", ["1-log(x)*x"], [["x"]], ((0, 1), (0.2, 2)), **ONE),
    case("ginzburg-landau", "x", ["x-x**3"], [["x"]], ((0, 1), (0.2, 2)), **ONE),
    case("nearly linear", "x", ["x+x**3/10**4"], [["1"]], **ONE),
    case("nearly linear wide", "x", ["x+x**3/10**4"], [["1"]], ((0, 1), (-2, 2)), **ONE),
    case("nearly linear callable", "x", ["x+x**3/10**4"], [["1"]], ((0, 1), (-1, 1)), via="callable", **ONE),
    case("nearly linear 1e-6", "x", ["x+x**3/10**6"], [["1"]], ((0, 1), (-2, 2)), **ONE),
    case("nearly additive", "x", ["-x"], [["1+x**2/10**5"]], **ONE),
    case("nearly additive wide", "x", ["-x"], [["1+x**2/10**5"]], ((0, 2), (-2, 2)), **ONE),
    case("nearly autonomous", "x", ["x-x**3+t/10**5"], [["1"]], ito=[], law=[], fp=[U]),
    case("nearly time-homogeneous noise", "x", ["x-x**3"], [["1+t/10**5"]], ito=[], law=[], fp=[U]),
    case("nearly bessel", "x", ["1/x+x**2/10**5"], [["1"]], ((0, 1), (0.5, 2)), **ONE),
    case("no symmetry", "x", ["x**3+sin(t)*x**2"], [["1"]], ito=[], law=[], fp=[U]),
    case("no symmetry t x^3", "x", ["t*x-x**3"], [["1"]], ito=[], law=[], fp=[U]),
    case("cubic", "x", ["x**3"], [["1"]], **ONE),
    case(
        "self-similar cubic",
        "x",
        ["x**3/(1+t)**2"],
        [["1"]],
        ito=[["2*(1+t)", "x"]],
        law=[["2*(1+t)", "x"]],
        fp=[["2*(1+t)", "x", "0"], U],
    ),
    case(
        "self-similar noise",
        "x",
        ["0"],
        [["1+x**2/(1+t)"]],
        ito=[["2*(1+t)", "x"]],
        law=[["2*(1+t)", "x"]],
        fp=[["2*(1+t)", "x", "0"], U],
    ),
    case("travelling", "x", ["sin(x-t)"], [["1"]], ito=[["1", "1"]], law=[["1", "1"]], fp=[["1", "1", "0"], U]),
    case(
        "travelling noise", "x", ["0"], [["2+cos(x-3*t)"]], ito=[["1", "3"]], law=[["1", "3"]], fp=[["1", "3", "0"], U]
    ),
]

SINH = mapped(BM, "", "sinh(w)", "asinh(x)").answers
LINE = brownian(1, "x").answers
PLUS = affine(0, 0, sqrt(1 + t**2), 1, 0, t + t**3 / 3).answers
MANY = [
    Case(
        "two noises",
        (X,),
        (X / 2,),
        ((sp.Integer(1), X),),
        {"ito": [(1, 0, 0)], "law": SINH["law"], "fokker-planck": SINH["fokker-planck"]},
    ),
    Case(
        "two noises callable",
        (X,),
        (X / 2,),
        ((sp.Integer(1), X),),
        {"ito": [(1, 0, 0)], "law": SINH["law"], "fokker-planck": SINH["fokker-planck"]},
        ((0, 1), (-1, 1)),
        via="callable",
    ),
    Case("two equal noises", (X,), (sp.Integer(0),), ((R(3, 5), R(4, 5)),), LINE),
    Case(
        "turning noise",
        (X,),
        (sp.Integer(0),),
        ((cos(t), sin(t)),),
        {"ito": [(0, 1, 0)], "law": LINE["law"], "fokker-planck": LINE["fokker-planck"]},
    ),
    Case(
        "growing second noise",
        (X,),
        (sp.Integer(0),),
        ((sp.Integer(1), t),),
        {"ito": [(0, 1, 0)], "law": PLUS["law"], "fokker-planck": PLUS["fokker-planck"]},
    ),
    case("no noise to speak of", "x", ["sin(x)"], [["1", "0"]], **ONE),
]

CASES = PAPER + UNITS + BESSEL + IMAGES + TIME + SCHROEDINGER + FEW + MANY
