"""The spectral engine: series for drift and diffusion, symmetries by linear algebra."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from liestonet.core.numbers import is_whole, truth_of
from liestonet.inference.engine import Discovered, Request, dimension_flag, law_dimension
from liestonet.inference.stages import search_in_stages
from liestonet.surrogate.spectral_fit import fit_spectral


@dataclass(frozen=True)
class Spectral:
    """The spectral engine: series for drift and diffusion, symmetries by linear algebra.

    `refit` imposes the symmetries found on the coefficients and solves again, unless held-out paths contradict them.
    """

    refit: bool | Any = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "refit", truth_of("refit", self.refit))

    def discover(self, request: Request) -> Discovered:
        """Fit drift and diffusion, search for symmetries, and impose those found."""
        kind, criteria, dimension, say = request.kind, request.criteria, request.dimension, request.say
        surrogate = fit_spectral(request.source, say)
        say("looking for symmetries")
        found, imposed, shifted = search_in_stages(kind, surrogate, criteria, dimension, self.refit, say)
        asked = dimension if is_whole(dimension) else None  # the search has refused all other values
        count = found.count if asked is None else asked
        law = law_dimension(kind, shifted.surrogate, found, criteria, say, shifted.variables)
        return Discovered(kind, surrogate, found, count, imposed, law, tuple(dimension_flag(found, asked)))
