"""Type checks of values from files: the annotations of the stored classes are the schema."""

from __future__ import annotations

import types
from collections.abc import Mapping
from typing import Any, Literal, Union, get_args, get_origin


def matches(value: Any, hint: Any) -> bool:
    """Whether a value agrees with an annotation at every level; arrays by kind of number and number of axes."""
    if hint is Any:
        return True
    if hint is None or hint is types.NoneType:
        return value is None
    if hint in (int, float):
        return isinstance(value, int if hint is int else int | float) and not isinstance(value, bool)
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return any(matches(value, option) for option in arguments)
    if origin is Literal:
        return value in arguments
    if origin is tuple:
        return _matches_tuple(value, arguments)
    if origin is list:
        return isinstance(value, list) and all(matches(item, arguments[0]) for item in value)
    if origin in (dict, Mapping):
        key, item = arguments
        return isinstance(value, dict) and all(matches(k, key) and matches(v, item) for k, v in value.items())
    if getattr(hint, "_is_protocol", False):
        return _follows(type(value), hint)
    return isinstance(hint, type) and isinstance(value, hint)


def _follows(kind: type, protocol: type) -> bool:
    """Whether a class has all public members of a protocol, without evaluating properties."""
    has = {*dir(kind), *getattr(kind, "__dataclass_fields__", {})}
    return all(name in has for name in dir(protocol) if not name.startswith("_"))


def _matches_tuple(value: Any, arguments: tuple[Any, ...]) -> bool:
    if type(value) is not tuple:
        return False
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        return all(matches(item, arguments[0]) for item in value)
    return len(value) == len(arguments) and all(map(matches, value, arguments))
