"""The choice of the kernel of an equation: on a line, on a half-line, or between two ends (docs/method.md §16.4)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import sympy

from liestonet.densities.boundaries import CHOICES, End, ends_of, is_even, places_near
from liestonet.densities.numbers import Expression
from liestonet.densities.precision import function_of
from liestonet.densities.state_space import ScalarEquation
from liestonet.densities.structure import HALF, Structure, limit_at, structure_of
from liestonet.densities.tuning import BOUNDARY
from liestonet.errors import InputError

Shape = Literal["line", "radial", "interval"]


@dataclass(frozen=True)
class BoundaryRow:
    """One end of the state space and its boundary behaviour; `reached` is None if it depends on free parameters."""

    point: Any
    kind: str
    reached: bool | None
    exponent: float | None

    def __str__(self) -> str:
        return f"{self.point}: {self.kind}"


@dataclass(frozen=True)
class Plan:
    """The kernel to evaluate: its shape, the signed order of its Bessel function, the width between ends.

    `signs` are those of the images at the lower and upper end of an interval: −1 for absorbing, 1 for reflecting.
    `choice` is the user's choice for the end of a half-line, and `killed_before` says that paths are killed before they
    reach it.
    """

    structure: Structure
    shape: Shape
    rows: tuple[BoundaryRow, ...]
    order: Expression = HALF
    width: Expression | None = None
    signs: tuple[int, int] = (1, 1)
    choice: str | None = None
    killed_before: bool = False

    @property
    def keeps_mass(self) -> bool:
        """Whether the mass is conserved: no killing, and no absorbing end."""
        absorbing = self.choice == "absorbing" or any(row.kind == "absorbing" for row in self.rows)
        return self.structure.equation.killing == 0 and not absorbing

    @property
    def boundary(self) -> str:
        """The behaviour at the ends that are reached, in one word; else "not reached" or "none"."""
        kinds = list(dict.fromkeys(row.kind for row in self.rows if row.reached))
        if kinds:
            return " and ".join(kinds)
        return "not reached" if any(row.exponent is not None for row in self.rows) else "none"


def plan_of(equation: ScalarEquation, dimension: int, boundary: Any) -> Plan:
    """The kernel of an equation, with the user's choice at ends that are reached."""
    choices = _choices(boundary)
    ends = ends_of(equation)
    near = [end for end in ends if end.finite]
    if not near and boundary is not None:
        raise InputError(
            f"The boundary {boundary!r} was given, but paths reach no end of the state space "
            f"({equation.low}, {equation.high}); leave the boundary out."
        )
    structure = structure_of(equation, dimension, ends)
    if len(near) == 2:
        return _between(structure, ends, choices)
    if not near:
        return Plan(structure, "line", tuple(_row(end, "natural") for end in ends))
    if structure.q1 != 0 or not _starts_at_zero(structure, near[0]):
        raise InputError(
            f"The state space ends at {equation.state} = {near[0].point}, where the potential is not symmetric, so "
            "that the density has no closed form there."
        )
    return _from_a_point(structure, ends, choices)


def _choices(boundary: Any) -> tuple[str | None, str | None]:
    """The user's choices for the lower and the upper end."""
    pair = tuple(boundary) if isinstance(boundary, list | tuple) else (boundary, boundary)
    if len(pair) != 2 or any(choice is not None and choice not in CHOICES for choice in pair):
        raise InputError(
            f"The boundary is {boundary!r}; choose 'reflecting' or 'absorbing', or give a pair of them for the lower "
            "and the upper end. Mixed (Robin) conditions have no closed form here."
        )
    return pair


def _row(end: End, kind: str, reached: bool = False) -> BoundaryRow:
    return BoundaryRow(end.point, kind, reached, end.exponent if end.finite else None)


def _starts_at_zero(structure: Structure, end: End) -> bool:
    """Whether the end that is near is where h is zero: a barrier elsewhere has no kernel."""
    equation = structure.equation
    height = equation.function(structure.height)
    time = next(equation.times())
    before, after = (height(time, place) for place in places_near(end))
    return not abs(after - before) < BOUNDARY.even * abs(before)


def _from_a_point(structure: Structure, ends: tuple[End, End], choices: tuple[str | None, str | None]) -> Plan:
    """The kernel on a half-line in h: one end at h = 0, the other at infinity."""
    equation = structure.equation
    position = 0 if ends[0].finite else 1
    end = ends[position]
    order = structure.order
    if _value(2 * structure.c + sympy.Rational(1, 4), equation) < -BOUNDARY.nearest:
        raise InputError(
            "The killing is not bounded below: near the end of the state space it tends to −∞, and expectations are "
            "infinite; give a killing that is bounded below."
        )
    if structure.exponent is not None:
        end = replace(end, exponent=_value(structure.exponent, equation))
    exponent = _exact_exponent(structure, end)
    surplus = _value(2 * structure.c - exponent * (exponent - 1), equation)
    if surplus < -BOUNDARY.nearest:
        raise InputError(
            f"The killing is not bounded below near {equation.state} = {end.point}; give a killing that is."
        )
    choice = choices[position]
    if surplus > BOUNDARY.nearest:
        kind, reached = "not reached, because paths are killed before", False
    else:
        kind, reached = _kind_at(structure, end, choice), end.reached
    if abs(end.exponent - 0.5) < BOUNDARY.nearest and structure.exponent is None and surplus <= BOUNDARY.nearest:
        raise InputError(f"Whether paths reach {equation.state} = {end.point} is undecided; no density was found.")
    signed = -order if kind == "reflecting" else order
    rows = [_row(other, "natural") for other in ends]
    rows[position] = _row(end, kind, reached)
    if equation.free and choice == "absorbing" and structure.exponent is not None and surplus <= BOUNDARY.nearest:
        signed = sympy.Abs(structure.exponent - HALF)
    killed = surplus > BOUNDARY.nearest
    return Plan(structure, "radial", tuple(rows), signed, choice=choice, killed_before=killed)


def _exact_exponent(structure: Structure, end: End) -> Expression:
    """A as an expression: from the drift if that is A/h + bh, else ½ + ν or ½ − ν."""
    if structure.exponent is not None:
        return structure.exponent
    nearest = min(
        (HALF + structure.order, HALF - structure.order),
        key=lambda e: abs(_value(e, structure.equation) - end.exponent),
    )
    if abs(_value(nearest, structure.equation) - end.exponent) < BOUNDARY.rounding:
        return nearest
    return sympy.nsimplify(end.exponent, rational=True)


def _kind_at(structure: Structure, end: End, choice: str | None) -> str:
    """The behaviour at an end: the user's choice, if it is possible."""
    if not end.reached:
        return "not reached"
    where = f"{structure.equation.state} = {end.point}"
    if end.explosion:
        if choice != "absorbing":
            raise InputError(
                "The solution explodes: paths become infinite in finite time; give boundary='absorbing' to follow them "
                "until then (their mass is lost)."
            )
        return choice
    require_possible(where, end.exponent, choice)
    if choice is None:
        raise InputError(f"Nothing was chosen for {where}.")
    exponent = _exact_exponent(structure, end)
    height = structure.height
    if choice == "reflecting" and structure.exponent is None and not is_even(structure.equation, height, exponent, end):
        raise InputError(
            f"Reflection at {where} is a mixed (Robin) condition for this drift and has no closed form here; "
            "boundary='absorbing' has one."
        )
    return choice


def require_possible(where: str, exponent: float, choice: str | None) -> None:
    """Refuse an end that is reached if there is no choice, or an impossible one."""
    single = exponent <= -0.5 + BOUNDARY.nearest
    if choice is None:
        both = "boundary='reflecting' or boundary='absorbing'"
        options = "boundary='absorbing', which is all that is possible there" if single else both
        raise InputError(f"Paths reach {where}, and the equation does not say what happens then; give {options}.")
    if choice == "reflecting" and single:
        raise InputError(
            f"Paths that reach {where} cannot be reflected, because the drift keeps them there; "
            "give boundary='absorbing'."
        )


def _between(structure: Structure, ends: tuple[End, End], choices: tuple[str | None, str | None]) -> Plan:
    """The kernel on an interval in h: images at both ends, for a constant potential."""
    equation = structure.equation
    if structure.dimension != 6 or structure.q2 != 0 or structure.q1 != 0 or structure.height.has(equation.time):
        raise InputError(
            f"The state space ({equation.low}, {equation.high}) has two ends at finite distance and the potential is "
            "not constant between them, so that the density has no closed form."
        )
    width = limit_at(equation, structure.height, ends[1])
    kinds = []
    for end, choice in zip(ends, choices, strict=True):
        shifted = structure.height if not end.upper else width - structure.height
        local = replace(structure, height=shifted, exponent=None)
        if _value(sympy.nsimplify(round(end.exponent), rational=True) - end.exponent, equation) > BOUNDARY.rounding:
            raise InputError(f"What happens at {equation.state} = {end.point} could not be determined.")
        kinds.append(_kind_at(local, replace(end, exponent=float(round(end.exponent))), choice))
    rows = tuple(_row(end, kind, end.reached) for end, kind in zip(ends, kinds, strict=True))
    signs = tuple(1 if kind == "reflecting" else -1 for kind in kinds)
    return Plan(structure, "interval", rows, HALF, width, (signs[0], signs[1]))


def _value(expression: Any, equation: ScalarEquation) -> float:
    return float(function_of((), sympy.sympify(expression), equation.draw)())
