"""Run the code blocks of the documentation: `python tools/snippets.py README.md docs/*.md`.

One file at a time, from top to bottom, in an empty folder:

- ```` ```python ```` blocks share one namespace. A `text` block right after `<!-- output -->` is what the
  Python block before it printed.
- ```` ```console ```` blocks: lines that start with `$ ` are commands, the lines below each are its output,
  if any are shown. In ```` ```bash ```` blocks every line is a command. `liestonet …` is run and must exit
  with 0, or, in a block after `<!-- exit 2 -->`, with that code. A `make` target must exist. Other commands
  are not run.
- Shown output is compared line by line: `...` stands for anything within a line, a line that is only `...`
  for any lines, and a number before `s`, `ms` or `seconds` for any number.
- A block after `<!-- not run: reason -->` is not run, but counted.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
import textwrap
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SHOWN_ONLY = {"", "text", "json", "csv", "toml", "yaml", "html", "math", "latex", "bibtex", "mermaid"}
FENCE = re.compile(r"^( *)(`{3,}|~{3,})\s*([\w+-]*)[^`]*$")
NOTE = re.compile(r"<!--\s*(not run|output|exit)\b:?\s*(.*?)\s*-->")
DURATION = re.compile(r"\d+(?:\.\d+)?(?= ?(?:s|ms|seconds)\b)")


class SnippetError(Exception):
    """A snippet fails, or its output differs from the page."""


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, the line of its opening fence, and the note just above it."""

    language: str
    text: str
    line: int
    note: str = ""
    remark: str = ""


@dataclass
class Tally:
    """The counts of a page's blocks and commands."""

    python: int = 0
    commands: int = 0
    outputs: int = 0
    not_run: int = 0

    def __str__(self) -> str:
        return (
            f"{self.python} Python blocks and {self.commands} commands run, "
            f"{self.outputs} outputs compared, {self.not_run} not run"
        )


def blocks(page: str) -> Iterator[Block]:
    """The fenced blocks of a page, in order."""
    lines = page.splitlines()
    note, remark, start = "", "", 0
    while start < len(lines):
        fence = FENCE.match(lines[start])
        if fence is None:
            found = NOTE.search(lines[start])
            if found:
                note, remark = found.groups()
            elif lines[start].strip():
                note, remark = "", ""
            start += 1
            continue
        indent, mark, language = fence.groups()
        closing = re.compile(rf"^ *{re.escape(mark)}{re.escape(mark[0])}*\s*$")
        end = next((i for i in range(start + 1, len(lines)) if closing.match(lines[i])), None)
        if end is None:
            raise SnippetError(f"line {start + 1}: this fence is never closed")
        body = textwrap.dedent("\n".join(line.removeprefix(indent) for line in lines[start + 1 : end]))
        yield Block(language.lower(), body, start + 1, note, remark)
        note, remark, start = "", "", end + 1


def commands(block: Block) -> Iterator[tuple[str, str]]:
    """The commands of a console or bash block, each with the output shown below it."""
    text = re.sub(r"\\\n\s*(?:> )?", "", block.text)
    if block.language == "bash":
        lines = (line.removeprefix("$ ").strip() for line in text.splitlines())
        yield from ((line, "") for line in lines if line and not line.startswith("#"))
        return
    head, *parts = re.split(r"^\$ ", text, flags=re.M)
    if head.strip():
        raise SnippetError(f"line {block.line}: a console block starts with a command: `$ liestonet …`")
    for part in parts:
        command, _, output = part.partition("\n")
        yield command.strip(), output.strip("\n")


def matches(shown: str, printed: str) -> bool:
    """Whether the output shown agrees with the one printed, by the rules at the head of this file."""
    pattern = []
    for line in clean(shown):
        if line.strip() == "...":
            pattern.append(r"(?:[^\n]*\n)*")
            continue
        pieces = [r"\d+(?:\.\d+)?".join(map(re.escape, DURATION.split(piece))) for piece in line.split("...")]
        pattern.append("[^\n]*".join(pieces) + r"\n")
    return re.fullmatch("".join(pattern), "".join(line + "\n" for line in clean(printed))) is not None


def clean(text: str) -> list[str]:
    """Lines without trailing blanks, and no empty lines at either end."""
    return [line.rstrip() for line in text.strip("\n").rstrip().splitlines()]


def compare(shown: str, printed: str, line: int, tally: Tally) -> None:
    tally.outputs += 1
    if not matches(shown, printed):
        raise SnippetError(f"line {line}: the page shows\n{shown}\nbut what came out is\n{printed}")


def run_python(block: Block, page: Path, namespace: dict[str, Any]) -> str:
    """Run a block so that a traceback names the page and its line; return its output."""
    printed = io.StringIO()
    padded = "\n" * block.line + block.text
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(padded, str(page), "exec"), namespace)
    except Exception as problem:
        raise SnippetError(f"line {block.line}: this block failed\n{traceback.format_exc()}") from problem
    return printed.getvalue()


def run_command(command: str, expected: int, line: int) -> str:
    """Run one `liestonet …` in the current folder; return its output."""
    plain = {"NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "100", "MPLBACKEND": "Agg"}
    scripts = str(Path(sys.executable).parent)
    environment = {**os.environ, **plain, "PATH": scripts + os.pathsep + os.environ.get("PATH", "")}
    outcome = subprocess.run(
        command, shell=True, text=True, env=environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    if outcome.returncode != expected:
        reason = f"exited with {outcome.returncode}, not {expected}"
        raise SnippetError(f"line {line}: `{command}` {reason}\n{outcome.stdout}")
    return outcome.stdout


def make_targets() -> set[str]:
    """The targets that the Makefile has."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    return set(re.findall(r"^([a-z][\w-]*):(?!=)", makefile, re.M))


def check_make(words: list[str], line: int) -> None:
    for word in words:
        if "=" not in word and not word.startswith(("-", "#")) and word not in make_targets():
            raise SnippetError(f"line {line}: the Makefile has no target {word}")


def run_console(block: Block, tally: Tally) -> None:
    expected = int(block.remark) if block.note == "exit" else 0
    for command, shown in commands(block):
        words = shlex.split(command, comments=True)
        if words[:1] == ["liestonet"]:
            printed = run_command(command, expected, block.line)
            tally.commands += 1
            if shown:
                compare(shown, printed, block.line, tally)
            continue
        tally.not_run += 1
        if words[:1] == ["make"]:
            check_make(words[1:], block.line)


def run_page(page: Path) -> Tally:
    """Run a page's blocks in the current folder; the first that fails ends it."""
    tally, printed, namespace = Tally(), None, {"__name__": "__main__"}
    for block in blocks(page.read_text(encoding="utf-8")):
        if block.note == "not run":
            if not block.remark:
                raise SnippetError(f"line {block.line}: say why: <!-- not run: reason -->")
            tally.not_run += 1
        elif block.language == "python":
            printed = run_python(block, page, namespace)
            tally.python += 1
        elif block.language in {"console", "bash"}:
            run_console(block, tally)
        elif block.note == "output":
            if printed is None:
                raise SnippetError(f"line {block.line}: no Python block before this output")
            compare(block.text, printed, block.line, tally)
        elif block.language not in SHOWN_ONLY:
            raise SnippetError(f"line {block.line}: ```{block.language}: write python, console, bash or text")
    return tally


def main(pages: list[str]) -> int:
    failed = 0
    for page in map(Path, pages):
        path, home = page.resolve(), Path.cwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                print(f"{page}: {run_page(path)}")
            except SnippetError as problem:
                failed += 1
                print(f"{page}: {problem}")
            finally:
                os.chdir(home)
    return 1 if failed else 0


if __name__ == "__main__":
    os.environ.setdefault("MPLBACKEND", "Agg")
    sys.exit(main(sys.argv[1:]))
