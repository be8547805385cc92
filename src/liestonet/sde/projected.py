"""Equations stored in files: of callables only their Chebyshev polynomials are kept, and replace them on reading."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from liestonet.core.coefficients import JetOrder
from liestonet.core.flags import Flag
from liestonet.sde.chebyshev import ChebyshevCoefficients, project
from liestonet.sde.sde import SDE, Domain
from liestonet.sde.tuning import BOX


@dataclass(frozen=True)
class Projected:
    """f or σ from polynomials on a box; NaN outside, where the polynomials are not valid."""

    coefficients: ChebyshevCoefficients
    which: str

    def __call__(self, t: Float[np.ndarray, " b"], x: Float[np.ndarray, "b d"]) -> Float[np.ndarray, "b ..."]:
        domain = self.coefficients.domain
        outside = np.abs((np.column_stack([t, x]) - domain.centre) / domain.half) > 1 + BOX.margin
        jet = self.coefficients.jet(t, x, JetOrder(drift=0, diffusion=0))
        values = (jet.drift if self.which == "drift" else jet.diffusion)[()].copy()
        values[outside.any(axis=1)] = np.nan
        return values


def projection_of(sde: SDE, domain: Domain) -> ChebyshevCoefficients:
    """The polynomials of an equation, projected on the domain if it still has its callables."""
    drift = sde.callables[0]
    return drift.coefficients if isinstance(drift, Projected) else project(sde, domain)


def projected_equation(coefficients: ChebyshevCoefficients, names: tuple[str, ...]) -> SDE:
    """An equation with the polynomials as its coefficients."""
    box = ", ".join(
        f"{name} in ({low:g}, {high:g})"
        for name, (low, high) in zip(("t", *names), coefficients.domain.intervals, strict=True)
    )
    flag = Flag(
        "stored-projection",
        f"The callables of this equation were stored as Chebyshev polynomials with a relative error of "
        f"{coefficients.error:.1e}; they hold for {box} and are undefined outside.",
        "Make the equation from its callables again for another domain.",
    )
    parts = (Projected(coefficients, "drift"), Projected(coefficients, "diffusion"))
    return SDE(*parts, coefficients.dimension, coefficients.noise, names=names, flags=(flag,))
