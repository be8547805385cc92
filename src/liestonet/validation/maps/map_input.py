"""Maps given by users: text such as "x, y -> -y, x", or a callable with its Jacobian; checked on a box.

Text goes through the grammar of equations, so that nothing in it is executed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from liestonet.core.domain import Domain
from liestonet.core.points import lattice_cloud
from liestonet.errors import InputError
from liestonet.validation.formulas import Formulas
from liestonet.validation.maps.point_map import Called, PointMap
from liestonet.validation.smoothness import ORDER, regular
from liestonet.validation.tuning import MAPS

ARROW = re.compile(r"-+>|→|↦|⟶")
EXAMPLE = '"x -> -x"'


def is_map(given: object) -> bool:
    """Whether an input is a map: text with an arrow, a callable with a Jacobian, or a map that was read before."""
    if isinstance(given, str):
        return ARROW.search(given) is not None
    return isinstance(given, PointMap) or _callables(given) is not None


def _callables(given: Any) -> tuple[Any, Any] | None:
    """A callable and its Jacobian, from a pair of both or from a callable with the attribute `jacobian`."""
    if isinstance(given, tuple | list):
        return (given[0], given[1]) if len(given) == 2 and all(callable(part) for part in given) else None
    jacobian = getattr(given, "jacobian", None)
    return (given, jacobian) if callable(given) and callable(jacobian) else None


def read_map(given: object, names: Sequence[str], domain: Domain, values: Mapping[str, Any] | None = None) -> PointMap:
    """A map of time and the named coordinates, checked: smooth and invertible on the box, time runs forwards.

    Text may hold parameters of an equation; `values` are those that the numbers are computed with.
    """
    if isinstance(given, PointMap):
        return given
    if isinstance(given, str):
        plain = parse_map(given, names, tuple(values or {}))
        rows = _rows(plain)
        numeric = regular(_with_values(rows, values or {}), domain, ORDER, f"map {plain.text}")
        made = replace(plain, source=numeric, exact=rows.rows[0] if values else None)
    else:
        made = _of_callables(given, names, domain)
    check_map(made, domain)
    return made


def check_map(made: PointMap, domain: Domain) -> None:
    """Refuse a map that reverses time, is not continuous on a circle, or is not invertible on a box."""
    _check_clock(made, domain)
    _check_turns(made, domain)
    _check_invertible(made, domain)


def _rows(given: PointMap) -> Formulas:
    if not isinstance(given.source, Formulas):
        raise TypeError("the map has no formulas")
    return given.source


def _with_values(given: Formulas, values: Mapping[str, Any]) -> Formulas:
    """The map with numbers in place of parameters."""
    from sympy import Symbol

    numbers = {Symbol(name, real=True): value for name, value in values.items()}
    rows: Any = [[part.xreplace(numbers) for part in row] for row in given.rows]
    return Formulas(given.variables, tuple(tuple(row) for row in rows))


def parse_map(text: str, names: Sequence[str], parameters: Sequence[str] = ()) -> PointMap:
    """A map from text: names, an arrow, and as many formulas; coordinates that are not named are unchanged.

    Formulas may hold the names of parameters too.
    """
    from sympy import Symbol

    from liestonet.sde.tokens import quote

    arrows = list(ARROW.finditer(text))
    if len(arrows) != 1:
        raise InputError(f"The map {quote(text)} needs one arrow between names and formulas, as in {EXAMPLE}.")
    variables = ("t", *names)
    moved = [part.strip() for part in text[: arrows[0].start()].split(",")]
    for position, name in enumerate(moved):
        if name not in variables:
            known = ", ".join(variables)
            raise InputError(
                f"The map {quote(text)} has {quote(name)} before the arrow, which is none of {known}; write it as in "
                f"{EXAMPLE}."
            )
        if name in moved[:position]:
            raise InputError(f"The map {quote(text)} moves {name} twice; name it once.")
    pieces = _between_commas(text, arrows[0].end())
    if len(pieces) != len(moved):
        raise InputError(
            f"The map {quote(text)} has {len(moved)} name{'s' * (len(moved) != 1)} before the arrow and {len(pieces)} "
            f"formula{'s' * (len(pieces) != 1)} after it; give one formula for each name."
        )
    symbols = {name: Symbol(name, real=True) for name in variables}
    row = dict(symbols) | {
        name: _expression(text, start, piece, symbols, parameters)
        for name, (start, piece) in zip(moved, pieces, strict=True)
    }
    if row["t"].free_symbols - {symbols["t"]}:
        raise InputError(f"In the map {quote(text)}, the new time may depend on t only.")
    entries = tuple(row[name] for name in variables)
    return PointMap(shown(entries, variables), tuple(names), Formulas(tuple(symbols.values()), (entries,)))


def _between_commas(text: str, start: int) -> list[tuple[int, str]]:
    """The pieces after the arrow with the places where they begin; commas inside brackets do not separate."""
    pieces, depth, begin = [], 0, start
    for position in range(start, len(text)):
        letter = text[position]
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            pieces.append((begin, text[begin:position]))
            begin = position + 1
    return [*pieces, (begin, text[begin:])]


def _expression(source: str, start: int, piece: str, symbols: dict[str, Any], parameters: Sequence[str]) -> Any:
    """One formula, read by the grammar of equations; it may hold the names of parameters."""
    from sympy import Symbol

    from liestonet.sde.grammar import Parser
    from liestonet.sde.parse import Reader
    from liestonet.sde.tokens import quote, tokenise

    if not piece.strip():
        raise InputError(
            f"The map {quote(source)} has nothing after the arrow or between commas; write a formula there."
        )
    tokens = tokenise(" " * start + piece)
    form = Reader(symbols).form(Parser(tokens, source, tuple(symbols)).formula())
    if set(form) - {""}:
        raise InputError(f"The map {quote(source)} holds a differential such as dt; a map has plain formulas.")
    found: Any = form[""]
    others = found.free_symbols - set(symbols.values())
    unknown = sorted({str(symbol) for symbol in others} - set(parameters))
    if unknown:
        known = ", ".join([*symbols, *parameters])
        raise InputError(
            f"The map {quote(source)} holds {', '.join(unknown)}, but there are {known}; write numbers for parameters."
        )
    return found.xreplace({symbol: Symbol(symbol.name, real=True) for symbol in others})


def shown(entries: Sequence[Any], variables: Sequence[str]) -> str:
    """The map as text, without coordinates that it does not change."""
    from liestonet.formulas.notation import expression_text

    moved = [(name, entry) for name, entry in zip(variables, entries, strict=True) if str(entry) != name]
    moved = moved or [(variables[-1], entries[-1])]
    left, right = ", ".join(name for name, _ in moved), ", ".join(expression_text(entry) for _, entry in moved)
    return f"{left} -> {right}"


def _of_callables(given: object, names: Sequence[str], domain: Domain) -> PointMap:
    """A map from a callable with its Jacobian, which is checked against the callable."""
    found = _callables(given)
    if found is None:
        raise InputError(
            f"A map is text such as {EXAMPLE}, a pair (map, jacobian) of callables, or a callable with .jacobian; a "
            f"{type(given).__name__} is none of these."
        )
    source = Called(*found, domain.half)
    points = lattice_cloud(domain, MAPS.checked_points).points
    try:
        values, slopes = source.values(points), source.slopes(points)
    except Exception as problem:
        reason = " ".join(str(problem).split()).rstrip(".") or type(problem).__name__
        raise InputError(f"The map could not be called with t (B,) and x (B, {len(names)}): {reason}.") from problem
    if not (np.isfinite(values).all() and np.isfinite(slopes).all()):
        raise InputError("The map or its Jacobian is not finite everywhere on the box; give one that is smooth there.")
    made = PointMap(str(getattr(found[0], "__name__", "map")), tuple(names), source)
    for j in range(1, len(names) + 1):
        differences = source._difference(source.values, points, j)[:, 1:]
        wrong = np.abs(differences - slopes[:, :, j - 1]) * domain.half[j] / domain.half[1:]
        if not wrong.max() <= MAPS.wrong_slope * max(1.0, float(np.abs(slopes).max())):
            raise InputError(
                "The map is not smooth on the box, or the Jacobian is not that of the map: they differ by "
                f"{wrong.max():.2g} in units of the box."
            )
    if _jumps(source, domain):
        raise InputError("The map is not smooth on the box: it or its Jacobian jumps. Give one that is smooth there.")
    return made


def _jumps(source: Called, domain: Domain) -> bool:
    """Whether the map or its Jacobian jumps along a line through the middle of the box: smooth steps halve with it."""
    for v, (low, high) in list(enumerate(domain.intervals))[1:]:
        line = np.tile(domain.centre, (2 * MAPS.looked_along + 1, 1))
        line[:, v] = np.linspace(low, high, len(line))
        for values in (source.values(line)[:, 1:], source.slopes(line).reshape(len(line), -1)):
            near, far = (np.abs(np.diff(values[::k], axis=0)).max(axis=0) for k in (1, 2))
            rough = near > MAPS.jump * far
            if (rough & (near > np.sqrt(MAPS.same_place) * np.abs(values).max())).any():
                return True
    return False


def _check_clock(made: PointMap, domain: Domain) -> None:
    points = lattice_cloud(domain, MAPS.checked_points).points
    speed = made.source.components(points, [(0,)])[(0,)][0][:, 0]
    if (speed <= 0).any():
        raise InputError(
            f"The map {made.text} reverses or stops time; the new time must grow with t. To test whether paths "
            "look the same run backwards, use lsn.reversible."
        )


def _check_turns(made: PointMap, domain: Domain) -> None:
    """Require that a map of a circle winds round once, in either sense, and that all else is periodic."""
    points = lattice_cloud(domain, MAPS.checked_points).points
    here = made(points)
    for variable in domain.periodic:
        after = points.copy()
        after[:, variable] += domain.periods[variable]
        change = (made(after) - here) / np.where(np.isfinite(domain.periods), domain.periods, domain.half)
        turns = np.round(change)
        name, period = made.names[variable - 1], domain.periods[variable]
        turns[:, [v for v in range(turns.shape[1]) if v not in domain.periodic]] = 0.0
        if np.abs(change - turns).max() > MAPS.same_place:
            raise InputError(
                f"The map {made.text} changes after a turn of {name} by {period:.6g}; give one that is periodic."
            )
        winding = turns[:, [v for v in domain.periodic]]
        if np.abs(winding).sum(axis=1).max() != 1 or np.abs(winding).sum(axis=1).min() != 1:
            raise InputError(
                f"The map {made.text} is not invertible: over a turn of {name} it does not wind round exactly once."
            )


def _check_invertible(made: PointMap, domain: Domain) -> None:
    """Refuse maps that fold the box or take two of its points to one."""
    cloud = lattice_cloud(domain, MAPS.paired_points)
    jet = made.jet(cloud.points)
    determinants = np.linalg.det(jet.jacobian * domain.half[1:] / domain.half[1:, None])
    low, high = float(determinants.min()), float(determinants.max())
    if low <= 0 <= high or min(abs(low), abs(high)) <= MAPS.flat * max(abs(low), abs(high)):
        raise InputError(
            f"The map {made.text} is not invertible on the box: its Jacobian is not invertible everywhere. Give one "
            "that maps different points to different points."
        )
    if not jet.hessian.any():
        return  # an affine map with a determinant is invertible
    if _meeting(made, cloud.points, jet.images, domain):
        raise InputError(
            f"The map {made.text} is not invertible on the box: it maps different points to the same one. Give another."
        )


def _meeting(made: PointMap, points: np.ndarray, images: np.ndarray, domain: Domain) -> bool:
    """Whether two points of the box, at one time, have one image: by pairs of near images, then Newton's method."""
    from scipy.spatial import KDTree

    n = made.dimension
    at = points.copy()
    at[:, 0] = domain.centre[0]
    values = made(at)[:, 1:]
    scales = np.maximum(np.ptp(values, axis=0), np.finfo(float).tiny)
    pairs = np.asarray(KDTree(values / scales).query(values / scales, k=min(n + 3, len(values)))[1])
    places = at[:, 1:] / domain.half[1:]
    for i, row in enumerate(pairs):
        far = [int(j) for j in row[1:] if np.abs(places[i] - places[int(j)]).max() > MAPS.far_pair]
        for j in far[:1]:
            if _same_image(made, at[i], at[j], domain):
                return True
    return False


def _same_image(made: PointMap, one: np.ndarray, start: np.ndarray, domain: Domain) -> bool:
    """Whether Newton's method finds a second point with the same image, starting from another one."""
    target, place = made(one[None])[0, 1:], start.copy()
    for _ in range(MAPS.newton_steps):
        jet = made.jet(place[None])
        step = np.linalg.solve(jet.jacobian[0], jet.images[0, 1:] - target)
        place[1:] -= step
        inside = (np.abs(place[1:] - domain.centre[1:]) <= domain.half[1:] * (1 + MAPS.same_place)).all()
        if not np.isfinite(place).all() or not inside:
            return False
        if np.abs(step / domain.half[1:]).max() < MAPS.same_place:
            return bool(np.abs((place - one)[1:] / domain.half[1:]).max() > MAPS.far_pair / 10)
    return False
