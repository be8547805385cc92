"""How many threads linear algebra uses: one, if matrices are so small that threads would wait for each other.

With up to three coordinates, products have a few hundred columns at most. On two busy cores, several threads made such
a search take several times the processor time (benchmarks/threads.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec, TypeVar

from liestonet.core.tuning import SHARED

Arguments = ParamSpec("Arguments")
Returned = TypeVar("Returned")


@contextmanager
def one_thread() -> Iterator[None]:
    """Restrict the linear algebra of NumPy and SciPy to one thread in this context."""
    import scipy.linalg  # noqa: F401  # only libraries that are already loaded are limited
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1, user_api="blas"):
        yield


def few_threads(function: Callable[Arguments, Returned]) -> Callable[Arguments, Returned]:
    """Decorate a function whose first argument has named coordinates: it uses one thread if there are few of them."""

    @wraps(function)
    def limited(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Returned:
        names = getattr(args[0], "names", None) if args else None
        if names is None or len(names) > SHARED.few_coordinates:
            return function(*args, **kwargs)
        with one_thread():
            return function(*args, **kwargs)

    return limited
