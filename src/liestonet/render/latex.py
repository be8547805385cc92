"""A result in LaTeX, ready to paste into a text that loads amsmath: equation, generators and commutators.

Remarks are in comments before the formulas.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from liestonet.algebra.commutators import commutator_table
from liestonet.formulas.notation import expression_latex, field_latex
from liestonet.render.combinations import combination_terms
from liestonet.render.limits import LARGEST_TABLE
from liestonet.render.numbers import number
from liestonet.render.view import ResultView
from liestonet.render.view_parts import AlgebraView, GeneratorsView

if TYPE_CHECKING:
    import sympy


def render_latex(view: ResultView) -> str:
    """The result in LaTeX."""
    lines = [*map(_comment, _remarks(view)), *_equation(view)]
    if view.generators is not None:
        lines += _generators(view.generators, view.names)
    if view.algebra is not None:
        lines += _commutators(view.algebra)
    return "\n".join(lines)


def _comment(text: str) -> str:
    return f"% {' '.join(text.split())}"


def _remarks(view: ResultView) -> Iterator[str]:
    """Remarks on the formulas that follow, as comments."""
    yield view.source.equation
    yield view.verdict
    if view.source.clock:
        yield view.source.clock
    yield f"Domain: {view.domain.text}{f'; {view.domain.chosen}' if view.domain.chosen else ''}."
    if view.algebra is not None and view.algebra.name:
        yield f"Algebra: {view.algebra.name}. {view.algebra.explanation}"
    yield from view.source.levels
    yield from (f"{flag.code}: {flag.message} {flag.action}" for flag in view.flags)
    yield from view.validation
    yield "needs \\usepackage{amsmath}"


def _equation(view: ResultView) -> Iterator[str]:
    """The equation, if it has formulas."""
    coefficients = view.symbolic
    if coefficients is None:
        return
    drift, diffusion = coefficients.drift, coefficients.diffusion
    lines = []
    for i, name in enumerate(coefficients.state):
        noises = [rf"\mathrm{{d}}W_{{{k + 1}}}" for k in range(diffusion.shape[1])]
        if len(noises) == 1:
            noises = [r"\mathrm{d}W"]
        terms = [(drift[i], r"\mathrm{d}t"), *zip(diffusion.row(i), noises, strict=True)]
        lines.append(rf"\mathrm{{d}}{expression_latex(name)} &= {_sum(terms)}")
    yield from _aligned(lines)


def _sum(terms: Iterable[tuple[Any, str]]) -> str:
    """A sum of coefficients times differentials."""
    text = ""
    for coefficient, symbol in terms:
        if coefficient == 0:
            continue
        negative = coefficient.could_extract_minus_sign()
        size = -coefficient if negative else coefficient
        shown = expression_latex(size)
        factor = "" if size == 1 else (rf"\left({shown}\right)\," if size.is_Add else rf"{shown}\,")
        sign = (" - " if negative else " + ") if text else ("-" if negative else "")
        text += f"{sign}{factor}{symbol}"
    return text or "0"


def _generators(generators: GeneratorsView, names: tuple[str, ...]) -> Iterator[str]:
    """Every generator; first terms of those without a closed form are in comments."""
    if generators.note:
        yield _comment(generators.note)
        yield from (_comment(f"{row.label} = {row.first_terms}") for row in generators.rows if row.formula is None)
    unknown = r"\text{(no closed form)}"
    yield from _aligned(
        [
            f"X_{{{k}}} &= {unknown if row.formula is None else field_latex(row.formula, names)}"
            for k, row in enumerate(generators.rows, start=1)
        ]
    )


def _commutators(algebra: AlgebraView) -> Iterator[str]:
    """A table of commutators, or a list if that is too wide."""
    count = algebra.generators
    yield from (_comment(sentence) for sentence in (algebra.rest, algebra.residuals) if sentence)
    if not algebra.commutators:
        return
    if count > LARGEST_TABLE:
        found = algebra.commutators.items()
        yield from _aligned([f"[X_{{{i + 1}}}, X_{{{j + 1}}}] &= {_combination(value)}" for (i, j), value in found])
        return
    table = commutator_table(algebra.commutators, count)
    names = [f"X_{{{k + 1}}}" for k in range(count)]
    yield r"\["
    yield rf"\begin{{array}}{{c|{'c' * count}}}"
    yield rf"[\,\cdot\,,\,\cdot\,] & {' & '.join(names)} \\ \hline"
    for name, row in zip(names, table, strict=True):
        yield rf"{name} & {' & '.join(map(_combination, row))} \\"
    yield r"\end{array}"
    yield r"\]"


def _combination(value: sympy.Expr) -> str:
    """A sum of generators with their factors."""
    text = ""
    for factor, name in combination_terms(value):
        negative = factor.could_extract_minus_sign()
        size = -factor if negative else factor
        shown = number(float(size)) if size.is_Float else expression_latex(size)
        front = "" if size == 1 else (rf"\left({shown}\right) " if size.is_Add else f"{shown} ")
        sign = (" - " if negative else " + ") if text else ("-" if negative else "")
        text += f"{sign}{front}X_{{{name.removeprefix('X')}}}"
    return text or "0"


def _aligned(lines: list[str]) -> Iterator[str]:
    yield r"\begin{align*}"
    yield " \\\\\n".join(lines)
    yield r"\end{align*}"
