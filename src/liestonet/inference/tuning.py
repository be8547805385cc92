"""What decides which proposals of symmetries are followed and whether they are imposed on the coefficients.

What these values lead to on seeds that were not used to choose them: `docs/examples.md`, `docs/controls.md`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RefitTuning:
    """How symmetries are imposed on coefficients."""

    # The equations are imposed to this part of the largest noise in them, in squares, or of a negligible residual.
    # Source: by hand; what is smaller may be an error of bases, and imposing it would take away true errors.
    slack: float = 1e-3
    # The same for exact directions, which cannot turn. Source: by hand.
    exact_slack: float = 1e-7
    # Rounds of imposing and turning at most. Source: cost.
    rounds: int = 10
    # The coefficients stand still when a round moves them by less than this many standard errors. Source: by hand.
    standing: float = 0.1
    # A round turns the block by no more than this (radians, roughly). Source: by hand; the equations are linearised.
    largest_turn: float = 0.3


@dataclass(frozen=True)
class StagesTuning:
    """When the proposal of a sparse surrogate, and a refit, are taken."""

    # What a sparse surrogate proposes must stand out of its next direction by this factor. Source: by hand.
    gap: float = 3.0
    # It must lie in the span of the rich surrogate within so many of its errors. Source: by hand; three standard
    # errors.
    errors: float = 3.0
    # None of these errors is taken as smaller than this (radians). Source: by hand.
    least_error: float = 1e-2
    # Symmetries are imposed unless held-out paths are less likely by more than so many standard errors. Source: theory:
    # chance alone does that in one of forty cases.
    clearly: float = 2.0


REFIT = RefitTuning()
STAGES = StagesTuning()
