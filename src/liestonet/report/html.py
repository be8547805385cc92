"""Pieces of the page: sections, filled templates, and figures in the page's style."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from liestonet.report.mathml import math
from liestonet.report.palette import styled
from liestonet.report.svg import inline
from liestonet.report.words import algebra_name


class Section(NamedTuple):
    """A heading and what stands below it."""

    title: str
    html: str


@cache
def _environment() -> Environment:
    loader = PackageLoader("liestonet.report", "templates")
    made = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    made.filters |= {"steady": steady, "algebra_name": algebra_name}
    return made


def steady(text: str) -> str:
    """A number and its per cent sign stay on one line."""
    return text.replace(" %", "\u00a0%")


def render(template: str, **values: Any) -> Markup:
    """A template filled in; text is escaped, pieces of HTML come as Markup."""
    return Markup(_environment().get_template(template).render(**values))


def source(name: str) -> Markup:
    """A file of templates/ as it is."""
    loader = _environment().loader
    return Markup(loader.get_source(_environment(), name)[0]) if loader is not None else Markup()


def picture(draw: Callable[[Any], Any], description: str, size: tuple[float, float] = (3.5, 2.6)) -> Markup:
    """A figure, drawn by a function of its axes; `description` is its text alternative, `size` in inches."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with styled():
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasSVG(figure)
        draw(figure.add_subplot())
        return Markup(inline(figure, description))


def formula(content: str, spoken: str = "") -> Markup:
    """MathML of our own making as a formula in the page."""
    return Markup(math(content, spoken))
