"""Pieces of the page: sections, filled templates, and figures in the page's style."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from liestonet.render.html.mathml import math
from liestonet.render.html.palette import styled
from liestonet.render.html.svg import inline


class Section(NamedTuple):
    """A heading and the HTML below it."""

    title: str
    html: str


@cache
def _environment() -> Environment:
    loader = PackageLoader("liestonet.render.html", "templates")
    made = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    made.filters |= {"steady": steady, "algebra_name": algebra_name}
    return made


def steady(text: str) -> str:
    """Text in which numbers and per cent signs are not separated by a line break."""
    return text.replace(" %", "\u00a0%")


def algebra_name(text: str) -> Markup:
    """The name of an algebra, such as `R^11` or `h_3`, with superscripts and subscripts."""
    raised = re.sub(r"\^(\w+)", r"<sup>\1</sup>", str(escape(text)))
    return Markup(re.sub(r"_(\w+)", r"<sub>\1</sub>", raised))


def render(template: str, **values: Any) -> Markup:
    """A template filled with values; text is escaped, Markup is inserted unchanged."""
    return Markup(_environment().get_template(template).render(**values))


def source(name: str) -> Markup:
    """A file of templates/, unchanged."""
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
    """MathML, made by `mathml`, as a formula in the page."""
    return Markup(math(content, spoken))
