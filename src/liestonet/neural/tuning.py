"""Numbers of the neural engine that are not settings: plain values, which load no JAX.

Results with these values on the examples of the paper: `docs/reproduction.md` and `docs/neural.md`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class GeneratorTuning:
    """How many generators there are, how their last layer is solved, and how their span becomes polynomials."""

    # Factor by which an additional generator that is no symmetry raises the worst residual of the span. Source: by
    # hand; the ladder gives the verdicts on the selected span.
    jump: float = 4.0
    # Networks leave residuals up to this on true symmetries. Source: by hand.
    trained_to: float = 0.05
    # A span whose worst residual is above this has a generator that is no symmetry in any case. Source: by hand.
    largest_residual: float = 0.3
    # Ridge of the inner products of generators in residuals of a span, relative to their mean. Source:
    # by hand.
    lift: float = 1e-12
    # Second derivatives of tables are differences of first ones over this part of the frame's unit. Source: by hand.
    difference: float = 1e-4
    # Points on which the last layer is solved. Source: cost.
    polished_on: int = 1500
    # The same in more than three dimensions, where every point gives many equations. Source: cost.
    polished_on_beyond: int = 400
    # Combinations of features shorter than this part of the longest are left out. Source: by hand; e^{2t} on a long
    # interval needs 1e-9.
    truncation: float = 1e-9
    # Largest number of functions for one component in many dimensions. Source: cost.
    most_functions: int = 120
    # Largest relative projection error at which a polynomial basis is accepted. Source: by hand.
    enough: float = 1e-3
    # Relative projection error above which there is a flag. Source: by hand.
    worth_saying: float = 0.01


@dataclass(frozen=True)
class LearntTuning:
    """Drift, diffusion and density as networks: which data they see, and how their last layers are solved."""

    # Largest number of increments in memory; of more, an even sample is taken. Source: cost.
    most_increments: int = 8_000_000
    # With fewer paths than this, segments of them are held out instead. Source: by hand.
    fewest_paths: int = 10
    # Number of segments of such paths. Source: by hand.
    stretches: int = 40
    # Largest number of increments for the held-out loss: one shape for all sizes of data. Source:
    # cost.
    most_held_out: int = 65_536
    # A coordinate without noise is fitted by least squares; this part of its drift's size counts as one standard
    # deviation. Source: by hand.
    noiseless_part: float = 0.03
    # Rounds of Fisher scoring on a part of the increments, before one on all. Source: cost.
    rounds: int = 4
    # Increments in that part. Source: cost.
    tried: int = 60_000
    # Least relative error of the drift of a coordinate without noise. Source: by hand; the root
    # of the precision of float64.
    rounding: float = 1e-8
    # Functions of the hidden units that are smaller than this part of the largest (in mean square) are left out.
    # Source: by hand.
    negligible: float = 1e-9
    # Number of leading nonlinear functions per input with a common prior variance; later variances fall with size.
    # Source: by hand.
    leading: int = 3
    # Ridge of the information, relative to its mean diagonal: outputs may nearly coincide. Source: by hand.
    ridge: float = 1e-12
    # Largest number of states for a density. Source: cost.
    most_states: int = 1_000_000
    # States at which coefficients are tabulated for a density. Source: cost.
    tabulated: int = 8192
    # The residual of a density's equation is evaluated within this many standard deviations. Source: by
    # hand.
    reach: float = 3.0
    # Number of equally filled time intervals to which the Gaussian of a density is fitted. Source:
    # by hand.
    density_stretches: int = 40
    # Least width of the Gaussian, relative to that of all data. Source: by hand.
    least_width: float = 1e-6


GENERATORS = GeneratorTuning()
LEARNT = LearntTuning()
