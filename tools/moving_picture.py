"""Film the moving page for the README: `python tools/moving_picture.py`, into docs/figures/ for light and dark pages.

It runs the README's two commands, opens their report in Chromium, and takes a picture of the plot at every ε of one
slow sweep of the slider. Needs Chromium, playwright and Pillow.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
COMMANDS = (
    ["simulate", "dx = -x dt + dW", "--initial", "x=-2:2", "--paths", "400", "--duration", "2", "--out", "paths.csv"],
    ["discover", "paths.csv", "--time", "t", "--trajectory", "trajectory", "--state", "x", "--out", "run"],
)
GENERATOR = "2"  # the decaying shift, counted from 0
FRAMES, MILLISECONDS, COLOURS = 24, 120, 32
WIDTH, HEIGHT = 900, 900
# Hide the text between heading and plot, which the README replaces.
QUIET = """
() => {
  for (const part of document.querySelectorAll("#stage > h2, #stage > p, #stage [data-part=canonical]"))
    (part.closest("label") || part).style.display = "none";
  document.querySelector("#stage").style.padding = "0.6rem";
}
"""


def result_of_the_commands() -> Any:
    """The result of the README's commands."""
    import liestonet as lsn

    with tempfile.TemporaryDirectory() as folder:
        for words in COMMANDS:
            subprocess.run([sys.executable, "-m", "liestonet", *words, "--quiet"], cwd=folder, check=True)
        return lsn.load(Path(folder) / "run" / "run.lsn")


def pictures(page) -> list[Image.Image]:
    """Pictures of the plot at every ε, forth and back."""
    page.evaluate(QUIET)
    page.select_option("[data-part=chosen]", GENERATOR)
    stage, found = page.locator("#stage"), []
    for part in np.sin(2 * np.pi * np.arange(FRAMES) / FRAMES):
        page.evaluate("part => liestonet.stage.go(part * liestonet.stage.generator.largest)", float(part))
        found.append(Image.open(io.BytesIO(stage.screenshot())).convert("RGB"))
    return found


def film(browser, report: Path, scheme: str) -> None:
    """One animated picture, and its first frame for readers who want less motion."""
    page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme=scheme)
    page.goto(report.as_uri())
    frames = pictures(page)
    page.close()
    palette = frames[FRAMES // 4].quantize(COLOURS, method=Image.Quantize.MAXCOVERAGE)
    small = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    target = ROOT / "docs" / "figures" / f"moving-{scheme}.gif"
    small[0].save(target, save_all=True, append_images=small[1:], duration=MILLISECONDS, loop=0, optimize=True)
    small[FRAMES // 8].save(target.with_suffix(".png"), optimize=True)
    for path in (target, target.with_suffix(".png")):
        sys.stdout.write(f"Wrote {path.relative_to(ROOT)}: {path.stat().st_size / 1000:.0f} kB\n")


def main() -> None:
    from playwright.sync_api import sync_playwright

    program = next((path for name in ("chromium", "google-chrome") if (path := shutil.which(name))), None)
    if program is None:
        sys.exit("needs Chromium: apt-get install chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        report = result_of_the_commands().report(Path(folder) / "report.html")
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"] if os.geteuid() == 0 else [])
        for scheme in ("light", "dark"):
            film(browser, report, scheme)
        browser.close()


if __name__ == "__main__":
    main()
