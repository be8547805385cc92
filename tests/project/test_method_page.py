"""docs/method.md and the code cite each other: pages exist, sections exist, every section has its place in the code."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "liestonet"
PAGE = (ROOT / "docs" / "method.md").read_text(encoding="utf-8")
FOLDERS = ("src", "tests", "docs", "tools", "benchmarks")
# Made from the source when the site is built.
GENERATED = {"reference/python.md", "reference/values.md", "reference/command-line.md", "speed.md"}

CITED_PAGE = re.compile(r"(?<![\w/.-])((?:[\w.-]+/)*[\w-]+\.md)\b")
HEADING = re.compile(r"^#{2,3} §(\d+(?:\.\d+)?) \S", re.M)
# `room/file.py`, `room.file`, or the path without ticks: files of the project that the code names for its readers
CITED_FILE = re.compile(r"(?<![\w/.-])((?:[\w-]+/)*[\w-]+\.py)\b")
CITED_MODULE = re.compile(r"`([a-z_]+(?:\.[a-z_]+)+)`")
MAY_CITE = re.compile(r"\.md\b|\.py\b|`[a-z_]+\.[a-z_]")
NUMBER = r"§\d+(?:\.\d+)?"
CITED_SECTION = re.compile(rf"docs/method\.md\s+({NUMBER}(?:(?:,| and| to)\s+{NUMBER})*)")


def sources(*suffixes: str) -> list[Path]:
    """Files of the project that are written by hand."""
    files = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in suffixes]
    return sorted([*files, *(ROOT / "experiments").glob("*.py")] if ".py" in suffixes else files)


def said(source: str) -> Iterator[str]:
    """Docstrings and comments of a module: what is written for readers. Other strings may be names of any files."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield ast.get_docstring(node) or ""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


@cache
def text_of(path: Path) -> str:
    """What a file says to its readers; comments that run over lines in one piece. Of code that cites nothing: nothing.

    Every test here asks for the same files, and most of them need not be parsed.
    """
    whole = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return whole
    return "\n".join(said(whole)) if MAY_CITE.search(whole) else ""


def pages_missing(text: str, near: Path) -> list[str]:
    """Pages that a text cites and that are neither in the repository nor made when the site is built."""
    places = (ROOT, near, ROOT / "docs", ROOT / "benchmarks", ROOT / "experiments")
    cited = set(CITED_PAGE.findall(re.sub(r"https?://\S+", "", text)))
    return sorted(name for name in cited - GENERATED if not any((place / name).is_file() for place in places))


def files_missing(text: str, near: Path) -> list[str]:
    """Files of code that a text names and that are neither beside it, in the package nor in the repository."""
    cited = set(CITED_FILE.findall(re.sub(r"https?://\S+", "", text)))
    return sorted(name for name in cited if not any((place / name).is_file() for place in (near, PACKAGE, ROOT)))


def modules_missing(text: str) -> list[str]:
    """Names such as `room.file` that begin with a room of the package and have no file or folder there.

    `result.…` is what a user does with a result, and `liestonet.…` what is imported from the front door.
    """
    pairs = [name.split(".")[:2] for name in CITED_MODULE.findall(text.replace("`liestonet.", "`"))]
    inside = [(room, name) for room, name in pairs if room != "result" and (PACKAGE / room).is_dir()]
    return sorted(f"{room}.{name}" for room, name in inside if not there(PACKAGE / room / name))


def there(module: Path) -> bool:
    return module.is_dir() or module.with_suffix(".py").is_file()


def sections_cited(text: str) -> set[str]:
    """Numbers of the sections of the method page that a text cites; several may follow the page's name."""
    return {number for group in CITED_SECTION.findall(text) for number in re.findall(r"§(\d+(?:\.\d+)?)", group)}


def test_citations_are_read_as_they_are_written():
    text = "docs/method.md §2.1; (docs/method.md §1.2 and §11.1).\ndocs/method.md\n§3, §4.2. Elsewhere §9."
    assert sections_cited(text) == {"2.1", "1.2", "11.1", "3", "4.2"}
    assert pages_missing("see docs/method.md and THEORY.md, not https://a.org/b.md", ROOT) == ["THEORY.md"]
    assert list(filter(None, said('"""a.md"""\nx = "b.md"  # c.md\n'))) == ["a.md", "# c.md"]


@pytest.mark.parametrize("folder", [*FOLDERS, "experiments"])
def test_pages_that_are_cited_exist(folder):
    files = [path for path in sources(".py", ".md") if path.relative_to(ROOT).parts[0] == folder]
    assert files
    missing = {str(path.relative_to(ROOT)): pages_missing(text_of(path), path.parent) for path in files}
    assert {path: names for path, names in missing.items() if names} == {}


def test_files_of_code_are_read_as_they_are_named():
    text = "As in `sde/tuning.py`, tools/rooms.py and page.py; `symmetry/none.py`, none.py (https://a.b/c.py)."
    assert files_missing(text, PACKAGE / "render" / "html") == ["none.py", "symmetry/none.py"]
    assert modules_missing("`surrogate.least_squares`, `surrogate.steps`, `liestonet.algebra.names`, `data.box`") == [
        "algebra.names",
        "surrogate.steps",
    ]


def test_files_of_code_that_the_package_names_exist():
    paths = sorted(PACKAGE.rglob("*.py"))
    texts = {path: text_of(path) for path in paths}
    missing = {path: [*files_missing(text, path.parent), *modules_missing(text)] for path, text in texts.items()}
    assert {path.relative_to(ROOT).as_posix(): names for path, names in missing.items() if names} == {}


def test_sections_are_numbered_in_order():
    numbers = [tuple(map(int, number.split("."))) for number in HEADING.findall(PAGE)]
    assert len(re.findall(r"^##+ ", PAGE, re.M)) == len(numbers), "a heading without a number"
    assert numbers == sorted(set(numbers))
    for *above, last in numbers:
        before = (*above, last - 1) if last > 1 else tuple(above)
        assert not before or before in numbers, f"no section before {(*above, last)}"


def test_sections_that_are_cited_exist():
    known = set(HEADING.findall(PAGE))
    wrong = {str(path.relative_to(ROOT)): sections_cited(text_of(path)) - known for path in sources(".py", ".md")}
    assert {path: numbers for path, numbers in wrong.items() if numbers} == {}
    inside = set(re.findall(r"§(\d+(?:\.\d+)?)", PAGE))
    assert inside - known == set()


def test_every_section_is_cited_by_the_code():
    cited = set().union(*(sections_cited(text_of(path)) for path in PACKAGE.rglob("*.py")))
    # a section is cited by the citation of one of its parts
    cited |= {number.partition(".")[0] for number in cited}
    assert [number for number in HEADING.findall(PAGE) if number not in cited] == []


def test_every_file_that_is_named_exists():
    named = re.findall(r"`([\w/.]+\.py)`", PAGE)
    assert len(named) > 50
    assert [path for path in named if not (PACKAGE / path).is_file()] == []


def test_every_section_names_files():
    parts = re.split(r"^#{2,3} §", PAGE, flags=re.M)[1:]
    leaves = [part for part, after in zip(parts, [*parts[1:], ""], strict=True) if not _begins_inside(after, part)]
    assert [part.partition("\n")[0] for part in leaves if "\nFiles: `" not in part] == []


def _begins_inside(after: str, part: str) -> bool:
    """Whether the next section is a part of this one."""
    return after.partition(" ")[0].startswith(f"{part.partition(' ')[0]}.")
