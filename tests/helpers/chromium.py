"""The system's Chromium, driven by playwright; without it, tests that need it are skipped with a message."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

# Milliseconds that a page may need for anything: the machine has other work. Nothing is decided by how long it took.
PATIENCE = 120_000
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


# Whether the window has a width, and every picture that the scripts draw is drawn for the room that it has there.
DRAWN = """
width => innerWidth === width && [...document.querySelectorAll("svg[data-part]")].every(svg => {
  const room = svg.getBoundingClientRect().width;
  return !room || Math.abs(svg.viewBox.baseVal.width - room) <= 1;
})
"""


def browser_program() -> str:
    """The path of the browser."""
    for name in BROWSERS:
        found = shutil.which(name)
        if found:
            return found
    pytest.skip("needs Chromium: apt-get install chromium")


@contextmanager
def running_browser() -> Iterator[Any]:
    """A browser without a window."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright, which is among the [dev] packages")
    sandbox = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    program = browser_program()
    sync_api.expect.set_options(timeout=PATIENCE)
    with sync_api.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=program, args=sandbox, timeout=PATIENCE)
        yield running
        running.close()


def opened_page(browser: Any, **options: Any) -> Any:
    """A new page with time limits for a busy machine."""
    page = browser.new_page(**options)
    page.set_default_timeout(PATIENCE)
    return page


def resized(page: Any, width: int, height: int = 900) -> None:
    """Resize the window, and wait until all animations have been drawn."""
    page.set_viewport_size({"width": width, "height": height})
    page.wait_for_function(DRAWN, arg=width)
