"""The meaning of a result: sentences on generators with a name, on all together, and on mirrors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from liestonet.render.limits import MOST_LINES
from liestonet.render.meaning.algebra import algebra_sentences
from liestonet.render.meaning.generators import Speaker
from liestonet.render.meaning.mirrors import mirror_sentences
from liestonet.render.meaning.quantities import Quantities
from liestonet.render.meaning.shapes import Frame, Shape, frame_of, shape_of

if TYPE_CHECKING:
    from liestonet.formulas.formula import Formula
    from liestonet.result import Result


@dataclass(frozen=True)
class Said:
    """One sentence: the generators it is `about` ("X1, X2", or empty for all together), its `code`, and the `text`."""

    about: str
    code: str
    text: str


@dataclass(frozen=True)
class Meaning:
    """All sentences on a result, those on all symmetries together first."""

    rows: tuple[Said, ...] = ()

    def __iter__(self) -> Iterator[Said]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def sentences(self) -> Iterator[str]:
        """Each sentence, preceded by the generators that it is about."""
        yield from (f"{row.about}: {row.text}" if row.about else row.text for row in self.rows)

    def to_list(self) -> list[dict[str, str]]:
        """Plain values for JSON."""
        return [asdict(row) for row in self.rows]


def meaning_of(result: Result) -> Meaning:
    """The meaning of a result; empty if no sentence applies."""
    reader = Reader(result)
    together = [Said("", code, text) for code, text in algebra_sentences(result, reader.shapes)]
    mirrors = [Said("", code, text) for code, text in mirror_sentences(result)]
    return Meaning((*together, *_grouped(list(reader.generators())), *mirrors))


@dataclass(frozen=True)
class Reader:
    """The generators of a result, each with its shape."""

    result: Result

    @cached_property
    def frame(self) -> Frame:
        """The symbols in the formulas."""
        return frame_of(self.result.closed_forms, self.result.names, len(self.result.noises))

    @cached_property
    def shapes(self) -> tuple[Shape | None, ...]:
        """The shape of each generator; if there are many, only of the first ones."""
        return tuple(shape_of(row, self.frame) for row in self.result.closed_forms[:MOST_LINES])

    def generators(self) -> Iterator[Said]:
        """A sentence for each generator that has a shape."""
        units = {} if self.result.estimated is None else self.result.estimated.data.units
        names = self.result.names[: self.result.surrogate.dimension]
        for i, (shape, formula) in enumerate(zip(self.shapes, self.result.closed_forms, strict=False)):
            if shape is not None:
                quantities = Quantities(formula.constants, units)
                speaker = Speaker(self.result.symmetry, names, quantities, self._weighs(formula))
                yield Said(f"X{i + 1}", code_of(shape), speaker.sentence(shape))

    def _weighs(self, formula: Formula) -> bool:
        """Whether a Fokker–Planck generator multiplies densities by a factor beyond that of the motion of the state."""
        if self.result.symmetry != "fokker-planck":
            return False
        import sympy

        beta: Any = sympy.sympify(formula.beta or 0)
        spread = sum((part.diff(x) for part, x in zip(formula.xi, self.frame.state, strict=True)), sympy.Integer(0))
        return bool(sympy.simplify(beta + spread).has(self.frame.t, *self.frame.state))


def code_of(shape: Shape) -> str:
    """The code of a shape: `time-translation` for TimeTranslation."""
    name = type(shape).__name__
    return "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in name).removeprefix("-")


def _grouped(rows: Sequence[Said]) -> list[Said]:
    """Rows in which generators with the same sentence are joined."""
    about: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        about.setdefault((row.code, row.text), []).append(row.about)
    return [Said(", ".join(labels), code, text) for (code, text), labels in about.items()]
