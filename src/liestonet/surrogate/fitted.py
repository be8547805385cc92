"""The result of a fit to increments, whichever functions it used."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from jaxtyping import Bool

from liestonet.core.coefficients import EstimatedCoefficients
from liestonet.core.domain import Domain
from liestonet.surrogate.overview import Overview


@runtime_checkable
class FittedCoefficients(EstimatedCoefficients, Protocol):
    """Estimated coefficients with the box, the coordinates and the overview of the data they were estimated from."""

    @property
    def overview(self) -> Overview: ...

    @property
    def domain(self) -> Domain: ...

    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def noisy(self) -> Bool[np.ndarray, " n"]:
        """Which coordinates have noise of their own."""
        ...
