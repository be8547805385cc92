"""Generators as input (text, SymPy, a result, fields, any callable) as functions with derivatives.

Text is read by the project's own grammar; nothing in it is executed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from liestonet.core.domain import Domain
from liestonet.core.generators import Generators
from liestonet.core.multiindex import both_waves, total_degree
from liestonet.core.numbers import is_real, is_whole
from liestonet.core.points import lattice_cloud
from liestonet.core.tuning import by_dimension
from liestonet.errors import InputError
from liestonet.formulas.closed_fields import ClosedFields
from liestonet.result import Result
from liestonet.symmetry.determining.basis import Basis
from liestonet.symmetry.determining.fields import Fields
from liestonet.validation.formulas import Formulas
from liestonet.validation.smoothness import regular
from liestonet.validation.tuning import GIVEN

if TYPE_CHECKING:
    import sympy

EXAMPLE = '"2 t d_t + x d_x"'
# Letters that no equation uses (U+12000 on) stand for ∂t, ∂x, …: one of them fits wherever a derivation was typed.
LETTERS = range(0x12000, 0x12380)


def read_generators(given: object, names: Sequence[str], domain: Domain) -> Generators:
    """Read generators in any accepted form, on a domain; `names` are those of the coordinates."""
    if isinstance(given, Generators):
        return given
    if isinstance(given, Result):
        return _not_empty(given.evaluated)
    found = _read(given, names, domain)
    if isinstance(found, Formulas):
        _require_periodic(lambda points: found.components(points, [()])[()], names, domain)
    return _independent(found, domain)


def _require_periodic(values: Callable[..., Any], names: Sequence[str], domain: Domain) -> None:
    """Refuse generators that are not periodic in a periodic coordinate."""
    points = lattice_cloud(domain, GIVEN.independent_points).points
    for variable in domain.periodic:
        after = points.copy()
        after[:, variable] += domain.periods[variable]
        here, there = values(points), values(after)
        if np.abs(there - here).max() > GIVEN.projected * max(1.0, float(np.abs(here).max())):
            k, name = int(np.argmax(np.abs(there - here).max(axis=(1, 2)))), names[variable - 1]
            raise InputError(
                f"The generator X{k + 1} is not periodic in {name}: after a turn of {domain.periods[variable]:.6g} it "
                "is another field. Give a periodic one, or data without this period."
            )


def _read(given: Any, names: Sequence[str], domain: Domain) -> Formulas | Fields:
    """Read text, SymPy rows or a callable."""
    if isinstance(given, str):
        return regular(parse_generators(given, names), domain)
    if callable(getattr(given, "generators", None)):
        return project(given.generators, domain)
    if isinstance(given, Sequence) and given and all(isinstance(part, str) for part in given):
        return regular(parse_generators(given, names), domain)
    if _is_formula(given) or (isinstance(given, Sequence) and given and all(_is_formula(row) for row in given)):
        rows = given if isinstance(given, Sequence) and not _is_row(given) else [given]
        return regular(_from_formulas(rows, names), domain)
    if callable(given):
        return project(given, domain)
    raise InputError(
        f"Generators are text such as {EXAMPLE}, SymPy rows (tau, [xi, …]), a result, or a callable "
        f"(t, x) -> tau, xi; a {type(given).__name__} is none of these."
    )


def _independent(given: Formulas | Fields, domain: Domain) -> Formulas | Fields:
    """The generators; an error if one is a combination of those before it, as it would be counted and judged twice."""
    cloud = lattice_cloud(domain, GIVEN.independent_points + given.count)
    values = given.components(cloud.points, [()])[()]
    rows = (values / np.append(domain.half, 1.0)[: values.shape[2]]).reshape(given.count, -1)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not lengths.all():
        raise InputError(f"The generator X{np.argmin(lengths) + 1} is zero everywhere on the data's box; leave it out.")
    rows /= lengths
    for k in range(1, given.count):
        factors = np.linalg.lstsq(rows[:k].T, rows[k], rcond=None)[0]
        if np.linalg.norm(rows[k] - factors @ rows[:k]) < GIVEN.dependent:
            used = " and ".join(_name(given, int(j)) for j in np.flatnonzero(np.abs(factors) > GIVEN.dependent))
            raise InputError(
                f"Generator {k + 1}, {_name(given, k)}, is a combination of {used} before it, so it adds nothing; "
                "leave it out."
            )
    return given


def _name(given: Formulas | Fields, k: int) -> str:
    """A name for messages: a formula as text, another generator by its place."""
    return str(Formulas(given.variables, (given.rows[k],))) if isinstance(given, Formulas) else f"X{k + 1}"


def _not_empty(generators: Fields | ClosedFields) -> Fields | ClosedFields:
    if not generators.count:
        raise InputError("The result has no generators, so there is nothing to test; give a generator as text.")
    return generators


def read_formula_rows(
    given: object, names: Sequence[str], parameters: Sequence[str] = ()
) -> list[tuple[sympy.Expr, ...]]:
    """Generators of an equation, text or SymPy rows: (τ, ξ^1, …, ξ^n) of each, parameters left as symbols."""
    if isinstance(given, str) or (isinstance(given, Sequence) and given and all(isinstance(p, str) for p in given)):
        found = parse_generators(given, names, parameters)
    elif _is_formula(given):
        found = _from_formulas([given], names, parameters)
    else:
        raise InputError(
            f"A generator is its number, text such as {EXAMPLE} or a SymPy row (tau, [xi, …]); "
            f"a {type(given).__name__} is none of these."
        )
    return [row[: len(names) + 1] for row in found.rows]


def parse_generators(text: str | Sequence[str], names: Sequence[str], parameters: Sequence[str] = ()) -> Formulas:
    """Generators such as "2 t d_t + x d_x", separated by semicolons or new lines; also ∂t, ∂_x, ∂/∂x and u d_u.

    `parameters` are names that may occur in them without a value.
    """
    texts = [text] if isinstance(text, str) else text
    pieces = [(whole, piece) for whole in texts for piece in re.finditer(r"[^;\n]+", whole) if piece[0].strip()]
    if not pieces:
        raise InputError(f"There is no generator in the text; write, for example, {EXAMPLE}.")
    rows = [_parsed(whole, piece.start(), piece[0], tuple(names), tuple(parameters)) for whole, piece in pieces]
    if any(row[-1] != 0 for row in rows):
        return Formulas(_symbols(names), tuple(rows))
    return Formulas(_symbols(names), tuple(row[:-1] for row in rows))


def _symbols(names: Sequence[str]) -> tuple[Any, ...]:
    from sympy import Symbol

    return tuple(Symbol(name, real=True) for name in ("t", *names))


def _parsed(
    source: str, start: int, text: str, names: tuple[str, ...], parameters: tuple[str, ...] = ()
) -> tuple[Any, ...]:
    """τ, ξ^1, …, ξ^n and β of one generator, which begins at a given place of the text."""
    from sympy import Symbol
    from sympy import expand_mul as expand  # exp(1000 − t) stays whole: its factors would not be finite

    from liestonet.sde.grammar import Parser
    from liestonet.sde.parse import Reader
    from liestonet.sde.tokens import quote, tokenise

    density = "u" not in names
    variables = ("t", *names, *(("u",) if density else ()))
    letters = _letters(text, len(variables))
    marks = [Symbol(letter, real=True) for letter in letters]
    symbols = {name: Symbol(name, real=True) for name in variables}
    try:
        tokens = tokenise(" " * start + _marked(text, variables, letters))
        tree = Parser(tokens, source, variables, valued=letters, operators=letters).formula()
        expression: Any = expand(Reader(symbols).form(tree)[""])
    except InputError as error:
        raise InputError(_unmarked(str(error), variables, letters)) from None
    parts = [expression.diff(mark) for mark in marks]
    rest = expand(expression - sum(part * mark for part, mark in zip(parts, marks, strict=True)))
    if rest != 0 or any(part.has(mark) for part in parts for mark in marks) or not any(parts):
        raise InputError(
            f"The generator {quote(text)} is not a sum of functions times d_t, {_spoken(names)}; write, for example, "
            f"{EXAMPLE}."
        )
    beta: Any = expand(parts.pop() / symbols["u"]) if density else 0
    _check_names(text, [*parts, beta], symbols, parameters)
    return (*parts, beta)


def _check_names(text: str, parts: Sequence[Any], symbols: dict[str, Any], parameters: Sequence[str] = ()) -> None:
    """Refuse letters without a value, a τ that depends on the state, and β that is not linear in u."""
    from sympy import sympify

    from liestonet.sde.tokens import quote

    free = set().union(*(sympify(part).free_symbols for part in parts))
    unknown = sorted({str(symbol) for symbol in free - set(symbols.values())} - {*parameters})
    names = [name for name in symbols if name not in ("t", "u")]
    if unknown:
        raise InputError(
            f"The generator {quote(text)} holds {', '.join(unknown)}, but the data have t, {', '.join(names)}; "
            "write numbers for parameters."
        )
    if parts[0].free_symbols - {symbols["t"]}:
        raise InputError(f"In the generator {quote(text)}, the factor of d_t may depend on t only.")
    if "u" in symbols and symbols["u"] in free:
        raise InputError(f"In the generator {quote(text)}, u may appear only as a factor of d_u, as in x u d_u.")


def _spoken(names: Sequence[str]) -> str:
    return ", ".join(f"d_{name}" for name in names)


def _letters(text: str, count: int) -> list[str]:
    """Single letters that do not occur in a text, to stand for derivations."""
    return list(islice((letter for letter in map(chr, LETTERS) if letter not in text), count))


def _marked(text: str, variables: Sequence[str], letters: Sequence[str]) -> str:
    """The text with ∂t, ∂_x, d_x, ∂/∂x and d/dx replaced by single letters; all else keeps its place."""
    for name, letter in sorted(zip(variables, letters, strict=True), key=lambda pair: -len(pair[0])):
        plain, end = re.escape(name), r"(?![^\W_])"
        partial = rf"∂\s*/\s*∂\s*{plain}{end}|∂_?(?:\{{{plain}\}}|{plain}{end})"
        latin = rf"(?<![^\W_])(?:d\s*/\s*d{plain}{end}|d_(?:\{{{plain}\}}|{plain}{end}))"
        pattern = f"{partial}|{latin}"
        text = re.sub(pattern, lambda found, letter=letter: f" {letter}".ljust(len(found[0])), text)
    return text


def _unmarked(text: str, variables: Sequence[str], letters: Sequence[str]) -> str:
    """A message in the user's notation: d_x in place of its letter."""
    return text.translate({ord(letter): f"d_{name}" for name, letter in zip(variables, letters, strict=True)})


def _is_row(given: Any) -> bool:
    """Whether this is a pair (τ, ξ) or a triple (τ, ξ, β) with ξ a sequence."""
    kinds = [isinstance(part, tuple | list) for part in given] if isinstance(given, tuple | list) else []
    return kinds[:2] == [False, True] and len(kinds) <= 3


def _is_formula(given: Any) -> bool:
    return _is_row(given) or (hasattr(given, "tau") and hasattr(given, "xi"))


def _from_formulas(given: Sequence[Any], names: Sequence[str], parameters: Sequence[str] = ()) -> Formulas:
    """Generators from SymPy rows, each (τ, ξ) or (τ, ξ, β), or from values with these names."""
    import sympy

    variables, rows = _symbols(names), []
    for row in given:
        tau, xi, *beta = row if _is_row(row) else (row.tau, row.xi, getattr(row, "beta", None))
        parts = [_expression(part) for part in (tau, *xi, *(part for part in beta if part is not None))]
        if len(xi) != len(names):
            raise InputError(f"A generator has {len(xi)} components, but the data have {', '.join(names)}.")
        swap = {
            symbol: variable
            for part in parts
            for symbol in part.free_symbols
            for variable in (*variables, *_symbols(parameters)[1:])
            if str(symbol) == str(variable)
        }
        constants = {row.symbol: row.value for row in getattr(row, "constants", ())}
        plain = tuple(part.subs(constants).subs(swap) for part in parts)
        known = {*parameters, *(str(v) for v in variables)}
        unknown = sorted({str(s) for part in plain for s in part.free_symbols} - known)
        if unknown:
            raise InputError(f"A generator holds {', '.join(unknown)}, which has no value; put numbers in.")
        if plain[0].free_symbols - {variables[0]}:
            raise InputError(f"A generator has tau = {plain[0]}, which may depend on t only.")
        rows.append(plain)
    width = max(len(row) for row in rows)
    if not any(_is_row(row) for row in given) and all(row[-1] == 0 for row in rows if len(row) > len(variables)):
        # formulas of a result have a β of zero where there is none
        return Formulas(variables, tuple(row[: len(variables)] for row in rows))
    return Formulas(variables, tuple((*row, *[sympy.Integer(0)] * (width - len(row))) for row in rows))


def _expression(part: Any) -> Any:
    """A SymPy expression or a number; text, which SymPy would execute, is refused."""
    import sympy

    if isinstance(part, sympy.Expr):
        return part
    if not is_real(part):
        raise InputError(f"The components of a generator are SymPy expressions or numbers, not {part!r}.")
    return sympy.Integer(int(part)) if is_whole(part) else sympy.Float(float(part))


def project(generators: Callable[..., Any], domain: Domain) -> Fields:
    """A callable as fields on a domain: least squares on polynomials, or waves, of rising degree."""
    n = domain.dimension
    if domain.periodic:
        coordinates = [f"coordinate {i}" for i in range(1, n + 1)]
        _require_periodic(lambda points: _components(generators, points, n), coordinates, domain)
    scales = np.concatenate([domain.half, [1.0]])
    fields, left = None, np.inf
    for degree in by_dimension(GIVEN.degrees, n):
        rows = both_waves(total_degree(range(n + 1), n + 1, degree), domain.periodic)
        alone = total_degree([0], n + 1, degree)
        cloud = lattice_cloud(domain, 3 * len(rows) + 50).points
        values = _components(generators, cloud, n)
        width = values.shape[2]
        basis = Basis(domain, scales[:width], (alone, *[rows] * (width - 1)))
        columns, part = [], 0.0
        tables = basis.tables(cloud, 0)
        size = np.linalg.norm(values / scales[:width])
        for unknown in range(width):
            functions = basis.functions(tables, unknown, ())
            found = np.linalg.lstsq(functions, values[:, :, unknown].T, rcond=None)[0]
            part = max(part, float(np.linalg.norm(functions @ found - values[:, :, unknown].T)) / scales[unknown])
            columns.append(found)
        fields, left = Fields(basis, np.concatenate(columns), width > n + 1), part / max(size, 1e-300)
        if left < GIVEN.projected:
            break
    if fields is None or left > GIVEN.too_rough:
        raise InputError(
            "The generators are not smooth on the data's box, or their tau depends on the state; give them as text."
        )
    return fields


def _components(generators: Callable[..., Any], points: np.ndarray, n: int) -> Float[np.ndarray, "m b components"]:
    """All components at points, from a callable, with checks of their shapes and values."""
    try:
        returned = generators(points[:, 0], points[:, 1:])
        is_map = isinstance(returned, np.ndarray) and returned.shape == (len(points), n)
        parts = [np.asarray(part, dtype=float) for part in returned]
    except (TypeError, ValueError) as problem:
        raise InputError(f"The generators could not be called with t (B,) and x (B, {n}): {problem}.") from problem
    if is_map:
        raise InputError(
            "A callable that returns states is a map, and a map needs its Jacobian: give the pair (map, jacobian)."
        )
    shapes = [part.shape for part in parts]
    count = shapes[0][0] if shapes and shapes[0] else 0
    if (
        len(parts) not in (2, 3)
        or shapes != [(count, len(points)), (count, len(points), n), (count, len(points))][: len(parts)]
    ):
        got = ", ".join([*map(str, shapes[:3]), *(["…"] if len(shapes) > 3 else [])])
        raise InputError(f"Generators must return tau (m, B), xi (m, B, {n}) and perhaps beta (m, B); got {got}.")
    values = np.concatenate([parts[0][:, :, None], parts[1], *(beta[:, :, None] for beta in parts[2:])], axis=2)
    if not count or not np.isfinite(values).all():
        raise InputError("The generators are not finite everywhere on the data's box; give others.")
    return values
