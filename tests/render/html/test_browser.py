"""The page in a real browser: nothing is fetched, nothing complains, everything loads, fits and can be read.

Six results, each in light and dark and in two widths. `pytest tests/report --screenshots FOLDER` keeps the pictures.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import liestonet as lsn
from chromium import browser_program, opened_page, resized, running_browser
from liestonet.render.html import render_page
from page_checks import ACCESS, CONTRASTS, IMAGES, OVERFLOWS, SMALL_LETTERS
from report_results import MAKERS, has_symmetries, made, page_of

NARROW, WIDE = 380, 1400
LARGEST_PAGE = 5_000_000


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with running_browser() as running:
        yield running


@pytest.fixture(scope="module", params=MAKERS)
def page_file(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    browser_program()
    path = tmp_path_factory.mktemp("page") / f"{request.param}.html"
    path.write_text(page_of(request.param), encoding="utf-8")
    return path


@dataclass(frozen=True)
class Opened:
    """A page that the browser shows, what it complained of, and what it asked for."""

    file: Path
    page: Any
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def shown(self, scheme: str, media: str = "screen") -> Any:
        """On a wide light or dark screen, or on paper."""
        self.page.emulate_media(media=media, color_scheme=scheme)
        self.page.wait_for_function(
            "([scheme, media]) => matchMedia(`(prefers-color-scheme: ${scheme})`).matches && matchMedia(media).matches",
            arg=[scheme, media],
        )
        resized(self.page, WIDE)
        return self.page


@pytest.fixture(scope="module")
def opened(page_file: Path, browser: Any) -> Iterator[Opened]:
    """Loaded once, which is what takes the time; every test asks for its own screen."""
    found = Opened(page_file, opened_page(browser, viewport={"width": WIDE, "height": 900}))
    found.page.on("console", lambda message: found.complaints.append(message.text))
    found.page.on("pageerror", lambda problem: found.complaints.append(str(problem)))
    found.page.on("request", lambda asked: found.requests.append(asked.url))
    found.page.goto(page_file.as_uri())
    yield found
    found.page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_in_a_browser(opened: Opened, scheme: str, request: pytest.FixtureRequest):
    assert opened.file.stat().st_size < LARGEST_PAGE
    page = opened.shown(scheme)
    for width in (WIDE, NARROW):
        resized(page, width)
        assert page.evaluate(OVERFLOWS) == []
        assert page.evaluate(SMALL_LETTERS) == []
        assert page.evaluate(ACCESS) == []
        folder = request.config.getoption("--screenshots")
        if folder:
            Path(folder).mkdir(parents=True, exist_ok=True)
            page.screenshot(path=Path(folder) / f"{opened.file.stem}-{scheme}-{width}.png", full_page=True)
    texts = page.evaluate(CONTRASTS)
    assert len(texts) > 50
    assert [row for row in texts if row["ratio"] < row["needed"]] == []
    assert page.evaluate(IMAGES) == []
    assert opened.complaints == []
    assert [url for url in opened.requests if not url.startswith("data:")] == [opened.file.as_uri()]


def test_tables_of_maps_scroll_by_themselves(browser: Any, tmp_path: Path):
    result = made("undecided").with_discrete(lsn.discrete(lsn.catalogue["linear"].simulate(paths=300, seed=2)))
    path = tmp_path / "maps.html"
    path.write_text(render_page(result, tolerances=()), encoding="utf-8")
    page = opened_page(browser, viewport={"width": NARROW, "height": 900})
    page.goto(path.as_uri())
    assert "among all" in page.text_content("body")
    assert page.evaluate(OVERFLOWS) == []
    page.close()


def test_formulas_are_text(opened: Opened):
    """Typeset by the browser: they take up room, and their letters can be selected."""
    page = opened.shown("light")
    formulas = page.evaluate(
        "() => [...document.querySelectorAll('math')].map(m => [m.textContent, m.getBoundingClientRect().width])"
    )
    assert all(text.strip() and width > 0 for text, width in formulas)
    if has_symmetries(opened.file.stem):
        assert any("X" in text for text, _ in formulas)
    for picture in page.query_selector_all("figure svg"):
        assert picture.get_attribute("aria-label")


def test_paper_is_white(opened: Opened):
    """Printed from a dark screen, the page is dark ink on white."""
    page = opened.shown("dark", media="print")
    assert page.evaluate("() => getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert [row for row in page.evaluate(CONTRASTS) if row["ratio"] < row["needed"]] == []


def test_the_checks_notice_what_is_wrong(browser: Any):
    """A page with one fault of each kind: faint text, a line that is too long, a picture that is none."""
    page = opened_page(browser, viewport={"width": NARROW, "height": 600})
    page.set_content(
        "<body style='background: #fff'><p style='color: #999'>faint</p><p style='color: #767676'>enough</p>"
        "<p style='white-space: nowrap'>" + "long " * 40 + "</p><svg><image href='data:image/png;base64,AAAA'/></svg>"
        "<h1>one</h1><h3>three</h3><button></button><input id='a'><p id='a'></p><style>button { outline: none }</style>"
        "<svg><path class='moved' style='stroke: #bbb' d='M0,0L9,9'/></svg></body>"
    )
    wrong = "; ".join(page.evaluate(ACCESS))
    for fault in (
        "no name: <button>",
        "no name: <input",
        "skips a level",
        "ids used twice",
        "moved: contrast",
        "no focus",
    ):
        assert fault in wrong
    assert [row["text"] for row in page.evaluate(CONTRASTS) if row["ratio"] < row["needed"]] == ["faint"]
    assert "the page itself" in page.evaluate(OVERFLOWS)
    assert len(page.evaluate(IMAGES)) == 1
    page.close()
