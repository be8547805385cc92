"""The parts of a view specific to equations: verdict, residuals of all directions, upper bound."""

from __future__ import annotations

from collections.abc import Iterator

from liestonet.render.limits import LONGEST_EQUATION, LONGEST_EQUATION_LINE
from liestonet.render.numbers import short
from liestonet.render.verdict import equation_verdict, short_equation_verdict
from liestonet.render.view_parts import Direction, LadderView, Row, SourceView
from liestonet.result import Result
from liestonet.result.findings import EquationFindings


def equation_view(result: Result, found: EquationFindings) -> SourceView:
    """The parts of a view specific to an equation."""
    text = str(found.equation)
    draw = ", ".join(f"{name} = {value}" for name, value in result.draw.items())
    return SourceView(
        origin="from an equation",
        verdict=equation_verdict(result, found),
        short_verdict=short_equation_verdict(result, found),
        equation=text,
        equation_line="" if len(text) <= LONGEST_EQUATION else _cut(text),
        ladder=_ladder(result, found),
        levels=(),
        facts=tuple(_facts(found)),
        coefficients=f"As given.{f' Plotted at {draw}.' if draw else ''}",
        bands="",
        closure=short(result.algebra.closure),
        jacobi=short(result.algebra.jacobi),
        vanish="vanish",
    )


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_EQUATION_LINE else f"{text[:LONGEST_EQUATION_LINE]} …"


def _bounding(result: Result) -> str:
    """The source of the upper bound, for a sentence."""
    series = "Power series at a generic point"
    return f"{series}, continued over a period," if result.domain.periodic else series


def _ladder(result: Result, found: EquationFindings) -> LadderView:
    """Residual and verdict of every direction, with the gap between symmetries and the others."""
    taken = result.fields.count
    bound = "" if found.bound is None else f" {_bounding(result)} bound the dimension by {found.bound}."
    factor = short(found.gap).replace("> ", "more than ")
    return LadderView(
        heading="Candidate directions",
        legend="The residual says how far a direction is from solving the determining equations; 0 is a symmetry.",
        explanation="A direction is a vector field X. It is a symmetry if it solves the determining equations, linear "
        "equations written DX = 0 for short. The relative residual ‖DX‖/‖X‖ is by how much it fails to; for a symmetry "
        f"it is rounding error.{bound}",
        caption="",
        columns=("residual",),
        rows=tuple(Direction(k, row.verdict, short(row.residual)) for k, row in enumerate(result.ladder, start=1)),
        taken=taken,
        gap=f"gap: a factor of {factor}" if taken and len(result.ladder) > taken else "",
    )


def _facts(found: EquationFindings) -> Iterator[Row]:
    if found.bound is not None:
        yield "Upper bound", str(found.bound)
