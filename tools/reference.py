"""References of Python and of the command line, made from the source when the documentation is built.

Part of `make docs` (tools/build_site.py). A public name, method, command or option without a docstring or help text
ends the build.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cached_property
from importlib import import_module
from types import ModuleType
from typing import Any

# Classes of the arguments and results of public names, which users need not import.
VALUES = {
    "Result": "liestonet.result.result",
    "LadderRow": "liestonet.core.ladder",
    "Formula": "liestonet.formulas.formula",
    "Constant": "liestonet.formulas.formula",
    "Algebra": "liestonet.algebra.structure",
    "AlgebraName": "liestonet.algebra.naming",
    "Flag": "liestonet.core.flags",
    "Fields": "liestonet.symmetry.determining.fields",
    "Surrogate": "liestonet.surrogate.surrogate",
    "Refit": "liestonet.inference.refit",
    "Domain": "liestonet.core.domain",
    "Reduction": "liestonet.reduction.reduction",
    "Sample": "liestonet.reduction.sample",
    "Invariant": "liestonet.reduction.invariants",
    "Martingale": "liestonet.reduction.martingales",
    "EstimatedEquation": "liestonet.reduction.recording.estimated_equation",
    "FittedConstant": "liestonet.reduction.recording.estimated_equation",
    "Forecast": "liestonet.reduction.recording.forecast",
    "Group": "liestonet.groups.comparison",
    "GroupConstants": "liestonet.groups.comparison",
    "SharedAlgebra": "liestonet.groups.shared_algebra",
    "SharedConstants": "liestonet.groups.comparison",
    "DataRecord": "liestonet.trajectories.record",
    "Summary": "liestonet.trajectories.summary",
    "Increments": "liestonet.trajectories.increments",
    "System": "liestonet.catalogue.system",
}
WIDEST = 88
PYTHON_HEAD = """\
# Python reference

*For readers who look up a function, a class or a method.*

Everything below is `liestonet.<name>`; `import liestonet as lsn` is the usual short form. Arrays are NumPy `float64`:
`t` has shape `(B,)`, `x` has shape `(B, d)`. This page is made from the source.
"""
VALUES_HEAD = """\
# What the functions return

*For readers who look up a field of a result or of another value.*

The values that `liestonet` takes and returns. They are immutable. This page is made from the source.
"""
COMMAND_HEAD = """\
# Command-line reference

*For readers who look up a command or an option.*

The output of `liestonet COMMAND --help`. Results go to standard output, progress and error messages to standard error.
The exit code is 0 for success, 2 for wrong input and 1 for an internal error. This page is made from the source.
"""


class UndocumentedError(Exception):
    """A public name has no docstring."""


def public_names() -> dict[str, Any]:
    """The public names of the package with their values."""
    package = import_module("liestonet")
    return {name: getattr(package, name) for name in package.__all__ if not name.startswith("__")}


def value_classes() -> dict[str, Any]:
    """The classes of `VALUES`."""
    return {name: getattr(import_module(home), name) for name, home in VALUES.items()}


def python_page(names: dict[str, Any] | None = None) -> str:
    """The page of all public names; raises an error that lists those without a docstring."""
    found = public_names() if names is None else names
    return _page(PYTHON_HEAD, dict(sorted(found.items(), key=lambda item: item[0].lower())))


def values_page(values: dict[str, Any] | None = None) -> str:
    """The page of what the public names take and return."""
    return _page(VALUES_HEAD, value_classes() if values is None else values)


def _page(head: str, entries: dict[str, Any]) -> str:
    missing: list[str] = []
    parts = [head]
    for name, value in entries.items():
        parts += _entry(name, value, missing)
    if missing:
        raise UndocumentedError(f"Without a docstring: {', '.join(missing)}")
    return _without_places("\n".join(parts))


def _entry(name: str, value: Any, missing: list[str]) -> Iterator[str]:
    """One public name: a function, a class, a module of functions, or a value such as the catalogue."""
    if inspect.ismodule(value):
        yield f"\n## {name}\n\n{_text(value, name, missing)}"
        # the catalogue is a module and a mapping, described by its docstring
        for inner in getattr(value, "__all__", ()) if type(value) is ModuleType else ():
            yield from _entry(f"{name}.{inner}", getattr(value, inner), missing)
    elif inspect.isclass(value):
        yield f"\n## {name}\n\n{_text(value, name, missing)}"
        yield from _members(name, value, missing)
    elif callable(value) and hasattr(value, "__name__"):
        yield f"\n## {name}\n\n{_called(name, value)}\n\n{_text(value, name, missing)}\n\n{_types(value)}"
    elif isinstance(value, str):
        yield f"\n## {name}\n\nThe text `{value}`."
    else:
        yield f"\n## {name}\n\n{_text(type(value), name, missing)}"
        yield from _members(name, type(value), missing)


def _members(name: str, made: Any, missing: list[str]) -> Iterator[str]:
    """Fields, then properties and methods in the order of the source, each with its docstring."""
    if is_dataclass(made):
        rows = [f"- `{f.name}`: `{_type(f.type)}`" for f in fields(made) if not f.name.startswith("_")]
        yield "\n**Fields**\n\n" + "\n".join(rows)
    elif issubclass(made, tuple):
        rows = [f"- `{field}`: `{_type(made.__annotations__[field])}`" for field in getattr(made, "_fields", ())]
        yield "\n**Fields**\n\n" + "\n".join(rows)
    elif "__init__" in vars(made):
        yield f"\n{_called(name, made)}\n\n{_types(made)}"
    for key, member in vars(made).items():
        if key.startswith("_") or key in getattr(made, "_fields", ()):
            continue
        plain = member.__func__ if isinstance(member, classmethod | staticmethod) else member
        if isinstance(plain, property | cached_property):
            yield f"\n### {name}.{key}\n\n{_text(plain, f'{name}.{key}', missing)}"
        elif inspect.isfunction(plain):
            shown = _called(f"{name}.{key}", plain, bound=not isinstance(member, staticmethod))
            yield f"\n### {name}.{key}\n\n{shown}\n\n{_text(plain, f'{name}.{key}', missing)}\n\n{_types(plain, True)}"


def _text(value: Any, name: str, missing: list[str]) -> str:
    """The docstring, if it is one of our own; a dataclass without one gets its signature from Python."""
    text = inspect.cleandoc(vars(value).get("__doc__") or "" if inspect.isclass(value) else value.__doc__ or "")
    if not text or text.startswith(f"{name.rpartition('.')[2]}("):
        missing.append(name)
    return text


def _called(name: str, value: Any, bound: bool = False) -> str:
    """The call signature, on one line or one argument per line."""
    parameters = list(inspect.signature(value).parameters.values())[1 if bound else 0 :]
    words: list[str] = []
    for position, parameter in enumerate(parameters):
        if re.search(r" at 0x[0-9a-f]+", repr(parameter.default)):
            raise UndocumentedError(f"The default of {parameter.name} in {name} cannot be shown: {parameter.default!r}")
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in words:
            words.append("*")
        words.append(str(parameter.replace(annotation=inspect.Parameter.empty)))
        following = parameters[position + 1].kind if position + 1 < len(parameters) else None
        if parameter.kind is parameter.POSITIONAL_ONLY and following is not parameter.POSITIONAL_ONLY:
            words.append("/")
    line = f"{name}({', '.join(words)})"
    if len(line) > WIDEST:
        line = f"{name}(\n" + "".join(f"    {word},\n" for word in words) + ")"
    return f"```text\n{line}\n```"


def _types(value: Any, bound: bool = False) -> str:
    """The types of arguments and result, as written in the source."""
    signature = inspect.signature(value)
    parameters = list(signature.parameters.values())[1 if bound else 0 :]
    rows = [f"- `{p.name}`: `{_type(p.annotation)}`" for p in parameters if p.annotation is not inspect.Parameter.empty]
    returned = signature.return_annotation
    if not inspect.isclass(value) and returned not in (inspect.Signature.empty, None, "None"):
        rows.append(f"- returns `{_type(returned)}`")
    return "\n".join(rows)


def _type(annotation: Any) -> str:
    """A type as written in the source, without `| Any`, which marks arguments that are checked at run time."""
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))
    return re.sub(r" \| Any\b(?!\[)", "", text).replace("`", "")


def _without_places(page: str) -> str:
    """Refuse a page that names a folder of this machine."""
    if found := re.search(r"(?:/home|/root|/work|/Users|/tmp)/\S*", page):
        raise UndocumentedError(f"The reference names a place on this machine: {found[0]}")
    return page.rstrip() + "\n"


def command_page() -> str:
    """The page of all commands, as `--help` prints them."""
    import typer.main

    from liestonet.cli import app

    group: Any = typer.main.get_command(app)
    parts, missing = [COMMAND_HEAD, *_command("liestonet", group)], []
    for name, command in group.commands.items():
        parts += [f"\n## {name}\n", *_command(f"liestonet {name}", command)]
        if not command.help:
            missing.append(f"liestonet {name}")
        missing += [f"{name} {p.name}" for p in command.params if p.name != "help" and not getattr(p, "help", None)]
    if missing:
        raise UndocumentedError(f"Without a help text: {', '.join(missing)}")
    return _without_places("\n".join(parts))


def _command(path: str, command: Any) -> list[str]:
    """The help of one command as a block of text."""
    context = command.make_context(path, [], resilient_parsing=True, max_content_width=80, terminal_width=80)
    return ["```text", command.get_help(context).rstrip(), "```"]
