"""A strategy without formulas of generators: drift linear in the closed coordinates, noise independent of them.

Its symmetries without time component are the columns of the fundamental matrix Φ, Φ' = MΦ, and y = Φ⁻¹x are integrals
(docs/method.md §18.3).
"""

from __future__ import annotations

from typing import Any

import sympy
from sympy import Symbol

from liestonet.reduction.equation import Change
from liestonet.reduction.integrating import closed_form
from liestonet.reduction.setting import Setting
from liestonet.reduction.stage import Stage
from liestonet.reduction.tuning import REDUCTION


def linear_drift(stage: Stage) -> Stage | None:
    """Use y = Φ⁻¹x for a drift M(t)x + m(t), with M a constant matrix times one function of time."""
    closed, setting = stage.equation.closed, stage.setting
    matrix = linear_part(stage)
    if matrix is None or len(closed) < 2:
        return None
    inverse = fundamental_inverse(matrix, stage.equation.time, setting)
    if inverse is None:
        return stage.because("the fundamental matrix of the linear drift has no closed form")
    back = fundamental_inverse(-matrix, stage.equation.time, setting)
    if back is None:
        return None
    y = [Symbol(name, real=True) for name in stage.fresh([f"y{k + 1}" for k in range(len(closed))])]
    new = (inverse * sympy.Matrix(closed)).applyfunc(setting.tidy)
    old = (back * sympy.Matrix(y)).applyfunc(setting.tidy)
    section = {s: sympy.Integer(0) for s in closed}
    change = Change(dict(zip(y, new, strict=True)), dict(zip(closed, old, strict=True)), section, 0)
    names = ", ".join(s.name for s in y)
    return stage.after(change, [], "columns of the fundamental matrix", f"{names} become integrals")


def linear_part(stage: Stage) -> Any:
    """M of a drift Mx + m with noise that does not depend on the closed coordinates; None for other equations."""
    equation = stage.equation.subsystem()
    closed = equation.closed
    if any(entry.has(*closed) for row in equation.noise for entry in row):
        return None
    drift = sympy.Matrix([sympy.expand(entry) for entry in equation.drift])
    matrix = drift.jacobian(sympy.Matrix(closed))
    return None if any(entry.has(*closed) for entry in matrix) else matrix.applyfunc(sympy.simplify)


def fundamental_inverse(matrix: Any, time: Symbol, setting: Setting) -> Any:
    """E(t) with E' = −EM for M = α(t)M₀: exp(−M₀∫α); None where M is not such a product or α has no closed integral."""
    timed = [entry for entry in matrix if entry.has(time)]
    rate = timed[0].as_independent(time, as_Add=False)[1] if timed else sympy.Integer(1)
    steady = (matrix / rate).applyfunc(sympy.simplify)
    grown = closed_form(rate, time, setting)
    if any(entry.has(time) for entry in steady) or grown is None:
        return None
    return exponential(-steady, grown, setting)


def exponential(matrix: Any, factor: Any, setting: Setting) -> Any:
    """exp(M·factor) in real functions: exact for eigenvalues of linear or quadratic equations, else decimals.

    Formulas with roots of cubic equations would be too long. None if M then depends on parameters.
    """
    if matrix.shape[0] == 2:
        return _of_two(matrix, factor, setting)
    if matrix.free_symbols or any(not entry.is_Rational for entry in matrix):
        return None
    _, factors = matrix.charpoly().factor_list()
    if any(polynomial.degree() > 2 for polynomial, _ in factors):
        return _by_numbers(matrix, factor)
    if any(multiplicity > 1 for _, multiplicity in factors):
        return _repeated(matrix, factor, setting) if all(p.degree() == 1 for p, _ in factors) else None
    roots = [root for polynomial, _ in factors for root in sympy.roots(polynomial, multiple=True)]
    total = sympy.zeros(*matrix.shape)
    for root in roots:
        if sympy.im(root) < 0:
            continue  # counted with its conjugate
        part = sympy.eye(matrix.shape[0])
        for other in roots:
            if other != root:
                part = (part * (matrix - other * sympy.eye(matrix.shape[0])) / (root - other)).applyfunc(sympy.expand)
        total += _real_part(part, root, factor)
    return total.applyfunc(setting.tidy)


def _by_numbers(matrix: Any, factor: Any) -> Any:
    """exp(M·factor) with eigenvalues and projectors as decimal numbers; None where they cannot be distinguished."""
    import mpmath

    size = matrix.shape[0]
    with mpmath.workdps(REDUCTION.digits):
        values, vectors = mpmath.eig(mpmath.matrix([[mpmath.mpf(e.p) / e.q for e in row] for row in matrix.tolist()]))
        if min(abs(a - b) for k, a in enumerate(values) for b in values[:k]) < REDUCTION.rounding:
            return None
        back = mpmath.inverse(vectors)
        total = sympy.zeros(size, size)
        for k, value in enumerate(values):
            if value.imag < -REDUCTION.rounding:
                continue
            parts = [[vectors[i, k] * back[k, j] for j in range(size)] for i in range(size)]
            re, im = (
                sympy.Matrix(size, size, lambda i, j, o=o, parts=parts: _decimal(getattr(parts[i][j], o)))
                for o in ("real", "imag")
            )
            if abs(value.imag) < REDUCTION.rounding:
                total += sympy.exp(_decimal(value.real) * factor) * re
                continue
            turn = _decimal(value.imag) * factor
            total += 2 * sympy.exp(_decimal(value.real) * factor) * (sympy.cos(turn) * re - sympy.sin(turn) * im)
    return total


def _decimal(value: Any) -> Any:
    return sympy.Float(str(value), 17) if value else sympy.Integer(0)


def _real_part(projector: Any, root: Any, factor: Any) -> Any:
    """e^{λa} P for a real eigenvalue, the sum with the conjugate for a complex one."""
    real, imaginary = sympy.re(root), sympy.im(root)
    if imaginary == 0:
        return sympy.exp(root * factor) * projector
    re, im = ((projector.applyfunc(lambda e, part=part: sympy.simplify(part(e)))) for part in (sympy.re, sympy.im))
    waves = sympy.cos(imaginary * factor) * re - sympy.sin(imaginary * factor) * im
    return 2 * sympy.exp(real * factor) * waves


def _repeated(matrix: Any, factor: Any, setting: Setting) -> Any:
    """exp(M·factor) by the Jordan form, for rational eigenvalues."""
    u = sympy.Dummy("u", real=True)
    return (matrix * u).exp().xreplace({u: factor}).applyfunc(setting.tidy)


def _of_two(matrix: Any, factor: Any, setting: Setting) -> Any:
    """exp(Ma) = e^{τa/2}(c(a) + s(a)(M − τ/2)) with τ the trace: hyperbolic, circular or linear functions."""
    half = sympy.simplify(matrix.trace() / 2)
    square: Any = sympy.factor(sympy.simplify(half**2 - matrix.det()))
    rest = matrix - half * sympy.eye(2)
    if setting.vanishes(square):
        found = sympy.exp(half * factor) * (sympy.eye(2) + factor * rest)
    elif (setting.numbers(square) > 0).all():
        root = setting.tidy(sympy.sqrt(square))
        plus, minus = sympy.exp((half + root) * factor), sympy.exp((half - root) * factor)
        found = (plus + minus) / 2 * sympy.eye(2) + (plus - minus) / (2 * root) * rest
    else:
        root = setting.tidy(sympy.sqrt(-square))
        waves = sympy.cos(root * factor) * sympy.eye(2) + sympy.sin(root * factor) / root * rest
        found = sympy.exp(half * factor) * waves
    return found.applyfunc(setting.tidy)
