"""Progress messages of a long computation: one short text per stage."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str], None]


def silent(message: str) -> None:
    """Discard progress messages."""
