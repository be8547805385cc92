"""The contents of every display of a result: terminal, LaTeX, notebook and page only decide the layout.

Texts are plain values here; formulas stay SymPy objects, so that each renderer typesets them in its own way.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from liestonet.core.flags import Flag
from liestonet.render.data_view import data_view
from liestonet.render.equation_view import equation_view
from liestonet.render.first_terms import first_terms
from liestonet.render.kinds import KINDS, STATUSES
from liestonet.render.limits import MOST_VALUES_NAMED
from liestonet.render.meaning import Meaning, meaning_of
from liestonet.render.next_step import NextStep, next_step
from liestonet.render.numbers import number
from liestonet.render.view_parts import AlgebraView, DomainView, GeneratorsView, GeneratorView, Row, SourceView
from liestonet.result import Result
from liestonet.result.findings import EquationFindings

if TYPE_CHECKING:
    from liestonet.sde.symbolic import SymbolicCoefficients

# Flags that repeat the line about the domain.
SAID_ELSEWHERE = "domain-chosen"


@dataclass(frozen=True)
class ResultView:
    """The contents of all displays of one result.

    `source` has the parts that differ between equations and data: the verdict, the ladder, the data. `generators`
    and `algebra` are None if there are no generators; `meaning` are sentences on what they mean. `symbolic` are the
    formulas of an equation, if it has any. `making` are the method and the settings, `command` reproduces the
    result, and `next_step` is the suggested next command.
    """

    kind: str
    names: tuple[str, ...]
    dimension: int
    source: SourceView
    symbolic: SymbolicCoefficients | None
    domain: DomainView
    facts: tuple[Row, ...]
    generators: GeneratorsView | None
    meaning: Meaning
    algebra: AlgebraView | None
    flags: tuple[Flag, ...]
    validation: tuple[str, ...]
    discrete: tuple[str, ...]
    making: tuple[Row, ...]
    command: str
    next_step: NextStep | None

    @classmethod
    def of(cls, result: Result) -> ResultView:
        """The view of a result; only here results from equations and from data are distinguished."""
        found = result.findings
        exact = isinstance(found, EquationFindings)
        source = equation_view(result, found) if exact else data_view(result, found)
        domain = _domain(result) if exact else DomainView(_box(result))
        algebra = _algebra(result, source) if result.fields.count else None
        return cls(
            kind=KINDS[result.symmetry].several,
            names=result.names,
            dimension=result.surrogate.dimension,
            source=source,
            symbolic=found.equation.symbolic if exact else None,
            domain=domain,
            facts=tuple(_facts(result, source)),
            generators=_generators(result, source) if result.fields.count else None,
            meaning=meaning_of(result),
            algebra=algebra,
            flags=tuple(flag for flag in result.flags if flag.code != SAID_ELSEWHERE),
            validation=() if found.validation is None else tuple(found.validation.sentences()),
            discrete=() if found.discrete is None else tuple(found.discrete.sentences()),
            making=tuple(_making(result, source, domain)),
            command="" if result.provenance is None else result.provenance.command,
            next_step=next_step(result),
        )

    @property
    def verdict(self) -> str:
        """The number of symmetries and its certainty, in one sentence."""
        return self.source.verdict


def _box(result: Result) -> str:
    pairs = zip(("t", *result.names), result.domain.intervals, strict=True)
    marks = [" (periodic)" if v in result.domain.periodic else "" for v in range(len(result.domain.intervals))]
    return ", ".join(
        f"{name} from {number(low)} to {number(high)}{mark}"
        for (name, (low, high)), mark in zip(pairs, marks, strict=True)
    )


def _domain(result: Result) -> DomainView:
    """The box, and which part of it was chosen automatically."""
    names = ("t", *result.names)
    filled = [names[i] for i in result.domain.picked]
    if len(filled) == len(names):
        return DomainView(_box(result), "chosen automatically", f"{names[-1]}=LOW:HIGH")
    if not filled:
        return DomainView(_box(result))
    listed = filled[0] if len(filled) == 1 else f"{', '.join(filled[:-1])} and {filled[-1]}"
    return DomainView(_box(result), f"{listed} {'was' if len(filled) == 1 else 'were'} chosen automatically")


def _facts(result: Result, source: SourceView) -> Iterator[Row]:
    """The key numbers of a result."""
    undecided = sum(row.verdict == "undecided" for row in result.ladder)
    certain = "∞" if math.isinf(result.dimension) else str(result.dimension)
    yield "Independent symmetries", f"{certain} found, {undecided} undecided" if undecided else certain
    name = _algebra_name(result)
    if name and not (undecided and not result.dimension):
        estimate = result.algebra.named.estimate
        yield "Algebra", f"{name} (estimated {estimate})" if estimate else name
    yield from source.facts
    yield "Coordinates", str(result.surrogate.dimension)


def _generators(result: Result, source: SourceView) -> GeneratorsView:
    """Every generator in closed form with its status, or its first terms if it has no formula."""
    formulas = result.closed_forms
    known = [row.status != "numerical" for row in formulas] or [False] * result.fields.count
    error = max((row.residual for row in result.ladder[: result.fields.count]), default=0.0)
    terms = [] if all(known) else first_terms(result.fields, result.domain, result.names, error)
    rows = tuple(
        GeneratorView(
            label=f"X{i + 1}",
            formula=formulas[i] if known[i] else None,
            first_terms="" if known[i] else terms[i],
            status=formulas[i].status if formulas else "numerical",
            error=formulas[i].error if formulas else error,
        )
        for i in range(result.fields.count)
    )
    meaning = [KINDS[result.symmetry].meaning, _components(result)]
    if math.isinf(result.dimension):
        meaning.append("The algebra is infinite-dimensional; every symmetry is built from these fields.")
    present = {row.status for row in rows}
    return GeneratorsView(
        heading="Generators (a basis of the symmetries)" if len(rows) > 1 else "Generator",
        meaning=" ".join([*meaning, *([source.bands] if source.bands else [])]),
        rows=rows,
        note=" ".join(filter(None, (_expanded(result, all(known), bool(formulas)), source.constants))),
        statuses=tuple((status, text) for status, text in STATUSES.items() if status in present),
    )


def _components(result: Result) -> str:
    """A sentence that explains the components of a generator."""
    one = result.surrogate.dimension == 1
    if result.noises:
        shown = f"φ ∂{result.names[0]}" if one else "φ₁ ∂₁ + φ₂ ∂₂ + …"
        moved = result.names[0] if one else "the coordinates"
        wiener = ", ".join(result.noises)
        depends = f"φ(t, {', '.join(result.names)})"
        return f"A generator {shown} moves {moved} at the rate {depends}, where {wiener} is the Wiener process."
    state = f"ξ ∂{result.names[0]}" if one else "ξ₁ ∂₁ + ξ₂ ∂₂ + …"
    moved = result.names[0] if one else "the coordinates"
    density = "; β is the relative rate at which the density changes" if result.fields.has_beta else ""
    return f"A generator τ ∂t + {state} moves the time t at the rate τ and {moved} at the rate ξ{density}."


def _expanded(result: Result, known: bool, sought: bool) -> str:
    """A sentence on the point of expansion of first terms, and on why they are shown; empty if there are none."""
    if known:
        return ""
    why = "No closed form was found for the numerical ones" if sought else "Closed forms were not searched for"
    names = ("t", *result.names)
    middle = ", ".join(f"{name} = {number(value)}" for name, value in zip(names, result.domain.centre, strict=True))
    where = middle if len(names) <= MOST_VALUES_NAMED else "the middle of the domain"
    return f"{why}; these are the first Taylor terms around {where}."


def _algebra_name(result: Result) -> str:
    """The name of the algebra; empty if there is none to name."""
    if result.algebra.open or math.isinf(result.dimension):
        return ""
    return result.algebra.name


def _algebra(result: Result, source: SourceView) -> AlgebraView:
    """Name and explanation, nonzero commutators, and a sentence on the others."""
    algebra, count, name = result.algebra, result.fields.count, _algebra_name(result)
    found = {} if algebra.open or count < 2 else result.brackets()
    residuals = f"Closure residual {source.closure}, Jacobi residual {source.jacobi}."
    return AlgebraView(
        name=name,
        explanation=algebra.named.explanation if name else "",
        alternatives=algebra.named.alternatives if name else (),
        open=algebra.open,
        generators=count,
        heading="Commutators",
        commutators=found,
        rest=_rest(result, source, len(found)),
        residuals="" if algebra.open or count < 2 else residuals,
    )


def _rest(result: Result, source: SourceView, shown: int) -> str:
    """A sentence on commutators that are not shown."""
    algebra, count, infinite = result.algebra, result.fields.count, math.isinf(result.dimension)
    if count < 2:
        return "There is one generator, so there are no commutators."
    if algebra.open:
        ending = ", as in an infinite-dimensional algebra they may" if infinite else ": there is no algebra to name"
        return f"The commutators leave the span of these generators by {source.closure}{ending}."
    if shown:
        return f"The other commutators {source.vanish}." if shown < count * (count - 1) // 2 else ""
    if infinite:
        return f"All commutators of these generators {source.vanish}."
    # if errors are too large to name the algebra, it is not called commutative
    commutative = ": the algebra is commutative" if algebra.named.resolved else ""
    return f"All commutators {source.vanish}{commutative}."


def _making(result: Result, source: SourceView, domain: DomainView) -> Iterator[Row]:
    """The subject of the result, the box, the method, settings and versions."""
    yield "equation", source.equation
    yield "domain", f"{domain.text}; {domain.chosen}" if domain.chosen else domain.text
    yield from source.training
    made = result.provenance
    if made is None:
        return
    yield from ((name, str(value)) for name, value in made.settings.items())
    if made.seed is not None:
        yield "seed", str(made.seed)
    yield "versions", ", ".join(f"{name} {value}" for name, value in made.versions.items())
