"""Progress: what a long computation says of itself, one short text a step."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str], None]


def silent(message: str) -> None:
    """Progress nobody asked for."""
