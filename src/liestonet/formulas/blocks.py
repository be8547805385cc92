"""Building blocks of closed forms: functions that an equation suggests, and general ones for any equation.

Noise s(x) dW suggests s and y = ∫dx/s, in which it is constant; a drift b(t) x suggests exp ∫b dt; and so on. No rule
is made for a particular system.
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any

import numpy as np

from liestonet.formulas.quadrature import antiderivative, closed_integral

if TYPE_CHECKING:
    from sympy import Expr, Symbol

    from liestonet.sde.symbolic import SymbolicCoefficients


def state_blocks(coefficients: SymbolicCoefficients, density: bool) -> list[Any]:
    """Functions of single coordinates from the coefficients; for β (`density`) also potentials and logarithms."""
    import sympy

    blocks: list[Any] = []
    drift: Any = coefficients.drift
    diffusion: Any = coefficients.diffusion
    squared: Any = coefficients.diffusion_squared
    killing: Any = coefficients.killing
    everything = [*drift, *diffusion, *killing]
    for i, x in enumerate(coefficients.state):
        blocks.append(x)
        speeds = _speeds(diffusion.row(i), x)
        if sum(entry != 0 for entry in diffusion.row(i)) > 1:
            speeds += _speeds([sympy.sqrt(sympy.factor(squared[i, i]))], x)
        for speed in speeds:
            blocks += [speed, closed_integral(1 / speed, x)]
        blocks += _nodes(everything, x)
        if density and squared[i, i] != 0 and (squared[i, i].free_symbols | drift[i].free_symbols) <= {x}:
            blocks += [closed_integral(sympy.cancel(drift[i] / squared[i, i]), x)]
            ratio = drift[i] / sympy.sqrt(squared[i, i])
            blocks += [sympy.expand_log(sympy.log(squared[i, i]), force=True), ratio, 1 / sympy.sqrt(squared[i, i])]
    return _distinct(blocks)


def time_blocks(coefficients: SymbolicCoefficients, interval: tuple[float, float]) -> list[Any]:
    """Functions of time suggested by a time-dependent equation: those in it, their integrals, and growth factors."""
    import sympy

    t = coefficients.time
    drift: Any = coefficients.drift
    diffusion: Any = coefficients.diffusion
    killing: Any = coefficients.killing
    nodes = _nodes([*drift, *diffusion, *killing], t)
    rates = [r for r in drift.jacobian(sympy.Matrix(coefficients.state)) if r.free_symbols <= {t} and r != 0]
    growths = _distinct([_exponential(closed_integral(rate, t)) for rate in rates])
    noises = [sympy.Integer(1), *_distinct([_time_factor(entry, t) for entry in diffusion])]
    free = [_time_factor(entry.subs(dict.fromkeys(coefficients.state, 0)), t) for entry in drift]
    blocks = [t, *growths, *[1 / g for g in growths], *noises, *[1 / s for s in noises], *nodes, *free]
    for growth in [sympy.Integer(1), *growths]:
        for noise in noises:
            blocks += _changes_of_time(sympy.powsimp((noise / growth) ** 2), t, interval)
        paths = [closed_integral(term / growth, t) for term in free]
        blocks += paths
        blocks += [sympy.expand(growth * path) for path in paths if path is not None]
    blocks += [closed_integral(node, t) for node in nodes]
    return _distinct(blocks)


def _changes_of_time(speed: Any, t: Any, interval: tuple[float, float]) -> list[Any]:
    """The time θ = ∫ speed dt, in which noise is constant, and the τ of translations, scalings and projections of θ."""
    clock = antiderivative(speed, t, interval)
    return [1 / speed] if clock is None else [clock, 1 / speed, clock / speed, clock**2 / speed]


def general_blocks(x: Any) -> list[Any]:
    """General functions of one coordinate: powers, logarithm, exponential and the like."""
    import sympy

    root = sympy.sqrt(x)
    return [x, 1 / x, root, 1 / root, sympy.log(x), sympy.exp(x), sympy.exp(-x), sympy.sin(x), sympy.cos(x)]


def real_blocks(blocks: list[Any], symbols: tuple[Any, ...], points: np.ndarray) -> list[Any]:
    """The functions in a form real at the points: moduli resolved, added constants and repetitions removed."""
    return _distinct([_without_constants(resolved(block, symbols, points), symbols) for block in blocks])


def resolved(block: Expr, symbols: tuple[Symbol, ...], points: np.ndarray) -> Expr:
    """The function with moduli and logarithms resolved by the signs that its parts have on the domain."""
    import sympy

    signs = {s: np.sign(points[0, j]) for j, s in enumerate(symbols) if abs(np.sign(points[:, j]).sum()) == len(points)}
    stand_in = {s: sympy.Dummy(s.name, positive=True) for s in signs}
    back = {dummy: s if signs[s] > 0 else -s for s, dummy in stand_in.items()}
    changed: Any = sympy.powdenest(block.xreplace({s: stand_in[s] if signs[s] > 0 else -stand_in[s] for s in signs}))
    block = min((block, changed.xreplace(back)), key=sympy.count_ops)

    def signed(argument: Any) -> Any:
        """The argument, or its negative if it is negative on the whole domain."""
        with np.errstate(all="ignore"):
            values = np.asarray(sympy.lambdify(list(symbols), argument, ["scipy", "numpy"])(*points.T))
        return -argument if np.isrealobj(values) and (values < 0).all() else argument

    for kind in (sympy.Abs, sympy.log):
        for node in block.atoms(kind):
            argument = signed(node.args[0])
            if kind is sympy.Abs and argument == node.args[0] and not _is_positive(argument, symbols, points):
                continue
            changed = block.xreplace({node: argument if kind is sympy.Abs else sympy.log(argument)})
            block = changed
    return block


def _is_positive(argument: Any, symbols: tuple[Any, ...], points: np.ndarray) -> bool:
    import sympy

    with np.errstate(all="ignore"):
        values = np.asarray(sympy.lambdify(list(symbols), argument, ["scipy", "numpy"])(*points.T))
    return bool(np.isrealobj(values) and (values > 0).all())


def _without_constants(block: Any, symbols: tuple[Any, ...]) -> Any:
    """The function without added numbers and rational factors; sums with 1 and coefficients restore these."""
    expanded = block.expand(log=True, force=True) if block.is_Add or block.is_Mul else block
    dependent = expanded.as_independent(*symbols, as_Add=True)[1]
    return without_fraction(dependent if dependent != expanded else block, symbols)


def without_fraction(function: Any, symbols: tuple[Any, ...]) -> Any:
    """A function without its rational factor; factors such as √π stay, because they belong to their functions."""
    number, dependent = function.as_independent(*symbols, as_Add=False)
    return dependent if number.is_Rational else function


def products(blocks: list[Any], degree: int) -> list[tuple[int, ...]]:
    """Products of up to `degree` blocks as positions of the factors, simplest first; the empty product is 1."""
    import sympy

    sizes = [1 + sympy.count_ops(block) for block in blocks]
    choices = [c for size in range(degree + 1) for c in combinations_with_replacement(range(len(blocks)), size)]
    return sorted(choices, key=lambda choice: (sum(sizes[j] for j in choice), len(choice), choice))


def _speeds(row: Any, x: Any) -> list[Any]:
    """The factors of a row of σ that depend on this coordinate alone."""
    import sympy

    speeds = []
    for entry in row:
        factored: Any = sympy.factor(entry)
        _, dependent = factored.as_independent(x, as_Add=False)
        if dependent != 1 and dependent.free_symbols == {x}:
            speeds.append(dependent)
    return _distinct(speeds)


def _time_factor(entry: Any, t: Any) -> Any:
    """The factor of an expression that depends on time alone; 1 if there is none."""
    import sympy

    factored: Any = sympy.factor(entry)
    _, dependent = factored.as_independent(t, as_Add=False)
    return dependent if dependent.free_symbols == {t} else sympy.Integer(1)


def _nodes(expressions: list[Any], x: Any) -> list[Any]:
    """Powers and functions of one variable that occur in some expressions."""
    import sympy

    found = {
        node
        for expression in expressions
        for node in sympy.preorder_traversal(expression)
        if node.free_symbols == {x} and (node.is_Pow or isinstance(node, sympy.Function))
    }
    return sorted(found, key=lambda e: (sympy.count_ops(e), str(e)))


def _exponential(exponent: Any) -> Any:
    import sympy

    return None if exponent is None else sympy.simplify(sympy.exp(exponent))


def _distinct(blocks: list[Any]) -> list[Any]:
    """Each block once, without numbers and undefined expressions."""
    return [b for b in dict.fromkeys(blocks) if b is not None and not b.is_number]
