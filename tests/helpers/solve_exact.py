# pyright: basic, reportArgumentType=false, reportAttributeAccessIssue=false
# pyright: reportCallIssue=false, reportGeneralTypeIssues=false, reportIndexIssue=false
# pyright: reportOperatorIssue=false, reportReturnType=false, reportOptionalMemberAccess=false
# pyright: reportAssignmentType=false, reportPossiblyUnboundVariable=false
"""Exact symmetries by hand: systems, changes of variables with pushed generators, and the determining equations.

Nothing here comes from the software under test. A generator is a tuple (τ, ξ^1, …, ξ^n, β) of SymPy expressions;
β is 0 where it plays no part. The determining equations are those of docs/method.md §2, written out once more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np
import sympy as sp

t = sp.Symbol("t", real=True)
x, y, z = sp.symbols("x y z", real=True)
Generator = tuple[Any, ...]
KINDS = ("ito", "law", "fokker-planck")
U = "u∂u"


@dataclass(frozen=True)
class Case:
    """One system with its exact answers: for each kind a list of generators, or only the dimension.

    `via` is the form in which the software gets it: "text", "sympy" or "callable".
    """

    name: str
    state: tuple[sp.Symbol, ...]
    drift: tuple[Any, ...]
    diffusion: tuple[tuple[Any, ...], ...]
    answers: Mapping[str, Any] = field(default_factory=dict)
    domain: tuple[tuple[float, float], ...] | None = None
    slow: frozenset[str] = frozenset()
    via: str = "text"

    @property
    def text(self) -> str:
        """The equations as one would type them."""
        columns = len(self.diffusion[0])
        lines = []
        for symbol, f, row in zip(self.state, self.drift, self.diffusion, strict=True):
            line = f"d{symbol} = ({f}) dt"
            for k, entry in enumerate(row):
                if entry != 0:
                    line += f" + ({entry}) dW{k + 1 if columns > 1 else ''}"
            lines.append(line.replace("**", "^"))
        return "; ".join(lines)

    def numeric(self) -> tuple[Callable[..., np.ndarray], Callable[..., np.ndarray]]:
        """Drift and diffusion as batched NumPy callables."""
        entries = [*self.drift, *(e for row in self.diffusion for e in row)]
        values = batched(entries, self.state)
        n, r = len(self.state), len(self.diffusion[0])
        return (lambda time, state: values(time, state)[:n].T), (
            lambda time, state: values(time, state)[n:].T.reshape(len(time), n, r)
        )

    def named(self, name: str, domain: Any = None, slow: Iterable[str] = (), **more: Any) -> Case:
        """The same system as another row of the table."""
        return replace(self, name=name, domain=domain, slow=frozenset(slow), **more)


@dataclass(frozen=True)
class Later:
    """A case that is only built when its test runs, because that takes seconds."""

    name: str
    build: Callable[[], Case]
    answers: tuple[str, ...] = KINDS
    slow: frozenset[str] = frozenset(KINDS)


def case(name: str, state: str, drift: Any, diffusion: Any, domain: Any = None, **answers: Any) -> Case:
    """A system from strings: `case("ou", "x", ["-x"], [["1"]], ito=3)`; `fp` stands for Fokker–Planck."""
    symbols = tuple(sp.Symbol(s, real=True) for s in state.split())
    scope = {s.name: s for s in (t, *symbols)}
    read = lambda entry: sp.sympify(entry, locals=scope, rational=True)  # noqa: E731
    slow, via = frozenset(answers.pop("slow", ())), answers.pop("via", "text")
    found = {}
    for key, value in answers.items():
        kind = "fokker-planck" if key == "fp" else key
        if isinstance(value, (int, float)):
            found[kind] = value
            continue
        rows = [(0,) * (len(symbols) + 1) + (1,) if row == U else tuple(map(read, row)) for row in value]
        found[kind] = [row if len(row) == len(symbols) + 2 else (*row, sp.Integer(0)) for row in rows]
    rows = tuple(tuple(map(read, row)) for row in diffusion)
    return Case(name, symbols, tuple(map(read, drift)), rows, found, domain, slow, via)


def batched(expressions: Sequence[Any], state: Sequence[Any]) -> Callable[..., np.ndarray]:
    """Expressions at points t (B,), x (B, n), as an array (expression, B)."""
    function = sp.lambdify([t, *state], list(expressions), modules=["scipy", "numpy"], cse=True)

    def values(time: np.ndarray, states: np.ndarray) -> np.ndarray:
        found = function(time, *states.T)
        return np.stack([np.broadcast_to(np.asarray(v, dtype=float), time.shape) for v in found])

    return values


def exact_generators(item: Case, kind: str) -> Callable[..., tuple[np.ndarray, ...]]:
    """The exact generators in the form for `lsn.principal_angles`."""
    rows = item.answers[kind]
    n = len(item.state)
    values = batched([entry for row in rows for entry in row], item.state)

    def call(time: np.ndarray, states: np.ndarray) -> tuple[np.ndarray, ...]:
        table = values(time, states).reshape(len(rows), n + 2, len(time))
        tau, xi, beta = table[:, 0], table[:, 1 : n + 1].transpose(0, 2, 1), table[:, n + 1]
        return (tau, xi, beta) if kind == "fokker-planck" else (tau, xi)

    return call


# --- the determining equations -----------------------------------------------------------------------------------


def residuals(item: Case, kind: str, generator: Generator) -> list[tuple[Any, list[Any]]]:
    """Each equation as (its sum, its terms): docs/method.md §2. The terms bound the rounding error."""
    X, n = item.state, len(item.state)
    tau, xi, beta = (
        sp.sympify(generator[0]),
        [sp.sympify(g) for g in generator[1 : n + 1]],
        sp.sympify(generator[n + 1]),
    )
    f, s = item.drift, item.diffusion
    r, N = len(s[0]), range(n)
    D = sp.diff
    a = [[sum(s[i][k] * s[j][k] for k in range(r)) for j in N] for i in N]
    rows: list[list[Any]] = []
    if kind in ("ito", "law"):
        for i in N:
            terms = [D(xi[i], t), -D(tau * f[i], t)]
            terms += [f[j] * D(xi[i], X[j]) for j in N] + [-xi[j] * D(f[i], X[j]) for j in N]
            terms += [a[j][k] * D(xi[i], X[j], X[k]) / 2 for j in N for k in N if a[j][k] != 0]
            rows.append(terms)
    if kind == "ito":
        for i in N:
            for k in range(r):
                terms = [s[j][k] * D(xi[i], X[j]) for j in N] + [-xi[j] * D(s[i][k], X[j]) for j in N]
                rows.append([*terms, -tau * D(s[i][k], t), -D(tau, t) * s[i][k] / 2])
    if kind == "law":
        for i in N:
            for j in range(i, n):
                terms = [a[i][k] * D(xi[j], X[k]) + a[j][k] * D(xi[i], X[k]) for k in N]
                terms += [-xi[k] * D(a[i][j], X[k]) for k in N]
                rows.append([*terms, -tau * D(a[i][j], t), -D(tau, t) * a[i][j]])
    if kind == "fokker-planck":
        A = [[-a[i][j] / 2 for j in N] for i in N]
        B = [f[i] - sum(D(a[i][j], X[j]) for j in N) for i in N]
        C = sum(D(f[i], X[i]) for i in N) - sum(D(a[i][j], X[i], X[j]) for i in N for j in N) / 2
        for i in N:
            for j in range(i, n):
                terms = [D(tau * A[i][j], t)] + [xi[k] * D(A[i][j], X[k]) for k in N]
                rows.append(terms + [-A[i][k] * D(xi[j], X[k]) - A[j][k] * D(xi[i], X[k]) for k in N])
            terms = [D(tau * B[i], t), -D(xi[i], t)] + [xi[j] * D(B[i], X[j]) for j in N]
            terms += [-B[j] * D(xi[i], X[j]) for j in N] + [2 * A[i][j] * D(beta, X[j]) for j in N]
            rows.append(terms + [-A[j][k] * D(xi[i], X[j], X[k]) for j in N for k in N if A[j][k] != 0])
        terms = [D(tau * C, t), D(beta, t)] + [xi[i] * D(C, X[i]) for i in N] + [B[i] * D(beta, X[i]) for i in N]
        rows.append(terms + [A[i][j] * D(beta, X[i], X[j]) for i in N for j in N if A[i][j] != 0])
    return [(row, [term for term in row if term != 0]) for row in rows]


def worst_residual(item: Case, kind: str, points: np.ndarray) -> float:
    """Largest residual of the exact generators over their terms, with thirty digits at the points."""
    import mpmath

    worst = 0.0
    with mpmath.workdps(30):
        for generator in item.answers[kind]:
            rows = [terms for _, terms in residuals(item, kind, generator)]
            flat = [*(term for row in rows for term in row), *map(sp.sympify, generator)]
            function = sp.lambdify([t, *item.state], flat, modules="mpmath", cse=True)
            for point in points:
                values, position = function(*(mpmath.mpf(float(v)) for v in point)), 0
                floor = max(abs(v) for v in values) * mpmath.mpf("1e-12")
                for row in rows:
                    part = values[position : position + len(row)]
                    position += len(row)
                    size = max((abs(v) for v in part), default=mpmath.mpf(0)) + floor
                    if size > 0:
                        worst = max(worst, float(abs(mpmath.fsum(part)) / size))
    return worst


# --- building systems from systems -------------------------------------------------------------------------------


def lifted(generators: Iterable[Generator], state: Sequence[Any], extra: Iterable[Generator] = ()) -> list[Generator]:
    """Fokker–Planck generators from SDE generators: β = −div ξ, then `extra`, then u∂u."""
    n = len(state)
    rows = [(*g[: n + 1], -sum(sp.diff(g[i + 1], s) for i, s in enumerate(state))) for g in generators]
    return [*rows, *extra, (*(sp.Integer(0),) * (n + 1), sp.Integer(1))]


def brownian(n: int, names: str | None = None) -> Case:
    """Standard Brownian motion in n dimensions: Itô n+2, law adds so(n), Fokker–Planck is the heat equation's."""
    state = tuple(sp.Symbol(s, real=True) for s in (names.split() if names else [f"w{i + 1}" for i in range(n)]))
    zero = (sp.Integer(0),) * n
    unit = lambda i, value=1: tuple(sp.sympify(value) if j == i else sp.Integer(0) for j in range(n))  # noqa: E731
    ito = [(1, *zero, 0), *((0, *unit(i), 0) for i in range(n)), (2 * t, *state, 0)]
    turns = []
    for i, j in combinations(range(n), 2):
        turn = [sp.Integer(0)] * n
        turn[i], turn[j] = state[j], -state[i]
        turns.append((0, *turn, 0))
    square = sum(s**2 for s in state)
    boosts = [(0, *unit(i, t), -state[i]) for i in range(n)]
    projective = (t**2, *(t * s for s in state), -square / 2 - sp.Rational(n, 2) * t)
    answers = {
        "ito": ito,
        "law": ito + turns,
        "fokker-planck": lifted(ito + turns, state, [*boosts, projective]),
    }
    eye = tuple(unit(i) for i in range(n))
    return Case(f"brownian-{n}", state, zero, eye, answers)


def image(item: Case, names: str, forward: Sequence[Any], inverse: Sequence[Any], positive: str = "") -> Case:
    """The system in new coordinates, by Itô's formula, generators pushed forward.

    `forward` are the new coordinates in terms of the old state (and t), `inverse` the old in terms of the new;
    the new coordinates named in `positive` are so.
    """
    old, n, r = item.state, len(item.state), len(item.diffusion[0])
    new = tuple(sp.Symbol(s, real=True) for s in names.split())
    forward, inverse = [sp.sympify(e) for e in forward], [sp.sympify(e) for e in inverse]
    back = dict(zip(old, inverse, strict=True))

    bold = {v: sp.Symbol(v.name, positive=True) for v in new if v.name in positive}
    timid = {b: v for v, b in bold.items()}

    def rewritten(expression: Any) -> Any:
        return sp.sympify(expression).subs(back, simultaneous=True).subs(bold).subs(timid)

    def simple(expression: Any) -> Any:
        if expression == 0:
            return sp.Integer(0)
        return sp.simplify(rewritten(expression).subs(bold)).subs(timid)

    s, N = item.diffusion, range(n)
    jacobian = sp.Matrix(n, n, lambda i, j: sp.diff(forward[i], old[j]))
    drift, rows = [], []
    for i in N:
        second = sum(s[j][k] * s[m][k] * sp.diff(forward[i], old[j], old[m]) for j in N for m in N for k in range(r))
        first = sum(item.drift[j] * jacobian[i, j] for j in N)
        drift.append(simple(sp.diff(forward[i], t) + first + second / 2))
        rows.append(tuple(simple(sum(jacobian[i, j] * s[j][k] for j in N)) for k in range(r)))
    volume = sp.prod(jacobian.diagonal()) if jacobian.is_lower else jacobian.det()
    log_volume = sp.log(volume)

    def pushed(g: Generator, density: bool) -> Generator:
        along = lambda e: g[0] * sp.diff(e, t) + sum(g[j + 1] * sp.diff(e, old[j]) for j in N)  # noqa: E731
        beta = g[n + 1] - along(log_volume) if density else sp.Integer(0)
        return (sp.sympify(g[0]), *(rewritten(along(e)) for e in forward), rewritten(beta))

    answers = {
        kind: value if not isinstance(value, list) else [pushed(g, kind == "fokker-planck") for g in value]
        for kind, value in item.answers.items()
    }
    return replace(item, state=new, drift=tuple(drift), diffusion=tuple(rows), answers=answers, domain=None)


def retimed(item: Case, forward: Any, inverse: Any) -> Case:
    """The system in the new time s = forward(t), t = inverse(s); both are written in the symbol t."""
    rate = sp.diff(forward, t)
    now = lambda e: sp.sympify(e).subs(t, inverse)  # noqa: E731
    answers = {
        kind: value if not isinstance(value, list) else [(now(g[0] * rate), *map(now, g[1:])) for g in value]
        for kind, value in item.answers.items()
    }
    drift = tuple(sp.simplify(now(f / rate)) for f in item.drift)
    rows = tuple(tuple(sp.simplify(now(e / sp.sqrt(rate))) for e in row) for row in item.diffusion)
    return replace(item, drift=drift, diffusion=rows, answers=answers, domain=None)


def affine(b: Any, c: Any, s: Any, growth: Any, shift: Any, clock: Any, name: str = "x") -> Case:
    """dx = (b x + c)dt + s dW with functions of t and their integrals.

    growth = exp ∫b, shift = ∫c/growth, clock = ∫(s/growth)²; then (x/growth − shift) is Brownian in that clock.
    """
    v = sp.Symbol(name, real=True)
    b, c, s, growth, shift, clock = (sp.sympify(e) for e in (b, c, s, growth, shift, clock))
    f, w = b * v + c, v / growth - shift
    tau = (growth / s) ** 2
    still = (tau, tau * f, 0)
    ito = [still, (0, growth, 0), (2 * clock * tau, 2 * clock * tau * f + growth * w, 0)]
    # β of the Brownian picture plus X(log ∂w/∂x) = −τ b
    lift = lambda g, beta: (g[0], g[1], beta - g[0] * b)  # noqa: E731
    fp = [lift(g, 0) for g in ito]
    fp.append((sp.Integer(0), clock * growth, -w))
    g = (clock**2 * tau, clock**2 * tau * f + clock * w * growth)
    fp.append(lift(g, -(w**2) / 2 - clock / 2))
    fp.append((sp.Integer(0), sp.Integer(0), sp.Integer(1)))
    answers = {"ito": ito, "law": ito, "fokker-planck": fp}
    return Case("affine", (v,), (f,), ((s,),), answers)


def linear(b: Any = 0, c: Any = 0, s: Any = 1, name: str = "x") -> Case:
    """dx = (b x + c)dt + s dW with numbers."""
    b, c, s = sp.nsimplify(b), sp.nsimplify(c), sp.nsimplify(s)
    if b == 0:
        return affine(0, c, s, 1, c * t, s**2 * t, name)
    return affine(b, c, s, sp.exp(b * t), -c / b * sp.exp(-b * t), -(s**2) * sp.exp(-2 * b * t) / (2 * b), name)


def bessel(A: Any, name: str = "x") -> Case:
    """dx = A/x dt + dW, A ≠ 0: Itô 2; Fokker–Planck 4, and 6 at A = 1."""
    v = sp.Symbol(name, positive=True)
    A = sp.sympify(A)
    ito = [(1, 0, 0), (2 * t, v, 0)]
    extra: list[Generator] = [(t**2, t * v, -(v**2) / 2 + (A - sp.Rational(1, 2)) * t)]
    if A == 1:
        extra += [(0, 1, 1 / v), (0, t, t / v - v)]
    answers = {"ito": ito, "law": ito, "fokker-planck": lifted(ito, (v,), extra)}
    return Case("bessel", (v,), (A / v,), ((sp.Integer(1),),), answers)


def damped(item: Case, b: Any) -> Case:
    """From dx = A/x dt + dW to dx = (A/x + b x)dt + dW: x e^{bt} in the time with dT = e^{−2bt}dt."""
    b = sp.sympify(b)
    forward = -sp.log(1 - 2 * b * t) / (2 * b)
    later = retimed(item, forward, (1 - sp.exp(-2 * b * t)) / (2 * b))
    v = later.state[0]
    return image(later, v.name, [v * sp.exp(b * t)], [sp.Symbol(v.name, real=True) * sp.exp(-b * t)])


def gauged(ground: Any, name: str, rate: Any, base: Case, ito: Any) -> Case:
    """dx = (log h)' dt + dW where h'' /2 = rate·h + (potential of `base`)·h: same Fokker–Planck algebra, conjugated.

    `base` has drift g and unit noise in the same coordinate; densities are related by u = h e^{−∫g − rate t} w.
    """
    v = base.state[0]
    f = sp.simplify(sp.diff(sp.log(ground), v))
    log_ratio = sp.log(ground) - sp.integrate(base.drift[0], v) - rate * t
    fp = []
    for g in base.answers["fokker-planck"]:
        fp.append((g[0], g[1], g[2] + g[0] * sp.diff(log_ratio, t) + g[1] * sp.diff(log_ratio, v)))
    return Case(name, (v,), (f,), ((sp.Integer(1),),), {"ito": ito, "law": ito, "fokker-planck": fp})


def with_beta(item: Case, tau: Any, xi: Sequence[Any], monomials: Sequence[Any]) -> Generator:
    """Complete (τ, ξ) to a Fokker–Planck generator with β a combination of the given functions."""
    unknown = sp.symbols(f"c0:{len(monomials)}")
    beta = sum(c * m for c, m in zip(unknown, monomials, strict=True))
    equations = []
    for _, terms in residuals(item, "fokker-planck", (tau, *xi, beta)):
        total = sp.expand(sp.Add(*terms))
        equations += sp.Poly(total, *item.state).coeffs() if total != 0 else []
    solution = sp.solve([sp.simplify(e) for e in equations], unknown, dict=True)
    assert solution, "no β of this form"
    return (sp.sympify(tau), *map(sp.sympify, xi), sp.simplify(beta.subs(solution[0]).subs(dict.fromkeys(unknown, 0))))


def linear_system(
    name: str, M: Any, S: Any, names: str, extra: Mapping[str, list[Generator]], domain: Any = None
) -> Case:
    """dx = M x dt + S dW with constant matrices: ∂t and the solutions of h' = M h, and for Fokker–Planck the
    solutions of h' = M h − a w, w' = −Mᵀ w with β = w·x; `extra` has what only this system has."""
    state = tuple(sp.Symbol(s, real=True) for s in names.split())
    M, S = sp.Matrix(M), sp.Matrix(S)
    n, X = len(state), sp.Matrix(state)
    still: Generator = (sp.Integer(1), *(sp.Integer(0),) * (n + 1))
    flow = _exponential(M)
    moves = [(sp.Integer(0), *flow[:, i], sp.Integer(0)) for i in range(n)]
    boosts = []
    for i in range(n):
        if M.is_diagonal() and all(p + q != 0 for p in M.diagonal() for q in M.diagonal()):
            w = sp.Matrix(n, 1, lambda j, _, i=i: sp.exp(-M[i, i] * t) if i == j else 0)
            h = (S * S.T)[:, i].applyfunc(lambda e, i=i: e * sp.exp(-M[i, i] * t))
            h = sp.Matrix(n, 1, lambda j, _, h=h, i=i: h[j] / (M[i, i] + M[j, j]))
        else:
            if not i:
                whole = _exponential(sp.Matrix(sp.BlockMatrix([[M, -(S * S.T)], [sp.zeros(n), -M.T]])))
            h, w = whole[:n, n + i], whole[n:, n + i]
        boosts.append((sp.Integer(0), *h, (w.T * X)[0]))
    ito = [still, *moves, *extra.get("ito", [])]
    law = [still, *moves, *extra.get("law", extra.get("ito", []))]
    fp = lifted(law, state, [*boosts, *extra.get("fokker-planck", [])])
    rows = tuple(tuple(S[i, :]) for i in range(n))
    return Case(name, state, tuple(M * X), rows, {"ito": ito, "law": law, "fokker-planck": fp}, domain)


def _exponential(M: sp.Matrix) -> sp.Matrix:
    """exp(Mt), real."""
    if M.is_diagonal():
        return sp.diag(*[sp.exp(M[i, i] * t) for i in range(M.rows)])
    found = (M * t).exp()
    return found.applyfunc(lambda e: sp.simplify(sp.re(sp.expand(e, complex=True)) if e.has(sp.I) else e))
