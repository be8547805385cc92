"""First-order Taylor terms, around the middle of the domain, of vector fields without a closed form."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from liestonet.algebra.tuning import ALGEBRA
from liestonet.core.domain import Domain
from liestonet.render.limits import MOST_COMPONENTS
from liestonet.render.numbers import number, summed, term
from liestonet.symmetry.determining.fields import Fields


def first_terms(fields: Fields, domain: Domain, names: Sequence[str], error: float | int) -> list[str]:
    """Each field as `(a + b x + …) ∂x + …`, with `…` for further terms; terms below ten times its error are left out.

    `error` is relative to the field.
    """
    variables = range(domain.dimension + 1)
    jets = fields.components(domain.centre[None], [(), *((v,) for v in variables)])
    constant = jets[()][:, 0]
    slopes = np.stack([jets[(v,)][:, 0] for v in variables], axis=-1) * domain.half
    cube = np.random.default_rng(0).uniform(-1, 1, (64, len(variables)))
    values = fields.components(domain.centre + domain.half * cube, [()])[()]
    beyond = np.abs(values - constant[:, None] - np.einsum("mcv,bv->mbc", slopes, cube)).max(axis=1)
    scales = fields.basis.scales
    sizes = (np.abs(values).max(axis=1) / scales).max(axis=1)
    least = max(ALGEBRA.least_part, 10 * error) * sizes[:, None] * scales
    shown = [_variable(*row) for row in zip(("t", *names), domain.centre.tolist(), strict=True)]
    symbols = ["∂t", *(f"∂{name}" for name in names), *(["u∂u"] if fields.has_beta else [])]

    def terms(m: int, c: int) -> list[str]:
        linear = zip(shown, slopes[m, c], domain.half, strict=True)
        return [
            *([number(constant[m, c])] if abs(constant[m, c]) > least[m, c] else []),
            *(term(slope / half, variable) for variable, slope, half in linear if abs(slope) > least[m, c]),
            *(["…"] if beyond[m, c] > least[m, c] else []),
        ]

    return [_field_text((symbol, terms(m, c)) for c, symbol in enumerate(symbols)) for m in range(fields.count)]


def _variable(name: str, middle: float) -> str:
    """A variable relative to the middle of its interval."""
    return name if middle == 0 else f"({name} {'-' if middle > 0 else '+'} {number(abs(middle))})"


def _field_text(components: Iterable[tuple[str, list[str]]]) -> str:
    present = [(symbol, terms) for symbol, terms in components if terms]
    shown = [_component_text(symbol, terms) for symbol, terms in present[:MOST_COMPONENTS]]
    if len(present) > MOST_COMPONENTS:
        shown.append(f"… ({len(present) - MOST_COMPONENTS} more components)")
    return summed(shown)


def _component_text(symbol: str, terms: list[str]) -> str:
    if terms in (["1"], ["-1"]):
        return f"{terms[0].removesuffix('1')}{symbol}"
    return f"({summed(terms)}) {symbol}" if len(terms) > 1 or terms == ["…"] else f"{terms[0]} {symbol}"
