# pyright: basic, reportArgumentType=false, reportAttributeAccessIssue=false
# pyright: reportCallIssue=false, reportGeneralTypeIssues=false, reportIndexIssue=false
# pyright: reportOperatorIssue=false, reportReturnType=false, reportOptionalMemberAccess=false
# pyright: reportAssignmentType=false, reportPossiblyUnboundVariable=false
"""Systems of three to ten dimensions with their exact symmetries."""

from __future__ import annotations

import math

import sympy as sp

from solve_exact import Case, Later, U, brownian, case, image, linear_system, t, with_beta

R, exp = sp.Rational, sp.exp
X, Y, Z = sp.symbols("x y z", real=True)
ALL = ("ito", "law", "fokker-planck")


def names(n: int) -> str:
    return " ".join(f"x{i + 1}" for i in range(n))


def eye(n: int) -> list[list[int]]:
    return [[int(i == j) for j in range(n)] for i in range(n)]


def still(n: int, fp: bool = False) -> list[list[str]]:
    row = ["1"] + ["0"] * n
    return [[*row, "0"], U] if fp else [row]


def assets(n: int) -> Case:
    """n geometric Brownian motions, each with its own volatility: logarithms of a Brownian motion with drift."""
    start = brownian(n)
    new = sp.symbols(names(n), real=True)
    sizes = [R(1, 2) + R(i, 2 * n) for i in range(n)]
    forward = [exp(s * w + t / 10) for s, w in zip(sizes, start.state, strict=True)]
    inverse = [(sp.log(v) - t / 10) / s for s, v in zip(sizes, new, strict=True)]
    box = ((0, 1), *((0.5, 2.0) for _ in range(n)))
    return image(start, names(n), forward, inverse, names(n)).named(f"gbm {n}", box)


def correlated(n: int) -> Case:
    """Brownian motion seen through a full lower triangular matrix."""
    start = brownian(n)
    new = sp.symbols(names(n), real=True)
    L = sp.Matrix(n, n, lambda i, j: R(1, 1 + i - j) if i >= j else 0)
    forward, inverse = L * sp.Matrix(start.state), L.inv() * sp.Matrix(new)
    return image(start, names(n), list(forward), list(inverse)).named(f"correlated bm {n}")


def rates(n: int, slow: tuple[str, ...] = ()) -> Case:
    """Ornstein–Uhlenbeck processes with different rates."""
    M = sp.diag(*[-R(i + 1, 4) for i in range(n)])
    return linear_system(f"ou rates {n}", M, eye(n), names(n), {}).named(f"ou rates {n}", None, slow)


def lorenz96(n: int, slow: tuple[str, ...] = ()) -> Case:
    x = [f"x{i + 1}" for i in range(n)]
    drift = [f"({x[(i + 1) % n]}-{x[i - 2]})*{x[i - 1]}-{x[i]}+8" for i in range(n)]
    return case(f"lorenz-96 {n}", names(n), drift, eye(n), ito=still(n), law=still(n), fp=still(n, True), slow=slow)


def odd_one_out(n: int) -> Case:
    """Brownian motion in n−1 coordinates and a double well in the last."""
    base = brownian(n - 1, names(n - 1))
    last = sp.Symbol(f"x{n}", real=True)
    kept = {
        "ito": [g for g in base.answers["ito"] if g[0] != 2 * t],
        "law": [g for g in base.answers["law"] if g[0] != 2 * t],
        "fokker-planck": [g for g in base.answers["fokker-planck"] if g[0] in (0, 1)],
    }
    answers = {k: [(*g[:n], sp.Integer(0), g[n]) for g in v] for k, v in kept.items()}
    drift = (*base.drift, last - last**3)
    rows = tuple(tuple(sp.Integer(int(i == j)) for j in range(n)) for i in range(n))
    return Case(f"double well among {n}", (*base.state, last), drift, rows, answers)


def bent(n: int) -> Case:
    """Brownian motion with one coordinate replaced by its hyperbolic sine."""
    start = brownian(n)
    new = sp.symbols(names(n), real=True)
    forward = [*start.state[:-1], sp.sinh(start.state[-1])]
    inverse = [*new[:-1], sp.asinh(new[-1])]
    return image(start, names(n), forward, inverse).named(f"sinh among {n}")


CHAIN = linear_system(
    "chain", [[0, 1, 0], [0, 0, 1], [0, 0, 0]], [[0], [0], [1]], "x y z", {"ito": [(2 * t, 5 * X, 3 * Y, Z, 0)]}
)
CHAIN.answers["fokker-planck"].append(
    with_beta(
        CHAIN,
        t**2,
        [5 * t * X, 5 * X + 3 * t * Y, 8 * Y + t * Z],
        [t, Y * Z, Z**2, X * Z, Y**2, t * Z**2, t * Y * Z],
    )
)
SPACE = brownian(3, "x y z")


def isotropic(n: int) -> Case:
    """dx = −x dt + dW in n dimensions: Brownian motion damped, in another time."""
    base = brownian(n)
    new = sp.symbols("x y z" if n == 3 else names(n), real=True)
    clock, tau = exp(2 * t) / 2, exp(-2 * t)
    back = {w: v * exp(t) for w, v in zip(base.state, new, strict=True)} | {t: clock}

    def moved(g: tuple, density: bool) -> tuple:
        there = [sp.sympify(e).subs(back, simultaneous=True) for e in g]
        first = there[0] * tau
        xi = [there[i + 1] * exp(-t) - first * v for i, v in enumerate(new)]
        return (first, *xi, there[n + 1] + n * first if density else sp.Integer(0))

    answers = {k: [moved(g, k == "fokker-planck") for g in v] for k, v in base.answers.items()}
    return Case(f"ou {n}", new, tuple(-v for v in new), base.diffusion, answers)


SPHERE = {"ito": math.inf, "law": math.inf, "fp": math.inf}
FEW = [
    SPACE.named("space bm"),
    SPACE.named("space bm callable", ((0, 1), (-1, 1), (-1, 1), (-1, 1)), via="callable"),
    isotropic(3).named("ou in space"),
    linear_system("ou rates 1, 2, 3", sp.diag(-1, -2, -3), eye(3), "x y z", {}),
    CHAIN,
    case(
        "lorenz",
        "x y z",
        ["10*(y-x)", "x*(28-z)-y", "x*y-8/3*z"],
        eye(3),
        ito=still(3),
        law=still(3),
        fp=still(3, True),
    ),
    case(
        "lorenz box",
        "x y z",
        ["10*(y-x)", "x*(28-z)-y", "x*y-8/3*z"],
        eye(3),
        ((0, 1), (-20, 20), (-20, 20), (5, 45)),
        ito=still(3),
        law=still(3),
        fp=still(3, True),
    ),
    case(
        "lorenz one noise",
        "x y z",
        ["10*(y-x)", "x*(28-z)-y", "x*y-8/3*z"],
        [["1"], ["0"], ["0"]],
        ito=still(3),
        fp=still(3, True),
    ),
    case(
        "roessler callable",
        "x y z",
        ["-y-z", "x+y/5", "1/5+z*(x-57/10)"],
        eye(3),
        ((0, 1), (-1, 1), (-1, 1), (-1, 1)),
        via="callable",
        ito=still(3),
        fp=still(3, True),
    ),
    case(
        "sphere",
        "x y z",
        ["-x", "-y", "-z"],
        [["0", "z", "-y"], ["-z", "0", "x"], ["y", "-x", "0"]],
        ((0, 1), (0.5, 1.5), (0.5, 1.5), (0.5, 1.5)),
        **SPHERE,
    ),
    case(
        "sphere default box",
        "x y z",
        ["-x", "-y", "-z"],
        [["0", "z", "-y"], ["-z", "0", "x"], ["y", "-x", "0"]],
        **SPHERE,
    ),
    case("a free constant", "x y z", ["y-x", "-y", "0"], [["1", "0"], ["0", "1"], ["0", "0"]], **SPHERE),
    case("a slow clock", "x y z", ["0", "-y", "1"], [["1", "0"], ["0", "1"], ["0", "0"]], **SPHERE),
    case(
        "active particle",
        "x y z",
        ["cos(z)", "sin(z)", "0"],
        [["0"], ["0"], ["1"]],
        ito=[["1", "0", "0", "0"], ["0", "1", "0", "0"], ["0", "0", "1", "0"], ["0", "-y", "x", "1"]],
        fp=[
            ["1", "0", "0", "0", "0"],
            ["0", "1", "0", "0", "0"],
            ["0", "0", "1", "0", "0"],
            ["0", "-y", "x", "1", "0"],
            U,
        ],
    ),
    case(
        "heisenberg",
        "x y z",
        ["0", "0", "0"],
        [["1", "0"], ["0", "1"], ["-y/2", "x/2"]],
        ito=[
            ["1", "0", "0", "0"],
            ["0", "0", "0", "1"],
            ["0", "1", "0", "y/2"],
            ["0", "0", "1", "-x/2"],
            ["2*t", "x", "y", "2*z"],
        ],
        law=[
            ["1", "0", "0", "0"],
            ["0", "0", "0", "1"],
            ["0", "1", "0", "y/2"],
            ["0", "0", "1", "-x/2"],
            ["2*t", "x", "y", "2*z"],
            ["0", "y", "-x", "0"],
        ],
        fp=[
            ["1", "0", "0", "0", "0"],
            ["0", "0", "0", "1", "0"],
            ["0", "1", "0", "y/2", "0"],
            ["0", "0", "1", "-x/2", "0"],
            ["2*t", "x", "y", "2*z", "0"],
            ["0", "y", "-x", "0", "0"],
            U,
        ],
    ),
    case(
        "gbm and its volatility",
        "x y z",
        ["x/10", "-y", "0"],
        [["x*exp(y)", "0", "0"], ["0", "1", "0"], ["0", "0", "z"]],
        ((0, 1), (0.5, 2), (-1, 1), (0.5, 2)),
        ito=[["1", "0", "0", "0"], ["0", "x", "0", "0"], ["0", "0", "0", "z"]],
        law=3,
    ),
]

STAIRS = [[-1, 1, 0, 0], [0, -2, 1, 0], [0, 0, -3, 1], [0, 0, 0, -4]]
CASES = [
    *FEW,
    rates(4),
    rates(6),
    rates(10, ALL),
    case(
        "coupled langevin",
        names(4),
        ["x3", "x4", "-2*x1+x2-x3", "x1-2*x2-x4"],
        [["0", "0"], ["0", "0"], ["1", "0"], ["0", "1"]],
        ito=5,
        law=5,
        fp=10,
    ),
    case(
        "twin langevin",
        names(4),
        ["x3", "x4", "-2*x1-x3", "-2*x2-x4"],
        [["0", "0"], ["0", "0"], ["1", "0"], ["0", "1"]],
        ito=5,
        law=6,
        fp=11,
    ),
    case(
        "coupled duffing",
        names(4),
        ["x3", "x4", "x1-x1**3+x2-x3", "x1-x2-x2**3-x4"],
        [["0", "0"], ["0", "0"], ["1", "0"], ["0", "1"]],
        ito=still(4),
        law=still(4),
        fp=still(4, True),
    ),
    lorenz96(5),
    lorenz96(10, ALL),
    brownian(4, names(4)).named("bm 4"),
    assets(3),
    odd_one_out(5),
    brownian(10, names(10)).named("bm 10", None, ("law", "fokker-planck")),
    Later("bm 10 box", lambda: brownian(10, names(10)).named("bm 10 box", ((0, 2), *((-2, 2),) * 10))),
    Later("gbm 5", lambda: assets(5)),
    Later("gbm 10", lambda: assets(10)),
    Later("correlated bm 10", lambda: correlated(10)),
    Later("double well among 10", lambda: odd_one_out(10)),
    Later("sinh among 4", lambda: bent(4)),
    # Fokker–Planck of six, because functions of eleven variables that are no polynomials take half an hour and more
    Later("sinh among 6", lambda: bent(6), answers=("fokker-planck",)),
    Later("sinh among 10", lambda: bent(10), answers=("ito", "law")),
    Later("ou 10", lambda: isotropic(10).named("ou 10")),
    Later("ou chain 4", lambda: linear_system("ou chain 4", STAIRS, eye(4), names(4), {})),
]
