"""Write docs/first_command.md: for each kind of file the command, the messages and the result.

`python tools/first_command_page.py` makes the files in a temporary folder (seeds 0 to 19), runs the first command and,
if it asks for more, the command that it suggests. `tests/project/test_first_command.py` checks the page.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shlex
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "helpers"))
PAGE = ROOT / "docs" / "first_command.md"
HEAD = """\
# The first command

*For readers who want to know whether their file will be read, and what to type if it is not.*

Each section is a kind of file with its first lines, the first command, what came out, and what was said about the
file. Where something cannot be decided, the message holds the command to type, and that is the second block. Rules:
[your data](data.md#rules). `liestonet look FILE` shows the same, with rows and a plot, before anything is computed.

All files hold paths of `dx = −x dt + dW`, of 1,000 points each, some with a second coordinate of the same kind (seeds 0
to 19). There are three symmetries in one coordinate and four in two; where some are undecided, these data are too few.
What counts here is what was read. `python tools/first_command_page.py` makes the files and writes this page.
"""
TITLES = {
    "comma.csv": "Commas",
    "decimal_comma.csv": "Semicolons and decimal commas",
    "tabs.tsv": "Tabs",
    "blanks.txt": "White space, no names",
    "hash.txt": "Comments with #, names in the last",
    "percent.dat": "Comments with %, no names",
    "slashes.csv": "Comments with //",
    "preamble.csv": "Lines of an instrument above the table, units below the names",
    "index.csv": "An index that pandas wrote",
    "row_numbers.txt": "Row numbers, no names",
    "midnight.csv": "Times of day, past midnight",
    "dates.csv": "Date and time in two columns",
    "newest_first.csv": "Newest row first",
    "core.tab": "Ages before present",
    "no_time.txt": "No times",
    "columns.csv": "A wide table: each column a path",
    "rows.txt": "A wide table: each row a path",
    "labels.txt": "Several paths by a label, no names",
    "frames.csv": "Particles and frames",
    "packed.txt.gz": "Packed text",
    "table.npy": "A NumPy table",
    "paths.npy": "A NumPy block of paths",
    "tracks.mat": "MATLAB 5: a struct array beside leftovers",
    "tracks73.mat": "MATLAB 7.3: a struct array beside a function handle",
}
SHOWN_LINES, WIDTH, ROWS = 3, 60, 1000
QUIET = ("--no-formulas", "--quiet")


def typed(*words: str) -> tuple[int, str]:
    """Run a liestonet command in this process: its exit code and output."""
    from liestonet.cli import app

    out, err = io.StringIO(), io.StringIO()
    code = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            app(list(words), prog_name="liestonet")
        except SystemExit as end:
            code = int(end.code or 0)
    return code, out.getvalue() + err.getvalue()


def first_lines(content: bytes) -> list[str]:
    """The first lines of a text file."""
    try:
        lines = content.decode().split("\n")[:SHOWN_LINES]
    except UnicodeDecodeError:
        return []
    return [line if len(line) <= WIDTH else line[: WIDTH - 1] + "…" for line in lines]


def said(name: str, second: tuple[str, ...]) -> list[str]:
    """The messages about a file: its counts and notes, from the JSON of `look`."""
    code, printed = typed("look", name, *second, "--json")
    if code != 0:
        raise RuntimeError(printed)
    summary = json.loads(printed)["summary"]
    low, high = summary["path_points"]
    points = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    count = "1 path" if summary["paths"] == 1 else f"{summary['paths']} paths"
    unit = f" {summary['time_unit']}" if summary["time_unit"] else ""
    names = ", ".join(part["name"] for part in summary["coordinates"])
    return [f"Read: {count} of {points} points, steps of {summary['step'][1]:g}{unit}; {names}.", *summary["notes"]]


def section(name: str, content: bytes, second: tuple[str, ...]) -> str:
    """The section on one kind of file: its first lines, the commands, messages and result."""
    Path(name).write_bytes(content)
    blocks = [f"## {TITLES[name]}\n"]
    shown = first_lines(content)
    if shown:
        blocks.append("```text\n" + "\n".join(shown) + "\n```\n")
    commands = [("discover", name, *QUIET), *([("discover", name, *QUIET, *second)] if second else [])]
    for number, words in enumerate(commands):
        code, printed = typed(*words)
        if (code == 2) != (bool(second) and number == 0):
            raise RuntimeError(f"{shlex.join(words)} ended with {code}: {printed}")
        blocks.append(f"```text\n$ {shlex.join(('liestonet', *words))}\n{printed.strip()}\n```\n")
    blocks += [f"- {line}" for line in said(name, second)]
    return "\n".join(blocks) + "\n"


def page() -> str:
    """The whole page."""
    from lab_files import SECOND, kinds

    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            parts = [section(name, content, SECOND.get(name, ())) for name, content in kinds(ROWS).items()]
        finally:
            os.chdir(before)
    return "\n".join([HEAD, *parts])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
