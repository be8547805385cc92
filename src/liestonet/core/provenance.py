"""How a result was made: settings, versions and the command that makes it again."""

from __future__ import annotations

import platform
from dataclasses import dataclass, field
from typing import Any

# What can change a number in the answer.
LIBRARIES = ("liestonet", "numpy", "scipy", "sympy")


@dataclass(frozen=True)
class Provenance:
    """Plain values only. `command` is what was typed in Python, or on the command line where that was the way in.

    `tuning` holds the numbers that decided, by class and field (`core.tuning`); it is empty in older files.
    """

    command: str
    settings: dict[str, Any]
    versions: dict[str, str]
    seed: int | None = None
    tuning: dict[str, dict[str, Any]] = field(default_factory=dict)


def provenance_of(function: str, subject: str, seed: int | None, **settings: Any) -> Provenance:
    """The record of a call of a function on its first argument; a setting that is None was not given."""
    given = {name: value for name, value in settings.items() if value is not None}
    arguments = ", ".join(f"{name}={value if name == 'engine' else repr(value)}" for name, value in given.items())
    arguments = arguments.replace("engine=", "engine=liestonet.")
    return Provenance(f"liestonet.{function}({subject}, {arguments})", given, library_versions(), seed)


def library_versions() -> dict[str, str]:
    """Python, the libraries that compute, and the machine's architecture."""
    from importlib.metadata import version

    libraries = {name: version(name) for name in LIBRARIES}
    return {"python": platform.python_version(), **libraries, "machine": f"{platform.system()} {platform.machine()}"}
