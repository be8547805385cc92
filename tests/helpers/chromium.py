"""The system's Chromium, driven by playwright; tests that need it are skipped, and say so, where there is none."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def browser_program() -> str:
    """Where it is."""
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
    with sync_api.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=program, args=sandbox)
        yield running
        running.close()
