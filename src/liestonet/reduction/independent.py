"""Groups of new coordinates that are independent: no common noise, no coefficient that depends on another group.

Each group is sampled separately, exactly if it is Gaussian or a time-changed Bessel process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sympy
from sympy import ImmutableMatrix

from liestonet.core.domain import Domain
from liestonet.errors import InputError
from liestonet.sde.sde import SDE
from liestonet.sde.symbolic import SymbolicCoefficients

if TYPE_CHECKING:
    from liestonet.reduction.reduction import Reduction

Groups = tuple[tuple[tuple[int, ...], "Reduction | None"], ...]


def independent_parts(made: Reduction) -> Groups:
    """The positions of the coordinates of each group, with a reduction that can be sampled exactly, else None."""
    formulas: Any = made.sde.symbolic
    if formulas is None or made.equation.parameters:
        return ((tuple(range(made.sde.dimension)), None),)
    groups = _groups(formulas)
    if len(groups) == 1:
        return ((groups[0], None),)
    return tuple((group, _reduction_of(made, formulas, group)) for group in groups)


def _groups(formulas: Any) -> list[tuple[int, ...]]:
    """The groups: coordinates that share noise, or one of which occurs in a coefficient of another, are together."""
    size = formulas.dimension
    label = list(range(size))

    def join(i: int, j: int) -> None:
        old, new = label[i], label[j]
        for k in range(size):
            label[k] = new if label[k] == old else label[k]

    for i in range(size):
        entries = [formulas.drift[i], *formulas.diffusion[i, :]]
        for j, symbol in enumerate(formulas.state):
            if any(entry.has(symbol) for entry in entries):
                join(i, j)
    for k in range(formulas.noise):
        touched = [i for i in range(size) if formulas.diffusion[i, k] != 0]
        for i in touched[1:]:
            join(touched[0], i)
    return [tuple(i for i in range(size) if label[i] == value) for value in dict.fromkeys(label)]


def _reduction_of(made: Reduction, formulas: Any, group: tuple[int, ...]) -> Reduction | None:
    """The equation of a group by the strategies that need no generators."""
    from liestonet.reduction.assemble import assembled
    from liestonet.reduction.reduce import WITHOUT_GENERATORS, run
    from liestonet.reduction.sampling import is_drawn
    from liestonet.reduction.start import start_of

    rows, noise = list(group), formulas.diffusion.extract(list(group), list(range(formulas.noise)))
    used = [k for k in range(noise.shape[1]) if any(entry != 0 for entry in noise[:, k])] or [0]
    part = SymbolicCoefficients(
        tuple(formulas.state[i] for i in rows),
        sympy.Symbol("t", real=True),
        ImmutableMatrix(len(rows), 1, [_timed(formulas.drift[i], formulas) for i in rows]),
        ImmutableMatrix(len(rows), len(used), [_timed(noise[i, k], formulas) for i in range(len(rows)) for k in used]),
    )
    box = Domain((made.boxes[0], *(made.boxes[1 + i] for i in rows)))
    try:
        start = start_of(SDE.from_coefficients(part, ()), box, {}, in_law=True)
    except InputError:
        return None
    found = assembled(start, run(start.stage, WITHOUT_GENERATORS))
    return found if is_drawn(found) else None


def _timed(entry: Any, formulas: Any) -> Any:
    """A coefficient with the symbol of its time replaced by t."""
    return entry.xreplace({formulas.time: sympy.Symbol("t", real=True)})
