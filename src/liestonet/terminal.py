"""A result for people at a terminal: one sentence first, then the evidence, in tables of at most 80 columns.

Pure functions from a Result to text and Rich renderables; the command line prints them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from jaxtyping import Float
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from liestonet.algebra.commutators import LEAST_PART, nonzero_brackets
from liestonet.algebra.structure import OPEN, Algebra
from liestonet.result import LadderRow, Result

KIND_NAMES = {
    "ito": "Itô symmetries",
    "law": "symmetries of the law",
    "fokker-planck": "Fokker–Planck symmetries (superposition not counted)",
}
STYLES = {
    "symmetry": "green",
    "near-symmetry": "yellow",
    "undecided": "yellow",
    "no": "dim",
    "proved": "green",
    "consistent": "yellow",
    "numerical": "yellow",
}
LONGEST_EQUATION = 60  # in a sentence
MOST_TEXT = 800
MOST_LINES = 20
MOST_RUNGS = 16
MOST_COMPONENTS = 4
ROUNDING = 1e-16
COMMUTATIVE = "They all vanish: the algebra is commutative."


def render(result: Result) -> Group:
    """Everything `solve` prints."""
    parts: list[RenderableType] = [Text(equation_verdict(result), style="bold"), ""]
    if len(text := str(result.surrogate)) > LONGEST_EQUATION:
        parts += [Text(f"Equation: {text if len(text) <= MOST_TEXT else text[:MOST_TEXT] + ' …'}"), ""]
    parts += [domain_line(result), ""]
    parts += [Text("Directions, by relative residual", style="bold"), ladder_table(result), ""]
    if result.fields.count:
        parts += [*generator_lines(result), "", *algebra_lines(result), ""]
    parts += list(flag_lines(result))
    while parts[-1] == "":
        parts.pop()
    return Group(*parts)


def equation_verdict(result: Result) -> str:
    """What was found, how many there can be and how well it holds, in one sentence."""
    what, who = KIND_NAMES[result.symmetry], _subject(result)
    taken, rest = _taken(result), _left_out(result)
    count, codes = len(taken), {flag.code for flag in result.flags}
    if math.isinf(result.dimension):
        return (
            f"{who} has an infinite-dimensional algebra of {what}: a function is constant along every path, and "
            "symmetries without time component may be multiplied by any function of it."
        )
    if "ambiguous" in codes:
        fitting = "1 direction fits" if count == 1 else f"{count} directions fit"
        return (
            f"How many {what} {_lower(who)} has is not certain: {fitting} the determining "
            f"equations to {_residual(taken)}, but the gap to the next is only a factor of {short(result.gap)}."
        )
    if not count:
        return f"{who} has no {what}: {_none_reason(result.bound, rest)}."
    found = "the one found satisfies" if count == 1 else f"the {count} found satisfy"
    found += f" the determining equations to {_residual(taken)}"
    reason = _reason(result.bound, count, rest, found, "bound-doubtful" in codes)
    article = "an" if str(count).startswith("8") or count in (11, 18) else "a"
    return f"{who} has {article} {count}-dimensional algebra of {what}: {reason}."


def short_verdict(result: Result) -> str:
    """The same in one line, with the box where we chose it: the answer holds there."""
    picked = [(("t", *result.names)[i], *result.domain.intervals[i]) for i in result.domain.picked]
    box = ", ".join(f"{name} from {number(low)} to {number(high)}" for name, low, high in picked)
    sentence = equation_verdict(result)
    return f"{sentence} Chosen for you: {box}." if box else sentence


def _reason(bound: int | None, count: int, rest: Sequence[LadderRow], found: str, doubtful: bool) -> str:
    missing = f" and the next direction misses them by {short(rest[0].residual)}" if rest else ""
    if bound is None:
        return f"{found}{missing}, but no upper bound for their number was found"
    if bound == count:
        return (
            f"no more are possible (power-series bound {bound}{', not beyond doubt' if doubtful else ''}), and {found}"
        )
    if bound > count:
        return f"{found}{missing}, though power series would allow up to {bound}"
    return f"{found}, but power series allow only {bound}, so do not rely on this number"


def _none_reason(bound: int | None, rest: Sequence[LadderRow]) -> str:
    missing = f"the nearest direction misses the determining equations by {short(rest[0].residual)}" if rest else ""
    if bound == 0:
        return f"none are possible (power-series bound 0){', and ' if missing else ''}{missing}"
    doubt = "no upper bound was found" if bound is None else f"power series would allow up to {bound}"
    return f"{missing}, though {doubt}" if missing else f"none were found, though {doubt}"


def _subject(result: Result) -> str:
    text = str(result.surrogate)
    return text if len(text) <= LONGEST_EQUATION else f"This {len(result.names)}-dimensional equation"


def _lower(subject: str) -> str:
    return subject.replace("This", "this", 1) if subject.startswith("This ") else subject


def _taken(result: Result) -> Sequence[LadderRow]:
    return result.ladder[: result.fields.count]


def _left_out(result: Result) -> Sequence[LadderRow]:
    return result.ladder[result.fields.count :]


def _residual(rows: Sequence[LadderRow]) -> str:
    worst = max((row.residual for row in rows), default=0.0)
    return "rounding error" if worst < 10 * ROUNDING else short(worst)


def domain_line(result: Result) -> Text:
    """The box, and who chose it."""
    names = ("t", *result.names)
    box = ", ".join(
        f"{name} from {number(low)} to {number(high)}"
        for name, (low, high) in zip(names, result.domain.intervals, strict=True)
    )
    filled = [names[i] for i in result.domain.picked]
    text = Text(f"Domain: {box}")
    if len(filled) == len(names):
        text.append(f'; chosen for you, for another: --domain "{names[-1]}=LOW:HIGH".', style="dim")
    elif filled:
        text.append(f"; {_listed(filled)} chosen for you.", style="dim")
    else:
        text.append(".")
    return text


def _listed(names: Sequence[str]) -> str:
    return f"{names[0]} was" if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]} were"


def ladder_table(result: Result) -> Padding:
    """Residual and verdict of every direction, with the gap between those taken and those left out."""
    table = _table("#", "residual", "verdict")
    taken, count = _taken(result), result.fields.count
    for position, row in _folded(list(enumerate(taken, start=1))):
        if row is None:
            table.add_row("…", f"{position} more", "symmetry", style="dim")
        else:
            table.add_row(str(position), short(row.residual), Text(row.verdict, style=STYLES[row.verdict]))
    if _left_out(result):
        if count:
            table.add_row("", "", f"gap: a factor of {short(result.gap).replace('> ', 'more than ')}", style="bold")
        for position, row in enumerate(_left_out(result), start=count + 1):
            table.add_row(str(position), short(row.residual), Text(row.verdict, style=STYLES[row.verdict]))
    return Padding(table, (0, 0, 0, 2))


def _folded(rows: list[tuple[int, LadderRow]]) -> Iterator[tuple[int, LadderRow | None]]:
    """All rows, or of very many the first and the last, with the number of those between."""
    if len(rows) <= MOST_RUNGS:
        yield from rows
        return
    yield from rows[:3]
    yield len(rows) - 6, None
    yield from rows[-3:]


def generator_lines(result: Result) -> Iterator[RenderableType]:
    """Every generator in closed form with its status; first terms around the middle where there is no formula."""
    from liestonet.algebra.notation import field_text

    yield Text("Generators", style="bold")
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column()
    table.add_column(no_wrap=True)
    formulas = result.formulas()[:MOST_LINES]
    expansions = first_terms(result) if any(row.status == "numerical" for row in formulas) else []
    for position, row in enumerate(formulas):
        numerical = row.status == "numerical"
        text = expansions[position] if numerical else field_text(row, result.names)
        table.add_row(f"X{position + 1}", text, Text(row.status, style=STYLES[row.status]))
    if result.fields.count > MOST_LINES:
        table.add_row("…", f"{result.fields.count - MOST_LINES} more, see --json", "")
    yield Padding(table, (0, 0, 0, 2))
    if expansions:
        names = ("t", *result.names)
        middle = ", ".join(f"{name} = {number(value)}" for name, value in zip(names, result.domain.centre, strict=True))
        where = middle if len(names) <= 4 else "the middle of the domain"
        yield _indented(f"No closed form was found for the numerical ones; shown are first terms around {where}.")


def first_terms(result: Result) -> list[str]:
    """Each generator as `(a + b x + …) ∂x + …`: first-order Taylor terms, and `…` where there is more to come."""
    domain, fields = result.domain, result.fields
    variables = range(domain.dimension + 1)
    jets = fields.components(domain.centre[None], [(), *((v,) for v in variables)])
    constant = jets[()][:, 0]
    slopes = np.stack([jets[(v,)][:, 0] for v in variables], axis=-1) * domain.half
    cube = np.random.default_rng(0).uniform(-1, 1, (64, len(variables)))
    values = fields.components(domain.centre + domain.half * cube, [()])[()]
    beyond = np.abs(values - constant[:, None] - np.einsum("mcv,bv->mbc", slopes, cube)).max(axis=1)
    scales = fields.basis.scales
    sizes = (np.abs(values).max(axis=1) / scales).max(axis=1)
    least = max(LEAST_PART, 10 * max((row.residual for row in _taken(result)), default=0.0))
    symbols = ["∂t", *(f"∂{name}" for name in result.names), *(["u∂u"] if fields.has_beta else [])]
    return [
        _field_text(
            (symbol, _linear_terms(result, constant[m, c], slopes[m, c], beyond[m, c], least * sizes[m] * scales[c]))
            for c, symbol in enumerate(symbols)
        )
        for m in range(fields.count)
    ]


def _linear_terms(
    result: Result, constant: float, slopes: Float[np.ndarray, " v"], beyond: float, least: float
) -> list[str]:
    """Constant and slopes (per half-width) as text, without what is smaller than `least`, and … for what follows."""
    domain = result.domain
    terms = [number(constant)] if abs(constant) > least else []
    for name, slope, middle, half in zip(("t", *result.names), slopes, domain.centre, domain.half, strict=True):
        if abs(slope) > least:
            variable = name if middle == 0 else f"({name} {'-' if middle > 0 else '+'} {number(abs(middle))})"
            terms.append(_term(slope / half, variable))
    if beyond > least:
        terms.append("…")
    return terms


def _field_text(components: Iterable[tuple[str, list[str]]]) -> str:
    present = [(symbol, terms) for symbol, terms in components if terms]
    shown = [_component_text(symbol, terms) for symbol, terms in present[:MOST_COMPONENTS]]
    if len(present) > MOST_COMPONENTS:
        shown.append(f"… ({len(present) - MOST_COMPONENTS} more components)")
    return _sum(shown)


def _component_text(symbol: str, terms: list[str]) -> str:
    if terms in (["1"], ["-1"]):
        return f"{terms[0].removesuffix('1')}{symbol}"
    return f"({_sum(terms)}) {symbol}" if len(terms) > 1 or terms == ["…"] else f"{terms[0]} {symbol}"


def algebra_lines(result: Result) -> Iterator[RenderableType]:
    """Brackets that do not vanish, and how well the span is closed under them."""
    algebra, count = result.algebra, result.fields.count
    if math.isfinite(result.dimension) and algebra.closure <= OPEN:
        named = algebra.named
        others = "" if named.resolved else f" Not resolved; also possible: {', '.join(named.alternatives)}."
        yield Text.assemble((f"Algebra: {named.text}", "bold"), f". {named.explanation}{others}")
        yield ""
    yield Text("Brackets", style="bold")
    if algebra.closure > OPEN:
        where = "as those of an infinite algebra may" if math.isinf(result.dimension) else "so do not rely on it"
        yield _indented(f"They leave the span of these generators (closure {short(algebra.closure)}), {where}.")
        return
    lines = _parametric_lines(result) or bracket_lines(algebra)
    for line in lines[:MOST_LINES]:
        yield _indented(line)
    if len(lines) > MOST_LINES:
        yield _indented(f"… {len(lines) - MOST_LINES} more, see --json")
    elif len(lines) < count * (count - 1) // 2:
        commutative = "Those of the generators listed vanish." if math.isinf(result.dimension) else COMMUTATIVE
        yield _indented("All others vanish." if lines else commutative)
    elif not lines:
        yield _indented("There is one generator, so there are none.")
    if count > 1:
        residuals = f"Closure residual {short(algebra.closure)}, Jacobi residual {short(algebra.jacobi)}."
        yield _indented(residuals)


def bracket_lines(algebra: Algebra) -> list[str]:
    """`[X1, X2] = 2 X1` for every pair whose bracket is not zero within the error of the constants."""
    return [
        f"[X{i + 1}, X{j + 1}] = {_sum([_term(c, f'X{k + 1}') for k, c in terms])}"
        for (i, j), terms in nonzero_brackets(algebra).items()
    ]


def _parametric_lines(result: Result) -> list[str]:
    """The same with parameters that have no value, where their brackets were proved."""
    from liestonet.algebra.notation import expression_text

    lines = []
    for (i, j), value in (result.parametric_brackets or {}).items():
        terms = []
        for k in range(result.fields.count):
            factor = value.coeff(f"X{k + 1}")
            shown = f"({expression_text(factor)})" if factor.is_Add else expression_text(factor)
            if factor != 0:
                terms.append(f"{shown.removesuffix('1')}X{k + 1}" if shown in ("1", "-1") else f"{shown} X{k + 1}")
        lines.append(f"[X{i + 1}, X{j + 1}] = {_sum(terms)}")
    return lines


def flag_lines(result: Result) -> Iterator[RenderableType]:
    """What the reader should know, each with what to do; a chosen domain is already told above."""
    flags = [flag for flag in result.flags if flag.code != "domain-chosen"]
    if flags:
        yield Text("Notes", style="bold")
    for flag in flags:
        text = Text(f"{flag.code}: ", style="yellow")
        text.append(f"{flag.message} {flag.action}", style="default")
        yield _indented(text)


def _table(*headings: str) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    for heading in headings:
        table.add_column(heading, no_wrap=True, justify="right" if heading == "#" else "left")
    return table


def _indented(text: str | Text) -> Padding:
    return Padding(Text(text) if isinstance(text, str) else text, (0, 0, 0, 2))


def number(value: float | int) -> str:
    """Up to four digits, without a computer's exponents: 2, 0.5, -1.732, 3e-12."""
    text = f"{float(value):.4g}"
    if "e" in text:
        mantissa, exponent = text.split("e")
        text = f"{mantissa}e{int(exponent)}"
    return "0" if text == "-0" else text


def short(value: float) -> str:
    """A size that matters by its order: 2e-9, 0.52, < 1e-16, > 1e15."""
    if value < ROUNDING:
        return "< 1e-16"
    if value > 1e15:
        return "> 1e15"
    return number(float(f"{value:.1e}")) if 1e-3 <= value < 1e3 else number(float(f"{value:.0e}"))


def _term(coefficient: float, factor: str) -> str:
    text = number(coefficient)
    return f"{text.removesuffix('1')}{factor}" if text in ("1", "-1") else f"{text} {factor}"


def _sum(terms: Sequence[str]) -> str:
    return " + ".join(terms).replace("+ -", "- ")
