"""Types of what passes between the steps: arrays of any shape or one number, and expressions of SymPy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

# Arrays of no dimension become numbers of NumPy in every sum, so that both pass; a type checker cannot tell them apart.
if TYPE_CHECKING:
    Numbers = Any
else:
    Numbers = Float[np.ndarray, "..."] | float
# An expression of SymPy, whose own types do not tell it from what it is made of.
Expression = Any
