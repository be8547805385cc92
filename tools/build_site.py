"""Build the documentation as a site with search: `python tools/build_site.py site`, run by `make docs`.

The pages of docs/ are copied, references made from the source are put beside them, and Sphinx makes HTML of both.
Every warning is an error: a link that leads nowhere, a public name without a text.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import reference

ROOT = Path(__file__).resolve().parent.parent
CONTENTS = {
    "": ["reading", "symptoms", "limits"],
    "Examples": ["equation", "finance", "colloid"],
    "Data and files": ["data", "files", "json"],
    "Reference": ["reference/python", "reference/values", "reference/command-line"],
    "How good it is": ["catalogue", "examples", "controls", "flags"],
    "Inside": ["method", "architecture"],
}


def contents(pages: set[str]) -> str:
    """The site's contents; a page that nobody put in order stands at the end."""
    known = {page for part in CONTENTS.values() for page in part}
    parts = {**CONTENTS, "More": sorted(pages - known)}
    return "".join(_part(title, listed) for title, listed in parts.items() if listed)


def _part(title: str, pages: list[str]) -> str:
    caption = f":caption: {title}\n" if title else ""
    return "\n```{toctree}\n:hidden:\n" + caption + "\n" + "\n".join(pages) + "\n```\n"


def write_sources(folder: Path) -> None:
    """All pages of the site: those of docs/, those made from the source, and the contents."""
    shutil.copytree(ROOT / "docs", folder, dirs_exist_ok=True)
    (folder / "reference").mkdir(exist_ok=True)
    made = {"python": reference.python_page, "values": reference.values_page, "command-line": reference.command_page}
    for name, page in made.items():
        (folder / "reference" / f"{name}.md").write_text(page(), encoding="utf-8")
    pages = {path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob("*.md")} - {"index"}
    with (folder / "index.md").open("a", encoding="utf-8") as index:
        index.write(contents(pages))


def main(target: str) -> int:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "docs"
        try:
            write_sources(source)
        except reference.UndocumentedError as problem:
            sys.stderr.write(f"{problem}\n")
            return 1
        options = ["-W", "--keep-going", "-q", "-E", "-d", str(Path(folder) / "doctrees")]
        outcome = subprocess.run([sys.executable, "-m", "sphinx", *options, str(source), target], check=False)
        return outcome.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
