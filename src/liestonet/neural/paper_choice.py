"""Chooses the paper's experiment whose settings suit given data, by the number of coordinates and the noise."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from liestonet.core.flags import Flag
from liestonet.core.tuning import SHARED
from liestonet.inference.engine import Request
from liestonet.neural.coefficients.fit_coefficients import prepare
from liestonet.neural.coefficients.settings import CoefficientSettings
from liestonet.neural.presets import preset
from liestonet.neural.settings import Neural
from liestonet.trajectories.increments import IncrementSource


def choose_preset(settings: Neural, request: Request) -> tuple[Neural, Flag]:
    """The preset for these data with the user's options of running, and a flag with the reason for the choice."""
    request.say("choosing the paper's settings")
    example, reason = _example(request)
    made = preset(example, settings.objective.closure)
    # the floor of the first coordinate and unscaled units suit only the paper's own data
    made = replace(made, scaled=True, cloud=replace(made.cloud, floor=None))
    made = replace(made, running=settings.running, compare=settings.compare)
    if request.kind.has_beta and _single_steps(request.source):
        weights = (*made.objective.weights[:8], 0.0)
        made = replace(made, objective=replace(made.objective, weights=weights))
        reason += "; without L9, since single steps have no density that evolves"
    named = f"Example {example}" if isinstance(example, int) else f"its experiment {example!r}"
    return made, Flag(
        "paper-settings",
        f"The settings are those of the paper's {named}, in units of the box: {reason}.",
        f"Use engine=Neural.paper({example!r}), or another of its experiments, to choose them yourself; the default "
        "engine is faster and more accurate.",
    )


def _example(request: Request) -> tuple[int | str, str]:
    """The experiment, and the reason for the choice."""
    count = len(request.source.names)
    if count > SHARED.few_coordinates:
        return "brownian-10d", f"there are {count} coordinates"
    if count == 1:
        if _single_steps(request.source):
            return 2, "there is one coordinate, and the data are single steps"
        return ("fokker-planck" if request.kind.has_beta else 1), "there is one coordinate"
    noisy = prepare(request.source, CoefficientSettings()).noisy
    if noisy.all():
        return 4, f"there are {count} coordinates, all with noise"
    still = ", ".join(name for name, own in zip(request.source.names, noisy.tolist(), strict=True) if not own)
    return 3, f"there are {count} coordinates, and {still} has no noise of its own"


def _single_steps(source: IncrementSource | Any) -> bool:
    """Whether every path is one step."""
    paths = [np.unique(block.trajectory, return_counts=True)[1] for block in source.chunks()]
    return all(int(counts.max(initial=0)) == 1 for counts in paths)
