"""LaTeX and HTML of a result: well formed, self-contained, and the same mathematics as the result."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest
from matplotlib.mathtext import MathTextParser

import liestonet as lsn
from liestonet.algebra.commutators import commutator_table

CASES = [
    ("dx = x dt + dW", "ito"),
    ("dx = x/4 dt + x dW", "fokker-planck"),
    ("dx = dW1; dy = dW2; dz = dW3", "law"),
    ("dθ = dW1; dx1 = θ dt", "ito"),
    ("dx = sin(x)*exp(x)*t dt + (1 + x^2) dW", "ito"),
    ("dx = 0 dt; dy = dW", "ito"),
    ("dx = x/(1 + t^4) dt + dW", "ito"),
]


@pytest.fixture(scope="module", params=CASES, ids=lambda case: f"{case[0]} ({case[1]})")
def result(request):
    text, kind = request.param
    return lsn.solve(lsn.SDE.parse(text), kind)


def formulas_of(text: str) -> list[str]:
    """The right-hand sides of aligned lines, and the cells of tables."""
    body = re.sub(r"^%.*\n?", "", text, flags=re.M)
    lines = [
        line for block in re.findall(r"\\begin\{align\*\}\n(.*?)\n\\end", body, re.S) for line in block.split("\\\\")
    ]
    cells = [cell for row in re.findall(r"^X_.*&.*$", body, re.M) if "&=" not in row for cell in row.split("&")]
    return [line.split("&=")[1].strip() for line in lines] + [cell.replace("\\\\", "").strip() for cell in cells]


def test_latex_is_well_formed(result):
    text = result.latex()
    for environment in ("align*", "array"):
        assert text.count(rf"\begin{{{environment}}}") == text.count(rf"\end{{{environment}}}")
    assert all(line.startswith("%") or line.isascii() for line in text.splitlines())
    assert text.count(r"\left(") == text.count(r"\right)")
    for formula in formulas_of(text):
        if r"\text" not in formula:
            MathTextParser("path").parse(f"${formula}$")


def test_latex_has_every_generator(result):
    assert len(re.findall(r"^X_\{\d+\} &= ", result.latex(), re.M)) == result.fields.count


def test_latex_of_many_generators_lists_brackets():
    text = lsn.solve(lsn.SDE.parse("; ".join(f"dx{i} = dW{i}" for i in range(1, 5))), "law").latex()
    assert "array" not in text
    assert re.search(r"^\[X_\{1\}, X_\{\d+\}\] &= 2 X_\{1\}", text, re.M)


def test_the_table_is_that_of_the_structure_constants(result):
    constants, closure = result.algebra.structure_constants, result.algebra.closure
    if closure > 1e-2:
        return  # fields of an infinite family need not be closed, and have no table
    table: Any = commutator_table(result.brackets(), len(constants))
    for i, row in enumerate(table):
        for j, value in enumerate(row):
            found = [float(value.coeff(f"X{k + 1}")) if value != 0 else 0.0 for k in range(len(table))]
            np.testing.assert_allclose(found, constants[i, j], atol=1e-3 * (1 + np.abs(constants).max()))
            assert value == -table[j][i]


class Page(HTMLParser):
    """Checks that tags nest, and keeps the text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.seen.add(tag)
        assert {name for name, _ in attrs} <= {"style"}

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def test_html_is_well_formed_and_loads_nothing(result):
    page = Page()
    page.feed(result._repr_html_())
    page.close()
    assert not page.open
    assert page.seen <= {"div", "p", "b", "i", "code", "table", "tr", "td", "th", "sub", "sup"}
    for flag in result.flags:
        assert flag.message in page.text or flag.code == "domain-chosen"
    assert "chosen automatically" in page.text


def test_html_is_escaped():
    sde = lsn.SDE(lambda t, x: x, lambda t, x: np.ones((len(t), 1, 1)), 1, names=["<script>x</script>"])
    html = lsn.solve(sde, domain=[(0, 1), (-1, 1)], formulas=False)._repr_html_()
    assert "<script" not in html
    assert "&lt;script&gt;" in html


def test_html_raises_powers():
    html = lsn.solve(lsn.SDE.parse("dx = dW"), "fokker-planck")._repr_html_()
    assert "x<sup>2</sup>" in html
    assert "^" not in html
