"""The gallery's notebooks: `python tools/gallery.py site/gallery`, run by `make docs`.

Each page of docs/gallery is a notebook in Jupytext's Markdown. It is run from top to bottom in an empty folder; the
notebook (.ipynb) with its output and the report that it writes are put into the folder given, and the site's page there
shows the output of each cell. With `--pictures FOLDER`, headless Chromium takes a picture of each report.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GALLERY = ROOT / "docs" / "gallery"
REPORT = "report.html"
WIDTH, HEIGHT = 1000, 760
# How the site's pages begin and end a block of code.
CODE, END = '<div class="highlight-python notranslate">', "</pre></div>\n</div>\n"


def pages() -> list[Path]:
    """The notebooks, without the list of contents."""
    return sorted(path for path in GALLERY.glob("*.md") if path.name != "index.md")


def run(page: Path, target: Path) -> list[str]:
    """Run one notebook; leave it and its report in `target`, and return what each cell printed."""
    import jupytext
    from nbformat.v4 import new_output

    notebook = jupytext.read(page)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    outputs: list[str] = []
    home, namespace = Path.cwd(), {"__name__": "__main__"}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for number, cell in enumerate(cells, start=1):
                with contextlib.redirect_stdout(io.StringIO()) as printed:
                    exec(compile(cell.source, f"{page.name}, cell {number}", "exec"), namespace)
                outputs.append(printed.getvalue())
                cell.execution_count = number
                cell.outputs = [new_output("stream", name="stdout", text=text) for text in outputs[-1:] if text]
        finally:
            os.chdir(home)
        shutil.copy(Path(folder) / REPORT, target / f"{page.stem}.report.html")
    jupytext.write(notebook, target / f"{page.stem}.ipynb")
    return outputs


def with_outputs(html: str, outputs: Sequence[str]) -> str:
    """A page of the site with the output of each cell below it."""
    before, *blocks = html.split(CODE)
    if len(blocks) != len(outputs):
        raise ValueError(f"The page has {len(blocks)} blocks of code, and {len(outputs)} were run.")
    shown = [before]
    for block, output in zip(blocks, outputs, strict=True):
        code, end, rest = block.partition(END)
        box = f'<div class="output"><pre>{escape(output.rstrip())}</pre></div>\n' if output.strip() else ""
        shown.append(f"{CODE}{code}{end}{box}{rest}")
    return "".join(shown)


def link(page: Path, target: Path, outputs: Sequence[str]) -> None:
    """Show outputs on the site's page, if there is one, with links to its notebook and its report."""
    html = target / f"{page.stem}.html"
    if html.is_file():
        links = f'<p><a href="{page.stem}.ipynb">Notebook</a> · <a href="{page.stem}.report.html">Report</a></p>'
        text = with_outputs(html.read_text(encoding="utf-8"), outputs)
        html.write_text(text.replace("</article>", f"{links}</article>", 1), encoding="utf-8")


def take_pictures(reports: Path, folder: Path) -> None:
    """Take a picture of the first screen of every report."""
    from playwright.sync_api import sync_playwright

    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        for report in sorted(reports.glob("*.report.html")):
            page.goto(report.resolve().as_uri())
            name = report.name.removesuffix(".report.html")
            page.screenshot(path=folder / f"gallery-{name.replace('_', '-')}.png")
        browser.close()


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("target", type=Path)
    parser.add_argument("--pictures", type=Path)
    given = parser.parse_args(words)
    given.target.mkdir(parents=True, exist_ok=True)
    for page in pages():
        link(page, given.target, run(page, given.target))
    if given.pictures is not None:
        take_pictures(given.target, given.pictures)
    return 0


if __name__ == "__main__":
    os.environ.setdefault("MPLBACKEND", "Agg")
    sys.exit(main(sys.argv[1:]))
