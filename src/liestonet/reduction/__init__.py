"""Applications of symmetries of an equation: coordinates in which it is solved, reduced in dimension, or autonomous.

`reduce` makes a `Reduction` from a result; `find_invariants` and `find_martingales` list functions that are constant
along the paths, or have no drift along them. See docs/method.md §18.
"""

from liestonet.reduction.ito_integral import ItoIntegral
from liestonet.reduction.reduce import reduce
from liestonet.reduction.reduction import Reduction, Step
from liestonet.reduction.sample import Sample

__all__ = ["ItoIntegral", "Reduction", "Sample", "Step", "reduce"]
