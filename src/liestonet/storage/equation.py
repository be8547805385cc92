"""An equation as a file keeps it: formulas, or the Chebyshev polynomials of callables, which cannot be stored."""

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
    """One of `symbolic` and `projection` is there; the names are the coordinates'."""

    names: tuple[str, ...]
    flags: tuple[Flag, ...]
    symbolic: SymbolicCoefficients | None = None
    projection: ChebyshevCoefficients | None = None
    periodic: dict[str, float] = field(default_factory=dict)

    def equation(self) -> SDE:
        """The equation again; one from callables has flags of its own that say what is left of it."""
        from liestonet.sde.projected import projected_equation

        if self.symbolic is not None:
            return SDE.from_coefficients(self.symbolic, self.flags).with_periods(self.periodic)
        if self.projection is None:
            raise ValueError("an equation has neither formulas nor polynomials")
        return projected_equation(self.projection, self.names).with_periods(self.periodic)


def stored_equation(sde: Any, domain: Domain | None) -> StoredEquation:
    """What can be kept of an equation; callables are looked at on the domain of the result."""
    from liestonet.sde.projected import projection_of

    if sde.symbolic is not None:
        return StoredEquation(sde.names, sde.flags, symbolic=sde.symbolic, periodic=dict(sde.periodic))
    if domain is None:
        raise InputError("An equation from callables can be stored as part of a result only, which knows its domain.")
    return StoredEquation(sde.names, sde.flags, projection=projection_of(sde, domain), periodic=dict(sde.periodic))
