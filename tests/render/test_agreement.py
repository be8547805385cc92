"""Terminal, LaTeX, notebook and page say the same: verdict, flags, and commutators, read back from each."""

from __future__ import annotations

import re
from html import unescape

import numpy as np
import pytest
from rich.console import Console

from liestonet.core.flags import Flag
from liestonet.render.html.mathml import combination
from liestonet.render.latex import render_latex
from liestonet.render.notebook import render_html
from liestonet.render.terminal import render
from liestonet.render.view import ResultView
from report_results import MAKERS, made, page_of

Constants = dict[tuple[int, int], dict[int, float]]


def terminal(view: ResultView) -> str:
    """Wide enough that no line is broken."""
    console = Console(width=5000, color_system=None)
    with console.capture() as captured:
        console.print(render(view))
    return "\n".join(line.rstrip() for line in captured.get().splitlines())


def plain(html: str) -> str:
    """Text of a piece of HTML, cells parted by blanks."""
    return unescape(re.sub(r"<[^>]*>", "", re.sub(r"</t[dh]>|</tr>|</p>|</dd>", " ", html))).replace("\u00a0", " ")


def texts(name: str) -> dict[str, str]:
    view = ResultView.of(made(name))
    return {
        "terminal": terminal(view),
        "LaTeX": render_latex(view),
        "notebook": plain(render_html(view)),
        "page": plain(page_of(name)),
    }


def terms(text: str) -> dict[int, float]:
    """`-X1 + 1/2 X_{3}` as factors by the generator's number."""
    found, text = {}, re.sub(r"\\frac\{(\d+)\}\{(\d+)\}", r"\1/\2", text)
    for sign, factor, number in re.findall(r"([-+]?) ?((?:\d[\d./]*(?:e-?\d+)?)?) ?X_?\{?(\d+)\}?", text):
        over, _, under = factor.partition("/")
        found[int(number) - 1] = float(over or 1) / float(under or 1) * (-1 if sign == "-" else 1)
    return found


def from_lines(text: str, equals: str) -> Constants:
    """Commutators from lines `[X1, X2] = 2 X1`."""
    pattern = rf"\[X_?\{{?(\d+)\}}?, X_?\{{?(\d+)\}}?\] {equals} (.+)"
    return {(int(i) - 1, int(j) - 1): terms(value) for i, j, value in re.findall(pattern, text)}


def from_table(rows: list[list[str]]) -> Constants:
    """The upper part of a table whose first column is the generator's name."""
    cells = {(i, j): terms(row[j + 1]) for i, row in enumerate(rows) for j in range(i + 1, len(rows))}
    return {pair: found for pair, found in cells.items() if found}


def of_latex(text: str) -> Constants:
    rows = re.findall(r"^(X_\{\d+\} & .*) \\\\$", text, re.M)
    return from_table([row.split("&") for row in rows]) if rows else from_lines(text, "&=")


def of_notebook(html: str) -> Constants:
    tables = [table for table in re.findall(r"<table>.*?</table>", html) if "[·, ·]" in table]
    if not tables:
        pairs = re.findall(r"<tr><td[^>]*>\[X<sub>(\d+)</sub>, X<sub>(\d+)</sub>\]</td><td[^>]*>(.*?)</td>", html)
        return {(int(i) - 1, int(j) - 1): terms(re.sub("<[^>]*>", "", value)) for i, j, value in pairs}
    rows = re.findall(r"<tr>(<td.*?)</tr>", tables[0])
    return from_table([[re.sub("<[^>]*>", "", cell) for cell in re.findall(r"<td.*?</td>", row)] for row in rows])


@pytest.mark.parametrize("name", MAKERS)
def test_all_say_the_verdict_the_domain_and_the_flags(name):
    view = ResultView.of(made(name))
    for where, text in texts(name).items():
        assert view.verdict in text, where
        assert view.domain.text in text, where
        for flag in view.flags:
            assert flag.code in text, (where, flag.code)
            assert flag.action in text, (where, flag.code)
        for sentence in view.source.levels:
            assert sentence in text, (where, sentence)
    assert {flag.code for flag in made(name).flags} - {flag.code for flag in view.flags} <= {"domain-chosen"}


@pytest.mark.parametrize("name", MAKERS)
def test_terminal_notebook_and_page_show_every_direction(name):
    for where, text in texts(name).items():
        if where != "LaTeX":
            for row in ResultView.of(made(name)).source.ladder.rows:
                assert all(cell in text for cell in (row.residual, row.interval, row.p_value, row.verdict)), where


@pytest.mark.parametrize("name", MAKERS)
def test_all_say_the_same_of_the_algebra(name):
    algebra = ResultView.of(made(name)).algebra
    if algebra is None:
        assert all("Commutators" not in text for text in texts(name).values())
        return
    for where, text in texts(name).items():
        for sentence in (algebra.explanation, algebra.rest, algebra.residuals):
            assert sentence in text, where


@pytest.mark.parametrize("name", MAKERS)
def test_all_have_the_commutators_of_the_result(name):
    """Read back, they are the structure constants, which are known to three digits from data and better else."""
    result, view = made(name), ResultView.of(made(name))
    shown = [
        from_lines(terminal(view), "="),
        of_latex(render_latex(view)),
        of_notebook(render_html(view)),
    ]
    assert shown[0] == shown[1] == shown[2]
    wanted = {} if view.algebra is None else view.algebra.commutators
    assert set(shown[0]) == set(wanted)
    constants = result.algebra.structure_constants
    for (i, j), factors in shown[0].items():
        for k, factor in factors.items():
            assert factor == pytest.approx(constants[i, j, k], rel=6e-3)
        assert combination(wanted[i, j]) in page_of(name)


def test_some_commutators_were_compared():
    counts = [len(found.commutators) for name in MAKERS if (found := ResultView.of(made(name)).algebra) is not None]
    assert np.sum(np.array(counts) > 1) >= 3


def test_a_flag_from_outside_reaches_all_of_them():
    from dataclasses import replace

    from liestonet.render.html import render_page

    result = replace(made("undecided"), flags=(Flag("made-up", "Something is odd.", "Look again."),))
    view = ResultView.of(result)
    for text in (terminal(view), render_latex(view), render_html(view), render_page(result)):
        assert "made-up" in text
        assert "Something is odd." in text
