"""Lie symmetries of stochastic differential equations, from an equation or from recorded trajectories.

The public names, each imported when it is first asked for, so that `import liestonet` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from liestonet import plots
    from liestonet.catalogue import catalogue
    from liestonet.core.angles import principal_angles
    from liestonet.densities.density import density
    from liestonet.densities.price import price
    from liestonet.errors import InputError
    from liestonet.groups.compare import compare
    from liestonet.groups.comparison import GroupComparison
    from liestonet.groups.discover_groups import discover_groups
    from liestonet.inference.spectral_engine import Spectral
    from liestonet.neural.settings import Neural
    from liestonet.pipeline.classify import classify
    from liestonet.pipeline.discover import discover, fit
    from liestonet.pipeline.solve import solve
    from liestonet.reduction.reduce import reduce
    from liestonet.sde import SDE
    from liestonet.storage import load
    from liestonet.trajectories import Measurement, Trajectories
    from liestonet.trajectories.scan import TrajectoryFiles
    from liestonet.validation.maps.discrete import discrete
    from liestonet.validation.ratio_test import test
    from liestonet.validation.reversal.reversible import reversible
    from liestonet.validation.validate import validate

    __version__: str

__all__ = [
    "SDE",
    "GroupComparison",
    "InputError",
    "Measurement",
    "Neural",
    "Spectral",
    "Trajectories",
    "TrajectoryFiles",
    "__version__",
    "catalogue",
    "classify",
    "compare",
    "density",
    "discover",
    "discover_groups",
    "discrete",
    "fit",
    "load",
    "plots",
    "price",
    "principal_angles",
    "reduce",
    "reversible",
    "solve",
    "test",
    "validate",
]

_HOME = {
    "GroupComparison": "liestonet.groups.comparison",
    "InputError": "liestonet.errors",
    "Measurement": "liestonet.trajectories",
    "Neural": "liestonet.neural.settings",
    "SDE": "liestonet.sde",
    "Spectral": "liestonet.inference.spectral_engine",
    "Trajectories": "liestonet.trajectories",
    "TrajectoryFiles": "liestonet.trajectories.scan",
    "catalogue": "liestonet.catalogue",
    "classify": "liestonet.pipeline.classify",
    "compare": "liestonet.groups.compare",
    "density": "liestonet.densities.density",
    "discover": "liestonet.pipeline.discover",
    "discover_groups": "liestonet.groups.discover_groups",
    "discrete": "liestonet.validation.maps.discrete",
    "fit": "liestonet.pipeline.discover",
    "load": "liestonet.storage",
    "price": "liestonet.densities.price",
    "principal_angles": "liestonet.core.angles",
    "reduce": "liestonet.reduction.reduce",
    "reversible": "liestonet.validation.reversal.reversible",
    "solve": "liestonet.pipeline.solve",
    "test": "liestonet.validation.ratio_test",
    "validate": "liestonet.validation.validate",
}


def __getattr__(name: str) -> Any:
    """Find a public name where it lives and keep it here, so that this runs once per name."""
    if name == "__version__":
        value = import_module("importlib.metadata").version("liestonet")
    elif name == "plots":
        value = import_module("liestonet.plots")
    elif name in _HOME:
        value = getattr(import_module(_HOME[name]), name)
    else:
        raise AttributeError(f"module 'liestonet' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
