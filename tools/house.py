"""The structure of the package in numbers: `python tools/house.py [--root DIR] [--before DIR] [--trace]`, as Markdown.

Reads source files only (any checkout, standard library alone), but for `--trace`, which runs both. Three parts:

1. Who imports whom: modules of the room on the left that import modules of the room above, at import time; `+n~` more
   inside functions (`import_module("…")` and tables of module names count there), `+n:` more for type checkers only.
   **✗** marks an edge that tools/rooms.py does not allow; a list with the modules follows. Rooms that are not in that
   table, as older checkouts have, are not judged.
2. Files and lines of each room, and the module of it that most other modules import.
3. Obstacles for a newcomer, counted as follows.
   - Loose modules: files at the top beside `__init__` and `__main__`.
   - `Any` in parameters: parameters of functions whose annotation has an `Any` anywhere; `X | Any` where the
     annotation is such a union. (House plan: 950 and 152 on 8cf7b21, counted by another rule; here 967 and 146.)
   - `Any` in what crosses rooms: annotations with an `Any` of parameters, returned values, fields and public methods
     of functions and classes that another room imports by name. A name that a room's `__init__` passes on is looked up
     where it is defined, and a name bound to a type with an `Any` (`Row = list[Any]`) is one. Public doors (below) may
     take anything; theirs are counted apart.
   - Fields of `Result`, those of them with an `Any` (the plan's six are nothing but `Any`; one more holds some), and
     fields with an `Any` of classes named `…Findings`.
   - "Equation or data?": `standards is None`, `criteria is None`, their opposites, and `isinstance(…, …Findings)`.
   - Numbers at module level: names bound to numbers, or to literal tuples, lists and dictionaries of numbers, and
     arithmetic of them (plan: 688 in 182 files; here 667 in 183). Names of them used in several modules, and those
     with several values. Fields with a number as default of frozen dataclasses named `…Tuning` are counted apart.
   - File names used twice: `__init__` aside. Class names: those defined more than once, private ones among them.
   - Pages that are cited and not there: names of .md files in docstrings, comments and pages; pages that the site's
     build makes (docs/reference) are there.
   - Tests with a namesake: modules x/y.py of the package that have a test x/test_y.py.
   - Functions of more than six arguments (self aside) outside `cli` and public doors: what `liestonet.__all__` and
     `liestonet.plots.__all__` list, methods of the classes among them and of `Result`. Those among them that a public
     door or method hands at least five of its own arguments on to, as `SDE.simulate` does, are counted beside. (Plan:
     about 25, without these.)
   - Room changes: see tools/house_walk.py. (Plan: about 30 for discover and 18 for solve; here 33 and 21.)
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import os
import re
import subprocess
import sys
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import UnionType

from rooms import PACKAGE, direction_problem, exception, imports, module_name, room, rooms

MOST_ARGUMENTS = 6
FOLDERS = ("src", "tests", "tools", "experiments", "benchmarks", "docs")
Definition = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Edge:
    """An import of one module by another, in the same or another room."""

    source: str
    target: str
    lazy: bool
    typing: bool


@dataclass(frozen=True)
class House:
    """The syntax trees and imports of one checkout."""

    root: Path

    @cached_property
    def trees(self) -> dict[str, ast.Module]:
        """The package's modules by name."""
        files = sorted((self.root / "src" / PACKAGE).rglob("*.py"))
        return {module_name(path, self.root / "src"): ast.parse(path.read_text(encoding="utf-8")) for path in files}

    @cached_property
    def files(self) -> dict[str, Path]:
        files = sorted((self.root / "src" / PACKAGE).rglob("*.py"))
        return {module_name(path, self.root / "src"): path for path in files}

    @cached_property
    def defined(self) -> dict[str, set[str]]:
        """Functions and classes at the top of each module."""
        return {module: set(map(_name, tree.body)) for module, tree in self.trees.items()}

    @cached_property
    def imported(self) -> dict[str, dict[str, str]]:
        """For every module, its imported names and the modules they come from."""
        found: dict[str, dict[str, str]] = {module: {} for module in self.trees}
        for module, node in self.nodes(ast.ImportFrom):
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    found[module].setdefault(alias.name, node.module)
        return found

    @cached_property
    def edges(self) -> list[Edge]:
        """Every pair of modules with an import between them, once: at import time, else lazily, else typing."""
        found: dict[tuple[str, str], Edge] = {}
        for module, tree in self.trees.items():
            for item in imports(tree, module, self.files[module].stem == "__init__"):
                target = self._module(item.target)
                if target not in (None, module, PACKAGE):
                    edge = Edge(module, target, item.lazy, item.typing)
                    known = found.setdefault((module, target), edge)
                    if (known.typing, known.lazy) > (edge.typing, edge.lazy):
                        found[module, target] = edge
        return list(found.values())

    def _module(self, name: str) -> str | None:
        """The module with an imported name, or the module of this name itself."""
        while name and name not in self.trees:
            name = name.rpartition(".")[0]
        return name or None

    def nodes(self, kind: type | UnionType) -> Iterator[tuple[str, ast.AST]]:
        """Every node of this kind, with its module."""
        for module, tree in self.trees.items():
            yield from ((module, node) for node in ast.walk(tree) if isinstance(node, kind))


def against(edge: Edge) -> str | None:
    """Why an import is not allowed, or None; rooms that are not in the table are not checked."""
    if not {room(edge.source), room(edge.target)} <= set(rooms()):
        return None
    reason = direction_problem(edge.source, edge.target)
    return None if reason and edge.lazy and exception(edge.source, edge.target) else reason


def matrix(house: House) -> list[str]:
    """Room by room: who imports whom."""
    cells: dict[tuple[str, str], list[Edge]] = defaultdict(list)
    for edge in house.edges:
        if room(edge.source) != room(edge.target):
            cells[room(edge.source), room(edge.target)].append(edge)
    present = {room(module) for module in house.trees}
    order = [*(name for name in rooms() if name in present), *sorted(present - set(rooms()))]
    targets = [name for name in order if any(target == name for _, target in cells)]
    lines = [f"| imports | {' | '.join(targets)} |", "|---|" + "---|" * len(targets)]
    for source in order:
        row = [_cell(cells.get((source, target), [])) for target in targets]
        lines.append(f"| {source} | {' | '.join(row)} |")
    return lines


def _cell(edges: list[Edge]) -> str:
    if not edges:
        return ""
    typing = sum(edge.typing for edge in edges)
    lazy = sum(edge.lazy and not edge.typing for edge in edges)
    rest = len(edges) - typing - lazy
    text = "".join([str(rest) if rest else "", f"+{lazy}~" if lazy else "", f"+{typing}:" if typing else ""])
    return f"**✗ {text}**" if any(map(against, edges)) else text


def exceptions(house: House) -> list[str]:
    """Edges against the direction, and those that a result's methods are allowed."""
    wrong = [f"- ✗ {edge.source} → {edge.target}: {against(edge)}" for edge in house.edges if against(edge)]
    outward = [(edge, exception(edge.source, edge.target)) for edge in house.edges if edge.lazy]
    named = [f"- {method}: {edge.source} → {edge.target}, when called" for edge, method in outward if method]
    return [*(wrong or ["No edge is against the direction."]), "", *named]


def per_room(house: House) -> list[str]:
    """Files, lines and largest fan-in of each room."""
    importers: dict[str, set[str]] = defaultdict(set)
    for edge in house.edges:
        importers[edge.target].add(edge.source)
    lines = ["| room | files | lines | most imported module | importers |", "|---|---|---|---|---|"]
    present = {room(module) for module in house.trees}
    total = 0
    for name in [*(name for name in rooms() if name in present), *sorted(present - set(rooms()))]:
        modules = [module for module in house.trees if room(module) == name]
        count = sum(_lines(house.files[module]) for module in modules)
        total += count
        most = max(modules, key=lambda module: len(importers[module]))
        shown = f"{most.removeprefix(PACKAGE + '.')} | {len(importers[most])}"
        lines.append(f"| {name} | {len(modules)} | {count} | {shown} |")
    return [*lines, f"| all | {len(house.trees)} | {total} | | |"]


def _lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def counted(house: House) -> dict[str, str]:
    """The rows of the table of obstacles for a newcomer."""
    rows: dict[str, str] = {}
    loose = sorted(m for m in house.trees if m.count(".") == 1 and house.files[m].stem not in ("__init__", "__main__"))
    loose = [module for module in loose if house.files[module].parent.name == PACKAGE]
    rows["loose modules at the top"] = str(len(loose))
    parameters = [a.annotation for _, f in house.nodes(Definition) for a in _arguments(f) if a.annotation]
    rows["parameters with `Any`"] = str(sum(map(_has_any, parameters)))
    rows["of these `X \\| Any`"] = str(sum(map(_is_union_with_any, parameters)))
    doors = public_doors(house)
    met = [(module, name) in doors for module, name in crossing(house)]
    rows["`Any` in what crosses rooms"] = str(met.count(False))
    rows["`Any` at public doors"] = str(met.count(True))
    rows.update(_result_rows(house))
    rows.update(_number_rows(house))
    rows["file names used twice or more"] = str(len(repeated_files(house)))
    rows["class names used twice or more"] = str(len(repeated_classes(house)))
    cited = missing_pages(house.root)
    rows["citations of pages that are not there"] = f"{sum(cited.values())} in {len(cited)} files"
    alone = [path for path in house.files.values() if path.stem != "__init__"]
    rows["modules with a test of their name"] = f"{sum(_has_test(house.root, path) for path in alone)} of {len(alone)}"
    long = long_signatures(house)
    rows[f"functions of more than {MOST_ARGUMENTS} arguments"] = str(len(long))
    rows["of these, what public doors hand their arguments on to"] = str(len(long) - len(own_signatures(house)))
    rows["imports against the direction"] = str(sum(against(edge) is not None for edge in house.edges))
    return rows


def repeated_files(house: House) -> dict[str, int]:
    """Names of files that several folders have, with how often."""
    names = Counter(path.name for path in house.files.values() if path.name != "__init__.py")
    return {name: count for name, count in names.most_common() if count > 1}


def repeated_classes(house: House) -> dict[str, int]:
    """Names of classes that are defined more than once, with how often."""
    names = Counter(_name(node) for _, node in house.nodes(ast.ClassDef))
    return {name: count for name, count in names.most_common() if count > 1}


def _arguments(function: ast.AST) -> list[ast.arg]:
    if not isinstance(function, Definition):
        return []
    given = function.args
    rest = [extra for extra in (given.vararg, given.kwarg) if extra is not None]
    return [*given.posonlyargs, *given.args, *given.kwonlyargs, *rest]


def _has_any(annotation: ast.AST) -> bool:
    return any(isinstance(node, ast.Name) and node.id == "Any" for node in ast.walk(annotation))


def _is_union_with_any(annotation: ast.AST) -> bool:
    if not (isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr)):
        return False
    sides = (annotation.left, annotation.right)
    return any((isinstance(side, ast.Name) and side.id == "Any") or _is_union_with_any(side) for side in sides)


def crossing(house: House) -> list[tuple[str, str]]:
    """Module and name of every function and class with an `Any` that another room imports, once per annotation."""
    found: list[tuple[str, str]] = []
    loose = loose_names(house)
    names = {
        (room(module), *_home(house, node.module, alias.name))
        for module, node in house.nodes(ast.ImportFrom)
        if isinstance(node, ast.ImportFrom) and not node.level and node.module
        for alias in node.names
    }
    importers: dict[tuple[str, str], set[str]] = defaultdict(set)
    for importer, home, name in names:
        importers[home, name].add(importer)
    for module, tree in house.trees.items():
        for node in tree.body:
            if isinstance(node, Definition | ast.ClassDef) and importers[module, node.name] - {room(module)}:
                found += [(module, node.name) for part in _annotations(node) if _meets(house, module, part, loose)]
    return found


def loose_names(house: House) -> set[tuple[str, str]]:
    """Module and name of everything bound to a type with an `Any` in it, at the top of a module or of an `if` there."""
    bound = [
        (module, *binding)
        for module, tree in house.trees.items()
        for part in (tree.body, *((*node.body, *node.orelse) for node in tree.body if isinstance(node, ast.If)))
        for binding in _bindings(ast.Module([*part], []))
    ]
    loose: set[tuple[str, str]] = set()
    while True:
        more = {(module, name) for module, name, value in bound if _meets(house, module, value, loose)}
        if more <= loose:
            return loose
        loose |= more


def _meets(house: House, module: str, annotation: ast.expr, loose: set[tuple[str, str]]) -> bool:
    """Whether an annotation of this module contains `Any`, or a name bound to one; types in quotes are parsed."""
    parts: ast.AST = annotation
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            parts = ast.parse(annotation.value.strip(), mode="eval")
        except (SyntaxError, ValueError):  # a string that is not a type
            return False
    names = {node.id for node in ast.walk(parts) if isinstance(node, ast.Name)}
    return "Any" in names or any(_home(house, module, name) in loose for name in names)


def _annotations(node: Definition | ast.ClassDef) -> Iterator[ast.expr]:
    """The annotations in the interface of a function or class."""
    if isinstance(node, ast.ClassDef):
        yield from (field.annotation for field in _fields(node))
        methods = [method for method in node.body if isinstance(method, Definition)]
        for method in methods:
            if not method.name.startswith("_") or method.name == "__init__":
                yield from _annotations(method)
        return
    yield from (argument.annotation for argument in _arguments(node) if argument.annotation)
    yield from [node.returns] if node.returns else []


def _result_rows(house: House) -> dict[str, str]:
    """The rows on the size of results, and on tests of their origin."""
    classes = [(module, node) for module, node in house.nodes(ast.ClassDef) if isinstance(node, ast.ClassDef)]
    fields = [(m, field.annotation) for m, node in classes if node.name == "Result" for field in _fields(node)]
    findings = [
        (m, field.annotation) for m, node in classes if node.name.endswith("Findings") for field in _fields(node)
    ]
    loose = loose_names(house)
    return {
        "fields of `Result`": str(len(fields)),
        "of these with `Any`": str(sum(_meets(house, *field, loose) for field in fields)),
        "fields of findings with `Any`": str(sum(_meets(house, *field, loose) for field in findings)),
        "questions “equation or data?”": str(sum(_asks_origin(node) for _, node in house.nodes(ast.expr))),
    }


def _fields(node: ast.ClassDef) -> list[ast.AnnAssign]:
    return [field for field in node.body if isinstance(field, ast.AnnAssign)]


def _asks_origin(node: ast.AST) -> bool:
    """Whether an expression is `x.standards is None` or a test of the class of findings."""
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Is | ast.IsNot):
        name = node.left.id if isinstance(node.left, ast.Name) else getattr(node.left, "attr", "")
        return name in {"standards", "criteria"} and getattr(node.comparators[0], "value", 0) is None
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance" and len(node.args) == 2:
        return "Findings" in ast.unparse(node.args[1])
    return False


def _number_rows(house: House) -> dict[str, str]:
    """The rows on numbers at module level, on names used in several modules, and on numbers in tuning values."""
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for module, tree in house.trees.items():
        for name, value in _bindings(tree):
            if _is_number(value):
                found[name].append((module, ast.unparse(value)))
    several = {name: uses for name, uses in found.items() if len({module for module, _ in uses}) > 1}
    differing = sum(len({value for _, value in uses}) > 1 for uses in several.values())
    modules = {module for uses in found.values() for module, _ in uses}
    tuning = [
        field
        for _, node in house.nodes(ast.ClassDef)
        if isinstance(node, ast.ClassDef) and node.name.endswith("Tuning")
        for field in _fields(node)
        if field.value is not None and _is_number(field.value)
    ]
    return {
        "numbers at module level": f"{sum(map(len, found.values()))} in {len(modules)} files",
        "names of them in several modules": f"{len(several)}, {differing} with several values",
        "numbers in tuning values": str(len(tuning)),
    }


def _bindings(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Names that a module binds at its top level, with their values; tuples are taken apart."""
    for node in tree.body:
        if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
            continue
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            pairs = zip(target.elts, node.value.elts, strict=True)
        else:
            pairs = [(target, node.value)]
        yield from ((name.id, value) for name, value in pairs if isinstance(name, ast.Name))


def _is_number(value: ast.AST) -> bool:
    """Whether a value consists of numbers: one, arithmetic, or literal containers of them (possibly with None)."""
    nodes = list(ast.walk(value))
    parts = ast.Constant | ast.UnaryOp | ast.BinOp | ast.Tuple | ast.List | ast.Dict | ast.Name
    plain = all(isinstance(node, parts | ast.operator | ast.unaryop | ast.expr_context) for node in nodes)
    constants = [node.value for node in nodes if isinstance(node, ast.Constant)]
    numbers = [number for number in constants if isinstance(number, int | float) and not isinstance(number, bool)]
    return plain and bool(numbers) and len(numbers) + constants.count(None) == len(constants)


def missing_pages(root: Path) -> dict[str, int]:
    """How often each file cites a page that is not in the repository."""
    pages = [*root.glob("*.md"), *(page for folder in FOLDERS for page in (root / folder).rglob("*.md"))]
    there = {page.name for page in pages}
    made = {"python.md", "values.md", "command-line.md", "speed.md"}  # by tools/build_site.py
    cited = {}
    for path in (path for folder in FOLDERS for path in sorted((root / folder).rglob("*.*"))):
        if path.suffix in (".py", ".md"):
            pages = re.findall(r"[\w-]+\.md\b", _prose(path))
            cited[str(path.relative_to(root))] = sum(page not in there | made for page in pages)
    return {name: count for name, count in cited.items() if count}


def _prose(path: Path) -> str:
    """The prose of a file: a page as it is; comments and docstrings of Python."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return text
    comments = [t.string for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.type == tokenize.COMMENT]
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Module | ast.ClassDef | Definition)]
    return "\n".join([*comments, *(ast.get_docstring(node) or "" for node in nodes)])


def _has_test(root: Path, path: Path) -> bool:
    beside = path.relative_to(root / "src" / PACKAGE).parent
    return (root / "tests" / beside / f"test_{path.stem}.py").is_file()


def public_doors(house: House) -> set[tuple[str, str]]:
    """Module and name of what `__all__` of the package and of its plots lists, and the class of results."""
    listed = [
        _home(house, door, name)
        for door in (PACKAGE, f"{PACKAGE}.plots")
        for key, value in _bindings(house.trees[door])
        if key == "__all__"
        for name in ast.literal_eval(value)
    ]
    results = [(module, "Result") for module, tree in house.trees.items() if "Result" in map(_name, tree.body)]
    return {*listed, *results}


def _home(house: House, module: str, name: str) -> tuple[str, str]:
    """The module in which a name is defined, followed through re-exports."""
    if module not in house.trees or name in house.defined[module] or name not in house.imported[module]:
        return module, name
    source = house.imported[module][name]
    return _home(house, source, name) if source != module else (f"{module}.{name}", name)


def _name(node: ast.AST) -> str:
    return node.name if isinstance(node, Definition | ast.ClassDef) else ""


def long_signatures(house: House) -> list[tuple[str, str, int]]:
    """Functions of too many arguments that are neither commands nor public doors: module, name, how many."""
    public, found = public_doors(house), []
    for module, tree in house.trees.items():
        doors = [node for node in tree.body if (module, _name(node)) in public]
        open_ones = {id(node) for door in doors for node in ast.walk(door)}
        for node in ast.walk(tree):
            if not isinstance(node, Definition) or id(node) in open_ones or room(module) == "cli":
                continue
            count = sum(argument.arg not in ("self", "cls") for argument in _arguments(node))
            if count > MOST_ARGUMENTS:
                found.append((module, node.name, count))
    return found


def own_signatures(house: House) -> list[tuple[str, str, int]]:
    """Functions of too many arguments, without those that a public door hands its own arguments on to."""
    public, handed = public_doors(house), set()
    for module, tree in house.trees.items():
        for door in (node for node in tree.body if (module, _name(node)) in public):
            for method in (node for node in ast.walk(door) if isinstance(node, Definition)):
                own = {argument.arg for argument in _arguments(method)}
                calls = [node for node in ast.walk(method) if isinstance(node, ast.Call)]
                handed |= {_called(call) for call in calls if _handed(call, own) >= MOST_ARGUMENTS - 1}
    return [row for row in long_signatures(house) if row[1] not in handed]


def _called(call: ast.Call) -> str:
    """The last name of what is called."""
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def _handed(call: ast.Call, own: set[str]) -> int:
    """How many arguments of a call are arguments of the function around it, as they are."""
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    return sum(isinstance(value, ast.Name) and value.id in own for value in given)


def walked(house: House) -> dict[str, str]:
    """Room changes in a run of both pipelines."""
    script = Path(__file__).with_name("house_walk.py")
    path = {"PYTHONPATH": str(house.root.resolve() / "src")}
    outcome = subprocess.run([sys.executable, str(script)], env=os.environ | path, stdout=subprocess.PIPE, check=True)
    found = json.loads(outcome.stdout)
    both = [found["discover"], found["solve"]]

    def pair(name: str) -> str:
        return " / ".join(str(run[name]) for run in both)

    return {
        "room changes, discover / solve": pair("changes"),
        "surrogate and symmetry in turn": pair("turns"),
        "room changes with `inference` read too": pair("with_inference"),
        "surrogate and symmetry in turn there": pair("turns_with_inference"),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    here = Path(__file__).resolve().parents[1]
    parser.add_argument("--root", type=Path, default=here, help="the checkout to measure")
    parser.add_argument("--before", type=Path, help="another one, for a column of its own")
    parser.add_argument("--trace", action="store_true", help="run discover and solve and count room changes")
    options = parser.parse_args()
    house = House(options.root)
    houses = [House(options.before), house] if options.before else [house]
    columns = [counted(one) | (walked(one) if options.trace else {}) for one in houses]
    heads = ["before", "after"] if options.before else ["now"]
    table = [f"| what | {' | '.join(heads)} |", "|---|" + "---|" * len(heads)]
    table += [f"| {name} | {' | '.join(column[name] for column in columns)} |" for name in columns[-1]]
    long = [f"- {module}.{name}: {count}" for module, name, count in long_signatures(house)]
    doors = public_doors(house)
    rest = Counter(place for place in crossing(house) if place not in doors)
    loose = [f"- {module}.{name}: {count}" for (module, name), count in rest.most_common()]
    parts = ["## Who imports whom", "", *matrix(house), "", *exceptions(house)]
    parts += ["", "## Rooms", "", *per_room(house), "", "## Counted", "", *table]
    for what, names in (("Files", repeated_files(house)), ("Classes", repeated_classes(house))):
        shared = ", ".join(f"{name} ×{count}" for name, count in names.items())
        parts += ["", f"{what} that share a name: {shared or 'none'}."]
    parts += ["", f"Functions of more than {MOST_ARGUMENTS} arguments:", "", *(long or ["none"])]
    parts += ["", "`Any` in what crosses rooms:", "", *(loose or ["none"])]
    sys.stdout.write("\n".join(parts) + "\n")


if __name__ == "__main__":
    main()
