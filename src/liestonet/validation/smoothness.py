"""Checks that formulas of generators and their derivatives are finite on a box; errors say where they are not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from jaxtyping import Float

from liestonet.core.coefficients import Derivative
from liestonet.core.domain import Domain
from liestonet.errors import InputError
from liestonet.validation.formulas import Formulas
from liestonet.validation.tuning import GIVEN

# Derivatives by the state that the equations of paths hold; the lift β = −div ξ needs one more.
ORDER = 2


def regular(given: Formulas, domain: Domain, order: int = ORDER, called: str = "") -> Formulas:
    """The same formulas if they are smooth on the box; |g| and sign g become ±g and ±1 where g keeps its sign.

    `called` is their name in messages, if they are not generators.
    """
    points = _looked_at(domain)
    names = [called or f"generator {_name(given, k)}" for k in range(given.count)]
    rows = [
        tuple(_without_kinks(entry, given, name, points, domain) for entry in row)
        for name, row in zip(names, given.rows, strict=True)
    ]
    plain = Formulas(given.variables, tuple(rows))
    for name, row in zip(names, rows, strict=True):
        _require_no_poles(row, plain, name, points, domain)
    for derivative in _derivatives(domain.dimension, order):
        _require_finite(plain, names, derivative, points, domain)
    if called:
        return plain
    sizes = np.abs(plain.components(points, [()])[()]).max(axis=(1, 2))
    if (sizes < GIVEN.smallest_value).any():
        name = _name(plain, int(np.argmin(sizes)))
        raise InputError(
            f"The generator {name} is zero, or smaller than {GIVEN.smallest_value:g}, everywhere on the data's box; "
            "give another, or multiply it by a constant."
        )
    return plain


def _looked_at(domain: Domain) -> Float[np.ndarray, "p v"]:
    """Points all over the box, including its faces and corners."""
    from liestonet.sde.domain_choice import inspected
    from liestonet.sde.probing import to_box

    return to_box(domain, inspected(domain.dimension + 1))


def _derivatives(dimension: int, order: int) -> Iterator[Derivative]:
    """Derivatives as indices: the values, the time derivative, and those by the state up to an order."""
    yield ()
    yield (0,)
    for count in range(1, order + 1):
        yield from combinations_with_replacement(range(1, dimension + 1), count)


def _without_kinks(entry: Any, given: Formulas, name: str, points: np.ndarray, domain: Domain) -> Any:
    """The entry with |g|, sign g and the like replaced by smooth forms; an error where g changes sign in the box."""
    import sympy

    entry = (
        sympy.sympify(entry).replace(sympy.Max, _larger).replace(sympy.Min, lambda *g: -_larger(*(-each for each in g)))
    )
    kinks = sympy.Abs, sympy.sign, sympy.Heaviside
    for kink in sorted(entry.atoms(*kinks), key=sympy.default_sort_key, reverse=True):
        inner = kink.args[0]
        if not entry.has(kink):  # it was inside of one that is gone
            continue
        side = _side(inner, given.variables, points)
        if side is None:
            raise InputError(f"The {name} is not differentiable where {inner} = 0, {_in_the_box(domain, given)}")
        values = {sympy.Abs: side * inner, sympy.sign: sympy.Integer(side), sympy.Heaviside: sympy.Integer(side > 0)}
        entry = entry.subs(kink, values[kink.func])
    return entry


def _larger(*parts: Any) -> Any:
    """The maximum of several expressions, written with |·|."""
    import sympy

    result = parts[0]
    for part in parts[1:]:
        result = (result + part + sympy.Abs(result - part)) / 2
    return result


def _require_no_poles(row: tuple[Any, ...], given: Formulas, name: str, points: np.ndarray, domain: Domain) -> None:
    """Refuse quotients whose denominator changes sign in the box: sample points rarely hit its zero."""
    import sympy

    for power in sorted({p for entry in row for p in entry.atoms(sympy.Pow)}, key=sympy.default_sort_key):
        base, exponent = power.args
        if exponent.is_negative and base.free_symbols and _side(base, given.variables, points) is None:
            raise InputError(f"The {name} is not finite where {base} = 0, {_in_the_box(domain, given)}")


def _side(expression: Any, variables: tuple[Any, ...], points: np.ndarray) -> int | None:
    """The sign that an expression keeps at all points; None where it changes, 1 where it is not real."""
    import sympy

    from liestonet.sde.symbolic import numeric_modules

    with np.errstate(all="ignore"):
        function = sympy.lambdify(variables, expression, numeric_modules(expression))
        values = np.broadcast_to(function(*points.T), len(points))
    if np.iscomplexobj(values) or not (values < 0).any():
        return 1
    return None if (values > 0).any() else -1


def _require_finite(
    given: Formulas, called: Sequence[str], derivative: Derivative, points: np.ndarray, domain: Domain
) -> None:
    """Refuse values that are not finite or too large to be squared, and derivatives that cannot be evaluated."""
    from liestonet.sde.probing import place

    try:
        values = given.components(points, [derivative])[derivative]
    except (NameError, TypeError, AttributeError, NotImplementedError) as problem:  # SymPy has no numbers for it
        told = "be differentiated" if derivative else "be evaluated as a real number"
        raise InputError(
            f"The {'; '.join(called)} cannot {told} everywhere; write it with functions that are smooth."
        ) from problem
    bad = ~(np.abs(values) < GIVEN.largest_value)
    if bad.any():
        k, point, part = np.argwhere(bad)[0]
        limit = f"below {GIVEN.largest_value:g}" if np.isfinite(values[k, point, part]) else "finite"
        what = f"has a derivative that is not {limit}" if derivative else f"is not {limit}"
        names = tuple(str(variable) for variable in given.variables[1:])
        raise InputError(f"The {called[int(k)]} {what} at {place(names, points[point])}, {_in_the_box(domain, given)}")


def _in_the_box(domain: Domain, given: Formulas) -> str:
    """The end of a message: that the place is in the box, and what to do about it."""
    ranges = [
        f"{variable} from {low:.4g} to {high:.4g}"
        for variable, (low, high) in zip(given.variables, domain.intervals, strict=True)
    ]
    return (
        f"which the box contains; give one that is smooth and of moderate size for {', '.join(ranges)}, or take "
        "a smaller box."
    )


def _name(given: Formulas, k: int) -> str:
    return str(Formulas(given.variables, (given.rows[k],)))
