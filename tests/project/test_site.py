"""The documentation as a site: no warning, no broken link, nothing undocumented."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import unquote

import pytest

import liestonet

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tools"))
reference: Any = import_module("reference")
build_site: Any = import_module("build_site")


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """The built site."""
    pytest.importorskip("furo", reason="needs the docs extra: pip install '.[docs]'")
    pytest.importorskip("myst_parser", reason="needs the docs extra: pip install '.[docs]'")
    target = tmp_path_factory.mktemp("site")
    command = [sys.executable, str(ROOT / "tools" / "build_site.py"), str(target)]
    outcome = subprocess.run(command, capture_output=True, text=True, check=False)
    assert outcome.returncode == 0, outcome.stderr
    return target


@pytest.mark.slow
def test_every_page_is_there(site):
    pages = [path.relative_to(ROOT / "docs").with_suffix(".html") for path in (ROOT / "docs").rglob("*.md")]
    names = [*map(str, pages), "search.html", "speed.html", "reference/python.html", "reference/values.html"]
    assert not [name for name in names if not (site / name).is_file()]


def test_every_page_has_a_group():
    """Contents of the site and list on the first page have the same groups and pages, in the same order."""
    first = (ROOT / "docs" / "index.md").read_text(encoding="utf-8").partition("## All pages")[2]
    listed = re.split(r"^\*\*(.+?)\*\*", first, flags=re.M)[1:]
    shown = {
        title: [page.partition("#")[0] for page in re.findall(r"\]\(([^)]+)\.md[^)]*\)", text)]
        for title, text in zip(listed[::2], listed[1::2], strict=True)
    }
    made = {"reference/python", "reference/values", "reference/command-line", "speed"}
    docs = ROOT / "docs"
    there = {path.relative_to(docs).with_suffix("").as_posix() for path in docs.rglob("*.md")} | made
    wanted = {title: [page for page in pages if page in there] for title, pages in build_site.CONTENTS.items()}
    assert {title: list(dict.fromkeys(pages)) for title, pages in shown.items()} == wanted
    assert {page for pages in wanted.values() for page in pages} == there - {"index"}


PAGES = sorted((ROOT / "docs").rglob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_page_says_whom_it_is_for(page):
    title, _, rest = page.read_text(encoding="utf-8").partition("\n\n")
    assert re.search("^# ", title, re.M)
    assert rest.startswith("*For readers ")


def test_the_list_of_pages_says_the_same():
    """Beside each page on the first one: for whom it is, in the words of the page."""
    first = (ROOT / "docs" / "index.md").read_text(encoding="utf-8").partition("## All pages")[2]
    listed = dict(re.findall(r"^\| \[[^]]+\]\(([^)]+)\) \| (.+) \|$", first, re.M))
    for page in set(PAGES) - {ROOT / "docs" / "index.md"}:
        whom = re.search(r"^\*For readers (.+?)(?:\.\*$|\.\s)", page.read_text(encoding="utf-8"), re.M | re.S)
        assert whom is not None
        said = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(whom[1].split()))
        assert listed[page.relative_to(ROOT / "docs").as_posix()] == said


@pytest.mark.slow
def test_links_lead_somewhere(site):
    broken = []
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        for link in re.findall(r"(?:href|src)=\"([^\"]+)\"", text):
            path, _, anchor = unquote(link).partition("#")
            if re.match(r"[a-z]+:", link):
                continue
            target = page if not path else page.parent / path.partition("?")[0]
            if not target.exists() or (
                anchor and target.suffix == ".html" and f'id="{anchor}"' not in target.read_text(encoding="utf-8")
            ):
                broken.append((page.name, link))
    assert not broken


@pytest.mark.slow
def test_nothing_comes_from_the_network_or_names_this_machine(site):
    loaded = r"<(?:script|img|iframe)[^>]+src=\"(?:https?:)?//|<link[^>]+href=\"(?:https?:)?//"
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert not re.search(loaded, text), page
        assert str(ROOT) not in text, page
        assert str(Path.home()) + "/" not in text, page


@pytest.mark.slow
def test_search_knows_the_public_names(site):
    index = (site / "searchindex.js").read_text(encoding="utf-8").lower()
    for word in ("discover", "solve", "principal_angl", "near", "jump"):
        assert word in index, word


def test_every_public_name_has_a_section():
    page = reference.python_page()
    assert "Create a new string" not in page
    for name in liestonet.__all__:
        assert name.startswith("__") or f"\n## {name}\n" in page
    assert "\n### SDE.parse\n" in page
    assert "\n### Trajectories.from_arrays\n" in page
    assert "seed=0" in page
    assert "\n### Result.save\n" in reference.values_page()


def test_every_command_has_a_section():
    page = reference.command_page()
    for command in ("solve", "discover", "simulate", "open", "show", "demo"):
        assert f"\n## {command}\n" in page
        assert f"Usage: liestonet {command}" in page


def undocumented():
    return 1


@dataclass(frozen=True)
class Bare:
    value: int


class Half:
    """Has a text, one of its methods has none."""

    def known(self):
        """Known."""

    def unknown(self):
        return 1


def test_an_undocumented_name_ends_the_build():
    cases = {"f": (undocumented, "f"), "Bare": (Bare, "Bare"), "Half": (Half, "Half.unknown")}
    for name, (value, missing) in cases.items():
        with pytest.raises(reference.UndocumentedError, match=f"Without a docstring: {missing}$"):
            reference.python_page({name: value})
    module = ModuleType("plots", "Plots.")
    vars(module).update(__all__=["undocumented"], undocumented=undocumented)
    with pytest.raises(reference.UndocumentedError, match=r"plots\.undocumented"):
        reference.python_page({"plots": module})


def test_a_place_on_this_machine_ends_the_build():
    def reader(path="/home/someone/data"):
        """Reads."""

    with pytest.raises(reference.UndocumentedError, match="place on this machine"):
        reference.python_page({"reader": reader})
