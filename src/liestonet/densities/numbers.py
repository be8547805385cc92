"""Types of arguments and results: arrays of any shape or single numbers, and expressions of SymPy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

# NumPy turns arrays without dimensions into numbers, so both are accepted; a type checker cannot distinguish them.
if TYPE_CHECKING:
    Numbers = Any
else:
    Numbers = Float[np.ndarray, "..."] | float
# An expression of SymPy, whose types do not distinguish expressions from their parts.
Expression = Any
