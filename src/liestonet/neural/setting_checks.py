"""What settings may be: every check names the setting and says what to give."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any

import numpy as np

from liestonet.errors import InputError

ACTIVATIONS = ("tanh", "swish")


def make_plain(settings: Any) -> None:
    """NumPy's numbers in a new frozen value become Python's, so that equal settings print, hash and save alike."""
    for item in fields(settings):
        object.__setattr__(settings, item.name, _plain(getattr(settings, item.name)))


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    return type(value)(map(_plain, value)) if type(value) in (list, tuple) else value


def require_choice(what: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise InputError(f"The {what} is {value!r}; choose one of {', '.join(choices)}.")


def require_positive(what: str, value: object) -> None:
    """A whole number, at least one."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InputError(f"The {what} is {value!r}; give a whole number, at least 1.")


def is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def require_number(what: str, value: Any, above: float | None = None, least: float | None = None) -> None:
    """A finite number, perhaps with a limit."""
    limit = f" above {above:g}" if above is not None else f", at least {least:g}" if least is not None else ""
    if not is_number(value) or (above is not None and value <= above) or (least is not None and value < least):
        raise InputError(f"The {what} is {value!r}; give a number{limit}.")


def require_between(what: str, value: object, low: float, high: float) -> None:
    if not (isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high):
        raise InputError(f"The {what} is {value!r}; give a number from {low:g} to {high:g}.")


def require_truth(what: str, value: object) -> None:
    if not isinstance(value, bool):
        raise InputError(f"The setting {what} is {value!r}; give True or False.")


def as_tuple(settings: Any, name: str, what: str, example: str) -> tuple[Any, ...]:
    """A sequence of a frozen value as a tuple, which can be hashed."""
    value = getattr(settings, name)
    if not isinstance(value, tuple | list):
        raise InputError(f"The {what} are {value!r}; give numbers in brackets, {example}.")
    object.__setattr__(settings, name, tuple(value))
    return tuple(value)


def require_widths(settings: Any, name: str, what: str) -> None:
    """Widths of hidden layers, at least one."""
    widths = as_tuple(settings, name, what, "(32, 32)")
    if not widths or any(isinstance(w, bool) or not isinstance(w, int) or w < 1 for w in widths):
        raise InputError(f"The {what} are {widths!r}; give at least one positive number.")
