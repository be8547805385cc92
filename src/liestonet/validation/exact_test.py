"""`lsn.test` on an equation: a proof that a map or a generator is a symmetry, or a point where it fails.

Nothing is estimated here, so there is no error rate: SymPy inserts the claim into the equations; where it cannot
simplify the result to zero, numbers decide (docs/method.md §14.2).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from liestonet.core.coefficients import Coefficients
from liestonet.core.domain import Domain
from liestonet.core.generators import Generators, Lifted
from liestonet.core.points import PointCloud, lattice_cloud
from liestonet.core.tuning import SHARED
from liestonet.errors import InputError
from liestonet.formulas.closed_fields import ClosedFields
from liestonet.formulas.proved.proofs import is_zero
from liestonet.pipeline.random_symmetries import extended_domain
from liestonet.pipeline.solve import domain_of
from liestonet.pipeline.tuning import GENERIC
from liestonet.result import Result
from liestonet.sde.extended import extended
from liestonet.sde.sde import SDE
from liestonet.symmetry.determining.kinds import FOKKER_PLANCK, LAW, SPOKEN, Kind, kind_named
from liestonet.validation.formulas import Formulas
from liestonet.validation.generator_input import read_generators
from liestonet.validation.maps.map_equations import drift_rows, exact_equations, labels, squared_rows, stacked
from liestonet.validation.maps.map_input import is_map, read_map
from liestonet.validation.maps.point_map import PointMap
from liestonet.validation.smoothness import ORDER, regular
from liestonet.validation.tuning import MAPS
from liestonet.validation.written import percent


@dataclass(frozen=True)
class Failure:
    """Where a claim fails: a point (t and each coordinate by name), the quantity, and the two numbers that differ."""

    point: dict[str, float]
    what: str
    wanted: float
    found: float

    def __str__(self) -> str:
        where = ", ".join(f"{name} = {value:.4g}" for name, value in self.point.items())
        return f"At {where} {self.what} would have to be {self.wanted:.6g} and is {self.found:.6g}."


@dataclass(frozen=True)
class EquationTest:
    """Whether an equation has a symmetry: the outcome of a test.

    `status` is "proved", "numerical" (no difference found, no proof) or "no". `residual` is the relative residual on
    the box, exact up to rounding, so `lower` and `upper` are the same; `p_value` is 1 or 0. `verdict` is the ladder's.
    `failure` says where it fails.
    """

    claim: str
    symmetry: str
    holds: bool
    status: str
    residual: float
    lower: float
    upper: float
    p_value: float
    verdict: str
    failure: Failure | None
    domain: Domain

    @property
    def rejected(self) -> bool:
        """Whether the claim is refuted."""
        return not self.holds

    def __str__(self) -> str:
        return "\n".join(self.sentences())

    def sentences(self) -> list[str]:
        """The outcome in words."""
        several, own = ";" in self.claim, SPOKEN[self.symmetry]
        one, many = (
            ("symmetry", "symmetries") if self.symmetry != "law" else ("symmetry of the law", "symmetries of the law")
        )
        lead = "" if self.symmetry == "law" else f"{own} "
        kind = f"{lead}{many}" if several else f"{'an' if lead.startswith('I') else 'a'} {lead}{one}"
        verb = "are" if several else "is"
        if self.holds:
            how = "proved by SymPy" if self.status == "proved" else f"to rounding ({self.residual:.1g}); not proved"
            return [f"{self.claim} {verb} {kind} of this equation: {how}."]
        near = "; a near-symmetry" if self.verdict == "near-symmetry" else ""
        lines = [f"{self.claim} {verb} not {kind} of this equation (relative residual {percent(self.residual)}{near})."]
        return [*lines, *([str(self.failure)] if self.failure is not None else [])]


def claim_on_equation(sde: SDE, claim: Any, symmetry: Any = None, domain: Any = None) -> EquationTest:
    """Test whether a map, or one or several generators together, is a symmetry of the equation."""
    if is_map(claim):
        require_law(symmetry)
        return _map(sde, claim, domain)
    asked = claim.symmetry if symmetry is None and isinstance(claim, Result) else symmetry
    if asked is not None and kind_named(asked).extended:
        if isinstance(claim, Result) and not kind_named(claim.symmetry).extended:
            raise InputError(
                f"A result with {SPOKEN[claim.symmetry]} symmetries is tested as such; leave symmetry out, or write "
                "random generators as text with w."
            )
        own = claim.domain if isinstance(claim, Result) else None
        return _generators(extended(sde), claim, asked, extended_domain(sde, domain or own))
    return _generators(sde, claim, symmetry, domain)


def require_law(symmetry: Any) -> None:
    """Refuse other kinds of symmetry for a map."""
    if symmetry is not None and kind_named(symmetry) is not LAW:
        raise InputError(
            "A map is tested as a symmetry of the law: it may turn the noise round. Leave symmetry out, or say law."
        )


def numeric_equation(sde: SDE) -> SDE:
    """The equation with generic values for free parameters; proofs keep the parameters."""
    return sde.with_parameters(_generic(sde)) if sde.parameters else sde


def _generic(sde: SDE) -> dict[str, Any]:
    import sympy

    return {name: sympy.Rational(*value) for name, value in zip(sde.parameters, GENERIC.draws[0], strict=False)}


def _map(sde: SDE, claim: Any, domain: Any) -> EquationTest:
    box = domain_of(numeric_equation(sde), domain)
    return map_on_equation(sde, read_map(claim, sde.names, box, _generic(sde)), box)


def map_on_equation(sde: SDE, made: PointMap, box: Domain) -> EquationTest:
    """Test a map that was read and whose box was checked."""
    numeric = numeric_equation(sde)
    cloud = lattice_cloud(box, MAPS.compared_points)
    values, size, sides = compared(made, numeric, cloud, box)
    residual = float(np.sqrt(np.sum(cloud.weights[:, None] * values**2)) / size)
    proved = False
    if sde.symbolic is not None and made.formulas is not None:
        signs = _positive(sde.symbolic.state, box)
        proved = all(is_zero(row.xreplace(signs)) for row in exact_equations(sde.symbolic, made.formulas))
    worst = np.unravel_index(int(np.argmax(np.abs(values))), values.shape)
    names = ("t", *sde.names)
    point = dict(zip(names, cloud.points[worst[0]].tolist(), strict=True))
    place = ", ".join(f"{name} = {value:.4g}" for name, value in zip(names, made(cloud.points)[worst[0]], strict=True))
    what = f"{labels(sde.names)[int(worst[1])]} at the image ({place})"
    failure = Failure(point, what, float(sides[0][worst]), float(sides[1][worst]))
    return _judged(made.text, "law", None if proved else residual / 2, 0.0, failure, box)


def _positive(state: Sequence[Any], box: Domain) -> dict[Any, Any]:
    """Positive symbols for coordinates that are so on the box: log(x/2) is log x − log 2 there."""
    from sympy import Dummy

    low = [interval[0] for interval in box.intervals[1:]]
    return {symbol: Dummy(symbol.name, positive=True) for symbol, least in zip(state, low, strict=True) if least > 0}


def compared(
    made: PointMap, sde: SDE, cloud: PointCloud, domain: Domain
) -> tuple[np.ndarray, float, tuple[np.ndarray, np.ndarray]]:
    """Residuals of a map's equations without units, the size of the coefficients, and wanted and found values.

    The coefficients are the equation's own: images may lie beyond the box on which callables are projected.
    """
    jet, count = made.jet(cloud.points), len(cloud.points)
    places = [(points[:, 0], points[:, 1:]) for points in (cloud.points, jet.images)]
    f, a = ([function(*place) for place in places] for function in (sde.drift, sde.diffusion_squared))
    there = np.isfinite(np.concatenate([f[1], a[1].reshape(count, -1)], axis=1))
    if not there.all():
        bad = ~there.all(axis=1)
        where = jet.images[int(np.argmax(bad))]
        place = ", ".join(f"{name} = {value:.4g}" for name, value in zip(("t", *made.names), where, strict=True))
        raise InputError(
            f"The map {made.text} leads to {place}, where the coefficients have no finite value; give one that stays "
            "where the equation holds, or a smaller domain."
        )
    drift = jet.drift + drift_rows(jet, f[0], a[0], f[1])
    values = stacked(drift, squared_rows(jet, a[0], a[1]), domain)
    sizes = [np.sum(cloud.weights[:, None] * stacked(f[k], a[k], domain) ** 2) for k in range(2)]
    size = max(float(np.sqrt(np.mean(sizes))), np.finfo(float).tiny)
    speed = jet.speed[:, None]
    found = np.concatenate([f[1], _upper(a[1])], axis=1)
    wanted = found + np.concatenate([drift / speed, _upper(squared_rows(jet, a[0], a[1])) / speed], axis=1)
    return values, size, (wanted, found)


def _upper(matrices: np.ndarray) -> Float[np.ndarray, "b entries"]:
    rows, columns = np.triu_indices(matrices.shape[1])
    return matrices[:, rows, columns]


def _judged(
    claim: str, kind: str, residual: float | None, error: float, failure: Failure, domain: Domain
) -> EquationTest:
    """The outcome from a proof, which leaves no residual, or from a residual."""
    proved, residual = residual is None, residual or 0.0
    holds = proved or residual <= max(MAPS.same, 10 * error)
    near = "near-symmetry" if residual < SHARED.default_tolerance else "no"
    return EquationTest(
        claim=claim,
        symmetry=kind,
        holds=holds,
        status="proved" if proved else ("numerical" if holds else "no"),
        residual=residual,
        lower=residual,
        upper=residual,
        p_value=1.0 if holds else 0.0,
        verdict="symmetry" if holds else near,
        failure=None if holds else failure,
        domain=domain,
    )


def _generators(sde: SDE, claim: Any, symmetry: Any, domain: Any) -> EquationTest:
    numeric = numeric_equation(sde)
    box = domain_of(numeric, domain)
    given = read_generators(claim, sde.names, box)
    kind = _kind_of(symmetry, claim, given)
    if kind is FOKKER_PLANCK and not given.has_beta:
        given = Lifted(regular(given, box, ORDER + 1) if isinstance(given, Formulas) else given, sde.dimension)
    source, cloud = numeric.coefficients(box), lattice_cloud(box, MAPS.compared_points)
    _require_known(kind, sde, given, cloud)
    values, rows = exact_residuals(kind, source, given, cloud, box)
    sizes = np.sqrt(np.sum(values**2, axis=(1, 2)))
    worst = int(np.argmax(sizes))
    row, point = np.unravel_index(int(np.argmax(np.abs(values[worst]))), values.shape[1:])
    proved = sde.symbolic is not None and _proved(kind, sde, given)
    where = dict(zip(("t", *sde.names), cloud.points[int(point)].tolist(), strict=True))
    number = f" of X{worst + 1}" if given.count > 1 else ""
    failure = Failure(
        where,
        f"equation {rows[int(row)]}{number}",
        0.0,
        float(values[worst, int(row), int(point)] / np.sqrt(cloud.weights[int(point)])),
    )
    text = str(given) if isinstance(given, Formulas) else _named(claim, given.count)
    return _judged(text, kind.name, None if proved else float(sizes[worst]), source.error, failure, box)


def _require_known(kind: Kind, sde: SDE, given: Generators, cloud: PointCloud) -> None:
    """Refuse components that a kind does not have: random symmetries move neither time nor the Wiener process."""
    unknowns = kind.equations(sde.dimension, sde.noise).unknowns
    absent = [k for k, unknown in enumerate(unknowns) if unknown.absent]
    values = given.components(cloud.points, [()])[()]
    moved = [("t", *sde.names)[k] for k in absent if np.abs(values[:, :, k]).max() > 0]
    if moved:
        raise InputError(
            f"A {SPOKEN[kind.name]} symmetry has no component along {' or '.join(moved)}; test such a generator as ito "
            "or law."
        )


def _named(claim: Any, count: int) -> str:
    if isinstance(claim, Result) and len(claim.closed_forms) == count:
        from liestonet.formulas.notation import field_text

        return "; ".join(field_text(row, claim.names) for row in claim.closed_forms)
    return "; ".join(f"X{k + 1}" for k in range(count))


def _kind_of(symmetry: Any, claim: Any, given: Generators) -> Kind:
    """The kind asked for, else that of a result, else the law, as for data."""
    if symmetry is not None:
        return kind_named(symmetry)
    if isinstance(claim, Result):
        return kind_named(claim.symmetry)
    return FOKKER_PLANCK if given.has_beta else LAW


def _proved(kind: Kind, sde: SDE, given: Generators) -> bool:
    """Whether SymPy proves that all generators solve the equations of a kind."""
    rows: Iterable[Sequence[Any] | None] = ()
    base = given.base if isinstance(given, Lifted) else given
    if isinstance(base, Formulas):
        rows = base.rows
    elif isinstance(base, ClosedFields):
        rows = base.closed
    listed = list(rows)
    if not listed or any(row is None for row in listed) or sde.symbolic is None:
        return False
    table, symbols = kind.equations(sde.dimension, sde.noise), sde.symbolic.state
    for row in listed:
        entries = list(row or ())
        if isinstance(given, Lifted):
            divergence: Any = sum(entry.diff(x) for entry, x in zip(entries[1:], symbols, strict=True))
            entries.append(-divergence)
        if not all(is_zero(residual) for residual in table.residuals(sde.symbolic, entries)):
            return False
    return True


def exact_residuals(
    kind: Kind, source: Coefficients, given: Generators, cloud: PointCloud, domain: Domain
) -> tuple[Float[np.ndarray, "k rows b"], list[str]]:
    """DX of generators of unit length, equation by equation and point by point, for exact coefficients."""
    table = kind.equations(source.dimension, source.noise)
    jet = source.jet(cloud.points[:, 0], cloud.points[:, 1:], kind.jet_order)
    values = given.components(cloud.points, {term.derivative for term in table.terms} | {()})
    scales, roots = table.row_scales(domain.half), np.sqrt(cloud.weights)
    units = table.unknown_scales(domain.half)
    lengths = np.sqrt(np.einsum("mbc,b->m", (values[()][:, :, : len(units)] / units) ** 2, cloud.weights))
    found = np.zeros((given.count, len(table.rows), len(cloud.points)))
    for term in table.terms:
        factor: Any = term.factor * scales[term.row] * roots
        if term.coefficient is not None:
            entries = getattr(jet, term.coefficient.name).get(term.coefficient.derivative)
            if entries is None:
                continue
            factor = factor * entries[(slice(None), *term.coefficient.entry)]
        found[:, term.row] += factor * values[term.derivative][:, :, term.unknown]
    return found / lengths[:, None, None], [row.label for row in table.rows]
