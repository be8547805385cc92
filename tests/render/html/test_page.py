"""What stands on the page, without a browser: the verdict first, everything asked for, and nothing from outside."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser

import pytest

import liestonet as lsn
from liestonet.core.flags import Flag
from liestonet.render.html import render_page
from liestonet.render.html.markup import Section, algebra_name
from liestonet.render.html.sections import SECTIONS
from liestonet.render.verdict import verdict
from liestonet.render.view import ResultView
from report_results import MAKERS, made, page_of

VOID = {"meta", "link", "br", "hr", "img", "input"}


class Reader(HTMLParser):
    """Text by heading, attributes that load something, and whether every element that is opened is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: dict[str, str] = {}
        self.links: list[str] = []
        self.identifiers: list[str] = []
        self.wrong: list[str] = []
        self._heading = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.links += [
            value or "" for name, value in attrs if name in ("src", "href", "xlink:href", "srcset", "action")
        ]
        self.identifiers += [value or "" for name, value in attrs if name == "id"]
        if tag in ("h1", "h2"):
            self._heading = ""
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if self.open and self.open[-1] == tag:
            self.open.pop()
        else:
            self.wrong.append(tag)

    def handle_data(self, data: str) -> None:
        if {"style", "title", "script"} & set(self.open):
            return
        if "h1" in self.open or "h2" in self.open:
            self._heading += data
        self.texts[self._heading] = self.texts.get(self._heading, "") + data


def read(text: str) -> Reader:
    reader = Reader()
    reader.feed(text)
    return reader


@pytest.mark.parametrize("name", MAKERS)
def test_page_is_well_formed_and_needs_nothing(name):
    text = page_of(name)
    reader = read(text)
    assert reader.wrong == reader.open == []
    assert len(set(reader.identifiers)) == len(reader.identifiers)
    assert all(link.startswith(("#", "data:")) for link in reader.links)
    assert {link[1:] for link in reader.links if link.startswith("#")} <= set(reader.identifiers)
    assert set(re.findall(r"<script[^>]*>", text)) <= {
        "<script>",
        '<script type="application/json" id="moving-data">',
    }
    assert not re.search(r"url\((?!#)", re.sub(r"<script>.*?</script>", "", text, flags=re.DOTALL))
    assert "@import" not in text


@pytest.mark.parametrize("name", MAKERS)
def test_the_verdict_comes_first_and_all_evidence_follows(name):
    result = made(name)
    reader = read(page_of(name))
    headings = [heading.strip() for heading in reader.texts if heading.strip()]
    assert headings[0].replace("\u00a0", " ") == verdict(result)
    for row in result.ladder:
        assert row.verdict in reader.texts["Candidate directions"]
    for flag in ResultView.of(result).flags:
        assert flag.action in reader.texts["Flags"]
    if result.estimated is not None:
        assert str(result.estimated.data.digest) in reader.texts["Data"]
    if result.provenance is not None:
        making = reader.texts["How it was computed"]
        assert result.provenance.command in making
        assert lsn.__version__ in making
        assert all(str(value) in making for value in result.provenance.settings.values())


def test_the_same_result_is_the_same_page():
    assert render_page(made("undecided")) == page_of("undecided")


def test_what_is_written_by_others_is_text():
    """Flags and names come from data and files."""
    flag = Flag("<i>", "<script>alert(1)</script>", 'a & b "c"')
    text = render_page(replace(made("undecided"), flags=(flag,)))
    assert "<script>alert" not in text
    assert "<i>" not in text
    assert flag.message in unescape(text)


def test_names_of_algebras_are_typeset_and_escaped():
    assert algebra_name("sl(2,R) ⋉ h_3 <b>") == "sl(2,R) ⋉ h<sub>3</sub> &lt;b&gt;"
    assert algebra_name("R ⋉ R^11") == "R ⋉ R<sup>11</sup>"


@pytest.mark.usefixtures("undrawn")
@pytest.mark.slow
def test_an_infinite_algebra_shows_its_family():
    reader = read(render_page(lsn.solve(lsn.SDE.parse("dx = dW; dy = y dt"))))
    assert "∞" in next(iter(reader.texts.values())) + "".join(reader.texts.values())
    assert "infinite-dimensional" in reader.texts["Generators (a basis of the symmetries)"]


@pytest.mark.usefixtures("undrawn")
def test_parameters_without_a_value():
    reader = read(render_page(lsn.solve(lsn.SDE.parse("dx = -k*x dt + s dW"))))
    assert "Plotted at k = " in reader.texts["Drift and diffusion"]


def test_callables_have_a_page_too():
    sde = lsn.SDE(lambda t, x: -x, lambda t, x: 1 + 0 * x[:, :, None], dimension=1)
    assert "callable" in render_page(lsn.solve(sde, formulas=False))


def test_another_room_can_add_a_section(monkeypatch):
    monkeypatch.setattr(
        "liestonet.render.html.page.SECTIONS", (*SECTIONS, lambda view, result: Section("How sure", "<p>Very.</p>"))
    )
    assert "Very." in read(render_page(made("undecided"))).texts["How sure"]


def test_a_report_is_written_whole_and_says_where(tmp_path):
    target = tmp_path / "report.html"
    assert made("undecided").report(target) == target
    assert target.read_text(encoding="utf-8") == page_of("undecided")
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


WRONG = {
    "suffix": ("report.pdf", "name it with .html"),
    "folder": ("nowhere/report.html", "There is no folder"),
    "number": (3, "not a int"),
}


@pytest.mark.parametrize(("path", "message"), WRONG.values(), ids=WRONG.keys())
def test_wrong_places_are_refused(path, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(lsn.InputError, match=message):
        made("undecided").report(path)
    (tmp_path / "taken.html").mkdir()
    with pytest.raises(lsn.InputError, match="is a folder"):
        made("undecided").report("taken.html")
