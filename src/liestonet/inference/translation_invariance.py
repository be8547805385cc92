"""Coefficients that do not depend on time, or on some coordinates: what invariance under shifts asks of them.

Features are products of functions of one variable each, so this leaves out all terms of the variables. The others are
estimated again from the same sums; data and prior being Gaussian, that is a linear map of the estimates and of their
errors. Moving the estimates along their known errors instead would go far astray: small errors are left out of these.
See docs/method.md §6.1.
"""

from __future__ import annotations

from collections.abc import Sequence

from liestonet.core.uncertainty import Information
from liestonet.surrogate.surrogate import Surrogate


def shift_invariant(
    surrogate: Surrogate, variables: Sequence[int], information: Information | None = None
) -> Surrogate:
    """The surrogate without the terms of some variables (0 is time), from its own information or from another."""
    own, kept = surrogate.information.without_terms(variables)
    parameters = own if information is None else information.without_terms(variables)[0]
    return surrogate.with_parameters(parameters).with_errors(surrogate.errors.mapped(kept))
