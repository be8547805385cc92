"""An equation in the form that a file can store: formulas, or Chebyshev polynomials in place of callables."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from liestonet.core.domain import Domain
from liestonet.core.flags import Flag
from liestonet.errors import InputError
from liestonet.sde.chebyshev import ChebyshevCoefficients
from liestonet.sde.sde import SDE
from liestonet.sde.symbolic import SymbolicCoefficients


@dataclass(frozen=True)
class StoredEquation:
    """An equation as formulas (`symbolic`) or polynomials (`projection`); `names` are those of the coordinates."""

    names: tuple[str, ...]
    flags: tuple[Flag, ...]
    symbolic: SymbolicCoefficients | None = None
    projection: ChebyshevCoefficients | None = None
    periodic: dict[str, float] = field(default_factory=dict)

    def equation(self) -> SDE:
        """The equation; one that was made of callables has flags that say what was not stored."""
        from liestonet.sde.projected import projected_equation

        if self.symbolic is not None:
            return SDE.from_coefficients(self.symbolic, self.flags).with_periods(self.periodic)
        if self.projection is None:
            raise ValueError("an equation has neither formulas nor polynomials")
        return projected_equation(self.projection, self.names).with_periods(self.periodic)


def stored_equation(sde: Any, domain: Domain | None) -> StoredEquation:
    """The storable form of an equation; callables are projected on the domain of the result."""
    from liestonet.sde.projected import projection_of

    if sde.symbolic is not None:
        return StoredEquation(sde.names, sde.flags, symbolic=sde.symbolic, periodic=dict(sde.periodic))
    if domain is None:
        raise InputError("An equation from callables can be stored only as part of a result, which has a domain.")
    return StoredEquation(sde.names, sde.flags, projection=projection_of(sde, domain), periodic=dict(sde.periodic))
