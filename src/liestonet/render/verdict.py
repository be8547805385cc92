"""The verdict, for an equation and for data: the number of symmetries and its certainty, in one sentence."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from liestonet.core.ladder import LadderRow
from liestonet.core.p_values import p_clause
from liestonet.render.clock_text import changes_with_date, not_adequate
from liestonet.render.kinds import KINDS
from liestonet.render.limits import LONGEST_EQUATION, ROUNDING
from liestonet.render.numbers import number, percent, percent_interval, short
from liestonet.result import Result
from liestonet.result.findings import DataFindings, EquationFindings


def verdict(result: Result) -> str:
    """The verdict, without the computations for a whole view."""
    found = result.findings
    return equation_verdict(result, found) if isinstance(found, EquationFindings) else data_verdict(result, found)


def short_verdict(result: Result) -> str:
    """The verdict in one line; for an equation with the box if it was chosen automatically."""
    found = result.findings
    return short_equation_verdict(result, found) if isinstance(found, EquationFindings) else data_verdict(result, found)


def equation_verdict(result: Result, found: EquationFindings) -> str:
    """The number of symmetries, its upper bound and the residuals, in one sentence."""
    what, who = KINDS[result.symmetry].several, _subject(result, found)
    if result.symmetry == "fokker-planck":
        what += " (superposition not counted)"
    count, codes = result.fields.count, {flag.code for flag in result.flags}
    taken, rest = result.ladder[:count], result.ladder[count:]
    if math.isinf(result.dimension):
        return (
            f"{who} has an infinite-dimensional algebra of {what}: a function is constant along every path, and "
            "symmetries without time component may be multiplied by any function of it."
        )
    if "ambiguous" in codes:
        fitting = "1 direction satisfies" if count == 1 else f"{count} directions satisfy"
        who = who.replace("This ", "this ", 1) if who.startswith("This ") else who
        return (
            f"The number of {what} of {who} is uncertain: {fitting} the determining equations to {_residual(taken)}, "
            f"but the next residual is only {short(found.gap)} times larger."
        )
    if not count:
        return f"{who} has no {what}: {_none_reason(found.bound, rest, _series(result))}."
    fitting = "the one found satisfies" if count == 1 else f"the {count} found satisfy"
    fitting += f" the determining equations to {_residual(taken)}"
    reason = _reason(found.bound, count, rest, fitting, "bound-doubtful" in codes, _series(result))
    if found.bound is None:
        return f"{who} has at least {count} independent {what}: {reason}."
    article = "an" if str(count).startswith("8") or count in (11, 18) else "a"
    return f"{who} has {article} {count}-dimensional algebra of {what}: {reason}."


def short_equation_verdict(result: Result, found: EquationFindings) -> str:
    """The verdict in one line, with the box, on which it holds, if that was chosen automatically."""
    picked = [(("t", *result.names)[i], *result.domain.intervals[i]) for i in result.domain.picked]
    box = ", ".join(f"{name} from {number(low)} to {number(high)}" for name, low, high in picked)
    sentence = equation_verdict(result, found)
    return f"{sentence} Chosen automatically: {box}." if box else sentence


def _series(result: Result) -> str:
    """The name of the upper bound on the dimension."""
    unresolved = any(flag.code == "bound-not-reached" for flag in result.flags)
    periodic = result.domain.periodic and not unresolved
    return "power-series bound for periodic fields" if periodic else "power-series bound"


def _reason(bound: int | None, count: int, rest: Sequence[LadderRow], fitting: str, doubtful: bool, series: str) -> str:
    missing = f" and the next direction has residual {short(rest[0].residual)}" if rest else ""
    if bound is None:
        return f"{fitting}{missing}, but no upper bound for their number was found"
    if bound == count:
        doubt = ", numerically uncertain" if doubtful else ""
        return f"no more are possible ({series} {bound}{doubt}), and {fitting}"
    if bound > count:
        return f"{fitting}{missing}, but the {series} is {bound}"
    return f"{fitting}, but the {series} is {bound}: do not rely on this number"


def _none_reason(bound: int | None, rest: Sequence[LadderRow], series: str) -> str:
    missing = f"the smallest residual is {short(rest[0].residual)}" if rest else ""
    if bound == 0:
        return f"none are possible ({series} 0){', and ' if missing else ''}{missing}"
    doubt = "no upper bound was found" if bound is None else f"the {series} is {bound}"
    return f"{missing}, but {doubt}" if missing else f"none were found, but {doubt}"


def _subject(result: Result, found: EquationFindings) -> str:
    text = str(found.equation)
    return text if len(text) <= LONGEST_EQUATION else f"This {result.surrogate.dimension}-dimensional equation"


def _residual(rows: Sequence[LadderRow]) -> str:
    worst = max((row.residual for row in rows), default=0.0)
    return "rounding error" if worst < 10 * ROUNDING else short(worst)


def data_verdict(result: Result, found: DataFindings) -> str:
    """The number of symmetries with the confidence level, and near-symmetries and undecided ones, in one sentence."""
    taken, confidence = _with_verdict(result, "symmetry"), confidence_text(found)
    changing = changes_with_date(found)
    if changing and not result.dimension:
        return f"{changing}: on a clock that restarts no {KINDS[result.symmetry].one} can be confirmed."
    doubt = not_adequate(found)
    if doubt and not result.dimension:
        return f"{doubt}: no {KINDS[result.symmetry].one} can be confirmed."
    if result.dimension == len(taken):
        head = _found(result, taken, confidence) if taken else _none(result, confidence)
    else:
        counted = KINDS[result.symmetry].counted(int(result.dimension))
        head = f"{counted} as requested; the data support {len(taken)} ({confidence} confidence)"
    return f"{'; '.join([head, *_others(result)])}."


def _found(result: Result, taken: Sequence[LadderRow], confidence: str) -> str:
    upper, p_value = max(row.upper for row in taken), min(row.p_value for row in taken)
    counted = KINDS[result.symmetry].counted(len(taken))
    within = f"{_residuals(len(taken))} below {percent(upper)} ({confidence} confidence)"
    return f"{counted}, {within}, exact symmetry not rejected ({p_clause(p_value)})"


def _none(result: Result, confidence: str) -> str:
    kind = KINDS[result.symmetry].one
    nearest = min(result.ladder, key=lambda row: row.upper, default=None)
    if nearest is None or nearest.verdict != "no":
        return f"No {kind} can be confirmed ({confidence} confidence)"
    missed = f"the nearest direction has residual {percent_interval(nearest.lower, nearest.upper, ' to ')}"
    return f"No {kind} ({confidence} confidence): {missed}"


def _others(result: Result) -> Iterator[str]:
    near, undecided = _with_verdict(result, "near-symmetry"), _with_verdict(result, "undecided")
    if near:
        ending = "y" if len(near) == 1 else "ies"
        upper = percent(max(row.upper for row in near))
        yield f"{len(near)} near-symmetr{ending}, {_residuals(len(near))} below {upper}"
    if undecided:
        lower, upper = min(row.lower for row in undecided), max(row.upper for row in undecided)
        span = percent_interval(lower, upper, " to ")
        yield f"{len(undecided)} direction{'' if len(undecided) == 1 else 's'} undecided (residual {span})"


def _residuals(count: int) -> str:
    return "residual" if count == 1 else "residuals"


def _with_verdict(result: Result, verdict: str) -> list[LadderRow]:
    return [row for row in result.ladder if row.verdict == verdict]


def confidence_text(found: DataFindings) -> str:
    """The confidence level of intervals as text: 95 %, unless another error rate was given."""
    return f"{number(100 * (1 - found.criteria.error_rate))} %"
