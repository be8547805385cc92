"""How many threads linear algebra takes: one, where matrices are so small that threads would wait for each other.

Up to three coordinates no product is larger than some hundred columns. On two busy cores threads of their own made such
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
    """NumPy's and SciPy's linear algebra in this thread alone."""
    import scipy.linalg  # noqa: F401  # its library is limited too, so it must be loaded
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1, user_api="blas"):
        yield


def few_threads(function: Callable[Arguments, Returned]) -> Callable[Arguments, Returned]:
    """A function whose first argument has named coordinates, with one thread where these are few."""

    @wraps(function)
    def limited(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Returned:
        names = getattr(args[0], "names", None) if args else None
        if names is None or len(names) > SHARED.few_coordinates:
            return function(*args, **kwargs)
        with one_thread():
            return function(*args, **kwargs)

    return limited
