"""The engines that the study compares, by their names in tables."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from liestonet.errors import InputError
from liestonet.inference.spectral_engine import Spectral
from liestonet.pipeline.discover import discover
from liestonet.reproduction.cases import CASES
from liestonet.result import Result
from liestonet.study.jobs import digest
from liestonet.trajectories.trajectories import Trajectories

KEPT = "LIESTONET_KEPT"  # the variable that names the folder of trained networks of a study
TITLES = {
    "paper": "`Neural.paper`",
    "pointwise": "`Neural.paper`, pointwise L1",
    "neural": "`Neural(polish=False)`",
    "polished": "`Neural()`",
    "spectral": "`Spectral()`",
}
# engines with the paper's settings, and their form of L1
PAPER_READINGS = {"paper": "global", "pointwise": "pointwise"}
# Seeds of data and training for them. Seeds below 1000, and 4000, were inspected when it was revised.
PAPER_SEED = 7000
# which preset of the paper belongs to a case
PRESETS = {"ex1": 1, "ex2": 2, "ex3": 3, "ex4": 4, "fp": "fokker-planck", "10d": "brownian-10d"}


def engine_named(name: str, case: str) -> Any:
    """The engine of a table's column."""
    if name == "spectral":
        return Spectral()
    if name in PAPER_READINGS:
        prepare_networks()
        return paper_settings(case, PAPER_READINGS[name])
    if name in ("neural", "polished"):
        return networks(polish=name == "polished")
    raise InputError(f"There is no engine called {name!r}.")


def paper_settings(case: str, reading: str = "global") -> Any:
    """The preset that belongs to a case."""
    from liestonet.neural.settings import Neural

    return Neural.paper(PRESETS[case], reading)


def paper_widths() -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Hidden widths of the paper's networks for τ, ξ and β."""
    architecture = paper_settings("ex1").architecture
    return architecture.tau, architecture.xi, architecture.beta


def described(name: str, case: str) -> str:
    """A digest of every setting that affects an engine's result, for the identity of a job."""
    if name == "spectral":
        return digest(repr(Spectral()))
    from liestonet.neural.settings import Neural

    if name in PAPER_READINGS:
        return settings_digest(paper_settings(case, PAPER_READINGS[name]))
    return settings_digest(Neural(polish=name == "polished"))


def settings_digest(engine: Any) -> str:
    """A digest of settings of the neural engine, those of its surrogate included."""
    from liestonet.neural.coefficients.settings import PAPER, CoefficientSettings
    from liestonet.neural.settings import Running

    example = engine.surrogate.removeprefix("paper-")
    surrogate = PAPER[int(example)] if example.isdigit() else CoefficientSettings()
    engine = replace(engine, running=Running(), name="", provenance=())
    return digest(f"({_told(engine)}, {_told(surrogate)})")


# Settings added after the first stored results, which were made with the present defaults of these settings.
LATER = {
    "Architecture": ("initial",),
    "Cloud": ("starts", "clip"),
    "Objective": ("ridge",),
    "Neural": ("start", "selection"),
    "Running": ("surrogates",),
    "CoefficientSettings": ("start", "every_noise", "inside"),
}


def _told(value: Any) -> str:
    """The `repr` of a value, without later settings at their defaults."""
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
    """The result of an engine, given by value or by name, on a case's data at the true or another dimension."""
    what = CASES[case]
    dimension = what.dimension if count is None else count
    chosen = engine_named(engine, case) if isinstance(engine, str) else engine
    chosen = kept(chosen, data, seed, what.symmetry)
    return discover(data, chosen, what.symmetry, dimension=dimension, formulas=False, seed=seed)


def kept(engine: Any, data: Trajectories, seed: int, symmetry: str) -> Any:
    """The engine, set to store learnt surrogates in the study's folder and to reuse them."""
    folder = os.environ.get(KEPT)
    if folder is None or getattr(engine, "surrogate", "spectral") == "spectral":
        return engine
    name = digest(f"{settings_digest(engine)} {data.digest} {symmetry} {seed}")
    return engine.with_running(checkpoint=Path(folder) / name, surrogates=Path(folder) / "surrogates")


@contextmanager
def sharing() -> Iterator[None]:
    """Within the context surrogates are stored: in the study's folder, or in a temporary one."""
    if KEPT in os.environ:
        yield
        return
    with TemporaryDirectory() as folder, keeping(Path(folder)):
        yield


@contextmanager
def keeping(folder: Path) -> Iterator[None]:
    """Within the context learnt networks are stored in a folder, so that items and interrupted runs share them."""
    before = os.environ.get(KEPT)
    os.environ[KEPT] = str(folder.resolve())
    try:
        yield
    finally:
        os.environ.pop(KEPT, None)
        os.environ.update({KEPT: before} if before is not None else {})


def networks(*, polish: bool = False) -> Any:
    """`Neural()` with its defaults, with or without the exact solution of the last layer."""
    from liestonet.neural.settings import Neural

    prepare_networks()
    return Neural(polish=polish)


def with_objective(settings: Any, **changed: Any) -> Any:
    """The same engine with other settings of its losses, such as their `weights`."""
    return replace(settings, objective=replace(settings.objective, **changed))


def prepare_networks() -> None:
    """Switch JAX to 64 bits, for the whole process of a study."""
    from liestonet.neural.availability import switch_to_float64

    switch_to_float64()
