"""Small settings and small data for the tests of the neural engine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import numpy as np

import liestonet as lsn
from liestonet.neural.coefficients.settings import CoefficientSettings

QUICK = {"widths": (12, 12), "steps": 150, "batch": 256, "check_every": 50}


# Each function is compiled for one call: what optimising takes is never won back.
AT_ONCE = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}


def at_once(function: Callable[..., Any], *arguments: Any) -> Any:
    """The value of a function of arrays, compiled as a whole."""
    return jax.jit(function, compiler_options=AT_ONCE)(*arguments)


def quick(**changes) -> CoefficientSettings:
    """Settings of a network that trains in a second."""
    return CoefficientSettings(**{**QUICK, **changes})


def simulated(text: str, seed: int, paths: int = 128, duration: float = 2.0, dimension: int = 1) -> lsn.Trajectories:
    sde = lsn.SDE.parse(text)
    return sde.simulate(
        lambda rng, count: rng.normal(0.0, 0.7, (count, dimension)),
        duration=duration,
        step=0.02,
        paths=paths,
        seed=seed,
    )


def csv_columns(path: Path) -> dict[str, np.ndarray]:
    """A file of losses by column, empty cells as not-a-number."""
    table = np.genfromtxt(path, delimiter=",", names=True, missing_values="", filling_values=np.nan)
    return {name: np.atleast_1d(table[name]) for name in table.dtype.names or ()}
