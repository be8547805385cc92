"""Martingales of an equation whose coordinates are Gaussian integrals: Hermite polynomials and exponentials of them.

With dy = F(t) dt + G(t) dW, M = y − ∫F and S = ∫GGᵀ: M_i, M_iM_j − S_ij and exp(εM_i − ε²S_ii/2) have no drift. These
are what the symmetries of the density's equation generate there (docs/method.md §18.8).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sympy

from liestonet.reduction.integrating import closed_form
from liestonet.reduction.setting import Setting
from liestonet.reduction.start import Start

if TYPE_CHECKING:
    from liestonet.reduction.reduction import Reduction


@dataclass(frozen=True)
class _Integral:
    """M = ±(y − ∫F) of one coordinate y in the old symbols, with its sign and name."""

    value: Any
    sign: int
    name: str


def gaussian_martingales(made: Reduction, start: Start) -> Iterator[tuple[Any, str]]:
    """Functions in inner symbols, the simple ones first; none where integrals of F or G have no closed form."""
    formulas: Any = made.sde.symbolic
    setting = start.inner.setting
    time, clock = formulas.time, _inward(made.clock, start)
    setting = setting if clock == time else setting.extended({time: clock})
    found: dict[int, _Integral] = {}
    for i, symbol in enumerate(formulas.state):
        grown = _integral(formulas.drift[i], time, clock, setting)
        if grown is not None and formulas.diffusion_squared[i, i] != 0:
            value = setting.tidy(_inward(made.coordinates[symbol], start) - grown)
            sign = _sign(value, start)
            found[i] = _Integral(setting.tidy(sign * value), sign, symbol.name)
    spread: dict[tuple[int, int], Any] = {}
    for i in found:
        for j in (j for j in found if j <= i):
            grown = _integral(formulas.diffusion_squared[i, j], time, clock, setting)
            spread[i, j] = None if grown is None else found[i].sign * found[j].sign * grown
    for row in found.values():
        yield row.value, row.name
    for (i, j), s in ((pair, s) for pair, s in spread.items() if s is not None):
        name = f"{found[i].name}^2" if i == j else f"{found[j].name} {found[i].name}"
        yield _shorter(found[i].value * found[j].value - s, setting), name
    alone = [(row.value, row.name, spread[i, i]) for i, row in found.items() if spread[i, i] is not None]
    if len(found) == len(alone) == 1:
        ((m, name, s),) = alone
        yield _shorter(m**3 - 3 * m * s, setting), f"{name}^3"
        yield _shorter(m**4 - 6 * m**2 * s + 3 * s**2, setting), f"{name}^4"
    eps = sympy.Symbol("epsilon", real=True)
    for m, name, s in alone:
        yield sympy.exp(eps * m - eps**2 * setting.tidy(s) / 2), f"exp(ε {name})"


def _sign(value: Any, start: Start) -> int:
    """The sign with which a function rises along the first coordinate that it contains."""
    first = next(s for s in start.inner.state if value.has(s))
    return -1 if start.inner.setting.numbers(sympy.diff(value, first))[0] < 0 else 1


def _inward(expression: Any, start: Start) -> Any:
    return start.inner.setting.plain(sympy.sympify(expression).xreplace(dict(start.inner.inward)))


def _integral(rate: Any, time: Any, clock: Any, setting: Setting) -> Any:
    """∫ rate dt in old time, or None."""
    grown = sympy.Integer(0) if rate == 0 else closed_form(rate, time, setting)
    return None if grown is None else grown.xreplace({time: clock})


def _shorter(expression: Any, setting: Setting) -> Any:
    """As it stands, or expanded where that is shorter."""
    ways = [expression, setting.tidy(sympy.expand(expression))]
    return min(ways, key=sympy.count_ops)
