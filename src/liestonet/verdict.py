"""The one sentence that says what was found and how sure it is: the same at a terminal, on a page and in a notebook."""

from __future__ import annotations

from liestonet.algebra.structure import OPEN, OPEN_FROM_DATA
from liestonet.result import Result


def verdict(result: Result) -> str:
    """The sentence for an equation, or for data."""
    if result.standards is None:
        from liestonet.terminal import equation_verdict

        return equation_verdict(result)
    from liestonet.terminal_data import data_verdict

    return data_verdict(result)


def is_open(result: Result) -> bool:
    """Whether brackets leave the span by more than an algebra's would; data blur them."""
    limit = OPEN if result.standards is None else OPEN_FROM_DATA
    return not result.algebra.closure <= limit
