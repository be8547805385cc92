"""docs/architecture.md shows the house as it is: its tree, its layers, the files it names and its answers."""

from __future__ import annotations

import ast
import re
import sys
from importlib import import_module
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "liestonet"
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
QUESTIONS = 29
sys.path.append(str(ROOT / "tools"))
rooms: Any = import_module("rooms")


def block(heading: str) -> str:
    """The first block of text below a heading."""
    return PAGE.partition(f"\n## {heading}\n")[2].partition("```text\n")[2].partition("```")[0]


def drawn(tree: str) -> list[str]:
    """Files and folders of a tree, as paths below its first line; names stand in front, their text behind."""
    found, above = [], [(-1, "")]
    for line in tree.splitlines()[1:]:
        indent = len(line) - len(line.lstrip())
        names = list(takewhile(lambda word: re.fullmatch(r"\w+(\.py|\.typed|/)", word), line.split()))
        if not names:
            continue
        while above[-1][0] >= indent:
            above.pop()
        found += [above[-1][1] + name for name in names]
        if names[0].endswith("/"):
            above.append((indent, found[-1]))
    return found


def built(package: Path) -> set[str]:
    """Files and folders that a tree must show: `__init__.py` of a room goes without saying, data by their folder."""
    files = [path for path in package.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    inside = [path.relative_to(package) for path in files]
    code = {path.as_posix() for path in inside if path.suffix in (".py", ".typed") and path.name != "__init__.py"}
    folders = {f"{folder.as_posix()}/" for path in inside for folder in path.parents if folder.name}
    return code | folders | {"__init__.py"}


def test_the_tree_is_complete():
    shown = drawn(block("Rooms"))
    assert sorted(built(PACKAGE) - set(shown)) == [], "in src/liestonet and not in the tree of docs/architecture.md"
    assert sorted(set(shown) - built(PACKAGE)) == [], "in the tree of docs/architecture.md and not in src/liestonet"
    assert len(shown) == len(set(shown)), "named twice"


def test_the_tree_is_read_as_it_is_drawn():
    lines = ["top/", "  a.py b.py   text with c.py in it", "  room/   text", "          that goes on", "    d.py  text"]
    tree = "\n".join([*lines, "    inner/", "      e.py", "  f.py"])
    assert drawn(tree) == ["a.py", "b.py", "room/", "room/d.py", "room/inner/", "room/inner/e.py", "f.py"]


def test_the_layers_are_those_of_the_rules():
    layers = [line.split(", ") for line in block("Who may import whom").splitlines()]
    height = {name: -number for number, names in enumerate(layers) for name in names}
    doors = {"__init__", "__main__"}
    assert set(height) == set(rooms.rooms()) - doors
    for target, importers in rooms.IMPORTERS.items():
        below = {importer.partition(".")[0] for importer in importers.split()} - {"*"} - doors
        wrong = [name for name in below if height[name] <= height[target.partition(".")[0]]]
        assert not wrong, f"{target} is imported by {wrong}, which are not drawn above it"


def test_files_named_in_the_text_exist():
    text = re.sub(r"```.*?```", "", PAGE, flags=re.S)
    named = set(re.findall(r"`([\w/]+\.py)[`:]", text))
    there = [path.as_posix() for folder in ("src", "tests", "tools") for path in (ROOT / folder).rglob("*.py")]
    missing = [name for name in named if not any(path.endswith(f"/{name}") for path in there)]
    assert named
    assert not missing, f"docs/architecture.md names files that are not there: {sorted(missing)}"


def defined(tree: ast.Module | ast.ClassDef) -> dict[str, ast.AST]:
    """What a module or class defines: functions, classes and names bound to values."""
    found: dict[str, ast.AST] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = node
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {name.id: node for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)}
    return found


def problem(answer: str) -> str | None:
    """What is wrong with `path::name` or `path::Class.method`, or None."""
    path, _, symbol = answer.partition("::")
    if not (PACKAGE / path).is_file():
        return f"{path} is not there"
    place: ast.AST = ast.parse((PACKAGE / path).read_text(encoding="utf-8"))
    for name in symbol.split("."):
        names = defined(place) if isinstance(place, ast.Module | ast.ClassDef) else {}
        if name not in names:
            return f"{path} has no {symbol}"
        place = names[name]
    return None


ANSWERS = re.findall(r"^\| (.+\?) \| `(.+)` \|$", PAGE.partition("## Where is …?")[2].partition("\n## ")[0], re.M)


def test_there_are_enough_questions():
    assert len({question for question, _ in ANSWERS}) == QUESTIONS
    assert len({answer for _, answer in ANSWERS}) == QUESTIONS


@pytest.mark.parametrize(("question", "answer"), ANSWERS)
def test_the_answer_is_there(question, answer):
    wrong = problem(answer)
    assert wrong is None, f"{question} {wrong}"


@pytest.mark.parametrize(
    "answer", ["sde/nowhere.py::SDE", "sde/sde.py::Nothing", "sde/sde.py::SDE.nothing", "sde/sde.py::SDE.parse.text"]
)
def test_wrong_answers_are_found(answer):
    assert problem(answer)


def test_right_answers_are_found():
    assert problem("sde/sde.py::SDE.parse") is None
    assert problem("core/domain.py::Domain.intervals") is None
    assert problem("symmetry/determining/kinds.py::ITO") is None
