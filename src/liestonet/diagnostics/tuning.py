"""Numbers that decide on flags about the data: false-alarm rates, and sizes below which an effect is not flagged.

Resulting rates on clean and on faulty data that were not used to choose these values: `docs/flag_rates.md`
(`experiments/flags.py`).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class FlagTuning:
    """Error rates and sizes of all flags about the data."""

    # Chance of a flag for memory, and of each flag for tails, on independent Gaussian residuals. Source: measured: no
    # false alarm on 74 clean data sets (docs/flag_rates.md).
    error_rate: float = 1e-3
    # Chance of a flag for long steps from noise alone. Source: measured (docs/flag_rates.md).
    step_error_rate: float = 5e-3
    # Increments whose residuals are examined, for one, two, three and more coordinates. Source: cost.
    spread: tuple[int, ...] = (60_000, 20_000, 20_000, 5_000)
    # Consecutive increments whose residuals are examined, likewise. Source: cost.
    in_order: tuple[int, ...] = (65_536, 65_536, 65_536, 16_384)
    # A residual is used where the relative error of the noise is below this: elsewhere even an ideal step is not
    # Gaussian. Source: by hand.
    uncertain: float = 0.2
    # It is used where the noise changes within the step by less than this part. Source: by hand.
    changing: float = 0.3
    # Correlations of neighbouring steps below this are not flagged. Source: theory: they change the estimated noise by
    # twice that part; measured in docs/flag_rates.md.
    material_correlation: float = 0.02
    # Outliers are clipped at this many standard deviations: one jump must not look like memory. Source: by hand.
    clip: float = 4.0
    # A larger correlation of neighbours is not blur. Source: theory: an average over the whole step gives 1/4; the rest
    # is for its error.
    most_blur: float = 0.27
    # Nor is it blur if the correlation over two steps is clear and above the first divided by this number. Source: by
    # hand.
    second_correlation: int = 5
    # A mean squared displacement that grows like t^this is motion with a velocity. Source: by hand, between 1 for a
    # diffusion and 2 for a ballistic path (docs/flag_rates.md).
    inertial: float = 1.6
    # With fewer residuals their tails are not judged. Source: by hand.
    least_residuals: int = 200
    # Quantile of |z| that measures the middle, without regard to scale or outliers. Source: theory: the median.
    middle: float = 0.5
    # Quantile of |z| that measures the tails. Source: by hand; at 1.96 standard deviations of a Gaussian.
    outer: float = 0.95
    # The standard error of their ratio is this over √N, in parts of it. Source: theory: Gaussian order statistics.
    ratio_error: float = 1.3
    # Tails count as heavy if the outer quantile is farther out by this part. Source: measured: Student's t with ten
    # degrees of freedom is noticed (docs/flag_rates.md).
    heavier: float = 0.08
    # Steps this many times the largest that a Gaussian allows are jumps. Source: measured (docs/flag_rates.md).
    farther: float = 1.25
    # Points at which discretisation bias is computed, for one, two, three and more coordinates. Source: cost: the
    # number of derivatives grows with the coordinates.
    expansion_points: tuple[int, ...] = (400, 200, 100, 16)
    # Random directions that represent the parameters' covariance. Source: cost.
    expansion_directions: int = 64
    # Relative discretisation bias of a coefficient without a flag. Source: by hand; measured in docs/flag_rates.md.
    material_bias: float = 0.07
    # Coefficients with a larger relative error hardly restrict symmetries. Source: by hand; measured in
    # docs/flag_rates.md.
    largest_error: float = 0.3
    # With fewer increments than this small symmetry-breaking terms go unseen. Source: by hand.
    few_increments: int = 1000
    # Parts of each variable into which the box is cut, in every pair of variables. Source: by hand.
    coverage_parts: int = 8
    # Part of the cells that should hold a point. Source: by hand.
    least_covered: float = 0.5
    # Part of the tolerance by which a coordinate should move. Source: by hand; a generator that does not depend on
    # time has a residual of the order of this motion.
    least_motion: float = 0.5
    # Points at which coverage, motion and relations are examined. Source: cost.
    coverage_points: int = 10_000
    # Coordinates up to which relations among them are looked for. Source: cost.
    most_related: int = 12
    # A relation holds if it explains all but this part of the variance; for squares, all but its square. Source:
    # by hand; far above rounding, far below noise.
    unexplained: float = 1e-6
    # Part of the jumps between neighbours that must be as small as that where a coordinate is a function of another.
    # Source: by hand; a few jumps of the function itself are allowed.
    smooth_part: float = 0.75
    # A coordinate is named in a relation if its terms hold more than this part. Source: by hand.
    involved: float = 0.01
    # Eigenvalues below this part of the largest are zero because of the distribution of single coordinates. Source:
    # theory: rounding of a Gram matrix; a variable with two values has no square.
    empty: float = 1e-9
    # Noise that crosses half of the box this often has lost memory of the initial state. Source: by hand; a free
    # particle stays below ten.
    turnovers: float = 20.0
    # Part of the steps that may be exactly zero. Source: by hand; a continuous coordinate is never constant.
    many_zeros: float = 0.05
    # A grid matters if it is this part of a typical step. Source: theory: rounding then adds 2·0.2²/12 = 0.7 % to the
    # diffusion.
    coarse_grid: float = 0.2
    # Values lie on a grid if all are within this part of its spacing of a grid point. Source: by hand.
    on_grid: float = 1e-3
    # Values in which a grid is sought. Source: cost.
    grid_values: int = 20_000
    # Increments on which frequencies finer than those of the fit are tested. Source: cost.
    fine_points: int = 20_000
    # Frequencies that are tested. Source: cost; twice what a fit may have.
    fine_frequencies: int = 128


FLAGS = FlagTuning()
