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
    if name == "paper":
        from liestonet.neural.settings import Neural

        _prepare_networks()
        return Neural.paper(PRESETS[case])
    if name in ("neural", "polished"):
        return networks(polish=name == "polished")
    raise InputError(f"There is no engine called {name!r}.")


def networks(weights: tuple[float, ...] | None = None, *, polish: bool = False) -> Any:
    """`Neural()` as it comes, or with other weights of L1 to L9."""
    from liestonet.neural.settings import Neural, Objective

    _prepare_networks()
    return Neural(polish=polish) if weights is None else Neural(polish=polish, objective=Objective(weights=weights))


def _prepare_networks() -> None:
    """Switch JAX to 64 bits: a process of a study has it for itself."""
    from liestonet.neural.availability import switch_to_float64

    switch_to_float64()
