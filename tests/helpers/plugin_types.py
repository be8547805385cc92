"""Types and shapes are checked in the first calls of every function in every test, not in all of them.

pytest's option `--jaxtyping-packages` (pyproject.toml) has every function of the package decorated by
`jaxtyping.jaxtyped`. Checking every call took a third of the tests' time: some functions are called a million times,
and one that is defined inside another is compiled anew whenever the outer one runs. A wrong annotation or a wrong
shape is as wrong in the first calls as in later ones, so a test checks the first `CALLS` of each function, the first
`NESTED` of one defined inside another. The count starts again with every test: what is checked depends neither on the
order of the tests nor on the process that runs them. `--all-types` checks every call.

Functions of `OWN_CHECKS` ask `isinstance(value, Float[...])` themselves. jaxtyping compares the names of axes with
those of the nearest function that it checks, so these are checked always and have names of their own.
"""

from __future__ import annotations

import functools
import inspect
from collections import Counter
from collections.abc import Callable
from typing import Any

import jaxtyping
import pytest
from jaxtyping import _decorator

CALLS = 20
NESTED = 1
OWN_CHECKS = ("liestonet.storage.types",)

checked_calls: Counter[int] = Counter()  # in this test, by the identity of the function's code
every_call_counts = False  # --all-types
every_call = _decorator.jaxtyped


def first_calls(fn: Any = None, *, typechecker: Callable[..., Any]) -> Any:
    """What `jaxtyping.jaxtyped` does, in the first calls of a function in each test."""
    if fn is None:
        return functools.partial(first_calls, typechecker=typechecker)
    if not inspect.isfunction(fn) or fn.__module__ in OWN_CHECKS:
        # of classes and properties jaxtyping comes back with the functions
        return every_call(fn, typechecker=typechecker)
    key, most = id(fn.__code__), NESTED if "<locals>" in fn.__qualname__ else CALLS
    checked: Any = None

    @functools.wraps(fn)
    def checked_at_first(*args: Any, **kwargs: Any) -> Any:
        nonlocal checked
        if checked_calls[key] >= most and not every_call_counts:
            return fn(*args, **kwargs)
        checked_calls[key] += 1
        if checked is None:
            checked = every_call(fn, typechecker=typechecker)
        return checked(*args, **kwargs)

    return checked_at_first


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all-types", action="store_true", help="check types and shapes in every call (slow)")


def pytest_configure(config: pytest.Config) -> None:
    global every_call_counts
    every_call_counts = config.getoption("--all-types")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    checked_calls.clear()


# Here, not when pytest is configured: a conftest.py may import the package before.
jaxtyping.jaxtyped = first_calls  # what the import hook writes into the package
_decorator.jaxtyped = first_calls  # what jaxtyping itself uses for classes and properties
