"""What a symmetry of an equation is used for: coordinates in which the equation is solved, or smaller, or autonomous.

`reduce` takes a result to a `Reduction`; `find_invariants` and `find_martingales` list functions that are constant, or
constant on average, along the paths. See docs/method.md §18.
"""

from liestonet.reduction.ito_integral import ItoIntegral
from liestonet.reduction.reduce import reduce
from liestonet.reduction.reduction import Reduction, Step
from liestonet.reduction.sample import Sample

__all__ = ["ItoIntegral", "Reduction", "Sample", "Step", "reduce"]
