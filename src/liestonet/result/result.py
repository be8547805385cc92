"""The result of `solve` and `discover`: generators, their uncertainty, and their algebra."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from jaxtyping import Bool, Float

from liestonet.algebra.structure import Algebra
from liestonet.core.domain import Domain
from liestonet.core.flags import Flag
from liestonet.core.generators import Random, Values, without_noise
from liestonet.core.ladder import LadderRow
from liestonet.core.numbers import is_whole
from liestonet.core.points import points_of
from liestonet.core.provenance import Provenance
from liestonet.errors import InputError
from liestonet.formulas.closed_fields import ClosedFields, closed_fields
from liestonet.formulas.formula import Formula
from liestonet.result.findings import DataFindings, DiscreteSymmetries, EquationFindings, Findings, Validated
from liestonet.symmetry.determining.fields import Fields
from liestonet.symmetry.determining.kinds import SPOKEN

if TYPE_CHECKING:
    import sympy

MOST_TEXT = 100


@dataclass(frozen=True, repr=False)
class Result:
    """The symmetries of one system.

    `dimension` is the number of the ladder's rows with verdict "symmetry"; it is `math.inf` if the symmetries contain
    arbitrary functions, and `generators` are then the fields that these functions multiply. `directions` are those of
    all rows of the ladder, accepted or not. `findings` are further results: `EquationFindings` from `solve`,
    `DataFindings` from `discover`. `provenance` records how the result was made: settings, versions and the command
    that reproduces it. `names` are the variables besides time on which generators depend: the coordinates and, for
    random symmetries, the Wiener processes after them (`noises`).
    """

    symmetry: str
    dimension: int | float
    names: tuple[str, ...]
    domain: Domain
    fields: Fields
    directions: Fields
    ladder: tuple[LadderRow, ...]
    algebra: Algebra
    closed_forms: tuple[Formula, ...]
    flags: tuple[Flag, ...]
    findings: Findings
    provenance: Provenance | None = None

    def __repr__(self) -> str:
        """Two lines: the verdict, and the algebra with the formulas' statuses."""
        statuses = [row.status for row in self.closed_forms]
        counts = ", ".join(f"{statuses.count(s)} {s}" for s in ("proved", "consistent", "numerical") if s in statuses)
        return (
            f"Result: {self.dimension} {SPOKEN[self.symmetry]} symmetr{'y' if self.dimension == 1 else 'ies'} of "
            f"{str(self.surrogate)[:MOST_TEXT]}\n"
            f"  algebra {self.algebra.name}; formulas: {counts or 'not searched'}; flags: "
            f"{', '.join(flag.code for flag in self.flags) or 'none'}"
        )

    @property
    def surrogate(self) -> Any:
        """The source of drift and diffusion: the estimated coefficients (a `Surrogate`), or the `SDE`."""
        found = self.findings
        return found.equation if isinstance(found, EquationFindings) else found.surrogate

    @property
    def estimated(self) -> DataFindings | None:
        """The estimates from data; None for a result of an equation."""
        return self.findings if isinstance(self.findings, DataFindings) else None

    @property
    def bound(self) -> int | None:
        """The largest dimension that power series allow; None if it is not known, as for data."""
        return self.findings.bound if isinstance(self.findings, EquationFindings) else None

    @property
    def gap(self) -> float:
        """The first residual rejected over the last one accepted."""
        return self.findings.gap

    @property
    def validation(self) -> Validated | None:
        """The result of `validate`, if it was stored by `with_validation`; else None."""
        return self.findings.validation

    @property
    def discrete(self) -> DiscreteSymmetries | None:
        """The result of `liestonet.discrete`, if it was stored by `with_discrete`; else None."""
        return self.findings.discrete

    @property
    def training(self) -> Any:
        """The neural engine's record of its training (a `TrainingRecord`); None for other engines."""
        return self.findings.training if isinstance(self.findings, DataFindings) else None

    @property
    def measurement(self) -> Any:
        """Estimates of how the data were recorded: noise, exposure, clock; None for an equation."""
        return self.findings.measured if isinstance(self.findings, DataFindings) else None

    @property
    def fit_quality(self) -> Any:
        """Whether the fit is adequate: `p_value`, `misfit`, `offsets`, `memory`, `rejected`; None for an equation.

        Data that are marked exact are tested where their clock restarts only; what was not tested is None. `resolution`
        is, for each noisy coordinate, the length below which waves of a force may escape the data and break a symmetry.
        """
        return self.findings.fit_quality if isinstance(self.findings, DataFindings) else None

    @property
    def draw(self) -> dict[str, str]:
        """The values of free parameters for which numbers of the result were computed; empty if none are free."""
        found = self.findings
        return found.draws[0] if isinstance(found, EquationFindings) and found.draws else {}

    @property
    def noises(self) -> tuple[str, ...]:
        """Names of the Wiener processes on which random symmetries depend; empty for other kinds."""
        return self.names[self.surrogate.dimension :]

    @cached_property
    def ordinary(self) -> tuple[bool, ...]:
        """For each generator, whether it is independent of the Wiener processes; only random symmetries may depend."""
        return without_noise(self.evaluated, self.domain, len(self.noises))

    @overload
    def generators(self, t: Float[np.ndarray, " b"], x: Float[np.ndarray, "b d"]) -> Values: ...

    @overload
    def generators(
        self, t: Float[np.ndarray, " b"], x: Float[np.ndarray, "b d"], w: Float[np.ndarray, "..."] | Any
    ) -> Float[np.ndarray, "m b d"]: ...

    def generators(
        self, t: Float[np.ndarray, " b"], x: Float[np.ndarray, "b d"], w: Float[np.ndarray, "..."] | Any = None
    ) -> Values | Float[np.ndarray, "m b d"]:
        """tau (m, B), xi (m, B, d) and, for Fokker–Planck, beta (m, B) at the points t (B,), x (B, d).

        Random symmetries also need w, the Wiener processes (B, r) or (B,), and move the state only: xi (m, B, d).
        """
        if not self.noises:
            if w is not None:
                raise InputError(f"{SPOKEN[self.symmetry]} symmetries do not depend on w; call generators(t, x).")
            return self.evaluated(t, x)
        return Random(self.evaluated, self.surrogate.dimension, len(self.noises))(t, x, w)

    def inside(self, t: Float[np.ndarray, " b"], x: Float[np.ndarray, "b d"]) -> Bool[np.ndarray, " b"]:
        """Whether the points t (B,), x (B, d) lie in the domain, for which the result and its errors are valid.

        `generators` also gives values at other points: exact ones if a formula is proved, else those of a series, which
        are not checked there. For random symmetries x is the state; the Wiener processes are not needed.
        """
        points = points_of(t, x, self.surrogate.dimension)
        intervals = np.array(self.domain.intervals[: points.shape[1]])
        endless = np.isfinite(self.domain.periods[: points.shape[1]])
        return np.all(((points >= intervals[:, 0]) & (points <= intervals[:, 1])) | endless, axis=1)

    @cached_property
    def evaluated(self) -> Fields | ClosedFields:
        """The generators as functions with derivatives: their proved formulas, or else series.

        Flows, tests and plots of generators use these. The series `fields` are only for computations with coefficients
        in a basis: error bands and errors of generators from data, the rotation of the span with a perturbed surrogate,
        the first terms of generators without a formula, and the coefficients in files.
        """
        return closed_fields(self.fields, self.closed_forms, self.names, self.draw or None)

    def formulas(self) -> tuple[Formula, ...]:
        """The generators in closed form, in the order of `generators`: rows with tau, xi, beta and status."""
        if not self.noises:
            return self.closed_forms
        return tuple(replace(row, xi=row.xi[: self.surrogate.dimension]) for row in self.closed_forms)

    def candidates(self, k: int | Any) -> Any:
        """The k directions with the smallest residuals, accepted or not; called like `generators`."""
        available = self.directions.count
        if not (is_whole(k) and 0 <= k <= available):
            raise InputError(
                f"There are {available} directions on the ladder; ask for a whole number from 0 to {available}, "
                f"not {k!r}."
            )
        chosen = self.directions.mixed(np.eye(available)[:, :k])
        return Random(chosen, self.surrogate.dimension, len(self.noises)) if self.noises else chosen

    def push(self, data: Any, i: int | Any, eps: float | Any, *, margin: float | None = 1.0) -> Any:
        """The paths of `data` moved by the finite flow of generator i (from 0), with steps of their own (`Pushed`).

        Points whose flow blows up, or leaves the domain by more than `margin` of its half-widths, are left out, split
        their paths and are counted: `.left` and `.blew_up`. `margin=None` follows the generator wherever it leads.
        """
        from liestonet.validation.push import Reach, push

        if self.noises:
            raise InputError("A random symmetry moves a path with its noise, which data do not record; push another.")
        if margin is None:
            return push(self.evaluated, data, i, eps)
        return push(self.evaluated, data, i, eps, Reach(self.domain, margin))

    def with_validation(self, validation: Validated) -> Result:
        """The result with that of `validate` stored in it, so that the report shows it."""
        return replace(self, findings=replace(self.findings, validation=validation))

    def with_discrete(self, found: DiscreteSymmetries) -> Result:
        """The result with that of `liestonet.discrete` stored in it, so that the report shows it."""
        return replace(self, findings=replace(self.findings, discrete=found))

    def brackets(self) -> dict[tuple[int, int], sympy.Expr]:
        """[X_i, X_j] with i < j as SymPy sums over X1, X2, …, without those that are zero within their error.

        In an infinite-dimensional algebra the factors may be functions of the invariants; then there is no such table.
        """
        from liestonet.algebra.commutators import estimated_brackets, exact_brackets

        if self.algebra.infinite and self.algebra.open:
            raise InputError(
                "The algebra is infinite-dimensional, and brackets of the generators shown have functions of its "
                "invariants as factors, so there are no structure constants; compute brackets from formulas()."
            )
        if isinstance(self.findings, DataFindings):
            return estimated_brackets(self.algebra)
        known = self.findings.parametric_brackets
        return exact_brackets(self.algebra) if known is None else known

    def invariants(self) -> tuple[Any, ...]:
        """Functions of time and state that are constant along every path: rows with .expression and .status."""
        from liestonet.reduction.invariants import find_invariants

        return find_invariants(self)

    def martingales(self) -> tuple[Any, ...]:
        """Martingales that the symmetries generate: rows with .expression, .status ("proved"), .local and .origin.

        They come from the symmetries of the Fokker–Planck equation, which are computed first if the result has another
        kind. `local` is False if integrability is shown.
        """
        from liestonet.reduction.martingales import find_martingales

        return find_martingales(self)

    def equation(self) -> Any:
        """The equation of a recording: the most general one with these symmetries, its constants fitted with errors.

        `str(equation)` is text such as "dx = −1.00(3) x dt + 1.00(1) dW"; see also its `.constants`, `.covariance`,
        `.sde`, `.latex()` and `.forecast(...)`.
        """
        return self._fitted_equation

    @cached_property
    def _fitted_equation(self) -> Any:
        from liestonet.reduction.recording.equation_fit import estimated_equation

        return estimated_equation(self)

    def meaning(self) -> Any:
        """The meaning of the symmetries in words: rows with .about ("X1", or empty for all together), .code, .text."""
        from liestonet.render.meaning import meaning_of

        return meaning_of(self)

    def latex(self) -> str:
        """Equation, generators and commutators in LaTeX, ready to paste; needs amsmath."""
        from liestonet.render.latex import render_latex
        from liestonet.render.view import ResultView

        return render_latex(ResultView.of(self))

    def report(self, path: str | os.PathLike[str] | Any, *, tolerances: Sequence[float] | Any | None = None) -> Path:
        """Write the result as one self-contained HTML page; returns its path.

        `tolerances` are further tolerances for the page's slider. By default there are ten for up to two coordinates,
        and none for more, because they take longer than the search itself.
        """
        from liestonet.render.html import write_report

        return write_report(self, path, tolerances)

    def show(self, height: int | Any = 720) -> Any:
        """The interactive page as the output of a notebook's cell; `height` in pixels."""
        from liestonet.render.html import render_page
        from liestonet.render.notebook import Shown, checked_height

        pixels = checked_height(height)
        return Shown(render_page(self), pixels)

    def _repr_html_(self) -> str:
        """The HTML of a result in a notebook; `show` gives the whole page."""
        from liestonet.render.notebook import render_html
        from liestonet.render.view import ResultView

        return render_html(ResultView.of(self))

    def save(self, path: str | os.PathLike[str] | Any) -> None:
        """Write the result to one file, such as "run.lsn", which `liestonet.load` opens; never a partial file."""
        from liestonet.storage import save

        save(self, path)

    def to_json(self) -> str:
        """The result as JSON text (schema in docs/json.md)."""
        import json

        return json.dumps(self.to_dictionary(), indent=2, ensure_ascii=False, allow_nan=False)

    def to_dictionary(self) -> dict[str, Any]:
        """The result as plain numbers, text and lists, ready for JSON."""
        from liestonet.reduction.recording.equation_fit import readable_equation
        from liestonet.render.meaning import meaning_of
        from liestonet.render.next_step import next_step
        from liestonet.result.as_json import dictionary_of, plain_values

        step = next_step(self)
        said = {"meaning": meaning_of(self).to_list(), "next": None if step is None else vars(step)}
        found = dictionary_of(self) | said
        if self.estimated is None:
            return found
        equation = readable_equation(self)
        return found | {"estimated_equation": None if equation is None else plain_values(equation.to_dictionary())}
