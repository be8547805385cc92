"""tools/house.py counts what it says, on a small house whose numbers are known by hand."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tools"))
house: Any = import_module("house")

FILES = {
    "src/liestonet/__init__.py": """
        from typing import TYPE_CHECKING
        if TYPE_CHECKING:
            from liestonet.sde import SDE
        __all__ = ["SDE"]
        _HOME = {"SDE": "liestonet.sde"}
        def __getattr__(name):
            return getattr(import_module(_HOME[name]), name)""",
    "src/liestonet/plots.py": "__all__ = []",
    "src/liestonet/errors.py": "class InputError(Exception): pass",
    "src/liestonet/sde/__init__.py": 'from liestonet.sde.sde import SDE\n__all__ = ["SDE"]',
    "src/liestonet/sde/sde.py": '''
        """An equation (docs/method.md, docs/there.md)."""
        from liestonet.errors import InputError
        ROUNDING, POINTS = 1e-12, {1: 2, 2: 3}
        NAME = "x"
        class SDE:
            def simulate(self, a, b, c, d, e, f, g: Any):
                return simulated(self, a, b, c, d, e=e, f=f)
        def simulated(sde, a, b, c, d, e, f): ...
        def helper(value: int | Any, other: dict[str, Any], *rest: float) -> Any: ...''',
    "src/liestonet/surrogate/sde.py": """
        from liestonet.sde.sde import helper
        from liestonet.symmetry.kinds import Kind
        ROUNDING = 1e-10
        class FitTuning:
            rounds: int = 4
            name: str = "x"
        def long(a, b, c, d, e, f, g): ...
        def asks(result):
            return result.standards is None or result.standards is not None or result.bound is None""",
    "src/liestonet/symmetry/kinds.py": "class Kind: pass\nclass Other: pass",
    "src/liestonet/result/result.py": """
        class Result:
            surrogate: Any
            names: tuple[str, ...] = ()
            def save(self, path):
                from liestonet.storage import save""",
    "src/liestonet/storage/__init__.py": "Row = dict[str, Any]\nclass Other: pass\ndef save(value: list[Row]): ...",
    "tests/sde/test_sde.py": "",
    "docs/there.md": "See docs/nowhere.md.",
}


@pytest.fixture
def small(tmp_path) -> Any:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(line.removeprefix("        ") for line in text.strip("\n").splitlines()) + "\n")
    return house.House(tmp_path)


def test_rows(small):
    assert house.counted(small) == {
        "loose modules at the top": "2",
        "parameters with `Any`": "3",
        "of these `X \\| Any`": "1",
        "`Any` in what crosses rooms": "4",  # helper's two parameters and what it returns, the row that save takes
        "`Any` at public doors": "1",  # of SDE.simulate, which `__init__` passes on
        "fields of `Result`": "2",
        "of these with `Any`": "1",
        "fields of findings with `Any`": "0",
        "questions “equation or data?”": "2",
        "numbers at module level": "3 in 2 files",
        "names of them in several modules": "1, 1 with several values",
        "numbers in tuning values": "1",
        "file names used twice or more": "1",
        "class names used twice or more": "1",
        "citations of pages that are not there": "2 in 2 files",
        "modules with a test of their name": "1 of 6",
        "functions of more than 6 arguments": "2",
        "of these, what public doors hand their arguments on to": "1",
        "imports against the direction": "1",
    }


def test_edges_and_their_direction(small):
    edges = {(edge.source, edge.target): edge for edge in small.edges}
    assert not edges["liestonet.sde.sde", "liestonet.errors"].lazy
    assert edges["liestonet", "liestonet.sde"].lazy
    assert edges["liestonet.result.result", "liestonet.storage"].lazy
    wrong = [edge for edge in small.edges if house.against(edge)]
    assert [(edge.source, edge.target) for edge in wrong] == [("liestonet.surrogate.sde", "liestonet.symmetry.kinds")]


def test_matrix_marks_what_is_against_the_direction(small):
    rows = {row.split(" | ")[0].strip("| "): row for row in house.matrix(small)}
    assert "**✗ 1**" in rows["surrogate"]
    assert "✗" not in rows["result"]
    assert "+1~" in rows["result"]


def test_fan_in(small):
    rows = {row.split(" | ")[0].strip("| "): row for row in house.per_room(small)}
    assert "| sde.sde | 2 |" in rows["sde"]


def test_two_columns(small):
    command = [sys.executable, str(ROOT / "tools" / "house.py"), "--root", str(small.root), "--before", str(small.root)]
    outcome = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "| what | before | after |" in outcome.stdout
    assert "| loose modules at the top | 2 | 2 |" in outcome.stdout
    assert "liestonet.surrogate.sde.long: 7" in outcome.stdout


def test_this_house_keeps_its_measures():
    """What was reached once stays: values of few arguments and known types between rooms, one way through them."""
    here = house.House(ROOT)
    loose = [path for path in (ROOT / "src" / "liestonet").glob("*.py") if path.stem not in ("__init__", "__main__")]
    assert len(loose) <= 4
    result = house._result_rows(here)
    assert int(result["fields of `Result`"]) <= 12
    assert result["of these with `Any`"] == result["fields of findings with `Any`"] == "0"
    assert set(house.crossing(here)) <= house.public_doors(here)
    assert len(house.own_signatures(here)) <= 10, house.own_signatures(here)
    assert [edge for edge in here.edges if house.against(edge)] == []
