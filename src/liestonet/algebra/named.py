"""The result of naming a part of an algebra."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Named:
    """A name, its short form inside a longer name, its meaning, and the estimate from which a number in the name
    was rounded; empty if no number was."""

    text: str
    short: str
    explanation: str
    estimate: str = ""
