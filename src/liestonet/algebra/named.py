"""What naming a piece of an algebra returns."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Named:
    """A name, its short form as a part of something larger, what it means, and the estimate that a number in the name
    was rounded from; empty where no number was."""

    text: str
    short: str
    explanation: str
    estimate: str = ""
