# pyright: basic, reportArgumentType=false, reportAttributeAccessIssue=false
# pyright: reportCallIssue=false, reportGeneralTypeIssues=false, reportIndexIssue=false
# pyright: reportOperatorIssue=false, reportReturnType=false, reportOptionalMemberAccess=false
# pyright: reportAssignmentType=false, reportPossiblyUnboundVariable=false
"""Planar systems with their exact symmetries."""

from __future__ import annotations

import math

import sympy as sp

from solve_exact import Case, Later, U, brownian, case, image, lifted, linear_system, t, with_beta

R, I2 = sp.Rational, [[1, 0], [0, 1]]
X, Y = sp.symbols("x y", real=True)
A, B = sp.symbols("w1 w2", real=True)
BM2 = brownian(2)
PLANE = brownian(2, "x y")
exp, sin, cos, sqrt, log = sp.exp, sp.sin, sp.cos, sp.sqrt, sp.log
BOX = ((0, 1), (-1, 1), (-1, 1))


def mapped(
    item: Case,
    name: str,
    forward: list[str],
    inverse: list[str],
    domain: object = None,
    positive: str = "",
    **more: object,
) -> Case:
    """A planar system in the coordinates x, y = forward(w1, w2)."""
    old = {s.name: s for s in item.state} | {"t": t}
    there = [sp.sympify(e, locals=old) for e in forward]
    back = [sp.sympify(e, locals={"x": X, "y": Y, "t": t}) for e in inverse]
    return image(item, "x y", there, back, positive).named(name, domain, **more)


def turned(item: Case, name: str, angle: object, ito: list, domain: object = None) -> Case:
    """The same law with σ turned by an angle that may depend on everything; the Itô algebra is given."""
    angle = sp.sympify(angle)
    turn = sp.Matrix([[cos(angle), -sin(angle)], [sin(angle), cos(angle)]])
    rows = sp.Matrix(item.diffusion) * turn
    answers = {**item.answers, "ito": ito}
    return Case(name, item.state, item.drift, tuple(tuple(rows[i, :]) for i in range(2)), answers, domain)


def isotropic(rate: object, spin: object) -> Case:
    """dx = rate·x + spin·J x plus unit noise: plane Brownian motion turned, damped and in another time."""
    rate, spin = sp.sympify(rate), sp.sympify(spin)
    J = sp.Matrix([[0, -1], [1, 0]])
    turn = sp.Matrix([[cos(spin * t), -sin(spin * t)], [sin(spin * t), cos(spin * t)]])
    P = sp.Matrix([X, Y])
    grow, clock = exp(rate * t), -exp(-2 * rate * t) / (2 * rate)
    tau = grow**2
    w = turn.T * P / grow
    f = rate * P + spin * J * P
    scale = [2 * clock * tau, *(2 * clock * tau * f + P)]
    still = [tau, *(tau * f)]
    moves = [[0, *(grow * turn[:, i])] for i in range(2)]
    rot = [0, *(J * P)]
    rows = [still, *moves, scale, rot]
    law = [(*row, 0) for row in rows]
    first = lambda g: -2 * rate * g[0]  # noqa: E731  X(log det ∂w/∂x)
    fp = [(*g, first(g)) for g in rows] + [(0, *(clock * grow * turn[:, i]), -w[i]) for i in range(2)]
    g = [clock**2 * tau, *(clock**2 * tau * f + clock * P)]
    fp += [(*g, first(g) - (w.T * w)[0] / 2 - clock), (0, 0, 0, 1)]
    ito = law[:4] if spin == 0 else [(1, 0, 0, 0), law[1], law[2]]
    return Case("isotropic", (X, Y), tuple(f), ((1, 0), (0, 1)), {"ito": ito, "law": law, "fokker-planck": fp})


SADDLE = linear_system("saddle", [[1, 0], [0, -1]], I2, "x y", {})
SADDLE.answers["fokker-planck"].extend(
    with_beta(SADDLE, tau, xi, [scale * m for m in (1, X**2, X * Y, Y**2)])
    for tau, xi, scale in [
        (0, [Y, -X], 1),
        (exp(2 * t), [exp(2 * t) * X, exp(2 * t) * Y], exp(2 * t)),
        (exp(-2 * t), [-exp(-2 * t) * X, -exp(-2 * t) * Y], exp(-2 * t)),
    ]
)
LANGEVIN = linear_system("langevin", [[0, 1], [0, -1]], [[0], [sqrt(2)]], "x y", {})


def oscillator(gamma: object, stiffness: object, name: str, domain: object = None) -> Case:
    """dx = y dt, dy = (−ω²x − γy)dt + dW. Fokker–Planck gains two more when the roots ±λ1, ±λ2 are in the ratio 3."""
    gamma, stiffness = sp.sympify(gamma), sp.sympify(stiffness)
    M, S = [[0, 1], [-stiffness, -gamma]], [[0], [1]]
    plain = linear_system(name, M, S, "x y", {})
    if stiffness == 3 * gamma**2 / 16:
        a = gamma / 4
    elif stiffness == -3 * gamma**2 / 4:
        a = gamma / 2
    else:
        return plain.named(name, domain)
    rows, own = [], []
    for sign in (1, -1):
        tau = exp(2 * sign * a * t)
        rate = 2 * sign * a
        xi = [R(3, 2) * rate * tau * X, R(3, 2) * rate**2 * tau * X + rate / 2 * tau * Y]
        full = with_beta(plain, tau, xi, [tau * m for m in (1, X**2, X * Y, Y**2)])
        rows.append(full)
        if sp.simplify(full[3] + sp.diff(xi[0], X) + sp.diff(xi[1], Y)) == 0:
            own.append((tau, *xi, 0))
    answers = {
        "ito": [*plain.answers["ito"], *own],
        "law": [*plain.answers["law"], *own],
        "fokker-planck": [*plain.answers["fokker-planck"], *rows],
    }
    return Case(name, plain.state, plain.drift, plain.diffusion, answers, domain)


KOLMOGOROV = linear_system("integrated bm", [[0, 1], [0, 0]], [[0], [1]], "x y", {"ito": [(2 * t, 3 * X, Y, 0)]})
KOLMOGOROV.answers["fokker-planck"].append(
    with_beta(KOLMOGOROV, t**2, [3 * t * X, 3 * X + t * Y], [X * Y, Y**2 * t, Y**2, X, t, X * t])
)


def drifted_bessel(a1: object, a2: object) -> Case:
    """dx = a1/x dt + dW1, dy = a2 dt + dW2."""
    a1, a2 = sp.sympify(a1), sp.sympify(a2)
    w = Y - a2 * t
    still = (1, 0, a2, 0)
    rows = [still, (0, 0, 1, 0), (2 * t, X, 2 * t * a2 + w, 0)]
    extra = [(0, 0, t, -w), (t**2, t * X, t**2 * a2 + t * w, -(X**2 + w**2) / 2 + (a1 - 1) * t)]
    if a1 == 1:
        extra += [(0, 1, 0, 1 / X), (0, t, 0, t / X - X), (0, w, -X, w / X)]
    fp = lifted(rows, (X, Y), extra)
    return Case("", (X, Y), (a1 / X, a2), ((1, 0), (0, 1)), {"ito": rows, "law": rows, "fokker-planck": fp})


PAPER = [
    LANGEVIN,
    LANGEVIN.named("langevin callable", ((0, 2), (-2, 2), (-2, 2)), via="callable"),
    linear_system(
        "langevin k=1/2", [[0, 1], [0, -R(1, 4)]], [[0], [sqrt(R(1, 2))]], "x y", {}, ((0, 2), (-2, 2), (-2, 2))
    ),
    drifted_bessel(R(1, 2), 1).named("bessel-drift"),
    drifted_bessel(R(1, 2), 1).named("bessel-drift box", ((0, 2), (0.2, 3), (-2, 2))),
    drifted_bessel(1, 1).named("bessel-drift a1=1"),
    drifted_bessel(1, -R(1, 2)).named("bessel-drift a1=1 wide", ((0, 2), (0.1, 3), (-2, 2))),
    drifted_bessel(2, 0).named("bessel-drift callable", ((0, 1), (0.5, 2), (-1, 1)), via="callable"),
]

M_ANISO = [[-1, 0], [0, -2]]
LINEAR = [
    PLANE.named("plane bm"),
    isotropic(-1, 0).named("ou isotropic"),
    isotropic(-1, 0).named("ou isotropic long", ((0, 4), (-2, 2), (-2, 2))),
    isotropic(-1, 2).named("ou rotating"),
    isotropic(-R(1, 2), 3).named("ou rotating fast", ((0, 3), (-2, 2), (-2, 2))),
    linear_system("ou anisotropic", M_ANISO, I2, "x y", {}),
    linear_system("", M_ANISO, I2, "x y", {}).named("ou anisotropic callable", BOX, via="callable"),
    linear_system("ou nearly isotropic", [[-1, 0], [0, -R(10001, 10000)]], I2, "x y", {}),
    linear_system("ou rates .01 and 10", [[-R(1, 100), 0], [0, -10]], I2, "x y", {}),
    linear_system("ou triangular", [[-1, R(1, 2)], [0, -2]], I2, "x y", {}),
    SADDLE,
    mapped(isotropic(-1, 0).named(""), "ou sheared", ["x + y/2", "3*y"], ["x - y/6", "y/3"]),
    mapped(BM2, "correlated bm", ["w1", "3*w1/5+4*w2/5"], ["x", "(y-3*x/5)*5/4"]),
    mapped(
        BM2,
        "correlated bm scaled",
        ["w1/10", "30*w1+40*w2"],
        ["10*x", "(y-300*x)/40"],
        ((0, 1), (-0.2, 0.2), (-80, 80)),
    ),
    oscillator(5, 4, "langevin harmonic"),
    oscillator(4, 3, "langevin resonant"),
    oscillator(R(401, 100), R(301, 100), "langevin nearly resonant"),
    Later("langevin underdamped", lambda: oscillator(1, 1, "langevin underdamped")),
    oscillator(2, -3, "langevin inverted resonant"),
    KOLMOGOROV,
    KOLMOGOROV.named("integrated bm callable", BOX, via="callable"),
    case("free langevin with force", "x y", ["y", "1-y"], [["0"], ["1"]], ito=3, fp=6),
]

H2 = [(1, 0, 0, 0), (0, 1, 0, 0), (0, X, Y, 0), (0, X**2 - Y**2, 2 * X * Y, 0)]
T3 = [["1", "0", "0"]]
ONE = {"ito": T3, "law": T3, "fp": [["1", "0", "0", "0"], U]}
NONLINEAR = [
    turned(PLANE, "turned noise x/2", X / 2, [(1, 0, 0, 0), (0, 0, 1, 0)]),
    turned(PLANE, "turned noise xy", X * Y, [(1, 0, 0, 0)], BOX),
    turned(PLANE, "turned noise t", t, [(0, 1, 0, 0), (0, 0, 1, 0), (1, -Y, X, 0)]),
    turned(PLANE, "turned noise x-t", X - t, [(1, 1, 0, 0), (0, 0, 1, 0)]),
    mapped(
        BM2, "polar", ["sqrt(w1**2+w2**2)", "atan(w2/w1)"], ["x*cos(y)", "x*sin(y)"], ((0, 1), (0.5, 2), (-1, 1)), "x"
    ),
    mapped(
        BM2,
        "log polar",
        ["log(w1**2+w2**2)/2", "atan(w2/w1)"],
        ["exp(x)*cos(y)", "exp(x)*sin(y)"],
        ((0, 1), (-0.7, 0.7), (-1, 1)),
    ),
    mapped(BM2, "gbm pair", ["exp(w1)", "exp(w2/2 + t/4)"], ["log(x)", "2*log(y) - t/2"], ((0, 1), (0.5, 2), (0.5, 2))),
    mapped(
        BM2,
        "gbm pair correlated",
        ["exp(w1)", "exp(w1/2 + w2)"],
        ["log(x)", "log(y) - log(x)/2"],
        ((0, 1), (0.5, 2), (0.5, 2)),
    ),
    mapped(
        BM2,
        "gbm pair callable",
        ["exp(w1)", "exp(w2)"],
        ["log(x)", "log(y)"],
        ((0, 1), (0.5, 2), (0.5, 2)),
        via="callable",
    ),
    mapped(BM2, "parabola", ["w1", "w2 + w1**2"], ["x", "y - x**2"]),
    mapped(BM2, "sinh pair", ["sinh(w1)", "w2 + w1"], ["asinh(x)", "y - asinh(x)"]),
    mapped(
        isotropic(-1, 0),
        "ou polar",
        ["sqrt(x**2+y**2)", "atan(y/x)"],
        ["x*cos(y)", "x*sin(y)"],
        ((0, 1), (0.5, 2), (-1, 1)),
        "x",
    ),
    case("hyperbolic plane", "x y", ["0", "0"], [["y", "0"], ["0", "y"]], ito=3, law=4, fp=5),
    case(
        "sabr 1/2",
        "x y",
        ["0", "0"],
        [["y*sqrt(x)", "0"], ["y*3/10*1/2", "y*4/10*1/2"]],
        ito=[["1", "0", "0"], ["0", "x", "y/2"]],
        law=[["1", "0", "0"], ["0", "x", "y/2"]],
        fp=[["1", "0", "0", "0"], ["0", "x", "y/2", "0"], U],
    ),
    case(
        "heston",
        "x y",
        ["1/20-y/2", "2*(1/4-y)"],
        [["sqrt(y)", "0"], ["-sqrt(y)/4", "sqrt(y)*3/10"]],
        ito=[["1", "0", "0"], ["0", "1", "0"]],
        law=[["1", "0", "0"], ["0", "1", "0"]],
        fp=[["1", "0", "0", "0"], ["0", "1", "0", "0"], U],
    ),
    case("duffing", "x y", ["y", "x-x**3-y"], [["0"], ["1"]], **ONE),
    case("duffing callable", "x y", ["y", "x-x**3-y"], [["0"], ["1"]], BOX, via="callable", **ONE),
    case("duffing weak", "x y", ["y", "-x-x**3/1000-y"], [["0"], ["1"]], **ONE),
    case("van der pol", "x y", ["y", "(1-x**2)*y-x"], [["0"], ["1"]], **ONE),
    case("van der pol two noises", "x y", ["y", "(1-x**2)*y-x"], [["1/2", "0"], ["0", "1"]], **ONE),
    case("pendulum", "x y", ["y", "-sin(x)-y/2"], [["0"], ["1"]], **ONE),
    case("lotka-volterra", "x y", ["x*(1-y)", "y*(x-1)"], [["x/5", "0"], ["0", "y/5"]], **ONE),
    case("fitzhugh-nagumo", "x y", ["x-x**3/3-y", "(x+7/10-4/5*y)*2/25"], [["1/2", "0"], ["0", "1/10"]], **ONE),
    case("brusselator", "x y", ["1-3*x+x**2*y", "2*x-x**2*y"], [["1/5", "0"], ["0", "1/5"]], **ONE),
    case(
        "hopf",
        "x y",
        ["x-y-x*(x**2+y**2)", "x+y-y*(x**2+y**2)"],
        I2,
        ito=T3,
        law=[["1", "0", "0"], ["0", "y", "-x"]],
        fp=[["1", "0", "0", "0"], ["0", "y", "-x", "0"], U],
    ),
    case(
        "hopf radial noise",
        "x y",
        ["x-y-x*(x**2+y**2)", "x+y-y*(x**2+y**2)"],
        [["x"], ["y"]],
        # the angle turns at rate 1 without noise, so angle − t is constant along every path
        ito=math.inf,
        law=math.inf,
    ),
    case(
        "shear flow",
        "x y",
        ["sin(y)", "0"],
        I2,
        ito=[["1", "0", "0"], ["0", "1", "0"]],
        law=[["1", "0", "0"], ["0", "1", "0"]],
        fp=[["1", "0", "0", "0"], ["0", "1", "0", "0"], U],
    ),
    case(
        "x free, y double well",
        "x y",
        ["0", "y-y**3"],
        I2,
        ito=[["1", "0", "0"], ["0", "1", "0"]],
        law=[["1", "0", "0"], ["0", "1", "0"]],
        fp=[["1", "0", "0", "0"], ["0", "1", "0", "0"], ["0", "t", "0", "-x"], U],
    ),
    case("no symmetry in the plane", "x y", ["x*y+sin(t)", "x**2-y**3"], I2, ito=[], law=[], fp=[U]),
    case("no symmetry, one noise", "x y", ["y", "t*x-x**3-y"], [["0"], ["1"]], ito=[], law=[], fp=[U]),
    case("double well pair", "x y", ["x-x**3", "y-y**3"], I2, **ONE),
    case("brownian gyrator", "x y", ["-2*x+y", "x-3*y"], [["1", "0"], ["0", "2"]], ito=3, law=3, fp=6),
    case("three noises", "x y", ["0", "0"], [["1", "0", "1"], ["0", "1", "1"]], ito=4, law=5, fp=9),
    case("three noises with x", "x y", ["x/2", "0"], [["1", "x", "0"], ["0", "0", "1"]], ito=2, law=5, fp=9),
    case("time-dependent pair", "x y", ["-x+sin(t)", "x-y"], [["1", "0"], ["0", "exp(-t)"]], ito=2, law=2),
]

DEGENERATE = [
    case("free growth", "x y", ["0", "y"], [["1"], ["0"]], ito=math.inf, law=math.inf, fp=math.inf),
    case("a constant", "x y", ["0", "0"], [["1"], ["0"]], ito=math.inf, law=math.inf, fp=math.inf),
    case(
        "a constant callable",
        "x y",
        ["0", "0"],
        [["1"], ["0"]],
        BOX,
        via="callable",
        ito=math.inf,
        law=math.inf,
        fp=math.inf,
    ),
    case("common noise", "x y", ["0", "0"], [["1"], ["1"]], ito=math.inf, law=math.inf, fp=math.inf),
    case("circle", "x y", ["-x/2", "-y/2"], [["-y"], ["x"]], ito=math.inf, law=math.inf, fp=math.inf),
    case("ellipse", "x y", ["-x/2", "-y/2"], [["-2*y"], ["x/2"]], ito=math.inf, law=math.inf, fp=math.inf),
    case("hidden parameter", "x y", ["x-y*x**3", "0"], [["1"], ["0"]], ito=T3, law=T3, fp=math.inf),
    case("hidden growth", "x y", ["x-y*x**3", "y"], [["1"], ["0"]], ito=1, fp=math.inf),
    case(
        "gbm pair, one noise",
        "x y",
        ["x", "2*y"],
        [["x"], ["y/2"]],
        ((0, 1), (0.5, 2), (0.5, 2)),
        ito=math.inf,
        fp=math.inf,
    ),
]

CASES = PAPER + LINEAR + NONLINEAR + DEGENERATE
