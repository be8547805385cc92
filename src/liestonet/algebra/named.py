"""What naming a piece of an algebra returns."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Named:
    """A name, its short form as a part of something larger, and what it means."""

    text: str
    short: str
    explanation: str
