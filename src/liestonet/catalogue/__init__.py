"""Known systems with their exact symmetries: `lsn.catalogue["brownian"]`. The searching code never imports it.

The module is itself the read-only mapping from keys to systems, so `import liestonet.catalogue`, `from liestonet import
catalogue` and `liestonet.catalogue` all give the same thing. A system is stored as text and parsed when it is used;
nothing here loads SymPy before that.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, cast

from liestonet.catalogue.system import Experiment, KnownFormula, KnownGenerators, System
from liestonet.errors import InputError

__all__ = ["Experiment", "KnownFormula", "KnownGenerators", "System", "UnknownSystemError", "catalogue", "nearest_keys"]

# Each of these modules has a tuple SYSTEMS; the order is the order of the catalogue.
FAMILIES = (
    "scalar",
    "transformed",
    "time_dependent",
    "ornstein_uhlenbeck",
    "finance",
    "populations",
    "mechanics",
    "planar",
    "dynamics",
    "high_dimensional",
)
PAPER = ("brownian", "linear", "langevin", "bessel-drift", "brownian-10d")


class UnknownSystemError(InputError, KeyError):
    """A key that the catalogue does not have."""

    __str__ = Exception.__str__  # KeyError would show the sentence in quotation marks


class Catalogue(ModuleType, Mapping[str, System]):
    """The type of this module: a mapping from keys to systems, the paper's five first."""

    def __getitem__(self, key: str | Any) -> System:
        systems = _systems()
        if isinstance(key, str) and key in systems:
            return systems[key]
        close = nearest_keys(str(key))
        hint = f"did you mean {' or '.join(close)}?" if close else "list(catalogue) has all keys."
        raise UnknownSystemError(f"The catalogue has no system {key!r}; {hint}")

    def __iter__(self) -> Iterator[str]:
        return iter(_systems())

    def __len__(self) -> int:
        return len(_systems())

    # A module equals only itself and can be hashed; a mapping would be compared by content and could not be hashed.
    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)


def nearest_keys(text: str) -> list[str]:
    """The keys most like a misspelt one, at most three."""
    plain = text.lower().replace("_", "-")
    return difflib.get_close_matches(plain, _systems(), n=3, cutoff=0.5)


@cache
def _systems() -> dict[str, System]:
    found: dict[str, System] = {}
    for family in FAMILIES:
        for system in import_module(f"{__name__}.{family}").SYSTEMS:
            if system.key in found:
                raise InputError(f"The catalogue has two systems named {system.key!r}; rename one.")
            found[system.key] = system
    return {key: found[key] for key in (*PAPER, *(key for key in found if key not in PAPER))}


sys.modules[__name__].__class__ = Catalogue
catalogue = cast(Catalogue, sys.modules[__name__])
