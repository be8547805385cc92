"""tests/ mirrors src/liestonet/: its folders are rooms, and a test named after a module is in that module's room."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# What belongs to no room: what tests share, tests of the project itself, and cases that once failed.
OTHERS = {"helpers", "project", "regressions"}


def folders(top: Path) -> set[str]:
    """Folders below a folder that hold Python files."""
    return {path.parent.relative_to(top).as_posix() for path in top.rglob("*.py")}


def strangers(tests: Path, package: Path) -> list[str]:
    """Folders of tests that are no rooms."""
    return sorted(folder for folder in folders(tests) - folders(package) if folder.split("/")[0] not in OTHERS)


def misplaced(tests: Path, package: Path) -> list[str]:
    """Tests named after modules of other rooms; a test may also be in the room around its module's room."""
    homes: dict[str, set[str]] = {}
    for path in package.rglob("*.py"):
        home = path.parent.relative_to(package)
        homes.setdefault(path.stem, set()).update(folder.as_posix() for folder in (home, *home.parents))
    found = []
    for path in tests.rglob("test_*.py"):
        room, module = path.parent.relative_to(tests).as_posix(), path.stem.removeprefix("test_")
        if room.split("/")[0] not in OTHERS and room not in homes.get(module, {room}):
            found.append(path.relative_to(tests).as_posix())
    return sorted(found)


def test_folders_of_tests_are_rooms():
    assert strangers(ROOT / "tests", ROOT / "src" / "liestonet") == []


def test_tests_are_in_the_rooms_of_their_modules():
    assert misplaced(ROOT / "tests", ROOT / "src" / "liestonet") == []


@pytest.mark.parametrize(
    ("test", "folder", "place"),
    [
        ("sde/test_parse.py", [], []),
        ("sde/test_anything.py", [], []),
        ("symmetry/test_search.py", [], []),
        ("project/test_search.py", [], []),
        ("symmetry/test_parse.py", [], ["symmetry/test_parse.py"]),
        ("elsewhere/test_anything.py", ["elsewhere"], []),
    ],
)
def test_the_rule_finds_what_is_misplaced(tmp_path, test, folder, place):
    package, tests = tmp_path / "package", tmp_path / "tests"
    for file in (
        package / "sde/parse.py",
        package / "symmetry/__init__.py",
        package / "symmetry/statistical/search.py",
    ):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    (tests / test).parent.mkdir(parents=True)
    (tests / test).touch()
    assert (strangers(tests, package), misplaced(tests, package)) == (folder, place)
