"""What is said of an equation: the verdict, the residuals of all directions, and what bounds their number."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from liestonet.core.ladder import LadderRow
from liestonet.render.kinds import KINDS
from liestonet.render.limits import LONGEST_EQUATION, LONGEST_EQUATION_LINE, ROUNDING
from liestonet.render.numbers import number, short
from liestonet.render.view_parts import Direction, LadderView, Row, SourceView
from liestonet.result import Result
from liestonet.result.findings import EquationFindings


def equation_view(result: Result, found: EquationFindings) -> SourceView:
    """Everything that is said of an equation only."""
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
        coefficients=f"As given.{f' Drawn at {draw}.' if draw else ''}",
        bands="",
        closure=short(result.algebra.closure),
        jacobi=short(result.algebra.jacobi),
        vanish="vanish",
    )


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_EQUATION_LINE else f"{text[:LONGEST_EQUATION_LINE]} …"


def equation_verdict(result: Result, found: EquationFindings) -> str:
    """What was found, how many there can be and how well it holds, in one sentence."""
    what, who = KINDS[result.symmetry].several, _subject(result, found)
    if result.symmetry == "fokker-planck":
        what += " (superposition not counted)"
    count, codes = result.fields.count, {flag.code for flag in result.flags}
    taken, rest = result.ladder[:count], result.ladder[count:]
    if math.isinf(result.dimension):
        return (
            f"{who} has an infinite-dimensional algebra of {what}: a function is constant along every path, and "
            "symmetries without time component may be multiplied by any function of it."
        )
    if "ambiguous" in codes:
        fitting = "1 direction fits" if count == 1 else f"{count} directions fit"
        who = who.replace("This ", "this ", 1) if who.startswith("This ") else who
        return (
            f"How many {what} {who} has is not certain: {fitting} the determining "
            f"equations to {_residual(taken)}, but the gap to the next is only a factor of {short(found.gap)}."
        )
    if not count:
        return f"{who} has no {what}: {_none_reason(found.bound, rest)}."
    fitting = "the one found satisfies" if count == 1 else f"the {count} found satisfy"
    fitting += f" the determining equations to {_residual(taken)}"
    reason = _reason(found.bound, count, rest, fitting, "bound-doubtful" in codes)
    article = "an" if str(count).startswith("8") or count in (11, 18) else "a"
    return f"{who} has {article} {count}-dimensional algebra of {what}: {reason}."


def short_equation_verdict(result: Result, found: EquationFindings) -> str:
    """The verdict in one line, with the box where we chose it: the answer holds there."""
    picked = [(("t", *result.names)[i], *result.domain.intervals[i]) for i in result.domain.picked]
    box = ", ".join(f"{name} from {number(low)} to {number(high)}" for name, low, high in picked)
    sentence = equation_verdict(result, found)
    return f"{sentence} Chosen for you: {box}." if box else sentence


def _reason(bound: int | None, count: int, rest: Sequence[LadderRow], fitting: str, doubtful: bool) -> str:
    missing = f" and the next direction misses them by {short(rest[0].residual)}" if rest else ""
    if bound is None:
        return f"{fitting}{missing}, but no upper bound for their number was found"
    if bound == count:
        doubt = ", not beyond doubt" if doubtful else ""
        return f"no more are possible (power-series bound {bound}{doubt}), and {fitting}"
    if bound > count:
        return f"{fitting}{missing}, though power series would allow up to {bound}"
    return f"{fitting}, but power series allow only {bound}, so do not rely on this number"


def _none_reason(bound: int | None, rest: Sequence[LadderRow]) -> str:
    missing = f"the nearest direction misses the determining equations by {short(rest[0].residual)}" if rest else ""
    if bound == 0:
        return f"none are possible (power-series bound 0){', and ' if missing else ''}{missing}"
    doubt = "no upper bound was found" if bound is None else f"power series would allow up to {bound}"
    return f"{missing}, though {doubt}" if missing else f"none were found, though {doubt}"


def _subject(result: Result, found: EquationFindings) -> str:
    text = str(found.equation)
    return text if len(text) <= LONGEST_EQUATION else f"This {len(result.names)}-dimensional equation"


def _residual(rows: Sequence[LadderRow]) -> str:
    worst = max((row.residual for row in rows), default=0.0)
    return "rounding error" if worst < 10 * ROUNDING else short(worst)


def _ladder(result: Result, found: EquationFindings) -> LadderView:
    """Residual and verdict of every direction, with the gap between those taken and those left out."""
    taken = result.fields.count
    bound = "" if found.bound is None else f" Power series at a generic point allow at most {found.bound}."
    factor = short(found.gap).replace("> ", "more than ")
    return LadderView(
        heading="Directions, by relative residual",
        explanation="A residual says how far a direction is from solving the determining equations, relative to its "
        f"own size; for a symmetry it is a rounding error.{bound}",
        caption="",
        columns=("residual",),
        rows=tuple(Direction(k, row.verdict, short(row.residual)) for k, row in enumerate(result.ladder, start=1)),
        taken=taken,
        gap=f"gap: a factor of {factor}" if taken and len(result.ladder) > taken else "",
    )


def _facts(found: EquationFindings) -> Iterator[Row]:
    if found.bound is not None:
        yield "Upper bound", str(found.bound)
