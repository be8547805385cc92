"""Who may import whom, and what no source file may contain: the part of the design that code can break.

Every rule says "nobody except", so that a new file or room is covered on the day it is born. Who may import a room of
the package stands in tools/rooms.py, who may import a library stands here.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tools"))
rooms: Any = import_module("rooms")
SOURCE = ROOT / "src"
PACKAGE = SOURCE / "liestonet"
LONGEST_FILE = 600

# Nobody imports these libraries except the rooms and modules to the right of them; "*" is everybody.
LIBRARIES = {
    "numpy scipy jaxtyping": "*",  # jaxtyping alone loads no JAX
    "sympy mpmath": "*",
    "jax jaxlib equinox optax diffrax optimistix lineax": "neural",
    "matplotlib": "render.html reproduction.figures",
    "PIL": "render.html.svg",
    "jinja2 markupsafe": "render.html",
    "rich": "render cli",
    "typer": "cli",
    "pyarrow": "trajectories reproduction.trades",
    "h5py h5netcdf": "trajectories",
    "safetensors": "storage neural.checkpoint",
    "distributed": "core.cluster",
    "threadpoolctl": "core.threads",
    "IPython": "core.notebook_bar",
    "pickle cloudpickle dill shelve marshal joblib": "",
}
# Plain values that load no JAX, as `test_settings_load_no_jax` checks: `liestonet.Neural` lives there.
NEURAL_WITHOUT_JAX = "neural.settings"
RUNS_TEXT = {"eval", "exec", "compile", "parse_expr"}  # SymPy's parse_expr evaluates what it reads


def import_problem(module: str, found: Any) -> str | None:
    """Why this module may not import that one, or None."""
    if found.target.partition(".")[0] != "liestonet":
        return library_problem(module, found.target.partition(".")[0])
    source, target = rooms.inside(module), rooms.inside(found.target)
    heavy = rooms.within(target, "neural") and not rooms.within(target, NEURAL_WITHOUT_JAX)
    if heavy and not (found.lazy or found.typing or rooms.within(source, "neural")):
        return "a neural room loads JAX: import it inside the function that needs it"
    reason = rooms.direction_problem(module, found.target)
    if reason is None:
        return None
    method = rooms.exception(module, found.target)
    if method is not None:
        return None if found.lazy else f"only {method} reaches so far out: import it inside that method"
    return reason


def library_problem(module: str, library: str) -> str | None:
    """Why this module may not import that library, or None."""
    rules = [importers for names, importers in LIBRARIES.items() if library in names.split()]
    if not rules:
        known = library in sys.stdlib_module_names or not library
        return None if known else f"{library} is new here: say in this test who may import it"
    if rules[0] == "*" or rooms.within(rooms.inside(module), rules[0]):
        return None
    return f"nobody imports {library} except {rules[0].replace(' ', ', ')}" if rules[0] else "no pickle, ever"


def content_problem(node: ast.AST) -> str | None:
    """Why this piece of code may not stand in the package, or None."""
    if isinstance(node, ast.Assert):
        return "assert disappears with -O: raise an error that says what to do"
    if not isinstance(node, ast.Call):
        return None
    if isinstance(node.func, ast.Name) and node.func.id == "print":
        return "print belongs to the command line's console"
    plain = isinstance(node.func, ast.Name) or rooms.called(node) == "parse_expr"  # re.compile is no compile
    if plain and rooms.called(node) in RUNS_TEXT:
        return f"{rooms.called(node)}() runs text as code"
    allowed = [keyword.value for keyword in node.keywords if keyword.arg == "allow_pickle"]
    if any(getattr(value, "value", True) for value in allowed):
        return "no pickle, ever"
    return None


@cache
def parsed(source: str) -> ast.Module:
    return ast.parse(source)


@cache
def imports(source: str, module: str, is_package: bool) -> list[Any]:
    return list(rooms.imports(parsed(source), module, is_package))


def problems(source: str, module: str, is_package: bool = False) -> list[str]:
    """Everything wrong with one source file, as `module:line: reason`."""
    found = [(item.line, import_problem(module, item)) for item in imports(source, module, is_package)]
    found += [(getattr(node, "lineno", 0), content_problem(node)) for node in ast.walk(parsed(source))]
    return [f"{module}:{line}: {reason}" for line, reason in sorted(set(found), key=str) if reason]


def source_files() -> Iterator[tuple[str, str, bool]]:
    """Text and name of every module, and whether it is a package."""
    for path in sorted(PACKAGE.rglob("*.py")):
        yield path.read_text(encoding="utf-8"), rooms.module_name(path, SOURCE), path.stem == "__init__"


def test_the_package_keeps_its_rules():
    wrong = [found for file in source_files() for found in problems(*file)]
    assert not wrong, "\n".join(wrong)


def test_no_exception_is_left_over():
    edges = {
        (rooms.inside(module), rooms.inside(found.target))
        for text, module, is_package in source_files()
        for found in imports(text, module, is_package)
    }
    left = [line for line in rooms.OUTWARD if line not in edges]
    assert not left, f"nothing imports like this any more, take the line away: {left}"


def test_the_table_has_one_direction():
    order = list(rooms.IMPORTERS)
    for place, (name, importers) in enumerate(rooms.IMPORTERS.items()):
        above = {importer.partition(".")[0] for importer in importers.split()} & set(order[: place + 1])
        assert not above, f"{name} is imported by {above}, which stand above it in tools/rooms.py"


def test_the_table_names_every_room():
    there = {rooms.room(module) for _, module, _ in source_files()}
    assert set(rooms.rooms()) == there


@pytest.mark.parametrize("folder", ["src", "tests", "tools", "experiments", "benchmarks"])
def test_no_file_is_too_long(folder):
    texts = {path: path.read_text(encoding="utf-8") for path in (ROOT / folder).rglob("*.py")}
    long = [str(path.relative_to(ROOT)) for path, text in texts.items() if text.count("\n") > LONGEST_FILE]
    assert not long, f"more than {LONGEST_FILE} lines: {long}"


OFFENCES = [
    # the catalogue knows the answers: not for those who look for them, nor for rooms that are new
    ("symmetry.operator", "from liestonet.catalogue import catalogue"),
    ("symmetry.operator", "from liestonet import catalogue"),
    ("symmetry.operator", "from .. import catalogue"),
    ("algebra", "def f():\n    import liestonet.catalogue"),
    ("pipeline.solve", "def f():\n    from liestonet import catalogue"),
    ("validation.flows", "import_module('liestonet.catalogue')"),
    ("surrogate.spectral", "if TYPE_CHECKING:\n    from liestonet.catalogue import System"),
    ("trajectories.readers", "from liestonet.catalogue.system import System"),
    ("result.result", "def f():\n    from liestonet.catalogue import catalogue"),
    ("storage.registry", "import_module(home)\nHOMES = {'System': 'liestonet.catalogue.system:System'}"),
    ("render.terminal", "from liestonet import catalogue"),
    ("new_room.new_file", "from liestonet import catalogue"),
    ("new_module", "from liestonet.catalogue import catalogue"),
    # libraries
    ("pipeline.solve", "def f():\n    import jax.numpy as jnp"),
    ("surrogate.spectral", "from equinox import Module"),
    ("new_room.new_file", "import optax"),
    ("render.terminal", "def f():\n    import matplotlib.pyplot as plt"),
    ("diagnostics.report", "import matplotlib"),
    ("symmetry.kinds", "from rich.table import Table"),
    ("trajectories.readers", "import pandas"),
    ("storage", "import pickle"),
    ("neural.checkpoint", "def f():\n    from joblib import dump"),
    ("pipeline.solve", "from liestonet.neural import train"),
    ("cli.discover", "from liestonet.neural.engine import run"),
    # rooms
    ("core.domain", "from liestonet.sde.taylor import SeriesRing"),
    ("core.domain", "if TYPE_CHECKING:\n    from liestonet.sde.taylor import SeriesRing"),
    ("errors", "from liestonet.core.flags import Flag"),
    ("trajectories.readers", "from liestonet.sde import SDE"),
    ("surrogate.spectral", "from liestonet.symmetry.determining.kinds import ITO"),
    ("symmetry.statistical.search", "def f():\n    from liestonet.surrogate.surrogate import Surrogate"),
    ("symmetry.statistical.search", "from ...inference.refit import Refit"),
    ("surrogate.spectral", "from liestonet.inference.refit import Refit"),
    ("formulas.closed_forms", "from liestonet.algebra.structure import Algebra"),
    ("formulas.closed_forms", "from liestonet.surrogate.surrogate import Surrogate"),
    ("inference.stages", "def f():\n    from liestonet.pipeline.discover import discover"),
    ("neural.training", "from liestonet.pipeline.discover import Request"),
    ("result.result", "from liestonet.pipeline.assemble import finite_result"),
    ("diagnostics.report", "from liestonet.inference.refit import Refit"),
    ("pipeline.discover", "from liestonet.validation.ratio_test import test"),
    ("new_room.new_file", "from liestonet.pipeline.discover import discover"),
    ("sde.sde", "from liestonet.new_room import anything"),
    ("sde.sde", "from liestonet import solve"),
    ("symmetry.kinds", "import liestonet.cli"),
    # what only a result's own methods reach, and only when they are called
    ("storage", "def f():\n    from liestonet.render.html import page"),
    ("pipeline.solve", "def f():\n    from liestonet.render.html import page"),
    ("render.terminal", "from liestonet.render.html import page"),
    ("result.result", "from liestonet.render.html import write_report"),
    ("result.result", "def f():\n    from liestonet.render.terminal import render"),
    ("result.ladder", "def f():\n    from liestonet.storage import save"),
    # text that runs, and what disappears or prints
    ("storage", "numpy.load(path, allow_pickle=True)"),
    ("sde.parse", "eval('1')"),
    ("sde.parse", "exec('1')"),
    ("sde.parse", "sympy.parse_expr(text)"),
    ("sde.parse", "assert True"),
    ("sde.parse", "def f():\n    print('here')"),
]
ALLOWED = [
    ("neural.training", "import jax, equinox, optax, diffrax"),
    ("pipeline.solve", "def f():\n    from liestonet.neural import train"),
    ("result.result", "def f():\n    from liestonet.render.html import write_report"),
    ("result.result", "def f():\n    from liestonet.storage import save"),
    ("cli", "from liestonet import catalogue\nfrom liestonet.render.html import page"),
    ("render.terminal_catalogue", "from liestonet import catalogue"),
    ("render.html.plots", "def f():\n    import matplotlib.pyplot as plt"),
    ("__main__", "from liestonet.cli import main"),
    ("render.html.page", "from liestonet.render.html.plots import ladder"),
    ("render.terminal", "from liestonet.render.view import ResultView"),
    ("inference.stages", "from liestonet.surrogate import spectral_fit\nfrom liestonet.symmetry import determining"),
    ("storage.registry", "import_module(home)\nHOMES = {'Validation': 'liestonet.validation.validate'}"),
    ("storage.pack", "TEXT = 'liestonet.validation.validate'"),
    ("new_room.new_file", "from liestonet.core.domain import Domain\nfrom liestonet.errors import InputError"),
    ("cli", "import liestonet"),
    ("sde.parse", "re.compile('x'); np.load(path, allow_pickle=False); console.print('x')"),
]


@pytest.mark.parametrize(("module", "source"), OFFENCES)
def test_checker_finds(module, source):
    assert problems(source, f"liestonet.{module}")


@pytest.mark.parametrize(("module", "source"), ALLOWED)
def test_checker_lets_pass(module, source):
    assert not problems(source, f"liestonet.{module}")


def test_checker_resolves_dots_in_a_package():
    assert problems("from ..catalogue import catalogue", "liestonet.symmetry", is_package=True)
    assert not problems("from .catalogue import own", "liestonet.symmetry", is_package=True)


def test_checker_distinguishes_when_an_import_runs():
    source = "import a\nif TYPE_CHECKING:\n    import b\nelse:\n    import c\ndef f():\n    import d\n"
    found = {item.target: (item.lazy, item.typing) for item in rooms.imports(ast.parse(source), "liestonet.sde")}
    assert found == {"a": (False, False), "b": (False, True), "c": (False, False), "d": (True, False)}
