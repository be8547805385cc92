"""The tuning values of the rooms that a result comes from, for its provenance."""

from __future__ import annotations

from typing import Any

from liestonet.algebra.tuning import ALGEBRA
from liestonet.core.provenance import tuning_record
from liestonet.core.tuning import SHARED
from liestonet.diagnostics.tuning import FLAGS
from liestonet.formulas.estimated.tuning import ESTIMATED
from liestonet.formulas.proved.tuning import PROOFS
from liestonet.formulas.tuning import FORMULAS
from liestonet.inference.tuning import REFIT, STAGES
from liestonet.sde.tuning import BOX, SERIES
from liestonet.surrogate.tuning import DATA, ERRORS, FIT
from liestonet.symmetry.analytic.tuning import FAMILIES, FORMAL, NULL_SPACE, TIMES
from liestonet.symmetry.determining.tuning import EQUATIONS
from liestonet.symmetry.statistical.tuning import JUDGING, SEARCH


def solve_tuning() -> dict[str, dict[str, Any]]:
    """What decides a result of an equation."""
    return tuning_record(SHARED, BOX, SERIES, EQUATIONS, NULL_SPACE, FORMAL, FAMILIES, TIMES, FORMULAS, PROOFS, ALGEBRA)


def discover_tuning() -> dict[str, dict[str, Any]]:
    """What decides a result of data."""
    return tuning_record(
        SHARED, DATA, FIT, ERRORS, EQUATIONS, SEARCH, JUDGING, REFIT, STAGES, FLAGS, FORMULAS, ESTIMATED, ALGEBRA
    )
