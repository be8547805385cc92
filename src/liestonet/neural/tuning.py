"""What decides beside the settings of the neural engine: plain values, which load no JAX.

What these values lead to on the examples of the paper: `docs/reproduction.md` and `docs/neural.md`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class GeneratorTuning:
    """How many generators there are, how their last layer is solved, and how their span becomes polynomials."""

    # One more generator that is no symmetry raises the worst residual of the span by at least this factor. Source: by
    # hand; verdicts on what is selected are the ladder's.
    jump: float = 4.0
    # Networks leave residuals up to this on true symmetries. Source: by hand.
    trained_to: float = 0.05
    # A span whose worst residual is above this has a generator that is no symmetry in any case. Source: by hand.
    largest_residual: float = 0.3
    # Inner products of generators are lifted by this part of their mean where residuals of a span are taken. Source:
    # by hand.
    lift: float = 1e-12
    # Second derivatives of tables are differences of first ones over this part of the frame's unit. Source: by hand.
    difference: float = 1e-4
    # Points that the last layer is solved on. Source: cost.
    polished_on: int = 1500
    # The same in more than three dimensions, where every point gives many equations. Source: cost.
    polished_on_beyond: int = 400
    # Combinations of features shorter than this part of the longest are left out. Source: by hand; e^{2t} on a long
    # interval needs 1e-9.
    truncation: float = 1e-9
    # In many dimensions no more functions than this for one component. Source: cost.
    most_functions: int = 120
    # A basis of polynomials is rich enough when it misses no more than this part of any generator. Source: by hand.
    enough: float = 1e-3
    # A span of networks that polynomials miss by more than this is worth a word. Source: by hand.
    worth_saying: float = 0.01


@dataclass(frozen=True)
class LearntTuning:
    """Drift, diffusion and density as networks: which data they see, and how their last layers are solved."""

    # Increments kept in memory at most; of more, evenly spread ones are taken. Source: cost.
    most_increments: int = 8_000_000
    # With fewer paths than this, stretches of them are held out instead. Source: by hand.
    fewest_paths: int = 10
    # Stretches that such paths are cut into. Source: by hand.
    stretches: int = 40
    # Increments that the loss on what is held out is taken of at most: one shape whatever the data's size. Source:
    # cost.
    most_held_out: int = 65_536
    # A coordinate without noise is fitted by least squares; this part of its drift's size counts as one standard
    # deviation. Source: by hand.
    noiseless_part: float = 0.03
    # Rounds of Fisher scoring on a part of the increments, before one on all. Source: cost.
    rounds: int = 4
    # Increments in that part. Source: cost.
    tried: int = 60_000
    # A coordinate without noise is known no better than this part of its drift's size. Source: by hand; the root
    # of the precision of float64.
    rounding: float = 1e-8
    # Functions of the hidden units that are smaller than this part of the largest (in mean square) are left out.
    # Source: by hand.
    negligible: float = 1e-9
    # So many leading nonlinear functions per input are shrunk as one; from there on prior variances fall with their
    # size. Source: by hand.
    leading: int = 3
    # The information's diagonal is lifted by this part of its mean: outputs may nearly coincide. Source: by hand.
    ridge: float = 1e-12
    # States kept for a density at most. Source: cost.
    most_states: int = 1_000_000
    # States at which coefficients are tabulated for a density. Source: cost.
    tabulated: int = 8192
    # The equation of a density is asked for where it is not too small: within so many standard deviations. Source: by
    # hand.
    reach: float = 3.0
    # Means and widths of the first guess at a density are fitted to so many equally filled stretches of time. Source:
    # by hand.
    density_stretches: int = 40
    # No width is less than this part of the whole. Source: by hand.
    least_width: float = 1e-6


GENERATORS = GeneratorTuning()
LEARNT = LearntTuning()
