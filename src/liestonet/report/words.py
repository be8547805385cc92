"""Words that several sections share."""

from __future__ import annotations

import math
import re

from markupsafe import Markup, escape

from liestonet.result import Result
from liestonet.verdict import is_open

KINDS = {"ito": "Itô symmetries", "law": "Symmetries of the law", "fokker-planck": "Fokker–Planck symmetries"}
MEANINGS = {
    "ito": "Each maps every solution of the equation, driven by the same noise, to another solution.",
    "law": "Each maps the process to one with the same law; the noise may be turned on the way.",
    "fokker-planck": "Each maps densities that solve the Fokker–Planck equation to others. Adding one solution to "
    "another is always possible and not counted.",
}
STATUSES = {
    "proved": "SymPy put it into the determining equations and got zero.",
    "consistent": "It lies in the span found from the data within its error.",
    "numerical": "Without a closed form; shown are first terms around the middle of the domain.",
}


def algebra_name(text: str) -> Markup:
    """`R^11`, `h_3`: powers raised and indices lowered."""
    raised = re.sub(r"\^(\w+)", r"<sup>\1</sup>", str(escape(text)))
    return Markup(re.sub(r"_(\w+)", r"<sub>\1</sub>", raised))


def has_algebra(result: Result) -> bool:
    """Whether there is an algebra to name."""
    return bool(math.isfinite(result.dimension) and not is_open(result))
