"""Special parameters with more symmetries: exact conditions, each solved and proved (docs/method.md §17.1)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from liestonet.core.progress import Progress, silent
from liestonet.errors import InputError
from liestonet.pipeline.free_parameters import MOST_PARAMETERS, check_names
from liestonet.pipeline.solve import solve, with_killing_of
from liestonet.result.classification import Classification, KindCase, SpecialCase
from liestonet.result.classification import count as written
from liestonet.sde.sde import SDE
from liestonet.symmetry.analytic.tuning import CLASSIFICATION
from liestonet.symmetry.determining.kinds import Kind, kind_named

KINDS = ("ito", "law", "fokker-planck")


def classify(
    sde: SDE | str | Any,
    symmetry: str | Iterable[str] | Any = None,
    *,
    killing: str | Any | None = None,
    prove: bool = True,
    progress: Progress | None = None,
) -> Classification:
    """Conditions on the parameters under which an equation has more symmetries than for generic values.

    `sde` is an equation (or its text) with parameters that have no value. `symmetry` is a kind or several; by default
    all three. Every row has a `condition` such as "4*kappa*theta = sigma**2", the `dimension` if it holds, and a
    `status`; `coverage` says which part of parameter space was covered. Conditions come from exact linear algebra over
    the parameters; the equation is then solved with each condition imposed, and formulas are proved. `prove=False`
    only counts. `killing` is as in `solve`.
    """
    equation = SDE.parse(sde) if isinstance(sde, str) else sde
    kinds = _kinds(symmetry)
    _require(equation)
    equation = equation if killing is None else equation.with_killing(killing)
    rows: list[SpecialCase] = []
    cases: list[KindCase] = []
    for kind in kinds:
        if equation.killing is not None and kind.name != "fokker-planck" and symmetry is None:
            continue  # a killing changes the density alone
        found, case = _one_kind(equation, with_killing_of(kind, equation), prove, progress or silent)
        rows += found
        cases.append(case)
    return Classification(str(equation), equation.parameters, tuple(rows), tuple(cases))


def _kinds(symmetry: Any) -> list[Kind]:
    if symmetry is None:
        return [kind_named(name) for name in KINDS]
    names = [symmetry] if isinstance(symmetry, str | Kind) else list(symmetry)
    kinds = [kind_named(name) for name in names]
    unknown = next((kind.name for kind in kinds if kind.name not in KINDS), None)
    if unknown is not None:
        raise InputError(f"classify counts symmetries of the kinds {', '.join(KINDS)}, not {unknown}.")
    return kinds


def _require(sde: Any) -> None:
    """Raise an error unless `sde` is an equation with formulas and free parameters."""
    if not isinstance(sde, SDE):
        raise InputError(f"classify takes an equation, not a {type(sde).__name__}; give text or an SDE.")
    if sde.symbolic is None:
        raise InputError("classify needs formulas, and this equation is made of callables; write it with SDE.parse.")
    if not sde.parameters:
        raise InputError(
            "The equation has no free parameter; leave a name without a value, as k in 'dx = -k*x dt + dW'."
        )
    if len(sde.parameters) > MOST_PARAMETERS:
        raise InputError(
            f"{len(sde.parameters)} parameters have no value, and at most {MOST_PARAMETERS} may stay free; give the "
            "others values."
        )
    if sde.periodic:
        raise InputError("classify counts local symmetries and does not support angles; leave the periods out.")
    check_names(sde)


@dataclass
class _Search:
    """The branches of parameter space still to be examined, and the results so far."""

    kind: Kind
    say: Progress
    found: list[tuple[Any, float | int]] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    complete: bool = True
    seen: set[str] = field(default_factory=set)
    outside: list[Any] = field(default_factory=list)

    def sentences(self) -> tuple[str, ...]:
        """Sentences on the parts of parameter space that were left out, each once."""
        named: list[Any] = []
        for branch in sorted(self.outside, key=lambda branch: len(branch.equations)):
            if not any(all(branch.vanishes(polynomial) for polynomial in other.equations) for other in named):
                named.append(branch)
        lines = [
            f"{condition_text(branch.equations)} ({'no noise is left' if branch.is_noiseless else 'not defined'})."
            for branch in named
        ]
        return tuple(dict.fromkeys([*lines, *self.left_out]))


def _one_kind(sde: SDE, kind: Kind, prove: bool, say: Progress) -> tuple[list[SpecialCase], KindCase]:
    from liestonet.symmetry.analytic.parameter_branches import Branch

    say(f"counting {kind.name} symmetries for generic parameters")
    search = _Search(kind, say)
    root = Branch(sde.symbolic) if sde.symbolic is not None else None
    generic, conditions = _candidates(search, root)
    if generic is None:
        return [], KindCase(kind.name, None, False, search.sentences())
    _explore(search, root, conditions)
    rows = [_row(kind, root, branch, dimension, prove, say) for branch, dimension in _raised(search.found, generic)]
    rows.sort(key=lambda row: (len(row.equations), row.dimension, row.condition))
    left_out = search.sentences()
    return rows, KindCase(kind.name, generic, search.complete, left_out)


def _candidates(search: _Search, branch: Any) -> tuple[float | int | None, list[Any]]:
    """The dimension on a branch and the conditions under which it may be higher."""
    from liestonet.symmetry.analytic.special_parameters import candidates, generic_count

    known = branch.coefficients
    equations = search.kind.equations(known.dimension, known.noise)
    count = generic_count(equations, known)
    where = f"where {condition_text(branch.equations)}" if branch.equations else "for generic parameters"
    if count is None:
        dimension = _solved_dimension(search.kind, known)
        if dimension is None or not math.isinf(dimension):
            search.complete = False
            search.left_out.append(f"No exact power series {where}.")
        return dimension, []
    if not known.parameters:
        return count.dimension, []
    search.say(f"looking for special parameters {where}")
    found = candidates(equations, known, count)
    if found is None:
        search.complete = False
        search.left_out.append(f"The conditions are too large {where}.")
        return count.dimension, []
    return count.dimension, sorted(found, key=lambda condition: (len(condition), sorted(map(str, condition))))


def _solved_dimension(kind: Kind, coefficients: Any) -> float | int | None:
    """The dimension by `solve`, for cases in which exact power series give no finite count."""
    try:
        return solve(SDE.from_coefficients(coefficients, ()), kind.name, formulas=False).dimension
    except InputError:
        return None


def _explore(search: _Search, root: Any, conditions: list[Any]) -> None:
    """Examine conditions, and further conditions under them, until no parameter is free."""
    from liestonet.symmetry.analytic.parameter_branches import branches_of

    waiting = [(root, condition) for condition in conditions]
    while waiting:
        parent, condition = waiting.pop(0)
        if len(search.seen) >= CLASSIFICATION.most_branches:
            search.complete = False
            search.left_out.append(f"More than {CLASSIFICATION.most_branches} cases: the others were not examined.")
            return
        split = branches_of(parent, condition)
        for polynomial in split.unsolved:
            search.complete = False
            search.left_out.append(f"{condition_text((polynomial,))} was not solved for a parameter.")
        for branch in split.branches:
            key = f"{branch.coefficients.drift} {branch.coefficients.diffusion} {branch.coefficients.killing}"
            if key in search.seen:
                continue
            search.seen.add(key)
            if not branch.is_defined or branch.is_noiseless:
                search.outside.append(branch)
            else:
                dimension, more = _candidates(search, branch)
                if dimension is not None:
                    search.found.append((branch, dimension))
                waiting += [(branch, deeper) for deeper in more]


def _raised(found: list[tuple[Any, float | int]], generic: float | int) -> list[tuple[Any, float | int]]:
    """The branches with more symmetries than every branch that contains them."""
    kept: list[tuple[Any, float | int]] = []
    for branch, dimension in sorted(found, key=lambda pair: len(pair[0].equations)):
        around = [other for whole, other in kept if all(branch.vanishes(p) for p in whole.equations)]
        if dimension > max([generic, *around]):
            kept.append((branch, dimension))
    return kept


def _row(kind: Kind, root: Any, branch: Any, dimension: float | int, prove: bool, say: Progress) -> SpecialCase:
    """The row for one condition, with the equation solved under it."""
    from liestonet.symmetry.analytic.parameter_branches import other_ways

    text = condition_text(branch.equations)
    equations = [SDE.from_coefficients(way.coefficients, ()) for way in (branch, *other_ways(root, branch))]
    if prove:
        say(f"proving that {text} gives dimension {written(dimension)}")
        proved = _is_proved_infinite if math.isinf(dimension) else _is_proved
        for equation in equations:
            if proved(equation, kind, dimension):
                return SpecialCase(kind.name, text, dimension, "proved", branch.equations, equation)
    return SpecialCase(kind.name, text, dimension, "numerical", branch.equations, equations[0])


def _is_proved(equation: SDE, kind: Kind, dimension: float | int) -> bool:
    """Whether `solve` gives this many generators with proved formulas, or the scalar theory proves the number."""
    if equation.dimension == 1 and _has_density(equation, kind, dimension):
        return True
    try:
        result = solve(equation, kind.name)
    except InputError:
        return False  # no box on which to solve: only the exact count is known
    rows = result.formulas()
    return result.dimension == dimension == len(rows) and all(row.status == "proved" for row in rows)


def _is_proved_infinite(equation: SDE, kind: Kind, _: float | int) -> bool:
    """Whether some coordinate has its own equation without noise. A function I of it and of time is then constant along
    every path, and h(I)X is a symmetry for every h and a proved X without time component (docs/method.md §3.6).
    """
    known: Any = equation.symbolic
    still = {k for k in range(known.dimension) if known.diffusion[k, :].is_zero_matrix}
    for _step in range(known.dimension):
        moving = {known.state[k] for k in range(known.dimension) if k not in still}
        still = {k for k in still if not known.drift[k].free_symbols & moving}
    if not still or kind.name == "fokker-planck":
        return False
    try:
        rows = solve(equation, kind.name).formulas()
    except InputError:
        return False
    return any(row.status == "proved" and row.tau == 0 and any(row.xi) for row in rows)


def _has_density(equation: SDE, kind: Kind, dimension: float | int) -> bool:
    """Whether the form of a scalar equation in the coordinate of unit noise proves the dimension.

    Its potential determines the Fokker–Planck dimension (docs/method.md §16.2), its drift that of the others (§2.6).
    """
    from liestonet.densities.density import density

    for boundary in (None, "absorbing"):
        try:
            found = density(equation, boundary=boundary)
        except InputError:
            continue
        if found.status != "proved":
            return False
        if kind.name == "fokker-planck":
            return found.dimension == dimension
        structure = found.kernel.plan.structure
        affine = structure.rate is not None and structure.forcing is not None
        return affine and dimension == 3 and (kind.name == "law" or equation.noise == 1)
    return False


def condition_text(equations: Iterable[Any]) -> str:
    """Vanishing polynomials as equations, with positive terms on the left."""
    return " and ".join(_equation_text(polynomial) for polynomial in equations)


def _equation_text(polynomial: Any) -> str:
    import sympy

    terms = sympy.Add.make_args(sympy.expand(polynomial))
    signed = [(term, bool(term.as_coeff_Mul()[0] < 0)) for term in terms]
    left = sympy.Add(*(term for term, negative in signed if not negative))
    right = sympy.Add(*(-term for term, negative in signed if negative))
    if left.is_number and not right.is_number:
        left, right = right, left
    return f"{left} = {right}"
