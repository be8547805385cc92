"""The page and the terminal's table of a comparison say the same, escape what people write, and link to the groups."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

import liestonet as lsn
from chromium import opened_page, running_browser
from liestonet.core.ladder import LadderRow
from liestonet.errors import InputError
from liestonet.groups.comparison import Group, GroupConstants, SharedConstants
from liestonet.groups.shared_algebra import Found, shared_algebra
from liestonet.groups.shared_constants import Equality, Joint, Trend
from liestonet.render.groups_view import GroupsView
from liestonet.render.html.groups_page import render_comparison
from liestonet.render.html.groups_plots import constant_by_group, ladders
from liestonet.render.terminal_groups import render_groups
from page_checks import OVERFLOWS, SMALL_LETTERS

LADDER = (LadderRow(0.01, 0.0, 0.05, 0.02, 0.5, "symmetry"), LadderRow(0.9, 0.8, 1.0, 0.02, 1e-9, "no"))


def comparison(*labels: str) -> lsn.GroupComparison:
    """Groups of one algebra with one constant that grows by one in each."""
    groups = [
        Group(label, 10.0 * k, "", f"folder-{k}", 1, 5, 500, 1, "R", True, (), LADDER, ("∂t",), "dx = 1.0(1) x dt", ())
        for k, label in enumerate(labels)
    ]
    found = [GroupConstants(label, (k + 1.0,), (0.1,), ((0.01,),), 0.5) for k, label in enumerate(labels)]
    constants = SharedConstants(
        "dx = c1 x dt", ("c1",), ("x dt",), tuple(found), (), Joint(50.0, 1, 1e-9),
        (Equality(1.5, 0.07, 50.0, 1, 1e-9, 1e-9),),
        (Trend(0.1, 0.01, 1.5, 5.0, 1e-9, 1e-9, None),), "different", "The groups do not share all constants.",
    )  # fmt: skip
    algebra = shared_algebra([Found(group.label, 1, LADDER, "R", True) for group in groups])
    return lsn.GroupComparison("T", "K", "ito", 0.05, tuple(groups), algebra, constants, folder=Path("study"))


def test_the_page_has_every_group_with_its_link_and_every_sentence():
    page = render_comparison(comparison("300K", "310K"))
    for text in (
        "All 2 groups have 1 symmetry, and the algebra R.", "do not share all constants", "folder-0/report.html",
        "folder-1/report.html", "dx = c1 x dt", "0.100(10)", "<svg",
    ):  # fmt: skip
        assert text in page


def test_what_people_write_is_escaped():
    shown = comparison("<b>hot</b>", "cold & dry")
    page = render_comparison(replace(shown, by="<i>T</i>"))
    for text in ("<b>hot</b>", "<i>T</i>", "cold & dry"):
        assert text not in page


def test_a_group_without_a_result_shows_why():
    shown = comparison("300K", "310K")
    lost = Group("320K", 20.0, "There are 3 increments, too few.", "folder-2")
    page = render_comparison(replace(shown, groups=(*shown.groups, lost)))
    assert "No result: There are 3 increments, too few." in page
    assert "folder-2/report.html" not in page
    assert "2 of 3" in page


def test_the_terminal_says_what_the_page_says():
    shown = comparison("300K", "310K")
    said = GroupsView.of(shown)
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(render_groups(shown))
    text = console.export_text()
    for part in (said.verdict, "300K", "310K", "c1", "0.100(10)"):
        assert part in text


def test_pictures_draw_what_there_is():
    from matplotlib.figure import Figure

    shown = comparison("300K", "310K", "330K")
    axes = constant_by_group(shown, Figure().add_subplot())
    assert axes.get_xlabel() == "T [K]"
    assert "c1" in axes.get_ylabel()
    names = [label.get_text() for label in ladders(shown, Figure(layout="constrained").add_subplot()).get_yticklabels()]
    assert names == ["300K", "310K", "330K"]
    with pytest.raises(InputError, match="no constant"):
        constant_by_group(shown, Figure().add_subplot(), constant=1)
    assert constant_by_group(comparison("hot", "cold"), Figure().add_subplot()).get_xticklabels()[0].get_text() == "hot"


def test_the_page_can_be_read_on_a_phone(tmp_path: Path):
    """Ten groups and long names: nothing is cut off, no letter is small, at both widths."""
    page_file = tmp_path / "groups.html"
    labels = [*(f"{300 + 5 * k}K" for k in range(9)), "a very long name of a condition"]
    page_file.write_text(render_comparison(comparison(*labels)), encoding="utf-8")
    with running_browser() as browser:
        for width in (380, 1400):
            page = opened_page(browser, viewport={"width": width, "height": 900})
            page.goto(page_file.as_uri())
            assert page.evaluate(OVERFLOWS) == []
            assert page.evaluate(SMALL_LETTERS) == []
            page.close()
