"""The sections of the page, in their order. A new one is a function `(view, result) -> Section | None`
in a module of this package, and a line in `SECTIONS`.
"""

from __future__ import annotations

from collections.abc import Callable

from liestonet.render.html.closed_sections import closed_forms
from liestonet.render.html.evidence_sections import by_date, coefficients, directions
from liestonet.render.html.generator_sections import algebra, candidates, generators, maps
from liestonet.render.html.making_sections import data, flags, levels, making
from liestonet.render.html.markup import Section
from liestonet.render.html.meaning_sections import meaning
from liestonet.render.html.validation_sections import certainty
from liestonet.render.view import ResultView
from liestonet.result import Result

SECTIONS: tuple[Callable[[ResultView, Result], Section | None], ...] = (
    meaning,
    closed_forms,
    generators,
    candidates,
    directions,
    certainty,
    algebra,
    maps,
    levels,
    coefficients,
    by_date,
    flags,
    data,
    making,
)
