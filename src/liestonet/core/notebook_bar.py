"""Progress as a bar in a notebook, unless another `progress` function is given."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from html import escape
from typing import ParamSpec, TypeVar

from liestonet.core.pace import Pace
from liestonet.core.progress import Progress

Arguments = ParamSpec("Arguments")
Returned = TypeVar("Returned")


def in_notebook() -> bool:
    """Whether this process is the kernel of a notebook; a kernel has already loaded IPython."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return type(shell).__name__ == "ZMQInteractiveShell"


@contextmanager
def notebook_bar(shares: Mapping[str, float | int]) -> Iterator[Progress]:
    """A bar below the cell with the name of the current stage; it is removed at the end."""
    from IPython.display import HTML, display  # pyright: ignore[reportMissingImports]

    pace = Pace(shares)
    handle = display(HTML(""), display_id=True)

    def say(stage: str) -> None:
        pace.enter(stage)
        text = escape(", ".join(part for part in (stage.partition(",")[0], pace.text()) if part))
        handle.update(HTML(f'<progress max="1" value="{pace.done:.3f}"></progress> {text}'))

    try:
        yield say
    finally:
        handle.update(HTML(""))


def with_bar(
    shares: Mapping[str, float | int],
) -> Callable[[Callable[Arguments, Returned]], Callable[Arguments, Returned]]:
    """Decorate a function that has a keyword `progress`: in a notebook it shows a bar unless `progress` is given."""

    def wrapper(function: Callable[Arguments, Returned]) -> Callable[Arguments, Returned]:
        @wraps(function)
        def barred(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Returned:
            if kwargs.get("progress") is not None or not in_notebook():
                return function(*args, **kwargs)
            with notebook_bar(shares) as say:
                kwargs["progress"] = say
                return function(*args, **kwargs)

        return barred

    return wrapper
