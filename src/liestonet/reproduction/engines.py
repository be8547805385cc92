"""The engines a study compares, by the names its tables use."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

from liestonet.errors import InputError
from liestonet.inference.spectral_engine import Spectral
from liestonet.pipeline.discover import discover
from liestonet.reproduction.cases import CASES
from liestonet.result import Result
from liestonet.study.jobs import digest
from liestonet.trajectories.trajectories import Trajectories

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
        prepare_networks()
        return paper_settings(case)
    if name in ("neural", "polished"):
        return networks(polish=name == "polished")
    raise InputError(f"There is no engine called {name!r}.")


def paper_settings(case: str) -> Any:
    """The preset that belongs to a case."""
    from liestonet.neural.settings import Neural

    return Neural.paper(PRESETS[case])


def paper_widths() -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Hidden widths of the paper's networks for τ, ξ and β."""
    architecture = paper_settings("ex1").architecture
    return architecture.tau, architecture.xi, architecture.beta


def described(name: str, case: str) -> str:
    """A digest of every setting that decides what an engine finds, for the identity of a job."""
    if name == "spectral":
        return digest(repr(Spectral()))
    from liestonet.neural.coefficients.settings import PAPER, CoefficientSettings
    from liestonet.neural.settings import Neural, Running

    engine = paper_settings(case) if name == "paper" else Neural(polish=name == "polished")
    example = engine.surrogate.removeprefix("paper-")
    surrogate = PAPER[int(example)] if example.isdigit() else CoefficientSettings()
    engine = replace(engine, running=Running(), name="", provenance=())
    return digest(f"({_told(engine)}, {_told(surrogate)})")


# Settings that came after the first stored results, which were made with what is now their default.
LATER = {
    "Architecture": ("initial",),
    "Cloud": ("starts", "clip"),
    "Objective": ("ridge",),
    "Neural": ("start", "selection"),
    "CoefficientSettings": ("start", "every_noise", "inside"),
}


def _told(value: Any) -> str:
    """As `repr`, without settings of later date where they have their default."""
    if not is_dataclass(value):
        return repr(value)
    later = LATER.get(type(value).__name__, ())
    parts = [
        f"{item.name}={_told(getattr(value, item.name))}"
        for item in fields(value)
        if item.name not in later or getattr(value, item.name) != item.default
    ]
    return f"{type(value).__qualname__}({', '.join(parts)})"


def discovered(case: str, engine: Any, data: Trajectories, seed: int, count: int | None = None) -> Result:
    """What an engine, or one by its name, makes of a case's data at its true dimension, or at another."""
    what = CASES[case]
    dimension = what.dimension if count is None else count
    chosen = engine_named(engine, case) if isinstance(engine, str) else engine
    return discover(data, chosen, what.symmetry, dimension=dimension, formulas=False, seed=seed)


def networks(*, polish: bool = False) -> Any:
    """`Neural()` as it comes, or without what follows its training."""
    from liestonet.neural.settings import Neural

    prepare_networks()
    return Neural(polish=polish)


def with_objective(settings: Any, **changed: Any) -> Any:
    """The same engine with other settings of its losses, such as their `weights`."""
    return replace(settings, objective=replace(settings.objective, **changed))


def prepare_networks() -> None:
    """Switch JAX to 64 bits: a process of a study has it for itself."""
    from liestonet.neural.availability import switch_to_float64

    switch_to_float64()
