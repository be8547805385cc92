"""The pieces of a `ResultView`: plain values, with formulas as SymPy objects that each renderer typesets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

from liestonet.formulas.formula import Formula
from liestonet.render.kinds import VERDICT_WORDS
from liestonet.render.limits import DIRECTIONS_AT_AN_END, MOST_DIRECTIONS

if TYPE_CHECKING:
    import sympy

# A label and what is said under it.
Row = tuple[str, str]


@dataclass(frozen=True)
class DomainView:
    """The box in words; `chosen` says which part was chosen automatically, `example` how to give another."""

    text: str
    chosen: str = ""
    example: str = ""


@dataclass(frozen=True)
class Direction:
    """One row of the ladder. An equation has no intervals, noise and p-values; these are then empty."""

    position: int
    verdict: str
    residual: str
    interval: str = ""
    noise: str = ""
    p_value: str = ""

    @property
    def shown(self) -> str:
        """The verdict as a reader sees it."""
        return VERDICT_WORDS[self.verdict]

    @property
    def cells(self) -> tuple[str, ...]:
        """What stands between position and verdict."""
        return (self.residual, self.interval, self.noise, self.p_value) if self.interval else (self.residual,)


@dataclass(frozen=True)
class Folded:
    """So many rows with the same verdict that are not shown."""

    count: int
    verdict: str

    @property
    def shown(self) -> str:
        """The verdict as a reader sees it."""
        return VERDICT_WORDS[self.verdict]


@dataclass(frozen=True)
class Gap:
    """What is said between the directions taken and those left out."""

    text: str


@dataclass(frozen=True)
class LadderView:
    """Every direction in order. `columns` name the cells between position and verdict; `gap` follows row `taken`.

    `legend` is the explanation where there is room for two lines only.
    """

    heading: str
    legend: str
    explanation: str
    caption: str
    columns: tuple[str, ...]
    rows: tuple[Direction, ...]
    taken: int
    gap: str

    def lines(self) -> Iterator[Direction | Folded | Gap]:
        """The rows as they are shown: of very many first ones with one verdict the middle is folded."""
        hidden = self._hidden()
        for index, row in enumerate(self.rows):
            if index == self.taken and self.gap:
                yield Gap(self.gap)
            if index not in hidden:
                yield row
            elif index == hidden[0]:
                yield Folded(len(hidden), row.verdict)

    def _hidden(self) -> range:
        first = self.rows[: self.taken] if self.gap else self.rows
        alike = sum(1 for _ in takewhile(lambda row: row.verdict == first[0].verdict, first))
        return range(DIRECTIONS_AT_AN_END, alike - DIRECTIONS_AT_AN_END) if alike > MOST_DIRECTIONS else range(0)


@dataclass(frozen=True)
class GeneratorView:
    """One generator: its formula, or how it begins where it has none."""

    label: str
    formula: Formula | None
    first_terms: str
    status: str
    error: float


@dataclass(frozen=True)
class GeneratorsView:
    """All generators: what they do, where first terms are expanded (`note`), and what the statuses among them mean."""

    heading: str
    meaning: str
    rows: tuple[GeneratorView, ...]
    note: str
    statuses: tuple[Row, ...]


@dataclass(frozen=True)
class CandidateView:
    """A direction beyond those counted that is not ruled out."""

    position: int
    verdict: str
    first_terms: str
    interval: str


@dataclass(frozen=True)
class CandidatesView:
    """Directions that are neither counted nor excluded."""

    heading: str
    explanation: str
    rows: tuple[CandidateView, ...]


@dataclass(frozen=True)
class AlgebraView:
    """Name and commutators of the algebra.

    `name` is empty where there is none to name, because the span of the `generators`, so many, is `open` or the algebra
    infinite-dimensional.
    `commutators` are those that do not vanish, as sums over X1, X2, …; `rest` says what the others do, or why none are
    shown, and `residuals` how well the span is closed.
    """

    name: str
    explanation: str
    alternatives: tuple[str, ...]
    open: bool
    generators: int
    heading: str
    commutators: dict[tuple[int, int], sympy.Expr]
    rest: str
    residuals: str


@dataclass(frozen=True)
class SourceView:
    """What is said differently of an equation and of data.

    `equation` is the whole text, `equation_line` the one to show where the verdict does not repeat it. `levels` are
    what is said beyond the kind of symmetry that was asked for: the law, the gauge, the likelihood. `closure` and
    `jacobi` are the algebra's residuals, `vanish` is what a commutator does that is zero as far as is known. `clock`
    is the clock of data in a sentence, where it is not the recorded one.
    """

    origin: str
    verdict: str
    short_verdict: str
    equation: str
    equation_line: str
    ladder: LadderView
    levels: tuple[str, ...]
    facts: tuple[Row, ...]
    coefficients: str
    bands: str
    closure: str
    jacobi: str
    vanish: str
    candidates: CandidatesView | None = None
    data: tuple[Row, ...] = ()
    digest: str = ""
    training: tuple[Row, ...] = ()
    clock: str = ""
