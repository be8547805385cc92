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

# A label and its text.
Row = tuple[str, str]


@dataclass(frozen=True)
class DomainView:
    """The box as text; `chosen` says which part was chosen automatically, `example` how to give another."""

    text: str
    chosen: str = ""
    example: str = ""


@dataclass(frozen=True)
class Direction:
    """One row of the ladder; intervals, noise and p-values are empty for an equation."""

    position: int
    verdict: str
    residual: str
    interval: str = ""
    noise: str = ""
    p_value: str = ""

    @property
    def shown(self) -> str:
        """The verdict in the words shown to readers."""
        return VERDICT_WORDS[self.verdict]

    @property
    def cells(self) -> tuple[str, ...]:
        """The cells between position and verdict."""
        return (self.residual, self.interval, self.noise, self.p_value) if self.interval else (self.residual,)


@dataclass(frozen=True)
class Folded:
    """A number of rows with the same verdict that are not shown."""

    count: int
    verdict: str

    @property
    def shown(self) -> str:
        """The verdict in the words shown to readers."""
        return VERDICT_WORDS[self.verdict]


@dataclass(frozen=True)
class Gap:
    """The text between the symmetries and the other directions."""

    text: str


@dataclass(frozen=True)
class LadderView:
    """Every direction in order. `columns` name the cells between position and verdict; `gap` follows row `taken`.

    `legend` is a short explanation in few lines.
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
        """The rows to show; if very many first ones have the same verdict, the middle ones are folded."""
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
    """One generator: its formula, or its first terms if it has none."""

    label: str
    formula: Formula | None
    first_terms: str
    status: str
    error: float


@dataclass(frozen=True)
class GeneratorsView:
    """All generators: their effect, the point of expansion of first terms (`note`), and the meaning of the statuses."""

    heading: str
    meaning: str
    rows: tuple[GeneratorView, ...]
    note: str
    statuses: tuple[Row, ...]


@dataclass(frozen=True)
class CandidateView:
    """A direction that is not counted and not excluded."""

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

    `name` is empty if there is none to name, because the span is not closed (`open`) or the algebra is
    infinite-dimensional; `generators` is their number. `commutators` are those that do not vanish, as sums over X1, X2,
    …; `rest` is a sentence on the others, or on why none are shown, and `residuals` say how well the span is closed.
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
    """The parts of a view that differ between an equation and data.

    `equation` is the whole text, `equation_line` the one to show if the verdict does not repeat it. `levels` are
    sentences beyond the requested kind of symmetry: on the law, the gauge, the likelihood. `closure` and `jacobi` are
    the algebra's residuals, `vanish` is the verb for commutators that are zero within errors. `clock` is a sentence on
    the clock of data, empty for the recorded one. `constants` says why constants of generators and of the fitted
    equation differ, `untested` that discrete symmetries were not tested.
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
    constants: str = ""
    untested: str = ""
