"""Who may import whom, and what no source file may contain: the part of the design that code can break.

Read from the syntax tree, so that an import hidden in a function, behind `TYPE_CHECKING` or in
`import_module("…")` counts like any other.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "liestonet"
LONGEST_FILE = 600

JAX = {"jax", "jaxlib", "equinox", "optax", "diffrax", "optimistix", "lineax"}
MAY_IMPORT_JAX = {"liestonet.neural", "liestonet.surrogate.neural"}
# Plain values that load no JAX, as `test_settings_load_no_jax` checks: `liestonet.Neural` lives there.
NEURAL_WITHOUT_JAX = {"liestonet.neural.settings"}
# DESIGN names four rooms; the pipeline and what it starts from may not look answers up either.
SEARCHING = "surrogate symmetry algebra validation diagnostics sde discovery from_data neural"
WITHOUT_CATALOGUE = {f"liestonet.{room}" for room in SEARCHING.split()}
# `report` is for the command line and the public plots, and for the result's own report(), which imports it lazily.
RIM = {"liestonet.cli", "liestonet.__main__", "liestonet.plots"}
MAY_REPORT_LAZILY = {"liestonet.discovery", "liestonet.result"}
PICKLES = {"pickle", "cloudpickle", "dill", "shelve", "marshal", "joblib"}
RUNS_TEXT = {"eval", "exec", "compile", "parse_expr"}  # SymPy's parse_expr evaluates what it reads


@dataclass(frozen=True)
class Import:
    """One imported module, where it stands, and whether it is run at import time."""

    target: str
    line: int
    lazy: bool


def within(module: str, rooms: set[str]) -> bool:
    """Is the module one of these, or inside one?"""
    return any(module == room or module.startswith(room + ".") for room in rooms)


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def absolute(node: ast.ImportFrom, module: str, is_package: bool) -> str:
    """The module that `from … import` names, with leading dots resolved."""
    if not node.level:
        return node.module or ""
    climbed = module.split(".")[: len(module.split(".")) - node.level + is_package]
    return ".".join([*climbed, *([node.module] if node.module else [])])


def imports(tree: ast.AST, module: str, is_package: bool = False, lazy: bool = False) -> Iterator[Import]:
    """Every import below a node; `from a import b` may import the module a.b, so both count."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, node.lineno, lazy) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = absolute(node, module, is_package)
            yield Import(base, node.lineno, lazy)
            yield from (Import(f"{base}.{alias.name}", node.lineno, lazy) for alias in node.names)
        elif isinstance(node, ast.Call) and called(node) in {"import_module", "__import__"}:
            text = (argument.value for argument in node.args[:1] if isinstance(argument, ast.Constant))
            yield from (Import(str(name), node.lineno, lazy) for name in text)
        inside = lazy or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        yield from imports(node, module, is_package, inside)


def called(node: ast.Call) -> str:
    """The last name of what is called: `f` in `f()` and in `a.f()`."""
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")


def import_problem(module: str, found: Import) -> str | None:
    """Why this module may not import that one, or None."""
    target = found.target
    if within(target, {"liestonet.catalogue"}) and within(module, WITHOUT_CATALOGUE):
        return "the method may not know the catalogue's answers"
    if target.partition(".")[0] in JAX and not within(module, MAY_IMPORT_JAX):
        return "only the neural rooms import JAX"
    heavy = within(target, MAY_IMPORT_JAX) and not within(target, NEURAL_WITHOUT_JAX)
    if heavy and not found.lazy and not within(module, MAY_IMPORT_JAX):
        return "a neural room loads JAX: import it inside the function that needs it"
    if within(target, {"liestonet.cli"}) and not within(module, RIM):
        return "only the rim imports the command line"
    if within(target, {"liestonet.report"}) and not within(module, {*RIM, "liestonet.report"}):
        if module not in MAY_REPORT_LAZILY:
            return "only the rim imports the report"
        if not found.lazy:
            return "the report loads matplotlib: import it inside the function that needs it"
    if target.partition(".")[0] in PICKLES:
        return "no pickle, ever"
    return None


def content_problem(node: ast.AST) -> str | None:
    """Why this piece of code may not stand in the package, or None."""
    if isinstance(node, ast.Assert):
        return "assert disappears with -O: raise an error that says what to do"
    if not isinstance(node, ast.Call):
        return None
    if isinstance(node.func, ast.Name) and node.func.id == "print":
        return "print belongs to the command line's console"
    plain = isinstance(node.func, ast.Name) or called(node) == "parse_expr"  # re.compile is no compile
    if plain and called(node) in RUNS_TEXT:
        return f"{called(node)}() runs text as code"
    allowed = [keyword.value for keyword in node.keywords if keyword.arg == "allow_pickle"]
    if any(getattr(value, "value", True) for value in allowed):
        return "no pickle, ever"
    return None


def problems(source: str, module: str, is_package: bool = False) -> list[str]:
    """Everything wrong with one source file, as `module:line: reason`."""
    tree = ast.parse(source)
    found = [(item.line, import_problem(module, item)) for item in imports(tree, module, is_package)]
    found += [(getattr(node, "lineno", 0), content_problem(node)) for node in ast.walk(tree)]
    return [f"{module}:{line}: {reason}" for line, reason in sorted(set(found), key=str) if reason]


def test_the_package_keeps_its_rules():
    files = sorted(PACKAGE.rglob("*.py"))
    wrong = [
        problem
        for path in files
        for problem in problems(path.read_text(encoding="utf-8"), module_name(path), path.stem == "__init__")
    ]
    assert files
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("folder", ["src", "tests", "tools", "experiments", "benchmarks"])
def test_no_file_is_too_long(folder):
    texts = {path: path.read_text(encoding="utf-8") for path in (ROOT / folder).rglob("*.py")}
    long = [str(path.relative_to(ROOT)) for path, text in texts.items() if text.count("\n") > LONGEST_FILE]
    assert not long, f"more than {LONGEST_FILE} lines: {long}"


OFFENCES = [
    ("symmetry.operator", "from liestonet.catalogue import catalogue"),
    ("symmetry.operator", "from liestonet import catalogue"),
    ("symmetry.operator", "from .. import catalogue"),
    ("algebra", "def f():\n    import liestonet.catalogue"),
    ("discovery", "def f():\n    from liestonet import catalogue"),
    ("validation.flows", "import_module('liestonet.catalogue')"),
    ("surrogate.spectral", "if TYPE_CHECKING:\n    from liestonet.catalogue import System"),
    ("discovery", "def f():\n    import jax.numpy as jnp"),
    ("surrogate.spectral", "from equinox import Module"),
    ("discovery", "from liestonet.neural import train"),
    ("symmetry.kinds", "import liestonet.cli"),
    ("storage", "def f():\n    from liestonet.report import page"),
    ("discovery", "from liestonet.report import page"),
    ("storage", "import pickle"),
    ("storage", "numpy.load(path, allow_pickle=True)"),
    ("sde.parse", "eval('1')"),
    ("sde.parse", "exec('1')"),
    ("sde.parse", "sympy.parse_expr(text)"),
    ("sde.parse", "assert True"),
    ("sde.parse", "def f():\n    print('here')"),
]
ALLOWED = [
    ("neural.training", "import jax, equinox, optax, diffrax"),
    ("surrogate.neural", "import jax"),
    ("discovery", "def f():\n    from liestonet.neural import train"),
    ("discovery", "def f():\n    from liestonet.report import page"),
    ("cli", "from liestonet import catalogue\nfrom liestonet.report import page"),
    ("__main__", "from liestonet.cli import main"),
    ("report.page", "from liestonet.report.plots import ladder"),
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
