"""What `solve` and `discover` answer: generators, how sure we are, and the algebra they span."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from liestonet.algebra.closed_fields import ClosedFields, closed_fields
from liestonet.algebra.formula import Formula
from liestonet.algebra.structure import Algebra
from liestonet.domain import Domain
from liestonet.errors import InputError
from liestonet.flags import Flag
from liestonet.provenance import Provenance
from liestonet.symmetry.fields import Fields, Values
from liestonet.symmetry.ladder import LadderRow

SCHEMA = "liestonet.result/1"
MOST_TEXT = 100
# A span whose brackets lead out of it by more than this has no table of them.
LARGEST_CLOSURE = 1e-2


@dataclass(frozen=True, repr=False)
class Result:
    """The symmetries of one system.

    `dimension` counts the ladder's rows with verdict "symmetry"; it is `math.inf` where a whole family of functions
    is admitted, and `generators` then gives the fields that the family is built on. `bound` is the largest dimension
    that power series at a generic point allow, None where it is not known; `gap` is the first residual left out over
    the last one taken. From data, `surrogate` are the estimated coefficients, `refit` the same with the symmetries
    imposed and what the likelihood says to that, None where it was not done, and `law_dimension` the number of
    symmetries at law level, which does not depend on how σ was chosen. `data` is a record of the trajectories, and
    `standards` the tolerance and error rate that the verdicts keep to; `training` is what the neural engine did, None
    for the others. `draws` are the values at which an equation with free parameters was solved, those of the numbers
    shown first; `parametric_brackets` its commutators in the parameters, None where not proved. `provenance` is how the
    result was made: settings, versions and the command that makes it again. `validation` is what `validate` found,
    where it was asked; `with_validation` keeps it here.
    """

    symmetry: str
    dimension: int | float
    names: tuple[str, ...]
    domain: Domain
    fields: Fields
    directions: Fields
    ladder: tuple[LadderRow, ...]
    algebra: Algebra
    surrogate: Any
    flags: tuple[Flag, ...]
    bound: int | None
    gap: float
    closed_forms: tuple[Formula, ...] = ()
    refit: Any = None
    law_dimension: int | None = None
    data: Any = None
    standards: Any = None
    training: Any = None
    draws: tuple[dict[str, str], ...] = ()
    parametric_brackets: dict[tuple[int, int], Any] | None = None
    provenance: Provenance | None = None
    validation: Any = None

    def __repr__(self) -> str:
        """Two lines: what was found, and the algebra with the formulas' statuses."""
        statuses = [row.status for row in self.closed_forms]
        counts = ", ".join(f"{statuses.count(s)} {s}" for s in ("proved", "consistent", "numerical") if s in statuses)
        return (
            f"Result: {self.dimension} {self.symmetry} symmetries of {str(self.surrogate)[:MOST_TEXT]}\n"
            f"  algebra {self.algebra.name}; formulas: {counts or 'none sought'}; flags: "
            f"{', '.join(flag.code for flag in self.flags) or 'none'}"
        )

    def generators(self, t: Float[np.ndarray, " b"], x: Float[np.ndarray, "b d"]) -> Values:
        """tau (m, B), xi (m, B, d) and, for Fokker–Planck, beta (m, B) at the points t (B,), x (B, d)."""
        return self.evaluated(t, x)

    @cached_property
    def evaluated(self) -> Fields | ClosedFields:
        """The generators as functions with derivatives: by their formulas where these are proved, else by series."""
        return closed_fields(self.fields, self.closed_forms, self.names, self.draws[0] if self.draws else None)

    def formulas(self) -> tuple[Formula, ...]:
        """The generators in closed form, in the order of `generators`: rows with tau, xi, beta and status."""
        return self.closed_forms

    def candidates(self, k: int | Any) -> Fields:
        """The k directions with the smallest residuals, accepted or not; called like `generators`."""
        available = self.directions.count
        whole = isinstance(k, int | np.integer) and not isinstance(k, bool)
        if not (whole and 0 <= k <= available):
            raise InputError(
                f"There are {available} directions on the ladder; ask for a whole number from 0 to {available}, "
                f"not {k!r}."
            )
        return self.directions.mixed(np.eye(available)[:, :k])

    def push(self, data: Any, i: int | Any, eps: float | Any, *, margin: float | None = 1.0) -> Any:
        """The paths of `data` moved by the finite flow of generator i (from 0), with steps of their own.

        Points whose flow blows up, or leaves the domain by more than `margin` of its half-widths, are left out, split
        their paths and are counted: `.left` and `.blew_up`. `margin=None` follows the generator wherever it leads.
        """
        from liestonet.validation.push import push

        if margin is None:
            return push(self.fields, data, i, eps)
        return push(self.fields, data, i, eps, domain=self.domain, margin=margin)

    def with_validation(self, validation: Any) -> Result:
        """The same result with what `validate` found, so that the report has it."""
        return replace(self, validation=validation)

    def brackets(self) -> dict[tuple[int, int], Any]:
        """[X_i, X_j] with i < j as SymPy sums over X1, X2, …, where they do not vanish within their error.

        In an infinite-dimensional algebra the factors may be functions of the invariants; then there is no such table.
        """
        from liestonet.algebra.commutators import estimated_brackets, exact_brackets

        if self.algebra.infinite and self.algebra.closure > LARGEST_CLOSURE:
            raise InputError(
                "The algebra is infinite-dimensional, and brackets of the generators shown have functions of its "
                "invariants as factors, which no table of constants shows; multiply out those of interest by hand."
            )

        if self.parametric_brackets is not None:
            return self.parametric_brackets
        if self.standards is not None:
            return estimated_brackets(self.algebra)
        return exact_brackets(self.algebra)

    def latex(self) -> str:
        """Equation, generators and commutators in LaTeX, ready to paste; needs amsmath."""
        from liestonet.latex import render_latex

        return render_latex(self)

    def report(self, path: str | os.PathLike[str] | Any) -> Path:
        """Write the result as one page that any browser opens, with nothing beside it; returns where it is."""
        from liestonet.report import write_report

        return write_report(self, path)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from liestonet.notebook import render_html

        return render_html(self)

    def save(self, path: str | os.PathLike[str] | Any) -> None:
        """Write the result to one file, such as "run.lsn", that `liestonet.load` opens; complete or not at all."""
        from liestonet.storage import save

        save(self, path)

    def to_json(self) -> str:
        """The result as JSON text (schema in docs/json.md)."""
        import json

        return json.dumps(self.to_dictionary(), indent=2, ensure_ascii=False, allow_nan=False)

    def to_dictionary(self) -> dict[str, Any]:
        """The result as plain numbers, text and lists, ready for JSON."""
        plain = {
            "schema": SCHEMA,
            "symmetry": self.symmetry,
            "dimension": self.dimension,
            "bound": self.bound,
            "gap": self.gap,
            "equation": str(self.surrogate),
            "names": list(self.names),
            "draws": list(self.draws),
            "domain": {
                "chosen": self.domain.chosen,
                "chosen_for": [("t", *self.names)[i] for i in self.domain.picked],
                "intervals": {
                    name: list(pair) for name, pair in zip(("t", *self.names), self.domain.intervals, strict=True)
                },
                "singular": {
                    name: [coordinate.below, coordinate.above]
                    for name, coordinate in zip(("t", *self.names), self.domain.coordinates, strict=True)
                },
            },
            "ladder": [vars(row) for row in self.ladder],
            "generators": [self._generator_dictionary(i) for i in range(self.fields.count)],
            "formulas": [self._formula_dictionary(formula) for formula in self.closed_forms],
            "algebra": {
                "name": self.algebra.name,
                "structure_constants": self.algebra.structure_constants.tolist(),
                "closure": self.algebra.closure,
                "jacobi": self.algebra.jacobi,
            },
            "flags": [vars(flag) for flag in self.flags],
        }
        return _plain(plain if self.data is None else plain | self._data_dictionary())

    def _data_dictionary(self) -> dict[str, Any]:
        """What only a result from data has."""
        refit = self.refit
        return {
            "law_dimension": self.law_dimension,
            "standards": None if self.standards is None else vars(self.standards),
            "refit": None
            if refit is None
            else {
                "deviance": refit.deviance,
                "degrees_of_freedom": refit.degrees_of_freedom,
                "p_value": refit.p_value,
                "converged": refit.converged,
                "held_out": refit.held_out,
                "held_out_error": refit.held_out_error,
            },
            "data": self.data.to_dictionary(),
        } | ({} if self.training is None else {"training": self.training.to_dictionary()})

    def _formula_dictionary(self, formula: Formula) -> dict[str, Any]:
        """One closed form as text and as LaTeX; only the status where there is no formula."""
        from liestonet.algebra.notation import field_latex, field_text

        if formula.status == "numerical":
            return {"status": formula.status}
        return {
            "status": formula.status,
            "error": formula.error,
            "tau": str(formula.tau),
            "xi": [str(component) for component in formula.xi],
            "beta": str(formula.beta),
            "constants": [
                {"symbol": str(row.symbol), "value": row.value, "uncertainty": row.uncertainty}
                for row in formula.constants
            ],
            "text": field_text(formula, self.names),
            "latex": field_latex(formula, self.names),
        }

    def _generator_dictionary(self, i: int) -> dict[str, Any]:
        """One generator as coefficients of the basis functions, products of orthonormal polynomials on the domain."""
        basis = self.fields.basis
        labels = ["tau", *(f"xi_{name}" for name in self.names), *(["beta"] if self.fields.has_beta else [])]
        parts: dict[str, Any] = {}
        for unknown, label in enumerate(labels):
            values = self.fields.coefficients[basis.columns(unknown), i] * basis.scales[unknown]
            kept = np.abs(values) > 1e-13 * max(np.max(np.abs(values), initial=0.0), np.finfo(float).tiny)
            parts[label] = {"degrees": basis.degrees[unknown][kept].tolist(), "coefficients": values[kept].tolist()}
        return parts


def _plain(value: Any) -> Any:
    """The same in values that JSON has, all the way down; infinity and not-a-number become text."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
