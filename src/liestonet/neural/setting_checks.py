"""Checks of settings: every message names the setting and says what to give."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any, TypeGuard

import numpy as np

from liestonet.core.numbers import is_real, is_whole, plain, truth_of
from liestonet.errors import InputError

ACTIVATIONS = ("tanh", "swish")


def make_plain(settings: Any) -> None:
    """Convert NumPy's numbers in a new frozen value to Python's, so that equal settings print, hash and save alike."""
    for item in fields(settings):
        value = getattr(settings, item.name)
        listed = value.tolist() if isinstance(value, np.ndarray) else value
        object.__setattr__(settings, item.name, plain(listed))


def require_choice(what: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise InputError(f"The {what} is {value!r}; choose one of {', '.join(choices)}.")


def require_positive(what: str, value: object) -> None:
    """Require a whole number, at least one."""
    if not is_whole(value) or value < 1:
        raise InputError(f"The {what} is {value!r}; give a whole number, at least 1.")


def is_finite(value: object) -> TypeGuard[float]:
    return is_real(value) and math.isfinite(value)


def require_number(what: str, value: Any, above: float | None = None, least: float | None = None) -> None:
    """Require a finite number, optionally with a lower limit."""
    limit = f" above {above:g}" if above is not None else f", at least {least:g}" if least is not None else ""
    if not is_finite(value) or (above is not None and value <= above) or (least is not None and value < least):
        raise InputError(f"The {what} is {value!r}; give a number{limit}.")


def require_between(what: str, value: object, low: float, high: float) -> None:
    if not (is_real(value) and low <= value <= high):
        raise InputError(f"The {what} is {value!r}; give a number from {low:g} to {high:g}.")


def require_truths(settings: object, *names: str) -> None:
    """Require that Boolean settings are True or False."""
    for name in names:
        truth_of(name, getattr(settings, name))


def as_tuple(settings: Any, name: str, what: str, example: str) -> tuple[Any, ...]:
    """Convert a sequence in a frozen value to a tuple, which can be hashed."""
    value = getattr(settings, name)
    if not isinstance(value, tuple | list):
        raise InputError(f"The {what} are {value!r}; give numbers in brackets, {example}.")
    object.__setattr__(settings, name, tuple(value))
    return tuple(value)


def require_widths(settings: Any, name: str, what: str) -> None:
    """Require a tuple of positive widths of hidden layers."""
    widths = as_tuple(settings, name, what, "(32, 32)")
    if not widths or any(not is_whole(width) or width < 1 for width in widths):
        raise InputError(f"The {what} are {widths!r}; give at least one positive number.")
