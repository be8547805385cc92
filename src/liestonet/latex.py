"""A result in LaTeX, ready to paste into a text that loads amsmath: equation, generators and commutators."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

from liestonet.algebra.commutators import commutator_table
from liestonet.algebra.notation import expression_latex, field_latex
from liestonet.result import Result

LARGEST_TABLE = 8  # generators; with more, the brackets that do not vanish are listed
LARGEST_CLOSURE = 1e-2
KINDS = {"ito": "Itô symmetries", "law": "symmetries of the law", "fokker-planck": "Fokker–Planck symmetries"}


def render_latex(result: Result) -> str:
    """The whole text."""
    return "\n".join([*_comments(result), *_equation(result), *_generators(result), *_brackets(result)])


def _comments(result: Result) -> Iterator[str]:
    """What the formulas below are, for whoever reads the source."""
    yield f"% {result.surrogate}"
    finite = math.isfinite(result.dimension)
    size = f"dimension {result.dimension}" if finite else "of infinite dimension; fields it is built on"
    yield f"% {KINDS[result.symmetry]}, {size}"
    if finite and result.fields.count and result.algebra.closure <= LARGEST_CLOSURE:
        yield f"% algebra: {result.algebra.name}"
    yield "% needs \\usepackage{amsmath}"


def _equation(result: Result) -> Iterator[str]:
    """The equation itself, where it has formulas."""
    coefficients = getattr(result.surrogate, "symbolic", None)
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
    """Coefficients in front of their differentials."""
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


def _generators(result: Result) -> Iterator[str]:
    lines = []
    for position, row in enumerate(result.formulas(), start=1):
        known = row.status != "numerical"
        formula = field_latex(row, result.names) if known else r"\text{(no closed form found)}"
        lines.append(f"X_{{{position}}} &= {formula}")
    if lines:
        yield from _aligned(lines)


def _brackets(result: Result) -> Iterator[str]:
    """A table of commutators, or a list where it would be too wide."""
    algebra, count = result.algebra, result.fields.count
    if count < 2 or algebra.closure > LARGEST_CLOSURE:
        return
    if count > LARGEST_TABLE:
        found = result.brackets()
        lines = [f"[X_{{{i + 1}}}, X_{{{j + 1}}}] &= {expression_latex(value)}" for (i, j), value in found.items()]
        yield from _aligned(lines) if lines else ("% all commutators vanish",)
        return
    table = commutator_table(result.brackets(), count)
    names = [f"X_{{{k + 1}}}" for k in range(count)]
    yield r"\["
    yield rf"\begin{{array}}{{c|{'c' * count}}}"
    yield rf"[\,\cdot\,,\,\cdot\,] & {' & '.join(names)} \\ \hline"
    for name, row in zip(names, table, strict=True):
        yield rf"{name} & {' & '.join(expression_latex(value) for value in row)} \\"
    yield r"\end{array}"
    yield r"\]"


def _aligned(lines: list[str]) -> Iterator[str]:
    yield r"\begin{align*}"
    yield " \\\\\n".join(lines)
    yield r"\end{align*}"
