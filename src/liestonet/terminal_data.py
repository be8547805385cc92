"""A result from data for people at a terminal: what the data say in one sentence, then how well they say it.

Pure functions from a Result to text and Rich renderables, at most 80 columns wide; the command line prints them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any

import numpy as np
from jaxtyping import Float
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from liestonet.algebra.commutators import standing_out
from liestonet.algebra.structure import OPEN_FROM_DATA
from liestonet.result import Result
from liestonet.symmetry.ladder import LadderRow
from liestonet.terminal import MOST_LINES, STYLES, domain_line, first_terms, flag_lines, generator_lines, number

KINDS = {"ito": "Itô symmetr", "law": "law symmetr", "fokker-planck": "Fokker–Planck symmetr"}
WIDEST_RESIDUAL = 9.995  # above, a percentage says less than a factor


def render_discovery(result: Result) -> Group:
    """Everything `discover` prints."""
    parts: list[RenderableType] = [Text(data_verdict(result), style="bold"), ""]
    parts += [Text("Directions, by residual relative to the field", style="bold"), data_ladder(result), ""]
    if result.fields.count:
        parts += [*_generators(result), "", *_algebra(result), ""]
    parts += [*_levels(result), ""]
    if result.flags:
        parts += [*flag_lines(result), ""]
    parts += [Text("Data", style="bold"), _data(result)]
    return Group(*parts)


def data_verdict(result: Result) -> str:
    """How many symmetries, how sure the data are, and what else is near, in one sentence."""
    taken = _with_verdict(result, "symmetry")
    if result.dimension == len(taken):
        head = _found(result, taken) if taken else _none(result)
    else:
        head = (
            f"{_counted(result, int(result.dimension))}, as asked for, where the data alone support {len(taken)} "
            f"({_confidence(result)})"
        )
    return f"{'; '.join([head, *_others(result)])}."


def _found(result: Result, taken: Sequence[LadderRow]) -> str:
    upper, p_value = max(row.upper for row in taken), min(row.p_value for row in taken)
    exact = "it may be exact" if len(taken) == 1 else "all may be exact"
    within = f"to within {percent(upper)} ({_confidence(result)})"
    return f"{_counted(result, len(taken))} {within}, {exact} (p = {p_text(p_value)})"


def _none(result: Result) -> str:
    kind = f"{KINDS[result.symmetry]}y"
    nearest = min(result.ladder, key=lambda row: row.upper, default=None)
    if nearest is None or nearest.verdict != "no":
        return f"No {kind} can be confirmed ({_confidence(result)})"
    missed = f"the nearest direction misses by {percent(nearest.lower)} to {percent(nearest.upper)}"
    return f"No {kind} ({_confidence(result)}): {missed}"


def _others(result: Result) -> Iterator[str]:
    near, undecided = _with_verdict(result, "near-symmetry"), _with_verdict(result, "undecided")
    if near:
        ending = "y" if len(near) == 1 else "ies"
        yield f"{len(near)} near-symmetr{ending} to within {percent(max(row.upper for row in near))}"
    if undecided:
        span = f"{percent(min(row.lower for row in undecided))} to {percent(max(row.upper for row in undecided))}"
        yield f"{len(undecided)} direction{'' if len(undecided) == 1 else 's'} undecided (residual {span})"


def _counted(result: Result, count: int) -> str:
    return f"{count} {KINDS[result.symmetry]}{'y' if count == 1 else 'ies'}"


def _with_verdict(result: Result, verdict: str) -> list[LadderRow]:
    return [row for row in result.ladder if row.verdict == verdict]


def _confidence(result: Result) -> str:
    return f"{number(100 * (1 - result.standards.error_rate))} %"


def data_ladder(result: Result) -> Padding:
    """Residual, interval, noise, p-value and verdict of every direction; of very many alike the first and the last."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    for heading in ("#", "residual", f"{_confidence(result)} interval", "noise", "p", "verdict"):
        table.add_column(heading, no_wrap=True, justify="left" if heading == "verdict" else "right")
    rows = list(enumerate(result.ladder, start=1))
    alike = sum(1 for _ in takewhile(lambda row: row.verdict == result.ladder[0].verdict, result.ladder))
    hidden = range(4, alike - 2) if len(rows) > MOST_LINES else range(0)
    for position, row in rows:
        if position in hidden:
            if position == hidden[0]:
                table.add_row("…", f"{len(hidden)} more", "", "", "", row.verdict, style="dim")
            continue
        interval = f"{percent(row.lower)} – {percent(row.upper)}"
        verdict = Text(row.verdict, style=STYLES[row.verdict])
        table.add_row(str(position), percent(row.residual), interval, percent(row.noise), p_text(row.p_value), verdict)
    return Padding(table, (0, 0, 0, 2))


def _generators(result: Result) -> Iterator[RenderableType]:
    """Formulas where they were looked for, else first terms around the middle."""
    if result.formulas():
        yield from generator_lines(result)
        return
    yield Text("Generators, first terms around the middle of the domain", style="bold")
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    for position, text in enumerate(first_terms(result)[:MOST_LINES], start=1):
        table.add_row(f"X{position}", text)
    if result.fields.count > MOST_LINES:
        table.add_row("…", f"{result.fields.count - MOST_LINES} more, see --json")
    yield Padding(table, (0, 0, 0, 2))


def _algebra(result: Result) -> Iterator[RenderableType]:
    """The algebra's name, and commutators with what stands out of the noise."""
    algebra, count = result.algebra, result.fields.count
    if not algebra.closure <= OPEN_FROM_DATA:
        yield Text("Commutators", style="bold")
        yield _indented(
            f"They leave the span of these generators by {percent(algebra.closure)}: there is no algebra to name."
        )
        return
    named = algebra.named
    others = "" if named.resolved else f" Not resolved; also possible: {', '.join(named.alternatives)}."
    yield Text.assemble((f"Algebra: {named.text}", "bold"), f". {named.explanation}{others}")
    if count < 2:
        return
    yield from ("", Text("Commutators", style="bold"))
    lines = commutator_lines(standing_out(algebra))
    for line in lines[:MOST_LINES]:
        yield _indented(line)
    if len(lines) > MOST_LINES:
        yield _indented(f"… {len(lines) - MOST_LINES} more, see --json")
    elif len(lines) < count * (count - 1) // 2:
        yield _indented("All others vanish." if lines else "They all vanish: the algebra is commutative.")
    yield _indented(f"They leave the span by {percent(algebra.closure)}.")


def commutator_lines(constants: Float[np.ndarray, "m m m"]) -> list[str]:
    """`[X1, X2] = 2.01 X1` for every pair whose commutator is not zero."""
    lines = []
    for i in range(len(constants)):
        for j in range(i + 1, len(constants)):
            kept = [(k, c) for k, c in enumerate(constants[i, j].tolist()) if c]
            if kept:
                terms = " + ".join(f"{c:.3g} X{k + 1}" for k, c in kept).replace("+ -", "- ")
                lines.append(f"[X{i + 1}, X{j + 1}] = {terms}")
    return lines


def _levels(result: Result) -> Iterator[RenderableType]:
    """At law level, where the choice of σ does not matter; and what the likelihood says to the symmetries."""
    if result.symmetry == "ito":
        several = result.surrogate.noise > 1
        why = "whichever σ is chosen" if several else "there is one noise, so the choice of σ does not matter"
        yield Text(f"Symmetries of the law: {result.law_dimension} ({why}).")
        if several:
            yield Text(f"Gauge: σ is lower triangular, coordinates in the order {', '.join(result.names)}.")
    if result.refit is not None:
        refit: Any = result.refit
        yield Text(
            f"Likelihood ratio of imposing the symmetries: deviance {number(refit.deviance)} on "
            f"{refit.degrees_of_freedom:.1f} degrees of freedom, p = {p_text(refit.p_value)}."
        )
        if np.isfinite(refit.held_out):
            yield Text(
                f"Paths held out gain {refit.held_out:.1f} ± {refit.held_out_error:.1f} in log-likelihood by them."
            )


def _data(result: Result) -> Padding:
    """The summary of the data, and the box of them that was used."""
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    for line in str(result.data).split("\n"):
        label, _, text = line.partition("  ")
        table.add_row(label, text.strip())
    table.add_row("domain", domain_line(result).plain.partition(";")[0].removeprefix("Domain: "))
    return Padding(table, (0, 0, 0, 2))


def percent(value: float) -> str:
    """A relative residual: 0.02 %, 1.3 %, 48 %, 12-fold."""
    if not value <= WIDEST_RESIDUAL:
        return f"{number(float(f'{value:.1e}'))}-fold"
    if value < 5e-5:
        return "0 %" if value == 0 else "< 0.01 %"
    return f"{number(float(f'{100 * value:.1e}'))} %"


def p_text(value: float) -> str:
    """A p-value: 0.21, < 0.001."""
    return "< 0.001" if value < 1e-3 else f"{value:.2g}"


def _indented(text: str) -> Padding:
    return Padding(Text(text), (0, 0, 0, 2))
