"""Build the documentation as a site with search: `python tools/build_site.py site`, run by `make docs`.

The pages of docs/ are copied, references made from the source and a page of the benchmarks are added, and Sphinx makes
HTML of all. Every warning is an error: a broken link, a public name without a docstring.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import reference

ROOT = Path(__file__).resolve().parent.parent
# By the reader's purpose. Groups have the order of docs/index.md; a page that does not exist is left out.
CONTENTS = {
    "Tutorials": [
        "Start here <self>", "five_tasks", "equation", "recording", "finance", "colloid",
        "gallery/index", "gallery/trap", "gallery/free_particle", "gallery/double_well", "gallery/rotor",
        "gallery/oscillator", "gallery/price", "gallery/population", "gallery/proof",
    ],
    "How-to": [
        "data", "first_command", "shell", "long_recordings", "angles", "conditions", "laptop_to_cluster",
        "validation", "mirrors", "fitted_equation", "integrate", "densities", "prices", "classify",
        "files", "report", "networks", "augmentation",
    ],
    "Reference": ["reference/python", "reference/values", "reference/command-line", "flags", "json"],
    "Explanation": ["reading", "symptoms", "limits", "method", "architecture"],
    "Evidence": [
        "examples", "accuracy", "controls", "calibration", "constants", "flag_rates", "failures", "after_push",
        "recordings", "adequacy", "long_recording_checks", "inertia_checks", "circles", "equation_checks",
        "group_checks", "map_rates", "catalogue", "reductions", "density_checks", "exact_likelihood",
        "augmentation_checks", "neural", "speed", "reproduction",
    ],
}  # fmt: skip
# Titles in the list of contents that differ from the page's.
TITLES = {
    "colloid": "Particles under a microscope",
    "reference/python": "Python",
    "reference/values": "Returned values",
    "reference/command-line": "Command line",
    "json": "JSON",
    "architecture": "Architecture",
    "examples": "Accuracy",
    "flag_rates": "Flags' rates",
    "constants": "Constants",
    "group_checks": "Tests between groups",
    "catalogue": "The catalogue",
    "reductions": "The catalogue, integrated",
    "speed": "Speed",
}
BENCHMARKS = ("solve", "random_kind", "discover", "threads", "densities", "closed_forms", "neural", "push")
SPEED_HEAD = """\
# Speed and memory

*For readers who want to know how long a run takes and how much memory it needs.*

Each section is written by a script in `benchmarks/`, which it names. Seconds depend on the machine; compare them with
each other, and with the reference where there is one.
"""


def contents(pages: set[str]) -> str:
    """The site's contents; pages without a group come last."""
    known = {page for part in CONTENTS.values() for page in part}
    parts = {**CONTENTS, "More": sorted(pages - known)}
    there = {title: [page for page in part if page in pages or "<" in page] for title, part in parts.items()}
    return "".join(_part(title, listed) for title, listed in there.items() if listed)


def _part(title: str, pages: list[str]) -> str:
    entries = [f"{TITLES[page]} <{page}>" if page in TITLES else page for page in pages]
    return f"\n```{{toctree}}\n:hidden:\n:caption: {title}\n\n" + "\n".join(entries) + "\n```\n"


def speed_page() -> str:
    """The pages of benchmarks/ as sections of one page."""
    sections = [(ROOT / "benchmarks" / f"{name}.md").read_text(encoding="utf-8") for name in BENCHMARKS]
    inner = [re.sub(r"^(#+ )", r"#\1", text, flags=re.M).replace("../docs/", "") for text in sections]
    return "\n".join([SPEED_HEAD, *inner])


def write_sources(folder: Path) -> None:
    """Write all pages of the site: those of docs/, those made from other files, and the contents."""
    shutil.copytree(ROOT / "docs", folder, dirs_exist_ok=True)
    (folder / "reference").mkdir(exist_ok=True)
    made = {
        "reference/python": reference.python_page,
        "reference/values": reference.values_page,
        "reference/command-line": reference.command_page,
        "speed": speed_page,
    }
    for name, page in made.items():
        (folder / f"{name}.md").write_text(page(), encoding="utf-8")
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
