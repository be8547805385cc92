"""A table that can be written as CSV and as Markdown."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

Cell = str | float | int | None

ROUNDING = 1e-12  # a relative spread below this is rounding


@dataclass(frozen=True)
class Table:
    """Column titles and rows of text or numbers."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def csv(self) -> str:
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([["" if cell is None else cell for cell in row] for row in self.rows])
        return buffer.getvalue()

    def markdown(self) -> str:
        lines = ["| " + " | ".join(self.columns) + " |", "|" + "---|" * len(self.columns)]
        lines += ["| " + " | ".join("–" if cell is None else str(cell) for cell in row) + " |" for row in self.rows]
        return "\n".join(lines) + "\n"


def spread(values: Sequence[float | None], unit: str = "", digits: int = 2) -> str | None:
    """Mean ± standard deviation over seeds, with their number; a single value is shown alone."""
    known = np.array([value for value in values if value is not None], dtype=float)
    if not known.size:
        return None
    if known.size == 1:
        return f"{_number(known[0], digits)}{unit}"
    mean, deviation = known.mean(), known.std(ddof=1)
    deviation = deviation if deviation > ROUNDING * abs(mean) else 0.0
    return f"{_number(mean, digits)} ± {_number(deviation, digits)}{unit} ({known.size})"


def _number(value: float, digits: int) -> str:
    """A number with fixed digits for ordinary sizes, else in powers of ten."""
    return f"{value:.{digits}f}" if value == 0 or 1e-2 <= abs(value) < 1e4 else f"{value:.1e}"
