"""Coefficients invariant under translations of time or of some coordinates: they do not depend on these variables.

Features are products of functions of one variable each, so all terms with these variables are left out. The others are
estimated again from the same sums; as the posterior is Gaussian, this is a linear map of the estimates and of their
errors. Moving the estimates along their stored errors instead would be inaccurate, because these lack small errors.
See docs/method.md §6.1.
"""

from __future__ import annotations

from collections.abc import Sequence

from liestonet.core.uncertainty import Information
from liestonet.surrogate.surrogate import Surrogate


def shift_invariant(
    surrogate: Surrogate, variables: Sequence[int], information: Information | None = None
) -> Surrogate:
    """The surrogate without the terms of some variables (0 is time), from its own information or that given."""
    own, kept = surrogate.information.without_terms(variables)
    parameters = own if information is None else information.without_terms(variables)[0]
    return surrogate.with_parameters(parameters).with_errors(surrogate.errors.mapped(kept))
