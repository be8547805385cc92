"""The rooms of the package and the imports allowed between them: one table for tools/house.py and the test.

A room is the first folder below `src/liestonet`; a module at the top is a room of its own, and the package's own
`__init__` is called so. Imports are read from the syntax tree, so that one hidden in a function, behind `TYPE_CHECKING`
or in `import_module("…")` counts like any other. A module that imports what it looks up in a table (the public names,
the classes that a file may hold) imports, lazily, every module that its strings name.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PACKAGE = "liestonet"
# These are outside the method and may import all of it.
OUTSIDE = "storage validation reduction groups render reproduction cli"
# Rooms that combine the steps of the method, and the public names.
LATE = f"result neural pipeline {OUTSIDE} __init__"
# A room (or a named module) is imported only by itself and by those on its right. Rooms that may import it are listed
# below it, so that there are no cycles; "*" is everything below, and rooms without a line.
IMPORTERS = {
    "errors": "*",
    "core": "*",
    "trajectories": f"sde surrogate inference densities diagnostics catalogue {LATE}",
    "sde": f"surrogate symmetry inference formulas algebra densities catalogue {LATE}",
    "surrogate": f"inference diagnostics result neural pipeline {OUTSIDE}",
    "symmetry": f"inference formulas algebra densities catalogue result neural pipeline {OUTSIDE}",
    "inference": f"result neural pipeline {OUTSIDE} __init__",
    "formulas": f"algebra densities result pipeline {OUTSIDE}",
    "algebra": f"catalogue result pipeline {OUTSIDE}",
    "densities": f"pipeline {OUTSIDE} __init__",
    "diagnostics": f"neural pipeline {OUTSIDE}",
    "catalogue": "render.terminal_catalogue reproduction cli __init__",
    "result": f"neural pipeline {OUTSIDE}",
    "neural": "pipeline storage.registry reproduction cli __init__",
    "pipeline": "validation reduction groups reproduction cli __init__",
    "validation": "storage.registry reduction render reproduction cli __init__",
    "reduction": "groups render reproduction cli __init__",
    "storage": "groups cli __init__",
    "study": "groups reproduction cli",
    "groups": "render cli __init__",
    "render": "plots cli",
    "render.html": "plots cli",
    "plots": "__init__",
    "reproduction": "cli",
    "cli": "__main__",
    "__main__": "",
    "__init__": "",
}
# Methods of a result that import other rooms when they are called: (module, what it imports).
OUTWARD = {
    ("groups.comparison", "render.html"): "GroupComparison.report",
    ("result.result", "render.html"): "Result.report and Result.show",
    ("result.result", "render.meaning"): "Result.meaning and Result.to_dictionary",
    ("result.result", "render.next_step"): "Result.to_dictionary",
    ("result.result", "render.latex"): "Result.latex",
    ("result.result", "render.notebook"): "Result._repr_html_ and Result.show",
    ("result.result", "render.view"): "Result.latex and Result._repr_html_",
    ("result.result", "reduction.invariants"): "Result.invariants",
    ("result.result", "reduction.martingales"): "Result.martingales",
    ("result.result", "reduction.recording.equation_fit"): "Result.equation and Result.to_dictionary",
    ("result.result", "storage"): "Result.save",
    ("result.result", "validation.push"): "Result.push",
    ("trajectories.trajectories", "validation.augmentation"): "Trajectories.augmented",
    ("neural.stage_one", "storage"): "_learnt, which keeps a fitted surrogate beside the checkpoints",
}


@dataclass(frozen=True)
class Import:
    """One imported module, its line, whether it is imported in a call, and whether only for type checking."""

    target: str
    line: int
    lazy: bool = False
    typing: bool = False


def within(module: str, places: str | set[str]) -> bool:
    """Whether the module is one of these places, or inside one; places are a set, or separated by blanks."""
    listed = places.split() if isinstance(places, str) else places
    return any(module == place or module.startswith(place + ".") for place in listed)


def inside(module: str) -> str:
    """A module's name without the package in front: `core.ladder`, and `__init__` for the package itself."""
    return "__init__" if module == PACKAGE else module.removeprefix(PACKAGE + ".")


def room(module: str) -> str:
    """The room that a module of the package belongs to."""
    return inside(module).partition(".")[0]


def rooms() -> list[str]:
    """The rooms of the table, lowest first."""
    return [name for name in IMPORTERS if "." not in name]


def direction_problem(module: str, target: str) -> str | None:
    """Why the table does not let one module of the package import another, or None."""
    source, wanted = inside(module), inside(target)
    if wanted == "__init__":  # the version is defined in the package itself
        return None
    ruled = [name for name in IMPORTERS if within(wanted, {name})]
    if not ruled:
        return f"{room(target)} has no line in tools/rooms.py: say there who may import it"
    rule = max(ruled, key=len)
    importers = IMPORTERS[rule]
    if importers == "*":
        above = rooms()[: rooms().index(rule)]
        return f"{room(module)} may not import {rule}, which stands below it" if room(module) in above else None
    if within(source, {rule}) or within(source, importers):
        return None
    return f"nobody imports {rule} except {importers.replace(' ', ', ') or 'itself'}"


def exception(module: str, target: str) -> str | None:
    """The method of a result to which this import is allowed, or None."""
    source, wanted = inside(module), inside(target)
    found = (method for (importer, place), method in OUTWARD.items() if source == importer and within(wanted, place))
    return next(found, None)


def module_name(path: Path, source: Path) -> str:
    """The dotted name of a file below the folder `source`."""
    parts = path.relative_to(source).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def called(node: ast.Call) -> str:
    """The name of the called function: `f` in `f()` and in `a.f()`."""
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")


def imports(tree: ast.AST, module: str, is_package: bool = False) -> Iterator[Import]:
    """Every import of a module; `from a import b` may import the module a.b, so both count."""
    yield from _imports(tree, module, is_package, Import("", 0))
    looked_up = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and called(n) == "import_module"]
    if any(not isinstance(node.args[0], ast.Constant) for node in looked_up if node.args):
        for text in (node for node in ast.walk(tree) if isinstance(node, ast.Constant)):
            name = str(text.value).partition(":")[0]
            if re.fullmatch(rf"{PACKAGE}(\.\w+)+", name):
                yield Import(name, text.lineno, lazy=True)


def _imports(tree: ast.AST, module: str, is_package: bool, where: Import) -> Iterator[Import]:
    for node in ast.iter_child_nodes(tree):
        names = list(_imported(node, module, is_package))
        yield from (Import(name, getattr(node, "lineno", 0), where.lazy, where.typing) for name in names)
        later = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from _imports(ast.Module(node.body, []), module, is_package, Import("", 0, where.lazy, True))
            yield from _imports(ast.Module(node.orelse, []), module, is_package, where)
        else:
            yield from _imports(node, module, is_package, Import("", 0, where.lazy or later, where.typing))


def _imported(node: ast.AST, module: str, is_package: bool) -> Iterator[str]:
    """The modules that one node imports."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = _absolute(node, module, is_package)
        yield base
        yield from (f"{base}.{alias.name}" for alias in node.names)
    elif isinstance(node, ast.Call) and called(node) in {"import_module", "__import__"}:
        yield from (str(argument.value) for argument in node.args[:1] if isinstance(argument, ast.Constant))


def _absolute(node: ast.ImportFrom, module: str, is_package: bool) -> str:
    """The module that `from … import` names, with leading dots resolved."""
    if not node.level:
        return node.module or ""
    climbed = module.split(".")[: len(module.split(".")) - node.level + is_package]
    return ".".join([*climbed, *([node.module] if node.module else [])])
