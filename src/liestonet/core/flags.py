"""Flags: what a reader of an equation or of a result should know."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Flag:
    """Something the reader should know, and the one thing to do about it."""

    code: str
    message: str
    action: str
