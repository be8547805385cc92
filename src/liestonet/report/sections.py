"""The sections of the page, in their order. A new one is a function `result -> Section | None` in this list."""

from __future__ import annotations

from collections.abc import Callable

from liestonet.report.evidence_sections import coefficients, directions
from liestonet.report.generator_sections import algebra, candidates, generators
from liestonet.report.html import Section
from liestonet.report.making_sections import data, flags, making
from liestonet.result import Result

SECTIONS: tuple[Callable[[Result], Section | None], ...] = (
    generators,
    candidates,
    directions,
    algebra,
    coefficients,
    flags,
    data,
    making,
)
