"""Settings of the discretised determining equations and of the fields that solve them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class EquationTuning:
    """Weak equations, absent components, and the basis in which a span is displayed."""

    # Equations whose factors are all smaller than this, in units of the box, are lifted to it. Source: by hand; weak
    # noise is noise too.
    weak: float = 0.01
    # A component this small beside the whole generator is rounding. Source: theory: far above the precision of float64
    # and below every accuracy asked for; in units far from the box it could outweigh the rest.
    absent: float = 1e-9
    # Part of a combination that a component of low degree must hold to stand for a generator alone; tried from here
    # down. Source: by hand.
    pivot: float = 0.2
    # Factor by which that part falls where no component holds it. Source: by hand.
    pivot_fall: int = 4


EQUATIONS = EquationTuning()
