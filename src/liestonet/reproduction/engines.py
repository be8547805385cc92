"""The engines a study compares, by the names its tables use."""

from __future__ import annotations

from typing import Any

from liestonet.errors import InputError
from liestonet.from_data import Spectral

TITLES = {
    "paper": "`Neural.paper`",
    "neural": "`Neural(polish=False)`",
    "polished": "`Neural()`",
    "spectral": "`Spectral()`",
}
# which preset of the paper belongs to a case
PRESETS = {"ex1": 1, "ex2": 2, "ex3": 3, "ex4": 4, "fp": "fokker-planck", "10d": "brownian-10d"}


def engine_named(name: str, case: str) -> Any:
    """The engine a table's column stands for."""
    if name == "spectral":
        return Spectral()
    from liestonet.neural.settings import Neural

    if name == "paper":
        return Neural.paper(PRESETS[case])
    if name in ("neural", "polished"):
        return Neural(polish=name == "polished")
    raise InputError(f"There is no engine called {name!r}.")
