"""How a result was made: settings, versions and the command that reproduces it."""

from __future__ import annotations

import platform
from dataclasses import Field, dataclass, field, fields
from typing import ClassVar, Protocol, runtime_checkable

from liestonet.core.json_values import JSON

# Libraries whose version can change a number of the result.
LIBRARIES = ("liestonet", "numpy", "scipy", "sympy")


@dataclass(frozen=True)
class Provenance:
    """The settings, versions and command of a result, in plain values.

    `command` is the call in Python, or the command line if the result was made there. `tuning` holds the numbers used
    in decisions, by class and field (`core.tuning`); it is empty in older files.
    """

    command: str
    settings: dict[str, JSON]
    versions: dict[str, str]
    seed: int | None = None
    tuning: dict[str, dict[str, JSON]] = field(default_factory=dict)


def provenance_of(function: str, subject: str, seed: int | None, **settings: JSON) -> Provenance:
    """The record of a call of a function on its first argument; a setting that is None was not given."""
    given: dict[str, JSON] = {name: value for name, value in settings.items() if value is not None}
    arguments = ", ".join(f"{name}={value if name == 'engine' else repr(value)}" for name, value in given.items())
    arguments = arguments.replace("engine=", "engine=liestonet.")
    return Provenance(f"liestonet.{function}({subject}, {arguments})", given, library_versions(), seed)


def library_versions() -> dict[str, str]:
    """Versions of Python and of the numerical libraries, and the machine's architecture."""
    from importlib.metadata import version

    libraries = {name: version(name) for name in LIBRARIES}
    return {"python": platform.python_version(), **libraries, "machine": f"{platform.system()} {platform.machine()}"}


@runtime_checkable
class DecidingNumbers(Protocol):
    """A frozen dataclass whose fields are numbers used in decisions, such as thresholds."""

    __dataclass_fields__: ClassVar[dict[str, Field[JSON]]]


def tuning_record(*tunings: DecidingNumbers) -> dict[str, dict[str, JSON]]:
    """Frozen tuning values as plain dictionaries under their class names, for a result's provenance."""
    return {
        type(tuning).__name__: {number.name: getattr(tuning, number.name) for number in fields(tuning)}
        for tuning in tunings
    }
